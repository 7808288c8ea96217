//! One object judged exactly: the server is asked what an apply would make of it, and the answer is explained field by
//! field.
//!
//! ```text
//! target ─ignored fields as they are live─► dry run ─► what is ours of the answer ─► without ignored fields ─► changes
//! ```

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;
use towpath_cluster::{Apply, Cluster, Error};
use towpath_failure::{Class, Failure as _};
use towpath_merge::explain::{Explanation, explain_answer};
use towpath_merge::ignore::{IgnoreError, Rules, apply_view};
use towpath_merge::predict::{Options, answered};
use towpath_object::Object;
use towpath_plan::{Target, absorb};
use towpath_schema::Schemas;

use crate::facts::KindFacts;

/// How to judge.
pub(crate) struct Exact<'a> {
    pub(crate) cluster: &'a Cluster,
    pub(crate) manager: &'a str,
    pub(crate) ignore: &'a Rules,
    /// The rules govern what is applied, too.
    pub(crate) respects: bool,
    /// An apply takes over what people set by hand.
    pub(crate) migrates: bool,
    /// What people set by hand counts even where an apply leaves it.
    pub(crate) strict: bool,
    /// What admission changes counts.
    pub(crate) include_webhooks: bool,
    /// What is known of kinds.
    pub(crate) schemas: Arc<Schemas>,
}

/// Why an object cannot be judged.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    #[error(transparent)]
    Cluster(#[from] Error),
    #[error(transparent)]
    Ignore(#[from] IgnoreError),
}

impl Trouble {
    /// True when it may pass by itself.
    pub(crate) fn is_passing(&self) -> bool {
        matches!(self, Self::Cluster(error) if error.class() == Class::Transient)
    }
}

impl Exact<'_> {
    /// What an apply of `target` would change of `live`. Without its managed fields it is not known whose the other
    /// fields are, and what rules about managers name.
    pub(crate) async fn explain(&self, target: &Target, live: &Value) -> Result<Explanation, Trouble> {
        let absorption = absorb(live, self.manager, &target.resource.gvk.api_version());
        let absorption = absorption.filter(|_| self.migrates);
        let mut owned = Cow::Borrowed(live);
        if let Some(absorption) = &absorption {
            set_managers(owned.to_mut(), absorption.managed_fields.clone());
        }
        let sent = view(self.ignore, self.respects, &target.object, &owned, self.manager)?;
        let how = Apply { manager: self.manager.into(), force: true, dry_run: true };
        let answer = self.cluster.apply(&target.resource, &sent, &how).await?.object;
        let after = match &absorption {
            Some(absorption) => absorption.predict(answer, self.manager),
            None => answer,
        };
        let facts = KindFacts::new(&self.schemas, &target.resource.gvk);
        let options = Options { facts: &facts, strict: self.strict, ..Options::of(self.manager) };
        let ours = (!self.include_webhooks).then(|| answered(live, &after, &options));
        // Where managed fields cannot be read all of the answer counts.
        let after = ours.and_then(Result::ok).unwrap_or(after);
        Ok(explain_answer(target.object.value(), live, &after, self.ignore, &options)?)
    }
}

/// What is sent to the server for a target: ignored fields as they are live, where the rules say so.
pub(crate) fn view<'a>(
    ignore: &Rules,
    respects: bool,
    target: &'a Object,
    live: &Value,
    manager: &str,
) -> Result<Cow<'a, Object>, IgnoreError> {
    if !respects || !ignore.concern(target.value()) {
        return Ok(Cow::Borrowed(target));
    }
    let value = apply_view(target.value(), live, ignore, manager)?;
    Ok(Cow::Owned(Object::new(value).expect("its identity did not change")))
}

/// Puts other managers in the place of an object's.
fn set_managers(object: &mut Value, managers: Value) {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("managedFields".into(), managers);
    }
}
