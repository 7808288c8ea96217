//! Functions that templates call: their parameters in Go's types, so that errors come out in Go's words.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::parse::Special;
use crate::run::Scope;
use crate::value::{DICT, Map, Operand, Text, Type, Value};

/// Why a function failed, in its own words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault(pub String);

impl From<String> for Fault {
    fn from(message: String) -> Self {
        Self(message)
    }
}

impl From<&str> for Fault {
    fn from(message: &str) -> Self {
        Self(message.to_owned())
    }
}

/// Arguments before a call; few calls have more than six.
pub(crate) type Operands = SmallVec<[Operand; 6]>;

type Call = dyn Fn(&mut Scope<'_, '_>, Args<'_>) -> Result<Value, Fault> + Send + Sync;
type Look = fn(&[Operand]) -> Result<Operand, Fault>;

/// What a function does.
enum Body {
    /// With values.
    Call(Box<Call>),
    /// With values as Go's reflection sees them; only built-in functions do.
    Look(Look),
}

/// A function with its parameters and the type of its result.
pub struct Function {
    pub(crate) params: &'static [Type],
    pub(crate) variadic: Option<Type>,
    pub(crate) returns: Type,
    body: Body,
}

impl Function {
    /// A function of exactly these parameters.
    pub fn new(
        params: &'static [Type],
        returns: Type,
        call: impl Fn(&mut Scope<'_, '_>, Args<'_>) -> Result<Value, Fault> + Send + Sync + 'static,
    ) -> Self {
        Self { params, variadic: None, returns, body: Body::Call(Box::new(call)) }
    }

    /// A function that takes any number of further arguments of a type.
    #[must_use]
    pub fn variadic(mut self, further: Type) -> Self {
        self.variadic = Some(further);
        self
    }

    pub(crate) fn look(params: &'static [Type], variadic: Option<Type>, returns: Type, look: Look) -> Self {
        Self { params, variadic, returns, body: Body::Look(look) }
    }

    pub(crate) fn call(&self, scope: &mut Scope<'_, '_>, args: Operands) -> Result<Operand, Fault> {
        match &self.body {
            Body::Call(call) => {
                let values: SmallVec<[Value; 6]> = args.into_iter().map(|arg| arg.value).collect();
                call(scope, Args(&values)).map(|value| Operand::of(value, self.returns))
            }
            Body::Look(look) => look(&args),
        }
    }

    /// As `%T` prints it.
    pub(crate) fn signature(&self) -> String {
        let further = self.variadic.map(|typ| format!("...{typ}"));
        let params: Vec<String> = self.params.iter().map(Type::to_string).chain(further).collect();
        format!("func({}) {}", params.join(", "), self.returns)
    }
}

/// The arguments of a call, whose number and types have been checked.
#[derive(Clone, Copy)]
pub struct Args<'a>(pub &'a [Value]);

impl<'a> Args<'a> {
    /// An argument as it is; nil when there are not so many.
    pub fn value(self, index: usize) -> &'a Value {
        self.0.get(index).unwrap_or(&Value::Nil)
    }

    /// A string.
    pub fn text(self, index: usize) -> &'a [u8] {
        match self.0.get(index) {
            Some(Value::String(text) | Value::Bytes(text)) => text,
            _ => &[],
        }
    }

    /// A string, to be kept.
    pub fn shared(self, index: usize) -> Text {
        match self.0.get(index) {
            Some(Value::String(text)) => text.clone(),
            _ => Text::default(),
        }
    }

    /// An integer.
    pub fn int(self, index: usize) -> i64 {
        match self.0.get(index) {
            Some(Value::Int(_, number)) => *number,
            _ => 0,
        }
    }

    /// A truth.
    pub fn truth(self, index: usize) -> bool {
        matches!(self.0.get(index), Some(Value::Bool(true)))
    }

    /// A map; nil is an empty one.
    pub fn map(self, index: usize) -> Rc<Map> {
        match self.0.get(index) {
            Some(Value::Map(map)) => Rc::clone(map),
            _ => Rc::new(Map { typ: DICT, entries: RefCell::default(), nil: true }),
        }
    }

    /// The arguments from one on.
    pub fn rest(self, from: usize) -> &'a [Value] {
        self.0.get(from..).unwrap_or_default()
    }
}

/// Functions by name. Those of Go itself are always there, and others of the same name hide them.
#[derive(Clone, Default)]
pub struct Functions {
    all: HashMap<Text, Arc<Function>>,
}

impl Functions {
    /// Adds a function, or puts it in another's place.
    pub fn add(&mut self, name: &str, function: Function) {
        self.all.insert(Text::from(name), Arc::new(function));
    }

    /// Takes one away.
    pub fn remove(&mut self, name: &str) {
        self.all.remove(name.as_bytes());
    }

    /// A function that was added.
    pub fn get(&self, name: &[u8]) -> Option<&Arc<Function>> {
        self.all.get(name)
    }

    /// The names of all that were added, in no order.
    pub fn names(&self) -> impl Iterator<Item = &Text> {
        self.all.keys()
    }

    pub(crate) fn find(&self, name: &[u8]) -> Option<(Arc<Function>, Special)> {
        match self.all.get(name) {
            Some(function) => Some((Arc::clone(function), Special::None)),
            None => crate::builtin::find(name),
        }
    }
}
