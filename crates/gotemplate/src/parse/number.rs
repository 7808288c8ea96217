//! Number literals: each may be an integer, an unsigned one, a float and a complex number at once.

use crate::fmt::quote;
use crate::strconv;

/// A literal and all that it can be.
#[derive(Clone, Debug, Default)]
pub struct Number {
    pub text: String,
    pub int: Option<i64>,
    pub uint: Option<u64>,
    pub float: Option<f64>,
    pub complex: Option<(f64, f64)>,
}

/// What a number in the text of a template is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Literal {
    Number,
    Character,
    Complex,
}

impl Number {
    /// Reads a literal; the error is Go's.
    pub fn parse(text: &[u8], literal: Literal) -> Result<Self, String> {
        let written = String::from_utf8_lossy(text).into_owned();
        match literal {
            Literal::Character => Self::character(text, written),
            Literal::Complex => Self::complex(written),
            Literal::Number => Self::plain(written),
        }
    }

    fn character(text: &[u8], written: String) -> Result<Self, String> {
        let inner = text.get(1..).unwrap_or_default();
        let (unquoted, tail) = strconv::unquote_char(inner, b'\'')?;
        if tail != b"'" {
            return Err(format!("malformed character constant: {written}"));
        }
        let code = i64::from(unquoted.code());
        Ok(Self {
            text: written,
            int: Some(code),
            uint: u64::try_from(code).ok(),
            float: Some(f64::from(unquoted.code())),
            complex: None,
        })
    }

    fn complex(written: String) -> Result<Self, String> {
        // The sign between the parts is the last that does not belong to an exponent.
        let bytes = written.as_bytes();
        let split = (1..bytes.len()).rev().find(|at| {
            let before = bytes.get(at - 1).copied().unwrap_or_default();
            let in_exponent = matches!(before, b'e' | b'E' | b'p' | b'P') && {
                let hex = written.get(..*at).is_some_and(|part| part.contains(['x', 'X']));
                matches!(before, b'p' | b'P') || !hex
            };
            matches!(bytes.get(*at), Some(b'+' | b'-')) && !in_exponent
        });
        let parts = split.and_then(|at| {
            let real = strconv::parse_float(written.get(..at)?)?;
            let imaginary = strconv::parse_float(written.get(at..)?.strip_suffix('i')?)?;
            Some((real, imaginary))
        });
        match parts {
            Some(complex) => Ok(Self::simplified(written, complex)),
            None => Err("syntax error scanning complex number".to_owned()),
        }
    }

    fn simplified(text: String, complex: (f64, f64)) -> Self {
        let mut number = Self { text, complex: Some(complex), ..Self::default() };
        if complex.1 == 0.0 {
            number.float = Some(complex.0);
            number.int = whole(complex.0);
            number.uint = whole_unsigned(complex.0);
        }
        number
    }

    fn plain(written: String) -> Result<Self, String> {
        if let Some(imaginary) = written.strip_suffix('i').and_then(strconv::parse_float) {
            return Ok(Self::simplified(written, (0.0, imaginary)));
        }
        let mut uint = strconv::parse_uint(&written);
        let int = strconv::parse_int(&written);
        if int == Some(0) {
            uint = Some(0);
        }
        #[expect(clippy::cast_precision_loss, reason = "as Go converts it")]
        let mut float = int.map(|int| int as f64).or(uint.map(|uint| uint as f64));
        let mut number = Self { int, uint, ..Self::default() };
        if float.is_none()
            && let Some(parsed) = strconv::parse_float(&written)
        {
            if !written.contains(['.', 'e', 'E', 'p', 'P']) {
                return Err(format!("integer overflow: {}", quote::quoted(written.as_bytes())));
            }
            float = Some(parsed);
            number.int = whole(parsed);
            number.uint = whole_unsigned(parsed);
        }
        number.float = float;
        if number.float.is_none() {
            return Err(format!("illegal number syntax: {}", quote::quoted(written.as_bytes())));
        }
        number.text = written;
        Ok(number)
    }

    /// Whether a constant without type is a float: it has a point or an exponent, and is no character and no
    /// hexadecimal integer.
    pub fn looks_float(&self) -> bool {
        let text = self.text.as_str();
        let hex = matches!(text.as_bytes(), [b'0', b'x' | b'X', _, ..]) && !text.contains(['p', 'P']);
        !hex && !text.starts_with('\'') && text.contains(['.', 'e', 'E', 'p', 'P'])
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::float_cmp,
    reason = "checked by converting back"
)]
fn whole(float: f64) -> Option<i64> {
    let within = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&float);
    let int = float as i64;
    (within && (int as f64) == float).then_some(int)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    reason = "checked by converting back"
)]
fn whole_unsigned(float: f64) -> Option<u64> {
    let within = (0.0..18_446_744_073_709_551_616.0).contains(&float);
    let uint = float as u64;
    (within && (uint as f64) == float).then_some(uint)
}
