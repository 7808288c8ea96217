//! Self-healing: drift is put right at once, and ever later while the repair does not hold.

use jiff::{SignedDuration, Timestamp};

const FIRST: i64 = 2;
const FACTOR: i64 = 3;
const LONGEST: i64 = 300;

/// The pause before the repair that follows `attempts` repairs of the same revision: 0, 2, 6, 18, 54, 162, 300 s.
pub fn heal_delay(attempts: u32) -> SignedDuration {
    let mut seconds = if attempts == 0 { 0 } else { FIRST };
    for _ in 1..attempts.min(10) {
        seconds = (seconds * FACTOR).min(LONGEST);
    }
    SignedDuration::from_secs(seconds)
}

/// How much of that pause is left, counted from the end of the last operation.
pub fn heal_remaining(attempts: u32, finished: Option<Timestamp>, now: Timestamp) -> SignedDuration {
    let passed = finished.map_or(SignedDuration::ZERO, |finished| now.duration_since(finished));
    heal_delay(attempts).saturating_sub(passed).max(SignedDuration::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repairs_that_do_not_hold_come_ever_later() {
        let delays: Vec<_> = (0..9).map(|attempts| heal_delay(attempts).as_secs()).collect();
        assert_eq!(delays, [0, 2, 6, 18, 54, 162, 300, 300, 300]);
        assert_eq!(heal_delay(u32::MAX).as_secs(), 300);
    }

    #[test]
    fn the_pause_counts_from_the_end_of_the_last_operation() {
        let second = |second| Timestamp::from_second(second).unwrap();
        assert_eq!(heal_remaining(3, Some(second(100)), second(110)).as_secs(), 8);
        assert_eq!(heal_remaining(3, Some(second(100)), second(200)).as_secs(), 0);
        assert_eq!(heal_remaining(3, None, second(200)).as_secs(), 18);
    }
}
