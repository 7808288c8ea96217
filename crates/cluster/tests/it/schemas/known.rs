//! Fields that an object could have beside those it has, from the server's document read in the plainest way.

use serde_json::{Value, json};

/// A document, and where in it a kind begins.
pub struct Known {
    document: Value,
    root: Value,
}

impl Known {
    pub fn new(document: Value, group: &str, kind: &str) -> Self {
        let is_root = |schema: &&Value| {
            let kinds = schema["x-kubernetes-group-version-kind"].as_array().into_iter().flatten();
            kinds.into_iter().any(|one| one["kind"] == kind && one["group"] == group)
        };
        let schemas = document["components"]["schemas"].as_object().unwrap();
        let root = schemas.values().find(is_root).cloned().unwrap_or_default();
        Self { document, root }
    }

    /// The fields of the mapping at a place, each with values that are right, nearly right and null.
    pub fn fields(&self, place: &[String]) -> Vec<(String, Value)> {
        let mut schema = self.resolve(&self.root);
        for key in place {
            let next = schema["properties"].get(key).or_else(|| schema.get("items"));
            let Some(next) = next.or_else(|| schema.get("additionalProperties")) else { return Vec::new() };
            schema = self.resolve(next);
        }
        let mut found = Vec::new();
        for (field, property) in schema["properties"].as_object().into_iter().flatten() {
            let property = self.resolve(property);
            for value in values(property) {
                found.push((field.clone(), value));
            }
        }
        found
    }

    fn resolve<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let reference =
            schema.get("$ref").or_else(|| schema.pointer("/allOf/0/$ref")).and_then(Value::as_str);
        match reference {
            Some(reference) => self.document.pointer(reference.trim_start_matches('#')).unwrap(),
            None => schema,
        }
    }
}

fn values(schema: &Value) -> Vec<Value> {
    let mut values = match schema["type"].as_str() {
        Some("string") => vec![json!("x"), json!(1)],
        Some("integer") => vec![json!(1), json!(2.0), json!(2.5), json!("1")],
        Some("number") => vec![json!(1), json!(2.5)],
        Some("boolean") => vec![json!(true), json!("true")],
        Some("array") => vec![json!([]), json!([{}]), json!(["x"])],
        Some("object") => vec![json!({}), json!({"x": "y"})],
        _ => vec![json!(1), json!("1"), json!({})],
    };
    values.extend(schema["enum"].as_array().and_then(|values| values.first()).cloned());
    values.push(json!(null));
    values
}
