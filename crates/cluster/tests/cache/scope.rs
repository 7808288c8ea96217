//! Some namespaces only, and rights that do not reach.

use anyhow::Result;
use serde_json::json;
use towpath_cluster::cache::{Blind, Cache, CacheSettings, GroupKind, KindState, Rbac, Scope};
use towpath_object::Key;
use towpath_testkit::{Fault, FaultProxy, Rule};

use crate::bed::{bed, cluster, config_maps, settings, soon, until_state};

/// Check 10.
#[tokio::test]
async fn only_allowed_namespaces_are_read() -> Result<()> {
    let (bed, other) = (bed("inside").await?, bed("outside").await?);
    let second = bed.plane.namespace("inside").await?;
    bed.put_map("a", "1").await?;
    other.put_map("a", "1").await?;
    let names = [bed.namespace.clone(), second.clone()].into();
    let scope = Scope::Namespaces { names, cluster_kinds: false };
    let cache = bed.cache(CacheSettings { scope, ..settings() }).await?;
    let namespaces = GroupKind::new("", "Namespace");
    let states = cache.ready([config_maps(), namespaces]).await;
    assert!(states[0].is_live() && matches!(states[1], KindState::Gone), "{states:?}");
    assert!(cache.look(&bed.key("a"))?.is_some());
    assert!(cache.look(&Key::new("", "ConfigMap", &second, "a"))?.is_none());
    let outside = cache.look(&other.key("a")).expect_err("not ours");
    assert!(
        matches!(outside, Blind::OutOfScope { .. }) && outside.to_string().contains(&other.namespace),
        "{outside}"
    );
    assert!(matches!(cache.look(&Key::new("", "Namespace", "", "default")), Err(Blind::OutOfScope { .. })));

    let read = |path: &str| path.starts_with("/api/v1/") || path.starts_with("/apis/");
    let paths: Vec<String> =
        bed.proxy.seen().into_iter().map(|seen| seen.path).filter(|path| read(path)).collect();
    let allowed = [bed.path(), format!("/api/v1/namespaces/{second}/configmaps")];
    assert!(paths.iter().all(|path| allowed.contains(path)), "{paths:?}");
    Ok(())
}

#[tokio::test]
async fn what_we_may_not_read_is_said_to_be_so() -> Result<()> {
    let bed = bed("rights").await?;
    let user = format!("reader-of-{}", bed.namespace);
    let rules = json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list", "watch"]}]);
    let rights = "/apis/rbac.authorization.k8s.io/v1";
    bed.api
        .post(&format!("{rights}/clusterroles"), &json!({"metadata": {"name": user}, "rules": rules}))
        .await?;
    let binding = json!({"metadata": {"name": user},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": user},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}]});
    bed.api.post(&format!("{rights}/clusterrolebindings"), &binding).await?;
    let proxy = FaultProxy::start_as(bed.plane, &user, &[])?;
    let secrets = GroupKind::new("", "Secret");
    let key = Key::new("", "Secret", &bed.namespace, "s");
    for rbac in [Rbac::Off, Rbac::Normal, Rbac::Strict] {
        let cluster = cluster(proxy.kubeconfig_path()).await?;
        let cache = Cache::start(cluster, CacheSettings { rbac, ..settings() });
        let states = cache.ready([config_maps(), secrets.clone()]).await;
        assert!(states[0].is_live(), "{rbac:?}: {states:?}");
        let blind = cache.look(&key).expect_err("it cannot be known");
        assert!(blind.to_string().contains("Secret"), "{blind}");
        match rbac {
            Rbac::Off => assert!(matches!(blind, Blind::Stale { .. }), "{blind:?}"),
            Rbac::Normal | Rbac::Strict => assert!(matches!(blind, Blind::Forbidden { .. }), "{blind:?}"),
        }
    }
    let reviews = proxy.seen().iter().filter(|seen| seen.path.ends_with("/selfsubjectaccessreviews")).count();
    assert!(reviews >= 1, "strict asks");

    // Rights that come later are used without a restart.
    let cluster = cluster(proxy.kubeconfig_path()).await?;
    let cache = Cache::start(cluster, CacheSettings { rbac: Rbac::Normal, ..settings() });
    cache.ready([secrets.clone()]).await;
    let more = json!([{"apiGroups": [""], "resources": ["secrets"], "verbs": ["list", "watch"]}]);
    bed.api.patch(&format!("{rights}/clusterroles/{user}"), &json!({"rules": more})).await?;
    until_state(&cache, &secrets, KindState::is_live).await?;
    Ok(())
}

#[tokio::test]
async fn a_403_that_the_server_takes_back_is_a_fault() -> Result<()> {
    let bed = bed("strict").await?;
    let secrets = GroupKind::new("", "Secret");
    bed.proxy.add(Rule::new(Fault::status(403)).path("/secrets").times(3));
    let cache = bed.cache(CacheSettings { rbac: Rbac::Strict, ..settings() }).await?;
    let state = &cache.ready([secrets.clone()]).await[0];
    assert!(matches!(state, KindState::Stale { .. }), "{state:?}");
    soon("it passes", || cache.kind_state(&secrets).filter(KindState::is_live)).await?;
    Ok(())
}
