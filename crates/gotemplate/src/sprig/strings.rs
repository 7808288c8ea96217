//! Texts: cut, joined, searched and set in.

use std::collections::BTreeMap;

use super::{Done, Table, bounded, text_of, texts_of};
use crate::fmt;
use crate::fmt::quote;
use crate::function::{Args, Fault};
use crate::value::{INT, STRING_MAP, STRINGS, Text, Type, Value};

const S: Type = Type::String;
const ANY: Type = Type::Any;

pub fn add(table: &mut Table<'_>) {
    table.pure("hello", &[], S, |_| Ok(Value::string("Hello!")));
    table.text("trim", |text| trim_space(text).to_vec());
    for name in ["trimall", "trimAll"] {
        table.pure(name, &[S, S], S, |args| Ok(Value::string(trim_all(args.text(1), args.text(0)))));
    }
    table.pure("trimSuffix", &[S, S], S, |args| {
        cut(args, |text| text.strip_suffix(args.text(0)).unwrap_or(text))
    });
    table.pure("trimPrefix", &[S, S], S, |args| {
        cut(args, |text| text.strip_prefix(args.text(0)).unwrap_or(text))
    });
    table.pure("repeat", &[INT, S], S, repeat);
    table.pure("substr", &[INT, INT, S], S, substr);
    table.pure("trunc", &[INT, S], S, trunc);
    table.pure("contains", &[S, S], Type::Bool, |args| {
        Ok(Value::Bool(memchr::memmem::find(args.text(1), args.text(0)).is_some()))
    });
    table.pure("hasPrefix", &[S, S], Type::Bool, |args| {
        Ok(Value::Bool(args.text(1).starts_with(args.text(0))))
    });
    table
        .pure("hasSuffix", &[S, S], Type::Bool, |args| Ok(Value::Bool(args.text(1).ends_with(args.text(0)))));
    table.variadic("quote", &[], ANY, S, |args| {
        Ok(joined(args, |value| quote::quoted(&text_of(value)).into_bytes()))
    });
    table.variadic("squote", &[], ANY, S, |args| {
        Ok(joined(args, |value| [b"'", &fmt::sprintf(b"%v", std::slice::from_ref(value))[..], b"'"].concat()))
    });
    table.variadic("cat", &[], ANY, S, cat);
    table.pure("indent", &[INT, S], S, |args| indent(args).map(Value::string));
    table.pure("nindent", &[INT, S], S, |args| Ok(Value::string([&b"\n"[..], &indent(args)?].concat())));
    table.pure("replace", &[S, S, S], S, |args| {
        replaced(args.text(2), args.text(0), args.text(1)).map(Value::string)
    });
    table.pure("plural", &[S, S, INT], S, |args| Ok(args.value(usize::from(args.int(2) != 1)).clone()));
    table.pure("toString", &[ANY], S, |args| match args.value(0) {
        Value::String(text) => Ok(Value::String(text.clone())),
        other => Ok(Value::string(text_of(other))),
    });
    table.pure("toStrings", &[ANY], STRINGS, |args| Ok(Value::strings(texts_of(args.value(0)))));
    table.pure("join", &[S, ANY], S, |args| Ok(Value::string(texts_of(args.value(1)).join(args.text(0)))));
    table.pure("sortAlpha", &[ANY], STRINGS, sort_alpha);
    table.pure("split", &[S, S], STRING_MAP, |args| Ok(numbered(split(args.text(1), args.text(0), -1))));
    table.pure("splitn", &[S, INT, S], STRING_MAP, |args| {
        Ok(numbered(split(args.text(2), args.text(0), args.int(1))))
    });
    table.pure("splitList", &[S, S], STRINGS, |args| {
        Ok(Value::strings(split(args.text(1), args.text(0), -1)))
    });
}

fn cut(args: Args<'_>, cut: impl Fn(&[u8]) -> &[u8]) -> Done {
    let text = args.text(1);
    let kept = cut(text);
    // Most often nothing is cut off.
    Ok(if kept.len() == text.len() { args.value(1).clone() } else { Value::string(kept) })
}

/// Without Go's white space at both ends.
pub fn trim_space(text: &[u8]) -> &[u8] {
    trim_where(text, |character| character.is_whitespace() && !matches!(character, '\x1c'..='\x1f'))
}

fn trim_where(mut text: &[u8], cut: impl Fn(char) -> bool) -> &[u8] {
    while let Some((character, width)) = crate::runes::first(text)
        && cut(character)
    {
        text = text.get(width..).unwrap_or_default();
    }
    while let Some((character, width)) = crate::runes::last(text)
        && cut(character)
    {
        text = text.get(..text.len() - width).unwrap_or_default();
    }
    text
}

fn trim_all<'t>(text: &'t [u8], characters: &[u8]) -> &'t [u8] {
    trim_where(text, |character| crate::runes::all(characters).any(|(one, _)| one == character))
}

fn repeat(args: Args<'_>) -> Done {
    let Ok(count) = usize::try_from(args.int(0)) else {
        return Err("strings: negative Repeat count".into());
    };
    let text = args.text(1);
    bounded(text.len().saturating_mul(count))?;
    Ok(Value::string(text.repeat(count)))
}

fn out_of_range(message: &str) -> Fault {
    Fault(format!("runtime error: slice bounds out of range {message}"))
}

fn substr(args: Args<'_>) -> Done {
    let (start, end, text) = (args.int(0), args.int(1), args.text(2));
    let length = i64::try_from(text.len()).unwrap_or(i64::MAX);
    if start < 0 {
        return match usize::try_from(end) {
            Ok(to) if end <= length => Ok(Value::string(text.get(..to).unwrap_or_default())),
            Ok(_) => Err(out_of_range(&format!("[:{end}] with length {length}"))),
            Err(_) => Err(out_of_range(&format!("[:{end}]"))),
        };
    }
    let end = if end < 0 || end > length { length } else { end };
    if start > end {
        return Err(out_of_range(&format!("[{start}:{end}]")));
    }
    let (from, to) = (usize::try_from(start).unwrap_or(0), usize::try_from(end).unwrap_or(0));
    Ok(Value::string(text.get(from..to).unwrap_or_default()))
}

fn trunc(args: Args<'_>) -> Done {
    let (count, text) = (args.int(0), args.text(1));
    let width = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
    let kept = if count < 0 && width < text.len() {
        text.get(text.len() - width..)
    } else if count >= 0 && width < text.len() {
        text.get(..width)
    } else {
        return Ok(args.value(1).clone());
    };
    Ok(Value::string(kept.unwrap_or_default()))
}

/// The arguments that are not nil, each written and all with spaces between.
fn joined(args: Args<'_>, write: impl Fn(&Value) -> Vec<u8>) -> Value {
    let written: Vec<Vec<u8>> =
        args.0.iter().filter(|value| !matches!(value, Value::Nil)).map(write).collect();
    Value::string(written.join(&b' '))
}

fn cat(args: Args<'_>) -> Done {
    Ok(joined(args, |value| fmt::sprintf(b"%v", std::slice::from_ref(value))))
}

fn indent(args: Args<'_>) -> Result<Vec<u8>, Fault> {
    let Ok(spaces) = usize::try_from(args.int(0)) else {
        return Err("strings: negative Repeat count".into());
    };
    let text = args.text(1);
    let lines = 1 + memchr::memchr_iter(b'\n', text).count();
    let size = bounded(text.len().saturating_add(lines.saturating_mul(spaces)))?;
    let mut out = Vec::with_capacity(size);
    let pad = |out: &mut Vec<u8>| out.resize(out.len() + spaces, b' ');
    pad(&mut out);
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        out.extend_from_slice(line);
        if line.ends_with(b"\n") {
            pad(&mut out);
        }
    }
    Ok(out)
}

/// Every occurrence replaced; an empty one stands before each character and at the end.
pub fn replaced(text: &[u8], old: &[u8], new: &[u8]) -> Result<Vec<u8>, Fault> {
    let mut out = Vec::with_capacity(text.len());
    if old.is_empty() {
        let characters = crate::runes::count(text) + 1;
        bounded(characters.saturating_mul(new.len()).saturating_add(text.len()))?;
        for (_, bytes) in crate::runes::all(text) {
            out.extend_from_slice(new);
            out.extend_from_slice(bytes);
        }
        out.extend_from_slice(new);
        return Ok(out);
    }
    let mut from = 0;
    for at in memchr::memmem::find_iter(text, old) {
        out.extend_from_slice(text.get(from..at).unwrap_or_default());
        out.extend_from_slice(new);
        bounded(out.len())?;
        from = at + old.len();
    }
    out.extend_from_slice(text.get(from..).unwrap_or_default());
    Ok(out)
}

fn sort_alpha(args: Args<'_>) -> Done {
    let mut texts = match args.value(0).elements() {
        Some(_) => texts_of(args.value(0)),
        None => vec![text_of(args.value(0))],
    };
    texts.sort();
    Ok(Value::strings(texts))
}

/// The parts between separators; at most so many, and all of them for a negative number.
pub fn split(text: &[u8], separator: &[u8], most: i64) -> Vec<Text> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    if most == 0 {
        return Vec::new();
    }
    let mut parts = Vec::new();
    let mut rest = text;
    if separator.is_empty() {
        while parts.len() + 1 < most
            && let Some((_, width)) = crate::runes::first(rest)
            && width < rest.len()
        {
            let (one, behind) = rest.split_at_checked(width).unwrap_or((rest, &[]));
            parts.push(Text::from(one));
            rest = behind;
        }
        if !rest.is_empty() {
            parts.push(Text::from(rest));
        }
        return parts;
    }
    while parts.len() + 1 < most
        && let Some(at) = memchr::memmem::find(rest, separator)
    {
        parts.push(Text::from(rest.get(..at).unwrap_or_default()));
        rest = rest.get(at + separator.len()..).unwrap_or_default();
    }
    parts.push(Text::from(rest));
    parts
}

/// Parts as `_0`, `_1` and so on.
fn numbered(parts: Vec<Text>) -> Value {
    let entries: BTreeMap<Text, Value> = parts
        .into_iter()
        .enumerate()
        .map(|(index, part)| (Text::from(format!("_{index}")), Value::String(part)))
        .collect();
    Value::typed_map(STRING_MAP, entries)
}
