//! jq expressions: which places of an object they select.
//!
//! The expression is asked for its paths and never for values, so whatever it computes, nothing of it gets into
//! an object. What would reach out of the object (the environment, the end of the process) is defined away.

use std::fmt;

use jaq_core::Compiler;
use jaq_core::load::{self, Arena, File, Loader, parse::Def};
use jaq_json::{Num, Val};
use serde::Deserialize as _;
use serde_json::Value;

use super::budget::{self, Limited};
use super::{IgnoreError, Place, RuleError, Step};

/// Comes before everything else, so these win over the built-in ones: `range` counts in steps that are watched,
/// the others do nothing.
const BEFORE: &str = "
def range($from; $to; $by):
  def up: if . < $to then ., (. + $by | up) else {}[] end;
  def down: if . > $to then ., (. + $by | down) else {}[] end;
  $from | if $by > 0 then up elif $by < 0 then down else {}[] end;
def halt($code): {}[];
def env: {};
def debug_empty: {}[];
def stderr_empty: {}[];
";

/// A compiled expression.
pub(super) struct Jq {
    /// How it is called in a reason.
    pub(super) label: String,
    text: String,
    rule: usize,
    filter: jaq_core::Filter<Limited>,
}

impl fmt::Debug for Jq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label)
    }
}

impl Jq {
    pub(super) fn compile(text: &str, rule: usize) -> Result<Self, RuleError> {
        let wrong = |(column, problem): (usize, String)| RuleError::Jq {
            rule,
            expression: text.into(),
            column,
            problem,
        };
        check(text).map_err(wrong)?;
        let filter = compile(text).map_err(wrong)?;
        Ok(Self { label: format!("jq {text}"), text: text.into(), rule, filter })
    }

    /// The places that it selects in `value`.
    pub(super) fn places(&self, value: &Value) -> Result<Vec<Place>, IgnoreError> {
        let input = || Val::deserialize(value).ok();
        let found = budget::run(&self.filter, input, steps).map_err(|why| IgnoreError::Stopped {
            rule: self.rule,
            expression: self.text.clone(),
            why,
        })?;
        Ok(found.into_iter().flatten().flat_map(|steps| settle(&steps, value)).collect())
    }
}

/// One step of a path as jq writes it.
enum Wanted {
    Name(String),
    /// From the end where negative.
    At(isize),
    Slice(Option<isize>, Option<isize>),
}

/// The steps of a path; nothing where it is not one that JSON has.
fn steps(path: &Val) -> Option<Vec<Wanted>> {
    let Val::Arr(steps) = path else { return None };
    steps.iter().map(step).collect()
}

fn step(step: &Val) -> Option<Wanted> {
    match step {
        Val::TStr(name) => Some(Wanted::Name(String::from_utf8(name.to_vec()).ok()?)),
        Val::Num(number) => Some(Wanted::At(whole(number)?)),
        Val::Obj(range) => {
            let bound = |name: &str| match range.get(&Val::from(name.to_owned())) {
                Some(Val::Num(number)) => whole(number),
                _ => None,
            };
            Some(Wanted::Slice(bound("start"), bound("end")))
        }
        _ => None,
    }
}

fn whole(number: &Num) -> Option<isize> {
    match number {
        Num::Int(number) => Some(*number),
        _ => None,
    }
}

/// The places in `value` that a path means: one, or for a slice as many as it covers.
fn settle(path: &[Wanted], value: &Value) -> Vec<Place> {
    let mut found = vec![(Vec::new(), Some(value))];
    for step in path {
        found = found.into_iter().flat_map(|(steps, here)| follow(step, &steps, here)).collect();
    }
    found.into_iter().map(|(steps, _)| steps.into_iter().collect()).collect()
}

fn follow<'a>(
    wanted: &Wanted,
    above: &[Step],
    here: Option<&'a Value>,
) -> Vec<(Vec<Step>, Option<&'a Value>)> {
    let list = here.and_then(Value::as_array);
    let length = list.map_or(0, Vec::len);
    let from_start = |index: isize| {
        if index < 0 { length.checked_sub(index.unsigned_abs()) } else { Some(index.unsigned_abs()) }
    };
    let at = |index: usize| (Step::At(index), list.and_then(|list| list.get(index)));
    let next: Vec<_> = match wanted {
        Wanted::Name(name) => vec![(Step::Name(name.clone()), here.and_then(|value| value.get(name)))],
        Wanted::At(index) => from_start(*index).map(at).into_iter().collect(),
        Wanted::Slice(start, end) => {
            let bound =
                |bound: &Option<isize>, none| bound.map_or(none, |index| from_start(index).unwrap_or(0));
            (bound(start, 0)..bound(end, length).min(length)).map(at).collect()
        }
    };
    next.into_iter()
        .map(|(step, value)| {
            let mut steps = above.to_vec();
            steps.push(step);
            (steps, value)
        })
        .collect()
}

/// Column and problem of the first mistake in the grammar.
fn check(text: &str) -> Result<(), (usize, String)> {
    let tokens = load::Lexer::new(text).lex().map_err(|errors| {
        first(errors.into_iter().map(|(expected, found)| {
            let expected = match expected {
                load::lex::Expect::Delim("(" | "[" | "{" | "\"") => expected.as_str(),
                load::lex::Expect::Delim(_) => "its end",
                _ => expected.as_str(),
            };
            (column(text, found), format!("expected {expected}"))
        }))
    })?;
    let term = load::Parser::new(&tokens).parse(load::Parser::term);
    term.map(drop).map_err(|errors| {
        first(errors.into_iter().map(|(expected, found)| {
            let at = found.map_or(text.len(), |token| offset(text, token.0));
            (count(text, at), format!("expected {}", expected.as_str()))
        }))
    })
}

fn compile(text: &str) -> Result<jaq_core::Filter<Limited>, (usize, String)> {
    let before = load::parse(BEFORE, |parser| parser.defs()).unwrap_or_default();
    let definitions: Vec<Def<&str>> =
        before.into_iter().chain(jaq_core::defs()).chain(jaq_std::defs()).chain(jaq_json::defs()).collect();
    let functions = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs());
    let code = format!("path({text}\n)");
    let arena = Arena::default();
    let unreadable = |_| (1, "it cannot be read".to_owned());
    let modules =
        Loader::new(definitions).load(&arena, File { code: &*code, path: () }).map_err(unreadable)?;
    Compiler::default().with_funs(functions).compile(modules).map_err(|files| {
        let errors = files.into_iter().flat_map(|(_, errors)| errors);
        first(errors.map(|(name, kind)| {
            let at = offset(&code, name).saturating_sub("path(".len());
            let problem = match kind {
                jaq_core::compile::Undefined::Filter(_) => {
                    "there is no filter of this name and number of arguments".into()
                }
                other => format!("there is no {} of this name", other.as_str()),
            };
            (count(text, at), problem)
        }))
    })
}

fn first(errors: impl Iterator<Item = (usize, String)>) -> (usize, String) {
    errors.min_by_key(|(column, _)| *column).unwrap_or((1, "it cannot be read".into()))
}

fn column(text: &str, part: &str) -> usize {
    count(text, offset(text, part))
}

/// Where in `text` its `part` begins, in bytes.
fn offset(text: &str, part: &str) -> usize {
    part.as_ptr().addr().saturating_sub(text.as_ptr().addr()).min(text.len())
}

/// The column of a byte, in characters from one.
fn count(text: &str, offset: usize) -> usize {
    text.char_indices().take_while(|(at, _)| *at < offset).count() + 1
}
