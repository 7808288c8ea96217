//! What a build gives.

use towpath_kustomize::{Memory, Options, Output, Reorder, build};

/// A tree with a kustomization file at its top.
fn tree(kustomization: &str, files: &[(&str, &str)]) -> Memory {
    let mut tree = Memory::new();
    tree.add("kustomization.yaml", kustomization);
    for (path, text) in files {
        tree.add(path, *text);
    }
    tree
}

fn built(kustomization: &str, files: &[(&str, &str)]) -> Output {
    build(&tree(kustomization, files), "/", &Options::default()).expect("the tree is sound")
}

const DEPLOYMENT: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  template:\n    spec:\n      \
                          containers:\n      - name: main\n        image: nginx:1\n        envFrom:\n        - configMapRef: {name: settings}\n";

#[test]
fn a_generated_name_is_known_to_its_referrers() {
    let kustomization = "namePrefix: shop-\nresources: [web.yaml]\nconfigMapGenerator:\n- name: settings\n  literals: [a=1]\n";
    let text = built(kustomization, &[("web.yaml", DEPLOYMENT)]).to_yaml().unwrap();
    let name = text.lines().find(|line| line.contains("name: shop-settings-")).unwrap().trim();
    assert_eq!(text.matches(name).count(), 2, "{text}");
}

#[test]
fn the_order_is_by_kind_unless_told_otherwise() {
    let config_map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n";
    let files = [("web.yaml", DEPLOYMENT), ("settings.yaml", config_map)];
    let tree = tree("resources: [web.yaml, settings.yaml]\n", &files);
    let first = |reorder| {
        let options = Options { reorder, ..Options::default() };
        let text = build(&tree, "/", &options).unwrap().to_yaml().unwrap();
        text.lines().find(|line| line.starts_with("kind:")).unwrap().to_owned()
    };
    assert_eq!(first(Reorder::Unspecified), "kind: ConfigMap");
    assert_eq!(first(Reorder::None), "kind: Deployment");
}

#[test]
fn files_are_named_by_type_and_name() {
    let namespaced = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: Settings, namespace: Two}\n";
    let role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: all}\n";
    let files = [("web.yaml", DEPLOYMENT), ("a.yaml", namespaced), ("b.yaml", role)];
    let output = built("resources: [web.yaml, a.yaml, b.yaml]\n", &files);
    let mut names: Vec<String> = output.to_files().unwrap().into_iter().map(|(name, _)| name).collect();
    names.sort();
    assert_eq!(
        names,
        [
            "default_apps_v1_deployment_web.yaml",
            "rbac.authorization.k8s.io_v1_clusterrole_all.yaml",
            "two_v1_configmap_settings.yaml"
        ]
    );
}

#[test]
fn old_fields_warn() {
    let output = built(
        "bases: [base]\n",
        &[("base/kustomization.yaml", "resources: [a.yaml]\n"), ("base/a.yaml", DEPLOYMENT)],
    );
    assert_eq!(output.warnings().len(), 1);
    assert!(output.warnings()[0].starts_with("# Warning: 'bases' is deprecated."));
}

#[test]
fn builds_run_side_by_side() {
    let kustomization = "namePrefix: NAME-\nresources: [web.yaml]\npatches:\n- target: {kind: Deployment}\n  patch: '[{\"op\": \"add\", \"path\": \"/spec/replicas\", \"value\": 2}]'\n";
    let alone = built(&kustomization.replace("NAME", "x"), &[("web.yaml", DEPLOYMENT)]).to_yaml().unwrap();
    std::thread::scope(|scope| {
        for number in 0..64 {
            let alone = &alone;
            scope.spawn(move || {
                let name = format!("app{number}");
                let text = built(&kustomization.replace("NAME", &name), &[("web.yaml", DEPLOYMENT)])
                    .to_yaml()
                    .unwrap();
                assert_eq!(text, alone.replace("x-web", &format!("{name}-web")));
            });
        }
    });
}

#[test]
fn a_schema_tells_which_custom_kinds_have_no_namespace() {
    let objects = "apiVersion: example.com/v1\nkind: Planet\nmetadata: {name: earth}\n---\n\
                   apiVersion: example.com/v1\nkind: Moon\nmetadata: {name: luna}\n";
    let schema = "paths:\n  /apis/example.com/v1/planets:\n    get: {x-kubernetes-group-version-kind: \
                  {group: example.com, kind: Planet, version: v1}}\n";
    let files = [("a.yaml", objects), ("schema.yaml", schema)];
    let text = built("namespace: new\nresources: [a.yaml]\nopenapi: {path: schema.yaml}\n", &files);
    assert_eq!(
        text.to_yaml().unwrap(),
        "apiVersion: example.com/v1\nkind: Moon\nmetadata:\n  name: luna\n  namespace: new\n---\n\
         apiVersion: example.com/v1\nkind: Planet\nmetadata:\n  name: earth\n"
    );
}
