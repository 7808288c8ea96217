//! Azure Key Vault: one `decrypt` with the version of the key that the file names.

mod credentials;

use ::http::Uri;
use serde_json::json;

use crate::Context;
use crate::cache::{Cache, Token};
use crate::encode::{base64_url, from_base64_url, percent};
use crate::error::Error;
use crate::http::{Patience, Request};

const VERSION: &str = "7.4";

pub(crate) struct Key<'k> {
    pub vault: &'k str,
    pub name: &'k str,
    pub version: &'k str,
}

pub(crate) async fn open(
    context: &Context,
    cache: &Cache<Token>,
    key: &Key<'_>,
    encrypted: &str,
) -> Result<Vec<u8>, Error> {
    let resource = resource(key.vault)
        .ok_or_else(|| Error::Key(format!("`{}` is no address of an Azure Key Vault", key.vault)))?;
    if key.name.is_empty() || key.version.is_empty() {
        return Err(Error::Key("the name or the version of the Azure key is missing".to_owned()));
    }
    let bytes = from_base64_url(encrypted)
        .ok_or_else(|| Error::Key("its encrypted data key is not base64".to_owned()))?;
    let token = cache.get(&resource, context.clock.now(), credentials::find(context, &resource)).await?;
    let (vault, name, version) = (key.vault.trim_end_matches('/'), percent(key.name), percent(key.version));
    let url = format!("{vault}/keys/{name}/{version}/decrypt?api-version={VERSION}");
    let body = json!({ "alg": "RSA-OAEP-256", "value": base64_url(&bytes) }).to_string();
    let request = Request::post(url, "application/json", body);
    let request = request.with("authorization", &format!("Bearer {}", token.0.as_str()));
    let answer = context.http.send("decrypt with Azure Key Vault", Patience::Service, &request).await?;
    let plaintext = answer.field("/value")?;
    from_base64_url(&plaintext).ok_or_else(|| answer.without("/value"))
}

/// What a token must be for: the domain that all vaults of a cloud have in common. A token for another domain is
/// of no use at a vault, so a foreign file cannot make us send a useful one elsewhere.
fn resource(vault: &str) -> Option<String> {
    let uri: Uri = vault.parse().ok()?;
    let (_, domain) = uri.host()?.split_once('.')?;
    let bare = uri.path().trim_end_matches('/').is_empty() && uri.query().is_none();
    (uri.scheme_str() == Some("https") && bare && domain.contains('.')).then(|| format!("https://{domain}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_resource_is_the_domain_of_the_vault() {
        assert_eq!(resource("https://shop.vault.azure.net").as_deref(), Some("https://vault.azure.net"));
        assert_eq!(resource("https://shop.vault.azure.cn/").as_deref(), Some("https://vault.azure.cn"));
        for vault in
            ["", "http://shop.vault.azure.net", "https://localhost", "https://shop.vault.azure.net/x"]
        {
            assert_eq!(resource(vault), None, "{vault}");
        }
    }
}
