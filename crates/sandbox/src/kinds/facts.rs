//! What a real server says of Kubernetes' own kinds, read once for all sandboxes of a process. The file is written
//! by the program that compares the sandbox with that server.

use std::sync::LazyLock;

use serde_json::Value;
use towpath_schema::Schemas;

static TEXT: &str = include_str!("../../data/kubernetes.json");

/// The facts.
pub(crate) static FACTS: LazyLock<Facts> = LazyLock::new(Facts::read);

/// What is known of Kubernetes' own kinds.
pub(crate) struct Facts {
    document: Value,
    schemas: Schemas,
}

impl Facts {
    fn read() -> Self {
        let mut document: Value = serde_json::from_str(TEXT).expect("the committed facts are JSON");
        let openapi = document.get_mut("openapi").map(Value::take).unwrap_or_default();
        let mut schemas = Schemas::default();
        schemas.add_openapi(openapi.to_string().as_bytes()).expect("the committed facts hold schemas");
        Self { document, schemas }
    }

    /// The groups, the core first, as aggregated discovery writes them.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &Value> {
        super::items(&self.document, "core").chain(super::items(&self.document, "groups"))
    }

    pub(crate) fn schemas(&self) -> &Schemas {
        &self.schemas
    }

    pub(crate) fn version(&self) -> Option<&Value> {
        self.document.get("version")
    }
}
