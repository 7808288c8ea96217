//! A build from its first folder to its output.

use std::cell::RefCell;
use std::sync::Arc;

use serde_json::json;
use towpath_yaml::Node;

use crate::accumulator::Accumulator;
use crate::budget::{Budget, Limits};
use crate::error::Error;
use crate::files::Files;
use crate::function::Functions;
use crate::loader::{Loader, Restriction};
use crate::origin;
use crate::output::Output;
use crate::resource::Resource;
use crate::spec::{HelmChart, HelmGlobals};
use crate::target::Target;
use crate::transform::{hash, references, sort, variables};
use crate::tree;

/// The order of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reorder {
    /// As the command line does when nobody says anything: by kind.
    #[default]
    Unspecified,
    /// By kind.
    Legacy,
    /// As the objects were read.
    None,
}

/// How to build.
#[derive(Clone, Debug)]
pub struct Options {
    /// The order of the output, unless the kustomization has its own.
    pub reorder: Reorder,
    /// Which files may be read.
    pub restriction: Restriction,
    /// Whether all objects get a label with the version.
    pub managed_by_label: bool,
    /// Whether Helm charts may be rendered.
    pub helm: bool,
    /// The version in that label.
    pub version: String,
    /// What the build may cost.
    pub limits: Limits,
    /// What runs functions that are programs; they are refused without.
    pub functions: Option<Arc<dyn Functions>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            reorder: Reorder::default(),
            restriction: Restriction::default(),
            managed_by_label: false,
            helm: false,
            version: "v5.8.1".to_owned(),
            limits: Limits::default(),
            functions: None,
        }
    }
}

/// What all kustomizations of a build share.
pub struct Build<'f> {
    files: &'f dyn Files,
    options: &'f Options,
    warnings: RefCell<Vec<String>>,
}

/// Annotations that upstream keeps for itself.
const INTERNAL: [&str; 19] = [
    "internal.config.kubernetes.io/previousKinds",
    "internal.config.kubernetes.io/previousNames",
    "internal.config.kubernetes.io/prefixes",
    "internal.config.kubernetes.io/suffixes",
    "internal.config.kubernetes.io/previousNamespaces",
    "internal.config.kubernetes.io/allowNameChange",
    "internal.config.kubernetes.io/allowKindChange",
    "internal.config.kubernetes.io/refBy",
    "internal.config.kubernetes.io/generatorBehavior",
    "internal.config.kubernetes.io/needsHashSuffix",
    "internal.config.kubernetes.io/path",
    "internal.config.kubernetes.io/index",
    "internal.config.kubernetes.io/seqindent",
    "internal.config.kubernetes.io/id",
    "internal.config.kubernetes.io/annotations-migration-resource-id",
    "internal.config.kubernetes.io/helm-generated",
    "config.kubernetes.io/path",
    "config.kubernetes.io/index",
    "config.k8s.io/id",
];
const LOCAL: &str = "config.kubernetes.io/local-config";
const ORIGIN: &str = "config.kubernetes.io/origin";
const TRANSFORMATIONS: &str = "alpha.config.kubernetes.io/transformations";
const MANAGED_BY: &str = "app.kubernetes.io/managed-by";

/// Builds the kustomization in a folder.
pub fn build(files: &dyn Files, path: &str, options: &Options) -> Result<Output, Error> {
    let build = Build { files, options, warnings: RefCell::default() };
    let resources = build.run(path)?;
    Ok(Output::new(resources, build.warnings.into_inner()))
}

impl Build<'_> {
    fn run(&self, path: &str) -> Result<Vec<Resource>, Error> {
        let loader = Loader::new(self.files, self.options.restriction, path)?
            .within(&Budget::new(&self.options.limits));
        let budget = loader.budget().clone();
        let mut target = Target::load(self, loader)?;
        target.set_schema()?;
        target.track_origin();
        let mut sum = target.accumulate(Accumulator::default())?;
        hash::add(&mut sum.resources)?;
        references::update(&mut sum.resources, &sum.config)?;
        let values = variables::values(&sum.resources, &sum.variables)?;
        if !values.is_empty() {
            let unused = variables::replace(&mut sum.resources, &values, &sum.config.var_reference, &budget)?;
            if !unused.is_empty() {
                self.warn(&format!("well-defined vars that were never replaced: {}", unused.join(",")));
            }
        }
        let mut resources = sum.resources;
        resources.list_mut().retain(|resource| !is_local(&resource.node));
        match (&target.spec.sort_options, self.options.reorder) {
            (Some(options), _) => sort::by_options(&mut resources, options)?,
            (None, Reorder::None) => {}
            (None, _) => sort::by_legacy(&mut resources),
        }
        let mut list = resources.into_list();
        let asked = |option: &str| target.spec.build_metadata.iter().flatten().any(|one| one == option);
        let (with_origin, with_changes) = (asked("originAnnotations"), asked("transformerAnnotations"));
        let labelled = self.options.managed_by_label || asked("managedByLabel");
        for resource in &mut list {
            if labelled {
                let version = format!("kustomize-{}", self.options.version);
                let labels = tree::map_under(&mut resource.node, "metadata")
                    .and_then(|metadata| tree::map_under(metadata, "labels"));
                if let Some(labels) = labels {
                    labels.set(MANAGED_BY, Node::text(version));
                }
            }
            finish_annotations(resource, with_origin, with_changes);
        }
        Ok(list)
    }

    /// Says something that is no error.
    pub fn warn(&self, warning: &str) {
        self.warnings.borrow_mut().push(warning.to_owned());
    }

    /// What runs functions that are programs.
    pub fn functions(&self) -> Option<&Arc<dyn Functions>> {
        self.options.functions.as_ref()
    }

    /// Why a chart is not rendered.
    pub fn refuse_chart(&self, chart: &HelmChart, globals: Option<&HelmGlobals>) -> Error {
        if self.options.helm {
            return Error::Chart(chart.name.clone());
        }
        let mut config = serde_json::Map::new();
        let texts = [
            ("name", &chart.name),
            ("version", &chart.version),
            ("repo", &chart.repo),
            ("releaseName", &chart.release_name),
            ("namespace", &chart.namespace),
            ("valuesFile", &chart.values_file),
            ("valuesMerge", &chart.values_merge),
        ];
        config.extend(
            texts
                .into_iter()
                .filter(|(_, text)| !text.is_empty())
                .map(|(name, text)| (name.to_owned(), json!(text))),
        );
        if let Some(globals) = globals.filter(|globals| !globals.chart_home.is_empty()) {
            config.insert("chartHome".to_owned(), json!(globals.chart_home));
        }
        let config = towpath_yaml::to_string(&config.into());
        Error::invalid("must specify --enable-helm").within(format!(
            "trouble configuring builtin HelmChartInflationGenerator with config: `\n{config}`"
        ))
    }
}

fn is_local(node: &Node) -> bool {
    let annotation = node.at(&["metadata", "annotations"]).and_then(|annotations| annotations.get(LOCAL));
    annotation.is_some_and(|value| tree::value(value) != "false")
}

/// Takes upstream's own annotations away and adds those that were asked for. All are texts then, and an empty
/// map of them is gone.
fn finish_annotations(resource: &mut Resource, with_origin: bool, with_changes: bool) {
    let Some(metadata) = resource.node.get("metadata") else { return };
    let annotations = metadata.get("annotations");
    let wanted =
        (with_origin && resource.origin.is_some()) || (with_changes && !resource.transformations.is_empty());
    let clean = annotations.is_none_or(|annotations| {
        !annotations.is_empty()
            && annotations.entries().iter().all(|entry| {
                let key = &*entry.key.text;
                tree::is_text(&entry.value)
                    && key != ORIGIN
                    && key != TRANSFORMATIONS
                    && !INTERNAL.contains(&key)
            })
    });
    if clean && !wanted {
        return;
    }
    let kept = tree::texts(&resource.node, "annotations")
        .into_iter()
        .filter(|(key, _)| !INTERNAL.contains(key) && *key != ORIGIN && *key != TRANSFORMATIONS);
    let mut all: Vec<_> = kept.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    if let Some(origin) = resource.origin.as_ref().filter(|_| with_origin) {
        all.push((ORIGIN.to_owned(), origin.to_text()));
    }
    if with_changes && !resource.transformations.is_empty() {
        all.push((TRANSFORMATIONS.to_owned(), origin::list(&resource.transformations)));
    }
    tree::set_texts(&mut resource.node, "annotations", all);
}
