//! One operation on a JSON value.

use serde_json::{Map, Value};
use towpath_yaml::Limits;

const MISSING: &str = "missing value";

/// Applies an operation; the error is what the library says. `copies` is how many values may still be copied.
pub(super) fn apply(
    document: &mut Value,
    operation: &Map<String, Value>,
    copies: &mut usize,
) -> Result<(), String> {
    let kind = operation.get("op").and_then(Value::as_str).unwrap_or("unknown");
    let text = |field: &str| operation.get(field).and_then(Value::as_str);
    let value = || operation.get("value").cloned().unwrap_or(Value::Null);
    let path = text("path").ok_or_else(|| match kind {
        "add" | "remove" | "copy" => format!("{kind} operation failed to decode path: {MISSING}"),
        _ => format!("{kind} operation failed to decode path: operation missing path field: {MISSING}"),
    });
    let from = || {
        let missing =
            || format!("{kind} operation failed to decode from: operation, missing from field: {MISSING}");
        text("from").ok_or_else(missing)
    };
    match kind {
        "add" => {
            let path = path?;
            let quoted =
                || format!("add operation does not apply: doc is missing path: \"{path}\": {MISSING}");
            let (parent, key) = find(document, path).ok_or_else(quoted)?;
            let value = value();
            check_depth(path, &value)?;
            add(parent, &key, value).map_err(|cause| format!("error in add for path: '{path}': {cause}"))
        }
        "remove" => {
            let path = path?;
            let missing =
                || format!("remove operation does not apply: doc is missing path: \"{path}\": {MISSING}");
            let (parent, key) = find(document, path).ok_or_else(missing)?;
            remove(parent, &key)
                .map(drop)
                .map_err(|cause| format!("error in remove for path: '{path}': {cause}"))
        }
        "replace" => replace(document, path?, value()),
        "move" => {
            let from = from()?;
            let missing =
                || format!("move operation does not apply: doc is missing from path: {from}: {MISSING}");
            let (parent, key) = find(document, from).ok_or_else(missing)?;
            let value =
                remove(parent, &key).map_err(|cause| format!("error in move for path: '{key}': {cause}"))?;
            let path = path?;
            let missing = || {
                format!("move operation does not apply: doc is missing destination path: {path}: {MISSING}")
            };
            let (parent, key) = find(document, path).ok_or_else(missing)?;
            check_depth(path, &value)?;
            add(parent, &key, value).map_err(|cause| format!("error in move for path: '{path}': {cause}"))
        }
        "copy" => {
            let from = from()?;
            let missing =
                || format!("copy operation does not apply: doc is missing from path: {from}: {MISSING}");
            let (parent, key) = find(document, from).ok_or_else(missing)?;
            let value =
                get(parent, &key).map_err(|cause| format!("error in copy for from: '{from}': {cause}"))?;
            let value = value.unwrap_or(&Value::Null);
            *copies = copies
                .checked_sub(weigh(value).values)
                .ok_or("the copies of the patch have too many values")?;
            let value = value.clone();
            let path = path?;
            let missing = || {
                format!("copy operation does not apply: doc is missing destination path: {path}: {MISSING}")
            };
            let (parent, key) = find(document, path).ok_or_else(missing)?;
            check_depth(path, &value)?;
            add(parent, &key, value).map_err(|cause| format!("error while adding value during copy: {cause}"))
        }
        "test" => test(document, path?, &value()),
        other => Err(format!("Unexpected kind: {other}")),
    }
}

/// Refuses a value that would lie too deep.
fn check_depth(path: &str, value: &Value) -> Result<(), String> {
    let depth = path.matches('/').count() + weigh(value).depth;
    if depth <= Limits::DEEPEST {
        return Ok(());
    }
    Err(format!("path '{path}' would be nested more than {} levels deep", Limits::DEEPEST))
}

#[derive(Clone, Copy)]
struct Weight {
    values: usize,
    depth: usize,
}

fn weigh(value: &Value) -> Weight {
    let over = |inner: &mut dyn Iterator<Item = &Value>| {
        inner.map(weigh).fold(Weight { values: 1, depth: 1 }, |sum, one| Weight {
            values: sum.values + one.values,
            depth: sum.depth.max(one.depth + 1),
        })
    };
    match value {
        Value::Array(items) => over(&mut items.iter()),
        Value::Object(map) => over(&mut map.values()),
        _ => Weight { values: 1, depth: 0 },
    }
}

fn replace(document: &mut Value, path: &str, value: Value) -> Result<(), String> {
    check_depth(path, &value)?;
    if path.is_empty() {
        if !value.is_object() && !value.is_array() {
            return Err("replace operation value must be object or array".into());
        }
        *document = value;
        return Ok(());
    }
    let missing =
        |what: &str| format!("replace operation does not apply: doc is missing {what}: {path}: {MISSING}");
    let (parent, key) = find(document, path).ok_or_else(|| missing("path"))?;
    match parent {
        Value::Array(items) => {
            let at = index(&key, items.len(), items.len()).map_err(|_| missing("key"))?;
            let slot = items.get_mut(at).ok_or_else(|| missing("key"))?;
            *slot = value;
        }
        Value::Object(map) => {
            map.insert(key, value);
        }
        _ => {}
    }
    Ok(())
}

fn test(document: &mut Value, path: &str, expected: &Value) -> Result<(), String> {
    let failed = || Err(format!("testing value {path} failed: test failed"));
    if path.is_empty() {
        return if document == expected { Ok(()) } else { failed() };
    }
    let missing = || format!("test operation does not apply: is missing path: {path}: {MISSING}");
    let (parent, key) = find(document, path).ok_or_else(missing)?;
    let found = get(parent, &key).map_err(|cause| format!("error in test for path: '{path}': {cause}"))?;
    if found.unwrap_or(&Value::Null) == expected { Ok(()) } else { failed() }
}

/// The collection that holds a path's last step, and that step.
fn find<'d>(document: &'d mut Value, path: &str) -> Option<(&'d mut Value, String)> {
    // What stands before the first slash is not looked at.
    let (_, steps) = path.split_once('/')?;
    let mut steps: Vec<String> = steps.split('/').map(unescape).collect();
    let last = steps.pop()?;
    let mut at = document;
    for step in steps {
        at = match at {
            Value::Object(map) => map.get_mut(&step)?,
            Value::Array(items) => {
                let at = index(&step, items.len(), items.len()).ok()?;
                items.get_mut(at)?
            }
            _ => return None,
        };
    }
    (at.is_object() || at.is_array()).then_some((at, last))
}

fn unescape(step: &str) -> String {
    // In one pass: `~01` is `~1`, not a slash.
    let mut text = String::with_capacity(step.len());
    let mut rest = step;
    while let Some(at) = rest.find('~') {
        text.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at..).unwrap_or_default();
        let (character, length) = match rest.as_bytes().get(1) {
            Some(b'1') => ('/', 2),
            Some(b'0') => ('~', 2),
            _ => ('~', 1),
        };
        text.push(character);
        rest = rest.get(length..).unwrap_or_default();
    }
    text + rest
}

/// An index below a limit; negative ones count from `length`.
fn index(key: &str, length: usize, limit: usize) -> Result<usize, String> {
    let number: i64 = key.parse().map_err(|error: std::num::ParseIntError| {
        let cause = match error.kind() {
            std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow => "value out of range",
            _ => "invalid syntax",
        };
        format!("strconv.Atoi: parsing {key:?}: {cause}")
    })?;
    let invalid = || format!("Unable to access invalid index: {number}: invalid index referenced");
    let at = if number < 0 { number.saturating_add_unsigned(length as u64) } else { number };
    usize::try_from(at).ok().filter(|at| *at < limit).ok_or_else(invalid)
}

fn get<'d>(parent: &'d Value, key: &str) -> Result<Option<&'d Value>, String> {
    match parent {
        Value::Array(items) => Ok(items.get(index(key, items.len(), items.len())?)),
        other => Ok(other.get(key)),
    }
}

fn add(parent: &mut Value, key: &str, value: Value) -> Result<(), String> {
    match parent {
        Value::Array(items) if key == "-" => items.push(value),
        Value::Array(items) => {
            let length = items.len() + 1;
            let at = index(key, length, length).map_err(|cause| match cause.strip_prefix("strconv") {
                Some(_) => format!("value was not a proper array index: '{key}': {cause}"),
                None => cause,
            })?;
            items.insert(at, value);
        }
        Value::Object(map) => {
            map.insert(key.to_owned(), value);
        }
        _ => {}
    }
    Ok(())
}

fn remove(parent: &mut Value, key: &str) -> Result<Value, String> {
    match parent {
        Value::Array(items) => {
            let at = index(key, items.len(), items.len())?;
            Ok(items.remove(at))
        }
        Value::Object(map) => {
            map.remove(key).ok_or_else(|| format!("Unable to remove nonexistent key: {key}: {MISSING}"))
        }
        _ => Err(MISSING.into()),
    }
}
