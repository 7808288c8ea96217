//! Base 64 and base 32.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::Table;

const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

pub fn add(table: &mut Table<'_>) {
    table.text("b64enc", |text| STANDARD.encode(text).into_bytes());
    table.text("b64dec", |text| decoded(text).unwrap_or_else(corrupt64));
    table.text("b32enc", base32);
    table.text("b32dec", |text| base32_decoded(text).unwrap_or_else(|at| corrupt("base32", at)));
}

fn corrupt(base: &str, at: usize) -> Vec<u8> {
    format!("illegal {base} data at input byte {at}").into_bytes()
}

fn corrupt64(at: usize) -> Vec<u8> {
    corrupt("base64", at)
}

/// Base 64 as Go reads it: line breaks are skipped. The error is where it goes wrong.
pub fn decoded(text: &[u8]) -> Result<Vec<u8>, usize> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    // What is left of the text, as positions and bytes without line breaks.
    let mut rest = text.iter().enumerate().filter(|(_, byte)| !matches!(byte, b'\n' | b'\r')).peekable();
    while rest.peek().is_some() {
        let mut bits: u32 = 0;
        let mut digits = 0;
        let mut ended = false;
        while digits < 4 {
            let Some((at, byte)) = rest.next() else {
                return Err(text.len() - digits_behind(text, digits));
            };
            if *byte != b'=' {
                bits = (bits << 6) | digit(*byte).ok_or(at)?;
                digits += 1;
                continue;
            }
            match digits {
                0 | 1 => return Err(at),
                2 => match rest.next() {
                    Some((_, b'=')) => {}
                    Some((second, _)) => return Err(second),
                    None => return Err(text.len()),
                },
                _ => {}
            }
            if let Some((trailing, _)) = rest.next() {
                return Err(trailing);
            }
            ended = true;
            break;
        }
        let missing = 4 - u32::try_from(digits).unwrap_or(4);
        let bytes = (bits << (6 * missing)).to_be_bytes();
        let count = if ended { digits - 1 } else { 3 };
        out.extend(bytes.iter().skip(1).take(count));
    }
    Ok(out)
}

/// Go points at the start of the group that is not complete.
fn digits_behind(text: &[u8], digits: usize) -> usize {
    let trailing = text.iter().rev().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
    digits + trailing
}

fn digit(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

fn base32(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for chunk in text.chunks(5) {
        let mut bits: u64 = 0;
        for index in 0..5 {
            bits = (bits << 8) | u64::from(chunk.get(index).copied().unwrap_or(0));
        }
        let digits = (chunk.len() * 8).div_ceil(5);
        for index in 0..8 {
            let value = usize::try_from((bits >> (35 - 5 * index)) & 31).unwrap_or(0);
            out.push(if index < digits { ALPHABET.get(value).copied().unwrap_or(b'=') } else { b'=' });
        }
    }
    out
}

fn base32_decoded(text: &[u8]) -> Result<Vec<u8>, usize> {
    let text: Vec<u8> = text.iter().copied().filter(|byte| !matches!(byte, b'\n' | b'\r')).collect();
    let mut out = Vec::new();
    let mut chunks = text.chunks(8).enumerate().peekable();
    while let Some((number, chunk)) = chunks.next() {
        let start = number * 8;
        let digits = chunk.iter().take_while(|byte| **byte != b'=').count();
        let mut bits: u64 = 0;
        for (index, byte) in chunk.iter().take(digits).enumerate() {
            let value = ALPHABET.iter().position(|one| one == byte).ok_or(start + index)?;
            bits = (bits << 5) | u64::try_from(value).unwrap_or(0);
        }
        if chunk.len() < 8 {
            return Err(start + chunk.len());
        }
        if let Some(index) = chunk.iter().skip(digits).position(|byte| *byte != b'=') {
            return Err(start + digits + index);
        }
        if !matches!(digits, 2 | 4 | 5 | 7 | 8) {
            return Err(start + digits);
        }
        if digits < 8 && chunks.peek().is_some() {
            return Err(start + 8);
        }
        let bytes = (bits << (5 * (8 - digits))).to_be_bytes();
        out.extend(bytes.iter().skip(3).take(digits * 5 / 8));
    }
    Ok(out)
}
