//! Our matcher beside that of Lua's own library.

use std::time::Duration;

use super::*;

/// Pseudo-random numbers, always the same.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn text(&mut self, pieces: &[&str], most: usize) -> String {
        (0..self.below(most + 1)).map(|_| pieces[self.below(pieces.len())]).collect()
    }
}

/// First, last and captures as Lua's own library gives them; an error as its text.
fn real(find: &mlua::Function, text: &str, pattern: &str) -> String {
    match find.call::<mlua::MultiValue>((text, pattern)) {
        Ok(values) => {
            format!("{:?}", values.iter().map(|value| value.to_string().unwrap()).collect::<Vec<_>>())
        }
        Err(_) => "error".into(),
    }
}

fn ours(text: &str, pattern: &str) -> String {
    let budget = Budget::new(1_000_000, Instant::now() + Duration::from_secs(10));
    let found = match search(text.as_bytes(), pattern.as_bytes(), 0, None, &budget) {
        Err(_) => return "error".into(),
        Ok(None) => return r#"["nil"]"#.into(),
        Ok(Some(found)) => found,
    };
    let mut all = vec![(found.place.start + 1).to_string(), found.place.end.to_string()];
    for capture in found.captures {
        all.push(match capture {
            Capture::Position(at) => (at + 1).to_string(),
            Capture::Text(start, length) => text[start..start + length].to_owned(),
            Capture::Open(_) => return "error".into(),
        });
    }
    format!("{all:?}")
}

#[test]
fn the_same_as_luas_own_library() {
    let lua = mlua::Lua::new();
    let find: mlua::Function = lua.load("string.find").eval().unwrap();
    let pieces = [
        "a", "b", ".", "%a", "%d", "%S", "[ab]", "[^a]", "[%d-z]", "[a-c]", "[]a]", "[^]]", "*", "+", "-",
        "?", "(", ")", "()", "^", "$", "%1", "%b()", "%f[%a]", "%.", "%", "[",
    ];
    let (mut dice, mut errors) = (Dice(7), 0);
    for _ in 0..60_000 {
        let pattern = dice.text(&pieces, 7);
        let text = dice.text(&["a", "b", "1", "(", ")", " ", "-", "]"], 8);
        let (theirs, ours) = (real(&find, &text, &pattern), ours(&text, &pattern));
        errors += usize::from(ours == "error");
        assert_eq!(ours, theirs, "{text:?} {pattern:?}");
    }
    assert!(errors < 30_000, "{errors} of the patterns are wrong");
}

#[test]
fn what_takes_too_long_ends() {
    let budget = Budget::new(100_000, Instant::now() + Duration::from_secs(10));
    let (text, pattern) = ("a".repeat(1000), "a*".repeat(20) + "b");
    assert_eq!(search(text.as_bytes(), pattern.as_bytes(), 0, None, &budget), Err(Fault::Exhausted));
    let deep = "a?".repeat(300);
    let budget = Budget::new(100_000, Instant::now() + Duration::from_secs(10));
    let outcome = search(text.as_bytes(), deep.as_bytes(), 0, None, &budget);
    assert_eq!(outcome, Err(Fault::Malformed("pattern too complex")));
}
