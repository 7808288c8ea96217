//! Whether a single value fits its place, and words for what it should be.

use serde_json::Value;

use crate::node::Shape;
use crate::text;

/// Whether a value that is not null is of that shape.
pub(crate) fn fits(shape: &Shape, value: &Value) -> bool {
    match shape {
        Shape::Anything | Shape::Named(_) | Shape::Metadata => true,
        Shape::Boolean => value.is_boolean(),
        Shape::Text | Shape::Time => value.is_string(),
        Shape::Bytes => value.as_str().is_some_and(text::is_base64),
        Shape::Number => value.is_number(),
        Shape::Integer => is_integer(value),
        Shape::IntegerOrText => value.is_string() || is_integer(value),
        Shape::Quantity => value.is_number() || value.as_str().is_some_and(text::is_quantity),
        Shape::List(_) => value.is_array(),
        Shape::Map(_) => value.is_object(),
    }
}

/// The same as far as merging looks: it knows texts, numbers, booleans, scalars, lists and mappings.
pub(crate) fn merges(shape: &Shape, value: &Value) -> bool {
    match shape {
        Shape::Bytes => value.is_string(),
        Shape::Integer => value.is_number(),
        Shape::Time | Shape::IntegerOrText | Shape::Quantity => !value.is_object() && !value.is_array(),
        other => fits(other, value),
    }
}

/// A number without a fraction is an integer, however it is written.
fn is_integer(value: &Value) -> bool {
    value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|number| number.fract() == 0.0)
}

pub(crate) fn expected(shape: &Shape) -> &'static str {
    match shape {
        Shape::Anything | Shape::Named(_) | Shape::Metadata => "a value",
        Shape::Boolean => "true or false",
        Shape::Integer => "an integer",
        Shape::Number => "a number",
        Shape::Text => "a string",
        Shape::Time => "a time as a string",
        Shape::Bytes => "base64",
        Shape::IntegerOrText => "an integer or a string",
        Shape::Quantity => "a quantity such as 500m or 1Gi",
        Shape::List(_) => "a list",
        Shape::Map(_) => "a mapping",
    }
}

/// Numbers are the same whether they are written as 1 or 1.0.
pub(crate) fn same(left: &Value, right: &Value) -> bool {
    left == right
        || matches!((left.as_f64(), right.as_f64()), (Some(a), Some(b)) if a.to_bits() == b.to_bits())
}

/// The beginning of a long text.
pub(crate) fn shorten(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        None => text.into(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}
