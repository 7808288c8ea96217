//! JSON patch (RFC 6902) and JSON merge patch (RFC 7386).

use serde_json::{Map, Value};

/// Why a patch does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Error {
    #[error("a patch is a list of operations")]
    NotAList,
    #[error("{0:?} is no operation")]
    Operation(String),
    #[error("the operation at {0:?} lacks a value")]
    NoValue(String),
    #[error("there is nothing at {0:?}")]
    Missing(String),
    #[error("testing value {0} failed")]
    Test(String),
}

/// The value after the operations of `patch`, in their order; all or nothing.
pub(crate) fn apply(value: &Value, patch: &Value) -> Result<Value, Error> {
    let mut value = value.clone();
    for operation in patch.as_array().ok_or(Error::NotAList)? {
        let text = |name: &str| operation.get(name).and_then(Value::as_str).unwrap_or_default();
        let (place, source) = (text("path"), text("from"));
        let given = || operation.get("value").cloned().ok_or_else(|| Error::NoValue(place.into()));
        match text("op") {
            "add" => add(&mut value, place, given()?)?,
            "remove" => {
                remove(&mut value, place)?;
            }
            "replace" => {
                // As the real server has it: a field that is not there is added.
                if value.pointer(place).is_none() && split(&mut value, place)?.0.is_object() {
                    add(&mut value, place, given()?)?;
                } else {
                    let found = value.pointer_mut(place).ok_or_else(|| Error::Missing(place.into()))?;
                    *found = given()?;
                }
            }
            "move" => {
                let moved = remove(&mut value, source)?;
                add(&mut value, place, moved)?;
            }
            "copy" => {
                let copied = value.pointer(source).cloned().ok_or_else(|| Error::Missing(source.into()))?;
                add(&mut value, place, copied)?;
            }
            "test" => {
                if value.pointer(place) != Some(&given()?) {
                    return Err(Error::Test(place.into()));
                }
            }
            other => return Err(Error::Operation(other.into())),
        }
    }
    Ok(value)
}

/// The value with `patch` merged into it: null removes, lists are replaced.
pub(crate) fn merge(value: Value, patch: &Value) -> Value {
    let Value::Object(changes) = patch else { return patch.clone() };
    let mut fields = match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    for (name, change) in changes {
        if change.is_null() {
            fields.remove(name);
        } else {
            let before = fields.remove(name).unwrap_or_default();
            fields.insert(name.clone(), merge(before, change));
        }
    }
    Value::Object(fields)
}

/// The container and the last step of a pointer.
fn split<'v>(value: &'v mut Value, path: &str) -> Result<(&'v mut Value, String), Error> {
    let missing = || Error::Missing(path.into());
    let (above, last) = path.rsplit_once('/').ok_or_else(missing)?;
    let container = value.pointer_mut(above).ok_or_else(missing)?;
    Ok((container, last.replace("~1", "/").replace("~0", "~")))
}

fn add(value: &mut Value, path: &str, new: Value) -> Result<(), Error> {
    if path.is_empty() {
        *value = new;
        return Ok(());
    }
    let missing = || Error::Missing(path.into());
    match split(value, path)? {
        (Value::Object(fields), name) => {
            fields.insert(name, new);
        }
        (Value::Array(items), name) => {
            let place = if name == "-" { items.len() } else { name.parse().map_err(|_| missing())? };
            if place > items.len() {
                return Err(missing());
            }
            items.insert(place, new);
        }
        _ => return Err(missing()),
    }
    Ok(())
}

fn remove(value: &mut Value, path: &str) -> Result<Value, Error> {
    let missing = || Error::Missing(path.into());
    match split(value, path)? {
        (Value::Object(fields), name) => fields.remove(&name).ok_or_else(missing),
        (Value::Array(items), name) => {
            let place: usize = name.parse().map_err(|_| missing())?;
            if place < items.len() { Ok(items.remove(place)) } else { Err(missing()) }
        }
        _ => Err(missing()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn operations() {
        let value = json!({"a": {"b/c": 1}, "list": [1, 3]});
        let patch = json!([
            {"op": "test", "path": "/a/b~1c", "value": 1},
            {"op": "add", "path": "/list/1", "value": 2},
            {"op": "add", "path": "/list/-", "value": 4},
            {"op": "move", "from": "/a/b~1c", "path": "/moved"},
            {"op": "copy", "from": "/moved", "path": "/copied"},
            {"op": "replace", "path": "/copied", "value": 9},
            {"op": "remove", "path": "/list/0"},
        ]);
        assert_eq!(apply(&value, &patch), Ok(json!({"a": {}, "list": [2, 3, 4], "moved": 1, "copied": 9})));
    }

    #[test]
    fn what_does_not_fit_changes_nothing() {
        let value = json!({"a": 1, "list": []});
        let one = |step: Value| apply(&value, &json!([step])).unwrap_err();
        assert_eq!(one(json!({"op": "test", "path": "/a", "value": 2})), Error::Test("/a".into()));
        assert_eq!(one(json!({"op": "remove", "path": "/b"})), Error::Missing("/b".into()));
        assert_eq!(
            one(json!({"op": "add", "path": "/list/1", "value": 1})),
            Error::Missing("/list/1".into())
        );
        assert_eq!(one(json!({"op": "add", "path": "/x"})), Error::NoValue("/x".into()));
        assert_eq!(one(json!({"op": "odd"})), Error::Operation("odd".into()));
        assert_eq!(apply(&value, &json!({})), Err(Error::NotAList));
    }

    #[test]
    fn merge_patches() {
        let value = json!({"a": {"x": 1, "y": 2}, "list": [1]});
        let patch = json!({"a": {"x": null, "z": {"n": null, "m": 1}}, "list": [2]});
        assert_eq!(merge(value, &patch), json!({"a": {"y": 2, "z": {"m": 1}}, "list": [2]}));
    }
}
