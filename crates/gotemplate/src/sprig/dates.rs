//! Dates. "Local" is the zone of the run's environment.

use super::{Done, Table};
use crate::environment::Environment;
use crate::function::{Args, Fault};
use crate::time::{self, Time, Zone};
use crate::value::{Int, Type, Value};

const S: Type = Type::String;
const ANY: Type = Type::Any;
const TIME: Type = Type::Struct("time.Time");

pub fn add(table: &mut Table<'_>) {
    table.outside("now", &[], TIME, |environment, _| Ok(Value::object(now(environment))));
    table.outside("date", &[S, ANY], S, |environment, args| {
        in_zone(environment, args.text(0), args.value(1), b"Local")
    });
    for name in ["dateInZone", "date_in_zone"] {
        table.outside(name, &[S, ANY, S], S, |environment, args| {
            in_zone(environment, args.text(0), args.value(1), args.text(2))
        });
    }
    table.outside("htmlDate", &[ANY], S, |environment, args| {
        in_zone(environment, b"2006-01-02", args.value(0), b"Local")
    });
    table.outside("htmlDateInZone", &[ANY, S], S, |environment, args| {
        in_zone(environment, b"2006-01-02", args.value(0), args.text(1))
    });
    for name in ["dateModify", "date_modify"] {
        table.pure(name, &[S, TIME], TIME, |args| {
            Ok(modified(args).unwrap_or_else(|_| args.value(1).clone()))
        });
    }
    for name in ["mustDateModify", "must_date_modify"] {
        table.pure(name, &[S, TIME], TIME, modified);
    }
    table.outside("toDate", &[S, S], TIME, |environment, args| {
        let zero = || Value::object(Time::new(time::ZERO, 0, Zone::utc()));
        Ok(parsed(environment, args).unwrap_or_else(|_| zero()))
    });
    table.outside("mustToDate", &[S, S], TIME, parsed);
    table.pure("unixEpoch", &[TIME], S, |args| {
        Ok(Value::string(time::of(args.value(0)).map_or(0, |time| time.seconds).to_string()))
    });
    table.outside("ago", &[ANY], S, |environment, args| {
        let moment = moment(environment, args.value(0), &[Int::Int, Int::Int64]);
        let elapsed = now(environment).since(&moment);
        // Rounded to seconds, half away from zero.
        let seconds = (elapsed.abs().saturating_add(500_000_000)) / 1_000_000_000;
        Ok(Value::string(time::duration_text(elapsed.signum() * seconds * 1_000_000_000)))
    });
    table.pure("duration", &[ANY], S, |args| {
        let seconds = match args.value(0) {
            Value::String(text) => str::from_utf8(text).ok().and_then(|text| text.parse().ok()).unwrap_or(0),
            Value::Int(Int::Int64, seconds) => *seconds,
            _ => 0_i64,
        };
        Ok(Value::string(time::duration_text(seconds.wrapping_mul(1_000_000_000))))
    });
    table.outside("durationRound", &[ANY], S, |environment, args| {
        let nanoseconds = match args.value(0) {
            Value::String(text) => {
                str::from_utf8(text).ok().and_then(|text| time::parse_duration(text).ok()).unwrap_or(0)
            }
            Value::Int(Int::Int64, nanoseconds) => *nanoseconds,
            other => time::of(other).map_or(0, |time| now(environment).since(&time)),
        };
        Ok(Value::string(time::rounded_text(nanoseconds)))
    });
}

fn local(environment: &Environment) -> Zone {
    Zone::named(&environment.zone).unwrap_or_else(Zone::utc)
}

fn now(environment: &Environment) -> Time {
    Time::new(environment.now.0, environment.now.1, local(environment))
}

/// The moment that a value stands for: a time, or seconds of one of the integer types; else now.
fn moment(environment: &Environment, value: &Value, seconds: &[Int]) -> Time {
    match value {
        Value::Int(int, number) if seconds.contains(int) => Time::new(*number, 0, local(environment)),
        other => time::of(other).unwrap_or_else(|| now(environment)),
    }
}

fn in_zone(environment: &Environment, layout: &[u8], date: &Value, zone: &[u8]) -> Done {
    let zone = match zone {
        b"Local" => local(environment),
        name => Zone::named(&String::from_utf8_lossy(name)).unwrap_or_else(Zone::utc),
    };
    let moment = moment(environment, date, &[Int::Int, Int::Int32, Int::Int64]);
    Ok(Value::string(moment.within(zone).format(&String::from_utf8_lossy(layout))))
}

fn modified(args: Args<'_>) -> Done {
    let duration = time::parse_duration(&String::from_utf8_lossy(args.text(0)))?;
    let time = time::of(args.value(1)).ok_or(Fault::from("no time"))?;
    Ok(Value::object(time.plus(duration)))
}

fn parsed(environment: &Environment, args: Args<'_>) -> Done {
    let (layout, text) = (String::from_utf8_lossy(args.text(0)), String::from_utf8_lossy(args.text(1)));
    Ok(Value::object(time::parse(&layout, &text, &local(environment))?))
}
