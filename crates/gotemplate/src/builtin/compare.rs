//! Comparisons. Go compares values of the same basic kind only, and integers of both signs.

use std::rc::Rc;

use super::first_two;
use crate::fmt;
use crate::function::Fault;
use crate::value::{Int, Operand, Value};

type Judged = Result<Operand, Fault>;

const BAD_TYPE: &str = "invalid type for comparison";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Invalid,
    Bool,
    Complex,
    Int,
    Float,
    String,
    Uint,
}

fn kind(value: &Value) -> Kind {
    match value {
        Value::Bool(_) => Kind::Bool,
        Value::Int(int, _) if int.signed() => Kind::Int,
        Value::Int(..) => Kind::Uint,
        Value::Float(_) => Kind::Float,
        Value::Complex(_) => Kind::Complex,
        Value::String(_) => Kind::String,
        _ => Kind::Invalid,
    }
}

#[expect(clippy::unnecessary_wraps, reason = "it ends every function of this file")]
fn truth(truth: bool) -> Judged {
    Ok(Operand::plain(Value::Bool(truth)))
}

pub fn not(args: &[Operand]) -> Judged {
    truth(!first_two(args).0.value.truth())
}

pub fn eq(args: &[Operand]) -> Judged {
    let (first, others) = args.split_first().unwrap_or((&Operand::INVALID, &[]));
    if others.is_empty() {
        return Err("missing argument for comparison".into());
    }
    for other in others {
        if equal(&first.value, &other.value)? {
            return truth(true);
        }
    }
    truth(false)
}

/// An integer as one that has room for all.
fn wide(int: Int, number: i64) -> i128 {
    if int.signed() { i128::from(number) } else { i128::from(number.cast_unsigned()) }
}

#[expect(clippy::float_cmp, reason = "Go compares floats so")]
fn equal(one: &Value, other: &Value) -> Result<bool, Fault> {
    Ok(match (one, other) {
        (Value::Bool(one), Value::Bool(other)) => one == other,
        (Value::Int(int, one), Value::Int(other_int, other)) => wide(*int, *one) == wide(*other_int, *other),
        (Value::Float(one), Value::Float(other)) => one == other,
        (Value::Complex(one), Value::Complex(other)) => one == other,
        (Value::String(one), Value::String(other)) => one == other,
        _ if kind(one) != kind(other) => {
            if matches!(one, Value::Nil) || matches!(other, Value::Nil) {
                false
            } else {
                return Err(incompatible(one, other));
            }
        }
        _ => return equal_references(one, other),
    })
}

fn incompatible(one: &Value, other: &Value) -> Fault {
    let (one, other) = (one.type_name(), other.type_name());
    Fault(format!("incompatible types for comparison: {one} and {other}"))
}

/// Lists, maps, functions, objects and nil.
fn equal_references(one: &Value, other: &Value) -> Result<bool, Fault> {
    let nil = matches!(one, Value::Nil) || matches!(other, Value::Nil);
    if !nil && one.kind() != other.kind() {
        let (one_type, other_type) = (one.type_name(), other.type_name());
        let (one, other) = (described(one), fmt::shown(other));
        return Err(format!("non-comparable types {one}: {one_type}, {other_type}: {other}").into());
    }
    if is_nil(one) || is_nil(other) {
        return Ok(is_nil(one) == is_nil(other));
    }
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => Ok(Rc::ptr_eq(one, other) || one.same(&**other)),
        _ => Err(format!("non-comparable type {}: {}", described(other), other.type_name()).into()),
    }
}

/// What `%s` prints of a value that is looked at by reflection.
fn described(value: &Value) -> String {
    String::from_utf8_lossy(&fmt::sprintf(b"%s", std::slice::from_ref(value))).into_owned()
}

fn is_nil(value: &Value) -> bool {
    match value {
        Value::Nil => true,
        Value::List(list) => list.nil,
        Value::Map(map) => map.nil,
        _ => false,
    }
}

pub fn ne(args: &[Operand]) -> Judged {
    let (one, other) = first_two(args);
    truth(!equal(&one.value, &other.value)?)
}

fn less(one: &Value, other: &Value) -> Result<bool, Fault> {
    if kind(one) == Kind::Invalid || kind(other) == Kind::Invalid {
        return Err(BAD_TYPE.into());
    }
    Ok(match (one, other) {
        (Value::Int(int, one), Value::Int(other_int, other)) => wide(*int, *one) < wide(*other_int, *other),
        (Value::Float(one), Value::Float(other)) => one < other,
        (Value::String(one), Value::String(other)) => one < other,
        _ if kind(one) == kind(other) => return Err(BAD_TYPE.into()),
        _ => return Err(incompatible(one, other)),
    })
}

pub fn lt(args: &[Operand]) -> Judged {
    let (one, other) = first_two(args);
    truth(less(&one.value, &other.value)?)
}

fn less_or_equal(args: &[Operand]) -> Result<bool, Fault> {
    let (one, other) = first_two(args);
    Ok(less(&one.value, &other.value)? || equal(&one.value, &other.value)?)
}

pub fn le(args: &[Operand]) -> Judged {
    truth(less_or_equal(args)?)
}

pub fn gt(args: &[Operand]) -> Judged {
    truth(!less_or_equal(args)?)
}

pub fn ge(args: &[Operand]) -> Judged {
    let (one, other) = first_two(args);
    truth(!less(&one.value, &other.value)?)
}
