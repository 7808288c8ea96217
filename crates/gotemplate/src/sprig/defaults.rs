//! Defaults, and what counts as empty.

use super::Table;
use crate::value::{Type, Value};

const ANY: Type = Type::Any;

pub fn add(table: &mut Table<'_>) {
    table.variadic("default", &[ANY], ANY, ANY, |args| {
        let given = args.value(1);
        Ok(if is_empty(given) { args.value(0).clone() } else { given.clone() })
    });
    table.pure("empty", &[ANY], Type::Bool, |args| Ok(Value::Bool(is_empty(args.value(0)))));
    table.variadic("coalesce", &[], ANY, ANY, |args| {
        Ok(args.0.iter().find(|value| !is_empty(value)).cloned().unwrap_or(Value::Nil))
    });
    table.variadic("all", &[], ANY, Type::Bool, |args| Ok(Value::Bool(!args.0.iter().any(is_empty))));
    table.variadic("any", &[], ANY, Type::Bool, |args| {
        Ok(Value::Bool(args.0.iter().any(|value| !is_empty(value))))
    });
    table.pure("ternary", &[ANY, ANY, Type::Bool], ANY, |args| {
        Ok(args.value(usize::from(!args.truth(2))).clone())
    });
    table.pure("fail", &[Type::String], Type::String, |args| {
        Err(String::from_utf8_lossy(args.text(0)).into_owned().into())
    });
    table.outside("getHostByName", &[Type::String], Type::String, |environment, args| {
        let name = String::from_utf8_lossy(args.text(0)).into_owned();
        match environment.host.and_then(|host| host(&name)) {
            Some(address) => Ok(Value::string(address)),
            // What the library says of a host without an address.
            None => Err("invalid argument to Intn".into()),
        }
    });
}

/// False, zero, nothing, and what has no elements.
pub fn is_empty(value: &Value) -> bool {
    !value.truth()
}
