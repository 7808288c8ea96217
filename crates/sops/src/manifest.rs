//! SOPS in what a build of manifests reads and makes, by Flux's rules.
//!
//! In: a file with its format, or a built object. Out: the plaintext, or nothing where nothing is encrypted. Files
//! are as they were stored, so their MAC is verified. What shows up only in a built object was perhaps changed by
//! the build, and only its values are: <https://fluxcd.io/flux/components/kustomize/kustomizations/#decryption>

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use towpath_yaml::{Dialect, Limits, Node};
use zeroize::Zeroizing;

use crate::error::Error;
use crate::format::Format;
use crate::key::KeyService;
use crate::store::documents;
use crate::{File, Mac, Plaintext, decrypt};

/// The annotation by which an object opts out.
const DECRYPT: &str = "kustomize.toolkit.fluxcd.io/decrypt";

/// Decrypts a file that a generator or a patch reads; `None` where it does not look encrypted.
pub fn input(bytes: &[u8], format: Format, services: &[&dyn KeyService]) -> Result<Option<Plaintext>, Error> {
    if format.marks(bytes) { decrypt(bytes, format, services).map(Some) } else { Ok(None) }
}

/// Decrypts a file of objects, YAML or JSON; `None` where nothing is to be done. A YAML file may be one that SOPS
/// made, or several of them and plain ones behind each other, each with a MAC of its own. An object that opts out
/// stays as it is.
pub fn resources(
    bytes: &[u8],
    format: Format,
    services: &[&dyn KeyService],
) -> Result<Option<Plaintext>, Error> {
    if format != Format::Yaml {
        let opted_out = || serde_json::from_slice(bytes).is_ok_and(|value| opts_out(&value));
        return if format.marks(bytes) && opted_out() { Ok(None) } else { input(bytes, format, services) };
    }
    if !format.marks(bytes) {
        return Ok(None);
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return input(bytes, format, services) };
    let parts: Vec<(&str, Option<Value>)> =
        documents(text).into_iter().map(|part| (part, metadata(part))).collect();
    let mut encrypted = parts.iter().filter_map(|(_, metadata)| metadata.as_ref());
    let first = encrypted.next();
    if first.is_some() && parts.iter().all(|(_, metadata)| metadata.as_ref() == first) {
        return decrypt(bytes, format, services).map(Some);
    }
    let mut whole = Zeroizing::new(Vec::with_capacity(bytes.len()));
    for (part, metadata) in parts {
        if metadata.is_none() {
            whole.extend_from_slice(part.as_bytes());
        } else {
            whole.extend_from_slice(b"---\n");
            whole.extend_from_slice(decrypt(part.as_bytes(), format, services)?.expose());
        }
    }
    Ok(Some(Plaintext(whole)))
}

/// The `sops` part of a document that is to be decrypted. What cannot be read is left to the reader of manifests,
/// which says why.
fn metadata(part: &str) -> Option<Value> {
    let nodes = towpath_yaml::read(part.as_bytes(), Dialect::V3, &Limits::default()).ok()?;
    let [node]: &[Node] = nodes.as_slice() else { return None };
    let value = node.to_json().ok()?;
    if opts_out(&value) { None } else { value.get("sops").cloned() }
}

fn opts_out(object: &Value) -> bool {
    let annotation = object.get("metadata").and_then(|metadata| metadata.get("annotations"));
    let annotation = annotation.and_then(|annotations| annotations.get(DECRYPT)).and_then(Value::as_str);
    annotation.is_some_and(|value| value.eq_ignore_ascii_case("disabled"))
}

/// Decrypts what is encrypted in a built object; `None` where nothing is: an object with a `sops` part as a whole,
/// a Secret value by value. No MAC is verified.
pub fn object(object: &Value, services: &[&dyn KeyService]) -> Result<Option<Value>, Error> {
    if opts_out(object) {
        return Ok(None);
    }
    let mac = object.get("sops").and_then(|sops| sops.get("mac")).and_then(Value::as_str);
    if mac.is_some_and(|mac| !mac.is_empty()) {
        let text = unverified(object.to_string().as_bytes(), Format::Json, Format::Json, services)?;
        let problem =
            || Error::Read { format: Format::Json, problem: "the plaintext is no object".to_owned() };
        return serde_json::from_slice(text.expose()).map(Some).map_err(|_| problem());
    }
    if object.get("kind").and_then(Value::as_str) != Some("Secret") {
        return Ok(None);
    }
    let mut decrypted = None;
    for (key, value) in object.get("data").and_then(Value::as_object).into_iter().flatten() {
        // What is not base64 is for the server to refuse.
        let Some(bytes) = value.as_str().and_then(|text| STANDARD.decode(text).ok()) else { continue };
        let formats = [Format::Json, Format::Dotenv, Format::Ini, Format::Yaml];
        let Some(format) = formats.into_iter().find(|format| format.marks(&bytes)) else { continue };
        let text = unverified(&bytes, format, Format::of_key(key), services)
            .map_err(|source| Error::Data { key: key.clone(), source: Box::new(source) })?;
        let secret = decrypted.get_or_insert_with(|| object.clone());
        if let Some(place) = secret.get_mut("data").and_then(|data| data.get_mut(key)) {
            *place = STANDARD.encode(text.expose()).into();
        }
    }
    Ok(decrypted)
}

fn unverified(
    bytes: &[u8],
    format: Format,
    output: Format,
    services: &[&dyn KeyService],
) -> Result<Plaintext, Error> {
    let file = File::read(bytes, format)?;
    let key = file.data_key(services)?;
    file.decrypt(&key, Mac::Ignored)?.write(output)
}
