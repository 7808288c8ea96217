//! The type of a scalar, by YAML 1.1 as go-yaml v2 understands it.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::number::Numeric;
use crate::parse::Parser;
use crate::timestamp::is_timestamp;
use crate::tree::{Content, Scalar};
use crate::{Limits, input};

/// A scalar with its type.
#[derive(Debug, PartialEq)]
pub(crate) enum Resolved<'a> {
    Null,
    Bool(bool),
    Number(Numeric),
    /// `.inf`, `-.inf` or `.nan`, which only a mapping key may be.
    Special(f64),
    Text(Cow<'a, str>),
}

const PREFIX: &str = "tag:yaml.org,2002:";

/// What an untagged plain text means. `None` is a string; timestamps are strings in JSON.
pub(crate) fn implicit(text: &str) -> Option<Resolved<'_>> {
    let first = match text.as_bytes().first() {
        None => return Some(Resolved::Null),
        Some(first) => *first,
    };
    match first {
        b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~' => word(text),
        b'.' | b'+' | b'-' => special(text).or_else(|| Numeric::parse(text).map(Resolved::Number)),
        b'0'..=b'9' => Numeric::parse(text).map(Resolved::Number),
        _ => None,
    }
}

fn word(text: &str) -> Option<Resolved<'_>> {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Some(Resolved::Bool(true))
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Some(Resolved::Bool(false))
        }
        "~" | "null" | "Null" | "NULL" => Some(Resolved::Null),
        _ => None,
    }
}

/// What an untagged plain text means to go-yaml v3, which knows fewer words. `None` is a string; timestamps
/// are the caller's to find.
pub(crate) fn implicit_v3(text: &str) -> Option<Resolved<'_>> {
    match text.as_bytes().first() {
        Some(b'y' | b'Y' | b'o' | b'O') => None,
        Some(b'n' | b'N' | b't' | b'T' | b'f' | b'F') => match text {
            "true" | "True" | "TRUE" => Some(Resolved::Bool(true)),
            "false" | "False" | "FALSE" => Some(Resolved::Bool(false)),
            "null" | "Null" | "NULL" => Some(Resolved::Null),
            _ => None,
        },
        _ => implicit(text),
    }
}

/// Whether go-yaml v2 reads a whole text as anything but a string.
pub(crate) fn is_v2_non_string(text: &str) -> bool {
    let simple = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/' | b'-' | b'_' | b'+');
    if text.bytes().all(simple) && text.starts_with(|first: char| first.is_ascii_alphanumeric()) {
        return implicit(text).is_some();
    }
    let Ok(text) = input::decode(text.as_bytes()) else { return false };
    match Parser::new(&text, Limits::DEEPEST).document() {
        Err(_) => false,
        Ok(None) => true,
        Ok(Some((tree, root))) => match &tree.get(root).content {
            Content::Scalar(node) => !matches!(scalar(node), Err(_) | Ok(Resolved::Text(_))),
            _ => true,
        },
    }
}

fn special(text: &str) -> Option<Resolved<'_>> {
    match text {
        ".nan" | ".NaN" | ".NAN" => Some(Resolved::Special(f64::NAN)),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Some(Resolved::Special(f64::INFINITY)),
        "-.inf" | "-.Inf" | "-.INF" => Some(Resolved::Special(f64::NEG_INFINITY)),
        _ => None,
    }
}

/// The type of a scalar, its tag considered; the error says what does not fit.
pub(crate) fn scalar<'s>(scalar: &'s Scalar<'_>) -> Result<Resolved<'s>, String> {
    let text = scalar.text.as_ref();
    let string = || Resolved::Text(Cow::Borrowed(text));
    let Some(tag) = scalar.tag.as_deref() else {
        return Ok(if scalar.implicit { implicit(text).unwrap_or_else(string) } else { string() });
    };
    let Some(tag) = tag.strip_prefix(PREFIX) else {
        return Ok(string());
    };
    let resolved = || {
        if is_timestamp(text) && tag == "timestamp" { None } else { implicit(text) }
    };
    match (tag, resolved()) {
        ("null", Some(Resolved::Null)) => Ok(Resolved::Null),
        ("bool", Some(Resolved::Bool(value))) => Ok(Resolved::Bool(value)),
        ("int", Some(number @ Resolved::Number(Numeric::Int(_) | Numeric::Uint(_))))
        | ("float", Some(number @ Resolved::Number(Numeric::Float(_)))) => Ok(number),
        #[expect(clippy::cast_precision_loss, reason = "the tag asks for it")]
        ("float", Some(Resolved::Number(Numeric::Int(number)))) => {
            Ok(Resolved::Number(Numeric::Float(number as f64)))
        }
        ("float", Some(Resolved::Special(number))) => Ok(Resolved::Special(number)),
        ("timestamp", _) if is_timestamp(text) => Ok(string()),
        ("null" | "bool" | "int" | "float" | "timestamp", _) => {
            Err(format!("`{}` is not a !!{tag}", text.chars().take(40).collect::<String>()))
        }
        ("binary", _) => binary(text),
        _ => Ok(string()),
    }
}

/// Go's decoder skips line breaks, wants the padding, and does not mind left-over bits; Go's JSON then
/// replaces what is not UTF-8.
pub(crate) fn binary(text: &str) -> Result<Resolved<'static>, String> {
    const CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical);
    const ENGINE: GeneralPurpose = GeneralPurpose::new(&base64::alphabet::STANDARD, CONFIG);
    let packed: String = text.chars().filter(|character| !matches!(character, '\r' | '\n')).collect();
    match ENGINE.decode(packed) {
        Ok(bytes) => Ok(Resolved::Text(Cow::Owned(go_lossy(&bytes)))),
        Err(_) => Err("a !!binary value is not base64".into()),
    }
}

/// Each byte that is not part of a character becomes one U+FFFD, as in Go.
fn go_lossy(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    text
}
