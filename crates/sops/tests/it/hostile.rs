use proptest::prelude::*;
use towpath_sops::{Age, DataKey, File, Format, Mac};

use crate::known::{KEY, YAML};

const FORMATS: [Format; 5] = [Format::Yaml, Format::Json, Format::Dotenv, Format::Ini, Format::Binary];

/// What once went wrong somewhere, or might: replayed before anything is generated.
const SEEDS: &[&[u8]] = &[
    b"",
    b"\xFF\xFE",
    b"sops",
    b"sops:",
    b"sops: {}",
    b"sops: []",
    b"sops:\n  age: [{}]\n  lastmodified: x\n",
    b"a: &a [*a]\nsops: {age: [{}]}",
    b"1: 2\nsops: {age: [{}]}",
    b"a: 99999999999999999999\nsops: {age: [{}]}",
    b"sops:\n  age: [{enc: 1}]\n",
    b"sops:\n  encrypted_regex: '('\n  age: [{}]\n",
    b"sops:\n  encrypted_regex: a\n  encrypted_suffix: b\n  age: [{}]\n",
    b"sops:\n  shamir_threshold: -1\n  age: [{}]\n",
    b"sops:\n  shamir_threshold: 9\n  key_groups: [{age: [{}]}, {age: [{}]}]\n",
    b"{\"sops\":{\"age\":[{\"enc\":\"-----BEGIN AGE ENCRYPTED FILE-----\\nAAAA\\n-----END AGE ENCRYPTED FILE-----\"}]}}",
    b"{\"sops\":null}",
    b"{\"a\":1e400,\"sops\":{}}",
    b"[[[[",
    b"sops_mac=x",
    b"sops_age__list_18446744073709551615__map_enc=x",
    b"sops_age__list_x__map_enc=x\nsops_age=y",
    b"sops_shamir_threshold=x",
    b"=",
    b"[sops]\n",
    b"[sops]\nage__list_0__map_enc = \"\"\"x\n",
    b"[",
    b"[]",
    b"`a",
    b"\"\"\"a",
    b"a = `b",
    b"a = b\\",
    b"# only a comment",
    b"a:\n  # c\nb: {\n  # d\n}\n# e\nsops: {age: [{}]}",
    b"- a\n# b\n",
];

fn survives(bytes: &[u8]) {
    let keys = [Age::from_keys(KEY).unwrap_or_default(), Age::default()];
    for format in FORMATS {
        for age in &keys {
            let Ok(file) = File::read(bytes, format) else { continue };
            let _ = file.data_key(&[age]);
            let decrypted = file.decrypt(&DataKey::new(vec![7; 32]), Mac::Ignored);
            for output in FORMATS {
                let _ = decrypted.as_ref().map(|decrypted| decrypted.write(output));
            }
        }
    }
}

#[test]
fn the_seeds_are_survived() {
    for seed in SEEDS {
        survives(seed);
    }
}

#[test]
fn deep_and_long_files_are_refused_or_read() {
    survives("[".repeat(1_000_000).as_bytes());
    survives("{\"a\":".repeat(1_000_000).as_bytes());
    survives(format!("a: b\n{}sops: {{age: [{{}}]}}\n", "#\n #\n".repeat(100_000)).as_bytes());
    let long: String = (0..20_000).map(|index| format!("# c\nk{index}:\n    - a\n    # d\n")).collect();
    survives(format!("{long}sops: {{age: [{{}}]}}\n").as_bytes());
}

proptest! {
    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        survives(&bytes);
    }

    #[test]
    fn any_mixture_of_what_means_something(
        text in r#"(sops|: |\n|  |- |# |\{|\}|\[|\]|"|'|`|=|_|age|mac|enc|ENC\[AES256_GCM,data:|,iv:|,tag:|,type:str\]|\\|a|1|---|\|){0,40}"#
    ) {
        survives(text.as_bytes());
    }

    #[test]
    fn a_file_with_a_changed_byte(at in 0..YAML.len(), byte in any::<u8>()) {
        let mut bytes = YAML.as_bytes().to_vec();
        bytes[at] = byte;
        survives(&bytes);
    }
}
