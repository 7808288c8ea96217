//! Paths that go on inside of a text that holds JSON or YAML.

use towpath_yaml::{Content, Node};

use crate::error::Error;
use crate::fieldpath::{self, Create, each_match, parsed};
use crate::transform::block;
use crate::transform::hash::{escaped, sorted};
use crate::tree;

/// Puts a value into a document inside of a text; an error means that there is no such document or field.
pub fn put(object: &mut Node, value: &Node, path: &[String], create: Create) -> Result<(), Error> {
    let nothing = || Error::invalid("no structured data found in path");
    let (at, mut document) = (1..path.len())
        .find_map(|at| {
            let node = fieldpath::lookup(object, path.get(..at)?).ok()??;
            if !matches!(node.content, Content::Scalar(_)) {
                return None;
            }
            parsed(tree::raw(node)).ok().map(|document| (at, document.unwrap_or_else(Node::null)))
        })
        .ok_or_else(nothing)?;
    let (outer, inner) = path.split_at_checked(at).ok_or_else(nothing)?;
    if document.is_null() {
        return Err(nothing());
    }
    let count = each_match(&mut document, inner, create, &mut |field| {
        if matches!(field.content, Content::Scalar(_)) {
            field.set_text(tree::raw(value));
        } else {
            *field = value.clone();
        }
        Ok(())
    })?;
    if count == 0 {
        return Err(nothing());
    }
    each_match(object, outer, Create::Nothing, &mut |field| {
        let text = written(&document, tree::raw(field))?;
        field.set_text(text);
        Ok(())
    })?;
    Ok(())
}

/// The document in the form that it had.
fn written(document: &Node, before: &str) -> Result<String, Error> {
    if !before.trim_start().starts_with(['{', '[']) {
        return Ok(block::to_text(document).trim().to_owned());
    }
    let value = document.to_json().map_err(|error| Error::invalid(error.to_string()))?;
    let text = if before.contains('\n') && before.contains("  ") {
        serde_json::to_string_pretty(&sorted(value))
    } else {
        serde_json::to_string(&sorted(value))
    };
    text.map(|text| escaped(&text)).map_err(|error| Error::invalid(error.to_string()))
}
