//! The annotations that steer a sync, under Argo CD's names, Helm's and our own. Ours win.

use jiff::Timestamp;
use towpath_object::Object;

use super::Rules;

/// One annotation under its two names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// Our name.
    pub ours: &'static str,
    /// Argo CD's name.
    pub argo: &'static str,
}

/// A list of options such as `Prune=false`.
pub const SYNC_OPTIONS: Annotation =
    Annotation { ours: "towpath.dev/sync-options", argo: "argocd.argoproj.io/sync-options" };
/// A list of options for the comparison, such as `IgnoreExtraneous`.
pub const COMPARE_OPTIONS: Annotation =
    Annotation { ours: "towpath.dev/compare-options", argo: "argocd.argoproj.io/compare-options" };
/// A list of the phases in which the object runs as a hook.
pub const HOOK: Annotation = Annotation { ours: "towpath.dev/hook", argo: "argocd.argoproj.io/hook" };
/// A list of the occasions on which a hook is deleted.
pub const HOOK_DELETE_POLICY: Annotation =
    Annotation { ours: "towpath.dev/hook-delete-policy", argo: "argocd.argoproj.io/hook-delete-policy" };
/// The wave within a phase: an integer.
pub const WAVE: Annotation = Annotation { ours: "towpath.dev/wave", argo: "argocd.argoproj.io/sync-wave" };
/// `true` leaves the object out of the unit's health.
pub const IGNORE_HEALTHCHECK: Annotation =
    Annotation { ours: "towpath.dev/ignore-healthcheck", argo: "argocd.argoproj.io/ignore-healthcheck" };
/// On a unit: the time at which deletions that need consent were consented to.
pub const DELETION_APPROVED: Annotation =
    Annotation { ours: "towpath.dev/deletion-approved", argo: "argocd.argoproj.io/deletion-approved" };

/// Helm's hooks.
pub const HELM_HOOK: &str = "helm.sh/hook";
/// Helm's occasions for deleting a hook.
pub const HELM_HOOK_DELETE_POLICY: &str = "helm.sh/hook-delete-policy";
/// Helm's order among hooks.
pub const HELM_HOOK_WEIGHT: &str = "helm.sh/hook-weight";
/// Helm's way to say that an object outlives its release, with the value `keep`.
pub const HELM_RESOURCE_POLICY: &str = "helm.sh/resource-policy";

impl Annotation {
    /// Its text: ours, else Argo CD's where its rules apply.
    pub fn text<'a>(&self, object: &'a Object, rules: Rules) -> Option<&'a str> {
        object.annotation(self.ours).or_else(|| self.foreign(object, rules))
    }

    /// Its items: those of our annotation, else those of Argo CD's.
    pub fn items<'a>(&self, object: &'a Object, rules: Rules) -> Vec<&'a str> {
        items(self.text(object, rules))
    }

    /// The value of the option `name`: ours before Argo CD's, of several the first.
    pub fn option<'a>(&self, object: &'a Object, rules: Rules, name: &str) -> Option<&'a str> {
        let [ours, foreign] = self.lists(object, rules);
        option(&ours, name).or_else(|| option(&foreign, name))
    }

    /// The items of ours and those of Argo CD's, for those who look for several options.
    pub(super) fn lists<'a>(&self, object: &'a Object, rules: Rules) -> [Vec<&'a str>; 2] {
        [items(object.annotation(self.ours)), items(self.foreign(object, rules))]
    }

    /// True when either list has the item.
    pub fn has(&self, object: &Object, rules: Rules, item: &str) -> bool {
        let has = |text| items(text).contains(&item);
        has(object.annotation(self.ours)) || has(self.foreign(object, rules))
    }

    fn foreign<'a>(&self, object: &'a Object, rules: Rules) -> Option<&'a str> {
        rules.read_foreign_names().then(|| object.annotation(self.argo)).flatten()
    }
}

/// When the deletions of a unit were consented to, by an annotation on it. What is no time is no consent.
pub fn approved(unit: &Object, rules: Rules) -> Option<Timestamp> {
    DELETION_APPROVED.text(unit, rules)?.parse().ok()
}

/// The items of a comma list, trimmed, without empty and repeated ones.
pub fn items(text: Option<&str>) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for item in text.unwrap_or_default().split(',').map(str::trim) {
        if !item.is_empty() && !found.contains(&item) {
            found.push(item);
        }
    }
    found
}

/// The value of the first item `name=value`.
pub fn option<'a>(items: &[&'a str], name: &str) -> Option<&'a str> {
    items.iter().find_map(|item| item.strip_prefix(name)?.strip_prefix('='))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::annotated;
    use super::*;

    #[test]
    fn lists_are_trimmed_and_the_first_of_a_name_wins() {
        assert_eq!(items(Some(" a ,,b,a ")), ["a", "b"]);
        assert_eq!(items(None), Vec::<&str>::new());
        assert_eq!(option(&["Prune=false", "Prune=confirm"], "Prune"), Some("false"));
        assert_eq!(option(&["PruneLast=true"], "Prune"), None);
    }

    #[test]
    fn a_consent_is_a_time() {
        let at = |text| approved(&annotated(&[(DELETION_APPROVED.argo, text)]), Rules::Argo);
        assert_eq!(at("2026-01-02T03:04:05Z").map(Timestamp::as_second), Some(1_767_323_045));
        assert_eq!(at("yes"), None);
    }

    #[test]
    fn our_name_wins_option_by_option() {
        let both = annotated(&[
            (SYNC_OPTIONS.ours, "Prune=confirm"),
            (SYNC_OPTIONS.argo, "Prune=false,Replace=true"),
        ]);
        assert_eq!(SYNC_OPTIONS.option(&both, Rules::Argo, "Prune"), Some("confirm"));
        assert_eq!(SYNC_OPTIONS.option(&both, Rules::Argo, "Replace"), Some("true"));
        assert_eq!(SYNC_OPTIONS.option(&both, Rules::Kstatus, "Replace"), None);
    }
}
