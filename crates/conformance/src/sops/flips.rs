//! Every bit of a file, flipped: it is refused, or the plaintext is the same.
//!
//! The documents have encrypted values only, none of them empty, and no comments: what SOPS leaves out of its MAC
//! would not be missed. A refusal must not hold a word of the plaintext.

use anyhow::{Context, Result};
use towpath_failure::Failure as _;
use towpath_sops::{Format, decrypt};

use super::{Bench, MODES};
use crate::score::{Score, Verdict};

/// A word that stands in every value.
const WORD: &str = "swordfish";

const DOCUMENTS: [(Format, &str); 5] = [
    (
        Format::Yaml,
        "user: a swordfish\nlist:\n  - swordfish 1\n  - {deep: swordfish 2}\ntext: |\n  swordfish\n  3\n",
    ),
    (Format::Json, r#"{"user": "a swordfish", "list": ["swordfish 1", {"deep": "swordfish 2"}]}"#),
    (Format::Dotenv, "USER=a swordfish\nOTHER=swordfish 1\n"),
    (Format::Ini, "[one]\nuser = a swordfish\n[two]\nuser = swordfish 1\n"),
    (Format::Binary, "a swordfish\0\u{1}\n"),
];

pub fn run(bench: &Bench, score: &mut Score) -> Result<()> {
    let mode = MODES.first().context("a mode")?;
    std::fs::write(bench.config(), mode.config(&bench.keys)).context("write .sops.yaml")?;
    for (format, document) in DOCUMENTS {
        let encrypted = bench.encrypt(document.as_bytes(), format)?.context("encrypt a document")?;
        score.add(&format!("{format}: every flipped bit"), judge(bench, &encrypted, format)?);
    }
    Ok(())
}

fn judge(bench: &Bench, encrypted: &[u8], format: Format) -> Result<Verdict> {
    let age = bench.keys.age(1);
    let expected = decrypt(encrypted, format, &[&age]).context("decrypt the file as it is")?;
    for at in 0..encrypted.len() {
        for bit in 0..8 {
            let mut flipped = encrypted.to_vec();
            if let Some(byte) = flipped.get_mut(at) {
                *byte ^= 1 << bit;
            }
            let problem = match decrypt(&flipped, format, &[&age]) {
                Ok(plaintext) if plaintext == expected => continue,
                Ok(_) => "it became something else".to_owned(),
                Err(error) => {
                    let said = format!("{error} {error:?} {:?}", error.hint());
                    if !said.contains(WORD) {
                        continue;
                    }
                    "the refusal quotes the plaintext".to_owned()
                }
            };
            let around =
                encrypted.get(at.saturating_sub(40)..(at + 40).min(encrypted.len())).unwrap_or_default();
            let around = String::from_utf8_lossy(around);
            return Ok(Verdict::Missed(format!("  byte {at}, bit {bit}: {problem}\n  at {around}")));
        }
    }
    Ok(Verdict::Agreed)
}
