//! The outside world, as far as functions ask for it: the time, chance, and hosts.

use std::cell::RefCell;

/// Time, chance and hosts. Two runs with the same fixed environment give the same text.
pub struct Environment {
    /// Seconds since 1970 and nanoseconds.
    pub now: (i64, u32),
    chance: RefCell<Chance>,
    /// The name of the local zone.
    pub zone: String,
    /// The address of a host; without it every host is unknown.
    pub host: Option<fn(&str) -> Option<String>>,
}

enum Chance {
    /// From a seed: the same on every machine.
    Seeded(u64),
    /// From a source of the caller.
    Source(fn(&mut [u8])),
}

impl Environment {
    /// The same time and the same chance on every machine.
    pub fn fixed(now: (i64, u32), seed: u64) -> Self {
        Self { now, chance: RefCell::new(Chance::Seeded(seed)), zone: "UTC".to_owned(), host: None }
    }

    /// A time, and chance from the caller.
    pub fn with_random(now: (i64, u32), source: fn(&mut [u8])) -> Self {
        Self { now, chance: RefCell::new(Chance::Source(source)), zone: "UTC".to_owned(), host: None }
    }

    /// Fills bytes by chance.
    pub fn random(&self, bytes: &mut [u8]) {
        match &mut *self.chance.borrow_mut() {
            Chance::Source(source) => source(bytes),
            Chance::Seeded(state) => {
                for chunk in bytes.chunks_mut(8) {
                    let next = next(state).to_le_bytes();
                    chunk.iter_mut().zip(next).for_each(|(to, from)| *to = from);
                }
            }
        }
    }

    /// A number below a bound, each with the same chance; 0 for the bound 0.
    pub fn below(&self, bound: u64) -> u64 {
        let mut bytes = [0; 16];
        self.random(&mut bytes);
        let wide = u128::from_le_bytes(bytes) % u128::from(bound.max(1));
        u64::try_from(wide).unwrap_or(0)
    }
}

/// SplitMix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}
