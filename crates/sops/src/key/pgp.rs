//! OpenPGP messages, as SOPS wraps a data key for a PGP key.

use std::fmt;

use pgp::composed::{Deserializable as _, Message, SignedSecretKey};
use pgp::types::{KeyDetails as _, Password};

use super::{DataKey, KeyName, KeyService, MasterKey};

/// OpenPGP private keys without a passphrase.
#[derive(Default)]
pub struct Pgp {
    keys: Vec<SignedSecretKey>,
}

impl Pgp {
    /// Reads armoured private keys, one block or several. The error never quotes them.
    pub fn from_keys(armoured: &str) -> Result<Self, String> {
        let (keys, _) = SignedSecretKey::from_string_many(armoured)
            .map_err(|_| "not armoured OpenPGP private keys".to_owned())?;
        let keys =
            keys.collect::<Result<Vec<_>, _>>().map_err(|_| "an OpenPGP private key is broken".to_owned())?;
        if keys.is_empty() {
            return Err("no OpenPGP private key in the text".into());
        }
        Ok(Self { keys })
    }

    /// Takes over another's keys.
    pub fn extend(&mut self, other: Self) {
        self.keys.extend(other.keys);
    }

    fn decrypt(&self, message: &str) -> Result<Vec<u8>, String> {
        for key in &self.keys {
            let (message, _) =
                Message::from_string(message).map_err(|_| "its encrypted part is no OpenPGP message")?;
            let Ok(mut opened) = message.decrypt(&Password::empty(), key) else { continue };
            if opened.is_compressed() {
                opened = opened.decompress().map_err(|_| "its OpenPGP message cannot be unpacked")?;
            }
            return opened.as_data_vec().map_err(|_| "its OpenPGP message was changed".to_owned());
        }
        Err("none of the given OpenPGP keys fits, or it has a passphrase".into())
    }
}

impl KeyService for Pgp {
    fn open(&self, key: &MasterKey) -> Option<Result<DataKey, String>> {
        match key.name {
            KeyName::Pgp(_) if self.keys.is_empty() => None,
            KeyName::Pgp(_) => Some(self.decrypt(&key.encrypted).map(DataKey::new)),
            _ => None,
        }
    }
}

impl fmt::Debug for Pgp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.keys.iter().map(|key| key.fingerprint())).finish()
    }
}
