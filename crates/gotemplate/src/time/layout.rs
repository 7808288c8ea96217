//! Layouts: the date Mon Jan 2 15:04:05 MST 2006 as somebody would write it.

/// A part of a layout that stands for something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    LongMonth,
    Month,
    NumMonth,
    ZeroMonth,
    LongWeekDay,
    WeekDay,
    Day,
    UnderDay,
    ZeroDay,
    UnderYearDay,
    ZeroYearDay,
    Hour,
    Hour12,
    ZeroHour12,
    Minute,
    ZeroMinute,
    Second,
    ZeroSecond,
    LongYear,
    Year,
    UpperPm,
    LowerPm,
    ZoneName,
    /// Whether UTC is `Z`, whether there are colons, and how many of hours, minutes and seconds there are.
    Offset(bool, bool, u8),
    /// Digits behind the second with their separator: always so many.
    Fraction(char, usize),
    /// The same without zeros at the end.
    ShortFraction(char, usize),
}

/// Longer ones first.
const FIXED: &[(&str, Part)] = &[
    ("January", Part::LongMonth),
    ("Monday", Part::LongWeekDay),
    ("MST", Part::ZoneName),
    ("002", Part::ZeroYearDay),
    ("01", Part::ZeroMonth),
    ("02", Part::ZeroDay),
    ("03", Part::ZeroHour12),
    ("04", Part::ZeroMinute),
    ("05", Part::ZeroSecond),
    ("06", Part::Year),
    ("15", Part::Hour),
    ("1", Part::NumMonth),
    ("2006", Part::LongYear),
    ("2", Part::Day),
    ("__2", Part::UnderYearDay),
    ("_2", Part::UnderDay),
    ("3", Part::Hour12),
    ("4", Part::Minute),
    ("5", Part::Second),
    ("PM", Part::UpperPm),
    ("pm", Part::LowerPm),
    ("-070000", Part::Offset(false, false, 3)),
    ("-07:00:00", Part::Offset(false, true, 3)),
    ("-0700", Part::Offset(false, false, 2)),
    ("-07:00", Part::Offset(false, true, 2)),
    ("-07", Part::Offset(false, false, 1)),
    ("Z070000", Part::Offset(true, false, 3)),
    ("Z07:00:00", Part::Offset(true, true, 3)),
    ("Z0700", Part::Offset(true, false, 2)),
    ("Z07:00", Part::Offset(true, true, 2)),
    ("Z07", Part::Offset(true, false, 1)),
];

/// The text before the first part, the part as written, and the rest.
pub fn next(layout: &str) -> (&str, Option<(Part, &str)>, &str) {
    for (at, character) in layout.char_indices() {
        let rest = layout.get(at..).unwrap_or_default();
        if let Some((part, width)) = part_at(rest, character) {
            // The underscore of `_2006` is text.
            let at = if rest.starts_with("_2006") { at + 1 } else { at };
            let before = layout.get(..at).unwrap_or_default();
            let written = layout.get(at..at + width).unwrap_or_default();
            return (before, Some((part, written)), layout.get(at + width..).unwrap_or_default());
        }
    }
    (layout, None, "")
}

fn part_at(rest: &str, first: char) -> Option<(Part, usize)> {
    if rest.starts_with("_2006") {
        return Some((Part::LongYear, 4));
    }
    if let Some((written, part)) = FIXED.iter().find(|(written, _)| rest.starts_with(written)) {
        return Some((*part, written.len()));
    }
    let lower_follows = rest.as_bytes().get(3).is_some_and(u8::is_ascii_lowercase);
    match first {
        'J' if rest.starts_with("Jan") && !lower_follows => Some((Part::Month, 3)),
        'M' if rest.starts_with("Mon") && !lower_follows => Some((Part::WeekDay, 3)),
        '.' | ',' => {
            let digit = *rest.as_bytes().get(1).filter(|digit| matches!(digit, b'0' | b'9'))?;
            let count = rest.bytes().skip(1).take_while(|byte| *byte == digit).count();
            if rest.as_bytes().get(1 + count).is_some_and(u8::is_ascii_digit) {
                return None;
            }
            let part =
                if digit == b'0' { Part::Fraction(first, count) } else { Part::ShortFraction(first, count) };
            Some((part, 1 + count))
        }
        _ => None,
    }
}
