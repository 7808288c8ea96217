//! A rule set together with the caller's own rules.

use jiff::Timestamp;
use towpath_object::Object;

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
}

impl Judge {
    /// One that knows only the built-in rules.
    pub fn new(rules: Rules) -> Self {
        Self { rules, ..Self::default() }
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

    /// The health of `object` at the time `now`. What is being deleted is progressing, whatever scripts would
    /// say; a script that fails makes its object unknown, with the script's error as the message.
    pub fn assess(&self, object: &Object, now: Timestamp) -> Assessment {
        #[cfg(feature = "lua")]
        if let Some(script) = self.overrides.health_of(&object.gvk()) {
            let failed =
                |error: crate::ScriptError| Some(argo::Health::new(argo::Status::Unknown, error.to_string()));
            let own = |object: &Object| Some(script.health(object, now).unwrap_or_else(failed));
            return argo::assess_with(object, own).into();
        }
        self.rules.assess(object, now)
    }
}
