//! `$patch` in a map, or as an item of its own in a list.

use towpath_yaml::{Content, Node};

use super::Error;
use super::elements::{Pool, set};

/// The key of the directive.
const KEY: &str = "$patch";

/// What a part of a patch wants to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Directive {
    Merge,
    Replace,
    Delete,
}

fn parse(text: &str) -> Result<Directive, Error> {
    match text {
        "merge" => Ok(Directive::Merge),
        "replace" => Ok(Directive::Replace),
        "delete" => Ok(Directive::Delete),
        other => Err(Error::Directive(other.to_owned())),
    }
}

/// The directive of a map or list, which is taken out of it.
pub(super) fn take(patch: &mut Node) -> Result<Directive, Error> {
    match &mut patch.content {
        Content::Map(_) => {
            let Some(value) = patch.get(KEY) else { return Ok(Directive::Merge) };
            let directive = parse(text(value))?;
            patch.remove(KEY);
            Ok(directive)
        }
        Content::List(items) => {
            // An item that has more than the directive is about itself, not about the list.
            let item = items.iter().find(|item| item.get(KEY).is_some());
            let Some(item) = item.filter(|item| item.entries().len() <= 1) else {
                return Ok(Directive::Merge);
            };
            let word = item.get(KEY).map(text).unwrap_or_default().to_owned();
            let directive = parse(&word)?;
            let mut pool = Pool::default();
            let mut list = pool.add(std::mem::take(items));
            set(&mut pool, &mut list, None, &[KEY], &[&word])?;
            *items = pool.into_items(list);
            Ok(directive)
        }
        Content::Scalar(_) => Ok(Directive::Merge),
    }
}

/// The text of a scalar, null included; of anything else none.
pub(super) fn text(node: &Node) -> &str {
    match &node.content {
        Content::Scalar(text) => text,
        _ => "",
    }
}
