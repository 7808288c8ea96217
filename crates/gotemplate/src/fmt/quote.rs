//! Text in Go's quotes.

use std::fmt::Write as _;

use crate::runes;

/// What stays as it is in quotes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// Whatever can be printed.
    Printed,
    /// ASCII only.
    Ascii,
}

/// In double quotes.
pub fn quoted(text: &[u8]) -> String {
    quoted_as(text, b'"', Kept::Printed)
}

/// In the given quotes.
pub fn quoted_as(text: &[u8], quote: u8, kept: Kept) -> String {
    let quote = char::from(quote);
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for (character, bytes) in runes::all(text) {
        match (character, bytes) {
            (char::REPLACEMENT_CHARACTER, [byte]) => {
                let _ = write!(out, "\\x{byte:02x}");
            }
            _ => push_escaped(&mut out, character, quote, kept),
        }
    }
    out.push(quote);
    out
}

fn push_escaped(out: &mut String, character: char, quote: char, kept: Kept) {
    let plain = match kept {
        Kept::Printed => runes::is_print(character),
        Kept::Ascii => character.is_ascii() && runes::is_print(character),
    };
    let code = u32::from(character);
    let _ = match character {
        '\\' => out.write_str("\\\\"),
        _ if character == quote => write!(out, "\\{character}"),
        _ if plain => out.write_char(character),
        '\x07' => out.write_str("\\a"),
        '\x08' => out.write_str("\\b"),
        '\x0C' => out.write_str("\\f"),
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        '\t' => out.write_str("\\t"),
        '\x0B' => out.write_str("\\v"),
        _ if code < 0x20 || code == 0x7f => write!(out, "\\x{code:02x}"),
        _ if code < 0x10000 => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    };
}

/// Whether a text can stand in back quotes as it is.
pub fn can_backquote(text: &[u8]) -> bool {
    runes::all(text).all(|(character, bytes)| match character {
        char::REPLACEMENT_CHARACTER => bytes.len() > 1,
        '\u{FEFF}' | '`' | '\x7f' => false,
        control => control >= ' ' || control == '\t',
    })
}

/// `U+0026 '&'`
pub fn code_point(character: char) -> String {
    let code = u32::from(character);
    if runes::is_print(character) { format!("U+{code:04X} '{character}'") } else { format!("U+{code:04X}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_printed_is_escaped() {
        assert_eq!(
            quoted("a\n\u{7f}é\u{a0}\u{1F600}\u{E0001}".as_bytes()),
            "\"a\\n\\x7fé\\u00a0😀\\U000e0001\""
        );
        assert_eq!(quoted(b"\xff\"'"), r#""\xff\"'""#);
        assert_eq!(quoted_as("é".as_bytes(), b'\'', Kept::Ascii), "'\\u00e9'");
    }
}
