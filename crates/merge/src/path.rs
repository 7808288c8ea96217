//! A way into an object, with list items named by what identifies them.

use std::fmt;

use serde_json::Value;

use crate::literal::{Literal, compare, write_text};

/// One step into a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Element {
    /// The field of a mapping.
    Field(Box<str>),
    /// The item of a list whose key fields have these values.
    Key(ListKey),
    /// The item of a list that equals this value.
    Value(Literal),
    /// The item at that place, counted from zero.
    Index(usize),
}

impl Element {
    /// The field of that name.
    pub fn field(name: &str) -> Self {
        Self::Field(name.into())
    }

    /// Where this step leads from `value`.
    pub fn get<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        match self {
            Self::Field(name) => value.as_object()?.get(&**name),
            Self::Key(key) => value.as_array()?.iter().find(|item| key.matches(item)),
            Self::Value(literal) => {
                let same = |item: &&Value| compare(item, literal.value()).is_eq();
                value.as_array()?.iter().find(same)
            }
            Self::Index(index) => value.as_array()?.get(*index),
        }
    }
}

impl Element {
    /// The place in a list of the item that this step means. A key also means an item that lacks some of the key
    /// fields, as people write them, if no other has all and the rest are the same.
    pub(crate) fn position(&self, list: &[Value]) -> Option<usize> {
        match self {
            Self::Field(_) => None,
            Self::Index(place) => (*place < list.len()).then_some(*place),
            Self::Value(literal) => list.iter().position(|item| compare(item, literal.value()).is_eq()),
            Self::Key(key) => list
                .iter()
                .position(|item| key.matches(item))
                .or_else(|| list.iter().position(|item| key.fits(item))),
        }
    }
}

/// What identifies a list item: the values of its key fields, sorted by name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListKey(Box<[(Box<str>, Literal)]>);

impl ListKey {
    /// From the key fields in any order; of a name that comes twice the first stays.
    pub fn new<'a>(fields: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        let mut fields: Vec<_> =
            fields.into_iter().map(|(name, value)| (Box::from(name), Literal::from(value))).collect();
        fields.sort_by(|left: &(Box<str>, Literal), right| left.0.cmp(&right.0));
        fields.dedup_by(|second, first| second.0 == first.0);
        Self(fields.into())
    }

    /// The key that `item` has under these names, without those that it lacks.
    pub(crate) fn of_item<'a>(item: &Value, names: impl IntoIterator<Item = &'a str>) -> Self {
        let field = |name| Some((name, item.get(name)?.clone()));
        Self::new(names.into_iter().filter_map(field))
    }

    /// Whether it names no field, so that it identifies nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The key fields, sorted by name.
    pub fn fields(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, literal)| (&**name, literal.value()))
    }

    /// The names of the key fields.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| &**name)
    }

    /// Whether `item` has some of the key fields with these values, and none with another. A port without a
    /// protocol is one of TCP: <https://kubernetes.io/docs/concepts/services-networking/service/#protocol-support>
    pub(crate) fn fits(&self, item: &Value) -> bool {
        let mut some = false;
        let fits = self.fields().all(|(name, value)| match item.get(name) {
            Some(found) => {
                some = true;
                compare(found, value).is_eq()
            }
            None => name != "protocol" || value == "TCP",
        });
        fits && some
    }

    /// Whether `item` has all key fields with these values.
    pub fn matches(&self, item: &Value) -> bool {
        self.fields().all(|(name, value)| item.get(name).is_some_and(|found| compare(found, value).is_eq()))
    }
}

/// `name="web"`, or `port=80,protocol="TCP"`.
impl fmt::Display for ListKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (name, literal)) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(",")?;
            }
            write!(f, "{name}={literal}")?;
        }
        Ok(())
    }
}

/// A way into a value from its root.
///
/// ```
/// use towpath_merge::{Element, ListKey, Path};
///
/// let path = Path::root()
///     .child(Element::field("spec"))
///     .child(Element::field("containers"))
///     .child(Element::Key(ListKey::new([("name", "web".into())])))
///     .child(Element::field("image"));
/// assert_eq!(path.to_string(), r#"spec.containers[name="web"].image"#);
///
/// let pod = serde_json::json!({"spec": {"containers": [{"name": "web", "image": "web:1"}]}});
/// assert_eq!(path.get(&pod).unwrap(), "web:1");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path(Vec<Element>);

impl Path {
    /// The way to the value itself.
    pub fn root() -> Self {
        Self::default()
    }

    /// One step further.
    #[must_use]
    pub fn child(&self, element: Element) -> Self {
        let mut elements = self.0.clone();
        elements.push(element);
        Self(elements)
    }

    /// The steps.
    pub fn elements(&self) -> &[Element] {
        &self.0
    }

    /// Where it leads in `value`.
    pub fn get<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        self.0.iter().try_fold(value, |value, element| element.get(value))
    }
}

impl FromIterator<Element> for Path {
    fn from_iter<I: IntoIterator<Item = Element>>(elements: I) -> Self {
        Self(elements.into_iter().collect())
    }
}

/// `spec.ports[port=80,protocol="TCP"].name`; names with other characters than letters, digits, `-` and `_`
/// are quoted: `metadata.labels["app.kubernetes.io/name"]`. The root is a single dot.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str(".");
        }
        for (index, element) in self.0.iter().enumerate() {
            match element {
                Element::Field(name) if is_plain(name) => {
                    f.write_str(if index > 0 { "." } else { "" })?;
                    f.write_str(name)?;
                }
                Element::Field(name) => {
                    f.write_str("[")?;
                    write_text(name, f)?;
                    f.write_str("]")?;
                }
                Element::Key(key) => write!(f, "[{key}]")?,
                Element::Value(literal) => write!(f, "[={literal}]")?,
                Element::Index(place) => write!(f, "[{place}]")?,
            }
        }
        Ok(())
    }
}

fn is_plain(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    !name.is_empty() && name.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_step_has_a_text() {
        let path: Path = [
            Element::field("spec"),
            Element::Key(ListKey::new([("protocol", "TCP".into()), ("port", 80.into())])),
            Element::field("a.b/c"),
            Element::Value(json!("x").into()),
            Element::Index(3),
            Element::field(""),
        ]
        .into_iter()
        .collect();
        let text = r#"spec[port=80,protocol="TCP"]["a.b/c"][="x"][3][""]"#;
        assert_eq!(path.to_string(), text);
        assert_eq!(Path::root().to_string(), ".");
    }

    #[test]
    fn a_key_matches_only_with_all_its_fields() {
        let key = ListKey::new([("port", 80.into()), ("protocol", "TCP".into())]);
        assert!(key.matches(&json!({"port": 80.0, "protocol": "TCP", "name": "http"})));
        assert!(!key.matches(&json!({"port": 80})));
        assert!(!key.matches(&json!("port")));
    }
}
