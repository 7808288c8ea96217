//! A text to its documents.

use serde_json::Value;

use crate::build::Twice;
use crate::error::Error;
use crate::lines::Lines;
use crate::parse::Parser;
use crate::{build, input, json};

/// Budgets for foreign text. The defaults suit manifests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How deep collections may be nested, aliases followed. At most [`Limits::DEEPEST`] counts.
    pub depth: usize,
    /// How many values one document may have after alias expansion; for nodes, all documents of a text.
    pub nodes: usize,
    /// How many bytes of text alias expansion may copy in one document; for nodes, in all documents of a text.
    pub alias_bytes: usize,
}

impl Limits {
    /// The deepest nesting that any limits allow; deeper values would overflow the stack of those who walk
    /// them.
    pub const DEEPEST: usize = 200;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            // What serde_json reads back.
            depth: 127,
            nodes: 10_000_000,
            alias_bytes: 16 * 1024 * 1024,
        }
    }
}

/// One document of a text.
#[derive(Clone, Debug)]
pub struct Document {
    /// Its content; never null.
    pub value: Value,
    /// The line of its first content, counted from 1.
    pub line: u32,
    /// The lines of all its values.
    pub lines: Lines,
}

impl Document {
    /// The line of a value by the keys and indices that lead to it; of a field the line of its key.
    pub fn line_of<K: AsRef<str>>(&self, path: &[K]) -> Option<u32> {
        self.lines.of(path)
    }
}

/// Reads all documents of a text, YAML or JSON. Documents that are empty or null are left out.
pub fn documents(bytes: &[u8], limits: &Limits) -> Result<Vec<Document>, Error> {
    let limits = &Limits { depth: limits.depth.min(Limits::DEEPEST), ..limits.clone() };
    let text = input::decode(bytes)?;
    if let Some(documents) = json::documents(&text, limits) {
        return Ok(documents);
    }
    let mut parser = Parser::new(&text, limits.depth);
    let mut documents = Vec::new();
    while let Some((tree, root)) = parser.document()? {
        documents.extend(build::document(&tree, root, limits, Twice::Refused)?);
    }
    Ok(documents)
}

/// Reads the first document of a text as sigs.k8s.io/yaml does: of a key that is written twice the last value
/// counts, and what follows the document is not looked at. None where it is empty or null.
pub fn first_document(bytes: &[u8], limits: &Limits) -> Result<Option<Document>, Error> {
    let limits = &Limits { depth: limits.depth.min(Limits::DEEPEST), ..limits.clone() };
    let text = input::decode(bytes)?;
    match Parser::new(&text, limits.depth).document()? {
        Some((tree, root)) => build::document(&tree, root, limits, Twice::LastCounts),
        None => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::error::Kind;

    fn read(text: &str) -> Vec<Value> {
        let documents = documents(text.as_bytes(), &Limits::default()).unwrap();
        documents.into_iter().map(|document| document.value).collect()
    }

    fn one(text: &str) -> Value {
        let mut values = read(text);
        assert_eq!(values.len(), 1, "{text}");
        values.remove(0)
    }

    fn refused(text: &str) -> Error {
        documents(text.as_bytes(), &Limits::default()).unwrap_err()
    }

    #[test]
    fn a_manifest() {
        let text = "# a comment\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n  labels: {a: b}\ndata:\n  x: |\n    one\n    two\n  z: >-\n    one\n    two\nlist:\n- a\n- b: 1\n  c: [1, 'x']\n";
        assert_eq!(
            one(text),
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web", "labels": {"a": "b"}},
                "data": {"x": "one\ntwo\n", "z": "one two"}, "list": ["a", {"b": 1, "c": [1, "x"]}]})
        );
        assert_eq!(one(&text.replace('\n', "\r\n")), one(text));
    }

    #[test]
    fn types_are_those_of_yaml_1_1() {
        let text = "[yes, n, On, 'yes', 0777, 0o17, 0x1F, 1_000, 1e3, 1.0, 1.5, 2001-01-01, ~, Null, 12:30:45, ., <<]";
        assert_eq!(
            one(text),
            json!([
                true,
                false,
                true,
                "yes",
                511,
                15,
                31,
                1000,
                1000,
                1,
                1.5,
                "2001-01-01",
                null,
                null,
                "12:30:45",
                ".",
                "<<"
            ])
        );
        assert_eq!(
            one("{1: a, y: b, 1.5: c, .inf: d}"),
            json!({"1": "a", "true": "b", "1.5": "c", ".inf": "d"})
        );
    }

    #[test]
    fn lines_of_fields() {
        let text = "---\n# first\n\nkind: List\nitems:\n- metadata:\n    name: a\n- {metadata: {name: b}}\n---\nkind: X\n";
        let documents = documents(text.as_bytes(), &Limits::default()).unwrap();
        let [list, x] = documents.as_slice() else { panic!("two documents") };
        assert_eq!((list.line, x.line), (4, 10));
        assert_eq!(list.line_of(&["items"]), Some(5));
        assert_eq!(list.line_of(&["items", "0", "metadata", "name"]), Some(7));
        assert_eq!(list.line_of(&["items", "1", "metadata", "name"]), Some(8));
        assert_eq!(list.line_of(&["items", "2"]), None);
        assert_eq!(list.lines.nearest(&["items", "0", "spec"]), Some(6));
        assert_eq!(x.line_of::<&str>(&[]), Some(10));
    }

    #[test]
    fn lines_of_json() {
        let text = "{\n \"a\": {\n  \"b\": [1,\n 2]}}\n{\"c\": \"\\/\\ud83d\\ude00\"}";
        let documents = documents(text.as_bytes(), &Limits::default()).unwrap();
        let [first, second] = documents.as_slice() else { panic!("two documents") };
        assert_eq!(first.line_of(&["a", "b", "1"]), Some(4));
        assert_eq!(second.line, 5);
        assert_eq!(second.value, json!({"c": "/\u{1F600}"}));
    }

    #[test]
    fn empty_documents_are_left_out() {
        assert!(read("").is_empty());
        assert!(read("# nothing\n---\n---\nnull\n---\n~\n...\n").is_empty());
        assert_eq!(read("---\na: 1\n---\n---\nb: 2\n"), [json!({"a": 1}), json!({"b": 2})]);
    }

    #[test]
    fn merges_and_aliases() {
        let text = "base: &b {x: 1, z: 2}\none: {<<: *b, z: 3}\ntwo:\n  <<: [{x: 5}, *b]\n";
        let value = one(text);
        assert_eq!(value["one"], json!({"x": 1, "z": 3}));
        assert_eq!(value["two"], json!({"x": 5, "z": 2}));
    }

    #[test]
    fn duplicates_name_both_lines() {
        let error = refused("a:\n  x: 1\n  y: 2\n  x: 3\n");
        assert_eq!((error.line, error.column, error.kind), (4, 3, Kind::Duplicate));
        assert_eq!(error.message, "the key `x` is already on line 2");
        assert_eq!(refused(r#"{"a": 1, "a": 2}"#).kind, Kind::Duplicate);
        assert_eq!(refused("b: &b {x: 1}\nc: {x: 1, <<: *b, x: 2}").kind, Kind::Duplicate);
    }

    #[test]
    fn errors_name_the_place() {
        for (text, line, column, part) in [
            ("a: b\n\tc: d\n", 2, 1, "tab"),
            ("a: {{ .Values.x }}\n", 1, 5, "cannot be a key"),
            ("a: @x\n", 1, 4, "cannot start with `@`"),
            ("a: 'x\nb: c\n", 1, 4, "not closed"),
            ("a: b: c\n", 1, 5, "second `: `"),
            ("a:\n  b: 1\n c: 2\n", 3, 2, "expected the next key of the mapping that starts on line 1"),
            ("a: 1\nb\n", 2, 1, "no `: `"),
            ("a: *x\n", 1, 4, "no anchor &x"),
            ("%YAML 1.2\n---\na: 1\n", 1, 1, "only 1.1"),
            ("a: .inf\n", 1, 4, "no JSON form"),
            ("[a] b\n", 1, 5, "after the end"),
            ("a: !!int x\n", 1, 4, "`x` is not a !!int"),
            ("a: [1,\n  2\nb: 3\n", 3, 2, "opened on line 1"),
            ("a: \"\\q\"\n", 1, 5, "unknown escape"),
            ("[[a", 1, 4, "opened on line 1"),
            ("{", 1, 2, "expected a value"),
        ] {
            let error = refused(text);
            assert!(error.message.contains(part), "{text:?}: {error}");
            assert_eq!((error.line, error.column), (line, column), "{text:?}: {error}");
        }
    }

    #[test]
    fn bombs_are_refused() {
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..30 {
            let previous = level - 1;
            let items = vec![format!("*a{previous}"); 10].join(", ");
            bomb = format!("{bomb}a{level}: &a{level} [{items}]\n");
        }
        assert_eq!(refused(&bomb).kind, Kind::Limit);
        let long = "x".repeat(1 << 20);
        let copies = "- *a\n".repeat(100);
        assert_eq!(refused(&format!("- &a {long}\n{copies}")).kind, Kind::Limit);
        assert_eq!(refused("a: &a [*a]").message, "the value of the anchor &a contains itself");
        for open in ["[", "{a: ", "- ", "? "] {
            assert_eq!(refused(&open.repeat(100_000)).kind, Kind::Limit, "{open}");
        }
        assert_eq!(refused(&format!("{}1{}", "[".repeat(5000), "]".repeat(5000))).kind, Kind::Limit);
    }

    #[test]
    fn the_limit_of_depth_is_the_same_for_yaml_and_json() {
        let limits = Limits { depth: usize::MAX, ..Limits::default() };
        for (depth, holds) in [(Limits::DEEPEST, true), (Limits::DEEPEST + 1, false)] {
            let json = format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
            assert_eq!(documents(json.as_bytes(), &limits).is_ok(), holds);
            let yaml = format!("{}1\n", "- ".repeat(depth));
            assert_eq!(documents(yaml.as_bytes(), &limits).is_ok(), holds);
        }
    }

    proptest! {
        #[test]
        fn never_panics_on_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = documents(&bytes, &Limits::default());
        }

        #[test]
        fn never_panics_on_yaml_like_text(text in r#"([-?:,\[\]{}#&*!|>'"%@` \n\t\r]|a|b: |- |\\x|0|<<|---|\.\.\.|é|\u{2028}|1e3){0,60}"#) {
            let _ = documents(text.as_bytes(), &Limits::default());
        }
    }
}
