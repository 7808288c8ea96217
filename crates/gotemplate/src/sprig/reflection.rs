//! Types and kinds of values, and whether two are the same in depth.

use std::rc::Rc;

use super::Table;
use crate::value::{Type, Value};

const S: Type = Type::String;
const ANY: Type = Type::Any;

pub fn add(table: &mut Table<'_>) {
    table.pure("typeOf", &[ANY], S, |args| Ok(Value::string(args.value(0).type_name())));
    table.pure("typeIs", &[S, ANY], Type::Bool, |args| {
        Ok(Value::Bool(args.text(0) == args.value(1).type_name().as_bytes()))
    });
    table.pure("typeIsLike", &[S, ANY], Type::Bool, |args| {
        let name = args.value(1).type_name();
        let target = args.text(0);
        Ok(Value::Bool(target == name.as_bytes() || [b"*", target].concat() == name.as_bytes()))
    });
    table.pure("kindOf", &[ANY], S, |args| Ok(Value::string(args.value(0).kind())));
    table.pure("kindIs", &[S, ANY], Type::Bool, |args| {
        Ok(Value::Bool(args.text(0) == args.value(1).kind().as_bytes()))
    });
    table.pure("deepEqual", &[ANY, ANY], Type::Bool, |args| {
        Ok(Value::Bool(deep_equal(args.value(0), args.value(1))))
    });
}

/// Go's reflect.DeepEqual: the same types and the same content.
#[expect(clippy::float_cmp, reason = "Go compares floats so")]
pub fn deep_equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Nil, Value::Nil) => true,
        (Value::Bool(one), Value::Bool(other)) => one == other,
        (Value::Int(int, one), Value::Int(other_int, other)) => int == other_int && one == other,
        (Value::Float(one), Value::Float(other)) => one == other,
        (Value::Complex(one), Value::Complex(other)) => one == other,
        (Value::String(one), Value::String(other)) | (Value::Bytes(one), Value::Bytes(other)) => one == other,
        (Value::List(one), Value::List(other)) => {
            one.typ == other.typ
                && one.nil == other.nil
                && one.items.len() == other.items.len()
                && (Rc::ptr_eq(one, other)
                    || one.items.iter().zip(&other.items).all(|(one, other)| deep_equal(one, other)))
        }
        (Value::Map(one), Value::Map(other)) => {
            one.typ == other.typ
                && one.nil == other.nil
                && (Rc::ptr_eq(one, other) || {
                    let (one, other) = (one.entries.borrow(), other.entries.borrow());
                    one.len() == other.len()
                        && one.iter().zip(other.iter()).all(|((key, one), (other_key, other))| {
                            key == other_key && deep_equal(one, other)
                        })
                })
        }
        (Value::Object(one), Value::Object(other)) => Rc::ptr_eq(one, other) || one.same(&**other),
        _ => false,
    }
}
