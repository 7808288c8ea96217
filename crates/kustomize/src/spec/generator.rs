//! Generators of ConfigMaps and Secrets.

use std::collections::BTreeMap;

use crate::decode::record;

record! {
    /// Where keys and values come from.
    KvPairSources = "KvPairSources" {
        literals: Vec<String> = "literals",
        files: Vec<String> = "files",
        envs: Vec<String> = "envs",
        env: String = "env",
    }
}

record! {
    /// What generated objects have in common.
    GeneratorOptions = "GeneratorOptions" {
        labels: BTreeMap<String, String> = "labels",
        annotations: BTreeMap<String, String> = "annotations",
        disable_name_suffix_hash: bool = "disableNameSuffixHash",
        immutable: bool = "immutable",
    }
}

record! {
    /// What the two generators share.
    GeneratorArgs = "GeneratorArgs" {
        namespace: String = "namespace",
        name: String = "name",
        behavior: String = "behavior",
        options: Option<GeneratorOptions> = "options",
        @ sources: KvPairSources = "KvPairSources",
    }
}

record! {
    /// A generated ConfigMap.
    ConfigMapArgs = "ConfigMapArgs" {
        @ common: GeneratorArgs = "GeneratorArgs",
    }
}

record! {
    /// A generated Secret.
    SecretArgs = "SecretArgs" {
        r#type: String = "type",
        @ common: GeneratorArgs = "GeneratorArgs",
    }
}

impl GeneratorOptions {
    /// Options for one generator, with those for all generators behind them.
    pub fn over(local: Option<&Self>, global: Option<&Self>) -> Option<Self> {
        let Some(global) = global else { return local.cloned() };
        let mut options = local.cloned().unwrap_or_default();
        let absent = |to: &mut BTreeMap<String, String>, from: &BTreeMap<String, String>| {
            for (key, value) in from {
                to.entry(key.clone()).or_insert_with(|| value.clone());
            }
        };
        absent(&mut options.labels, &global.labels);
        absent(&mut options.annotations, &global.annotations);
        options.disable_name_suffix_hash |= global.disable_name_suffix_hash;
        options.immutable |= global.immutable;
        Some(options)
    }
}
