//! Labels and annotations for all objects.

use std::collections::BTreeMap;

use towpath_yaml::Node;

use crate::config::FieldSpec;
use crate::error::Error;
use crate::resources::Resources;
use crate::tree;
use crate::walk::{Make, each_field};

/// Sets pairs in the maps that the specs name.
pub fn set_pairs(
    resources: &mut Resources,
    pairs: &BTreeMap<String, String>,
    specs: &[FieldSpec],
) -> Result<(), Error> {
    if pairs.is_empty() {
        return Ok(());
    }
    for resource in resources.list_mut() {
        for spec in specs {
            each_field(resource, spec, Make::Map, &mut |node| {
                pairs
                    .iter()
                    .try_for_each(|(key, value)| tree::set_field(node, key, Node::text(value.as_str())))
            })?;
        }
    }
    Ok(())
}
