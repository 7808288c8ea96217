//! Keeps a folder of YAML in sync with the current cluster: `sync_folder FOLDER NAMESPACE`.
#![expect(clippy::print_stdout, reason = "it tells a person what happens")]

use std::{env, error, fs, io, path::PathBuf, sync::Arc, time::Duration};

use towpath_engine::cluster::Options;
use towpath_engine::object::digest;
use towpath_engine::plan::{Origin, sync::Wanted};
use towpath_engine::store::{MemoryStore, UnitStore as _};
use towpath_engine::unit::{Automated, Unit, UnitId};
use towpath_engine::{BoxFuture, Engine, Event, Heard, Limits, OneCluster};
use towpath_engine::{GenerateError, GenerateRequest, ManifestSource, Rendered};

type Failed = Box<dyn error::Error + Send + Sync>;

/// Makes manifests of a unit whose source is the path of a folder.
pub struct Folder;

impl ManifestSource for Folder {
    fn generate(&self, request: GenerateRequest) -> BoxFuture<'_, Result<Rendered, GenerateError>> {
        let failed = |error: Failed| GenerateError { message: error.to_string(), transient: true };
        Box::pin(async move { read(request.unit.source.as_str().unwrap_or_default()).map_err(failed) })
    }
}

fn read(folder: &str) -> Result<Rendered, Failed> {
    let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut files = entries.collect::<io::Result<Vec<PathBuf>>>()?;
    files.retain(|file| file.extension().is_some_and(|end| end == "yaml" || end == "yml"));
    files.sort();
    let (mut objects, mut contents) = (Vec::new(), Vec::new());
    for file in files {
        let name = file.display().to_string();
        let documents = towpath_yaml::documents(&fs::read(&file)?, &towpath_yaml::Limits::default());
        for document in documents.map_err(|error| format!("{name}: {error}"))? {
            contents.push(document.value.clone());
            let origin = Origin { file: name.as_str().into(), line: document.line };
            let wanted = Wanted::new(document.value, Some(origin));
            objects.push(wanted.map_err(|error| format!("{name}:{}: {error}", document.line))?);
        }
    }
    Ok(Rendered { revision: digest(&contents.into()).short(), objects: objects.into() })
}

/// Keeps the folder in sync until it is dropped.
pub async fn keep(folder: &str, namespace: &str, connection: Options) -> Result<(), Failed> {
    let id = UnitId("folder".into());
    let mut unit = Unit::new(id.clone(), folder.into(), "current", namespace);
    unit.policy.automated = Some(Automated { prune: true, self_heal: true, allow_empty: false });
    let units = Arc::new(MemoryStore::default());
    units.create(unit).await?;

    let engine = Engine::builder(units, Arc::new(OneCluster::new(connection)), Arc::new(Folder)).build()?;
    let mut events = engine.subscribe();
    let tell = async {
        while let Some(heard) = events.next().await {
            match heard {
                Heard::Event(Event::SyncCompleted { state, .. }) => println!("{}", state.message),
                Heard::Event(Event::Unit { message, .. }) => println!("{message}"),
                _ => {}
            }
        }
    };
    let look = async {
        loop {
            tokio::time::sleep(Duration::from_secs(1)).await;
            engine.refresh(&id);
        }
    };
    tokio::join!(engine.run(Limits::default()), tell, look);
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Failed> {
    let mut words = env::args().skip(1);
    let (folder, namespace) = words.next().zip(words.next()).ok_or("usage: sync_folder FOLDER NAMESPACE")?;
    keep(&folder, &namespace, Options::default()).await
}
