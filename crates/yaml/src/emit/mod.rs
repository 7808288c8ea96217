//! JSON values to YAML, in the style of go-yaml v2: what kubectl, kustomize and Helm's `toYaml` print.
//!
//! In: a value. Out: its text, always ending in a line feed. Keys in natural order, sequences not indented
//! below their key, strings quoted only where they would be read as something else, lines broken at the first
//! space behind column 80.

mod order;
mod scalar;
mod v3;
mod writer;

use std::borrow::Cow;
use std::convert::Infallible;

use serde_json::Value;

use self::scalar::{Facts, Style};
use self::writer::Writer;

pub(crate) use self::v3::text as v3_text;
use crate::node;

/// The longest key, in bytes, that is written without a `?`.
const SIMPLE_KEY: usize = 128;

/// Writes a value as one YAML document, without `---`.
pub fn to_string(value: &Value) -> String {
    let mut text = String::new();
    match document(value, &mut text) {
        Ok(()) => text,
    }
}

/// Appends one YAML document, without `---`.
pub(crate) fn document<'a, V: View<'a>>(root: V, text: &mut String) -> Result<(), V::Error> {
    let mut emitter = Emitter { writer: Writer::new(std::mem::take(text)) };
    let shape = root.shape()?;
    emitter.node(shape, None)?;
    emitter.writer.indent(0);
    *text = emitter.writer.out;
    Ok(())
}

/// Whether go-yaml can write a text as a block.
pub(crate) fn is_block(text: &str) -> bool {
    !text.is_empty() && !Facts::of(text).block_forbidden()
}

/// The style that a text needs as the value of a key.
pub(crate) fn style(text: &str) -> node::Style {
    match Facts::of(text).style(text, false) {
        Style::Plain => node::Style::PLAIN,
        Style::Single => node::Style::SINGLE,
        Style::Double => node::Style::DOUBLE,
        Style::Literal => node::Style::LITERAL,
    }
}

/// A tree that can be written.
pub(crate) trait View<'a>: Copy {
    /// Why it may turn out that it cannot.
    type Error;
    /// The items of a sequence.
    type Items: ExactSizeIterator<Item = Self>;

    /// What to write here.
    fn shape(self) -> Result<Shape<'a, Self>, Self::Error>;
}

/// A node as the writer sees it.
pub(crate) enum Shape<'a, V: View<'a>> {
    /// Null, a boolean or a number, as it is written.
    Word(Cow<'a, str>),
    /// A text, to be quoted where that is needed.
    Text(Cow<'a, str>),
    List(V::Items),
    /// In any order; keys only once.
    Map(Vec<(&'a str, V)>),
}

impl<'a> View<'a> for &'a Value {
    type Error = Infallible;
    type Items = std::slice::Iter<'a, Value>;

    fn shape(self) -> Result<Shape<'a, Self>, Infallible> {
        Ok(match self {
            Value::Null => Shape::Word("null".into()),
            Value::Bool(true) => Shape::Word("true".into()),
            Value::Bool(false) => Shape::Word("false".into()),
            Value::Number(number) => Shape::Word(scalar::number(number).into()),
            Value::String(text) => Shape::Text(text.into()),
            Value::Array(items) => Shape::List(items.iter()),
            Value::Object(map) => Shape::Map(map.iter().map(|(key, value)| (key.as_str(), value)).collect()),
        })
    }
}

struct Emitter {
    writer: Writer,
}

impl Emitter {
    /// `indent` is the column of the collection around; none at the top.
    fn node<'a, V: View<'a>>(&mut self, shape: Shape<'a, V>, indent: Option<usize>) -> Result<(), V::Error> {
        let column = indent.map_or(0, |indent| indent + 2);
        match shape {
            Shape::Word(word) => self.writer.word(&word),
            Shape::Text(text) => self.text(&text, indent.map_or(2, |indent| indent + 2)),
            Shape::List(items) if items.len() == 0 => self.writer.word("[]"),
            Shape::Map(entries) if entries.is_empty() => self.writer.word("{}"),
            Shape::List(items) => self.sequence::<V>(items, column)?,
            Shape::Map(entries) => self.mapping(entries, column)?,
        }
        Ok(())
    }

    fn sequence<'a, V: View<'a>>(&mut self, items: V::Items, column: usize) -> Result<(), V::Error> {
        for item in items {
            self.writer.indent(column);
            self.writer.lead('-');
            self.node(item.shape()?, Some(column))?;
        }
        Ok(())
    }

    fn mapping<'a, V: View<'a>>(
        &mut self,
        entries: Vec<(&'a str, V)>,
        column: usize,
    ) -> Result<(), V::Error> {
        for (key, value) in order::sorted(entries) {
            self.writer.indent(column);
            self.key(key, column);
            match value.shape()? {
                Shape::List(items) if items.len() > 0 && self.writer.behind_key() => {
                    self.sequence::<V>(items, column)?;
                }
                shape => self.node(shape, Some(column))?,
            }
        }
        Ok(())
    }

    fn key(&mut self, key: &str, column: usize) {
        let facts = Facts::of(key);
        if key == "<<" {
            // go-yaml writes it plainly, and would then read it as a merge.
            self.writer.double_quoted(key, column + 2, false);
            self.writer.colon();
        } else if !facts.multiline && key.len() <= SIMPLE_KEY {
            self.styled(key, facts.style(key, true), column + 2, false);
            self.writer.colon();
        } else {
            self.writer.lead('?');
            self.styled(key, facts.style(key, false), column + 2, true);
            self.writer.indent(column);
            self.writer.lead(':');
        }
    }

    fn text(&mut self, text: &str, indent: usize) {
        let style = Facts::of(text).style(text, false);
        self.styled(text, style, indent, true);
    }

    fn styled(&mut self, text: &str, style: Style, indent: usize, wrap: bool) {
        match style {
            Style::Plain => self.writer.plain(text, indent, wrap),
            Style::Single => self.writer.single_quoted(text, indent, wrap),
            Style::Double => self.writer.double_quoted(text, indent, wrap),
            Style::Literal => self.writer.literal(text, indent),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::{Limits, documents};

    #[test]
    fn collections() {
        let value = json!({"b": [1, [2, 3], {"x": 1, "a": []}], "a": {"c": {}, "b10": null, "b9": true}});
        let text = "a:\n  b9: true\n  b10: null\n  c: {}\nb:\n- 1\n- - 2\n  - 3\n- a: []\n  x: 1\n";
        assert_eq!(to_string(&value), text);
        assert_eq!(to_string(&json!([])), "[]\n");
        assert_eq!(to_string(&json!("x")), "x\n");
    }

    #[test]
    fn quotes_only_where_needed() {
        for (text, written) in [
            ("plain text", "plain text"),
            ("y", "\"y\""),
            ("1e3", "\"1e3\""),
            ("0o17", "\"0o17\""),
            ("2020-01-01", "\"2020-01-01\""),
            ("12:30:45", "\"12:30:45\""),
            ("", "\"\""),
            ("~", "\"~\""),
            ("@a", "'@a'"),
            ("a: b", "'a: b'"),
            ("it's#1", "it's#1"),
            ("it's # 1", "'it''s # 1'"),
            (" a", "' a'"),
            ("a\tb", "\"a\\tb\""),
            ("\u{1F600}", "\"\\U0001F600\""),
            ("a:b", "a:b"),
            ("---", "'---'"),
            ("<<", "<<"),
        ] {
            assert_eq!(to_string(&json!({"k": text})), format!("k: {written}\n"));
        }
        assert_eq!(to_string(&json!({"y": 1, "<<": 2, "1": 3})), "\"<<\": 2\n\"1\": 3\n\"y\": 1\n");
    }

    #[test]
    fn blocks() {
        for (text, written) in [
            ("a\nb", "|-\n  a\n  b"),
            ("a\n", "|\n  a"),
            ("a\n\n", "|+\n  a\n"),
            (" a\nb\n", "|2\n   a\n  b"),
            ("a \nb", "\"a \\nb\""),
        ] {
            assert_eq!(to_string(&json!({"k": text})), format!("k: {written}\n"));
        }
    }

    #[test]
    fn long_lines_are_broken_behind_column_80() {
        let text = "word ".repeat(20);
        let lines = to_string(&json!({"k": text.trim_end()}));
        let widths: Vec<_> = lines.lines().map(str::len).collect();
        assert_eq!(widths, [82, 21]);
    }

    fn any_text() -> impl Strategy<Value = String> {
        prop_oneof![
            any::<String>(),
            r#"([-?:,\[\]{}#&*!|>'"%@` \n\t\r]|a|b: |- |\\x|0|<<|---|\.\.\.|é|\u{2028}|1e3|word ){0,40}"#,
            "[yYnN~0-9.:_+xobe-]{0,12}",
        ]
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            // Whole floats come back as integers, by design.
            any::<f64>().prop_filter("fraction", |number| number.fract() != 0.0).prop_map(Value::from),
            any_text().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(any_text(), inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(value in any_value()) {
            let text = to_string(&value);
            let read: Vec<_> = documents(text.as_bytes(), &Limits::default()).unwrap().into_iter().map(|document| document.value).collect();
            let expected = if value.is_null() { vec![] } else { vec![value] };
            prop_assert_eq!(read, expected, "{}", text);
        }
    }
}
