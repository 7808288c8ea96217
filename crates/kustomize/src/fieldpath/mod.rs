//! Paths with dots, as replacements and variables use them: fields, indexes, `[name=x]` and `*`.

mod matching;

use towpath_yaml::{Content, Node};

use crate::config::split;
use crate::error::Error;
use crate::tree;

pub use matching::{Create, each_match, parsed};

/// The parts of a path. What is in brackets is one part, dots included.
pub fn parts(path: &str) -> Vec<String> {
    let mut result = Vec::new();
    let mut parts = split(path, '.').into_iter();
    while let Some(part) = parts.next() {
        if !part.starts_with('[') || part.ends_with(']') {
            result.push(part);
            continue;
        }
        let mut bracketed = part;
        for more in parts.by_ref() {
            bracketed.push('.');
            bracketed.push_str(&more);
            if more.ends_with(']') {
                break;
            }
        }
        if bracketed.contains('=') {
            result.push(bracketed);
        } else {
            result.push(bracketed.trim_matches(['[', ']']).to_owned());
        }
    }
    result
}

/// The parts of a path in which `name[0]` is an index.
pub fn with_indexes(path: &str) -> Vec<String> {
    let mut result = Vec::new();
    for part in parts(path) {
        let index = part.strip_suffix(']').and_then(|part| part.rsplit_once('['));
        match index {
            Some((name, number))
                if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                if !name.is_empty() {
                    result.push(name.to_owned());
                }
                result.push(number.to_owned());
            }
            _ => result.push(part),
        }
    }
    result
}

/// A part of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step<'p> {
    Field(&'p str),
    Index(usize),
    Last,
    Every,
    /// Items with a field of a value; without a name the value is the item itself.
    Item(&'p str, &'p str),
}

impl<'p> Step<'p> {
    fn new(part: &'p str) -> Result<Self, Error> {
        if let Ok(number) = part.parse::<isize>() {
            return usize::try_from(number)
                .map(Self::Index)
                .map_err(|_| Error::invalid(format!("array index {number} cannot be negative")));
        }
        match part {
            "-" => Ok(Self::Last),
            "*" => Ok(Self::Every),
            _ => match part.strip_prefix('[').and_then(|part| part.strip_suffix(']')) {
                None => Ok(Self::Field(part)),
                Some(inner) => {
                    inner.split_once('=').map(|(name, value)| Self::Item(name, value)).ok_or_else(|| {
                        Error::invalid(
                            "list path element must contain fieldName=fieldValue for element to match",
                        )
                    })
                }
            },
        }
    }
}

/// The node that a path leads to.
pub fn lookup<'n>(node: &'n Node, path: &[String]) -> Result<Option<&'n Node>, Error> {
    let mut node = node;
    for part in path.iter().map(|part| part.trim()).filter(|part| !part.is_empty()) {
        match one_step(node, &Step::new(part)?)? {
            Some(next) => node = next,
            None => return Ok(None),
        }
    }
    Ok(Some(node))
}

fn one_step<'n>(node: &'n Node, step: &Step<'_>) -> Result<Option<&'n Node>, Error> {
    match step {
        Step::Every => return Err(Error::invalid("wildcard is not supported in PathGetter")),
        _ if node.is_null() => return Ok(None),
        Step::Field(_) if !matches!(node.content, Content::Map(_)) => {
            return Err(tree::wrong_kind(node, "MappingNode"));
        }
        Step::Field(_) => {}
        _ if !matches!(node.content, Content::List(_)) => return Err(tree::wrong_kind(node, "SequenceNode")),
        _ => {}
    }
    Ok(match step {
        Step::Field(name) => node.get(name),
        Step::Index(at) => node.items().get(*at),
        Step::Last => node.items().last(),
        Step::Item("", value) => node.items().iter().find(|item| tree::raw(item) == *value),
        Step::Item(name, value) => {
            node.items().iter().find(|item| item.get(name).is_some_and(|field| tree::raw(field) == *value))
        }
        Step::Every => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_split_at_dots_outside_of_brackets() {
        assert_eq!(parts("spec.containers.[name=a.b].image"), ["spec", "containers", "[name=a.b]", "image"]);
        assert_eq!(parts(r"metadata.annotations.a\.b/c"), ["metadata", "annotations", "a.b/c"]);
        assert_eq!(parts("metadata.annotations.[a.b]"), ["metadata", "annotations", "a.b"]);
        assert_eq!(with_indexes("spec.ports[0].x"), ["spec", "ports", "0", "x"]);
    }
}
