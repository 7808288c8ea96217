//! The format of age files: armour, header, payload.

use aws_lc_rs::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::{hkdf, hmac};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use zeroize::Zeroizing;

/// How much of a payload one tag covers.
const CHUNK: usize = 64 * 1024;

/// The file key in a form for one recipient.
pub(super) struct Stanza {
    pub arguments: Vec<String>,
    pub body: Vec<u8>,
}

/// What stands before the payload.
pub(super) struct Header<'a> {
    pub stanzas: Vec<Stanza>,
    /// What the MAC covers.
    signed: &'a [u8],
    mac: Vec<u8>,
    payload: &'a [u8],
}

impl<'a> Header<'a> {
    pub fn of(file: &'a [u8]) -> Option<Self> {
        let mut rest = file;
        let mut line = || {
            let end = rest.iter().position(|byte| *byte == b'\n')?;
            let (line, behind) = rest.split_at_checked(end)?;
            rest = behind.get(1..)?;
            Some((std::str::from_utf8(line).ok()?, rest))
        };
        if line()?.0 != "age-encryption.org/v1" {
            return None;
        }
        let mut stanzas = Vec::new();
        loop {
            let (text, payload) = line()?;
            if let Some(mac) = text.strip_prefix("--- ") {
                let mac_line = mac.len() + 2;
                let signed = file.get(..file.len() - payload.len() - mac_line)?;
                return Some(Self { stanzas, signed, mac: STANDARD_NO_PAD.decode(mac).ok()?, payload });
            }
            let arguments = text.strip_prefix("-> ")?.split(' ').map(str::to_owned).collect();
            let mut body = String::new();
            loop {
                let (text, _) = line()?;
                body.push_str(text);
                if text.len() < 64 {
                    break;
                }
            }
            stanzas.push(Stanza { arguments, body: STANDARD_NO_PAD.decode(body).ok()? });
        }
    }

    /// The payload, once the header is known to be as it was written.
    pub fn decrypt(&self, file_key: &[u8]) -> Result<Zeroizing<Vec<u8>>, &'static str> {
        let mac_key = derive(file_key, &[], b"header").ok_or("HKDF")?;
        let key = hmac::Key::new(hmac::HMAC_SHA256, &*mac_key);
        hmac::verify(&key, self.signed, &self.mac).map_err(|_| "its age header was changed")?;
        payload(file_key, self.payload).ok_or("its age payload was changed")
    }
}

pub(super) fn unarmour(text: &str) -> Option<Vec<u8>> {
    let body = text.trim().strip_prefix("-----BEGIN AGE ENCRYPTED FILE-----")?;
    let body = body.strip_suffix("-----END AGE ENCRYPTED FILE-----")?;
    STANDARD.decode(body.split_ascii_whitespace().collect::<String>()).ok()
}

/// Another key from a key.
pub(super) fn derive(secret: &[u8], salt: &[u8], info: &[u8]) -> Option<Zeroizing<[u8; 32]>> {
    let mut key = Zeroizing::new([0; 32]);
    let pseudo_random = hkdf::Salt::new(hkdf::HKDF_SHA256, salt).extract(secret);
    pseudo_random.expand(&[info], hkdf::HKDF_SHA256).ok()?.fill(&mut *key).ok()?;
    Some(key)
}

pub(super) fn open(key: &[u8], nonce: [u8; 12], sealed: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let key = LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, key).ok()?);
    let mut buffer = Zeroizing::new(sealed.to_vec());
    let opened = key.open_in_place(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut buffer).ok()?;
    let length = opened.len();
    buffer.truncate(length);
    Some(buffer)
}

/// Sixteen bytes of salt, then chunks whose nonces count up and whose last says that it is the last.
fn payload(file_key: &[u8], payload: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    let (salt, sealed) = payload.split_at_checked(16)?;
    let key = derive(file_key, salt, b"payload")?;
    let count = sealed.len().div_ceil(CHUNK + 16);
    let mut text = Zeroizing::new(Vec::with_capacity(sealed.len()));
    for (index, chunk) in sealed.chunks(CHUNK + 16).enumerate() {
        let mut nonce = [0; 12];
        nonce.get_mut(3..11)?.copy_from_slice(&(index as u64).to_be_bytes());
        *nonce.last_mut()? = u8::from(index + 1 == count);
        text.extend_from_slice(&open(&*key, nonce, chunk)?);
    }
    (count > 0).then_some(text)
}
