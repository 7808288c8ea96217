//! Google Cloud KMS over REST, tokens for a service account, and the metadata server.

use anyhow::{Context as _, Result};
use aws_lc_rs::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use rcgen::{KeyPair, PKCS_RSA_SHA256, PublicKeyData as _};
use serde_json::{Value, json};

use super::safe::Safe;
use super::{Asked, Clouds, Reply};

pub(super) const TOKEN: &str = "ya29.token-of-a-test";

/// A service account with its key.
#[derive(Debug, Default)]
pub(super) struct Account {
    key: String,
    public: Vec<u8>,
}

impl Account {
    pub fn new() -> Result<Self> {
        let key = KeyPair::generate_for(&PKCS_RSA_SHA256).context("make an RSA key")?;
        Ok(Self { key: key.serialize_pem(), public: key.der_bytes().to_vec() })
    }

    pub fn json(&self) -> String {
        let account = json!({
            "type": "service_account", "client_email": "sops@shop.iam", "private_key": self.key,
            "private_key_id": "k1", "token_uri": "https://oauth2.googleapis.com/token",
        });
        account.to_string()
    }

    /// A token for a signed statement, or for a user's refresh token.
    pub fn tokens(&self, asked: &Asked) -> Reply {
        let known = match asked.form("grant_type").as_str() {
            "refresh_token" => {
                asked.form("refresh_token") == "refresh" && asked.form("client_id") == "client"
            }
            _ => self.signed(&asked.form("assertion")).unwrap_or(false),
        };
        if known {
            return Reply::json(
                200,
                &json!({ "access_token": TOKEN, "expires_in": 3599, "token_type": "Bearer" }),
            );
        }
        Reply::json(400, &json!({ "error": "invalid_grant", "error_description": "Invalid JWT Signature." }))
    }

    fn signed(&self, assertion: &str) -> Option<bool> {
        let (text, signature) = assertion.rsplit_once('.')?;
        let claims: Value =
            serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text.split_once('.')?.1).ok()?).ok()?;
        let claim = |name: &str| claims.get(name).and_then(Value::as_str);
        let number = |name: &str| claims.get(name).and_then(Value::as_i64);
        let said = claim("iss") == Some("sops@shop.iam")
            && claim("aud") == Some("https://oauth2.googleapis.com/token")
            && claim("scope").is_some_and(|scope| scope.ends_with("/auth/cloud-platform"))
            && number("exp")? - number("iat")? <= 3600;
        let key = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, &self.public);
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        Some(said && key.verify(text.as_bytes(), &signature).is_ok())
    }
}

pub(super) fn keys(safe: &Safe, asked: &Asked) -> Reply {
    let refused = |status: u16, message: &str| {
        Reply::json(status, &json!({ "error": { "code": status, "message": message, "status": "REFUSED" } }))
    };
    if !asked.bearer(TOKEN) {
        return refused(401, "Request had invalid authentication credentials.");
    }
    let Some((key, "decrypt")) = asked.path.trim_start_matches("/v1/").rsplit_once(':') else {
        return refused(404, "no such method");
    };
    let body = asked.json();
    let ticket = body.get("ciphertext").and_then(Value::as_str).and_then(|text| STANDARD.decode(text).ok());
    match ticket.and_then(|ticket| safe.take(key, "", &ticket)) {
        Some(plaintext) if key == Clouds::GOOGLE => {
            Reply::json(200, &json!({ "plaintext": STANDARD.encode(plaintext) }))
        }
        _ => refused(400, "Decryption failed: the ciphertext is invalid."),
    }
}

pub(super) fn metadata(asked: &Asked) -> Option<Reply> {
    let path = "/computeMetadata/v1/instance/service-accounts/default/token";
    (asked.path == path && asked.header("metadata-flavor") == "Google")
        .then(|| Reply::json(200, &json!({ "access_token": TOKEN, "expires_in": 3599 })))
}
