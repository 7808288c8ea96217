//! What a cluster's schemas say of a kind, for those who merge and compare.

use towpath_merge::predict::{Facts, Shape};
use towpath_object::Gvk;
use towpath_schema::{Identity, Place, Schemas};

/// What is known of one kind; nothing where its schema is not.
pub(crate) struct KindFacts<'a> {
    root: Place<'a>,
}

impl<'a> KindFacts<'a> {
    pub(crate) fn new(schemas: &'a Schemas, gvk: &Gvk) -> Self {
        Self { root: schemas.place(gvk) }
    }
}

impl Facts for KindFacts<'_> {
    fn shape(&self, path: &[&str]) -> Option<Shape> {
        let place = path.iter().fold(self.root, |here, name| {
            // Steps into lists are not in the path.
            let below = here.field(name);
            if below.is_known() { below } else { here.items().field(name) }
        });
        if place.is_atomic_map() {
            return Some(Shape::AtomicMap);
        }
        match place.identity() {
            Identity::Keys(keys) => Some(Shape::KeyedList(keys.into_iter().map(Into::into).collect())),
            Identity::Itself => Some(Shape::SetList),
            Identity::Atomic => place.items().is_known().then_some(Shape::AtomicList),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_and_mappings_are_as_the_schema_says() {
        let list = |extra: serde_json::Value| {
            let mut list = json!({"type": "array", "items": {"type": "object", "properties": {
                "id": {"type": "string"}, "tags": {"type": "array", "x-kubernetes-list-type": "set",
                    "items": {"type": "string"}}}}});
            list.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
            list
        };
        let mut schemas = Schemas::default();
        schemas.add_definition(&json!({"spec": {"group": "a.example.com", "names": {"kind": "Basket"},
            "versions": [{"name": "v1", "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {
                "type": "object", "properties": {
                    "items": list(json!({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"]})),
                    "whole": list(json!({"x-kubernetes-list-type": "atomic"})),
                    "one": {"type": "object", "x-kubernetes-map-type": "atomic",
                        "additionalProperties": {"type": "string"}},
                    "many": {"type": "object", "additionalProperties": {"type": "string"}}}}}}}}]}}));
        let gvk = Gvk::new("a.example.com/v1", "Basket");
        let facts = KindFacts::new(&schemas, &gvk);
        assert_eq!(facts.shape(&["spec", "items"]), Some(Shape::KeyedList(vec!["id".into()])));
        assert_eq!(facts.shape(&["spec", "items", "tags"]), Some(Shape::SetList));
        assert_eq!(facts.shape(&["spec", "whole"]), Some(Shape::AtomicList));
        assert_eq!(facts.shape(&["spec", "one"]), Some(Shape::AtomicMap));
        for unknown in [&["spec", "many"][..], &["spec", "items", "id"], &["no", "such"], &[]] {
            assert_eq!(facts.shape(unknown), None, "{unknown:?}");
        }
        let nothing = Schemas::default();
        assert_eq!(KindFacts::new(&nothing, &gvk).shape(&["spec", "items"]), None);
    }
}
