//! A place in one value: names and numbers only, as pointers and jq give them.

use serde_json::{Map, Value};

/// One step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    /// The item at that place.
    At(usize),
    /// The field of that name.
    Name(String),
    /// A field, or the place of an item in digits.
    Either(String),
}

impl Step {
    fn index(&self) -> Option<usize> {
        match self {
            Self::At(index) => Some(*index),
            Self::Either(text) => text.parse().ok().filter(|index: &usize| index.to_string() == *text),
            Self::Name(_) => None,
        }
    }

    fn name(&self) -> Option<&str> {
        match self {
            Self::Name(name) | Self::Either(name) => Some(name),
            Self::At(_) => None,
        }
    }

    fn get<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        match value {
            Value::Object(map) => map.get(self.name()?),
            Value::Array(list) => list.get(self.index()?),
            _ => None,
        }
    }

    fn get_mut<'a>(&self, value: &'a mut Value) -> Option<&'a mut Value> {
        match value {
            Value::Object(map) => map.get_mut(self.name()?),
            Value::Array(list) => list.get_mut(self.index()?),
            _ => None,
        }
    }
}

/// A place in one value.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place(Vec<Step>);

impl FromIterator<Step> for Place {
    fn from_iter<I: IntoIterator<Item = Step>>(steps: I) -> Self {
        Self(steps.into_iter().collect())
    }
}

impl Place {
    pub(crate) fn steps(&self) -> &[Step] {
        &self.0
    }

    /// What is there.
    pub(crate) fn get<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        self.0.iter().try_fold(value, |value, step| step.get(value))
    }

    /// The same place with each step as a name or a number, as `value` has it. Where `value` ends, names.
    pub(crate) fn settled(&self, value: &Value) -> Self {
        let mut here = Some(value);
        let settle = |step: &Step| {
            let settled = match (here, step.index(), step.name()) {
                (Some(Value::Array(_)), Some(index), _) | (_, Some(index), None) => Step::At(index),
                (_, _, Some(name)) => Step::Name(name.into()),
                (_, None, None) => step.clone(),
            };
            here = here.and_then(|value| settled.get(value));
            settled
        };
        self.0.iter().map(settle).collect()
    }

    /// Takes away what is there, if anything.
    pub(crate) fn remove(&self, value: &mut Value) {
        let Some((end, above)) = self.0.split_last() else {
            *value = Value::Object(Map::new());
            return;
        };
        let parent = above.iter().try_fold(value, |value, step| step.get_mut(value));
        match parent {
            Some(Value::Object(map)) => {
                end.name().and_then(|name| map.remove(name));
            }
            Some(Value::Array(list)) => {
                if let Some(index) = end.index().filter(|index| *index < list.len()) {
                    list.remove(index);
                }
            }
            _ => {}
        }
    }

    /// Puts a value there. Mappings on the way are made where nothing is; a list gets a new item at its end.
    pub(crate) fn set(&self, value: &mut Value, new: Value) {
        let Some((step, rest)) = self.0.split_first() else {
            *value = new;
            return;
        };
        if value.is_null() {
            *value = Value::Object(Map::new());
        }
        let below = match value {
            Value::Object(map) => step.name().map(|name| map.entry(name).or_insert(Value::Null)),
            Value::Array(list) => step.index().and_then(|index| {
                if index >= list.len() {
                    list.push(Value::Null);
                }
                let place = index.min(list.len() - 1);
                list.get_mut(place)
            }),
            _ => None,
        };
        if let Some(below) = below {
            Self(rest.to_vec()).set(below, new);
        }
    }
}

/// Takes away what is at all these places, the last of a list first, so that none moves another.
pub(super) fn remove_all(value: &mut Value, places: impl IntoIterator<Item = Place>) {
    let mut places: Vec<_> = places.into_iter().map(|place| place.settled(value)).collect();
    places.sort_unstable();
    places.dedup();
    places.iter().rev().for_each(|place| place.remove(value));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn place(steps: &[&str]) -> Place {
        steps.iter().map(|step| Step::Either((*step).into())).collect()
    }

    #[test]
    fn removal_moves_nobody() {
        let mut value = json!({"a": [0, 1, 2, 3], "0": {"b": 1}});
        remove_all(
            &mut value,
            [
                place(&["a", "0"]),
                place(&["a", "2"]),
                place(&["0", "b"]),
                place(&["no", "where"]),
                place(&["a", "9"]),
            ],
        );
        assert_eq!(value, json!({"a": [1, 3], "0": {}}));
    }

    #[test]
    fn a_value_is_put_where_nothing_is() {
        let mut value = json!({"list": [1]});
        place(&["a", "b"]).set(&mut value, json!(2));
        place(&["list", "7"]).set(&mut value, json!(3));
        place(&["list", "0", "below"]).set(&mut value, json!("no place in a number"));
        assert_eq!(value, json!({"a": {"b": 2}, "list": [1, 3]}));
    }
}
