//! The patterns of `${name#pattern}` and its relatives: `*`, `?`, `[a-z]`, `[^a-z]` and `\`.
//!
//! A pattern is cut at its stars into chunks; each chunk is looked for as early as possible, the last one so
//! that it reaches the end. A pattern is found to be malformed only where the matching gets that far.

use crate::scan::first_character;

/// The pattern makes no sense at a place that was reached.
#[derive(Debug, PartialEq)]
pub(crate) struct Malformed;

/// Whether the pattern matches all of the text. `work` counts down with every chunk that is tried.
pub(crate) fn matches(mut pattern: &[u8], mut text: &[u8], work: &mut Work) -> Result<bool, Malformed> {
    'chunks: while !pattern.is_empty() {
        let (star, chunk, rest) = next_chunk(pattern);
        pattern = rest;
        if star && chunk.is_empty() {
            return Ok(true);
        }
        let last = pattern.is_empty();
        let fits = |left: &[u8]| left.is_empty() || !last;
        if let Some(left) = match_chunk(chunk, text, work)?
            && fits(left)
        {
            text = left;
            continue;
        }
        if star {
            for at in 1..=text.len() {
                let Some(tail) = text.get(at..) else { break };
                if let Some(left) = match_chunk(chunk, tail, work)?
                    && fits(left)
                {
                    text = left;
                    continue 'chunks;
                }
            }
        }
        return Ok(false);
    }
    Ok(text.is_empty())
}

/// How much may still be tried.
pub(crate) struct Work {
    left: u64,
}

impl Work {
    pub fn new(limit: u64) -> Self {
        Self { left: limit }
    }

    pub fn is_over(&self) -> bool {
        self.left == 0
    }

    fn spend(&mut self, steps: usize) {
        self.left = self.left.saturating_sub(steps as u64 + 1);
    }
}

/// Whether a star comes first, the pattern up to the next star, and what follows.
fn next_chunk(pattern: &[u8]) -> (bool, &[u8], &[u8]) {
    let stars = pattern.iter().take_while(|byte| **byte == b'*').count();
    let chunk = pattern.get(stars..).unwrap_or_default();
    let (mut at, mut in_class) = (0, false);
    while let Some(byte) = chunk.get(at) {
        match byte {
            b'\\' if at + 1 < chunk.len() => at += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'*' if !in_class => break,
            _ => {}
        }
        at += 1;
    }
    let (chunk, rest) = chunk.split_at(at);
    (stars > 0, chunk, rest)
}

/// What is left of the text behind the chunk.
fn match_chunk<'t>(
    mut chunk: &[u8],
    mut text: &'t [u8],
    work: &mut Work,
) -> Result<Option<&'t [u8]>, Malformed> {
    let length = chunk.len();
    let outcome = loop {
        let Some((first, rest)) = chunk.split_first() else { break Ok(Some(text)) };
        let Some((character, width)) = first_character(text) else { break Ok(None) };
        match first {
            b'[' => {
                text = text.get(width..).unwrap_or_default();
                match class(rest, character) {
                    Ok((true, behind)) => chunk = behind,
                    Ok((false, _)) => break Ok(None),
                    Err(malformed) => break Err(malformed),
                }
            }
            b'?' => {
                text = text.get(width..).unwrap_or_default();
                chunk = rest;
            }
            _ => {
                let literal = if *first == b'\\' { rest.split_first() } else { Some((first, rest)) };
                let Some((literal, behind)) = literal else { break Err(Malformed) };
                if text.first() != Some(literal) {
                    break Ok(None);
                }
                text = text.get(1..).unwrap_or_default();
                chunk = behind;
            }
        }
    };
    work.spend(length - chunk.len());
    outcome
}

/// Whether a character is in the class behind `[`, and the pattern behind its `]`.
fn class(mut pattern: &[u8], character: char) -> Result<(bool, &[u8]), Malformed> {
    let negated = pattern.first() == Some(&b'^');
    if negated {
        pattern = pattern.get(1..).unwrap_or_default();
    }
    let mut found = false;
    for count in 0.. {
        if count > 0
            && let Some((b']', behind)) = pattern.split_first()
        {
            return Ok((found != negated, behind));
        }
        let (low, rest) = class_character(pattern)?;
        let (high, rest) = match rest.split_first() {
            Some((b'-', rest)) => class_character(rest)?,
            _ => (low, rest),
        };
        found |= (low..=high).contains(&character);
        pattern = rest;
    }
    Err(Malformed)
}

/// A character of a class; something must follow it.
fn class_character(pattern: &[u8]) -> Result<(char, &[u8]), Malformed> {
    let pattern = match pattern.split_first() {
        None | Some((b'-' | b']', _)) => return Err(Malformed),
        Some((b'\\', rest)) => rest,
        Some(_) => pattern,
    };
    let (character, width) = first_character(pattern).ok_or(Malformed)?;
    let rest = pattern.get(width..).unwrap_or_default();
    let broken = character == char::REPLACEMENT_CHARACTER && width == 1;
    if broken || rest.is_empty() { Err(Malformed) } else { Ok((character, rest)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(pattern: &str, text: &str) -> Result<bool, Malformed> {
        matches(pattern.as_bytes(), text.as_bytes(), &mut Work::new(1_000_000))
    }

    #[test]
    fn patterns() {
        for (pattern, text) in
            [("*", ""), ("a*c", "abbc"), ("*.*", "a/b.c"), ("[a-c]?", "bé"), ("[^x]", "y"), ("\\*", "*")]
        {
            assert_eq!(fits(pattern, text), Ok(true), "{pattern} {text}");
        }
        for (pattern, text) in [("", "a"), ("a", ""), ("a*c", "abcd"), ("[^x]", "x"), ("b[", "ab")] {
            assert_eq!(fits(pattern, text), Ok(false), "{pattern} {text}");
        }
        for (pattern, text) in [("[", "a"), ("[]a]", "a"), ("a[", "ab"), ("a\\", "ab"), ("[a-]", "a")] {
            assert_eq!(fits(pattern, text), Err(Malformed), "{pattern} {text}");
        }
    }
}
