//! Time spans as Go writes them: `1h` is `1h0m0s`.

/// Nanoseconds; nothing where it is no span.
pub(super) fn nanoseconds(text: &str) -> Option<i128> {
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total: i128 = 0;
    while !rest.is_empty() {
        let number_ends = rest.find(|char: char| !char.is_ascii_digit() && char != '.')?;
        let (number, behind) = rest.split_at_checked(number_ends)?;
        let unit_ends =
            behind.find(|char: char| char.is_ascii_digit() || char == '.').unwrap_or(behind.len());
        let (unit, behind) = behind.split_at_checked(unit_ends)?;
        total = total.checked_add(part(number, unit)?)?;
        rest = behind;
    }
    Some(if negative { -total } else { total })
}

fn part(number: &str, unit: &str) -> Option<i128> {
    let unit: i128 = match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let read = |digits: &str| if digits.is_empty() { Some(0) } else { digits.parse::<i128>().ok() };
    let power = 10_i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let below = read(fraction)?.checked_mul(unit)? / power;
    read(whole)?.checked_mul(unit)?.checked_add(below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_compared_by_what_they_are() {
        assert_eq!(nanoseconds("1h"), nanoseconds("1h0m0s"));
        assert_eq!(nanoseconds("90m"), nanoseconds("1.5h"));
        assert_eq!(nanoseconds("0"), nanoseconds("0s"));
        assert_eq!(nanoseconds("-1.5ms"), Some(-1_500_000));
        assert_ne!(nanoseconds("1m"), nanoseconds("1h"));
        for odd in ["", "1", "h", "1d", "1h ", "abc", ".", ".s", "1..s"] {
            assert_eq!(nanoseconds(odd), None, "{odd}");
        }
    }
}
