//! JSON values by chance, to be written.

use serde_json::{Map, Value};

use super::Case;
use super::oracle::Question;
use crate::random::Random;

/// Pieces of strings that need care when written.
const PIECES: &[&str] = &[
    "a",
    "word",
    " ",
    " ",
    "  ",
    "\n",
    "\n",
    "\n\n",
    "\t",
    ": ",
    ":",
    " #",
    "#",
    "- ",
    "-",
    "? ",
    "'",
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    "&",
    "*",
    "!",
    "|",
    ">",
    "%",
    "@",
    "`",
    "é",
    "\u{2028}",
    "\u{85}",
    "\u{feff}",
    "\u{1f600}",
    "\u{7}",
    "\r",
    "---",
    "...",
    "~",
    "y",
    "no",
    "null",
    "1",
    "0x1",
    "1e3",
    "1.5",
    "12:30",
    "2001-01-01",
    ".5",
    "=",
    "<<",
    "\u{a0}",
    "0",
    "_",
    "a rather long piece of text without any special meaning ",
    "averyveryverylongwordwithoutanyspaceinitthatcannotbebroken",
];

/// Generated values.
pub fn generated(count: usize) -> impl Iterator<Item = Case> {
    let mut random = Random::new(15_112_026);
    (0..count).map(move |number| Case {
        name: format!("generated value {number}"),
        question: Question::Encode(value(&mut random, 0)),
    })
}

fn value(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth > 3 { 7 } else { 11 }) {
        0 => Value::Null,
        1 => Value::Bool(random.one_in(2)),
        2 => number(random),
        3..=6 => Value::String(text(random)),
        7 | 8 => (0..random.below(5)).map(|_| value(random, depth + 1)).collect(),
        _ => {
            let entries = (0..random.below(6)).map(|_| (key(random), value(random, depth + 1)));
            Value::Object(entries.collect::<Map<_, _>>())
        }
    }
}

fn text(random: &mut Random) -> String {
    match random.below(4) {
        0 => random.soup(PIECES, 3),
        1 => random.soup(&["word ", "a longer ", "'", "éé ", "x: ", "  ", "text"], 40),
        _ => random.soup(PIECES, 12),
    }
}

fn key(random: &mut Random) -> String {
    match random.below(6) {
        0 => text(random),
        1 => random.soup(PIECES, 2),
        _ => random.soup(&["a", "b", "B", "1", "10", "9", "0", ".", "-", "_", "/", "key"], 4),
    }
}

fn number(random: &mut Random) -> Value {
    let bits = random.next();
    match random.below(6) {
        0 => Value::from(bits),
        1 => Value::from(bits.cast_signed()),
        2 => Value::from(random.below(2000)),
        // Whole numbers below 1e21 are left out: Go's JSON has them without exponent, serde_json's with one.
        3 => match f64::from_bits(bits) {
            number if number.fract() == 0.0 && number.abs() < 1e21 => Value::from(0.5),
            number => Value::from(number),
        },
        4 => Value::from(f64::from(u32::try_from(random.below(1_000_000_000)).unwrap_or(0)) / 1000.0),
        _ => Value::from(f64::from(u32::try_from(random.below(100)).unwrap_or(0)) * 1e22),
    }
}
