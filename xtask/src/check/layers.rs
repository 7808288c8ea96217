//! The layering rule: which crate may depend on which.
//!
//! In: our crates with their dependencies, and the table of `layers.toml`. Out: a finding per broken rule.
//! Dev-dependencies do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use super::Finding;
use super::table::Table;

/// The level of crates for development.
const DEVELOPMENT: &str = "t";

/// One of our crates, named by its folder.
#[derive(Debug, Default)]
pub struct Crate {
    name: String,
    /// Our crates that it depends on.
    ours: BTreeSet<String>,
    /// The names of other crates that it depends on.
    others: BTreeSet<String>,
}

/// Our crates from `cargo metadata --no-deps`.
pub fn crates(metadata: &Value) -> Result<Vec<Crate>> {
    let packages = metadata["packages"].as_array().context("no packages in cargo's metadata")?;
    packages.iter().map(one_crate).collect()
}

fn one_crate(package: &Value) -> Result<Crate> {
    let manifest = package["manifest_path"].as_str().context("a package without a manifest")?;
    let mut found = Crate { name: folder(Path::new(manifest).parent()), ..Crate::default() };
    for dependency in package["dependencies"].as_array().into_iter().flatten() {
        if dependency["kind"] == "dev" {
            continue;
        }
        match dependency["path"].as_str() {
            Some(path) => found.ours.insert(folder(Some(Path::new(path)))),
            None => found.others.insert(dependency["name"].as_str().unwrap_or_default().to_owned()),
        };
    }
    Ok(found)
}

fn folder(path: Option<&Path>) -> String {
    path.and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned()
}

/// All that is wrong with the crates, by the table.
pub fn judge(crates: &[Crate], table: &Table) -> Vec<Finding> {
    let rules = Rules::new(table);
    let mut findings: Vec<Finding> = crates.iter().flat_map(|one| rules.judge(one)).collect();
    findings.extend(rules.stale(crates));
    findings
}

struct Rules<'a> {
    table: &'a Table,
    levels: BTreeMap<&'a str, &'a str>,
}

impl<'a> Rules<'a> {
    fn new(table: &'a Table) -> Self {
        let levels = table.get("levels").into_iter().flatten();
        let levels =
            levels.flat_map(|(level, names)| names.iter().map(move |name| (name.as_str(), level.as_str())));
        Rules { table, levels: levels.collect() }
    }

    fn list(&self, section: &str, key: &str) -> &[String] {
        self.table.get(section).and_then(|entries| entries.get(key)).map_or(&[], Vec::as_slice)
    }

    fn judge(&self, one: &Crate) -> Vec<Finding> {
        let name = &one.name;
        let Some(level) = self.levels.get(name.as_str()) else {
            return vec![Finding::Error(format!("{name} has no level in layers.toml"))];
        };
        let ours = one.ours.iter().filter_map(|to| self.edge(name, level, to));
        let others = one.others.iter().filter_map(|to| self.outside(name, level, to));
        ours.chain(others).map(Finding::Error).collect()
    }

    /// What is wrong with an edge between two of our crates.
    fn edge(&self, name: &str, level: &str, to: &str) -> Option<String> {
        let to_level = self.levels.get(to).copied().unwrap_or_default();
        // Levels are single characters and t comes after the digits.
        if to_level > level {
            return Some(format!(
                "{name} (level {level}) must not depend on {to} (level {to_level}): it points upwards"
            ));
        }
        let floor = self.list("from", to).first();
        if let Some(floor) = floor.filter(|floor| level < floor.as_str()) {
            return Some(format!(
                "{name} (level {level}) must not depend on {to}: only level {floor} and up may"
            ));
        }
        if !self.list("edges", name).iter().any(|listed| listed == to) {
            return Some(format!(
                "the edge {name} -> {to} is not in layers.toml; add it there if it is meant"
            ));
        }
        None
    }

    /// What is wrong with a dependency on a crate that is not ours.
    fn outside(&self, name: &str, level: &str, to: &str) -> Option<String> {
        if self.list("forbidden", level).iter().any(|forbidden| forbidden == to) {
            return Some(format!("{name} must not depend on {to}: level {level} is without it"));
        }
        let only = self.list("only", to);
        if level != DEVELOPMENT && !only.is_empty() && !only.iter().any(|allowed| allowed == name) {
            return Some(format!("{name} must not depend on {to}: only {} may", only.join(", ")));
        }
        None
    }

    /// Lines of the table that nothing needs any more.
    fn stale(&self, crates: &[Crate]) -> Vec<Finding> {
        let edges = self.table.get("edges").into_iter().flatten();
        let listed = edges.flat_map(|(from, list)| list.iter().map(move |to| (from, to)));
        let unused = listed.filter(|(from, to)| {
            !crates.iter().any(|one| one.name == **from && one.ours.contains(to.as_str()))
        });
        unused
            .map(|(from, to)| {
                Finding::Warning(format!("layers.toml lists {from} -> {to}, which is not used"))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::table;

    const TABLE: &str = r#"
        [levels]
        0 = ["object", "yaml", "settings"]
        1 = ["plan", "merge"]
        2 = ["cluster", "git"]
        5 = ["cli"]
        t = ["testkit"]
        [forbidden]
        1 = ["tokio"]
        [only]
        kube = ["cluster"]
        [from]
        settings = ["4"]
        [edges]
        plan = ["object", "merge"]
        cluster = ["object"]
        cli = ["plan", "settings", "testkit"]
        object = ["plan"]
        git = ["settings"]
        testkit = ["cli"]
    "#;

    fn one(name: &str, ours: &[&str], others: &[&str]) -> Crate {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Crate { name: name.to_owned(), ours: set(ours), others: set(others) }
    }

    fn errors(one: Crate) -> Vec<String> {
        let table = table::parse(TABLE).unwrap();
        let findings = judge(&[one], &table).into_iter();
        findings.filter_map(|f| if let Finding::Error(text) = f { Some(text) } else { None }).collect()
    }

    #[test]
    fn listed_edges_downwards_and_within_a_level_pass() {
        assert!(errors(one("plan", &["object", "merge"], &["serde"])).is_empty());
        assert!(errors(one("cli", &["plan", "settings"], &["tokio"])).is_empty());
        assert!(errors(one("cluster", &["object"], &["kube", "tokio"])).is_empty());
        assert!(errors(one("testkit", &["cli"], &["kube", "tokio"])).is_empty());
    }

    #[test]
    fn an_edge_that_is_not_in_the_table_fails() {
        let found = errors(one("cluster", &["yaml"], &[]));
        assert_eq!(found, ["the edge cluster -> yaml is not in layers.toml; add it there if it is meant"]);
    }

    #[test]
    fn an_edge_upwards_fails_even_when_listed() {
        let found = errors(one("object", &["plan"], &[]));
        assert_eq!(found, ["object (level 0) must not depend on plan (level 1): it points upwards"]);
        let found = errors(one("cli", &["testkit"], &[]));
        assert_eq!(found, ["cli (level 5) must not depend on testkit (level t): it points upwards"]);
    }

    #[test]
    fn pure_levels_have_no_runtime() {
        assert_eq!(
            errors(one("merge", &[], &["tokio"])),
            ["merge must not depend on tokio: level 1 is without it"]
        );
    }

    #[test]
    fn an_outside_world_has_one_door() {
        assert_eq!(errors(one("git", &[], &["kube"])), ["git must not depend on kube: only cluster may"]);
    }

    #[test]
    fn wiring_is_for_the_upper_levels() {
        let found = errors(one("git", &["settings"], &[]));
        assert_eq!(found, ["git (level 2) must not depend on settings: only level 4 and up may"]);
    }

    #[test]
    fn a_crate_without_a_level_fails() {
        assert_eq!(errors(one("stranger", &[], &[])), ["stranger has no level in layers.toml"]);
    }

    #[test]
    fn an_unused_line_is_named() {
        let table = table::parse("[levels]\n0=[\"a\",\"b\"]\n[edges]\na=[\"b\"]").unwrap();
        let found = judge(&[one("a", &[], &[]), one("b", &[], &[])], &table);
        assert_eq!(found, [Finding::Warning("layers.toml lists a -> b, which is not used".into())]);
    }

    #[test]
    fn metadata_gives_folders_and_skips_dev_dependencies() {
        let metadata = serde_json::json!({"packages": [{
            "manifest_path": "/x/crates/cli/Cargo.toml",
            "dependencies": [
                {"name": "towpath-plan", "kind": null, "path": "/x/crates/plan"},
                {"name": "towpath-testkit", "kind": "dev", "path": "/x/crates/testkit"},
                {"name": "tokio", "kind": null},
                {"name": "insta", "kind": "dev"},
            ],
        }]});
        let found = crates(&metadata).unwrap().remove(0);
        assert_eq!(found.name, "cli");
        assert_eq!(found.ours.into_iter().collect::<Vec<_>>(), ["plan"]);
        assert_eq!(found.others.into_iter().collect::<Vec<_>>(), ["tokio"]);
    }
}
