//! Integers in every base and form.

use super::Printer;
use super::quote::{self, Kept};
use crate::runes;

pub const LOWER: &[u8; 17] = b"0123456789abcdefx";
pub const UPPER: &[u8; 17] = b"0123456789ABCDEFX";

impl Printer<'_> {
    /// An integer by its verb; `None` when the verb is not for integers.
    pub(super) fn integer(&mut self, bits: u64, signed: bool, verb: char) -> Option<()> {
        match verb {
            'v' if self.flags.sharp_v && !signed => self.with_0x(bits, true),
            'v' | 'd' => self.digits(bits, 10, signed, verb, LOWER),
            'b' => self.digits(bits, 2, signed, verb, LOWER),
            'o' | 'O' => self.digits(bits, 8, signed, verb, LOWER),
            'x' => self.digits(bits, 16, signed, verb, LOWER),
            'X' => self.digits(bits, 16, signed, verb, UPPER),
            'c' => {
                let mut text = Vec::new();
                runes::push(&mut text, character(bits));
                self.pad(&text);
            }
            'q' => {
                let mut text = Vec::new();
                runes::push(&mut text, character(bits));
                let kept = if self.flags.plus { Kept::Ascii } else { Kept::Printed };
                self.pad(quote::quoted_as(&text, b'\'', kept).as_bytes());
            }
            'U' => self.code_point(bits),
            _ => return None,
        }
        Some(())
    }

    pub(super) fn with_0x(&mut self, bits: u64, leading: bool) {
        let sharp = std::mem::replace(&mut self.flags.sharp, leading);
        self.digits(bits, 16, false, 'v', LOWER);
        self.flags.sharp = sharp;
    }

    fn digits(&mut self, bits: u64, base: u64, signed: bool, verb: char, digits: &[u8; 17]) {
        let negative = signed && bits.cast_signed() < 0;
        let mut rest = if negative { bits.wrapping_neg() } else { bits };
        if self.flags.precision == Some(0) && rest == 0 {
            self.pad_with_spaces(b"");
            return;
        }
        let flags = &self.flags;
        let least = match (flags.precision, flags.width) {
            (Some(precision), _) => precision,
            (None, Some(width)) if flags.zero && !flags.minus => {
                width.saturating_sub(usize::from(negative || flags.plus || flags.space))
            }
            _ => 0,
        };
        // From the last digit to the first.
        let mut text = Vec::new();
        loop {
            let digit = usize::try_from(rest % base).unwrap_or(0);
            text.extend(digits.get(digit));
            rest /= base;
            if rest == 0 {
                break;
            }
        }
        if text.len() < least {
            text.resize(least, b'0');
        }
        match base {
            2 if flags.sharp => text.extend_from_slice(b"b0"),
            8 if flags.sharp && text.last() != Some(&b'0') => text.push(b'0'),
            16 if flags.sharp => text.extend([digits.last().copied().unwrap_or(b'x'), b'0']),
            _ => {}
        }
        if verb == 'O' {
            text.extend_from_slice(b"o0");
        }
        if negative {
            text.push(b'-');
        } else if flags.plus {
            text.push(b'+');
        } else if flags.space {
            text.push(b' ');
        }
        text.reverse();
        self.pad_with_spaces(&text);
    }

    fn code_point(&mut self, bits: u64) {
        let digits = self.flags.precision.unwrap_or(4).max(4);
        let mut text = format!("U+{bits:0digits$X}");
        let printed = u32::try_from(bits).ok().and_then(char::from_u32).filter(|one| runes::is_print(*one));
        if let (true, Some(character)) = (self.flags.sharp, printed) {
            text.extend([' ', '\'', character, '\'']);
        }
        self.pad_with_spaces(text.as_bytes());
    }
}

fn character(bits: u64) -> char {
    u32::try_from(bits).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}
