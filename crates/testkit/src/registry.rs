//! A real container registry.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, bail};
use bytes::Bytes;
use http::Method;
use serde_json::json;

use crate::api::{Api, Credentials};
use crate::folder::Folder;
use crate::port;
use crate::process::Process;
use crate::tools::installed;
use crate::wait::eventually;

/// When to give up; a start takes a tenth of a second.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running registry over plain HTTP that everybody may write to and delete from.
#[derive(Debug)]
pub struct Registry {
    process: Process,
    folder: Folder,
    host: String,
}

impl Registry {
    /// Starts one, empty.
    pub async fn start() -> Result<Self> {
        let mut tries = 0;
        loop {
            tries += 1;
            let mut registry = Self::spawn()?;
            match registry.ready().await {
                Ok(()) => return Ok(registry),
                Err(error) if tries < port::TRIES && port::was_taken(&error.to_string()) => {}
                Err(error) => return Err(error.context("start a registry")),
            }
        }
    }

    /// Its host and port, as they stand in an image's name.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Where it is, `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.host)
    }

    /// A client for it: the distribution API is HTTP with JSON too.
    pub fn api(&self) -> Api {
        Api::new(&self.url(), "", Credentials::Anonymous).expect("no authority and no token can be wrong")
    }

    /// Where it keeps its blobs, for tests that damage them.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn spawn() -> Result<Self> {
        let folder = Folder::new("registry")?;
        let host = format!("127.0.0.1:{}", port::free()?);
        // JSON is YAML as well.
        let config = json!({
            "version": 0.1,
            "log": { "level": "info", "accesslog": { "disabled": true } },
            "storage": {
                "filesystem": { "rootdirectory": folder.path().join("storage") },
                "delete": { "enabled": true },
                "maintenance": { "uploadpurging": { "enabled": false } },
            },
            "http": { "addr": host },
        });
        let config = folder.write("config.yml", config.to_string())?;
        let mut command = Command::new(installed("docker-registry", "docker-registry")?);
        command.arg("serve").arg(config);
        let process = Process::start(&command, &folder.path().join("registry.log"), Duration::ZERO)?;
        Ok(Self { process, folder, host })
    }

    async fn ready(&mut self) -> Result<()> {
        let api = self.api();
        eventually("the registry answers", PATIENCE, async || {
            self.process.check()?;
            match api.send(Method::GET, "/v2/", "", Bytes::new()).await {
                Ok(answer) if answer.status().is_success() => Ok(Some(())),
                Ok(answer) => bail!("something else answers at {}: {}", self.host, answer.status()),
                Err(_) => Ok(None),
            }
        })
        .await
    }
}
