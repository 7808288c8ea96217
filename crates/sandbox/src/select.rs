//! Which objects of a collection: selectors of labels and fields.
//! <https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#api>

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use towpath_object::LabelSelector;

use crate::kinds::Kind;
use crate::refusal::Refusal;
use crate::store::Record;

/// What an object has to be to be chosen.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selector {
    labels: LabelSelector,
    fields: Vec<Field>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Field {
    name: String,
    value: String,
    equal: bool,
}

/// Fields that objects can be chosen by beside name and namespace.
const FIELDS: &[(&str, &str, &[&str])] = &[
    (
        "",
        "Pod",
        &[
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "spec.hostNetwork",
            "status.phase",
            "status.podIP",
            "status.nominatedNodeName",
        ],
    ),
    ("", "Secret", &["type"]),
    ("", "Namespace", &["status.phase"]),
    ("", "Node", &["spec.unschedulable"]),
    (
        "",
        "Event",
        &[
            "involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "reason",
            "reportingComponent",
            "source",
            "type",
        ],
    ),
    ("batch", "Job", &["status.successful"]),
];

impl Selector {
    /// From the parameters of a request.
    pub(crate) fn parse(kind: &Kind, labels: &str, fields: &str) -> Result<Self, Refusal> {
        let labels = LabelSelector::parse(labels)
            .map_err(|bad| Refusal::bad_request(format!("unable to parse requirement: {}", bad.text)))?;
        let fields = fields
            .split(',')
            .filter(|text| !text.is_empty())
            .map(|text| field(kind, text))
            .collect::<Result<_, _>>()?;
        Ok(Self { labels, fields })
    }

    pub(crate) fn is_all(&self) -> bool {
        self.labels.is_all() && self.fields.is_empty()
    }

    /// Whether the object at `key` is chosen.
    pub(crate) fn takes(&self, key: &str, record: &Record) -> bool {
        let (namespace, name) = key.split_once('/').unwrap_or(("", key));
        let by_field = self.fields.iter().all(|field| match field.name.as_str() {
            "metadata.name" => field.holds(name),
            "metadata.namespace" => field.holds(namespace),
            path => field.holds(&at(&record.value(), path)),
        });
        by_field && self.takes_labels(record)
    }

    fn takes_labels(&self, record: &Record) -> bool {
        if self.labels.is_all() {
            return true;
        }
        let labels =
            serde_json::from_slice::<Labelled<'_>>(&record.text).map(|object| object.metadata.labels);
        let labels = labels.ok().flatten().unwrap_or_default();
        self.labels.takes(|name| labels.get(name).map(|value| &**value))
    }
}

/// The labels of an object; the rest of the text is passed over.
#[derive(Deserialize)]
struct Labelled<'a> {
    #[serde(borrow)]
    metadata: Metadata<'a>,
}

#[derive(Deserialize)]
struct Metadata<'a> {
    #[serde(borrow, default)]
    labels: Option<BTreeMap<Cow<'a, str>, Cow<'a, str>>>,
}

impl Field {
    fn holds(&self, value: &str) -> bool {
        (self.value == value) == self.equal
    }
}

/// The scalar at a path, as text.
fn at(object: &Value, path: &str) -> String {
    match path.split('.').try_fold(object, |value, name| value.get(name)) {
        Some(Value::String(text)) => text.clone(),
        Some(value @ (Value::Bool(_) | Value::Number(_))) => value.to_string(),
        _ => String::new(),
    }
}

fn field(kind: &Kind, text: &str) -> Result<Field, Refusal> {
    let (name, value, equal) = if let Some((name, value)) = text.split_once("!=") {
        (name, value, false)
    } else if let Some((name, value)) = text.split_once("==").or_else(|| text.split_once('=')) {
        (name, value, true)
    } else {
        return Err(Refusal::bad_request(format!("invalid selector: '{text}'; can't understand '{text}'")));
    };
    let known = matches!(name, "metadata.name" | "metadata.namespace")
        || FIELDS.iter().any(|(group, of, fields)| kind.is(group, of) && fields.contains(&name));
    if !known {
        let known = "only \"metadata.name\", \"metadata.namespace\"";
        return Err(Refusal::bad_request(format!("{name:?} is not a known field selector: {known}")));
    }
    Ok(Field { name: name.into(), value: value.into(), equal })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::Kinds;

    fn takes(labels: &str, fields: &str) -> bool {
        let kinds = Kinds::built_in();
        let pods = kinds.find("", "v1", "pods").unwrap();
        let text = br#"{"metadata":{"labels":{"app":"web","tier":"front"}},"spec":{"nodeName":"n1"}}"#;
        let record = Record { version: 1, text: text.as_slice().into() };
        Selector::parse(pods, labels, fields).unwrap().takes("shop/web-1", &record)
    }

    #[test]
    fn labels() {
        for yes in
            ["", "app=web", "app==web,tier!=back", "app in (web, api),tier", "!odd", "odd notin (a)", "x!=1"]
        {
            assert!(takes(yes, ""), "{yes}");
        }
        for no in ["app=api", "tier notin (front,back)", "!app", "odd", "odd=x", "app in (api)"] {
            assert!(!takes(no, ""), "{no}");
        }
    }

    #[test]
    fn fields() {
        assert!(takes("", "metadata.name=web-1,metadata.namespace!=other,spec.nodeName=n1,status.phase="));
        assert!(!takes("", "spec.nodeName!=n1") && !takes("", "metadata.name=web"));
        let kinds = Kinds::built_in();
        let pods = kinds.find("", "v1", "pods").unwrap();
        assert!(Selector::parse(pods, "", "spec.odd=1").is_err());
        assert!(Selector::parse(pods, "a in b", "").is_err() && Selector::parse(pods, "=a", "").is_err());
    }
}
