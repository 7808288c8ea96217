//! Amounts: `500m` is `0.5`, `1Gi` is `1024Mi`.
//! <https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/>

use serde_json::Value;

/// An amount: a whole number without trailing zeros, times a power of ten. Equal amounts are equal values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quantity {
    digits: i128,
    tens: i32,
}

impl Quantity {
    /// From a string or a number; nothing where it is no amount, or one too large to compare.
    pub(super) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => Self::parse(text),
            Value::Number(number) => Self::parse(&number.to_string()),
            _ => None,
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let end = text.find(|char: char| !matches!(char, '0'..='9' | '.' | '+' | '-')).unwrap_or(text.len());
        let (number, suffix) = text.split_at_checked(end)?;
        let (factor, exponent) = unit(suffix)?;
        let (digits, fraction) = decimal(number)?;
        let mut amount = Self { digits: digits.checked_mul(factor)?, tens: exponent.checked_sub(fraction)? };
        while amount.digits != 0 && amount.digits % 10 == 0 {
            amount.digits /= 10;
            amount.tens += 1;
        }
        if amount.digits == 0 {
            amount.tens = 0;
        }
        Some(amount)
    }
}

/// All digits as one number, and how many of them stand behind the point.
fn decimal(text: &str) -> Option<(i128, i32)> {
    let (negative, text) = match text.strip_prefix('-') {
        Some(text) => (true, text),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits: String = [whole, fraction].concat();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: i128 = digits.parse().ok()?;
    Some((if negative { -number } else { number }, i32::try_from(fraction.len()).ok()?))
}

/// What a suffix stands for: a factor and a power of ten.
fn unit(suffix: &str) -> Option<(i128, i32)> {
    let binary = |power: u32| Some((1_i128 << (10 * power), 0));
    match suffix {
        "" => Some((1, 0)),
        "n" => Some((1, -9)),
        "u" => Some((1, -6)),
        "m" => Some((1, -3)),
        "k" => Some((1, 3)),
        "M" => Some((1, 6)),
        "G" => Some((1, 9)),
        "T" => Some((1, 12)),
        "P" => Some((1, 15)),
        "E" => Some((1, 18)),
        "Ki" => binary(1),
        "Mi" => binary(2),
        "Gi" => binary(3),
        "Ti" => binary(4),
        "Pi" => binary(5),
        "Ei" => binary(6),
        _ => {
            let exponent: i32 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
            (-1000..=1000).contains(&exponent).then_some((1, exponent))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn amounts_are_compared_by_what_they_are() {
        let same = |left: Value, right: Value| Quantity::of(&left).unwrap() == Quantity::of(&right).unwrap();
        assert!(same(json!("0.5"), json!("500m")) && same(json!(0.2), json!("200m")));
        assert!(
            same(json!("1Gi"), json!("1024Mi"))
                && same(json!("1e3"), json!("1k"))
                && same(json!(1), json!("1"))
        );
        assert!(same(json!("0"), json!("0Gi")) && same(json!("1536Mi"), json!("1.5Gi")));
        assert!(!same(json!("1G"), json!("1Gi")) && !same(json!("-1"), json!("1")));
        for odd in ["", "invalid", "1 Gi", "Gi", ".", "1.2.3", "1e", "1e99999", "--1", "NaN"] {
            assert_eq!(Quantity::of(&json!(odd)), None, "{odd}");
        }
        assert_eq!(Quantity::of(&json!("9".repeat(60))), None);
    }
}
