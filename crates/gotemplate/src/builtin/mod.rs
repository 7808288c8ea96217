//! The functions that every template has.

mod compare;
mod escape;
mod index;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use crate::fmt;
use crate::function::Function;
use crate::parse::Special;
use crate::value::{INT, Operand, Type, Value};

type Table = HashMap<&'static str, (Arc<Function>, Special)>;

const REFLECT: Type = Type::Reflect;

static ALL: LazyLock<Table> = LazyLock::new(|| {
    let mut all = Table::new();
    let mut add = |name, function, special| {
        all.insert(name, (Arc::new(function), special));
    };
    // These three are evaluated where they are called.
    let nothing = |_: &[Operand]| Ok(Operand::INVALID);
    let one_or_more = || Function::look(&[REFLECT], Some(REFLECT), REFLECT, nothing);
    add("and", one_or_more(), Special::And);
    add("or", one_or_more(), Special::Or);
    add("call", one_or_more(), Special::Call);
    for (name, function) in plain() {
        add(name, function, Special::None);
    }
    all
});

fn plain() -> Vec<(&'static str, Function)> {
    let text = |make: fn(&[Value]) -> Vec<u8>| {
        Function::new(&[], Type::String, move |_, args| Ok(Value::string(make(args.0)))).variadic(Type::Any)
    };
    let compare = |look| Function::look(&[REFLECT, REFLECT], None, Type::Bool, look);
    vec![
        ("html", text(escape::html)),
        ("index", Function::look(&[REFLECT], Some(REFLECT), REFLECT, index::index)),
        ("slice", Function::look(&[REFLECT], Some(REFLECT), REFLECT, index::slice)),
        ("js", text(escape::js)),
        ("len", Function::look(&[REFLECT], None, INT, index::len)),
        ("not", Function::look(&[REFLECT], None, Type::Bool, compare::not)),
        ("print", text(fmt::sprint)),
        (
            "printf",
            Function::new(&[Type::String], Type::String, |_, args| {
                Ok(Value::string(fmt::sprintf(args.text(0), args.rest(1))))
            })
            .variadic(Type::Any),
        ),
        ("println", text(fmt::sprintln)),
        ("urlquery", text(escape::urlquery)),
        ("eq", Function::look(&[REFLECT], Some(REFLECT), Type::Bool, compare::eq)),
        ("ne", compare(compare::ne)),
        ("lt", compare(compare::lt)),
        ("le", compare(compare::le)),
        ("gt", compare(compare::gt)),
        ("ge", compare(compare::ge)),
    ]
}

/// A built-in function.
pub fn find(name: &[u8]) -> Option<(Arc<Function>, Special)> {
    let name = str::from_utf8(name).ok()?;
    ALL.get(name).map(|(function, special)| (Arc::clone(function), *special))
}

/// The first arguments of a function whose number was checked.
fn first_two(args: &[Operand]) -> (&Operand, &Operand) {
    let first = args.first().unwrap_or(&Operand::INVALID);
    (first, args.get(1).unwrap_or(&Operand::INVALID))
}
