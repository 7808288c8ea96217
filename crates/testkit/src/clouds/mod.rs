//! The key services of all clouds on one loopback port, for clients that are the real ones.
//!
//! In: requests to the clouds' own host names through a proxy, with a certificate of ours, and plain ones to the
//! metadata servers of machines. Out: answers as the services give them, after the same checks: signatures, tokens,
//! key names, contexts. A key's ciphertext is a ticket for what was encrypted; nothing is really encrypted.
//!
//! ```text
//! client ──CONNECT──► serve (proxy, TLS) ──► aws | google | azure | vault ──► safe (tickets)
//! client ──plain────►
//! ```

mod aws;
mod azure;
mod google;
mod grpc;
mod safe;
mod serve;
mod signature;
mod vault;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderMap, Method};

use self::safe::Safe;
use crate::background::Background;
use crate::certificate::Authority;
use crate::folder::Folder;

/// The host names that the clouds have here.
const HOSTS: &[&str] = &[
    "kms.eu-west-1.amazonaws.com",
    "sts.eu-west-1.amazonaws.com",
    "cloudkms.googleapis.com",
    "oauth2.googleapis.com",
    "login.microsoftonline.com",
    "shop.vault.azure.net",
    "vault.test",
];

/// Running clouds. They end when this is dropped.
#[derive(Debug)]
pub struct Clouds {
    server: Background,
    folder: Folder,
    state: Arc<State>,
}

/// What all connections share.
#[derive(Debug, Default)]
struct State {
    safe: Safe,
    google: google::Account,
    seen: Mutex<Vec<String>>,
}

/// One request.
struct Asked {
    host: String,
    method: Method,
    path: String,
    query: String,
    headers: HeaderMap,
    body: Bytes,
}

/// One answer.
struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

impl Clouds {
    /// An ARN of AWS KMS that exists here.
    pub const AWS: &str = "arn:aws:kms:eu-west-1:111122223333:key/612d5f00-0000-45e6-aca6-a5b005693a48";
    /// A role that may be taken on.
    pub const AWS_ROLE: &str = "arn:aws:iam::111122223333:role/opener";
    /// A key of Google Cloud KMS that exists here.
    pub const GOOGLE: &str = "projects/shop/locations/global/keyRings/ring/cryptoKeys/sops";
    /// A key of Azure Key Vault that exists here.
    pub const AZURE: &str = "https://shop.vault.azure.net/keys/sops/0123456789abcdef";
    /// A key of Vault's transit engine that exists here.
    pub const VAULT: &str = "https://vault.test:8200/v1/transit/keys/sops";

    /// Starts them.
    pub fn start() -> Result<Self> {
        let folder = Folder::new("clouds")?;
        let authority = Authority::new()?;
        let identity = authority.server(HOSTS, crate::Validity::Valid)?;
        std::fs::write(folder.path().join("authority.pem"), authority.certificate())
            .context("write the authority's certificate")?;
        let state = Arc::new(State { google: google::Account::new()?, ..State::default() });
        let acceptor = serve::acceptor(&identity)?;
        let shared = Arc::clone(&state);
        let server = Background::start("clouds", move |listener| serve::run(listener, acceptor, shared))?;
        Ok(Self { server, folder, state })
    }

    /// The variables that lead a client here: a proxy and an authority, and nobody's home.
    pub fn way(&self) -> BTreeMap<String, String> {
        let authority = self.folder.path().join("authority.pem");
        let home = self.folder.path().to_string_lossy().into_owned();
        let pairs = [
            ("HTTPS_PROXY", format!("http://{}", self.server.address())),
            ("SSL_CERT_FILE", authority.to_string_lossy().into_owned()),
            ("HOME", home.clone()),
            ("XDG_CONFIG_HOME", home),
            ("AWS_EC2_METADATA_DISABLED", "true".to_owned()),
        ];
        pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// The way, and credentials for every cloud in variables.
    pub fn variables(&self) -> BTreeMap<String, String> {
        let pairs = [
            ("AWS_ACCESS_KEY_ID", aws::ID.to_owned()),
            ("AWS_SECRET_ACCESS_KEY", aws::SECRET.to_owned()),
            ("GOOGLE_OAUTH_ACCESS_TOKEN", google::TOKEN.to_owned()),
            ("AZURE_TENANT_ID", azure::TENANT.to_owned()),
            ("AZURE_CLIENT_ID", azure::CLIENT.to_owned()),
            ("AZURE_CLIENT_SECRET", azure::SECRET.to_owned()),
            ("VAULT_TOKEN", vault::TOKEN.to_owned()),
        ];
        let mut all = self.way();
        all.extend(pairs.map(|(name, value)| (name.to_owned(), value)));
        all
    }

    /// A plaintext that is encrypted for one of the keys above, as a SOPS file has it. AWS' has no context.
    pub fn seal(&self, key: &str, plaintext: &[u8]) -> String {
        match key {
            Self::AWS | Self::GOOGLE => STANDARD.encode(self.state.safe.keep(key, "", plaintext)),
            Self::AZURE => azure::seal(&self.state.safe, plaintext),
            _ => vault::seal(&self.state.safe, plaintext),
        }
    }

    /// A service account's key of Google Cloud, as JSON.
    pub fn google_account(&self) -> String {
        self.state.google.json()
    }

    /// A token that AWS and Azure take for a workload's identity.
    pub fn identity_token(&self) -> &'static str {
        aws::IDENTITY
    }

    /// Where the metadata servers are, `127.0.0.1:PORT`.
    pub fn metadata(&self) -> String {
        self.server.address().to_string()
    }

    /// What was asked so far: `METHOD host/path`, with the answer's status.
    pub fn seen(&self) -> Vec<String> {
        self.state.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl State {
    /// Finds the service by the host, and answers.
    fn answer(&self, asked: &Asked) -> Reply {
        let host = asked.host.split(':').next().unwrap_or_default();
        let reply = match host {
            "kms.eu-west-1.amazonaws.com" => aws::keys(&self.safe, asked),
            "sts.eu-west-1.amazonaws.com" => aws::roles(asked),
            "cloudkms.googleapis.com" => google::keys(&self.safe, asked),
            "oauth2.googleapis.com" => self.google.tokens(asked),
            "login.microsoftonline.com" => azure::tokens(asked),
            "shop.vault.azure.net" => azure::keys(&self.safe, asked),
            "vault.test" => vault::keys(&self.safe, asked),
            _ => aws::metadata(asked)
                .or_else(|| google::metadata(asked))
                .or_else(|| azure::metadata(asked))
                .unwrap_or_else(|| Reply::json(404, &serde_json::json!({ "message": "nothing here" }))),
        };
        let line = format!("{} {}{} {}", asked.method, asked.host, asked.path, reply.status);
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        reply
    }
}

impl Asked {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// A field of a form in the body.
    fn form(&self, name: &str) -> String {
        field(&String::from_utf8_lossy(&self.body), name)
    }

    fn bearer(&self, token: &str) -> bool {
        self.header("authorization") == format!("Bearer {token}")
    }
}

impl Reply {
    fn json(status: u16, body: &serde_json::Value) -> Self {
        Self::text(status, "application/json", body.to_string())
    }

    fn text(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: vec![("content-type", kind.to_owned())], body: body.into() }
    }
}

/// A field of `a=b&c=d`, decoded.
fn field(text: &str, name: &str) -> String {
    let value = text.split('&').find_map(|pair| pair.split_once('=').filter(|(key, _)| *key == name));
    let mut bytes = value.map_or("", |(_, value)| value).bytes();
    let mut decoded = Vec::new();
    while let Some(byte) = bytes.next() {
        let hex = |bytes: &mut std::str::Bytes<'_>| char::from(bytes.next()?).to_digit(16);
        decoded.push(match byte {
            b'+' => b' ',
            b'%' => match (hex(&mut bytes), hex(&mut bytes)) {
                (Some(high), Some(low)) => u8::try_from(high * 16 + low).unwrap_or_default(),
                _ => b'%',
            },
            other => other,
        });
    }
    String::from_utf8_lossy(&decoded).into_owned()
}
