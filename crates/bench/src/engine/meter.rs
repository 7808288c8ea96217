//! A way to a server that counts what is sent on it. It sees TLS, so it counts bytes: none sent is no call made.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context as _, Result};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

pub struct Meter {
    sent: Arc<AtomicU64>,
    /// A kubeconfig that leads through it.
    pub kubeconfig: PathBuf,
    _folder: tempfile::TempDir,
}

impl Meter {
    pub async fn start(kubeconfig: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(kubeconfig)?;
        let (_, rest) = text.split_once("https://").context("a kubeconfig names its server")?;
        let server: String =
            rest.chars().take_while(|char| char.is_ascii_digit() || matches!(char, '.' | ':')).collect();
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let folder = tempfile::tempdir()?;
        let through = folder.path().join("kubeconfig");
        std::fs::write(&through, text.replace(&server, &listener.local_addr()?.to_string()))?;
        let sent: Arc<AtomicU64> = Arc::default();
        let count = Arc::clone(&sent);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(forward(client, server.clone(), Arc::clone(&count)));
            }
        });
        Ok(Self { sent, kubeconfig: through, _folder: folder })
    }

    /// Bytes sent to the server so far.
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }
}

async fn forward(client: TcpStream, server: String, count: Arc<AtomicU64>) -> std::io::Result<()> {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = TcpStream::connect(server).await?.into_split();
    let up = async {
        let mut buffer = vec![0; 16 * 1024];
        loop {
            let length = from_client.read(&mut buffer).await?;
            let Some(bytes) = buffer.get(..length).filter(|bytes| !bytes.is_empty()) else {
                return to_server.shutdown().await;
            };
            count.fetch_add(bytes.len() as u64, Ordering::Relaxed);
            to_server.write_all(bytes).await?;
        }
    };
    let down = tokio::io::copy(&mut from_server, &mut to_client);
    tokio::try_join!(up, async { down.await.map(drop) }).map(drop)
}
