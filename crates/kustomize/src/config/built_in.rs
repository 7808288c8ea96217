//! The built-in tables as a [`Config`].

use super::facts::{self, Row};
use super::{BackReference, Config, FieldSpec};
use crate::spec::Gvk;

/// All built-in tables.
pub fn config() -> Config {
    let references = facts::NAME_REFERENCE.iter().map(|(group, version, kind, referrers)| BackReference {
        gvk: gvk(group, version, kind),
        referrers: specs(referrers),
    });
    Config {
        name_prefix: specs(facts::NAME_PREFIX),
        name_suffix: specs(facts::NAME_SUFFIX),
        namespace: specs(facts::NAMESPACE),
        common_labels: specs(facts::COMMON_LABELS),
        labels: Vec::new(),
        template_labels: specs(facts::TEMPLATE_LABELS),
        common_annotations: specs(facts::COMMON_ANNOTATIONS),
        name_reference: references.collect(),
        var_reference: specs(facts::VAR_REFERENCE),
        images: specs(facts::IMAGES),
        replicas: specs(facts::REPLICAS),
    }
}

fn specs(rows: &[Row]) -> Vec<FieldSpec> {
    let spec =
        |(group, version, kind, path, create): &Row| FieldSpec::new(gvk(group, version, kind), path, *create);
    rows.iter().map(spec).collect()
}

fn gvk(group: &str, version: &str, kind: &str) -> Gvk {
    Gvk { group: group.to_owned(), version: version.to_owned(), kind: kind.to_owned() }
}
