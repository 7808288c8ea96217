//! Documents are fetched once, and a damaged file does no harm.

use std::path::PathBuf;

use anyhow::Result;
use towpath_cluster::{Cluster, Options};
use towpath_object::Gvk;
use towpath_testkit::{FaultProxy, shared};

fn apps() -> Vec<(String, String)> {
    let wanted = [("apps", "v1"), ("policy", "v1"), ("nobody.example.com", "v1")];
    wanted.map(|(group, version)| (group.to_owned(), version.to_owned())).into()
}

/// The paths of the requests since the last time; two documents are under way at a time, so sorted.
fn requests(proxy: &FaultProxy) -> Vec<String> {
    let mut paths: Vec<String> = proxy.seen().into_iter().map(|seen| seen.path).collect();
    paths.sort();
    proxy.reset();
    paths
}

#[tokio::test]
async fn documents_are_fetched_once() -> Result<()> {
    let proxy = FaultProxy::start(shared().await?)?;
    let options = Options { kubeconfig: Some(proxy.kubeconfig_path().into()), ..Options::default() };
    let cluster = Cluster::connect(&options).await?;
    let folder = tempfile::tempdir()?;
    let cache = folder.path().join("schemas");
    let all = ["/openapi/v3", "/openapi/v3/apis/apps/v1", "/openapi/v3/apis/policy/v1"];
    let deployment = Gvk::new("apps/v1", "Deployment");

    assert!(cluster.schemas(apps(), Some(&cache)).await?.knows(&deployment));
    assert_eq!(requests(&proxy), all);
    assert!(cluster.schemas(apps(), Some(&cache)).await?.knows(&deployment));
    assert_eq!(requests(&proxy), all[..1]);

    let files: Vec<PathBuf> =
        std::fs::read_dir(&cache)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    assert_eq!(files.len(), 2, "no parts are left: {files:?}");
    for file in &files {
        let text = std::fs::read(file)?;
        std::fs::write(file, &text[..text.len() / 2])?;
    }
    assert!(cluster.schemas(apps(), Some(&cache)).await?.knows(&deployment));
    assert_eq!(requests(&proxy), all);
    assert!(cluster.schemas(apps(), Some(&cache)).await?.knows(&deployment));
    assert_eq!(requests(&proxy), all[..1], "the damaged files were replaced");

    let not_a_folder = folder.path().join("file");
    std::fs::write(&not_a_folder, "")?;
    assert!(cluster.schemas(apps(), Some(&not_a_folder)).await?.knows(&deployment));
    assert!(cluster.schemas(apps(), None).await?.knows(&deployment));
    Ok(())
}
