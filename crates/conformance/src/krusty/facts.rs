//! Upstream's tables as a Rust file.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::module;

#[derive(Deserialize)]
struct Facts {
    config: Config,
    scopes: Vec<Scope>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Scope {
    #[serde(rename = "APIVersion")]
    api_version: String,
    kind: String,
    namespaced: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Config {
    name_prefix: Vec<Spec>,
    name_suffix: Vec<Spec>,
    namespace: Vec<Spec>,
    common_labels: Vec<Spec>,
    template_labels: Vec<Spec>,
    common_annotations: Vec<Spec>,
    name_reference: Vec<Reference>,
    var_reference: Vec<Spec>,
    images: Vec<Spec>,
    replicas: Vec<Spec>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Spec {
    group: String,
    version: String,
    kind: String,
    path: String,
    create: bool,
}

#[derive(Deserialize)]
struct Reference {
    #[serde(default)]
    group: String,
    #[serde(default)]
    version: String,
    kind: String,
    #[serde(rename = "fieldSpecs")]
    referrers: Vec<Spec>,
}

/// Writes the file.
pub fn write(path: &Path) -> Result<()> {
    let facts: Facts = serde_json::from_slice(&module::facts()?).context("upstream's tables")?;
    fs::write(path, text(&facts)?).with_context(|| format!("write {}", path.display()))
}

fn text(facts: &Facts) -> Result<String> {
    let mut out = String::from(
        "//! Upstream's field tables: facts, written by `towpath-conformance kustomize-facts`.\n\n\
         /// Group, version, kind, path, and whether the field is created.\n\
         pub type Row = (&'static str, &'static str, &'static str, &'static str, bool);\n\n\
         /// Group, version and kind of objects, and the fields that name them.\n\
         pub type Reference = (&'static str, &'static str, &'static str, &'static [Row]);\n",
    );
    let config = &facts.config;
    let tables = [
        ("NAME_PREFIX", &config.name_prefix),
        ("NAME_SUFFIX", &config.name_suffix),
        ("NAMESPACE", &config.namespace),
        ("COMMON_LABELS", &config.common_labels),
        ("TEMPLATE_LABELS", &config.template_labels),
        ("COMMON_ANNOTATIONS", &config.common_annotations),
        ("VAR_REFERENCE", &config.var_reference),
        ("IMAGES", &config.images),
        ("REPLICAS", &config.replicas),
    ];
    for (name, specs) in tables {
        writeln!(out, "\npub const {name}: &[Row] = &[")?;
        rows(&mut out, specs)?;
        writeln!(out, "];")?;
    }
    writeln!(out, "\npub const NAME_REFERENCE: &[Reference] = &[")?;
    for one in &config.name_reference {
        writeln!(out, "({:?}, {:?}, {:?}, &[", one.group, one.version, one.kind)?;
        rows(&mut out, &one.referrers)?;
        writeln!(out, "]),")?;
    }
    writeln!(out, "];\n\n/// The built-in kinds, sorted, and whether they are in namespaces.")?;
    writeln!(out, "pub const SCOPES: &[(&str, &str, bool)] = &[")?;
    let mut scopes: Vec<_> = facts.scopes.iter().collect();
    scopes.sort_by_key(|scope| (&scope.api_version, &scope.kind));
    scopes.dedup_by_key(|scope| (&scope.api_version, &scope.kind));
    for scope in scopes {
        writeln!(out, "({:?}, {:?}, {}),", scope.api_version, scope.kind, scope.namespaced)?;
    }
    writeln!(out, "];")?;
    Ok(out)
}

fn rows(out: &mut String, specs: &[Spec]) -> Result<()> {
    for spec in specs {
        let Spec { group, version, kind, path, create } = spec;
        writeln!(out, "({group:?}, {version:?}, {kind:?}, {path:?}, {create}),")?;
    }
    Ok(())
}
