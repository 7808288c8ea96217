//! Sequences and mappings, in block and in flow style. Every function starts at the token that opens it.

use super::{Parser, Place, empty};
use crate::error::{Error, Mark};
use crate::scan::token::Kind;
use crate::tree::{Content, Id};

impl<'a> Parser<'a> {
    pub(super) fn block_sequence(&mut self, mark: Mark) -> Result<Content<'a>, Error> {
        self.scanner.next()?;
        let mut items = Vec::new();
        loop {
            let token = self.scanner.peek()?;
            match token.kind {
                Kind::BlockEntry => {
                    self.scanner.next()?;
                    let empty = self.at(|kind| matches!(kind, Kind::BlockEntry | Kind::BlockEnd))?;
                    items.push(if empty { self.nothing()? } else { self.node(Place::Block)? });
                }
                Kind::BlockEnd => {
                    self.scanner.next()?;
                    return Ok(Content::Sequence { items, flow: false });
                }
                _ => return Err(misplaced(token.mark, "item", "list", mark.line)),
            }
        }
    }

    pub(super) fn indentless_sequence(&mut self, _: Mark) -> Result<Content<'a>, Error> {
        let mut items = Vec::new();
        while self.at(|kind| *kind == Kind::BlockEntry)? {
            self.scanner.next()?;
            let empty =
                self.at(|kind| matches!(kind, Kind::BlockEntry | Kind::Key | Kind::Value | Kind::BlockEnd))?;
            items.push(if empty { self.nothing()? } else { self.node(Place::Block)? });
        }
        Ok(Content::Sequence { items, flow: false })
    }

    pub(super) fn block_mapping(&mut self, mark: Mark) -> Result<Content<'a>, Error> {
        self.scanner.next()?;
        let mut entries = Vec::new();
        loop {
            let token = self.scanner.peek()?;
            match token.kind {
                Kind::Key => {}
                Kind::BlockEnd => {
                    self.scanner.next()?;
                    return Ok(Content::Mapping { entries, flow: false });
                }
                _ => return Err(misplaced(token.mark, "key", "mapping", mark.line)),
            }
            let key = self.block_mapping_part()?;
            let value = if self.at(|kind| *kind == Kind::Value)? {
                self.block_mapping_part()?
            } else {
                self.nothing()?
            };
            entries.push((key, value));
        }
    }

    /// Takes the indicator and reads what follows it, which may be nothing.
    fn block_mapping_part(&mut self) -> Result<Id, Error> {
        let mark = self.scanner.next()?.mark;
        if self.at(|kind| matches!(kind, Kind::Key | Kind::Value | Kind::BlockEnd))? {
            return Ok(self.tree.add(mark, empty(None)));
        }
        self.node(Place::BlockMapping)
    }

    pub(super) fn flow_sequence(&mut self, mark: Mark) -> Result<Content<'a>, Error> {
        self.scanner.next()?;
        let mut items = Vec::new();
        loop {
            if self.at(|kind| *kind == Kind::FlowSequenceEnd)? {
                self.scanner.next()?;
                return Ok(Content::Sequence { items, flow: true });
            }
            if !items.is_empty() {
                self.flow_entry(mark, ']')?;
            }
            if self.at(|kind| *kind == Kind::FlowSequenceEnd)? {
                continue;
            }
            items.push(if self.at(|kind| *kind == Kind::Key)? {
                self.single_pair()?
            } else {
                self.node(Place::Flow)?
            });
        }
    }

    /// `[a: b]`: a mapping of one entry without braces.
    fn single_pair(&mut self) -> Result<Id, Error> {
        let mark = self.scanner.next()?.mark;
        let ends = |kind: &Kind<'_>| matches!(kind, Kind::FlowEntry | Kind::FlowSequenceEnd);
        let key = if self.at(|kind| *kind == Kind::Value || ends(kind))? {
            // go-yaml takes the indicator with the missing key, so that `[? , a]` has one entry.
            let id = self.nothing()?;
            self.scanner.next()?;
            id
        } else {
            self.node(Place::Flow)?
        };
        let value = self.flow_value(ends)?;
        Ok(self.tree.add(mark, Content::Mapping { entries: vec![(key, value)], flow: true }))
    }

    pub(super) fn flow_mapping(&mut self, mark: Mark) -> Result<Content<'a>, Error> {
        self.scanner.next()?;
        let mut entries = Vec::new();
        let ends = |kind: &Kind<'_>| matches!(kind, Kind::FlowEntry | Kind::FlowMappingEnd);
        loop {
            if self.at(|kind| *kind == Kind::FlowMappingEnd)? {
                self.scanner.next()?;
                return Ok(Content::Mapping { entries, flow: true });
            }
            if !entries.is_empty() {
                self.flow_entry(mark, '}')?;
            }
            if self.at(|kind| *kind == Kind::Key)? {
                self.scanner.next()?;
                let empty = self.at(|kind| *kind == Kind::Value || ends(kind))?;
                let key = if empty { self.nothing()? } else { self.node(Place::Flow)? };
                let value = self.flow_value(ends)?;
                entries.push((key, value));
            } else if !self.at(|kind| *kind == Kind::FlowMappingEnd)? {
                let key = self.node(Place::Flow)?;
                let value = self.nothing()?;
                entries.push((key, value));
            }
        }
    }

    fn flow_value(&mut self, ends: impl Fn(&Kind<'a>) -> bool) -> Result<Id, Error> {
        if self.at(|kind| *kind == Kind::Value)? {
            self.scanner.next()?;
            if !self.at(&ends)? {
                return self.node(Place::Flow);
            }
        }
        self.nothing()
    }

    fn flow_entry(&mut self, open: Mark, close: char) -> Result<(), Error> {
        let token = self.scanner.peek()?;
        if token.kind == Kind::FlowEntry {
            self.scanner.next()?;
            return Ok(());
        }
        let line = open.line + 1;
        Err(token
            .mark
            .syntax(format!("expected `,` or `{close}` here; the bracket was opened on line {line}")))
    }
}

fn misplaced(mark: Mark, part: &str, whole: &str, start: u32) -> Error {
    mark.syntax(format!("expected the next {part} of the {whole} that starts on line {}", start + 1))
        .hint("check the indentation")
}
