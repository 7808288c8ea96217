//! Vault's transit engine, and OpenBao's.
//!
//! The token goes to the address that the file names, as in SOPS. Where `VAULT_ADDR` is set, the two must be the
//! same server: a foreign file must not be able to send our token elsewhere.

use ::http::Method;
use ::http::uri::Uri;
use serde_json::json;
use zeroize::Zeroizing;

use crate::Context;
use crate::encode::{from_base64, percent};
use crate::environment::{self, Environment};
use crate::error::Error;
use crate::http::{Patience, Request};

const ACTION: &str = "decrypt with Vault's transit engine";

pub(crate) struct Key<'k> {
    pub address: &'k str,
    pub engine: &'k str,
    pub name: &'k str,
}

pub(crate) async fn open(context: &Context, key: &Key<'_>, encrypted: &str) -> Result<Vec<u8>, Error> {
    let body = json!({ "ciphertext": encrypted }).to_string();
    let url = url(key, context.environment.get("VAULT_ADDR"))?;
    let token = token(&context.environment)?;
    let mut request = Request::post(url, "application/json", body)
        .with("x-vault-request", "true")
        .with("x-vault-token", &token);
    // As Vault's own client writes.
    request.method = Method::PUT;
    if let Some(namespace) = context.environment.get("VAULT_NAMESPACE") {
        request = request.with("x-vault-namespace", namespace);
    }
    let answer = context.http.send(ACTION, Patience::Service, &request).await?;
    let plaintext = answer.field("/data/plaintext")?;
    from_base64(&plaintext).ok_or_else(|| answer.without("/data/plaintext"))
}

fn url(key: &Key<'_>, ours: Option<&str>) -> Result<String, Error> {
    let address = if key.address.is_empty() { ours.unwrap_or_default() } else { key.address };
    let origin = |address: &str| {
        let uri: Uri = address.parse().ok()?;
        let (scheme, host) = (uri.scheme_str()?.to_owned(), uri.host()?.to_lowercase());
        let usual = if scheme == "https" { 443 } else { 80 };
        Some((scheme, host, uri.port_u16().unwrap_or(usual)))
    };
    let theirs = origin(address)
        .filter(|(scheme, ..)| scheme == "https" || scheme == "http")
        .ok_or_else(|| Error::Key(format!("`{address}` is no address of a Vault server")))?;
    if let Some(ours) = ours
        && origin(ours).is_none_or(|ours| ours != theirs)
    {
        return Err(Error::credentials(
            format!("the file names the Vault server {address}, but VAULT_ADDR is {ours}"),
            "unset VAULT_ADDR if your token may go to the server that the file names",
        ));
    }
    let engine: Vec<String> = key.engine.split('/').filter(|part| !part.is_empty()).map(percent).collect();
    let dots = |part: &str| part == "." || part == "..";
    if engine.is_empty() || key.name.is_empty() || dots(key.name) || engine.iter().any(|part| dots(part)) {
        return Err(Error::Key(format!("`{}/decrypt/{}` is no path of a transit key", key.engine, key.name)));
    }
    Ok(format!("{}/v1/{}/decrypt/{}", address.trim_end_matches('/'), engine.join("/"), percent(key.name)))
}

fn token(environment: &Environment) -> Result<Zeroizing<String>, Error> {
    if let Some(token) = environment.get("VAULT_TOKEN") {
        return Ok(Zeroizing::new(token.to_owned()));
    }
    let file = match environment.at_home(".vault-token") {
        Some(path) => environment::file_if_any(&path)?,
        None => None,
    };
    let token = file.map(|text| Zeroizing::new(text.trim().to_owned())).filter(|token| !token.is_empty());
    token.ok_or_else(|| {
        Error::credentials("there is no Vault token", "set VAULT_TOKEN, or log in with `vault login`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(address: &str, engine: &str, name: &str, ours: Option<&str>) -> Result<String, String> {
        url(&Key { address, engine, name }, ours).map_err(|error| error.to_string())
    }

    #[test]
    fn the_path_is_that_of_the_engine() {
        let expected = "https://v:8200/v1/a/transit/decrypt/k%20y";
        assert_eq!(at("https://v:8200/", "/a/transit", "k y", None).unwrap(), expected);
        assert!(
            at("https://v:8200", "a/../sys", "k", None).unwrap_err().contains("no path of a transit key")
        );
        assert!(at("https://v:8200", "transit", "..", None).is_err());
        assert_eq!(
            at("file:///etc", "transit", "k", None).unwrap_err(),
            "`file:///etc` is no address of a Vault server"
        );
    }

    #[test]
    fn a_token_does_not_go_to_a_foreign_server() {
        assert!(at("https://v", "transit", "k", Some("https://V:443/")).is_ok());
        assert!(at("", "transit", "k", Some("https://v")).is_ok());
        let error = at("https://evil", "transit", "k", Some("https://v")).unwrap_err();
        assert_eq!(error, "the file names the Vault server https://evil, but VAULT_ADDR is https://v");
        assert!(at("http://v", "transit", "k", Some("https://v")).is_err());
    }
}
