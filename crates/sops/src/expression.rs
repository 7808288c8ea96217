//! Go's regular expressions as ours: the classes of ASCII, quoted stretches, and what is special in a class only here.
//!
//! <https://pkg.go.dev/regexp/syntax>

use regex::bytes::Regex;

/// Compiles an expression as Go means it; the error says what is wrong with it.
pub(crate) fn compile(expression: &str) -> Result<Regex, String> {
    Regex::new(&translate(expression)).map_err(|error| format!("the expression `{expression}`: {error}"))
}

fn translate(expression: &str) -> String {
    let mut text = String::with_capacity(expression.len());
    let mut rest = expression;
    let mut class = Class::Outside;
    while let Some(letter) = rest.chars().next() {
        if let Some(quoted) = rest.strip_prefix("\\Q").filter(|_| class == Class::Outside) {
            let (inside, behind) = quoted.split_once("\\E").unwrap_or((quoted, ""));
            text.push_str(&regex::escape(inside));
            rest = behind;
            continue;
        }
        if let Some(escaped) = rest.strip_prefix('\\').and_then(|rest| rest.chars().next()) {
            text.push_str(&escape(escaped, class));
            rest = rest.get(1 + escaped.len_utf8()..).unwrap_or_default();
            class = class.after();
            continue;
        }
        if let (true, Some((name, _))) =
            (class != Class::Outside && rest.starts_with("[:"), rest.split_once(":]"))
        {
            text.extend([name, ":]"]);
            rest = rest.get(name.len() + 2..).unwrap_or_default();
            class = class.after();
            continue;
        }
        let (piece, next) = class.take(letter);
        text.push_str(&piece);
        class = next;
        rest = rest.get(letter.len_utf8()..).unwrap_or_default();
    }
    text
}

/// Where in a class we are: a bracket that comes first in it is a letter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Outside,
    Start,
    Negated,
    Inside,
}

impl Class {
    fn after(self) -> Self {
        if self == Self::Outside { Self::Outside } else { Self::Inside }
    }

    /// What to write for a letter, and where we are then.
    fn take(self, letter: char) -> (String, Self) {
        match (self, letter) {
            (Self::Outside, '[') => ("[".into(), Self::Start),
            (Self::Outside, letter) => (letter.into(), Self::Outside),
            (Self::Start, '^') => ("^".into(), Self::Negated),
            (Self::Inside, ']') => ("]".into(), Self::Outside),
            // Sets in sets, and operations on them, are ours alone.
            (_, '[' | ']' | '&' | '~') => (format!("\\{letter}"), Self::Inside),
            (_, letter) => (letter.into(), Self::Inside),
        }
    }
}

fn escape(letter: char, class: Class) -> String {
    match letter {
        'd' => "[0-9]".into(),
        'D' => "[^0-9]".into(),
        'w' => "[0-9A-Za-z_]".into(),
        'W' => "[^0-9A-Za-z_]".into(),
        's' => r"[\t\n\f\r ]".into(),
        'S' => r"[^\t\n\f\r ]".into(),
        'b' | 'B' if class == Class::Outside => format!(r"(?-u:\{letter})"),
        other => format!(r"\{other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_mean_what_they_mean_in_go() {
        let cases = [
            (r"^\d+$", "12", true),
            (r"^\d+$", "١٢", false),
            (r"^\w+$", "é", false),
            (r"^[\w-]+$", "a-b_9", true),
            (r"^[^\d]$", "7", false),
            (r"\Qa.b\E$", "xa.b", true),
            (r"\Qa.b\E", "axb", false),
            (r"\Q[", "[", true),
            (r"^[[]$", "[", true),
            (r"^[]a]+$", "]a", true),
            (r"^[^]a]+$", "b[", true),
            (r"^[a&&b]+$", "&a&", true),
            (r"^[a~~b]+$", "~", true),
            (r"^[[:alpha:]_]+$", "ab_", true),
            (r"^[[:alpha:]_]+$", "1", false),
            (r"\bkey\b", "a key b", true),
            (r"\bkey\b", "ékey", true),
            (r"^(data|stringData)$", "data", true),
            (r"(?i)^É$", "é", true),
            (r"^\[x\]$", "[x]", true),
            (r"^.$", "é", true),
            (r"^\pL$", "é", true),
            (r"\x41\.", "A.", true),
        ];
        for (expression, text, expected) in cases {
            let regex = compile(expression).expect(expression);
            assert_eq!(regex.is_match(text.as_bytes()), expected, "{expression} on {text}");
        }
        assert!(compile("(").is_err());
        assert!(compile("[a").is_err());
    }
}
