//! What a control plane shall have.

use anyhow::Result;

use super::{ControlPlane, start};

/// What a control plane shall have. The defaults: controllers, no nodes, no audit log.
#[derive(Clone, Copy, Debug)]
pub struct Builder {
    pub(super) controllers: bool,
    pub(super) nodes: usize,
    pub(super) audit: bool,
}

impl Default for Builder {
    fn default() -> Self {
        Self { controllers: true, nodes: 0, audit: false }
    }
}

impl Builder {
    /// Whether kube-controller-manager runs (it does by default). Without it nothing is garbage collected, no
    /// namespace goes away and no Deployment makes ReplicaSets, but nobody else writes either.
    #[must_use]
    pub fn controllers(mut self, run: bool) -> Self {
        self.controllers = run;
        self
    }

    /// How many nodes there are: with one or more, kube-scheduler and kwok run, and pods become ready. Needs the
    /// controllers.
    #[must_use]
    pub fn nodes(mut self, count: usize) -> Self {
        self.nodes = count;
        self
    }

    /// Whether every request is written to an audit log, see [`ControlPlane::audit`].
    #[must_use]
    pub fn audit(mut self, write: bool) -> Self {
        self.audit = write;
        self
    }

    /// Starts it and waits until the API server is ready.
    pub async fn start(self) -> Result<ControlPlane> {
        start::start(self).await
    }
}
