//! Why a run did not begin, or stopped.

use std::collections::BTreeSet;

use towpath_failure::{Class, Failure, Reason};
use towpath_object::Key;
use towpath_plan::{App, Origin, Problem, sync};
use towpath_schema::Violation;

/// One object that the server did not take.
#[derive(Debug)]
pub struct ObjectFailure {
    /// The object.
    pub key: Key,
    /// Where it was written; nothing for objects that were to be deleted.
    pub origin: Option<Origin>,
    /// What the server said.
    pub error: towpath_cluster::Error,
}

impl std::fmt::Display for ObjectFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.origin {
            Some(origin) => write!(f, "{origin}: {}", self.error),
            None => write!(f, "{}", self.error),
        }
    }
}

/// Why a run did not begin.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The cluster did not answer as needed.
    #[error(transparent)]
    Cluster(towpath_cluster::Error),
    /// The manifests are wrong, whatever the cluster's state.
    #[error("{} of the manifests cannot be deployed", .0.len())]
    Problems(Vec<Problem>),
    /// The manifests cannot be put in an order.
    #[error("{} of the manifests cannot be deployed", .0.len())]
    Unplannable(Vec<sync::Problem>),
    /// No hook has that name.
    #[error("no hook of the manifests is called {name}")]
    NoHook {
        /// The name.
        name: String,
    },
    /// New objects do not fit the server's schemas.
    #[error("{} of the manifests do not fit the cluster's schemas", misfits(.0))]
    Misfits(Vec<Misfit>),
    /// The server would not take some of the manifests.
    #[error("the cluster refuses {} of the manifests", .0.len())]
    Refused(Vec<ObjectFailure>),
    /// Objects belong to other apps.
    #[error("{} of the objects belong to another app", .0.len())]
    Foreign(Vec<Foreign>),
    /// The app's namespace is missing.
    #[error("the namespace {namespace:?} does not exist")]
    NoNamespace {
        /// The namespace.
        namespace: String,
    },
    /// There is no such app.
    #[error("there is no app {app}")]
    NoApp {
        /// The app.
        app: App,
    },
    /// The inventory cannot be read.
    #[error("read the inventory of {app}: {message}")]
    Damaged {
        /// The app.
        app: App,
        /// What is wrong with it.
        message: String,
    },
    /// The app has more objects than its inventory can name.
    #[error("the inventory of {app} would be {size} bytes; Kubernetes takes at most 1 MiB")]
    TooManyObjects {
        /// The app.
        app: App,
        /// How large it would be, compressed.
        size: usize,
    },
    /// Somebody else is changing the same app.
    #[error("another run is changing {app} at this moment")]
    Busy {
        /// The app.
        app: App,
    },
}

/// A field of a new object that the server would refuse.
#[derive(Clone, Debug)]
pub struct Misfit {
    /// The object.
    pub key: Key,
    /// Where it was written.
    pub origin: Origin,
    /// What is wrong with it.
    pub violation: Violation,
}

/// How many objects misfits are about.
fn misfits(found: &[Misfit]) -> usize {
    found.iter().map(|misfit| &misfit.key).collect::<BTreeSet<_>>().len()
}

/// An object that belongs to another app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// The object.
    pub key: Key,
    /// Where we want it.
    pub origin: Origin,
    /// Whose it is: `name in namespace`.
    pub owner: String,
}

impl std::fmt::Display for Foreign {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {} belongs to the app {}", self.origin, self.key, self.owner)
    }
}

impl From<towpath_cluster::Error> for Error {
    fn from(error: towpath_cluster::Error) -> Self {
        Self::Cluster(error)
    }
}

impl Failure for Error {
    fn reason(&self) -> Reason {
        match self {
            Self::Cluster(error) => error.reason(),
            Self::Problems(_) | Self::Unplannable(_) => Reason("ManifestsInvalid"),
            Self::NoHook { .. } => Reason("HookMissing"),
            Self::Misfits(_) => Reason("ManifestsUnfit"),
            Self::Refused(_) => Reason("ManifestsRefused"),
            Self::Foreign(_) => Reason("OwnedByAnotherApp"),
            Self::NoNamespace { .. } => Reason("NamespaceMissing"),
            Self::NoApp { .. } => Reason("AppMissing"),
            Self::Damaged { .. } => Reason("InventoryDamaged"),
            Self::TooManyObjects { .. } => Reason("TooManyObjects"),
            Self::Busy { .. } => Reason("AppBusy"),
        }
    }

    fn class(&self) -> Class {
        match self {
            Self::Cluster(error) => error.class(),
            Self::Busy { .. } => Class::Transient,
            _ => Class::Terminal,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Cluster(error) => error.hint(),
            Self::Problems(_) | Self::Unplannable(_) => None,
            Self::NoHook { .. } => Some("`towpath deploy --dry-run` shows the hooks".into()),
            Self::Misfits(_) => Some("`kubectl explain KIND.FIELD` tells what a field takes".into()),
            Self::Refused(failures) => failures.iter().find_map(|failure| failure.error.hint()),
            Self::Foreign(_) => Some("remove them there first, or take them over with --adopt".into()),
            Self::NoNamespace { .. } => Some("add it to the manifests, or pass --create-namespace".into()),
            Self::NoApp { .. } => {
                Some("`towpath inspect` lists the apps of a namespace; -n names another namespace".into())
            }
            Self::Damaged { app, .. } => Some(format!(
                "restore the ConfigMap towpath-app-{} in {}, or delete it and deploy again: objects that are still wanted are taken back in",
                app.name, app.namespace
            )),
            Self::TooManyObjects { .. } => Some("split the app in two".into()),
            Self::Busy { .. } => Some("try again when it has finished".into()),
        }
    }
}
