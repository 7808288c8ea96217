//! Go's strconv, as far as templates and Sprig need it: numbers in Go's spelling, and quoted text.

use crate::runes;

/// An unsigned integer in Go's spelling: a base by its prefix, underscores between digits.
pub fn parse_uint(text: &str) -> Option<u64> {
    let (radix, digits) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, text.get(2..)?),
        [b'0', b'o' | b'O', ..] => (8, text.get(2..)?),
        [b'0', b'b' | b'B', ..] => (2, text.get(2..)?),
        [b'0', _, ..] => (8, text.get(1..)?),
        _ => (10, text),
    };
    if digits.contains('_') && !underscores_ok(text) {
        return None;
    }
    let digits: String = digits.chars().filter(|digit| *digit != '_').collect();
    if !digits.starts_with(|first: char| first.is_ascii_hexdigit()) {
        return None;
    }
    u64::from_str_radix(&digits, radix).ok()
}

/// A signed one.
pub fn parse_int(text: &str) -> Option<i64> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, text.get(1..)?),
        b'+' => (false, text.get(1..)?),
        _ => (false, text),
    };
    let magnitude = parse_uint(digits)?;
    if negative { 0_i64.checked_sub_unsigned(magnitude) } else { i64::try_from(magnitude).ok() }
}

/// Whether underscores stand only between digits, or between a base's prefix and a digit.
fn underscores_ok(text: &str) -> bool {
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mut before, digits, hex) = match text.as_bytes() {
        [b'0', prefix @ (b'x' | b'X' | b'o' | b'O' | b'b' | b'B'), rest @ ..] => {
            (b'0', rest, matches!(prefix, b'x' | b'X'))
        }
        bytes => (b'^', bytes, false),
    };
    for byte in digits {
        let digit = byte.is_ascii_digit() || hex && byte.is_ascii_hexdigit();
        match (digit, *byte) {
            (true, _) => before = b'0',
            (false, b'_') if before == b'0' => before = b'_',
            (false, b'_') => return false,
            (false, _) if before == b'_' => return false,
            (false, _) => before = b'!',
        }
    }
    before != b'_'
}

/// A float in Go's spelling, which has hexadecimal ones, underscores and words for infinity.
pub fn parse_float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let lower = unsigned.to_ascii_lowercase();
    if matches!(lower.as_str(), "inf" | "infinity" | "nan") {
        return text.parse().ok();
    }
    if text.contains('_') && !underscores_ok(text) {
        return None;
    }
    let plain: String = text.chars().filter(|character| *character != '_').collect();
    if lower.starts_with("0x") {
        return hex_float(&plain);
    }
    let digit_first = |part: &str| part.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    if !digit_first(unsigned) || !unsigned.contains(|digit: char| digit.is_ascii_digit()) {
        return None;
    }
    plain.parse::<f64>().ok().filter(|float| float.is_finite())
}

fn hex_float(text: &str) -> Option<f64> {
    let (sign, text) = match text.as_bytes().first()? {
        b'-' => (-1.0, text.get(1..)?),
        b'+' => (1.0, text.get(1..)?),
        _ => (1.0, text),
    };
    let (mantissa, exponent) = text.get(2..)?.split_once(['p', 'P'])?;
    let exponent: i32 = exponent.parse().ok()?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: String = [whole, fraction].concat();
    if digits.is_empty() || digits.len() > 30 {
        return None;
    }
    let bits = u128::from_str_radix(&digits, 16).ok()?;
    let places = i32::try_from(fraction.len()).ok()?.checked_mul(4)?;
    #[expect(clippy::cast_precision_loss, reason = "rounds to nearest, as Go does")]
    let mantissa = bits as f64;
    let float = sign * mantissa * 2_f64.powi(exponent.checked_sub(places)?);
    float.is_finite().then_some(float)
}

/// What one character of a quoted text stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unquoted {
    Character(char),
    Byte(u8),
}

impl Unquoted {
    /// Its number.
    pub fn code(self) -> u32 {
        match self {
            Unquoted::Character(character) => u32::from(character),
            Unquoted::Byte(byte) => u32::from(byte),
        }
    }
}

const SYNTAX: &str = "invalid syntax";

/// One character of a text in quotes, and the rest of the text.
pub fn unquote_char(text: &[u8], quote: u8) -> Result<(Unquoted, &[u8]), String> {
    let failed = || SYNTAX.to_owned();
    let (character, width) = runes::first(text).ok_or_else(failed)?;
    let rest = text.get(width..).unwrap_or_default();
    if character != '\\' {
        if character == char::from(quote) && matches!(quote, b'\'' | b'"') {
            return Err(failed());
        }
        let unquoted = match (character, text.first()) {
            (char::REPLACEMENT_CHARACTER, Some(byte)) if width == 1 => Unquoted::Byte(*byte),
            _ => Unquoted::Character(character),
        };
        return Ok((unquoted, rest));
    }
    let (escape, rest) = rest.split_first().ok_or_else(failed)?;
    let digits = |count: usize, radix: u32| {
        let digits = rest.get(..count).and_then(|digits| str::from_utf8(digits).ok()).ok_or_else(failed)?;
        if !digits.chars().all(|digit| digit.is_digit(radix)) {
            return Err(failed());
        }
        let code = u32::from_str_radix(digits, radix).map_err(|_| failed())?;
        Ok((code, rest.get(count..).unwrap_or_default()))
    };
    let simple = |character: char| Ok((Unquoted::Character(character), rest));
    match escape {
        b'a' => simple('\x07'),
        b'b' => simple('\x08'),
        b'f' => simple('\x0C'),
        b'n' => simple('\n'),
        b'r' => simple('\r'),
        b't' => simple('\t'),
        b'v' => simple('\x0B'),
        b'\\' => simple('\\'),
        b'\'' | b'"' if *escape == quote => simple(char::from(quote)),
        b'x' => {
            let (code, rest) = digits(2, 16)?;
            Ok((Unquoted::Byte(u8::try_from(code).map_err(|_| failed())?), rest))
        }
        b'u' | b'U' => {
            let (code, rest) = digits(if *escape == b'u' { 4 } else { 8 }, 16)?;
            Ok((Unquoted::Character(char::from_u32(code).ok_or_else(failed)?), rest))
        }
        b'0'..=b'7' => {
            let three = [&[*escape][..], rest.get(..2).ok_or_else(failed)?].concat();
            let three = str::from_utf8(&three).map_err(|_| failed())?;
            let code = u32::from_str_radix(three, 8).map_err(|_| failed())?;
            let byte = u8::try_from(code).map_err(|_| failed())?;
            Ok((Unquoted::Byte(byte), rest.get(2..).unwrap_or_default()))
        }
        _ => Err(failed()),
    }
}

/// The value of a string literal, in double or back quotes.
pub fn unquote(text: &[u8]) -> Result<Vec<u8>, String> {
    match text {
        [b'`', inner @ .., b'`'] => Ok(inner.iter().copied().filter(|byte| *byte != b'\r').collect()),
        [b'"', inner @ .., b'"'] => {
            let mut rest = inner;
            let mut out = Vec::with_capacity(inner.len());
            while !rest.is_empty() {
                let (unquoted, next) = unquote_char(rest, b'"')?;
                match unquoted {
                    Unquoted::Character(character) => runes::push(&mut out, character),
                    Unquoted::Byte(byte) => out.push(byte),
                }
                rest = next;
            }
            Ok(out)
        }
        _ => Err(SYNTAX.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_bases_and_underscores() {
        assert_eq!(parse_int("0x1_F"), Some(31));
        assert_eq!(parse_int("-0b_101"), Some(-5));
        assert_eq!(parse_int("0377"), Some(255));
        assert_eq!((parse_int("08"), parse_int("1__0"), parse_int("")), (None, None, None));
        assert_eq!(parse_int("-9223372036854775808"), Some(i64::MIN));
    }

    #[test]
    fn floats_may_be_hexadecimal() {
        assert_eq!(parse_float("+0x1.ep+2"), Some(7.5));
        assert_eq!(parse_float("1e-3"), Some(0.001));
        assert_eq!((parse_float("e1"), parse_float(".")), (None, None));
    }

    #[test]
    fn text_is_taken_out_of_its_quotes() {
        assert_eq!(unquote(br#""a\n\x41\u00e9\"""#).unwrap(), "a\nAé\"".as_bytes());
        assert_eq!(unquote(b"`a\r\n`").unwrap(), b"a\n");
        assert!(unquote(br#""\'""#).is_err());
    }
}
