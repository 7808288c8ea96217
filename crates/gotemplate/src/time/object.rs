//! A time as templates see it.

use std::any::Any;
use std::rc::Rc;

use super::{Civil, DAYS, MONTHS, Time, Zone};
use crate::function::{Args, Fault};
use crate::value::{INT, INT64, Method, Object, Type, Value};

const TIME: Type = Type::Struct("time.Time");

impl Object for Time {
    fn go_type(&self) -> Type {
        TIME
    }

    fn text(&self) -> Option<Vec<u8>> {
        Some(self.to_text().into_bytes())
    }

    fn json(&self) -> Option<String> {
        Some(format!("\"{}\"", self.format("2006-01-02T15:04:05.999999999Z07:00")))
    }

    fn method(&self, name: &str) -> Option<&'static Method> {
        METHODS.iter().find(|(known, _)| *known == name).map(|(_, method)| method)
    }

    fn same(&self, other: &dyn Object) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<Time>().is_some_and(|other| {
            (self.seconds, self.nanos, self.offset()) == (other.seconds, other.nanos, other.offset())
        })
    }
}

/// The time that a value is.
pub fn of(value: &Value) -> Option<Time> {
    let Value::Object(object) = value else { return None };
    let any: Rc<dyn Any> = Rc::clone(object) as Rc<dyn Any>;
    any.downcast_ref::<Time>().cloned()
}

/// A number with a name: a month or a day of the week.
struct Name(Type, &'static str);

impl Object for Name {
    fn go_type(&self) -> Type {
        self.0
    }

    fn text(&self) -> Option<Vec<u8>> {
        Some(self.1.as_bytes().to_vec())
    }
}

macro_rules! method {
    ($name:literal, $params:expr, $returns:expr, |$time:ident, $args:ident| $body:expr) => {
        (
            $name,
            Method {
                params: $params,
                variadic: None,
                returns: $returns,
                call: |receiver, _, $args| {
                    let $time = of(receiver).ok_or(Fault::from("no time"))?;
                    Ok($body)
                },
            },
        )
    };
}

fn other(args: Args<'_>) -> Result<Time, Fault> {
    of(args.value(0)).ok_or(Fault::from("no time"))
}

const MONTH: Type = Type::Struct("time.Month");
const WEEKDAY: Type = Type::Struct("time.Weekday");

static METHODS: &[(&str, Method)] = &[
    method!("Format", &[Type::String], Type::String, |time, args| {
        Value::string(time.format(&String::from_utf8_lossy(args.text(0))))
    }),
    method!("String", &[], Type::String, |time, _args| Value::string(time.to_text())),
    method!("Unix", &[], INT64, |time, _args| Value::int64(time.seconds)),
    method!("UnixMilli", &[], INT64, |time, _args| {
        Value::int64(time.seconds.wrapping_mul(1000).wrapping_add(i64::from(time.nanos / 1_000_000)))
    }),
    method!("UnixMicro", &[], INT64, |time, _args| {
        Value::int64(time.seconds.wrapping_mul(1_000_000).wrapping_add(i64::from(time.nanos / 1000)))
    }),
    method!("UnixNano", &[], INT64, |time, _args| {
        Value::int64(time.seconds.wrapping_mul(1_000_000_000).wrapping_add(i64::from(time.nanos)))
    }),
    method!("Year", &[], INT, |time, _args| Value::int(time.civil().year)),
    method!("Month", &[], MONTH, |time, _args| {
        let index = usize::try_from(time.civil().month - 1).unwrap_or(0);
        Value::object(Name(MONTH, MONTHS.get(index).copied().unwrap_or_default()))
    }),
    method!("Day", &[], INT, |time, _args| Value::int(time.civil().day)),
    method!("Hour", &[], INT, |time, _args| Value::int(time.civil().hour)),
    method!("Minute", &[], INT, |time, _args| Value::int(time.civil().minute)),
    method!("Second", &[], INT, |time, _args| Value::int(time.civil().second)),
    method!("Nanosecond", &[], INT, |time, _args| Value::int(i64::from(time.nanos))),
    method!("Weekday", &[], WEEKDAY, |time, _args| {
        Value::object(Name(WEEKDAY, DAYS.get(time.weekday()).copied().unwrap_or_default()))
    }),
    method!("YearDay", &[], INT, |time, _args| Value::int(time.year_day())),
    method!("UTC", &[], TIME, |time, _args| Value::object(time.within(Zone::utc()))),
    method!("IsZero", &[], Type::Bool, |time, _args| Value::Bool(time.is_zero())),
    method!("After", &[TIME], Type::Bool, |time, args| Value::Bool(time.since(&other(args)?) > 0)),
    method!("Before", &[TIME], Type::Bool, |time, args| Value::Bool(time.since(&other(args)?) < 0)),
    method!("Equal", &[TIME], Type::Bool, |time, args| Value::Bool(time.since(&other(args)?) == 0)),
    method!("AddDate", &[INT, INT, INT], TIME, |time, args| {
        let civil = time.civil();
        let moved = Civil {
            year: civil.year.wrapping_add(args.int(0).clamp(-100_000, 100_000)),
            month: civil.month.wrapping_add(args.int(1).clamp(-100_000, 100_000)),
            day: civil.day.wrapping_add(args.int(2).clamp(-100_000_000, 100_000_000)),
            ..civil
        };
        Value::object(Time::of_civil(moved, time.nanos, time.zone.clone()))
    }),
];
