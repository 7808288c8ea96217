//! Text to tokens, in the grammar of go-yaml: YAML 1.1 with its indentation and simple-key rules.
//!
//! In: the decoded text. Out: one [`Token`] after another. A key without `?` is only known to be a key when
//! its `:` is seen, so tokens wait in a queue for as long as the first of them may still turn out to be one:
//! until the line ends or 1024 characters have passed.

mod block;
mod cursor;
mod fetch;
mod fold;
mod plain;
mod property;
mod quoted;
pub(crate) mod token;

use std::collections::VecDeque;

use self::cursor::Cursor;
use self::token::{Kind, Token};
use crate::error::{Error, Mark};

/// How far a `:` may be from the start of its key, in characters.
const KEY_LENGTH: usize = 1024;

/// A token that may turn out to be the start of a key.
#[derive(Clone, Copy)]
struct Candidate {
    /// The number of the token, counted from the start of the stream.
    token: usize,
    position: usize,
    mark: Mark,
    /// Nothing but a key makes sense here.
    required: bool,
}

/// The scanner. Ask for a token by [`Scanner::peek`], take it by [`Scanner::next`].
pub(crate) struct Scanner<'a> {
    cursor: Cursor<'a>,
    queue: VecDeque<Token<'a>>,
    /// How many tokens have been handed out.
    taken: usize,
    /// Column of the current block collection; -1 outside of all.
    indent: i64,
    indents: Vec<i64>,
    /// Whether a key may start at this place.
    key_allowed: bool,
    /// The candidate of the block context, then one per open flow collection.
    candidates: Vec<Option<Candidate>>,
    finished: bool,
    /// Whether the first token of the queue is known to be what it seems.
    ready: bool,
    /// The line at whose start a byte order mark is no text: the first, and the one after a `---`.
    bom_line: u32,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str) -> Self {
        Self {
            cursor: Cursor::new(text),
            queue: VecDeque::new(),
            taken: 0,
            indent: -1,
            indents: Vec::new(),
            key_allowed: true,
            candidates: vec![None],
            finished: false,
            ready: false,
            bom_line: 0,
        }
    }

    /// The next token, which stays where it is.
    pub fn peek(&mut self) -> Result<&Token<'a>, Error> {
        if !self.ready {
            while self.needs_more()? {
                self.fetch()?;
            }
            self.ready = true;
        }
        Ok(self.queue.front().expect("a token was just fetched"))
    }

    /// Takes the next token.
    pub fn next(&mut self) -> Result<Token<'a>, Error> {
        self.peek()?;
        self.ready = false;
        self.taken += 1;
        Ok(self.queue.pop_front().expect("peek left a token"))
    }

    fn flow_level(&self) -> usize {
        self.candidates.len() - 1
    }

    fn needs_more(&mut self) -> Result<bool, Error> {
        if self.queue.is_empty() {
            return Ok(!self.finished);
        }
        let taken = self.taken;
        let level =
            self.candidates.iter().position(|slot| slot.is_some_and(|candidate| candidate.token == taken));
        match level {
            None => Ok(false),
            Some(level) => self.still_possible(level),
        }
    }

    /// Whether the candidate of a level can still become a key; forgets it when not.
    fn still_possible(&mut self, level: usize) -> Result<bool, Error> {
        let Some(slot) = self.candidates.get_mut(level) else {
            return Ok(false);
        };
        let Some(candidate) = *slot else { return Ok(false) };
        let distance = self.cursor.position - candidate.position;
        let near = distance <= KEY_LENGTH
            || self.cursor.slice(candidate.position, self.cursor.position).chars().count() <= KEY_LENGTH;
        if candidate.mark.line == self.cursor.mark.line && near {
            return Ok(true);
        }
        *slot = None;
        if candidate.required { Err(missing_colon(candidate.mark)) } else { Ok(false) }
    }

    /// Notes that a key may start here.
    fn save_candidate(&mut self) -> Result<(), Error> {
        if !self.key_allowed {
            return Ok(());
        }
        let candidate = Candidate {
            token: self.taken + self.queue.len(),
            position: self.cursor.position,
            mark: self.cursor.mark,
            required: self.flow_level() == 0 && self.indent == i64::from(self.cursor.mark.column),
        };
        self.drop_candidate()?;
        if let Some(slot) = self.candidates.last_mut() {
            *slot = Some(candidate);
        }
        Ok(())
    }

    fn drop_candidate(&mut self) -> Result<(), Error> {
        match self.candidates.last_mut().and_then(Option::take) {
            Some(candidate) if candidate.required => Err(missing_colon(candidate.mark)),
            _ => Ok(()),
        }
    }

    fn push(&mut self, kind: Kind<'a>, mark: Mark) {
        self.queue.push_back(Token { kind, mark });
    }

    /// Opens a block collection if the column is deeper than the current one. `at` is its place in the queue.
    fn roll_indent(&mut self, mark: Mark, at: Option<usize>, kind: Kind<'a>) {
        let column = i64::from(mark.column);
        if self.flow_level() == 0 && self.indent < column {
            self.indents.push(self.indent);
            self.indent = column;
            let at = at.unwrap_or(self.queue.len()).min(self.queue.len());
            self.queue.insert(at, Token { kind, mark });
        }
    }

    /// Closes the block collections that are deeper than a column.
    fn unroll_indent(&mut self, column: i64) {
        while self.flow_level() == 0 && self.indent > column {
            self.push(Kind::BlockEnd, self.cursor.mark);
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    /// Skips white space and comments up to the next token.
    fn skip_to_token(&mut self) {
        loop {
            if self.cursor.mark == (Mark { line: self.bom_line, column: 0 }) {
                self.cursor.skip_bom();
            }
            let tabs = self.flow_level() > 0 || !self.key_allowed;
            self.cursor.skip_while(|byte| byte == b' ' || byte == b'\t' && tabs);
            self.cursor.skip_comment();
            if self.cursor.step_break().is_none() {
                return;
            }
            if self.flow_level() == 0 {
                self.key_allowed = true;
            }
        }
    }
}

fn missing_colon(mark: Mark) -> Error {
    mark.syntax("this line should be a key, but it has no `: `")
        .hint("add the colon and a space, or indent the line if it continues the text above")
}
