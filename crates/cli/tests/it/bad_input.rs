//! Bad input: a precise message with file and line, the right exit code, and nothing sent or nothing unrecorded.

use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, ensure};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};
use towpath_testkit::{Authority, FaultProxy, Validity, shared};

use crate::shop;
use crate::support::{Done, Folder, deploy, documents, inventory, towpath};

/// Deploys one file that must be refused as input, through a proxy that must see no write.
async fn refused(content: impl AsRef<[u8]>) -> Result<Done> {
    let plane = shared().await?;
    let proxy = FaultProxy::start(plane)?;
    let namespace = plane.namespace("bad").await?;
    let folder = Folder::new()?;
    folder.write("bad.yaml", content)?;
    let done = deploy(proxy.kubeconfig_path(), &folder, "bad", &namespace, &[]).await?.expect(3)?;
    ensure!(proxy.writes().is_empty(), "{:?}", proxy.writes());
    Ok(Done { stderr: done.stderr.replace(&format!("{}/", folder.path()), ""), ..done })
}

/// Says the message, and says it of that line.
fn says(done: &Done, words: &str) -> Result<()> {
    ensure!(done.stderr.contains(words), "{words:?} is not in:\n{}", done.stderr);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_without_kind_or_name() -> Result<()> {
    let done = refused("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: good\n---\napiVersion: v1\nmetadata:\n  name: a\n").await?;
    says(&done, "error: bad.yaml:6: kind is missing")?;
    let done = refused("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  labels: {}\n").await?;
    says(&done, "error: bad.yaml:3: metadata.name is missing")?;
    let done = refused("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: 5\n").await?;
    says(&done, "error: bad.yaml:4: metadata.name must be a string, found a number")
}

#[tokio::test(flavor = "multi_thread")]
async fn duplicate_ids() -> Result<()> {
    let one = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n";
    let done = refused(format!("{one}---\n{one}")).await?;
    says(&done, "bad.yaml:6: ConfigMap/")?;
    says(&done, "/a is already defined at ")?;
    says(&done, "bad.yaml:1;")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_config_map_of_five_megabytes() -> Result<()> {
    let done = refused(format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: large\ndata:\n  x: {}\n",
        "y".repeat(5 << 20)
    ))
    .await?;
    says(&done, "bad.yaml:1: ConfigMap/")?;
    says(&done, "/large: its data is 5242881 bytes; Kubernetes takes at most 1048576")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_alias_bomb() -> Result<()> {
    let mut lines = vec![format!("a: &a0 [{}]", ["x"; 10].join(", "))];
    for level in 1..12 {
        let alias = format!("*a{}", level - 1);
        lines.push(format!("b{level}: &a{level} [{}]", vec![alias; 10].join(", ")));
    }
    let started = std::time::Instant::now();
    let done = refused(lines.join("\n")).await?;
    says(&done, "error: bad.yaml:")?;
    says(&done, "alias")?;
    ensure!(started.elapsed().as_secs() < 60, "it took {:?}", started.elapsed());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn not_utf8() -> Result<()> {
    let done = refused(b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: \xff\xfe\n").await?;
    says(&done, "error: bad.yaml:4:")?;
    says(&done, "UTF-8")
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_yaml_and_duplicate_keys() -> Result<()> {
    let done = refused("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  name: b\n").await?;
    says(&done, "error: bad.yaml:5:")?;
    let done = refused("apiVersion: v1\nkind: [ConfigMap\nmetadata:\n  name: a\n").await?;
    says(&done, "error: bad.yaml:")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_kind() -> Result<()> {
    let done = refused("apiVersion: apps/v1beta1\nkind: Deployment\nmetadata:\n  name: a\n").await?;
    says(
        &done,
        "bad.yaml:1: Deployment/a: the cluster has no kind Deployment in apps/v1beta1; it serves apps/v1",
    )?;
    let done =
        refused("# a comment\napiVersion: example.com/v1\nkind: Nothing\nmetadata:\n  name: a\n").await?;
    says(
        &done,
        "bad.yaml:2: Nothing/a: the cluster has no kind Nothing in example.com/v1; install its CustomResourceDefinition",
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_to_read() -> Result<()> {
    let plane = shared().await?;
    let folder = Folder::new()?;
    let empty = deploy(&plane.kubeconfig_path(), &folder, "bad", "default", &[]).await?.expect(3)?;
    says(&empty, "there is no manifest in it")?;
    let arguments = ["deploy", "-f", "/nowhere", "--app", "bad", "--yes"];
    let missing = towpath(&plane.kubeconfig_path(), &arguments).await?.expect(3)?;
    says(&missing, "/nowhere: No such file or directory")?;
    let arguments = ["deploy", "-f", folder.path(), "--app", "Bad_Name", "--yes"];
    folder.write("a.yaml", documents(&[shop::config("default", "a", "b")]))?;
    let name = towpath(&plane.kubeconfig_path(), &arguments).await?.expect(3)?;
    says(&name, "--app \"Bad_Name\" is not a name")
}

/// What only the server can find wrong with an existing object is found before anything is written.
#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_the_server_refuses() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("immutable").await?;
    let kubeconfig = plane.kubeconfig_path();
    let good = Folder::of(&[shop::deployment(&namespace, "web", 0)])?;
    deploy(&kubeconfig, &good, "immutable", &namespace, &[]).await?.expect(0)?;
    let mut changed = shop::deployment(&namespace, "web", 0);
    changed["spec"]["selector"]["matchLabels"] = json!({"app": "other"});
    changed["spec"]["template"]["metadata"]["labels"] = json!({"app": "other"});
    let bad = Folder::of(&[shop::config(&namespace, "new", "one"), changed])?;
    let refused = deploy(&kubeconfig, &bad, "immutable", &namespace, &[]).await?.expect(1)?;
    says(&refused, "field is immutable")?;
    // The server answers an unknown field with 500; it is told at once and not tried again.
    let folder = Folder::new()?;
    let mut misspelt = shop::deployment(&namespace, "web", 0);
    misspelt["spec"]["replica"] = json!(1);
    folder.write("web.yaml", documents(&[misspelt]))?;
    let started = std::time::Instant::now();
    let refused = deploy(&kubeconfig, &folder, "immutable", &namespace, &[]).await?.expect(1)?;
    says(&refused, "web.yaml:")?;
    says(&refused, ".spec.replica: field not declared in schema")?;
    ensure!(started.elapsed().as_secs() < 30, "it was tried again");
    ensure!(plane.api().find(&format!("/api/v1/namespaces/{namespace}/configmaps/new")).await?.is_none());
    Ok(())
}

/// What does not fit the server's schemas is found before anything is sent, with the line of the field.
#[tokio::test(flavor = "multi_thread")]
async fn new_objects_that_do_not_fit() -> Result<()> {
    let web = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n";
    let rest = "  selector:\n    matchLabels: {app: web}\n  template:\n    metadata:\n      labels: {app: web}\n    spec:\n      containers:\n      - name: web\n        image: web\n";
    let done = refused(format!("{web}  replicas: three\n{rest}")).await?;
    says(&done, "error: bad.yaml:6: Deployment/")?;
    says(&done, "/web: spec.replicas: expected an integer, found the string \"three\"")?;
    let done = refused(format!("{web}  replica: 3\n{rest}        imagePullpolicy: Always\n")).await?;
    says(&done, "error: bad.yaml:6: Deployment/")?;
    says(&done, "replicas")?;
    says(&done, "error: bad.yaml:16: Deployment/")?;
    says(&done, "imagePullPolicy")
}

/// What the server refuses while a run is under way is recorded with what it did take.
#[tokio::test(flavor = "multi_thread")]
async fn half_applied_is_recorded() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("half").await?;
    let mut broken = shop::service(&namespace, "broken");
    broken["spec"]["ports"][0]["port"] = json!(0);
    let folder = Folder::of(&[
        shop::config(&namespace, "good", "one"),
        broken,
        shop::deployment(&namespace, "web", 0),
    ])?;
    let half = deploy(&plane.kubeconfig_path(), &folder, "half", &namespace, &[]).await?.expect(1)?;
    says(&half, "all.yaml:")?;
    says(&half, "spec.ports[0].port: Invalid value")?;
    says(&half, "1 more changes were not tried")?;
    let named = inventory(&plane.api(), "half", &namespace).await?;
    ensure!(named.len() == 3, "{named:?}");
    let mended =
        Folder::of(&[shop::config(&namespace, "good", "one"), shop::deployment(&namespace, "web", 0)])?;
    deploy(&plane.kubeconfig_path(), &mended, "half", &namespace, &["--prune"]).await?.expect(0)?;
    ensure!(inventory(&plane.api(), "half", &namespace).await?.len() == 2);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn forbidden() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("forbidden").await?;
    let folder = Folder::of(&[shop::config(&namespace, "a", "one")])?;
    let nobody = plane.kubeconfig_for("nobody", &[])?;
    let done = deploy(&nobody, &folder, "a", &namespace, &[]).await?.expect(4)?;
    says(&done, "User \"nobody\" cannot get resource \"configmaps\"")?;
    says(&done, "hint: ask for a role that allows this")
}

/// May do everything but make Deployments: the rest is applied and recorded.
#[tokio::test(flavor = "multi_thread")]
async fn partly_forbidden() -> Result<()> {
    let plane = shared().await?;
    let namespace = plane.namespace("partly").await?;
    let api = plane.api();
    let rbac = format!("/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}");
    let rules = json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["*"]},
                       {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get", "list"]}]);
    let role = json!({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": "some"}, "rules": rules});
    api.post(&format!("{rbac}/roles"), &role).await?;
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "some"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "some"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "partly"}],
    });
    api.post(&format!("{rbac}/rolebindings"), &binding).await?;
    let folder = Folder::of(&[shop::config(&namespace, "a", "one"), shop::deployment(&namespace, "web", 0)])?;
    let done =
        deploy(&plane.kubeconfig_for("partly", &[])?, &folder, "partly", &namespace, &[]).await?.expect(4)?;
    says(&done, "cannot patch resource \"deployments\"")?;
    ensure!(inventory(&api, "partly", &namespace).await?.len() == 2);
    ensure!(api.find(&format!("/api/v1/namespaces/{namespace}/configmaps/a")).await?.is_some());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreachable_server() -> Result<()> {
    let free = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let folder = Folder::of(&[shop::config("default", "a", "one")])?;
    folder.write("kubeconfig", kubeconfig(&format!("https://{free}")))?;
    let path = format!("{}/kubeconfig", folder.path());
    let file = format!("{}/all.yaml", folder.path());
    let done = towpath(Path::new(&path), &["deploy", "-f", &file, "--app", "a", "--yes"]).await?.expect(4)?;
    says(&done, &format!("reach the cluster at https://{free}"))?;
    says(&done, "refused")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_certificate() -> Result<()> {
    let plane = shared().await?;
    let folder = Folder::of(&[shop::config("default", "a", "one")])?;
    // Ours: the server only says "Unauthorized"; we can say why.
    let expired = plane.expired_kubeconfig_for("late", &["system:masters"])?;
    let done = deploy(&expired, &folder, "a", "default", &[]).await?.expect(4)?;
    says(&done, "Unauthorized")?;
    says(&done, "the client certificate in the kubeconfig has expired")?;
    // Of an authority that the kubeconfig does not name.
    folder.write("kubeconfig", kubeconfig(plane.url()))?;
    let path = format!("{}/kubeconfig", folder.path());
    let file = format!("{}/all.yaml", folder.path());
    let done = towpath(Path::new(&path), &["deploy", "-f", &file, "--app", "a", "--yes"]).await?.expect(4)?;
    says(&done, "trust the cluster at")
}

/// The server's certificate, of an authority that we trust, has ended.
#[tokio::test(flavor = "multi_thread")]
async fn an_expired_server_certificate() -> Result<()> {
    let authority = Authority::new()?;
    let identity = authority.server(&["127.0.0.1"], Validity::Expired)?;
    let chain = vec![CertificateDer::from_pem_slice(identity.certificate.as_bytes())?];
    let key = PrivateKeyDer::from_pem_slice(identity.key.as_bytes())?;
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let server = format!("https://{}", listener.local_addr()?);
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            // The client breaks off as soon as it sees the certificate.
            drop(acceptor.accept(connection).await);
        }
    });
    let folder = Folder::of(&[shop::config("default", "a", "one")])?;
    folder.write("authority.pem", authority.certificate())?;
    let cluster =
        json!({"server": server, "certificate-authority": format!("{}/authority.pem", folder.path())});
    folder.write("kubeconfig", kubeconfig_of(&cluster))?;
    let path = format!("{}/kubeconfig", folder.path());
    let file = format!("{}/all.yaml", folder.path());
    let done = towpath(Path::new(&path), &["deploy", "-f", &file, "--app", "a", "--yes"]).await?.expect(4)?;
    says(&done, &format!("trust the cluster at {server}"))?;
    says(&done, "its certificate has expired")
}

#[tokio::test(flavor = "multi_thread")]
async fn no_kubeconfig_and_wrong_usage() -> Result<()> {
    let folder = Folder::of(&[shop::config("default", "a", "one")])?;
    let file = format!("{}/all.yaml", folder.path());
    let done =
        towpath(Path::new("/nowhere/config"), &["deploy", "-f", &file, "--app", "a"]).await?.expect(4)?;
    says(&done, "/nowhere/config")?;
    let done = towpath(Path::new("/nowhere"), &["deploy", "--nonsense"]).await?.expect(3)?;
    says(&done, "--nonsense")?;
    let done = towpath(Path::new("/nowhere"), &["delete", "image", "--yes"]).await?.expect(3)?;
    says(&done, "write `app image`")?;
    let done = towpath(Path::new("/nowhere"), &["delete", "shop"]).await?.expect(3)?;
    says(&done, "pass --yes")
}

fn kubeconfig(server: &str) -> String {
    kubeconfig_of(&json!({"server": server}))
}

fn kubeconfig_of(cluster: &Value) -> String {
    json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "c",
        "clusters": [{"name": "c", "cluster": cluster}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "users": [{"name": "u", "user": {"token": "none"}}],
    })
    .to_string()
}
