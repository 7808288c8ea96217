//! Following the units of a namespace, for as long as somebody listens.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::{BoxStream, unfold};
use serde_json::Value;
use towpath_cluster::{Cluster, Follow, Seen, Selection};

use super::record::{LABEL, config_maps, id_of, version_of};
use super::shown::{Feeder, Shown};
use crate::store::{UnitChange, Version};
use crate::unit::UnitId;

/// The first pause after the server could not be reached; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// What happens to units from now on, beginning with those that are there. It ends only when it is dropped: a server
/// that cannot be reached is asked again.
pub(super) fn watch(cluster: Cluster, namespace: String, shown: Shown) -> BoxStream<'static, UnitChange> {
    let watching = Watching {
        cluster,
        namespace,
        feeder: shown.feed(),
        shown,
        follow: None,
        known: Known::default(),
        due: VecDeque::new(),
        pause: FIRST_PAUSE,
    };
    unfold(watching, |mut watching| async move {
        let change = watching.next().await;
        Some((change, watching))
    })
    .boxed()
}

struct Watching {
    cluster: Cluster,
    namespace: String,
    shown: Shown,
    /// Nothing if another watch feeds what is shown.
    feeder: Option<Feeder>,
    follow: Option<Follow>,
    known: Known,
    /// Seen and not told yet.
    due: VecDeque<UnitChange>,
    pause: Duration,
}

impl Watching {
    async fn next(&mut self) -> UnitChange {
        loop {
            if let Some(change) = self.due.pop_front() {
                return change;
            }
            let follow = self.follow.get_or_insert_with(|| {
                let ours = Selection::in_namespace(&self.namespace).labelled(&format!("{LABEL}=true"));
                self.cluster.follow(&config_maps(), ours)
            });
            match follow.next().await {
                Some(Seen::Failed(error)) => {
                    tracing::warn!(%error, namespace = self.namespace, "the units cannot be followed");
                    self.begin_again().await;
                }
                Some(seen) => {
                    self.pause = FIRST_PAUSE;
                    self.pass_on(&seen);
                    self.due.extend(self.known.take(seen));
                }
                None => self.begin_again().await,
            }
        }
    }

    /// Lets the store know before anybody is told.
    fn pass_on(&self, seen: &Seen) {
        if let Some(feeder) = &self.feeder {
            return feeder.take(seen);
        }
        let hear = |map: &Value| id_of(map).map(|id| self.shown.heard(&id, Some(version_of(map))));
        match seen {
            Seen::Applied(map) => _ = hear(map),
            Seen::Deleted(map) => _ = id_of(map).map(|id| self.shown.heard(&id, None)),
            Seen::Reset(maps) => maps.iter().for_each(|map| _ = hear(map)),
            Seen::Failed(_) => {}
        }
    }

    async fn begin_again(&mut self) {
        self.follow = None;
        tokio::time::sleep(self.pause).await;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
    }
}

/// The units that were seen, each at its newest version.
#[derive(Default)]
struct Known {
    versions: BTreeMap<UnitId, Version>,
}

impl Known {
    /// What is new about what was seen.
    fn take(&mut self, seen: Seen) -> Vec<UnitChange> {
        match seen {
            Seen::Applied(map) => self.changed(&map).into_iter().collect(),
            Seen::Deleted(map) => {
                let gone = id_of(&map).filter(|id| self.versions.remove(id).is_some());
                gone.map(UnitChange::Removed).into_iter().collect()
            }
            Seen::Reset(maps) => {
                let before = std::mem::take(&mut self.versions);
                let mut changes: Vec<UnitChange> = Vec::new();
                for map in &maps {
                    let known = id_of(map).is_some_and(|id| before.get(&id) == Some(&version_of(map)));
                    changes.extend(self.changed(map).filter(|_| !known));
                }
                let gone = before.into_keys().filter(|id| !self.versions.contains_key(id));
                changes.extend(gone.map(UnitChange::Removed));
                changes
            }
            Seen::Failed(_) => Vec::new(),
        }
    }

    fn changed(&mut self, map: &Value) -> Option<UnitChange> {
        let id = id_of(map)?;
        self.versions.insert(id.clone(), version_of(map));
        Some(UnitChange::Changed(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(name: &str, version: &str) -> Value {
        json!({"metadata": {"name": format!("towpath-unit-{name}"), "resourceVersion": version}})
    }

    #[test]
    fn a_new_list_tells_what_changed_and_what_vanished_while_nobody_looked() {
        let id = |name: &str| UnitId(name.into());
        let mut known = Known::default();
        let first = known.take(Seen::Reset(vec![map("a", "1"), map("b", "2"), map("c", "3")]));
        assert_eq!(first, ["a", "b", "c"].map(|name| UnitChange::Changed(id(name))));
        assert_eq!(known.take(Seen::Applied(map("b", "4"))), [UnitChange::Changed(id("b"))]);
        let again = known.take(Seen::Reset(vec![map("a", "5"), map("b", "4")]));
        assert_eq!(again, [UnitChange::Changed(id("a")), UnitChange::Removed(id("c"))]);
        assert_eq!(known.take(Seen::Deleted(map("a", "6"))), [UnitChange::Removed(id("a"))]);
        assert_eq!(known.take(Seen::Deleted(map("a", "6"))), []);
    }
}
