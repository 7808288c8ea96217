//! Floats in Go's three spellings: all with the fewest digits that read back as the same number.

/// `-1.25e7`, the nearest of the shortest texts: Rust may take another of them, good for its length only.
fn shortest(number: f64) -> (String, i32) {
    let any = format!("{number:e}");
    let digits =
        any.split('e').next().and_then(|mantissa| mantissa.split_once('.')).map_or(0, |(_, f)| f.len());
    let nearest = format!("{number:.digits$e}");
    let text = if nearest.parse() == Ok(number) { nearest } else { any };
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (mantissa.to_owned(), exponent.parse().unwrap_or(0))
}

/// Never with an exponent: for the MAC and encrypted values.
pub(crate) fn plain(number: f64) -> String {
    if number.is_nan() {
        return "NaN".into();
    }
    if number.is_infinite() {
        return if number > 0.0 { "+Inf" } else { "-Inf" }.into();
    }
    let (mantissa, exponent) = shortest(number);
    positional(&mantissa, exponent)
}

/// As Go's JSON writes it: an exponent below 1e-6 and from 1e21 on, without a leading zero.
pub(crate) fn json(number: f64) -> String {
    let (mantissa, exponent) = shortest(number);
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
    let (mantissa, exponent) = shortest(number);
    if (-4..6).contains(&exponent) {
        return positional(&mantissa, exponent);
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
}

fn positional(mantissa: &str, exponent: i32) -> String {
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |mantissa| ("-", mantissa));
    let digits: String = mantissa.chars().filter(|character| *character != '.').collect();
    if exponent < 0 {
        return format!("{sign}0.{}{digits}", "0".repeat(exponent.unsigned_abs() as usize - 1));
    }
    let whole = exponent.unsigned_abs() as usize + 1;
    match (digits.get(..whole), digits.get(whole..)) {
        (Some(whole), Some("")) => format!("{sign}{whole}"),
        (Some(whole), Some(fraction)) => format!("{sign}{whole}.{fraction}"),
        _ => format!("{sign}{digits}{}", "0".repeat(whole - digits.len())),
    }
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
