//! Go's expressions in the words of Rust's: the same meaning, and Go's errors for what Go refuses.

/// How often something may be repeated.
const REPEATS: u32 = 1000;

/// The expression for Rust, or what Go says is wrong.
pub fn translated(text: &str) -> Result<String, String> {
    let mut translator = Translator { text, rest: text, out: String::new(), groups: 0, atom: Atom::Nothing };
    translator.run()?;
    Ok(translator.out)
}

/// What stands before a repetition.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Atom {
    Nothing,
    Something,
    /// Repeated already: where that repetition began.
    Repeated(usize),
}

struct Translator<'t> {
    text: &'t str,
    rest: &'t str,
    out: String,
    groups: usize,
    atom: Atom,
}

impl<'t> Translator<'t> {
    fn next(&mut self) -> Option<char> {
        let character = self.rest.chars().next()?;
        self.rest = self.rest.get(character.len_utf8()..).unwrap_or_default();
        Some(character)
    }

    fn at(&self) -> usize {
        self.text.len() - self.rest.len()
    }

    fn since(&self, start: usize) -> &'t str {
        self.text.get(start..self.at()).unwrap_or_default()
    }

    fn run(&mut self) -> Result<(), String> {
        while !self.rest.is_empty() {
            let start = self.at();
            let Some(character) = self.next() else { break };
            match character {
                '(' => self.group(start)?,
                ')' if self.groups == 0 => return Err(format!("unexpected ): `{}`", self.text)),
                ')' => {
                    self.groups -= 1;
                    self.push(")");
                }
                '|' => {
                    self.out.push('|');
                    self.atom = Atom::Nothing;
                }
                '[' => self.class(start)?,
                '*' | '+' | '?' => self.repeat(start, &character.to_string())?,
                '{' => match self.counted() {
                    Some(counts) => self.counted_repeat(start, &counts)?,
                    None => self.push(r"\{"),
                },
                '}' => self.push(r"\}"),
                '\\' => self.escape(start)?,
                '#' | '&' | '~' | '-' | ' ' => self.push(&character.to_string()),
                other => self.push(&other.to_string()),
            }
        }
        if self.groups > 0 {
            return Err(format!("missing closing ): `{}`", self.text));
        }
        Ok(())
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
        self.atom = Atom::Something;
    }

    fn group(&mut self, start: usize) -> Result<(), String> {
        self.groups += 1;
        self.out.push('(');
        self.atom = Atom::Nothing;
        let Some(flags) = self.rest.strip_prefix('?') else { return Ok(()) };
        let named = flags.strip_prefix("P<").or_else(|| flags.strip_prefix('<'));
        if let Some(name) = named {
            let Some(end) = name.find('>') else {
                return Err(format!(
                    "invalid named capture: `{}`",
                    self.text.get(start..).unwrap_or_default()
                ));
            };
            let valid = |name: &str| {
                !name.is_empty() && name.chars().all(|one| one.is_ascii_alphanumeric() || one == '_')
            };
            let name = name.get(..end).unwrap_or_default();
            let taken = self.rest.find('>').map_or(0, |at| at + 1);
            self.rest = self.rest.get(taken..).unwrap_or_default();
            if !valid(name) {
                return Err(format!("invalid named capture: `{}`", self.since(start)));
            }
            // Go's names may begin with a digit.
            self.out.extend(["?P<", name, ">"]);
            return Ok(());
        }
        let end = self.rest.find([')', ':']);
        let Some(end) = end else {
            return Err(format!("missing argument to repetition operator: `{}`", "?"));
        };
        let flags = self.rest.get(1..end).unwrap_or_default();
        let closed = self.rest.get(end..).is_some_and(|rest| rest.starts_with(')'));
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        let known = flags.chars().all(|flag| matches!(flag, 'i' | 'm' | 's' | 'U' | '-'));
        if !known || flags.matches('-').count() > 1 || flags.ends_with('-') {
            let wrong = flags.find(|flag| !matches!(flag, 'i' | 'm' | 's' | 'U' | '-'));
            let width = wrong.map_or(flags.len(), |at| at + 1);
            let shown = flags.get(..width).unwrap_or(flags);
            return Err(format!("invalid or unsupported Perl syntax: `(?{shown}`"));
        }
        self.out.extend(["?", flags]);
        self.out.push(if closed { ')' } else { ':' });
        if closed {
            self.groups -= 1;
        }
        Ok(())
    }

    fn repeat(&mut self, start: usize, operator: &str) -> Result<(), String> {
        match self.atom {
            Atom::Nothing => {
                return Err(format!("missing argument to repetition operator: `{operator}`"));
            }
            Atom::Repeated(first) => {
                return Err(format!("invalid nested repetition operator: `{}`", self.since(first)));
            }
            Atom::Something => {}
        }
        self.out.push_str(operator);
        if self.rest.starts_with('?') {
            self.next();
            self.out.push('?');
        }
        self.atom = Atom::Repeated(start);
        Ok(())
    }

    /// `{2,3}` without its first brace; nothing when it is only text.
    fn counted(&mut self) -> Option<String> {
        let end = self.rest.find('}')?;
        let counts = self.rest.get(..end)?;
        let (low, high) = counts.split_once(',').unwrap_or((counts, counts));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let leading = |text: &str| text.len() > 1 && text.starts_with('0');
        if !digits(low) || !(high.is_empty() || digits(high)) || leading(low) || leading(high) {
            return None;
        }
        self.rest = self.rest.get(end + 1..)?;
        Some(counts.to_owned())
    }

    fn counted_repeat(&mut self, start: usize, counts: &str) -> Result<(), String> {
        let (low, high) = counts.split_once(',').unwrap_or((counts, counts));
        let low: u32 = low.parse().unwrap_or(u32::MAX);
        let high = if high.is_empty() { None } else { Some(high.parse().unwrap_or(u32::MAX)) };
        if low > REPEATS || high.is_some_and(|high| high > REPEATS || low > high) {
            return Err(format!("invalid repeat count: `{{{counts}}}`"));
        }
        self.repeat(start, &format!("{{{counts}}}"))
    }

    fn escape(&mut self, start: usize) -> Result<(), String> {
        let Some(character) = self.next() else {
            return Err("trailing backslash at end of expression: ``".to_owned());
        };
        match character {
            'd' => self.push("[0-9]"),
            'D' => self.push("[^0-9]"),
            'w' => self.push("[0-9A-Za-z_]"),
            'W' => self.push("[^0-9A-Za-z_]"),
            's' => self.push(r"[\t\n\f\r ]"),
            'S' => self.push(r"[^\t\n\f\r ]"),
            'b' => self.push(r"(?-u:\b)"),
            'B' => self.push(r"(?-u:\B)"),
            'Q' => {
                let end = self.rest.find(r"\E");
                let literal = self.rest.get(..end.unwrap_or(self.rest.len())).unwrap_or_default();
                let skip = end.map_or(self.rest.len(), |end| end + 2);
                self.rest = self.rest.get(skip..).unwrap_or_default();
                self.push(&regex::escape(literal));
            }
            'E' => {}
            'C' => self.push("(?s-u:.)"),
            'A' | 'z' => self.push(&format!("\\{character}")),
            _ => {
                let escaped = self.character_escape(start, character)?;
                self.push(&escaped);
            }
        }
        Ok(())
    }

    /// An escape that stands for one character or a Unicode class.
    fn character_escape(&mut self, start: usize, character: char) -> Result<String, String> {
        let wrong = |translator: &Self| format!("invalid escape sequence: `{}`", translator.since(start));
        match character {
            'a' => Ok(r"\x07".to_owned()),
            'f' | 'n' | 'r' | 't' | 'v' => Ok(format!("\\{character}")),
            'p' | 'P' => self.unicode_class(start, character),
            'x' => self.hex(start),
            '0'..='7' => {
                // One to three octal digits; only zero may stand alone.
                let more = self.rest.bytes().take(2).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
                if character != '0' && more == 0 {
                    return Err(wrong(self));
                }
                self.rest = self.rest.get(more..).unwrap_or_default();
                let digits = self.since(start).trim_start_matches('\\');
                let code = u32::from_str_radix(digits, 8).unwrap_or(0);
                Ok(format!("\\x{{{code:x}}}"))
            }
            other if other.is_ascii() && !other.is_ascii_alphanumeric() => {
                Ok(regex::escape(&other.to_string()))
            }
            _ => Err(wrong(self)),
        }
    }

    fn hex(&mut self, start: usize) -> Result<String, String> {
        let (digits, skip) = match self.rest.strip_prefix('{') {
            Some(braced) => {
                let end = braced.find('}').unwrap_or(0);
                (braced.get(..end).unwrap_or_default(), end + 2)
            }
            None => (self.rest.get(..2).unwrap_or_default(), 2),
        };
        let code = u32::from_str_radix(digits, 16).ok().filter(|code| *code <= 0x0010_FFFF);
        match code {
            Some(code) => {
                self.rest = self.rest.get(skip..).unwrap_or_default();
                Ok(format!("\\x{{{code:x}}}"))
            }
            None => Err(format!("invalid escape sequence: `{}`", self.since(start))),
        }
    }

    fn unicode_class(&mut self, start: usize, letter: char) -> Result<String, String> {
        let (name, skip) = if let Some(braced) = self.rest.strip_prefix('{') {
            let Some(end) = braced.find('}') else {
                let shown = self.text.get(start..).unwrap_or_default();
                return Err(format!("invalid character class range: `{shown}`"));
            };
            (braced.get(..end).unwrap_or_default(), end + 2)
        } else {
            let width = self.rest.chars().next().map_or(0, char::len_utf8);
            (self.rest.get(..width).unwrap_or_default(), width)
        };
        self.rest = self.rest.get(skip..).unwrap_or_default();
        let (negated, name) = name.strip_prefix('^').map_or((false, name), |name| (true, name));
        let letter = if negated == (letter == 'p') { 'P' } else { 'p' };
        let class = match name {
            "Any" if letter == 'p' => r"[\x{0}-\x{10FFFF}]".to_owned(),
            name => format!("\\{letter}{{{name}}}"),
        };
        if name.is_empty() || regex::Regex::new(&class).is_err() {
            return Err(format!("invalid character class range: `{}`", self.since(start)));
        }
        Ok(class)
    }

    fn class(&mut self, start: usize) -> Result<(), String> {
        let mut class = String::from("[");
        if self.rest.starts_with('^') {
            self.next();
            class.push('^');
        }
        let missing = |translator: &Self| {
            format!("missing closing ]: `{}`", translator.text.get(start..).unwrap_or_default())
        };
        let mut first = true;
        loop {
            if self.rest.is_empty() {
                return Err(missing(self));
            }
            if self.rest.starts_with(']') && !first {
                self.next();
                break;
            }
            // A hyphen is itself at both ends only.
            if self.rest.starts_with('-') && !first && !self.rest.starts_with("-]") {
                let shown: String = self.rest.chars().take(2).collect();
                return Err(format!("invalid character class range: `{shown}`"));
            }
            first = false;
            if self.class_word(&mut class)? {
                continue;
            }
            let range_start = self.at();
            let low = self.class_character().map_err(|error| error.unwrap_or_else(|| missing(self)))?;
            class.push_str(&low.1);
            if self.rest.starts_with('-') && !self.rest.starts_with("-]") {
                self.next();
                if self.rest.is_empty() {
                    return Err(missing(self));
                }
                let high = self.class_character().map_err(|error| error.unwrap_or_else(|| missing(self)))?;
                if high.0 < low.0 {
                    return Err(format!("invalid character class range: `{}`", self.since(range_start)));
                }
                class.push('-');
                class.push_str(&high.1);
            }
        }
        class.push(']');
        self.push(&class);
        Ok(())
    }

    /// `[:alpha:]`, `\d` and `\pL` in a class; whether there was one.
    fn class_word(&mut self, class: &mut String) -> Result<bool, String> {
        if let Some(posix) = self.rest.strip_prefix("[:")
            && let Some(end) = posix.find(":]")
        {
            let name = self.rest.get(..end + 4).unwrap_or_default();
            if regex::Regex::new(&format!("[{name}]")).is_err() {
                return Err(format!("invalid character class range: `{name}`"));
            }
            class.push_str(name);
            self.rest = self.rest.get(end + 4..).unwrap_or_default();
            return Ok(true);
        }
        let start = self.at();
        let Some(letter) = self.rest.strip_prefix('\\').and_then(|rest| rest.chars().next()) else {
            return Ok(false);
        };
        let known = match letter {
            'd' => "0-9",
            'D' => "[^0-9]",
            'w' => "0-9A-Za-z_",
            'W' => "[^0-9A-Za-z_]",
            's' => r"\t\n\f\r ",
            'S' => r"[^\t\n\f\r ]",
            'p' | 'P' => {
                self.rest = self.rest.get(2..).unwrap_or_default();
                class.push_str(&self.unicode_class(start, letter)?);
                return Ok(true);
            }
            _ => return Ok(false),
        };
        self.rest = self.rest.get(2..).unwrap_or_default();
        class.push_str(known);
        Ok(true)
    }

    /// One character of a class: its number, and itself for Rust. Without a message the class is not closed.
    fn class_character(&mut self) -> Result<(u32, String), Option<String>> {
        let start = self.at();
        let Some(character) = self.next() else { return Err(None) };
        if character != '\\' {
            let code = u32::from(character);
            return Ok((code, format!("\\x{{{code:x}}}")));
        }
        let Some(escaped) = self.next() else {
            return Err(Some("trailing backslash at end of expression: ``".to_owned()));
        };
        let escaped = self.character_escape(start, escaped).map_err(Some)?;
        let code = match escaped.as_bytes() {
            [b'\\', b'f'] => 12,
            [b'\\', b'n'] => 10,
            [b'\\', b'r'] => 13,
            [b'\\', b't'] => 9,
            [b'\\', b'v'] => 11,
            [b'\\', b'x', b'{', digits @ .., b'}'] => str::from_utf8(digits)
                .ok()
                .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                .unwrap_or(0),
            [b'\\', b'x', ..] => 7,
            [.., last] => u32::from(*last),
            [] => 0,
        };
        Ok((code, format!("\\x{{{code:x}}}")))
    }
}
