//! Helm charts in a kustomization.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::decode::record;

record! {
    /// Settings for all charts.
    HelmGlobals = "HelmGlobals" {
        chart_home: String = "chartHome",
        config_home: String = "configHome",
    }
}

record! {
    /// A chart to render.
    HelmChart = "HelmChart" {
        name: String = "name",
        version: String = "version",
        repo: String = "repo",
        release_name: String = "releaseName",
        namespace: String = "namespace",
        additional_values_files: Vec<String> = "additionalValuesFiles",
        values_file: String = "valuesFile",
        values_inline: BTreeMap<String, Value> = "valuesInline",
        values_merge: String = "valuesMerge",
        include_crds: bool = "includeCRDs",
        skip_hooks: bool = "skipHooks",
        api_versions: Vec<String> = "apiVersions",
        kube_version: String = "kubeVersion",
        name_template: String = "nameTemplate",
        skip_tests: bool = "skipTests",
        debug: bool = "debug",
        devel: bool = "devel",
    }
}

record! {
    /// A chart in the old form.
    HelmChartArgs = "HelmChartArgs" {
        chart_name: String = "chartName",
        chart_version: String = "chartVersion",
        chart_repo_url: String = "chartRepoUrl",
        chart_home: String = "chartHome",
        chart_repo_name: String = "chartRepoName",
        helm_bin: String = "helmBin",
        helm_home: String = "helmHome",
        values: String = "values",
        values_local: BTreeMap<String, Value> = "valuesLocal",
        values_merge: String = "valuesMerge",
        release_name: String = "releaseName",
        release_namespace: String = "releaseNamespace",
        extra_args: Vec<String> = "extraArgs",
    }
}

impl HelmChartArgs {
    /// The same chart in the new form.
    pub fn into_chart(self) -> HelmChart {
        HelmChart {
            name: self.chart_name,
            version: self.chart_version,
            repo: self.chart_repo_url,
            values_file: self.values,
            values_inline: self.values_local,
            values_merge: self.values_merge,
            release_name: self.release_name,
            ..HelmChart::default()
        }
    }
}
