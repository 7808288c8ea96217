//! Where an execution is, and errors that say so.

use super::{Exec, Flow};
use crate::error::Error;
use crate::fmt::quote;
use crate::parse::{Command, List, Node, Pipe, Term};

/// The node that was looked at last.
#[derive(Clone, Copy)]
pub enum At<'t> {
    List(&'t List),
    Node(&'t Node),
    Pipe(&'t Pipe),
    Command(&'t Command),
    Term(&'t Term),
}

impl At<'_> {
    fn pos(self) -> usize {
        match self {
            At::List(list) => list.pos,
            At::Node(Node::Text(pos, _) | Node::Action(pos, _) | Node::Break(pos) | Node::Continue(pos)) => {
                *pos
            }
            At::Node(Node::If(branch) | Node::With(branch) | Node::Range(branch)) => branch.pos,
            At::Node(Node::Template(call)) => call.pos,
            At::Pipe(pipe) => pipe.pos,
            At::Command(command) => command.pos,
            At::Term(term) => term.pos,
        }
    }

    fn shown(self) -> String {
        match self {
            At::List(list) => list.to_string(),
            At::Node(node) => node.to_string(),
            At::Pipe(pipe) => pipe.to_string(),
            At::Command(command) => command.to_string(),
            At::Term(term) => term.to_string(),
        }
    }
}

impl Exec<'_, '_, '_> {
    /// An error at the node that was looked at last.
    pub(super) fn fail(&self, message: &str) -> Flow {
        let pos = self.at.pos();
        let before = self.tree.text.get(..pos).unwrap_or_default();
        let line = 1 + memchr::memchr_iter(b'\n', before).count();
        let column = memchr::memrchr(b'\n', before).map_or(pos, |newline| pos - newline - 1);
        let name = quote::quoted(&self.tree.name);
        let message = format!(
            "template: {}:{line}:{column}: executing {name} at <{}>: {message}",
            self.tree.parse_name,
            self.at.shown()
        );
        Flow::Error(Box::new(Error::Execute { template: self.tree.name.to_string(), message }))
    }
}
