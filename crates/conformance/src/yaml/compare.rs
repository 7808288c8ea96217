//! Who is right: the judgement over one case.

use serde_json::Value;
use towpath_yaml::{Error, Kind, Limits};

use super::oracle::{Answer, Part, Question};
use crate::score::Verdict;

// The differences that are meant, by name.
const DUPLICATE: &str =
    "a key written twice: refused by us and by Go's strict reader; kubectl keeps the last one silently";
const CONVERTED: &str =
    "two keys that are the same as JSON strings (1 and \"1\"): refused by us; Go keeps either, by chance";
const BEHIND: &str =
    "text behind the end of a document: refused by us and by go-yaml when it reads on; kubectl ignores it";
const INLINE: &str = "a document that starts on its `---` line: read by us and by go-yaml; kubectl does not cut there and ignores it";
const DIRECTIVE: &str =
    "a directive line before `---`: read by us and by go-yaml; kubectl cuts it from its document and fails";
const CUT: &str = "what stands on a `---` line besides a comment of its own: never read by kubectl, which drops the line unseen";
const ENDED: &str = "a document that is empty but for `...`: read by us and by go-yaml; kubectl's cut leaves the dots alone, and fails";
const MARK: &str = "a byte order mark inside the text: no text to us where a document may start, else text; go-yaml looks for it at the wrong place of its buffer";
const JSON: &str =
    "JSON that is not YAML 1.1 (`\\/`, surrogate pairs): read by us; kubectl reads it with its JSON decoder";
const DEPTH: &str = "nested deeper than our limit, which is far below Go's 10,000";
const MERGE_KEY: &str =
    "the key `<<`: written in quotes by us; Go writes it so that it is read back as a merge";
const ORDER: &str = "keys whose natural order runs in a circle: Go's result depends on chance";

/// Compares our answer with Go's.
pub fn judge(question: &Question, answer: &Answer) -> Verdict {
    match question {
        Question::Decode(text) => decode(text, answer),
        Question::Encode(value) => encode(value, answer),
    }
}

fn decode(text: &[u8], answer: &Answer) -> Verdict {
    let ours = towpath_yaml::documents(text, &Limits::default());
    let ours = ours.map(|documents| documents.into_iter().map(|document| document.value).collect::<Vec<_>>());
    let theirs = theirs(answer);
    let agreed = match (&ours, &theirs) {
        (Ok(ours), Ok(theirs)) => same_list(ours, theirs),
        (Err(_), Err(_)) => true,
        _ => false,
    };
    if agreed {
        return Verdict::Agreed;
    }
    if let Some(class) = declared(text, &ours, &answer.parts) {
        return Verdict::Declared(class);
    }
    let ours = match ours {
        Ok(values) => Value::Array(values).to_string(),
        Err(error) => format!("{error} ({:?})", error.kind),
    };
    let theirs = theirs.unwrap_or_else(|error| vec![Value::String(error)]);
    Verdict::Missed(format!(
        "  text {}\n  ours {ours}\n  Go   {}",
        String::from_utf8_lossy(text).chars().take(2000).collect::<String>().escape_debug(),
        Value::Array(theirs)
    ))
}

/// The values that Go reads, nulls left out; or why it refuses.
fn theirs(answer: &Answer) -> Result<Vec<Value>, String> {
    if !answer.error.is_empty() {
        return Err(answer.error.clone());
    }
    let mut values = Vec::new();
    for part in &answer.parts {
        if !part.error.is_empty() {
            return Err(part.error.clone());
        }
        let value: Value =
            serde_json::from_str(&part.json).map_err(|error| format!("unreadable JSON: {error}"))?;
        if !value.is_null() {
            values.push(value);
        }
    }
    Ok(values)
}

/// The class of a difference that is meant.
fn declared(text: &[u8], ours: &Result<Vec<Value>, Error>, parts: &[Part]) -> Option<&'static str> {
    let any = |test: fn(&Part) -> bool| parts.iter().any(test);
    let any_line = |test: fn(&[u8]) -> bool| text.split(|byte| matches!(byte, b'\n' | b'\r')).any(test);
    if let Err(error) = ours {
        match error.kind {
            Kind::Duplicate if any(|part| part.strict_error.contains("already set in map")) => {
                return Some(DUPLICATE);
            }
            Kind::Duplicate => return Some(CONVERTED),
            Kind::Limit if error.message.starts_with("nested") => return Some(DEPTH),
            _ => {}
        }
    }
    let classes = [
        (CUT, text.split(|byte| *byte == b'\n').any(odd_marker) || is_utf_16(text)),
        (BEHIND, ours.is_err() && any(|part| !part.stream_error.is_empty())),
        (INLINE, any(|part| part.documents > 1)),
        (JSON, ours.is_ok() && is_json(text)),
        (DIRECTIVE, ours.is_ok() && any_line(|line| line.starts_with(b"%"))),
        (ENDED, ours.is_ok() && any_line(|line| line.starts_with(b"..."))),
        (MARK, text.get(3..).unwrap_or_default().windows(3).any(|bytes| bytes == "\u{FEFF}".as_bytes())),
    ];
    classes.into_iter().find_map(|(class, holds)| holds.then_some(class))
}

/// A `---` line at which kubectl cuts, but which is more to a YAML reader than a marker and a comment.
fn odd_marker(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"---") else { return false };
    let rest = rest.strip_suffix(b"\r").unwrap_or(rest);
    let plain = rest.iter().all(|byte| matches!(byte, b'\t' | b' '..=b'~'));
    let text = String::from_utf8_lossy(rest);
    matches!(text.trim().chars().next(), None | Some('#')) && (!plain || rest.starts_with(b"#"))
}

/// kubectl looks for `---` lines in the bytes, without a thought for UTF-16.
fn is_utf_16(text: &[u8]) -> bool {
    text.starts_with(&[0xFF, 0xFE]) || text.starts_with(&[0xFE, 0xFF])
}

fn is_json(text: &[u8]) -> bool {
    let starts =
        text.iter().find(|byte| !byte.is_ascii_whitespace()).is_some_and(|byte| matches!(byte, b'{' | b'['));
    starts && serde_json::Deserializer::from_slice(text).into_iter::<Value>().all(|value| value.is_ok())
}

fn same_list(ours: &[Value], theirs: &[Value]) -> bool {
    ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(ours, theirs)| same(ours, theirs))
}

/// Equal values; floats may differ by the last digit, in which serde_json's reader of Go's answer is not exact.
pub fn same(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Array(ours), Value::Array(theirs)) => same_list(ours, theirs),
        (Value::Object(ours), Value::Object(theirs)) => {
            ours.len() == theirs.len()
                && ours.iter().all(|(key, ours)| theirs.get(key).is_some_and(|theirs| same(ours, theirs)))
        }
        (Value::Number(ours), Value::Number(theirs)) => {
            ours == theirs
                || match (ours.as_f64(), theirs.as_f64()) {
                    (Some(a), Some(b)) if ours.is_f64() || theirs.is_f64() => {
                        (a - b).abs() <= a.abs() * 1e-15
                    }
                    _ => false,
                }
        }
        _ => ours == theirs,
    }
}

fn encode(value: &Value, answer: &Answer) -> Verdict {
    let ours = towpath_yaml::to_string(value);
    let theirs = if answer.error.is_empty() { answer.written() } else { Ok(answer.error.clone()) };
    let theirs = theirs.unwrap_or_else(|error| error.to_string());
    if ours == theirs {
        return Verdict::Agreed;
    }
    if has_merge_key(value) {
        return Verdict::Declared(MERGE_KEY);
    }
    if sorted_lines(&ours) == sorted_lines(&theirs) && has_circle(value) {
        return Verdict::Declared(ORDER);
    }
    let differ = ours.lines().zip(theirs.lines()).find(|(ours, theirs)| ours != theirs);
    let (our_line, their_line) = differ.unwrap_or((&ours, &theirs));
    Verdict::Missed(format!(
        "  JSON {value}\n  ours {}\n  Go   {}",
        our_line.escape_debug(),
        their_line.escape_debug()
    ))
}

/// The lines without indentation, in an order that does not depend on that of the keys.
fn sorted_lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().map(|line| line.trim_start_matches([' ', '-'])).collect();
    lines.sort_unstable();
    lines
}

fn has_merge_key(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.contains_key("<<") || map.values().any(has_merge_key),
        Value::Array(items) => items.iter().any(has_merge_key),
        _ => false,
    }
}

/// Whether an object has keys that mix digits with letters or signs at the same place, as circles need.
fn has_circle(value: &Value) -> bool {
    let digits = |key: &String| key.contains(|digit: char| digit.is_ascii_digit());
    match value {
        Value::Object(map) => {
            map.keys().filter(|key| digits(key)).count() > 2 || map.values().any(has_circle)
        }
        Value::Array(items) => items.iter().any(has_circle),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer(json: &str, part: Part) -> Answer {
        let json = json.to_owned();
        Answer { parts: vec![Part { json, ..part }], ..Answer::default() }
    }

    fn verdict(text: &str, answer: &Answer) -> Verdict {
        judge(&Question::Decode(text.as_bytes().to_vec()), answer)
    }

    #[test]
    fn numbers_may_be_written_differently() {
        assert!(same(&json!({"a": [1, 1.5]}), &json!({"a": [1.0, 1.5]})));
        assert!(!same(&json!(1), &json!(2)));
        assert!(!same(&json!({"a": 1}), &json!({"b": 1})));
    }

    #[test]
    fn only_declared_differences_count_as_agreement() {
        let twice = Part { strict_error: "key \"a\" already set in map".into(), ..Part::default() };
        assert!(matches!(verdict("a: 1", &answer(r#"{"a":1}"#, Part::default())), Verdict::Agreed));
        assert!(matches!(verdict("a: 1\na: 2", &answer(r#"{"a":2}"#, twice)), Verdict::Declared(DUPLICATE)));
        assert!(matches!(verdict("a: 1", &answer(r#"{"a":2}"#, Part::default())), Verdict::Missed(_)));
        assert!(matches!(verdict("a: [", &answer(r#"{"a":2}"#, Part::default())), Verdict::Missed(_)));
    }

    #[test]
    fn written_text_is_compared_by_bytes() {
        let written = |yaml: &str| Answer { yaml: yaml.into(), ..Answer::default() };
        let question = Question::Encode(json!({"a": "y"}));
        // a: "y" and a: y, in base64
        assert!(matches!(judge(&question, &written("YTogInkiCg==")), Verdict::Agreed));
        assert!(matches!(judge(&question, &written("YTogeQo=")), Verdict::Missed(_)));
    }
}
