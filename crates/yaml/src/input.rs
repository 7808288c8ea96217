//! Bytes to text: byte order marks, UTF-16, and the characters that YAML allows.

use std::borrow::Cow;

use crate::error::{Error, Kind, Mark};

/// Decodes the stream as go-yaml does: UTF-16 only behind its byte order mark, otherwise UTF-8.
pub(crate) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Error> {
    let text = match bytes {
        [0xFF, 0xFE, rest @ ..] => Cow::Owned(utf16(rest, u16::from_le_bytes)?),
        [0xFE, 0xFF, rest @ ..] => Cow::Owned(utf16(rest, u16::from_be_bytes)?),
        [0xEF, 0xBB, 0xBF, rest @ ..] => Cow::Borrowed(utf8(rest, 3)?),
        _ => Cow::Borrowed(utf8(bytes, 0)?),
    };
    match find_forbidden(&text) {
        None => Ok(text),
        Some((offset, character)) => Err(forbidden(&text, offset, character)),
    }
}

/// Whether a byte starts no character that is forbidden. The second half of Latin-1 has control characters,
/// and two code points near U+FFFF are none.
fn is_harmless(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~' | 0x80..=0xC1 | 0xC3..=0xEE | 0xF0..)
}

/// The first character that YAML does not allow, and where it is.
fn find_forbidden(text: &str) -> Option<(usize, char)> {
    let mut start = 0;
    loop {
        let rest = text.as_bytes().get(start..)?;
        let at = start + rest.iter().position(|byte| !is_harmless(*byte))?;
        let character = text.get(at..)?.chars().next()?;
        if !allowed(character) {
            return Some((at, character));
        }
        start = at + character.len_utf8();
    }
}

fn allowed(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | '\u{85}' | ' '..='\u{7E}' | '\u{A0}'..='\u{FFFD}' | '\u{10000}'..)
}

fn forbidden(text: &str, offset: usize, character: char) -> Error {
    let code = u32::from(character);
    mark(text.get(..offset).unwrap_or_default())
        .error(Kind::Encoding, format!("the control character U+{code:04X} is not allowed"))
        .hint("write it as an escape in a double-quoted string, or base64 in binaryData")
}

/// The place after a text.
fn mark(before: &str) -> Mark {
    let line = before.matches('\n').count();
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
    Mark { line: u32::try_from(line).unwrap_or(u32::MAX), column: u32::try_from(column).unwrap_or(u32::MAX) }
}

fn utf8(bytes: &[u8], skipped: usize) -> Result<&str, Error> {
    std::str::from_utf8(bytes).map_err(|error| {
        let valid = error.valid_up_to();
        let before = String::from_utf8_lossy(bytes.get(..valid).unwrap_or_default());
        let message = match bytes.get(valid) {
            Some(byte) if error.error_len().is_some() => {
                format!("not UTF-8: byte 0x{byte:02X} at offset {}", valid + skipped)
            }
            _ => format!("not UTF-8: the character at offset {} is cut off", valid + skipped),
        };
        mark(&before)
            .error(Kind::Encoding, message)
            .hint("save the file as UTF-8, or put binary data into binaryData as base64")
    })
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, Error> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|pair| unit(*pair));
    let mut text = String::with_capacity(bytes.len() / 2);
    for character in char::decode_utf16(units) {
        match character {
            Ok(character) => text.push(character),
            Err(_) => return Err(mark(&text).error(Kind::Encoding, "not UTF-16: half of a surrogate pair")),
        }
    }
    if rest.is_empty() {
        Ok(text)
    } else {
        Err(mark(&text).error(Kind::Encoding, "not UTF-16: the last character is cut off"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_bytes_are_named_by_line_and_offset() {
        let error = decode(b"a: 1\nb: \xC3\x28\n").unwrap_err();
        assert_eq!((error.line, error.column), (2, 4));
        assert_eq!(error.message, "not UTF-8: byte 0xC3 at offset 8");
        assert_eq!(
            decode(b"a: \xE2\x82").unwrap_err().message,
            "not UTF-8: the character at offset 3 is cut off"
        );
        assert_eq!(decode(b"a\n\x07").unwrap_err().line, 2);
    }

    #[test]
    fn utf16_needs_its_mark() {
        assert_eq!(decode(b"\xFF\xFEa\0:\0").unwrap(), "a:");
        assert_eq!(decode(b"\xFE\xFF\0a\xD8\x3D\xDE\x00").unwrap(), "a\u{1F600}");
        assert!(decode(b"\xFE\xFF\0").is_err());
        assert!(decode(b"\xFE\xFF\xD8\x3D").is_err());
        assert_eq!(decode(b"\xEF\xBB\xBFa").unwrap(), "a");
    }
}
