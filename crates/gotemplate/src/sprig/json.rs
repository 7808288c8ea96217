//! JSON, in and out, as Go's encoding/json has it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{Done, Table};
use crate::fmt::{format_float, quote};
use crate::function::{Args, Fault};
use crate::runes;
use crate::value::{Text, Type, Value};

const S: Type = Type::String;
const ANY: Type = Type::Any;
/// How deep values may nest.
const DEPTH: usize = 10_000;

/// Whether characters that HTML knows are escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escape {
    /// `<` is `\u003c`.
    Html,
    /// It stays.
    Nothing,
}

pub fn add(table: &mut Table<'_>) {
    table.pure("fromJson", &[S], ANY, |args| Ok(unmarshal(args.text(0)).unwrap_or(Value::Nil)));
    table.pure("mustFromJson", &[S], ANY, |args| unmarshal(args.text(0)));
    table.pure("toJson", &[ANY], S, |args| quiet(compact(args, Escape::Html)));
    table.pure("mustToJson", &[ANY], S, |args| compact(args, Escape::Html));
    table.pure("toPrettyJson", &[ANY], S, |args| quiet(pretty(args)));
    table.pure("mustToPrettyJson", &[ANY], S, pretty);
    table.pure("toRawJson", &[ANY], S, |args| compact(args, Escape::Nothing));
    table.pure("mustToRawJson", &[ANY], S, |args| compact(args, Escape::Nothing));
}

fn quiet(written: Done) -> Done {
    Ok(written.unwrap_or_else(|_| Value::string("")))
}

fn compact(args: Args<'_>, escape: Escape) -> Done {
    marshal(args.value(0), escape, None).map(Value::string)
}

fn pretty(args: Args<'_>) -> Done {
    marshal(args.value(0), Escape::Html, Some("  ")).map(Value::string)
}

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

/// JSON as a value: all numbers are floats. The error is Go's.
pub fn unmarshal(text: &[u8]) -> Done {
    let mut reader = Reader { text, at: 0, depth: 0 };
    let value = reader.value()?;
    reader.spaces();
    match reader.peek() {
        Some(_) => Err(reader.wrong("after top-level value")),
        None => Ok(value),
    }
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn spaces(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// What Go says of the byte at hand.
    fn wrong(&self, context: &str) -> Fault {
        let shown = match self.peek() {
            // At the end Go tries a space, which is wrong within a word, a number and an escape.
            None if context.starts_with("in ") || context.starts_with("after decimal") => "' '".to_owned(),
            None => return "unexpected end of JSON input".into(),
            Some(b'\'') => r"'\''".to_owned(),
            Some(b'"') => "'\"'".to_owned(),
            // A byte beyond ASCII is shown as the character of its number.
            Some(byte) => {
                let quoted = quote::quoted(char::from(byte).encode_utf8(&mut [0; 4]).as_bytes());
                format!("'{}'", quoted.trim_matches('"'))
            }
        };
        Fault(format!("invalid character {shown} {context}"))
    }

    fn value(&mut self) -> Done {
        self.spaces();
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => self.string().map(Value::string),
            Some(b't') => self.literal("true", Value::Bool(true)),
            Some(b'f') => self.literal("false", Value::Bool(false)),
            Some(b'n') => self.literal("null", Value::Nil),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => Err(self.wrong("looking for beginning of value")),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Done) -> Done {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err("exceeded max depth".into());
        }
        self.at += 1;
        let value = crate::run::with_stack(|| read(self));
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Done {
        let mut entries = Vec::new();
        self.spaces();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::map(entries));
        }
        loop {
            self.spaces();
            if self.peek() != Some(b'"') {
                return Err(self.wrong("looking for beginning of object key string"));
            }
            let key = self.string()?;
            self.spaces();
            if self.peek() != Some(b':') {
                return Err(self.wrong("after object key"));
            }
            self.at += 1;
            entries.push((Text::from(key), self.value()?));
            self.spaces();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Value::map(entries));
                }
                _ => return Err(self.wrong("after object key:value pair")),
            }
        }
    }

    fn array(&mut self) -> Done {
        let mut items = Vec::new();
        self.spaces();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::list(items));
        }
        loop {
            items.push(self.value()?);
            self.spaces();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(Value::list(items));
                }
                _ => return Err(self.wrong("after array element")),
            }
        }
    }

    fn literal(&mut self, word: &str, value: Value) -> Done {
        for letter in word.chars() {
            if self.peek().map(char::from) != Some(letter) {
                return Err(self.wrong(&format!("in literal {word} (expecting '{letter}')")));
            }
            self.at += 1;
        }
        Ok(value)
    }

    fn digits(&mut self, context: &str) -> Result<(), Fault> {
        if !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return Err(self.wrong(context));
        }
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Done {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits("in numeric literal")?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits("after decimal point in numeric literal")?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits("in exponent of numeric literal")?;
        }
        let text =
            self.text.get(start..self.at).and_then(|text| str::from_utf8(text).ok()).unwrap_or_default();
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Value::Float(number)),
            _ => Err(format!("json: cannot unmarshal number {text} into Go value of type float64").into()),
        }
    }

    fn string(&mut self) -> Result<Vec<u8>, Fault> {
        self.at += 1;
        let mut out = Vec::new();
        loop {
            match self.peek() {
                None => return Err(self.wrong("")),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(runes::mapped(&out, |character| character));
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.escape(&mut out)?;
                }
                Some(0..=0x1f) => return Err(self.wrong("in string literal")),
                Some(byte) => {
                    out.push(byte);
                    self.at += 1;
                }
            }
        }
    }

    fn escape(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        let byte = match self.peek() {
            Some(plain @ (b'"' | b'\\' | b'/')) => plain,
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => {
                self.at += 1;
                let mut code = self.hex()?;
                // Two halves make one character; a half alone is none.
                if (0xD800..0xDC00).contains(&code) && self.text.get(self.at..self.at + 2) == Some(b"\\u") {
                    let before = self.at;
                    self.at += 2;
                    let low = self.hex()?;
                    if (0xDC00..0xE000).contains(&low) {
                        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
                    } else {
                        self.at = before;
                    }
                }
                runes::push(out, char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                return Ok(());
            }
            _ => return Err(self.wrong("in string escape code")),
        };
        self.at += 1;
        out.push(byte);
        Ok(())
    }

    fn hex(&mut self) -> Result<u32, Fault> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            code = code * 16 + digit.ok_or_else(|| self.wrong("in \\u hexadecimal character escape"))?;
            self.at += 1;
        }
        Ok(code)
    }
}
