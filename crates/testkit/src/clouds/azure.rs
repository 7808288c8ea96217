//! Azure Key Vault, the login that gives tokens for it, and the metadata server of machines.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::safe::Safe;
use super::{Asked, Reply, aws, field};

pub(super) const TENANT: &str = "11111111-2222-3333-4444-555555555555";
pub(super) const CLIENT: &str = "66666666-7777-8888-9999-000000000000";
pub(super) const SECRET: &str = "azure~secret of a test";
const TOKEN: &str = "azure.token-of-a-test";
const LOGIN: &str = "https://login.microsoftonline.com";
const RESOURCE: &str = "https://vault.azure.net";
const KEY: &str = "/keys/sops/0123456789abcdef";

pub(super) fn seal(safe: &Safe, plaintext: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(safe.keep(KEY, "", plaintext))
}

pub(super) fn tokens(asked: &Asked) -> Reply {
    if asked.path.ends_with("/discovery/instance") {
        let host = "login.microsoftonline.com";
        return Reply::json(
            200,
            &json!({
                "tenant_discovery_endpoint": format!("{LOGIN}/{TENANT}/v2.0/.well-known/openid-configuration"),
                "metadata": [{ "preferred_network": host, "preferred_cache": host, "aliases": [host] }],
            }),
        );
    }
    if asked.path.ends_with("/.well-known/openid-configuration") {
        let base = format!("{LOGIN}/{TENANT}");
        return Reply::json(
            200,
            &json!({
                "token_endpoint": format!("{base}/oauth2/v2.0/token"),
                "authorization_endpoint": format!("{base}/oauth2/v2.0/authorize"),
                "issuer": format!("{base}/v2.0"),
            }),
        );
    }
    let known = asked.form("client_secret") == SECRET
        || (asked.form("client_assertion") == aws::IDENTITY
            && asked.form("client_assertion_type").ends_with(":jwt-bearer"));
    let right = asked.path == format!("/{TENANT}/oauth2/v2.0/token")
        && asked.form("client_id") == CLIENT
        && asked.form("scope").starts_with(&format!("{RESOURCE}/.default"));
    if known && right {
        return Reply::json(
            200,
            &json!({ "access_token": TOKEN, "expires_in": 3599, "token_type": "Bearer" }),
        );
    }
    let problem = "AADSTS7000215: Invalid client secret provided.";
    Reply::json(401, &json!({ "error": "invalid_client", "error_description": problem }))
}

pub(super) fn keys(safe: &Safe, asked: &Asked) -> Reply {
    if !asked.bearer(TOKEN) {
        let mut reply =
            Reply::json(401, &json!({ "error": { "code": "Unauthorized", "message": "no token" } }));
        let challenge = format!("Bearer authorization=\"{LOGIN}/{TENANT}\", resource=\"{RESOURCE}\"");
        reply.headers.push(("www-authenticate", challenge));
        return reply;
    }
    let refused = |code: &str| Reply::json(400, &json!({ "error": { "code": code, "message": "refused" } }));
    let Some((key, action)) = asked.path.rsplit_once('/') else { return refused("BadParameter") };
    let body = asked.json();
    let text = |name: &str| body.get(name).and_then(Value::as_str).unwrap_or_default();
    let Ok(bytes) = URL_SAFE_NO_PAD.decode(text("value")) else { return refused("BadParameter") };
    if key != KEY || text("alg") != "RSA-OAEP-256" || !asked.query.contains("api-version=") {
        return refused("KeyNotFound");
    }
    let result = match action {
        "encrypt" => Some(safe.keep(key, "", &bytes)),
        "decrypt" => safe.take(key, "", &bytes),
        _ => None,
    };
    match result {
        Some(bytes) => Reply::json(
            200,
            &json!({ "kid": format!("https://shop.vault.azure.net{key}"), "value": URL_SAFE_NO_PAD.encode(bytes) }),
        ),
        None => refused("BadParameter"),
    }
}

pub(super) fn metadata(asked: &Asked) -> Option<Reply> {
    (asked.path == "/metadata/identity/oauth2/token"
        && asked.header("metadata") == "true"
        && field(&asked.query, "resource") == RESOURCE)
        .then(|| Reply::json(200, &json!({ "access_token": TOKEN, "expires_in": "3599" })))
}
