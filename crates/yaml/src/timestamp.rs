//! Which plain scalars YAML 1.1 takes for a point in time.
//!
//! To go-yaml v2 they stay strings, but they must be quoted on the way out; v3 makes a time of them, which JSON
//! has in one form. The forms are those go-yaml knows:
//! `2006-1-2`, with a time behind `T` or `t` and a zone, or with a time behind spaces and no zone.

use std::fmt::Write as _;

/// Whether go-yaml reads this text as a timestamp.
pub(crate) fn is_timestamp(text: &str) -> bool {
    parse(text).is_some()
}

/// The timestamp as Go writes it into JSON: RFC 3339, no trailing zeros in the fraction.
pub(crate) fn rfc3339(text: &str) -> Option<String> {
    let Moment { date: [year, month, day], time: [hour, minute, second], fraction, zone } = parse(text)?;
    let mut written = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
    // Go knows nanoseconds.
    let fraction = fraction.get(..9).unwrap_or(fraction).trim_end_matches('0');
    if !fraction.is_empty() {
        written.push('.');
        written.push_str(fraction);
    }
    match zone {
        None | Some((_, 0, 0)) => written.push('Z'),
        // Go adds minutes up to hours where there are 60 of them.
        Some((sign, hours, minutes)) => {
            write!(written, "{sign}{:02}:{:02}", hours + minutes / 60, minutes % 60)
                .expect("writing to a String cannot fail");
        }
    }
    Some(written)
}

/// A timestamp in its parts.
struct Moment<'a> {
    date: [u32; 3],
    time: [u8; 3],
    fraction: &'a str,
    /// Sign, hours and minutes; none is UTC.
    zone: Option<(char, u8, u8)>,
}

fn parse(text: &str) -> Option<Moment<'_>> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits != 4 || text.as_bytes().get(4) != Some(&b'-') {
        return None;
    }
    let mut reader = Reader(text);
    let date = reader.date()?;
    let mut moment = Moment { date, time: [0; 3], fraction: "", zone: None };
    if !reader.0.is_empty() {
        reader.time(&mut moment)?;
    }
    reader.0.is_empty().then_some(moment)
}

struct Reader<'a>(&'a str);

impl<'a> Reader<'a> {
    fn date(&mut self) -> Option<[u32; 3]> {
        let mut year = 0;
        for _ in 0..4 {
            year = year * 10 + u32::from(self.digit()?);
        }
        self.literal(b'-')?;
        let month = self.number()?;
        self.literal(b'-')?;
        let day = self.number()?;
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 if leap => 29,
            2 => 28,
            _ => return None,
        };
        (1..=days).contains(&day).then_some([year, month.into(), day.into()])
    }

    fn time(&mut self, moment: &mut Moment<'a>) -> Option<()> {
        let zoned = match self.first()? {
            b'T' | b't' => true,
            b' ' => false,
            _ => return None,
        };
        self.skip(1);
        while !zoned && self.first() == Some(b' ') {
            self.skip(1);
        }
        let hour = self.number()?;
        self.literal(b':')?;
        let minute = self.number()?;
        self.literal(b':')?;
        let second = self.number()?;
        moment.time = [hour, minute, second];
        if let [b'.' | b',', b'0'..=b'9', ..] = self.0.as_bytes() {
            self.skip(1);
            let rest = self.0;
            while self.digit().is_some() {}
            moment.fraction = rest.get(..rest.len() - self.0.len()).unwrap_or_default();
        }
        if hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        if zoned { self.zone(moment) } else { Some(()) }
    }

    fn zone(&mut self, moment: &mut Moment<'a>) -> Option<()> {
        match self.first()? {
            b'Z' => self.skip(1),
            sign @ (b'+' | b'-') => {
                self.skip(1);
                let hours = self.digit()? * 10 + self.digit()?;
                self.literal(b':')?;
                let minutes = self.digit()? * 10 + self.digit()?;
                // Go allows 24 hours and 60 minutes, "as some people write them".
                if hours > 24 || minutes > 60 {
                    return None;
                }
                moment.zone = Some((char::from(sign), hours, minutes));
            }
            _ => return None,
        }
        Some(())
    }

    fn first(&self) -> Option<u8> {
        self.0.as_bytes().first().copied()
    }

    fn skip(&mut self, bytes: usize) {
        self.0 = self.0.get(bytes..).unwrap_or_default();
    }

    fn literal(&mut self, byte: u8) -> Option<()> {
        (self.first() == Some(byte)).then(|| self.skip(1))
    }

    fn digit(&mut self) -> Option<u8> {
        let digit = self.first().filter(u8::is_ascii_digit).map(|byte| byte - b'0')?;
        self.skip(1);
        Some(digit)
    }

    /// One digit or two.
    fn number(&mut self) -> Option<u8> {
        let first = self.digit()?;
        Some(self.digit().map_or(first, |second| first * 10 + second))
    }
}

#[cfg(test)]
mod tests {
    use super::{is_timestamp, rfc3339};

    #[test]
    fn forms() {
        for yes in [
            "2001-01-01",
            "2001-1-1",
            "2024-02-29",
            "2001-12-14t21:59:43.10-05:00",
            "2001-12-14T1:2:3Z",
            "2001-12-14   21:59:43.1",
            "2001-12-14T21:59:43,5+24:60",
        ] {
            assert!(is_timestamp(yes), "{yes}");
        }
        for no in [
            "2001-13-01",
            "2023-02-29",
            "2001-01-01T10:00:00",
            "2001-01-01 10:00:00Z",
            "2001-01-01T24:00:00Z",
            "20010-1-1",
            "201-01-01",
            "2001-01",
            "2001-01-01 ",
            "2001-01-011",
        ] {
            assert!(!is_timestamp(no), "{no}");
        }
    }

    #[test]
    fn written_for_json() {
        for (text, written) in [
            ("2001-1-1", "2001-01-01T00:00:00Z"),
            ("2001-12-14t21:59:43.10-05:00", "2001-12-14T21:59:43.1-05:00"),
            ("2001-12-14 21:59:43.12345678999", "2001-12-14T21:59:43.123456789Z"),
            ("2001-12-14T1:2:3+00:00", "2001-12-14T01:02:03Z"),
            ("2001-12-14T1:2:3+05:60", "2001-12-14T01:02:03+06:00"),
        ] {
            assert_eq!(rfc3339(text).as_deref(), Some(written), "{text}");
        }
    }
}
