//! JSON, in and out, as Go's encoding/json has it.

mod read;
mod write;

use super::{Done, Table};
use crate::function::Args;
use crate::value::{Type, Value};

pub use read::unmarshal;
pub use write::marshal;

const S: Type = Type::String;
const ANY: Type = Type::Any;
/// How deep values may nest.
const DEPTH: usize = 10_000;

/// Whether characters that HTML knows are escaped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escape {
    /// `<` is `\u003c`.
    Html,
    /// It stays.
    Nothing,
}

pub fn add(table: &mut Table<'_>) {
    table.pure("fromJson", &[S], ANY, |args| Ok(unmarshal(args.text(0)).unwrap_or(Value::Nil)));
    table.pure("mustFromJson", &[S], ANY, |args| unmarshal(args.text(0)));
    table.pure("toJson", &[ANY], S, |args| quiet(compact(args, Escape::Html)));
    table.pure("mustToJson", &[ANY], S, |args| compact(args, Escape::Html));
    table.pure("toPrettyJson", &[ANY], S, |args| quiet(pretty(args)));
    table.pure("mustToPrettyJson", &[ANY], S, pretty);
    table.pure("toRawJson", &[ANY], S, |args| compact(args, Escape::Nothing));
    table.pure("mustToRawJson", &[ANY], S, |args| compact(args, Escape::Nothing));
}

fn quiet(written: Done) -> Done {
    Ok(written.unwrap_or_else(|_| Value::string("")))
}

fn compact(args: Args<'_>, escape: Escape) -> Done {
    marshal(args.value(0), escape, None).map(Value::string)
}

fn pretty(args: Args<'_>) -> Done {
    marshal(args.value(0), Escape::Html, Some("  ")).map(Value::string)
}
