//! Vault's transit engine.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::safe::Safe;
use super::{Asked, Reply};

pub(super) const TOKEN: &str = "hvs.token-of-a-test";

pub(super) fn seal(safe: &Safe, plaintext: &[u8]) -> String {
    format!("vault:v1:{}", STANDARD.encode(safe.keep("transit/sops", "", plaintext)))
}

pub(super) fn keys(safe: &Safe, asked: &Asked) -> Reply {
    let refused = |status: u16, message: &str| Reply::json(status, &json!({ "errors": [message] }));
    if asked.header("x-vault-token") != TOKEN {
        return refused(403, "permission denied");
    }
    let body = asked.json();
    let text = |name: &str| body.get(name).and_then(Value::as_str).unwrap_or_default();
    match (asked.method.as_str(), asked.path.as_str()) {
        ("PUT", "/v1/transit/encrypt/sops") => {
            let ciphertext = seal(safe, &STANDARD.decode(text("plaintext")).unwrap_or_default());
            Reply::json(200, &json!({ "data": { "ciphertext": ciphertext } }))
        }
        ("PUT", "/v1/transit/decrypt/sops") => {
            let ticket =
                text("ciphertext").strip_prefix("vault:v1:").and_then(|text| STANDARD.decode(text).ok());
            match ticket.and_then(|ticket| safe.take("transit/sops", "", &ticket)) {
                Some(plaintext) => {
                    Reply::json(200, &json!({ "data": { "plaintext": STANDARD.encode(plaintext) } }))
                }
                None => refused(400, "invalid ciphertext: unable to decrypt"),
            }
        }
        _ => refused(404, "no handler for route"),
    }
}
