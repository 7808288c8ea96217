//! The values and functions that Go's own template tests define.

use std::rc::Rc;
use std::sync::Arc;

use towpath_gotemplate::value::{INT, INTS, Int, STRING_MAP, Sequence};
use towpath_gotemplate::{Args, Fault, Function, Functions, Method, Object, Operand, Text, Type, Value, fmt};

/// The value that most tests use.
pub fn value() -> Value {
    Value::object(Subject)
}

/// Fields of the tests' struct that need Go's reflection on types that no chart meets: maps whose keys are no
/// strings, typed nil pointers, unsafe pointers, spare capacity of slices, fields that are not exported, and
/// functions that the package refuses.
pub const ABSENT: &[&str] = &[
    "MII",
    "MI32S",
    "MI64S",
    "MUI32S",
    "MUI64S",
    "MI8S",
    "MUI8S",
    "NIL",
    "NonEmptyInterfaceNil",
    "NonEmptyInterfaceTypedNil",
    "UPI",
    "EmptyUPI",
    "SICap",
    "unexported",
    "Tmpl",
    "TooFewReturnCountFunc",
    "TooManyReturnCountFunc",
    "InvalidReturnTypeFunc",
];

/// The tests' struct with a field of every type.
struct Subject;

/// A pointer to another value: `*int`, `*string`, `*[]int`.
struct Pointer(Value, &'static str);

impl Object for Pointer {
    fn go_type(&self) -> Type {
        Type::Pointer(self.1)
    }

    fn target(&self) -> Option<Operand> {
        Some(Operand::plain(self.0.clone()))
    }
}

/// A struct with one field.
struct Small {
    typ: Type,
    field: Option<(&'static str, Value)>,
    text: Option<&'static str>,
}

impl Object for Small {
    fn go_type(&self) -> Type {
        self.typ
    }

    fn field(&self, name: &str) -> Option<Operand> {
        self.field.as_ref().filter(|(own, _)| *own == name).map(|(_, value)| Operand::plain(value.clone()))
    }

    fn method(&self, name: &str) -> Option<&'static Method> {
        (name == "TrueFalse").then_some(&TRUE_FALSE)
    }

    fn text(&self) -> Option<Vec<u8>> {
        self.text.map(|text| text.as_bytes().to_vec())
    }

    fn fields(&self) -> Vec<(&'static str, Operand)> {
        self.field.iter().map(|(name, value)| (*name, Operand::plain(value.clone()))).collect()
    }
}

fn small(typ: Type, field: Option<(&'static str, Value)>, text: Option<&'static str>) -> Value {
    Value::object(Small { typ, field, text })
}

fn ints(numbers: &[i64]) -> Value {
    Value::typed_list(INTS, numbers.iter().map(|number| Value::int(*number)).collect())
}

fn int_map(entries: &[(&str, i64)]) -> Value {
    let entries = entries.iter().map(|(key, number)| (Text::from(*key), Value::int(*number)));
    Value::typed_map(Type::Map(&INT), entries)
}

fn function(
    params: &'static [Type],
    variadic: Option<Type>,
    returns: Type,
    call: fn(Args<'_>) -> Result<Value, Fault>,
) -> Value {
    let function = Function::new(params, returns, move |_, args| call(args));
    Value::Func(Arc::new(match variadic {
        Some(typ) => function.variadic(typ),
        None => function,
    }))
}

fn joined(args: Args<'_>, from: usize) -> String {
    args.rest(from).iter().map(fmt::shown).collect::<Vec<_>>().join("+")
}

impl Object for Subject {
    fn go_type(&self) -> Type {
        Type::Pointer("template.T")
    }

    fn field(&self, name: &str) -> Option<Operand> {
        let text = Value::string;
        let plain = |value| Some(Operand::plain(value));
        let wrapped = |value| Some(Operand { value, wrapped: true });
        match name {
            "True" => plain(Value::Bool(true)),
            "I" => plain(Value::int(17)),
            "U16" => plain(Value::Int(Int::Uint16, 16)),
            "X" => plain(text("x")),
            "S" => plain(text("xyz")),
            "FloatZero" => plain(Value::Float(0.0)),
            "ComplexZero" => plain(Value::Complex(Rc::new((0.0, 0.0)))),
            "U" => plain(small(Type::Pointer("template.U"), Some(("V", text("v"))), None)),
            "V0" => plain(small(Type::Struct("template.V"), None, Some("<6666>"))),
            "V1" => plain(small(Type::Pointer("template.V"), None, Some("<7777>"))),
            "V2" => plain(small(Type::Pointer("template.V"), None, Some("nilV"))),
            "W0" => plain(small(Type::Struct("template.W"), None, Some("[888]"))),
            "W1" => plain(small(Type::Pointer("template.W"), None, Some("[999]"))),
            "W2" => plain(small(Type::Pointer("template.W"), None, Some("nilW"))),
            "SI" | "AI" => plain(ints(&[3, 4, 5])),
            "SIEmpty" => plain(Value::nil_list(INTS)),
            "SB" => {
                plain(Value::typed_list(Type::List(&Type::Bool), vec![Value::Bool(true), Value::Bool(false)]))
            }
            "PAI" => plain(Value::object(Pointer(ints(&[3, 4, 5]), "[3]int"))),
            "MSI" => plain(int_map(&[("one", 1), ("two", 2), ("three", 3)])),
            "MSIone" | "MXI" => plain(int_map(&[("one", 1)])),
            "MSIEmpty" => plain(Value::nil_map(Type::Map(&INT))),
            "SMSI" => plain(Value::typed_list(
                Type::List(&Type::Map(&INT)),
                vec![int_map(&[("one", 1), ("two", 2)]), int_map(&[("eleven", 11), ("twelve", 12)])],
            )),
            "Empty0" => wrapped(Value::Nil),
            "Empty1" => wrapped(Value::int(3)),
            "Empty2" => wrapped(text("empty2")),
            "Empty3" => wrapped(ints(&[7, 8])),
            "Empty4" => wrapped(small(Type::Pointer("template.U"), Some(("V", text("UinEmpty"))), None)),
            "NonEmptyInterfacePtS" => plain(Value::object(Pointer(Value::strings(["a", "b"]), "template.I"))),
            "NonEmptyInterface" => plain(Value::object(Subject)),
            "Str" => plain(small(Type::Pointer("bytes.Buffer"), None, Some("foozle"))),
            "Err" => plain(small(Type::Pointer("errors.errorString"), None, Some("erroozle"))),
            "PI" => plain(Value::object(Pointer(Value::int(23), "int"))),
            "PS" => plain(Value::object(Pointer(text("a string"), "string"))),
            "PSI" => plain(Value::object(Pointer(ints(&[21, 22, 23]), "[]int"))),
            "BinaryFunc" => plain(function(&[Type::String, Type::String], None, Type::String, |args| {
                Ok(Value::string(fmt::sprintf(b"[%s=%s]", args.0)))
            })),
            "VariadicFunc" => plain(function(&[], Some(Type::String), Type::String, |args| {
                Ok(Value::string(format!("<{}>", joined(args, 0))))
            })),
            "VariadicFuncInt" => plain(function(&[INT], Some(Type::String), Type::String, |args| {
                Ok(Value::string(format!("{}=<{}>", args.int(0), joined(args, 1))))
            })),
            "NilOKFunc" => plain(function(&[Type::Pointer("int")], None, Type::Bool, |args| {
                Ok(Value::Bool(matches!(args.value(0), Value::Nil)))
            })),
            "ErrFunc" => plain(function(&[], None, Type::String, |_| Ok(Value::string("bla")))),
            "PanicFunc" => plain(function(&[], None, Type::String, |_| Err(Fault::from("test panic")))),
            _ => None,
        }
    }

    fn method(&self, name: &str) -> Option<&'static Method> {
        METHODS.iter().find(|(own, _)| *own == name).map(|(_, method)| method)
    }
}

const fn method(
    params: &'static [Type],
    returns: Type,
    call: fn(&Value, &mut towpath_gotemplate::Scope<'_, '_>, Args<'_>) -> Result<Value, Fault>,
) -> Method {
    Method { params, variadic: None, returns, call }
}

static TRUE_FALSE: Method = method(&[Type::Bool], Type::String, |_, _, args| {
    Ok(Value::string(if args.truth(0) { "true" } else { "" }))
});

static METHODS: &[(&str, Method)] = &[
    ("Method0", method(&[], Type::String, |_, _, _| Ok(Value::string("M0")))),
    ("Method1", method(&[INT], INT, |_, _, args| Ok(args.value(0).clone()))),
    (
        "Method2",
        method(&[Type::Int(Int::Uint16), Type::String], Type::String, |_, _, args| {
            Ok(Value::string(fmt::sprintf(b"Method2: %d %s", args.0)))
        }),
    ),
    (
        "Method3",
        method(&[Type::Any], Type::String, |_, _, args| {
            Ok(Value::string(fmt::sprintf(b"Method3: %v", args.0)))
        }),
    ),
    (
        "MAdd",
        method(&[INT, INTS], INTS, |_, _, args| {
            let added = args.value(1).elements().unwrap_or_default();
            let add = |value: &Value| match value {
                Value::Int(_, number) => Value::int(number + args.int(0)),
                other => other.clone(),
            };
            Ok(Value::typed_list(INTS, added.iter().map(add).collect()))
        }),
    ),
    ("Copy", method(&[], Type::Pointer("template.T"), |_, _, _| Ok(Value::object(Subject)))),
    (
        "MyError",
        method(&[Type::Bool], Type::Bool, |_, _, args| {
            if args.truth(0) { Err(Fault::from("my error")) } else { Ok(Value::Bool(false)) }
        }),
    ),
    (
        "GetU",
        method(&[], Type::Pointer("template.U"), |_, _, _| {
            Ok(small(Type::Pointer("template.U"), Some(("V", Value::string("v"))), None))
        }),
    ),
];

/// A channel of letters.
struct Letters(i64);

impl Object for Letters {
    fn go_type(&self) -> Type {
        Type::Struct("chan string")
    }

    fn sequence(&self) -> Option<Sequence> {
        let letters = (b'a'..=b'z').take(usize::try_from(self.0).unwrap_or(0));
        Some(Sequence::Channel(Box::new(letters.map(|letter| Value::string(&[letter][..])))))
    }
}

/// What the tests add to the built-in functions.
pub fn functions() -> Functions {
    let mut all = Functions::default();
    let text = Type::String;
    all.add("zeroArgs", Function::new(&[], text, |_, _| Ok(Value::string("zeroArgs"))));
    all.add(
        "oneArg",
        Function::new(&[Type::String], text, |_, args| {
            Ok(Value::string([b"oneArg=", args.text(0)].concat()))
        }),
    );
    all.add(
        "twoArgs",
        Function::new(&[Type::String, Type::String], text, |_, args| {
            Ok(Value::string([b"twoArgs=", args.text(0), args.text(1)].concat()))
        }),
    );
    all.add(
        "dddArg",
        Function::new(&[INT], text, |_, args| Ok(Value::string(fmt::sprintf(b"dddArg: %d, %v", args.0))))
            .variadic(Type::String),
    );
    all.add(
        "typeOf",
        Function::new(&[Type::Any], text, |_, args| Ok(Value::string(args.value(0).type_name()))),
    );
    all.add("echo", Function::new(&[Type::Any], Type::Any, |_, args| Ok(args.value(0).clone())));
    all.add("returnInt", Function::new(&[], INT, |_, _| Ok(Value::int(7))));
    all.add(
        "valueString",
        Function::new(&[Type::String], text, |_, _| Ok(Value::string("value is ignored"))),
    );
    all.add("die", Function::new(&[], Type::Bool, |_, _| Err(Fault::from("die"))));
    all.add("count", Function::new(&[INT], Type::Any, |_, args| Ok(Value::object(Letters(args.int(0))))));
    all.add(
        "add",
        Function::new(&[], INT, |_, args| {
            Ok(Value::int((0..args.0.len()).map(|index| args.int(index)).sum()))
        })
        .variadic(INT),
    );
    all.add("makemap", Function::new(&[], STRING_MAP, |_, args| Ok(pairs(args.0))).variadic(Type::String));
    all.add("mapOfThree", Function::new(&[], Type::Any, |_, _| Ok(int_map(&[("three", 3)]))));

    all
}

fn pairs(args: &[Value]) -> Value {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        _ => Text::default(),
    };
    let entries = args.chunks(2).filter_map(|pair| match pair {
        [key, value] => Some((text(key), value.clone())),
        _ => None,
    });
    Value::typed_map(STRING_MAP, entries)
}
