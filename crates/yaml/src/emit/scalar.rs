//! Which style a text needs.

use crate::number::Numeric;
use crate::resolve;
use crate::timestamp::is_timestamp;

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Style {
    Plain,
    Single,
    Double,
    Literal,
}

/// What a text contains, as far as it matters for the style.
#[expect(clippy::struct_excessive_bools, reason = "independent facts, not states")]
#[derive(Clone, Copy, Default)]
pub(super) struct Facts {
    /// Any line break, Unicode's separators included.
    pub multiline: bool,
    /// Something that means more than itself at this place in a plain text.
    indicator: bool,
    /// A character that only an escape can write.
    special: bool,
    /// A tab, which go-yaml v3 writes as it is in blocks.
    tab: bool,
    /// A space or break at the start or end.
    edge: bool,
    trailing_space: bool,
    break_space: bool,
    space_break: bool,
}

/// The character before another.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    Space,
    /// A tab or NUL.
    Blank,
    Break,
    Other,
}

impl Facts {
    pub fn of(text: &str) -> Self {
        let mut facts = Self {
            indicator: text.starts_with("---") || text.starts_with("..."),
            edge: text.starts_with(' ') || text.ends_with(' '),
            trailing_space: text.ends_with(' '),
            ..Self::default()
        };
        let bytes = text.as_bytes();
        let spaced = |at: usize| matches!(bytes.get(at), None | Some(b' ' | b'\t'));
        facts.indicator |= match bytes.first() {
            Some(
                b'#' | b',' | b'[' | b']' | b'{' | b'}' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\'' | b'"'
                | b'%' | b'@' | b'`',
            ) => true,
            Some(b'?' | b'-') => spaced(1),
            _ => false,
        };
        // What came before, as far as it matters.
        let mut before = Before::Other;
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            let mut length = 1;
            before = match byte {
                b' ' => {
                    facts.break_space |= before == Before::Break;
                    Before::Space
                }
                b':' => {
                    facts.indicator |= spaced(at + 1);
                    Before::Other
                }
                b'#' => {
                    facts.indicator |= before != Before::Other;
                    Before::Other
                }
                b'!'..=b'~' => Before::Other,
                b'\t' => {
                    facts.tab = true;
                    Before::Blank
                }
                _ => {
                    let character = text.get(at..).and_then(|rest| rest.chars().next()).unwrap_or_default();
                    length = character.len_utf8();
                    facts.special |= !is_printable(character);
                    match character {
                        '\0' => Before::Blank,
                        _ if !is_break(character) => Before::Other,
                        _ => {
                            facts.multiline = true;
                            facts.edge |= at == 0 || at + length == bytes.len();
                            facts.space_break |= before == Before::Space;
                            Before::Break
                        }
                    }
                }
            };
            at += length;
        }
        facts
    }

    /// The style of a text; `key` where it must fit on one line before a `:`.
    pub fn style(self, text: &str, key: bool) -> Style {
        let escapes = self.space_break || self.special || self.tab;
        if text.contains('\n') {
            let block = !key && !self.trailing_space && !escapes;
            return if block { Style::Literal } else { Style::Double };
        }
        if !reads_as_string(text) || key && self.multiline {
            return Style::Double;
        }
        if !(self.edge || self.break_space || self.multiline || self.indicator || escapes) {
            Style::Plain
        } else if self.break_space || escapes {
            Style::Double
        } else {
            Style::Single
        }
    }
}

impl Facts {
    /// Whether go-yaml v3 may write the text without quotes in a block.
    pub fn v3_plain(self) -> bool {
        !(self.edge || self.multiline || self.indicator || self.single_forbidden())
    }

    /// Whether go-yaml v3 cannot write the text in single quotes.
    pub fn single_forbidden(self) -> bool {
        self.break_space || self.space_break || self.special || self.tab
    }

    /// Whether go-yaml v3 cannot write the text as a block.
    pub fn block_forbidden(self) -> bool {
        self.trailing_space || self.space_break || self.special
    }
}

/// Whether the text, written plainly, would be read as a string again, by go-yaml and by those readers that
/// know YAML 1.1's base 60.
fn reads_as_string(text: &str) -> bool {
    resolve::implicit(text).is_none() && !is_timestamp(text) && !is_base_60(text)
}

/// `[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?`
fn is_base_60(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let mut groups = whole.split(':');
    let first = groups.next().unwrap_or_default();
    let sixtieth = |group: &str| match group.as_bytes() {
        [digit] => digit.is_ascii_digit(),
        [tens, digit] => (b'0'..=b'5').contains(tens) && digit.is_ascii_digit(),
        _ => false,
    };
    whole.contains(':')
        && first.starts_with(|digit: char| digit.is_ascii_digit())
        && digits(first)
        && groups.all(sixtieth)
        && digits(fraction)
}

pub(super) fn is_break(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// What go-yaml writes without an escape; no tab, and nothing beyond 16 bits.
pub(super) fn is_printable(character: char) -> bool {
    matches!(character, '\n' | ' '..='~' | '\u{A0}'..='\u{FEFE}' | '\u{FF00}'..='\u{FFFD}')
}

/// A number as text, the way Go's tools print it.
pub(super) fn number(number: &serde_json::Number) -> String {
    match number.as_f64() {
        Some(float) if number.is_f64() => Numeric::Float(float).written(),
        _ => number.to_string(),
    }
}
