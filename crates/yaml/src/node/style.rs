//! How a node was written, and what type its tag names.

/// How a node was written. Several may hold at once, as in go-yaml: a tag and double quotes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style(u8);

impl Style {
    /// Nothing special: a plain scalar, a block collection.
    pub const PLAIN: Self = Self(0);
    /// The tag was written.
    pub const TAGGED: Self = Self(1);
    /// In double quotes.
    pub const DOUBLE: Self = Self(2);
    /// In single quotes.
    pub const SINGLE: Self = Self(4);
    /// A block behind `|`.
    pub const LITERAL: Self = Self(8);
    /// A block behind `>`.
    pub const FOLDED: Self = Self(16);
    /// A collection in brackets.
    pub const FLOW: Self = Self(32);

    /// The styles as go-yaml's bits.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Both.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all of the other holds here.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether a scalar is written so that its text cannot be anything but a text.
    #[must_use]
    pub const fn is_quoted(self) -> bool {
        self.0 & (Self::DOUBLE.0 | Self::SINGLE.0 | Self::LITERAL.0 | Self::FOLDED.0) != 0
    }
}

/// The type of a node as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tag {
    /// Not known: text and style decide when it is written.
    #[default]
    None,
    /// `!!str`
    Str,
    /// `!!int`
    Int,
    /// `!!float`
    Float,
    /// `!!bool`
    Bool,
    /// `!!null`
    Null,
    /// `!!timestamp`
    Timestamp,
    /// `!!binary`
    Binary,
    /// `!!merge`
    Merge,
    /// `!!map`
    Map,
    /// `!!seq`
    Seq,
    /// Any other: what bears it is a text, or a collection like any other.
    Other,
}

const PREFIX: &str = "tag:yaml.org,2002:";

impl Tag {
    /// The tag by its full name.
    pub(crate) fn new(name: &str) -> Self {
        match name.strip_prefix(PREFIX) {
            Some("str") => Self::Str,
            Some("int") => Self::Int,
            Some("float") => Self::Float,
            Some("bool") => Self::Bool,
            Some("null") => Self::Null,
            Some("timestamp") => Self::Timestamp,
            Some("binary") => Self::Binary,
            Some("merge") => Self::Merge,
            Some("map") => Self::Map,
            Some("seq") => Self::Seq,
            _ => Self::Other,
        }
    }

    /// The short name; empty where the tag is not known.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Str => "!!str",
            Self::Int => "!!int",
            Self::Float => "!!float",
            Self::Bool => "!!bool",
            Self::Null => "!!null",
            Self::Timestamp => "!!timestamp",
            Self::Binary => "!!binary",
            Self::Merge => "!!merge",
            Self::Map => "!!map",
            Self::Seq => "!!seq",
            Self::Other => "!",
        }
    }
}
