//! Fields that are left alone, by rule.
//!
//! In: [`Rule`]s as people write them (JSON pointers, jq expressions, names of managers), compiled once to
//! [`Rules`]; then objects. Out: the target to apply with every ignored field as it is live ([`apply_view`]),
//! and two objects without the ignored fields ([`compare_view`]). The first governs what is applied and what is
//! predicted, the second what a server's answer is compared by, so a rule means the same in both.
//!
//! All rules that match an object count together. A path that an object lacks is no mistake. An expression is
//! checked when it is compiled, and stopped when it runs too long; what goes wrong in between (an iteration over
//! nothing, say) selects nothing.
//!
//! ```
//! use serde_json::json;
//! use towpath_merge::ignore::{Rule, Rules, apply_view};
//!
//! let rules = Rules::compile(&[Rule {
//!     group: "apps".into(),
//!     kind: "*".into(),
//!     json_pointers: vec!["/spec/replicas".into()],
//!     jq_path_expressions: vec![r#".spec.template.spec.containers[] | select(.name == "proxy")"#.into()],
//!     ..Rule::default()
//! }])?;
//! let target = json!({"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replicas": 1, "paused": true}});
//! let live = json!({"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"replicas": 5}});
//! let applied = apply_view(&target, &live, &rules, "towpath")?;
//! assert_eq!(applied["spec"], json!({"replicas": 5, "paused": true}));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod budget;
mod glob;
mod jq;
mod place;
mod pointer;
mod view;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use glob::Glob;
use jq::Jq;
pub(crate) use place::{Place, Step};
pub(crate) use view::ignored_places;
pub use view::{apply_view, compare_view};

/// Which fields of which objects are left alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Rule {
    /// The groups, as a pattern with `*`, `?`, `[a-c]` and `{a,b}`; empty for the core group.
    pub group: String,
    /// The kinds, as a pattern.
    pub kind: String,
    /// The name; empty for all.
    pub name: String,
    /// The namespace; empty for all.
    pub namespace: String,
    /// Fields by JSON pointer, for example `/spec/replicas`.
    pub json_pointers: Vec<String>,
    /// Fields by jq path expression, for example `.spec.ports[] | select(.name == "http") | .nodePort`.
    pub jq_path_expressions: Vec<String>,
    /// Managers whose word counts: fields that they own and that are live otherwise than wanted.
    pub managed_fields_managers: Vec<String>,
}

/// Why a rule cannot be used. Found when it is compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// It says no kind.
    #[error("ignore rule {rule} has no kind; write \"*\" for all kinds")]
    NoKind {
        /// Its number, counted from one.
        rule: usize,
    },
    /// A pattern of groups or kinds.
    #[error("ignore rule {rule}: the pattern {pattern:?} has no end of {open:?}")]
    Pattern {
        /// Its number, counted from one.
        rule: usize,
        /// The pattern.
        pattern: String,
        /// What is not closed.
        open: char,
    },
    /// A JSON pointer.
    #[error("ignore rule {rule}: the JSON pointer {pointer:?} has to begin with a slash")]
    Pointer {
        /// Its number, counted from one.
        rule: usize,
        /// The pointer.
        pointer: String,
    },
    /// A jq expression.
    #[error("ignore rule {rule}: jq {expression:?}, column {column}: {problem}")]
    Jq {
        /// Its number, counted from one.
        rule: usize,
        /// The expression.
        expression: String,
        /// Where, in characters, counted from one.
        column: usize,
        /// What is wrong there.
        problem: String,
    },
}

/// Why ignored fields could not be found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IgnoreError {
    /// An expression was stopped.
    #[error("ignore rule {rule}: jq {expression:?} was stopped: {why}")]
    Stopped {
        /// The rule's number, counted from one.
        rule: usize,
        /// The expression.
        expression: String,
        /// What it used up.
        why: &'static str,
    },
}

/// Rules that are ready to use. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    rules: Vec<Arc<Ready>>,
}

#[derive(Debug)]
struct Ready {
    group: Glob,
    kind: Glob,
    name: String,
    namespace: String,
    pointers: Vec<(String, Place)>,
    jq: Vec<Jq>,
    managers: Vec<String>,
}

impl Rules {
    /// Checks the rules and compiles their expressions.
    pub fn compile(rules: &[Rule]) -> Result<Self, RuleError> {
        let rules = rules.iter().zip(1..).map(|(rule, number)| Ready::new(rule, number).map(Arc::new));
        Ok(Self { rules: rules.collect::<Result<_, _>>()? })
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// These and the others: all count together.
    #[must_use]
    pub fn with(&self, others: &Self) -> Self {
        Self { rules: self.rules.iter().chain(&others.rules).cloned().collect() }
    }

    /// Whether any of them is about this object.
    pub fn concern(&self, object: &Value) -> bool {
        self.about(object).next().is_some()
    }

    /// The rules that are about this object.
    fn about<'a>(&'a self, object: &'a Value) -> impl Iterator<Item = &'a Ready> {
        self.rules.iter().map(|rule| &**rule).filter(move |rule| rule.matches(object))
    }
}

impl Ready {
    fn new(rule: &Rule, number: usize) -> Result<Self, RuleError> {
        if rule.kind.is_empty() {
            return Err(RuleError::NoKind { rule: number });
        }
        let pattern = |text: &str| {
            Glob::parse(text).map_err(|open| RuleError::Pattern { rule: number, pattern: text.into(), open })
        };
        let pointer = |text: &String| match pointer::parse(text) {
            Some(place) => Ok((format!("pointer {text}"), place)),
            None => Err(RuleError::Pointer { rule: number, pointer: text.clone() }),
        };
        Ok(Self {
            group: pattern(&rule.group)?,
            kind: pattern(&rule.kind)?,
            name: rule.name.clone(),
            namespace: rule.namespace.clone(),
            pointers: rule.json_pointers.iter().map(pointer).collect::<Result<_, _>>()?,
            jq: rule
                .jq_path_expressions
                .iter()
                .map(|text| Jq::compile(text, number))
                .collect::<Result<_, _>>()?,
            managers: rule.managed_fields_managers.clone(),
        })
    }

    fn matches(&self, object: &Value) -> bool {
        let text = |pointer: &str| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let group = text("/apiVersion").split_once('/').map_or("", |(group, _)| group);
        let is = |wanted: &str, found: &str| wanted.is_empty() || wanted == found;
        self.group.matches(group)
            && self.kind.matches(text("/kind"))
            && is(&self.name, text("/metadata/name"))
            && is(&self.namespace, text("/metadata/namespace"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rules_are_checked_when_they_are_compiled() {
        let refused =
            |rule: Rule| Rules::compile(&[Rule { kind: "*".into(), ..rule }]).unwrap_err().to_string();
        let nameless = Rules::compile(&[Rule::default()]).unwrap_err();
        assert_eq!(nameless, RuleError::NoKind { rule: 1 });
        assert_eq!(
            refused(Rule { group: "{a,b".into(), ..Rule::default() }),
            "ignore rule 1: the pattern \"{a,b\" has no end of '{'"
        );
        assert_eq!(
            refused(Rule { json_pointers: vec!["spec".into()], ..Rule::default() }),
            "ignore rule 1: the JSON pointer \"spec\" has to begin with a slash"
        );
        assert_eq!(
            refused(Rule { jq_path_expressions: vec![".spec.ports[".into()], ..Rule::default() }),
            "ignore rule 1: jq \".spec.ports[\", column 13: expected closing bracket"
        );
        assert_eq!(
            refused(Rule { jq_path_expressions: vec![".spec | nothing".into()], ..Rule::default() }),
            "ignore rule 1: jq \".spec | nothing\", column 9: there is no filter of this name and number of arguments"
        );
    }

    #[test]
    fn rules_match_by_group_kind_name_and_namespace() {
        let about = |rule: Rule, object: &Value| Rules::compile(&[rule]).unwrap().about(object).count() == 1;
        let service =
            json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a", "namespace": "n"}});
        let rule = Rule { kind: "Serv*".into(), ..Rule::default() };
        assert!(about(rule.clone(), &service));
        assert!(about(
            Rule { group: "*".into(), name: "a".into(), namespace: "n".into(), ..rule.clone() },
            &service
        ));
        assert!(!about(Rule { group: "apps".into(), ..rule.clone() }, &service));
        assert!(!about(Rule { namespace: "other".into(), ..rule.clone() }, &service));
        assert!(!about(Rule { name: "b".into(), ..rule }, &service));
    }

    #[test]
    fn a_rule_is_read_from_what_argo_cd_writes() {
        let rule: Rule = serde_json::from_value(json!({
            "group": "apps", "kind": "Deployment", "jsonPointers": ["/spec/replicas"],
            "jqPathExpressions": [".spec"], "managedFieldsManagers": ["hpa"],
        }))
        .unwrap();
        assert_eq!(rule.managed_fields_managers, ["hpa"]);
        assert!(serde_json::from_value::<Rule>(json!({"jsonPointer": "/spec"})).is_err());
    }
}
