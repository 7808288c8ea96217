//! The tree of a template: compact, read-only, shared between threads. Every node knows where it stands.

use std::sync::Arc;

use super::number::Number;
use crate::function::Function;
use crate::value::Text;

/// A template's body, with what errors say of it.
pub struct Tree {
    /// Its name.
    pub name: Text,
    /// The name of the text that it was parsed from.
    pub parse_name: Text,
    /// That text.
    pub text: Arc<[u8]>,
    pub root: List,
}

pub struct List {
    pub pos: usize,
    pub nodes: Box<[Node]>,
}

pub enum Node {
    Text(usize, Box<[u8]>),
    Action(usize, Pipe),
    If(Box<Branch>),
    With(Box<Branch>),
    Range(Box<Branch>),
    Template(Box<Call>),
    Break(usize),
    Continue(usize),
}

pub struct Branch {
    pub pos: usize,
    pub pipe: Pipe,
    pub list: List,
    pub otherwise: Option<List>,
}

/// `{{template "name" pipe}}`
pub struct Call {
    pub pos: usize,
    pub name: Text,
    pub pipe: Option<Pipe>,
}

pub struct Pipe {
    pub pos: usize,
    pub assign: bool,
    pub variables: Box<[Variable]>,
    pub commands: Box<[Command]>,
}

/// A variable's name: as a number that is unique within the parsed text, and as written.
pub struct Variable {
    pub id: u32,
    pub name: Text,
}

pub struct Command {
    pub pos: usize,
    pub args: Box<[Term]>,
}

pub struct Term {
    pub pos: usize,
    pub kind: TermKind,
}

pub enum TermKind {
    Dot,
    Nil,
    Bool(bool),
    Number(Box<Number>),
    /// Its value, and as written.
    String(Text, Text),
    Field(Box<[Text]>),
    Variable(Variable, Box<[Text]>),
    Function(Box<Word>),
    Pipe(Box<Pipe>),
    Chain(Box<Term>, Box<[Text]>),
}

/// The name of a function, and the function.
pub struct Word {
    pub name: Text,
    pub function: Arc<Function>,
    pub special: Special,
}

/// The built-in functions that are not simply called.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Special {
    None,
    And,
    Or,
    Call,
}

impl List {
    /// Whether there is nothing in it but space.
    pub fn is_empty(&self) -> bool {
        self.nodes.iter().all(|node| match node {
            Node::Text(_, text) => text.trim_ascii().is_empty() && only_go_space(text),
            _ => false,
        })
    }
}

/// Go trims Unicode's spaces; beyond ASCII these are few.
fn only_go_space(text: &[u8]) -> bool {
    String::from_utf8_lossy(text).trim().is_empty()
}
