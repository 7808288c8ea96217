//! The modes of the real `sops`, as rules of its configuration.

use towpath_sops::Format;

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
}

const fn age(name: &'static str, rule: &'static str) -> Mode {
    Mode { name, rule, who: Who::Age, age_keys: 1 }
}

pub const MODES: &[Mode] = &[
    age("age", ""),
    age("MAC over encrypted values only", "mac_only_encrypted: true"),
    age("encrypted_regex", "encrypted_regex: '^(data|k[0-9]|secret)'"),
    age("encrypted_regex and MAC over those only", "encrypted_regex: '[a-m]$'\n    mac_only_encrypted: true"),
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
];

impl Mode {
    /// Rules on comments make sense only where there are comments.
    pub fn serves(&self, format: Format) -> bool {
        format == Format::Yaml || !self.rule.contains("comment")
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
        };
        let rule = if self.rule.is_empty() { String::new() } else { format!("    {}\n", self.rule) };
        format!("creation_rules:\n  - path_regex: .*\n{rule}    {who}\n")
    }
}
