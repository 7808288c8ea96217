//! Git over ssh: OpenSSH's server with keys of its own, on a free port, as the user who runs the test.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;

use super::repository::run;
use crate::folder::Folder;
use crate::port;
use crate::process::Process;
use crate::tools::installed;
use crate::wait::eventually;

/// The private key that is let in.
pub(super) const USER_KEY: &str = "user_key";
/// The server's public key, for clients.
pub(super) const KNOWN_HOSTS: &str = "known_hosts";

/// When to give up; a start takes a tenth of a second.
const PATIENCE: Duration = Duration::from_secs(20);

/// The running server.
#[derive(Debug)]
pub(super) struct Server {
    process: Process,
    port: u16,
    base: String,
}

impl Server {
    pub(super) async fn start(folder: &Folder) -> Result<Self> {
        let keygen = installed("ssh-keygen", "openssh-client")?;
        for key in [USER_KEY, "host_key"] {
            let mut make = Command::new(&keygen);
            make.args(["-q", "-t", "ed25519", "-N", "", "-C", key, "-f"]).arg(folder.path().join(key));
            run(&mut make).context("make an ssh key")?;
        }
        let user = run(Command::new("id").arg("-un")).context("ask for the user's name")?;
        let mut tries = 0;
        loop {
            tries += 1;
            let mut server = Self::spawn(folder, &user)?;
            match server.ready().await {
                Ok(()) => break Ok(server),
                Err(error) if tries < port::TRIES && port::was_taken(&error.to_string()) => {}
                Err(error) => break Err(error.context("start an ssh server")),
            }
        }
    }

    /// A URL up to the repository's absolute path.
    pub(super) fn base(&self) -> &str {
        &self.base
    }

    fn spawn(folder: &Folder, user: &str) -> Result<Self> {
        // As root, sshd confines a part of itself to this folder, which a service manager would have made.
        if user == "root" {
            std::fs::create_dir_all("/run/sshd").context("make sshd's empty folder")?;
        }
        let port = port::free()?;
        let config = folder.write("sshd_config", config(folder.path(), port))?;
        let host_key = folder.path().join("host_key.pub");
        let host_key = std::fs::read_to_string(host_key).context("read the host's public key")?;
        folder.write(KNOWN_HOSTS, format!("[127.0.0.1]:{port} {host_key}"))?;
        // sshd wants to be called by its full path: it starts itself again for each connection.
        let mut sshd = Command::new(installed("sshd", "openssh-server")?);
        sshd.args(["-D", "-e", "-f"]).arg(config);
        let process = Process::start(&sshd, &folder.path().join("sshd.log"), Duration::ZERO)?;
        Ok(Self { process, port, base: format!("ssh://{user}@127.0.0.1:{port}") })
    }

    async fn ready(&mut self) -> Result<()> {
        eventually("the ssh server answers", PATIENCE, async || {
            self.process.check()?;
            let mut greeting = [0; 4];
            let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)).await else {
                return Ok(None);
            };
            let read = stream.read_exact(&mut greeting).await;
            Ok((read.is_ok() && &greeting == b"SSH-").then_some(()))
        })
        .await
    }
}

/// A command for `GIT_SSH_COMMAND` that uses our keys and nothing of the user's own.
pub(super) fn client_command(folder: &Path) -> String {
    let (key, hosts) = (folder.join(USER_KEY), folder.join(KNOWN_HOSTS));
    format!(
        "ssh -F /dev/null -i {} -o IdentitiesOnly=yes -o BatchMode=yes -o StrictHostKeyChecking=yes \
         -o UserKnownHostsFile={}",
        key.display(),
        hosts.display()
    )
}

fn config(folder: &Path, port: u16) -> String {
    let folder = folder.display();
    format!(
        "ListenAddress 127.0.0.1:{port}\n\
         HostKey {folder}/host_key\n\
         AuthorizedKeysFile {folder}/{USER_KEY}.pub\n\
         PidFile none\n\
         AcceptEnv GIT_PROTOCOL\n\
         PasswordAuthentication no\n\
         KbdInteractiveAuthentication no\n\
         PermitRootLogin prohibit-password\n\
         PrintMotd no\n\
         UsePAM no\n\
         # The work folder is under a folder that everybody may write to.\n\
         StrictModes no\n"
    )
}
