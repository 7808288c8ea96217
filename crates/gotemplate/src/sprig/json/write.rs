//! Values to JSON.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{DEPTH, Escape};
use crate::fmt::format_float;
use crate::function::Fault;
use crate::runes;
use crate::value::{Text, Value};

/// A value as JSON; with an indentation, on lines of their own.
pub fn marshal(value: &Value, escape: Escape, indent: Option<&str>) -> Result<Vec<u8>, Fault> {
    let mut writer = Writer { out: Vec::new(), escape, indent, depth: 0 };
    writer.value(value)?;
    Ok(writer.out)
}

struct Writer<'i> {
    out: Vec<u8>,
    escape: Escape,
    indent: Option<&'i str>,
    depth: usize,
}

impl Writer<'_> {
    fn write(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn line(&mut self) {
        if let Some(indent) = self.indent {
            self.out.push(b'\n');
            let pad = indent.repeat(self.depth);
            self.write(&pad);
        }
    }

    fn value(&mut self, value: &Value) -> Result<(), Fault> {
        match value {
            Value::Nil => self.write("null"),
            Value::Bool(truth) => self.write(if *truth { "true" } else { "false" }),
            Value::Int(int, number) if int.signed() => self.write(&number.to_string()),
            Value::Int(_, number) => self.write(&number.cast_unsigned().to_string()),
            Value::Float(number) => self.float(*number)?,
            Value::String(text) => self.string(text),
            Value::Bytes(bytes) => self.string(STANDARD.encode(&**bytes).as_bytes()),
            Value::List(list) if list.nil => self.write("null"),
            Value::List(list) => self.nested(*b"[]", list.items.iter().map(|item| (None, item.clone())))?,
            Value::Map(map) if map.nil => self.write("null"),
            Value::Map(map) => {
                let entries = map.entries.borrow().clone();
                self.nested(*b"{}", entries.into_iter().map(|(key, value)| (Some(key), value)))?;
            }
            Value::Object(object) => {
                if let Some(json) = object.json() {
                    self.write(&json);
                } else {
                    let fields = object.fields().into_iter();
                    self.nested(*b"{}", fields.map(|(name, field)| (Some(Text::from(name)), field.value)))?;
                }
            }
            Value::Complex(_) | Value::Func(_) => {
                return Err(format!("json: unsupported type: {}", value.type_name()).into());
            }
        }
        Ok(())
    }

    fn nested(
        &mut self,
        brackets: [u8; 2],
        items: impl Iterator<Item = (Option<Text>, Value)>,
    ) -> Result<(), Fault> {
        let [open, close] = brackets;
        if self.depth > DEPTH / 10 {
            return Err("json: unsupported value: encountered a cycle".into());
        }
        self.out.push(open);
        self.depth += 1;
        let mut empty = true;
        for (key, value) in items {
            if !std::mem::replace(&mut empty, false) {
                self.out.push(b',');
            }
            self.line();
            if let Some(key) = key {
                self.string(&key);
                self.write(if self.indent.is_some() { ": " } else { ":" });
            }
            self.value(&value)?;
        }
        self.depth -= 1;
        if !empty {
            self.line();
        }
        self.out.push(close);
        Ok(())
    }

    fn float(&mut self, number: f64) -> Result<(), Fault> {
        if !number.is_finite() {
            let shown = format_float(number, 'g', None);
            return Err(format!("json: unsupported value: {shown}").into());
        }
        let exponent = number != 0.0 && !(1e-6..1e21).contains(&number.abs());
        let text = format_float(number, if exponent { 'e' } else { 'f' }, None);
        // Of e-09 Go makes e-9.
        match text.split_once("e-0") {
            Some((mantissa, digit)) => self.write(&format!("{mantissa}e-{digit}")),
            None => self.write(&text),
        }
        Ok(())
    }

    fn string(&mut self, text: &[u8]) {
        self.out.push(b'"');
        for (character, bytes) in runes::all(text) {
            let html = self.escape == Escape::Html && matches!(character, '<' | '>' | '&');
            match character {
                '"' => self.write("\\\""),
                '\\' => self.write("\\\\"),
                '\x08' => self.write("\\b"),
                '\x0C' => self.write("\\f"),
                '\n' => self.write("\\n"),
                '\r' => self.write("\\r"),
                '\t' => self.write("\\t"),
                '\0'..='\x1f' | '\u{2028}' | '\u{2029}' => {
                    self.write(&format!("\\u{:04x}", u32::from(character)));
                }
                _ if html => self.write(&format!("\\u{:04x}", u32::from(character))),
                char::REPLACEMENT_CHARACTER if bytes.len() == 1 => self.write("\\ufffd"),
                _ => self.out.extend_from_slice(bytes),
            }
        }
        self.out.push(b'"');
    }
}
