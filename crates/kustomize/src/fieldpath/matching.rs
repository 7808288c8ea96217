//! All nodes that a path means, made where that is wanted.

use regex::Regex;
use towpath_yaml::{Content, Dialect, Entry, Key, Limits, Node, Style, Tag};

use super::Step;
use crate::error::{Error, Within};
use crate::tree;

/// What is made at the end of a path that leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Create {
    /// Nothing is made.
    Nothing,
    /// A scalar.
    Scalar,
    /// A list.
    List,
    /// A map.
    Map,
}

impl Create {
    /// The kind of a node.
    pub fn like(node: &Node) -> Self {
        match node.content {
            Content::Scalar(_) => Self::Scalar,
            Content::List(_) => Self::List,
            Content::Map(_) => Self::Map,
        }
    }

    /// What is made for one part of a path, which depends on the next one.
    fn made(self, next: Option<&String>) -> Node {
        let list = next.is_some_and(|next| matches!(Step::new(next), Ok(Step::Index(_) | Step::Item(..))));
        let untyped = |content| Node { content, tag: Tag::None, style: Style::PLAIN, line: 0 };
        match (self, next) {
            _ if list => untyped(Content::List(Vec::new())),
            (Self::Scalar, None) => Node::scalar(""),
            (Self::List, None) => untyped(Content::List(Vec::new())),
            _ => untyped(Content::Map(Vec::new())),
        }
    }
}

/// Changes each node that a path means; answers how many there are.
pub fn each_match(
    node: &mut Node,
    path: &[String],
    create: Create,
    change: &mut dyn FnMut(&mut Node) -> Result<(), Error>,
) -> Result<usize, Error> {
    let Some((part, rest)) = path.split_first() else {
        change(node)?;
        return Ok(1);
    };
    let step = match part.as_str() {
        // Here a minus is a name.
        "-" => Step::Field("-"),
        part => Step::new(part).or_else(|error| match part.parse::<isize>() {
            Ok(_) => Ok(Step::Field(part)),
            Err(_) => Err(error),
        })?,
    };
    match step {
        Step::Field(name) => field(node, name, rest, create, change),
        Step::Index(at) => index(node, at, rest, create, change),
        Step::Every => {
            let mut count = 0;
            for item in items(node)? {
                count += each_match(item, rest, create, change)?;
            }
            Ok(count)
        }
        Step::Item(name, pattern) => matching_items(node, (name, pattern), rest, create, change),
        Step::Last => Ok(0),
    }
}

/// The items of a list; a null has none.
fn items(node: &mut Node) -> Result<&mut [Node], Error> {
    if node.is_null() {
        return Ok(&mut []);
    }
    if !matches!(node.content, Content::List(_)) {
        return Err(tree::wrong_kind(node, "SequenceNode"));
    }
    Ok(node.items_mut().map(Vec::as_mut_slice).unwrap_or_default())
}

fn field(
    node: &mut Node,
    name: &str,
    rest: &[String],
    create: Create,
    change: &mut dyn FnMut(&mut Node) -> Result<(), Error>,
) -> Result<usize, Error> {
    if node.is_null() {
        return Ok(0);
    }
    if !matches!(node.content, Content::Map(_)) {
        return Err(tree::wrong_kind(node, "MappingNode"));
    }
    if node.get(name).is_none() {
        if create == Create::Nothing {
            return Ok(0);
        }
        node.put(name, create.made(rest.first()));
    }
    let Some(field) = node.get_mut(name) else { return Ok(0) };
    if matches!(field.content, Content::Scalar(_)) && !rest.is_empty() {
        // What is found inside of a text is changed in a copy that upstream throws away.
        let Some(mut inner) = parsed(tree::raw(field))? else { return Ok(0) };
        return each_match(&mut inner, rest, create, &mut |_| Ok(()));
    }
    each_match(field, rest, create, change)
}

/// The document that a text holds.
pub fn parsed(text: &str) -> Result<Option<Node>, Error> {
    let nodes = towpath_yaml::read(text.as_bytes(), Dialect::V3, &Limits::default())
        .map_err(|error| Error::invalid(format!("yaml: line {}: {}", error.line, error.message)))?;
    Ok(nodes.into_iter().next())
}

fn index(
    node: &mut Node,
    at: usize,
    rest: &[String],
    create: Create,
    change: &mut dyn FnMut(&mut Node) -> Result<(), Error>,
) -> Result<usize, Error> {
    let count = items(node)?.len();
    if count == at
        && create != Create::Nothing
        && let Some(items) = node.items_mut()
    {
        items.push(create.made(rest.first()));
    }
    match items(node)?.get_mut(at) {
        Some(item) => each_match(item, rest, create, change),
        None => Err(Error::invalid(format!("index {at} specified but only {count} elements found"))),
    }
}

fn matching_items(
    node: &mut Node,
    (name, pattern): (&str, &str),
    rest: &[String],
    create: Create,
    change: &mut dyn FnMut(&mut Node) -> Result<(), Error>,
) -> Result<usize, Error> {
    let regex =
        Regex::new(pattern).map_err(|error| Error::invalid(format!("error parsing regexp: {error}")))?;
    let count = change_matching(node, name, &regex, rest, create, change)?;
    if count > 0 || create == Create::Nothing {
        return Ok(count);
    }
    let value = Node::scalar(pattern);
    let item = if name.is_empty() { value } else { Node::map(vec![Entry { key: Key::new(name), value }]) };
    if let Some(items) = node.items_mut() {
        items.push(item);
    }
    change_matching(node, name, &regex, rest, create, change)
        .within(|| format!("failed to create element for \"[{name}={pattern}]\""))
}

fn change_matching(
    node: &mut Node,
    name: &str,
    regex: &Regex,
    rest: &[String],
    create: Create,
    change: &mut dyn FnMut(&mut Node) -> Result<(), Error>,
) -> Result<usize, Error> {
    let mut count = 0;
    for item in items(node)? {
        if name.is_empty() {
            // What follows the item in the path does not count.
            if regex.is_match(&shown(item)) {
                change(item)?;
                count += 1;
            }
        } else if item.get(name).is_some_and(|field| regex.is_match(&shown(field))) {
            count += each_match(item, rest, create, change)?;
        }
    }
    Ok(count)
}

/// A scalar as it is written, quotes included.
fn shown(node: &Node) -> String {
    let text = tree::raw(node);
    if node.style.has(Style::DOUBLE) {
        format!("\"{text}\"")
    } else if node.style.has(Style::SINGLE) {
        format!("'{text}'")
    } else {
        text.trim().to_owned()
    }
}
