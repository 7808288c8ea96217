//! Anchors, aliases, tags and directives.

use std::borrow::Cow;

use super::Scanner;
use super::token::Kind;
use crate::error::{Error, Mark};

impl<'a> Scanner<'a> {
    /// The name behind `&` or `*`.
    pub(super) fn anchor_name(&mut self) -> Result<&'a str, Error> {
        let mark = self.cursor.mark;
        self.cursor.step();
        let name = self.cursor.take_word();
        let ended = self.cursor.is_space_at(0)
            || matches!(self.cursor.peek(), b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`');
        if name.is_empty() || !ended {
            return Err(mark
                .syntax("an anchor or alias needs a name of letters, digits, `-` and `_`")
                .hint("quote the text if it is not meant as an anchor or alias"));
        }
        Ok(name)
    }

    pub(super) fn tag(&mut self) -> Result<Kind<'a>, Error> {
        let mark = self.cursor.mark;
        let (handle, suffix) = if self.cursor.at(1) == b'<' {
            self.cursor.steps(2);
            let uri = self.tag_uri(mark, true)?;
            if self.cursor.peek() != b'>' {
                return Err(mark.syntax("a tag in `!<...>` form is not closed"));
            }
            self.cursor.step();
            ("", uri)
        } else {
            self.short_tag(mark)?
        };
        if !self.cursor.is_space_at(0) {
            return Err(self.cursor.mark.syntax("a space must follow a tag"));
        }
        Ok(Kind::Tag { handle, suffix })
    }

    /// `!handle!suffix`, `!suffix`, or `!` alone, which has no handle and the suffix `!`.
    fn short_tag(&mut self, mark: Mark) -> Result<(&'a str, Cow<'a, str>), Error> {
        let start = self.cursor.position;
        let handle = self.tag_handle();
        if handle.len() > 1 && handle.ends_with('!') {
            return Ok((handle, self.tag_uri(mark, true)?));
        }
        // Not a handle after all: the word belongs to the suffix.
        let rest = self.tag_uri(mark, false)?;
        let suffix = match (handle.strip_prefix('!').unwrap_or_default(), rest) {
            ("", rest) => rest,
            (_, Cow::Borrowed(_)) => Cow::Borrowed(self.cursor.slice(start + 1, self.cursor.position)),
            (word, Cow::Owned(rest)) => Cow::Owned(format!("{word}{rest}")),
        };
        if suffix.is_empty() {
            return Ok(("", Cow::Borrowed("!")));
        }
        Ok(("!", suffix))
    }

    fn tag_handle(&mut self) -> &'a str {
        let start = self.cursor.position;
        self.cursor.step();
        self.cursor.take_word();
        if self.cursor.peek() == b'!' {
            self.cursor.step();
        }
        self.cursor.slice(start, self.cursor.position)
    }

    fn tag_uri(&mut self, mark: Mark, required: bool) -> Result<Cow<'a, str>, Error> {
        let start = self.cursor.position;
        let mut octets: Option<Vec<u8>> = None;
        loop {
            match self.cursor.peek() {
                b'%' => {
                    let so_far = self.cursor.slice(start, self.cursor.position).as_bytes();
                    let octets = octets.get_or_insert_with(|| so_far.to_vec());
                    self.uri_escape(mark, octets)?;
                }
                byte if uri_character(byte) => {
                    if let Some(octets) = &mut octets {
                        octets.push(byte);
                    }
                    self.cursor.step();
                }
                _ => break,
            }
        }
        if required && self.cursor.position == start {
            return Err(mark.syntax("a tag needs a name"));
        }
        Ok(match octets {
            None => Cow::Borrowed(self.cursor.slice(start, self.cursor.position)),
            Some(octets) => Cow::Owned(String::from_utf8_lossy(&octets).into_owned()),
        })
    }

    /// `%C3%A9`: one character as its UTF-8 octets.
    fn uri_escape(&mut self, mark: Mark, octets: &mut Vec<u8>) -> Result<(), Error> {
        let mut left = 1;
        let mut first = true;
        while left > 0 {
            let hex = self.cursor.slice(self.cursor.position + 1, self.cursor.position + 3);
            let octet = match u8::from_str_radix(hex, 16) {
                Ok(octet)
                    if self.cursor.peek() == b'%' && hex.bytes().all(|byte| byte.is_ascii_hexdigit()) =>
                {
                    octet
                }
                _ => return Err(mark.syntax("a tag has a broken %-escape")),
            };
            if first {
                left = match octet {
                    0..0x80 => 1,
                    0xC0..0xE0 => 2,
                    0xE0..0xF0 => 3,
                    0xF0..0xF8 => 4,
                    _ => return Err(mark.syntax("a tag has a %-escape that is not UTF-8")),
                };
            } else if octet & 0xC0 != 0x80 {
                return Err(mark.syntax("a tag has a %-escape that is not UTF-8"));
            }
            octets.push(octet);
            self.cursor.steps(3);
            left -= 1;
            first = false;
        }
        Ok(())
    }

    /// `%YAML 1.1` or `%TAG !handle! prefix`.
    pub(super) fn directive(&mut self) -> Result<Kind<'a>, Error> {
        let mark = self.cursor.mark;
        self.cursor.step();
        let name = self.cursor.take_word();
        if !self.cursor.is_space_at(0) {
            return Err(unknown_directive(mark));
        }
        self.cursor.skip_blanks();
        let kind = match name {
            "YAML" => {
                let major = self.version_number(mark)?;
                if self.cursor.peek() != b'.' {
                    return Err(mark.syntax("a %YAML line needs a version such as 1.1"));
                }
                self.cursor.step();
                let minor = self.version_number(mark)?;
                Kind::Version { major, minor }
            }
            "TAG" => self.tag_prefix(mark)?,
            _ => return Err(unknown_directive(mark)),
        };
        self.cursor.skip_blanks();
        self.cursor.skip_comment();
        if !self.cursor.is_line_end() {
            return Err(self.cursor.mark.syntax("unexpected text after a directive"));
        }
        self.cursor.step_break();
        Ok(kind)
    }

    fn version_number(&mut self, mark: Mark) -> Result<u8, Error> {
        let start = self.cursor.position;
        while self.cursor.peek().is_ascii_digit() {
            self.cursor.step();
        }
        match self.cursor.slice(start, self.cursor.position) {
            digits if (1..=2).contains(&digits.len()) => {
                Ok(digits.bytes().fold(0, |n, digit| n * 10 + (digit - b'0')))
            }
            _ => Err(mark.syntax("a %YAML line needs a version such as 1.1")),
        }
    }

    fn tag_prefix(&mut self, mark: Mark) -> Result<Kind<'a>, Error> {
        let error = || mark.syntax("a %TAG line needs a handle such as !e! and a prefix");
        if self.cursor.peek() != b'!' {
            return Err(error());
        }
        let handle = self.tag_handle();
        if !handle.ends_with('!') || !self.cursor.is_blank() {
            return Err(error());
        }
        self.cursor.skip_blanks();
        let prefix = self.tag_uri(mark, true)?;
        if !self.cursor.is_space_at(0) {
            return Err(error());
        }
        Ok(Kind::TagPrefix { handle, prefix })
    }
}

fn uri_character(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-;/?:@&=+$,.!~*'()[]".contains(&byte)
}

fn unknown_directive(mark: Mark) -> Error {
    mark.syntax("a line that starts with % is a directive, and this one is unknown")
        .hint("quote the text or indent it; unrendered templates are not YAML")
}
