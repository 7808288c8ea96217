//! Go's types, as far as templates meet them: their names, their kinds, and what may be assigned to what.

use std::fmt;

use super::method::Method;

/// The integer types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "Go's own names")]
pub enum Int {
    Int,
    Int8,
    Int16,
    Int32,
    Int64,
    Uint,
    Uint8,
    Uint16,
    Uint32,
    Uint64,
    Uintptr,
}

impl Int {
    /// Whether it can be negative.
    pub fn signed(self) -> bool {
        matches!(self, Int::Int | Int::Int8 | Int::Int16 | Int::Int32 | Int::Int64)
    }

    fn name(self) -> &'static str {
        match self {
            Int::Int => "int",
            Int::Int8 => "int8",
            Int::Int16 => "int16",
            Int::Int32 => "int32",
            Int::Int64 => "int64",
            Int::Uint => "uint",
            Int::Uint8 => "uint8",
            Int::Uint16 => "uint16",
            Int::Uint32 => "uint32",
            Int::Uint64 => "uint64",
            Int::Uintptr => "uintptr",
        }
    }
}

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// `interface {}`
    Any,
    /// `bool`
    Bool,
    /// An integer.
    Int(Int),
    /// `float64`
    Float,
    /// `complex128`
    Complex,
    /// `string`
    String,
    /// A slice of the type.
    List(&'static Type),
    /// A map from strings to the type.
    Map(&'static Type),
    /// A type with a name of its own over another, and methods.
    Named(&'static Named),
    /// A struct, by its name.
    Struct(&'static str),
    /// A pointer to a struct, by the struct's name.
    Pointer(&'static str),
    /// A function; its parameters are not told apart.
    Func,
    /// `reflect.Value`: the parameter of a built-in function that looks at values as they are.
    Reflect,
}

/// A type with a name.
pub struct Named {
    /// For example `chartutil.Values`.
    pub name: &'static str,
    /// What it is made of.
    pub under: Type,
    /// Its methods.
    pub methods: fn(&str) -> Option<&'static Method>,
}

impl PartialEq for Named {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Named {}

impl fmt::Debug for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// `[]interface {}`
pub const LIST: Type = Type::List(&Type::Any);
/// `[]string`
pub const STRINGS: Type = Type::List(&Type::String);
/// `[]int`
pub const INTS: Type = Type::List(&INT);
/// `[]uint8`
pub const BYTES: Type = Type::List(&Type::Int(Int::Uint8));
/// `map[string]interface {}`
pub const DICT: Type = Type::Map(&Type::Any);
/// `map[string]string`
pub const STRING_MAP: Type = Type::Map(&Type::String);
/// `int`
pub const INT: Type = Type::Int(Int::Int);
/// `int64`
pub const INT64: Type = Type::Int(Int::Int64);

impl Type {
    /// The type that it is made of.
    #[must_use]
    pub fn under(self) -> Type {
        match self {
            Type::Named(named) => named.under,
            other => other,
        }
    }

    /// The word for its kind, as Go's `reflect` says it.
    pub fn kind(self) -> &'static str {
        match self {
            Type::Any => "interface",
            Type::Bool => "bool",
            Type::Int(int) => int.name(),
            Type::Float => "float64",
            Type::Complex => "complex128",
            Type::String => "string",
            Type::List(_) => "slice",
            Type::Map(_) => "map",
            Type::Named(named) => named.under.kind(),
            Type::Struct(_) | Type::Reflect => "struct",
            Type::Pointer(_) => "ptr",
            Type::Func => "func",
        }
    }

    /// What an element of a list or map has as its type.
    #[must_use]
    pub fn element(self) -> Type {
        match self.under() {
            Type::List(element) | Type::Map(element) => *element,
            Type::String => Type::Int(Int::Uint8),
            _ => Type::Any,
        }
    }

    /// Whether nil is a value of it.
    pub fn can_be_nil(self) -> bool {
        matches!(
            self.under(),
            Type::Any | Type::List(_) | Type::Map(_) | Type::Pointer(_) | Type::Func | Type::Reflect
        )
    }

    /// Whether a value of this type may be given where `to` is asked for.
    pub fn assignable_to(self, to: Type) -> bool {
        self == to || to == Type::Any || {
            // Of two types with the same structure one may have a name, but not both.
            let one_has_no_name = !matches!((self, to), (Type::Named(_), Type::Named(_)));
            let composite = matches!(self.under(), Type::List(_) | Type::Map(_) | Type::Func);
            one_has_no_name && composite && self.under() == to.under()
        }
    }
}

/// As Go writes it.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Any => f.write_str("interface {}"),
            Type::List(element) => write!(f, "[]{element}"),
            Type::Map(element) => write!(f, "map[string]{element}"),
            Type::Named(named) => f.write_str(named.name),
            Type::Struct(name) => f.write_str(name),
            Type::Pointer(name) => write!(f, "*{name}"),
            Type::Func => f.write_str("func()"),
            Type::Reflect => f.write_str("reflect.Value"),
            simple => f.write_str(simple.kind()),
        }
    }
}
