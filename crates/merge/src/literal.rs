//! A JSON value that has an order, so that it can be part of a path in a sorted set.

use std::cmp::Ordering;
use std::fmt::{self, Write as _};

use serde_json::{Number, Value};

/// A JSON value with a total order. Numbers are equal when they are numerically, so `1` is `1.0`; the order of
/// a mapping's keys does not matter. Its text is compact JSON with sorted keys.
#[derive(Clone, Debug)]
pub struct Literal(Value);

impl Literal {
    /// The value itself.
    pub fn value(&self) -> &Value {
        &self.0
    }
}

impl From<Value> for Literal {
    fn from(value: Value) -> Self {
        Self(value)
    }
}

impl Ord for Literal {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(&self.0, &other.0)
    }
}

impl PartialOrd for Literal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Literal {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Literal {}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(&self.0, f)
    }
}

/// The order of two values: by type, then by content.
pub(crate) fn compare(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::Number(left), Value::Number(right)) => compare_numbers(left, right),
        (Value::String(left), Value::String(right)) => left.cmp(right),
        (Value::Array(left), Value::Array(right)) => {
            let pairs = left.iter().zip(right).map(|(left, right)| compare(left, right));
            first_difference(pairs).then_with(|| left.len().cmp(&right.len()))
        }
        (Value::Object(left), Value::Object(right)) => {
            let (left, right) = (sorted(left), sorted(right));
            let pairs = left
                .iter()
                .zip(&right)
                .map(|(left, right)| left.0.cmp(right.0).then_with(|| compare(left.1, right.1)));
            first_difference(pairs).then_with(|| left.len().cmp(&right.len()))
        }
        _ => rank(left).cmp(&rank(right)),
    }
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}

fn first_difference(mut orders: impl Iterator<Item = Ordering>) -> Ordering {
    orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

fn sorted(map: &serde_json::Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_unstable_by_key(|(name, _)| *name);
    entries
}

/// Whole numbers among themselves exactly; otherwise as floats, a whole number before a float that it only
/// equals by rounding. Rounding keeps order, so this is total.
fn compare_numbers(left: &Number, right: &Number) -> Ordering {
    match (whole(left), whole(right)) {
        (Some(left), Some(right)) => left.cmp(&right),
        (left_whole, right_whole) => {
            let (left, right) = (float(left), float(right));
            let by_kind = || left_whole.is_none().cmp(&right_whole.is_none());
            left.total_cmp(&right).then_with(by_kind)
        }
    }
}

fn float(number: &Number) -> f64 {
    number.as_f64().unwrap_or(f64::MAX)
}

/// The number as a whole one, also where it is written `1.0`.
fn whole(number: &Number) -> Option<i128> {
    /// 2 to the 63rd: what an i64 cannot hold any more.
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if let Some(small) = number.as_i64() {
        return Some(small.into());
    }
    if let Some(large) = number.as_u64() {
        return Some(large.into());
    }
    let float = number.as_f64()?;
    #[expect(clippy::cast_possible_truncation, reason = "whole and within the range of i64")]
    let cut = || float as i64;
    (float.fract() == 0.0 && (-LIMIT..LIMIT).contains(&float)).then(|| cut().into())
}

/// Compact JSON with sorted keys.
fn write(value: &Value, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match value {
        Value::Number(number) => match whole(number) {
            Some(whole) => write!(f, "{whole}"),
            None => write!(f, "{number}"),
        },
        Value::Array(items) => {
            f.write_char('[')?;
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    f.write_char(',')?;
                }
                write(item, f)?;
            }
            f.write_char(']')
        }
        Value::Object(map) => {
            f.write_char('{')?;
            for (index, (name, item)) in sorted(map).into_iter().enumerate() {
                if index > 0 {
                    f.write_char(',')?;
                }
                write_text(name, f)?;
                f.write_char(':')?;
                write(item, f)?;
            }
            f.write_char('}')
        }
        Value::String(text) => write_text(text, f),
        Value::Null | Value::Bool(_) => write!(f, "{value}"),
    }
}

/// A JSON string in quotes.
pub(crate) fn write_text(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str(&serde_json::to_string(text).map_err(|_| fmt::Error)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn order(left: Value, right: Value) -> Ordering {
        Literal::from(left).cmp(&Literal::from(right))
    }

    #[test]
    fn numbers_compare_by_what_they_are() {
        assert_eq!(order(json!(1), json!(1.0)), Ordering::Equal);
        assert_eq!(order(json!(-0.0), json!(0)), Ordering::Equal);
        assert_eq!(order(json!(1), json!(1.5)), Ordering::Less);
        assert_eq!(order(json!(u64::MAX), json!(i64::MIN)), Ordering::Greater);
        assert_eq!(order(json!(u64::MAX), json!(1e30)), Ordering::Less);
    }

    #[test]
    fn text_is_canonical() {
        let literal = Literal::from(json!({"b": [1.0, null, "x\""], "a": true}));
        assert_eq!(literal.to_string(), r#"{"a":true,"b":[1,null,"x\""]}"#);
    }
}
