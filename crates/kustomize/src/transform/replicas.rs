//! How many replicas workloads have.

use towpath_yaml::{Node, Tag};

use crate::config::FieldSpec;
use crate::error::Error;
use crate::resources::Resources;
use crate::spec::Replica;
use crate::tree;
use crate::walk::{Make, each_field};

/// Sets the count in the workloads that have or had the name; there must be one.
pub fn set(resources: &mut Resources, replica: &Replica, specs: &[FieldSpec]) -> Result<(), Error> {
    let mut found = false;
    for spec in specs {
        for resource in resources.list_mut() {
            let meant = {
                let mut ids = resource.previous_ids().chain([resource.id()]);
                !resource.is_gone() && ids.any(|id| id.name == replica.name && spec.is_for(id.gvk))
            };
            if meant {
                found = true;
                each_field(resource, spec, Make::Scalar(Tag::Int), &mut |node| {
                    tree::replace_scalar(
                        node,
                        Node { tag: Tag::Int, ..Node::scalar(replica.count.to_string()) },
                    )
                })?;
            }
        }
    }
    if found {
        return Ok(());
    }
    let types: Vec<_> = specs.iter().map(|spec| spec.gvk().to_string()).collect();
    Err(Error::invalid(format!(
        "resource with name {} does not match a config with the following GVK [{}]",
        replica.name,
        types.join(" ")
    )))
}
