//! Templates from a fixed seed.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::json;

use super::Question;
use crate::random::Random;

/// Which functions the templates may call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Go's own.
    Plain,
    /// Sprig's as well.
    Sprig,
}

/// So many questions.
pub fn questions(kind: Kind, count: usize) -> Vec<Question> {
    let mut random = Random::new(0x7E3A);
    (0..count).map(|_| question(&mut random, kind)).collect()
}

fn question(random: &mut Random, kind: Kind) -> Question {
    let mut writer = Writer { random, kind, text: String::new(), variables: Vec::new(), budget: 12 };
    for _ in 0..=writer.random.below(3) {
        writer.node(0);
    }
    let text = writer.text;
    Question {
        name: "t".to_owned(),
        text,
        data: data(),
        missingkey: random.pick(&["", "zero", "error"]),
        sprig: kind == Kind::Sprig,
    }
}

/// The same data for all: every kind of value that a chart has, and Go types that functions make.
fn data() -> serde_json::Value {
    json!({
        "s": "text", "e": "", "q": "a \"b\" <c> &'d'\n", "u": "日本é\u{200b}", "d": "a,b,,c",
        "i": {"$": "int", "v": "42"}, "n": {"$": "int64", "v": "-7"}, "z": {"$": "uint8", "v": "200"},
        "f": 1.5, "g": 1_000_000.0, "h": 3.0, "w": -0.00001, "t": true, "b": false, "nil": null,
        "l": [1.0, "two", null, true, [2.5], {"k": "v"}], "le": [], "m": {"a": 1.0, "b": {"c": "deep"}, "x": null},
        "me": {}, "ss": {"$": "[]string", "v": ["b", "a", "", "c"]}, "si": {"$": "[]int", "v": [
            {"$": "int", "v": "3"}, {"$": "int", "v": "1"}]},
        "ms": {"$": "map[string]string", "v": {"k": "v"}}, "by": {"$": "[]uint8", "v": "aGk="},
        "v": "1.2.3-rc.1", "num": "0x1f",
    })
}

const SPACES: &[&str] = &["", "", " ", "\n", " \n\t", "a", "é\n", "{", "}"];
const FIELDS: &[&str] = &[
    "s", "e", "q", "u", "d", "i", "n", "z", "f", "g", "h", "w", "t", "b", "nil", "l", "le", "m", "me", "ss",
    "si", "ms", "by", "v", "num", "none", "m.a", "m.b.c", "m.x.y", "none.x", "s.x", "f.x", "l.x", "ms.k",
    "ms.no",
];
const LITERALS: &[&str] = &[
    "1",
    "0",
    "-3",
    "2.5",
    "1e3",
    "1e20",
    "0x1F",
    "'a'",
    "\"x\"",
    "\"a b\\t\\\"\"",
    "`raw`",
    "\"\"",
    "true",
    "false",
    "nil",
    "1i",
    "1_000",
    "08",
    "9223372036854775808",
    "\"%\"",
    "\"日\"",
    "3",
    "2",
    "\"a\"",
    "\",\"",
];
const FORMATS: &[&str] = &[
    "%d",
    "%s",
    "%v",
    "%q",
    "%x",
    "%X",
    "%5d|",
    "%-5s|",
    "%05d",
    "%+d",
    "%.2f",
    "%8.3f|",
    "%e",
    "%g",
    "%G",
    "%t",
    "%T",
    "%#v",
    "%+v",
    "%c",
    "%U",
    "%#U",
    "%b",
    "%o",
    "%O",
    "%#x",
    "% x",
    "%q%",
    "%[2]v %[1]v",
    "%*d",
    "%.*f",
    "%z",
    "%!",
    "%06.2f",
    "%+q",
    "%#q",
    "%10v|",
    "%-10v|",
    "%x %d",
    "%%",
    "%.1s",
    "%5t|",
    "%",
    "%[3]d",
    "%08b",
    "%.3v",
    "%#g",
];

/// Sprig's functions with the kinds of their arguments, and terms of each kind.
struct Choices {
    functions: Vec<(&'static str, &'static str)>,
    terms: HashMap<char, Vec<&'static str>>,
}

static CHOICES: LazyLock<Choices> = LazyLock::new(|| {
    let mut choices = Choices { functions: Vec::new(), terms: HashMap::new() };
    for line in include_str!("choices.txt").lines() {
        let mut words = line.splitn(3, ' ');
        match (words.next(), words.next(), words.next()) {
            (Some("function"), Some(name), Some(kinds)) => choices.functions.push((name, kinds)),
            (Some("term"), Some(kind), Some(term)) => {
                let kinds = kind.chars();
                kinds.for_each(|kind| choices.terms.entry(kind).or_default().push(term));
            }
            _ => {}
        }
    }
    choices
});

struct Writer<'r> {
    random: &'r mut Random,
    kind: Kind,
    text: String,
    variables: Vec<String>,
    budget: usize,
}

impl Writer<'_> {
    fn open(&mut self) {
        self.text.push_str(self.random.pick(&["{{", "{{", "{{ ", "{{- ", "{{-\n"]));
    }

    fn close(&mut self) {
        self.text.push_str(self.random.pick(&["}}", "}}", " }}", " -}}", "\n-}}"]));
    }

    fn node(&mut self, depth: usize) {
        let spaces = self.random.pick(SPACES);
        self.text.push_str(spaces);
        if self.budget == 0 || depth > 3 {
            return;
        }
        self.budget -= 1;
        match self.random.below(20) {
            0..=7 => {
                self.open();
                self.pipeline(2);
                self.close();
            }
            8 | 9 => self.declare(),
            10..=12 => self.branch("if", depth),
            13 | 14 => self.branch("with", depth),
            15..=17 => self.branch("range", depth),
            18 => self.text.push_str("{{/* note\n*/}}"),
            _ => self.wrong(),
        }
    }

    fn wrong(&mut self) {
        let wrong = self.random.pick(&[
            "{{end}}",
            "{{.",
            "{{\"a}}",
            "{{(1}}",
            "{{1 | 2}}",
            "{{nofunc}}",
            "{{$nope}}",
            "{{else}}",
            "{{break}}",
            "{{template \"none\"}}",
            "{{.a\n.b..c}}",
            "{{/* x }}",
            "{{if}}{{end}}",
            "{{)}}",
            "{{\"\\q\"}}",
            "{{!}}",
            "{{'ab'}}",
            "{{range $a, $b, $c := .l}}{{end}}",
            "{{block \"b\" .}}x{{end}}",
            "{{3x}}",
            "{{é}}",
            "{{1 \n\"}}",
        ]);
        self.text.push_str(wrong);
    }

    fn declare(&mut self) {
        let name = self.random.pick(&["$a", "$b", "$c"]).to_owned();
        self.open();
        let assigns = self.variables.contains(&name) && self.random.one_in(2);
        self.text.push_str(&name);
        self.text.push_str(if assigns { " = " } else { " := " });
        self.pipeline(2);
        self.close();
        self.variables.push(name);
    }

    fn branch(&mut self, word: &str, depth: usize) {
        let known = self.variables.len();
        self.open();
        self.text.push_str(word);
        self.text.push(' ');
        if word == "range" {
            match self.random.below(4) {
                0 => {
                    self.text.push_str("$i, $v := ");
                    self.variables.extend(["$i".to_owned(), "$v".to_owned()]);
                }
                1 => {
                    self.text.push_str("$v := ");
                    self.variables.push("$v".to_owned());
                }
                _ => {}
            }
        }
        self.pipeline(2);
        self.close();
        self.node(depth + 1);
        if word == "range" && self.random.one_in(3) {
            let leave = self.random.pick(&["{{break}}", "{{continue}}"]);
            self.text.push_str(leave);
        }
        self.node(depth + 1);
        if self.random.one_in(2) {
            self.text.push_str("{{else}}");
            self.variables.truncate(known);
            self.node(depth + 1);
        }
        self.variables.truncate(known);
        self.text.push_str("{{end}}");
    }

    fn pipeline(&mut self, depth: usize) {
        self.command(depth);
        while self.random.one_in(4) {
            self.text.push_str(self.random.pick(&[" | ", "|"]));
            self.function(depth, true);
        }
    }

    fn command(&mut self, depth: usize) {
        if self.random.one_in(2) {
            self.function(depth, false);
        } else {
            self.term(depth);
        }
    }

    fn term(&mut self, depth: usize) {
        match self.random.below(10) {
            0..=3 => {
                let field = self.random.pick(FIELDS);
                let dollar = self.random.pick(&["", "$"]);
                self.text.push_str(dollar);
                self.text.push('.');
                self.text.push_str(field);
            }
            4 => self.text.push('.'),
            5 if !self.variables.is_empty() => {
                let index = self.random.below(self.variables.len());
                let name = self.variables.get(index).cloned().unwrap_or_default();
                self.text.push_str(&name);
            }
            6 if depth > 0 => {
                self.text.push('(');
                self.pipeline(depth - 1);
                self.text.push(')');
                if self.random.one_in(4) {
                    self.text.push_str(".x");
                }
            }
            _ => {
                let literal = self.random.pick(LITERALS);
                self.text.push_str(literal);
            }
        }
    }

    fn function(&mut self, depth: usize, piped: bool) {
        if self.kind == Kind::Sprig && !self.random.one_in(4) {
            return self.sprig(depth, piped);
        }
        let (name, least, most) = *self.choose(&[
            ("and", 1, 3),
            ("or", 1, 3),
            ("not", 1, 1),
            ("len", 1, 1),
            ("index", 1, 3),
            ("slice", 1, 3),
            ("print", 0, 3),
            ("println", 0, 2),
            ("html", 1, 2),
            ("js", 1, 1),
            ("urlquery", 1, 2),
            ("eq", 2, 3),
            ("ne", 2, 2),
            ("lt", 2, 2),
            ("le", 2, 2),
            ("gt", 2, 2),
            ("ge", 2, 2),
            ("printf", 1, 4),
            ("call", 1, 2),
            ("printf", 1, 3),
        ]);
        self.text.push_str(name);
        let mut count = least + self.random.below(most - least + 1);
        if name == "printf" && !self.random.one_in(10) {
            let format = self.random.pick(FORMATS);
            self.text.extend([" \"", format, "\""]);
            count -= 1;
        }
        self.args(count.saturating_sub(usize::from(piped)), depth);
    }

    fn choose<'c, T>(&mut self, choices: &'c [T]) -> &'c T {
        choices.get(self.random.below(choices.len())).expect("below the number of choices")
    }

    fn args(&mut self, count: usize, depth: usize) {
        for _ in 0..count {
            self.text.push(' ');
            self.term(depth);
        }
    }

    /// A call of a Sprig function, most often with arguments of the kinds that it takes.
    fn sprig(&mut self, depth: usize, piped: bool) {
        let (mut name, mut kinds) = *self.choose(&CHOICES.functions);
        // What comes through the pipe could put a map into itself, which Go does not survive.
        while piped && (kinds.contains('D') || name == "dateInZone") {
            (name, kinds) = *self.choose(&CHOICES.functions);
        }
        // And what is no time is the present one.
        let changes = kinds.contains('D') || name == "dateInZone";
        self.text.push_str(name);
        let kinds: Vec<char> = kinds.chars().collect();
        let mut count = kinds.len();
        if !changes && self.random.one_in(20) {
            count = self.random.below(4);
        }
        for index in 0..count.saturating_sub(usize::from(piped)) {
            self.text.push(' ');
            let kind = kinds.get(index).copied().unwrap_or('a');
            if !changes && (self.random.one_in(12) || kind == 'a') {
                self.term(depth);
            } else {
                let argument = self.random.pick(CHOICES.terms.get(&kind).map_or(&[], Vec::as_slice));
                self.text.push_str(argument);
            }
        }
    }
}
