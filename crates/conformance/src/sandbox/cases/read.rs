//! Reading: one, lists, watches, discovery.

use serde_json::json;

use super::{MAP, MAPS, map};
use crate::sandbox::sequence::{MERGE, Sequence};

const METADATA: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const METADATA_LIST: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

pub fn all() -> Vec<Sequence> {
    let get = |name| Sequence::new("get", name);
    let discover = |name| Sequence::new("discovery", name);
    let mut all = vec![
        get("missing")
            .get(MAP)
            .get("/apis/apps/v1/namespaces/NAMESPACE/deployments/a")
            .get("/api/v1/namespaces/none"),
        get("metadata").post(MAPS, map("a", json!({"x": "1"}))).accepting(MAP, METADATA),
        get("namespace").get("/api/v1/namespaces/NAMESPACE"),
        discover("core").get("/api/v1"),
        discover("apps").get("/apis/apps").get("/apis/apps/v1"),
        discover("others")
            .get("/apis/batch/v1")
            .get("/apis/networking.k8s.io/v1")
            .get("/apis/rbac.authorization.k8s.io/v1")
            .get("/apis/apiextensions.k8s.io/v1"),
        discover("custom").get("/apis/shop.example.com").get("/apis/shop.example.com/v1"),
        discover("all")
            .accepting("/apis", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"),
        discover("core, all")
            .accepting("/api", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"),
        discover("health").get("/healthz").get("/livez").get("/readyz").get("/version"),
    ];
    all.extend(lists());
    all.extend(watches());
    all
}

fn three(sequence: Sequence) -> Sequence {
    ["a", "b", "c"].iter().enumerate().fold(sequence, |sequence, (number, name)| {
        let labels = json!({"number": number.to_string(), "all": "yes"});
        sequence.post(MAPS, json!({"metadata": {"name": name, "labels": labels}}))
    })
}

fn lists() -> Vec<Sequence> {
    let list = |name| Sequence::new("list", name);
    let with = |query: &str| format!("{MAPS}?{query}");
    vec![
        list("empty").get(MAPS),
        list("some").post(MAPS, map("b", json!({}))).post(MAPS, map("a", json!({"x": "1"}))).get(MAPS),
        three(list("pages"))
            .get(&with("limit=1"))
            .get(&with("limit=1&continue=${continue:3}"))
            .get(&with("limit=5&continue=${continue:4}")),
        three(list("pages of one moment"))
            .get(&with("limit=1"))
            .delete(&format!("{MAPS}/b"), json!(null))
            .post(MAPS, map("bb", json!({})))
            .get(&with("limit=5&continue=${continue:3}")),
        three(list("labels"))
            .get(&with("labelSelector=number%3D1"))
            .get(&with("labelSelector=number%20in%20(0,2)"))
            .get(&with("labelSelector=number!%3D1,all"))
            .get(&with("labelSelector=!all")),
        three(list("pages of labels")).get(&with("limit=1&labelSelector=all")),
        three(list("fields"))
            .get(&with("fieldSelector=metadata.name%3Db"))
            .get(&with("fieldSelector=metadata.name!%3Db")),
        list("metadata").post(MAPS, map("a", json!({"x": "1"}))).accepting(MAPS, METADATA_LIST),
        list("bad labels").get(&with("labelSelector=a%20in%20b")),
        list("bad fields").get(&with("fieldSelector=spec.odd%3D1")),
        list("bad page").get(&with("limit=1&continue=nonsense")),
        list("exact version")
            .post(MAPS, map("a", json!({})))
            .get(MAPS)
            .post(MAPS, map("b", json!({})))
            .get(&with("resourceVersion=${resourceVersion:1}&resourceVersionMatch=Exact")),
        list("namespaces by name").get("/api/v1/namespaces?fieldSelector=metadata.name%3DNAMESPACE"),
    ]
}

fn watches() -> Vec<Sequence> {
    let watch = |name| Sequence::new("watch", name);
    let from = |step: usize, more: &str| {
        format!("{MAPS}?watch=true&timeoutSeconds=1&resourceVersion=${{resourceVersion:{step}}}{more}")
    };
    let streamed = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    vec![
        watch("added, changed, deleted")
            .get(MAPS)
            .post(MAPS, map("a", json!({})))
            .patch(MAP, MERGE, json!({"data": {"x": "1"}}))
            .delete(MAP, json!(null))
            .get(&from(0, "")),
        watch("into and out of a selection")
            .get(MAPS)
            .post(MAPS, map("a", json!({})))
            .patch(MAP, MERGE, json!({"metadata": {"labels": {"in": "yes"}}}))
            .patch(MAP, MERGE, json!({"data": {"x": "1"}}))
            .patch(MAP, MERGE, json!({"metadata": {"labels": null}}))
            .get(&from(0, "&labelSelector=in%3Dyes")),
        watch("one by name")
            .get(MAPS)
            .post(MAPS, map("a", json!({})))
            .post(MAPS, map("b", json!({})))
            .get(&from(0, "&fieldSelector=metadata.name%3Db")),
        watch("from now").post(MAPS, map("a", json!({}))).get(&format!("{MAPS}?watch=true&timeoutSeconds=1")),
        watch("from any version")
            .post(MAPS, map("a", json!({})))
            .get(&format!("{MAPS}?watch=true&timeoutSeconds=1&resourceVersion=0")),
        watch("streamed list")
            .post(MAPS, map("a", json!({})))
            .get(&format!("{MAPS}?watch=true&timeoutSeconds=1&{streamed}")),
        watch("from the first version").get(&format!("{MAPS}?watch=true&timeoutSeconds=1&resourceVersion=1")),
        watch("nonsense").get(&format!("{MAPS}?watch=true&timeoutSeconds=1&resourceVersion=x")),
    ]
}
