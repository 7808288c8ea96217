//! The volume claims of a StatefulSet, which it owns without saying so: `<template>-<set>-<number>`.
//!
//! The whole name must fit, from its first character: the claim `old-data-web-0` is not one of the set `web` with the
//! template `data`.

use super::Slot;
use super::entry::Entry;
use super::names::Names;
use super::{Index, KindName};

/// The part of a volume claim's name that names template and set: `data-web` of `data-web-0`.
pub(super) fn stem<'a>(names: &Names, entry: &'a Entry) -> Option<&'a str> {
    if names.text(entry.kind.kind) != "PersistentVolumeClaim" || !names.text(entry.kind.group).is_empty() {
        return None;
    }
    let (stem, number) = entry.name.rsplit_once('-')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_number && stem.contains('-')).then_some(stem)
}

impl Index {
    /// The claims of a StatefulSet.
    pub(super) fn claims(&self, set: &Entry) -> Vec<Slot> {
        let templates = set.more.as_ref().map(|more| more.templates.iter()).into_iter().flatten();
        templates
            .filter_map(|template| {
                let stem = format!("{template}-{}", set.name).into_boxed_str();
                self.by_claim.get(&(set.namespace, stem))
            })
            .flatten()
            .copied()
            .collect()
    }

    /// The StatefulSets whose claim this is: each way to cut the name in two is tried.
    pub(super) fn claimants(&self, claim: &Entry) -> Vec<Slot> {
        let Some(stem) = stem(&self.names, claim) else {
            return Vec::new();
        };
        let cuts = stem.match_indices('-').filter_map(|(at, _)| Some((stem.get(..at)?, stem.get(at + 1..)?)));
        cuts.flat_map(|(template, set)| {
            ["apps", "extensions"].into_iter().filter_map(move |group| {
                let kind: KindName = self.find_kind(group, "StatefulSet")?;
                let slot = self.slot(kind, claim.namespace, set)?;
                let templates = &self.entry(slot)?.more.as_ref()?.templates;
                templates.iter().any(|known| **known == *template).then_some(slot)
            })
        })
        .collect()
    }
}
