//! Control planes: their start, their users, their audit log.

use std::time::{Duration, Instant};

use anyhow::Result;
use bytes::Bytes;
use http::{Method, StatusCode};
use serde_json::json;
use towpath_testkit::{Api, ControlPlane, Credentials, eventually, shared, status};

#[tokio::test]
async fn two_start_side_by_side_with_tls_and_rbac_in_time() -> Result<()> {
    let start = Instant::now();
    let (one, two) = tokio::try_join!(
        ControlPlane::builder().start(),
        ControlPlane::builder().controllers(false).start()
    )?;
    let took = start.elapsed();
    println!("two control planes started in {took:?}");
    assert!(took < Duration::from_secs(20), "two at once took {took:?}");
    one.api().post("/api/v1/namespaces", &json!({ "metadata": { "name": "only-here" } })).await?;
    assert!(two.api().find("/api/v1/namespaces/only-here").await?.is_none());
    assert_ne!((one.url(), one.ca_pem(), one.admin_token()), (two.url(), two.ca_pem(), two.admin_token()));
    Ok(())
}

#[tokio::test]
async fn everything_is_gone_when_it_is_dropped() -> Result<()> {
    let plane = ControlPlane::builder().controllers(false).start().await?;
    let (folder, api) = (plane.folder().to_path_buf(), plane.api());
    drop(plane);
    assert!(!folder.exists());
    api.get("/version").await.expect_err("nobody listens any more");
    Ok(())
}

#[tokio::test]
async fn users_have_no_rights_until_they_are_given_some() -> Result<()> {
    let plane = shared().await?;
    let jane = plane.api_for("jane", &["testers", "readers"])?;
    let error = jane.get("/api/v1/secrets").await.expect_err("jane may not");
    assert_eq!(status(&error), Some(StatusCode::FORBIDDEN));

    let binding = json!({
        "metadata": { "name": "readers" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin" },
        "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "readers" }],
    });
    plane.api().post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", &binding).await?;
    // The authorizer learns of it by watch.
    eventually("the second group gives jane rights", Duration::from_secs(5), async || {
        Ok(jane.get("/api/v1/secrets").await.ok())
    })
    .await?;
    Ok(())
}

#[tokio::test]
async fn the_administrator_comes_by_certificate_and_by_token() -> Result<()> {
    let plane = shared().await?;
    let config: serde_json::Value = serde_json::from_slice(&std::fs::read(plane.kubeconfig_path())?)?;
    assert_eq!(config["clusters"][0]["cluster"]["server"], plane.url());
    assert!(config["users"][0]["user"]["client-certificate-data"].is_string());
    plane.api_for("admin", &["system:masters"])?.get("/api/v1/secrets").await?;
    Api::new(plane.url(), plane.ca_pem(), Credentials::Token(plane.admin_token()))?
        .get("/api/v1/secrets")
        .await?;
    Ok(())
}

#[tokio::test]
async fn strangers_and_expired_certificates_are_refused() -> Result<()> {
    let plane = shared().await?;
    let stranger = Api::new(plane.url(), plane.ca_pem(), Credentials::Token("guess"))?;
    let answer = stranger.send(Method::GET, "/api/v1/secrets", "", Bytes::new()).await?;
    assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
    let expired =
        plane.authority().client("admin", &["system:masters"], towpath_testkit::Validity::Expired)?;
    let expired = Api::new(plane.url(), plane.ca_pem(), Credentials::Certificate(&expired))?;
    let answer = expired.send(Method::GET, "/api/v1/secrets", "", Bytes::new()).await?;
    assert_eq!(answer.status(), StatusCode::UNAUTHORIZED);
    assert!(plane.expired_kubeconfig_for("jane", &[])?.is_file());
    Ok(())
}

#[tokio::test]
async fn namespaces_are_fresh_and_ready_for_pods() -> Result<()> {
    let plane = shared().await?;
    let (one, two) = (plane.namespace("room").await?, plane.namespace("room").await?);
    assert_ne!(one, two);
    let api = plane.api();
    let pod =
        json!({ "metadata": { "name": "a" }, "spec": { "containers": [{ "name": "a", "image": "a" }] } });
    api.post(&format!("/api/v1/namespaces/{one}/pods"), &pod).await?;
    Ok(())
}

#[tokio::test]
async fn controllers_remove_a_namespace() -> Result<()> {
    let plane = shared().await?;
    let api = plane.api();
    let path = format!("/api/v1/namespaces/{}", plane.namespace("leaving").await?);
    api.post(&format!("{path}/configmaps"), &json!({ "metadata": { "name": "a" } })).await?;
    api.delete(&path).await?;
    eventually("the namespace is gone", Duration::from_secs(30), async || {
        Ok(api.find(&path).await?.is_none().then_some(()))
    })
    .await
}

#[tokio::test]
async fn the_audit_log_tells_writes_by_user() -> Result<()> {
    let plane = ControlPlane::builder().controllers(false).audit(true).start().await?;
    let api = plane.api();
    let path = format!("/api/v1/namespaces/{}/configmaps", plane.namespace("audited").await?);
    let audit = plane.audit()?;
    let object = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a" } });
    api.apply(&format!("{path}/a"), &object, "tester").await?;
    api.get(&format!("{path}/a")).await?;
    api.post(&format!("{path}?dryRun=All"), &json!({ "metadata": { "name": "b" } })).await?;
    let writes = audit.writes_by("admin")?;
    assert_eq!(writes.len(), 1, "{writes:?}");
    assert_eq!((writes[0].verb.as_str(), writes[0].response_status.code), ("patch", 201));
    assert_eq!(audit.events()?.iter().filter(|event| event.user.username == "admin").count(), 3);
    Ok(())
}

#[tokio::test]
async fn an_api_server_that_is_killed_comes_back_where_it_was() -> Result<()> {
    let mut plane = ControlPlane::builder().controllers(false).audit(true).start().await?;
    let (api, url) = (plane.api(), plane.url().to_owned());
    let namespace = plane.namespace("kept").await?;
    let path = format!("/api/v1/namespaces/{namespace}");
    plane.kill_server();
    api.get(&path).await.expect_err("nobody listens");
    plane.start_server().await?;
    assert_eq!((plane.url(), api.find(&path).await?.is_some()), (url.as_str(), true));
    let audit = plane.audit()?;
    api.patch(&path, &json!({ "metadata": { "labels": { "a": "b" } } })).await?;
    assert_eq!(audit.writes_by("admin")?.len(), 1);
    Ok(())
}
