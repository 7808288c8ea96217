//! Numbers for people.

use std::time::Duration;

/// So many per second.
pub fn rate_of(count: usize, time: Duration) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX)) / time.as_secs_f64()
}

/// How many times faster the second is than the first.
pub fn ratio(slow: Duration, fast: Duration) -> f64 {
    round3(slow.as_secs_f64() / fast.as_secs_f64())
}

pub fn round3(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    let middle = times.len() / 2;
    let at = |index: usize| times.get(index).copied().unwrap_or_default();
    if times.len() % 2 == 1 { at(middle) } else { (at(middle.saturating_sub(1)) + at(middle)) / 2 }
}

/// A percentile in milliseconds.
pub fn at(times: &[Duration], percent: usize) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let place = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
    round3(sorted.get(place).map_or(f64::NAN, |time| time.as_secs_f64() * 1000.0))
}
