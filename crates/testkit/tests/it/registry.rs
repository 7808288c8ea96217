//! A blob and a manifest in and out of a registry.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use bytes::Bytes;
use http::header::LOCATION;
use http::{Method, StatusCode};
use towpath_testkit::Registry;

/// The digest of `content` below.
const DIGEST: &str = "sha256:ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73";

#[tokio::test]
async fn a_blob_goes_in_and_out() -> Result<()> {
    let start = Instant::now();
    let registry = Registry::start().await?;
    let took = start.elapsed();
    println!("registry started in {took:?}");
    assert!(took < Duration::from_secs(5));
    let api = registry.api();
    let content = Bytes::from_static(b"content");

    let upload = api.send(Method::POST, "/v2/team/app/blobs/uploads/", "", Bytes::new()).await?;
    assert_eq!(upload.status(), StatusCode::ACCEPTED);
    let place = upload.headers().get(LOCATION).context("an upload has a place")?.to_str()?;
    let place = place.strip_prefix(&registry.url()).unwrap_or(place);
    let path = format!("{place}&digest={DIGEST}");
    let push = api.send(Method::PUT, &path, "application/octet-stream", content.clone()).await?;
    assert_eq!(push.status(), StatusCode::CREATED, "{:?}", push.body());
    let pull = api.send(Method::GET, &format!("/v2/team/app/blobs/{DIGEST}"), "", Bytes::new()).await?;
    assert_eq!((pull.status(), pull.body()), (StatusCode::OK, &content));
    Ok(())
}
