//! Would another apply change anything? Answered from what is at hand where that proves it.
//!
//! After an apply the server tells which fields are ours. We write down the digest of that set together with the
//! values in it. As long as the manifest's digest and that digest still hold for the live object, another apply
//! would change nothing, whatever the server defaulted or formatted differently. It needs no schema.

use serde_json::{Value, json};
use towpath_merge::{Operation, extract, managers};
use towpath_object::{Digest, Object, digest, strip};

use crate::absorb::is_touched;
use crate::{Applied, Record, Target};

/// What is known without asking the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It is not there.
    Create,
    /// Another apply would change nothing.
    Same,
    /// Only the server can say.
    Ask,
}

/// Judges a target against the live object and the record of its last apply.
pub fn judge(target: &Target, live: Option<&Object>, applied: Option<&Applied>, manager: &str) -> Judgement {
    let Some(live) = live else {
        return Judgement::Create;
    };
    let owned = || owned_digest(live.value(), manager, &target.resource.gvk.api_version());
    if !live.is_terminating()
        && applied.is_some_and(|applied| holds(applied, &target.digest, owned().as_deref()))
    {
        Judgement::Same
    } else {
        Judgement::Ask
    }
}

/// True when the record of an apply still holds: the manifest is the one that was applied, and what we own of the live
/// object is what we left behind.
pub fn holds(applied: &Applied, manifest: &Digest, owned: Option<&str>) -> bool {
    matches!(applied, Applied::Recorded(record)
        if record.manifest == manifest.short() && owned == Some(record.owned.as_str()))
}

/// What an apply left behind, from the object the server returned.
pub fn record(target: &Target, returned: &Value, manager: &str) -> Applied {
    match owned_digest(returned, manager, &target.resource.gvk.api_version()) {
        Some(owned) => Applied::Recorded(Record { manifest: target.digest.short(), owned }),
        None => Applied::Unrecorded,
    }
}

/// True when the two differ in anything that a person could have written.
pub fn differs(live: &Value, after: &Value) -> bool {
    let (mut live, mut after) = (live.clone(), after.clone());
    strip(&mut live);
    strip(&mut after);
    live != after
}

/// The digest of the fields that `manager` owns by apply in that version, and of their values. Nothing where somebody
/// has set fields by hand, which an apply would take away.
pub fn owned_digest(object: &Value, manager: &str, api_version: &str) -> Option<String> {
    let entries = managers(object).ok()?;
    if is_touched(&entries, manager) {
        return None;
    }
    let entry = entries.into_iter().find(|entry| {
        entry.manager == manager
            && entry.operation == Operation::Apply
            && entry.subresource.is_empty()
            && entry.api_version == api_version
    })?;
    Some(digest(&json!([entry.fields.to_json(), extract(&entry.fields, object)])).short())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Origin, Stage};
    use towpath_object::{Gvk, Key, Resource};

    fn target() -> Target {
        let value =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"x": "1"}});
        Target {
            digest: digest(&value),
            object: Object::new(value).unwrap(),
            resource: Resource {
                gvk: Gvk::new("v1", "ConfigMap"),
                plural: "configmaps".into(),
                namespaced: true,
            },
            origin: Origin { file: "a.yaml".into(), line: 1 },
            stage: Stage::Settings,
        }
    }

    fn live(x: &str) -> Value {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "a", "uid": "u", "managedFields": [{
                "manager": "towpath", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1",
                "fieldsV1": {"f:data": {"f:x": {}}},
            }]},
            "data": {"x": x, "y": "somebody else's"},
        })
    }

    fn judged(live: &Value, applied: &Applied) -> Judgement {
        judge(&target(), Some(&Object::new(live.clone()).unwrap()), Some(applied), "towpath")
    }

    #[test]
    fn while_the_record_holds_nothing_is_asked() {
        let recorded = record(&target(), &live("1"), "towpath");
        assert!(matches!(recorded, Applied::Recorded(_)));
        assert_eq!(judged(&live("1"), &recorded), Judgement::Same);
        let mut other = live("1");
        other["data"]["y"] = json!("changed by its owner");
        assert_eq!(judged(&other, &recorded), Judgement::Same);
    }

    #[test]
    fn drift_lost_ownership_and_deletion_are_asked_about() {
        let recorded = record(&target(), &live("1"), "towpath");
        assert_eq!(judged(&live("2"), &recorded), Judgement::Ask);
        let mut lost = live("1");
        lost["metadata"]["managedFields"][0]["fieldsV1"] = json!({"f:data": {}});
        assert_eq!(judged(&lost, &recorded), Judgement::Ask);
        let mut touched = live("1");
        let edit = json!({"manager": "kubectl-edit", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1",
                          "fieldsV1": {"f:data": {"f:y": {}}}});
        touched["metadata"]["managedFields"].as_array_mut().unwrap().push(edit);
        assert_eq!(judged(&touched, &recorded), Judgement::Ask);
        let mut leaving = live("1");
        leaving["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        assert_eq!(judged(&leaving, &recorded), Judgement::Ask);
        assert_eq!(judged(&live("1"), &Applied::NotYet), Judgement::Ask);
        assert_eq!(judge(&target(), None, Some(&recorded), "towpath"), Judgement::Create);
    }

    #[test]
    fn nothing_is_written_down_of_a_secret() {
        let recorded = record(&target(), &live("1"), "towpath");
        assert_eq!(recorded.clone().written(&Key::new("", "Secret", "web", "a")), Applied::Unrecorded);
        assert_eq!(recorded.clone().written(&Key::new("", "ConfigMap", "web", "a")), recorded);
    }

    #[test]
    fn what_the_server_writes_is_no_difference() {
        let mut later = live("1");
        later["metadata"]["resourceVersion"] = json!("9");
        assert!(!differs(&live("1"), &later));
        assert!(differs(&live("1"), &live("2")));
    }
}
