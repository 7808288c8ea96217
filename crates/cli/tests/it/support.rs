//! Running the real binary, and looking at the cluster from outside.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use tempfile::TempDir;
use tokio::process::{Child, Command};
use towpath_testkit::{Api, ControlPlane, eventually, status};

/// How a run ended.
#[derive(Debug)]
pub struct Done {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Done {
    /// Fails with everything that was printed unless the exit code is the one expected.
    pub fn expect(self, code: i32) -> Result<Self> {
        ensure!(
            self.code == code,
            "exit code {} instead of {code}\n{}{}",
            self.code,
            self.stdout,
            self.stderr
        );
        Ok(self)
    }

    /// The document that `-o json` printed.
    pub fn json(&self) -> Result<Value> {
        serde_json::from_str(&self.stdout).with_context(|| format!("no JSON: {}{}", self.stdout, self.stderr))
    }
}

/// The program, not started yet, with nothing of this machine's configuration.
pub fn command(kubeconfig: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_towpath"));
    command.args(arguments).arg("--kubeconfig").arg(kubeconfig);
    command.env_remove("KUBECONFIG").env_remove("TOWPATH_NAMESPACE").env_remove("TOWPATH_LOG");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    command
}

/// Runs it to its end.
pub async fn towpath(kubeconfig: &Path, arguments: &[&str]) -> Result<Done> {
    finish(command(kubeconfig, arguments).spawn()?).await
}

/// Waits for the end of a run.
pub async fn finish(child: Child) -> Result<Done> {
    let run = tokio::time::timeout(Duration::from_secs(120), child.wait_with_output());
    let output = run.await.context("it did not end within two minutes")??;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).to_string();
    let code = output.status.code().unwrap_or(-1);
    Ok(Done { code, stdout: text(&output.stdout), stderr: text(&output.stderr) })
}

/// A folder of files that a test writes.
pub struct Folder {
    folder: TempDir,
}

impl Folder {
    pub fn new() -> Result<Self> {
        Ok(Self { folder: tempfile::tempdir()? })
    }

    /// Writes a file; its folders are made.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> Result<()> {
        let path = self.folder.path().join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        Ok(std::fs::write(path, content)?)
    }

    /// A folder with one file of these objects.
    pub fn of(objects: &[Value]) -> Result<Self> {
        let folder = Self::new()?;
        folder.write("all.yaml", documents(objects))?;
        Ok(folder)
    }

    pub fn path(&self) -> &str {
        self.folder.path().to_str().expect("temporary folders have plain names")
    }
}

/// Objects as one text. JSON is YAML.
pub fn documents(objects: &[Value]) -> String {
    objects.iter().map(|object| format!("---\n{object:#}\n")).collect()
}

/// `deploy` of a folder.
pub async fn deploy(
    kubeconfig: &Path,
    folder: &Folder,
    app: &str,
    namespace: &str,
    more: &[&str],
) -> Result<Done> {
    let mut arguments = vec!["deploy", "-f", folder.path(), "--app", app, "-n", namespace, "--yes"];
    arguments.extend(more);
    towpath(kubeconfig, &arguments).await
}

/// The names in an app's inventory: `kind namespace/name`.
pub async fn inventory(api: &Api, app: &str, namespace: &str) -> Result<BTreeSet<String>> {
    let path = format!("/api/v1/namespaces/{namespace}/configmaps/towpath-app-{app}");
    let Some(map) = api.find(&path).await? else { return Ok(BTreeSet::new()) };
    let text = map.pointer("/data/objects").and_then(Value::as_str).unwrap_or_default();
    Ok(text
        .lines()
        .filter_map(|line| line.split_once(' ')?.1.rsplit_once(' '))
        .map(|(name, _)| name.into())
        .collect())
}

/// Everything on the server that carries the app's label, as the inventory names it: `kind namespace/name`.
pub async fn labelled(
    plane: &ControlPlane,
    app: &str,
    group: Option<(&str, &str)>,
) -> Result<BTreeSet<String>> {
    let api = plane.api();
    let mut paths = vec![
        "/api/v1/namespaces".to_string(),
        "/api/v1/configmaps".into(),
        "/api/v1/secrets".into(),
        "/api/v1/services".into(),
        "/api/v1/serviceaccounts".into(),
        "/apis/apps/v1/deployments".into(),
        "/apis/rbac.authorization.k8s.io/v1/roles".into(),
        "/apis/rbac.authorization.k8s.io/v1/rolebindings".into(),
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions".into(),
    ];
    if let Some((group, plural)) = group {
        paths.push(format!("/apis/{group}/v1/{plural}"));
    }
    let mut found = BTreeSet::new();
    for path in paths {
        let path = format!("{path}?labelSelector=towpath.dev/app%3D{app}");
        // A kind that was only just defined answers 429 until its storage is ready.
        let listed = eventually("the list", Duration::from_secs(20), async || match api.find(&path).await {
            Err(error) if status(&error).is_some_and(|code| code == 429) => Ok(None),
            answer => answer.map(Some),
        })
        .await?;
        let items =
            listed.as_ref().and_then(|list| list.get("items")?.as_array()).cloned().unwrap_or_default();
        let kind = listed.as_ref().and_then(|list| list.get("kind")?.as_str()).unwrap_or_default();
        for item in items {
            let text = |pointer: &str| item.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
            let prefix = match text("/metadata/namespace") {
                "" => String::new(),
                namespace => format!("{namespace}/"),
            };
            found.insert(format!("{} {prefix}{}", kind.trim_end_matches("List"), text("/metadata/name")));
        }
    }
    Ok(found)
}
