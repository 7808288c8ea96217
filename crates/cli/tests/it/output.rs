//! What people and programs read: documents, names, diffs, masks, help.

use anyhow::{Result, ensure};
use serde_json::json;
use towpath_testkit::shared;

use crate::shop;
use crate::support::{Folder, deploy, finish, towpath};

#[tokio::test(flavor = "multi_thread")]
async fn secrets_are_masked_everywhere() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("masked").await?;
    let kubeconfig = plane.kubeconfig_path();
    let first = Folder::of(&[shop::secret(&namespace, "password", "correct-horse")])?;
    let second = Folder::of(&[shop::secret(&namespace, "password", "battery-staple")])?;
    // In plain and in base64, as the server stores them.
    let words = ["correct-horse", "battery-staple", "Y29ycmVjdC1ob3JzZQ", "YmF0dGVyeS1zdGFwbGU"];
    let mut texts = Vec::new();
    for folder in [&first, &second] {
        for form in [&[][..], &["-o", "json"], &["-o", "yaml"], &["-vv"]] {
            let mut arguments = vec!["diff", "-f", folder.path(), "--app", "masked", "-n", &namespace];
            arguments.extend(form);
            texts.push(towpath(&kubeconfig, &arguments).await?.expect(0)?);
        }
        texts.push(deploy(&kubeconfig, folder, "masked", &namespace, &[]).await?.expect(0)?);
    }
    texts
        .push(towpath(&kubeconfig, &["inspect", "masked", "-n", &namespace, "-o", "json"]).await?.expect(0)?);
    for done in &texts {
        for word in words {
            ensure!(!done.stdout.contains(word) && !done.stderr.contains(word), "{word} is in {done:?}");
        }
    }
    let changed = texts.iter().any(|done| done.stdout.contains("password: '***** (after)'"));
    ensure!(changed, "a reader must see which entry changes: {texts:#?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_diff_reads_as_a_diff() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("diff").await?;
    let kubeconfig = plane.kubeconfig_path();
    let one =
        Folder::of(&[shop::config(&namespace, "settings", "one"), shop::config(&namespace, "old", "x")])?;
    let diff = |folder: &Folder, more: &'static [&'static str]| {
        let mut arguments =
            vec!["diff".to_string(), "-f".into(), folder.path().into(), "--app".into(), "d".into()];
        arguments.extend(["-n".into(), namespace.clone()]);
        arguments.extend(more.iter().map(ToString::to_string));
        let kubeconfig = kubeconfig.clone();
        async move {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            towpath(&kubeconfig, &arguments).await
        }
    };
    diff(&one, &["--exit-code"]).await?.expect(2)?;
    deploy(&kubeconfig, &one, "d", &namespace, &[]).await?.expect(0)?;
    diff(&one, &["--exit-code"]).await?.expect(0)?;
    let two = Folder::of(&[shop::config(&namespace, "settings", "two")])?;
    let text = diff(&two, &["--prune"]).await?.expect(0)?.stdout;
    ensure!(text.contains("\n-  key: one\n+  key: two\n"), "{text}");
    ensure!(text.contains(&format!("--- live/ConfigMap/{namespace}/old\n+++ nothing\n")), "{text}");
    ensure!(!text.contains('\u{1b}'), "colour in a pipe: {text}");
    ensure!(!text.contains("managedFields") && !text.contains("resourceVersion"), "{text}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_for_programs() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("json").await?;
    let kubeconfig = plane.kubeconfig_path();
    let folder =
        Folder::of(&[shop::config(&namespace, "settings", "one"), shop::account(&namespace, "web")])?;
    let dry = deploy(&kubeconfig, &folder, "j", &namespace, &["-o", "json", "--dry-run"])
        .await?
        .expect(0)?
        .json()?;
    ensure!(dry["summary"] == json!({"create": 2, "update": 0, "delete": 0, "keep": 0, "same": 0}), "{dry}");
    ensure!(dry.get("result").is_none() && dry["dryRun"] == true);
    let done = deploy(&kubeconfig, &folder, "j", &namespace, &["-o", "json", "--wait", "--exit-code"])
        .await?
        .expect(2)?
        .json()?;
    ensure!(done["result"]["complete"] == true && done["result"]["ready"] == true, "{done}");
    let folder =
        Folder::of(&[shop::config(&namespace, "settings", "two"), shop::account(&namespace, "web")])?;
    let changed = deploy(&kubeconfig, &folder, "j", &namespace, &["-o", "json"]).await?.expect(0)?.json()?;
    let fields = &changed["changes"][1]["fields"];
    ensure!(
        *fields == json!([{"path": "data.key", "change": "changed", "before": "one", "after": "two"}]),
        "{changed}"
    );
    let folder = Folder::of(&[shop::config(&namespace, "settings", "three")])?;
    let names =
        deploy(&kubeconfig, &folder, "j", &namespace, &["-o", "name", "--prune"]).await?.expect(0)?.stdout;
    ensure!(names == "configmap/settings\nserviceaccount/web\n", "{names}");
    let tree =
        towpath(&kubeconfig, &["inspect", "j", "-n", &namespace, "-o", "json"]).await?.expect(0)?.json()?;
    ensure!(tree["conditions"][0]["status"] == "True" && tree["objects"][0]["name"] == "settings", "{tree}");
    let error = towpath(&kubeconfig, &["inspect", "nobody", "-n", &namespace, "-o", "json"])
        .await?
        .expect(1)?
        .json()?;
    ensure!(error["error"]["reason"] == "AppMissing", "{error}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn help_teaches_and_completion_completes() -> Result<()> {
    let nowhere = std::path::Path::new("/nowhere");
    for verb in ["deploy", "diff", "inspect", "delete", "completion"] {
        let help = towpath(nowhere, &[verb, "--help"]).await?.expect(0)?.stdout;
        ensure!(help.contains("Examples:\n  towpath "), "{verb}: {help}");
    }
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = towpath(nowhere, &["completion", shell]).await?.expect(0)?.stdout;
        ensure!(script.contains("create-namespace"), "{shell}");
    }
    let version = towpath(nowhere, &["version", "--client"]).await?.expect(0)?.stdout;
    ensure!(version.starts_with("towpath 0."), "{version}");
    Ok(())
}

/// On a terminal: colour, a question, and only an explicit yes is one.
#[tokio::test(flavor = "multi_thread")]
async fn a_person_at_a_terminal_is_asked() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("asked").await?;
    let folder = Folder::of(&[shop::config(&namespace, "settings", "one")])?;
    let kubeconfig = plane.kubeconfig_path();
    let program = env!("CARGO_BIN_EXE_towpath");
    let typed = format!(
        "{program} deploy -f {} --app asked -n {namespace} --kubeconfig {}",
        folder.path(),
        kubeconfig.display()
    );
    for (answer, code, created) in [("n", 130, false), ("", 130, false), ("y", 0, true)] {
        // `script` gives the program a terminal of its own.
        let mut terminal = tokio::process::Command::new("script");
        terminal
            .args(["--quiet", "--return", "--command", &typed, "/dev/null"])
            .env("TERM", "xterm")
            .env_remove("NO_COLOR");
        terminal.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).kill_on_drop(true);
        let mut child = terminal.spawn()?;
        if let Some(mut keys) = child.stdin.take() {
            tokio::io::AsyncWriteExt::write_all(&mut keys, format!("{answer}\n").as_bytes()).await?;
            let done = finish(child).await?.expect(code)?;
            ensure!(done.stdout.contains("Apply these changes? [y/N]"), "{}", done.stdout);
            ensure!(done.stdout.contains("\u{1b}[32mcreate"), "no colour on a terminal: {}", done.stdout);
        }
        let there = plane.api().find(&format!("/api/v1/namespaces/{namespace}/configmaps/settings")).await?;
        ensure!(there.is_some() == created, "after the answer {answer:?}");
    }
    Ok(())
}

/// Every field that differs has its reason, also those that stay.
#[tokio::test(flavor = "multi_thread")]
async fn a_diff_says_why() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("why").await?;
    let (api, kubeconfig) = (plane.api(), plane.kubeconfig_path());
    let folder = Folder::of(&[shop::config(&namespace, "settings", "one")])?;
    deploy(&kubeconfig, &folder, "why", &namespace, &[]).await?.expect(0)?;
    let path = format!("/api/v1/namespaces/{namespace}/configmaps/settings");
    api.patch(&format!("{path}?fieldManager=kubectl-edit"), &json!({"data": {"edited": "y"}})).await?;
    api.patch(&format!("{path}?fieldManager=controller"), &json!({"data": {"computed": "z"}})).await?;
    let changed = Folder::of(&[shop::config(&namespace, "settings", "two")])?;
    let arguments = ["diff", "-f", changed.path(), "--app", "why", "-n", &namespace];
    let text = towpath(&kubeconfig, &[&arguments[..], &["--why"]].concat()).await?.expect(0)?.stdout;
    for line in [
        "# data.key: \"one\" -> \"two\" (desired)",
        "# data.edited: \"y\" (owned by kubectl-edit)",
        "# data.computed: \"z\" (owned by controller)",
    ] {
        ensure!(text.contains(line), "{line:?} is not in:\n{text}");
    }
    let value = towpath(&kubeconfig, &[&arguments[..], &["-o", "json"]].concat()).await?.expect(0)?.json()?;
    ensure!(value["changes"][0]["why"].as_array().is_some_and(|why| why.len() == 3), "{value}");
    Ok(())
}
