//! Getting to a cluster: kubeconfig, in-cluster credentials, and the handle that everything else hangs on.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use kube::config::{KubeConfigOptions, Kubeconfig};

use crate::client::client;
use crate::{Error, certificate, tls};

/// Where the cluster is and who we are there.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The kubeconfig file; without one `KUBECONFIG`, `~/.kube/config` and then the pod's own service account.
    pub kubeconfig: Option<PathBuf>,
    /// The context in it; without one its current context.
    pub context: Option<String>,
    /// The user to act as.
    pub impersonate: Option<String>,
    /// The groups to act as.
    pub impersonate_groups: Vec<String>,
}

/// A cheap handle on one cluster.
#[derive(Clone)]
pub struct Cluster {
    pub(crate) client: kube::Client,
    pub(crate) shared: Arc<Shared>,
}

/// What all clones of a handle share.
pub(crate) struct Shared {
    /// The server's address, for messages.
    pub(crate) url: String,
    /// Set by the first answer: a server that has never been reached is not waited for.
    pub(crate) reached: AtomicBool,
    /// How long passing faults are tried again.
    pub(crate) patience: Duration,
    /// How long one attempt may take.
    pub(crate) deadline: Duration,
    /// When our own client certificate ends, in seconds since 1970, where we show one.
    pub(crate) certificate_ends: Option<i64>,
}

impl Cluster {
    /// Reads the configuration and prepares connections. The server is not asked anything yet.
    pub async fn connect(options: &Options) -> Result<Self, Error> {
        let mut config = load(options).await?;
        // Retries are ours (call.rs): they know which requests may be repeated and when to give up.
        config.default_retry = false;
        config.connect_timeout = Some(Duration::from_secs(10));
        config.write_timeout = Some(Duration::from_secs(60));
        if let Some(user) = &options.impersonate {
            config.auth_info.impersonate = Some(user.clone());
        }
        if !options.impersonate_groups.is_empty() {
            config.auth_info.impersonate_groups = Some(options.impersonate_groups.clone());
        }
        let url = config.cluster_url.to_string();
        let certificate_ends =
            certificate::client_certificate(&config.auth_info).and_then(|pem| certificate::ends(&pem));
        let client = client(config).map_err(|error| tls::classify(&url, "connect", &error))?;
        let shared = Shared {
            url,
            reached: AtomicBool::new(false),
            patience: Duration::from_secs(60),
            deadline: Duration::from_secs(30),
            certificate_ends,
        };
        Ok(Self { client, shared: Arc::new(shared) })
    }

    /// The namespace that the context names, or `default`.
    pub fn default_namespace(&self) -> &str {
        self.client.default_namespace()
    }

    /// The server's address, for messages.
    pub fn url(&self) -> &str {
        &self.shared.url
    }
}

async fn load(options: &Options) -> Result<kube::Config, Error> {
    let chosen = KubeConfigOptions { context: options.context.clone(), ..KubeConfigOptions::default() };
    let fail = |message: String| Error::Config { message };
    if let Some(path) = &options.kubeconfig {
        let file = Kubeconfig::read_from(path).map_err(|error| fail(towpath_failure::chain(&error)))?;
        return kube::Config::from_custom_kubeconfig(file, &chosen)
            .await
            .map_err(|error| fail(towpath_failure::chain(&error)));
    }
    match kube::Config::from_kubeconfig(&chosen).await {
        Ok(config) => Ok(config),
        Err(outside) if options.context.is_none() => {
            // In a pod there is no kubeconfig; elsewhere the kubeconfig's own complaint is the useful one.
            kube::Config::incluster().map_err(|_| fail(towpath_failure::chain(&outside)))
        }
        Err(outside) => Err(fail(towpath_failure::chain(&outside))),
    }
}
