//! Calls of functions and methods.

use std::sync::Arc;

use smallvec::SmallVec;

use super::argument::narrowed;
use super::error::At;
use super::{Exec, Walk};
use crate::function::{Args, Fault, Function, Operands};
use crate::parse::{Special, Term};
use crate::run::Scope;
use crate::value::{Method, Operand, Text, Type, Value};

/// What is called.
pub(super) enum Callee<'c> {
    Function(&'c Arc<Function>, Special),
    Method(&'static Method, Value),
}

impl Callee<'_> {
    fn params(&self) -> (&'static [Type], Option<Type>) {
        match self {
            Callee::Function(function, _) => (function.params, function.variadic),
            Callee::Method(method, _) => (method.params, method.variadic),
        }
    }

    fn call(&self, scope: &mut Scope<'_, '_>, args: Operands) -> Result<Operand, Fault> {
        match self {
            Callee::Function(function, _) => function.call(scope, args),
            Callee::Method(method, receiver) => {
                let values: SmallVec<[Value; 6]> = args.into_iter().map(|arg| arg.value).collect();
                (method.call)(receiver, scope, Args(&values)).map(|value| Operand::of(value, method.returns))
            }
        }
    }
}

impl<'t> Exec<'t, '_, '_> {
    /// Calls with terms as arguments, and what came through the pipe as the last one.
    pub(super) fn call(
        &mut self,
        dot: &Operand,
        callee: &Callee<'_>,
        node: At<'t>,
        name: &Text,
        args: &'t [Term],
        last: Option<Operand>,
    ) -> Walk<Operand> {
        let (params, variadic) = callee.params();
        let count = args.len() + usize::from(last.is_some());
        if variadic.is_some() && count < params.len() {
            let fewest = params.len();
            let got = args.len();
            return Err(
                self.fail(&format!("wrong number of args for {name}: want at least {fewest} got {got}"))
            );
        }
        if variadic.is_none() && count != params.len() {
            let want = params.len();
            return Err(self.fail(&format!("wrong number of args for {name}: want {want} got {count}")));
        }
        if let Callee::Function(_, special @ (Special::And | Special::Or)) = callee {
            return self.and_or(dot, *special, args, last);
        }
        let typ = |index: usize| params.get(index).copied().or(variadic);
        let mut values = Operands::new();
        for (index, arg) in args.iter().enumerate() {
            let value = self.argument(dot, typ(index), arg)?;
            values.push(value);
        }
        if let Some(last) = last {
            values.push(self.validated(last, typ(args.len()))?);
        }
        let mut scope = Scope { templates: self.templates, run: self.run };
        let result = match callee {
            Callee::Function(_, Special::Call) => {
                let callee = match args.first() {
                    Some(first) => first.to_string(),
                    None => values.first().map(described).unwrap_or_default(),
                };
                call_value(&mut scope, &callee, values)
            }
            _ => callee.call(&mut scope, values),
        };
        result.map_err(|Fault(message)| {
            self.at = node;
            self.fail(&format!("error calling {name}: {message}"))
        })
    }

    /// The first argument that decides, or the last; those behind it are not evaluated.
    fn and_or(
        &mut self,
        dot: &Operand,
        special: Special,
        args: &'t [Term],
        last: Option<Operand>,
    ) -> Walk<Operand> {
        let mut value = Operand::INVALID;
        for arg in args {
            value = self.argument(dot, Some(Type::Reflect), arg)?;
            if value.value.truth() == (special == Special::Or) {
                return Ok(value);
            }
        }
        Ok(last.unwrap_or(value))
    }
}

/// As Go's reflection describes a value in words.
fn described(operand: &Operand) -> String {
    match &operand.value {
        Value::String(text) => text.to_string(),
        Value::Nil => "<invalid Value>".to_owned(),
        other => format!("<{} Value>", other.type_name()),
    }
}

/// The built-in function `call`: a value that is a function.
fn call_value(scope: &mut Scope<'_, '_>, name: &str, mut args: Operands) -> Result<Operand, Fault> {
    if args.is_empty() {
        return Err("call of nil".into());
    }
    let callee = args.remove(0);
    let function = match &callee.value {
        Value::Nil => return Err("call of nil".into()),
        Value::Func(function) => function,
        other => return Err(format!("non-function {name} of type {}", other.type_name()).into()),
    };
    let (want, got) = (function.params.len(), args.len());
    if function.variadic.is_some() && got < want {
        return Err(format!("wrong number of args for {name}: got {got} want at least {want}").into());
    }
    if function.variadic.is_none() && got != want {
        return Err(format!("wrong number of args for {name}: got {got} want {want}").into());
    }
    for (index, arg) in args.iter_mut().enumerate() {
        let Some(typ) = function.params.get(index).copied().or(function.variadic) else { break };
        prepare(arg, typ).map_err(|message| Fault(format!("arg {index}: {message}")))?;
    }
    function.call(scope, args)
}

/// A value where the type is asked for; integers are converted.
pub(crate) fn prepare(operand: &mut Operand, typ: Type) -> Result<(), String> {
    operand.wrapped = false;
    if matches!(operand.value, Value::Nil) {
        if !typ.can_be_nil() {
            return Err(format!("value is nil; should be of type {typ}"));
        }
        operand.value = Value::zero(typ);
        return Ok(());
    }
    if operand.value.go_type().assignable_to(typ) {
        return Ok(());
    }
    match (&operand.value, typ.under()) {
        (Value::Int(_, number), Type::Int(int)) => {
            operand.value = Value::Int(int, narrowed(int, *number));
            Ok(())
        }
        _ => Err(format!("value has type {}; should be {typ}", operand.value.type_name())),
    }
}
