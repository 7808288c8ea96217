//! What of a server's answer is ours.
//!
//! A dry run answers with the object as it would be, and that includes what admission webhooks and defaults
//! would do to it: things that no apply of ours asks for and that would show as differences for ever.

use serde_json::{Map, Value};

use super::Options;
use super::facts::{Known, Shape};
use crate::fields::{FieldSet, extract};
use crate::path::ListKey;
use crate::{FieldsError, managers};

/// The live object with what `answer` (the server's, with its managed fields) changes of our own: what we own
/// there is as it says, what it lacks is gone, and everything else stays as it is live.
pub fn answered(live: &Value, answer: &Value, options: &Options<'_>) -> Result<Value, FieldsError> {
    let (mut ours, mut all) = (FieldSet::default(), FieldSet::default());
    for entry in managers(answer)? {
        if entry.manager == options.manager {
            ours = ours.union(&entry.fields);
        }
        all = all.union(&entry.fields);
    }
    let known = Known::of(live, options.facts);
    let mut after = Overlay { known: &known }.value(&mut Vec::new(), live, answer, Mine::Part(&ours), &all);
    if let (Some(Value::Object(after)), Some(before)) =
        (after.get_mut("metadata"), live.pointer("/metadata/managedFields"))
    {
        after.insert("managedFields".into(), before.clone());
    }
    Ok(after)
}

/// How much of a value is ours.
#[derive(Clone, Copy)]
enum Mine<'a> {
    All,
    Part(&'a FieldSet),
    None,
}

impl<'a> Mine<'a> {
    fn of(entry: Option<(bool, &'a FieldSet)>) -> Self {
        match entry {
            Some((_, below)) if below.is_empty() => Self::All,
            Some((_, below)) => Self::Part(below),
            None => Self::None,
        }
    }

    fn field(self, name: &str) -> Self {
        match self {
            Self::Part(set) => Self::of(set.field(name)),
            other => other,
        }
    }

    fn item(self, item: &Value) -> Self {
        match self {
            Self::Part(set) => Self::of(set.item(item)),
            other => other,
        }
    }

    /// Our part of something new.
    fn part(self, value: &Value) -> Option<Value> {
        match self {
            Self::All => Some(value.clone()),
            Self::Part(set) => Some(extract(set, value)),
            Self::None => None,
        }
    }
}

struct Overlay<'a> {
    known: &'a Known<'a>,
}

static NOTHING: FieldSet = FieldSet::nothing();

impl Overlay<'_> {
    fn value<'v>(
        &self,
        path: &mut Vec<&'v str>,
        live: &'v Value,
        after: &'v Value,
        mine: Mine<'_>,
        all: &FieldSet,
    ) -> Value {
        match (live, after) {
            (Value::Object(live), Value::Object(after)) => {
                Value::Object(self.mapping(path, live, after, mine, all))
            }
            (Value::Array(old), Value::Array(new)) => match self.known.list(path, [all, &NOTHING]) {
                Shape::KeyedList(names) => Value::Array(self.keyed(path, old, new, &names, mine, all)),
                _ => (if matches!(mine, Mine::None) { live } else { after }).clone(),
            },
            _ => (if matches!(mine, Mine::None) { live } else { after }).clone(),
        }
    }

    fn mapping<'v>(
        &self,
        path: &mut Vec<&'v str>,
        live: &'v Map<String, Value>,
        after: &'v Map<String, Value>,
        mine: Mine<'_>,
        all: &FieldSet,
    ) -> Map<String, Value> {
        let mut merged = Map::new();
        for (name, old) in live {
            if let Some(new) = after.get(name) {
                path.push(name);
                let below = all.field(name).map_or(&NOTHING, |(_, below)| below);
                merged.insert(name.clone(), self.value(path, old, new, mine.field(name), below));
                path.pop();
            }
        }
        for (name, new) in after.iter().filter(|(name, _)| !live.contains_key(*name)) {
            merged.extend(mine.field(name).part(new).map(|part| (name.clone(), part)));
        }
        merged
    }

    fn keyed<'v>(
        &self,
        path: &mut Vec<&'v str>,
        live: &'v [Value],
        after: &'v [Value],
        names: &[String],
        mine: Mine<'_>,
        all: &FieldSet,
    ) -> Vec<Value> {
        let key = |item: &Value| ListKey::of_item(item, names.iter().map(String::as_str));
        let mut merged = Vec::with_capacity(after.len());
        for new in after {
            let old = live.iter().find(|old| key(old) == key(new));
            match old {
                Some(old) => {
                    let below = all.item(new).map_or(&NOTHING, |(_, below)| below);
                    merged.push(self.value(path, old, new, mine.item(new), below));
                }
                None => merged.extend(mine.item(new).part(new)),
            }
        }
        merged
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_webhook_changes_nothing_and_an_owned_leaf_does() {
        let live = json!({"spec": {"size": 1, "free": {"deep": [1]}, "gone": 1}, "metadata": {"labels": {"a": "1"}}});
        let answer = json!({
            "spec": {"size": 2, "free": {"deep": [2]}, "new": {"x": 1, "y": 2}, "sidecar": true},
            "metadata": {"labels": {"a": "1", "webhook": "1"}, "managedFields": [{
                "manager": "towpath", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1",
                "fieldsV1": {"f:spec": {"f:size": {}, "f:free": {"f:deep": {}}, "f:new": {"f:x": {}}}},
            }]},
        });
        let after = answered(&live, &answer, &Options::of("towpath")).unwrap();
        assert_eq!(after["spec"], json!({"size": 2, "free": {"deep": [2]}, "new": {"x": 1}}));
        assert_eq!(after["metadata"]["labels"], json!({"a": "1"}));
    }
}
