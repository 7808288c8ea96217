//! One encrypted value: `ENC[AES256_GCM,data:…,iv:…,tag:…,type:…]`.

use aes_gcm::aead::consts::U32;
use aes_gcm::aead::generic_array::GenericArray;
use aes_gcm::aead::{AeadInPlace as _, KeyInit as _};
use aes_gcm::{AesGcm, aes::Aes256};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::key::DataKey;
use crate::tree::Value;

/// SOPS' nonces are longer than usual.
type Cipher = AesGcm<Aes256, U32>;

/// Decrypts a value whose keys, joined by colons, are `place`. An empty text is an empty text.
pub(crate) fn decrypt(encrypted: &[u8], key: &DataKey, place: &[u8]) -> Result<Value, &'static str> {
    if encrypted.is_empty() {
        return Ok(Value::Text(Vec::new()));
    }
    let parts = Parts::of(encrypted).ok_or("it is not encrypted, or not as SOPS does it")?;
    let base64 = |text: &str| STANDARD.decode(text).map_err(|_| "its base64 is broken");
    let (mut data, nonce, tag) = (base64(parts.data)?, base64(parts.nonce)?, base64(parts.tag)?);
    let cipher = Cipher::new_from_slice(key.bytes()).map_err(|_| "the data key has not 32 bytes")?;
    if nonce.len() != 32 || tag.len() != 16 {
        return Err("its nonce has not 32 bytes or its tag not 16");
    }
    cipher
        .decrypt_in_place_detached(
            GenericArray::from_slice(&nonce),
            place,
            &mut data,
            GenericArray::from_slice(&tag),
        )
        .map_err(|_| "it was changed or moved, or encrypted with another data key")?;
    typed(data, parts.kind)
}

struct Parts<'a> {
    data: &'a str,
    nonce: &'a str,
    tag: &'a str,
    kind: &'a str,
}

impl<'a> Parts<'a> {
    fn of(encrypted: &'a [u8]) -> Option<Self> {
        let text = std::str::from_utf8(encrypted).ok()?.strip_prefix("ENC[AES256_GCM,data:")?;
        // What follows the last bracket is ignored, as in SOPS.
        let (text, _) = text.rsplit_once(']')?;
        let (data, text) = text.split_once(",iv:")?;
        let (nonce, text) = text.split_once(",tag:")?;
        let (tag, kind) = text.split_once(",type:")?;
        let all = [data, nonce, tag, kind].iter().all(|part| !part.is_empty());
        all.then_some(Self { data, nonce, tag, kind })
    }
}

fn typed(data: Vec<u8>, kind: &str) -> Result<Value, &'static str> {
    const MALFORMED: &str = "its plaintext is not of its type";
    let text = || std::str::from_utf8(&data).map_err(|_| MALFORMED);
    match kind {
        "str" | "bytes" => Ok(Value::Text(data)),
        "int" => text()?.parse().map(Value::Integer).map_err(|_| MALFORMED),
        "float" => text()?.parse().map(Value::Float).map_err(|_| MALFORMED),
        "bool" => match text()? {
            "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(Value::Boolean(true)),
            "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(Value::Boolean(false)),
            _ => Err(MALFORMED),
        },
        "time" => Ok(Value::Time(text()?.to_owned())),
        "comment" => Ok(Value::Comment(data)),
        _ => Err("its type is unknown"),
    }
}
