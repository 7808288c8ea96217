//! JSON to values.

use super::DEPTH;
use crate::fmt::quote;
use crate::function::Fault;
use crate::runes;
use crate::sprig::Done;
use crate::value::{Text, Value};

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
