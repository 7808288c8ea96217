//! Regular expressions, in Go's dialect.

mod translate;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use regex::bytes::{Regex, RegexBuilder};

use super::Table;
use crate::function::{Args, Fault};
use crate::value::{INT, STRINGS, Text, Type, Value};

const S: Type = Type::String;
const BOOL: Type = Type::Bool;
/// How many compiled expressions a thread keeps.
const KEPT: usize = 256;
/// How large one may become.
const SIZE: usize = 10 << 20;

thread_local! {
    // Charts use the same few expressions in a loop.
    static COMPILED: RefCell<HashMap<Text, Rc<Regex>>> = RefCell::default();
}

pub fn add(table: &mut Table<'_>) {
    table.pure("regexMatch", &[S, S], BOOL, |args| {
        Ok(Value::Bool(compiled(args.text(0)).is_ok_and(|regex| regex.is_match(args.text(1)))))
    });
    table.pure("mustRegexMatch", &[S, S], BOOL, |args| {
        Ok(Value::Bool(compiled(args.text(0))?.is_match(args.text(1))))
    });
    table.text("regexQuoteMeta", quoted);
    // The first of each pair panics in Go where the second fails.
    for (name, compile) in [("regexFind", panicking as Compile), ("mustRegexFind", compiled)] {
        add_with(table, name, &[S, S], S, compile, |regex, args| {
            let found = regex.find(args.text(1)).map(|found| found.as_bytes());
            Value::string(found.unwrap_or_default())
        });
    }
    for (name, compile) in [("regexFindAll", panicking as Compile), ("mustRegexFindAll", compiled)] {
        add_with(table, name, &[S, S, INT], STRINGS, compile, |regex, args| {
            let most = usize::try_from(args.int(2)).unwrap_or(usize::MAX);
            let found: Vec<Text> =
                regex.find_iter(args.text(1)).take(most).map(|found| Text::from(found.as_bytes())).collect();
            if found.is_empty() { Value::nil_list(STRINGS) } else { Value::strings(found) }
        });
    }
    for (name, compile) in [("regexReplaceAll", panicking as Compile), ("mustRegexReplaceAll", compiled)] {
        add_with(table, name, &[S, S, S], S, compile, |regex, args| {
            Value::string(&*regex.replace_all(args.text(1), args.text(2)))
        });
    }
    for (name, compile) in
        [("regexReplaceAllLiteral", panicking as Compile), ("mustRegexReplaceAllLiteral", compiled)]
    {
        add_with(table, name, &[S, S, S], S, compile, |regex, args| {
            Value::string(&*regex.replace_all(args.text(1), regex::bytes::NoExpand(args.text(2))))
        });
    }
    for (name, compile) in [("regexSplit", panicking as Compile), ("mustRegexSplit", compiled)] {
        add_with(table, name, &[S, S, INT], STRINGS, compile, |regex, args| {
            split(regex, args.text(1), args.int(2))
        });
    }
}

type Compile = fn(&[u8]) -> Result<Rc<Regex>, Fault>;

fn add_with(
    table: &mut Table<'_>,
    name: &str,
    params: &'static [Type],
    returns: Type,
    compile: Compile,
    apply: fn(&Regex, Args<'_>) -> Value,
) {
    let call = move |_: &mut crate::Scope<'_, '_>, args: Args<'_>| Ok(apply(&*compile(args.text(0))?, args));
    table.0.add(name, crate::Function::new(params, returns, call));
}

fn compiled(expression: &[u8]) -> Result<Rc<Regex>, Fault> {
    let known = COMPILED.with_borrow(|compiled| compiled.get(expression).cloned());
    if let Some(regex) = known {
        return Ok(regex);
    }
    let text = String::from_utf8(expression.to_vec()).map_err(|_| {
        Fault(format!("error parsing regexp: invalid UTF-8: `{}`", expression.escape_ascii()))
    })?;
    let translated =
        translate::translated(&text).map_err(|error| Fault(format!("error parsing regexp: {error}")))?;
    let regex = RegexBuilder::new(&translated)
        .size_limit(SIZE)
        .build()
        .map_err(|_| Fault(format!("error parsing regexp: expression too large or unknown: `{text}`")))?;
    let regex = Rc::new(regex);
    COMPILED.with_borrow_mut(|compiled| {
        if compiled.len() >= KEPT {
            compiled.clear();
        }
        compiled.insert(Text::from(expression), Rc::clone(&regex));
    });
    Ok(regex)
}

/// What Go's MustCompile panics with.
fn panicking(expression: &[u8]) -> Result<Rc<Regex>, Fault> {
    compiled(expression).map_err(|Fault(error)| {
        let shown = if crate::fmt::quote::can_backquote(expression) {
            format!("`{}`", String::from_utf8_lossy(expression))
        } else {
            crate::fmt::quote::quoted(expression)
        };
        Fault(format!("regexp: Compile({shown}): {error}"))
    })
}

fn quoted(text: &[u8]) -> Vec<u8> {
    let special = |byte: &u8| br"\.+*?()|[]{}^$".contains(byte);
    text.iter().flat_map(|byte| special(byte).then_some(b'\\').into_iter().chain([*byte])).collect()
}

fn split(regex: &Regex, text: &[u8], most: i64) -> Value {
    if most == 0 {
        return Value::nil_list(STRINGS);
    }
    if !regex.as_str().is_empty() && text.is_empty() {
        return Value::strings([""]);
    }
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let mut parts: Vec<Text> = Vec::new();
    let (mut begin, mut end) = (0, 0);
    for found in regex.find_iter(text) {
        if parts.len() + 1 >= most {
            break;
        }
        end = found.start();
        if found.end() != 0 {
            parts.push(Text::from(text.get(begin..end).unwrap_or_default()));
        }
        begin = found.end();
    }
    if end != text.len() {
        parts.push(Text::from(text.get(begin..).unwrap_or_default()));
    }
    Value::strings(parts)
}
