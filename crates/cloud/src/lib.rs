//! Key services of clouds: AWS KMS, Google Cloud KMS, Azure Key Vault and Vault's transit engine.
//!
//! In: a [`MasterKey`] of a SOPS file, and the [`Environment`] in which credentials are found as the tools of each
//! cloud find them. Out: the [`DataKey`], or an [`Error`] that holds nothing secret. One request for each key, and
//! what it takes to get a token before it; tokens are kept until shortly before they end. Never a program, and
//! nothing is written.
//!
//! ```text
//! MasterKey -> aws | gcp | azure | vault -> credentials (environment, files, metadata servers, token services)
//!                                        -> one signed request -> DataKey
//! ```

mod aws;
mod azure;
mod blocking;
mod cache;
mod encode;
mod environment;
mod error;
mod gcp;
mod http;
mod vault;

use std::fmt;
use std::sync::Arc;

use towpath_clock::Clock;
use towpath_sops::{DataKey, KeyName, MasterKey};

pub use blocking::Blocking;
pub use environment::Environment;
pub use error::Error;

use crate::cache::Cache;
use crate::http::Http;

/// Opens data keys with the key services of clouds.
pub struct Keys {
    context: Context,
    aws: Cache<aws::Credentials>,
    tokens: Cache<cache::Token>,
}

/// What every cloud needs.
pub(crate) struct Context {
    environment: Environment,
    http: Http,
    clock: Arc<dyn Clock>,
}

impl Keys {
    /// With what an environment offers. Nothing is read or asked before a key is to be opened.
    pub fn new(environment: Environment, clock: Arc<dyn Clock>) -> Self {
        let http = Http::new(&environment);
        let context = Context { environment, http, clock };
        Self { context, aws: Cache::default(), tokens: Cache::default() }
    }

    /// Whether a key is kept by a cloud.
    pub fn serves(key: &MasterKey) -> bool {
        !matches!(key.name, KeyName::Age(_) | KeyName::Pgp(_))
    }

    /// The data key, or its part; `None` where the key is not kept by a cloud.
    pub async fn open(&self, key: &MasterKey) -> Option<Result<DataKey, Error>> {
        let (context, encrypted) = (&self.context, key.encrypted.as_str());
        let opened = match &key.name {
            KeyName::AwsKms { arn, role, profile, context: pairs } => {
                let key = aws::Key { arn, role, profile, context: pairs };
                aws::open(context, &self.aws, &key, encrypted).await
            }
            KeyName::GcpKms(id) => gcp::open(context, &self.tokens, id, encrypted).await,
            KeyName::AzureKeyVault { vault, name, version } => {
                let key = azure::Key { vault, name, version };
                azure::open(context, &self.tokens, &key, encrypted).await
            }
            KeyName::Vault { address, engine, name } => {
                let key = vault::Key { address, engine, name };
                vault::open(context, &key, encrypted).await
            }
            KeyName::Age(_) | KeyName::Pgp(_) => return None,
        };
        Some(opened.map(DataKey::new))
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keys").field("environment", &self.context.environment).finish_non_exhaustive()
    }
}
