//! Text made safe for HTML, JavaScript and queries of URLs.

use crate::fmt;
use crate::runes;
use crate::value::Value;

/// The arguments as one text; nil is `<no value>`, as an action prints it.
fn joined(args: &[Value]) -> Vec<u8> {
    if let [Value::String(text)] = args {
        return text.to_vec();
    }
    let shown: Vec<Value> = args
        .iter()
        .map(|arg| match arg {
            Value::Nil => Value::string("<no value>"),
            other => other.clone(),
        })
        .collect();
    fmt::sprint(&shown)
}

pub fn html(args: &[Value]) -> Vec<u8> {
    let mut out = Vec::new();
    for byte in joined(args) {
        match byte {
            0 => out.extend_from_slice("\u{FFFD}".as_bytes()),
            b'"' => out.extend_from_slice(b"&#34;"),
            b'\'' => out.extend_from_slice(b"&#39;"),
            b'&' => out.extend_from_slice(b"&amp;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            other => out.push(other),
        }
    }
    out
}

pub fn js(args: &[Value]) -> Vec<u8> {
    let mut out = Vec::new();
    for (character, bytes) in runes::all(&joined(args)) {
        match character {
            '\\' | '\'' | '"' => out.extend([b'\\', u8::try_from(character).unwrap_or_default()]),
            '<' | '>' | '&' | '=' | '\0'..='\x1f' => {
                out.extend(format!("\\u{:04X}", u32::from(character)).into_bytes());
            }
            ' '..='\x7f' => out.extend_from_slice(bytes),
            other if runes::is_print(other) => out.extend_from_slice(bytes),
            other => out.extend(format!("\\u{:04X}", u32::from(other)).into_bytes()),
        }
    }
    out
}

pub fn urlquery(args: &[Value]) -> Vec<u8> {
    query_escaped(&joined(args))
}

/// A text for a query: letters, digits and `-_.~` stay, spaces become `+`.
pub fn query_escaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for byte in text {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(*byte),
            b' ' => out.push(b'+'),
            other => out.extend(format!("%{other:02X}").into_bytes()),
        }
    }
    out
}
