//! Numbers as go-yaml reads and writes them.

use serde_json::{Number, Value};

/// What a plain text that starts with a digit, a sign or a dot means as a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Numeric {
    Int(i64),
    /// An integer above `i64::MAX`.
    Uint(u64),
    Float(f64),
}

impl Numeric {
    /// Reads a number: underscores anywhere, `0x`, `0o`, `0b` and leading-zero octal, decimal floats.
    pub fn parse(text: &str) -> Option<Self> {
        // Behind a dot Go's rule for underscores holds: only between digits. Elsewhere go-yaml drops them all.
        if text.starts_with('.') && !underscores_separate_digits(text) {
            return None;
        }
        let stripped;
        let plain = if text.contains('_') {
            stripped = text.replace('_', "");
            stripped.as_str()
        } else {
            text
        };
        parse_integer(plain).or_else(|| parse_float(plain).map(Self::Float)).or_else(|| signed_binary(plain))
    }

    /// The JSON value; none for what JSON cannot hold. Whole floats become integers, because Go prints them
    /// without a fraction and API servers refuse `1.0` for an integer field.
    pub fn to_value(self) -> Option<Value> {
        match self {
            Self::Int(number) => Some(number.into()),
            Self::Uint(number) => Some(number.into()),
            Self::Float(number) => float_value(number),
        }
    }
}

impl Numeric {
    /// The number as text, the way Go's tools print it.
    pub fn written(self) -> String {
        match self {
            Self::Int(number) => number.to_string(),
            Self::Uint(number) => number.to_string(),
            Self::Float(number) => match whole(number) {
                Some(Self::Int(whole)) => whole.to_string(),
                Some(Self::Uint(whole)) => whole.to_string(),
                _ => format_float(number),
            },
        }
    }
}

fn float_value(number: f64) -> Option<Value> {
    match whole(number) {
        Some(whole) => whole.to_value(),
        None => Number::from_f64(number).map(Value::Number),
    }
}

/// A float without fraction as the integer that Go prints for it: its shortest digits, filled up with zeros.
pub(crate) fn whole(number: f64) -> Option<Numeric> {
    if number == 0.0 {
        return Some(Numeric::Int(0));
    }
    if number.fract() != 0.0 || number.abs() >= 2e19 {
        return None;
    }
    let (mantissa, exponent) = split_scientific(&scientific(number));
    parse_integer(&positional(&mantissa, exponent))
}

fn underscores_separate_digits(text: &str) -> bool {
    let digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    let lone = |at: usize| {
        !(digit(at.checked_sub(1).and_then(|before| bytes.get(before))) && digit(bytes.get(at + 1)))
    };
    !bytes.iter().enumerate().any(|(at, byte)| *byte == b'_' && lone(at))
}

fn parse_integer(text: &str) -> Option<Numeric> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => (Some(true), text.get(1..)?),
        b'+' => (Some(false), text.get(1..)?),
        _ => (None, text),
    };
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, digits.get(2..)?),
        [b'0', b'o' | b'O', ..] => (8, digits.get(2..)?),
        [b'0', b'b' | b'B', ..] => (2, digits.get(2..)?),
        [b'0', _, ..] => (8, digits.get(1..)?),
        _ => (10, digits),
    };
    // from_str_radix would take a second sign.
    if !digits.starts_with(|first: char| first.is_digit(radix)) {
        return None;
    }
    let magnitude = u64::from_str_radix(digits, radix).ok()?;
    match (sign, i64::try_from(magnitude)) {
        (Some(true), Ok(number)) => Some(Numeric::Int(-number)),
        (Some(true), Err(_)) if magnitude == 1 << 63 => Some(Numeric::Int(i64::MIN)),
        (Some(false) | None, Ok(number)) => Some(Numeric::Int(number)),
        // Go's ParseUint takes no sign.
        (None, Err(_)) => Some(Numeric::Uint(magnitude)),
        _ => None,
    }
}

/// go-yaml's own binary form, which takes a sign behind the prefix: `0b-1`.
fn signed_binary(text: &str) -> Option<Numeric> {
    i64::from_str_radix(text.strip_prefix("0b")?, 2).ok().map(Numeric::Int)
}

/// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`, and not beyond the largest float.
fn parse_float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['-', '+']).unwrap_or(exponent))),
        None => (unsigned, None),
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let mantissa_holds = match mantissa.split_once('.') {
        Some(("", fraction)) => digits(fraction),
        Some((whole, fraction)) => digits(whole) && (fraction.is_empty() || digits(fraction)),
        None => digits(mantissa),
    };
    if !mantissa_holds || !exponent.is_none_or(digits) {
        return None;
    }
    text.parse::<f64>().ok().filter(|number| number.is_finite())
}

/// The shortest digits that read back as the same number, in Go's `%g` form: an exponent of at least two
/// digits below 1e-4 and from 1e6 on.
pub fn format_float(number: f64) -> String {
    go_form(&scientific(number))
}

/// A float as a mapping key, which Go's tools print with the precision of 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "this loss is what sigs.k8s.io/yaml does")]
pub(crate) fn format_float_key(number: f64) -> String {
    let single = number as f32;
    if single.is_nan() {
        ".nan".into()
    } else if single.is_infinite() {
        if single > 0.0 { ".inf" } else { "-.inf" }.into()
    } else {
        let shortest = format!("{single:e}");
        let nearest = format!("{single:.*e}", fraction_digits(&shortest));
        go_form(if nearest.parse() == Ok(single) { &nearest } else { &shortest })
    }
}

/// `-1.25e7`: the nearest of the shortest texts. Rust may take another of them, so that what it finds is only
/// good for its length.
fn scientific(number: f64) -> String {
    let shortest = format!("{number:e}");
    let nearest = format!("{number:.*e}", fraction_digits(&shortest));
    if nearest.parse() == Ok(number) { nearest } else { shortest }
}

fn fraction_digits(scientific: &str) -> usize {
    let mantissa = scientific.split('e').next().unwrap_or_default();
    mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len())
}

/// A finite number as mantissa and decimal exponent (`-1.25`, 7): the fewest digits that read back as the same number.
pub fn shortest_digits(number: f64) -> (String, i32) {
    split_scientific(&scientific(number))
}

fn split_scientific(scientific: &str) -> (String, i32) {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    (mantissa.to_owned(), exponent.parse().unwrap_or(0))
}

/// From Rust's `-1.25e7` to Go's `-1.25e+07` or, for small exponents, to plain digits.
fn go_form(scientific: &str) -> String {
    let (mantissa, exponent) = split_scientific(scientific);
    if (-4..6).contains(&exponent) {
        return positional(&mantissa, exponent);
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
}

/// Such a mantissa and exponent as plain digits, however many they are.
pub fn positional(mantissa: &str, exponent: i32) -> String {
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |mantissa| ("-", mantissa));
    let digits: String = mantissa.chars().filter(|character| *character != '.').collect();
    let point = exponent + 1;
    if point <= 0 {
        let zeros = "0".repeat(point.unsigned_abs() as usize);
        return format!("{sign}0.{zeros}{digits}");
    }
    let point = point.unsigned_abs() as usize;
    match (digits.get(..point), digits.get(point..)) {
        (Some(whole), Some("")) => format!("{sign}{whole}"),
        (Some(whole), Some(fraction)) => format!("{sign}{whole}.{fraction}"),
        _ => format!("{sign}{digits}{}", "0".repeat(point - digits.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_in_all_bases() {
        for (text, number) in
            [("0", 0), ("0777", 511), ("0o17", 15), ("0x1F", 31), ("-0b11", -3), ("1_000", 1000)]
        {
            assert_eq!(Numeric::parse(text), Some(Numeric::Int(number)), "{text}");
        }
        assert_eq!(Numeric::parse("0b-1"), Some(Numeric::Int(-1)));
        assert_eq!(Numeric::parse("-9223372036854775808"), Some(Numeric::Int(i64::MIN)));
        assert_eq!(Numeric::parse("18446744073709551615"), Some(Numeric::Uint(u64::MAX)));
        for text in ["0x", "--1", "1__a", "0xG", "+-1", "1e", "e1", ".", "1e999", "0x1p3", "._1", ".1_"] {
            assert_eq!(Numeric::parse(text), None, "{text}");
        }
    }

    #[test]
    fn floats() {
        for (text, number) in
            [("1.", 1.0), (".5", 0.5), ("1e3", 1000.0), ("09", 9.0), ("+1.5E-1", 0.15), (".1_5", 0.15)]
        {
            assert_eq!(Numeric::parse(text), Some(Numeric::Float(number)), "{text}");
        }
        assert_eq!(Numeric::Float(1000.0).to_value(), Some(1000.into()));
        assert_eq!(Numeric::Float(-0.0).to_value(), Some(0.into()));
        assert_eq!(
            Numeric::Float(9_223_372_036_854_775_808.0).to_value(),
            Some(9_223_372_036_854_776_000_u64.into())
        );
        assert_eq!(Numeric::Float(f64::NAN).to_value(), None);
        for (number, text) in [
            (100_000.0, "100000"),
            (1e6, "1e+06"),
            (1_234_567.5, "1.2345675e+06"),
            (1e-7, "1e-07"),
            (0.000_1, "0.0001"),
            (-12.5, "-12.5"),
            (1.5e300, "1.5e+300"),
            (-2_081_591_336_341_208.2, "-2.0815913363412082e+15"),
        ] {
            assert_eq!(format_float(number), text);
        }
        assert_eq!(format_float_key(0.1), "0.1");
        assert_eq!(format_float_key(1e300), ".inf");
    }
}
