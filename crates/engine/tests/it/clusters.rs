//! Fifty clusters, one of which goes away: the others do not notice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use futures::StreamExt as _;
use futures::future::{BoxFuture, FutureExt as _, ready};
use futures::stream::{BoxStream, pending};
use towpath_cluster::Options as Connection;
use towpath_cluster::cache::Scope;
use towpath_engine::store::{MemoryStore, UnitStore as _};
use towpath_engine::unit::{Automated, ClusterId, Policy, SyncState, Unit, UnitId};
use towpath_engine::{ClusterChange, ClusterSpec, ClusterStore, Engine, Event, Heard, Limits};
use towpath_plan::sync::Rules;
use towpath_sandbox::{Options, Reach, Sandbox};
use towpath_testkit::eventually;

use crate::world::{Manifests, config, unit};

const CLUSTERS: usize = 50;
/// More units than there are workers: if one of them waited for its cluster, all would.
const UNITS_OF_THE_LOST: usize = 20;
const LIMITS: Limits = Limits { status: 4, operations: 2 };
const PATIENCE: Duration = Duration::from_secs(90);

struct Fleet {
    sandboxes: Vec<Sandbox>,
    store: Arc<MemoryStore>,
    manifests: Arc<Manifests>,
    engine: Engine,
    folder: tempfile::TempDir,
}

struct Clusters(BTreeMap<ClusterId, Connection>);

impl ClusterStore for Clusters {
    fn get<'a>(&'a self, id: &'a ClusterId) -> BoxFuture<'a, Option<ClusterSpec>> {
        let connection = self.0.get(id).cloned();
        ready(connection.map(|connection| ClusterSpec { connection, scope: Scope::Cluster })).boxed()
    }

    fn watch(&self) -> BoxStream<'static, ClusterChange> {
        pending().boxed()
    }
}

impl Fleet {
    async fn start() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let (mut sandboxes, mut connections) = (Vec::new(), BTreeMap::new());
        for number in 0..CLUSTERS {
            let seed = format!("cluster-{number}");
            let sandbox = Sandbox::start(Options { seed: seed.clone(), ..Options::default() }).await?;
            let kubeconfig = folder.path().join(&seed);
            std::fs::write(&kubeconfig, sandbox.kubeconfig())?;
            let connection = Connection { kubeconfig: Some(kubeconfig), ..Connection::default() };
            connections.insert(ClusterId(seed), connection);
            sandboxes.push(sandbox);
        }
        let (store, manifests) = (Arc::new(MemoryStore::default()), Arc::new(Manifests::default()));
        let clusters = Arc::new(Clusters(connections));
        let engine = Engine::builder(store.clone(), clusters, manifests.clone()).build()?;
        Ok(Self { sandboxes, store, manifests, engine, folder })
    }

    /// The units of a cluster: many of the first, two of each other.
    fn units(cluster: usize) -> Vec<String> {
        let count = if cluster == 0 { UNITS_OF_THE_LOST } else { 2 };
        (0..count).map(|number| format!("unit-{cluster}-{number}")).collect()
    }

    /// A new revision of every unit, those of the first cluster first.
    async fn deliver(&self, value: &str) -> Result<()> {
        for cluster in 0..CLUSTERS {
            for id in Self::units(cluster) {
                self.manifests.set(&id, vec![config(&id, value)]);
                if self.store.get(&UnitId(id.clone())).await?.is_none() {
                    self.store.create(member(&id, cluster)).await?;
                }
                self.engine.refresh(&UnitId(id));
            }
        }
        Ok(())
    }

    /// How many units of these clusters are in sync at a revision.
    async fn synced(&self, clusters: std::ops::Range<usize>, revision: &str) -> Result<usize> {
        let wanted: BTreeSet<String> = clusters.flat_map(Self::units).collect();
        let all = self.store.list().await?.into_iter().map(|stored| stored.unit);
        let there = |unit: &Unit| {
            let status = &unit.status;
            wanted.contains(&unit.id.0) && status.sync == SyncState::Synced && status.revision == revision
        };
        Ok(all.filter(there).count())
    }

    async fn until_synced(&self, clusters: std::ops::Range<usize>, revision: &str) -> Result<()> {
        let count = clusters.clone().flat_map(Self::units).count();
        let mut found = 0;
        let done = eventually("the units are in sync", PATIENCE, async || {
            found = self.synced(clusters.clone(), revision).await?;
            Ok((found == count).then_some(()))
        });
        done.await.with_context(|| format!("{revision}: of {count}"))
    }

    fn lost(&self) -> Result<&Sandbox> {
        self.sandboxes.first().context("there are fifty")
    }
}

fn member(id: &str, cluster: usize) -> Unit {
    let automated = Some(Automated { prune: true, self_heal: true, allow_empty: false });
    let mut unit = unit(id, "default", Policy { rules: Rules::Kstatus, automated, ..Policy::default() });
    unit.destination.cluster = ClusterId(format!("cluster-{cluster}"));
    unit
}

/// What was told of clusters that answer or do not.
async fn told(events: &mut towpath_engine::Events, count: usize) -> Result<Vec<(String, bool)>> {
    let mut told = Vec::new();
    while told.len() < count {
        let next = tokio::time::timeout(PATIENCE, events.next()).await?;
        if let Some(Heard::Event(Event::Reachable { cluster, reachable })) = next {
            told.push((cluster.0, reachable));
        }
    }
    Ok(told)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_cluster_holds_no_other_up_and_comes_back() {
    let fleet = Fleet::start().await.unwrap();
    assert!(fleet.folder.path().exists());
    let mut events = fleet.engine.subscribe();
    // Lost from the beginning: its units are the first in line, and more than there are workers.
    fleet.lost().unwrap().set_reach(Reach::Closed);
    fleet.deliver("one").await.unwrap();
    let running = fleet.engine.clone();
    let running = tokio::spawn(async move { running.run(LIMITS).await });
    // While it is lost all others are served to the end, so none of them waits for it.
    fleet.until_synced(1..CLUSTERS, "r1").await.unwrap();
    assert_eq!(fleet.synced(0..1, "r1").await.unwrap(), 0);
    assert_eq!(told(&mut events, 1).await.unwrap(), [("cluster-0".to_owned(), false)]);
    let waiting = fleet.store.get(&UnitId("unit-0-7".into())).await.unwrap().unwrap().unit.status;
    assert_eq!(
        (waiting.sync, waiting.message.as_str()),
        (SyncState::Unknown, "cluster cluster-0 does not answer")
    );

    fleet.lost().unwrap().set_reach(Reach::Open);
    fleet.until_synced(0..1, "r1").await.unwrap();
    assert_eq!(told(&mut events, 1).await.unwrap(), [("cluster-0".to_owned(), true)]);

    // The same when it goes while everything runs.
    fleet.lost().unwrap().set_reach(Reach::Closed);
    assert_eq!(told(&mut events, 1).await.unwrap(), [("cluster-0".to_owned(), false)]);
    fleet.deliver("two").await.unwrap();
    fleet.until_synced(1..CLUSTERS, "r2").await.unwrap();
    assert_eq!(fleet.synced(0..1, "r2").await.unwrap(), 0);
    fleet.lost().unwrap().set_reach(Reach::Open);
    fleet.until_synced(0..CLUSTERS, "r2").await.unwrap();
    assert_eq!(told(&mut events, 1).await.unwrap(), [("cluster-0".to_owned(), true)]);
    fleet.engine.stop();
    running.await.unwrap();
}
