//! Kinds that have more than one way to say the same, brought to one.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::{Options, without_nulls};

/// The object in its usual form: a Secret's texts as data, the rules of a role not empty but absent, the subsets
/// of Endpoints sorted.
pub(crate) fn normal(object: &Value, options: &Options<'_>) -> Value {
    let mut object = object.clone();
    let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
    let (group, kind) = (text("apiVersion").split_once('/').map_or("", |(group, _)| group), text("kind"));
    match (group, kind) {
        ("", "Secret") => secret(&mut object),
        ("", "Endpoints") => endpoints(&mut object),
        ("rbac.authorization.k8s.io", "Role" | "ClusterRole") => role(&mut object, options),
        _ => {}
    }
    object
}

/// As the server does it. What is no text is moved as it is, so that an apply still fails by it.
fn secret(object: &mut Value) {
    let Some(root) = object.as_object_mut() else { return };
    let texts = match root.remove("stringData") {
        Some(Value::Object(texts)) => texts,
        Some(other) if !other.is_null() => {
            root.insert("stringData".into(), other);
            return;
        }
        _ => Map::new(),
    };
    if root.get("data").is_none_or(Value::is_null) {
        if texts.is_empty() {
            return;
        }
        root.insert("data".into(), Value::Object(Map::new()));
    }
    let Some(Value::Object(data)) = root.get_mut("data") else { return };
    for (name, text) in texts {
        let value = match text {
            Value::String(text) => Value::String(STANDARD.encode(text)),
            other => other,
        };
        data.insert(name, value);
    }
    for value in data.values_mut().filter(|value| value.is_null()) {
        *value = Value::String(String::new());
    }
}

fn role(object: &mut Value, options: &Options<'_>) {
    let Some(root) = object.as_object_mut() else { return };
    let aggregated =
        options.ignore_aggregated_roles && root.get("aggregationRule").is_some_and(Value::is_object);
    let none = match root.get("rules") {
        Some(Value::Array(rules)) => rules.is_empty(),
        Some(rules) => rules.is_null(),
        None => false,
    };
    if aggregated || none {
        root.remove("rules");
    }
}

/// The server keeps subsets in an order of its own, and a port without a protocol is one of TCP.
fn endpoints(object: &mut Value) {
    let Some(Value::Array(subsets)) = object.get_mut("subsets") else { return };
    for subset in subsets.iter_mut() {
        *subset = without_nulls(subset.take());
        if let Some(Value::Array(ports)) = subset.get_mut("ports") {
            for port in ports.iter_mut().filter_map(Value::as_object_mut) {
                port.entry("protocol").or_insert_with(|| "TCP".into());
            }
        }
        for name in ["addresses", "notReadyAddresses", "ports"] {
            if let Some(Value::Array(items)) = subset.get_mut(name) {
                items.sort_by(crate::literal::compare);
            }
        }
    }
    subsets.sort_by(crate::literal::compare);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn normalised(object: &Value) -> Value {
        normal(object, &Options::of("towpath"))
    }

    #[test]
    fn the_texts_of_a_secret_become_data() {
        let secret = |data: Value, texts: Value| {
            let object = json!({"apiVersion": "v1", "kind": "Secret", "data": data, "stringData": texts});
            let object = normalised(&object);
            (object["data"].clone(), object.get("stringData").cloned())
        };
        assert_eq!(
            secret(json!({"a": "MQ==", "n": null}), json!({"b": "2", "c": 3})),
            (json!({"a": "MQ==", "n": "", "b": "Mg==", "c": 3}), None)
        );
        assert_eq!(secret(json!(null), json!({"b": "2"})), (json!({"b": "Mg=="}), None));
        // What no server would take is left for it to refuse.
        assert_eq!(secret(json!("odd"), json!({"b": "2"})).0, json!("odd"));
        assert_eq!(secret(json!({}), json!("odd")).1, Some(json!("odd")));
    }

    #[test]
    fn no_rules_are_no_rules() {
        let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "rules": []});
        assert!(normalised(&role).get("rules").is_none());
    }
}
