//! In which fields two values differ.

mod align;

pub(crate) use align::partners;

use serde_json::Value;

use crate::path::{Element, Path};

/// One difference.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Where.
    pub path: Path,
    /// What happened there.
    pub kind: Kind,
    /// The value that was there.
    pub before: Option<Value>,
    /// The value that is there now.
    pub after: Option<Value>,
}

/// What happened to a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// It was not there before, with all that it holds.
    Added,
    /// It is not there any more.
    Removed,
    /// Its value is another.
    Changed,
    /// A list has its items in another order; their own changes are told apart. Before and after are the whole
    /// lists.
    Reordered,
}

/// The differences from `before` to `after`, field by field; none exactly when they are equal. The order is
/// fixed: fields by name, list items as they stand before, then those that are new. What is added or removed
/// is one change with all that it holds.
///
/// The items of a list are paired by what identifies them (a name, a port, a mount path, and so on) when every
/// item has that and no two have the same; otherwise by their place.
///
/// ```
/// use serde_json::json;
/// use towpath_merge::{Kind, diff};
///
/// let before = json!({"containers": [{"name": "web", "image": "web:1"}]});
/// let after = json!({"containers": [{"name": "proxy"}, {"name": "web", "image": "web:2"}]});
/// let changes = diff(&before, &after);
///
/// assert_eq!(changes[0].path.to_string(), r#"containers[name="web"].image"#);
/// assert_eq!((changes[0].kind, changes[0].after.clone()), (Kind::Changed, Some(json!("web:2"))));
/// assert_eq!(changes[1].path.to_string(), r#"containers[name="proxy"]"#);
/// assert_eq!(changes[1].kind, Kind::Added);
/// ```
pub fn diff(before: &Value, after: &Value) -> Vec<Change> {
    let mut changes = Vec::new();
    compare(&Path::root(), before, after, &mut changes);
    changes
}

fn compare(path: &Path, before: &Value, after: &Value, changes: &mut Vec<Change>) {
    match (before, after) {
        (Value::Object(old), Value::Object(new)) => {
            let mut names: Vec<_> = old.keys().chain(new.keys()).collect();
            names.sort_unstable();
            names.dedup();
            for name in names {
                let element = Element::field(name);
                pair(path, element, old.get(name), new.get(name), changes);
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            let aligned = align::align(old, new);
            for (element, before, after) in aligned.pairs {
                pair(path, element, before, after, changes);
            }
            if aligned.reordered {
                changes.push(change(path.clone(), Kind::Reordered, Some(before), Some(after)));
            }
        }
        _ if before == after => {}
        _ => changes.push(change(path.clone(), Kind::Changed, Some(before), Some(after))),
    }
}

fn pair(
    path: &Path,
    element: Element,
    before: Option<&Value>,
    after: Option<&Value>,
    changes: &mut Vec<Change>,
) {
    // Most of two objects is equal: no path is built for that.
    if before == after {
        return;
    }
    let path = path.child(element);
    match (before, after) {
        (Some(before), Some(after)) => compare(&path, before, after, changes),
        (None, _) => changes.push(change(path, Kind::Added, before, after)),
        (_, None) => changes.push(change(path, Kind::Removed, before, after)),
    }
}

fn change(path: Path, kind: Kind, before: Option<&Value>, after: Option<&Value>) -> Change {
    Change { path, kind, before: before.cloned(), after: after.cloned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// One line per change: kind and path.
    fn lines(before: &Value, after: &Value) -> Vec<String> {
        let line = |change: &Change| format!("{:?} {}", change.kind, change.path);
        diff(before, after).iter().map(line).collect()
    }

    #[test]
    fn fields_come_by_name_and_subtrees_whole() {
        let before = json!({"z": 1, "gone": {"a": [1]}, "same": [{}], "type": {"a": 1}});
        let after = json!({"z": 2, "new": {"b": {}}, "same": [{}], "type": null});
        let expected = ["Removed gone", "Added new", "Changed type", "Changed z"];
        assert_eq!(lines(&before, &after), expected);
        let changes = diff(&before, &after);
        assert_eq!((changes[1].before.as_ref(), changes[1].after.as_ref()), (None, Some(&json!({"b": {}}))));
    }

    #[test]
    fn null_and_absent_differ() {
        assert_eq!(lines(&json!({"a": null}), &json!({})), ["Removed a"]);
        assert_eq!(lines(&json!(1), &json!(2)), ["Changed ."]);
    }

    #[test]
    fn plain_lists_pair_by_place() {
        let expected = ["Changed args[1]", "Added args[2]"];
        assert_eq!(lines(&json!({"args": ["a", "b"]}), &json!({"args": ["a", "c", "d"]})), expected);
        assert_eq!(lines(&json!([1, 2]), &json!([1])), ["Removed [1]"]);
    }

    #[test]
    fn an_order_is_a_difference_of_its_own() {
        let before = json!([{"name": "a", "v": 1}, {"name": "b"}, {"name": "c"}]);
        let after = json!([{"name": "c"}, {"name": "a", "v": 2}]);
        let expected = ["Changed [name=\"a\"].v", "Removed [name=\"b\"]", "Reordered ."];
        assert_eq!(lines(&before, &after), expected);
        // Insertion and removal alone move nobody.
        let after = json!([{"name": "x"}, {"name": "a", "v": 1}, {"name": "c"}]);
        assert_eq!(lines(&before, &after), ["Removed [name=\"b\"]", "Added [name=\"x\"]"]);
    }
}
