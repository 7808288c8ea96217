//! One value for many fields.

use towpath_yaml::{Content, Node, Tag};

use super::namespace::Namespace;
use crate::budget::check_depth;
use crate::config::split;
use crate::decode::record;
use crate::error::Error;
use crate::resources::Resources;
use crate::selector::Selector;
use crate::spec;
use crate::tree;

record! {
    /// Where the value goes.
    Target = "Target" {
        selector: Option<spec::Selector> = "selector",
        field_path: String = "fieldPath",
        file_path_position: isize = "filePathPosition",
    }
}

/// The value and its targets.
#[derive(Clone, Debug)]
pub struct ValueAdd {
    /// The value.
    pub value: String,
    /// Where it goes.
    pub targets: Vec<Target>,
}

impl ValueAdd {
    /// Adds the value.
    pub fn apply(&self, resources: &mut Resources) -> Result<(), Error> {
        for target in &self.targets {
            let selector = target.selector.as_ref().map(Selector::new).transpose()?;
            for resource in resources.list_mut() {
                if let Some(selector) = &selector
                    && !selector.takes(resource)?
                {
                    continue;
                }
                if target.field_path == "metadata/namespace" {
                    Namespace { name: self.value.clone(), ..Namespace::default() }.set_in(resource)?;
                } else {
                    self.add(&mut resource.node, target)?;
                }
            }
        }
        Ok(())
    }

    fn add(&self, object: &mut Node, target: &Target) -> Result<(), Error> {
        let parts = split(&target.field_path, '/');
        check_depth(parts.len(), None)?;
        let mut node = object;
        for (number, part) in parts.iter().enumerate() {
            if !matches!(node.content, Content::Map(_)) {
                return Err(tree::wrong_kind(node, "MappingNode"));
            }
            if node.get(part).is_none() {
                let last = number + 1 == parts.len();
                node.put(part, if last { Node::scalar("") } else { tree::empty_map() });
            }
            let Some(next) = node.get_mut(part) else { return Ok(()) };
            node = next;
        }
        let mut value = self.value.clone();
        if let Ok(position @ 1..) = usize::try_from(target.file_path_position) {
            value = inserted(tree::raw(node), position - 1, &value);
        }
        tree::replace_scalar(node, Node { tag: Tag::None, ..Node::scalar(value) })
    }
}

/// A path with a part put in at a position; a position behind the end means the end.
fn inserted(path: &str, position: usize, part: &str) -> String {
    let rooted = path.starts_with('/');
    let mut parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    parts.insert(position.min(parts.len()), part);
    format!("{}{}", if rooted { "/" } else { "" }, parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_put_into_paths() {
        assert_eq!(inserted("/a/b", 0, "x"), "/x/a/b");
        assert_eq!(inserted("a/b", 1, "x"), "a/x/b");
        assert_eq!(inserted("a", 5, "x"), "a/x");
    }
}
