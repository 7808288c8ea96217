//! What people say of kinds and objects themselves: how they are healthy, what can be done to them, which of their
//! fields are left alone.
//!
//! In: [`KindOverride`]s of the settings and of a unit, and the unit's ignore rules. Out: all of it compiled, or what is
//! wrong with it and where, before anything is judged by it.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use serde::{Deserialize, Serialize};
use towpath_health::{
    BadExpression, BadOverride as BadScript, Expressions, Judge, KindExpressions, Overrides as Scripts,
    Rules as HealthRules,
};
use towpath_merge::ignore::{Rule, RuleError, Rules as IgnoreRules};
use towpath_plan::sync::Rules;

use crate::engine::Engine;
use crate::unit::Unit;

/// Overrides by kind: `apps/Deployment`, `Service` for a kind of the core group, or with wildcards `*.example.com/*`.
pub type Overrides = BTreeMap<String, KindOverride>;

/// What differs from the built-in rules for one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct KindOverride {
    /// A Lua script that judges health, as Argo CD has them. It comes before expressions.
    pub health_script: Option<String>,
    /// CEL expressions that judge health, as Flux has them.
    pub health_expressions: Option<HealthExpressions>,
    /// A Lua script that says which actions an object has.
    pub discovery: Option<String>,
    /// Actions by name: Lua scripts.
    pub actions: BTreeMap<String, String>,
    /// Fields that are left alone.
    pub ignore: IgnoredFields,
}

/// Health by expressions in CEL. Empty ones are not asked, but `current` must be there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct HealthExpressions {
    /// True when the object is as it should be.
    pub current: String,
    /// True while it is on the way.
    pub in_progress: String,
    /// True when it will not get there by itself.
    pub failed: String,
}

/// Fields of a kind that are left alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct IgnoredFields {
    /// By JSON pointer.
    pub json_pointers: Vec<String>,
    /// By jq path expression.
    pub jq_path_expressions: Vec<String>,
    /// Those that these managers own and have changed.
    pub managed_fields_managers: Vec<String>,
}

/// Why an override or an ignore rule is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadOverride {
    /// A script.
    #[error("override of {0}")]
    Script(BadScript),
    /// An expression.
    #[error("override of {0}")]
    Expression(BadExpression),
    /// Expressions are for one kind, or for all kinds of a group.
    #[error(
        "override of {kind}: health expressions are for a kind or for all of a group, as \"example.com/*\""
    )]
    Wildcard {
        /// The name.
        kind: String,
    },
    /// The ignored fields of a kind.
    #[error("override of {kind}: {source}")]
    Ignored {
        /// The name.
        kind: String,
        /// What is wrong.
        source: RuleError,
    },
    /// An ignore rule of a unit.
    #[error(transparent)]
    Rule(RuleError),
}

/// Overrides and ignore rules, ready to use.
#[derive(Clone, Default)]
pub(crate) struct Custom {
    pub(crate) scripts: Scripts,
    expressions: Expressions,
    pub(crate) ignore: IgnoreRules,
}

impl Custom {
    /// Of the settings.
    pub(crate) fn of_settings(overrides: &Overrides) -> Result<Self, BadOverride> {
        Ok(Self { ignore: ignored_fields(overrides)?, ..Self::health(overrides)? })
    }

    /// Of a unit beside those of the settings: for a kind of the same name the unit's count, ignore rules count
    /// together.
    pub(crate) fn and_unit(
        &self,
        settings: &Overrides,
        overrides: &Overrides,
        ignore: &[Rule],
    ) -> Result<Self, BadOverride> {
        let mut both = settings.clone();
        for (kind, own) in overrides {
            merge(both.entry(kind.clone()).or_default(), own);
        }
        let own = IgnoreRules::compile(ignore).map_err(BadOverride::Rule)?;
        let own = own.with(&ignored_fields(overrides)?);
        Ok(Self { ignore: self.ignore.with(&own), ..Self::health(&both)? })
    }

    fn health(overrides: &Overrides) -> Result<Self, BadOverride> {
        let mut scripts = Scripts::default();
        let mut expressions = Vec::new();
        for (kind, over) in overrides {
            if let Some(script) = &over.health_script {
                scripts.health(kind, script).map_err(BadOverride::Script)?;
            }
            if let Some(script) = &over.discovery {
                scripts.discovery(kind, script).map_err(BadOverride::Script)?;
            }
            for (name, script) in &over.actions {
                scripts.action(kind, name, script).map_err(BadOverride::Script)?;
            }
            if let Some(own) = &over.health_expressions {
                expressions.push(kind_expressions(kind, own)?);
            }
        }
        let expressions = Expressions::new(expressions).map_err(BadOverride::Expression)?;
        Ok(Self { scripts, expressions, ignore: IgnoreRules::default() })
    }

    /// Judges health: by overrides first, then by a rule set.
    pub(crate) fn judge(&self, rules: Rules) -> Judge {
        let rules = match rules {
            Rules::Argo => HealthRules::Argo,
            Rules::Kstatus | Rules::Towpath => HealthRules::Kstatus,
        };
        Judge::new(rules).with_overrides(self.scripts.clone()).with_expressions(self.expressions.clone())
    }
}

/// What holds for a unit, for one generation of it and beside one state of the settings.
#[derive(Clone)]
pub(crate) struct UnitCustom {
    generation: u64,
    settings: Arc<Custom>,
    both: Arc<Custom>,
}

impl Engine {
    /// The overrides and ignore rules that hold for a unit.
    pub(crate) fn custom(&self, unit: &Unit) -> Result<Arc<Custom>, BadOverride> {
        let settings = self.shared.custom.read().unwrap_or_else(PoisonError::into_inner).clone();
        let (overrides, ignore) = (&unit.policy.overrides, &unit.policy.ignore);
        if overrides.is_empty() && ignore.is_empty() {
            return Ok(settings);
        }
        let known = self.shared.remember(&unit.id, |memory| memory.custom.clone());
        if let Some(known) = known
            && known.generation == unit.generation
            && Arc::ptr_eq(&known.settings, &settings)
        {
            return Ok(known.both);
        }
        let both = Arc::new(settings.and_unit(&self.shared.settings().overrides, overrides, ignore)?);
        let known = UnitCustom { generation: unit.generation, settings, both: both.clone() };
        self.shared.remember(&unit.id, |memory| memory.custom = Some(known));
        Ok(both)
    }
}

/// What a unit says of a kind takes the place of what the settings say. Fields to ignore are not here: they add up.
fn merge(known: &mut KindOverride, own: &KindOverride) {
    if own.health_script.is_some() || own.health_expressions.is_some() {
        known.health_script.clone_from(&own.health_script);
        known.health_expressions.clone_from(&own.health_expressions);
    }
    if own.discovery.is_some() {
        known.discovery.clone_from(&own.discovery);
    }
    known.actions.extend(own.actions.clone());
}

fn ignored_fields(overrides: &Overrides) -> Result<IgnoreRules, BadOverride> {
    let mut all = IgnoreRules::default();
    for (kind, over) in overrides.iter().filter(|(_, over)| over.ignore != IgnoredFields::default()) {
        let (group, name) = match kind.split_once('/') {
            Some(both) => both,
            None if kind == "*" => ("*", "*"),
            None => ("", kind.as_str()),
        };
        let fields = over.ignore.clone();
        let rule = Rule {
            group: group.into(),
            kind: name.into(),
            json_pointers: fields.json_pointers,
            jq_path_expressions: fields.jq_path_expressions,
            managed_fields_managers: fields.managed_fields_managers,
            ..Rule::default()
        };
        let wrong = |source| BadOverride::Ignored { kind: kind.clone(), source };
        all = all.with(&IgnoreRules::compile(&[rule]).map_err(wrong)?);
    }
    Ok(all)
}

fn kind_expressions(kind: &str, own: &HealthExpressions) -> Result<KindExpressions, BadOverride> {
    let (group, name) = kind.split_once('/').unwrap_or(("", kind));
    let name = if name == "*" && !group.is_empty() { "" } else { name };
    if group.contains(['*', '?', '[', '{']) || name.contains(['*', '?', '[', '{']) {
        return Err(BadOverride::Wildcard { kind: kind.into() });
    }
    let HealthExpressions { current, in_progress, failed } = own.clone();
    // Only the group counts.
    let api_version = if group.is_empty() { "v1".into() } else { format!("{group}/v1") };
    Ok(KindExpressions { api_version, kind: name.into(), current, in_progress, failed })
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;
    use towpath_object::Object;

    use super::*;

    fn overrides(value: serde_json::Value) -> Overrides {
        serde_json::from_value(value).unwrap()
    }

    fn refused(value: serde_json::Value) -> String {
        Custom::of_settings(&overrides(value)).err().unwrap().to_string()
    }

    fn health(custom: &Custom, kind: &str) -> String {
        let lamp = json!({"apiVersion": "example.com/v1", "kind": kind, "metadata": {"name": "hall"},
            "status": {"lit": true}});
        custom.judge(Rules::Kstatus).assess(&Object::new(lamp).unwrap(), Timestamp::UNIX_EPOCH).to_string()
    }

    #[test]
    fn what_cannot_work_is_refused_with_its_place() {
        assert_eq!(
            refused(json!({"apps/Deployment": {"ignore": {"jqPathExpressions": [".spec.ports["]}}})),
            "override of apps/Deployment: ignore rule 1: jq \".spec.ports[\", column 13: expected closing bracket"
        );
        assert!(
            refused(json!({"Pod": {"healthScript": "return {"}})).starts_with("override of Pod: script:1:")
        );
        assert!(
            refused(json!({"Pod": {"actions": {"a": "return {"}}})).starts_with("override of Pod: script:1:")
        );
        assert!(refused(json!({"a.b/Pod": {"healthExpressions": {}}})).contains("current is missing"));
        let wild = refused(json!({"*.b/Pod": {"healthExpressions": {"current": "true"}}}));
        assert!(wild.contains("for a kind or for all of a group"), "{wild}");
        let rule = Rule { kind: "Pod".into(), jq_path_expressions: vec!["(".into()], ..Rule::default() };
        let bad = Custom::default().and_unit(&Overrides::new(), &Overrides::new(), &[rule]).err().unwrap();
        assert!(bad.to_string().starts_with("ignore rule 1: jq \"(\", column 2:"), "{bad}");
    }

    #[test]
    fn a_units_own_word_counts_before_the_settings() {
        let lua = |says: &str| json!({"healthScript": format!("return {{status = '{says}'}}")});
        let settings =
            overrides(json!({"example.com/Lamp": lua("Suspended"), "example.com/Bell": lua("Suspended")}));
        let custom = Custom::of_settings(&settings).unwrap();
        assert_eq!(health(&custom, "Lamp"), "Suspended");
        let own = overrides(json!({"example.com/Lamp": {"healthExpressions":
            {"current": "!status.lit", "failed": "status.lit"}}}));
        let both = custom.and_unit(&settings, &own, &[]).unwrap();
        assert!(health(&both, "Lamp").starts_with("Failed"), "{}", health(&both, "Lamp"));
        assert_eq!(health(&both, "Bell"), "Suspended");
        let group = overrides(json!({"example.com/*": {"healthExpressions": {"current": "status.lit"}}}));
        assert!(health(&Custom::of_settings(&group).unwrap(), "Gong").starts_with("Current"));
    }

    #[test]
    fn ignored_fields_of_settings_and_unit_count_together() {
        let ignore = |pointer: &str| json!({"ignore": {"jsonPointers": [pointer]}});
        let settings =
            overrides(json!({"*": ignore("/a"), "ConfigMap": ignore("/b"), "apps/*": ignore("/c")}));
        let custom = Custom::of_settings(&settings).unwrap();
        let own = overrides(json!({"ConfigMap": ignore("/d")}));
        let rule = Rule { kind: "ConfigMap".into(), json_pointers: vec!["/e".into()], ..Rule::default() };
        let both = custom.and_unit(&settings, &own, &[rule]).unwrap();
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "a": 1, "b": 1, "c": 1, "d": 1, "e": 1});
        let (left, _) = towpath_merge::ignore::compare_view(&map, &map, &both.ignore).unwrap();
        assert_eq!(left, json!({"apiVersion": "v1", "kind": "ConfigMap", "c": 1}));
    }
}
