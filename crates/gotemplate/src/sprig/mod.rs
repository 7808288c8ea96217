//! Sprig's functions, of version 3.3.0.
//!
//! In: nothing. Out: [`functions`], to be given to [`Templates`](crate::Templates). Each file has one theme and one
//! table. Functions that ask for time, chance or hosts get them from the run's
//! [`Environment`](crate::Environment).
#![expect(clippy::unnecessary_wraps, reason = "functions in a table have one shape")]

mod cast;
mod certificates;
mod dates;
mod decimal;
mod defaults;
mod dicts;
mod encoding;
mod hashes;
mod json;
mod lists;
mod math;
mod merge;
mod passwords;
mod paths;
mod pem;
mod random;
mod reflection;
mod regexes;
mod strings;
mod urls;
mod versions;
mod words;

use crate::fmt;
use crate::function::{Args, Fault, Function, Functions};
use crate::value::{Type, Value};

pub use json::{Escape, marshal, unmarshal};

/// What a function gives.
type Done = Result<Value, Fault>;

/// The most bytes or elements that one function makes.
const LARGEST: usize = 1 << 26;

/// What a Go program says that looks into nothing.
const NIL_POINTER: &str = "runtime error: invalid memory address or nil pointer dereference";

/// All of them.
pub fn functions() -> Functions {
    let mut all = Functions::default();
    let mut table = Table(&mut all);
    certificates::add(&mut table);
    dates::add(&mut table);
    defaults::add(&mut table);
    dicts::add(&mut table);
    encoding::add(&mut table);
    hashes::add(&mut table);
    json::add(&mut table);
    lists::add(&mut table);
    math::add(&mut table);
    passwords::add(&mut table);
    paths::add(&mut table);
    random::add(&mut table);
    reflection::add(&mut table);
    regexes::add(&mut table);
    strings::add(&mut table);
    urls::add(&mut table);
    versions::add(&mut table);
    words::add(&mut table);
    all
}

/// The functions as they are filled in.
struct Table<'f>(&'f mut Functions);

impl Table<'_> {
    /// A function of values alone.
    fn pure(&mut self, name: &str, params: &'static [Type], returns: Type, call: fn(Args<'_>) -> Done) {
        self.0.add(name, Function::new(params, returns, move |_, args| call(args)));
    }

    /// The same with any number of further arguments.
    fn variadic(
        &mut self,
        name: &str,
        params: &'static [Type],
        further: Type,
        returns: Type,
        call: fn(Args<'_>) -> Done,
    ) {
        let function = Function::new(params, returns, move |_, args| call(args)).variadic(further);
        self.0.add(name, function);
    }

    /// A function from one text to another.
    fn text(&mut self, name: &str, call: fn(&[u8]) -> Vec<u8>) {
        let function = Function::new(&[Type::String], Type::String, move |_, args| {
            Ok(Value::string(call(args.text(0))))
        });
        self.0.add(name, function);
    }

    /// A function that looks at the outside.
    fn outside(
        &mut self,
        name: &str,
        params: &'static [Type],
        returns: Type,
        call: fn(&crate::Environment, Args<'_>) -> Done,
    ) {
        let function = Function::new(params, returns, move |scope, args| call(scope.run.environment, args));
        self.0.add(name, function);
    }
}

/// A value as text: what `toString` gives.
fn text_of(value: &Value) -> Vec<u8> {
    match value {
        Value::String(text) | Value::Bytes(text) => text.to_vec(),
        other => fmt::sprintf(b"%v", std::slice::from_ref(other)),
    }
}

/// A list as texts, without nil; another value is a list of one.
fn texts_of(value: &Value) -> Vec<Vec<u8>> {
    match value.elements() {
        Some(items) => items.iter().filter(|item| !matches!(item, Value::Nil)).map(text_of).collect(),
        None if matches!(value, Value::Nil) => Vec::new(),
        None => vec![text_of(value)],
    }
}

/// A count that is not beyond all bounds.
fn bounded(count: usize) -> Result<usize, Fault> {
    if count > LARGEST {
        return Err(format!("a result of {count} bytes or elements is larger than {LARGEST}").into());
    }
    Ok(count)
}
