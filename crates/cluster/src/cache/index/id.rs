//! Uids and resource versions in few bytes.
//!
//! The server promises no form for either. In practice a uid is a UUID and a version is a number, which then take
//! no allocation; anything else is kept as it is.

use std::fmt;

/// What tells an object from a later one of the same name.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Uid {
    Uuid([u8; 16]),
    Other(Box<str>),
}

impl Uid {
    pub(crate) fn new(text: &str) -> Self {
        uuid(text).map_or_else(|| Self::Other(text.into()), Self::Uuid)
    }
}

impl fmt::Display for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Other(text) => f.write_str(text),
            Self::Uuid(bytes) => bytes.iter().enumerate().try_for_each(|(at, byte)| {
                let dash = if matches!(at, 4 | 6 | 8 | 10) { "-" } else { "" };
                write!(f, "{dash}{byte:02x}")
            }),
        }
    }
}

/// Only the form in which we would write it back is taken.
fn uuid(text: &str) -> Option<[u8; 16]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    if text.len() != 36 {
        return None;
    }
    let mut bytes = [0; 16];
    let mut text = text.bytes();
    for (at, byte) in bytes.iter_mut().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) && text.next()? != b'-' {
            return None;
        }
        *byte = digit(text.next()?)? << 4 | digit(text.next()?)?;
    }
    Some(bytes)
}

/// The version of an object's state.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Version {
    Number(u64),
    Other(Box<str>),
}

impl Version {
    pub(crate) fn new(text: &str) -> Self {
        match text.parse() {
            Ok(number) if !text.starts_with(['+', '0']) => Self::Number(number),
            _ => Self::Other(text.into()),
        }
    }

    /// True where both are numbers and this one is the smaller. Servers compare versions of one kind as numbers:
    /// <https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions>
    pub(crate) fn is_older_than(&self, other: &Self) -> bool {
        matches!((self, other), (Self::Number(this), Self::Number(other)) if this < other)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Other(text) => f.write_str(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out() {
        for text in ["0c2dfb4e-6a37-4f7a-9d0e-0123456789ab", "0C2DFB4E-6A37-4F7A-9D0E-0123456789AB", "", "42"]
        {
            assert_eq!(Uid::new(text).to_string(), text);
        }
        assert!(matches!(Uid::new("0c2dfb4e-6a37-4f7a-9d0e-0123456789ab"), Uid::Uuid(_)));
        assert!(matches!(Uid::new("0c2dfb4e06a37-4f7a-9d0e-0123456789ab"), Uid::Other(_)));
        for text in ["7", "007", "+7", "abc", "", "99999999999999999999999"] {
            assert_eq!(Version::new(text).to_string(), text);
        }
        assert!(Version::new("9").is_older_than(&Version::new("10")));
        assert!(!Version::new("a").is_older_than(&Version::new("b")));
    }

    #[test]
    fn they_are_small() {
        assert!(size_of::<Uid>() <= 24, "{}", size_of::<Uid>());
        assert!(size_of::<Version>() <= 24, "{}", size_of::<Version>());
    }
}
