//! What Go takes for a letter, a digit, and the other case of a letter.
//!
//! Go knows one character for each case, Rust also knows "ß" to "SS"; and Rust's alphabetic characters are more
//! than the letters.

use std::sync::LazyLock;

use regex::Regex;

use crate::scan::first_character;

static LETTER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\p{L}$").expect("a valid expression"));
static DIGIT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\p{Nd}$").expect("a valid expression"));

pub(crate) fn is_letter(character: char) -> bool {
    in_category(character, |ascii| ascii.is_ascii_alphabetic(), &LETTER)
}

pub(crate) fn is_digit(character: char) -> bool {
    in_category(character, |ascii| ascii.is_ascii_digit(), &DIGIT)
}

fn in_category(character: char, ascii: fn(char) -> bool, category: &Regex) -> bool {
    if character.is_ascii() {
        return ascii(character);
    }
    category.is_match(character.encode_utf8(&mut [0; 4]))
}

/// The one upper-case character of another, by Unicode's simple mapping.
pub(crate) fn upper(character: char) -> char {
    let mut all = character.to_uppercase();
    match (all.next(), all.next()) {
        (Some(one), None) => one,
        // Greek letters with an iota below have a capital of their own, eight further or nine.
        _ => match character {
            '\u{1F80}'..='\u{1FAF}' => greek(character, u32::from(character) | 8),
            '\u{1FB3}' | '\u{1FC3}' | '\u{1FF3}' => greek(character, u32::from(character) + 9),
            other => other,
        },
    }
}

fn greek(character: char, capital: u32) -> char {
    char::from_u32(capital).unwrap_or(character)
}

/// The one lower-case character of another.
pub(crate) fn lower(character: char) -> char {
    let mut all = character.to_lowercase();
    match (all.next(), all.next()) {
        (Some(one), None) => one,
        _ if character == '\u{130}' => 'i',
        _ => character,
    }
}

/// Every character through a mapping; a broken byte becomes U+FFFD.
pub(crate) fn map_all(text: &[u8], mapping: fn(char) -> char) -> Vec<u8> {
    let mut mapped = String::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        mapped.extend(chunk.valid().chars().map(mapping));
        mapped.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    mapped.into_bytes()
}

/// The first character through a mapping, the rest as it is.
pub(crate) fn map_first(text: &[u8], mapping: fn(char) -> char) -> Vec<u8> {
    let Some((first, width)) = first_character(text) else { return Vec::new() };
    let mut mapped = mapping(first).to_string().into_bytes();
    mapped.extend_from_slice(text.get(width..).unwrap_or_default());
    mapped
}

/// The characters from the last to the first; a broken byte becomes U+FFFD.
pub(crate) fn reverse(text: &[u8]) -> Vec<u8> {
    let same: Vec<u8> = map_all(text, |character| character);
    String::from_utf8_lossy(&same).chars().rev().collect::<String>().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_character_stays_one() {
        assert_eq!(map_all("straße ᾳ".as_bytes(), upper), "STRAßE ᾼ".as_bytes());
        assert_eq!(map_all("İX".as_bytes(), lower), b"ix");
        assert_eq!(map_first(b"\xFFa", upper), "\u{FFFD}a".as_bytes());
        assert!(is_letter('é') && !is_letter('Ⅷ') && is_digit('٣') && !is_digit('½'));
        assert_eq!(reverse("aé€".as_bytes()), "€éa".as_bytes());
    }
}
