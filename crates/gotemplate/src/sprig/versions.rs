//! Semantic versions.

use std::rc::Rc;

use towpath_version::{Constraints, Version};

use super::{Done, Table};
use crate::function::{Args, Fault};
use crate::value::{Int, Method, Object, Type, Value};

const S: Type = Type::String;
const VERSION: Type = Type::Pointer("semver.Version");
const UINT: Type = Type::Int(Int::Uint64);

pub fn add(table: &mut Table<'_>) {
    table.pure("semver", &[S], VERSION, |args| Ok(Value::object(parsed(args, 0)?)));
    table.pure("semverCompare", &[S, S], Type::Bool, |args| {
        let constraint = String::from_utf8_lossy(args.text(0));
        let constraints = Constraints::parse(&constraint).map_err(|error| Fault(error.to_string()))?;
        Ok(Value::Bool(constraints.matches(&parsed(args, 1)?.0)))
    });
}

struct Semver(Version);

fn parsed(args: Args<'_>, index: usize) -> Result<Semver, Fault> {
    let text = String::from_utf8_lossy(args.text(index));
    Version::parse(&text).map(Semver).map_err(|error| Fault(error.to_string()))
}

impl Object for Semver {
    fn go_type(&self) -> Type {
        VERSION
    }

    fn text(&self) -> Option<Vec<u8>> {
        Some(self.0.to_string().into_bytes())
    }

    fn json(&self) -> Option<String> {
        Some(format!("\"{}\"", self.0))
    }

    fn method(&self, name: &str) -> Option<&'static Method> {
        METHODS.iter().find(|(known, _)| *known == name).map(|(_, method)| method)
    }
}

fn of(value: &Value) -> Result<Version, Fault> {
    match value {
        Value::Object(object) => {
            let any: Rc<dyn std::any::Any> = Rc::clone(object) as Rc<dyn std::any::Any>;
            match any.downcast_ref::<Semver>() {
                Some(version) => Ok(version.0.clone()),
                None => Err("no version".into()),
            }
        }
        _ => Err(super::NIL_POINTER.into()),
    }
}

macro_rules! method {
    ($params:expr, $returns:expr, |$version:ident, $args:ident| $body:expr) => {
        Method {
            params: $params,
            variadic: None,
            returns: $returns,
            call: |receiver, _, $args| {
                let $version = of(receiver)?;
                $body
            },
        }
    };
}

fn number(number: u64) -> Done {
    Ok(Value::Int(Int::Uint64, number.cast_signed()))
}

fn other(args: Args<'_>) -> Result<Version, Fault> {
    of(args.value(0))
}

static METHODS: &[(&str, Method)] = &[
    ("Major", method!(&[], UINT, |version, _args| number(version.major))),
    ("Minor", method!(&[], UINT, |version, _args| number(version.minor))),
    ("Patch", method!(&[], UINT, |version, _args| number(version.patch))),
    ("Prerelease", method!(&[], S, |version, _args| Ok(Value::string(version.pre)))),
    ("Metadata", method!(&[], S, |version, _args| Ok(Value::string(version.metadata)))),
    ("Original", method!(&[], S, |version, _args| Ok(Value::string(version.original)))),
    ("String", method!(&[], S, |version, _args| Ok(Value::string(version.to_string())))),
    (
        "Compare",
        method!(&[VERSION], crate::value::INT, |version, args| {
            let order = version.compare(&other(args)?) as i64;
            Ok(Value::int(order))
        }),
    ),
    (
        "Equal",
        method!(&[VERSION], Type::Bool, |version, args| {
            Ok(Value::Bool(version.compare(&other(args)?).is_eq()))
        }),
    ),
    (
        "LessThan",
        method!(&[VERSION], Type::Bool, |version, args| {
            Ok(Value::Bool(version.compare(&other(args)?).is_lt()))
        }),
    ),
    (
        "LessThanEqual",
        method!(&[VERSION], Type::Bool, |version, args| {
            Ok(Value::Bool(version.compare(&other(args)?).is_le()))
        }),
    ),
    (
        "GreaterThan",
        method!(&[VERSION], Type::Bool, |version, args| {
            Ok(Value::Bool(version.compare(&other(args)?).is_gt()))
        }),
    ),
    (
        "GreaterThanEqual",
        method!(&[VERSION], Type::Bool, |version, args| {
            Ok(Value::Bool(version.compare(&other(args)?).is_ge()))
        }),
    ),
    ("IncPatch", method!(&[], VERSION, |version, _args| Ok(Value::object(Semver(version.next_patch()))))),
    ("IncMinor", method!(&[], VERSION, |version, _args| Ok(Value::object(Semver(version.next_minor()))))),
    ("IncMajor", method!(&[], VERSION, |version, _args| Ok(Value::object(Semver(version.next_major()))))),
];
