//! What the server serves: what it said when asked, put right by the definitions that changed since. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tokio::time::Instant;
use towpath_object::{Kinds, Resource};

use super::GroupKind;
use super::definition::Definition;
use crate::discovery::Served;

/// How long a server may go on listing a kind whose definition is gone.
const AFTERLIFE: Duration = Duration::from_secs(30);

/// What is served.
#[derive(Default)]
pub(super) struct Offer {
    asked: Served,
    /// The custom kinds of the last look at the definitions.
    custom: BTreeSet<GroupKind>,
    /// Kinds whose definition has gone, and until when the server's word does not count against that.
    gone: BTreeMap<GroupKind, Instant>,
    kinds: Kinds,
    watched: BTreeMap<GroupKind, Resource>,
}

impl Offer {
    /// The server has been asked. What a group serves that did not answer is believed to be as it was.
    pub(super) fn asked(&mut self, mut fresh: Served) {
        for resource in all(&self.asked.kinds) {
            if fresh.silent.contains(&resource.gvk.group) {
                if self.asked.watchable.contains(&resource.gvk) {
                    fresh.watchable.insert(resource.gvk.clone());
                }
                fresh.kinds.add(resource);
            }
        }
        self.asked = fresh;
    }

    /// Looks at the definitions. True when what is served is something else than before.
    pub(super) fn look(&mut self, definitions: &[Definition], now: Instant) -> bool {
        let custom: BTreeMap<&GroupKind, &Vec<Resource>> = definitions
            .iter()
            .filter_map(|definition| match definition {
                Definition::Custom { kind, versions, established: true } => Some((kind, versions)),
                _ => None,
            })
            .collect();
        for kind in self.custom.iter().filter(|kind| !custom.contains_key(kind)) {
            self.gone.insert(kind.clone(), now + AFTERLIFE);
        }
        self.custom = custom.keys().map(|kind| (*kind).clone()).collect();
        let listed = |kind: &GroupKind| !self.asked.kinds.versions(&kind.group, &kind.kind).is_empty();
        self.gone.retain(|kind, until| !custom.contains_key(kind) && *until > now && listed(kind));

        let before: Vec<Resource> = all(&self.kinds).collect();
        let (mut kinds, mut watched) = (Kinds::default(), BTreeMap::new());
        let here = all(&self.asked.kinds)
            .filter(|resource| !self.gone.contains_key(&GroupKind::from(&resource.gvk)));
        for resource in here {
            if self.asked.watchable.contains(&resource.gvk) {
                watched.entry(GroupKind::from(&resource.gvk)).or_insert_with(|| resource.clone());
            }
            kinds.add(resource);
        }
        for resource in custom.into_values().flatten() {
            watched.entry(GroupKind::from(&resource.gvk)).or_insert_with(|| resource.clone());
            kinds.add(resource.clone());
        }
        (self.kinds, self.watched) = (kinds, watched);
        !before.iter().eq(all(&self.kinds).collect::<Vec<_>>().iter())
    }

    /// Whether the definitions say something that the server did not say when it was asked.
    pub(super) fn is_behind(&self, definitions: &[Definition]) -> bool {
        !self.gone.is_empty() || definitions.iter().any(|definition| self.is_news(definition))
    }

    fn is_news(&self, definition: &Definition) -> bool {
        match definition {
            Definition::Custom { kind, versions, established: true } => {
                let known = self.asked.kinds.versions(&kind.group, &kind.kind);
                versions.len() != known.len() || versions.iter().any(|version| !known.contains(version))
            }
            Definition::Aggregated { group, version, available: true } => {
                let mut served = self.asked.kinds.preferred();
                let silent = self.asked.silent.contains(group);
                silent
                    || !served
                        .any(|resource| resource.gvk.group == *group && resource.gvk.version == *version)
            }
            _ => false,
        }
    }

    pub(super) fn kinds(&self) -> &Kinds {
        &self.kinds
    }

    /// How to watch a kind, if it can be watched.
    pub(super) fn resource(&self, kind: &GroupKind) -> Option<&Resource> {
        self.watched.get(kind)
    }

    /// All that can be watched.
    pub(super) fn watchable(&self) -> impl Iterator<Item = (&GroupKind, &Resource)> {
        self.watched.iter()
    }
}

/// All versions of all kinds, preferred ones first.
fn all(kinds: &Kinds) -> impl Iterator<Item = Resource> {
    kinds.preferred().flat_map(|first| kinds.versions(&first.gvk.group, &first.gvk.kind)).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use towpath_object::Gvk;

    fn resource(api_version: &str, kind: &str) -> Resource {
        Resource { gvk: Gvk::new(api_version, kind), plural: "x".into(), namespaced: true }
    }

    fn served(resources: &[Resource], silent: &[&str]) -> Served {
        let mut served = Served::default();
        for resource in resources {
            served.kinds.add(resource.clone());
            served.watchable.insert(resource.gvk.clone());
        }
        served.silent = silent.iter().map(|group| (*group).to_string()).collect();
        served
    }

    fn basket() -> Definition {
        let versions = vec![resource("shop/v1", "Basket")];
        Definition::Custom { kind: GroupKind::new("shop", "Basket"), versions, established: true }
    }

    #[tokio::test]
    async fn a_definition_counts_before_and_after_the_server_knows() {
        let now = Instant::now();
        let mut offer = Offer::default();
        offer.asked(served(&[resource("v1", "Pod")], &[]));
        assert!(offer.look(&[], now) && !offer.look(&[], now));
        let kind = GroupKind::new("shop", "Basket");

        assert!(offer.look(&[basket()], now) && offer.is_behind(&[basket()]));
        assert!(offer.resource(&kind).is_some());
        offer.asked(served(&[resource("v1", "Pod"), resource("shop/v1", "Basket")], &[]));
        assert!(!offer.look(&[basket()], now) && !offer.is_behind(&[basket()]));

        assert!(offer.look(&[], now), "the server still lists it, and we know better");
        assert!(offer.resource(&kind).is_none() && offer.is_behind(&[]));
        offer.asked(served(&[resource("v1", "Pod")], &[]));
        assert!(!offer.look(&[], now) && !offer.is_behind(&[]));
    }

    #[tokio::test]
    async fn a_silent_group_serves_what_it_served() {
        let now = Instant::now();
        let mut offer = Offer::default();
        offer.asked(served(&[resource("v1", "Pod"), resource("metrics/v1", "Load")], &[]));
        offer.look(&[], now);
        offer.asked(served(&[resource("v1", "Pod")], &["metrics"]));
        assert!(!offer.look(&[], now));
        let service =
            Definition::Aggregated { group: "metrics".into(), version: "v1".into(), available: true };
        assert!(offer.is_behind(&[service]), "it is said to be there and did not answer");
        offer.asked(served(&[resource("v1", "Pod")], &[]));
        assert!(offer.look(&[], now));
    }
}
