//! Texts in a ConfigMap: plain for people to read while they are small, compressed when they are large.

use std::io::{Read as _, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

/// What a ConfigMap can hold, less some room for its metadata.
pub(crate) const MOST: usize = 1_000_000;
/// A compressed text never unpacks to more than this.
const UNPACKED: u64 = 64 * 1024 * 1024;

/// Puts a text into a ConfigMap, as `data.NAME` or, beyond `plain` bytes, compressed as `binaryData.NAME.gz`. Gives
/// back how many bytes the server counts for it.
pub(crate) fn put(map: &mut Value, name: &str, text: String, plain: usize) -> usize {
    let (part, key, size, content) = if text.len() <= plain {
        ("data", name.to_string(), text.len(), text)
    } else {
        let packed = pack(text.as_bytes());
        ("binaryData", format!("{name}.gz"), packed.len(), STANDARD.encode(packed))
    };
    if let Some(fields) = map.as_object_mut() {
        let part = fields.entry(part).or_insert_with(|| json!({}));
        if let Some(texts) = part.as_object_mut() {
            texts.insert(key, content.into());
        }
    }
    size
}

/// A text of a ConfigMap; nothing when it has none of that name.
pub(crate) fn get(map: &Value, name: &str) -> Result<Option<String>, String> {
    let text = |part: &str, name: &str| map.get(part)?.get(name)?.as_str();
    match text("binaryData", &format!("{name}.gz")) {
        Some(packed) => unpack(packed).map(Some),
        None => Ok(text("data", name).map(String::from)),
    }
}

fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.expect("writing to memory does not fail")
}

fn unpack(text: &str) -> Result<String, String> {
    let packed = STANDARD.decode(text).map_err(|error| error.to_string())?;
    let mut unpacked = String::new();
    GzDecoder::new(packed.as_slice())
        .take(UNPACKED)
        .read_to_string(&mut unpacked)
        .map_err(|error| error.to_string())?;
    Ok(unpacked)
}
