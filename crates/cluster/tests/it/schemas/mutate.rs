//! Every small change of an object, in a fixed order.

use serde_json::{Map, Value, json};

use super::known::Known;

/// A change of an object: what was done, in words, and what came of it.
pub struct Mutation {
    pub what: String,
    pub object: Value,
}

/// The object as it is, and with every change in every place but those that say which object it is.
pub fn all(object: &Value, known: &Known) -> Vec<Mutation> {
    let mut mutations = vec![Mutation { what: "as it is".into(), object: object.clone() }];
    for place in places(object) {
        let value = at(object, &place);
        let name = place.join(".");
        for other in others() {
            add(&mut mutations, object, &place, format!("{name} = {other}"), |slot| *slot = other.clone());
        }
        add(&mut mutations, object, &place, format!("{name} in a list"), |slot| *slot = json!([slot.take()]));
        match value {
            Value::Object(fields) => {
                add(&mut mutations, object, &place, format!("{name} + unknown"), |slot| {
                    slot["bogus"] = json!(1);
                });
                for field in fields.keys() {
                    if !is_identity(&place, field) {
                        remove(&mut mutations, object, &place, field);
                        misspell(&mut mutations, object, &place, field);
                    }
                }
                for (field, inserted) in known.fields(&place) {
                    if !fields.contains_key(&field) && !is_identity(&place, &field) {
                        add(&mut mutations, object, &place, format!("{name} + {field} {inserted}"), |slot| {
                            slot[&field] = inserted.clone();
                        });
                    }
                }
            }
            Value::Array(items) => {
                for item in items {
                    add(&mut mutations, object, &place, format!("{name} + {item} again"), |slot| {
                        slot.as_array_mut().unwrap().push(item.clone());
                    });
                }
            }
            _ => {}
        }
    }
    mutations
}

/// What a value is replaced by: every type, and texts and numbers that are nearly another type.
fn others() -> Vec<Value> {
    vec![
        json!(null),
        json!("text"),
        json!(""),
        json!("5"),
        json!("true"),
        json!("10%"),
        json!("1Gi"),
        json!("1GB"),
        json!("YQ=="),
        json!(5),
        json!(-1),
        json!(5.0),
        json!(1.5),
        json!(true),
        json!([]),
        json!([null]),
        json!(["x"]),
        json!({}),
        json!({"x": "y"}),
        json!({"x": null}),
    ]
}

fn remove(mutations: &mut Vec<Mutation>, object: &Value, place: &[String], field: &str) {
    add(mutations, object, place, format!("{} - {field}", place.join(".")), |slot| {
        slot.as_object_mut().unwrap().remove(field);
    });
}

fn misspell(mutations: &mut Vec<Mutation>, object: &Value, place: &[String], field: &str) {
    add(mutations, object, place, format!("{} {field} misspelt", place.join(".")), |slot| {
        let fields: &mut Map<String, Value> = slot.as_object_mut().unwrap();
        let value = fields.remove(field).unwrap();
        fields.insert(format!("{field}x"), value);
    });
}

fn add(
    mutations: &mut Vec<Mutation>,
    object: &Value,
    place: &[String],
    what: String,
    change: impl FnOnce(&mut Value),
) {
    let mut changed = object.clone();
    let slot = place.iter().fold(&mut changed, |value, key| match value {
        Value::Array(items) => &mut items[key.parse::<usize>().unwrap()],
        other => &mut other[key],
    });
    change(slot);
    // The root must stay a mapping with an identity: without one it is not an object at all.
    if changed.pointer("/metadata/name").is_some_and(Value::is_string) && changed.get("kind").is_some() {
        mutations.push(Mutation { what, object: changed });
    }
}

/// The ways to all values.
fn places(object: &Value) -> Vec<Vec<String>> {
    fn walk(value: &Value, place: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
        found.push(place.clone());
        let children: Vec<(String, &Value)> = match value {
            Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), value)).collect(),
            Value::Array(items) => {
                items.iter().enumerate().map(|(at, item)| (at.to_string(), item)).collect()
            }
            _ => return,
        };
        for (key, child) in children {
            if !is_identity(place, &key) {
                place.push(key);
                walk(child, place, found);
                place.pop();
            }
        }
    }
    let mut found = Vec::new();
    walk(object, &mut Vec::new(), &mut found);
    found
}

fn is_identity(place: &[String], field: &str) -> bool {
    match place {
        [] => matches!(field, "apiVersion" | "kind"),
        [only] => only == "metadata" && matches!(field, "name" | "namespace" | "managedFields"),
        _ => false,
    }
}

fn at<'a>(object: &'a Value, place: &[String]) -> &'a Value {
    place.iter().fold(object, |value, key| match value {
        Value::Array(items) => &items[key.parse::<usize>().unwrap()],
        other => &other[key],
    })
}
