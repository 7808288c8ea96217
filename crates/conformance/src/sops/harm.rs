//! Files that somebody changed: both must refuse them, and we must not say what is inside.

use anyhow::{Context, Result};
use towpath_sops::{Age, Format, KeyService, decrypt};

use super::modes::MODES;
use super::{Bench, FORMATS, documents};
use crate::random::Random;
use crate::score::{Score, Verdict};

/// What is done to a file; none where it has nothing of the kind.
type Harm = fn(&str) -> Option<String>;

const HARMS: &[(&str, Harm)] = &[
    ("a changed value", |text| flip(text, text_value(text)?, "data:")),
    ("a changed nonce", |text| flip(text, text_value(text)?, "iv:")),
    ("a changed tag", |text| flip(text, text_value(text)?, "tag:")),
    ("a changed type", |text| text.contains("type:str]").then(|| text.replacen("type:str]", "type:int]", 1))),
    ("a changed MAC", |text| flip(text, mac(text)?, "data:")),
    ("no MAC", |text| {
        let start = mac(text)?;
        let end = start + text.get(start..)?.find(']')? + 1;
        Some(format!("{}{}", text.get(..start)?, text.get(end..)?))
    }),
    ("another time", |text| {
        let at = text.find("lastmodified")?;
        let at = at + text.get(at..)?.find("20")?;
        Some(format!("{}19{}", text.get(..at)?, text.get(at + 2..)?))
    }),
];

/// Where the first encrypted text starts. A comment may be changed: SOPS takes it for one that never was encrypted.
fn text_value(text: &str) -> Option<usize> {
    let end = text.find("type:str]")?;
    text.get(..end)?.rfind("ENC[")
}

fn mac(text: &str) -> Option<usize> {
    let at = ["\"mac\"", "sops_mac=", "\nmac ", "    mac: "].iter().find_map(|word| text.find(word))?;
    Some(at + text.get(at..)?.find("ENC[")?)
}

/// Every harm to a file of every format, and keys that do not fit.
pub fn run(bench: &Bench, random: &mut Random, score: &mut Score) -> Result<()> {
    let mode = MODES.first().context("a mode")?;
    std::fs::write(bench.config(), mode.config(&bench.keys)).context("write .sops.yaml")?;
    for format in FORMATS {
        let document = loop {
            let document = documents::generated(random, format);
            if let Some(encrypted) = bench.encrypt(&document, format)?
                && String::from_utf8_lossy(&encrypted).matches("type:str]").count() > 2
            {
                break encrypted;
            }
            if format == Format::Binary {
                break bench.encrypt(&document, format)?.context("encrypt a binary file")?;
            }
        };
        let text = String::from_utf8_lossy(&document);
        for (name, harm) in HARMS {
            if let Some(harmed) = harm(&text) {
                score.add(&format!("{format}: {name}"), refused(bench, harmed.as_bytes(), format)?);
            }
        }
        let none = Age::default();
        let other = bench.keys.age(3);
        let wrong: [(&str, &dyn KeyService); 2] = [("no key", &none), ("OpenPGP keys only", &bench.keys.pgp)];
        for (name, service) in wrong {
            let verdict = match decrypt(&document, format, &[service]) {
                Err(_) => Verdict::Agreed,
                Ok(_) => Verdict::Missed("  ours decrypted it".into()),
            };
            score.add(&format!("{format}: {name}"), verdict);
        }
        let verdict = match decrypt(&document, format, &[&other]) {
            Ok(_) => Verdict::Agreed,
            Err(error) => Verdict::Missed(format!("  the file before it was harmed: {error}")),
        };
        score.add(&format!("{format}: unharmed"), verdict);
    }
    Ok(())
}

fn refused(bench: &Bench, harmed: &[u8], format: Format) -> Result<Verdict> {
    let path = bench.file("harmed", format);
    std::fs::write(&path, harmed).context("write the harmed file")?;
    let theirs = bench.start(&["decrypt"], &path)?;
    let age = bench.keys.age(1);
    let ours = decrypt(harmed, format, &[&age]);
    Ok(match (ours, theirs.status.success()) {
        (Err(_), false) => Verdict::Agreed,
        (Err(error), true) => Verdict::Missed(format!("  ours {error}\n  sops decrypted it")),
        (Ok(_), success) => Verdict::Missed(format!("  ours decrypted it\n  sops decrypted it: {success}")),
    })
}

/// Changes the first character of base64 behind a word, looking from a place on.
fn flip(text: &str, from: usize, word: &str) -> Option<String> {
    let at = from + text.get(from..)?.find(word)? + word.len();
    let other = if text.get(at..=at)? == "A" { "B" } else { "A" };
    Some(format!("{}{other}{}", text.get(..at)?, text.get(at + 1..)?))
}
