//! One module for each format: bytes to tree and metadata, tree to bytes as `sops decrypt` prints them.

mod dotenv;
mod ini;
mod json;
mod yaml;

pub(crate) use self::yaml::documents;
use crate::error::Error;
use crate::format::Format;
use crate::metadata::Metadata;
use crate::tree::{Branch, Item, Value};

/// Where metadata is kept.
const SOPS: &[u8] = b"sops";

/// A file as it is stored.
pub(crate) struct Stored {
    pub metadata: Metadata,
    /// One for each YAML document; one for all else.
    pub branches: Vec<Branch>,
}

pub(crate) fn read(bytes: &[u8], format: Format) -> Result<Stored, Error> {
    match format {
        Format::Yaml => yaml::read(bytes),
        Format::Dotenv => dotenv::read(bytes),
        Format::Ini => ini::read(bytes),
        Format::Json | Format::Binary => json::read(bytes, format),
    }
}

pub(crate) fn write(branches: &[Branch], format: Format) -> Result<Vec<u8>, Error> {
    let first = branches.first().map_or(&[][..], Vec::as_slice);
    match format {
        Format::Yaml => Ok(yaml::write(branches)),
        Format::Json => Ok(json::write(first)),
        Format::Dotenv => dotenv::write(first),
        Format::Ini => ini::write(branches),
        Format::Binary => json::binary(first),
    }
}

/// The metadata of the first branch that has it; every branch loses it.
fn take_metadata(branches: &mut [Branch]) -> Result<Metadata, Error> {
    let is_metadata = |item: &Item| matches!(item, Item::Entry(key, _) if key == SOPS);
    let stored = branches.iter().flatten().find(|item| is_metadata(item));
    let Some(Item::Entry(_, Value::Branch(stored))) = stored else { return Err(Error::NoMetadata) };
    let metadata = Metadata::from_json(Value::Branch(stored.clone()).to_json())?;
    for branch in branches {
        branch.retain(|item| !is_metadata(item));
    }
    Ok(metadata)
}

fn write_error(format: Format, problem: impl Into<String>) -> Error {
    Error::Write { format, problem: problem.into() }
}
