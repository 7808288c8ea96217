//! Values as Go's templates see them.
//!
//! In: data from files and from functions. Out: [`Value`], cheap to clone; lists and maps are shared, and a map
//! can be changed in place through every clone, as `set` does. An [`Operand`] also knows whether Go would
//! see the value through an interface, which decides what Go's errors say.

mod method;
mod text;
mod types;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

pub use method::{Method, Object, Sequence};
pub use text::Text;
pub use types::{BYTES, DICT, INT, INT64, INTS, Int, LIST, Named, STRING_MAP, STRINGS, Type};

use crate::function::Function;

/// A value.
#[derive(Clone)]
pub enum Value {
    /// No value, or an interface without one.
    Nil,
    /// A truth.
    Bool(bool),
    /// An integer; unsigned ones keep their bits.
    Int(Int, i64),
    /// A number from a file, or a float.
    Float(f64),
    /// A complex number.
    Complex(Rc<(f64, f64)>),
    /// A string.
    String(Text),
    /// `[]byte`
    Bytes(Text),
    /// A slice.
    List(Rc<List>),
    /// A map from strings.
    Map(Rc<Map>),
    /// A function.
    Func(Arc<Function>),
    /// Anything else.
    Object(Rc<dyn Object>),
}

/// A slice: its type and elements. Templates cannot change one in place.
pub struct List {
    /// Its type.
    pub typ: Type,
    /// The elements.
    pub items: Vec<Value>,
    /// Whether it is Go's nil slice.
    pub nil: bool,
}

/// A map: its type, and entries that everybody who holds it may change.
pub struct Map {
    /// Its type.
    pub typ: Type,
    /// The entries, in order.
    pub entries: RefCell<BTreeMap<Text, Value>>,
    /// Whether it is Go's nil map, which cannot take entries.
    pub nil: bool,
}

/// A value and whether it is seen through an interface: `Nil` is an interface without value then, and no
/// value at all otherwise.
#[derive(Clone)]
pub struct Operand {
    /// The value.
    pub value: Value,
    /// Whether it came out of an interface.
    pub wrapped: bool,
}

impl Operand {
    /// No value at all.
    pub const INVALID: Operand = Operand { value: Value::Nil, wrapped: false };

    /// A value of its own type.
    pub fn plain(value: Value) -> Self {
        Self { value, wrapped: false }
    }

    /// A value that has the static type.
    pub fn of(value: Value, typ: Type) -> Self {
        Self { value, wrapped: typ == Type::Any }
    }

    /// Whether there is neither a value nor an interface.
    pub fn is_invalid(&self) -> bool {
        !self.wrapped && matches!(self.value, Value::Nil)
    }

    /// The type that Go's reflection has for it.
    pub fn static_type(&self) -> Type {
        if self.wrapped { Type::Any } else { self.value.go_type() }
    }
}

impl Value {
    /// A string.
    pub fn string(text: impl Into<Text>) -> Self {
        Value::String(text.into())
    }

    /// An `int`.
    pub fn int(number: i64) -> Self {
        Value::Int(Int::Int, number)
    }

    /// An `int64`.
    pub fn int64(number: i64) -> Self {
        Value::Int(Int::Int64, number)
    }

    /// A `[]interface {}`.
    pub fn list(items: Vec<Value>) -> Self {
        Self::typed_list(LIST, items)
    }

    /// A `[]string`.
    pub fn strings<T: Into<Text>>(items: impl IntoIterator<Item = T>) -> Self {
        Self::typed_list(STRINGS, items.into_iter().map(Value::string).collect())
    }

    /// A list of the type.
    pub fn typed_list(typ: Type, items: Vec<Value>) -> Self {
        Value::List(Rc::new(List { typ, items, nil: false }))
    }

    /// The nil slice of the type.
    pub fn nil_list(typ: Type) -> Self {
        Value::List(Rc::new(List { typ, items: Vec::new(), nil: true }))
    }

    /// A `map[string]interface {}`.
    pub fn map(entries: impl IntoIterator<Item = (Text, Value)>) -> Self {
        Self::typed_map(DICT, entries)
    }

    /// A map of the type.
    pub fn typed_map(typ: Type, entries: impl IntoIterator<Item = (Text, Value)>) -> Self {
        let entries = RefCell::new(entries.into_iter().collect());
        Value::Map(Rc::new(Map { typ, entries, nil: false }))
    }

    /// The nil map of the type.
    pub fn nil_map(typ: Type) -> Self {
        Value::Map(Rc::new(Map { typ, entries: RefCell::default(), nil: true }))
    }

    /// An object.
    pub fn object(object: impl Object) -> Self {
        Value::Object(Rc::new(object))
    }

    /// The value that a variable of the type has at first.
    pub fn zero(typ: Type) -> Self {
        match typ.under() {
            Type::Bool => Value::Bool(false),
            Type::Int(int) => Value::Int(int, 0),
            Type::Float => Value::Float(0.0),
            Type::Complex => Value::Complex(Rc::new((0.0, 0.0))),
            Type::String => Value::String(Text::default()),
            Type::List(_) => Value::nil_list(typ),
            Type::Map(_) => Value::nil_map(typ),
            _ => Value::Nil,
        }
    }

    /// Its type; nil has none and says `interface {}`.
    pub fn go_type(&self) -> Type {
        match self {
            Value::Nil => Type::Any,
            Value::Bool(_) => Type::Bool,
            Value::Int(int, _) => Type::Int(*int),
            Value::Float(_) => Type::Float,
            Value::Complex(_) => Type::Complex,
            Value::String(_) => Type::String,
            Value::Bytes(_) => BYTES,
            Value::List(list) => list.typ,
            Value::Map(map) => map.typ,
            Value::Func(_) => Type::Func,
            Value::Object(object) => object.go_type(),
        }
    }

    /// The word for its kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Nil => "invalid",
            other => other.go_type().kind(),
        }
    }

    /// What `%T` prints.
    pub fn type_name(&self) -> String {
        match self {
            Value::Nil => "<nil>".to_owned(),
            Value::Func(function) => function.signature(),
            other => other.go_type().to_string(),
        }
    }

    /// Whether `if` takes it for true.
    pub fn truth(&self) -> bool {
        match self {
            Value::Nil => false,
            Value::Bool(truth) => *truth,
            Value::Int(_, number) => *number != 0,
            Value::Float(number) => *number != 0.0,
            Value::Complex(number) => **number != (0.0, 0.0),
            Value::String(text) | Value::Bytes(text) => !text.is_empty(),
            Value::List(list) => !list.items.is_empty(),
            Value::Map(map) => !map.entries.borrow().is_empty(),
            Value::Func(_) => true,
            Value::Object(object) => object.truth(),
        }
    }

    /// The elements of a slice, each as a value of its own.
    pub fn elements(&self) -> Option<Vec<Value>> {
        match self {
            Value::List(list) => Some(list.items.clone()),
            Value::Bytes(bytes) => {
                Some(bytes.iter().map(|byte| Value::Int(Int::Uint8, i64::from(*byte))).collect())
            }
            _ => None,
        }
    }

    /// A method of the value.
    pub fn method(&self, name: &str) -> Option<&'static Method> {
        match self {
            Value::Object(object) => object.method(name),
            Value::Map(map) => match map.typ {
                Type::Named(named) => (named.methods)(name),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Map {
    /// An entry.
    pub fn get(&self, key: &[u8]) -> Option<Value> {
        self.entries.borrow().get(key).cloned()
    }
}
