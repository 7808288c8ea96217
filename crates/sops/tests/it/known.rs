//! One file that the real sops made, with a key that exists for this test only.

use towpath_failure::Failure as _;
use towpath_sops::{Age, Error, File, Format, KeyName, KeyService, Mac, decrypt};

pub const KEY: &str =
    "# for this test only\nAGE-SECRET-KEY-19ZRGRZ69KAVE84HM9E64TLR9EU9XY2AQV6SLL5MA2RGR8C5MAS5QPSHHM3\n";

pub const YAML: &str = r#"#ENC[AES256_GCM,data:LJcfXGrtylFtVQ==,iv:Rq/2WIMHuC+I51kP74XrluVIdmz+nCkNDAtinBXDkN4=,tag:Z1L9y1LjPZHzdunvJL8KwQ==,type:comment]
user: ENC[AES256_GCM,data:c0BPXuE=,iv:kcM5WkZw8WOBHVmsOj+odnT+8w4D8/hAXNOehwuLQpA=,tag:8M8pBluCt53U9a4YipS7Gw==,type:str]
password: ENC[AES256_GCM,data:2mpZsW4=,iv:ecCv6xmBMYEDALWR6VG51rr5Cvh0qaM4Erwo8sLcidA=,tag:VcBv3+qRJzNtjGHsDXOYwA==,type:str]
numbers:
    - ENC[AES256_GCM,data:pg==,iv:HMf22eiTaDn7C1knMsSDvZNxNqfsFdaXNK55qnfuFCY=,tag:GKwQ48mRiQc+rmDN2eydXA==,type:int]
    - ENC[AES256_GCM,data:Qyxj,iv:eXJJeGlv2x8rKZ54jT5cE7DyDQa8y3uaY+g3hPwvKKE=,tag:JhLKxv+B3B0hKoKblueoWQ==,type:float]
    - ENC[AES256_GCM,data:2J8s1E4NEEk=,iv:pK5IYIL7NLIYLR1d68EMrugyWAzAMm0/d2nAhxBXR3o=,tag:FMVLD1mlpkCVQe5mMDhPwQ==,type:comment]
    - ENC[AES256_GCM,data:3xQ7qw==,iv:J9iP75UGR7pDoc2VtQayOlVpV83BUbUaCtr4uMat8Jc=,tag:wXJC/HEnzjpsHekZtZ+3BQ==,type:bool]
    - null
empty: ""
plain_unencrypted: shown
sops:
    age:
        - recipient: age12dw243cw8uugalhxv4j270ajwc4xtxpd72xctqxrkfjs0u5xcylskxj2q6
          enc: |
            -----BEGIN AGE ENCRYPTED FILE-----
            YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBUN1A4SVRQL244UHRFaStI
            NnJqR29GNkZTaUZaYnRDUmU5RGNYb2QzcVVjCnNRc1VrR25yUUxWZXREUmhFTmpT
            dHhaU2I5bHhuWEpUM3F5TFcwR0hUWlkKLS0tIGNqenJpUTBzNGFlZllYaTdkdVo5
            VlhSMXlqVkc3WmhHSS8rQWNQTXlXV0kKiCGjwzY2fFGkCi3W2aORj3NXgQXYeYja
            90UGXa952CW3UCPgrIYEUU43Uww5peskQdAj9NCy1g73iDrexwcuoA==
            -----END AGE ENCRYPTED FILE-----
    lastmodified: "2026-11-15T22:17:28Z"
    mac: ENC[AES256_GCM,data:RHL/9BJQdVG/xRJjYzGB16a6hjEJE1PaemC9GyODmLWp2JiBLVF2djyWyGpPN2OH1jCumxlulb3mcOROLelCgXxY/XB4A7yYMyTW9IeGWk5rhBaWJxiCE+/g866pWCzK1G0Bq6Aq0sQHMRTyidyNOcEoRzb2OHifydmJWwMy3xc=,iv:81gllZHHMrDd+YvF771zOCK+FF6vO1dqXkfeWmY3OsI=,tag:XkdHJIU5vyqlR15/63jX4g==,type:str]
    unencrypted_suffix: _unencrypted
    version: 3.10.2
"#;

const PLAIN: &str = r#"# a comment
user: admin
password: |-
    tr
    io
numbers:
    - 1
    - 2.5
    # between
    - true
    - null
empty: ""
plain_unencrypted: shown
"#;

pub fn age() -> Age {
    Age::from_keys(KEY).expect("a key")
}

fn ours(text: &str) -> Result<String, Error> {
    let plaintext = decrypt(text.as_bytes(), Format::Yaml, &[&age()])?;
    Ok(String::from_utf8_lossy(plaintext.expose()).into_owned())
}

/// Refused, and without a word of the plaintext.
fn refused(text: &str) -> Error {
    let error = ours(text).expect_err("a refusal");
    let said = format!("{error} {error:?} {:?}", error.hint());
    for secret in ["admin", "tr\nio", "AGE-SECRET-KEY"] {
        assert!(!said.contains(secret), "{said}");
    }
    error
}

#[test]
fn the_file_becomes_what_sops_prints() {
    assert_eq!(ours(YAML).unwrap(), PLAIN);
}

#[test]
fn a_changed_or_moved_value_is_named() {
    let problem = "it was changed or moved, or encrypted with another data key";
    let user = Error::Value { path: "user".into(), problem };
    assert_eq!(refused(&YAML.replace("data:c0BPXuE=", "data:d0BPXuE=")), user);
    let moved =
        YAML.replace("\nuser:", "\nX:").replace("\npassword:", "\nuser:").replace("\nX:", "\npassword:");
    assert_eq!(refused(&moved), Error::Value { path: "password".into(), problem });
    let plain = YAML.replace("- null", "- 7");
    assert_eq!(
        refused(&plain),
        Error::Value { path: "numbers".into(), problem: "it is not encrypted, or not as SOPS does it" }
    );
}

#[test]
fn the_mac_covers_what_is_not_encrypted_and_cannot_be_left_out() {
    assert_eq!(refused(&YAML.replace("unencrypted: shown", "unencrypted: other")), Error::MacMismatch);
    let float = YAML.lines().find(|line| line.ends_with("type:float]")).unwrap();
    let error = refused(&YAML.replace(&format!("{float}\n"), ""));
    assert_eq!((&error, error.reason().0), (&Error::MacMismatch, "DecryptionFailed"));
    let start = YAML.find("    mac:").unwrap();
    let end = start + YAML[start..].find('\n').unwrap() + 1;
    assert_eq!(refused(&format!("{}{}", &YAML[..start], &YAML[end..])), Error::NoMac);
    assert!(matches!(
        refused(&YAML.replace("2026-11-15T22:17:28Z", "2026-11-15T22:17:29Z")),
        Error::BrokenMac(_)
    ));
    let file = File::read(YAML.replace("unencrypted: shown", "unencrypted: other").as_bytes(), Format::Yaml)
        .unwrap();
    let key = file.data_key(&[&age()]).unwrap();
    assert!(file.decrypt(&key, Mac::Ignored).is_ok());
}

#[test]
fn without_a_key_the_file_says_which_it_needs() {
    let error = decrypt(YAML.as_bytes(), Format::Yaml, &[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot get the data key: age age12dw243cw8uugalhxv4j270ajwc4xtxpd72xctqxrkfjs0u5xcylskxj2q6: \
         no key service for this kind of key was given"
    );
    let kms = YAML.replace(
        "    age:\n",
        "    kms:\n        - arn: arn:aws:kms:eu-west-1:1:key/k\n          enc: x\n    old:\n",
    );
    let error = decrypt(kms.as_bytes(), Format::Yaml, &[&age() as &dyn KeyService]).unwrap_err();
    assert!(error.to_string().contains("AWS KMS arn:aws:kms:eu-west-1:1:key/k: no key service"), "{error}");
    let file = File::read(kms.as_bytes(), Format::Yaml).unwrap();
    assert!(
        matches!(&file.metadata().groups[0][0].name, KeyName::AwsKms { arn, .. } if arn.ends_with("key/k"))
    );
}

#[test]
fn keys_are_checked_and_never_shown() {
    let mistyped = KEY.replace("19ZRG", "19ZRZ");
    assert_eq!(Age::from_keys(&mistyped).unwrap_err(), "line 2 of the age keys: not an age key, or mistyped");
    assert_eq!(format!("{:?}", age()), "Age with 1 keys");
    let plaintext = decrypt(YAML.as_bytes(), Format::Yaml, &[&age()]).unwrap();
    assert_eq!(format!("{plaintext:?}"), format!("{} secret bytes", PLAIN.len()));
    assert_eq!(decrypt(b"a: b\n", Format::Yaml, &[&age()]).unwrap_err(), Error::NoMetadata);
}

#[test]
fn formats_can_be_changed_on_the_way_out() {
    let file = File::read(YAML.as_bytes(), Format::Yaml).unwrap();
    let key = file.data_key(&[&age()]).unwrap();
    let decrypted = file.decrypt(&key, Mac::Verified).unwrap();
    let json = decrypted.write(Format::Json).unwrap();
    assert!(json.expose().starts_with(b"{\n\t\"user\": \"admin\",\n\t\"password\": \"tr\\nio\""));
    assert!(matches!(decrypted.write(Format::Dotenv), Err(Error::Write { .. })));
    assert_eq!(Format::of_path("a/b.yml"), Format::Yaml);
}
