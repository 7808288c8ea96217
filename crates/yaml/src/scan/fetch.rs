//! Which token starts here, and what it means for indentation and keys.

use super::Scanner;
use super::token::{Kind, Token};
use crate::error::{Error, Mark};

impl<'a> Scanner<'a> {
    /// Reads the next token, or several, into the queue.
    pub(super) fn fetch(&mut self) -> Result<(), Error> {
        self.skip_to_token();
        self.unroll_indent(i64::from(self.cursor.mark.column));
        if self.cursor.end() {
            return self.fetch_end();
        }
        if self.cursor.mark.column == 0 && self.cursor.peek() == b'%' {
            return self.fetch_directive();
        }
        if let Some(marker) = self.cursor.at_document_marker() {
            return self.fetch_marker(marker);
        }
        let flow = self.flow_level() > 0;
        let spaced = self.cursor.is_space_at(1);
        match self.cursor.peek() {
            b'[' => self.fetch_flow_start(Kind::FlowSequenceStart),
            b'{' => self.fetch_flow_start(Kind::FlowMappingStart),
            b']' => self.fetch_flow_end(Kind::FlowSequenceEnd),
            b'}' => self.fetch_flow_end(Kind::FlowMappingEnd),
            b',' => self.fetch_flow_entry(),
            b'-' if spaced => self.fetch_block_entry(),
            b'?' if flow || spaced => self.fetch_key(),
            b':' if flow || spaced => self.fetch_value(),
            b'*' => self.fetch_candidate(|scanner| scanner.anchor_name().map(Kind::Alias)),
            b'&' => self.fetch_candidate(|scanner| scanner.anchor_name().map(Kind::Anchor)),
            b'!' => self.fetch_candidate(Self::tag),
            quote @ (b'\'' | b'"') => self.fetch_candidate(|scanner| scanner.quoted(quote)),
            b'|' if !flow => self.fetch_block(true),
            b'>' if !flow => self.fetch_block(false),
            byte @ (b'|' | b'>' | b'%' | b'@' | b'`' | b'\t') => Err(cannot_start(self.cursor.mark, byte)),
            _ => self.fetch_candidate(Self::plain),
        }
    }

    /// A token that may be a key, and that no key can follow directly.
    fn fetch_candidate(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<Kind<'a>, Error>,
    ) -> Result<(), Error> {
        self.save_candidate()?;
        self.key_allowed = false;
        let mark = self.cursor.mark;
        let kind = read(self)?;
        self.push(kind, mark);
        Ok(())
    }

    fn fetch_indicator(&mut self, kind: Kind<'a>, length: usize) {
        let mark = self.cursor.mark;
        self.cursor.steps(length);
        self.push(kind, mark);
    }

    fn fetch_end(&mut self) -> Result<(), Error> {
        self.unroll_indent(-1);
        self.drop_candidate()?;
        self.key_allowed = false;
        self.finished = true;
        self.push(Kind::StreamEnd, self.cursor.mark);
        // A key ends with its line, so none that is still waited for can come any more.
        self.cursor.mark.line += 1;
        Ok(())
    }

    fn fetch_directive(&mut self) -> Result<(), Error> {
        self.unroll_indent(-1);
        self.drop_candidate()?;
        self.key_allowed = false;
        let mark = self.cursor.mark;
        let kind = self.directive()?;
        self.push(kind, mark);
        Ok(())
    }

    fn fetch_marker(&mut self, marker: u8) -> Result<(), Error> {
        self.unroll_indent(-1);
        self.drop_candidate()?;
        self.key_allowed = false;
        self.bom_line = self.cursor.mark.line + 1;
        let kind = if marker == b'-' { Kind::DocumentStart } else { Kind::DocumentEnd };
        self.fetch_indicator(kind, 3);
        Ok(())
    }

    fn fetch_flow_start(&mut self, kind: Kind<'a>) -> Result<(), Error> {
        self.save_candidate()?;
        self.candidates.push(None);
        self.key_allowed = true;
        self.fetch_indicator(kind, 1);
        Ok(())
    }

    fn fetch_flow_end(&mut self, kind: Kind<'a>) -> Result<(), Error> {
        self.drop_candidate()?;
        if self.flow_level() > 0 {
            self.candidates.pop();
        }
        self.key_allowed = false;
        self.fetch_indicator(kind, 1);
        Ok(())
    }

    fn fetch_flow_entry(&mut self) -> Result<(), Error> {
        self.drop_candidate()?;
        self.key_allowed = true;
        self.fetch_indicator(Kind::FlowEntry, 1);
        Ok(())
    }

    fn fetch_block_entry(&mut self) -> Result<(), Error> {
        if self.flow_level() == 0 {
            if !self.key_allowed {
                return Err(self
                    .cursor
                    .mark
                    .syntax("a list item (`- `) cannot start here")
                    .hint("start the list on its own line"));
            }
            self.roll_indent(self.cursor.mark, None, Kind::BlockSequenceStart);
        }
        self.drop_candidate()?;
        self.key_allowed = true;
        self.fetch_indicator(Kind::BlockEntry, 1);
        Ok(())
    }

    fn fetch_key(&mut self) -> Result<(), Error> {
        if self.flow_level() == 0 {
            if !self.key_allowed {
                return Err(self.cursor.mark.syntax("a key (`? `) cannot start here"));
            }
            self.roll_indent(self.cursor.mark, None, Kind::BlockMappingStart);
        }
        self.drop_candidate()?;
        self.key_allowed = self.flow_level() == 0;
        self.fetch_indicator(Kind::Key, 1);
        Ok(())
    }

    fn fetch_value(&mut self) -> Result<(), Error> {
        let level = self.flow_level();
        let found = if self.still_possible(level)? {
            self.candidates.last_mut().and_then(Option::take)
        } else {
            None
        };
        if let Some(candidate) = found {
            let at = candidate.token.saturating_sub(self.taken).min(self.queue.len());
            self.queue.insert(at, Token { kind: Kind::Key, mark: candidate.mark });
            self.roll_indent(candidate.mark, Some(at), Kind::BlockMappingStart);
            self.key_allowed = false;
        } else {
            if level == 0 {
                if !self.key_allowed {
                    return Err(self
                        .cursor
                        .mark
                        .syntax(
                            "a second `: ` on the line, or a key that is not indented like its neighbours",
                        )
                        .hint("quote the text if the colon belongs to it"));
                }
                self.roll_indent(self.cursor.mark, None, Kind::BlockMappingStart);
            }
            self.key_allowed = level == 0;
        }
        self.fetch_indicator(Kind::Value, 1);
        Ok(())
    }

    fn fetch_block(&mut self, literal: bool) -> Result<(), Error> {
        self.drop_candidate()?;
        self.key_allowed = true;
        let mark = self.cursor.mark;
        let kind = self.block(literal)?;
        self.push(kind, mark);
        Ok(())
    }
}

fn cannot_start(mark: Mark, byte: u8) -> Error {
    match byte {
        b'\t' => mark.syntax("a tab stands where indentation is expected").hint("indent with spaces"),
        byte => {
            let error = mark.syntax(format!("a text cannot start with `{}`", char::from(byte)));
            error.hint("quote the text; unrendered templates are not YAML")
        }
    }
}
