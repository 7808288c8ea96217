//! Patterns of groups and kinds: `*`, `?`, `[a-c]`, `[!a]`, `{a,b}` and `\` before a character that means itself.

/// A pattern that is ready to use.
#[derive(Clone, Debug)]
pub(super) struct Glob {
    /// What `{a,b}` stands for, written out: any of these.
    any: Vec<Vec<Part>>,
}

#[derive(Clone, Debug)]
enum Part {
    Just(char),
    One,
    Some,
    Among { ranges: Vec<(char, char)>, not: bool },
}

/// More than this is a mistake, or made to hurt.
const MOST: usize = 256;

impl Glob {
    /// Reads a pattern; the error is what is not closed.
    pub(super) fn parse(text: &str) -> Result<Self, char> {
        let any = expand(text)?;
        Ok(Self { any: any.iter().map(|text| parts(text)).collect::<Result<_, _>>()? })
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        self.any.iter().any(|parts| matches(parts, &text))
    }
}

/// The texts that the first `{…}` stands for, and so on.
fn expand(text: &str) -> Result<Vec<String>, char> {
    let mut texts = vec![String::new()];
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (choices, behind) = after.split_once('}').ok_or('{')?;
        texts = texts
            .iter()
            .flat_map(|text| choices.split(',').map(move |choice| format!("{text}{before}{choice}")))
            .take(MOST)
            .collect();
        rest = behind;
    }
    Ok(texts.into_iter().map(|text| text + rest).collect())
}

fn parts(text: &str) -> Result<Vec<Part>, char> {
    let mut parts = Vec::new();
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        parts.push(match char {
            '*' => Part::Some,
            '?' => Part::One,
            '\\' => Part::Just(chars.next().unwrap_or('\\')),
            '[' => {
                let (inside, behind) = chars.as_str().split_once(']').ok_or('[')?;
                let part = among(inside);
                chars = behind.chars();
                part
            }
            other => Part::Just(other),
        });
    }
    Ok(parts)
}

fn among(inside: &str) -> Part {
    let (not, inside) = match inside.strip_prefix(['!', '^']) {
        Some(inside) => (true, inside),
        None => (false, inside),
    };
    let mut ranges = Vec::new();
    let mut chars = inside.chars().peekable();
    while let Some(first) = chars.next() {
        let last = chars.next_if_eq(&'-').and_then(|_| chars.next()).unwrap_or(first);
        ranges.push((first, last));
    }
    Part::Among { ranges, not }
}

/// Goes back to the last `*` only, so the time is the product of both lengths.
fn matches(parts: &[Part], text: &[char]) -> bool {
    let (mut at, mut place) = (0, 0);
    let mut again: Option<(usize, usize)> = None;
    while place < text.len() {
        match parts.get(at) {
            Some(Part::Some) => {
                again = Some((at, place));
                at += 1;
            }
            Some(part) if text.get(place).is_some_and(|char| part.takes(*char)) => {
                at += 1;
                place += 1;
            }
            _ => match again {
                Some((star, start)) => {
                    again = Some((star, start + 1));
                    at = star + 1;
                    place = start + 1;
                }
                None => return false,
            },
        }
    }
    parts.iter().skip(at).all(|part| matches!(part, Part::Some))
}

impl Part {
    fn takes(&self, char: char) -> bool {
        match self {
            Self::Just(wanted) => *wanted == char,
            Self::One | Self::Some => true,
            Self::Among { ranges, not } => {
                ranges.iter().any(|(first, last)| (*first..=*last).contains(&char)) != *not
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_groups_and_kinds() {
        let is = |pattern: &str, text: &str| Glob::parse(pattern).unwrap().matches(text);
        assert!(is("*", "") && is("*", "apps") && is("", "") && !is("", "apps"));
        assert!(is("*.crossplane.io", "aws.crossplane.io") && !is("*.crossplane.io", "crossplane.io"));
        assert!(is("{apps,batch}", "batch") && !is("{apps,batch}", "core"));
        assert!(is("[A-C]?b", "Job") == is("[!A-C]?b", "Bob") && is("[!A-C]?b", "Job"));
        assert!(is("a*b*c", "a-b-b-c") && !is("a*b*c", "a-b-b") && is("\\*", "*") && !is("\\*", "a"));
        assert_eq!(Glob::parse("[a").unwrap_err(), '[');
    }
}
