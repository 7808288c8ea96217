//! Documents to encrypt, from a fixed seed: awkward keys and values of every format, with comments.

use towpath_sops::Format;

use crate::random::Random;

/// Values as YAML writes them; `\n` begins a line that is indented like the value.
const YAML: &[&str] = &[
    "plain text",
    "\"quoted\"",
    "'it''s'",
    "1",
    "-42",
    "9223372036854775807",
    "0x1F",
    "010",
    "1.5",
    "1e6",
    "1e-7",
    "123456789.125",
    "-0.0",
    ".inf",
    "true",
    "False",
    "yes",
    "off",
    "null",
    "~",
    "\"\"",
    "''",
    "\"null\"",
    "\"1\"",
    "\"1e3\"",
    "\"0o17\"",
    "\"12:30:45\"",
    "\"<<\"",
    "2001-01-01",
    "2001-12-14T21:59:43.1-05:00",
    "\"2001-01-01\"",
    "ünïcödé 日本語",
    "\"😀 \\U0001F600\"",
    "\" leading\"",
    "\"trailing \"",
    "\"tab\\there\"",
    "\"a: b # c\"",
    "\"- dash\"",
    "\"# hash\"",
    "\"@at\"",
    "\"%x\"",
    "\"\\x07bell\"",
    "\"\\u2028\"",
    "\"a\\nb\"",
    "\"a\\nb\\n\"",
    "\"a\\n\\n\"",
    "\" a\\nb\"",
    "\"\\na\"",
    "\"a \\nb\"",
    "\"a\\r\\nb\"",
    "\"a\\tb\\nc\"",
    "{}",
    "[]",
    "[1, two, [three]]",
    "{x: 1, y: [a, b]}",
    "!!binary aGVsbG8=",
    "\"long long long long long long long long long long long long long long long long long long words\"",
    "\"ENC[AES256_GCM,data:no]\"",
    "\"---\"",
    "\"a'b\\\"c\"",
    "\"\\\\back\"",
    "\"key: |\\n  # no comment\\n\"",
];

const KEYS: &[&str] = &[
    "k1",
    "k2",
    "data",
    "secret",
    "name",
    "café",
    "\"with space\"",
    "\"1\"",
    "a.b",
    "x-y",
    "\"true\"",
    "m",
    "\"a: b\"",
    "\"\"",
];

const COMMENTS: &[&str] =
    &["# note", "# remark", "#", "# ünï", "#no space", "# note: more", "#    far", "# x # y"];

const TEXTS: &[&str] = &[
    "value",
    "",
    "a b",
    "with=equals",
    "ünï 日本",
    "quote\"d",
    "it's",
    "#hash",
    "semi;colon",
    "back\\slash",
    "\\n",
    " spaced ",
    "`tick`",
    "123",
    "true",
    "😀",
    "tab\tbed",
    "a,b",
    "[x]",
    "${v}",
    "trail\\",
];

pub fn generated(random: &mut Random, format: Format) -> Vec<u8> {
    match format {
        Format::Yaml => yaml(random).into_bytes(),
        Format::Json => json(random, 0).to_string().into_bytes(),
        Format::Dotenv => dotenv(random).into_bytes(),
        Format::Ini => ini(random).into_bytes(),
        Format::Binary => {
            let length = random.below(300) + 1;
            (0..length).map(|_| u8::try_from(random.below(256)).unwrap_or(0)).collect()
        }
    }
}

fn yaml(random: &mut Random) -> String {
    let mut text = String::new();
    for document in 0..=usize::from(random.one_in(5)) {
        if document > 0 {
            text.push_str("---\n");
        }
        if random.one_in(6) {
            text.push_str("# the head\n\n");
        }
        mapping(random, 0, 0, &mut text);
        if random.one_in(6) {
            text.push_str("# the foot\n");
        }
    }
    text
}

fn mapping(random: &mut Random, indent: usize, depth: usize, text: &mut String) {
    let mut keys: Vec<&str> = Vec::new();
    for _ in 0..=random.below(4) {
        let key = random.pick(KEYS);
        if keys.contains(&key) {
            continue;
        }
        keys.push(key);
        comments(random, indent, text);
        text.extend([format!("{}{key}:", " ".repeat(indent))]);
        value(random, indent, depth, text);
    }
    foot(random, indent, text);
}

fn value(random: &mut Random, indent: usize, depth: usize, text: &mut String) {
    match random.below(if depth < 3 { 9 } else { 6 }) {
        0 => block(random, indent, text),
        1..6 => {
            text.extend([format!(" {}", random.pick(YAML))]);
            if random.one_in(8) {
                text.push_str(" # at the end");
            }
            text.push('\n');
        }
        6 => {
            text.push('\n');
            list(random, indent + 2, depth + 1, text);
        }
        _ => {
            text.push('\n');
            mapping(random, indent + 2, depth + 1, text);
        }
    }
}

fn list(random: &mut Random, indent: usize, depth: usize, text: &mut String) {
    for _ in 0..=random.below(3) {
        comments(random, indent, text);
        text.extend([format!("{}-", " ".repeat(indent))]);
        if depth < 3 && random.one_in(3) {
            // A mapping whose first key stands behind the dash.
            let mut inner = String::new();
            mapping(random, indent + 2, depth + 1, &mut inner);
            match inner.trim_start() {
                start if !start.starts_with('#') => text.extend([" ", start]),
                _ => text.push_str(" x\n"),
            }
        } else {
            value(random, indent, 9, text);
        }
    }
    foot(random, indent, text);
}

fn block(random: &mut Random, indent: usize, text: &mut String) {
    text.extend([format!(" {}\n", random.pick(&["|", "|-", "|+", ">", ">-"]))]);
    for _ in 0..=random.below(3) {
        let line = random.pick(&["line one", "# no comment", "  deeper", "", "key: value", "ünï"]);
        text.extend([format!("{}{line}\n", " ".repeat(indent + 2))]);
    }
    // A text of spaces only would have no end that YAML can see.
    text.extend([format!("{}end\n", " ".repeat(indent + 2))]);
}

fn comments(random: &mut Random, indent: usize, text: &mut String) {
    if random.one_in(5) {
        for _ in 0..=random.below(2) {
            text.extend([format!("{}{}\n", " ".repeat(indent), random.pick(COMMENTS))]);
        }
        if random.one_in(5) {
            text.push('\n');
        }
    }
}

fn foot(random: &mut Random, indent: usize, text: &mut String) {
    if random.one_in(8) {
        text.extend([format!("{}{}\n", " ".repeat(indent), random.pick(COMMENTS))]);
        if random.one_in(2) {
            text.push('\n');
        }
    }
}

fn json(random: &mut Random, depth: usize) -> serde_json::Value {
    let branches = if depth < 4 { 9 } else { 6 };
    match if depth == 0 { 8 } else { random.below(branches) } {
        0 => serde_json::Value::Null,
        1 => random.one_in(2).into(),
        2 => (random.next() >> random.below(64)).into(),
        3 => [0.1, -1.5e300, 1e21, 1e-7, 123_456.789, 5e-324].get(random.below(6)).copied().into(),
        4 | 5 => {
            format!("{}{}", random.pick(TEXTS), random.pick(&["", "<&>", "\n", "\u{2028}", "\u{7f}\u{1}"]))
                .into()
        }
        6 | 7 => (0..random.below(4)).map(|_| json(random, depth + 1)).collect::<Vec<_>>().into(),
        _ => {
            let keys = random.below(5) + usize::from(depth == 0);
            let keys = (0..keys).map(|index| format!("{}{index}", random.pick(KEYS).trim_matches('"')));
            let keys: Vec<String> = keys.collect();
            serde_json::Value::Object(keys.into_iter().map(|key| (key, json(random, depth + 1))).collect())
        }
    }
}

fn dotenv(random: &mut Random) -> String {
    let mut text = String::new();
    for index in 0..=random.below(6) {
        if random.one_in(4) {
            text.extend([random.pick(COMMENTS), "\n"]);
        }
        text.extend([format!(
            "{}_{index}={}\n",
            random.pick(&["KEY", "secret", "data", "a.b"]),
            random.pick(TEXTS)
        )]);
        if random.one_in(6) {
            text.push('\n');
        }
    }
    text
}

fn ini(random: &mut Random) -> String {
    let mut text = String::new();
    if random.one_in(3) {
        ini_keys(random, &mut text);
    }
    for index in 0..=random.below(3) {
        if random.one_in(4) {
            text.extend([random.pick(&["; of the section", "# of the section"]), "\n"]);
        }
        text.extend([format!("[{}{index}]\n", random.pick(&["section", "a.b", "with space"]))]);
        ini_keys(random, &mut text);
    }
    text
}

fn ini_keys(random: &mut Random, text: &mut String) {
    for index in 0..random.below(4) {
        if random.one_in(4) {
            text.extend([random.pick(&["; of the key", "# of the key", ";; two"]), "\n"]);
        }
        let value = random.pick(&[
            "value",
            "",
            "\"quoted\"",
            "'single'",
            "`tick # no comment`",
            "with ; comment",
            "\"\"\"three\"\"\"",
            "a=b",
            "ünï",
            "123",
            "true",
            "\"\"\"two\nlines\"\"\"",
            "slash\\\nmore",
            "\"  \"",
        ]);
        text.extend([format!("{}{index} = {value}\n", random.pick(&["key", "k", "data", "a b"]))]);
    }
}
