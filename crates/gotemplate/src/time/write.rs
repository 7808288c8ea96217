//! Times as text.

use super::layout::{Part, next};
use super::{DAYS, MONTHS, Time};

impl Time {
    /// In a layout.
    pub fn format(&self, layout: &str) -> String {
        let mut out = String::new();
        let mut rest = layout;
        loop {
            let (before, part, behind) = next(rest);
            out.push_str(before);
            let Some((part, _)) = part else { return out };
            out.push_str(&self.part(part));
            rest = behind;
        }
    }

    /// As Go's `String` has it.
    pub fn to_text(&self) -> String {
        self.format("2006-01-02 15:04:05.999999999 -0700 MST")
    }

    fn part(&self, part: Part) -> String {
        let civil = self.civil();
        let month = usize::try_from(civil.month - 1).ok().and_then(|index| MONTHS.get(index)).unwrap_or(&"");
        let weekday = DAYS.get(self.weekday()).unwrap_or(&"");
        let short = |name: &str| name.get(..3).unwrap_or_default().to_owned();
        let hour12 = if civil.hour % 12 == 0 { 12 } else { civil.hour % 12 };
        match part {
            Part::LongMonth => (*month).to_owned(),
            Part::Month => short(month),
            Part::NumMonth => civil.month.to_string(),
            Part::ZeroMonth => format!("{:02}", civil.month),
            Part::LongWeekDay => (*weekday).to_owned(),
            Part::WeekDay => short(weekday),
            Part::Day => civil.day.to_string(),
            Part::UnderDay => format!("{:2}", civil.day),
            Part::ZeroDay => format!("{:02}", civil.day),
            Part::UnderYearDay => format!("{:3}", self.year_day()),
            Part::ZeroYearDay => format!("{:03}", self.year_day()),
            Part::Hour => format!("{:02}", civil.hour),
            Part::Hour12 => hour12.to_string(),
            Part::ZeroHour12 => format!("{hour12:02}"),
            Part::Minute => civil.minute.to_string(),
            Part::ZeroMinute => format!("{:02}", civil.minute),
            Part::Second => civil.second.to_string(),
            Part::ZeroSecond => format!("{:02}", civil.second),
            Part::LongYear if civil.year < 0 => format!("-{:04}", civil.year.unsigned_abs()),
            Part::LongYear => format!("{:04}", civil.year),
            Part::Year => format!("{:02}", civil.year.rem_euclid(100)),
            Part::UpperPm => if civil.hour >= 12 { "PM" } else { "AM" }.to_owned(),
            Part::LowerPm => if civil.hour >= 12 { "pm" } else { "am" }.to_owned(),
            Part::ZoneName => self.zone_or_offset(),
            Part::Offset(z, colons, parts) => self.offset_text(z, colons, parts),
            Part::Fraction(separator, digits) => {
                format!("{separator}{}", fraction(self.nanos, digits))
            }
            Part::ShortFraction(separator, digits) => {
                let fraction = fraction(self.nanos, digits);
                match fraction.trim_end_matches('0') {
                    "" => String::new(),
                    kept => format!("{separator}{kept}"),
                }
            }
        }
    }

    fn zone_or_offset(&self) -> String {
        let name = self.zone_name();
        if !name.is_empty() {
            return name;
        }
        let minutes = self.offset() / 60;
        let sign = if minutes < 0 { '-' } else { '+' };
        let minutes = minutes.abs();
        format!("{sign}{:02}{:02}", minutes / 60, minutes % 60)
    }

    fn offset_text(&self, z: bool, colons: bool, parts: u8) -> String {
        let offset = self.offset();
        if z && offset == 0 {
            return "Z".to_owned();
        }
        let sign = if offset < 0 { '-' } else { '+' };
        let offset = offset.abs();
        let colon = if colons { ":" } else { "" };
        let (hours, minutes, seconds) = (offset / 3600, offset / 60 % 60, offset % 60);
        match parts {
            1 => format!("{sign}{hours:02}"),
            2 => format!("{sign}{hours:02}{colon}{minutes:02}"),
            _ => format!("{sign}{hours:02}{colon}{minutes:02}{colon}{seconds:02}"),
        }
    }
}

/// The first digits of the nanoseconds; zeros beyond the ninth.
fn fraction(nanos: u32, digits: usize) -> String {
    let all = format!("{nanos:09}");
    format!("{all:0<digits$}").chars().take(digits).collect()
}
