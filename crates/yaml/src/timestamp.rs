//! Which plain scalars YAML 1.1 takes for a point in time.
//!
//! They stay strings in JSON, but they must be quoted on the way out. The forms are those go-yaml knows:
//! `2006-1-2`, with a time behind `T` or `t` and a zone, or with a time behind spaces and no zone.

/// Whether go-yaml reads this text as a timestamp.
pub(crate) fn is_timestamp(text: &str) -> bool {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits != 4 || text.as_bytes().get(4) != Some(&b'-') {
        return false;
    }
    let mut reader = Reader(text.as_bytes());
    reader.date().is_some() && (reader.0.is_empty() || reader.time().is_some() && reader.0.is_empty())
}

struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn date(&mut self) -> Option<()> {
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
        (1..=days).contains(&day).then_some(())
    }

    fn time(&mut self) -> Option<()> {
        let zoned = match self.0.first()? {
            b'T' | b't' => true,
            b' ' => false,
            _ => return None,
        };
        self.skip(1);
        while !zoned && self.0.first() == Some(&b' ') {
            self.skip(1);
        }
        let hour = self.number()?;
        self.literal(b':')?;
        let minute = self.number()?;
        self.literal(b':')?;
        let second = self.number()?;
        if let [b'.' | b',', b'0'..=b'9', ..] = self.0 {
            self.skip(1);
            while self.digit().is_some() {}
        }
        if hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        if zoned { self.zone() } else { Some(()) }
    }

    fn zone(&mut self) -> Option<()> {
        match self.0.first()? {
            b'Z' => self.skip(1),
            b'+' | b'-' => {
                self.skip(1);
                let hours = self.digit()? * 10 + self.digit()?;
                self.literal(b':')?;
                let minutes = self.digit()? * 10 + self.digit()?;
                // Go allows 24 hours and 60 minutes, "as some people write them".
                if hours > 24 || minutes > 60 {
                    return None;
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn skip(&mut self, bytes: usize) {
        self.0 = self.0.get(bytes..).unwrap_or_default();
    }

    fn literal(&mut self, byte: u8) -> Option<()> {
        (self.0.first() == Some(&byte)).then(|| self.skip(1))
    }

    fn digit(&mut self) -> Option<u8> {
        let digit = self.0.first().filter(|byte| byte.is_ascii_digit()).map(|byte| byte - b'0')?;
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
    use super::is_timestamp;

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
}
