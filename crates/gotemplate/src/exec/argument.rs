//! Arguments: each is evaluated for the type of its parameter.

use std::rc::Rc;

use super::call::Callee;
use super::error::At;
use super::{Exec, Flow, Walk};
use crate::parse::{Number, Term, TermKind};
use crate::value::{Int, Operand, Type, Value};

impl<'t> Exec<'t, '_, '_> {
    /// The value of a term where the type is asked for; none is asked for before a field.
    pub(super) fn argument(&mut self, dot: &Operand, typ: Option<Type>, term: &'t Term) -> Walk<Operand> {
        self.at = At::Term(term);
        let operand = match &term.kind {
            TermKind::Dot => dot.clone(),
            TermKind::Nil => {
                return match typ {
                    Some(typ) if typ.can_be_nil() => Ok(zero(typ)),
                    _ => Err(self.fail(&format!("cannot assign nil to {}", typ.unwrap_or(Type::Any)))),
                };
            }
            TermKind::Field(fields) => self.fields(dot, dot.clone(), term, fields, &[], None)?,
            TermKind::Variable(variable, fields) => {
                self.variable_fields(dot, term, variable, fields, &[], None)?
            }
            TermKind::Pipe(pipe) => crate::run::with_stack(|| self.pipeline(dot, pipe))?,
            TermKind::Function(word) => {
                let callee = Callee::Function(&word.function, word.special);
                self.call(dot, &callee, At::Term(term), &word.name, &[], None)?
            }
            TermKind::Chain(inner, fields) => self.chain(dot, term, inner, fields, &[], None)?,
            TermKind::Bool(_) | TermKind::Number(_) | TermKind::String(..) => {
                return self.literal(typ.unwrap_or(Type::Any), term);
            }
        };
        self.validated(operand, typ)
    }

    /// A value where the type is asked for; Go converts nothing.
    pub(super) fn validated(&self, operand: Operand, typ: Option<Type>) -> Walk<Operand> {
        let Some(typ) = typ else { return Ok(operand) };
        if operand.is_invalid() {
            return if typ.can_be_nil() {
                Ok(zero(typ))
            } else {
                Err(self.fail(&format!("invalid value; expected {typ}")))
            };
        }
        match typ {
            Type::Reflect => return Ok(operand),
            Type::Any => return Ok(Operand { wrapped: true, ..operand }),
            _ => {}
        }
        if matches!(operand.value, Value::Nil) {
            return Err(self.wrong_type(typ, &operand.static_type().to_string()));
        }
        if operand.value.go_type().assignable_to(typ) {
            return Ok(Operand::plain(operand.value));
        }
        if let Value::Object(object) = &operand.value
            && let Some(target) = object.target()
            && target.value.go_type().assignable_to(typ)
        {
            return Ok(Operand::plain(target.value));
        }
        Err(self.wrong_type(typ, &operand.value.type_name()))
    }

    fn wrong_type(&self, expected: Type, got: &str) -> Flow {
        self.fail(&format!("wrong type for value; expected {expected}; got {got}"))
    }

    fn literal(&mut self, typ: Type, term: &'t Term) -> Walk<Operand> {
        let expected = |word: &str| format!("expected {word}; found {term}");
        let number: Option<&Number> = match &term.kind {
            TermKind::Number(number) => Some(number),
            _ => None,
        };
        let value = match typ.under() {
            Type::Any => {
                return self.constant(term).map(|operand| Operand { wrapped: true, ..operand });
            }
            Type::Reflect => return self.constant(term),
            Type::Bool => match &term.kind {
                TermKind::Bool(truth) => Ok(Value::Bool(*truth)),
                _ => Err(expected("bool")),
            },
            Type::String => match &term.kind {
                TermKind::String(text, _) => Ok(Value::String(text.clone())),
                _ => Err(expected("string")),
            },
            Type::Int(int) if int.signed() => {
                let number = number.and_then(|number| number.int);
                number.map(|number| Value::Int(int, narrowed(int, number))).ok_or_else(|| expected("integer"))
            }
            Type::Int(int) => {
                let number = number.and_then(|number| number.uint).map(u64::cast_signed);
                number
                    .map(|number| Value::Int(int, narrowed(int, number)))
                    .ok_or_else(|| expected("unsigned integer"))
            }
            Type::Float => {
                number.and_then(|number| number.float).map(Value::Float).ok_or_else(|| expected("float"))
            }
            Type::Complex => {
                let complex = number.and_then(|number| number.complex);
                complex.map(|complex| Value::Complex(Rc::new(complex))).ok_or_else(|| expected("complex"))
            }
            _ => Err(format!("can't handle {term} for arg of type {typ}")),
        };
        value.map(Operand::plain).map_err(|message| self.fail(&message))
    }
}

/// The value of a parameter of the type that got nil.
fn zero(typ: Type) -> Operand {
    match typ {
        Type::Reflect => Operand::INVALID,
        typ => Operand::of(Value::zero(typ), typ),
    }
}

/// As many bits as the type has.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_lossless,
    reason = "Go's reflection cuts bits off"
)]
pub(super) fn narrowed(int: Int, number: i64) -> i64 {
    match int {
        Int::Int8 => number as i8 as i64,
        Int::Int16 => number as i16 as i64,
        Int::Int32 => number as i32 as i64,
        Int::Uint8 => number as u8 as i64,
        Int::Uint16 => number as u16 as i64,
        Int::Uint32 => number as u32 as i64,
        Int::Int | Int::Int64 | Int::Uint | Int::Uint64 | Int::Uintptr => number,
    }
}
