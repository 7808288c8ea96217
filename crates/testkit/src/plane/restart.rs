//! An API server that crashes and comes back.

use anyhow::{Context as _, Result};

use super::{ControlPlane, audit, start};
use crate::process::Process;

impl ControlPlane {
    /// Kills the API server, as a crash would: without a word to its clients, and with whatever it was about to do. etcd
    /// and the clients go on.
    pub fn kill_server(&mut self) {
        drop(self.server.take());
    }

    /// Starts the API server again, at the same address and on the same etcd, and waits until it is ready.
    pub async fn start_server(&mut self) -> Result<()> {
        self.kill_server();
        if let Some(path) = &self.audit {
            audit::mend(path)?;
        }
        self.server = Some(start::run(&self.folder, "kube-apiserver", &self.command)?);
        start::ready(self).await.context("start the API server again")
    }

    pub(super) fn processes(&mut self) -> impl Iterator<Item = &mut Process> {
        self.clients.iter_mut().chain(&mut self.server).chain([&mut self.etcd])
    }
}
