//! The bill of materials: what is compiled into `towpath`, in CycloneDX's JSON form.
//!
//! In: `cargo metadata` and the checksums of `Cargo.lock`. Out: one JSON value with neither time nor random
//! number in it, so that the same source gives the same bill.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

/// The product's package.
const PRODUCT: &str = "towpath";

/// SHA-256 by name and version.
pub type Checksums = BTreeMap<(String, String), String>;

/// The checksums in the text of `Cargo.lock`.
pub fn checksums(lock: &str) -> Checksums {
    let mut sums = Checksums::new();
    for block in lock.split("[[package]]").skip(1) {
        let field = |name: &str| {
            let prefix = format!("{name} = \"");
            let line = block.lines().find_map(|line| line.strip_prefix(&prefix));
            line.and_then(|rest| rest.strip_suffix('"')).map(str::to_owned)
        };
        if let (Some(name), Some(version), Some(sum)) = (field("name"), field("version"), field("checksum")) {
            sums.insert((name, version), sum);
        }
    }
    sums
}

/// The bill for the product.
pub fn cyclonedx(metadata: &Value, sums: &Checksums) -> Result<Value> {
    let packages = by_id(metadata.pointer("/packages"));
    let nodes = by_id(metadata.pointer("/resolve/nodes"));
    let product = packages.iter().find(|(_, package)| package["name"] == PRODUCT);
    let (root, product) = product.context("the workspace has no package towpath")?;
    let reached = reachable(root, &nodes);
    let mut components = Vec::new();
    let mut dependencies = Vec::new();
    for id in &reached {
        let package = packages.get(id).context("a dependency without a package")?;
        if id != root {
            components.push(component(package, "library", sums));
        }
        let uses: Vec<_> =
            linked(nodes.get(id)).into_iter().filter_map(|id| packages.get(id)).map(|p| purl(p)).collect();
        dependencies.push(json!({"ref": purl(package), "dependsOn": uses}));
    }
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": component(product, "application", sums)},
        "components": components,
        "dependencies": dependencies,
    }))
}

fn by_id(list: Option<&Value>) -> BTreeMap<&str, &Value> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|value| Some((value["id"].as_str()?, value))).collect()
}

fn reachable<'a>(root: &'a str, nodes: &BTreeMap<&'a str, &'a Value>) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        if reached.insert(id) {
            open.extend(linked(nodes.get(id).copied().as_ref()));
        }
    }
    reached
}

/// What a package is built with: everything but what only its tests use.
fn linked<'a>(node: Option<&&'a Value>) -> Vec<&'a str> {
    let deps = node.and_then(|node| node["deps"].as_array()).into_iter().flatten();
    let built = deps
        .filter(|dep| dep["dep_kinds"].as_array().into_iter().flatten().any(|kind| kind["kind"] != "dev"));
    built.filter_map(|dep| dep["pkg"].as_str()).collect()
}

fn component(package: &Value, kind: &str, sums: &Checksums) -> Value {
    let text = |field: &str| package[field].as_str().map(str::to_owned);
    let (name, version) = (text("name").unwrap_or_default(), text("version").unwrap_or_default());
    let mut fields = Map::new();
    fields.insert("type".into(), kind.into());
    fields.insert("bom-ref".into(), purl(package).into());
    fields.insert("name".into(), name.clone().into());
    fields.insert("version".into(), version.clone().into());
    fields.insert("purl".into(), purl(package).into());
    if let Some(license) = text("license") {
        // Before SPDX expressions, Cargo allowed a slash for "or".
        fields.insert("licenses".into(), json!([{"expression": license.replace('/', " OR ")}]));
    }
    if let Some(sum) = sums.get(&(name, version)) {
        fields.insert("hashes".into(), json!([{"alg": "SHA-256", "content": sum}]));
    }
    if let Some(url) = text("repository") {
        fields.insert("externalReferences".into(), json!([{"type": "vcs", "url": url}]));
    }
    fields.into()
}

fn purl(package: &Value) -> String {
    let text = |field: &str| package[field].as_str().unwrap_or_default();
    format!("pkg:cargo/{}@{}", text("name"), text("version").replace('+', "%2B"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata() -> Value {
        let package = |name: &str, license: &str| json!({"id": name, "name": name, "version": "1.0.0", "license": license, "repository": null});
        let dep = |name: &str, kind: Value| json!({"pkg": name, "dep_kinds": [{"kind": kind}]});
        json!({
            "packages": [package("towpath", "Apache-2.0"), package("serde", "MIT/Apache-2.0"), package("cc", "MIT"),
                package("insta", "MIT"), package("xtask", "Apache-2.0")],
            "resolve": {"nodes": [
                {"id": "towpath", "deps": [dep("serde", Value::Null), dep("insta", "dev".into())]},
                {"id": "serde", "deps": [dep("cc", "build".into())]},
                {"id": "cc", "deps": []}, {"id": "insta", "deps": []}, {"id": "xtask", "deps": []},
            ]},
        })
    }

    #[test]
    fn lists_what_is_built_in_and_nothing_else() {
        let bill = cyclonedx(&metadata(), &Checksums::new()).unwrap();
        let names: Vec<_> =
            bill["components"].as_array().unwrap().iter().map(|c| c["name"].clone()).collect();
        assert_eq!(names, ["cc", "serde"]);
        assert_eq!(bill["metadata"]["component"]["purl"], "pkg:cargo/towpath@1.0.0");
        let edges = bill["dependencies"].as_array().unwrap();
        assert!(
            edges
                .contains(&json!({"ref": "pkg:cargo/towpath@1.0.0", "dependsOn": ["pkg:cargo/serde@1.0.0"]}))
        );
    }

    #[test]
    fn a_component_has_its_licence_and_checksum() {
        let lock = "version = 4\n\n[[package]]\nname = \"serde\"\nversion = \"1.0.0\"\nchecksum = \"abc\"\n";
        let bill = cyclonedx(&metadata(), &checksums(lock)).unwrap();
        let serde = &bill["components"][1];
        assert_eq!(serde["licenses"], json!([{"expression": "MIT OR Apache-2.0"}]));
        assert_eq!(serde["hashes"], json!([{"alg": "SHA-256", "content": "abc"}]));
    }
}
