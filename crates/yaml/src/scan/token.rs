//! The words of YAML.

use std::borrow::Cow;

use crate::error::Mark;
use crate::node::Style;

#[derive(Debug, PartialEq)]
pub(crate) enum Kind<'a> {
    StreamEnd,
    Version { major: u8, minor: u8 },
    TagPrefix { handle: &'a str, prefix: Cow<'a, str> },
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias(&'a str),
    Anchor(&'a str),
    Tag { handle: &'a str, suffix: Cow<'a, str> },
    Scalar { text: Cow<'a, str>, style: Style },
}

#[derive(Debug)]
pub(crate) struct Token<'a> {
    pub kind: Kind<'a>,
    pub mark: Mark,
}
