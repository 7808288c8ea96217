//! Who is right: the judgement over one text.

use serde_json::{Value, json};
use towpath_yaml::{Content, Dialect, Error, Kind, Limits, Node, Tag};

use super::oracle::{Answer, Question};
use crate::score::Verdict;

// The differences that are meant, by name.
const KEY: &str = "a list or mapping as a key: refused by us when read; kyaml refuses it when it is written";
const BEHIND: &str =
    "what follows a document and is no YAML: not looked at by us; go-yaml v3 looks some words ahead";
const DEPTH: &str = "nested deeper than our limit, which is far below Go's 10,000";
const MARK: &str = "a byte order mark inside the text: no text to us where a document may start, else text; go-yaml looks for it at the wrong place of its buffer";
const ENCODING: &str =
    "bytes that are no text: refused by us as a whole; kyaml cuts the text into documents first";
const ITSELF: &str =
    "an anchor inside of its own value: refused by us; kyaml follows it until its stack is full";
const BOMB: &str = "aliases that repeat too much: refused by us; kyaml expands them until the memory is full";

/// The class of a text that must not be asked about, because it ends the process of who asks kyaml.
pub fn fatal(text: &[u8]) -> Option<&'static str> {
    match towpath_yaml::read(text, Dialect::V3, &Limits::default()) {
        Err(error) if error.message.ends_with("contains itself") => Some(ITSELF),
        Err(error) if error.kind == Kind::Limit && error.message.contains("aliases") => Some(BOMB),
        _ => None,
    }
}

/// Compares our answer with Go's.
pub fn judge(question: &Question, answer: &Answer) -> Verdict {
    match question {
        Question::Read(text) => read(text, answer),
        Question::Values(text) => values(text, answer),
        Question::Merge { .. } | Question::Json6902 { .. } => Verdict::Missed("not a text".into()),
    }
}

fn read(text: &[u8], answer: &Answer) -> Verdict {
    let ours = towpath_yaml::read(text, Dialect::V3, &Limits::default());
    let difference = match (&ours, answer.error.as_str()) {
        (Err(_), error) if !error.is_empty() => return Verdict::Agreed,
        (Ok(nodes), "") => differ(nodes, answer),
        _ => Some(String::new()),
    };
    let Some(difference) = difference else { return Verdict::Agreed };
    if ours.is_ok() && !answer.error.is_empty() && towpath_yaml::documents(text, &Limits::default()).is_err()
    {
        return Verdict::Declared(BEHIND);
    }
    if let Some(class) = declared(text, &ours) {
        return Verdict::Declared(class);
    }
    let ours = match ours {
        Ok(nodes) => Value::Array(nodes.iter().map(tree).collect()).to_string(),
        Err(error) => format!("{error} ({:?})", error.kind),
    };
    let theirs = match answer.error.as_str() {
        "" => Value::Array(answer.nodes.iter().map(|node| node.tree.clone()).collect()).to_string(),
        error => error.to_owned(),
    };
    Verdict::Missed(format!("  text {}\n{difference}  ours {ours}\n  Go   {theirs}", show(text)))
}

fn show(text: &[u8]) -> String {
    String::from_utf8_lossy(text).chars().take(1500).collect::<String>().escape_debug().to_string()
}

/// What is not the same of two lists of resources.
fn differ(nodes: &[Node], answer: &Answer) -> Option<String> {
    if nodes.len() != answer.nodes.len() {
        return Some(String::new());
    }
    nodes.iter().zip(&answer.nodes).find_map(|(node, theirs)| {
        if !matches!(node.content, Content::Map(_) | Content::List(_)) {
            // kustomize has no use for it: its writer takes only maps and lists.
            return None;
        }
        if tree(node) != without_lines(&theirs.tree) && !has_odd_key(&theirs.tree) {
            return Some(String::new());
        }
        match (towpath_yaml::write(node), theirs.error.as_str()) {
            (Ok(text), "") if text == theirs.yaml => None,
            (Err(_), error) if !error.is_empty() => None,
            (ours, _) => {
                Some(format!("  ours writes {ours:?}\n  Go writes   {:?} {}\n", theirs.yaml, theirs.error))
            }
        }
    })
}

/// A node as the oracle shows it: `[kind, tag, style, value, [children]]`.
fn tree(node: &Node) -> Value {
    let (kind, value, children) = match &node.content {
        Content::Scalar(text) => (8, &**text, Vec::new()),
        Content::List(items) => (2, "", items.iter().map(tree).collect()),
        Content::Map(entries) => {
            let children = entries.iter().flat_map(|entry| {
                let key = &entry.key;
                let style = u64::from(key.style.bits());
                [json!([8, tag(key.tag), style, &*key.text, []]), tree(&entry.value)]
            });
            (4, "", children.collect())
        }
    };
    json!([kind, tag(node.tag), u64::from(node.style.bits()), value, children])
}

/// Where only the written text counts: kyaml leaves the merge of a merged map for the writer, but to us it is
/// done when the text is read; and it confuses null keys with empty ones.
fn has_odd_key(tree: &Value) -> bool {
    let children = || tree.get(5).and_then(Value::as_array).into_iter().flatten();
    let keys = children().step_by(2).filter(|_| tree.get(0).is_some_and(|kind| *kind == 4));
    let odd = |key: &Value| key.get(1).is_some_and(|tag| *tag == "!!merge" || *tag == "!!null");
    keys.into_iter().any(odd) || children().any(has_odd_key)
}

fn tag(tag: Tag) -> &'static str {
    if tag == Tag::Other { "" } else { tag.name() }
}

/// The oracle's tree without lines, which it counts in each document anew, and tags that are not YAML's own.
/// The tag of a collection says nothing that its kind does not say.
fn without_lines(tree: &Value) -> Value {
    let part = |at: usize| tree.get(at).cloned().unwrap_or_default();
    let children: Vec<Value> =
        tree.get(5).and_then(Value::as_array).into_iter().flatten().map(without_lines).collect();
    let kind = part(0);
    let known = [
        "!!str",
        "!!int",
        "!!float",
        "!!bool",
        "!!null",
        "!!timestamp",
        "!!binary",
        "!!merge",
        "!!map",
        "!!seq",
    ];
    let tag = part(1).as_str().filter(|tag| known.contains(tag)).unwrap_or_default().to_owned();
    let mut style = part(2).as_u64().unwrap_or_default();
    let tag = match kind.as_u64() {
        Some(2) => "!!seq".to_owned(),
        Some(4) => "!!map".to_owned(),
        _ => tag,
    };
    if kind != 8 {
        style &= !1;
    }
    json!([kind, tag, style, part(3), children])
}

fn declared(text: &[u8], ours: &Result<Vec<Node>, Error>) -> Option<&'static str> {
    let mark = text.get(3..).unwrap_or_default().windows(3).any(|bytes| bytes == "\u{FEFF}".as_bytes());
    match ours {
        Err(error) if error.message.ends_with("cannot be a key") => Some(KEY),
        Err(error) if error.kind == Kind::Limit && error.message.starts_with("nested") => Some(DEPTH),
        Err(error) if error.kind == Kind::Encoding => Some(ENCODING),
        _ if mark => Some(MARK),
        _ => None,
    }
}

fn values(text: &[u8], answer: &Answer) -> Verdict {
    let ours = towpath_yaml::read(text, Dialect::V2, &Limits::default());
    let ours = ours.map_err(|error| (error.to_string(), declared(text, &Err(error)))).and_then(|nodes| {
        nodes
            .first()
            .map_or(Ok(Value::Null), |node| node.to_json().map_err(|error| (error.to_string(), None)))
    });
    let theirs: Result<Value, String> = match answer.error.as_str() {
        "" => serde_json::from_str(&answer.json).map_err(|error| error.to_string()),
        error => Err(error.to_owned()),
    };
    match (&ours, &theirs) {
        (Ok(ours), Ok(theirs)) if crate::yaml::same(ours, theirs) => Verdict::Agreed,
        (Err(_), Err(_)) => Verdict::Agreed,
        (Err((_, Some(class))), _) => Verdict::Declared(class),
        _ if declared(text, &Ok(Vec::new())).is_some() => Verdict::Declared(MARK),
        _ => Verdict::Missed(format!("  text {}\n  ours {ours:?}\n  Go   {theirs:?}", show(text))),
    }
}
