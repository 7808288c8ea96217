//! Fields: of maps, of objects, and methods.

use super::call::Callee;
use super::error::At;
use super::{Exec, Walk};
use crate::fmt::quote;
use crate::parse::{Term, TermKind};
use crate::set::MissingKey;
use crate::value::{Operand, Text, Type, Value};

impl<'t> Exec<'t, '_, '_> {
    pub(super) fn chain(
        &mut self,
        dot: &Operand,
        term: &'t Term,
        inner: &'t Term,
        fields: &'t [Text],
        args: &'t [Term],
        last: Option<Operand>,
    ) -> Walk<Operand> {
        self.at = At::Term(term);
        if matches!(inner.kind, TermKind::Nil) {
            return Err(self.fail(&format!("indirection through explicit nil in {term}")));
        }
        let receiver = self.argument(dot, None, inner)?;
        self.fields(dot, receiver, term, fields, args, last)
    }

    /// Field after field; arguments are for the last one.
    pub(super) fn fields(
        &mut self,
        dot: &Operand,
        mut receiver: Operand,
        term: &'t Term,
        fields: &'t [Text],
        args: &'t [Term],
        last: Option<Operand>,
    ) -> Walk<Operand> {
        let Some((name, before)) = fields.split_last() else { return Ok(receiver) };
        for field in before {
            receiver = self.field(dot, field, term, &[], None, receiver)?;
        }
        self.field(dot, name, term, args, last, receiver)
    }

    fn field(
        &mut self,
        dot: &Operand,
        name: &'t Text,
        term: &'t Term,
        args: &'t [Term],
        last: Option<Operand>,
        receiver: Operand,
    ) -> Walk<Operand> {
        let has_args = !args.is_empty() || last.is_some();
        // By far the most: an entry of a plain map.
        if let Value::Map(map) = &receiver.value
            && !has_args
            && !matches!(map.typ, Type::Named(_))
            && let Some(value) = map.get(name)
        {
            return Ok(Operand::of(value, map.typ.element()));
        }
        if receiver.is_invalid() {
            if self.templates.missing_key == MissingKey::Error {
                let key = quote::quoted(name);
                return Err(self.fail(&format!("nil data; no entry for key {key}")));
            }
            return Ok(Operand::INVALID);
        }
        let typ = receiver.static_type();
        let mut value = receiver.value;
        if matches!(value, Value::Nil) {
            return Err(self.fail(&format!("nil pointer evaluating {typ}.{name}")));
        }
        let written = name.to_string();
        if value.method(&written).is_none() {
            value = pointed_to(value);
        }
        if let Some(method) = value.method(&written) {
            let callee = Callee::Method(method, value);
            return self.call(dot, &callee, At::Term(term), name, args, last);
        }
        match &value {
            Value::Map(map) => {
                if has_args {
                    return Err(self.fail(&format!("{name} is not a method but has arguments")));
                }
                if let Some(found) = map.get(name) {
                    return Ok(Operand::of(found, map.typ.element()));
                }
                let element = map.typ.element();
                match self.templates.missing_key {
                    MissingKey::Invalid => Ok(Operand::INVALID),
                    MissingKey::Zero => Ok(Operand::of(Value::zero(element), element)),
                    MissingKey::Error => {
                        let key = quote::quoted(name);
                        Err(self.fail(&format!("map has no entry for key {key}")))
                    }
                }
            }
            Value::Object(object) => match object.field(&written) {
                Some(_) if has_args => {
                    Err(self.fail(&format!("{name} has arguments but cannot be invoked as function")))
                }
                Some(field) => Ok(field),
                None => Err(self.no_field(name, typ)),
            },
            _ => Err(self.no_field(name, typ)),
        }
    }

    fn no_field(&self, name: &Text, typ: Type) -> super::Flow {
        self.fail(&format!("can't evaluate field {name} in type {typ}"))
    }
}

/// What a pointer, or a pointer to one, points to.
pub(crate) fn pointed_to(mut value: Value) -> Value {
    while let Value::Object(object) = &value {
        let Some(target) = object.target() else { break };
        value = target.value;
    }
    value
}
