//! Generators and transformers that are objects themselves: the built-in ones, with `apiVersion: builtin`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::config::FieldSpec;
use crate::configure::{replacements, unfit};
use crate::decode::{Decode, Unknown, decode, record};
use crate::error::{Error, Within};
use crate::function::{Function, Functions};
use crate::generate::{Generator, IamPolicy};
use crate::loader::Loader;
use crate::path;
use crate::resource::Resource;
use crate::spec::{
    self, ConfigMapArgs, FieldSpecArgs, Image, ObjectMeta, ReplacementField, Replica, SecretArgs, Selector,
};
use crate::transform::{
    Affix, Images, LateJsonPatch, MergePatches, Namespace, Patch, Subjects, Transformer, ValueAdd,
    ValueTarget,
};

/// Something that an object configures.
pub enum Plugin {
    /// It makes objects.
    Generator(Generator),
    /// It changes objects.
    Transformer(Transformer),
    /// It does either.
    Function(Box<Function>),
}

record! {
    /// The fields of all built-in transformers; each reads its own.
    Fields = "Plugin" {
        metadata: ObjectMeta = "metadata",
        field_specs: Option<Vec<FieldSpecArgs>> = "fieldSpecs",
        annotations: BTreeMap<String, String> = "annotations",
        labels: BTreeMap<String, String> = "labels",
        image_tag: Image = "imageTag",
        unset_only: bool = "unsetOnly",
        set_role_binding_subjects: String = "setRoleBindingSubjects",
        target: Option<Selector> = "target",
        path: String = "path",
        json_op: String = "jsonOp",
        paths: Vec<String> = "paths",
        prefix: String = "prefix",
        suffix: String = "suffix",
        replica: Replica = "replica",
        replacements: Vec<ReplacementField> = "replacements",
        value: String = "value",
        targets: Vec<ValueTarget> = "targets",
        target_file_path: String = "targetFilePath",
    }
}

record! {
    /// The targets in a file.
    Targets = "Targets" {
        targets: Vec<ValueTarget> = "targets",
    }
}

/// The generator or transformer that an object configures.
pub fn load(
    resource: &Resource,
    loader: &Loader<'_>,
    functions: Option<&Arc<dyn Functions>>,
) -> Result<Plugin, Error> {
    let gvk = resource.gvk();
    if !gvk.group.is_empty() || gvk.version != "builtin" {
        if let Some(functions) = functions {
            return Function::new(resource, loader, functions)
                .map(|function| Plugin::Function(Box::new(function)));
        }
        let kind = resource.original_id().gvk.kind;
        return Err(Error::Plugin(format!(
            "external plugins disabled; unable to load external plugin '{kind}'"
        )));
    }
    let config = resource.node.to_json().map_err(|error| Error::invalid(error.to_string()))?;
    let known = built_in(gvk.kind, &config, loader)
        .within(|| format!("plugin {} fails configuration", resource.original_id()))?;
    known.ok_or_else(|| Error::invalid(format!("unable to load builtin {gvk}")))
}

fn read_as<T: Decode + Default>(config: &Value) -> Result<T, Error> {
    decode(config, Unknown::Ignored).map_err(|error| unfit(&error))
}

fn built_in(kind: &str, config: &Value, loader: &Loader<'_>) -> Result<Option<Plugin>, Error> {
    let generator = match kind {
        "ConfigMapGenerator" => {
            let mut args: ConfigMapArgs = read_as(config)?;
            name(&mut args.common, config)?;
            Generator::ConfigMap(args)
        }
        "SecretGenerator" => {
            let mut args: SecretArgs = read_as(config)?;
            name(&mut args.common, config)?;
            Generator::Secret(args)
        }
        "IAMPolicyGenerator" => Generator::Iam(read_as::<IamPolicy>(config)?),
        "HelmChartInflationGenerator" => {
            let chart = config.get("name").and_then(Value::as_str).unwrap_or_default();
            return Err(Error::Chart(chart.to_owned()));
        }
        _ => return Ok(transformer(kind, config, loader)?.map(Plugin::Transformer)),
    };
    Ok(Some(Plugin::Generator(generator)))
}

/// A generator is called as its object is, unless it says otherwise.
fn name(args: &mut spec::GeneratorArgs, config: &Value) -> Result<(), Error> {
    let metadata = read_as::<Fields>(config)?.metadata;
    if args.name.is_empty() {
        args.name = metadata.name;
    }
    if args.namespace.is_empty() {
        args.namespace = metadata.namespace;
    }
    Ok(())
}

fn transformer(kind: &str, config: &Value, loader: &Loader<'_>) -> Result<Option<Transformer>, Error> {
    if kind == "PatchTransformer" {
        let args: spec::Patch = read_as(config)?;
        let patch = Patch::new(loader, &args, || towpath_yaml::to_string(config))?;
        return Ok(Some(Transformer::Patch(Box::new(patch))));
    }
    if kind == "PatchStrategicMergeTransformer" {
        let inline = config.get("patches").and_then(Value::as_str).unwrap_or_default();
        let paths = read_as::<Fields>(config)?.paths;
        return MergePatches::new(loader, &paths, inline)
            .map(|patches| Some(Transformer::MergePatches(patches)));
    }
    let known = [
        "AnnotationsTransformer",
        "HashTransformer",
        "ImageTagTransformer",
        "LabelTransformer",
        "NamespaceTransformer",
        "PatchJson6902Transformer",
        "PrefixSuffixTransformer",
        "PrefixTransformer",
        "ReplacementTransformer",
        "ReplicaCountTransformer",
        "SuffixTransformer",
        "ValueAddTransformer",
    ];
    if !known.contains(&kind) {
        return Ok(None);
    }
    let fields: Fields = read_as(config)?;
    let given: Option<Vec<FieldSpec>> =
        fields.field_specs.as_ref().map(|specs| specs.iter().map(FieldSpec::from).collect());
    let specs = given.clone().unwrap_or_default();
    let needed = || given.clone().ok_or_else(|| Error::invalid("fieldSpecs is not expected to be nil"));
    Ok(Some(match kind {
        "AnnotationsTransformer" => Transformer::Pairs(fields.annotations, specs),
        "HashTransformer" => Transformer::Hash,
        "ImageTagTransformer" => Transformer::Images(Box::new(Images::new(&fields.image_tag, specs))),
        "LabelTransformer" => Transformer::Pairs(fields.labels, specs),
        "NamespaceTransformer" => Transformer::Namespace(Namespace {
            name: fields.metadata.namespace,
            specs,
            unset_only: fields.unset_only,
            subjects: Subjects::new(&fields.set_role_binding_subjects)?,
        }),
        "PatchJson6902Transformer" => Transformer::JsonPatch(Box::new(LateJsonPatch::new(
            loader,
            fields.target.as_ref(),
            &fields.path,
            &fields.json_op,
        )?)),
        "PrefixTransformer" => Transformer::Affix(Affix::Prefix(fields.prefix), needed()?),
        "SuffixTransformer" => Transformer::Affix(Affix::Suffix(fields.suffix), needed()?),
        "PrefixSuffixTransformer" => Transformer::All(vec![
            Transformer::Affix(Affix::Prefix(fields.prefix), needed()?),
            Transformer::Affix(Affix::Suffix(fields.suffix), needed()?),
        ]),
        "ReplacementTransformer" => Transformer::Replacements(replacements(&fields.replacements, loader)?),
        "ReplicaCountTransformer" => Transformer::Replicas(fields.replica, specs),
        _ => Transformer::ValueAdd(value_add(fields, loader)?),
    }))
}

fn value_add(fields: Fields, loader: &Loader<'_>) -> Result<ValueAdd, Error> {
    let value = match fields.value.trim() {
        "" => path::base(loader.root()).to_owned(),
        value => value.to_owned(),
    };
    let mut targets = fields.targets;
    if !fields.target_file_path.is_empty() {
        let more: Targets = read_as(&loader.value(&fields.target_file_path)?)?;
        targets.extend(more.targets);
    }
    if targets.is_empty() {
        return Err(Error::invalid("must specify at least one target"));
    }
    for target in &targets {
        if target.field_path.is_empty() {
            return Err(Error::invalid("fieldPath cannot be empty"));
        }
        if target.file_path_position < 0 {
            let position = target.file_path_position;
            return Err(Error::invalid(format!("value of FilePathPosition ({position}) cannot be negative")));
        }
    }
    Ok(ValueAdd { value, targets })
}
