//! Foreign text as templates and objects. Whatever it is, it has one answer, and no refusal holds a value.
//!
//! The lines of `seeds/templates.txt` are replayed as they are and then broken. It takes two seconds; as long as
//! one likes with `TOWPATH_FUZZ_SECONDS=3600 cargo test --release --package towpath-substitute --test fuzz`.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use towpath_failure::chain;
use towpath_substitute::{Expected, Mode, Template, Unset, Variables, object};

const SEEDS: &str = include_str!("seeds/templates.txt");
/// Stands in every value.
const WORD: &str = "swordfish";
const PIECES: &[&str] = &[
    "${",
    "}",
    "$",
    "$$",
    "v",
    "e",
    "long",
    "#",
    "##",
    "%",
    "%%",
    "/",
    "//",
    "/#",
    "/%",
    ":",
    ":=",
    ":-",
    ":+",
    ":?",
    "-",
    "+",
    "?",
    "=",
    "^",
    "^^",
    ",",
    ",,",
    "0",
    "-1",
    "9223372036854775807",
    "\\",
    "*",
    "[",
    "]",
    "[!a-z]",
    "é",
    "\u{0}",
    " ",
    "\n",
    "'",
    "\"",
    "- ",
    ": ",
    "&a ",
    "*a",
    "|\n",
    "# ",
];

fn variables() -> Variables {
    let long = WORD.repeat(200);
    [("v", "a swordfish/é.*[d]\\"), ("e", ""), ("long", long.as_str())].into_iter().collect()
}

/// As a template, twice the same; and in an object, by the text and string by string.
fn survives(text: &[u8], variables: &Variables) -> Result<(), TestCaseError> {
    let lookup = |name: &str| variables.get(name).map(|value| Cow::Owned(value.to_vec()));
    let expand = || Template::parse(text).ok().map(|template| template.expand(lookup));
    let first = expand();
    prop_assert_eq!(&first, &expand());
    if let Some(Err(error)) = &first {
        prop_assert!(!error.to_string().contains(WORD), "{error}");
    }
    let text = String::from_utf8_lossy(text);
    let value = json!({ "a": text, "list": [text, 1], "n": 2, text.as_ref(): true });
    for unset in [Unset::Refused, Unset::Empty] {
        let typed = |_: &[Cow<'_, str>]| Expected::String;
        for mode in [Mode::Text, Mode::Typed(&typed)] {
            match object(&value, variables, unset, mode) {
                Err(error) => {
                    let said = format!("{} {error:?}", chain(&error));
                    prop_assert!(!said.contains(WORD), "{said}");
                }
                Ok(Some(filled)) if matches!(mode, Mode::Typed(_)) && text != "a" && text != "list" => {
                    prop_assert!(filled.get("a").is_none_or(Value::is_string), "{filled}");
                }
                Ok(_) => {}
            }
        }
    }
    Ok(())
}

#[test]
fn the_seeds_are_survived() {
    for line in SEEDS.lines() {
        assert!(survives(line.as_bytes(), &variables()).is_ok(), "{line}");
    }
}

#[test]
fn every_text_has_an_answer() {
    let seconds = std::env::var("TOWPATH_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(2);
    let end = Instant::now() + Duration::from_secs(seconds);
    let variables = variables();
    let lines: Vec<&'static str> = SEEDS.lines().collect();
    let piece = prop_oneof![
        4 => select(PIECES).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..3),
        1 => select(lines.clone()).prop_map(|line| line.as_bytes().to_vec()),
    ];
    let cases = (select(lines), prop::collection::vec((any::<Index>(), 0_usize..6, piece), 0..6));
    let mut runner = TestRunner::new(Config { cases: 500, failure_persistence: None, ..Config::default() });
    while Instant::now() < end {
        let done = runner.run(&cases, |(line, cuts)| {
            let mut text = line.as_bytes().to_vec();
            for (at, length, piece) in cuts {
                let at = at.index(text.len() + 1);
                text.splice(at..(at + length).min(text.len()), piece);
            }
            survives(&text, &variables)
        });
        if let Err(error) = done {
            panic!("{error}");
        }
    }
}
