//! The same for callers that have no runtime, such as a verb.

use towpath_failure::{Failure as _, chain};
use towpath_sops::{DataKey, KeyService, MasterKey};

use crate::Keys;

/// Opens keys and waits for it.
#[derive(Debug)]
pub struct Blocking(Keys);

impl KeyService for Blocking {
    fn open(&self, key: &MasterKey) -> Option<Result<DataKey, String>> {
        if !Keys::serves(key) {
            return None;
        }
        // A runtime of its own on a thread of its own: the caller may be on one that must not block.
        let opened = std::thread::scope(|scope| scope.spawn(|| self.wait(key)).join());
        match opened {
            Ok(opened) => opened,
            Err(_) => Some(Err("the thread that asked for it ended".to_owned())),
        }
    }
}

impl Blocking {
    /// Around keys.
    pub fn new(keys: Keys) -> Self {
        Self(keys)
    }

    fn wait(&self, key: &MasterKey) -> Option<Result<DataKey, String>> {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => return Some(Err(format!("start a runtime: {error}"))),
        };
        let opened = runtime.block_on(self.0.open(key))?;
        Some(opened.map_err(|error| match error.hint() {
            Some(hint) => format!("{} ({hint})", chain(&error)),
            None => chain(&error),
        }))
    }
}
