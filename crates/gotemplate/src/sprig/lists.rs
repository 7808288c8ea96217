//! Lists. None is changed in place.

use super::cast::to_int;
use super::defaults::is_empty;
use super::reflection::deep_equal;
use super::{Done, NIL_POINTER, Table, bounded};
use crate::function::{Args, Fault, Function};
use crate::value::{INT, LIST, Type, Value};

const ANY: Type = Type::Any;
const LISTS: Type = Type::List(&LIST);

pub fn add(table: &mut Table<'_>) {
    for name in ["list", "tuple"] {
        table.variadic(name, &[], ANY, LIST, |args| {
            // Go's variadic functions get a nil slice where they get nothing.
            Ok(if args.0.is_empty() { Value::nil_list(LIST) } else { Value::list(args.0.to_vec()) })
        });
    }
    both(table, &["append", "push"], &[ANY, ANY], LIST, |args| {
        let mut list = items(args, "push on")?;
        list.push(args.value(1).clone());
        Ok(Value::list(list))
    });
    both(table, &["prepend"], &[ANY, ANY], LIST, |args| {
        let mut list = items(args, "prepend on")?;
        list.insert(0, args.value(1).clone());
        Ok(Value::list(list))
    });
    both(table, &["first"], &[ANY], ANY, |args| {
        Ok(items(args, "find first on")?.first().cloned().unwrap_or(Value::Nil))
    });
    both(table, &["last"], &[ANY], ANY, |args| {
        Ok(items(args, "find last on")?.last().cloned().unwrap_or(Value::Nil))
    });
    both(table, &["rest"], &[ANY], LIST, |args| {
        let list = items(args, "find rest on")?;
        Ok(list.split_first().map_or_else(|| Value::nil_list(LIST), |(_, rest)| Value::list(rest.to_vec())))
    });
    both(table, &["initial"], &[ANY], LIST, |args| {
        let list = items(args, "find initial on")?;
        Ok(list.split_last().map_or_else(|| Value::nil_list(LIST), |(_, rest)| Value::list(rest.to_vec())))
    });
    both(table, &["reverse"], &[ANY], LIST, |args| {
        let mut list = items(args, "find reverse on")?;
        list.reverse();
        Ok(Value::list(list))
    });
    both(table, &["compact"], &[ANY], LIST, |args| {
        let mut list = items(args, "compact on")?;
        list.retain(|item| !is_empty(item));
        Ok(Value::list(list))
    });
    both(table, &["uniq"], &[ANY], LIST, uniq);
    both(table, &["chunk"], &[INT, ANY], LISTS, chunk);
    both(table, &["has"], &[ANY, ANY], Type::Bool, has);
    for name in ["without", "mustWithout"] {
        table.variadic(name, &[ANY], ANY, LIST, |args| {
            let mut list = items(args, "find without on")?;
            list.retain(|item| !args.rest(1).iter().any(|omitted| deep_equal(omitted, item)));
            Ok(Value::list(list))
        });
    }
    for name in ["slice", "mustSlice"] {
        table.variadic(name, &[ANY], ANY, ANY, slice);
    }
    table.variadic("concat", &[], ANY, ANY, concat);
}

/// A function and the one that Sprig has beside it; both fail alike in a template.
fn both(
    table: &mut Table<'_>,
    names: &[&str],
    params: &'static [Type],
    returns: Type,
    call: fn(Args<'_>) -> Done,
) {
    for name in names {
        let mut letters = name.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        let must: String = "must".chars().chain(first).chain(letters).collect();
        for name in [*name, &must] {
            table.0.add(name, Function::new(params, returns, move |_, args| call(args)));
        }
    }
}

fn items(args: Args<'_>, doing: &str) -> Result<Vec<Value>, Fault> {
    list_items(args.value(0), &format!("Cannot {doing} type"))
}

fn list_items(value: &Value, message: &str) -> Result<Vec<Value>, Fault> {
    match (value.elements(), value) {
        (Some(items), _) => Ok(items),
        (None, Value::Nil) => Err(NIL_POINTER.into()),
        (None, other) => Err(format!("{message} {}", other.kind()).into()),
    }
}

fn uniq(args: Args<'_>) -> Done {
    let mut kept: Vec<Value> = Vec::new();
    for item in items(args, "find uniq on")? {
        if !kept.iter().any(|one| deep_equal(&item, one)) {
            kept.push(item);
        }
    }
    Ok(Value::list(kept))
}

fn chunk(args: Args<'_>) -> Done {
    let list = list_items(args.value(1), "Cannot chunk type")?;
    let size = args.int(0);
    // A list that a negative size would hold once makes no chunk at all; all else with it cannot be made.
    let most = usize::try_from(size.unsigned_abs()).unwrap_or(usize::MAX);
    if size < 0 && (2..=most.saturating_add(1)).contains(&list.len()) {
        return Ok(Value::typed_list(LISTS, Vec::new()));
    }
    let Some(size) = usize::try_from(size).ok().filter(|size| *size > 0) else {
        return Err("runtime error: makeslice: len out of range".into());
    };
    Ok(Value::typed_list(LISTS, list.chunks(size).map(|part| Value::list(part.to_vec())).collect()))
}

fn has(args: Args<'_>) -> Done {
    if matches!(args.value(1), Value::Nil) {
        return Ok(Value::Bool(false));
    }
    let list = list_items(args.value(1), "Cannot find has on type")?;
    Ok(Value::Bool(list.iter().any(|item| deep_equal(args.value(0), item))))
}

fn slice(args: Args<'_>) -> Done {
    let list = list_items(args.value(0), "list should be type of slice or array but")?;
    if list.is_empty() {
        return Ok(Value::Nil);
    }
    let length = i64::try_from(list.len()).unwrap_or(i64::MAX);
    let start = args.0.get(1).map_or(0, to_int);
    let end = args.0.get(2).map_or(length, to_int);
    let bounds = (usize::try_from(start), usize::try_from(end));
    match bounds {
        (Ok(from), Ok(to)) if from <= to && to <= list.len() => {
            let part = list.get(from..to).unwrap_or_default().to_vec();
            Ok(match args.value(0) {
                Value::Bytes(bytes) => Value::Bytes(bytes.get(from..to).unwrap_or_default().into()),
                other => Value::typed_list(other.go_type(), part),
            })
        }
        _ => Err("reflect.Value.Slice: slice index out of bounds".into()),
    }
}

fn concat(args: Args<'_>) -> Done {
    let mut all = Vec::new();
    for list in args.0 {
        match (list.elements(), list) {
            (Some(items), _) => all.extend(items),
            (None, Value::Nil) => return Err(NIL_POINTER.into()),
            (None, other) => return Err(format!("Cannot concat type {} as list", other.kind()).into()),
        }
        bounded(all.len())?;
    }
    Ok(if all.is_empty() { Value::nil_list(LIST) } else { Value::list(all) })
}
