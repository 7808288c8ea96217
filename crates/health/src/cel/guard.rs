//! Limits of one evaluation. CEL always ends, but expressions can be written that take hours or all memory.
//!
//! In: a parsed expression. Out: the same, in which what repeats or multiplies is accounted: the range of each
//! loop goes through [`COUNTED`], and the functions that make texts larger are replaced by those of
//! [`super::library`] that know a limit.

use std::cell::Cell;

use cel::common::ast::{CallExpr, EntryExpr, Expr};
use cel::{ExecutionError, IdedExpr, Value};

/// The function that charges a loop's range. No expression can name it.
pub(super) const COUNTED: &str = "@counted";

/// Functions that are replaced by limited ones.
const LIMITED: &[(&str, &str)] = &[("replace", REPLACE), ("join", JOIN), ("split", SPLIT)];
pub(super) const SPLIT: &str = "@split";
pub(super) const REPLACE: &str = "@replace";
pub(super) const JOIN: &str = "@join";

/// What the rounds of all loops and the texts made may cost in one evaluation.
const MOST: usize = 16_000_000;

/// A round may look at the whole object again: it costs one for so many of its bytes.
const BYTES: usize = 64;

thread_local! {
    /// Nothing once it was not enough.
    static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
    static ROUND: Cell<usize> = const { Cell::new(1) };
}

/// Evaluates with new limits, about an object of that size. Going beyond them is an error, even where CEL would
/// let the rest of a condition overrule it.
pub(super) fn within_limits(
    size: usize,
    evaluate: impl FnOnce() -> Result<Value, ExecutionError>,
) -> Result<Value, ExecutionError> {
    LEFT.set(Some(MOST));
    ROUND.set(1 + size / BYTES);
    let outcome = evaluate();
    if LEFT.get().is_none() { Err(exhausted()) } else { outcome }
}

fn exhausted() -> ExecutionError {
    ExecutionError::function_error("expression", "it takes too long")
}

/// Takes the cost of so many rounds.
pub(super) fn charge_rounds(rounds: usize) -> Result<(), ExecutionError> {
    charge(rounds.saturating_mul(ROUND.get()))
}

/// Takes the cost of so many bytes.
pub(super) fn charge(cost: usize) -> Result<(), ExecutionError> {
    let left = LEFT.get().and_then(|left| left.checked_sub(cost));
    LEFT.set(left);
    left.map(|_| ()).ok_or_else(exhausted)
}

/// How deep an expression may be: evaluating it takes the stack of whoever asks.
const DEEPEST: usize = 40;

/// The expression with its accounts put in; an error where it is too deep.
pub(super) fn guarded(mut tree: IdedExpr) -> Result<IdedExpr, String> {
    if depth_guarded(&mut tree) > DEEPEST { Err("it is too deep".to_owned()) } else { Ok(tree) }
}

/// Puts the accounts in; says how deep it is.
fn depth_guarded(tree: &mut IdedExpr) -> usize {
    let below = match &mut tree.expr {
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => 0,
        Expr::Call(call) => {
            if call.target.is_some()
                && let Some((_, limited)) = LIMITED.iter().find(|(name, _)| *name == call.func_name)
            {
                (*limited).clone_into(&mut call.func_name);
            }
            let target = call.target.as_deref_mut().map_or(0, depth_guarded);
            target.max(deepest(call.args.iter_mut()))
        }
        Expr::Comprehension(comprehension) => {
            let parts = [
                &mut comprehension.iter_range,
                &mut comprehension.accu_init,
                &mut comprehension.loop_cond,
                &mut comprehension.loop_step,
                &mut comprehension.result,
            ];
            let below = deepest(parts.into_iter());
            let range = std::mem::take(&mut comprehension.iter_range);
            let counted = CallExpr { func_name: COUNTED.to_owned(), target: None, args: vec![range] };
            comprehension.iter_range = IdedExpr { id: 0, expr: Expr::Call(counted) };
            below + 1
        }
        Expr::List(list) => deepest(list.elements.iter_mut()),
        Expr::Select(select) => depth_guarded(&mut select.operand),
        Expr::Map(map) => deepest(map.entries.iter_mut().flat_map(|entry| parts(&mut entry.expr))),
        Expr::Struct(record) => deepest(record.entries.iter_mut().flat_map(|entry| parts(&mut entry.expr))),
    };
    below + 1
}

fn deepest<'a>(trees: impl Iterator<Item = &'a mut IdedExpr>) -> usize {
    trees.map(depth_guarded).max().unwrap_or_default()
}

fn parts(entry: &mut EntryExpr) -> Vec<&mut IdedExpr> {
    match entry {
        EntryExpr::StructField(field) => vec![&mut field.value],
        EntryExpr::MapEntry(entry) => vec![&mut entry.key, &mut entry.value],
    }
}
