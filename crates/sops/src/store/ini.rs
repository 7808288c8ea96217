//! Sections of `key = value` lines, as the Go library `ini` reads and writes them.

use super::{SOPS, Stored, write_error};
use crate::error::Error;
use crate::flat;
use crate::format::Format;
use crate::metadata::Metadata;
use crate::number;
use crate::tree::{Branch, Item, Value};

/// The section before the first head.
const DEFAULT: &str = "DEFAULT";

struct Section {
    name: String,
    comment: String,
    keys: Vec<Key>,
}

struct Key {
    name: String,
    value: String,
    comment: String,
}

pub(super) fn read(bytes: &[u8]) -> Result<Stored, Error> {
    let text = String::from_utf8_lossy(bytes);
    let sections = Reader::new(text.strip_prefix('\u{FEFF}').unwrap_or(&text)).sections()?;
    let named = |section: &&Section| section.name.as_bytes() == SOPS;
    let metadata = sections.iter().find(named).ok_or(Error::NoMetadata)?;
    let flat = metadata.keys.iter().map(|key| (key.name.clone(), key.value.clone()));
    let metadata = Metadata::from_json(flat::unflatten(flat)?)?;
    let branch =
        sections.into_iter().filter(|section| section.name.as_bytes() != SOPS).map(to_item).collect();
    Ok(Stored { metadata, branches: vec![branch] })
}

/// A comment of a section comes before its keys, a comment of a key behind it.
fn to_item(section: Section) -> Item {
    let mut items = Branch::new();
    let comment = |comment: &str| (!comment.is_empty()).then(|| Item::Comment(bare(comment).into()));
    items.extend(comment(&section.comment));
    for key in section.keys {
        items.push(Item::Entry(key.name.into(), Value::text(key.value)));
        items.extend(comment(&key.comment));
    }
    Item::Entry(section.name.into(), Value::Branch(items))
}

fn bare(comment: &str) -> &str {
    match comment.chars().next() {
        Some(sign @ (';' | '#')) => comment.trim_start_matches([sign, ' ']),
        _ => comment,
    }
}

struct Reader<'t> {
    lines: std::iter::Enumerate<std::str::SplitInclusive<'t, char>>,
    /// What was commented since the last section or key.
    comment: String,
    line: usize,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        Self { lines: text.split_inclusive('\n').enumerate(), comment: String::new(), line: 0 }
    }

    fn sections(mut self) -> Result<Vec<Section>, Error> {
        let empty = |name: &str, comment| Section { name: name.to_owned(), comment, keys: Vec::new() };
        let mut section = empty(DEFAULT, String::new());
        let mut sections = Vec::new();
        let mut count = 1;
        while let Some(line) = self.next() {
            let line = line.trim_start();
            if line.is_empty() {
                continue;
            }
            if line.starts_with(['#', ';']) {
                self.comment.push_str(line);
                continue;
            }
            if let Some(head) = line.strip_prefix('[') {
                let (name, behind) =
                    head.rsplit_once(']').ok_or_else(|| self.problem("a section without `]`"))?;
                if name.is_empty() {
                    return Err(self.problem("a section without a name"));
                }
                self.comment
                    .push_str(behind.find(['#', ';']).and_then(|at| behind.get(at..)).unwrap_or_default());
                sections.push(std::mem::replace(&mut section, empty(name, self.take_comment())));
                count = 1;
                continue;
            }
            let (mut name, value) = self.key(line)?;
            if name == "-" {
                name = format!("#{count}");
                count += 1;
            }
            let value = self.value(value)?;
            let comment = self.take_comment();
            match section.keys.iter_mut().find(|key| key.name == name) {
                Some(key) => *key = Key { name, value, comment },
                None => section.keys.push(Key { name, value, comment }),
            }
        }
        sections.push(section);
        Ok(sections)
    }

    fn next(&mut self) -> Option<&'t str> {
        let (index, line) = self.lines.next()?;
        self.line = index + 1;
        Some(line)
    }

    fn take_comment(&mut self) -> String {
        std::mem::take(&mut self.comment).trim().to_owned()
    }

    /// The line itself is not quoted: it may be plaintext.
    fn problem(&self, problem: &str) -> Error {
        Error::Read { format: Format::Ini, problem: format!("line {}: {problem}", self.line) }
    }

    fn key(&self, line: &'t str) -> Result<(String, &'t str), Error> {
        let quote = match line.get(..3) {
            Some("\"\"\"") if line.len() > 6 => "\"\"\"",
            _ if line.starts_with('"') => "\"",
            _ if line.starts_with('`') => "`",
            _ => "",
        };
        let no_value = || self.problem("a key without `=` or `:`");
        let inner = line.strip_prefix(quote).unwrap_or(line);
        let (name, rest) = if quote.is_empty() {
            let at = line.find(['=', ':']).ok_or_else(no_value)?;
            line.split_at(at)
        } else {
            let (name, rest) =
                inner.split_once(quote).ok_or_else(|| self.problem("a key without its quote"))?;
            (name, rest.find(['=', ':']).and_then(|at| rest.get(at..)).ok_or_else(no_value)?)
        };
        let name = name.trim();
        if name.is_empty() {
            return Err(self.problem("a key without a name"));
        }
        Ok((name.to_owned(), rest.get(1..).unwrap_or_default()))
    }

    fn value(&mut self, text: &'t str) -> Result<String, Error> {
        let line = text.trim_start();
        let quote = match line.get(..3) {
            Some("\"\"\"") if line.len() > 3 => "\"\"\"",
            _ if line.starts_with('`') => "`",
            _ => "",
        };
        if !quote.is_empty() {
            let inner = line.strip_prefix(quote).unwrap_or_default();
            return match inner.rsplit_once(quote) {
                Some((value, _)) => Ok(value.to_owned()),
                None => self.more_lines(inner, quote),
            };
        }
        let line = line.trim_end();
        if let Some(start) = line.strip_suffix('\\') {
            return Ok(self.continued(start));
        }
        let value = match line.find(['#', ';']) {
            Some(at) => {
                let (value, comment) = line.split_at(at);
                self.comment.push_str(comment);
                value.trim_end()
            }
            None => line,
        };
        let unquoted = ['\'', '"'].into_iter().find_map(|quote| {
            let inner = value.strip_prefix(quote)?.strip_suffix(quote)?;
            (!inner.contains(quote)).then_some(inner)
        });
        Ok(unquoted.unwrap_or(value).to_owned())
    }

    fn more_lines(&mut self, start: &str, quote: &str) -> Result<String, Error> {
        let mut value = start.to_owned();
        while let Some(line) = self.next() {
            if let Some((last, behind)) = line.rsplit_once(quote) {
                value.push_str(last);
                self.comment.push_str(
                    behind.find(['#', ';']).and_then(|at| behind.get(at..)).unwrap_or_default().trim(),
                );
                return Ok(value);
            }
            value.push_str(line);
        }
        Err(self.problem("a value without its closing quote"))
    }

    fn continued(&mut self, start: &str) -> String {
        let mut value = start.to_owned();
        while let Some(line) = self.next().map(str::trim).filter(|line| !line.is_empty()) {
            let Some(more) = line.strip_suffix('\\') else {
                value.push_str(line);
                break;
            };
            value.push_str(more);
        }
        value
    }
}

pub(super) fn write(branches: &[Branch]) -> Result<Vec<u8>, Error> {
    let mut sections = Vec::new();
    for item in branches.iter().flatten() {
        match item {
            Item::Comment(_) => {}
            Item::Entry(name, Value::Branch(items)) => sections.push(to_section(name, items)?),
            Item::Entry(name, value) => {
                let problem =
                    format!("`{}` is {} and not a section", String::from_utf8_lossy(name), value.kind());
                return Err(write_error(Format::Ini, problem));
            }
        }
    }
    let mut out = String::new();
    let last = sections.len().saturating_sub(1);
    for (index, section) in sections.iter().enumerate() {
        write_comment(&section.comment, &mut out);
        if index > 0 || !section.name.eq_ignore_ascii_case(DEFAULT) {
            out.extend([format!("[{}]\n", section.name)]);
        } else if section.keys.is_empty() {
            continue;
        }
        let widest = section.keys.iter().map(|key| quoted_key(&key.name).len()).max().unwrap_or(0);
        for key in &section.keys {
            write_comment(&key.comment, &mut out);
            let name = quoted_key(&key.name);
            let space = " ".repeat(widest - name.len());
            out.extend([format!("{name}{space} = {}\n", quoted_value(&key.value))]);
        }
        if index < last {
            out.push('\n');
        }
    }
    Ok(out.into_bytes())
}

fn to_section(name: &[u8], items: &[Item]) -> Result<Section, Error> {
    let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut section = Section { name: lossy(name), comment: String::new(), keys: Vec::<Key>::new() };
    for (index, item) in items.iter().enumerate() {
        match (item, section.keys.last_mut()) {
            (Item::Comment(comment), _) if index == 0 => section.comment = lossy(comment),
            (Item::Comment(comment), Some(key)) => key.comment = lossy(comment),
            (Item::Comment(_), None) => {}
            (Item::Entry(name, value), _) => {
                let value = match value {
                    Value::Text(text) => lossy(text),
                    Value::Integer(number) => number.to_string(),
                    Value::Float(number) => number::plain(*number),
                    Value::Boolean(value) => value.to_string(),
                    Value::Time(time) => time.clone(),
                    other => {
                        let problem = format!("`{}` is {}", lossy(name), other.kind());
                        return Err(write_error(Format::Ini, problem));
                    }
                };
                section.keys.push(Key { name: lossy(name), value, comment: String::new() });
            }
        }
    }
    Ok(section)
}

fn write_comment(comment: &str, out: &mut String) {
    for line in comment.split('\n').filter(|line| !line.is_empty()) {
        let (sign, text) = match line.chars().next() {
            Some(sign @ ('#' | ';')) => (sign, line.get(1..).unwrap_or_default()),
            _ => (';', line),
        };
        out.extend([format!("{sign} {}\n", text.trim())]);
    }
}

fn quoted_key(name: &str) -> String {
    if name.contains(['"', '=', ':']) {
        format!("`{name}`")
    } else if name.contains('`') {
        format!("\"\"\"{name}\"\"\"")
    } else {
        name.to_owned()
    }
}

fn quoted_value(value: &str) -> String {
    if value.contains(['\n', '`']) {
        format!("\"\"\"{value}\"\"\"")
    } else if value.contains(['#', ';']) {
        format!("`{value}`")
    } else if value.trim().len() != value.len() {
        format!("\"{value}\"")
    } else {
        value.to_owned()
    }
}
