//! The fast way for JSON text, which also reads what YAML 1.1 does not: `\/` and surrogate pairs.
//!
//! It gives up silently on anything that is not plain JSON without repeated keys; the YAML reader then
//! reads the text, or says what is wrong with it.

use serde_json::{Map, Value};

use crate::document::{Document, Limits};
use crate::lines::Lines;
use crate::number::Numeric;

/// The documents of a text that is nothing but JSON objects or arrays, one after another.
pub(crate) fn documents(text: &str, limits: &Limits) -> Option<Vec<Document>> {
    let mut reader =
        Reader { text, position: 0, line: 1, lines: Lines::default(), depth: 0, nodes: 0, limits };
    let mut documents = Vec::new();
    reader.skip_space();
    while matches!(reader.peek(), b'{' | b'[') {
        let line = reader.line;
        reader.nodes = 0;
        let open = reader.lines.open("", line);
        let value = reader.value()?;
        reader.lines.close(open);
        let lines = std::mem::take(&mut reader.lines);
        documents.push(Document { value, line, lines });
        reader.skip_space();
    }
    (reader.position == text.len() && !documents.is_empty()).then_some(documents)
}

struct Reader<'a> {
    text: &'a str,
    position: usize,
    line: u32,
    lines: Lines,
    depth: usize,
    nodes: usize,
    limits: &'a Limits,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.position).copied().unwrap_or(0)
    }

    fn skip_space(&mut self) {
        loop {
            match self.peek() {
                b' ' | b'\t' | b'\r' => {}
                b'\n' => self.line += 1,
                _ => return,
            }
            self.position += 1;
        }
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek() == byte).then(|| self.position += 1)
    }

    fn value(&mut self) -> Option<Value> {
        self.nodes += 1;
        if self.nodes > self.limits.nodes {
            return None;
        }
        match self.peek() {
            b'{' => self.nested(Self::object),
            b'[' => self.nested(Self::array),
            b'"' => self.string().map(Value::String),
            b't' => self.word("true", Value::Bool(true)),
            b'f' => self.word("false", Value::Bool(false)),
            b'n' => self.word("null", Value::Null),
            _ => self.number(),
        }
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Option<Value>) -> Option<Value> {
        self.depth += 1;
        if self.depth > self.limits.depth {
            return None;
        }
        self.position += 1;
        self.skip_space();
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Option<Value> {
        let mut map = Map::new();
        while self.peek() != b'}' {
            if !map.is_empty() {
                self.take(b',')?;
                self.skip_space();
            }
            let line = self.line;
            let key = self.string()?;
            self.skip_space();
            self.take(b':')?;
            self.skip_space();
            let open = self.lines.open(&key, line);
            let value = self.value()?;
            self.lines.close(open);
            if map.insert(key, value).is_some() {
                return None;
            }
            self.skip_space();
        }
        self.position += 1;
        Some(Value::Object(map))
    }

    fn array(&mut self) -> Option<Value> {
        let mut items = Vec::new();
        while self.peek() != b']' {
            if !items.is_empty() {
                self.take(b',')?;
                self.skip_space();
            }
            let open = self.lines.open(&items.len().to_string(), self.line);
            items.push(self.value()?);
            self.lines.close(open);
            self.skip_space();
        }
        self.position += 1;
        Some(Value::Array(items))
    }

    fn word(&mut self, word: &str, value: Value) -> Option<Value> {
        let rest = self.text.get(self.position..)?;
        rest.starts_with(word).then(|| {
            self.position += word.len();
            value
        })
    }

    /// A string by serde_json, which knows all escapes; most have none.
    fn string(&mut self) -> Option<String> {
        let start = self.position;
        self.take(b'"')?;
        let mut escaped = false;
        loop {
            match self.peek() {
                b'"' => break,
                b'\\' => {
                    escaped = true;
                    self.position += 2;
                }
                0..0x20 => return None,
                _ => self.position += 1,
            }
        }
        self.position += 1;
        if escaped {
            return serde_json::from_str(self.text.get(start..self.position)?).ok();
        }
        self.text.get(start + 1..self.position - 1).map(str::to_owned)
    }

    fn number(&mut self) -> Option<Value> {
        let start = self.position;
        while matches!(self.peek(), b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E') {
            self.position += 1;
        }
        let text: &'a str = self.text.get(start..self.position)?;
        // JSON allows no leading zero, plus or dot, which the YAML reader takes for something else.
        let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
        match digits {
            [b'0', b'0'..=b'9', ..] => None,
            [b'0'..=b'9', ..] => Numeric::parse(text)?.to_value(),
            _ => None,
        }
    }
}
