//! Identities on Curve25519: age's own, and SSH's Ed25519 keys.

use aws_lc_rs::agreement::{PrivateKey, UnparsedPublicKey, X25519, agree};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use sha2::{Digest as _, Sha512};
use zeroize::Zeroizing;

use super::file::{Stanza, derive, open};

/// The label of age's own keys in all that is derived.
const OWN: &[u8] = b"age-encryption.org/v1/X25519";
/// The label of SSH's keys.
const SSH: &[u8] = b"age-encryption.org/v1/ssh-ed25519";

/// A private key on the curve.
pub(super) struct Curve {
    private: PrivateKey,
    public: Vec<u8>,
    /// An SSH key's second factor, which binds to its public key.
    tweak: Option<PrivateKey>,
}

impl Curve {
    pub fn own(secret: &[u8]) -> Option<Self> {
        Self::new(secret, None)
    }

    /// An Ed25519 key's seed, and its public key as SSH writes it.
    pub fn ssh(seed: &[u8], public: &[u8]) -> Option<Self> {
        let mut hash = Zeroizing::new([0; 64]);
        hash.copy_from_slice(&Sha512::digest(seed));
        let tweak = derive(&[], public, SSH)?;
        Self::new(hash.get(..32)?, Some(PrivateKey::from_private_key(&X25519, &*tweak).ok()?))
    }

    fn new(secret: &[u8], tweak: Option<PrivateKey>) -> Option<Self> {
        let private = PrivateKey::from_private_key(&X25519, secret).ok()?;
        let public = private.compute_public_key().ok()?.as_ref().to_vec();
        Some(Self { private, public, tweak })
    }

    /// The file key, if the stanza is for this key. Its last argument is the share of whoever wrote the file.
    pub fn unwrap(&self, stanza: &Stanza) -> Option<Zeroizing<Vec<u8>>> {
        let share = STANDARD_NO_PAD.decode(stanza.arguments.last()?).ok()?;
        if share.len() != 32 || stanza.body.len() != 32 {
            return None;
        }
        let mut shared = multiply(&self.private, &share)?;
        if let Some(tweak) = &self.tweak {
            shared = multiply(tweak, &*shared)?;
        }
        let salt = [share.as_slice(), self.public.as_slice()].concat();
        let label = if self.tweak.is_some() { SSH } else { OWN };
        open(&*derive(&*shared, &salt, label)?, [0; 12], &stanza.body)
    }
}

/// An agreement on zero, which a hostile share could bring about, is an error of the provider's.
fn multiply(private: &PrivateKey, point: &[u8]) -> Option<Zeroizing<[u8; 32]>> {
    let mut product = Zeroizing::new([0; 32]);
    agree(private, UnparsedPublicKey::new(&X25519, point), (), |shared| {
        if shared.len() == product.len() {
            product.copy_from_slice(shared);
        }
        Ok(())
    })
    .ok()?;
    Some(product)
}
