//! Writes documents as go-yaml v3's emitter does, comments included.
//!
//! That emitter works on a stream of events, and a comment waits until an event writes it; where that is not
//! the event one would expect, the comment lands further down. So the comments wait here as well: `head` is
//! written before the next key or item, `tail` before it or at the end of the mapping, `foot` behind the next
//! value.

use super::scalar::{Scalar, Style, escaped};
use crate::number;
use crate::tree::{Branch, Item, Value};

const INDENT: usize = 4;

pub(super) fn documents(branches: &[Branch]) -> Vec<u8> {
    let mut emitter = Emitter {
        out: String::new(),
        column: 0,
        blank: true,
        indented: true,
        indent: None,
        foot_indent: None,
        head: Vec::new(),
        foot: Vec::new(),
        tail: Vec::new(),
    };
    for (index, branch) in branches.iter().enumerate() {
        if index > 0 {
            emitter.write_indent();
            emitter.indicator("---", false);
        }
        emitter.node(&Tree::of_branch(branch), Parent::None);
        emitter.foot_indent = Some(0);
        emitter.process_foot();
        emitter.foot_indent = None;
        emitter.write_indent();
    }
    emitter.out.into_bytes()
}

/// A tree with its comments where go-yaml's nodes have them.
struct Tree<'t> {
    head: Vec<&'t [u8]>,
    foot: Vec<&'t [u8]>,
    content: Content<'t>,
}

enum Content<'t> {
    Scalar(Scalar<'t>),
    List(Vec<Tree<'t>>),
    /// A key's own comments are those of the entry.
    Map(Vec<(Tree<'t>, Tree<'t>)>),
}

impl<'t> Tree<'t> {
    fn scalar(scalar: Scalar<'t>) -> Self {
        Self { head: Vec::new(), foot: Vec::new(), content: Content::Scalar(scalar) }
    }

    fn of(value: &'t Value) -> Self {
        match value {
            Value::Branch(branch) => Self::of_branch(branch),
            Value::List(items) => Self::of_list(items),
            Value::Null => Self::scalar(Scalar::plain("null")),
            Value::Text(text) | Value::Comment(text) => Self::scalar(Scalar::of(text)),
            Value::Integer(number) => Self::scalar(Scalar::plain(number.to_string())),
            Value::Float(number) => Self::scalar(Scalar::plain(number::yaml(*number))),
            Value::Boolean(value) => Self::scalar(Scalar::plain(if *value { "true" } else { "false" })),
            Value::Time(time) => Self::scalar(Scalar::plain(time.as_str())),
        }
    }

    /// Comments before the first item belong to the collection, those behind the last to that item.
    fn of_list(values: &'t [Value]) -> Self {
        let (mut head, mut waiting, mut items) = (Vec::new(), Vec::new(), Vec::<Self>::new());
        for value in values {
            if let Value::Comment(comment) = value {
                waiting.push(comment.as_slice());
                continue;
            }
            let mut item = Self::of(value);
            let comments = std::mem::take(&mut waiting);
            if items.is_empty() {
                head = comments;
            } else {
                item.head.splice(0..0, comments);
            }
            items.push(item);
        }
        match items.last_mut() {
            Some(last) => last.foot.extend(waiting),
            None => head = waiting,
        }
        Self { head, foot: Vec::new(), content: Content::List(items) }
    }

    fn of_branch(branch: &'t [Item]) -> Self {
        let (mut head, mut waiting, mut entries) = (Vec::new(), Vec::new(), Vec::<(Self, Self)>::new());
        for item in branch {
            match item {
                Item::Comment(comment) => waiting.push(comment.as_slice()),
                Item::Entry(key, value) => {
                    let mut key = Self::scalar(Scalar::of(key));
                    let comments = std::mem::take(&mut waiting);
                    if entries.is_empty() {
                        head = comments;
                    } else {
                        key.head = comments;
                    }
                    entries.push((key, Self::of(value)));
                }
            }
        }
        match entries.last_mut() {
            Some((last, _)) => last.foot = waiting,
            None => head = waiting,
        }
        Self { head, foot: Vec::new(), content: Content::Map(entries) }
    }
}

/// What a node stands in.
#[derive(Clone, Copy, PartialEq)]
enum Parent {
    None,
    List,
    Map,
}

struct Emitter<'t> {
    out: String,
    column: usize,
    /// The last character was white space.
    blank: bool,
    /// Nothing but indentation and indicators on this line so far.
    indented: bool,
    /// The column of the collection around.
    indent: Option<usize>,
    /// Where a foot comment was written last: an empty line follows before the next thing at that column.
    foot_indent: Option<usize>,
    head: Vec<&'t [u8]>,
    foot: Vec<&'t [u8]>,
    tail: Vec<&'t [u8]>,
}

impl<'t> Emitter<'t> {
    /// A node whose own head comments are already waiting.
    fn node(&mut self, tree: &Tree<'t>, parent: Parent) {
        match &tree.content {
            Content::Scalar(scalar) => {
                let outer = self.deeper(parent, true);
                self.scalar(scalar);
                self.indent = outer;
                wait(&mut self.foot, &tree.foot);
            }
            Content::List(items) if items.is_empty() => self.empty(['[', ']'], tree, parent),
            Content::Map(entries) if entries.is_empty() => self.empty(['{', '}'], tree, parent),
            Content::List(items) => {
                wait(&mut self.head, &tree.head);
                self.behind_indicator(parent);
                self.list(items, parent);
                wait(&mut self.foot, &tree.foot);
            }
            Content::Map(entries) => {
                wait(&mut self.head, &tree.head);
                self.behind_indicator(parent);
                self.map(entries, parent);
                wait(&mut self.foot, &tree.foot);
            }
        }
    }

    /// A comment that still waits for a value is written as soon as a collection begins.
    fn behind_indicator(&mut self, parent: Parent) {
        if parent != Parent::None {
            self.process_foot();
        }
    }

    fn list(&mut self, items: &[Tree<'t>], parent: Parent) {
        let outer = self.deeper(parent, false);
        for item in items {
            wait(&mut self.head, &item.head);
            self.process_head();
            self.write_indent();
            self.indicator("-", true);
            // Its head is written: before the dash.
            self.node_without_head(item, Parent::List);
        }
        self.indent = outer;
    }

    fn node_without_head(&mut self, tree: &Tree<'t>, parent: Parent) {
        match &tree.content {
            Content::List(items) if !items.is_empty() => {
                self.behind_indicator(parent);
                self.list(items, parent);
                wait(&mut self.foot, &tree.foot);
            }
            Content::Map(entries) if !entries.is_empty() => {
                self.behind_indicator(parent);
                self.map(entries, parent);
                wait(&mut self.foot, &tree.foot);
            }
            Content::Scalar(_) => {
                self.node(tree, parent);
                self.process_foot();
            }
            Content::List(_) => self.brackets(['[', ']'], tree, parent),
            Content::Map(_) => self.brackets(['{', '}'], tree, parent),
        }
    }

    fn map(&mut self, entries: &[(Tree<'t>, Tree<'t>)], parent: Parent) {
        let outer = self.deeper(parent, false);
        let mut tail: &[&[u8]] = &[];
        for (key, value) in entries {
            wait(&mut self.tail, tail);
            wait(&mut self.head, &key.head);
            self.process_head();
            self.write_indent();
            self.key(key);
            tail = &key.foot;
            self.node(value, Parent::Map);
            if matches!(value.content, Content::Scalar(_)) {
                self.process_foot();
            }
        }
        wait(&mut self.tail, tail);
        self.process_head();
        self.indent = outer;
    }

    fn key(&mut self, key: &Tree<'t>) {
        let Content::Scalar(scalar) = &key.content else { return };
        if !scalar.is_multiline() && scalar.text.len() <= 128 {
            self.scalar(scalar);
            self.indicator_behind(":");
        } else {
            self.indicator("?", true);
            let outer = self.deeper(Parent::Map, true);
            self.scalar(scalar);
            self.indent = outer;
            self.write_indent();
            self.indicator(":", true);
        }
    }

    fn empty(&mut self, brackets: [char; 2], tree: &Tree<'t>, parent: Parent) {
        wait(&mut self.head, &tree.head);
        self.brackets(brackets, tree, parent);
    }

    fn brackets(&mut self, [open, close]: [char; 2], tree: &Tree<'t>, parent: Parent) {
        self.behind_indicator(parent);
        self.indicator(open.encode_utf8(&mut [0; 4]), false);
        self.blank = true;
        let outer = self.deeper(parent, true);
        wait(&mut self.foot, &tree.foot);
        if open == '{' {
            self.process_head();
        }
        self.indent = outer;
        if open == '[' && self.column == 0 {
            self.write_indent();
        }
        self.indicator_behind(close.encode_utf8(&mut [0; 4]));
        self.process_foot();
    }

    /// Goes one level in, and returns where it came from.
    fn deeper(&mut self, parent: Parent, flow: bool) -> Option<usize> {
        let outer = self.indent;
        self.indent = Some(match outer {
            None if flow => INDENT,
            None => 0,
            Some(indent) if parent == Parent::List => indent + 2,
            Some(indent) => INDENT * ((indent + INDENT) / INDENT),
        });
        outer
    }

    fn scalar(&mut self, scalar: &Scalar<'t>) {
        if let Some(tag) = scalar.tag {
            self.indicator(tag, false);
        }
        match scalar.style {
            Style::Plain => {
                if !self.blank && !scalar.text.is_empty() {
                    self.put(" ");
                }
                self.put(&scalar.text);
            }
            Style::Single => self.indicator(&format!("'{}'", scalar.text.replace('\'', "''")), false),
            Style::Double => self.indicator(&format!("\"{}\"", escaped(&scalar.text)), false),
            Style::Literal => return self.literal(&scalar.text),
        }
        self.blank = false;
        self.indented = false;
    }

    fn literal(&mut self, text: &str) {
        let hint = if text.starts_with([' ', '\n']) { "4" } else { "" };
        let chomp = match text.strip_suffix('\n') {
            None => "-",
            Some(rest) if rest.is_empty() || rest.ends_with('\n') => "+",
            Some(_) => "",
        };
        self.indicator(&format!("|{hint}{chomp}"), false);
        self.blank = true;
        let mut lines = text.split('\n').peekable();
        while let Some(line) = lines.next() {
            if !line.is_empty() {
                self.write_indent();
                self.put(line);
                self.indented = false;
            } else if self.column > 0 && lines.peek().is_some() {
                // The first line is empty: the break behind `|` comes with the text.
                self.put_break();
                continue;
            }
            if lines.peek().is_some() {
                self.put_break();
            }
        }
    }

    fn write_indent(&mut self) {
        let indent = self.indent.unwrap_or(0);
        if !self.indented || self.column > indent || self.column == indent && !self.blank {
            self.put_break();
        }
        if self.foot_indent == Some(indent) {
            self.put_break();
        }
        if let Some(missing) = indent.checked_sub(self.column) {
            self.put(&" ".repeat(missing));
        }
        self.blank = true;
        self.foot_indent = None;
    }

    /// With a space before it where there is none.
    fn indicator(&mut self, text: &str, indents: bool) {
        if !self.blank {
            self.put(" ");
        }
        self.put(text);
        self.blank = false;
        self.indented &= indents;
    }

    fn indicator_behind(&mut self, text: &str) {
        self.put(text);
        self.blank = false;
        self.indented = false;
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
        self.column += text.chars().count();
    }

    fn put_break(&mut self) {
        self.out.push('\n');
        self.column = 0;
        self.indented = true;
    }

    fn process_head(&mut self) {
        if !self.tail.is_empty() {
            let tail = std::mem::take(&mut self.tail);
            self.comment(&tail);
            self.foot_indent = Some(self.indent.unwrap_or(0));
        }
        if !self.head.is_empty() {
            let head = std::mem::take(&mut self.head);
            self.comment(&head);
        }
    }

    fn process_foot(&mut self) {
        if !self.foot.is_empty() {
            let foot = std::mem::take(&mut self.foot);
            self.comment(&foot);
            self.foot_indent = Some(self.indent.unwrap_or(0));
        }
    }

    fn comment(&mut self, lines: &[&[u8]]) {
        for line in lines {
            self.write_indent();
            self.put(&format!("#{}", String::from_utf8_lossy(line)));
            self.indented = false;
            self.put_break();
        }
        self.blank = true;
    }
}

/// Comments replace those that still wait, as in go-yaml.
fn wait<'t>(waiting: &mut Vec<&'t [u8]>, comments: &[&'t [u8]]) {
    if !comments.is_empty() {
        *waiting = comments.to_vec();
    }
}
