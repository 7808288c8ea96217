//! Nodes as text, as Go's errors show them.

use std::fmt::{self, Display, Formatter};

use super::tree::{Branch, Call, Command, List, Node, Pipe, Term, TermKind};
use crate::fmt::quote;
use crate::value::Text;

impl Display for List {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.nodes.iter().try_for_each(|node| node.fmt(f))
    }
}

impl Display for Node {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            // The alternate form quotes text, for tests.
            Node::Text(_, text) if f.alternate() => f.write_str(&quote::quoted(text)),
            Node::Text(_, text) => f.write_str(&String::from_utf8_lossy(text)),
            Node::Action(_, pipe) => write!(f, "{{{{{pipe}}}}}"),
            Node::If(branch) => show_branch(f, "if", branch),
            Node::With(branch) => show_branch(f, "with", branch),
            Node::Range(branch) => show_branch(f, "range", branch),
            Node::Template(call) => call.fmt(f),
            Node::Break(_) => f.write_str("{{break}}"),
            Node::Continue(_) => f.write_str("{{continue}}"),
        }
    }
}

fn show_branch(f: &mut Formatter<'_>, word: &str, branch: &Branch) -> fmt::Result {
    write!(f, "{{{{{word} {}}}}}", branch.pipe)?;
    branch.list.fmt(f)?;
    if let Some(otherwise) = &branch.otherwise {
        f.write_str("{{else}}")?;
        otherwise.fmt(f)?;
    }
    f.write_str("{{end}}")
}

impl Display for Call {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{{{{template {}", quote::quoted(&self.name))?;
        if let Some(pipe) = &self.pipe {
            write!(f, " {pipe}")?;
        }
        f.write_str("}}")
    }
}

impl Display for Pipe {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, variable) in self.variables.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            write!(f, "{comma}{}", variable.name)?;
        }
        if !self.variables.is_empty() {
            f.write_str(if self.assign { " = " } else { " := " })?;
        }
        for (index, command) in self.commands.iter().enumerate() {
            let bar = if index > 0 { " | " } else { "" };
            write!(f, "{bar}{command}")?;
        }
        Ok(())
    }
}

impl Display for Command {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, arg) in self.args.iter().enumerate() {
            if index > 0 {
                f.write_str(" ")?;
            }
            show_in_parens(f, arg)?;
        }
        Ok(())
    }
}

fn show_in_parens(f: &mut Formatter<'_>, term: &Term) -> fmt::Result {
    match &term.kind {
        TermKind::Pipe(pipe) => write!(f, "({pipe})"),
        _ => term.fmt(f),
    }
}

fn show_fields(f: &mut Formatter<'_>, fields: &[Text]) -> fmt::Result {
    fields.iter().try_for_each(|field| write!(f, ".{field}"))
}

impl Display for Term {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            TermKind::Dot => f.write_str("."),
            TermKind::Nil => f.write_str("nil"),
            TermKind::Bool(truth) => truth.fmt(f),
            TermKind::Number(number) => f.write_str(&number.text),
            TermKind::String(_, written) => written.fmt(f),
            TermKind::Field(fields) => show_fields(f, fields),
            TermKind::Variable(variable, fields) => {
                variable.name.fmt(f)?;
                show_fields(f, fields)
            }
            TermKind::Function(word) => word.name.fmt(f),
            TermKind::Pipe(pipe) => pipe.fmt(f),
            TermKind::Chain(term, fields) => {
                show_in_parens(f, term)?;
                show_fields(f, fields)
            }
        }
    }
}
