//! To the fields that a table names.

use towpath_yaml::{Content, Node, Tag};

use crate::budget::check_depth;
use crate::config::{FieldSpec, Part};
use crate::error::{Error, Within};
use crate::resource::Resource;
use crate::tree;

/// What is made where a field is missing that the table wants created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Make {
    /// Nothing.
    Nothing,
    /// A scalar of a type.
    Scalar(Tag),
    /// A map.
    Map,
}

/// Applies a change to each field that a spec means. Lists on the way are walked through.
pub fn each_field(
    resource: &mut Resource,
    spec: &FieldSpec,
    make: Make,
    change: &mut dyn FnMut(&mut Node) -> Result<(), Error>,
) -> Result<(), Error> {
    if spec.is_for(resource.gvk()) { each_field_of_any(resource, spec, make, change) } else { Ok(()) }
}

/// The same, whatever the type of the object.
pub fn each_field_of_any(
    resource: &mut Resource,
    spec: &FieldSpec,
    make: Make,
    change: &mut dyn FnMut(&mut Node) -> Result<(), Error>,
) -> Result<(), Error> {
    check_depth(spec.parts.len(), None)?;
    let walk = Walk { create: spec.create, make };
    let result = walk.node(&mut resource.node, &spec.parts, change);
    result.map_err(|error| {
        let mut id = resource.id();
        id.cluster_scoped = false;
        error.within(format!("considering field '{}' of object {id}", spec.path))
    })
}

#[derive(Clone, Copy)]
struct Walk {
    create: bool,
    make: Make,
}

impl Walk {
    fn node(
        self,
        node: &mut Node,
        parts: &[Part],
        change: &mut dyn FnMut(&mut Node) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Some((part, rest)) = parts.split_first() else { return change(node) };
        if node.is_null() {
            return Ok(());
        }
        match &mut node.content {
            Content::List(items) => {
                items.iter_mut().try_for_each(|item| self.node(item, parts, change)).within(|| {
                    let path: Vec<_> = parts.iter().map(written).collect();
                    format!("visit traversal on path: [{}]", path.join(" "))
                })
            }
            Content::Map(_) => match self.field(node, part, rest.is_empty())? {
                Some(field) => self.node(field, rest, change),
                None => Ok(()),
            },
            Content::Scalar(_) => Err(Error::invalid("expected sequence or mapping node")),
        }
    }

    /// The field of a map; made if that is wanted. A null becomes what is wanted.
    fn field<'n>(self, node: &'n mut Node, part: &Part, last: bool) -> Result<Option<&'n mut Node>, Error> {
        if part.name.is_empty() {
            return Err(Error::invalid("cannot set or create an empty field name"));
        }
        let create = self.create && self.make != Make::Nothing && !part.list;
        if create && node.get(&part.name).is_none() {
            let made = match self.make {
                Make::Scalar(_) if last => Node::scalar(""),
                _ => tree::empty_map(),
            };
            node.put(&part.name, made);
        }
        let Some(field) = node.get_mut(&part.name) else { return Ok(None) };
        if field.is_null() {
            if part.list {
                *field = Node::list(Vec::new());
            } else if create {
                match self.make {
                    Make::Scalar(tag) if last => field.tag = tag,
                    _ => *field = tree::empty_map(),
                }
            }
        }
        Ok(Some(field))
    }
}

fn written(part: &Part) -> String {
    format!("{}{}", part.name, if part.list { "[]" } else { "" })
}

#[cfg(test)]
mod tests {
    use towpath_yaml::Limits;

    use super::*;
    use crate::kinds::Kinds;
    use crate::read;

    fn object(spec: &str) -> Resource {
        let text = format!("apiVersion: v1\nkind: Pod\nmetadata: {{name: x}}\nspec: {spec}\n");
        read::objects(text.as_bytes(), &Kinds::default(), &Limits::default()).unwrap().remove(0)
    }

    fn set(spec: &str, path: &str, create: bool) -> Result<String, String> {
        let mut object = object(spec);
        let field = FieldSpec::anywhere(path, create);
        let mut change = |node: &mut Node| tree::replace_scalar(node, Node::text("new"));
        let done = each_field(&mut object, &field, Make::Scalar(Tag::Str), &mut change);
        done.map_err(|error| error.to_string())?;
        Ok(object.node.get("spec").unwrap().to_json().unwrap().to_string())
    }

    #[test]
    fn lists_are_walked_and_fields_are_made_if_wanted() {
        assert_eq!(set("{a: [{b: x}, {}]}", "spec/a/b", true).unwrap(), r#"{"a":[{"b":"new"},{"b":"new"}]}"#);
        assert_eq!(set("{a: [{b: x}, {}]}", "spec/a/b", false).unwrap(), r#"{"a":[{"b":"new"},{}]}"#);
        assert_eq!(set("{}", "spec/a[]/b", true).unwrap(), "{}");
        assert_eq!(set("{a: ~}", "spec/a[]/b", true).unwrap(), r#"{"a":[]}"#);
        assert_eq!(set("{a: ~}", "spec/a/b", true).unwrap(), r#"{"a":{"b":"new"}}"#);
        assert_eq!(set("{a: ~}", "spec/a/b", false).unwrap(), r#"{"a":null}"#);
    }

    #[test]
    fn a_scalar_on_the_way_is_an_error() {
        assert_eq!(
            set("{a: [x]}", "spec/a/b", false).unwrap_err(),
            "considering field 'spec/a/b' of object Pod.v1.[noGrp]/x.[noNs]: visit traversal on path: [b]: \
             expected sequence or mapping node"
        );
    }
}
