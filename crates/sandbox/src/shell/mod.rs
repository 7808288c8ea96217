//! The server on a network: plain HTTP/1.1 on loopback, with faults on request.
//!
//! In: connections. Out: replies of the [`Server`](crate::server::Server), written out piece by piece. The lock on the
//! server is held for the time of one request and never while something is sent.

mod serve;
mod stream;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use towpath_clock::{Clock, SystemClock};

use crate::seed;
use crate::server::Server;

/// What a sandbox shall be like.
#[derive(Clone)]
pub struct Options {
    /// Whether what controllers do of themselves is done: garbage is collected, namespaces are emptied.
    pub controllers: bool,
    /// How many events of each kind are remembered for watches; one that is further behind has to list again.
    pub memory: usize,
    /// Makes its uids differ from those of others.
    pub seed: String,
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            controllers: true,
            memory: 8192,
            seed: "sandbox".into(),
            clock: Arc::new(SystemClock::default()),
        }
    }
}

/// Whether a sandbox can be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// It answers.
    Open,
    /// Nobody listens at its address, and its connections are cut.
    Closed,
    /// It takes connections and says nothing.
    Silent,
}

/// Why a sandbox cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no port for it.
    #[error("listen on loopback: {0}")]
    Listen(#[source] std::io::Error),
}

/// A running server. It ends when it is dropped.
pub struct Sandbox {
    shared: Arc<Shared>,
    address: SocketAddr,
    task: JoinHandle<()>,
}

/// What all connections share.
struct Shared {
    server: Mutex<Server>,
    clock: Arc<dyn Clock>,
    reach: watch::Sender<Reach>,
    latency: watch::Sender<Duration>,
    requests: AtomicU64,
}

impl Shared {
    fn server(&self) -> MutexGuard<'_, Server> {
        self.server.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Timestamp {
        self.clock.now()
    }
}

impl Sandbox {
    /// Starts a server on a free port of loopback.
    pub async fn start(options: Options) -> Result<Self, Error> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(Error::Listen)?;
        let address = listener.local_addr().map_err(Error::Listen)?;
        let server = Server::new(&options.seed, options.memory, options.controllers, options.clock.now());
        let shared = Arc::new(Shared {
            server: Mutex::new(server),
            clock: options.clock,
            reach: watch::Sender::new(Reach::Open),
            latency: watch::Sender::new(Duration::ZERO),
            requests: AtomicU64::new(0),
        });
        let task = tokio::spawn(serve::run(shared.clone(), listener, address));
        Ok(Self { shared, address, task })
    }

    /// Where it is: `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A kubeconfig for it.
    pub fn kubeconfig(&self) -> String {
        let url = self.url();
        format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: sandbox\nclusters:\n- name: sandbox\n  cluster: {{server: \"{url}\"}}\ncontexts:\n- name: sandbox\n  context: {{cluster: sandbox, user: sandbox}}\nusers:\n- name: sandbox\n  user: {{}}\n"
        )
    }

    /// Makes it reachable or not, from now on.
    pub fn set_reach(&self, reach: Reach) {
        self.shared.reach.send_replace(reach);
    }

    /// Makes every answer wait so long.
    pub fn set_latency(&self, latency: Duration) {
        self.shared.latency.send_replace(latency);
    }

    /// How many requests have come.
    pub fn requests(&self) -> u64 {
        self.shared.requests.load(Ordering::Relaxed)
    }

    /// Forgets what happened so far: watches that go on from an older version are told that it is too old.
    pub fn compact(&self) {
        self.shared.server().store.compact();
    }

    /// Puts objects there as they are, without asking them anything: quickly, and as many as memory holds. Of their
    /// metadata only what is missing is filled in. Gives back how many there are, or the first whose kind is unknown.
    pub fn seed(
        &self,
        objects: impl IntoIterator<Item = serde_json::Value>,
    ) -> Result<usize, seed::UnknownKind> {
        let now = self.shared.now();
        let mut count = 0;
        for object in objects {
            self.shared.server().seed(object, now)?;
            count += 1;
        }
        Ok(count)
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.task.abort();
        // Connections listen to this and end.
        self.shared.reach.send_replace(Reach::Closed);
    }
}
