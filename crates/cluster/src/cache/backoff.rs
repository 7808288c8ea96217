//! How long to wait before trying again.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::time::Duration;

/// 200 ms doubled with each failure in a row up to the longest pause, or what the server asks for if that is more. Up
/// to a quarter of it is left to chance, so that many do not come back together.
pub(super) fn pause(failures: u32, asked: Option<u64>, longest: Duration) -> Duration {
    let base = Duration::from_millis(200).saturating_mul(1 << failures.min(12)).min(longest);
    let base = base.max(Duration::from_secs(asked.unwrap_or(0).min(60)));
    base * (1024 - chance()) / 1024
}

/// At most `seconds` and at least three quarters of it, so that what began together does not end together.
pub(super) fn spread(seconds: u32) -> u32 {
    seconds - seconds * chance() / 1024
}

/// Any number below 256.
fn chance() -> u32 {
    u32::try_from(RandomState::new().build_hasher().finish() % 256).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_to_the_longest() {
        let longest = Duration::from_secs(20);
        for (failures, at_most) in [(0, 200), (3, 1600), (30, 20_000)] {
            let pause = pause(failures, None, longest);
            let at_most = Duration::from_millis(at_most);
            assert!(pause <= at_most && pause >= at_most * 3 / 4, "{failures}: {pause:?}");
        }
        assert!(pause(0, Some(4), longest) >= Duration::from_secs(3));
    }
}
