//! Fields that somebody set by hand become ours, so that the next apply takes away what nobody wants.
//!
//! Under server-side apply a field stays as long as anybody owns it. What `kubectl edit`, `kubectl apply` and their
//! like set would stay for ever, also when it leaves the manifests. So their shares are added to ours first; the apply
//! that follows drops what the manifest does not name. Flux does the same.
//! <https://fluxcd.io/flux/faq/#how-to-patch-coredns-and-other-pre-installed-addons>
//!
//! Whoever applies on the client's side, under whatever name, owns kubectl's annotation: by that its share is known, as
//! kubectl itself knows it.
//! <https://kubernetes.io/docs/reference/using-api/server-side-apply/#upgrading-from-client-side-apply-to-server-side-apply>

use serde_json::{Value, json};
use towpath_merge::{Element, FieldSet, ManagerEntry, Operation, Path, managers};

/// What client-side apply wrote the last time, as an annotation.
pub const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// What becomes of an object's managers.
#[derive(Clone, Debug)]
pub struct Absorption {
    /// Its managed fields as they have to be before the apply.
    pub managed_fields: Value,
    /// The fields that go with the apply, unless the manifest names them.
    taken: FieldSet,
    /// What others own beside them: that stays.
    others: FieldSet,
}

/// What has to happen to the managers of `live` before we apply; nothing if nobody set anything by hand.
pub fn absorb(live: &Value, ours: &str, api_version: &str) -> Option<Absorption> {
    let entries = managers(live).ok()?;
    let raw = live.pointer("/metadata/managedFields")?.as_array()?;
    if !entries.iter().any(|entry| is_by_hand(entry, ours)) {
        return None;
    }
    let (mut taken, mut others, mut own) = (FieldSet::default(), FieldSet::default(), FieldSet::default());
    let mut kept = Vec::new();
    for (entry, raw) in entries.iter().zip(raw) {
        if is_by_hand(entry, ours) {
            taken = taken.union(&entry.fields);
        } else if is_ours(entry, ours) {
            own = own.union(&entry.fields);
        } else {
            others = others.union(&entry.fields);
            kept.push(raw.clone());
        }
    }
    kept.push(json!({
        "manager": ours, "operation": "Apply", "apiVersion": api_version, "fieldsType": "FieldsV1",
        "fieldsV1": own.union(&taken).to_json(),
    }));
    Some(Absorption { managed_fields: Value::Array(kept), taken, others })
}

/// True when `live` has fields that somebody set by hand.
pub(crate) fn is_touched(entries: &[ManagerEntry], ours: &str) -> bool {
    entries.iter().any(|entry| is_by_hand(entry, ours))
}

impl Absorption {
    /// What the object will be after the apply, from what the server says of an apply alone.
    pub fn predict(&self, mut answer: Value, ours: &str) -> Value {
        let wanted = managers(&answer).unwrap_or_default();
        let wanted = wanted.iter().filter(|entry| is_ours(entry, ours));
        let wanted = wanted.fold(FieldSet::default(), |all, entry| all.union(&entry.fields));
        for path in self.taken.difference(&wanted).difference(&self.others).leaves() {
            remove(&mut answer, &path);
        }
        answer
    }
}

fn is_ours(entry: &ManagerEntry, ours: &str) -> bool {
    entry.manager == ours && entry.operation == Operation::Apply && entry.subresource.is_empty()
}

/// People and their tools. A share in a subresource (`kubectl scale`) is another matter: there our value simply wins.
fn is_by_hand(entry: &ManagerEntry, ours: &str) -> bool {
    let update = entry.operation == Operation::Update;
    entry.subresource.is_empty()
        && (entry.manager.starts_with("kubectl")
            || (entry.manager == "before-first-apply" && update)
            || (entry.manager == ours && update)
            || (update && applies_on_its_side(entry)))
}

fn applies_on_its_side(entry: &ManagerEntry) -> bool {
    let annotations = Path::root().child(Element::field("metadata")).child(Element::field("annotations"));
    entry.fields.contains(&annotations.child(Element::field(LAST_APPLIED)))
}

fn remove(value: &mut Value, path: &Path) {
    let Some((last, way)) = path.elements().split_last() else { return };
    let mut here = value;
    for element in way {
        match step(here, element) {
            Some(next) => here = next,
            None => return,
        }
    }
    match (last, here) {
        (Element::Field(name), Value::Object(fields)) => {
            fields.remove(&**name);
        }
        (element, Value::Array(items)) => {
            let wrapped = Value::Array(std::mem::take(items));
            let gone = element.get(&wrapped).cloned();
            if let Value::Array(all) = wrapped {
                *items = all.into_iter().filter(|item| Some(item) != gone.as_ref()).collect();
            }
        }
        _ => {}
    }
}

fn step<'a>(value: &'a mut Value, element: &Element) -> Option<&'a mut Value> {
    match (element, value) {
        (Element::Field(name), Value::Object(fields)) => fields.get_mut(&**name),
        (Element::Key(key), Value::Array(items)) => items.iter_mut().find(|item| key.matches(item)),
        (Element::Index(index), Value::Array(items)) => items.get_mut(*index),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(manager: &str, operation: &str, fields: &Value) -> Value {
        json!({"manager": manager, "operation": operation, "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": fields})
    }

    fn object(entries: &[Value], data: &Value) -> Value {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "managedFields": entries}, "data": data})
    }

    #[test]
    fn what_kubectl_set_becomes_ours_and_goes() {
        let ours = entry("towpath", "Apply", &json!({"f:data": {"f:x": {}}}));
        let edit = entry("kubectl-edit", "Update", &json!({"f:data": {"f:y": {}, "f:z": {}}}));
        let other = entry("controller", "Update", &json!({"f:data": {"f:z": {}}}));
        let data = json!({"x": "1", "y": "2", "z": "3"});
        let absorption =
            absorb(&object(&[ours.clone(), edit, other.clone()], &data), "towpath", "v1").unwrap();
        assert_eq!(absorption.managed_fields[0], other);
        assert_eq!(
            absorption.managed_fields[1]["fieldsV1"],
            json!({"f:data": {"f:x": {}, "f:y": {}, "f:z": {}}})
        );
        let after = absorption.predict(object(&[ours], &data), "towpath");
        assert_eq!(after["data"], json!({"x": "1", "z": "3"}));
    }

    #[test]
    fn client_side_apply_is_known_by_its_annotation_whatever_its_name() {
        let annotation = json!({"f:annotations": {(format!("f:{LAST_APPLIED}")): {}}});
        let other =
            entry("argocd-controller", "Update", &json!({"f:metadata": annotation, "f:data": {"f:y": {}}}));
        let absorption = absorb(&object(&[other], &json!({"y": "2"})), "towpath", "v1").unwrap();
        let after = absorption.predict(object(&[], &json!({"y": "2"})), "towpath");
        assert_eq!(after["data"], json!({}));
    }

    #[test]
    fn nothing_by_hand_nothing_to_do() {
        let ours = entry("towpath", "Apply", &json!({"f:data": {"f:x": {}}}));
        let other = entry("controller", "Update", &json!({"f:data": {"f:y": {}}}));
        assert!(absorb(&object(&[ours, other], &json!({})), "towpath", "v1").is_none());
        let mut scaled = entry("kubectl", "Update", &json!({"f:spec": {"f:replicas": {}}}));
        scaled["subresource"] = json!("scale");
        assert!(absorb(&object(&[scaled], &json!({})), "towpath", "v1").is_none());
        assert!(absorb(&json!({}), "towpath", "v1").is_none());
    }
}
