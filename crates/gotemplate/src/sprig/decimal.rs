//! Decimal arithmetic on floats: `0.1 + 0.2` is `0.3`.

use towpath_yaml::shortest_digits;

/// A number by its digits and a power of ten.
#[derive(Clone, Copy, Debug)]
struct Decimal {
    digits: i128,
    exponent: i32,
}

/// The places behind the point that a quotient has at least.
const DIVISION_PLACES: i32 = 16;

/// What is done with two numbers.
#[derive(Clone, Copy)]
pub enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
}

/// Numbers combined from left to right. Beyond what 38 digits hold it is done with floats.
pub fn combined(first: f64, others: impl Iterator<Item = f64>, operation: Operation) -> Option<f64> {
    let mut result = first;
    let mut exact = Decimal::of(first);
    for other in others {
        if matches!(operation, Operation::Divide) && other == 0.0 {
            return None;
        }
        exact = exact.and_then(|exact| exact.with(Decimal::of(other)?, operation));
        result = match (exact, operation) {
            (Some(exact), _) => exact.to_float(),
            (None, Operation::Add) => result + other,
            (None, Operation::Subtract) => result - other,
            (None, Operation::Multiply) => result * other,
            (None, Operation::Divide) => result / other,
        };
    }
    Some(exact.map_or(result, Decimal::to_float))
}

impl Decimal {
    fn of(number: f64) -> Option<Self> {
        if !number.is_finite() {
            return None;
        }
        let (mantissa, exponent) = shortest_digits(number);
        let places = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        let digits: String = mantissa.chars().filter(|digit| *digit != '.').collect();
        Some(Self { digits: digits.parse().ok()?, exponent: exponent - i32::try_from(places).ok()? })
    }

    fn to_float(self) -> f64 {
        format!("{}e{}", self.digits, self.exponent).parse().unwrap_or(0.0)
    }

    /// The same number with a smaller power of ten.
    fn scaled(self, exponent: i32) -> Option<i128> {
        let shift = u32::try_from(self.exponent.checked_sub(exponent)?).ok()?;
        self.digits.checked_mul(10_i128.checked_pow(shift)?)
    }

    fn with(self, other: Self, operation: Operation) -> Option<Self> {
        let exponent = self.exponent.min(other.exponent);
        let digits = match operation {
            Operation::Add => self.scaled(exponent)?.checked_add(other.scaled(exponent)?)?,
            Operation::Subtract => self.scaled(exponent)?.checked_sub(other.scaled(exponent)?)?,
            Operation::Multiply => {
                let digits = self.digits.checked_mul(other.digits)?;
                return Some(Self { digits, exponent: self.exponent.checked_add(other.exponent)? });
            }
            Operation::Divide => return self.divided(other),
        };
        Some(Self { digits, exponent })
    }

    /// Rounded half away from zero at sixteen places.
    fn divided(self, other: Self) -> Option<Self> {
        let shift = self.exponent.checked_sub(other.exponent)?.checked_add(DIVISION_PLACES)?;
        let power = 10_i128.checked_pow(shift.unsigned_abs())?;
        let (numerator, denominator) = if shift >= 0 {
            (self.digits.checked_mul(power)?, other.digits)
        } else {
            (self.digits, other.digits.checked_mul(power)?)
        };
        let quotient = numerator.checked_div(denominator)?;
        let rest = numerator.checked_rem(denominator)?.checked_abs()?;
        let up = rest.checked_mul(2)? >= denominator.checked_abs()?;
        let sign = if (numerator < 0) == (denominator < 0) { 1 } else { -1 };
        let digits = if up { quotient.checked_add(sign)? } else { quotient };
        Some(Self { digits, exponent: -DIVISION_PLACES })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tenths_are_exact() {
        let sum = combined(0.1, [0.2].into_iter(), Operation::Add);
        assert_eq!(sum, Some(0.3));
        assert_eq!(combined(10.0, [3.0].into_iter(), Operation::Divide), Some(3.333_333_333_333_333_3));
        assert_eq!(combined(1.0, [0.0].into_iter(), Operation::Divide), None);
    }
}
