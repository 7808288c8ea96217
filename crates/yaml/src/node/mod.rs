//! A resource between reading and writing, as kustomize holds it.
//!
//! In: bytes ([`read`]) or a JSON value. Out: a tree of [`Node`]s whose scalars keep what was written (text,
//! style and tag) until [`write`] gives them a type, because that is when kustomize does: a patch that puts
//! the text `5` in the place of a quoted text leaves a quoted text. Maps keep their order and even keys that
//! are written twice, which are only refused on the way out.
//!
//! ```text
//! bytes --read--> Node --get, set, remove--> Node --write--> text
//!                                              \--to_json--> value
//! ```

mod access;
mod convert;
mod folded;
mod meaning;
mod read;
mod style;
mod write;

pub(crate) use self::meaning::implied;
pub use self::meaning::{WriteError, is_yaml_1_1_non_string};
pub use self::read::{Dialect, read};
pub use self::style::{Style, Tag};
pub use self::write::{write, write_to, write_v3};

/// A value of a document, with all that is known of how it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What it is.
    pub content: Content,
    /// Its type as far as it is known; the writer decides together with style and text.
    pub tag: Tag,
    /// How it was written, or shall be taken as written.
    pub style: Style,
    /// The line of its first character in the text it comes from, counted from 1; 0 for what no text had.
    pub line: u32,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A text that may turn out to be a number, a boolean or null.
    Scalar(Box<str>),
    /// A sequence.
    List(Vec<Node>),
    /// A mapping, in the order of the text. A key may be there twice.
    Map(Vec<Entry>),
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key, which is always a scalar.
    pub key: Key,
    /// The value.
    pub value: Node,
}

/// The key of an [`Entry`]: a scalar with all that a [`Node`] has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// As written.
    pub text: Box<str>,
    /// See [`Node::tag`].
    pub tag: Tag,
    /// See [`Node::style`].
    pub style: Style,
    /// See [`Node::line`].
    pub line: u32,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Limits;

    fn v3(text: &str) -> Vec<Node> {
        read(text.as_bytes(), Dialect::V3, &Limits::default()).unwrap()
    }

    fn through(text: &str) -> String {
        v3(text).iter().map(|node| write(node).unwrap()).collect::<Vec<_>>().join("---\n")
    }

    fn refused(text: &str) -> String {
        v3(text).iter().find_map(|node| write(node).err()).unwrap().message
    }

    #[test]
    fn types_are_those_of_go_yaml_v3_written_by_v2() {
        let text = "a: [yes, 1.0, 1e3, 0x1F, 0777, 0o17, 1_000, 123456789012345678901, 1e30, 0.0000001]\n";
        assert_eq!(
            through(text),
            "a:\n- \"yes\"\n- 1\n- 1000\n- 31\n- 511\n- 15\n- 1000\n- 1.2345678901234568e+20\n- 1e+30\n- 1e-07\n"
        );
        assert_eq!(
            through("a: 2001-01-01\nb: !!str 1\nc: !x 1\nd: ! 1\ne: !!binary aGk=\n"),
            "a: \"2001-01-01T00:00:00Z\"\nb: \"1\"\nc: \"1\"\nd: 1\ne: hi\n"
        );
    }

    #[test]
    fn what_json_cannot_hold_is_refused_on_the_way_out() {
        assert_eq!(refused("a: .nan\n"), "json: unsupported value: NaN");
        assert_eq!(refused("a: {1: x}\n"), "json: unsupported type: map[interface {}]interface {}");
        assert!(
            refused("a: 1\nb:\n  c: 1\n  c: 2\n")
                .contains("line 4: mapping key \"c\" already defined at line 3")
        );
        assert_eq!(through("1: x\ntrue: z\n"), "\"1\": x\n\"true\": z\n");
        assert!(refused("~: x\n").contains("already defined"));
    }

    #[test]
    fn documents_are_cut_as_kyaml_cuts_them() {
        let nodes = v3("# first\n---\na: 1\n--- # second\r\n\n---\nb: 2\n...\nignored\n---\nc: 3");
        assert_eq!(nodes.iter().map(|node| node.line).collect::<Vec<_>>(), [3, 7, 11]);
        assert!(read(b"a: 1\n--- b\n", Dialect::V3, &Limits::default()).is_err());
    }

    #[test]
    fn aliases_and_merge_keys_are_expanded() {
        let text = "a: &a {x: 1, y: 2}\nb: *a\nc: {<<: *a, y: 3}\nd: {<<: [{x: 8}, *a], z: 1}\n";
        assert_eq!(
            v3(text)[0].to_json().unwrap(),
            json!({"a": {"x": 1, "y": 2}, "b": {"x": 1, "y": 2}, "c": {"x": 1, "y": 3}, "d": {"x": 8, "y": 2, "z": 1}})
        );
    }

    #[test]
    fn a_place_keeps_its_style_and_a_text_its_tag() {
        let mut node = v3("a: \"x\"\nb: 1\nc: x\n").remove(0);
        node.set("a", Node::scalar("5"));
        node.set("c", Node::text("yes"));
        node.set("d", Node::text("on"));
        node.get_mut("b").unwrap().set_text("7");
        assert_eq!(write(&node).unwrap(), "a: \"5\"\nb: 7\nc: \"yes\"\nd: \"on\"\n");
        node.set("a", Node::null());
        node.get_mut("b").unwrap().set_text("seven");
        assert_eq!(node.get("a"), None);
        assert!(write(&node).unwrap_err().message.contains("cannot decode !!str `seven` as a !!int"));
    }

    #[test]
    fn the_second_dialect_is_that_of_yaml_1_1() {
        let nodes =
            read(b"a: yes\ny: 010\nm: {n: 1}\na: 2\n---\nb: 1\n", Dialect::V2, &Limits::default()).unwrap();
        assert_eq!(nodes[0].to_json().unwrap(), json!({"a": 2, "true": 8, "m": {"false": 1}}));
        assert_eq!(nodes.len(), 1);
    }

    #[test]
    fn json_values_go_in_and_out() {
        let value = json!({"a": [1, 1.5, 1e300, true, null, "1", "x\n"], "b": {}, "1": u64::MAX});
        assert_eq!(Node::from_json(&value).to_json().unwrap(), value);
    }
}
