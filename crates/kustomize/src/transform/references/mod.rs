//! Names in fields follow the objects that they name.
//!
//! Each object has the fields that the tables know for its kind. A name in such a field is that of an object
//! which once had it; the field gets the name which that object has now.

mod candidates;
mod referrer;

use std::collections::HashMap;

use crate::config::{Config, FieldSpec};
use crate::error::{Error, Within};
use crate::id::Gvk;
use crate::resource::Resource;
use crate::resources::Resources;
use crate::walk::{Make, each_field_of_any};
use candidates::Candidates;
use referrer::Referrer;

/// A field that holds the name of an object of a type.
struct Field<'c> {
    number: usize,
    spec: &'c FieldSpec,
    target: Gvk<'c>,
}

/// Brings all names up to date.
pub fn update(resources: &mut Resources, config: &Config) -> Result<(), Error> {
    let by_kind = by_kind(config);
    let list = resources.list_mut();
    let candidates = Candidates::of(list);
    let for_all = by_kind.get("").map(Vec::as_slice).unwrap_or_default();
    for at in 0..list.len() {
        let Some(resource) = list.get(at) else { continue };
        let original = resource.original_id().gvk;
        let for_kind = match original.kind {
            "" => &[],
            kind => by_kind.get(kind).map(Vec::as_slice).unwrap_or_default(),
        };
        let mut fields: Vec<_> =
            for_kind.iter().chain(for_all).filter(|field| field.spec.is_for(original)).collect();
        if fields.is_empty() {
            continue;
        }
        fields.sort_by_key(|field| field.number);
        let referrer = Referrer::of(resource, &candidates)?;
        for field in fields {
            update_field(list, at, field, &referrer)?;
        }
    }
    Ok(())
}

fn update_field(
    list: &mut [Resource],
    at: usize,
    field: &Field<'_>,
    referrer: &Referrer<'_>,
) -> Result<(), Error> {
    let mut ambiguous = None;
    let done = change(list, at, field, &mut |node| referrer.update(node, field, &mut ambiguous));
    let result = match (done, ambiguous) {
        (Err(_), Some(places)) => {
            // The message holds the objects; now that nothing is being changed they can be written.
            let details = Referrer::details(list, at, &places);
            change(list, at, field, &mut |node| match referrer.update(node, field, &mut None) {
                Err(_) => Err(Error::invalid(details.clone())),
                done => done,
            })
        }
        (done, _) => done,
    };
    result.within(|| {
        let id = list.get(at).map(|resource| resource.id().to_string()).unwrap_or_default();
        format!("updating name reference in '{}' field of '{id}'", field.spec.path)
    })
}

fn change(
    list: &mut [Resource],
    at: usize,
    field: &Field<'_>,
    update: &mut dyn FnMut(&mut towpath_yaml::Node) -> Result<(), Error>,
) -> Result<(), Error> {
    match list.get_mut(at) {
        Some(resource) => each_field_of_any(resource, field.spec, Make::Nothing, update),
        None => Ok(()),
    }
}

/// The fields by the kind that has them; under no kind those of all kinds.
fn by_kind(config: &Config) -> HashMap<&str, Vec<Field<'_>>> {
    let mut by_kind: HashMap<&str, Vec<Field<'_>>> = HashMap::new();
    let pairs =
        config.name_reference.iter().flat_map(|one| one.referrers.iter().map(move |spec| (one.gvk(), spec)));
    for (number, (target, spec)) in pairs.enumerate() {
        by_kind.entry(spec.gvk().kind).or_default().push(Field { number, spec, target });
    }
    by_kind
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{Memory, Options, build};

    fn object(gvk: Gvk<'_>, name: &str) -> Value {
        let version = if gvk.version.is_empty() { "v1" } else { gvk.version };
        let api_version =
            if gvk.group.is_empty() { version.to_owned() } else { format!("{}/{version}", gvk.group) };
        json!({"apiVersion": api_version, "kind": gvk.kind, "metadata": {"name": name}})
    }

    /// An object with a value at a path.
    fn with(mut object: Value, spec: &FieldSpec, value: &Value) -> Value {
        let mut at = &mut object;
        for part in &spec.parts {
            at = &mut at[part.name.as_str()];
        }
        *at = value.clone();
        object
    }

    #[test]
    fn every_row_of_the_table_is_followed() {
        let config = Config::built_in();
        let mut rows = 0;
        for reference in &config.name_reference {
            let target = reference.gvk();
            // One row of upstream's table has the version in the group, and so fits nothing.
            for spec in reference.referrers.iter().filter(|_| !target.group.contains('/')) {
                rows += 1;
                let named = json!({"kind": target.kind, "name": "old"});
                let shapes = [json!("old"), named.clone(), json!([named]), json!(["old"])];
                let follows = shapes.iter().any(|shape| {
                    let mut files = Memory::new();
                    files.add("kustomization.yaml", "namePrefix: new-\nresources: [a.json, b.json]\n");
                    files.add("a.json", object(target, "old").to_string());
                    files.add("b.json", with(object(spec.gvk(), "referrer"), spec, shape).to_string());
                    build(&files, "/", &Options::default())
                        .and_then(|output| output.to_yaml())
                        .is_ok_and(|text| text.matches("new-old").count() == 2)
                });
                assert!(follows, "{} in {} of {}", target.kind, spec.path, spec.gvk().kind);
            }
        }
        assert_eq!(rows, 166);
    }
}
