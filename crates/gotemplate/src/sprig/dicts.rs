//! Dicts, which are changed in place.

use std::cell::RefCell;
use std::rc::Rc;

use super::merge::{Mode, merge};
use super::{Done, Table, text_of};
use crate::function::{Args, Fault};
use crate::value::{DICT, List, Map, STRINGS, Text, Type, Value};

const S: Type = Type::String;
const ANY: Type = Type::Any;

pub fn add(table: &mut Table<'_>) {
    table.variadic("dict", &[], ANY, DICT, |args| {
        let entries = args.0.chunks(2).map(|pair| match pair {
            [key, value] => (Text::from(text_of(key)), value.clone()),
            rest => (Text::from(rest.first().map(text_of).unwrap_or_default()), Value::string("")),
        });
        Ok(Value::map(entries))
    });
    table.pure("get", &[DICT, S], ANY, |args| {
        Ok(args.map(0).get(args.text(1)).unwrap_or_else(|| Value::string("")))
    });
    table.pure("set", &[DICT, S, ANY], DICT, set);
    table.pure("unset", &[DICT, S], DICT, |args| {
        args.map(0).entries.borrow_mut().remove(args.text(1));
        Ok(args.value(0).clone())
    });
    table.pure("hasKey", &[DICT, S], Type::Bool, |args| {
        Ok(Value::Bool(args.map(0).entries.borrow().contains_key(args.text(1))))
    });
    table.variadic("pluck", &[S], DICT, crate::value::LIST, |args| {
        let maps = (1..args.0.len()).map(|index| args.map(index));
        Ok(Value::list(maps.filter_map(|map| map.get(args.text(0))).collect()))
    });
    table.variadic("keys", &[], DICT, STRINGS, |args| {
        let keys = (0..args.0.len())
            .flat_map(|index| args.map(index).entries.borrow().keys().cloned().collect::<Vec<_>>());
        Ok(Value::strings(keys))
    });
    table.pure("values", &[DICT], crate::value::LIST, |args| {
        Ok(Value::list(args.map(0).entries.borrow().values().cloned().collect()))
    });
    table.variadic("pick", &[DICT], S, DICT, |args| Ok(filtered(args, Keep::Named)));
    table.variadic("omit", &[DICT], S, DICT, |args| Ok(filtered(args, Keep::Others)));
    for name in ["merge", "mustMerge"] {
        table.variadic(name, &[DICT], DICT, ANY, |args| merged(args, Mode::Fill));
    }
    for name in ["mergeOverwrite", "mustMergeOverwrite"] {
        table.variadic(name, &[DICT], DICT, ANY, |args| merged(args, Mode::Overwrite));
    }
    for name in ["deepCopy", "mustDeepCopy"] {
        table.pure(name, &[ANY], ANY, |args| match args.value(0) {
            // The library looks into it.
            Value::Nil => Err("reflect: call of reflect.Value.Type on zero Value".into()),
            value => Ok(deep_copy(value)),
        });
    }
    table.variadic("dig", &[], ANY, ANY, dig);
}

fn set(args: Args<'_>) -> Done {
    let map = args.map(0);
    if map.nil {
        return Err("assignment to entry in nil map".into());
    }
    map.entries.borrow_mut().insert(args.shared(1), args.value(2).clone());
    Ok(args.value(0).clone())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    Named,
    Others,
}

fn filtered(args: Args<'_>, keep: Keep) -> Value {
    let named =
        |key: &Text| args.rest(1).iter().any(|name| matches!(name, Value::String(name) if name == key));
    let map = args.map(0);
    let entries = map.entries.borrow();
    let kept = entries.iter().filter(|(key, _)| named(key) == (keep == Keep::Named));
    Value::map(kept.map(|(key, value)| (key.clone(), value.clone())))
}

fn merged(args: Args<'_>, mode: Mode) -> Done {
    let target = args.map(0);
    let target =
        if target.nil { Rc::new(Map { typ: DICT, entries: RefCell::default(), nil: false }) } else { target };
    for index in 1..args.0.len() {
        merge(&target, &args.map(index), mode, 0);
    }
    Ok(Value::Map(target))
}

/// A copy of everything within.
pub fn deep_copy(value: &Value) -> Value {
    match value {
        Value::List(list) => Value::List(Rc::new(List {
            typ: list.typ,
            items: list.items.iter().map(deep_copy).collect(),
            nil: list.nil,
        })),
        Value::Map(map) => {
            let entries = map.entries.borrow();
            Value::typed_map(map.typ, entries.iter().map(|(key, value)| (key.clone(), deep_copy(value))))
        }
        other => other.clone(),
    }
}

/// What Go says of a value that is not the type that was taken for granted.
fn conversion(value: &Value, to: Type) -> Fault {
    match value {
        Value::Nil => Fault(format!("interface conversion: interface {{}} is nil, not {to}")),
        other => {
            let name = other.type_name();
            Fault(format!("interface conversion: interface {{}} is {name}, not {to}"))
        }
    }
}

fn dig(args: Args<'_>) -> Done {
    let [keys @ .., default, dict] = args.0 else {
        return Err("dig needs at least three arguments".into());
    };
    if keys.is_empty() {
        return Err("dig needs at least three arguments".into());
    }
    let as_map = |value: &Value| match value {
        Value::Map(map) if map.typ == DICT => Ok(Rc::clone(map)),
        other => Err(conversion(other, DICT)),
    };
    let mut map = as_map(dict)?;
    let keys = keys
        .iter()
        .map(|key| match key {
            Value::String(key) => Ok(key),
            other => Err(conversion(other, S)),
        })
        .collect::<Result<Vec<_>, _>>()?;
    let Some((last, before)) = keys.split_last() else { return Ok(default.clone()) };
    for key in before {
        let Some(step) = map.get(key) else { return Ok(default.clone()) };
        map = as_map(&step)?;
    }
    Ok(map.get(last).unwrap_or_else(|| default.clone()))
}
