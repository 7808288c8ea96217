//! What the operators make of a value and their arguments.

use crate::glob::{Work, matches};
use crate::letters::{lower, map_all, map_first, reverse, upper};

/// `${name OPERATOR arguments}` with the value filled in. Patterns that take too long leave `work` at its end.
pub(crate) fn apply(operator: &str, value: &[u8], arguments: &[Vec<u8>], work: &mut Work) -> Vec<u8> {
    match (operator, arguments) {
        ("#", []) => value.len().to_string().into_bytes(),
        (",", _) => map_first(value, lower),
        (",,", _) if value.is_ascii() => value.to_ascii_lowercase(),
        (",,", _) => map_all(value, lower),
        ("^", _) => map_first(value, upper),
        ("^^", _) if value.is_ascii() => value.to_ascii_uppercase(),
        ("^^", _) => map_all(value, upper),
        ("#", [pattern, ..]) => trim(value, pattern, Trim::Shortest, work),
        ("##", [pattern, ..]) => trim(value, pattern, Trim::Longest, work),
        ("%", [pattern, ..]) => trim_end(value, pattern, Trim::Shortest, work),
        ("%%", [pattern, ..]) => trim_end(value, pattern, Trim::Longest, work),
        (":", [position]) => substring(value, position, None),
        (":", [position, length, ..]) => substring(value, position, Some(length)),
        ("/#", [old, new]) if value.starts_with(old) => replace(value, old, new, 1),
        ("/%", [old, new]) => match value.strip_suffix(old.as_slice()) {
            Some(rest) => [rest, new].concat(),
            None => value.to_vec(),
        },
        ("/#" | "/%", _) => value.to_vec(),
        ("/", [old, rest @ ..]) => replace(value, old, rest.first().map_or(&[], Vec::as_slice), 1),
        ("//", [old, rest @ ..]) => replace(value, old, rest.first().map_or(&[], Vec::as_slice), usize::MAX),
        _ if value.is_empty() => arguments.concat(),
        _ => value.to_vec(),
    }
}

/// Whether an operator says itself what to do without a value.
pub(crate) fn has_default(operator: &str) -> bool {
    matches!(operator, "=" | ":=" | ":-" | ":?" | ":+")
}

/// Counted in bytes; a number that is none leaves the value as it is.
fn substring(value: &[u8], position: &[u8], length: Option<&Vec<u8>>) -> Vec<u8> {
    let size = i64::try_from(value.len()).unwrap_or(i64::MAX);
    let Some(position) = integer(position) else { return value.to_vec() };
    let start = if position < 0 { size.saturating_add(position).max(0) } else { position };
    let end = match length.map(|length| integer(length)) {
        None => size,
        Some(None) => return value.to_vec(),
        Some(Some(length)) if length < 0 => size.saturating_add(length),
        Some(Some(length)) => start.saturating_add(length).min(size),
    };
    let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
    range.and_then(|(start, end)| value.get(start..end)).unwrap_or_default().to_vec()
}

/// As Go's `Atoi`: decimal digits with a sign perhaps.
fn integer(text: &[u8]) -> Option<i64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// Replaces up to `limit` times. An empty `old` stands before every character and at the end.
fn replace(value: &[u8], old: &[u8], new: &[u8], limit: usize) -> Vec<u8> {
    let mut result = Vec::with_capacity(value.len());
    let mut rest = value;
    for count in 0..limit {
        let found = if old.is_empty() {
            // Behind the character that the round before stood in front of.
            let width = crate::scan::first_character(rest).map_or(0, |(_, width)| width);
            match count {
                0 => Some(0),
                _ if rest.is_empty() => None,
                _ => Some(width),
            }
        } else {
            memchr::memmem::find(rest, old)
        };
        let Some(at) = found else { break };
        result.extend_from_slice(rest.get(..at).unwrap_or_default());
        result.extend_from_slice(new);
        rest = rest.get(at + old.len()..).unwrap_or_default();
    }
    result.extend_from_slice(rest);
    result
}

#[derive(Clone, Copy, PartialEq)]
enum Trim {
    Shortest,
    Longest,
}

/// Cuts off a non-empty start that matches. A malformed pattern cuts nothing.
fn trim(value: &[u8], pattern: &[u8], which: Trim, work: &mut Work) -> Vec<u8> {
    let mut cut = 0;
    for length in (1..=value.len()).rev() {
        if work.is_over() {
            break;
        }
        match matches(pattern, value.get(..length).unwrap_or_default(), work) {
            Ok(true) => cut = length,
            Ok(false) => {}
            Err(_) => return value.to_vec(),
        }
        if cut > 0 && which == Trim::Longest {
            break;
        }
    }
    value.get(cut..).unwrap_or_default().to_vec()
}

/// As [`trim`], with value and pattern turned round, character by character.
fn trim_end(value: &[u8], pattern: &[u8], which: Trim, work: &mut Work) -> Vec<u8> {
    reverse(&trim(&reverse(value), &reverse(pattern), which, work))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(operator: &str, value: &str, arguments: &[&str]) -> String {
        let arguments: Vec<Vec<u8>> = arguments.iter().map(|text| text.as_bytes().to_vec()).collect();
        let result = apply(operator, value.as_bytes(), &arguments, &mut Work::new(1_000_000));
        String::from_utf8_lossy(&result).into_owned()
    }

    #[test]
    fn an_empty_text_is_found_before_every_character() {
        assert_eq!(with("//", "aé", &["", "-"]), "-a-é-");
        assert_eq!(with("/", "ab", &["", "-"]), "-ab");
        assert_eq!(with("//", "", &["", "-"]), "-");
        assert_eq!(with("//", "aaa", &["aa", "b"]), "ba");
    }

    #[test]
    fn substrings_never_leave_the_value() {
        assert_eq!(with(":", "abcdef", &["1", "9223372036854775807"]), "bcdef");
        assert_eq!(with(":", "abcdef", &["-9223372036854775808", "2"]), "ab");
        assert_eq!(with(":", "abcdef", &["7", "-1"]), "");
        assert_eq!(with(":", "abcdef", &[" 1"]), "abcdef");
        assert_eq!(with(":", "abcdef", &["4", "-3"]), "");
    }

    #[test]
    fn patterns_cut_the_shortest_or_the_longest() {
        assert_eq!(with("#", "a.b.c", &["*."]), "b.c");
        assert_eq!(with("##", "a.b.c", &["*."]), "c");
        assert_eq!(with("%", "a.b.c", &[".*"]), "a.b");
        assert_eq!(with("%%", "a.b.c", &[".*"]), "a");
        assert_eq!(with("#", "abc", &["["]), "abc");
    }
}
