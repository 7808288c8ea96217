//! `KEY=value` lines; `\n` in a value is a line feed.

use super::{Stored, write_error};
use crate::error::Error;
use crate::flat;
use crate::format::Format;
use crate::metadata::Metadata;
use crate::tree::{Branch, Item, Value};

const PREFIX: &[u8] = b"sops_";

pub(super) fn read(bytes: &[u8]) -> Result<Stored, Error> {
    let (mut branch, mut flat) = (Branch::new(), Vec::new());
    for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        match line.split_first() {
            None => {}
            Some((b'#', comment)) => branch.push(Item::Comment(comment.to_vec())),
            Some(_) => {
                let Some(at) = line.iter().position(|byte| *byte == b'=') else {
                    // The line is not quoted: it may be plaintext.
                    let problem = format!("line {} has no `=`", index + 1);
                    return Err(Error::Read { format: Format::Dotenv, problem });
                };
                let (key, value) = line.split_at(at);
                let value = replace(value.get(1..).unwrap_or_default(), b"\\n", b"\n");
                match key.strip_prefix(PREFIX) {
                    Some(key) => {
                        flat.push((
                            String::from_utf8_lossy(key).into(),
                            String::from_utf8_lossy(&value).into(),
                        ));
                    }
                    None => branch.push(Item::Entry(key.to_vec(), Value::Text(value))),
                }
            }
        }
    }
    if flat.is_empty() {
        return Err(Error::NoMetadata);
    }
    let metadata = Metadata::from_json(flat::unflatten(flat)?)?;
    Ok(Stored { metadata, branches: vec![branch] })
}

pub(super) fn write(branch: &[Item]) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    for item in branch {
        match item {
            Item::Comment(comment) => out.extend([b"#", comment.as_slice()].concat()),
            Item::Entry(key, Value::Text(value)) => {
                out.extend([key.as_slice(), b"=", &replace(value, b"\n", b"\\n")].concat());
            }
            Item::Entry(key, value) => {
                let problem = format!("`{}` is {}", String::from_utf8_lossy(key), value.kind());
                return Err(write_error(Format::Dotenv, problem));
            }
        }
        out.push(b'\n');
    }
    Ok(out)
}

fn replace(text: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, behind)) = rest.split_first() {
        if let Some(behind) = rest.strip_prefix(old) {
            out.extend_from_slice(new);
            rest = behind;
        } else {
            out.push(*first);
            rest = behind;
        }
    }
    out
}
