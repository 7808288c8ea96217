//! What a scalar turns out to be when it is written.
//!
//! kustomize writes a node as YAML with go-yaml v3, reads that back into typed values, turns them into JSON
//! and that into YAML with go-yaml v2. This is the outcome of it, without the detour.

use std::borrow::Cow;

use super::{Style, Tag, folded};
use crate::number::Numeric;
use crate::parse::Parser;
use crate::resolve::{self, Resolved};
use crate::timestamp::{self, is_timestamp};
use crate::tree::Content;
use crate::{emit, input};

/// A node that has no form as JSON, or only by luck: the message is Go's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct WriteError {
    /// The line of the node in the text it comes from; 0 where it comes from none.
    pub line: u32,
    /// What is wrong.
    pub message: String,
}

/// Where a scalar stands, which decides whether it can be written without quotes.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Place {
    Block,
    /// Inside of brackets.
    Flow,
    Key,
}

/// The type and value of a scalar.
pub(super) fn scalar(text: &str, tag: Tag, style: Style, place: Place) -> Result<Resolved<'_>, String> {
    if text.starts_with('\t') && tag == Tag::Str && place == Place::Block && is_block(text, style) {
        return Err("yaml: found a tab character where an indentation space is expected".into());
    }
    if style.has(Style::FOLDED) && place == Place::Block && matches!(tag, Tag::Str | Tag::None) {
        return Ok(Resolved::Text(folded::round_trip(text)));
    }
    match tag {
        Tag::Str | Tag::Other | Tag::Merge | Tag::Map | Tag::Seq => Ok(Resolved::Text(Cow::Borrowed(text))),
        Tag::Binary => resolve::binary(text),
        Tag::None => Ok(untagged(text, style, place)),
        tag if !style.has(Style::TAGGED) && implied(text) == tag => Ok(untagged(text, style, place)),
        tag => tagged(text, tag),
    }
}

/// Whether go-yaml v3 writes a text as a block. It does not tell its reader how far a block is indented that
/// starts with a tab.
fn is_block(text: &str, style: Style) -> bool {
    let wanted = style.has(Style::LITERAL) || style.has(Style::FOLDED) || text.contains('\n');
    wanted && !style.has(Style::DOUBLE) && !style.has(Style::SINGLE) && emit::is_block(text)
}

/// The tag of a text that has none, when it is written plainly.
pub(crate) fn implied(text: &str) -> Tag {
    match text.as_bytes().first() {
        Some(b'0'..=b'9') if is_timestamp(text) => Tag::Timestamp,
        _ => match resolve::implicit_v3(text) {
            None | Some(Resolved::Text(_)) => Tag::Str,
            Some(Resolved::Null) => Tag::Null,
            Some(Resolved::Bool(_)) => Tag::Bool,
            Some(Resolved::Number(Numeric::Int(_) | Numeric::Uint(_))) => Tag::Int,
            Some(Resolved::Number(Numeric::Float(_)) | Resolved::Special(_)) => Tag::Float,
        },
    }
}

fn untagged(text: &str, style: Style, place: Place) -> Resolved<'_> {
    let plain = match place {
        Place::Block => true,
        Place::Flow => !text.is_empty() && !text.contains(':'),
        Place::Key => !text.is_empty(),
    };
    if style.is_quoted() || !plain || text.contains('\n') {
        return Resolved::Text(Cow::Borrowed(text));
    }
    if let Some(time) = timestamp::rfc3339(text) {
        return Resolved::Text(Cow::Owned(time));
    }
    resolve::implicit_v3(text).unwrap_or(Resolved::Text(Cow::Borrowed(text)))
}

fn tagged(text: &str, tag: Tag) -> Result<Resolved<'_>, String> {
    let resolved = match tag {
        Tag::Timestamp => timestamp::rfc3339(text).map(|time| Resolved::Text(Cow::Owned(time))),
        _ => resolve::implicit_v3(text),
    };
    match (tag, resolved) {
        (Tag::Null, Some(value @ Resolved::Null))
        | (Tag::Bool, Some(value @ Resolved::Bool(_)))
        | (Tag::Int, Some(value @ Resolved::Number(Numeric::Int(_) | Numeric::Uint(_))))
        | (Tag::Float, Some(value @ (Resolved::Number(Numeric::Float(_)) | Resolved::Special(_))))
        | (Tag::Timestamp, Some(value)) => Ok(value),
        #[expect(clippy::cast_precision_loss, reason = "the tag asks for it")]
        (Tag::Float, Some(Resolved::Number(Numeric::Int(number)))) => {
            Ok(Resolved::Number(Numeric::Float(number as f64)))
        }
        _ => Err(format!("yaml: cannot decode {} `{text}` as a {}", implied(text).name(), tag.name())),
    }
}

/// A text after it was JSON that go-yaml v2 has read: it refuses control characters, and folds NEL.
pub(super) fn through_json(text: &str) -> Option<String> {
    let json =
        serde_json::to_string(text).ok()?.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029");
    let json = input::decode(json.as_bytes()).ok()?;
    let (tree, root) = Parser::new(&json, 1).document().ok()??;
    match &tree.get(root).content {
        Content::Scalar(scalar) => Some(scalar.text.as_ref().to_owned()),
        _ => None,
    }
}

/// Whether a text, written plainly, is something else than a text to YAML 1.1.
#[must_use]
pub fn is_yaml_1_1_non_string(text: &str) -> bool {
    !text.is_empty() && !text.contains('\n') && resolve::is_v2_non_string(text)
}
