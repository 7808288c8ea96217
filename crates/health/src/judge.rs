//! A rule set together with the caller's own rules.

use jiff::Timestamp;
use towpath_object::Object;

#[cfg(feature = "cel")]
use crate::Expressions;
use crate::{Assessment, Rules};
#[cfg(feature = "lua")]
use crate::{Overrides, argo};

/// Judges objects: by the caller's own rules first, then by the built-in ones of a set.
///
/// Make one per unit, or one for all that share the same rules; it may be used by many threads at once.
///
/// ```
/// # #[cfg(feature = "lua")] {
/// use towpath_health::{Judge, Overrides, Rules, Verdict};
/// use towpath_object::Object;
///
/// let mut overrides = Overrides::default();
/// overrides.health("example.com/Lamp", r#"
///     if obj.status.lit then return {status = "Healthy"} end
///     return {status = "Degraded", message = "it is dark in " .. obj.metadata.name}
/// "#)?;
/// let judge = Judge::new(Rules::Argo).with_overrides(overrides);
///
/// let lamp = Object::new(serde_json::json!({
///     "apiVersion": "example.com/v1", "kind": "Lamp", "metadata": {"name": "hall"},
///     "status": {"lit": false},
/// }))?;
/// let health = judge.assess(&lamp, jiff::Timestamp::now());
/// assert_eq!(health.verdict, Verdict::Failed);
/// assert_eq!(health.to_string(), "Degraded: it is dark in hall");
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Judge {
    rules: Rules,
    #[cfg(feature = "lua")]
    overrides: Overrides,
    #[cfg(feature = "cel")]
    expressions: Expressions,
}

impl Judge {
    /// One that knows only the built-in rules.
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            #[cfg(feature = "lua")]
            overrides: Overrides::default(),
            #[cfg(feature = "cel")]
            expressions: Expressions::default(),
        }
    }

    /// Asks these expressions before the rule set, as Flux does: also about objects that are being deleted.
    #[cfg(feature = "cel")]
    #[must_use]
    pub fn with_expressions(self, expressions: Expressions) -> Self {
        Self { expressions, ..self }
    }

    /// Asks these scripts first.
    #[cfg(feature = "lua")]
    #[must_use]
    pub fn with_overrides(self, overrides: Overrides) -> Self {
        Self { overrides, ..self }
    }

    /// The rule set.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The health of `object` at the time `now`: by a script for its kind, else by expressions for its kind,
    /// else by the rule set. A script is not asked about what is being deleted: that is progressing. Where a
    /// script or an expression fails the object is unknown, with the error as the message.
    pub fn assess(&self, object: &Object, now: Timestamp) -> Assessment {
        #[cfg(feature = "lua")]
        if let Some(script) = self.overrides.health_of(&object.gvk()) {
            let failed =
                |error: crate::ScriptError| Some(argo::Health::new(argo::Status::Unknown, error.to_string()));
            let own = |object: &Object| Some(script.health(object, now).unwrap_or_else(failed));
            return argo::assess_with(object, own).into();
        }
        #[cfg(feature = "cel")]
        if let Some(health) = self.expressions.assess(object) {
            return health.into();
        }
        self.rules.assess(object, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Verdict;
    use serde_json::json;

    fn assess(judge: &Judge, deleted: bool) -> (Verdict, &'static str) {
        let mut value = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}});
        if deleted {
            value["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        }
        let assessment = judge.assess(&Object::new(value).unwrap(), Timestamp::UNIX_EPOCH);
        (assessment.verdict, assessment.word)
    }

    #[test]
    fn without_own_rules_the_set_decides() {
        assert_eq!(assess(&Judge::new(Rules::Kstatus), false), (Verdict::Ready, "Current"));
        assert_eq!(assess(&Judge::new(Rules::Argo), false), (Verdict::Ready, "Healthy"));
        assert_eq!(assess(&Judge::new(Rules::Kstatus), true), (Verdict::Progressing, "Terminating"));
        assert_eq!(assess(&Judge::new(Rules::Argo), true), (Verdict::Progressing, "Progressing"));
    }

    #[cfg(all(feature = "lua", feature = "cel"))]
    #[test]
    fn scripts_come_before_expressions() {
        let entry = crate::KindExpressions {
            api_version: "v1".into(),
            kind: "Service".into(),
            current: "false".into(),
            failed: "true".into(),
            ..crate::KindExpressions::default()
        };
        let judge = Judge::new(Rules::Argo).with_expressions(Expressions::new([entry]).unwrap());
        assert_eq!(assess(&judge, true), (Verdict::Failed, "Failed"));

        let with = |script: &str| {
            let mut overrides = Overrides::default();
            overrides.health("Service", script).unwrap();
            judge.clone().with_overrides(overrides)
        };
        let suspended = with("return {status = 'Suspended'}");
        assert_eq!(assess(&suspended, false), (Verdict::Suspended, "Suspended"));
        assert_eq!(assess(&suspended, true), (Verdict::Progressing, "Progressing"));
        assert_eq!(assess(&with("return nil"), false), (Verdict::None, ""));
        assert_eq!(assess(&with("error('no')"), false), (Verdict::Unknown, "Unknown"));
    }
}
