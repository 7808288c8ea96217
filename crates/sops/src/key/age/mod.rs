//! Age files, as SOPS wraps a data key: <https://age-encryption.org/v1>.
//!
//! In: private keys, age's own or SSH's, and an armoured file. Out: what is in it. Only what SOPS needs: small files
//! in memory. The parts (X25519, RSA, HKDF, HMAC, ChaCha20-Poly1305) are those of the TLS provider.

mod bech32;
mod curve;
mod der;
mod file;
mod ssh;

use std::fmt;

use zeroize::Zeroizing;

use self::curve::Curve;
use self::file::{Header, Stanza};
use self::ssh::Ssh;
use super::{DataKey, KeyName, KeyService, MasterKey};

/// Age identities: the private keys.
#[derive(Default)]
pub struct Age {
    identities: Vec<Identity>,
}

enum Identity {
    Own(Curve),
    Ssh(Ssh),
}

impl Age {
    /// Reads a key file: one `AGE-SECRET-KEY-1…` on a line, `#` comments and empty lines between. The error
    /// names the line, never the key.
    pub fn from_keys(text: &str) -> Result<Self, String> {
        let mut identities = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let problem = |problem: &str| format!("line {} of the age keys: {problem}", index + 1);
            match bech32::decode(line) {
                Some((word, secret)) if word == "age-secret-key-" => {
                    let key = Curve::own(&secret).ok_or_else(|| problem("not an X25519 key"))?;
                    identities.push(Identity::Own(key));
                }
                Some((word, _)) => {
                    return Err(problem(&format!("a key of the kind `{word}` is not supported")));
                }
                None => return Err(problem("not an age key, or mistyped")),
            }
        }
        Ok(Self { identities })
    }

    /// Reads a private key file of SSH, Ed25519 or RSA, without a passphrase. The error never quotes it.
    pub fn from_ssh_key(text: &str) -> Result<Self, &'static str> {
        Ok(Self { identities: vec![Identity::Ssh(Ssh::from_file(text)?)] })
    }

    /// Takes over another's keys.
    pub fn extend(&mut self, other: Self) {
        self.identities.extend(other.identities);
    }

    fn decrypt(&self, file: &str) -> Result<Zeroizing<Vec<u8>>, &'static str> {
        let bytes = file::unarmour(file).ok_or("its encrypted part is no armoured age file")?;
        let header = Header::of(&bytes).ok_or("its encrypted part has no age header that can be read")?;
        let file_key = self
            .identities
            .iter()
            .flat_map(|identity| header.stanzas.iter().filter_map(|stanza| identity.unwrap(stanza)))
            .next()
            .ok_or("none of the given age keys fits")?;
        header.decrypt(&file_key)
    }
}

impl Identity {
    /// The file key, if the stanza is for this identity.
    fn unwrap(&self, stanza: &Stanza) -> Option<Zeroizing<Vec<u8>>> {
        match (self, stanza.arguments.as_slice()) {
            (Self::Own(key), [kind, _]) if kind == "X25519" => key.unwrap(stanza),
            (Self::Ssh(key), _) => key.unwrap(stanza),
            _ => None,
        }
    }
}

impl KeyService for Age {
    fn open(&self, key: &MasterKey) -> Option<Result<DataKey, String>> {
        match key.name {
            KeyName::Age(_) if self.identities.is_empty() => None,
            KeyName::Age(_) => {
                let opened = self.decrypt(&key.encrypted);
                Some(opened.map(|bytes| DataKey::new(bytes.to_vec())).map_err(str::to_owned))
            }
            _ => None,
        }
    }
}

impl fmt::Debug for Age {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Age with {} keys", self.identities.len())
    }
}
