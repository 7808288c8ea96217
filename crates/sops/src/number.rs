//! Floats in Go's three spellings: all with the fewest digits that read back as the same number.

use towpath_yaml::{format_float, positional, shortest_digits};

/// Never with an exponent: for the MAC and encrypted values.
pub(crate) fn plain(number: f64) -> String {
    if number.is_nan() {
        return "NaN".into();
    }
    if number.is_infinite() {
        return if number > 0.0 { "+Inf" } else { "-Inf" }.into();
    }
    let (mantissa, exponent) = shortest_digits(number);
    positional(&mantissa, exponent)
}

/// As Go's JSON writes it: an exponent below 1e-6 and from 1e21 on, without a leading zero.
pub(crate) fn json(number: f64) -> String {
    let (mantissa, exponent) = shortest_digits(number);
    if number != 0.0 && !(-6..21).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        let digits = exponent.unsigned_abs();
        return if exponent < 0 {
            format!("{mantissa}e{sign}{digits}")
        } else {
            format!("{mantissa}e{sign}{digits:02}")
        };
    }
    positional(&mantissa, exponent)
}

/// As go-yaml writes it: an exponent of two digits below 1e-4 and from 1e6 on.
pub(crate) fn yaml(number: f64) -> String {
    if number.is_nan() {
        return ".nan".into();
    }
    if number.is_infinite() {
        return if number > 0.0 { ".inf" } else { "-.inf" }.into();
    }
    format_float(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_spellings() {
        for (number, in_plain, in_json, in_yaml) in [
            (0.0, "0", "0", "0"),
            (-0.0, "-0", "-0", "-0"),
            (1.5, "1.5", "1.5", "1.5"),
            (1e6, "1000000", "1000000", "1e+06"),
            (1e21, "1000000000000000000000", "1e+21", "1e+21"),
            (1e-7, "0.0000001", "1e-7", "1e-07"),
            (0.000_001, "0.000001", "0.000001", "1e-06"),
            (123_456_789.125, "123456789.125", "123456789.125", "1.23456789125e+08"),
        ] {
            assert_eq!(plain(number), in_plain);
            assert_eq!(json(number), in_json);
            assert_eq!(yaml(number), in_yaml);
        }
        assert_eq!((plain(f64::NEG_INFINITY).as_str(), yaml(f64::NAN).as_str()), ("-Inf", ".nan"));
    }
}
