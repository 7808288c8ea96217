//! Texts by chance: documents from a grammar, soups of tokens, scalars of every look, and mutations.

use super::Case;
use super::grammar::Grammar;
use super::oracle::Question;
use crate::random::Random;

/// What YAML consists of, and what breaks readers.
const TOKENS: &[&str] = &[
    "a",
    "b",
    "key",
    ": ",
    ":",
    " ",
    "  ",
    "\n",
    "\n",
    "\n  ",
    "\n- ",
    "- ",
    "-",
    "? ",
    "?",
    ", ",
    ",",
    "[",
    "]",
    "{",
    "}",
    "#",
    " # c",
    "&x ",
    "*x",
    "*x ",
    "&x",
    "!",
    "!!str ",
    "!!int ",
    "!t ",
    "|",
    "|-",
    ">",
    ">+",
    "|2",
    "'",
    "\"",
    "''",
    "\\",
    "\\n",
    "%",
    "@",
    "`",
    "\t",
    "\r\n",
    "\r",
    "---",
    "\n---\n",
    "--- ",
    "...",
    "\n...\n",
    "<<",
    "<<: *x",
    "~",
    "null",
    "1",
    "0x1",
    "é",
    "\u{2028}",
    "\u{85}",
    "\u{feff}",
    "\u{1f600}",
    "=",
    "\n\n",
];

/// Pieces of scalars that look like something else.
const PIECES: &[&str] = &[
    "0",
    "1",
    "7",
    "9",
    "00",
    "0x",
    "0X",
    "0o",
    "0b",
    "x",
    "o",
    "b",
    "_",
    "-",
    "+",
    ".",
    "e",
    "E",
    "inf",
    ".inf",
    ".nan",
    "nan",
    "y",
    "n",
    "yes",
    "no",
    "on",
    "off",
    "true",
    "false",
    "True",
    "NO",
    "null",
    "~",
    "Null",
    ":",
    "60",
    "12:30",
    "2001-01-01",
    "-12-14",
    "T",
    "t",
    "10:20:30",
    "Z",
    " ",
    "+01:00",
    "e3",
    "e+",
    "1e",
    "18446744073709551615",
    "9223372036854775807",
    "a",
    "F",
    "<<",
    "=",
    "2001",
    "-1",
    "-01",
    "999",
];

const TAGS: &[&str] = &[
    "!!str ",
    "!!int ",
    "!!float ",
    "!!bool ",
    "!!null ",
    "!!timestamp ",
    "!!binary ",
    "!foo ",
    "! ",
    "!<tag:yaml.org,2002:str> ",
    "!!map ",
    "!!seq ",
    "!!merge ",
    "!e!x ",
];

/// Generated texts and mutations of the seeds.
pub fn texts(count: usize, seeds: &[Vec<u8>]) -> impl Iterator<Item = Case> {
    let mut random = Random::new(20_261_115);
    let mut seeds = seeds.to_vec();
    (0..count).map(move |number| {
        let (kind, text) = match number % 5 {
            0 => ("document", Grammar::new(&mut random).stream().into_bytes()),
            1 => ("soup", random.soup(TOKENS, 24).into_bytes()),
            2 => ("scalars", scalars(&mut random).into_bytes()),
            _ => {
                let seed = seeds.get(random.below(seeds.len())).cloned().unwrap_or_default();
                ("mutation", mutate(&mut random, seed))
            }
        };
        if kind == "document" && seeds.len() < 2000 {
            seeds.push(text.clone());
        }
        Case { name: format!("generated {kind} {number}"), question: Question::Decode(text) }
    })
}

/// A scalar that may look like something else.
pub fn scalar(random: &mut Random) -> String {
    random.soup(PIECES, 4)
}

fn scalars(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..6 {
        let tag = if random.one_in(3) { random.pick(TAGS) } else { "" };
        let quote = if random.one_in(6) { random.pick(&["'", "\""]) } else { "" };
        let scalar = scalar(random);
        let line = match random.below(4) {
            0 => format!("k{}: {tag}{quote}{scalar}{quote}\n", text.len()),
            1 => format!("{tag}{quote}{scalar}{quote}: v{}\n", text.len()),
            _ => format!("j{}: [{tag}{quote}{scalar}{quote}]\n", text.len()),
        };
        // One refusal hides all other lines.
        if random.one_in(3) {
            return line;
        }
        text += &line;
    }
    text
}

fn mutate(random: &mut Random, mut text: Vec<u8>) -> Vec<u8> {
    for _ in 0..=random.below(4) {
        let at = random.below(text.len() + 1);
        let to = (at + random.below(8)).min(text.len());
        match random.below(6) {
            0 => drop(text.drain(at..to)),
            1 | 2 => drop(text.splice(at..at, random.pick(TOKENS).bytes())),
            3 => {
                let piece: Vec<u8> = text.get(at..to).unwrap_or_default().to_vec();
                let target = random.below(text.len() + 1);
                text.splice(target..target, piece);
            }
            4 => drop(text.splice(at..to, random.pick(PIECES).bytes())),
            _ => {
                if let Some(byte) = text.get_mut(at) {
                    let bound = if random.one_in(10) { 256 } else { 128 };
                    *byte = u8::try_from(random.below(bound)).unwrap_or(b' ');
                }
            }
        }
    }
    text
}
