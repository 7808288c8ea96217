//! What a build reads and makes, by Flux's rules.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use towpath_sops::{Error, Format, input, object, resources};
use towpath_yaml::{Dialect, Limits};

use crate::known::{YAML, age};

const SECRET: &str = include_str!("../seeds/secret.yaml");
const PAIRS: &str = include_str!("../seeds/pairs.env");
const OBJECT: &str = include_str!("../seeds/object.json");

fn json_of(yaml: &str) -> Value {
    let nodes = towpath_yaml::read(yaml.as_bytes(), Dialect::V3, &Limits::default()).expect("YAML");
    nodes.first().and_then(|node| node.to_json().ok()).expect("a document")
}

fn decrypted(yaml: &str) -> Result<Option<String>, Error> {
    let plaintext = resources(yaml.as_bytes(), Format::Yaml, &[&age()])?;
    Ok(plaintext.map(|plaintext| String::from_utf8_lossy(plaintext.expose()).into_owned()))
}

#[test]
fn files_behind_each_other_are_files_of_their_own() {
    let plain = "kind: Service\n";
    let all = format!("{SECRET}---\n{plain}---\n{YAML}");
    let text = decrypted(&all).unwrap().unwrap();
    assert!(text.starts_with("---\napiVersion: v1\nkind: Secret\n"), "{text}");
    assert!(
        text.contains("password: a swordfish\n---\nkind: Service\n---\n# a comment\nuser: admin\n"),
        "{text}"
    );
    // Each has a MAC that must fit.
    let changed = all.replace("plain_unencrypted: shown", "plain_unencrypted: other");
    assert_eq!(decrypted(&changed), Err(Error::MacMismatch));
    assert_eq!(decrypted(plain), Ok(None));
    assert_eq!(decrypted("a: 'mac: ENC['\n"), Ok(Some("a: 'mac: ENC['\n".to_owned())));
}

#[test]
fn an_object_that_opts_out_stays_encrypted() {
    let annotation = "    name: login\n    annotations: {kustomize.toolkit.fluxcd.io/decrypt: DISABLED}";
    let opted = SECRET.replace("    name: login", annotation);
    assert_eq!(decrypted(&opted), Ok(Some(opted.clone())));
    assert_eq!(object(&json_of(&opted), &[&age()]), Ok(None));
    let json = json_of(&opted).to_string().replace("\"mac\":", "\"mac\": ");
    assert_eq!(resources(json.as_bytes(), Format::Json, &[&age()]), Ok(None));
}

#[test]
fn a_built_object_is_decrypted_without_its_mac() {
    let mut built = json_of(SECRET);
    built["metadata"]["labels"] = json!({ "added": "by the build" });
    let opened = object(&built, &[&age()]).unwrap().unwrap();
    assert_eq!(opened["stringData"], json!({ "password": "a swordfish" }));
    assert_eq!(opened["metadata"]["labels"]["added"], "by the build");
    assert_eq!(opened.get("sops"), None);
    built["stringData"]["password"] = "changed".into();
    assert!(matches!(object(&built, &[&age()]), Err(Error::Value { .. })));
    assert_eq!(object(&json!({ "kind": "ConfigMap", "data": { "a": "b" } }), &[&age()]), Ok(None));
}

#[test]
fn values_of_a_secret_are_files_whose_keys_name_the_format() {
    let value = |text: &str| STANDARD.encode(text);
    let data =
        json!({ "a.env": value(PAIRS), "b.yaml": value(OBJECT), "c": "not base64", "d": value("plain") });
    let secret = json!({ "kind": "Secret", "data": data });
    let opened = object(&secret, &[&age()]).unwrap().unwrap();
    let text = |key: &str| {
        let bytes = STANDARD.decode(opened["data"][key].as_str().unwrap()).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    assert_eq!(text("a.env"), "# c\nUSER=a swordfish\nOTHER=sword\\nfish\n");
    assert!(
        text("b.yaml").starts_with("user: a swordfish\nlist:\n    - swordfish 1\n"),
        "{}",
        text("b.yaml")
    );
    assert_eq!((&opened["data"]["c"], text("d").as_str()), (&json!("not base64"), "plain"));
    let wrong = json!({ "kind": "Secret", "data": { "blob": value(PAIRS) } });
    let error = object(&wrong, &[&age()]).unwrap_err().to_string();
    assert!(error.starts_with("`data.blob`: write the plaintext as binary: "), "{error}");
}

#[test]
fn inputs_without_the_sign_of_their_format_are_left_alone() {
    assert_eq!(input(PAIRS.as_bytes(), Format::Yaml, &[&age()]), Ok(None));
    assert!(input(PAIRS.as_bytes(), Format::Dotenv, &[&age()]).unwrap().is_some());
    assert_eq!(Format::of_key(".dockerconfigjson"), Format::Json);
    assert_eq!(Format::of_key("token"), Format::Binary);
}
