//! The functions that expressions may use: CEL's own with optional values, and the libraries for strings, sets
//! and encoders, as Flux has them.

use std::sync::{Arc, LazyLock};

use cel::common::types::{CelBool, CelInt, CelList, CelString, DYN_TYPE, INT_TYPE, LIST_TYPE, STRING_TYPE};
use cel::common::value::{CowVal, Val};
use cel::{DeclarationError, Env, ExecutionError, extensions};

use super::guard::{COUNTED, JOIN, REPLACE, SPLIT, charge, charge_rounds};

static ENVIRONMENT: LazyLock<Arc<Env>> =
    LazyLock::new(|| Arc::new(declared().expect("each function is declared once, which is tested")));

/// The environment of all expressions.
pub(super) fn environment() -> Arc<Env> {
    Arc::clone(&ENVIRONMENT)
}

fn declared() -> Result<Env, DeclarationError> {
    let mut env = Env::stdlib();
    env.add_extension(extensions::strings)?;
    env.add_extension(extensions::encoders)?;
    let lists = || vec![LIST_TYPE, LIST_TYPE];
    env.add_overload("sets.contains", "list_sets_contains_list", lists(), |arguments| contains(&arguments))?;
    env.add_overload("sets.equivalent", "list_sets_equivalent_list", lists(), |arguments| {
        equivalent(&arguments)
    })?;
    env.add_overload("sets.intersects", "list_sets_intersects_list", lists(), |arguments| {
        intersects(&arguments)
    })?;
    env.add_overload(COUNTED, "counted", vec![DYN_TYPE], counted)?;
    env.add_member_overload(REPLACE, "all", STRING_TYPE, vec![STRING_TYPE, STRING_TYPE], |arguments| {
        replace(&arguments)
    })?;
    let limited = vec![STRING_TYPE, STRING_TYPE, INT_TYPE];
    env.add_member_overload(REPLACE, "some", STRING_TYPE, limited, |arguments| replace(&arguments))?;
    env.add_member_overload(JOIN, "join", LIST_TYPE, vec![], |arguments| join(&arguments))?;
    env.add_member_overload(JOIN, "join_with", LIST_TYPE, vec![STRING_TYPE], |arguments| join(&arguments))?;
    env.add_member_overload(SPLIT, "all", STRING_TYPE, vec![STRING_TYPE], |arguments| split(&arguments))?;
    let limited = vec![STRING_TYPE, INT_TYPE];
    env.add_member_overload(SPLIT, "some", STRING_TYPE, limited, |arguments| split(&arguments))?;
    Ok(env)
}

type Answer<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

/// Its argument, when so many rounds may still be made.
fn counted<'b, 'v>(mut arguments: Vec<CowVal<'b, 'v>>) -> Answer<'b, 'v> {
    let range = arguments.pop().ok_or_else(|| ExecutionError::invalid_argument_count(1, 0))?;
    let size = range.as_ref().as_sizer().map_or(0, |sizer| *sizer.size().inner());
    charge_rounds(usize::try_from(size).unwrap_or_default())?;
    Ok(range)
}

fn replace<'b, 'v>(arguments: &[CowVal<'b, 'v>]) -> Answer<'b, 'v> {
    let text = text(arguments, 0)?;
    let (from, to) = (self::text(arguments, 1)?, self::text(arguments, 2)?);
    let most = most(arguments, 3);
    charge(text.len())?;
    let count = text.matches(from).take(most).count();
    charge(count.saturating_mul(to.len()))?;
    Ok(CowVal::owned(CelString::from(text.replacen(from, to, count))))
}

/// An empty separator separates all characters.
fn split<'b, 'v>(arguments: &[CowVal<'b, 'v>]) -> Answer<'b, 'v> {
    let (text, separator, most) = (text(arguments, 0)?, self::text(arguments, 1)?, most(arguments, 2));
    charge(text.len())?;
    let pieces: Vec<&str> = if separator.is_empty() {
        let ends = text.char_indices().map(|(index, character)| index + character.len_utf8());
        let mut rest = text;
        let mut pieces = Vec::new();
        let mut start = 0;
        for end in ends.take(most.saturating_sub(1)) {
            pieces.push(text.get(start..end).unwrap_or_default());
            (start, rest) = (end, text.get(end..).unwrap_or_default());
        }
        pieces.extend(Some(rest).filter(|rest| !rest.is_empty() && most > 0));
        pieces
    } else if most == 0 {
        Vec::new()
    } else {
        text.splitn(most, separator).collect()
    };
    let pieces = pieces.into_iter().map(|piece| Box::new(CelString::from(piece.to_owned())) as Box<dyn Val>);
    Ok(CowVal::owned(CelList::from(pieces.collect::<Vec<_>>())))
}

fn join<'b, 'v>(arguments: &[CowVal<'b, 'v>]) -> Answer<'b, 'v> {
    let separator = if arguments.len() > 1 { text(arguments, 1)? } else { "" };
    let mut joined = String::new();
    for (index, item) in items(arguments, 0)?.into_iter().enumerate() {
        let item = item.downcast_ref::<CelString>().ok_or_else(|| unexpected(item, "string"))?.inner();
        charge(item.len() + separator.len())?;
        if index > 0 {
            joined.push_str(separator);
        }
        joined.push_str(item);
    }
    Ok(CowVal::owned(CelString::from(joined)))
}

/// Whether all of the second are in the first.
fn contains<'b, 'v>(arguments: &[CowVal<'b, 'v>]) -> Answer<'b, 'v> {
    let (all, some) = (items(arguments, 0)?, items(arguments, 1)?);
    Ok(answer(has_all(&all, &some)?))
}

fn equivalent<'b, 'v>(arguments: &[CowVal<'b, 'v>]) -> Answer<'b, 'v> {
    let (one, other) = (items(arguments, 0)?, items(arguments, 1)?);
    Ok(answer(has_all(&one, &other)? && has_all(&other, &one)?))
}

fn intersects<'b, 'v>(arguments: &[CowVal<'b, 'v>]) -> Answer<'b, 'v> {
    let (one, other) = (items(arguments, 0)?, items(arguments, 1)?);
    charge_rounds(one.len().saturating_mul(other.len()))?;
    Ok(answer(one.iter().any(|item| other.iter().any(|another| item.equals(*another)))))
}

fn has_all(all: &[&dyn Val], some: &[&dyn Val]) -> Result<bool, ExecutionError> {
    charge_rounds(all.len().saturating_mul(some.len()))?;
    Ok(some.iter().all(|item| all.iter().any(|another| another.equals(*item))))
}

/// A number of times; negative or absent stands for all.
fn most(arguments: &[CowVal<'_, '_>], index: usize) -> usize {
    let count = arguments.get(index).and_then(|count| count.as_ref().downcast_ref::<CelInt>());
    count.map_or(usize::MAX, |count| usize::try_from(*count.inner()).unwrap_or(usize::MAX))
}

fn answer<'b, 'v>(is: bool) -> CowVal<'b, 'v> {
    CowVal::owned(CelBool::from(is))
}

fn text<'a>(arguments: &'a [CowVal<'_, '_>], index: usize) -> Result<&'a str, ExecutionError> {
    let value = argument(arguments, index)?;
    Ok(value.downcast_ref::<CelString>().ok_or_else(|| unexpected(value, "string"))?.inner())
}

fn items<'a>(arguments: &'a [CowVal<'_, '_>], index: usize) -> Result<Vec<&'a dyn Val>, ExecutionError> {
    let list = argument(arguments, index)?;
    let mut iterator = list.as_iterable().ok_or_else(|| unexpected(list, "list"))?.iter();
    let mut items = Vec::new();
    while let Some(item) = iterator.next() {
        items.push(item);
    }
    Ok(items)
}

fn argument<'a, 'b, 'v>(
    arguments: &'a [CowVal<'b, 'v>],
    index: usize,
) -> Result<&'a (dyn Val + 'v), ExecutionError> {
    let value = arguments.get(index).map(AsRef::as_ref);
    value.ok_or_else(|| ExecutionError::invalid_argument_count(index + 1, arguments.len()))
}

fn unexpected(value: &dyn Val, want: &str) -> ExecutionError {
    ExecutionError::UnexpectedType { got: value.get_type().name().to_owned(), want: want.to_owned() }
}
