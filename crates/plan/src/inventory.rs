//! The inventory: which objects an app has, written down before they are created so that a crash never loses one.
//!
//! As text it is one line an object, sorted, readable by people:
//!
//! ```text
//! apps/v1 Deployment web/api 5f2c…:9b01…
//! v1 Namespace web -
//! v1 Secret web/password +
//! ```
//!
//! The last word says what is known of the last apply: see [`Applied`].

use std::collections::BTreeMap;
use std::fmt::Write as _;

use towpath_object::{Gvk, Key};

/// What an app has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    /// Its objects.
    pub entries: BTreeMap<Key, Entry>,
}

/// One object of an app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The version in which it was applied last.
    pub version: String,
    /// What is known of that apply.
    pub applied: Applied,
}

/// What is known of the last apply of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Applied {
    /// It was about to be applied; whether it was is not known. Written `-`.
    NotYet,
    /// It was applied, but nothing that could be compared is written down: the digest of a Secret would let its
    /// content be guessed. Written `+`.
    Unrecorded,
    /// It was applied and left this behind. Written `manifest:owned`.
    Recorded(Record),
}

impl Applied {
    /// What of it may be written where others can read it: nothing that lets the content of a Secret be guessed.
    #[must_use]
    pub fn written(self, key: &Key) -> Self {
        match self {
            Self::Recorded(_) if key.group.is_empty() && key.kind == "Secret" => Self::Unrecorded,
            other => other,
        }
    }
}

/// What an apply left behind, as digests: while both still hold, another apply would change nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The manifest that was applied.
    pub manifest: String,
    /// The fields that were then ours, and their values.
    pub owned: String,
}

/// Why a text is not an inventory.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the inventory is damaged: {text:?}")]
pub struct Malformed {
    line: usize,
    text: String,
}

impl Inventory {
    /// Writes it down.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (key, entry) in &self.entries {
            let gvk =
                Gvk { group: key.group.clone(), version: entry.version.clone(), kind: key.kind.clone() };
            let place = if key.namespace.is_empty() { String::new() } else { format!("{}/", key.namespace) };
            let applied = match &entry.applied {
                Applied::NotYet => "-".into(),
                Applied::Unrecorded => "+".into(),
                Applied::Recorded(Record { manifest, owned }) => format!("{manifest}:{owned}"),
            };
            let _ = writeln!(text, "{} {} {place}{} {applied}", gvk.api_version(), gvk.kind, key.name);
        }
        text
    }

    /// Reads what [`Self::to_text`] wrote.
    pub fn parse(text: &str) -> Result<Self, Malformed> {
        let mut entries = BTreeMap::new();
        for (index, line) in text.lines().enumerate() {
            let (key, entry) = parse_line(line)
                .ok_or_else(|| Malformed { line: index + 1, text: line.chars().take(200).collect() })?;
            entries.insert(key, entry);
        }
        Ok(Self { entries })
    }
}

fn parse_line(line: &str) -> Option<(Key, Entry)> {
    let mut words = line.split(' ');
    let (api_version, kind, place, applied) = (words.next()?, words.next()?, words.next()?, words.next()?);
    if words.next().is_some() || [api_version, kind, place, applied].contains(&"") {
        return None;
    }
    let gvk = Gvk::new(api_version, kind);
    let (namespace, name) = place.split_once('/').unwrap_or(("", place));
    let applied = match applied {
        "-" => Applied::NotYet,
        "+" => Applied::Unrecorded,
        text => {
            let (manifest, owned) = text.split_once(':')?;
            Applied::Recorded(Record { manifest: manifest.into(), owned: owned.into() })
        }
    };
    Some((Key::new(&gvk.group, kind, namespace, name), Entry { version: gvk.version, applied }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let text = "rbac.authorization.k8s.io/v1 ClusterRole system:shop +\napps/v1 Deployment web/api aa:bb\nv1 Namespace web -\n";
        let inventory = Inventory::parse(text).unwrap();
        assert_eq!(inventory.entries.len(), 3);
        assert_eq!(Inventory::parse(&inventory.to_text()).unwrap(), inventory);
        let key = Key::new("apps", "Deployment", "web", "api");
        let record = Record { manifest: "aa".into(), owned: "bb".into() };
        assert_eq!(inventory.entries[&key].applied, Applied::Recorded(record));
    }

    #[test]
    fn damage_is_named() {
        let error = Inventory::parse("v1 Namespace web -\nv1 Namespace\n").unwrap_err();
        assert_eq!(error.to_string(), "line 2 of the inventory is damaged: \"v1 Namespace\"");
    }
}
