//! Google Cloud KMS: one `decrypt` of its REST interface.

mod credentials;

use serde_json::json;

use crate::Context;
use crate::cache::{Cache, Token};
use crate::encode::{base64, from_base64};
use crate::error::Error;
use crate::http::{Patience, Request};

const SERVICE: &str = "https://cloudkms.googleapis.com/v1";

pub(crate) async fn open(
    context: &Context,
    cache: &Cache<Token>,
    id: &str,
    encrypted: &str,
) -> Result<Vec<u8>, Error> {
    if !is_resource(id) {
        return Err(Error::Key(format!("no valid resource ID found in \"{id}\"")));
    }
    let bytes = from_base64(encrypted)
        .ok_or_else(|| Error::Key("its encrypted data key is not base64".to_owned()))?;
    let token = cache.get("gcp", context.clock.now(), credentials::find(context)).await?;
    let body = json!({ "ciphertext": base64(&bytes) }).to_string();
    let request = Request::post(format!("{SERVICE}/{id}:decrypt"), "application/json", body);
    let request = request.with("authorization", &format!("Bearer {}", token.0.as_str()));
    let answer = context.http.send("decrypt with GCP KMS", Patience::Service, &request).await?;
    let plaintext = answer.field("/plaintext")?;
    from_base64(&plaintext).ok_or_else(|| answer.without("/plaintext"))
}

/// `projects/P/locations/L/keyRings/R/cryptoKeys/K`, each of letters that need no care in a URL.
fn is_resource(id: &str) -> bool {
    let parts: Vec<&str> = id.split('/').collect();
    let [projects, _, locations, _, rings, _, keys, _] = parts.as_slice() else { return false };
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    [*projects, *locations, *rings, *keys] == ["projects", "locations", "keyRings", "cryptoKeys"]
        && parts
            .iter()
            .all(|part| !part.is_empty() && *part != ".." && *part != "." && part.bytes().all(plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_has_eight_parts() {
        assert!(is_resource("projects/p/locations/global/keyRings/r/cryptoKeys/k"));
        assert!(is_resource("projects/example.com:p/locations/global/keyRings/r/cryptoKeys/k"));
        for id in [
            "",
            "projects/p/locations/global/keyRings/r/cryptoKeys/",
            "projects/p/locations/global/keyRings/r/cryptoKeys/k/cryptoKeyVersions/1",
            "projects/../locations/global/keyRings/r/cryptoKeys/k",
            "projects/p?x/locations/global/keyRings/r/cryptoKeys/k",
        ] {
            assert!(!is_resource(id), "{id}");
        }
    }
}
