//! Masking: what a Secret holds is never shown, only whether it is set and whether it changed.

use serde_json::{Map, Value};

/// The annotation in which kubectl keeps a full copy of what was applied, secret data included.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// What may be shown of a Secret.
const OPEN: [&str; 5] = ["apiVersion", "kind", "metadata", "type", "immutable"];

/// Hides what a Secret holds: the values of `data`, `stringData` and whatever else it has. Other kinds stay as they are.
pub fn mask(value: &mut Value) {
    if is_secret(value) {
        each_field(value, |_, _, _| "*****".to_string());
    }
}

/// Hides both sides of a Secret so that a reader still sees which entries differ: entries that are equal on
/// both sides read `*****`, those that differ `***** (before)` and `***** (after)`.
pub fn mask_pair(before: &mut Value, after: &mut Value) {
    if !is_secret(before) && !is_secret(after) {
        return;
    }
    let (old, new) = (before.clone(), after.clone());
    let text = |same: bool, side: &str| {
        if same { "*****".to_string() } else { format!("***** ({side})") }
    };
    each_field(before, |part, name, value| text(same(&new, part, name, value), "before"));
    each_field(after, |part, name, value| text(same(&old, part, name, value), "after"));
}

fn is_secret(value: &Value) -> bool {
    value.get("kind").and_then(Value::as_str) == Some("Secret")
        && value.get("apiVersion").and_then(Value::as_str) == Some("v1")
}

fn same(other: &Value, part: &str, name: &str, value: &Value) -> bool {
    other.get(part).and_then(|entries| entries.get(name)) == Some(value)
}

fn each_field(value: &mut Value, replace: impl Fn(&str, &str, &Value) -> String) {
    for (part, held) in value.as_object_mut().into_iter().flatten() {
        // A misspelt `stringData` holds the same.
        if OPEN.contains(&part.as_str()) {
            continue;
        }
        match held {
            Value::Object(entries) => {
                for (name, entry) in entries.iter_mut() {
                    *entry = Value::String(replace(part, name, entry));
                }
            }
            Value::Null => {}
            // Not a mapping: invalid, but still nobody else's business.
            other => *other = Value::String("*****".into()),
        }
    }
    if let Some(annotations) = annotations_mut(value)
        && annotations.contains_key(LAST_APPLIED)
    {
        annotations.insert(LAST_APPLIED.into(), "*****".into());
    }
}

fn annotations_mut(value: &mut Value) -> Option<&mut Map<String, Value>> {
    value.get_mut("metadata")?.get_mut("annotations")?.as_object_mut()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn secret(data: &Value) -> Value {
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": data})
    }

    #[test]
    fn a_changed_entry_is_seen_and_not_told() {
        let (mut before, mut after) =
            (secret(&json!({"a": "MQ==", "b": "Mg=="})), secret(&json!({"a": "MQ==", "b": "Mw=="})));
        mask_pair(&mut before, &mut after);
        assert_eq!(before["data"], json!({"a": "*****", "b": "***** (before)"}));
        assert_eq!(after["data"], json!({"a": "*****", "b": "***** (after)"}));
    }

    #[test]
    fn the_copy_that_kubectl_keeps_is_masked_too() {
        let mut value = secret(&json!({"a": "MQ=="}));
        value["metadata"]["annotations"] = json!({ LAST_APPLIED: "{\"data\":{\"a\":\"MQ==\"}}" });
        mask(&mut value);
        assert!(!value.to_string().contains("MQ=="));
    }

    /// Any JSON that has the word in it, as text, as a key or deep inside.
    fn around(word: String) -> impl Strategy<Value = Value> {
        let text = "[a-z]{0,5}";
        let leaf = (text, text).prop_map(move |(before, after)| json!(format!("{before}{word}{after}")));
        leaf.prop_recursive(3, 8, 3, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 1..3).prop_map(Value::Array),
                prop::collection::btree_map(text, inner, 1..3).prop_map(|map| map.into_iter().collect()),
            ]
        })
    }

    const WORD: &str = "QXZJVKWY";

    proptest! {
        #[test]
        fn no_byte_of_a_secret_is_shown(
            data in around(WORD.into()), text in around(WORD.into()), copy in around(WORD.into()),
            other in around(WORD.into()), one_side in any::<bool>(),
        ) {
            let mut before = secret(&data);
            before[if one_side { "stringData" } else { "stringDate" }] = text;
            before["metadata"]["annotations"] = json!({ LAST_APPLIED: copy.to_string() });
            let mut after = if one_side { Value::Null } else { secret(&other) };
            let mut alone = before.clone();
            mask(&mut alone);
            prop_assert!(!alone.to_string().contains(WORD), "{}", alone);
            let object = crate::Object::new(before.clone()).unwrap();
            let (short, long) = (format!("{object:?}"), format!("{object:#?}"));
            prop_assert!(!short.contains(WORD) && !long.contains(WORD));
            mask_pair(&mut before, &mut after);
            prop_assert!(!before.to_string().contains(WORD) && !after.to_string().contains(WORD));
        }
    }

    #[test]
    fn a_config_map_is_left_alone() {
        let mut value = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "1"}});
        mask(&mut value);
        assert_eq!(value["data"]["a"], "1");
    }
}
