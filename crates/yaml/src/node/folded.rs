//! Folded texts that go-yaml v3 writes and reads again, which changes some of them.
//!
//! Its writer looks at the first letter of the whole text where it should look at the next line, so a line that is
//! indented more gets an empty one in front of it, and a text that begins with a space loses its line breaks.

use std::borrow::Cow;

use crate::emit;

/// A text in folded style after it was written and read.
pub(super) fn round_trip(text: &str) -> Cow<'_, str> {
    let first = text.trim_start_matches('\n').chars().next();
    let Some(first) = first.filter(|_| emit::is_block(text)) else { return Cow::Borrowed(text) };
    Cow::Owned(read(&written(text, !is_blank(first)), text))
}

fn is_blank(letter: char) -> bool {
    letter == ' ' || letter == '\t'
}

/// The lines as they are written, without their indentation.
fn written(text: &str, breaks_doubled: bool) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let (mut after_break, mut indented) = (true, true);
    for letter in text.chars() {
        if letter == '\n' {
            if !after_break && !indented && breaks_doubled {
                out.push('\n');
            }
            after_break = true;
        } else if after_break {
            indented = is_blank(letter);
            after_break = false;
        }
        out.push(letter);
    }
    out
}

/// The text that written lines stand for; the end is kept as that of the text before.
fn read(lines: &str, before: &str) -> String {
    let mut text = String::with_capacity(lines.len());
    // The break of the last line, those of empty lines behind it, and whether it was indented more.
    let (mut broken, mut empty, mut indented) = (false, 0, false);
    let mut rest = lines;
    while !rest.is_empty() {
        let (line, more) = rest.split_once('\n').unwrap_or((rest, ""));
        let ends = rest.len() > line.len();
        rest = more;
        if line.is_empty() {
            empty += 1;
            continue;
        }
        let blank = line.starts_with(is_blank);
        if broken && (indented || blank) {
            text.push('\n');
        } else if broken && empty == 0 {
            text.push(' ');
        }
        text.extend(std::iter::repeat_n('\n', empty));
        text.push_str(line);
        (broken, empty, indented) = (ends, 0, blank);
    }
    if broken && before.ends_with('\n') {
        text.push('\n');
    }
    if before.ends_with("\n\n") {
        text.extend(std::iter::repeat_n('\n', empty));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_indented_more_get_an_empty_one_in_front() {
        assert_eq!(round_trip("a\n  b\nc\n"), "a\n\n  b\nc\n");
        assert_eq!(round_trip("one\ntwo\n"), "one\ntwo\n");
        assert_eq!(round_trip("one two"), "one two");
    }

    #[test]
    fn a_text_that_begins_with_a_space_loses_breaks() {
        assert_eq!(round_trip(" a\nb\nc\n"), " a\nb c\n");
    }

    #[test]
    fn what_is_quoted_stays() {
        assert_eq!(round_trip("a \n  b\n"), "a \n  b\n");
        assert_eq!(round_trip(""), "");
    }
}
