//! An object to its health.
//!
//! In: an [`Object`](towpath_object::Object) as the server shows it, with its status. Out: what state it is in
//! and, in a few words, why. Pure: no network, and no clock either, the caller says what time it is.
//!
//! There are two sets of [`Rules`], chosen per unit:
//!
//! - [`kstatus`], Flux's: the conditions `Reconciling` and `Stalled` and the observed generation are asked
//!   first, then the rule of a built-in kind, then the condition `Ready`; an object that says nothing of itself
//!   is current.
//! - [`argo`], Argo CD's: the rule of a built-in kind, or no health at all; an app has the worst health of its
//!   objects ([`argo::aggregate`]).
//!
//! Each speaks its own words. An [`Assessment`] has those and a [`Verdict`] that is common to both:
//!
//! ```
//! use towpath_health::{Rules, Verdict};
//! use towpath_object::Object;
//!
//! let claim = Object::new(serde_json::json!({
//!     "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"},
//!     "status": {"phase": "Pending"},
//! }))?;
//! let now = jiff::Timestamp::now();
//! let (flux, argo) = (Rules::Kstatus.assess(&claim, now), Rules::Argo.assess(&claim, now));
//! assert_eq!((flux.verdict, flux.word), (Verdict::Progressing, "InProgress"));
//! assert_eq!((argo.verdict, argo.word), (Verdict::Progressing, "Progressing"));
//! assert_eq!(flux.to_string(), "InProgress: claim is Pending, not Bound");
//! # Ok::<(), towpath_object::Invalid>(())
//! ```

#[cfg(feature = "lua")]
mod actions;
pub mod argo;
#[cfg(feature = "cel")]
mod cel;
#[cfg(feature = "lua")]
mod glob;
mod judge;
pub mod kstatus;
#[cfg(feature = "lua")]
mod lua;
#[cfg(feature = "lua")]
mod overrides;
mod verdict;

#[cfg(feature = "lua")]
pub use actions::{Action, ActionError, Effect};
#[cfg(feature = "cel")]
pub use cel::{BadExpression, Expressions, KindExpressions};
pub use judge::Judge;
pub use kstatus::{Health, Status, assess, assess_at};
#[cfg(feature = "lua")]
pub use lua::{Script, ScriptError};
#[cfg(feature = "lua")]
pub use overrides::{BadOverride, Overrides};
pub use verdict::{Assessment, Rules, Verdict};
