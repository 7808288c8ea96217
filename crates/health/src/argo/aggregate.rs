//! The health of an app from that of its objects.
//!
//! In: each object that the app manages, as wanted and as it is, with its health. Out: the worst of them, and
//! what made it so. Children of those objects do not count: their owner speaks for them.

use std::fmt;

use towpath_object::{Key, Object};

use super::{Health, Status};

const HOOK: &str = "argocd.argoproj.io/hook";
const HELM_HOOK: &str = "helm.sh/hook";
const IGNORE: &str = "argocd.argoproj.io/ignore-healthcheck";
const HOOK_TYPES: &[&str] = &["PreSync", "Sync", "PostSync", "SyncFail", "PreDelete", "PostDelete", "Skip"];

/// How many causes are named.
const CAUSES: usize = 3;

/// One object that an app manages.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// As it is wanted; `None` for what is to be pruned.
    pub target: Option<&'a Object>,
    /// As it is on the server; `None` where it is missing.
    pub live: Option<&'a Object>,
    /// The health of `live`; `None` where its kind has none.
    pub health: Option<&'a Health>,
}

/// The health of a whole app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Whole {
    /// The worst status of its parts.
    pub status: Status,
    /// The first few parts that have that status, if it is not `Healthy`.
    pub causes: Vec<(Key, Health)>,
    /// How many more have it.
    pub more: usize,
}

/// The causes, for people: `Deployment/web/api: 1 of 3 replicas updated; … and 2 more`. Empty where there are
/// none.
impl fmt::Display for Whole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (key, health)) in self.causes.iter().enumerate() {
            let before = if index == 0 { "" } else { "; " };
            let why = if health.message.is_empty() { self.status.word() } else { &health.message };
            write!(f, "{before}{key}: {why}")?;
        }
        if self.more > 0 { write!(f, " and {} more", self.more) } else { Ok(()) }
    }
}

/// The health of the app that has these parts; `own` is the app itself, in case that it is one of them.
///
/// Hooks do not count, nor objects with the annotation `argocd.argoproj.io/ignore-healthcheck`. A missing
/// object does not count either (it is out of sync, which says enough), unless nothing is there at all: then
/// the app is `Missing`. Of other apps only what they know of themselves counts, not `Missing` and `Unknown`.
pub fn aggregate<'a>(parts: impl IntoIterator<Item = Part<'a>>, own: Option<&Key>) -> Whole {
    let (mut any_part, mut any_live) = (false, false);
    let mut whole = Whole { status: Status::Healthy, causes: Vec::new(), more: 0 };
    let parts = parts.into_iter().filter(|part| !part.target.is_some_and(is_skipped));
    for part in parts.filter(|part| !part.live.is_some_and(is_hook)) {
        any_part = true;
        let Some(live) = part.live else { continue };
        any_live = true;
        let Some(health) = part.health else { continue };
        let key = live.key();
        if live.annotation(IGNORE) != Some("true") && own != Some(&key) && counts(&key, health.status) {
            whole.take(key, health);
        }
    }
    if any_part && !any_live {
        whole.status = Status::Missing;
    }
    whole
}

impl Whole {
    fn take(&mut self, key: Key, health: &Health) {
        if health.status > self.status {
            *self = Self { status: health.status, causes: Vec::new(), more: 0 };
        }
        if health.status < self.status || self.status == Status::Healthy {
            return;
        }
        if self.causes.len() < CAUSES {
            self.causes.push((key, health.clone()));
        } else {
            self.more += 1;
        }
    }
}

fn counts(key: &Key, status: Status) -> bool {
    let is_app = key.group == "argoproj.io" && key.kind == "Application";
    !(is_app && matches!(status, Status::Missing | Status::Unknown))
}

/// Whether the object runs in a phase of a sync instead of being a part of the app.
fn is_hook(object: &Object) -> bool {
    if object.annotation(HOOK).is_some() {
        !is_skipped(object)
    } else {
        // Helm marks definitions with the same annotation.
        object.annotation(HELM_HOOK).is_some_and(|value| value != "crd-install")
    }
}

/// Whether `Skip` is the only hook type that the object names; unknown ones are as if not written.
fn is_skipped(object: &Object) -> bool {
    let mut types = words(object, HOOK).filter(|word| HOOK_TYPES.contains(word)).peekable();
    types.peek().is_some() && types.all(|word| word == "Skip")
}

fn words<'a>(object: &'a Object, annotation: &str) -> impl Iterator<Item = &'a str> {
    object.annotation(annotation).unwrap_or_default().split(',').map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::super::tests::object;
    use super::*;
    use serde_json::json;

    fn pod(name: &str, annotations: &[(&str, &str)]) -> Object {
        let annotations: serde_json::Map<_, _> =
            annotations.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        object("v1", "Pod", &json!({"metadata": {"name": name, "annotations": annotations}}))
    }

    fn status(parts: &[(Option<&Object>, Option<&Object>, Option<Status>)]) -> Status {
        let healths: Vec<_> =
            parts.iter().map(|(_, _, status)| status.map(|status| Health::new(status, "why"))).collect();
        let parts = parts.iter().zip(&healths).map(|((target, live, _), health)| Part {
            target: *target,
            live: *live,
            health: health.as_ref(),
        });
        aggregate(parts, Some(&Key::new("argoproj.io", "Application", "", "own"))).status
    }

    #[test]
    fn the_worst_wins() {
        let all = ["Healthy", "Suspended", "Progressing", "Missing", "Degraded", "Unknown"];
        let all = all.map(|word| Status::from_word(word).unwrap());
        let one = pod("a", &[]);
        for first in all {
            for second in all {
                let parts = [(None, Some(&one), Some(first)), (None, Some(&one), Some(second))];
                assert_eq!(status(&parts), first.max(second));
            }
        }
        assert_eq!(status(&[]), Status::Healthy);
        assert_eq!(status(&[(None, Some(&one), None)]), Status::Healthy);
    }

    #[test]
    fn missing_objects_count_only_together() {
        let (one, ignored) = (pod("a", &[]), pod("b", &[(IGNORE, "true")]));
        let hook = pod("c", &[(HOOK, "Sync")]);
        let missing = (Some(&one), None, None);
        assert_eq!(status(&[missing]), Status::Missing);
        assert_eq!(status(&[missing, missing]), Status::Missing);
        assert_eq!(status(&[missing, (None, Some(&one), Some(Status::Healthy))]), Status::Healthy);
        assert_eq!(status(&[missing, (None, Some(&ignored), Some(Status::Degraded))]), Status::Healthy);
        // A hook is not a live part.
        assert_eq!(status(&[missing, (None, Some(&hook), Some(Status::Healthy))]), Status::Missing);
        assert_eq!(status(&[(Some(&hook), Some(&hook), Some(Status::Degraded))]), Status::Healthy);
    }

    #[test]
    fn what_does_not_count() {
        let app =
            |name: &str| object("argoproj.io/v1alpha1", "Application", &json!({"metadata": {"name": name}}));
        let (own, child) = (app("own"), app("child"));
        assert_eq!(status(&[(None, Some(&own), Some(Status::Degraded))]), Status::Healthy);
        assert_eq!(status(&[(None, Some(&child), Some(Status::Unknown))]), Status::Healthy);
        assert_eq!(status(&[(None, Some(&child), Some(Status::Missing))]), Status::Healthy);
        assert_eq!(status(&[(None, Some(&child), Some(Status::Degraded))]), Status::Degraded);

        let counts = |annotation: (&str, &str)| {
            let one = pod("a", &[annotation]);
            status(&[(Some(&one), Some(&one), Some(Status::Degraded))]) == Status::Degraded
        };
        assert!(!counts((IGNORE, "true")));
        assert!(counts((IGNORE, "false")));
        for hook in
            ["Sync", "PreSync, garbage", "garbage", "", "Skip", " Skip,Skip", "Skip,garbage", "Skip,Sync"]
        {
            assert!(!counts((HOOK, hook)), "{hook}");
        }
        assert!(!counts((HELM_HOOK, "pre-install")));
        assert!(counts((HELM_HOOK, "crd-install")));
    }

    #[test]
    fn only_skip_alone_skips_a_target() {
        let skipped = |hook: &str| is_skipped(&pod("a", &[(HOOK, hook)]));
        assert!(skipped("Skip") && skipped("Skip, Skip") && skipped("Skip,garbage"));
        assert!(!skipped("Skip,Sync") && !skipped("garbage") && !skipped(""));
    }

    #[test]
    fn three_causes_are_named() {
        let pods = ["a", "b", "c", "d", "e"].map(|name| pod(name, &[]));
        let (bad, good) = (Health::new(Status::Degraded, "why"), Health::new(Status::Progressing, "later"));
        let mut parts = vec![Part { target: None, live: pods.first(), health: Some(&good) }];
        parts.extend(pods.iter().map(|pod| Part { target: None, live: Some(pod), health: Some(&bad) }));
        let whole = aggregate(parts, None);
        assert_eq!(whole.to_string(), "Pod/a: why; Pod/b: why; Pod/c: why and 2 more");
    }
}
