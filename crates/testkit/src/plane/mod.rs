//! A real Kubernetes control plane on loopback.
//!
//! In: a [`Builder`]. Out: a running [`ControlPlane`] with TLS and RBAC: etcd and kube-apiserver, and unless told
//! otherwise kube-controller-manager; with nodes also kube-scheduler and kwok, so that pods become ready. Several
//! run side by side. Everything ends and the files go when it is dropped or when the test process ends.

mod audit;
mod builder;
mod kubeconfig;
mod nodes;
mod restart;
mod shared;
mod start;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result};
use http::StatusCode;
use serde_json::json;

pub use audit::{AuditEvent, AuditLog, AuditStatus, AuditUser};
pub use builder::Builder;
pub(crate) use kubeconfig::kubeconfig;
pub use shared::shared;

use crate::api::{self, Api, Credentials};
use crate::certificate::{Authority, Validity};
use crate::folder::Folder;
use crate::process::Process;

/// The group whose members may do everything.
const MASTERS: &str = "system:masters";

/// A running control plane.
#[derive(Debug)]
pub struct ControlPlane {
    // Ended in this order: each before what it depends on.
    clients: Vec<Process>,
    server: Option<Process>,
    etcd: Process,
    /// How the API server is started.
    command: Command,
    folder: Folder,
    authority: Authority,
    url: String,
    token: String,
    audit: Option<PathBuf>,
    names: AtomicUsize,
}

impl ControlPlane {
    /// Says what it shall have; then `start().await`.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Where its API is, `https://127.0.0.1:PORT`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The certificate of the authority that signed the server's.
    pub fn ca_pem(&self) -> &str {
        self.authority.certificate()
    }

    /// The authority itself, for certificates of other servers and users.
    pub fn authority(&self) -> &Authority {
        &self.authority
    }

    /// A bearer token of the administrator.
    pub fn admin_token(&self) -> &str {
        &self.token
    }

    /// The administrator's kubeconfig (with a client certificate).
    pub fn kubeconfig_path(&self) -> PathBuf {
        self.folder.path().join("admin.kubeconfig")
    }

    /// Its work folder, with the logs.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A kubeconfig for a user in (at most two) groups. The user can do nothing until a test binds roles to it.
    pub fn kubeconfig_for(&self, user: &str, groups: &[&str]) -> Result<PathBuf> {
        self.write_kubeconfig(user, groups, Validity::Valid)
    }

    /// The same with a client certificate that is no longer valid.
    pub fn expired_kubeconfig_for(&self, user: &str, groups: &[&str]) -> Result<PathBuf> {
        self.write_kubeconfig(user, groups, Validity::Expired)
    }

    /// A client for the administrator. Each call makes a new one with its own connections: keep it during a test.
    pub fn api(&self) -> Api {
        Api::new(&self.url, self.ca_pem(), Credentials::Token(&self.token))
            .expect("authority and token were good enough for the control plane's start")
    }

    /// A client for another user.
    pub fn api_for(&self, user: &str, groups: &[&str]) -> Result<Api> {
        let identity = self.authority.client(user, groups, Validity::Valid)?;
        Api::new(&self.url, self.ca_pem(), Credentials::Certificate(&identity))
    }

    /// The audit log, from now on.
    pub fn audit(&self) -> Result<AuditLog> {
        let path = self.audit.as_deref().context("this control plane was started without an audit log")?;
        Ok(AuditLog::from_now(path))
    }

    /// Creates a namespace with a name of its own (`prefix-1-…`), with its default service account.
    pub async fn namespace(&self, prefix: &str) -> Result<String> {
        let count = self.names.fetch_add(1, Ordering::Relaxed) + 1;
        let name = format!("{prefix}-{count}");
        let api = self.api();
        api.post("/api/v1/namespaces", &json!({ "metadata": { "name": name } })).await?;
        // Pods are refused before it exists. The controller would make it in a moment; we do not wait for that.
        let account = json!({ "metadata": { "name": "default" } });
        match api.post(&format!("/api/v1/namespaces/{name}/serviceaccounts"), &account).await {
            Err(error) if api::status(&error) != Some(StatusCode::CONFLICT) => Err(error),
            _ => Ok(name),
        }
    }

    /// Writes a kubeconfig for a client of another address of this control plane, a proxy as a rule.
    pub(crate) fn write_kubeconfig_for_proxy(&self, url: &str) -> Result<PathBuf> {
        let count = self.names.fetch_add(1, Ordering::Relaxed) + 1;
        let content = kubeconfig(url, None, "admin", Credentials::Token(&self.token));
        self.folder.write(&format!("proxy-{count}.kubeconfig"), content)
    }

    fn write_kubeconfig(&self, user: &str, groups: &[&str], validity: Validity) -> Result<PathBuf> {
        let count = self.names.fetch_add(1, Ordering::Relaxed) + 1;
        let identity = self.authority.client(user, groups, validity)?;
        let content = kubeconfig(&self.url, Some(self.ca_pem()), user, Credentials::Certificate(&identity));
        self.folder.write(&format!("user-{count}.kubeconfig"), content)
    }
}
