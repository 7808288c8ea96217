//! The fields of a kustomization as generators and transformers, in upstream's order.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::config::merge::{merge_spec, merge_specs};
use crate::config::{Config, FieldSpec};
use crate::decode::{Unknown, decode};
use crate::error::{Error, Within};
use crate::generate::Generator;
use crate::loader::Loader;
use crate::spec::{
    self, ConfigMapArgs, GeneratorOptions, Kustomization, Label, Replacement, ReplacementField, SecretArgs,
    Selector,
};
use crate::transform::{Affix, Images, LateJsonPatch, MergePatches, Namespace, Patch, Transformer};

/// The built-in generators, with the names of their kinds.
pub fn generators(kustomization: &Kustomization) -> Vec<(&'static str, Generator)> {
    let global = kustomization.generator_options.as_ref();
    let options = |local: &Option<GeneratorOptions>| GeneratorOptions::over(local.as_ref(), global);
    let config_maps = kustomization.config_map_generator.iter().flatten().map(|args: &ConfigMapArgs| {
        let mut args = args.clone();
        args.common.options = options(&args.common.options);
        ("ConfigMapGenerator", Generator::ConfigMap(args))
    });
    let secrets = kustomization.secret_generator.iter().flatten().map(|args: &SecretArgs| {
        let mut args = args.clone();
        args.common.options = options(&args.common.options);
        ("SecretGenerator", Generator::Secret(args))
    });
    config_maps.chain(secrets).collect()
}

/// The built-in transformers, with the names of their kinds.
pub fn transformers(
    kustomization: &Kustomization,
    config: &Arc<Config>,
    loader: &Loader<'_>,
) -> Result<Vec<(&'static str, Transformer)>, Error> {
    let mut list = Vec::new();
    if let Some(paths) = kustomization.patches_strategic_merge.as_ref().filter(|paths| !paths.is_empty()) {
        let kind = "PatchStrategicMergeTransformer";
        let patches = MergePatches::new(loader, paths, "");
        list.push((
            kind,
            Transformer::MergePatches(patches.within(|| trouble(kind, &json!({ "paths": paths })))?),
        ));
    }
    for patch in kustomization.patches.iter().flatten() {
        let kind = "PatchTransformer";
        let config = || towpath_yaml::to_string(&shown_patch(patch));
        let patch = Patch::new(loader, patch, config).within(|| trouble(kind, &shown_patch(patch)))?;
        list.push((kind, Transformer::Patch(Box::new(patch))));
    }
    if !kustomization.namespace.is_empty() {
        let name = kustomization.namespace.clone();
        let namespace = Namespace { name, specs: config.namespace.clone(), ..Namespace::default() };
        list.push(("NamespaceTransformer", Transformer::Namespace(namespace)));
    }
    let affixes = [
        (
            "PrefixTransformer",
            &kustomization.name_prefix,
            Affix::Prefix as fn(String) -> Affix,
            &config.name_prefix,
        ),
        ("SuffixTransformer", &kustomization.name_suffix, Affix::Suffix, &config.name_suffix),
    ];
    for (kind, text, affix, specs) in affixes {
        if !text.is_empty() {
            list.push((kind, Transformer::Affix(affix(text.clone()), specs.clone())));
        }
    }
    let pairs = labels(kustomization, config)?.into_iter().chain(annotations(kustomization, config));
    list.extend(pairs);
    for patch in kustomization.patches_json6902.iter().flatten() {
        let kind = "PatchJson6902Transformer";
        let late = LateJsonPatch::new(loader, patch.target.as_ref(), &patch.path, &patch.inline);
        let late = late.within(|| trouble(kind, &shown_late_patch(patch)))?;
        list.push((kind, Transformer::JsonPatch(Box::new(late))));
    }
    for replica in kustomization.replicas.iter().flatten() {
        list.push((
            "ReplicaCountTransformer",
            Transformer::Replicas(replica.clone(), config.replicas.clone()),
        ));
    }
    for image in kustomization.images.iter().flatten() {
        let images = Images::new(image, config.images.clone());
        list.push(("ImageTagTransformer", Transformer::Images(Box::new(images))));
    }
    if let Some(fields) = kustomization.replacements.as_ref().filter(|fields| !fields.is_empty()) {
        let kind = "ReplacementTransformer";
        let list_of =
            replacements(fields, loader).within(|| trouble(kind, &json!({ "replacements": [] })))?;
        list.push((kind, Transformer::Replacements(list_of)));
    }
    Ok(list)
}

fn labels(kustomization: &Kustomization, config: &Config) -> Result<Vec<(&'static str, Transformer)>, Error> {
    let kind = "LabelTransformer";
    let own = kustomization.labels.as_deref().unwrap_or_default();
    let common = kustomization.common_labels.clone().unwrap_or_default();
    if own.is_empty() && common.is_empty() {
        return Ok(Vec::new());
    }
    let mut list = Vec::new();
    for label in own {
        list.push((kind, Transformer::Pairs(label.pairs.clone(), label_specs(label, config)?)));
    }
    list.push((kind, Transformer::Pairs(common, config.common_labels.clone())));
    Ok(list)
}

fn label_specs(label: &Label, config: &Config) -> Result<Vec<FieldSpec>, Error> {
    let merging = || "failed to merge labels";
    let mut specs: Vec<_> = label.fields.iter().map(FieldSpec::from).collect();
    merge_specs(&mut specs, config.labels.clone()).within(merging)?;
    if label.include_selectors {
        merge_specs(&mut specs, config.common_labels.clone()).within(merging)?;
        return Ok(specs);
    }
    if label.include_templates {
        merge_specs(&mut specs, config.template_labels.clone())
            .within(|| "failed to merge template fieldSpec")?;
    }
    merge_spec(&mut specs, FieldSpec::anywhere("metadata/labels", true)).within(merging)?;
    Ok(specs)
}

fn annotations(kustomization: &Kustomization, config: &Config) -> Option<(&'static str, Transformer)> {
    let pairs = kustomization.common_annotations.clone().filter(|pairs| !pairs.is_empty())?;
    Some(("AnnotationsTransformer", Transformer::Pairs(pairs, config.common_annotations.clone())))
}

/// Replacements that are written inline, and those in files: one in a file, or a list.
pub fn replacements(fields: &[ReplacementField], loader: &Loader<'_>) -> Result<Vec<Replacement>, Error> {
    let mut all = Vec::new();
    for field in fields {
        if field.path.is_empty() {
            all.push(field.replacement.clone());
            continue;
        }
        if field.replacement.source.is_some()
            || field.replacement.targets.as_ref().is_some_and(|all| !all.is_empty())
        {
            return Err(Error::invalid("cannot specify both path and inline replacement"));
        }
        let value = loader.value(&field.path)?;
        let read = match &value {
            Value::Array(_) => decode::<Vec<Replacement>>(&value, Unknown::Ignored),
            Value::Object(_) => decode::<Replacement>(&value, Unknown::Ignored).map(|one| vec![one]),
            _ => {
                let kind = if value.is_null() { "invalid" } else { crate::decode::kind(&value) };
                return Err(Error::invalid(format!(
                    "unsupported replacement type encountered within replacement path: {kind}"
                )));
            }
        };
        all.extend(read.map_err(|error| unfit(&error))?);
    }
    Ok(all)
}

/// An error of the decoder where upstream reads YAML.
pub fn unfit(error: &str) -> Error {
    Error::invalid(format!("error unmarshaling JSON: while decoding JSON: {error}"))
}

fn trouble(kind: &str, config: &Value) -> String {
    format!("trouble configuring builtin {kind} with config: `\n{}`", towpath_yaml::to_string(config))
}

fn shown_patch(patch: &spec::Patch) -> Value {
    let mut map = texts([("path", &patch.path), ("patch", &patch.inline)]);
    if let Some(target) = &patch.target {
        map.insert("target".to_owned(), shown_selector(target));
    }
    if let Some(options) = &patch.options {
        let flags =
            [("allowNameChange", options.allow_name_change), ("allowKindChange", options.allow_kind_change)];
        let set =
            flags.into_iter().filter(|(_, flag)| *flag).map(|(name, _)| (name.to_owned(), Value::Bool(true)));
        map.insert("options".to_owned(), Value::Object(set.collect()));
    }
    Value::Object(map)
}

fn shown_late_patch(patch: &spec::Patch) -> Value {
    let mut map = texts([("path", &patch.path), ("jsonOp", &patch.inline)]);
    if let Some(target) = &patch.target {
        map.insert("target".to_owned(), shown_selector(target));
    }
    Value::Object(map)
}

fn shown_selector(selector: &Selector) -> Value {
    let (id, gvk) = (&selector.id, &selector.id.gvk);
    Value::Object(texts([
        ("group", &gvk.group),
        ("version", &gvk.version),
        ("kind", &gvk.kind),
        ("name", &id.name),
        ("namespace", &id.namespace),
        ("annotationSelector", &selector.annotations),
        ("labelSelector", &selector.labels),
    ]))
}

fn texts<const N: usize>(pairs: [(&str, &String); N]) -> Map<String, Value> {
    let set = pairs.into_iter().filter(|(_, text)| !text.is_empty());
    set.map(|(name, text)| (name.to_owned(), Value::String(text.clone()))).collect()
}
