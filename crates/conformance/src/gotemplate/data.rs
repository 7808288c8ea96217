//! Data as JSON to values: an object `{"$": type, "v": …}` is a value of that Go type.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value as Json;
use towpath_gotemplate::value::{BYTES, Int, LIST, STRING_MAP, STRINGS};
use towpath_gotemplate::{Text, Type, Value};

use super::subject;

/// The value; nothing for types that we have no values of.
pub fn decode(from: &Json) -> Option<Value> {
    Some(match from {
        Json::Null => Value::Nil,
        Json::Bool(truth) => Value::Bool(*truth),
        Json::Number(number) => Value::Float(number.as_f64()?),
        Json::String(text) => Value::string(text.as_str()),
        Json::Array(items) => list(LIST, items)?,
        Json::Object(entries) => match entries.get("$") {
            Some(Json::String(name)) => typed(name, entries.get("v").unwrap_or(&Json::Null))?,
            _ => Value::map(pairs(entries)?),
        },
    })
}

fn list(typ: Type, items: &[Json]) -> Option<Value> {
    Some(Value::typed_list(typ, items.iter().map(decode).collect::<Option<_>>()?))
}

fn pairs(entries: &serde_json::Map<String, Json>) -> Option<Vec<(Text, Value)>> {
    entries.iter().map(|(key, value)| Some((Text::from(key.as_str()), decode(value)?))).collect()
}

fn typed(name: &str, value: &Json) -> Option<Value> {
    if name == "subject" {
        return Some(subject::value());
    }
    let text = || value.as_str();
    match go_type(name)? {
        Type::String => Some(Value::string(STANDARD.decode(text()?).ok()?)),
        typ if typ == BYTES => Some(Value::Bytes(STANDARD.decode(text()?).ok()?.into())),
        Type::Int(int) if int.signed() => Some(Value::Int(int, text()?.parse().ok()?)),
        Type::Int(int) => Some(Value::Int(int, text()?.parse::<u64>().ok()?.cast_signed())),
        Type::Float => Some(Value::Float(text()?.parse().ok()?)),
        typ @ Type::List(_) => match value {
            Json::Array(items) => list(typ, items),
            _ => Some(Value::nil_list(typ)),
        },
        typ @ Type::Map(_) => match value {
            Json::Object(entries) => Some(Value::typed_map(typ, pairs(entries)?)),
            _ => Some(Value::nil_map(typ)),
        },
        _ => None,
    }
}

const NAMES: &[(&str, Type)] = &[
    ("string", Type::String),
    ("bool", Type::Bool),
    ("float64", Type::Float),
    ("int", Type::Int(Int::Int)),
    ("int8", Type::Int(Int::Int8)),
    ("int16", Type::Int(Int::Int16)),
    ("int32", Type::Int(Int::Int32)),
    ("int64", Type::Int(Int::Int64)),
    ("uint", Type::Int(Int::Uint)),
    ("uint8", Type::Int(Int::Uint8)),
    ("uint16", Type::Int(Int::Uint16)),
    ("uint32", Type::Int(Int::Uint32)),
    ("uint64", Type::Int(Int::Uint64)),
    ("interface {}", Type::Any),
    ("[]interface {}", LIST),
    ("[]string", STRINGS),
    ("map[string]string", STRING_MAP),
    ("map[string]interface {}", towpath_gotemplate::value::DICT),
];

/// A type by its name; elements of lists and maps are one of the table.
fn go_type(name: &str) -> Option<Type> {
    let known = |name: &str| NAMES.iter().find(|(known, _)| *known == name).map(|(_, typ)| typ);
    if let Some(element) = name.strip_prefix("[]") {
        return Some(Type::List(known(element)?));
    }
    if let Some(element) = name.strip_prefix("map[string]") {
        return Some(Type::Map(known(element)?));
    }
    known(name).copied()
}
