//! PEM: labelled base 64, and the forms of keys that Go writes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::encoding;

/// One block.
pub struct Block {
    pub label: String,
    pub content: Vec<u8>,
}

impl Block {
    /// The first block of a text.
    pub fn first(text: &str) -> Option<Self> {
        let (_, from) = text.split_once("-----BEGIN ")?;
        let (label, rest) = from.split_once("-----")?;
        let (body, _) = rest.split_once(&format!("-----END {label}-----"))?;
        Some(Self { label: label.to_owned(), content: encoding::decoded(body.trim().as_bytes()).ok()? })
    }

    /// With lines of 64 characters.
    pub fn to_text(&self) -> String {
        let digits = STANDARD.encode(&self.content);
        let mut out = format!("-----BEGIN {}-----\n", self.label);
        for line in digits.as_bytes().chunks(64) {
            out.push_str(&String::from_utf8_lossy(line));
            out.push('\n');
        }
        out + &format!("-----END {}-----\n", self.label)
    }
}

/// The object identifiers of keys, as they stand in DER.
const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
const EC: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
const ED25519: &[u8] = &[0x2b, 0x65, 0x70];

/// A key in PKCS #8 as Go writes it: RSA and EC keys in their own forms, others in PKCS #8 without the public key.
pub fn key_text(pkcs8: &[u8]) -> String {
    own_form(pkcs8)
        .unwrap_or_else(|| Block { label: "PRIVATE KEY".to_owned(), content: pkcs8.to_vec() })
        .to_text()
}

fn own_form(pkcs8: &[u8]) -> Option<Block> {
    let (_, all, _) = element(pkcs8)?;
    let (_, _, rest) = element(all)?;
    let (_, algorithm, rest) = element(rest)?;
    let (_, key, _) = element(rest)?;
    let (_, kind, parameters) = element(algorithm)?;
    let block = |label: &str, content: Vec<u8>| Some(Block { label: label.to_owned(), content });
    match kind {
        RSA => block("RSA PRIVATE KEY", key.to_vec()),
        EC => {
            // The curve moves from the wrapping into the key.
            let (_, fields, _) = element(key)?;
            let (_, _, after_version) = element(fields)?;
            let (_, _, rest) = element(after_version)?;
            let head = fields.get(..fields.len() - rest.len())?;
            let rest = if rest.first() == Some(&0xa0) { element(rest)?.2 } else { rest };
            let content = [head, &wrapped(0xa0, parameters), rest].concat();
            block("EC PRIVATE KEY", wrapped(0x30, &content))
        }
        ED25519 => {
            let version = [2, 1, 0];
            let content = [&version[..], &wrapped(0x30, algorithm), &wrapped(0x04, key)].concat();
            block("PRIVATE KEY", wrapped(0x30, &content))
        }
        _ => None,
    }
}

/// The tag and content of the first element of DER, and what follows it.
fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (tag, rest) = der.split_first()?;
    let (first, rest) = rest.split_first()?;
    let (length, rest) = if *first < 0x80 {
        (usize::from(*first), rest)
    } else {
        let (bytes, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
        (
            bytes
                .iter()
                .try_fold(0_usize, |all, byte| all.checked_mul(256)?.checked_add(usize::from(*byte)))?,
            rest,
        )
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((*tag, content, rest))
}

fn wrapped(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut out = vec![tag];
    match u8::try_from(content.len()) {
        Ok(short) if short < 0x80 => out.push(short),
        _ => {
            let length = content.len().to_be_bytes();
            let significant: Vec<u8> = length.into_iter().skip_while(|byte| *byte == 0).collect();
            out.push(0x80 | u8::try_from(significant.len()).unwrap_or(0));
            out.extend(significant);
        }
    }
    out.extend_from_slice(content);
    out
}
