//! Documents by chance, from a grammar: mostly valid, in all styles.

use super::generate::scalar;
use crate::random::Random;

/// Writes mostly valid documents in all styles.
pub struct Grammar<'r> {
    random: &'r mut Random,
    anchors: usize,
    keys: usize,
}

impl<'r> Grammar<'r> {
    pub fn new(random: &'r mut Random) -> Self {
        Self { random, anchors: 0, keys: 0 }
    }

    /// One or more documents.
    pub fn stream(mut self) -> String {
        let mut text = String::new();
        for _ in 0..=self.random.below(3) {
            if !text.is_empty() || self.random.one_in(2) {
                text += self.random.pick(&["---\n", "--- # c\n", "---\n", "---\n\n"]);
            }
            self.anchors = 0;
            let body = match self.random.below(4) {
                0 => self.sequence(0),
                1 => format!("{}\n", self.flow(0)),
                _ => self.mapping(0),
            };
            text += &body;
        }
        if self.random.one_in(8) { text.replace('\n', "\r\n") } else { text }
    }

    fn key(&mut self) -> String {
        self.keys += 1;
        let number = self.keys;
        match self.random.below(10) {
            0 => format!("\"k {number}\""),
            1 => format!("'k{number}'"),
            2 => number.to_string(),
            3 => format!("{number}.5"),
            4 => format!("é-{number}"),
            _ => format!("key{number}"),
        }
    }

    fn comment(&mut self) -> &'static str {
        if self.random.one_in(6) { self.random.pick(&[" # note", "  #", "\t# tab", " #: -"]) } else { "" }
    }

    fn anchor(&mut self) -> String {
        if self.random.one_in(8) {
            self.anchors += 1;
            format!("&a{} ", self.anchors)
        } else {
            String::new()
        }
    }

    fn mapping(&mut self, indent: usize) -> String {
        let mut text = String::new();
        for _ in 0..=self.random.below(4) {
            let pad = " ".repeat(indent);
            if self.anchors > 0 && self.random.one_in(10) {
                let target = 1 + self.random.below(self.anchors);
                text.extend([&pad, "<<: *a", &target.to_string(), "\n"]);
                continue;
            }
            let key = self.key();
            let question = self.random.one_in(12);
            if question {
                text.extend([&pad, "? ", &key, "\n", &pad, ":"]);
            } else {
                text.extend([&pad, key.as_str(), ":"]);
            }
            text += &self.value(indent, true);
        }
        text
    }

    fn sequence(&mut self, indent: usize) -> String {
        let mut text = String::new();
        for _ in 0..=self.random.below(4) {
            text += &" ".repeat(indent);
            text.push('-');
            text += &self.value(indent, false);
        }
        text
    }

    /// What follows a `:` or `-`, from the space on, with its line feed.
    fn value(&mut self, indent: usize, in_mapping: bool) -> String {
        let deeper = indent + 1 + self.random.below(4);
        let anchor = self.anchor();
        match self.random.below(if indent > 12 { 6 } else { 9 }) {
            0 => format!(" {anchor}{}{}\n", self.flow(0), self.comment()),
            1 => format!(" {anchor}{}", self.block(deeper)),
            2 if self.anchors > 0 => format!(" *a{}\n", 1 + self.random.below(self.anchors)),
            2 => format!("{}\n", self.comment()),
            3 => format!(" {anchor}{}{}\n", self.quoted(deeper), self.comment()),
            4 | 5 => {
                let scalar = self.plain(deeper);
                format!(" {anchor}{scalar}{}\n", self.comment())
            }
            6 => {
                let column = if in_mapping && self.random.one_in(2) { indent } else { deeper };
                format!(" {}{}\n{}", anchor.trim_end(), self.comment(), self.sequence(column))
            }
            7 if !in_mapping && anchor.is_empty() => {
                let nested = self.mapping(indent + 2);
                format!(" {}", nested.trim_start_matches(' '))
            }
            _ => format!(" {}\n{}", anchor.trim_end(), self.mapping(deeper)),
        }
    }

    fn words(&mut self) -> String {
        self.random.soup(&["word", " ", "x", " two", "-", "#", ":", "1", "é", "'", "\"", " - ", "e"], 8)
    }

    fn plain(&mut self, indent: usize) -> String {
        match self.random.below(4) {
            0 => scalar(self.random),
            1 => format!("first{}\n{}second", self.words(), " ".repeat(indent)),
            _ => format!("w{}", self.words()),
        }
    }

    fn quoted(&mut self, indent: usize) -> String {
        let pad = " ".repeat(indent);
        let words = self.words();
        let gap = self.random.pick(&["", " ", "\n", " \n\n", "\\\n"]);
        let gap = if gap.contains('\n') { format!("{gap}{pad}") } else { gap.to_owned() };
        if self.random.one_in(2) {
            format!(
                "'{}{}{}'",
                words.replace('\'', "''"),
                gap.replace('\\', ""),
                self.words().replace('\'', "''")
            )
        } else {
            let escape = self.random.pick(&[
                "",
                "\\n",
                "\\t",
                "\\x41",
                "\\u00e9",
                "\\U0001F600",
                "\\\"",
                "\\ ",
                "\\L",
                "\\q",
            ]);
            format!("\"{}{gap}{escape}{}\"", words.replace('"', "\\\""), self.words().replace('"', "\\\""))
        }
    }

    fn block(&mut self, indent: usize) -> String {
        let header = self.random.pick(&["|", ">", "|-", ">-", "|+", ">+", "|1", ">2", "|2-", ">+1", "| # c"]);
        let mut text = format!("{header}\n");
        for _ in 0..self.random.below(5) {
            let line = self.random.pick(&[
                "",
                "text",
                "  deeper",
                "more words here",
                " ",
                "# no comment",
                "\ttab",
                "a: b",
                "trailing ",
            ]);
            let pad = if line.is_empty() && self.random.one_in(2) { 0 } else { indent };
            text.extend([" ".repeat(pad).as_str(), line, "\n"]);
        }
        text
    }

    fn flow(&mut self, depth: usize) -> String {
        let space = self.random.pick(&["", " ", "\n ", " # c\n  "]);
        match self.random.below(if depth > 2 { 3 } else { 5 }) {
            0 => scalar(self.random),
            1 => format!("'{}'", self.words().replace('\'', "''")),
            2 => format!("w{}", self.random.pick(&["", " x", "-y", "/z", ":w", "?"])),
            3 => {
                let items: Vec<String> = (0..self.random.below(4)).map(|_| self.flow(depth + 1)).collect();
                format!(
                    "[{space}{}{}]",
                    items.join(&format!(",{space}")),
                    self.random.pick(&["", "", ",", space])
                )
            }
            _ => {
                let entries: Vec<String> = (0..self.random.below(4))
                    .map(|_| {
                        let key = self.key();
                        let value = self.flow(depth + 1);
                        let colon = self.random.pick(&[": ", ": ", ":", " : ", ":\n "]);
                        format!("{key}{colon}{value}")
                    })
                    .collect();
                format!(
                    "{{{space}{}{}}}",
                    entries.join(&format!(",{space}")),
                    self.random.pick(&["", "", ",", " , x", " "])
                )
            }
        }
    }
}
