//! Texts from a fixed seed: every operator on values that are awkward in some way, and mixtures of everything.

use super::Question;
use crate::random::Random;

const VALUES: &[&str] = &[
    "",
    "a",
    "abc",
    "aaaa",
    "a.b.c",
    "/path/to/file.tar.gz",
    "Straße ΣΑΣ ᾳǆİ",
    "日本語",
    "héllo wörld",
    "*",
    "[a]",
    "\\",
    "$x",
    "${v}",
    "a/b\\c",
    "0123456789",
    "-1",
    "ABC def",
    "x y\tz",
    "ﬀ",
    "\u{10428}\u{10400}",
];

const NAMES: &[&str] = &["v", "v", "v", "w", "e", "unset", "_x1", "1", "ñ", "Ⅷ", "", "a-b"];

const OPERATORS: &[&str] = &[
    "", "", ":", ":", "=", ":=", ":-", ":?", ":+", "-", "+", "?", ",", ",,", ",,,", "^", "^^", ",^", "#",
    "##", "###", "%", "%%", "/", "//", "/#", "/%", "@", " ",
];

const PIECES: &[&str] = &[
    "a",
    "b",
    "c",
    ".",
    "*",
    "?",
    "[",
    "]",
    "[a-c]",
    "[^a]",
    "[b-]",
    "\\",
    "\\/",
    "\\\\",
    "/",
    ":",
    "-",
    "1",
    "2",
    "-1",
    "0",
    "99",
    "9223372036854775807",
    "+1",
    "$",
    "$$",
    "}",
    "{",
    "é",
    "ß",
    " ",
    "#",
    "%",
    "to",
    "e.",
];

/// So many questions.
pub fn questions(count: usize) -> Vec<Question> {
    let mut random = Random::new(0x5075);
    (0..count).map(|_| question(&mut random)).collect()
}

fn question(random: &mut Random) -> Question {
    let mut text = Vec::new();
    for _ in 0..=random.below(3) {
        text.extend(random.soup(PIECES, 3).into_bytes());
        expression(random, 0, &mut text);
    }
    if random.one_in(20) {
        spoil(random, &mut text);
    }
    let mut value = random.pick(VALUES).as_bytes().to_vec();
    if random.one_in(30) {
        spoil(random, &mut value);
    }
    let other = random.soup(PIECES, 4).into_bytes();
    let variables =
        [("v", value), ("w", other), ("e", Vec::new()), ("_x1", b"under".to_vec()), ("1", b"one".to_vec())];
    let variables = variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Question { text, variables, strict: random.one_in(2) }
}

fn expression(random: &mut Random, depth: usize, text: &mut Vec<u8>) {
    text.extend(b"${");
    if random.one_in(12) {
        text.push(b'#');
    }
    text.extend(random.pick(NAMES).as_bytes());
    text.extend(random.pick(OPERATORS).as_bytes());
    for _ in 0..random.below(3) {
        argument(random, depth, text);
    }
    if random.one_in(3) {
        text.extend(random.pick(&["/", ":", ":-", "::"]).as_bytes());
        argument(random, depth, text);
    }
    if !random.one_in(25) {
        text.push(b'}');
    }
}

fn argument(random: &mut Random, depth: usize, text: &mut Vec<u8>) {
    if depth < 3 && random.one_in(4) {
        expression(random, depth + 1, text);
    } else {
        text.extend(random.soup(PIECES, 3).into_bytes());
    }
}

/// Puts a byte somewhere that breaks a character, or ends the text.
fn spoil(random: &mut Random, text: &mut Vec<u8>) {
    let at = random.below(text.len() + 1);
    let byte = if random.one_in(4) { 0 } else { u8::try_from(random.below(256)).unwrap_or(0xFF) };
    text.insert(at, byte);
}
