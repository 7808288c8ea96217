use std::collections::BTreeMap;
use std::sync::Arc;

use towpath_clock::SystemClock;
use towpath_cloud::{Environment, Error, Keys};
use towpath_failure::Failure as _;
use towpath_sops::{DataKey, KeyName, MasterKey};
use towpath_testkit::Clouds;

/// What is encrypted in all tests; an error must not hold it.
pub const DATA_KEY: &[u8] = b"a data key has thirty-two bytes.";

pub type Variables = BTreeMap<String, String>;

pub fn with(mut variables: Variables, more: &[(&str, &str)]) -> Variables {
    variables.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    variables
}

pub fn aws(role: &str, profile: &str, context: &[(&str, &str)]) -> KeyName {
    let context = context.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    KeyName::AwsKms {
        arn: Clouds::AWS.to_owned(),
        role: role.to_owned(),
        profile: profile.to_owned(),
        context,
    }
}

pub fn azure() -> KeyName {
    let (vault, rest) = Clouds::AZURE.split_once("/keys/").expect("an address of a key");
    let (name, version) = rest.split_once('/').expect("a name and a version");
    KeyName::AzureKeyVault { vault: vault.to_owned(), name: name.to_owned(), version: version.to_owned() }
}

pub fn vault() -> KeyName {
    let (address, _) = Clouds::VAULT.split_once("/v1/").expect("an address of a key");
    KeyName::Vault { address: address.to_owned(), engine: "transit".to_owned(), name: "sops".to_owned() }
}

/// Opens what was encrypted for a key. An error is checked for secrets.
pub async fn open(variables: Variables, name: KeyName, encrypted: &str) -> Result<DataKey, Error> {
    let secrets: Vec<String> = variables
        .iter()
        .filter(|(name, _)| ["SECRET", "TOKEN", "CREDENTIALS"].iter().any(|word| name.contains(word)))
        .filter(|(name, _)| !name.ends_with("_FILE") && !name.ends_with("_URI"))
        .map(|(_, value)| value.clone())
        .chain([String::from_utf8_lossy(DATA_KEY).into_owned()])
        .collect();
    let keys = Keys::new(Environment::new(variables), Arc::new(SystemClock::default()));
    let key = MasterKey { name, encrypted: encrypted.to_owned() };
    let opened = keys.open(&key).await.expect("a key of a cloud");
    let said = match &opened {
        Ok(key) => format!("{key:?} {keys:?}"),
        Err(error) => format!("{error} {error:?} {:?} {keys:?}", error.hint()),
    };
    for secret in secrets {
        assert!(!said.contains(&secret), "{said}");
    }
    opened
}

/// It opens, and to the right bytes.
pub async fn opens(clouds: &Clouds, variables: Variables, name: KeyName, id: &str) {
    let opened = open(variables, name, &clouds.seal(id, DATA_KEY)).await;
    assert_eq!(opened, Ok(DataKey::new(DATA_KEY.to_vec())), "{:#?}", clouds.seen());
}
