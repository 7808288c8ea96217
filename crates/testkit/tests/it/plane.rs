use std::time::Instant;

use anyhow::Result;
use towpath_testkit::ControlPlane;

#[tokio::test]
async fn starts() -> Result<()> {
    let start = Instant::now();
    let plane = ControlPlane::builder().start().await?;
    println!("started in {:?}", start.elapsed());
    let ns = plane.namespace("x").await?;
    println!("namespace {ns} in {:?}", start.elapsed());
    drop(plane);
    println!("gone in {:?}", start.elapsed());
    Ok(())
}
