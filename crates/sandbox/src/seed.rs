//! Objects put there as they are: for tests and benchmarks that need many, quickly.

use jiff::Timestamp;
use serde_json::Value;
use towpath_object::Gvk;

use crate::server::Server;

/// An object's kind is not served.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not served here")]
pub struct UnknownKind(pub Gvk);

impl Server {
    /// Puts an object there as it is; of its metadata only what is missing is filled in.
    pub(crate) fn seed(&mut self, mut object: Value, now: Timestamp) -> Result<(), UnknownKind> {
        let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or_default();
        let gvk = Gvk::new(text("apiVersion"), text("kind"));
        let kind = self.kinds.get(&gvk).cloned().ok_or(UnknownKind(gvk))?;
        if let Some(fields) = object.as_object_mut() {
            fields.remove("apiVersion");
            fields.remove("kind");
        }
        self.put_as_it_is(&kind, object, now);
        Ok(())
    }
}
