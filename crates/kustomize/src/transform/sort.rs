//! The order of the output.

use crate::config::legacy_rank;
use crate::config::order::{FIRST, LAST, sort_text};
use crate::error::Error;
use crate::resource::Resource;
use crate::resources::Resources;
use crate::spec::SortOptions;

/// Brings objects into the order that a kustomization asks for.
pub fn by_options(resources: &mut Resources, options: &SortOptions) -> Result<(), Error> {
    match (options.order.0.as_str(), &options.legacy_sort_options) {
        ("legacy", Some(legacy)) => {
            sort(resources, &legacy.order_first, &legacy.order_last);
            Ok(())
        }
        ("legacy", None) => {
            by_legacy(resources);
            Ok(())
        }
        ("fifo", None) => Ok(()),
        ("fifo", Some(_)) => Err(Error::invalid(
            "the field 'sortOptions.legacySortOptions' is set but the selected sort order is 'fifo', not 'legacy'",
        )),
        _ => Err(Error::invalid("the field 'sortOptions.order' must be one of [fifo, legacy]")),
    }
}

/// Brings objects into the order of upstream's command line.
pub fn by_legacy(resources: &mut Resources) {
    sort(resources, &FIRST, &LAST);
}

fn sort<S: AsRef<str>>(resources: &mut Resources, first: &[S], last: &[S]) {
    // The key is made once for each object.
    resources.list_mut().sort_by_cached_key(|resource| key(resource, first, last));
}

fn key<S: AsRef<str>>(resource: &Resource, first: &[S], last: &[S]) -> (isize, String, String) {
    let id = resource.id();
    let or = |text: &str, none: &str| if text.is_empty() { none.to_owned() } else { text.to_owned() };
    let place = format!("{}|{}|{}", id.gvk, or(id.namespace, "~X"), or(id.name, "~N"));
    let rank = legacy_rank(id.gvk.kind, first, last);
    let mut kind = sort_text(id.gvk);
    // Where namespaces have a rank of their own, those of the core group come in front of those of others.
    if rank != 0 && id.gvk.kind == "Namespace" && id.gvk.group.is_empty() {
        kind.insert(0, ' ');
    }
    (rank, kind, place)
}
