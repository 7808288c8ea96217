//! Paths with slashes, by text alone.

use super::Table;
use crate::value::{Type, Value};

pub fn add(table: &mut Table<'_>) {
    for name in ["base", "osBase"] {
        table.text(name, base);
    }
    for name in ["clean", "osClean"] {
        table.text(name, clean);
    }
    for name in ["dir", "osDir"] {
        table.text(name, |path| clean(path.get(..=slash(path)).unwrap_or_default()));
    }
    for name in ["ext", "osExt"] {
        table.text(name, |path| {
            let from = memchr::memrchr(b'/', path).map_or(0, |slash| slash + 1);
            let name = path.get(from..).unwrap_or_default();
            memchr::memrchr(b'.', name).and_then(|dot| name.get(dot..)).unwrap_or_default().to_vec()
        });
    }
    for name in ["isAbs", "osIsAbs"] {
        table.pure(name, &[Type::String], Type::Bool, |args| Ok(Value::Bool(args.text(0).starts_with(b"/"))));
    }
}

/// Where the last slash is; beyond the end without one.
fn slash(path: &[u8]) -> usize {
    memchr::memrchr(b'/', path).unwrap_or(usize::MAX - 1)
}

fn base(path: &[u8]) -> Vec<u8> {
    if path.is_empty() {
        return b".".to_vec();
    }
    let end = path.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
    let path = path.get(..end).unwrap_or_default();
    let name = path.get(memchr::memrchr(b'/', path).map_or(0, |slash| slash + 1)..).unwrap_or_default();
    if name.is_empty() { b"/".to_vec() } else { name.to_vec() }
}

/// The shortest path that means the same.
pub fn clean(path: &[u8]) -> Vec<u8> {
    let rooted = path.starts_with(b"/");
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." if parts.last().is_some_and(|last| *last != b"..") => {
                parts.pop();
            }
            b".." if rooted => {}
            other => parts.push(other),
        }
    }
    let joined = parts.join(&b'/');
    match (rooted, joined.is_empty()) {
        (true, _) => [&b"/"[..], &joined].concat(),
        (false, true) => b".".to_vec(),
        (false, false) => joined,
    }
}
