//! Go's time: instants in a zone, layouts, durations.
//!
//! In: seconds since 1970, names of zones, texts in a layout. Out: [`Time`], which templates see as `time.Time`. Zones
//! come from the table that is built in; never asks the clock.

mod duration;
mod layout;
mod object;
mod parse;
mod write;

use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};

pub use duration::{duration_text, parse_duration, rounded_text};
pub use object::of;
pub use parse::parse;

pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
pub const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// An instant, in a zone.
#[derive(Clone, Debug)]
pub struct Time {
    pub seconds: i64,
    pub nanos: u32,
    zone: Zone,
}

/// A zone: of the table, or an offset with a name.
#[derive(Clone, Debug)]
pub enum Zone {
    Known(TimeZone),
    Fixed(String, i32),
}

/// A day and a time of day, as people write it.
#[derive(Clone, Copy, Debug)]
pub struct Civil {
    pub year: i64,
    pub month: i64,
    pub day: i64,
    pub hour: i64,
    pub minute: i64,
    pub second: i64,
}

/// Go's zero time: the year 1.
pub const ZERO: i64 = -62_135_596_800;

impl Zone {
    pub fn utc() -> Self {
        Zone::Known(TimeZone::UTC)
    }

    /// A zone of the table; none when there is no such name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "" | "UTC" => Some(Self::utc()),
            other => TimeZone::get(other).ok().map(Zone::Known),
        }
    }

    /// The offset at an instant in seconds, and the zone's name then.
    fn at(&self, seconds: i64) -> (i32, String) {
        match self {
            Zone::Fixed(name, offset) => (*offset, name.clone()),
            Zone::Known(zone) => {
                let at = Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH);
                let info = zone.to_offset_info(at);
                (info.offset().seconds(), info.abbreviation().to_owned())
            }
        }
    }

    /// The offset that a time of day has in the zone.
    fn offset_of(&self, local_seconds: i64) -> i32 {
        // As Go guesses: with the offset at the time taken for UTC, then with the one that this leads to.
        let first = self.at(local_seconds).0;
        let second = self.at(local_seconds - i64::from(first)).0;
        if first == second { first } else { self.at(local_seconds - i64::from(second)).0 }
    }
}

impl Time {
    pub fn new(seconds: i64, nanos: u32, zone: Zone) -> Self {
        Self { seconds, nanos, zone }
    }

    #[must_use]
    pub fn within(&self, zone: Zone) -> Self {
        Self { zone, ..self.clone() }
    }

    pub fn is_zero(&self) -> bool {
        self.seconds == ZERO && self.nanos == 0
    }

    pub fn offset(&self) -> i32 {
        self.zone.at(self.seconds).0
    }

    pub fn zone_name(&self) -> String {
        self.zone.at(self.seconds).1
    }

    pub fn civil(&self) -> Civil {
        civil(self.seconds + i64::from(self.offset()))
    }

    /// Days since 1970 in its own zone.
    pub fn day_number(&self) -> i64 {
        (self.seconds + i64::from(self.offset())).div_euclid(86_400)
    }

    /// From 0 for Sunday.
    pub fn weekday(&self) -> usize {
        usize::try_from((self.day_number() + 4).rem_euclid(7)).unwrap_or(0)
    }

    pub fn year_day(&self) -> i64 {
        self.day_number() - days_from_civil(self.civil().year, 1, 1) + 1
    }

    /// Later or earlier by nanoseconds.
    #[must_use]
    pub fn plus(&self, nanoseconds: i64) -> Self {
        let total = i64::from(self.nanos) + nanoseconds.rem_euclid(1_000_000_000);
        let seconds = self.seconds + nanoseconds.div_euclid(1_000_000_000) + total / 1_000_000_000;
        let nanos = u32::try_from(total % 1_000_000_000).unwrap_or(0);
        Self { seconds, nanos, zone: self.zone.clone() }
    }

    /// A day and time of day in a zone; what is out of range is carried over.
    pub fn of_civil(civil: Civil, nanos: u32, zone: Zone) -> Self {
        let months = civil.month - 1;
        let year = civil.year + months.div_euclid(12);
        let days = days_from_civil(year, months.rem_euclid(12) + 1, 1) + civil.day - 1;
        let local = days * 86_400 + civil.hour * 3600 + civil.minute * 60 + civil.second;
        let offset = zone.offset_of(local);
        Self { seconds: local - i64::from(offset), nanos, zone }
    }

    /// Nanoseconds from another instant to this one, within what Go can count.
    pub fn since(&self, other: &Time) -> i64 {
        let seconds = i128::from(self.seconds) - i128::from(other.seconds);
        let nanos = i128::from(self.nanos) - i128::from(other.nanos);
        let total = seconds * 1_000_000_000 + nanos;
        i64::try_from(total).unwrap_or(if total < 0 { i64::MIN } else { i64::MAX })
    }
}

/// Text in quotes as this package of Go writes it: what is not printed ASCII is bytes.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            b' '..=0x7f => out.push(char::from(byte)),
            other => out.extend(format!("\\x{other:02x}").chars()),
        }
    }
    out.push('"');
    out
}

/// A fixed offset that has no name.
pub fn fixed(offset: i32) -> Zone {
    match Offset::from_seconds(offset) {
        Ok(_) => Zone::Fixed(String::new(), offset),
        Err(_) => Zone::utc(),
    }
}

fn civil(seconds: i64) -> Civil {
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil_from_days(days);
    Civil { year, month, day, hour: rest / 3600, minute: rest / 60 % 60, second: rest % 60 }
}

/// Days since 1970 of a date of the Gregorian calendar.
pub fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_are_the_same() {
        for days in (-800_000..800_000).step_by(997) {
            let (year, month, day) = civil_from_days(days);
            assert_eq!(days_from_civil(year, month, day), days);
        }
        assert_eq!(civil_from_days(0), (1970, 1, 1));
    }

    #[test]
    fn a_layout_writes_and_reads() {
        let time = Time::new(1_700_000_000, 123_000_000, Zone::named("Europe/Berlin").unwrap());
        let layout = "Mon Jan _2 15:04:05.000 MST 2006 -07:00 PM 002";
        let text = time.format(layout);
        assert_eq!(text, "Tue Nov 14 23:13:20.123 CET 2023 +01:00 PM 318");
        let read = parse("2006-01-02T15:04:05Z07:00", "2023-11-14T23:13:20+01:00", &Zone::utc()).unwrap();
        assert_eq!(read.seconds, 1_700_000_000);
        let error = parse("2006-01-02", "2023-13-01", &Zone::utc()).unwrap_err();
        assert_eq!(error, r#"parsing time "2023-13-01": month out of range"#);
    }
}
