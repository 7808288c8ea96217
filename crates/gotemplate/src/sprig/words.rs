//! Words and letters: cases, initials, abbreviations, wrapping.

use super::{Done, Table};
use crate::function::Args;
use crate::runes;
use crate::value::{INT, Type, Value};

const S: Type = Type::String;

pub fn add(table: &mut Table<'_>) {
    table.text("upper", |text| runes::mapped(text, runes::upper));
    table.text("lower", |text| runes::mapped(text, runes::lower));
    table.text("title", title);
    table.text("untitle", untitle);
    table.text("nospace", no_space);
    table.text("initials", initials);
    table.text("swapcase", swap_case);
    table.text("snakecase", |text| separated(text, '_'));
    table.text("kebabcase", |text| separated(text, '-'));
    table.text("camelcase", camel_case);
    table.pure("abbrev", &[INT, S], S, |args| {
        let (width, text) = (args.int(0), args.text(1));
        Ok(Value::string(if width < 4 { text.to_vec() } else { abbreviated(text, 0, width) }))
    });
    table.pure("abbrevboth", &[INT, INT, S], S, |args| {
        let (left, right, text) = (args.int(0), args.int(1), args.text(2));
        let too_narrow = right < 4 || left > 0 && right < 7;
        Ok(Value::string(if too_narrow { text.to_vec() } else { abbreviated(text, left, right) }))
    });
    table.pure("wrap", &[INT, S], S, |args| {
        Ok(Value::string(wrapped(args.text(1), args.int(0), b"\n", LongWords::Kept)))
    });
    table.pure("wrapWith", &[INT, S, S], S, wrap_with);
}

fn is_space(character: char) -> bool {
    character.is_whitespace() && !matches!(character, '\x1c'..='\x1f')
}

/// Go's old idea of a word: letters, digits and underscores, and what is no space beyond ASCII.
fn is_separator(character: char) -> bool {
    if character.is_ascii() {
        return !(character.is_ascii_alphanumeric() || character == '_');
    }
    !(runes::is_letter(character) || runes::is_digit(character)) && is_space(character)
}

fn title(text: &[u8]) -> Vec<u8> {
    let mut before = ' ';
    runes::mapped(text, |character| {
        let starts = is_separator(std::mem::replace(&mut before, character));
        if starts { runes::title(character) } else { character }
    })
}

fn untitle(text: &[u8]) -> Vec<u8> {
    let mut starts = true;
    runes::mapped(text, |character| {
        if is_space(character) {
            starts = true;
            return character;
        }
        if std::mem::replace(&mut starts, false) { runes::lower(character) } else { character }
    })
}

/// The library goes byte by byte: each is taken for a character.
fn no_space(text: &[u8]) -> Vec<u8> {
    if !text.iter().any(|byte| is_space(char::from(*byte))) {
        return text.to_vec();
    }
    let mut out = Vec::with_capacity(text.len());
    text.iter().map(|byte| char::from(*byte)).filter(|one| !is_space(*one)).for_each(|one| {
        runes::push(&mut out, one);
    });
    out
}

/// Byte by byte as well.
fn initials(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut gap = true;
    for character in text.iter().map(|byte| char::from(*byte)) {
        if is_space(character) {
            gap = true;
        } else if std::mem::replace(&mut gap, false) {
            runes::push(&mut out, character);
        }
    }
    out
}

fn swap_case(text: &[u8]) -> Vec<u8> {
    let mut space = true;
    runes::mapped(text, |character| {
        if runes::is_upper(character)
            || runes::title(character) == character
                && !runes::is_lower(character)
                && runes::lower(character) != character
        {
            space = false;
            runes::lower(character)
        } else if runes::is_lower(character) {
            if std::mem::replace(&mut space, false) {
                runes::title(character)
            } else {
                runes::upper(character)
            }
        } else {
            space = is_space(character);
            character
        }
    })
}

fn is_connector(character: char) -> bool {
    matches!(character, '-' | '_') || is_space(character)
}

fn camel_case(text: &[u8]) -> Vec<u8> {
    let mut characters = runes::all(text).map(|(character, _)| character);
    let mut out = Vec::new();
    let mut upper_before = false;
    let Some(mut current) = characters.find_map(|character| {
        if is_connector(character) {
            runes::push(&mut out, character);
            return None;
        }
        upper_before = runes::is_upper(character);
        Some(runes::upper(character))
    }) else {
        // Nothing but connectors: the library writes the last one twice.
        return match runes::last(text) {
            Some((last, _)) => {
                runes::push(&mut out, last);
                out
            }
            None => out,
        };
    };
    for character in characters {
        let before = std::mem::replace(&mut current, character);
        if is_connector(character) && is_connector(before) {
            runes::push(&mut out, before);
            continue;
        }
        if is_connector(before) {
            upper_before = runes::is_upper(character);
            current = runes::upper(character);
            continue;
        }
        if upper_before {
            if runes::is_upper(character) {
                current = runes::lower(character);
            } else {
                upper_before = false;
            }
        }
        runes::push(&mut out, before);
    }
    runes::push(&mut out, current);
    out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Invalid,
    Number,
    Upper,
    Alphabet,
    Connector,
    Punctuation,
    Other,
}

/// A letter that is written with others to a word: Chinese, Japanese and Korean characters are not.
fn is_alphabet(character: char) -> bool {
    let ideograph = matches!(
        character,
        '\u{4E00}'..='\u{9FCC}' | '\u{3400}'..='\u{4D85}' | '\u{20000}'..='\u{2B81D}'
    );
    runes::is_letter(character) && !ideograph
}

/// The first character that is not broken, and the bytes up to its end; `before` when there is none.
fn valid(text: &[u8], before: char) -> (char, usize) {
    let mut size = 0;
    for (character, bytes) in runes::all(text) {
        size += bytes.len();
        if character != char::REPLACEMENT_CHARACTER {
            return (character, size);
        }
    }
    (before, size)
}

/// How many bytes the characters that are wanted have from an offset on, and the first that is not.
fn run(text: &[u8], mut offset: usize, mut last: char, wanted: impl Fn(char) -> bool) -> (usize, char) {
    while let Some(rest) = text.get(offset..).filter(|rest| !rest.is_empty()) {
        let (character, size) = valid(rest, last);
        last = character;
        if !wanted(character) {
            break;
        }
        offset += size;
    }
    (offset, last)
}

fn next_word(text: &[u8]) -> (Word, &[u8], &[u8]) {
    if text.is_empty() {
        return (Word::Invalid, &[], &[]);
    }
    let (first, size) = valid(text, char::REPLACEMENT_CHARACTER);
    let small = |character: char| is_alphabet(character) && !runes::is_upper(character);
    let (word, end) = match first {
        char::REPLACEMENT_CHARACTER => (Word::Invalid, size),
        _ if is_connector(first) => (Word::Connector, run(text, size, first, is_connector).0),
        _ if runes::is_punctuation(first) => {
            (Word::Punctuation, run(text, size, first, runes::is_punctuation).0)
        }
        _ if runes::is_upper(first) => (Word::Upper, upper_word(text, size, first)),
        _ if is_alphabet(first) => (Word::Alphabet, run(text, size, first, small).0),
        _ if runes::is_number(first) => (Word::Number, run(text, size, first, runes::is_number).0),
        _ => {
            let other = |one: char| {
                !is_connector(one)
                    && !is_alphabet(one)
                    && !runes::is_number(one)
                    && !runes::is_punctuation(one)
            };
            (Word::Other, run(text, size, first, other).0)
        }
    };
    let (word_text, rest) = text.split_at_checked(end).unwrap_or((text, &[]));
    (word, word_text, rest)
}

/// `Word` is one, and of `HTTPServer` it is `HTTP`.
fn upper_word(text: &[u8], size: usize, first: char) -> usize {
    let rest = text.get(size..).unwrap_or_default();
    if rest.is_empty() {
        return size;
    }
    let (second, width) = valid(rest, first);
    if runes::is_upper(second) {
        let (end, last) = run(text, size + width, second, runes::is_upper);
        if end < text.len() && is_alphabet(last) {
            let head = text.get(..end).unwrap_or_default();
            return end - runes::last(head).map_or(0, |(_, width)| width);
        }
        return end;
    }
    if is_alphabet(second) {
        return run(text, size + width, second, |one| is_alphabet(one) && !runes::is_upper(one)).0;
    }
    size
}

fn push_lower(out: &mut Vec<u8>, word: Word, text: &[u8], connector: char) {
    if !matches!(word, Word::Upper | Word::Connector) {
        out.extend_from_slice(text);
        return;
    }
    for (character, _) in runes::all(text) {
        let character = if is_connector(character) {
            connector
        } else if runes::is_upper(character) {
            runes::lower(character)
        } else {
            character
        };
        runes::push(out, character);
    }
}

/// `snake_case` and `kebab-case`.
fn separated(text: &[u8], connector: char) -> Vec<u8> {
    let mut out = Vec::new();
    let (mut word, mut part, mut rest) = next_word(text);
    let in_word = |word: Word| matches!(word, Word::Alphabet | Word::Number);
    while !rest.is_empty() {
        if word != Word::Connector {
            push_lower(&mut out, word, part, connector);
        }
        let (before, last) = (word, part);
        (word, part, rest) = next_word(rest);
        match before {
            Word::Number => {
                while in_word(word) {
                    push_lower(&mut out, word, part, connector);
                    (word, part, rest) = next_word(rest);
                }
                if !matches!(word, Word::Invalid | Word::Punctuation | Word::Connector) {
                    runes::push(&mut out, connector);
                }
            }
            Word::Connector => push_lower(&mut out, before, last, connector),
            Word::Punctuation => {}
            _ if word != Word::Number => {
                if !matches!(word, Word::Connector | Word::Punctuation) {
                    runes::push(&mut out, connector);
                }
            }
            _ if rest.is_empty() => {}
            _ => {
                let number = part;
                (word, part, rest) = next_word(rest);
                if word != Word::Alphabet {
                    push_lower(&mut out, Word::Number, number, connector);
                    if !matches!(word, Word::Connector | Word::Punctuation) {
                        runes::push(&mut out, connector);
                    }
                    continue;
                }
                runes::push(&mut out, connector);
                push_lower(&mut out, Word::Number, number, connector);
                while in_word(word) {
                    push_lower(&mut out, word, part, connector);
                    (word, part, rest) = next_word(rest);
                }
                if !matches!(word, Word::Invalid | Word::Connector | Word::Punctuation) {
                    runes::push(&mut out, connector);
                }
            }
        }
    }
    push_lower(&mut out, word, part, connector);
    out
}

fn abbreviated(text: &[u8], offset: i64, width: i64) -> Vec<u8> {
    let length = i64::try_from(text.len()).unwrap_or(i64::MAX);
    let part = |from: i64, to: i64| {
        let from = usize::try_from(from).unwrap_or(0);
        text.get(from..usize::try_from(to).unwrap_or(0)).unwrap_or_default()
    };
    if text.is_empty() || length <= width {
        return text.to_vec();
    }
    let mut offset = offset.min(length);
    if length - offset < width - 3 {
        offset = length - (width - 3);
    }
    if offset <= 4 {
        return [part(0, width - 3), b"..."].concat();
    }
    if width < 7 {
        return Vec::new();
    }
    if offset + width - 3 < length {
        return [&b"..."[..], &abbreviated(part(offset, length), 0, width - 3)].concat();
    }
    [&b"..."[..], part(length - (width - 3), length)].concat()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LongWords {
    Kept,
    Broken,
}

fn wrap_with(args: Args<'_>) -> Done {
    let separator = if args.text(1).is_empty() { b"\n" } else { args.text(1) };
    Ok(Value::string(wrapped(args.text(2), args.int(0), separator, LongWords::Broken)))
}

fn wrapped(text: &[u8], width: i64, separator: &[u8], long: LongWords) -> Vec<u8> {
    let width = usize::try_from(width).unwrap_or(1).max(1);
    let mut out = Vec::new();
    let mut rest = text;
    while rest.len() > width {
        if let [b' ', behind @ ..] = rest {
            rest = behind;
            continue;
        }
        let space = memchr::memrchr(b' ', rest.get(..=width).unwrap_or(rest));
        let (line, next) = match (space, long) {
            (Some(space), _) => (space, space + 1),
            (None, LongWords::Broken) => (width, width),
            (None, LongWords::Kept) => match memchr::memchr(b' ', rest.get(width..).unwrap_or_default()) {
                Some(space) => (width + space, width + space + 1),
                None => break,
            },
        };
        out.extend_from_slice(rest.get(..line).unwrap_or_default());
        out.extend_from_slice(separator);
        rest = rest.get(next..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    out
}
