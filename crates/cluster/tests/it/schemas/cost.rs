//! What schemas cost: run by hand, in release, on a machine that does nothing else.

use std::time::Instant;

use anyhow::Result;
use bytes::Bytes;
use http::Method;
use towpath_object::Gvk;
use towpath_schema::Schemas;
use towpath_testkit::ControlPlane;

use super::{manifests, wanted};

/// Resident memory of this process in KiB.
fn resident() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

#[tokio::test]
#[ignore = "a measurement"]
async fn what_schemas_cost() -> Result<()> {
    let plane = ControlPlane::builder().controllers(false).start().await?;
    let api = plane.api();
    let mut paths = vec!["/openapi/v3".to_owned(), "/openapi/v3/api/v1".to_owned()];
    paths.push("/openapi/v3/apis/apps/v1".to_owned());
    for run in ["fresh", "again", "third"] {
        for path in &paths {
            let start = Instant::now();
            let answer = api.send(Method::GET, path, "", Bytes::new()).await?;
            println!("{run} {path}: {:?}, {} bytes", start.elapsed(), answer.body().len());
        }
    }
    let mut texts = Vec::new();
    let mut all = wanted();
    all.retain(|(group, _)| group != "shop.example.com");
    all.sort();
    all.dedup();
    for (group, version) in all {
        let path =
            if group.is_empty() { format!("api/{version}") } else { format!("apis/{group}/{version}") };
        let answer = api.send(Method::GET, &format!("/openapi/v3/{path}"), "", Bytes::new()).await?;
        texts.push((path, answer.into_body()));
    }
    let mut schemas = Schemas::default();
    let start = Instant::now();
    for (path, text) in &texts {
        let (before, start) = (resident()?, Instant::now());
        schemas.add_openapi(text)?;
        println!("read {path}: {:?}, {} KiB more", start.elapsed(), resident()?.saturating_sub(before));
    }
    println!("read {} documents: {:?}", texts.len(), start.elapsed());
    let before = resident()?;
    let copies = vec![schemas.clone(); 20];
    println!("compact form of all of them: {} KiB", (resident()? - before) / 20);
    drop(copies);
    let manifests = manifests();
    let start = Instant::now();
    for _ in 0..100 {
        for manifest in &manifests {
            let gvk = Gvk::new(manifest["apiVersion"].as_str().unwrap(), manifest["kind"].as_str().unwrap());
            assert!(schemas.check(&gvk, manifest).is_empty());
        }
    }
    println!("check {} objects: {:?}", manifests.len() * 100, start.elapsed());
    Ok(())
}
