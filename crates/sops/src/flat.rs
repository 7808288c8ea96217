//! Metadata in formats without nesting: `age__list_0__map_enc=…`.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::error::Error;

/// No file has more keys in a list than this.
const LONGEST: usize = 10_000;

/// The nested metadata of flat keys and their values.
pub(crate) fn unflatten(flat: impl IntoIterator<Item = (String, String)>) -> Result<Value, Error> {
    let mut root = Node::Map(BTreeMap::new());
    for (key, value) in flat {
        let value = value.replace("\\n", "\n");
        let value = match key.as_str() {
            "mac_only_encrypted" => Value::Bool(value == "true"),
            "shamir_threshold" => match value.parse::<u32>() {
                Ok(number) => number.into(),
                Err(_) => return Err(Error::Metadata("shamir_threshold is not an integer".into())),
            },
            _ => Value::String(value),
        };
        let problem = || Error::Metadata(format!("`{key}` does not fit to the other keys"));
        *root.at(&steps(&key)).ok_or_else(problem)? = Node::Leaf(value);
    }
    Ok(root.into_json())
}

enum Node {
    Unknown,
    Leaf(Value),
    Map(BTreeMap<String, Node>),
    List(BTreeMap<usize, Node>),
}

enum Step<'k> {
    Key(&'k str),
    Index(usize),
}

fn steps(key: &str) -> Vec<Step<'_>> {
    let mut steps = Vec::new();
    let mut rest = key;
    let mut in_list = false;
    loop {
        let map = rest.find("__map_");
        let list = rest.find("__list_");
        let next = match (map, list) {
            (Some(map), Some(list)) if list < map => Some((list, "__list_")),
            (Some(map), _) => Some((map, "__map_")),
            (None, Some(list)) => Some((list, "__list_")),
            (None, None) => None,
        };
        let (step, behind) = next.map_or((rest, ""), |(at, separator)| {
            let (step, behind) = rest.split_at(at);
            (step, behind.strip_prefix(separator).unwrap_or_default())
        });
        steps.push(if in_list { Step::Index(step.parse().unwrap_or(0)) } else { Step::Key(step) });
        let Some((_, separator)) = next else { return steps };
        in_list = separator == "__list_";
        rest = behind;
    }
}

impl Node {
    fn at(&mut self, steps: &[Step<'_>]) -> Option<&mut Self> {
        let Some((step, rest)) = steps.split_first() else { return Some(self) };
        if matches!(self, Self::Unknown) {
            *self = match step {
                Step::Key(_) => Self::Map(BTreeMap::new()),
                Step::Index(_) => Self::List(BTreeMap::new()),
            };
        }
        match (self, step) {
            (Self::Map(map), Step::Key(key)) => {
                map.entry((*key).to_owned()).or_insert(Self::Unknown).at(rest)
            }
            (Self::List(list), Step::Index(index)) if *index < LONGEST => {
                list.entry(*index).or_insert(Self::Unknown).at(rest)
            }
            _ => None,
        }
    }

    fn into_json(self) -> Value {
        match self {
            Self::Unknown => Value::Null,
            Self::Leaf(value) => value,
            Self::Map(map) => Value::Object(
                map.into_iter().map(|(key, node)| (key, node.into_json())).collect::<Map<_, _>>(),
            ),
            Self::List(list) => Value::Array(list.into_values().map(Self::into_json).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_and_maps_come_back() {
        let flat = [
            ("age__list_0__map_enc", "a\\nb"),
            ("age__list_1__map_recipient", "age1"),
            ("key_groups__list_0__map_age__list_0__map_enc", "x"),
            ("mac_only_encrypted", "true"),
            ("shamir_threshold", "2"),
        ];
        let flat = flat.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let nested = json!({
            "age": [{"enc": "a\nb"}, {"recipient": "age1"}], "key_groups": [{"age": [{"enc": "x"}]}],
            "mac_only_encrypted": true, "shamir_threshold": 2,
        });
        assert_eq!(unflatten(flat), Ok(nested));
        let huge = [("a__list_99999999999__map_b".to_owned(), String::new())];
        assert!(unflatten(huge).is_err());
        let clash = [("a".to_owned(), String::new()), ("a__map_b".to_owned(), String::new())];
        assert!(unflatten(clash).is_err());
    }
}
