//! The inventory on the cluster: a ConfigMap beside the app, changed only under its resource version.

use serde_json::{Value, json};
use towpath_cluster::Cluster;
use towpath_object::{Gvk, Object, Resource};
use towpath_plan::{App, AppName, Inventory};

use crate::record::Record;
use crate::{Error, packed};

/// The label by which inventories are found.
const LABEL: &str = "towpath.dev/inventory";
/// Below this an inventory is plain text for people to read; above, it is compressed.
const PLAIN: usize = 512 * 1024;

/// An inventory and the state in which it was read, so that nobody's change is overwritten.
#[derive(Clone, Debug, Default)]
pub(crate) struct Saved {
    pub(crate) inventory: Inventory,
    /// What is known of its runs with hooks.
    pub(crate) record: Record,
    /// The ConfigMap's resource version; empty while there is none.
    version: String,
}

impl Saved {
    pub(crate) fn exists(&self) -> bool {
        !self.version.is_empty()
    }
}

fn config_maps() -> Resource {
    Resource { gvk: Gvk::new("v1", "ConfigMap"), plural: "configmaps".into(), namespaced: true }
}

fn name_of(app: &App) -> String {
    format!("towpath-app-{}", app.name)
}

/// Reads the app's inventory; an app that was never deployed has an empty one.
pub(crate) async fn load(cluster: &Cluster, app: &App) -> Result<Saved, Error> {
    match cluster.get(&config_maps(), &app.namespace, &name_of(app)).await? {
        Some(value) => read(app, &value),
        None => Ok(Saved::default()),
    }
}

/// Writes the inventory and the record of runs, if they are not what is saved already.
pub(crate) async fn save(
    cluster: &Cluster,
    app: &App,
    saved: &mut Saved,
    inventory: Inventory,
    record: Record,
) -> Result<(), Error> {
    if saved.exists() && saved.inventory == inventory && saved.record == record {
        return Ok(());
    }
    let object = write(app, &inventory, &record, &saved.version)?;
    let result = if saved.exists() {
        cluster.replace(&config_maps(), &object).await
    } else {
        cluster.create(&config_maps(), &object).await
    };
    match result {
        Ok(value) => {
            *saved = read(app, &value)?;
            Ok(())
        }
        Err(error) if error.is_conflict() || error.is_not_found() => {
            // Our own write may have arrived although its answer did not.
            let now = load(cluster, app).await?;
            if now.exists() && now.inventory == inventory && now.record == record {
                *saved = now;
                Ok(())
            } else {
                Err(Error::Busy { app: app.clone() })
            }
        }
        Err(error) => Err(error.into()),
    }
}

/// Deletes the inventory: the app is no more.
pub(crate) async fn forget(cluster: &Cluster, app: &App) -> Result<(), Error> {
    let key = config_maps().key(&app.namespace, &name_of(app));
    cluster.delete(&config_maps(), &key, "").await?;
    Ok(())
}

/// The apps of a namespace (of all, with an empty one) and how many objects each has.
pub(crate) async fn list(cluster: &Cluster, namespace: &str) -> Result<Vec<(App, usize)>, Error> {
    let selection = towpath_cluster::Selection::in_namespace(namespace).labelled(LABEL);
    let mut found = Vec::new();
    cluster.list(&config_maps(), &selection, |value| found.push(value)).await?;
    let mut apps = Vec::new();
    for value in found {
        let text = |field: &str| value.pointer(field).and_then(Value::as_str).unwrap_or_default();
        let Some(Ok(name)) = text("/metadata/name").strip_prefix("towpath-app-").map(AppName::new) else {
            continue;
        };
        let app = App { name, namespace: text("/metadata/namespace").into() };
        let count = read(&app, &value)?.inventory.entries.len();
        apps.push((app, count));
    }
    Ok(apps)
}

fn write(app: &App, inventory: &Inventory, record: &Record, version: &str) -> Result<Object, Error> {
    let mut metadata = json!({
        "name": name_of(app), "namespace": app.namespace,
        "labels": {LABEL: "true", "app.kubernetes.io/managed-by": "towpath"},
    });
    if let (false, Some(fields)) = (version.is_empty(), metadata.as_object_mut()) {
        fields.insert("resourceVersion".into(), version.into());
    }
    let text = inventory.to_text();
    let mut value = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
    let mut size = packed::put(&mut value, "objects", text, PLAIN);
    if !record.delivered.is_empty() {
        size += packed::put(&mut value, "delivered", record.delivered.clone(), PLAIN);
    }
    if let Some(operation) = &record.operation {
        let text = serde_json::to_string(operation).map_err(|invalid| damaged(app, invalid.to_string()))?;
        size += packed::put(&mut value, "operation", text, PLAIN / 4);
    }
    if size > packed::MOST {
        return Err(Error::TooManyObjects { app: app.clone(), size });
    }
    Object::new(value).map_err(|invalid| damaged(app, invalid.to_string()))
}

fn read(app: &App, value: &Value) -> Result<Saved, Error> {
    let text = packed::get(value, "objects").map_err(|message| damaged(app, message))?.unwrap_or_default();
    let inventory = Inventory::parse(&text).map_err(|malformed| damaged(app, malformed.to_string()))?;
    let part = |name| packed::get(value, name).map_err(|message| damaged(app, message));
    let operation = match part("operation")? {
        Some(text) => Some(serde_json::from_str(&text).map_err(|error| damaged(app, error.to_string()))?),
        None => None,
    };
    let record = Record { delivered: part("delivered")?.unwrap_or_default(), operation };
    let version =
        value.pointer("/metadata/resourceVersion").and_then(Value::as_str).unwrap_or_default().to_string();
    Ok(Saved { inventory, record, version })
}

fn damaged(app: &App, message: String) -> Error {
    Error::Damaged { app: app.clone(), message }
}

#[cfg(test)]
mod tests {
    use super::*;
    use towpath_object::Key;
    use towpath_plan::{Applied, Entry, Record};

    fn inventory(count: usize) -> Inventory {
        let entry = |index: usize| {
            let key = Key::new("apps", "Deployment", "web", &format!("service-{index}"));
            let record =
                Record { manifest: format!("{index:032x}"), owned: format!("{:032x}", index * 7919) };
            (key, Entry { version: "v1".into(), applied: Applied::Recorded(record) })
        };
        Inventory { entries: (0..count).map(entry).collect() }
    }

    #[test]
    fn small_inventories_are_text_and_large_ones_are_packed() {
        let app = App { name: AppName::new("shop").unwrap(), namespace: "web".into() };
        for (count, part) in [(3, "/data/objects"), (10_000, "/binaryData/objects.gz")] {
            let object = write(&app, &inventory(count), &crate::record::Record::default(), "7").unwrap();
            assert!(object.value().pointer(part).is_some(), "{count}");
            let saved = read(&app, object.value()).unwrap();
            assert_eq!((saved.inventory, saved.version), (inventory(count), "7".to_string()));
        }
    }

    #[test]
    fn a_damaged_inventory_says_so() {
        let app = App { name: AppName::new("shop").unwrap(), namespace: "web".into() };
        let error = read(&app, &json!({"binaryData": {"objects.gz": "AAAA"}})).unwrap_err();
        assert!(error.to_string().starts_with("read the inventory of shop in web:"), "{error}");
    }
}
