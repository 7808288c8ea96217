//! `--substitute`: variables in built objects.

use std::borrow::Cow;

use towpath_failure::{Failure as _, chain};
use towpath_substitute::{Expected, Mode, Unset, Variables, object};
use towpath_yaml::{Content, Node};

use super::{Flags, Problem, json, named};

/// Maps whose values are texts, whatever they look like.
const TEXTS: &[&str] =
    &["annotations", "binaryData", "data", "labels", "matchLabels", "nodeSelector", "selector", "stringData"];
/// Fields that are texts, or lists of them.
const TEXT_FIELDS: &[&str] = &["args", "command", "image", "name", "namespace", "value"];

/// Variables and how they are filled in.
pub struct Values {
    variables: Variables,
    unset: Unset,
    typed: bool,
}

impl Values {
    pub fn new(flags: &Flags) -> Self {
        Self {
            variables: flags.substitute.iter().map(|(name, value)| (name.as_str(), value)).collect(),
            unset: if flags.strict_substitute { Unset::Refused } else { Unset::Empty },
            typed: flags.typed_substitute,
        }
    }

    /// An object with its variables filled in; `None` where it has none, or opted out.
    pub fn object(&self, node: &Node) -> Result<Option<Node>, Problem> {
        let value = json(node)?;
        let expected = |path: &[Cow<'_, str>]| expected(node, path);
        let mode = if self.typed { Mode::Typed(&expected) } else { Mode::Text };
        let filled = object(&value, &self.variables, self.unset, mode);
        let filled = filled.map_err(|error| Problem {
            message: format!("{}: {}", named(node), chain(&error)),
            hint: error.hint(),
        })?;
        Ok(filled.map(|value| Node::from_json(&value)))
    }
}

/// What belongs at a place: a text where it was written in quotes, or where Kubernetes has texts only. Elsewhere
/// what looks like a number or a boolean is one, as it would be if it stood there.
fn expected(node: &Node, path: &[Cow<'_, str>]) -> Expected {
    let name = path.last().map_or("", |last| last.as_ref());
    let of = |index: usize| {
        path.len().checked_sub(index).and_then(|at| path.get(at)).map_or("", |key| key.as_ref())
    };
    let list = name.parse::<usize>().is_ok() && TEXT_FIELDS.contains(&of(2));
    if TEXTS.contains(&of(2)) || TEXT_FIELDS.contains(&name) || list {
        return Expected::String;
    }
    match find(node, path) {
        Some(node) if matches!(node.content, Content::Scalar(_)) && !node.style.is_quoted() => {
            Expected::Scalar
        }
        _ => Expected::String,
    }
}

fn find<'n>(node: &'n Node, path: &[Cow<'_, str>]) -> Option<&'n Node> {
    path.iter().try_fold(node, |node, key| match &node.content {
        Content::Map(_) => node.get(key),
        Content::List(items) => items.get(key.parse::<usize>().ok()?),
        Content::Scalar(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use towpath_yaml::{Dialect, Limits, read, write};

    use super::*;

    fn filled(typed: bool, text: &str) -> Result<String, (String, Option<String>)> {
        let variables = [("N", "3"), ("YES", "yes"), ("STAR", "*x: y")].into_iter().collect();
        let values = Values { variables, unset: Unset::Refused, typed };
        let nodes = read(text.as_bytes(), Dialect::V3, &Limits::default()).expect("YAML");
        let node = nodes.first().expect("a document");
        let node = values.object(node).map_err(|problem| (problem.message, problem.hint))?.expect("a change");
        Ok(write(&node).expect("a text"))
    }

    #[test]
    fn flux_lets_values_change_their_type_and_typed_does_not() {
        let text = "metadata:\n  annotations:\n    a: ${N}\nspec:\n  replicas: ${N}\n  tag: \"${N}\"\n";
        let flux = "metadata:\n  annotations:\n    a: 3\nspec:\n  replicas: 3\n  tag: 3\n";
        assert_eq!(filled(false, text).unwrap(), flux);
        let safe = "metadata:\n  annotations:\n    a: \"3\"\nspec:\n  replicas: 3\n  tag: \"3\"\n";
        assert_eq!(filled(true, text).unwrap(), safe);
        let (message, hint) = filled(false, "kind: A\nz: ${STAR}\n").unwrap_err();
        assert_eq!(message, "A: after substitution the object is not valid YAML: line 2, column 4");
        assert!(hint.is_some_and(|hint| hint.contains("typed")));
        assert_eq!(filled(true, "a: ${STAR}\n").unwrap(), "a: '*x: y'\n");
        assert_eq!(filled(true, "args:\n- ${YES}\n").unwrap(), "args:\n- \"yes\"\n");
    }

    #[test]
    fn a_variable_without_a_value_is_named() {
        let (message, hint) =
            filled(false, "kind: A\nmetadata: {name: b, namespace: c}\na: ${NOPE}\n").unwrap_err();
        assert_eq!(message, "A/c/b: variable substitution failed: variable not set (strict mode): \"NOPE\"");
        assert!(hint.is_some());
    }
}
