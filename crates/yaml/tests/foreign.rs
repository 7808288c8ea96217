//! Foreign bytes through the reader and the writer: an answer within the budget, and never a panic.
//!
//! The files in `seeds/` are read as they are, then changed by chance from a fixed start. It takes two seconds;
//! as long as one likes with `TOWPATH_FUZZ_SECONDS=3600 cargo test --release -p towpath-yaml --test foreign`.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use towpath_yaml::{
    Dialect, Kind, Limits, Node, documents, first_document, is_yaml_1_1_non_string, read, to_string, write,
    write_v3,
};

/// What breaks readers when it is put somewhere.
const PIECES: &[&str] = &[
    "\n",
    "\r\n",
    " ",
    "  ",
    "\t",
    "- ",
    "? ",
    ": ",
    ":",
    ",",
    "{",
    "}",
    "[",
    "]",
    "'",
    "\"",
    "\\",
    "#",
    " #",
    "&a ",
    "*a",
    "<<: ",
    "<<: *a",
    "!!binary ",
    "!!int ",
    "! ",
    "!<",
    "|",
    "|+\n",
    "|2",
    ">-\n",
    "---\n",
    "--- ",
    "...\n",
    "%YAML 1.1\n",
    "%TAG",
    "~",
    "null",
    "yes",
    ".inf",
    ".nan",
    "0x",
    "0b1",
    "1e309",
    "18446744073709551616",
    "2001-01-01",
    "2001-01-01 1:2:3",
    "é",
    "\u{85}",
    "\u{2028}",
    "\u{feff}",
    "\u{7f}",
    "\u{1f600}",
    "\0",
    "@",
    "`",
];

/// Chance from a fixed start.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(bound.max(1)).unwrap_or(1)).unwrap_or(0)
    }

    /// Another text made from one.
    fn change(&mut self, text: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
        let mut text = text.to_vec();
        for _ in 0..=self.below(6) {
            let at = self.below(text.len() + 1);
            match self.below(5) {
                0 => {
                    let piece = PIECES.get(self.below(PIECES.len())).copied().unwrap_or_default();
                    text.splice(at..at, piece.bytes());
                }
                1 => {
                    let end = (at + self.below(12)).min(text.len());
                    text.drain(at..end);
                }
                2 => {
                    if let Some(byte) = text.get_mut(at) {
                        *byte = u8::try_from(self.below(256)).unwrap_or(0);
                    }
                }
                3 => {
                    let end = (at + self.below(40)).min(text.len());
                    let part: Vec<u8> = text.get(at..end).unwrap_or_default().to_vec();
                    let to = self.below(text.len() + 1);
                    text.splice(to..to, part);
                }
                _ => {
                    let other = others.get(self.below(others.len())).cloned().unwrap_or_default();
                    let from = self.below(other.len() + 1);
                    let end = (from + self.below(60)).min(other.len());
                    text.splice(at..at, other.get(from..end).unwrap_or_default().to_vec());
                }
            }
        }
        text
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/seeds");
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("the folder of seeds").map(|file| file.expect("a seed").path()).collect();
    files.sort();
    files.iter().map(|file| fs::read(file).expect("a seed")).collect()
}

/// Everything that takes foreign bytes, and what must hold of its answers.
fn try_all(bytes: &[u8]) {
    let limits = Limits { nodes: 100_000, alias_bytes: 1 << 20, ..Limits::default() };
    for document in documents(bytes, &limits).unwrap_or_default() {
        let written = to_string(&document.value);
        let again = documents(written.as_bytes(), &limits).expect("our own text");
        assert_eq!(again.len(), 1, "{written}");
    }
    let _ = first_document(bytes, &limits);
    let _ = read(bytes, Dialect::V2, &limits);
    for node in read(bytes, Dialect::V3, &limits).unwrap_or_default() {
        laws(&node, &limits);
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = is_yaml_1_1_non_string(text);
    }
}

fn laws(node: &Node, limits: &Limits) {
    let Ok(written) = write(node) else { return };
    // What is written is the value that the node stands for.
    let value = node.to_json().expect("what is written has a value");
    let read_back = documents(written.as_bytes(), limits).expect("our own text");
    let same_texts = !written.contains(['\u{85}', '\u{FFFD}']) && !value.to_string().contains('\u{85}');
    if let Some(document) = read_back.first()
        && same_texts
    {
        assert_eq!(document.value, value, "{written}");
    }
    // kustomize's own way: through go-yaml v3. A folded text changes each time it is written, and of several keys
    // `<<` kyaml removes one each time they are read.
    let text = write_v3(node);
    let again = read(text.as_bytes(), Dialect::V3, limits).expect("a text of go-yaml v3");
    if let Some(again) = again.first()
        && !text.contains('>')
        && !text.contains("<<")
    {
        assert_eq!(write(again).as_ref(), Ok(&written), "{text}");
    }
}

#[test]
fn seeds_and_what_chance_makes_of_them() {
    let mut texts = seeds();
    assert!(texts.len() > 5);
    for text in &texts {
        try_all(text);
    }
    let seconds = std::env::var("TOWPATH_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(2);
    let mut chance = Chance(0x9E37_79B9_7F4A_7C15);
    let start = Instant::now();
    let count = texts.len();
    while start.elapsed() < Duration::from_secs(seconds) {
        let from = chance.below(texts.len());
        let text = chance.change(&texts[from], &texts[..count]);
        try_all(&text);
        // Some live on, so that changes add up.
        if text.len() < 4000 && chance.below(20) == 0 {
            if texts.len() > 500 {
                texts.truncate(count);
            }
            texts.push(text);
        }
    }
}

fn refused(text: &str) -> Kind {
    read(text.as_bytes(), Dialect::V3, &Limits::default()).expect_err("more than the budget").kind
}

#[test]
fn a_bomb_of_aliases_is_refused_at_once() {
    let mut text = "a: &a [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (name, before) in "bcdefghij".chars().zip("abcdefghi".chars()) {
        let aliases = vec![format!("*{before}"); 10].join(", ");
        text.extend([name.to_string(), format!(": &{name} [{aliases}]\n")]);
    }
    let start = Instant::now();
    assert_eq!(refused(&text), Kind::Limit);
    assert_eq!(first_document(text.as_bytes(), &Limits::default()).unwrap_err().kind, Kind::Limit);
    // Generous, for slow machines: what it prevents takes minutes and gigabytes.
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn deep_nesting_is_refused() {
    for text in ["[".repeat(100_000), "{a: ".repeat(100_000), "- ".repeat(100_000), "? ".repeat(100_000)] {
        assert_eq!(refused(&text), Kind::Limit, "{}", &text[..10]);
    }
    let steps: String = (0..5_000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    assert_eq!(refused(&steps), Kind::Limit);
}

#[test]
fn garbage_has_a_clear_answer() {
    let nodes = |text: &[u8]| read(text, Dialect::V3, &Limits::default());
    for nothing in ["", "\n", "# x", "---\n---\n", "\u{feff}", "null", "~"] {
        assert_eq!(nodes(nothing.as_bytes()).unwrap(), [], "{nothing:?}");
    }
    for bad in [&b"a: \xFF"[..], b"a: b\0", b"\ta: b", b"a: [", b"a: 'x", b"a: b: c", b"\xFF\xFEa"] {
        assert!(nodes(bad).is_err(), "{bad:?}");
    }
    let list = format!("[{}]", vec!["1"; 1_000_000].join(","));
    assert_eq!(nodes(list.as_bytes()).unwrap()[0].items().len(), 1_000_000);
}
