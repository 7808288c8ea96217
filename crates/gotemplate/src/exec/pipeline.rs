//! Pipelines and commands.

use std::rc::Rc;

use super::call::Callee;
use super::error::At;
use super::{Exec, Walk};
use crate::parse::{Command, Number, Pipe, Term, TermKind, Variable};
use crate::value::{Operand, Value};

impl<'t> Exec<'t, '_, '_> {
    /// The value of a pipeline; its variables are declared or set.
    pub(super) fn pipeline(&mut self, dot: &Operand, pipe: &'t Pipe) -> Walk<Operand> {
        self.at = At::Pipe(pipe);
        let mut value: Option<Operand> = None;
        for command in &pipe.commands {
            let mut next = self.command(dot, command, value)?;
            // What comes out of an interface is seen as itself from here on.
            next.wrapped = false;
            value = Some(next);
        }
        let value = value.unwrap_or(Operand::INVALID);
        for variable in &pipe.variables {
            if pipe.assign {
                self.set_variable(variable, value.clone())?;
            } else {
                self.variables.push((variable.id, value.clone()));
            }
        }
        Ok(value)
    }

    pub(super) fn set_variable(&mut self, variable: &Variable, value: Operand) -> Walk {
        let own = self.variables.get_mut(self.base..).unwrap_or_default();
        match own.iter_mut().rev().find(|(id, _)| *id == variable.id) {
            Some((_, slot)) => {
                *slot = value;
                Ok(())
            }
            None => Err(self.fail(&format!("undefined variable: {}", variable.name))),
        }
    }

    fn variable(&self, variable: &Variable) -> Walk<Operand> {
        let own = self.variables.get(self.base..).unwrap_or_default();
        match own.iter().rev().find(|(id, _)| *id == variable.id) {
            Some((_, value)) => Ok(value.clone()),
            None => Err(self.fail(&format!("undefined variable: {}", variable.name))),
        }
    }

    fn command(&mut self, dot: &Operand, command: &'t Command, last: Option<Operand>) -> Walk<Operand> {
        let Some((first, args)) = command.args.split_first() else { return Ok(Operand::INVALID) };
        match &first.kind {
            TermKind::Field(fields) => {
                self.at = At::Term(first);
                return self.fields(dot, dot.clone(), first, fields, args, last);
            }
            TermKind::Chain(inner, fields) => return self.chain(dot, first, inner, fields, args, last),
            TermKind::Function(word) => {
                self.at = At::Term(first);
                let callee = Callee::Function(&word.function, word.special);
                return self.call(dot, &callee, At::Command(command), &word.name, args, last);
            }
            TermKind::Pipe(pipe) => {
                self.not_a_function(first, args, last.as_ref())?;
                return crate::run::with_stack(|| self.pipeline(dot, pipe));
            }
            TermKind::Variable(variable, fields) => {
                return self.variable_fields(dot, first, variable, fields, args, last);
            }
            _ => {}
        }
        self.at = At::Term(first);
        self.not_a_function(first, args, last.as_ref())?;
        match &first.kind {
            TermKind::Dot => Ok(dot.clone()),
            TermKind::Nil => Err(self.fail("nil is not a command")),
            _ => self.constant(first),
        }
    }

    fn not_a_function(&self, first: &Term, args: &[Term], last: Option<&Operand>) -> Walk {
        if args.is_empty() && last.is_none() {
            return Ok(());
        }
        Err(self.fail(&format!("can't give argument to non-function {first}")))
    }

    pub(super) fn variable_fields(
        &mut self,
        dot: &Operand,
        term: &'t Term,
        variable: &'t Variable,
        fields: &'t [crate::value::Text],
        args: &'t [Term],
        last: Option<Operand>,
    ) -> Walk<Operand> {
        self.at = At::Term(term);
        let value = self.variable(variable)?;
        if fields.is_empty() {
            self.not_a_function(term, args, last.as_ref())?;
            return Ok(value);
        }
        self.fields(dot, value, term, fields, args, last)
    }

    /// A constant without a type of its own.
    pub(super) fn constant(&mut self, term: &'t Term) -> Walk<Operand> {
        let value = match &term.kind {
            TermKind::Bool(truth) => Value::Bool(*truth),
            TermKind::String(text, _) => Value::String(text.clone()),
            TermKind::Number(number) => return self.number(term, number),
            _ => return Err(self.fail(&format!("can't evaluate command {term}"))),
        };
        Ok(Operand::plain(value))
    }

    fn number(&mut self, term: &'t Term, number: &Number) -> Walk<Operand> {
        self.at = At::Term(term);
        let value = match (number.complex, number.float, number.int) {
            (Some(complex), ..) => Value::Complex(Rc::new(complex)),
            (None, Some(float), _) if number.looks_float() => Value::Float(float),
            (None, _, Some(int)) => Value::int(int),
            _ if number.uint.is_some() => {
                return Err(self.fail(&format!("{} overflows int", number.text)));
            }
            _ => Value::Nil,
        };
        Ok(Operand::plain(value))
    }
}
