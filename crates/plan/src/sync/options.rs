//! Options of a sync: of the whole unit and of single objects.

use serde::{Deserialize, Serialize};
use towpath_object::Object;

use super::Rules;
use super::annotation::{COMPARE_OPTIONS, HELM_RESOURCE_POLICY, IGNORE_HEALTHCHECK, SYNC_OPTIONS, option};
use crate::PRUNE_ANNOTATION;

/// Whether something may be done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Consent {
    /// It may.
    #[default]
    Yes,
    /// It may not.
    No,
    /// A person has to say so first.
    Confirm,
}

/// What becomes of an object's dependants when it is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Propagation {
    /// They go first.
    Foreground,
    /// They go afterwards.
    Background,
    /// They stay.
    Orphan,
}

impl Propagation {
    /// What the tool does whose rules these are: Argo CD waits for dependants, Flux leaves them to the garbage collector.
    pub fn usual(rules: Rules) -> Self {
        match rules {
            Rules::Argo => Self::Foreground,
            Rules::Kstatus | Rules::Towpath => Self::Background,
        }
    }
}

/// Options of an operation on a unit. `prune`, `dry_run`, `skip_hooks`, `force`, `allow_empty` and `wait` belong to
/// the request; the others are the unit's sync options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncOptions {
    /// Objects that are no longer wanted are deleted.
    pub prune: bool,
    /// Nothing is written.
    pub dry_run: bool,
    /// The strategy `apply`: no hooks are run.
    pub skip_hooks: bool,
    /// An object that cannot be changed in place is deleted and created again.
    pub force: bool,
    /// Pruning may delete everything there is.
    pub allow_empty: bool,
    /// The operation ends only when every object is ready.
    pub wait: bool,
    /// `Prune=`: whether objects are pruned that do not say so themselves.
    pub may_prune: Consent,
    /// `Delete=`: whether objects go with the unit that do not say so themselves.
    pub may_delete: Consent,
    /// `PruneLast=true`: prune after everything else is ready.
    pub prune_last: bool,
    /// `PrunePropagationPolicy=`; nothing: what is [usual](Propagation::usual).
    pub propagation: Option<Propagation>,
    /// `Replace=true`: replace objects as a whole.
    pub replace: bool,
    /// `ServerSideApply=`. On unless turned off: client-side apply exists for objects that ask for it only.
    pub server_side: bool,
    /// `ClientSideApplyMigration=`: take over the fields of kubectl's client-side apply.
    pub migrate: bool,
    /// `Validate=`: fields that the schema does not know are refused.
    pub validate: bool,
    /// `SkipDryRunOnMissingResource=true`: objects of kinds the server does not know yet are not checked first.
    pub skip_check_of_missing_kinds: bool,
    /// `ApplyOutOfSyncOnly=true`: what is as wanted is not applied.
    pub out_of_sync_only: bool,
    /// `CreateNamespace=true`: create the unit's namespace.
    pub create_namespace: bool,
    /// `RespectIgnoreDifferences=true`: what the ignore rules name is not applied.
    pub respect_ignore_rules: bool,
    /// `FailOnSharedResource=true`: an object of another unit is an error.
    pub fail_on_shared: bool,
}

impl Default for SyncOptions {
    fn default() -> Self {
        Self {
            prune: false,
            dry_run: false,
            skip_hooks: false,
            force: false,
            allow_empty: false,
            wait: false,
            may_prune: Consent::Yes,
            may_delete: Consent::Yes,
            prune_last: false,
            propagation: None,
            replace: false,
            server_side: true,
            migrate: true,
            validate: true,
            skip_check_of_missing_kinds: false,
            out_of_sync_only: false,
            create_namespace: false,
            respect_ignore_rules: false,
            fail_on_shared: false,
        }
    }
}

impl SyncOptions {
    /// Reads a unit's list of options, each an exact text. Gives back those that mean nothing, for a warning.
    pub fn read<'a>(list: &[&'a str]) -> (Self, Vec<&'a str>) {
        let mut options = Self::default();
        let unknown = list.iter().copied().filter(|text| !options.take(text)).collect();
        // Of several values of one name the first counts, as it does on objects.
        options.may_prune = option(list, "Prune").and_then(consent).unwrap_or_default();
        options.may_delete = option(list, "Delete").and_then(consent).unwrap_or_default();
        (options, unknown)
    }

    /// Whether an object that is no longer wanted and carries these options is deleted, or why not.
    pub fn prunes(&self, found: &ObjectOptions) -> Result<Consent, &'static str> {
        if !self.prune {
            return Err("kept: it needs pruning, which is off");
        }
        match found.prune.unwrap_or(self.may_prune) {
            Consent::No => Err("kept: the option Prune is false"),
            consent => Ok(consent),
        }
    }

    fn take(&mut self, text: &str) -> bool {
        match text {
            "PruneLast=true" => self.prune_last = true,
            "PrunePropagationPolicy=foreground" => self.propagation = Some(Propagation::Foreground),
            "PrunePropagationPolicy=background" => self.propagation = Some(Propagation::Background),
            "PrunePropagationPolicy=orphan" => self.propagation = Some(Propagation::Orphan),
            "Replace=true" => self.replace = true,
            "Force=true" => self.force = true,
            "ServerSideApply=false" => self.server_side = false,
            "ClientSideApplyMigration=false" => self.migrate = false,
            "Validate=false" => self.validate = false,
            "SkipDryRunOnMissingResource=true" => self.skip_check_of_missing_kinds = true,
            "ApplyOutOfSyncOnly=true" => self.out_of_sync_only = true,
            "CreateNamespace=true" => self.create_namespace = true,
            "RespectIgnoreDifferences=true" => self.respect_ignore_rules = true,
            "FailOnSharedResource=true" => self.fail_on_shared = true,
            // What is so anyway.
            "PruneLast=false"
            | "Replace=false"
            | "Force=false"
            | "ServerSideApply=true"
            | "ClientSideApplyMigration=true"
            | "Validate=true"
            | "SkipDryRunOnMissingResource=false"
            | "ApplyOutOfSyncOnly=false"
            | "CreateNamespace=false"
            | "RespectIgnoreDifferences=false"
            | "FailOnSharedResource=false" => {}
            _ => {
                return option(&[text], "Prune")
                    .or_else(|| option(&[text], "Delete"))
                    .is_some_and(|value| consent(value).is_some());
            }
        }
        true
    }
}

/// Options that an object carries. Values that mean nothing count as absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectOptions {
    /// `Prune=`, or our older `towpath.dev/prune: disabled`.
    pub prune: Option<Consent>,
    /// `Delete=`.
    pub delete: Option<Consent>,
    /// `PruneLast=true`.
    pub prune_last: bool,
    /// `Replace=true`.
    pub replace: bool,
    /// `Force=true`.
    pub force: bool,
    /// `ServerSideApply=`.
    pub server_side: Option<bool>,
    /// `Validate=false`.
    pub no_validation: bool,
    /// `SkipDryRunOnMissingResource=true`.
    pub skip_check_of_missing_kind: bool,
    /// Helm's `resource-policy: keep`.
    pub keep: bool,
}

impl ObjectOptions {
    /// Reads them.
    pub fn read(object: &Object, rules: Rules) -> Self {
        let [ours, foreign] = SYNC_OPTIONS.lists(object, rules);
        let value = |name| option(&ours, name).or_else(|| option(&foreign, name));
        let on = |name| value(name) == Some("true");
        let protected = object.annotation(PRUNE_ANNOTATION) == Some("disabled");
        Self {
            prune: value("Prune").and_then(consent).or(protected.then_some(Consent::No)),
            delete: value("Delete").and_then(consent),
            prune_last: on("PruneLast"),
            replace: on("Replace"),
            force: on("Force"),
            server_side: value("ServerSideApply").and_then(|value| value.parse().ok()),
            no_validation: value("Validate") == Some("false"),
            skip_check_of_missing_kind: on("SkipDryRunOnMissingResource"),
            keep: object.annotation(HELM_RESOURCE_POLICY) == Some("keep"),
        }
    }
}

/// Options of an object for the comparison and the health of its unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompareOptions {
    /// `IgnoreExtraneous`: being there without being wanted does not make the unit out of sync.
    pub ignore_extraneous: bool,
    /// `ServerSideDiff=`: compare by a dry-run of the server.
    pub server_side: Option<bool>,
    /// `IncludeMutationWebhook=true`: what webhooks change counts.
    pub include_webhooks: bool,
    /// `ignore-healthcheck: "true"`: not part of the unit's health.
    pub ignore_health: bool,
}

impl CompareOptions {
    /// Reads them.
    pub fn read(object: &Object, rules: Rules) -> Self {
        Self {
            ignore_extraneous: COMPARE_OPTIONS.has(object, rules, "IgnoreExtraneous"),
            server_side: COMPARE_OPTIONS
                .option(object, rules, "ServerSideDiff")
                .and_then(|value| value.parse().ok()),
            include_webhooks: COMPARE_OPTIONS.option(object, rules, "IncludeMutationWebhook") == Some("true"),
            ignore_health: IGNORE_HEALTHCHECK.text(object, rules) == Some("true"),
        }
    }
}

fn consent(value: &str) -> Option<Consent> {
    match value {
        "true" => Some(Consent::Yes),
        "false" => Some(Consent::No),
        "confirm" => Some(Consent::Confirm),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::annotated;
    use super::*;

    #[test]
    fn every_option_of_a_unit_is_known_and_others_are_named() {
        let (options, unknown) = SyncOptions::read(&[
            "Prune=confirm",
            "Prune=false",
            "Delete=false",
            "PruneLast=true",
            "PrunePropagationPolicy=orphan",
            "Replace=true",
            "Force=true",
            "ServerSideApply=false",
            "ClientSideApplyMigration=false",
            "Validate=false",
            "SkipDryRunOnMissingResource=true",
            "ApplyOutOfSyncOnly=true",
            "CreateNamespace=true",
            "RespectIgnoreDifferences=true",
            "FailOnSharedResource=true",
            "Replace= true",
            "Prune=maybe",
            "Nonsense",
        ]);
        assert_eq!(unknown, ["Replace= true", "Prune=maybe", "Nonsense"]);
        assert_eq!((options.may_prune, options.may_delete), (Consent::Confirm, Consent::No));
        assert_eq!(options.propagation, Some(Propagation::Orphan));
        assert!(options.prune_last && options.replace && options.force && options.out_of_sync_only);
        assert!(!options.server_side && !options.migrate && !options.validate);
        assert!(options.skip_check_of_missing_kinds && options.create_namespace);
        assert!(options.respect_ignore_rules && options.fail_on_shared);
    }

    #[test]
    fn dependants_go_as_with_the_tool_whose_rules_these_are() {
        assert_eq!(SyncOptions::default().propagation, None);
        assert_eq!(Propagation::usual(Rules::Argo), Propagation::Foreground);
        assert_eq!(Propagation::usual(Rules::Kstatus), Propagation::Background);
    }

    #[test]
    fn options_of_an_object() {
        let object = annotated(&[
            (SYNC_OPTIONS.argo, "Prune=false, Delete=confirm,Replace=true,Force=true,ServerSideApply=false"),
            (SYNC_OPTIONS.ours, "Prune=confirm,Validate=false,PruneLast=true"),
            (COMPARE_OPTIONS.argo, "IgnoreExtraneous,ServerSideDiff=true"),
            (IGNORE_HEALTHCHECK.argo, "true"),
        ]);
        let options = ObjectOptions::read(&object, Rules::Argo);
        assert_eq!((options.prune, options.delete), (Some(Consent::Confirm), Some(Consent::Confirm)));
        assert!(options.replace && options.force && options.no_validation && options.prune_last);
        assert_eq!(options.server_side, Some(false));
        let compare = CompareOptions::read(&object, Rules::Argo);
        assert!(compare.ignore_extraneous && compare.ignore_health && compare.server_side == Some(true));
    }

    #[test]
    fn nonsense_counts_as_absent() {
        let object = annotated(&[(SYNC_OPTIONS.argo, "Prune=maybe,Replace=yes,=,ServerSideApply")]);
        assert_eq!(ObjectOptions::read(&object, Rules::Argo), ObjectOptions::default());
        let kept = annotated(&[(PRUNE_ANNOTATION, "disabled"), (HELM_RESOURCE_POLICY, "keep")]);
        let options = ObjectOptions::read(&kept, Rules::Kstatus);
        assert!(options.prune == Some(Consent::No) && options.keep);
    }
}
