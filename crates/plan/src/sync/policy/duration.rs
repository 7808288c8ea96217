//! Durations as people write them in policies: `30`, `30s`, `1m30s`, `1.5h`.

use jiff::SignedDuration;

/// A text that is not a duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a duration; write 30, 30s, 2m or 1h30m")]
pub struct BadDuration {
    text: String,
}

/// Reads a duration in Go's form. A bare number means seconds.
pub fn read_duration(text: &str) -> Result<SignedDuration, BadDuration> {
    if let Ok(seconds) = text.parse::<i64>() {
        return Ok(SignedDuration::from_secs(seconds));
    }
    parts(text).ok_or_else(|| BadDuration { text: text.chars().take(40).collect() })
}

fn parts(text: &str) -> Option<SignedDuration> {
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest.is_empty() {
        return None;
    }
    let mut total = 0.0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at_checked(end)?;
        let unit_end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, next) = after.split_at_checked(unit_end)?;
        let seconds = match unit {
            "ns" => 1e-9,
            "us" | "µs" | "μs" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return None,
        };
        total += number.parse::<f64>().ok()? * seconds;
        rest = next;
    }
    SignedDuration::try_from_secs_f64(if negative { -total } else { total }).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_durations_and_bare_seconds() {
        let millis = |text| read_duration(text).map(|duration| duration.as_millis());
        assert_eq!(millis("5"), Ok(5_000));
        assert_eq!(millis("1m30s"), Ok(90_000));
        assert_eq!(millis("1.5h"), Ok(5_400_000));
        assert_eq!(millis("250ms"), Ok(250));
        assert_eq!(millis("-2s"), Ok(-2_000));
        for bad in ["", "-", "s", "5x", "5 s", "1m30", "..s", "1e400h"] {
            assert!(read_duration(bad).is_err(), "{bad:?}");
        }
    }
}
