//! Tokens of Google Cloud, found as SOPS and Google's own libraries find them.
//!
//! ```text
//! GOOGLE_CREDENTIALS (JSON or a file) ► GOOGLE_OAUTH_ACCESS_TOKEN ► GOOGLE_APPLICATION_CREDENTIALS
//!   ► the file that `gcloud auth application-default login` writes ► the metadata server
//! ```

use std::path::{Path, PathBuf};

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use jiff::Timestamp;
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject as _;
use serde::Deserialize;
use serde_json::json;
use zeroize::Zeroizing;

use crate::Context;
use crate::cache::{Lease, Token};
use crate::encode::{base64_url, form};
use crate::environment::{self, Environment};
use crate::error::Error;
use crate::http::{Answer, Patience, Request};

const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";
const TOKENS: &str = "https://oauth2.googleapis.com/token";
const METADATA: &str = "metadata.google.internal";
const FORM: &str = "application/x-www-form-urlencoded";
const ACTION: &str = "get a Google Cloud token";

/// A file of credentials. There is no `Debug`: it is secret.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Stored {
    #[serde(rename = "type")]
    kind: String,
    client_email: String,
    private_key: Zeroizing<String>,
    private_key_id: String,
    token_uri: String,
    client_id: String,
    client_secret: Zeroizing<String>,
    refresh_token: Zeroizing<String>,
}

pub(super) async fn find(context: &Context) -> Result<Lease<Token>, Error> {
    let environment = &context.environment;
    if let Some(given) = environment.get("GOOGLE_CREDENTIALS") {
        let path = Path::new(given);
        let text = if path.exists() { environment::file(path)? } else { Zeroizing::new(given.to_owned()) };
        return exchange(context, &text, "GOOGLE_CREDENTIALS").await;
    }
    if let Some(token) = environment.get("GOOGLE_OAUTH_ACCESS_TOKEN") {
        return Ok(Lease { value: Token(Zeroizing::new(token.to_owned())), until: None });
    }
    if let Some(path) = environment.get("GOOGLE_APPLICATION_CREDENTIALS") {
        return exchange(context, &environment::file(Path::new(path))?, path).await;
    }
    if let Some(path) = well_known(environment)
        && let Some(text) = environment::file_if_any(&path)?
    {
        return exchange(context, &text, &path.to_string_lossy()).await;
    }
    metadata(context).await
}

fn well_known(environment: &Environment) -> Option<PathBuf> {
    let folder = environment.get("CLOUDSDK_CONFIG").map(PathBuf::from);
    let folder = folder.or_else(|| environment.at_home(".config/gcloud"))?;
    Some(folder.join("application_default_credentials.json"))
}

async fn exchange(context: &Context, text: &str, place: &str) -> Result<Lease<Token>, Error> {
    let unreadable =
        || Error::Credentials { problem: format!("{place}: no credentials of Google Cloud"), hint: None };
    let stored: Stored = serde_json::from_str(text).map_err(|_| unreadable())?;
    let url = if stored.token_uri.is_empty() { TOKENS } else { &stored.token_uri };
    let now = context.clock.now();
    let body = match stored.kind.as_str() {
        "service_account" => {
            let assertion = assertion(&stored, url, now).ok_or_else(|| Error::Credentials {
                problem: format!("{place}: its private key cannot be used"),
                hint: None,
            })?;
            form(&[("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", &assertion)])
        }
        "authorized_user" => form(&[
            ("grant_type", "refresh_token"),
            ("client_id", &stored.client_id),
            ("client_secret", &stored.client_secret),
            ("refresh_token", &stored.refresh_token),
        ]),
        "" => return Err(unreadable()),
        other => {
            return Err(Error::credentials(
                format!("{place}: credentials of the type `{other}` are not supported"),
                "set GOOGLE_OAUTH_ACCESS_TOKEN to what `gcloud auth print-access-token` prints",
            ));
        }
    };
    let answer = context.http.send(ACTION, Patience::Service, &Request::post(url, FORM, body)).await?;
    lease(&answer, now)
}

/// A statement of who we are, signed with the account's key.
fn assertion(stored: &Stored, audience: &str, now: Timestamp) -> Option<Zeroizing<String>> {
    let key = match PrivateKeyDer::from_pem_slice(stored.private_key.as_bytes()).ok()? {
        PrivateKeyDer::Pkcs8(key) => RsaKeyPair::from_pkcs8(key.secret_pkcs8_der()).ok()?,
        PrivateKeyDer::Pkcs1(key) => RsaKeyPair::from_der(key.secret_pkcs1_der()).ok()?,
        _ => return None,
    };
    let head = json!({ "alg": "RS256", "typ": "JWT", "kid": stored.private_key_id });
    let claims = json!({
        "iss": stored.client_email, "scope": SCOPE, "aud": audience,
        "iat": now.as_second(), "exp": now.as_second() + 3600,
    });
    let part = |value: &serde_json::Value| base64_url(value.to_string().as_bytes());
    let text = format!("{}.{}", part(&head), part(&claims));
    let mut signature = vec![0; key.public_modulus_len()];
    key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), text.as_bytes(), &mut signature).ok()?;
    Some(Zeroizing::new(format!("{text}.{}", base64_url(&signature))))
}

async fn metadata(context: &Context) -> Result<Lease<Token>, Error> {
    let host = context.environment.get("GCE_METADATA_HOST").unwrap_or(METADATA);
    let url = format!("http://{host}/computeMetadata/v1/instance/service-accounts/default/token");
    let request = Request::get(url).with("metadata-flavor", "Google");
    let answer = context.http.send(ACTION, Patience::Metadata, &request).await.map_err(|error| match error {
        Error::Unreachable { .. } => Error::credentials(
            "there are no Google Cloud credentials, and no metadata server",
            "set GOOGLE_APPLICATION_CREDENTIALS to a service account's key, or run `gcloud auth application-default login`",
        ),
        other => other,
    })?;
    lease(&answer, context.clock.now())
}

fn lease(answer: &Answer, now: Timestamp) -> Result<Lease<Token>, Error> {
    let token = Token(answer.field("/access_token")?);
    Ok(Lease::for_seconds(token, now, answer.number("/expires_in").unwrap_or(0)))
}
