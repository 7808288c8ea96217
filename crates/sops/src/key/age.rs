//! Age files with X25519 recipients, as SOPS wraps a data key: <https://age-encryption.org/v1>.
//!
//! Only what SOPS needs: small armoured files in memory. The parts (X25519, HKDF, HMAC, ChaCha20-Poly1305) are
//! those of the TLS provider.

use std::fmt;

use aws_lc_rs::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::agreement::{PrivateKey, UnparsedPublicKey, X25519, agree};
use aws_lc_rs::{hkdf, hmac};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};

use super::{DataKey, KeyName, KeyService, MasterKey, bech32};

/// How much of a payload one tag covers.
const CHUNK: usize = 64 * 1024;

/// Age identities: the private keys.
#[derive(Default)]
pub struct Age {
    identities: Vec<Identity>,
}

struct Identity {
    private: PrivateKey,
    public: Vec<u8>,
}

impl Age {
    /// Reads a key file: one `AGE-SECRET-KEY-1…` on a line, `#` comments and empty lines between. The error
    /// names the line, never the key.
    pub fn from_keys(text: &str) -> Result<Self, String> {
        let mut identities = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let problem = |problem: &str| format!("line {} of the age keys: {problem}", index + 1);
            match bech32::decode(line) {
                Some((word, secret)) if word == "age-secret-key-" => {
                    identities.push(Identity::new(&secret).ok_or_else(|| problem("not an X25519 key"))?);
                }
                Some((word, _)) => {
                    return Err(problem(&format!("a key of the kind `{word}` is not supported")));
                }
                None => return Err(problem("not an age key, or mistyped")),
            }
        }
        Ok(Self { identities })
    }

    /// Takes over another's keys.
    pub fn extend(&mut self, other: Self) {
        self.identities.extend(other.identities);
    }

    fn decrypt(&self, file: &str) -> Result<Vec<u8>, String> {
        let bytes = unarmour(file).ok_or("its encrypted part is no armoured age file")?;
        let header = Header::of(&bytes).ok_or("its encrypted part has no age header that can be read")?;
        let file_key = self
            .identities
            .iter()
            .flat_map(|identity| header.stanzas.iter().filter_map(|stanza| identity.unwrap(stanza)))
            .next()
            .ok_or("none of the given age keys fits")?;
        let mac_key = derive(&file_key, &[], b"header").ok_or("HKDF")?;
        let key = hmac::Key::new(hmac::HMAC_SHA256, &mac_key);
        hmac::verify(&key, header.signed, &header.mac).map_err(|_| "its age header was changed")?;
        payload(&file_key, header.payload).ok_or_else(|| "its age payload was changed".to_owned())
    }
}

impl KeyService for Age {
    fn open(&self, key: &MasterKey) -> Option<Result<DataKey, String>> {
        match key.name {
            KeyName::Age(_) if self.identities.is_empty() => None,
            KeyName::Age(_) => Some(self.decrypt(&key.encrypted).map(DataKey::new)),
            _ => None,
        }
    }
}

impl fmt::Debug for Age {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Age with {} keys", self.identities.len())
    }
}

impl Identity {
    fn new(secret: &[u8]) -> Option<Self> {
        let private = PrivateKey::from_private_key(&X25519, secret).ok()?;
        let public = private.compute_public_key().ok()?.as_ref().to_vec();
        Some(Self { private, public })
    }

    /// The file key, if the stanza is for this identity.
    fn unwrap(&self, stanza: &Stanza) -> Option<Vec<u8>> {
        let [kind, share] = stanza.arguments.as_slice() else { return None };
        let share = STANDARD_NO_PAD.decode(share).ok()?;
        if kind != "X25519" || share.len() != 32 || stanza.body.len() != 32 {
            return None;
        }
        let salt = [share.as_slice(), self.public.as_slice()].concat();
        // An agreement on zero, which a hostile share could bring about, is an error of the provider's.
        let wrap_key = agree(&self.private, UnparsedPublicKey::new(&X25519, &share), None, |shared| {
            derive(shared, &salt, b"age-encryption.org/v1/X25519").ok_or(None::<()>)
        });
        open(&wrap_key.ok()?, [0; 12], &stanza.body)
    }
}

struct Stanza {
    arguments: Vec<String>,
    body: Vec<u8>,
}

struct Header<'a> {
    stanzas: Vec<Stanza>,
    /// What the MAC covers.
    signed: &'a [u8],
    mac: Vec<u8>,
    payload: &'a [u8],
}

impl<'a> Header<'a> {
    fn of(file: &'a [u8]) -> Option<Self> {
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
}

fn unarmour(text: &str) -> Option<Vec<u8>> {
    let body = text.trim().strip_prefix("-----BEGIN AGE ENCRYPTED FILE-----")?;
    let body = body.strip_suffix("-----END AGE ENCRYPTED FILE-----")?;
    STANDARD.decode(body.split_ascii_whitespace().collect::<String>()).ok()
}

fn derive(secret: &[u8], salt: &[u8], info: &[u8]) -> Option<[u8; 32]> {
    let mut key = [0; 32];
    let pseudo_random = hkdf::Salt::new(hkdf::HKDF_SHA256, salt).extract(secret);
    pseudo_random.expand(&[info], hkdf::HKDF_SHA256).ok()?.fill(&mut key).ok()?;
    Some(key)
}

fn open(key: &[u8], nonce: [u8; 12], sealed: &[u8]) -> Option<Vec<u8>> {
    let key = LessSafeKey::new(UnboundKey::new(&CHACHA20_POLY1305, key).ok()?);
    let mut buffer = sealed.to_vec();
    let opened = key.open_in_place(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut buffer).ok()?;
    Some(opened.to_vec())
}

/// Sixteen bytes of salt, then chunks whose nonces count up and whose last says that it is the last.
fn payload(file_key: &[u8], payload: &[u8]) -> Option<Vec<u8>> {
    let (salt, sealed) = payload.split_at_checked(16)?;
    let key = derive(file_key, salt, b"payload")?;
    let count = sealed.len().div_ceil(CHUNK + 16);
    let mut text = Vec::new();
    for (index, chunk) in sealed.chunks(CHUNK + 16).enumerate() {
        let mut nonce = [0; 12];
        nonce.get_mut(3..11)?.copy_from_slice(&(index as u64).to_be_bytes());
        *nonce.last_mut()? = u8::from(index + 1 == count);
        text.extend(open(&key, nonce, chunk)?);
    }
    (count > 0).then_some(text)
}
