//! Passwords: hashed, derived, and texts encrypted with them.

use std::num::NonZeroU32;

use aws_lc_rs::cipher::{
    AES_256, DecryptionContext, EncryptionContext, PaddedBlockDecryptingKey, PaddedBlockEncryptingKey,
    UnboundCipherKey,
};
use aws_lc_rs::iv::FixedLength;
use aws_lc_rs::{hmac, pbkdf2};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use blowfish::Blowfish;

use super::{Done, Table, encoding};
use crate::environment::Environment;
use crate::function::Fault;
use crate::value::{Int, Type, Value};

const S: Type = Type::String;
/// What Go's library takes when it is asked for nothing else.
const COST: u32 = 10;
const BCRYPT_ALPHABET: &[u8; 64] = b"./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

pub fn add(table: &mut Table<'_>) {
    table
        .outside("bcrypt", &[S], S, |environment, args| Ok(Value::string(bcrypt(environment, args.text(0)))));
    table.outside("htpasswd", &[S, S], S, |environment, args| {
        let name = String::from_utf8_lossy(args.text(0)).into_owned();
        if name.contains(':') {
            return Ok(Value::string(format!("invalid username: {name}")));
        }
        Ok(Value::string(format!("{name}:{}", bcrypt(environment, args.text(1)))))
    });
    table.outside("encryptAES", &[S, S], S, |environment, args| {
        encrypt(environment, args.text(0), args.text(1))
    });
    table.pure("decryptAES", &[S, S], S, |args| decrypt(args.text(0), args.text(1)));
    table.pure("derivePassword", &[Type::Int(Int::Uint32), S, S, S, S], S, |args| {
        let counter = u32::try_from(args.int(0)).unwrap_or(0);
        derive(counter, args.text(1), args.text(2), args.text(3), args.text(4))
    });
}

/// A salted hash, or the reason why there is none, as Sprig gives it.
fn bcrypt(environment: &Environment, password: &[u8]) -> String {
    if password.len() > 72 {
        return "failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes".to_owned();
    }
    let mut salt = [0; 16];
    environment.random(&mut salt);
    hashed(password, &salt, COST)
}

fn hashed(password: &[u8], salt: &[u8; 16], cost: u32) -> String {
    let key = [password, &[0]].concat();
    let mut state: Blowfish = Blowfish::bc_init_state();
    state.salted_expand_key(salt, &key);
    for _ in 0..1_u32 << cost {
        state.bc_expand_key(&key);
        state.bc_expand_key(salt);
    }
    let mut out = Vec::new();
    for block in b"OrpheanBeholderScryDoubt".chunks_exact(8) {
        let (left, right) = block.split_at(4);
        let word = |bytes: &[u8]| bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
        let mut words = [word(left), word(right)];
        for _ in 0..64 {
            words = state.bc_encrypt(words);
        }
        out.extend(words.iter().flat_map(|word| word.to_be_bytes()));
    }
    // The last byte has never been part of it.
    out.truncate(23);
    format!("$2a${cost:02}${}{}", bcrypt_base64(salt), bcrypt_base64(&out))
}

fn bcrypt_base64(bytes: &[u8]) -> String {
    const STANDARD_ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let place = |digit: u8| STANDARD_ALPHABET.iter().position(|one| *one == digit);
    let digits = STANDARD.encode(bytes);
    let digits = digits.trim_end_matches('=').bytes();
    digits.filter_map(|digit| BCRYPT_ALPHABET.get(place(digit)?).copied()).map(char::from).collect()
}

/// A password as a key: cut off, or filled up with zeros.
fn key(password: &[u8]) -> Result<UnboundCipherKey, Fault> {
    let mut key = [0; 32];
    key.iter_mut().zip(password).for_each(|(to, from)| *to = *from);
    UnboundCipherKey::new(&AES_256, &key).map_err(|_| Fault::from("crypto/aes: no key"))
}

/// AES-256 in CBC mode, the initial vector first, as base 64.
fn encrypt(environment: &Environment, password: &[u8], text: &[u8]) -> Done {
    if text.is_empty() {
        return Ok(Value::string(""));
    }
    let mut initial = [0; 16];
    environment.random(&mut initial);
    let failed = |_| Fault::from("crypto/cipher: cannot encrypt");
    let key = PaddedBlockEncryptingKey::cbc_pkcs7(key(password)?).map_err(failed)?;
    let mut content = text.to_vec();
    let vector = EncryptionContext::Iv128(FixedLength::from(initial));
    key.less_safe_encrypt(&mut content, vector).map_err(failed)?;
    Ok(Value::string(STANDARD.encode([&initial[..], &content].concat())))
}

fn decrypt(password: &[u8], text: &[u8]) -> Done {
    if text.is_empty() {
        return Ok(Value::string(""));
    }
    let corrupt = |at| Fault(format!("illegal base64 data at input byte {at}"));
    let bytes = encoding::decoded(text).map_err(corrupt)?;
    let failed = |_| Fault::from("crypto/cipher: input not full blocks");
    let Some((initial, content)) = bytes.split_first_chunk::<16>() else {
        let length = bytes.len();
        return Err(format!("runtime error: slice bounds out of range [:16] with capacity {length}").into());
    };
    let key = PaddedBlockDecryptingKey::cbc_pkcs7(key(password)?).map_err(failed)?;
    let mut content = content.to_vec();
    let vector = DecryptionContext::Iv128(FixedLength::from(*initial));
    let plain = key.decrypt(&mut content, vector).map_err(failed)?;
    Ok(Value::string(&*plain))
}

/// The templates of each kind of password.
const TEMPLATES: &[(&str, &[&str])] = &[
    ("maximum", &["anoxxxxxxxxxxxxxxxxx", "axxxxxxxxxxxxxxxxxno"]),
    (
        "long",
        &[
            "CvcvnoCvcvCvcv",
            "CvcvCvcvnoCvcv",
            "CvcvCvcvCvcvno",
            "CvccnoCvcvCvcv",
            "CvccCvcvnoCvcv",
            "CvccCvcvCvcvno",
            "CvcvnoCvccCvcv",
            "CvcvCvccnoCvcv",
            "CvcvCvccCvcvno",
            "CvcvnoCvcvCvcc",
            "CvcvCvcvnoCvcc",
            "CvcvCvcvCvccno",
            "CvccnoCvccCvcv",
            "CvccCvccnoCvcv",
            "CvccCvccCvcvno",
            "CvcvnoCvccCvcc",
            "CvcvCvccnoCvcc",
            "CvcvCvccCvccno",
            "CvccnoCvcvCvcc",
            "CvccCvcvnoCvcc",
            "CvccCvcvCvccno",
        ],
    ),
    ("medium", &["CvcnoCvc", "CvcCvcno"]),
    ("short", &["Cvcn"]),
    ("basic", &["aaanaaan", "aannaaan", "aaannaaa"]),
    ("pin", &["nnnn"]),
];

/// What a letter of a template stands for.
fn characters(letter: u8) -> &'static [u8] {
    match letter {
        b'V' => b"AEIOU",
        b'C' => b"BCDFGHJKLMNPQRSTVWXYZ",
        b'v' => b"aeiou",
        b'c' => b"bcdfghjklmnpqrstvwxyz",
        b'A' => b"AEIOUBCDFGHJKLMNPQRSTVWXYZ",
        b'a' => b"AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz",
        b'n' => b"0123456789",
        b'o' => b"@&%?,=[]_:-+*$#!'^~;()/.",
        _ => b"AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()",
    }
}

/// The master-password scheme: the same password for the same words, for ever.
fn derive(counter: u32, kind: &[u8], password: &[u8], user: &[u8], site: &[u8]) -> Done {
    const SEED: &[u8] = b"com.lyndir.masterpassword";
    let Some((_, templates)) = TEMPLATES.iter().find(|(name, _)| name.as_bytes() == kind) else {
        let kind = String::from_utf8_lossy(kind);
        return Ok(Value::string(format!("cannot find password template {kind}")));
    };
    let length = |text: &[u8]| u32::try_from(text.len()).unwrap_or(u32::MAX).to_be_bytes();
    let salt = [SEED, &length(user), user].concat();
    let key = hmac::Key::new(hmac::HMAC_SHA256, &scrypt(password, &salt));
    let message = [SEED, &length(site), site, &counter.to_be_bytes()].concat();
    let seed = hmac::sign(&key, &message);
    let mut bytes = seed.as_ref().iter().map(|byte| usize::from(*byte));
    let first = bytes.next().unwrap_or(0);
    let template = templates.get(first % templates.len()).copied().unwrap_or_default();
    let chosen = template.bytes().zip(bytes).filter_map(|(letter, byte)| {
        let from = characters(letter);
        from.get(byte % from.len()).copied()
    });
    Ok(Value::string(chosen.collect::<Vec<u8>>()))
}

const BLOCKS: usize = 8;
const ROUNDS: usize = 32_768;
const LANES: usize = 2;
/// Words of one lane.
const WORDS: usize = 32 * BLOCKS;

/// scrypt with N = 32768, r = 8, p = 2 and 64 bytes.
fn scrypt(password: &[u8], salt: &[u8]) -> [u8; 64] {
    let once = NonZeroU32::MIN;
    let mut bytes = vec![0; LANES * WORDS * 4];
    pbkdf2::derive(pbkdf2::PBKDF2_HMAC_SHA256, once, salt, password, &mut bytes);
    for lane in bytes.chunks_exact_mut(WORDS * 4) {
        let mut words: Vec<u32> = lane
            .chunks_exact(4)
            .map(|word| word.iter().rev().fold(0, |all, byte| all << 8 | u32::from(*byte)))
            .collect();
        mix(&mut words);
        for (target, word) in lane.chunks_exact_mut(4).zip(words) {
            target.copy_from_slice(&word.to_le_bytes());
        }
    }
    let mut out = [0; 64];
    pbkdf2::derive(pbkdf2::PBKDF2_HMAC_SHA256, once, &bytes, password, &mut out);
    out
}

fn mix(words: &mut Vec<u32>) {
    let mut memory: Vec<u32> = Vec::with_capacity(ROUNDS * WORDS);
    for _ in 0..ROUNDS {
        memory.extend_from_slice(words);
        *words = block_mix(words);
    }
    for _ in 0..ROUNDS {
        let index = words.get(WORDS - 16).copied().unwrap_or(0);
        let index = usize::try_from(index).unwrap_or(0) % ROUNDS;
        let earlier = memory.get(index * WORDS..(index + 1) * WORDS).unwrap_or_default();
        words.iter_mut().zip(earlier).for_each(|(word, other)| *word ^= other);
        *words = block_mix(words);
    }
}

/// Blocks mixed one after another; the even ones come first.
fn block_mix(words: &[u32]) -> Vec<u32> {
    let mut current = [0; 16];
    if let Some(last) = words.last_chunk::<16>() {
        current = *last;
    }
    let (mut even, mut odd) = (Vec::with_capacity(WORDS), Vec::with_capacity(WORDS / 2));
    for (index, block) in words.chunks_exact(16).enumerate() {
        current.iter_mut().zip(block).for_each(|(word, other)| *word ^= other);
        salsa(&mut current);
        if index % 2 == 0 { &mut even } else { &mut odd }.extend_from_slice(&current);
    }
    even.extend_from_slice(&odd);
    even
}

/// Salsa20 with eight rounds.
fn salsa(block: &mut [u32; 16]) {
    fn quarter(block: &mut [u32; 16], [one, two, three, four]: [usize; 4]) {
        let mut step = |to: usize, one: usize, other: usize, by: u32| {
            let sum =
                block.get(one).copied().unwrap_or(0).wrapping_add(block.get(other).copied().unwrap_or(0));
            if let Some(word) = block.get_mut(to) {
                *word ^= sum.rotate_left(by);
            }
        };
        step(two, one, four, 7);
        step(three, two, one, 9);
        step(four, three, two, 13);
        step(one, four, three, 18);
    }
    let before = *block;
    for _ in 0..4 {
        for column in [[0, 4, 8, 12], [5, 9, 13, 1], [10, 14, 2, 6], [15, 3, 7, 11]] {
            quarter(block, column);
        }
        for row in [[0, 1, 2, 3], [5, 6, 7, 4], [10, 11, 8, 9], [15, 12, 13, 14]] {
            quarter(block, row);
        }
    }
    block.iter_mut().zip(before).for_each(|(word, old)| *word = word.wrapping_add(old));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_password_has_a_known_hash() {
        // From the test vectors of the first implementation.
        let salt =
            [0x10, 0x41, 0x04, 0x10, 0x41, 0x04, 0x10, 0x41, 0x04, 0x10, 0x41, 0x04, 0x10, 0x41, 0x04, 0x10];
        assert_eq!(hashed(b"U*U", &salt, 5), "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW");
    }
}
