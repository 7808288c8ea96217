//! Formats: verbs with flags, width, precision and numbered arguments.

use super::Printer;
use super::pad::Flags;
use crate::runes;
use crate::value::Value;

/// Widths beyond it are mistakes.
const LARGEST: usize = 1_000_000;

/// Formats values.
pub fn sprintf(format: &[u8], args: &[Value]) -> Vec<u8> {
    let mut out = Vec::with_capacity(format.len());
    let mut formatter = Formatter {
        format,
        at: 0,
        args,
        next: 0,
        reordered: false,
        good: true,
        printer: Printer::new(&mut out),
    };
    formatter.run();
    out
}

struct Formatter<'f, 'o> {
    format: &'f [u8],
    at: usize,
    args: &'f [Value],
    next: usize,
    reordered: bool,
    good: bool,
    printer: Printer<'o>,
}

impl Formatter<'_, '_> {
    fn byte(&self) -> Option<u8> {
        self.format.get(self.at).copied()
    }

    fn run(&mut self) {
        while self.at < self.format.len() {
            let rest = self.format.get(self.at..).unwrap_or_default();
            let plain = memchr::memchr(b'%', rest).unwrap_or(rest.len());
            self.printer.out.extend_from_slice(rest.get(..plain).unwrap_or_default());
            self.at += plain;
            if self.byte().is_none() {
                break;
            }
            self.at += 1;
            self.good = true;
            if !self.directive() {
                break;
            }
        }
        if !self.reordered && self.next < self.args.len() {
            self.extra();
        }
    }

    /// One verb; false when the format ends before it.
    fn directive(&mut self) -> bool {
        self.printer.flags = Flags::default();
        self.flags();
        let mut indexed = self.arg_number();
        indexed = self.width(indexed);
        if self.byte() == Some(b'.') && self.at + 1 < self.format.len() {
            self.at += 1;
            indexed = self.precision(indexed);
        }
        if !indexed {
            self.arg_number();
        }
        let Some((verb, width)) = runes::first(self.format.get(self.at..).unwrap_or_default()) else {
            self.printer.write("%!(NOVERB)");
            return false;
        };
        self.at += width;
        self.verb(verb);
        true
    }

    fn flags(&mut self) {
        while let Some(byte) = self.byte() {
            let flags = &mut self.printer.flags;
            match byte {
                b'#' => flags.sharp = true,
                b'0' => flags.zero = true,
                b'+' => flags.plus = true,
                b'-' => flags.minus = true,
                b' ' => flags.space = true,
                _ => break,
            }
            self.at += 1;
        }
    }

    fn width(&mut self, indexed: bool) -> bool {
        if self.byte() == Some(b'*') {
            self.at += 1;
            let width = self.int_arg();
            if width.is_none() {
                self.printer.write("%!(BADWIDTH)");
            }
            if width.is_some_and(|width| width < 0) {
                self.printer.flags.minus = true;
                self.printer.flags.zero = false;
            }
            self.printer.flags.width = width.and_then(|width| usize::try_from(width.unsigned_abs()).ok());
            return false;
        }
        self.printer.flags.width = self.number();
        if indexed && self.printer.flags.width.is_some() {
            self.good = false;
        }
        indexed
    }

    fn precision(&mut self, indexed: bool) -> bool {
        if indexed {
            self.good = false;
        }
        let indexed = self.arg_number();
        if self.byte() == Some(b'*') {
            self.at += 1;
            let precision = self.int_arg().and_then(|precision| usize::try_from(precision).ok());
            if precision.is_none() {
                self.printer.write("%!(BADPREC)");
            }
            self.printer.flags.precision = precision;
            return false;
        }
        self.printer.flags.precision = Some(self.number().unwrap_or(0));
        indexed
    }

    fn verb(&mut self, verb: char) {
        if verb == '%' {
            self.printer.write("%");
            return;
        }
        if !self.good {
            self.printer.write(&format!("%!{verb}(BADINDEX)"));
            return;
        }
        let Some(arg) = self.args.get(self.next) else {
            self.printer.write(&format!("%!{verb}(MISSING)"));
            return;
        };
        if matches!(verb, 'v' | 'w') {
            let flags = &mut self.printer.flags;
            flags.sharp_v = std::mem::replace(&mut flags.sharp, false);
            flags.plus_v = std::mem::replace(&mut flags.plus, false);
        }
        self.printer.arg(arg, verb);
        self.next += 1;
    }

    /// `[3]`; whether there was one.
    fn arg_number(&mut self) -> bool {
        if self.byte() != Some(b'[') {
            return false;
        }
        self.reordered = true;
        let rest = self.format.get(self.at..).unwrap_or_default();
        let Some(close) = memchr::memchr(b']', rest).filter(|_| rest.len() >= 3) else {
            self.good = false;
            self.at += 1;
            return false;
        };
        let inner = rest.get(1..close).unwrap_or_default();
        self.at += close + 1;
        let number = parse(inner).filter(|(_, length)| *length == inner.len()).map(|(number, _)| number);
        match number {
            Some(number) if (1..=self.args.len()).contains(&number) => {
                self.next = number - 1;
                true
            }
            Some(_) => {
                self.good = false;
                true
            }
            None => {
                self.good = false;
                false
            }
        }
    }

    fn number(&mut self) -> Option<usize> {
        let rest = self.format.get(self.at..).unwrap_or_default();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if let Some((number, length)) = parse(rest) {
            self.at += length;
            return Some(number);
        }
        // Too large: Go gives up on the whole format.
        if digits > 0 {
            self.at = self.format.len();
        }
        None
    }

    fn int_arg(&mut self) -> Option<i64> {
        let arg = self.args.get(self.next)?;
        self.next += 1;
        match arg {
            Value::Int(int, number) if int.signed() || *number >= 0 => {
                Some(*number).filter(|number| number.unsigned_abs() <= LARGEST as u64)
            }
            _ => None,
        }
    }

    fn extra(&mut self) {
        self.printer.flags = Flags::default();
        self.printer.write("%!(EXTRA ");
        for (index, arg) in self.args.iter().skip(self.next).enumerate() {
            if index > 0 {
                self.printer.write(", ");
            }
            if matches!(arg, Value::Nil) {
                self.printer.write("<nil>");
            } else {
                self.printer.write(&arg.type_name());
                self.printer.write("=");
                self.printer.arg(arg, 'v');
            }
        }
        self.printer.write(")");
    }
}

/// A decimal number at the start, and its length.
fn parse(text: &[u8]) -> Option<(usize, usize)> {
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let digits = text.get(..length).and_then(|digits| str::from_utf8(digits).ok())?;
    digits.parse().ok().filter(|number| *number <= LARGEST).map(|number| (number, length))
}
