//! The kustomization file.

use std::collections::BTreeMap;

use super::{
    ConfigMapArgs, FieldSpecArgs, GeneratorOptions, HelmChart, HelmChartArgs, HelmGlobals, Image, Patch,
    ReplacementField, Replica, SecretArgs, Var,
};
use crate::decode::{self, Unknown, record};
use serde_json::Value;

record! {
    /// apiVersion and kind.
    TypeMeta = "TypeMeta" {
        kind: String = "kind",
        api_version: String = "apiVersion",
    }
}

record! {
    /// The metadata of a configuration.
    ObjectMeta = "ObjectMeta" {
        name: String = "name",
        namespace: String = "namespace",
        labels: BTreeMap<String, String> = "labels",
        annotations: BTreeMap<String, String> = "annotations",
    }
}

record! {
    /// Labels for all objects.
    Label = "Label" {
        pairs: BTreeMap<String, String> = "pairs",
        include_selectors: bool = "includeSelectors",
        include_templates: bool = "includeTemplates",
        fields: Vec<FieldSpecArgs> = "fields",
    }
}

record! {
    /// Kinds that come first and last.
    LegacySortOptions = "LegacySortOptions" {
        order_first: Vec<String> = "orderFirst",
        order_last: Vec<String> = "orderLast",
    }
}

record! {
    /// The order of the output.
    SortOptions = "SortOptions" {
        order: SortOrder = "order",
        legacy_sort_options: Option<LegacySortOptions> = "legacySortOptions",
    }
}

/// The name of an order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SortOrder(pub String);

impl decode::Decode for SortOrder {
    fn go_type() -> String {
        "types.SortOrder".to_owned()
    }

    fn fill(&mut self, value: &Value, at: &mut decode::Place) {
        match value {
            Value::Null => {}
            Value::String(text) => self.0.clone_from(text),
            other => at.mismatch(decode::kind(other), &Self::go_type()),
        }
    }
}

record! {
    /// Everything that a kustomization file can say. Lists that warn when they are written at all, even empty,
    /// can be absent.
    Kustomization = "Kustomization" {
        metadata: Option<ObjectMeta> = "metadata",
        openapi: Option<BTreeMap<String, String>> = "openapi",
        name_prefix: String = "namePrefix",
        name_suffix: String = "nameSuffix",
        namespace: String = "namespace",
        common_labels: Option<BTreeMap<String, String>> = "commonLabels",
        labels: Option<Vec<Label>> = "labels",
        common_annotations: Option<BTreeMap<String, String>> = "commonAnnotations",
        patches_strategic_merge: Option<Vec<String>> = "patchesStrategicMerge",
        patches_json6902: Option<Vec<Patch>> = "patchesJson6902",
        patches: Option<Vec<Patch>> = "patches",
        images: Option<Vec<Image>> = "images",
        image_tags: Option<Vec<Image>> = "imageTags",
        replacements: Option<Vec<ReplacementField>> = "replacements",
        replicas: Option<Vec<Replica>> = "replicas",
        vars: Option<Vec<Var>> = "vars",
        sort_options: Option<SortOptions> = "sortOptions",
        resources: Option<Vec<String>> = "resources",
        components: Option<Vec<String>> = "components",
        crds: Option<Vec<String>> = "crds",
        bases: Option<Vec<String>> = "bases",
        config_map_generator: Option<Vec<ConfigMapArgs>> = "configMapGenerator",
        secret_generator: Option<Vec<SecretArgs>> = "secretGenerator",
        helm_globals: Option<HelmGlobals> = "helmGlobals",
        helm_charts: Option<Vec<HelmChart>> = "helmCharts",
        helm_chart_inflation_generator: Option<Vec<HelmChartArgs>> = "helmChartInflationGenerator",
        generator_options: Option<GeneratorOptions> = "generatorOptions",
        configurations: Option<Vec<String>> = "configurations",
        generators: Option<Vec<String>> = "generators",
        transformers: Option<Vec<String>> = "transformers",
        validators: Option<Vec<String>> = "validators",
        build_metadata: Option<Vec<String>> = "buildMetadata",
        @ type_meta: TypeMeta = "TypeMeta",
    }
}

/// What a kustomization file must be.
const VERSION: &str = "kustomize.config.k8s.io/v1beta1";
const COMPONENT_VERSION: &str = "kustomize.config.k8s.io/v1alpha1";
const KIND: &str = "Kustomization";
/// The kind of a component.
pub const COMPONENT: &str = "Component";

/// Why a kustomization file cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub enum Refused {
    /// It says nothing.
    Empty,
    /// It does not fit; in Go's words.
    Decode(String),
    /// Its kind or version is another.
    Fields(Vec<String>),
}

impl Kustomization {
    /// Reads a file's value; gives the warnings about old fields as well.
    pub fn read(value: &Value) -> Result<(Self, Vec<&'static str>), Refused> {
        let mut read: Self = decode::decode(value, Unknown::Refused).map_err(Refused::Decode)?;
        let warnings = read.deprecated();
        read.fix();
        if read == (Self { type_meta: read.type_meta.clone(), ..Self::default() }) {
            return Err(Refused::Empty);
        }
        match read.wrong_kind() {
            wrong if wrong.is_empty() => Ok((read, warnings)),
            wrong => Err(Refused::Fields(wrong)),
        }
    }

    /// Whether this is a component.
    pub fn is_component(&self) -> bool {
        self.type_meta.kind == COMPONENT
    }

    /// The kind, with the default filled in.
    pub fn kind(&self) -> &str {
        &self.type_meta.kind
    }

    fn deprecated(&self) -> Vec<&'static str> {
        let old = [
            (
                self.bases.is_some(),
                "# Warning: 'bases' is deprecated. Please use 'resources' instead. Run 'kustomize edit fix' to update your Kustomization automatically.",
            ),
            (
                self.common_labels.is_some(),
                "# Warning: 'commonLabels' is deprecated. Please use 'labels' instead. Run 'kustomize edit fix' to update your Kustomization automatically.",
            ),
            (
                self.image_tags.is_some(),
                "# Warning: 'imageTags' is deprecated. Please use 'images' instead. Run 'kustomize edit fix' to update your Kustomization automatically.",
            ),
            (
                self.patches_json6902.is_some(),
                "# Warning: 'patchesJson6902' is deprecated. Please use 'patches' instead. Run 'kustomize edit fix' to update your Kustomization automatically.",
            ),
            (
                self.patches_strategic_merge.is_some(),
                "# Warning: 'patchesStrategicMerge' is deprecated. Please use 'patches' instead. Run 'kustomize edit fix' to update your Kustomization automatically.",
            ),
            (
                self.vars.is_some(),
                "# Warning: 'vars' is deprecated. Please use 'replacements' instead. [EXPERIMENTAL] Run 'kustomize edit fix' to update your Kustomization automatically.",
            ),
        ];
        old.into_iter().filter_map(|(used, warning)| used.then_some(warning)).collect()
    }

    /// Turns old fields into new ones.
    fn fix(&mut self) {
        if self.type_meta.kind.is_empty() {
            KIND.clone_into(&mut self.type_meta.kind);
        }
        if self.type_meta.api_version.is_empty() {
            let version = if self.is_component() { COMPONENT_VERSION } else { VERSION };
            version.clone_into(&mut self.type_meta.api_version);
        }
        append(&mut self.resources, self.bases.take());
        append(&mut self.images, self.image_tags.take());
        let config_maps = self.config_map_generator.iter_mut().flatten().map(|args| &mut args.common);
        let secrets = self.secret_generator.iter_mut().flatten().map(|args| &mut args.common);
        for common in config_maps.chain(secrets) {
            if !common.sources.env.is_empty() {
                let env = std::mem::take(&mut common.sources.env);
                common.sources.envs.push(env);
            }
        }
        self.fix_charts();
    }

    fn fix_charts(&mut self) {
        let Some(old) = self.helm_chart_inflation_generator.take() else { return };
        let mut globals = HelmGlobals::default();
        for chart in &old {
            if !chart.helm_home.is_empty() {
                globals.config_home.clone_from(&chart.helm_home);
            }
            if !chart.chart_home.is_empty() {
                globals.chart_home.clone_from(&chart.chart_home);
            }
        }
        if self.helm_globals.is_none() && globals != HelmGlobals::default() {
            self.helm_globals = Some(globals);
        }
        append(&mut self.helm_charts, Some(old.into_iter().map(HelmChartArgs::into_chart).collect()));
    }

    fn wrong_kind(&self) -> Vec<String> {
        let kind = &self.type_meta.kind;
        let mut wrong = Vec::new();
        if kind != KIND && kind != COMPONENT {
            wrong.push(format!("kind should be {KIND} or {COMPONENT}"));
        }
        let version = if self.is_component() { COMPONENT_VERSION } else { VERSION };
        if self.type_meta.api_version != version {
            wrong.push(format!("apiVersion for {kind} should be {version}"));
        }
        wrong
    }
}

/// Puts one list behind another.
fn append<T>(list: &mut Option<Vec<T>>, more: Option<Vec<T>>) {
    if let Some(more) = more.filter(|more| !more.is_empty()) {
        list.get_or_insert_default().extend(more);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn old_fields_become_new_ones_and_warn() {
        let file = json!({"bases": ["../base"], "resources": ["a.yaml"], "commonLabels": {"a": "b"},
            "configMapGenerator": [{"name": "c", "env": "x.env"}]});
        let (read, warnings) = Kustomization::read(&file).unwrap();
        assert_eq!(read.resources.unwrap(), ["a.yaml", "../base"]);
        assert_eq!(read.config_map_generator.unwrap()[0].common.sources.envs, ["x.env"]);
        assert_eq!(warnings.len(), 2);
    }

    #[test]
    fn a_file_that_says_nothing_is_refused() {
        assert_eq!(Kustomization::read(&json!({"kind": "Kustomization"})), Err(Refused::Empty));
        assert_eq!(Kustomization::read(&Value::Null), Err(Refused::Empty));
        let wrong = Kustomization::read(&json!({"kind": "Deployment", "resources": []}));
        assert!(matches!(wrong, Err(Refused::Fields(_))));
    }
}
