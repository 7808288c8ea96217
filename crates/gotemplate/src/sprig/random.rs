//! Chance: from the run's environment, so that a fixed one gives the same text every time.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{Done, Table, bounded};
use crate::environment::Environment;
use crate::function::Args;
use crate::runes;
use crate::value::{INT, Type, Value};

const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const DIGITS: &[u8] = b"0123456789";
const S: Type = Type::String;

pub fn add(table: &mut Table<'_>) {
    table.outside("randAlphaNum", &[INT], S, |environment, args| {
        picked(environment, args, &[LETTERS, DIGITS].concat())
    });
    table.outside("randAlpha", &[INT], S, |environment, args| picked(environment, args, LETTERS));
    table.outside("randNumeric", &[INT], S, |environment, args| picked(environment, args, DIGITS));
    table.outside("randAscii", &[INT], S, |environment, args| {
        picked(environment, args, &(b' '..=b'~').collect::<Vec<_>>())
    });
    table.outside("randBytes", &[INT], S, |environment, args| {
        let Ok(count) = usize::try_from(args.int(0)) else {
            return Err("runtime error: makeslice: len out of range".into());
        };
        let mut bytes = vec![0; bounded(count)?];
        environment.random(&mut bytes);
        Ok(Value::string(STANDARD.encode(bytes)))
    });
    table.outside("randInt", &[INT, INT], INT, |environment, args| {
        let width = args.int(1).wrapping_sub(args.int(0));
        match u64::try_from(width) {
            Ok(width) if width > 0 => {
                let chosen = environment.below(width).cast_signed();
                Ok(Value::int(args.int(0).wrapping_add(chosen)))
            }
            _ => Err("invalid argument to Intn".into()),
        }
    });
    table.outside("shuffle", &[S], S, |environment, args| {
        let mut all: Vec<char> = runes::all(args.text(0)).map(|(character, _)| character).collect();
        for last in (1..all.len()).rev() {
            let other = environment.below(u64::try_from(last).unwrap_or(0) + 1);
            all.swap(last, usize::try_from(other).unwrap_or(0));
        }
        Ok(Value::string(all.into_iter().collect::<String>()))
    });
    table.outside("uuidv4", &[], S, |environment, _| {
        let mut bytes = [0; 16];
        environment.random(&mut bytes);
        let bits = u128::from_be_bytes(bytes);
        let bits = bits & !(0xF << 76) | (4 << 76);
        let bits = bits & !(3 << 62) | (2 << 62);
        let text = format!("{bits:032x}");
        let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
        Ok(Value::string([part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")))
    });
}

/// So many of the bytes; none for a number that is none.
fn picked(environment: &Environment, args: Args<'_>, from: &[u8]) -> Done {
    let count = bounded(usize::try_from(args.int(0)).unwrap_or(0))?;
    let bound = u64::try_from(from.len()).unwrap_or(1);
    let one = |_| from.get(usize::try_from(environment.below(bound)).unwrap_or(0)).copied();
    Ok(Value::string((0..count).filter_map(one).collect::<Vec<u8>>()))
}
