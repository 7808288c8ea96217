//! The two functions of `os` that scripts may use, at the time that the caller says it is.
//!
//! Local time is UTC here: an answer must not depend on where it was computed.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use mlua::{Error, Lua, MultiValue, Result, Table, Value};

/// `os.time([table])`: seconds since 1970.
pub(super) fn time(now: Timestamp, fields: Option<&Table>) -> Result<i64> {
    let Some(fields) = fields else { return Ok(now.as_second()) };
    let field = |name: &str, default: i64| -> Result<i64> {
        Ok(fields.raw_get::<Option<i64>>(name)?.unwrap_or(default))
    };
    let (year, month) = (field("year", -1)?, field("month", -1)?);
    let day = field("day", -1)?;
    let seconds = field("hour", 12)?
        .checked_mul(3600)
        .zip(field("min", 0)?.checked_mul(60))
        .and_then(|(hours, minutes)| hours.checked_add(minutes)?.checked_add(field("sec", 0).ok()?));
    // Days and months beyond their range carry over.
    let months = year.checked_mul(12).and_then(|months| months.checked_add(month - 1));
    let start = months.and_then(|months| {
        let year = i16::try_from(months.div_euclid(12)).ok()?;
        let month = i8::try_from(months.rem_euclid(12) + 1).ok()?;
        let first = Date::new(year, month, 1).ok()?;
        Some(TimeZone::UTC.to_timestamp(first.to_datetime(Time::midnight())).ok()?.as_second())
    });
    let days = day.checked_sub(1).and_then(|days| days.checked_mul(86_400));
    let total = start.zip(days).zip(seconds);
    let total = total.and_then(|((start, days), seconds)| start.checked_add(days)?.checked_add(seconds));
    total.ok_or_else(|| Error::runtime("the time is out of range"))
}

/// `os.date([format [, time]])`.
pub(super) fn date(lua: &Lua, now: Timestamp, arguments: &MultiValue) -> Result<Value> {
    let format = match arguments.front() {
        None | Some(Value::Nil) => "%c".to_owned(),
        Some(Value::String(format)) => format.to_string_lossy(),
        Some(other) => return Err(Error::runtime(format!("os.date: a {} is no format", other.type_name()))),
    };
    let at = match arguments.get(1) {
        None | Some(Value::Nil) => now,
        Some(value) => {
            let seconds = value.as_i64().or_else(|| {
                #[expect(clippy::cast_possible_truncation, reason = "a fraction of a second does not count")]
                value.as_f64().map(|seconds| seconds as i64)
            });
            let time = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
            time.ok_or_else(|| Error::runtime("os.date: the time is out of range"))?
        }
    };
    let at = TimeZone::UTC.to_datetime(at);
    let format = format.trim_start_matches('!');
    if format.starts_with("*t") {
        return Ok(Value::Table(table(lua, at)?));
    }
    Ok(Value::String(lua.create_string(formatted(at, format))?))
}

fn table(lua: &Lua, at: DateTime) -> Result<Table> {
    let table = lua.create_table()?;
    table.raw_set("year", at.year())?;
    table.raw_set("month", at.month())?;
    table.raw_set("day", at.day())?;
    table.raw_set("hour", at.hour())?;
    table.raw_set("min", at.minute())?;
    table.raw_set("sec", at.second())?;
    table.raw_set("wday", at.weekday().to_sunday_one_offset())?;
    table.raw_set("yday", at.day_of_year())?;
    table.raw_set("isdst", false)?;
    Ok(table)
}

/// The directives that Argo CD's interpreter knows; others stay as they are.
fn formatted(at: DateTime, format: &str) -> String {
    let mut text = String::new();
    let mut characters = format.chars();
    while let Some(character) = characters.next() {
        if character != '%' {
            text.push(character);
            continue;
        }
        match characters.next() {
            Some('w') => text.push_str(&at.weekday().to_sunday_zero_offset().to_string()),
            Some('Z') => text.push_str("UTC"),
            Some('z') => text.push_str("+0000"),
            Some('c') => text.push_str(&at.strftime("%d %b %y %H:%M UTC").to_string()),
            Some('x') => text.push_str(&at.strftime("%H/%M/%S").to_string()),
            Some('X') => text.push_str(&at.strftime("%H:%M:%S").to_string()),
            Some(known) if "aAbBdFHImMpPSyY".contains(known) => {
                text.push_str(&at.strftime(&format!("%{known}")).to_string());
            }
            Some('%') | None => text.push('%'),
            Some(other) => text.extend(['%', other]),
        }
    }
    text
}
