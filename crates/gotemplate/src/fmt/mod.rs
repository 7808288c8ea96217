//! Values to text, as Go's fmt package writes them.
//!
//! In: values, and for [`sprintf`] a format with Go's verbs and flags. Out: bytes. Wrong verbs and arguments
//! give no error but Go's `%!d(string=x)`. Maps that contain themselves end at a depth that no file reaches.

mod float;
mod integer;
mod pad;
mod printf;
pub mod quote;
mod verb;

pub use float::format_float;
pub use printf::sprintf;

use crate::value::Value;
use pad::Flags;

/// What fmt is at: where the text goes, and the flags of the verb at hand.
pub(crate) struct Printer<'o> {
    out: &'o mut Vec<u8>,
    flags: Flags,
    erroring: bool,
    /// Whether a pointer to a struct is printed as the struct.
    pointed_to: bool,
}

impl<'o> Printer<'o> {
    fn new(out: &'o mut Vec<u8>) -> Self {
        Self { out, flags: Flags::default(), erroring: false, pointed_to: false }
    }
}

/// One value as `{{value}}` prints it: a pointer to a struct is the struct.
pub(crate) fn print_action(out: &mut Vec<u8>, value: &Value) {
    match value {
        Value::Object(_) => {
            let mut printer = Printer::new(out);
            printer.pointed_to = true;
            printer.arg(value, 'v');
        }
        other => print_to(out, other),
    }
}

/// One value as `print` prints it.
pub fn print_to(out: &mut Vec<u8>, value: &Value) {
    match value {
        // Most of what is printed.
        Value::String(text) => out.extend_from_slice(text),
        other => Printer::new(out).arg(other, 'v'),
    }
}

/// Values one after another, with a space between two that are no strings.
pub fn sprint(values: &[Value]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut string_before = true;
    for value in values {
        let string = matches!(value, Value::String(_));
        if !string && !string_before {
            out.push(b' ');
        }
        print_to(&mut out, value);
        string_before = string;
    }
    out
}

/// Values with spaces between them, and a line feed.
pub fn sprintln(values: &[Value]) -> Vec<u8> {
    let mut out = Vec::new();
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            out.push(b' ');
        }
        print_to(&mut out, value);
    }
    out.push(b'\n');
    out
}

/// One value as text, for messages.
pub fn shown(value: &Value) -> String {
    let mut out = Vec::new();
    print_to(&mut out, value);
    String::from_utf8_lossy(&out).into_owned()
}
