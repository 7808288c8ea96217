//! Durations in nanoseconds, as Go reads and writes them.

use super::quoted;

const SECOND: u64 = 1_000_000_000;
const UNITS: &[(&str, u64)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
    ("ms", 1_000_000),
    ("s", SECOND),
    ("m", 60 * SECOND),
    ("h", 3_600 * SECOND),
];

/// `1h30m0.5s`
pub fn duration_text(nanoseconds: i64) -> String {
    let total = nanoseconds.unsigned_abs();
    let sign = if nanoseconds < 0 { "-" } else { "" };
    if total == 0 {
        return "0s".to_owned();
    }
    if total < SECOND {
        let (unit, digits, name) = match total {
            0..1_000 => return format!("{sign}{total}ns"),
            1_000..1_000_000 => (1_000, 3, "\u{b5}s"),
            _ => (1_000_000, 6, "ms"),
        };
        return format!("{sign}{}{name}", with_fraction(total / unit, total % unit, digits));
    }
    let (seconds, fraction) = (total / SECOND, total % SECOND);
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    let hours = if hours > 0 { format!("{hours}h") } else { String::new() };
    let minutes = if seconds >= 60 { format!("{minutes}m") } else { String::new() };
    format!("{sign}{hours}{minutes}{}s", with_fraction(seconds % 60, fraction, 9))
}

fn with_fraction(whole: u64, fraction: u64, digits: usize) -> String {
    let fraction = format!("{fraction:0digits$}");
    match fraction.trim_end_matches('0') {
        "" => whole.to_string(),
        kept => format!("{whole}.{kept}"),
    }
}

/// Reads a duration; the error is Go's.
pub fn parse_duration(text: &str) -> Result<i64, String> {
    let shown = quoted(text);
    let invalid = || format!("time: invalid duration {shown}");
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let number = rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
        let (digits, behind) = rest.split_at_checked(number).ok_or_else(invalid)?;
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
            return Err(invalid());
        }
        let width = behind.find(|one: char| one == '.' || one.is_ascii_digit()).unwrap_or(behind.len());
        let (unit, behind) = behind.split_at_checked(width).ok_or_else(invalid)?;
        if unit.is_empty() {
            return Err(format!("time: missing unit in duration {shown}"));
        }
        let Some((_, size)) = UNITS.iter().find(|(name, _)| *name == unit) else {
            let unit = quoted(unit);
            return Err(format!("time: unknown unit {unit} in duration {shown}"));
        };
        let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| invalid())? };
        let nanoseconds = whole.checked_mul(*size).filter(|all| *all <= 1 << 63).ok_or_else(invalid)?;
        let sum = total.checked_add(nanoseconds).and_then(|sum| sum.checked_add(part(fraction, *size)));
        total = sum.filter(|sum| *sum <= 1 << 63).ok_or_else(invalid)?;
        rest = behind;
    }
    if negative {
        return 0_i64.checked_sub_unsigned(total).ok_or_else(invalid);
    }
    i64::try_from(total).map_err(|_| invalid())
}

/// A fraction of a unit, cut off at a nanosecond.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "Go computes it so"
)]
fn part(fraction: &str, size: u64) -> u64 {
    let kept: String = fraction.chars().take(18).collect();
    let scale = 10_f64.powi(i32::try_from(kept.len()).unwrap_or(0));
    let digits: u64 = kept.parse().unwrap_or(0);
    (digits as f64 * (size as f64 / scale)) as u64
}

/// The largest unit of a duration alone: what `durationRound` gives.
pub fn rounded_text(nanoseconds: i64) -> String {
    const HOUR: u64 = 3_600 * SECOND;
    let units = [
        (HOUR * 24 * 365, "y"),
        (HOUR * 24 * 30, "mo"),
        (HOUR * 24, "d"),
        (HOUR, "h"),
        (60 * SECOND, "m"),
        (SECOND, "s"),
    ];
    let total = nanoseconds.unsigned_abs();
    let found = units.iter().find(|(size, _)| total > *size);
    found.map_or_else(|| "0s".to_owned(), |(size, name)| format!("{}{name}", total / size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_they_are_written() {
        for text in ["1h30m0.5s", "2m0s", "1.5ms", "3\u{b5}s", "7ns", "-1s", "0s"] {
            assert_eq!(duration_text(parse_duration(text).unwrap()), text);
        }
        assert_eq!(parse_duration("3").unwrap_err(), r#"time: missing unit in duration "3""#);
        assert_eq!(rounded_text(parse_duration("2400h5s").unwrap()), "3mo");
    }
}
