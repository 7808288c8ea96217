//! Values as numbers, as the cast library takes them: what is no number is zero.

use crate::strconv;
use crate::value::Value;

/// Cut off; what is out of range is the least number, as on Go's usual machines.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
pub fn truncated(number: f64) -> i64 {
    let within = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&number);
    if within { number as i64 } else { i64::MIN }
}

pub fn to_int(value: &Value) -> i64 {
    match value {
        Value::Int(_, number) => *number,
        Value::Float(number) => truncated(*number),
        Value::String(text) => {
            str::from_utf8(text).ok().and_then(|text| strconv::parse_int(without_zeros(text))).unwrap_or(0)
        }
        Value::Bool(truth) => i64::from(*truth),
        _ => 0,
    }
}

/// `8.00` is `8`.
fn without_zeros(text: &str) -> &str {
    match text.rsplit_once('.') {
        Some((whole, zeros)) if !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0') => whole,
        _ => text,
    }
}

#[expect(clippy::cast_precision_loss, reason = "as Go converts it")]
pub fn to_float(value: &Value) -> f64 {
    match value {
        Value::Float(number) => *number,
        Value::Int(int, number) if int.signed() => *number as f64,
        Value::Int(_, number) => number.cast_unsigned() as f64,
        Value::String(text) => str::from_utf8(text).ok().and_then(strconv::parse_float).unwrap_or(0.0),
        Value::Bool(truth) => f64::from(u8::from(*truth)),
        _ => 0.0,
    }
}
