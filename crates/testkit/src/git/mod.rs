//! Git servers over http and ssh.
//!
//! In: names of repositories. Out: URLs that a Git client can clone from, fetch from and push to. Git itself is the
//! server (`git http-backend` behind a small HTTP server, or what sshd starts), so that its answers are the real ones.

mod cgi;
mod http;
mod repository;
mod ssh;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::folder::Folder;

/// A running Git server with its repositories.
#[derive(Debug)]
pub struct GitServer {
    door: Door,
    folder: Folder,
}

/// How clients come in.
#[derive(Debug)]
enum Door {
    Http(http::Server),
    Ssh(ssh::Server),
}

impl GitServer {
    /// A server over http that lets everybody read and write.
    pub fn start_http() -> Result<Self> {
        let folder = Folder::new("git")?;
        Ok(Self { door: Door::Http(http::Server::start(folder.path(), None)?), folder })
    }

    /// A server over http that wants this user and password.
    pub fn start_http_for(user: &str, password: &str) -> Result<Self> {
        let folder = Folder::new("git")?;
        Ok(Self { door: Door::Http(http::Server::start(folder.path(), Some((user, password)))?), folder })
    }

    /// A server over ssh that lets in one key, see [`GitServer::ssh_key_path`].
    pub async fn start_ssh() -> Result<Self> {
        let folder = Folder::new("git")?;
        Ok(Self { door: Door::Ssh(ssh::Server::start(&folder).await?), folder })
    }

    /// The URL of the repository with this name, which need not exist yet. Where a password is wanted it is not in
    /// it.
    pub fn url(&self, name: &str) -> String {
        match &self.door {
            Door::Http(server) => format!("http://{}/{name}.git", server.address()),
            Door::Ssh(server) => format!("{}{}", server.base(), self.path(name).display()),
        }
    }

    /// The repository's own folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.git"))
    }

    /// The private key that the ssh server lets in.
    pub fn ssh_key_path(&self) -> Option<PathBuf> {
        matches!(self.door, Door::Ssh(_)).then(|| self.folder.path().join(ssh::USER_KEY))
    }

    /// The file with the ssh server's host key, in the form of `known_hosts`.
    pub fn known_hosts_path(&self) -> Option<PathBuf> {
        matches!(self.door, Door::Ssh(_)).then(|| self.folder.path().join(ssh::KNOWN_HOSTS))
    }

    /// A git command in this folder that can reach the server, asks nobody anything and ignores the machine's own
    /// configuration.
    pub fn git(&self, folder: &Path) -> Command {
        let mut git = repository::git(folder);
        if let Door::Ssh(_) = &self.door {
            git.env("GIT_SSH_COMMAND", ssh::client_command(self.folder.path()));
        }
        git
    }

    /// Creates an empty repository whose first branch is `main`; gives its URL.
    pub fn create(&self, name: &str) -> Result<String> {
        repository::create(&self.path(name))?;
        Ok(self.url(name))
    }

    /// Adds a commit with these files (path and content, on top of what is there) to a branch of a repository, past
    /// the door; gives its id.
    pub fn commit(&self, name: &str, branch: &str, files: &[(&str, &str)], message: &str) -> Result<String> {
        repository::commit(&self.path(name), branch, files, message)
    }
}
