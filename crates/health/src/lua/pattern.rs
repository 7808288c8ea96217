//! Lua's patterns with a limit of steps. The C library's matcher goes back and tries again without any.

use std::cell::Cell;
use std::ops::Range;
use std::time::Instant;

/// How deep patterns may nest their ways of matching.
const DEPTH: usize = 200;

/// How many captures a pattern may have, as in Lua.
const CAPTURES: usize = 32;

/// What is left for searching: steps, and the time until `end`.
pub(super) struct Budget {
    steps: Cell<u64>,
    end: Instant,
}

/// After so many steps the clock is looked at.
const PER_LOOK: u64 = 1 << 14;

impl Budget {
    pub(super) fn new(steps: u64, end: Instant) -> Self {
        Self { steps: Cell::new(steps), end }
    }

    fn spend(&self, cost: usize) -> Result<(), Fault> {
        let before = self.steps.get();
        let left = before.checked_sub(cost as u64).ok_or(Fault::Exhausted)?;
        self.steps.set(left);
        if before / PER_LOOK != left / PER_LOOK && Instant::now() > self.end {
            return Err(Fault::Exhausted);
        }
        Ok(())
    }
}

/// Why a search ended without an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The pattern is wrong.
    Malformed(&'static str),
    /// It would take too long.
    Exhausted,
}

/// What a pair of parentheses caught.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Capture {
    /// `()`: the position, from 0.
    Position(usize),
    /// The text from here, of that length.
    Text(usize, usize),
    /// Still open.
    Open(usize),
}

/// Where a pattern matched, and what it caught.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) place: Range<usize>,
    pub(super) captures: Vec<Capture>,
}

/// The first match of `pattern` in `text` that begins at `from` or later and does not end at `not_end` (where
/// the previous match ended: an empty match there is not another one).
pub(super) fn search(
    text: &[u8],
    pattern: &[u8],
    from: usize,
    not_end: Option<usize>,
    budget: &Budget,
) -> Result<Option<Found>, Fault> {
    if !pattern.is_empty() && !pattern.iter().any(|character| b"^$*+?.([%-".contains(character)) {
        return search_plain(text, pattern, from, budget);
    }
    let (anchored, pattern) = match pattern.strip_prefix(b"^") {
        Some(rest) => (true, rest),
        None => (false, pattern),
    };
    let mut search = Search { text, pattern, captures: Vec::new(), budget, depth: 0 };
    for start in from..=text.len() {
        search.captures.clear();
        if let Some(end) = search.here(start, 0)?.filter(|end| Some(*end) != not_end) {
            return Ok(Some(Found { place: start..end, captures: search.captures }));
        }
        if anchored {
            break;
        }
    }
    Ok(None)
}

/// The first place of `wanted` in `text`, at `from` or later.
pub(super) fn search_plain(
    text: &[u8],
    wanted: &[u8],
    from: usize,
    budget: &Budget,
) -> Result<Option<Found>, Fault> {
    for start in from..=text.len().saturating_sub(wanted.len()) {
        let here = text.get(start..).unwrap_or_default().iter();
        let alike = here.zip(wanted).take_while(|(one, other)| one == other).count();
        budget.spend(1 + alike / 4)?;
        if alike == wanted.len() {
            return Ok(Some(Found { place: start..start + alike, captures: Vec::new() }));
        }
    }
    Ok(None)
}

struct Search<'a> {
    text: &'a [u8],
    pattern: &'a [u8],
    captures: Vec<Capture>,
    budget: &'a Budget,
    depth: usize,
}

impl Search<'_> {
    /// The end of a match of the pattern from `p` on with the text from `s` on.
    fn here(&mut self, s: usize, p: usize) -> Result<Option<usize>, Fault> {
        if self.depth >= DEPTH {
            return Err(Fault::Malformed("pattern too complex"));
        }
        self.depth += 1;
        let end = self.walk(s, p);
        self.depth -= 1;
        end
    }

    fn walk(&mut self, mut s: usize, mut p: usize) -> Result<Option<usize>, Fault> {
        loop {
            self.budget.spend(1)?;
            match (self.at(p), self.at(p + 1)) {
                (None, _) => return Ok(Some(s)),
                (Some(b'('), Some(b')')) => return self.caught(Capture::Position(s), s, p + 2),
                (Some(b'('), _) => return self.caught(Capture::Open(s), s, p + 1),
                (Some(b')'), _) => return self.close(s, p + 1),
                (Some(b'$'), None) => return Ok((s == self.text.len()).then_some(s)),
                (Some(b'%'), Some(b'b')) => match self.balanced(s, p + 2)? {
                    Some(end) => (s, p) = (end, p + 4),
                    None => return Ok(None),
                },
                (Some(b'%'), Some(b'f')) => {
                    let set = p + 2;
                    if self.at(set) != Some(b'[') {
                        return Err(Fault::Malformed("missing '[' after '%f' in pattern"));
                    }
                    let next = self.after_single(set)?;
                    let before = s.checked_sub(1).and_then(|s| self.text.get(s)).copied().unwrap_or(0);
                    let now = self.text.get(s).copied().unwrap_or(0);
                    if self.in_set(before, set, next) || !self.in_set(now, set, next) {
                        return Ok(None);
                    }
                    p = next;
                }
                (Some(b'%'), Some(digit)) if digit.is_ascii_digit() => match self.again(s, digit)? {
                    Some(end) => (s, p) = (end, p + 2),
                    None => return Ok(None),
                },
                _ => {
                    let next = self.after_single(p)?;
                    match self.at(next) {
                        Some(b'?') => {
                            if self.fits(s, p, next)
                                && let Some(end) = self.here(s + 1, next + 1)?
                            {
                                return Ok(Some(end));
                            }
                            p = next + 1;
                        }
                        Some(b'*') => return self.most(s, p, next),
                        Some(b'+') if self.fits(s, p, next) => return self.most(s + 1, p, next),
                        Some(b'-') => return self.least(s, p, next),
                        Some(b'+') => return Ok(None),
                        _ if self.fits(s, p, next) => (s, p) = (s + 1, next),
                        _ => return Ok(None),
                    }
                }
            }
        }
    }

    /// As many as possible, then fewer.
    fn most(&mut self, s: usize, p: usize, next: usize) -> Result<Option<usize>, Fault> {
        let mut end = s;
        while self.fits(end, p, next) {
            end += 1;
        }
        self.budget.spend(end - s)?;
        for tried in (s..=end).rev() {
            if let Some(found) = self.here(tried, next + 1)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// As few as possible, then more.
    fn least(&mut self, mut s: usize, p: usize, next: usize) -> Result<Option<usize>, Fault> {
        loop {
            if let Some(found) = self.here(s, next + 1)? {
                return Ok(Some(found));
            }
            if !self.fits(s, p, next) {
                return Ok(None);
            }
            s += 1;
        }
    }

    fn caught(&mut self, capture: Capture, s: usize, p: usize) -> Result<Option<usize>, Fault> {
        if self.captures.len() >= CAPTURES {
            return Err(Fault::Malformed("too many captures"));
        }
        let before = self.captures.len();
        self.captures.push(capture);
        let end = self.here(s, p)?;
        if end.is_none() {
            self.captures.truncate(before);
        }
        Ok(end)
    }

    fn close(&mut self, s: usize, p: usize) -> Result<Option<usize>, Fault> {
        let open = self.captures.iter().rposition(|capture| matches!(capture, Capture::Open(_)));
        let (Some(index), Some(Capture::Open(start))) =
            (open, open.and_then(|i| self.captures.get(i)).copied())
        else {
            return Err(Fault::Malformed("invalid pattern capture"));
        };
        self.set(index, Capture::Text(start, s - start));
        let end = self.here(s, p)?;
        if end.is_none() {
            self.set(index, Capture::Open(start));
        }
        Ok(end)
    }

    fn set(&mut self, index: usize, capture: Capture) {
        if let Some(slot) = self.captures.get_mut(index) {
            *slot = capture;
        }
    }

    /// `%1`: the same text once more.
    fn again(&mut self, s: usize, digit: u8) -> Result<Option<usize>, Fault> {
        let index = usize::from(digit).checked_sub(usize::from(b'1'));
        let (start, length) = match index.and_then(|index| self.captures.get(index)).copied() {
            Some(Capture::Text(start, length)) => (start, length),
            Some(Capture::Position(_)) => return Ok(None),
            Some(Capture::Open(_)) | None => {
                return Err(Fault::Malformed("invalid capture index in pattern"));
            }
        };
        self.budget.spend(1 + length / 4)?;
        let caught = self.text.get(start..start + length).unwrap_or_default();
        let rest = self.text.get(s..).unwrap_or_default();
        Ok(rest.starts_with(caught).then_some(s + length))
    }

    /// `%bxy`: from an x to the y that closes it.
    fn balanced(&mut self, s: usize, p: usize) -> Result<Option<usize>, Fault> {
        let (Some(open), Some(close)) = (self.at(p), self.at(p + 1)) else {
            return Err(Fault::Malformed("missing arguments to '%b' in pattern"));
        };
        if self.text.get(s) != Some(&open) {
            return Ok(None);
        }
        let mut nested = 0_usize;
        for (index, character) in self.text.iter().enumerate().skip(s) {
            self.budget.spend(1)?;
            if *character == close && (nested == 1 || open == close && index > s) {
                return Ok(Some(index + 1));
            }
            if *character == close && open != close {
                nested -= 1;
            } else if *character == open {
                nested += 1;
            }
        }
        Ok(None)
    }

    /// Where the pattern goes on behind the single character class at `p`.
    fn after_single(&self, p: usize) -> Result<usize, Fault> {
        match self.at(p) {
            Some(b'%') if self.at(p + 1).is_none() => {
                Err(Fault::Malformed("malformed pattern (ends with '%')"))
            }
            Some(b'%') => Ok(p + 2),
            Some(b'[') => {
                let mut p = if self.at(p + 1) == Some(b'^') { p + 2 } else { p + 1 };
                // A bracket at the beginning of a set is a member of it.
                let mut first = true;
                loop {
                    match self.at(p) {
                        None => return Err(Fault::Malformed("malformed pattern (missing ']')")),
                        Some(b']') if !first => return Ok(p + 1),
                        Some(b'%') => p += 2,
                        Some(_) => p += 1,
                    }
                    first = false;
                }
            }
            _ => Ok(p + 1),
        }
    }

    /// Whether the character at `s` is of the single class between `p` and `next`.
    fn fits(&self, s: usize, p: usize, next: usize) -> bool {
        let Some(character) = self.text.get(s).copied() else { return false };
        match (self.at(p), self.at(p + 1)) {
            (Some(b'.'), _) => true,
            (Some(b'%'), Some(class)) => in_class(character, class),
            (Some(b'['), _) => self.in_set(character, p, next),
            (Some(literal), _) => literal == character,
            (None, _) => false,
        }
    }

    /// Whether it is in the set that begins with the bracket at `p` and ends before `next`.
    fn in_set(&self, character: u8, p: usize, next: usize) -> bool {
        let set = self.pattern.get(p + 1..next.saturating_sub(1)).unwrap_or_default();
        let (negated, mut set) = match set.strip_prefix(b"^") {
            Some(rest) => (true, rest),
            None => (false, set),
        };
        loop {
            set = match set {
                [] => return negated,
                [b'%', class, rest @ ..] if in_class(character, *class) => return !negated,
                [low, b'-', high, rest @ ..] if *low != b'%' && (*low..=*high).contains(&character) => {
                    return !negated;
                }
                [b'%', _, rest @ ..] => rest,
                [low, b'-', _, rest @ ..] if *low != b'%' => rest,
                [literal, ..] if *literal == character => return !negated,
                [_, rest @ ..] => rest,
            }
        }
    }

    fn at(&self, p: usize) -> Option<u8> {
        self.pattern.get(p).copied()
    }
}

/// `%a`, `%D` and so on; any other character stands for itself.
fn in_class(character: u8, class: u8) -> bool {
    let inside = match class.to_ascii_lowercase() {
        b'a' => character.is_ascii_alphabetic(),
        b'c' => character.is_ascii_control(),
        b'd' => character.is_ascii_digit(),
        b'g' => character.is_ascii_graphic(),
        b'l' => character.is_ascii_lowercase(),
        b'p' => character.is_ascii_punctuation(),
        // Rust's notion of white space lacks the vertical tab.
        b's' => character.is_ascii_whitespace() || character == 0x0B,
        b'u' => character.is_ascii_uppercase(),
        b'w' => character.is_ascii_alphanumeric(),
        b'x' => character.is_ascii_hexdigit(),
        _ => return class == character,
    };
    inside != class.is_ascii_uppercase()
}

#[cfg(test)]
mod tests;
