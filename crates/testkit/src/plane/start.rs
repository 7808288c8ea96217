//! Starting a control plane: files, processes, and the wait until it is ready.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use bytes::Bytes;
use http::Method;
use rcgen::KeyPair;

use super::{Builder, ControlPlane, MASTERS, audit, kubeconfig, nodes};
use crate::api::Credentials;
use crate::certificate::{Authority, Validity};
use crate::folder::Folder;
use crate::port;
use crate::process::Process;
use crate::tools::tool;

/// When to give up. A start takes three seconds; a machine that compiles at the same time needs more.
const PATIENCE: Duration = Duration::from_secs(90);

/// Names under which the API server is called, from outside and from pods.
const SERVER_NAMES: [&str; 5] =
    ["127.0.0.1", "localhost", "kubernetes", "kubernetes.default.svc", "10.0.0.1"];

/// Requests per second, above what two cores can answer: the clients must not be the bottleneck.
const CLIENT_LIMITS: [&str; 2] = ["--kube-api-qps=1000", "--kube-api-burst=2000"];

pub(super) async fn start(wanted: Builder) -> Result<ControlPlane> {
    if wanted.nodes > 0 && !wanted.controllers {
        bail!("nodes need the controllers: without them no pod gets anywhere");
    }
    let mut tries = 0;
    loop {
        tries += 1;
        let mut plane = server(wanted).await?;
        match ready(&mut plane).await {
            Ok(()) => {
                clients(&mut plane, wanted).await?;
                return Ok(plane);
            }
            Err(error) if tries < port::TRIES && port::was_taken(&error.to_string()) => {}
            Err(error) => return Err(error.context("start a control plane")),
        }
    }
}

/// Starts etcd and the API server at once: the latter waits for the former.
async fn server(wanted: Builder) -> Result<ControlPlane> {
    let folder = Folder::new("plane")?;
    let authority = Authority::new()?;
    let (etcd_port, api_port) = (port::free()?, port::free()?);
    let etcd_url = format!("http://127.0.0.1:{etcd_port}");
    let mut etcd = Command::new(tool("etcd").await?);
    etcd.arg("--data-dir").arg(folder.path().join("etcd"));
    // The one member never talks to itself: any port will do for its peers.
    etcd.args(["--unsafe-no-fsync", "--log-level=warn", "--listen-peer-urls=http://127.0.0.1:0"]);
    etcd.arg(format!("--listen-client-urls={etcd_url}")).arg(format!("--advertise-client-urls={etcd_url}"));
    let mut plane = ControlPlane {
        clients: Vec::new(),
        server: None,
        etcd: run(&folder, "etcd", &etcd)?,
        command: Command::new(tool("kube-apiserver").await?),
        token: token(&folder),
        url: format!("https://127.0.0.1:{api_port}"),
        audit: wanted.audit.then(|| folder.path().join("audit.log")),
        folder,
        authority,
        names: AtomicUsize::new(0),
    };
    let arguments = server_arguments(&plane, wanted)?;
    plane.command.args(arguments);
    plane.command.arg(format!("--secure-port={api_port}")).arg(format!("--etcd-servers={etcd_url}"));
    plane.server = Some(run(&plane.folder, "kube-apiserver", &plane.command)?);
    Ok(plane)
}

fn server_arguments(plane: &ControlPlane, wanted: Builder) -> Result<Vec<String>> {
    let identity = plane.authority.server(&SERVER_NAMES, Validity::Valid)?;
    let account_key = KeyPair::generate().context("make the service accounts' key")?;
    let file = |name: &str, content: &str| -> Result<String> {
        Ok(plane.folder.write(name, content)?.display().to_string())
    };
    let mut arguments = vec![
        "--bind-address=127.0.0.1".to_owned(),
        // Else it looks for another address of this machine, and there may be none.
        "--advertise-address=127.0.0.1".to_owned(),
        format!("--tls-cert-file={}", file("server.crt", &identity.certificate)?),
        format!("--tls-private-key-file={}", file("server.key", &identity.key)?),
        format!("--client-ca-file={}", file("ca.crt", plane.ca_pem())?),
        format!(
            "--token-auth-file={}",
            file("tokens.csv", &format!("{},admin,admin,{MASTERS}\n", plane.token))?
        ),
        format!("--service-account-key-file={}", file("accounts.pub", &account_key.public_key_pem())?),
        format!("--service-account-signing-key-file={}", file("accounts.key", &account_key.serialize_pem())?),
        "--service-account-issuer=https://kubernetes.default.svc".to_owned(),
        "--authorization-mode=RBAC".to_owned(),
        "--service-cluster-ip-range=10.0.0.0/16".to_owned(),
        "--allow-privileged=true".to_owned(),
        // Nobody reaches the service `kubernetes` through its endpoints here.
        "--endpoint-reconciler-type=none".to_owned(),
        // Our nodes are ready from the start; with it they would carry a taint until a controller looks at them.
        "--disable-admission-plugins=TaintNodesByCondition".to_owned(),
        "--profiling=false".to_owned(),
    ];
    if wanted.audit {
        let path = plane.folder.path().join("audit.log");
        arguments.push(format!("--audit-policy-file={}", file("audit-policy.json", audit::POLICY)?));
        arguments.push(format!("--audit-log-path={}", path.display()));
        arguments.push("--audit-log-maxsize=2000".to_owned());
    }
    Ok(arguments)
}

pub(super) async fn ready(plane: &mut ControlPlane) -> Result<()> {
    let api = plane.api();
    let start = Instant::now();
    let mut last = String::new();
    while start.elapsed() < PATIENCE {
        for process in plane.processes() {
            process.check()?;
        }
        match api.send(Method::GET, "/readyz", "", Bytes::new()).await {
            Ok(answer) if answer.status().is_success() => return Ok(()),
            Ok(answer) => last = String::from_utf8_lossy(answer.body()).into_owned(),
            Err(error) => last = format!("{error:#}"),
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    let logs: Vec<String> = plane.processes().map(|process| process.log_tail()).collect();
    bail!("the API server is not ready after {PATIENCE:?}: {last}\n{}", logs.join("\n"))
}

/// Starts what is a client of the API server, and writes the administrator's kubeconfig.
async fn clients(plane: &mut ControlPlane, wanted: Builder) -> Result<()> {
    identity(plane, "admin", "admin")?;
    if wanted.controllers {
        let mut manager = Command::new(tool("kube-controller-manager").await?);
        manager.args(["--leader-elect=false", "--secure-port=0"]).args(CLIENT_LIMITS);
        manager.arg("--kubeconfig").arg(identity(plane, "controllers", "system:kube-controller-manager")?);
        manager.arg("--root-ca-file").arg(plane.folder.path().join("ca.crt"));
        manager.arg("--service-account-private-key-file").arg(plane.folder.path().join("accounts.key"));
        // Nodes that nobody keeps alive stay ready.
        manager.arg("--node-monitor-grace-period=24h");
        let manager = run(&plane.folder, "kube-controller-manager", &manager)?;
        plane.clients.insert(0, manager);
    }
    if wanted.nodes > 0 {
        let mut scheduler = Command::new(tool("kube-scheduler").await?);
        scheduler.args(["--leader-elect=false", "--secure-port=0"]).args(CLIENT_LIMITS);
        scheduler.arg("--kubeconfig").arg(identity(plane, "scheduler", "system:kube-scheduler")?);
        let scheduler = run(&plane.folder, "kube-scheduler", &scheduler)?;
        plane.clients.insert(0, scheduler);
        let mut kwok = Command::new(tool("kwok").await?);
        kwok.arg("--manage-all-nodes").arg("--kubeconfig").arg(identity(plane, "kwok", "kwok")?);
        kwok.arg("--config").arg(plane.folder.write("stages.yaml", nodes::STAGES)?);
        let kwok = run(&plane.folder, "kwok", &kwok)?;
        plane.clients.insert(0, kwok);
        nodes::create(&plane.api(), wanted.nodes).await?;
    }
    Ok(())
}

/// A kubeconfig for one of the control plane's own clients. All are masters: what is tested is not their rights.
fn identity(plane: &ControlPlane, file: &str, user: &str) -> Result<PathBuf> {
    let identity = plane.authority.client(user, &[MASTERS], Validity::Valid)?;
    let content = kubeconfig(&plane.url, Some(plane.ca_pem()), user, Credentials::Certificate(&identity));
    plane.folder.write(&format!("{file}.kubeconfig"), content)
}

/// Starts one of the processes; none of them has anything to lose, so they are killed at the end.
pub(super) fn run(folder: &Folder, name: &str, command: &Command) -> Result<Process> {
    Process::start(command, &folder.path().join(format!("{name}.log")), Duration::ZERO)
}

/// A token that differs between control planes: the folder's name is random.
fn token(folder: &Folder) -> String {
    folder.path().file_name().map_or_else(String::new, |name| Path::new(name).display().to_string())
}
