//! Secrets and variables of a build: `--decrypt` and `--substitute`.
//!
//! In: flags, and the keys that `sops` would find on this machine. Out: a function through which a build's files go,
//! and one for the objects that it made. Plaintext stays in memory; messages name files and keys, never values.

mod age;
mod flags;
mod gpg;
mod values;

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use towpath_clock::SystemClock;
use towpath_cloud::{Blocking, Environment, Keys};
use towpath_failure::{Failure as _, chain};
use towpath_kustomize::Use;
use towpath_sops::{Error, Format, KeyService, input, object, resources};
use towpath_yaml::Node;

use self::age::AgeKeys;
pub use self::flags::Flags;
use self::gpg::Gpg;
use self::values::Values;

/// Why a build was not finished, and what to do.
pub struct Problem {
    /// Without any value.
    pub message: String,
    /// One sentence.
    pub hint: Option<String>,
}

fn json(node: &Node) -> Result<Value, Problem> {
    node.to_json().map_err(|error| Problem { message: format!("{}: {error}", named(node)), hint: None })
}

/// An object as people call it: `Kind/namespace/name`.
fn named(node: &Node) -> String {
    let places: [&[&str]; 3] = [&["kind"], &["metadata", "namespace"], &["metadata", "name"]];
    places.iter().filter_map(|place| node.text_at(place)).collect::<Vec<_>>().join("/")
}

/// Everything that can open a SOPS file. Nothing is looked for before a file needs it.
pub struct Decryption {
    age: AgeKeys,
    gpg: Gpg,
    clouds: Blocking,
    hint: Mutex<Option<String>>,
}

impl Decryption {
    /// With the keys of this process' environment.
    pub fn of_process() -> Self {
        let clouds = Keys::new(Environment::of_process(), Arc::new(SystemClock::default()));
        Self { age: AgeKeys::default(), gpg: Gpg, clouds: Blocking::new(clouds), hint: Mutex::default() }
    }

    /// The bytes of a file to use: its plaintext, or the same where it is not encrypted.
    pub fn file(&self, path: &str, purpose: Use<'_>, bytes: Vec<u8>) -> Result<Vec<u8>, String> {
        let plaintext = match purpose {
            Use::Resource => resources(&bytes, Format::of_path(path), &self.services()),
            Use::Patch => input(&bytes, Format::of_path(path), &self.services()),
            Use::Secret { key } => input(&bytes, Format::of_key(key), &self.services()),
            Use::SecretEnv => {
                let format = Format::of_path(path);
                input(
                    &bytes,
                    if format == Format::Binary { Format::Dotenv } else { format },
                    &self.services(),
                )
            }
            // Flux leaves them alone: what is secret does not belong there.
            Use::ConfigMap { .. } | Use::ConfigMapEnv => Ok(None),
        };
        let plaintext = plaintext.map_err(|error| self.said(&error))?;
        Ok(plaintext.map_or(bytes, |plaintext| plaintext.expose().to_vec()))
    }

    /// An object of the build with what is still encrypted in it decrypted; `None` where nothing is.
    fn object(&self, node: &Node) -> Result<Option<Node>, Problem> {
        let value = json(node)?;
        let decrypted = object(&value, &self.services()).map_err(|error| Problem {
            message: format!("cannot decrypt {}: {}", named(node), chain(&error)),
            hint: error.hint(),
        })?;
        Ok(decrypted.map(|value| Node::from_json(&value)))
    }

    /// What to do about the last error.
    pub fn hint(&self) -> Option<String> {
        self.hint.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn services(&self) -> [&dyn KeyService; 3] {
        [&self.age, &self.gpg, &self.clouds]
    }

    fn said(&self, error: &Error) -> String {
        *self.hint.lock().unwrap_or_else(PoisonError::into_inner) = error.hint();
        chain(error)
    }
}
