//! What may differ between two servers, made the same.

use serde_json::Value;

/// Fields whose values are a server's own; that they are there is compared.
const OWN: &[&str] = &[
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "deletionTimestamp",
    "time",
    "lastTransitionTime",
    "continue",
];

/// An answer as it is compared.
pub fn masked(mut body: Value, namespace: &str) -> Value {
    mask(&mut body, namespace);
    body
}

fn mask(value: &mut Value, namespace: &str) {
    match value {
        Value::Object(fields) => {
            // Which version etcd has is nobody's business here.
            fields.remove("storageVersionHash");
            for (name, value) in fields.iter_mut() {
                if OWN.contains(&name.as_str()) && value.is_string() {
                    *value = "…".into();
                } else {
                    mask(value, namespace);
                }
            }
            generated(value);
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mask(item, namespace)),
        Value::String(text) => *text = words(text, namespace),
        _ => {}
    }
}

/// A name that the server made up.
fn generated(value: &mut Value) {
    let prefix = value.get("generateName").and_then(Value::as_str).map(str::to_owned);
    if let (Some(prefix), Some(name)) = (prefix, value.get_mut("name")) {
        *name = format!("{prefix}…").into();
    }
}

/// Texts without uids, times and versions.
fn words(text: &str, namespace: &str) -> String {
    let text = text.replace(namespace, "NAMESPACE");
    let word = |word: &str| {
        let bare = word.trim_matches(|letter: char| !letter.is_alphanumeric());
        let is_uid = bare.len() == 36 && bare.matches('-').count() == 4;
        let is_time = bare.len() == 20 && bare.ends_with('Z') && bare.matches(':').count() == 2;
        let is_version = bare.len() > 1 && bare.bytes().all(|byte| byte.is_ascii_digit());
        if is_uid || is_time || is_version { word.replace(bare, "…") } else { word.to_owned() }
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}
