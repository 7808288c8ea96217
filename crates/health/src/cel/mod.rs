//! Health by expressions in CEL, as Flux's `healthCheckExprs` have them.
//!
//! In: for each kind an expression that is true when an object is current, and maybe others for in progress and
//! failed. Out: a status in kstatus' words. An object's root fields are the variables: `status.phase == "Done"`.
//!
//! ```text
//! observedGeneration differs -> inProgress -> failed -> current -> in progress
//! ```

mod guard;
mod library;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;

use cel::objects::Key;
use cel::{Context, Value};
use towpath_object::{Gvk, Object};

use crate::kstatus::{Health, Status};

/// The longest expression; a person's is far shorter.
const LONGEST: usize = 4 * 1024;

/// How deep brackets may nest. The parser takes much of the stack for each.
const BRACKETS: usize = 32;

/// Stack for the parser, whose own limit lets it go deeper than any thread's stack allows. It is not touched
/// where an expression is not deep.
const STACK: usize = 256 * 1024 * 1024;

/// How one kind is judged: an entry of `healthCheckExprs`. Empty expressions are not asked, but `current` must
/// be there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KindExpressions {
    /// Group and version; only the group counts.
    pub api_version: String,
    /// The kind; empty for all kinds of the group that have no entry of their own.
    pub kind: String,
    /// True when the object is as it should be.
    pub current: String,
    /// True while it is on the way.
    pub in_progress: String,
    /// True when it will not get there by itself.
    pub failed: String,
}

/// Expressions by kind, parsed.
#[derive(Clone, Default)]
pub struct Expressions {
    /// By group and kind.
    by_kind: BTreeMap<(String, String), InOrder>,
}

/// The expressions of one kind in the order in which they are asked, each with what it says when it is true.
type InOrder = Arc<Vec<(Status, Expression)>>;

struct Expression {
    text: String,
    tree: cel::IdedExpr,
}

/// Why expressions are not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadExpression {
    /// There is no expression for current.
    #[error("{kind}: current is missing")]
    Missing {
        /// The kind it is for.
        kind: String,
    },
    /// A kind has two entries.
    #[error("{kind}: there are two entries")]
    Twice {
        /// The kind.
        kind: String,
    },
    /// It is not CEL.
    #[error("{kind}: {field}: {problem}")]
    Syntax {
        /// The kind it is for.
        kind: String,
        /// Which of its expressions.
        field: &'static str,
        /// What is wrong with it.
        problem: String,
    },
}

impl Expressions {
    /// Parses all entries.
    pub fn new(entries: impl IntoIterator<Item = KindExpressions>) -> Result<Self, BadExpression> {
        let mut by_kind = BTreeMap::new();
        for entry in entries {
            let group = Gvk::new(&entry.api_version, "").group;
            let name = if entry.kind.is_empty() { group.clone() } else { format!("{group}/{}", entry.kind) };
            if entry.current.is_empty() {
                return Err(BadExpression::Missing { kind: name });
            }
            let mut expressions = Vec::new();
            for (field, text, status) in [
                ("inProgress", &entry.in_progress, Status::InProgress),
                ("failed", &entry.failed, Status::Failed),
                ("current", &entry.current, Status::Current),
            ] {
                if !text.is_empty() {
                    let bad = |problem| BadExpression::Syntax { kind: name.clone(), field, problem };
                    expressions.push((status, Expression::parse(text).map_err(bad)?));
                }
            }
            if by_kind.insert((group, entry.kind), Arc::new(expressions)).is_some() {
                return Err(BadExpression::Twice { kind: name });
            }
        }
        Ok(Self { by_kind })
    }

    /// The health of `object`; `None` where no entry is for its kind. It is unknown where an expression cannot
    /// be evaluated, as when a field that it names is missing.
    pub fn assess(&self, object: &Object) -> Option<Health> {
        let Gvk { group, kind, .. } = object.gvk();
        let exact = self.by_kind.get(&(group.clone(), kind));
        let expressions = exact.or_else(|| self.by_kind.get(&(group, String::new())))?;
        Some(judge(expressions, object).unwrap_or_else(|error| Health::new(Status::Unknown, error)))
    }
}

fn judge(expressions: &[(Status, Expression)], object: &Object) -> Result<Health, String> {
    let number = |pointer| object.value().pointer(pointer).and_then(serde_json::Value::as_i64);
    let observed = number("/status/observedGeneration").zip(number("/metadata/generation"));
    if let Some((observed, generation)) = observed.filter(|(observed, generation)| observed != generation) {
        let message =
            format!("generation {generation} is not observed yet, the latest observed is {observed}");
        return Ok(Health::new(Status::InProgress, message));
    }
    let mut context = Context::with_env(library::environment());
    for (name, field) in object.value().as_object().into_iter().flatten() {
        context.add_variable_from_value(name.as_str(), value_of(field));
    }
    let size = size_of(object.value());
    for (status, expression) in expressions {
        if expression.is_true(&context, size)? {
            return Ok(Health::new(*status, format!("by the expression {}", expression.text)));
        }
    }
    Ok(Health::new(Status::InProgress, "no expression is true"))
}

impl Expression {
    fn parse(text: &str) -> Result<Self, String> {
        if text.len() > LONGEST {
            return Err(format!("it is longer than {LONGEST} bytes"));
        }
        if nesting(text) > BRACKETS {
            return Err(format!("brackets nest deeper than {BRACKETS}"));
        }
        let parse = || {
            let parsed = library::environment().parser().parse(text);
            guard::guarded(parsed.map_err(|errors| errors.to_string())?)
        };
        let tree = thread::scope(|scope| {
            let parser = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, parse);
            let parsed = parser.map_err(|error| error.to_string())?.join();
            parsed.unwrap_or_else(|_| Err("the parser failed".to_owned()))
        })?;
        Ok(Self { text: text.to_owned(), tree })
    }

    fn is_true(&self, context: &Context<'_, '_>, size: usize) -> Result<bool, String> {
        match guard::within_limits(size, || Value::resolve(&self.tree, context)) {
            Ok(Value::Bool(answer)) => Ok(answer),
            Ok(_) => Err(format!("the expression {} is neither true nor false", self.text)),
            Err(error) => Err(format!("the expression {} failed: {error}", self.text)),
        }
    }
}

/// How deep the brackets of `text` nest at most, also those in quotes.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for character in text.chars() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Roughly how many bytes a value is in JSON.
fn size_of(json: &serde_json::Value) -> usize {
    match json {
        serde_json::Value::String(text) => text.len(),
        serde_json::Value::Array(items) => items.iter().map(|item| 4 + size_of(item)).sum(),
        serde_json::Value::Object(entries) => {
            entries.iter().map(|(key, value)| 4 + key.len() + size_of(value)).sum()
        }
        _ => 4,
    }
}

fn value_of(json: &serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(flag) => Value::Bool(*flag),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(whole) => Value::Int(whole),
            None => Value::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        serde_json::Value::String(text) => Value::String(Arc::new(text.clone())),
        serde_json::Value::Array(items) => Value::List(Arc::new(items.iter().map(value_of).collect())),
        serde_json::Value::Object(entries) => {
            let entries = entries.iter();
            let map = entries.map(|(key, value)| (Key::String(Arc::new(key.clone())), value_of(value)));
            Value::Map(cel::objects::Map { map: Arc::new(map.collect()) })
        }
    }
}

#[cfg(test)]
mod tests;
