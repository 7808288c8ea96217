//! How go-yaml v3 writes a text: plainly, in quotes, or as a block.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Style {
    Plain,
    Single,
    Double,
    Literal,
}

/// A text ready to be written.
pub(super) struct Scalar<'t> {
    pub text: Cow<'t, str>,
    pub style: Style,
    /// For bytes that are no text, and for a text that would otherwise be a merge key.
    pub tag: Option<&'static str>,
}

impl<'t> Scalar<'t> {
    pub fn of(bytes: &'t [u8]) -> Self {
        let Ok(text) = std::str::from_utf8(bytes) else {
            let text = in_lines(&STANDARD.encode(bytes));
            let style = style(&text, true);
            return Self { text: Cow::Owned(text), style, tag: Some("!!binary") };
        };
        if text == "<<" {
            return Self { text: Cow::Borrowed(text), style: Style::Plain, tag: Some("!!merge") };
        }
        let style = style(text, false);
        match text.strip_prefix('\n') {
            // SOPS writes each text twice, and the first time a leading line feed is lost.
            Some(rest) if style == Style::Literal => {
                let style =
                    if !rest.is_empty() && Facts::of(rest).block { Style::Literal } else { Style::Double };
                Self { text: Cow::Borrowed(rest), style, tag: None }
            }
            _ => Self { text: Cow::Borrowed(text), style, tag: None },
        }
    }

    /// Something that is no text and has no choice of styles.
    pub fn plain(text: impl Into<Cow<'t, str>>) -> Self {
        Self { text: text.into(), style: Style::Plain, tag: None }
    }

    /// Any line break, Unicode's separators included.
    pub fn is_multiline(&self) -> bool {
        self.text.contains(is_break)
    }
}

/// Lines of 70 characters, if it takes more than one.
fn in_lines(text: &str) -> String {
    if text.len() < 70 {
        return text.to_owned();
    }
    let bytes = text.as_bytes().chunks(70);
    bytes.map(|line| format!("{}\n", String::from_utf8_lossy(line))).collect()
}

fn style(text: &str, tagged: bool) -> Style {
    let facts = Facts::of(text);
    if text.contains('\n') {
        return if facts.block { Style::Literal } else { Style::Double };
    }
    if !tagged && reads_as_more(text) {
        return Style::Double;
    }
    match (facts.plain, facts.single) {
        (true, _) => Style::Plain,
        (false, true) => Style::Single,
        (false, false) => Style::Double,
    }
}

/// Whether the text, written plainly, would be something else than a text to any reader: our writer of the
/// older YAML knows.
fn reads_as_more(text: &str) -> bool {
    towpath_yaml::to_string(&text.into()).starts_with('"')
}

/// Which styles a text allows outside of brackets.
struct Facts {
    plain: bool,
    single: bool,
    block: bool,
}

impl Facts {
    fn of(text: &str) -> Self {
        let mut indicator = text.starts_with("---") || text.starts_with("...");
        let (mut special, mut tab, mut breaks) = (false, false, false);
        let (mut break_space, mut space_break) = (false, false);
        let mut before: Option<char> = None;
        let mut rest = text.chars();
        while let Some(character) = rest.next() {
            let after = rest.as_str();
            let spaced = after.is_empty() || after.starts_with([' ', '\t']);
            indicator |= match (before, character) {
                (
                    None,
                    '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@'
                    | '`',
                ) => true,
                (None, '?' | '-') | (_, ':') => spaced,
                (Some(before), '#') => before == ' ' || before == '\t' || is_break(before),
                _ => false,
            };
            match character {
                '\t' => tab = true,
                other => special |= !is_printable(other),
            }
            breaks |= is_break(character);
            break_space |= character == ' ' && before.is_some_and(is_break);
            space_break |= is_break(character) && before == Some(' ');
            before = Some(character);
        }
        let edge = |character: char| character == ' ' || is_break(character);
        let edges = text.starts_with(edge) || text.ends_with(edge);
        let single = !(break_space || space_break || tab || special);
        Self {
            plain: single && !edges && !breaks && !indicator,
            single,
            block: !text.ends_with(' ') && !space_break && !special,
        }
    }
}

pub(super) fn is_break(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// What go-yaml writes as it is.
fn is_printable(character: char) -> bool {
    matches!(character, '\n' | ' '..='~' | '\u{A0}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}')
        && character != '\u{FEFF}'
}

/// The inside of double quotes.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    for character in text.chars() {
        if is_printable(character) && !is_break(character) && !matches!(character, '"' | '\\') {
            out.push(character);
            continue;
        }
        let code = u32::from(character);
        match character {
            '\0' => out.push_str("\\0"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{B}' => out.push_str("\\v"),
            '\u{C}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\u{1B}' => out.push_str("\\e"),
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{85}' => out.push_str("\\N"),
            '\u{2028}' => out.push_str("\\L"),
            '\u{2029}' => out.push_str("\\P"),
            _ if code <= 0xFF => out.extend([format!("\\x{code:02X}")]),
            _ if code <= 0xFFFF => out.extend([format!("\\u{code:04X}")]),
            _ => out.extend([format!("\\U{code:08X}")]),
        }
    }
    out
}

/// A float as YAML writes it.
pub(super) fn float(text: &str) -> Option<f64> {
    match text {
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Some(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Some(f64::NEG_INFINITY),
        ".nan" | ".NaN" | ".NAN" => Some(f64::NAN),
        _ => text.replace('_', "").parse().ok(),
    }
}
