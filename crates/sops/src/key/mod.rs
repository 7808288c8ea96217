//! Keys: what a file names, and who can open it.
//!
//! A file's data key is encrypted once for each master key of a group, or cut into one part per group of which
//! a threshold must be found. A [`KeyService`] opens such a part; [`Age`] and, with the feature, `Pgp` do it
//! here, others outside with what [`MasterKey`] says.

mod age;
#[cfg(feature = "pgp")]
mod pgp;
mod shamir;

use std::fmt;

use zeroize::Zeroizing;

pub use self::age::Age;
#[cfg(feature = "pgp")]
pub use self::pgp::Pgp;
use crate::error::Error;

/// A key that a file names, with the part of the data key that is encrypted for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MasterKey {
    /// Which key.
    pub name: KeyName,
    /// The encrypted part, as the file has it.
    pub encrypted: String,
}

/// Which key, and where it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyName {
    /// An age recipient.
    Age(String),
    /// The fingerprint of an OpenPGP key.
    Pgp(String),
    /// A key of AWS KMS.
    AwsKms {
        /// Its ARN.
        arn: String,
        /// A role to take on first; empty for none.
        role: String,
        /// A profile of credentials; empty for none.
        profile: String,
        /// The encryption context.
        context: Vec<(String, String)>,
    },
    /// A key of Google Cloud KMS, by its resource id.
    GcpKms(String),
    /// A key of Azure Key Vault.
    AzureKeyVault {
        /// The vault.
        vault: String,
        /// The key's name.
        name: String,
        /// The key's version.
        version: String,
    },
    /// A key of Vault's transit engine.
    Vault {
        /// The server.
        address: String,
        /// Where the engine is mounted.
        engine: String,
        /// The key's name.
        name: String,
    },
}

impl fmt::Display for KeyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Age(recipient) => write!(f, "age {recipient}"),
            Self::Pgp(fingerprint) => write!(f, "PGP {fingerprint}"),
            Self::AwsKms { arn, .. } => write!(f, "AWS KMS {arn}"),
            Self::GcpKms(id) => write!(f, "GCP KMS {id}"),
            Self::AzureKeyVault { vault, name, version } => {
                write!(f, "Azure Key Vault {vault}/keys/{name}/{version}")
            }
            Self::Vault { address, engine, name } => write!(f, "Vault {address}/v1/{engine}/keys/{name}"),
        }
    }
}

/// The key of all values of a file, or a part of it. Never shown, and wiped in the end.
#[derive(Clone, PartialEq, Eq)]
pub struct DataKey(Zeroizing<Vec<u8>>);

impl DataKey {
    /// From the bytes that a key service gave.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(Zeroizing::new(bytes))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for DataKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DataKey")
    }
}

/// Opens what is encrypted for keys that it has.
pub trait KeyService {
    /// The part of the data key; `None` where the key is of a kind that this service does not serve. The error
    /// says why it could not be opened, without any secret.
    fn open(&self, key: &MasterKey) -> Option<Result<DataKey, String>>;
}

/// The data key of groups of master keys. Age comes first and OpenPGP second, as they ask nobody outside.
pub(crate) fn data_key(
    groups: &[Vec<MasterKey>],
    threshold: usize,
    services: &[&dyn KeyService],
) -> Result<DataKey, Error> {
    let mut problems = Vec::new();
    let mut parts = Vec::new();
    for group in groups {
        parts.extend(open_group(group, services, &mut problems));
    }
    match (groups.len(), parts.len()) {
        (0 | 1, 0) => Err(Error::DataKey(problems)),
        (0 | 1, _) => parts.into_iter().next().ok_or(Error::DataKey(problems)),
        (_, found) if found < threshold.max(1) => {
            let groups = groups.len();
            problems.insert(0, format!("{found} of {groups} key groups were opened, {threshold} are needed"));
            Err(Error::DataKey(problems))
        }
        _ => shamir::combine(&parts).ok_or_else(|| {
            Error::DataKey(vec!["the parts of the key groups do not fit together".to_owned()])
        }),
    }
}

fn open_group(
    group: &[MasterKey],
    services: &[&dyn KeyService],
    problems: &mut Vec<String>,
) -> Option<DataKey> {
    let rank = |key: &&MasterKey| match key.name {
        KeyName::Age(_) => 0,
        KeyName::Pgp(_) => 1,
        _ => 2,
    };
    let mut keys: Vec<&MasterKey> = group.iter().collect();
    keys.sort_by_key(rank);
    for key in keys {
        let mut served = false;
        for outcome in services.iter().filter_map(|service| service.open(key)) {
            served = true;
            match outcome {
                Ok(part) => return Some(part),
                Err(problem) => problems.push(format!("{}: {problem}", key.name)),
            }
        }
        if !served {
            problems.push(format!("{}: no key service for this kind of key was given", key.name));
        }
    }
    None
}
