//! Text to trees.
//!
//! In: a name, the text of a template and the functions it may call. Out: the trees that the text defines, its
//! own and those of `define` and `block`; or Go's own words for what is wrong with it.

mod build;
mod control;
mod item;
mod lex;
mod literal;
mod number;
mod show;
mod tokens;
mod tree;

use std::sync::Arc;

pub use number::Number;
pub use tree::{Branch, Call, Command, List, Node, Pipe, Special, Term, TermKind, Tree, Variable};

use crate::function::Functions;
use crate::value::Text;
use build::Parser;

/// The delimiters of actions; empty ones are `{{` and `}}`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delimiters {
    /// What opens an action.
    pub left: String,
    /// What closes it.
    pub right: String,
}

/// The trees that a text defines, in the order in which they end; its own comes last. The error is Go's text.
pub fn parse(
    name: &Text,
    text: &[u8],
    delimiters: &Delimiters,
    functions: &Functions,
) -> Result<Vec<Arc<Tree>>, String> {
    let shared: Arc<[u8]> = Arc::from(text);
    Parser::new(name.clone(), text, shared, delimiters, functions).run()
}
