//! The `sops` part of a file: its keys, its MAC, and which values are encrypted.

use std::collections::BTreeMap;

use regex::bytes::Regex;
use serde::Deserialize;

use crate::error::Error;
use crate::expression;
use crate::key::{KeyName, MasterKey};

/// What SOPS leaves unencrypted if nothing else is said.
const SUFFIX: &str = "_unencrypted";

/// A file's metadata.
#[derive(Clone, Debug)]
pub struct Metadata {
    /// The groups of keys; each opens the data key, or its part of it where there are several groups.
    pub groups: Vec<Vec<MasterKey>>,
    /// How many groups must be opened.
    pub threshold: usize,
    /// The encrypted MAC.
    pub(crate) mac: String,
    /// When the file was encrypted; the MAC is bound to it.
    pub(crate) last_modified: String,
    pub(crate) mac_only_encrypted: bool,
    pub(crate) rule: Rule,
}

/// Which values are encrypted.
#[derive(Clone, Debug)]
pub(crate) enum Rule {
    UnencryptedSuffix(Vec<u8>),
    EncryptedSuffix(Vec<u8>),
    UnencryptedRegex(Regex),
    EncryptedRegex(Regex),
    UnencryptedComment(Regex),
    EncryptedComment(Regex),
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Stored {
    shamir_threshold: usize,
    key_groups: Option<Vec<Group>>,
    #[serde(flatten)]
    group: Group,
    lastmodified: String,
    mac: String,
    unencrypted_suffix: String,
    encrypted_suffix: String,
    unencrypted_regex: String,
    encrypted_regex: String,
    unencrypted_comment_regex: String,
    encrypted_comment_regex: String,
    mac_only_encrypted: bool,
}

/// Lists may be null: old versions of SOPS wrote that for no keys of a kind.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Group {
    kms: Option<Vec<Aws>>,
    gcp_kms: Option<Vec<Gcp>>,
    azure_kv: Option<Vec<Azure>>,
    hc_vault: Option<Vec<Vault>>,
    pgp: Option<Vec<Pgp>>,
    age: Option<Vec<Age>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Aws {
    enc: String,
    arn: String,
    role: String,
    context: BTreeMap<String, Option<String>>,
    #[serde(rename = "aws_profile")]
    profile: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Gcp {
    enc: String,
    resource_id: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Azure {
    enc: String,
    vault_url: String,
    name: String,
    version: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Vault {
    enc: String,
    #[serde(rename = "vault_address")]
    address: String,
    engine_path: String,
    key_name: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Pgp {
    enc: String,
    fp: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Age {
    enc: String,
    recipient: String,
}

impl Metadata {
    pub(crate) fn from_json(stored: serde_json::Value) -> Result<Self, Error> {
        let stored: Stored =
            serde_json::from_value(stored).map_err(|error| Error::Metadata(error.to_string()))?;
        let rule = rule(&stored)?;
        let mut groups = vec![stored.group.into_keys()];
        if groups.iter().all(Vec::is_empty) {
            groups = stored.key_groups.unwrap_or_default().into_iter().map(Group::into_keys).collect();
        }
        if groups.is_empty() {
            return Err(Error::Metadata("no keys found in file".into()));
        }
        Ok(Self {
            groups,
            threshold: stored.shamir_threshold,
            mac: stored.mac,
            last_modified: without_fraction(&stored.lastmodified),
            mac_only_encrypted: stored.mac_only_encrypted,
            rule,
        })
    }
}

fn rule(stored: &Stored) -> Result<Rule, Error> {
    let regex = |text: &str| expression::compile(text).map_err(Error::Metadata);
    let mut rules = Vec::new();
    if !stored.unencrypted_suffix.is_empty() {
        rules.push(Rule::UnencryptedSuffix(stored.unencrypted_suffix.clone().into()));
    }
    if !stored.encrypted_suffix.is_empty() {
        rules.push(Rule::EncryptedSuffix(stored.encrypted_suffix.clone().into()));
    }
    if !stored.unencrypted_regex.is_empty() {
        rules.push(Rule::UnencryptedRegex(regex(&stored.unencrypted_regex)?));
    }
    if !stored.encrypted_regex.is_empty() {
        rules.push(Rule::EncryptedRegex(regex(&stored.encrypted_regex)?));
    }
    if !stored.unencrypted_comment_regex.is_empty() {
        rules.push(Rule::UnencryptedComment(regex(&stored.unencrypted_comment_regex)?));
    }
    if !stored.encrypted_comment_regex.is_empty() {
        rules.push(Rule::EncryptedComment(regex(&stored.encrypted_comment_regex)?));
    }
    if rules.len() > 1 {
        let problem = "more than one of encrypted_suffix, unencrypted_suffix, encrypted_regex, unencrypted_regex, \
                       encrypted_comment_regex and unencrypted_comment_regex";
        return Err(Error::Metadata(problem.into()));
    }
    Ok(rules.pop().unwrap_or_else(|| Rule::UnencryptedSuffix(SUFFIX.into())))
}

/// `2024-05-01T10:00:00.5Z` without its `.5`: the MAC is bound to whole seconds.
fn without_fraction(time: &str) -> String {
    match time.split_once('.') {
        Some((whole, rest)) => {
            format!("{whole}{}", rest.trim_start_matches(|digit: char| digit.is_ascii_digit()))
        }
        None => time.to_owned(),
    }
}

impl Group {
    /// In the order in which SOPS lists them.
    fn into_keys(self) -> Vec<MasterKey> {
        let mut keys: Vec<MasterKey> = Vec::new();
        let key = |name, encrypted| MasterKey { name, encrypted };
        keys.extend(self.kms.into_iter().flatten().map(|aws| {
            let context = aws.context.into_iter().map(|(name, value)| (name, value.unwrap_or_default()));
            let context = context.collect();
            key(KeyName::AwsKms { arn: aws.arn, role: aws.role, profile: aws.profile, context }, aws.enc)
        }));
        keys.extend(
            self.gcp_kms.into_iter().flatten().map(|gcp| key(KeyName::GcpKms(gcp.resource_id), gcp.enc)),
        );
        keys.extend(self.azure_kv.into_iter().flatten().map(|azure| {
            let Azure { enc, vault_url, name, version } = azure;
            key(KeyName::AzureKeyVault { vault: vault_url, name, version }, enc)
        }));
        keys.extend(self.hc_vault.into_iter().flatten().map(|vault| {
            let Vault { enc, address, engine_path, key_name } = vault;
            key(KeyName::Vault { address, engine: engine_path, name: key_name }, enc)
        }));
        keys.extend(self.pgp.into_iter().flatten().map(|pgp| key(KeyName::Pgp(pgp.fp), pgp.enc)));
        keys.extend(self.age.into_iter().flatten().map(|age| key(KeyName::Age(age.recipient), age.enc)));
        keys
    }
}
