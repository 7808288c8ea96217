//! Arithmetic.

use super::cast::{to_float, to_int};
use super::decimal::{Operation, combined};
use super::{Done, Table, bounded};
use crate::fmt;
use crate::function::{Args, Fault};
use crate::value::{INT, INT64, INTS, Type, Value};

const ANY: Type = Type::Any;

pub fn add(table: &mut Table<'_>) {
    table.pure("atoi", &[Type::String], INT, atoi);
    table.pure("int", &[ANY], INT, |args| Ok(Value::int(to_int(args.value(0)))));
    table.pure("int64", &[ANY], INT64, |args| Ok(Value::int64(to_int(args.value(0)))));
    table.pure("float64", &[ANY], Type::Float, |args| Ok(Value::Float(to_float(args.value(0)))));
    table.pure("toDecimal", &[ANY], INT64, to_decimal);
    table.pure("add1", &[ANY], INT64, |args| Ok(Value::int64(to_int(args.value(0)).wrapping_add(1))));
    table.variadic("add", &[], ANY, INT64, |args| Ok(folded(0, args.0, i64::wrapping_add)));
    table.pure("sub", &[ANY, ANY], INT64, |args| two(args, |a, b| Ok(a.wrapping_sub(b))));
    table.pure("div", &[ANY, ANY], INT64, |args| two(args, |a, b| nonzero(b).map(|b| a.wrapping_div(b))));
    table.pure("mod", &[ANY, ANY], INT64, |args| two(args, |a, b| nonzero(b).map(|b| a.wrapping_rem(b))));
    table.variadic("mul", &[ANY], ANY, INT64, |args| from_first(args, i64::wrapping_mul));
    for name in ["max", "biggest"] {
        table.variadic(name, &[ANY], ANY, INT64, |args| from_first(args, i64::max));
    }
    table.variadic("min", &[ANY], ANY, INT64, |args| from_first(args, i64::min));
    table.variadic("maxf", &[ANY], ANY, Type::Float, |args| Ok(extreme(args, f64::max)));
    table.variadic("minf", &[ANY], ANY, Type::Float, |args| Ok(extreme(args, f64::min)));
    table.pure("ceil", &[ANY], Type::Float, |args| Ok(Value::Float(to_float(args.value(0)).ceil())));
    table.pure("floor", &[ANY], Type::Float, |args| Ok(Value::Float(to_float(args.value(0)).floor())));
    table.variadic("round", &[ANY, INT], Type::Float, Type::Float, round);
    table.pure("until", &[INT], INTS, |args| {
        let count = args.int(0);
        until(0, count, if count < 0 { -1 } else { 1 }).map(ints)
    });
    table.pure("untilStep", &[INT, INT, INT], INTS, |args| {
        until(args.int(0), args.int(1), args.int(2)).map(ints)
    });
    table.variadic("seq", &[], INT, Type::String, seq);
    table.pure("add1f", &[ANY], Type::Float, |args| {
        decimals(to_float(args.value(0)), &[Value::int(1)], Operation::Add)
    });
    table.variadic("addf", &[], ANY, Type::Float, |args| decimals(0.0, args.0, Operation::Add));
    table.variadic("subf", &[ANY], ANY, Type::Float, |args| {
        decimals(to_float(args.value(0)), args.rest(1), Operation::Subtract)
    });
    table.variadic("mulf", &[ANY], ANY, Type::Float, |args| {
        decimals(to_float(args.value(0)), args.rest(1), Operation::Multiply)
    });
    table.variadic("divf", &[ANY], ANY, Type::Float, |args| {
        decimals(to_float(args.value(0)), args.rest(1), Operation::Divide)
    });
}

/// What strconv.Atoi gives beside its error: nothing, or the nearest number.
fn atoi(args: Args<'_>) -> Done {
    let text = str::from_utf8(args.text(0)).unwrap_or_default();
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let valid = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let beyond = if text.starts_with('-') { i64::MIN } else { i64::MAX };
    Ok(Value::int(if valid { text.parse().unwrap_or(beyond) } else { 0 }))
}

fn to_decimal(args: Args<'_>) -> Done {
    let text = fmt::shown(args.value(0));
    let digits = text.strip_prefix(['-', '+']).unwrap_or(&text);
    let valid = digits.starts_with(|digit: char| digit.is_digit(8));
    Ok(Value::int64(if valid { i64::from_str_radix(&text, 8).unwrap_or(0) } else { 0 }))
}

fn folded(start: i64, values: &[Value], operation: fn(i64, i64) -> i64) -> Value {
    Value::int64(values.iter().map(to_int).fold(start, operation))
}

fn from_first(args: Args<'_>, operation: fn(i64, i64) -> i64) -> Done {
    Ok(folded(to_int(args.value(0)), args.rest(1), operation))
}

fn two(args: Args<'_>, operation: impl Fn(i64, i64) -> Result<i64, Fault>) -> Done {
    operation(to_int(args.value(0)), to_int(args.value(1))).map(Value::int64)
}

fn nonzero(number: i64) -> Result<i64, Fault> {
    if number == 0 { Err("runtime error: integer divide by zero".into()) } else { Ok(number) }
}

fn extreme(args: Args<'_>, operation: fn(f64, f64) -> f64) -> Value {
    let first = to_float(args.value(0));
    Value::Float(args.rest(1).iter().map(to_float).fold(first, |one, other| {
        if one.is_nan() || other.is_nan() { f64::NAN } else { operation(one, other) }
    }))
}

fn round(args: Args<'_>) -> Done {
    let on = match args.0.get(2) {
        Some(Value::Float(on)) => *on,
        _ => 0.5,
    };
    #[expect(clippy::cast_precision_loss, reason = "as Go converts it")]
    let power = 10_f64.powf(args.int(1) as f64);
    let digit = power * to_float(args.value(0));
    let rounded = if digit.fract() >= on { digit.ceil() } else { digit.floor() };
    Ok(Value::Float(rounded / power))
}

fn until(start: i64, end: i64, step: i64) -> Result<Vec<i64>, Fault> {
    let forward = end >= start;
    if forward && step <= 0 || !forward && step >= 0 {
        return Ok(Vec::new());
    }
    let count = end.abs_diff(start).div_ceil(step.unsigned_abs());
    let count = bounded(usize::try_from(count).unwrap_or(usize::MAX))?;
    Ok((0..count)
        .scan(start, |next, _| {
            let this = *next;
            *next = next.wrapping_add(step);
            Some(this)
        })
        .collect())
}

fn ints(numbers: Vec<i64>) -> Value {
    Value::typed_list(INTS, numbers.into_iter().map(Value::int).collect())
}

fn seq(args: Args<'_>) -> Done {
    let at = |index| args.int(index);
    let numbers = match args.0.len() {
        1 => {
            let step = if at(0) < 1 { -1 } else { 1 };
            until(1, at(0).saturating_add(step), step)?
        }
        2 => {
            let step = if at(1) < at(0) { -1 } else { 1 };
            until(at(0), at(1).saturating_add(step), step)?
        }
        3 if at(2) < at(0) && at(1) > 0 => Vec::new(),
        3 => until(at(0), at(2).saturating_add(if at(2) < at(0) { -1 } else { 1 }), at(1))?,
        _ => Vec::new(),
    };
    let texts: Vec<String> = numbers.iter().map(i64::to_string).collect();
    Ok(Value::string(texts.join(" ")))
}

fn decimals(first: f64, others: &[Value], operation: Operation) -> Done {
    match combined(first, others.iter().map(to_float), operation) {
        Some(number) => Ok(Value::Float(number)),
        None => Err("decimal division by 0".into()),
    }
}
