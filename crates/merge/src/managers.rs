//! Who manages an object: `metadata.managedFields` as the server keeps it.

use serde_json::{Map, Value};

use crate::fields::{FieldSet, FieldsError, shorten};

/// What one manager owns of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManagerEntry {
    /// Its name, for example `kubectl-client-side-apply`.
    pub manager: String,
    /// How it came to own it.
    pub operation: Operation,
    /// The subresource it wrote to; empty for the object itself.
    pub subresource: String,
    /// The version of the object in which the fields are named.
    pub api_version: String,
    /// What it owns.
    pub fields: FieldSet,
}

/// How a manager came to own fields. One manager may have an entry of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// By server-side apply: what it no longer applies is removed.
    Apply,
    /// By any other write.
    Update,
}

/// The managers of `object` in the order of the server; none where it has no managed fields.
///
/// ```
/// use serde_json::json;
/// use towpath_merge::{Operation, managers};
///
/// let entries = managers(&json!({"metadata": {"managedFields": [{
///     "manager": "kubelet", "operation": "Update", "subresource": "status", "apiVersion": "v1",
///     "fieldsType": "FieldsV1", "fieldsV1": {"f:status": {"f:phase": {}}},
/// }]}}))?;
/// assert_eq!(entries[0].operation, Operation::Update);
/// assert_eq!(entries[0].fields.paths()[0].to_string(), "status.phase");
/// # Ok::<(), towpath_merge::FieldsError>(())
/// ```
pub fn managers(object: &Value) -> Result<Vec<ManagerEntry>, FieldsError> {
    const WHERE: &str = "metadata.managedFields";
    match object.pointer("/metadata/managedFields") {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(entries)) => entries
            .iter()
            .map(|entry| match entry {
                Value::Object(entry) => read(entry),
                _ => Err(FieldsError::NotAMapping { what: format!("an entry of {WHERE}") }),
            })
            .collect(),
        Some(_) => Err(FieldsError::NotAList { what: WHERE.into() }),
    }
}

fn read(entry: &Map<String, Value>) -> Result<ManagerEntry, FieldsError> {
    let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default();
    let unsupported = |field| FieldsError::Unsupported {
        manager: shorten(text("manager")),
        field,
        found: shorten(text(field)),
    };
    if text("fieldsType") != "FieldsV1" {
        return Err(unsupported("fieldsType"));
    }
    Ok(ManagerEntry {
        manager: text("manager").into(),
        operation: match text("operation") {
            "Apply" => Operation::Apply,
            "Update" => Operation::Update,
            _ => return Err(unsupported("operation")),
        },
        subresource: text("subresource").into(),
        api_version: text("apiVersion").into(),
        fields: match entry.get("fieldsV1") {
            None | Some(Value::Null) => FieldSet::default(),
            Some(fields) => FieldSet::parse(fields)?,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(entries: &Value) -> Result<Vec<ManagerEntry>, FieldsError> {
        managers(&json!({"metadata": {"managedFields": entries}}))
    }

    #[test]
    fn no_managed_fields_are_no_managers() {
        assert_eq!(managers(&json!({})), Ok(vec![]));
        assert_eq!(of(&json!(null)), Ok(vec![]));
        assert_eq!(of(&json!([])), Ok(vec![]));
    }

    #[test]
    fn an_entry_without_fields_owns_nothing() {
        let entry = json!({"manager": "m", "operation": "Apply", "fieldsType": "FieldsV1"});
        let entries = of(&json!([entry])).unwrap();
        assert!(entries[0].fields.is_empty() && entries[0].subresource.is_empty());
    }

    #[test]
    fn what_we_cannot_read_is_an_error() {
        assert!(matches!(of(&json!({})), Err(FieldsError::NotAList { .. })));
        assert!(matches!(of(&json!(["x"])), Err(FieldsError::NotAMapping { .. })));
        let entry = |operation: &str, format: &str| {
            of(&json!([{"manager": "m", "operation": operation, "fieldsType": format, "fieldsV1": {}}]))
        };
        assert_eq!(
            entry("Apply", "FieldsV9").unwrap_err().to_string(),
            "managed fields of \"m\": fieldsType is \"FieldsV9\""
        );
        assert!(matches!(
            entry("Guess", "FieldsV1"),
            Err(FieldsError::Unsupported { field: "operation", .. })
        ));
    }
}
