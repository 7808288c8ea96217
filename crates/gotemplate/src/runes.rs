//! Characters as Go sees them: decoded from bytes that may be broken, and their Unicode classes.

use std::sync::LazyLock;

use regex::Regex;

static LETTER: LazyLock<Regex> = LazyLock::new(|| class(r"^\p{L}$"));
static DIGIT: LazyLock<Regex> = LazyLock::new(|| class(r"^\p{Nd}$"));
static UPPER: LazyLock<Regex> = LazyLock::new(|| class(r"^\p{Lu}$"));
static LOWER: LazyLock<Regex> = LazyLock::new(|| class(r"^\p{Ll}$"));
static NUMBER: LazyLock<Regex> = LazyLock::new(|| class(r"^\p{N}$"));
static PUNCTUATION: LazyLock<Regex> = LazyLock::new(|| class(r"^\p{P}$"));
static PRINTED: LazyLock<Regex> = LazyLock::new(|| class(r"^[\p{L}\p{M}\p{N}\p{P}\p{S}]$"));

fn class(expression: &str) -> Regex {
    Regex::new(expression).expect("a valid expression")
}

fn within(character: char, class: &Regex) -> bool {
    class.is_match(character.encode_utf8(&mut [0; 4]))
}

pub fn is_letter(character: char) -> bool {
    if character.is_ascii() { character.is_ascii_alphabetic() } else { within(character, &LETTER) }
}

pub fn is_digit(character: char) -> bool {
    if character.is_ascii() { character.is_ascii_digit() } else { within(character, &DIGIT) }
}

pub fn is_upper(character: char) -> bool {
    if character.is_ascii() { character.is_ascii_uppercase() } else { within(character, &UPPER) }
}

pub fn is_lower(character: char) -> bool {
    if character.is_ascii() { character.is_ascii_lowercase() } else { within(character, &LOWER) }
}

pub fn is_number(character: char) -> bool {
    if character.is_ascii() { character.is_ascii_digit() } else { within(character, &NUMBER) }
}

/// Go's symbols, such as `$` and `+`, are not punctuation.
pub fn is_punctuation(character: char) -> bool {
    match character {
        '$' | '+' | '<' | '=' | '>' | '^' | '`' | '|' | '~' => false,
        _ if character.is_ascii() => character.is_ascii_punctuation(),
        _ => within(character, &PUNCTUATION),
    }
}

/// The one upper-case character of another: Go has no "SS" for "ß".
pub fn upper(character: char) -> char {
    let mut all = character.to_uppercase();
    match (all.next(), all.next()) {
        (Some(one), None) => one,
        // Greek letters with an iota below have a capital of their own, eight further or nine.
        _ => match character {
            '\u{1F80}'..='\u{1FAF}' => char::from_u32(u32::from(character) | 8).unwrap_or(character),
            '\u{1FB3}' | '\u{1FC3}' | '\u{1FF3}' => {
                char::from_u32(u32::from(character) + 9).unwrap_or(character)
            }
            other => other,
        },
    }
}

/// The one lower-case character of another.
pub fn lower(character: char) -> char {
    let mut all = character.to_lowercase();
    match (all.next(), all.next()) {
        (Some(one), None) => one,
        _ if character == '\u{130}' => 'i',
        _ => character,
    }
}

/// The capital at the start of a word: a few letter pairs have one of their own.
pub fn title(character: char) -> char {
    match u32::from(character) {
        code @ 0x1C4..=0x1CC => char::from_u32((code - 0x1C4) / 3 * 3 + 0x1C5).unwrap_or(character),
        0x1F1..=0x1F3 => '\u{1F2}',
        _ => upper(character),
    }
}

/// Every character through a mapping; a broken byte becomes U+FFFD.
pub fn mapped(text: &[u8], mut mapping: impl FnMut(char) -> char) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    all(text).for_each(|(character, _)| push(&mut out, mapping(character)));
    out
}

/// Whether Go prints it as it is in quotes: letters, marks, numbers, punctuation, symbols and the space.
pub fn is_print(character: char) -> bool {
    if character.is_ascii() { matches!(character, ' '..='~') } else { within(character, &PRINTED) }
}

/// Letters, digits and the underscore.
pub fn is_word(character: char) -> bool {
    character == '_' || is_letter(character) || is_digit(character)
}

/// The first character and its width; a broken byte is U+FFFD of width 1.
pub fn first(bytes: &[u8]) -> Option<(char, usize)> {
    let byte = *bytes.first()?;
    if byte.is_ascii() {
        return Some((char::from(byte), 1));
    }
    for width in 2..=4 {
        if let Some(Ok(text)) = bytes.get(..width).map(str::from_utf8) {
            return text.chars().next().map(|character| (character, width));
        }
    }
    Some((char::REPLACEMENT_CHARACTER, 1))
}

/// The last character and its width.
pub fn last(bytes: &[u8]) -> Option<(char, usize)> {
    let byte = *bytes.last()?;
    if byte.is_ascii() {
        return Some((char::from(byte), 1));
    }
    for width in 2..=4 {
        let start = bytes.len().checked_sub(width);
        if let Some(Ok(text)) = start.and_then(|start| bytes.get(start..)).map(str::from_utf8) {
            let mut characters = text.chars();
            if let (Some(character), None) = (characters.next(), characters.next()) {
                return Some((character, width));
            }
        }
    }
    Some((char::REPLACEMENT_CHARACTER, 1))
}

/// All characters, each with the bytes that it was made of.
pub fn all(mut bytes: &[u8]) -> impl Iterator<Item = (char, &[u8])> {
    std::iter::from_fn(move || {
        let (character, width) = first(bytes)?;
        let (this, rest) = bytes.split_at_checked(width)?;
        bytes = rest;
        Some((character, this))
    })
}

/// How many characters there are.
pub fn count(bytes: &[u8]) -> usize {
    if bytes.is_ascii() { bytes.len() } else { all(bytes).count() }
}

/// Adds a character to bytes.
pub fn push(out: &mut Vec<u8>, character: char) {
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_bytes_are_characters_of_width_one() {
        assert_eq!(first(b"\xFFa"), Some((char::REPLACEMENT_CHARACTER, 1)));
        assert_eq!(last("aé".as_bytes()), Some(('é', 2)));
        assert_eq!(count("a\u{65e5}".as_bytes()), 2);
    }

    #[test]
    fn spaces_beyond_ascii_are_not_printed() {
        assert!(is_print('日') && is_print(' ') && !is_print('\u{a0}') && !is_print('\u{200b}'));
    }
}
