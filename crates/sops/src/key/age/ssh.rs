//! SSH's private keys as age identities.
//!
//! In: a key file of OpenSSH or an RSA key in PEM. Out: an identity and the tag that its stanzas carry. A key with
//! a passphrase is refused. <https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.key>

use aws_lc_rs::rsa::{OAEP_SHA256_MGF1SHA256, OaepPrivateDecryptingKey, PrivateDecryptingKey};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use super::curve::Curve;
use super::der;
use super::file::Stanza;

const MAGIC: &[u8] = b"openssh-key-v1\0";
const RSA_LABEL: &[u8] = b"age-encryption.org/v1/ssh-rsa";
const BROKEN: &str = "not a private key of SSH that can be read";
const PASSPHRASE: &str = "the SSH key has a passphrase: use an age key, or an SSH key without one";

/// An SSH key.
pub(super) struct Ssh {
    tag: String,
    key: Key,
}

enum Key {
    Ed25519(Curve),
    Rsa(OaepPrivateDecryptingKey),
}

impl Ssh {
    /// Reads a key file; the error never quotes it.
    pub fn from_file(text: &str) -> Result<Self, &'static str> {
        if text.contains("ENCRYPTED") {
            return Err(PASSPHRASE);
        }
        let block = |name: &str| {
            let (_, rest) = text.split_once(&format!("-----BEGIN {name}-----"))?;
            let (body, _) = rest.split_once(&format!("-----END {name}-----"))?;
            let body = Zeroizing::new(body.split_ascii_whitespace().collect::<String>());
            STANDARD.decode(body.as_bytes()).ok().map(Zeroizing::new)
        };
        if let Some(file) = block("OPENSSH PRIVATE KEY") {
            return openssh(&file);
        }
        let key = block("RSA PRIVATE KEY").ok_or(BROKEN)?;
        let numbers = der::integers(&key).ok_or(BROKEN)?;
        let [_, modulus, exponent, ..] = numbers.as_slice() else { return Err(BROKEN) };
        rsa(&wire(&[b"ssh-rsa", exponent, modulus]), &key).ok_or(BROKEN)
    }

    /// The file key, if the stanza is for this key.
    pub fn unwrap(&self, stanza: &Stanza) -> Option<Zeroizing<Vec<u8>>> {
        match (&self.key, stanza.arguments.as_slice()) {
            (Key::Ed25519(curve), [kind, tag, _]) if kind == "ssh-ed25519" && *tag == self.tag => {
                curve.unwrap(stanza)
            }
            (Key::Rsa(key), [kind, tag]) if kind == "ssh-rsa" && *tag == self.tag => {
                let mut output = Zeroizing::new(vec![0; key.min_output_size()]);
                let opened = key.decrypt(&OAEP_SHA256_MGF1SHA256, &stanza.body, &mut output, Some(RSA_LABEL));
                let length = opened.ok()?.len();
                output.truncate(length);
                Some(output)
            }
            _ => None,
        }
    }
}

fn openssh(file: &[u8]) -> Result<Ssh, &'static str> {
    let mut rest = file.strip_prefix(MAGIC).ok_or(BROKEN)?;
    let mut next = || text(&mut rest).ok_or(BROKEN);
    let (cipher, _, _) = (next()?, next()?, next()?);
    if cipher != b"none" {
        return Err(PASSPHRASE);
    }
    // One key, which comes first in its public and then in its private form.
    let mut rest = rest.strip_prefix(&[0, 0, 0, 1]).ok_or(BROKEN)?;
    let public = text(&mut rest).ok_or(BROKEN)?;
    let mut private = text(&mut rest).and_then(|private| private.get(8..)).ok_or(BROKEN)?;
    let mut next = || text(&mut private).ok_or(BROKEN);
    match next()? {
        b"ssh-ed25519" => {
            let (_, both) = (next()?, next()?);
            let seed = both.get(..32).ok_or(BROKEN)?;
            let key = Curve::ssh(seed, public).map(Key::Ed25519).ok_or(BROKEN)?;
            Ok(Ssh { tag: tag(public), key })
        }
        b"ssh-rsa" => {
            let (modulus, public_exponent, exponent) = (next()?, next()?, next()?);
            let (inverse, first, second) = (next()?, next()?, next()?);
            let less = |prime: &[u8]| {
                // A prime is odd, so one less is its last bit cleared.
                let mut less = Zeroizing::new(prime.to_vec());
                if let Some(last) = less.last_mut() {
                    *last &= 0xFE;
                }
                der::remainder(exponent, &less)
            };
            let (of_first, of_second) = (less(first), less(second));
            let key = der::sequence(&[
                &[0],
                modulus,
                public_exponent,
                exponent,
                first,
                second,
                &of_first,
                &of_second,
                inverse,
            ]);
            rsa(public, &key).ok_or(BROKEN)
        }
        _ => Err("only ssh-ed25519 and ssh-rsa keys can be used with age"),
    }
}

/// From the key in PKCS #1, and its public key as SSH writes it.
fn rsa(public: &[u8], key: &[u8]) -> Option<Ssh> {
    let key = PrivateDecryptingKey::from_pkcs8(&der::pkcs8(key)).ok()?;
    Some(Ssh { tag: tag(public), key: Key::Rsa(OaepPrivateDecryptingKey::new(key).ok()?) })
}

/// How a stanza says for which key it is.
fn tag(public: &[u8]) -> String {
    STANDARD_NO_PAD.encode(Sha256::digest(public).get(..4).unwrap_or_default())
}

/// The next text behind its length.
fn text<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, behind) = rest.split_first_chunk::<4>()?;
    let (text, behind) = behind.split_at_checked(usize::try_from(u32::from_be_bytes(*length)).ok()?)?;
    *rest = behind;
    Some(text)
}

fn wire(texts: &[&[u8]]) -> Vec<u8> {
    let length = |text: &[u8]| u32::try_from(text.len()).unwrap_or_default().to_be_bytes();
    texts.iter().flat_map(|text| [&length(text)[..], *text].concat()).collect()
}
