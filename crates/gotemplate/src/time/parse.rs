//! Text in a layout to a time; the errors are Go's.

use super::layout::{Part, next};
use super::{Civil, DAYS, MONTHS, Time, Zone, days_from_civil, fixed, quoted};

/// What was read so far.
#[derive(Default)]
struct Read {
    year: i64,
    month: Option<i64>,
    day: Option<i64>,
    year_day: Option<i64>,
    hour: i64,
    minute: i64,
    second: i64,
    nanos: u32,
    pm: Option<bool>,
    utc: bool,
    offset: Option<i32>,
    zone: String,
}

/// Why a part could not be read.
enum Wrong {
    /// It is not there.
    Bad,
    /// It is, but out of range.
    Range(&'static str),
}

/// Reads a text in a layout; without a zone of its own it is in the given one.
pub fn parse(layout: &str, text: &str, zone: &Zone) -> Result<Time, String> {
    let cannot = |part: &str, rest: &str| {
        let (text, layout) = (quoted(text), quoted(layout));
        format!("parsing time {text} as {layout}: cannot parse {} as {}", quoted(rest), quoted(part))
    };
    let mut read = Read::default();
    let (mut format, mut rest) = (layout, text);
    loop {
        let (before, part, behind) = next(format);
        rest = skip(rest, before).map_err(|rest| cannot(before, rest))?;
        let Some((part, written)) = part else {
            if rest.is_empty() {
                break;
            }
            return Err(format!("parsing time {}: extra text: {}", quoted(text), quoted(rest)));
        };
        format = behind;
        let hold = rest;
        rest = match read.part(part, rest, next(format)) {
            Ok(rest) => rest,
            Err(Wrong::Bad) => return Err(cannot(written, hold)),
            Err(Wrong::Range(what)) => {
                return Err(format!("parsing time {}: {what} out of range", quoted(text)));
            }
        };
    }
    read.time(zone).map_err(|what| format!("parsing time {}: {what} out of range", quoted(text)))
}

/// The text behind what the layout has as plain text; any number of spaces is one.
fn skip<'t>(mut text: &'t str, plain: &str) -> Result<&'t str, &'t str> {
    let mut plain = plain;
    while let Some(first) = plain.chars().next() {
        if first == ' ' {
            if !text.is_empty() && !text.starts_with(' ') {
                return Err(text);
            }
            plain = plain.trim_start_matches(' ');
            text = text.trim_start_matches(' ');
            continue;
        }
        text = text.strip_prefix(first).ok_or(text)?;
        plain = plain.get(first.len_utf8()..).unwrap_or_default();
    }
    Ok(text)
}

type Taken<'t> = Result<(i64, &'t str), Wrong>;

/// One or two digits; two when they must be.
fn digits(text: &str, two: bool) -> Taken<'_> {
    let count = text.bytes().take(2).take_while(u8::is_ascii_digit).count();
    if count == 0 || two && count < 2 {
        return Err(Wrong::Bad);
    }
    take(text, count)
}

fn take(text: &str, count: usize) -> Taken<'_> {
    let (digits, rest) = text.split_at_checked(count).ok_or(Wrong::Bad)?;
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Wrong::Bad);
    }
    digits.parse().map(|number| (number, rest)).map_err(|_| Wrong::Bad)
}

fn within<'t>(taken: Taken<'t>, range: std::ops::Range<i64>, what: &'static str) -> Taken<'t> {
    let (number, rest) = taken?;
    if range.contains(&number) { Ok((number, rest)) } else { Err(Wrong::Range(what)) }
}

/// A name of a list, whatever its case.
fn name<'t>(text: &'t str, names: &[&str], short: bool) -> Taken<'t> {
    for (index, name) in names.iter().enumerate() {
        let name = if short { name.get(..3).unwrap_or(name) } else { name };
        if text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name)) {
            let index = i64::try_from(index).unwrap_or(0);
            return Ok((index, text.get(name.len()..).unwrap_or_default()));
        }
    }
    Err(Wrong::Bad)
}

impl Read {
    fn part<'t>(
        &mut self,
        part: Part,
        text: &'t str,
        following: (&str, Option<(Part, &str)>, &str),
    ) -> Result<&'t str, Wrong> {
        let spaceless = || text.strip_prefix(' ').unwrap_or(text);
        let (number, rest) = match part {
            Part::Year => {
                let (year, rest) = digits(text, true)?;
                (if year >= 69 { year + 1900 } else { year + 2000 }, rest)
            }
            Part::LongYear => take(text, 4)?,
            Part::Month => name(text, &MONTHS, true)?,
            Part::LongMonth => name(text, &MONTHS, false)?,
            Part::NumMonth | Part::ZeroMonth => {
                within(digits(text, part == Part::ZeroMonth), 1..13, "month")?
            }
            Part::WeekDay => name(text, &DAYS, true)?,
            Part::LongWeekDay => name(text, &DAYS, false)?,
            Part::Day => digits(text, false)?,
            Part::UnderDay => digits(spaceless(), false)?,
            Part::ZeroDay => digits(text, true)?,
            Part::UnderYearDay => {
                let trimmed =
                    text.get(..2).map_or(0, |start| start.len() - start.trim_start_matches(' ').len());
                take(text.get(trimmed..).unwrap_or_default(), 3 - trimmed)?
            }
            Part::ZeroYearDay => take(text, 3)?,
            Part::Hour => within(digits(text, false), 0..24, "hour")?,
            Part::Hour12 | Part::ZeroHour12 => within(digits(text, part == Part::ZeroHour12), 0..13, "hour")?,
            Part::Minute | Part::ZeroMinute => {
                within(digits(text, part == Part::ZeroMinute), 0..60, "minute")?
            }
            Part::Second | Part::ZeroSecond => {
                within(digits(text, part == Part::ZeroSecond), 0..60, "second")?
            }
            Part::UpperPm | Part::LowerPm => {
                let (am, pm) = if part == Part::UpperPm { ("AM", "PM") } else { ("am", "pm") };
                let is_pm = text.starts_with(pm);
                if !is_pm && !text.starts_with(am) {
                    return Err(Wrong::Bad);
                }
                (i64::from(is_pm), text.get(2..).unwrap_or_default())
            }
            Part::ZoneName => return self.zone_name(text),
            Part::Offset(z, colons, parts) => return self.offset(text, z, colons, parts),
            Part::Fraction(_, count) => {
                let (digits, rest) = text.split_at_checked(count + 1).ok_or(Wrong::Bad)?;
                self.fraction(digits)?;
                return Ok(rest);
            }
            Part::ShortFraction(..) => {
                let fraction = fraction_width(text);
                let (digits, rest) = text.split_at_checked(fraction).ok_or(Wrong::Bad)?;
                if fraction > 0 {
                    self.fraction(digits)?;
                }
                return Ok(rest);
            }
        };
        self.set(part, number);
        // A fraction may follow the seconds though the layout has none.
        let seconds = matches!(part, Part::Second | Part::ZeroSecond);
        let expects = matches!(following.1, Some((Part::Fraction(..) | Part::ShortFraction(..), _)))
            && following.0.is_empty();
        if seconds && !expects {
            let width = fraction_width(rest);
            if width > 0 {
                let (digits, behind) = rest.split_at_checked(width).ok_or(Wrong::Bad)?;
                self.fraction(digits)?;
                return Ok(behind);
            }
        }
        Ok(rest)
    }

    fn set(&mut self, part: Part, number: i64) {
        match part {
            Part::Year | Part::LongYear => self.year = number,
            Part::Month | Part::LongMonth => self.month = Some(number + 1),
            Part::NumMonth | Part::ZeroMonth => self.month = Some(number),
            Part::Day | Part::UnderDay | Part::ZeroDay => self.day = Some(number),
            Part::UnderYearDay | Part::ZeroYearDay => self.year_day = Some(number),
            Part::Hour | Part::Hour12 | Part::ZeroHour12 => self.hour = number,
            Part::Minute | Part::ZeroMinute => self.minute = number,
            Part::Second | Part::ZeroSecond => self.second = number,
            Part::UpperPm | Part::LowerPm => self.pm = Some(number == 1),
            _ => {}
        }
    }

    fn fraction(&mut self, text: &str) -> Result<(), Wrong> {
        let digits = text.strip_prefix(['.', ',']).ok_or(Wrong::Bad)?;
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Wrong::Bad);
        }
        let nine: String = format!("{digits:0<9}").chars().take(9).collect();
        self.nanos = nine.parse().map_err(|_| Wrong::Bad)?;
        Ok(())
    }

    fn zone_name<'t>(&mut self, text: &'t str) -> Result<&'t str, Wrong> {
        if let Some(rest) = text.strip_prefix("UTC") {
            self.utc = true;
            return Ok(rest);
        }
        let upper = text.bytes().take_while(u8::is_ascii_uppercase).count();
        let width = match upper {
            3 => 3,
            4 if text.as_bytes().get(3) == Some(&b'T') || text.starts_with("WITA") => 4,
            5 if text.as_bytes().get(4) == Some(&b'T') => 5,
            _ if text.starts_with(['+', '-']) => {
                text.bytes().skip(1).take_while(u8::is_ascii_digit).count() + 1
            }
            _ => return Err(Wrong::Bad),
        };
        let (name, rest) = text.split_at_checked(width).ok_or(Wrong::Bad)?;
        name.clone_into(&mut self.zone);
        Ok(rest)
    }

    fn offset<'t>(&mut self, text: &'t str, z: bool, colons: bool, parts: u8) -> Result<&'t str, Wrong> {
        if z && let Some(rest) = text.strip_prefix('Z') {
            self.utc = true;
            return Ok(rest);
        }
        let sign = if text.starts_with('+') {
            1
        } else if text.starts_with('-') {
            -1
        } else {
            return Err(Wrong::Bad);
        };
        let mut rest = text.get(1..).unwrap_or_default();
        let mut total = 0;
        for (index, unit) in [3600, 60, 1].into_iter().take(usize::from(parts)).enumerate() {
            if index > 0 && colons {
                rest = rest.strip_prefix(':').ok_or(Wrong::Bad)?;
            }
            let (number, behind) = take(rest, 2)?;
            let (limit, what) =
                if index == 0 { (25, "time zone offset hour") } else { (61, "time zone offset minute") };
            if number >= limit {
                return Err(Wrong::Range(what));
            }
            total += number * unit;
            rest = behind;
        }
        self.offset = Some(sign * i32::try_from(total).map_err(|_| Wrong::Bad)?);
        Ok(rest)
    }

    fn time(self, zone: &Zone) -> Result<Time, &'static str> {
        let hour = match self.pm {
            Some(true) if self.hour < 12 => self.hour + 12,
            Some(false) if self.hour == 12 => 0,
            _ => self.hour,
        };
        let leap = i64::from(self.year % 4 == 0 && (self.year % 100 != 0 || self.year % 400 == 0));
        let (mut month, mut day) = (self.month.unwrap_or(1), self.day.unwrap_or(1));
        if let Some(year_day) = self.year_day {
            if !(1..=365 + leap).contains(&year_day) {
                return Err("day-of-year");
            }
            if self.month.is_none() {
                (month, day) = (1, year_day);
            }
        } else {
            let next = if month == 12 { (self.year + 1, 1) } else { (self.year, month + 1) };
            let length = days_from_civil(next.0, next.1, 1) - days_from_civil(self.year, month, 1);
            if !(1..=length).contains(&day) {
                return Err("day");
            }
        }
        let civil = Civil { year: self.year, month, day, hour, minute: self.minute, second: self.second };
        let utc = Time::of_civil(civil, self.nanos, Zone::utc());
        if self.utc {
            return Ok(utc);
        }
        if let Some(offset) = self.offset {
            let seconds = utc.seconds - i64::from(offset);
            // The local zone is taken where it has that offset then.
            let (local, name) = zone.at(seconds);
            let same = local == offset && (self.zone.is_empty() || name == self.zone);
            let fixed_zone =
                if self.zone.is_empty() { fixed(offset) } else { Zone::Fixed(self.zone, offset) };
            return Ok(Time::new(seconds, self.nanos, if same { zone.clone() } else { fixed_zone }));
        }
        if !self.zone.is_empty() {
            let local = Time::of_civil(civil, self.nanos, zone.clone());
            if local.zone_name() == self.zone {
                return Ok(local);
            }
            return Ok(Time::new(utc.seconds, self.nanos, Zone::Fixed(self.zone, 0)));
        }
        Ok(Time::of_civil(civil, self.nanos, zone.clone()))
    }
}

/// How wide a fraction at the start is, with its separator.
fn fraction_width(text: &str) -> usize {
    if !text.starts_with(['.', ',']) {
        return 0;
    }
    match text.bytes().skip(1).take_while(u8::is_ascii_digit).count() {
        0 => 0,
        digits => digits + 1,
    }
}
