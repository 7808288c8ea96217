//! Servers of our own, on threads of their own.
//!
//! A test may block its runtime (it waits for a child process, as a rule) or pause its time. A server that this test
//! talks to must go on, so it does not live in the test's runtime.

use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr, TcpListener as StdListener};
use std::thread::JoinHandle;

use anyhow::{Context as _, Result};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// A server that runs until this is dropped.
#[derive(Debug)]
pub(crate) struct Background {
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    address: SocketAddr,
}

impl Background {
    /// Runs `serve` with a listener on a loopback port of the system's choice.
    pub(crate) fn start<F, S>(name: &str, serve: S) -> Result<Self>
    where
        S: FnOnce(TcpListener) -> F + Send + 'static,
        F: Future<Output = ()>,
    {
        let listener = StdListener::bind((Ipv4Addr::LOCALHOST, 0)).context("listen on loopback")?;
        listener.set_nonblocking(true).context("listen without blocking")?;
        let address = listener.local_addr().context("ask for the address")?;
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().context("make a runtime")?;
        let (stop, stopped) = oneshot::channel::<()>();
        let run = move || {
            runtime.block_on(async {
                let listener = TcpListener::from_std(listener).expect("we made it non-blocking");
                tokio::select! {
                    () = serve(listener) => {}
                    _ = stopped => {}
                }
            });
        };
        let thread =
            std::thread::Builder::new().name(name.to_owned()).spawn(run).context("start a thread")?;
        Ok(Self { stop: Some(stop), thread: Some(thread), address })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
