//! Methods of values, and objects: values that are not data.

use std::any::Any;

use super::{Operand, Type, Value};
use crate::function::{Args, Fault};
use crate::run::Scope;

/// A method: its parameters and what it does with its receiver.
pub struct Method {
    /// The types of the parameters.
    pub params: &'static [Type],
    /// The type of all further arguments.
    pub variadic: Option<Type>,
    /// What it gives.
    pub returns: Type,
    /// The method itself; the first value is its receiver.
    pub call: fn(&Value, &mut Scope<'_, '_>, Args<'_>) -> Result<Value, Fault>,
}

/// What `range` meets in an object.
pub enum Sequence {
    /// One value at a time.
    Values(Box<dyn Iterator<Item = Value>>),
    /// Two values at a time.
    Pairs(Box<dyn Iterator<Item = (Value, Value)>>),
    /// One value at a time, and its number: a channel.
    Channel(Box<dyn Iterator<Item = Value>>),
}

/// A Go struct, a pointer to one, or another value with behaviour: a time, a version, the capabilities.
pub trait Object: Any {
    /// Its type.
    fn go_type(&self) -> Type;

    /// A field.
    fn field(&self, _name: &str) -> Option<Operand> {
        None
    }

    /// A method.
    fn method(&self, _name: &str) -> Option<&'static Method> {
        None
    }

    /// What its method `String` or `Error` says.
    fn text(&self) -> Option<Vec<u8>> {
        None
    }

    /// All fields in order, to be printed.
    fn fields(&self) -> Vec<(&'static str, Operand)> {
        Vec::new()
    }

    /// Whether `if` takes it for true.
    fn truth(&self) -> bool {
        true
    }

    /// What `range` goes over.
    fn sequence(&self) -> Option<Sequence> {
        None
    }

    /// What it points to, where that is a value of its own.
    fn target(&self) -> Option<Operand> {
        None
    }

    /// Itself as JSON, where it says so.
    fn json(&self) -> Option<String> {
        None
    }

    /// Whether two are equal as Go's `==` has it.
    fn same(&self, _other: &dyn Object) -> bool {
        false
    }
}
