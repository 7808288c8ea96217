//! Flags, width and precision, and what they do to plain text.

use super::Printer;
use crate::runes;

/// The flags of one verb.
#[derive(Clone, Default)]
pub struct Flags {
    pub width: Option<usize>,
    pub precision: Option<usize>,
    pub minus: bool,
    pub plus: bool,
    pub sharp: bool,
    pub space: bool,
    pub zero: bool,
    /// `%+v`
    pub plus_v: bool,
    /// `%#v`
    pub sharp_v: bool,
}

impl Printer<'_> {
    pub(super) fn write(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    pub(super) fn padding(&mut self, count: usize) {
        let byte = if self.flags.zero && !self.flags.minus { b'0' } else { b' ' };
        self.out.resize(self.out.len() + count, byte);
    }

    /// Text filled up to the width.
    pub(super) fn pad(&mut self, text: &[u8]) {
        let missing = self.flags.width.unwrap_or(0).saturating_sub(runes::count(text));
        if self.flags.minus {
            self.out.extend_from_slice(text);
            self.padding(missing);
        } else {
            self.padding(missing);
            self.out.extend_from_slice(text);
        }
    }

    /// The same without zeros.
    pub(super) fn pad_with_spaces(&mut self, text: &[u8]) {
        let zero = std::mem::replace(&mut self.flags.zero, false);
        self.pad(text);
        self.flags.zero = zero;
    }

    /// As many characters as the precision allows.
    pub(super) fn truncated<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        let Some(precision) = self.flags.precision else { return text };
        let width = runes::all(text).take(precision).map(|(_, bytes)| bytes.len()).sum();
        text.get(..width).unwrap_or(text)
    }

    pub(super) fn hex(&mut self, text: &[u8], digits: &[u8; 17]) {
        let length = self.flags.precision.map_or(text.len(), |precision| precision.min(text.len()));
        let mut shown = Vec::new();
        let prefix = [b'0', digits.last().copied().unwrap_or_default()];
        for (index, byte) in text.iter().take(length).enumerate() {
            if self.flags.space && index > 0 {
                shown.push(b' ');
            }
            if self.flags.sharp && (index == 0 || self.flags.space) {
                shown.extend_from_slice(&prefix);
            }
            for nibble in [byte >> 4, byte & 15] {
                shown.extend(digits.get(usize::from(nibble)));
            }
        }
        self.pad(&shown);
    }
}
