//! The modes of the real `sops`, as rules of its configuration.

use towpath_sops::Format;
use towpath_testkit::Clouds;

use super::keys::Keys;

/// A way to encrypt.
pub struct Mode {
    pub name: &'static str,
    /// More lines of the creation rule.
    rule: &'static str,
    who: Who,
    /// How many of the age keys we are given.
    pub age_keys: usize,
}

/// Whom the data key is encrypted for.
enum Who {
    Age,
    AllAge,
    Rsa,
    Curve,
    Both,
    /// One group for each age key, two of which must be opened.
    Groups,
    Ssh(usize),
    Aws,
    /// With a role, and a context that the key is bound to.
    AwsRole,
    Google,
    Azure,
    Vault,
    /// Groups of three clouds, two of which must be opened.
    CloudGroups,
}

const fn age(name: &'static str, rule: &'static str) -> Mode {
    Mode { name, rule, who: Who::Age, age_keys: 1 }
}

/// Keys of age that are SSH's, and keys of clouds: none of the age keys is of use.
const fn other(name: &'static str, who: Who) -> Mode {
    Mode { name, rule: "", who, age_keys: 0 }
}

pub const MODES: &[Mode] = &[
    age("age", ""),
    age("MAC over encrypted values only", "mac_only_encrypted: true"),
    age("encrypted_regex", "encrypted_regex: '^(data|k[0-9]|secret)'"),
    age("encrypted_regex and MAC over those only", "encrypted_regex: '[a-m]$'\n    mac_only_encrypted: true"),
    age(
        "encrypted_regex in Go's own words",
        r"encrypted_regex: '^\Qa.b\E$|^\w\d$|\bname\b|^[[:upper:]&&x]|[^\w -]'",
    ),
    age("unencrypted_regex", "unencrypted_regex: '[0-4a]'"),
    age("encrypted_suffix", "encrypted_suffix: '2'"),
    age("unencrypted_suffix", "unencrypted_suffix: 'a'"),
    age("encrypted_comment_regex", "encrypted_comment_regex: 'note'"),
    age("unencrypted_comment_regex", "unencrypted_comment_regex: 'remark'"),
    Mode { name: "three age keys, ours the second", rule: "", who: Who::AllAge, age_keys: 2 },
    Mode { name: "two of three groups", rule: "shamir_threshold: 2", who: Who::Groups, age_keys: 2 },
    Mode { name: "OpenPGP with RSA", rule: "", who: Who::Rsa, age_keys: 0 },
    Mode { name: "OpenPGP on a curve", rule: "", who: Who::Curve, age_keys: 0 },
    Mode { name: "age and OpenPGP", rule: "", who: Who::Both, age_keys: 0 },
    other("age with an SSH key on a curve", Who::Ssh(0)),
    other("age with an SSH key of RSA", Who::Ssh(1)),
    other("age with an SSH key of RSA in PEM", Who::Ssh(2)),
    other("AWS KMS", Who::Aws),
    other("AWS KMS with a role and a context", Who::AwsRole),
    other("GCP KMS", Who::Google),
    other("Azure Key Vault", Who::Azure),
    other("Vault transit", Who::Vault),
    Mode { name: "two of three clouds", rule: "shamir_threshold: 2", who: Who::CloudGroups, age_keys: 0 },
];

impl Mode {
    /// Rules on comments make sense only where there are comments.
    pub fn serves(&self, format: Format) -> bool {
        format == Format::Yaml || !self.rule.contains("comment")
    }

    /// The SSH key that this mode is about.
    pub fn ssh_key(&self) -> Option<usize> {
        match self.who {
            Who::Ssh(index) => Some(index),
            _ => None,
        }
    }

    /// How many documents of a format: the keys that only wrap the data key need few.
    pub fn documents(&self, format: Format, full: bool) -> usize {
        let wraps_only = self.age_keys == 0 && !matches!(self.who, Who::Rsa | Who::Curve | Who::Both);
        let count = match (wraps_only, full) {
            (true, true) => 5,
            (true, false) => 1,
            (false, true) => 25,
            (false, false) => 3,
        };
        if format == Format::Yaml { count * 3 } else { count }
    }

    /// The text of `.sops.yaml`.
    pub fn config(&self, keys: &Keys) -> String {
        let age = |index: usize| keys.recipients.get(index).map_or("", String::as_str);
        let pgp = |index: usize| keys.fingerprints.get(index).map_or("", String::as_str);
        let who = match self.who {
            Who::Age => format!("age: {}", age(0)),
            Who::AllAge => format!("age: {},{},{}", age(2), age(1), age(0)),
            Who::Rsa => format!("pgp: {}", pgp(0)),
            Who::Curve => format!("pgp: {}", pgp(1)),
            Who::Both => format!("age: {}\n    pgp: {}", age(2), pgp(1)),
            Who::Groups => {
                let group = |index| format!("\n      - age: [{}]", age(index));
                format!("key_groups:{}{}{}", group(0), group(1), group(2))
            }
            Who::Ssh(index) => {
                format!("age: '{}'", keys.ssh.get(index).map_or("", |key| key.recipient.as_str()))
            }
            Who::Aws => format!("kms: {}", Clouds::AWS),
            Who::AwsRole => format!(
                "key_groups:\n      - kms:\n          - arn: {}\n            role: {}\n            context: {{app: shop, b: 'c d'}}",
                Clouds::AWS,
                Clouds::AWS_ROLE
            ),
            Who::Google => format!("gcp_kms: {}", Clouds::GOOGLE),
            Who::Azure => format!("azure_keyvault: {}", Clouds::AZURE),
            Who::Vault => format!("hc_vault_transit_uri: {}", Clouds::VAULT),
            Who::CloudGroups => format!(
                "key_groups:\n      - kms: [{{arn: '{}'}}]\n      - hc_vault: ['{}']\n      - gcp_kms: [{{resource_id: '{}'}}]",
                Clouds::AWS,
                Clouds::VAULT,
                Clouds::GOOGLE
            ),
        };
        let rule = if self.rule.is_empty() { String::new() } else { format!("    {}\n", self.rule) };
        format!("creation_rules:\n  - path_regex: .*\n{rule}    {who}\n")
    }
}
