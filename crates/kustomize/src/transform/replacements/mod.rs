//! Values that are copied from one object to others.

mod embedded;

use towpath_yaml::{Content, Node};

use crate::budget::{Budget, check_depth, size};
use crate::error::{Error, Within};
use crate::fieldpath::{self, Create, each_match};
use crate::id::Id;
use crate::resource::Resource;
use crate::resources::Resources;
use crate::selector::Selector;
use crate::spec::{FieldOptions, Replacement, SourceSelector, TargetSelector};
use crate::tree;

const NAME: &str = "metadata.name";

/// Makes all replacements in their order.
pub fn apply(resources: &mut Resources, replacements: &[Replacement], budget: &Budget) -> Result<(), Error> {
    for replacement in replacements {
        let Some(targets) = &replacement.targets else {
            return Err(Error::invalid("replacements must specify a source and at least one target"));
        };
        let value = match (&replacement.source, &replacement.source_value) {
            (Some(_), Some(_)) => {
                return Err(Error::invalid("value and resource selectors are mutually exclusive"));
            }
            (None, None) => {
                return Err(Error::invalid("replacements must specify a source and at least one target"));
            }
            (None, Some(text)) => Node::scalar(text.as_str()),
            (Some(source), None) => taken(resources.list(), source)?,
        };
        for target in targets {
            put(resources.list_mut(), &value, target, budget)?;
        }
    }
    Ok(())
}

/// All ids of an object, now and before. Here no kind counts as cluster-scoped.
fn ids(resource: &Resource) -> impl Iterator<Item = Id<'_>> {
    [Id { cluster_scoped: false, ..resource.id() }].into_iter().chain(resource.previous_ids())
}

fn taken(list: &[Resource], source: &SourceSelector) -> Result<Node, Error> {
    let wanted = Id {
        gvk: source.id.gvk.as_gvk(),
        name: &source.id.name,
        namespace: &source.id.namespace,
        cluster_scoped: false,
    };
    let is_source = |id: Id<'_>| {
        (wanted.name.is_empty() || wanted.name == id.name)
            && (wanted.namespace.is_empty() || wanted.effective_namespace() == id.effective_namespace())
            && id.gvk.is_selected_by(wanted.gvk)
    };
    let mut found = list.iter().filter(|resource| ids(resource).any(is_source));
    let Some(resource) = found.next() else {
        return Err(Error::invalid(format!("nothing selected by {}", shown(source, &wanted))));
    };
    if found.next().is_some() {
        return Err(Error::invalid(format!("multiple matches for selector {}", shown(source, &wanted))));
    }
    let path = if source.field_path.is_empty() { NAME } else { &source.field_path };
    let node = fieldpath::lookup(&resource.node, &fieldpath::parts(path))
        .within(|| "error looking up replacement source")?
        .filter(|node| !node.is_empty())
        .ok_or_else(|| {
            Error::invalid(format!("fieldPath `{path}` is missing for replacement source {wanted}"))
        })?;
    part_of(node, source.options.as_ref())
}

/// A source as upstream prints it.
fn shown(source: &SourceSelector, id: &Id<'_>) -> String {
    let mut text = id.to_string();
    if !source.field_path.is_empty() {
        text = format!("{text}:{}", source.field_path);
    }
    if let Some(options) = source.options.as_ref().filter(|one| !one.delimiter.is_empty() || one.create) {
        text = format!("{text}:{}({}), create={}", options.delimiter, options.index, options.create);
    }
    text
}

/// The part of a text that the options ask for.
fn part_of(node: &Node, options: Option<&FieldOptions>) -> Result<Node, Error> {
    let Some(options) = options.filter(|options| !options.delimiter.is_empty()) else {
        return Ok(node.clone());
    };
    if !matches!(node.content, Content::Scalar(_)) {
        return Err(Error::invalid("delimiter option can only be used with scalar nodes"));
    }
    let text = tree::value(node);
    let part =
        usize::try_from(options.index).ok().and_then(|at| text.split(options.delimiter.as_str()).nth(at));
    let Some(part) = part else {
        return Err(Error::invalid(format!(
            "options.index {} is out of bounds for value {text}",
            options.index
        )));
    };
    let mut node = node.clone();
    node.set_text(part);
    Ok(node)
}

fn put(list: &mut [Resource], value: &Node, target: &TargetSelector, budget: &Budget) -> Result<(), Error> {
    let Some(select) = &target.select else {
        return Err(Error::invalid("target must specify resources to select"));
    };
    let compiled = || -> Result<_, Error> {
        let rejects = target.reject.iter().flatten().map(|reject| Ok((reject, Selector::new(reject)?)));
        Ok((Selector::new(select)?, rejects.collect::<Result<Vec<_>, Error>>()?))
    };
    let (selector, rejects) = compiled().within(|| "error creating target selector")?;
    for resource in list {
        if !selector.takes_metadata(resource)? {
            continue;
        }
        let mut rejected = false;
        for (reject, selector) in &rejects {
            let by_metadata = !reject.annotations.is_empty() || !reject.labels.is_empty();
            rejected |= by_metadata && selector.takes_metadata(resource)?;
            let by_id = reject.id != crate::spec::ResId::default();
            rejected |= by_id && ids(resource).any(|id| selector.takes_id(&id));
        }
        if !rejected && ids(resource).any(|id| selector.takes_id(&id)) {
            put_in(&mut resource.node, value, target, budget)?;
        }
    }
    Ok(())
}

fn put_in(node: &mut Node, value: &Node, target: &TargetSelector, budget: &Budget) -> Result<(), Error> {
    let default = [NAME.to_owned()];
    let paths = if target.field_paths.is_empty() { &default[..] } else { &target.field_paths };
    let create = match &target.options {
        Some(options) if options.create => Create::like(value),
        _ => Create::Nothing,
    };
    let weight = size(value);
    for path in paths {
        budget.spend_copies(weight, 1)?;
        let parts = fieldpath::parts(path);
        check_depth(parts.len(), Some(value))?;
        if embedded::put(node, value, &parts, create).is_ok() {
            continue;
        }
        let missing = || {
            let found = if create == Create::Nothing { "find" } else { "find or create" };
            format!("unable to {found} field {path:?} in replacement target")
        };
        let mut failed = None;
        let mut change = |field: &mut Node| {
            if failed.is_none() {
                failed = write(field, value, target.options.as_ref()).err();
            }
            budget.spend_copies(weight, 1)
        };
        let count = each_match(node, &parts, create, &mut change).within(missing)?;
        if let Some(error) = failed {
            return Err(error);
        }
        if count == 0 {
            return Err(Error::invalid(missing()));
        }
    }
    Ok(())
}

/// Puts a value into a field. A scalar keeps its type and style, only its text changes.
fn write(field: &mut Node, value: &Node, options: Option<&FieldOptions>) -> Result<(), Error> {
    let mut text = tree::raw(value).to_owned();
    if let Some(options) = options.filter(|options| !options.delimiter.is_empty()) {
        if !matches!(field.content, Content::Scalar(_)) {
            return Err(Error::invalid("delimiter option can only be used with scalar nodes"));
        }
        let mut parts: Vec<&str> = tree::raw(field).split(options.delimiter.as_str()).collect();
        let new = tree::value(value);
        match usize::try_from(options.index) {
            Err(_) => parts.insert(0, new),
            Ok(at) => match parts.get_mut(at) {
                Some(part) => *part = new,
                None => parts.push(new),
            },
        }
        text = parts.join(&options.delimiter);
    }
    if matches!(field.content, Content::Scalar(_)) {
        field.set_text(text);
    } else {
        *field = value.clone();
    }
    Ok(())
}
