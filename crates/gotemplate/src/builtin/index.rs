//! `index`, `slice` and `len`.

use std::rc::Rc;

use crate::exec::{pointed_to, prepare};
use crate::function::Fault;
use crate::value::{INT, Int, List, Operand, Type, Value};

type Looked = Result<Operand, Fault>;

/// What Go's reflection panics with when it is asked for the type of no value.
const ZERO_VALUE: &str = "reflect: call of reflect.Value.Type on zero Value";

fn split(args: &[Operand]) -> (&Operand, &[Operand]) {
    args.split_first().unwrap_or((&Operand::INVALID, &[]))
}

pub fn index(args: &[Operand]) -> Looked {
    let (item, indexes) = split(args);
    if matches!(item.value, Value::Nil) {
        return Err("index of untyped nil".into());
    }
    let mut item = Operand { value: item.value.clone(), wrapped: false };
    for index in indexes {
        if matches!(item.value, Value::Nil) {
            return Err("index of nil pointer".into());
        }
        item = element(&pointed_to(item.value), index)?;
    }
    Ok(item)
}

fn element(item: &Value, index: &Operand) -> Looked {
    match item {
        Value::List(list) => {
            let at = position(index, list.items.len())?;
            let found = list.items.get(at).cloned().ok_or_else(|| Fault(beyond(at, list.items.len())))?;
            Ok(Operand::of(found, list.typ.element()))
        }
        Value::String(text) | Value::Bytes(text) => {
            let what = if matches!(item, Value::String(_)) { "string" } else { "slice" };
            let at = position(index, text.len())?;
            match text.get(at) {
                Some(byte) => Ok(Operand::plain(Value::Int(Int::Uint8, i64::from(*byte)))),
                None => Err(format!("reflect: {what} index out of range").into()),
            }
        }
        Value::Map(map) => {
            let mut key = index.clone();
            prepare(&mut key, Type::String)?;
            let Value::String(key) = key.value else { return Err(ZERO_VALUE.into()) };
            let typ = map.typ.element();
            Ok(Operand::of(map.get(&key).unwrap_or_else(|| Value::zero(typ)), typ))
        }
        other => Err(format!("can't index item of type {}", other.type_name()).into()),
    }
}

/// What Go's reflection panics with for an index that is the length itself.
fn beyond(_at: usize, _length: usize) -> String {
    "reflect: slice index out of range".to_owned()
}

fn position(index: &Operand, most: usize) -> Result<usize, Fault> {
    let number = match &index.value {
        Value::Int(_, number) => *number,
        Value::Nil => return Err("cannot index slice/array with nil".into()),
        other => return Err(format!("cannot index slice/array with type {}", other.type_name()).into()),
    };
    match usize::try_from(number) {
        Ok(at) if at <= most => Ok(at),
        _ => Err(format!("index out of range: {number}").into()),
    }
}

pub fn slice(args: &[Operand]) -> Looked {
    let (item, indexes) = split(args);
    if matches!(item.value, Value::Nil) {
        return Err("slice of untyped nil".into());
    }
    let item = pointed_to(item.value.clone());
    if indexes.len() > 3 {
        return Err(format!("too many slice indexes: {}", indexes.len()).into());
    }
    let length = match &item {
        Value::String(_) if indexes.len() == 3 => return Err("cannot 3-index slice a string".into()),
        Value::String(text) | Value::Bytes(text) => text.len(),
        Value::List(list) => list.items.len(),
        other => return Err(format!("can't slice item of type {}", other.type_name()).into()),
    };
    let mut bounds = [0, length, length];
    for (bound, index) in bounds.iter_mut().zip(indexes) {
        // Go looks into no interface here, though it does for `index`.
        if index.wrapped {
            return Err("cannot index slice/array with type interface {}".into());
        }
        *bound = position(index, length)?;
    }
    let [from, to, most] = bounds;
    if from > to {
        return Err(format!("invalid slice index: {from} > {to}").into());
    }
    if indexes.len() == 3 && to > most {
        return Err(format!("invalid slice index: {to} > {most}").into());
    }
    Ok(Operand::plain(cut(&item, from, to)))
}

fn cut(item: &Value, from: usize, to: usize) -> Value {
    match item {
        Value::String(text) => Value::string(text.get(from..to).unwrap_or_default()),
        Value::Bytes(text) => Value::Bytes(text.get(from..to).unwrap_or_default().into()),
        Value::List(list) => {
            let items = list.items.get(from..to).unwrap_or_default().to_vec();
            Value::List(Rc::new(List { typ: list.typ, items, nil: list.nil }))
        }
        other => other.clone(),
    }
}

pub fn len(args: &[Operand]) -> Looked {
    let (item, _) = split(args);
    let length = match pointed_to(item.value.clone()) {
        Value::Nil if item.wrapped => return Err("len of nil pointer".into()),
        Value::Nil => return Err(ZERO_VALUE.into()),
        Value::String(text) | Value::Bytes(text) => text.len(),
        Value::List(list) => list.items.len(),
        Value::Map(map) => map.entries.borrow().len(),
        other => return Err(format!("len of type {}", other.type_name()).into()),
    };
    Ok(Operand::of(Value::int(i64::try_from(length).unwrap_or(i64::MAX)), INT))
}
