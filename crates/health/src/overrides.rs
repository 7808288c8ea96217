//! The caller's own scripts, by kind.
//!
//! In: scripts as text, each under a name such as `apps/Deployment`, `Service` (core group) or with wildcards
//! `*.crossplane.io/*`. Out: for an object the script that is meant. Towpath brings none of its own.

use std::collections::BTreeMap;

use towpath_object::Gvk;

use crate::glob::Glob;
use crate::lua::{Script, ScriptError};

/// Scripts by kind: health, the discovery of actions, and actions.
///
/// A kind's own name wins over wildcards, and of those the one with the most literal characters; so a lone `*`
/// comes last. `*` stands for any characters, `/` too; `?`, `[a-z]`, `[!a-z]` and `{a,b}` are known.
#[derive(Clone, Default)]
pub struct Overrides {
    exact: BTreeMap<String, Scripts>,
    /// The most specific first.
    wildcards: Vec<(Glob, Scripts)>,
}

#[derive(Clone, Default)]
struct Scripts {
    health: Option<Script>,
    discovery: Vec<Script>,
    actions: BTreeMap<String, Script>,
}

/// Why a script is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadOverride {
    /// The script cannot be compiled.
    #[error("{kind}: {source}")]
    Script {
        /// The name it was given under.
        kind: String,
        /// What is wrong with it.
        source: ScriptError,
    },
    /// The name has wildcards that are not closed.
    #[error("{kind}: {problem}")]
    Name {
        /// The name.
        kind: String,
        /// What is wrong with it.
        problem: &'static str,
    },
}

impl Overrides {
    /// Judges objects of that kind by `script`; a later one replaces an earlier one of the same name.
    pub fn health(&mut self, kind: &str, script: &str) -> Result<(), BadOverride> {
        let script = compile(kind, script)?;
        self.scripts(kind)?.health = Some(script);
        Ok(())
    }

    /// Adds a script that says which actions objects of that kind have. Where there are several, the first to
    /// name an action describes it.
    pub fn discovery(&mut self, kind: &str, script: &str) -> Result<(), BadOverride> {
        let script = compile(kind, script)?;
        self.scripts(kind)?.discovery.push(script);
        Ok(())
    }

    /// Adds an action; a later one replaces an earlier one of the same name.
    pub fn action(&mut self, kind: &str, name: &str, script: &str) -> Result<(), BadOverride> {
        let script = compile(kind, script)?;
        self.scripts(kind)?.actions.insert(name.to_owned(), script);
        Ok(())
    }

    /// The script that judges objects of that kind.
    pub fn health_of(&self, gvk: &Gvk) -> Option<&Script> {
        self.find(gvk, |scripts| scripts.health.as_ref())
    }

    /// The scripts that say which actions objects of that kind have.
    pub fn discovery_of(&self, gvk: &Gvk) -> &[Script] {
        let found = self.find(gvk, |scripts| Some(&scripts.discovery).filter(|list| !list.is_empty()));
        found.map_or(&[], Vec::as_slice)
    }

    /// The script of the action of that name.
    pub fn action_of(&self, gvk: &Gvk, name: &str) -> Option<&Script> {
        self.find(gvk, |scripts| scripts.actions.get(name))
    }

    fn find<'a, T>(&'a self, gvk: &Gvk, pick: impl Fn(&'a Scripts) -> Option<T>) -> Option<T> {
        let name = name_of(gvk);
        let exact = self.exact.get(&name).and_then(&pick);
        exact.or_else(|| {
            let matching = self.wildcards.iter().filter(|(glob, _)| glob.matches(&name));
            matching.map(|(_, scripts)| scripts).find_map(&pick)
        })
    }

    fn scripts(&mut self, kind: &str) -> Result<&mut Scripts, BadOverride> {
        if !Glob::is_one(kind) {
            return Ok(self.exact.entry(kind.to_owned()).or_default());
        }
        let glob = Glob::new(kind).map_err(|problem| BadOverride::Name { kind: kind.to_owned(), problem })?;
        // Of equally specific ones the order is that of their text, not that of their coming.
        let rank = |glob: &Glob| (usize::MAX - glob.literals(), glob.text().to_owned());
        let place = self.wildcards.binary_search_by_key(&rank(&glob), |(other, _)| rank(other));
        let place = place.unwrap_or_else(|place| {
            self.wildcards.insert(place, (glob, Scripts::default()));
            place
        });
        Ok(self.wildcards.get_mut(place).map(|(_, scripts)| scripts).expect("it was found or inserted there"))
    }
}

fn compile(kind: &str, script: &str) -> Result<Script, BadOverride> {
    Script::new(script).map_err(|source| BadOverride::Script { kind: kind.to_owned(), source })
}

/// `apps/Deployment`, or `Service` for the core group.
fn name_of(gvk: &Gvk) -> String {
    if gvk.group.is_empty() { gvk.kind.clone() } else { format!("{}/{}", gvk.group, gvk.kind) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;
    use serde_json::json;
    use towpath_object::Object;

    fn message(overrides: &Overrides, api_version: &str, kind: &str) -> Option<String> {
        let object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}});
        let object = Object::new(object).unwrap();
        let script = overrides.health_of(&object.gvk())?;
        Some(script.health(&object, Timestamp::UNIX_EPOCH).unwrap().unwrap().message)
    }

    fn says(message: &str) -> String {
        format!("return {{status = 'Healthy', message = '{message}'}}")
    }

    #[test]
    fn the_most_specific_script_is_taken() {
        let mut overrides = Overrides::default();
        for kind in ["*", "*/*", "*.example.com/*", "b.example.com/*", "b.example.com/Thing", "Pod"] {
            overrides.health(kind, &says(kind)).unwrap();
        }
        let cases = [
            ("v1", "Pod", "Pod"),
            ("v1", "Service", "*"),
            ("apps/v1", "Deployment", "*/*"),
            ("a.example.com/v1", "Thing", "*.example.com/*"),
            ("b.example.com/v1", "Other", "b.example.com/*"),
            ("b.example.com/v1", "Thing", "b.example.com/Thing"),
        ];
        for (api_version, kind, expected) in cases {
            assert_eq!(
                message(&overrides, api_version, kind).as_deref(),
                Some(expected),
                "{api_version} {kind}"
            );
        }
        overrides.health("Pod", &says("later")).unwrap();
        overrides.health("*", &says("later still")).unwrap();
        assert_eq!(message(&overrides, "v1", "Pod").as_deref(), Some("later"));
        assert_eq!(message(&overrides, "v1", "Service").as_deref(), Some("later still"));
    }

    #[test]
    fn a_kind_without_health_script_is_left_to_wildcards() {
        let mut overrides = Overrides::default();
        overrides.discovery("Pod", "return {}").unwrap();
        overrides.health("P*", &says("P*")).unwrap();
        assert_eq!(message(&overrides, "v1", "Pod").as_deref(), Some("P*"));
        assert_eq!(message(&overrides, "v1", "Service"), None);
    }

    #[test]
    fn what_cannot_work_is_refused_at_once() {
        let mut overrides = Overrides::default();
        let error = overrides.health("Pod", "return {").unwrap_err();
        assert_eq!(error.to_string(), "Pod: script:1: unexpected symbol near <eof>");
        let error = overrides.health("[a/b", "return {}").unwrap_err();
        assert_eq!(error.to_string(), "[a/b: a bracket is not closed");
        assert!(overrides.health("Pod", "\u{1b}Lua").is_err());
    }
}
