//! Decrypts and verifies SOPS files, given keys.
//!
//! In: the bytes of a file, its [`Format`], and key services. Out: the [`Plaintext`], byte for byte what
//! `sops decrypt` prints, or an [`Error`] that holds nothing secret. A file whose MAC is missing or does not fit
//! is refused. Never any file, clock or network: services that need one implement [`KeyService`] elsewhere, or
//! look at [`File::metadata`] and bring the [`DataKey`] themselves. [`resources`], [`input`] and [`object`] do it
//! for what a build reads and makes, by Flux's rules.
//!
//! ```text
//! bytes -> store::read -> tree + metadata -> key -> walk (cipher, MAC) -> store::write -> Plaintext
//! ```

mod cipher;
mod error;
mod expression;
mod flat;
mod format;
mod key;
mod manifest;
mod metadata;
mod number;
mod store;
mod tree;
mod walk;

use std::fmt;

pub use error::Error;
pub use format::Format;
#[cfg(feature = "pgp")]
pub use key::Pgp;
pub use key::{Age, DataKey, KeyName, KeyService, MasterKey};
pub use manifest::{input, object, resources};
pub use metadata::Metadata;

use zeroize::Zeroizing;

use crate::store::Stored;
use crate::tree::{Branch, Value};

/// Whether a file must be as it was encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mac {
    /// Its MAC must be there and fit.
    Verified,
    /// Only each value by itself is verified: for what is no file any more, such as a built object.
    Ignored,
}

/// A SOPS file as it is stored.
pub struct File {
    stored: Stored,
}

impl File {
    /// Reads a file.
    pub fn read(bytes: &[u8], format: Format) -> Result<Self, Error> {
        Ok(Self { stored: store::read(bytes, format)? })
    }

    /// Its keys and rules.
    pub fn metadata(&self) -> &Metadata {
        &self.stored.metadata
    }

    /// Its data key, by the first service that can open it.
    pub fn data_key(&self, services: &[&dyn KeyService]) -> Result<DataKey, Error> {
        let metadata = &self.stored.metadata;
        key::data_key(&metadata.groups, metadata.threshold, services)
    }

    /// Decrypts all values.
    pub fn decrypt(self, key: &DataKey, mac: Mac) -> Result<Decrypted, Error> {
        let Stored { metadata, mut branches } = self.stored;
        let computed = walk::decrypt(&mut branches, &metadata, key)?;
        if mac == Mac::Verified {
            if metadata.mac.is_empty() {
                return Err(Error::NoMac);
            }
            let stored = cipher::decrypt(metadata.mac.as_bytes(), key, metadata.last_modified.as_bytes());
            match stored.map_err(Error::BrokenMac)? {
                Value::Text(stored) if stored == computed.as_bytes() => {}
                _ => return Err(Error::MacMismatch),
            }
        }
        Ok(Decrypted { branches })
    }
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("File").field("metadata", &self.stored.metadata).finish_non_exhaustive()
    }
}

/// A decrypted file before it is written.
pub struct Decrypted {
    branches: Vec<Branch>,
}

impl Decrypted {
    /// Writes it in a format, mostly that of the file.
    pub fn write(&self, format: Format) -> Result<Plaintext, Error> {
        store::write(&self.branches, format).map(|bytes| Plaintext(Zeroizing::new(bytes)))
    }
}

impl Drop for Decrypted {
    fn drop(&mut self) {
        self.branches.iter_mut().for_each(tree::wipe);
    }
}

impl fmt::Debug for Decrypted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Decrypted")
    }
}

/// Secret bytes: shown by nothing but [`Plaintext::expose`], and wiped in the end.
#[derive(Clone, PartialEq, Eq)]
pub struct Plaintext(Zeroizing<Vec<u8>>);

impl Plaintext {
    /// The bytes themselves.
    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Plaintext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} secret bytes", self.0.len())
    }
}

/// Decrypts a file into its own format.
pub fn decrypt(bytes: &[u8], format: Format, services: &[&dyn KeyService]) -> Result<Plaintext, Error> {
    let file = File::read(bytes, format)?;
    let key = file.data_key(services)?;
    file.decrypt(&key, Mac::Verified)?.write(format)
}
