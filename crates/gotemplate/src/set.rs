//! Templates by name, which can call each other.

use std::collections::HashMap;
use std::sync::Arc;

use crate::error::Error;
use crate::exec;
use crate::fmt::quote;
use crate::function::Functions;
use crate::parse::{self, Delimiters, Tree};
use crate::run::Run;
use crate::value::{Text, Value};

/// What a key that a map does not have gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissingKey {
    /// No value.
    #[default]
    Invalid,
    /// The zero value of the map's elements.
    Zero,
    /// An error.
    Error,
}

/// A set of templates that know each other, the functions they call and their options. A clone shares the trees.
#[derive(Clone, Default)]
pub struct Templates {
    trees: HashMap<Text, Arc<Tree>>,
    functions: Arc<Functions>,
    /// What a missing key gives.
    pub missing_key: MissingKey,
    /// The delimiters of actions.
    pub delimiters: Delimiters,
}

impl Templates {
    /// No templates yet.
    pub fn new(functions: Arc<Functions>) -> Self {
        Self { functions, ..Self::default() }
    }

    /// Parses a text; its own template and all that it defines are added. A definition of nothing but space
    /// does not replace another.
    pub fn parse(&mut self, name: &str, text: &[u8]) -> Result<(), Error> {
        let name = Text::from(name);
        let trees = parse::parse(&name, text, &self.delimiters, &self.functions).map_err(Error::Parse)?;
        for tree in trees {
            let old = self.trees.get(&tree.name);
            if old.is_none() || !tree.root.is_empty() {
                self.trees.insert(tree.name.clone(), tree);
            }
        }
        Ok(())
    }

    /// The names of all templates, in no order.
    pub fn names(&self) -> impl Iterator<Item = &Text> {
        self.trees.keys()
    }

    /// Whether there is a template of the name.
    pub fn contains(&self, name: &[u8]) -> bool {
        self.trees.contains_key(name)
    }

    pub(crate) fn find(&self, name: &[u8]) -> Option<&Arc<Tree>> {
        self.trees.get(name)
    }

    /// A template's tree as text, its texts in quotes: for comparisons with Go's parser.
    pub fn show(&self, name: &[u8]) -> Option<String> {
        self.find(name).map(|tree| format!("{:#}", tree.root))
    }

    /// Executes a template; what it prints.
    pub fn execute(&self, name: &str, dot: Value, run: &mut Run<'_>) -> Result<Vec<u8>, Error> {
        self.execute_in(name.as_bytes(), dot, run)
    }

    pub(crate) fn execute_in(&self, name: &[u8], dot: Value, run: &mut Run<'_>) -> Result<Vec<u8>, Error> {
        let Some(tree) = self.find(name) else {
            let quoted = quote::quoted(name);
            return Err(Error::Execute {
                template: String::from_utf8_lossy(name).into_owned(),
                message: format!("template: no template {quoted} associated with template \"gotpl\""),
            });
        };
        exec::execute(self, tree, dot, run)
    }
}
