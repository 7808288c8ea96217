//! A value by a verb.

use super::Printer;
use super::integer::{LOWER, UPPER};
use super::quote::{self, Kept};
use crate::value::{BYTES, Operand, Type, Value};

/// Deeper values are cut off: only a map that contains itself is that deep.
const DEPTH: usize = 1000;

impl Printer<'_> {
    /// A value as an argument of its own.
    pub(super) fn arg(&mut self, value: &Value, verb: char) {
        match (value, verb) {
            (Value::Nil, 'T' | 'v') => self.pad(b"<nil>"),
            (_, 'T') => {
                let name = value.type_name();
                let name = self.truncated(name.as_bytes());
                self.pad(name);
            }
            (_, 'p') => self.pointer(value, verb),
            _ => self.value(value, verb, 0),
        }
    }

    /// `%!d(string=x)`
    fn bad_verb(&mut self, value: &Value, verb: char) {
        let erroring = std::mem::replace(&mut self.erroring, true);
        self.write(&format!("%!{verb}("));
        if matches!(value, Value::Nil) {
            self.write("<nil>");
        } else {
            self.write(&value.type_name());
            self.write("=");
            self.value(value, 'v', 0);
        }
        self.write(")");
        self.erroring = erroring;
    }

    fn value(&mut self, value: &Value, verb: char, depth: usize) {
        if depth > DEPTH {
            self.write("...");
            return;
        }
        let done = match value {
            Value::Nil => None,
            Value::Bool(truth) => matches!(verb, 't' | 'v').then(|| {
                self.pad(if *truth { b"true" } else { b"false" });
            }),
            Value::Int(int, number) => self.integer(number.cast_unsigned(), int.signed(), verb),
            Value::Float(number) => self.float(*number, verb),
            Value::Complex(number) => self.complex(**number, verb),
            Value::String(text) => self.string(text, verb),
            Value::Bytes(bytes) => return self.bytes(value, bytes, verb, depth),
            Value::List(list) => {
                if self.flags.sharp_v && list.nil {
                    self.write(&format!("{}(nil)", list.typ));
                } else {
                    let items = list.items.iter().map(|item| (None, item.clone()));
                    self.composite(list.typ, items, verb, depth);
                }
                Some(())
            }
            Value::Map(map) => {
                if self.flags.sharp_v && map.nil {
                    self.write(&format!("{}(nil)", map.typ));
                } else {
                    if !self.flags.sharp_v {
                        self.write("map");
                    }
                    let entries = map.entries.borrow().clone();
                    let items = entries.into_iter().map(|(key, value)| (Some(Value::String(key)), value));
                    self.composite(map.typ, items, verb, depth);
                }
                Some(())
            }
            Value::Func(_) => {
                self.pointer(value, verb);
                Some(())
            }
            Value::Object(_) => self.object(value, verb, depth),
        };
        if done.is_none() {
            self.bad_verb(value, verb);
        }
    }

    /// An element of something: nil shows itself there.
    fn element(&mut self, value: &Value, typ: Type, verb: char, depth: usize) {
        match (value, typ) {
            (Value::Nil, Type::Any) if self.flags.sharp_v => self.write("interface {}(nil)"),
            (Value::Nil, _) => self.write("<nil>"),
            _ => self.value(value, verb, depth + 1),
        }
    }

    fn composite(
        &mut self,
        typ: Type,
        items: impl Iterator<Item = (Option<Value>, Value)>,
        verb: char,
        depth: usize,
    ) {
        let sharp = self.flags.sharp_v;
        if sharp {
            self.write(&typ.to_string());
        }
        self.write(if sharp { "{" } else { "[" });
        for (index, (key, value)) in items.enumerate() {
            if index > 0 {
                self.write(if sharp { ", " } else { " " });
            }
            if let Some(key) = key {
                self.value(&key, verb, depth + 1);
                self.write(":");
            }
            self.element(&value, typ.element(), verb, depth);
        }
        self.write(if sharp { "}" } else { "]" });
    }

    fn string(&mut self, text: &[u8], verb: char) -> Option<()> {
        match verb {
            'v' if self.flags.sharp_v => self.quoted(text),
            'v' | 's' => {
                let text = self.truncated(text);
                self.pad(text);
            }
            'x' => self.hex(text, LOWER),
            'X' => self.hex(text, UPPER),
            'q' => self.quoted(text),
            _ => return None,
        }
        Some(())
    }

    fn quoted(&mut self, text: &[u8]) {
        let text = self.truncated(text);
        if self.flags.sharp && quote::can_backquote(text) {
            self.pad(&[b"`", text, b"`"].concat());
            return;
        }
        let kept = if self.flags.plus { Kept::Ascii } else { Kept::Printed };
        self.pad(quote::quoted_as(text, b'"', kept).as_bytes());
    }

    fn bytes(&mut self, value: &Value, bytes: &[u8], verb: char, depth: usize) {
        match verb {
            's' | 'x' | 'X' | 'q' => {
                self.string(bytes, verb);
            }
            'v' | 'd' if self.flags.sharp_v => {
                // Go says []byte at the top and []uint8 within.
                self.write(if depth == 0 { "[]byte{" } else { "[]uint8{" });
                for (index, byte) in bytes.iter().enumerate() {
                    if index > 0 {
                        self.write(", ");
                    }
                    self.with_0x(u64::from(*byte), true);
                }
                self.write("}");
            }
            _ => {
                let items = value.elements().unwrap_or_default().into_iter().map(|item| (None, item));
                self.composite(BYTES, items, verb, depth);
            }
        }
    }

    /// An address would differ from run to run, so that all are the same here.
    fn pointer(&mut self, value: &Value, verb: char) {
        match (value, verb) {
            (Value::Func(_) | Value::List(_) | Value::Map(_) | Value::Object(_), 'v' | 'p') => {
                self.with_0x(0xc0_0000_0000, !self.flags.sharp);
            }
            _ => self.bad_verb(value, verb),
        }
    }

    fn object(&mut self, value: &Value, verb: char, depth: usize) -> Option<()> {
        let Value::Object(object) = value else { return None };
        if !self.erroring
            && !self.flags.sharp_v
            && matches!(verb, 'v' | 's' | 'x' | 'X' | 'q')
            && let Some(text) = object.text()
        {
            return self.string(&text, verb);
        }
        if let Some(Operand { value, .. }) = object.target() {
            self.value(&value, verb, depth + 1);
            return Some(());
        }
        let typ = object.go_type();
        match typ {
            Type::Pointer(_) if depth > 0 => {
                self.pointer(value, verb);
                return Some(());
            }
            Type::Pointer(_) if self.pointed_to => self.pointed_to = false,
            Type::Pointer(_) => self.write("&"),
            Type::Func => {
                self.pointer(value, verb);
                return Some(());
            }
            _ => {}
        }
        let names = self.flags.plus_v || self.flags.sharp_v;
        if self.flags.sharp_v {
            self.write(typ.to_string().trim_start_matches('*'));
        }
        self.write("{");
        for (index, (name, field)) in object.fields().into_iter().enumerate() {
            if index > 0 {
                self.write(if self.flags.sharp_v { ", " } else { " " });
            }
            if names {
                self.write(&format!("{name}:"));
            }
            self.element(&field.value, field.static_type(), verb, depth);
        }
        self.write("}");
        Some(())
    }
}
