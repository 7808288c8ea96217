//! The proxy as tests see it.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result};
use http::{HeaderValue, Method};
use tokio::sync::{Notify, watch};

use super::gate::{Gate, Stop};
use super::record::Seen;
use super::rule::Rule;
use super::serve::{self, Shared};
use crate::api::{Api, Credentials};
use crate::background::Background;
use crate::certificate::Validity;
use crate::plane::ControlPlane;
use crate::tls::{self, HttpClient};

/// A proxy in front of a control plane, until dropped.
#[derive(Debug)]
pub struct FaultProxy {
    shared: Arc<Shared>,
    // Held for its end.
    _server: Background,
    url: String,
    kubeconfig: PathBuf,
}

impl FaultProxy {
    /// A proxy for clients that bring their own token, or none: then they are the administrator.
    pub fn start(plane: &ControlPlane) -> Result<Self> {
        let token =
            HeaderValue::try_from(format!("Bearer {}", plane.admin_token())).context("use the token")?;
        Self::listen(plane, tls::client(plane.ca_pem(), None)?, Some(token))
    }

    /// A proxy whose clients all are this user in these groups.
    pub fn start_as(plane: &ControlPlane, user: &str, groups: &[&str]) -> Result<Self> {
        let identity = plane.authority().client(user, groups, Validity::Valid)?;
        Self::listen(plane, tls::client(plane.ca_pem(), Some(&identity))?, None)
    }

    fn listen(plane: &ControlPlane, client: HttpClient, token: Option<HeaderValue>) -> Result<Self> {
        let shared = Arc::new(Shared {
            client,
            token,
            server: plane.url().to_owned(),
            gate: watch::Sender::new(Gate::default()),
            rules: Mutex::default(),
            seen: Mutex::default(),
            cut: Notify::new(),
        });
        let state = Arc::clone(&shared);
        let server = Background::start("fault-proxy", move |listener| serve::accept(listener, state))?;
        let url = format!("http://{}", server.address());
        let kubeconfig = plane.write_kubeconfig_for_proxy(&url)?;
        Ok(Self { shared, _server: server, url, kubeconfig })
    }

    /// Where it listens, `http://127.0.0.1:PORT`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// A kubeconfig that leads through it.
    pub fn kubeconfig_path(&self) -> &Path {
        &self.kubeconfig
    }

    /// A client that goes through it.
    pub fn api(&self) -> Api {
        Api::new(&self.url, "", Credentials::Anonymous).expect("no authority and no token can be wrong")
    }

    /// Adds a rule. The first rule that has a fault for a request decides.
    pub fn add(&self, rule: Rule) {
        self.shared.rules.lock().unwrap_or_else(PoisonError::into_inner).push(rule);
    }

    /// Stops before the server sees the n-th write (from 1, since the start or the last reset).
    pub fn stop_before_write(&self, n: usize) {
        self.shared.gate.send_modify(|gate| gate.stop(Stop::Before(n)));
    }

    /// Stops when the server has carried out the n-th write (from 1, since the start or the last reset) and the
    /// client has not heard of it.
    pub fn stop_after_write(&self, n: usize) {
        self.shared.gate.send_modify(|gate| gate.stop(Stop::After(n)));
    }

    /// Waits until the stop point was reached and every write before it has been carried out. A client that makes
    /// fewer writes never gets there: wait for its end as well.
    pub async fn stopped(&self) {
        let mut gate = self.shared.gate.subscribe();
        gate.wait_for(Gate::settled).await.expect("the sender lives as long as we do");
    }

    /// Forgets rules, stop point, count and record. What was held is cut, never handed on.
    pub fn reset(&self) {
        self.shared.rules.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let mut seen = self.shared.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.clear();
        self.shared.gate.send_modify(Gate::reset);
    }

    /// Cuts all connections, watches with them.
    pub fn cut(&self) {
        self.shared.cut.notify_waiters();
    }

    /// All requests seen, in order of arrival.
    pub fn seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The writes seen, in order of arrival, with those that are held.
    pub fn writes(&self) -> Vec<(Method, String)> {
        let seen = self.seen().into_iter();
        seen.filter(Seen::is_write).map(|write| (write.method, write.path)).collect()
    }
}
