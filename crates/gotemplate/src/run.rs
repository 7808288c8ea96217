//! What a run of templates has beside them: limits, the outside world, and the caller's own state.

use std::any::Any;

use crate::environment::Environment;
use crate::error::Error;
use crate::set::Templates;
use crate::value::Value;

/// How far templates may go.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How deep templates may call each other.
    pub depth: usize,
    /// How many bytes all of them may print, results of functions included.
    pub output: usize,
    /// How many nodes may be executed.
    pub steps: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 100_000, output: 1 << 28, steps: 1 << 32 }
    }
}

/// One run: what is left of the limits, the outside world, and what the caller's functions keep.
pub struct Run<'h> {
    /// The limits.
    pub limits: Limits,
    /// Time, chance and hosts.
    pub environment: &'h Environment,
    /// What functions of the caller need; they know its type.
    pub host: &'h mut dyn Any,
    pub(crate) depth: usize,
    pub(crate) printed: usize,
    pub(crate) steps: u64,
}

impl<'h> Run<'h> {
    /// A run with the usual limits.
    pub fn new(environment: &'h Environment, host: &'h mut dyn Any) -> Self {
        Self { limits: Limits::default(), environment, host, depth: 0, printed: 0, steps: 0 }
    }
}

/// What a function sees of the run that it is called in.
pub struct Scope<'s, 'h> {
    /// The templates at hand.
    pub templates: &'s Templates,
    /// The run.
    pub run: &'s mut Run<'h>,
}

impl Scope<'_, '_> {
    /// Executes a template of the same set; what it prints.
    pub fn execute(&mut self, name: &[u8], dot: Value) -> Result<Vec<u8>, Error> {
        self.run.depth += 1;
        let done = self.templates.execute_in(name, dot, self.run);
        self.run.depth -= 1;
        done
    }
}

/// Goes deeper with enough stack left, however deep it is already.
pub(crate) fn with_stack<T>(deeper: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, deeper)
}
