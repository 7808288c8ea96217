//! Foreign bytes as SOPS files, with the right key. Whatever they are, they have an answer that holds no plaintext,
//! and what is written can be read.
//!
//! The files in `seeds` were made by the real sops with a key that exists for these tests only. They are replayed as
//! they are and then broken. It takes two seconds; as long as one likes with
//! `TOWPATH_FUZZ_SECONDS=3600 cargo test --release --package towpath-sops --test fuzz`.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, TestRunner};
use towpath_failure::Failure as _;
use towpath_sops::{Age, DataKey, Error, File, Format, KeyService, Mac, MasterKey, input, object, resources};
use towpath_yaml::{Dialect, Limits};

const KEY: &str = "AGE-SECRET-KEY-19ZRGRZ69KAVE84HM9E64TLR9EU9XY2AQV6SLL5MA2RGR8C5MAS5QPSHHM3";
const FORMATS: [Format; 5] = [Format::Yaml, Format::Json, Format::Dotenv, Format::Ini, Format::Binary];
/// Stands in every value of the seeds.
const WORD: &str = "swordfish";

const SEEDS: [(Format, &[u8]); 7] = [
    (Format::Yaml, include_bytes!("seeds/documents.yaml")),
    (Format::Yaml, include_bytes!("seeds/secret.yaml")),
    (Format::Json, include_bytes!("seeds/object.json")),
    (Format::Dotenv, include_bytes!("seeds/pairs.env")),
    (Format::Yaml, include_bytes!("seeds/groups.yaml")),
    (Format::Ini, include_bytes!("seeds/sections.ini")),
    (Format::Binary, include_bytes!("seeds/bytes.bin")),
];

/// What means something to a reader.
const PIECES: &[&str] = &[
    "\n",
    "  ",
    "- ",
    ": ",
    "{",
    "}",
    "[",
    "]",
    "'",
    "\"",
    "\"\"\"",
    "`",
    "#",
    ";",
    "=",
    "&a ",
    "*a",
    "!!int ",
    "!!binary ",
    "|\n",
    ">\n",
    "null",
    ".inf",
    "1e400",
    "0x1F",
    "\u{0}",
    "\u{feff}",
    "<<: ",
    "---\n",
    "sops",
    "sops_",
    "[sops]\n",
    "mac",
    "\"mac\": \"ENC[",
    "mac: ENC[",
    "age__list_0__map_enc",
    "__list_99__",
    "__map_",
    "ENC[AES256_GCM,data:",
    ",iv:",
    ",tag:",
    ",type:str]",
    ",type:int]",
    ",type:float]",
    ",type:bool]",
    ",type:time]",
    ",type:comment]",
    "_unencrypted",
    "encrypted_regex: (",
    "shamir_threshold: 3\n",
    "mac_only_encrypted: true\n",
    "-----BEGIN AGE ENCRYPTED FILE-----",
    "kind: Secret\n",
    "\\n",
    "\\",
];

/// One key for all: a file whose keys are not asked for is fuzzed a hundred times as fast.
struct Known(DataKey);

impl KeyService for Known {
    fn open(&self, _: &MasterKey) -> Option<Result<DataKey, String>> {
        Some(Ok(self.0.clone()))
    }
}

fn age() -> Age {
    Age::from_keys(KEY).expect("a key")
}

fn refused(error: &Error) -> Result<(), TestCaseError> {
    let said = format!("{error} {error:?} {:?}", error.hint());
    prop_assert!(!said.contains(WORD), "{said}");
    Ok(())
}

/// Everything that can be done with bytes.
fn survives(bytes: &[u8], format: Format, service: &dyn KeyService) -> Result<(), TestCaseError> {
    let file = match File::read(bytes, format) {
        Ok(file) => file,
        Err(error) => return refused(&error),
    };
    let key = match file.data_key(&[service]) {
        Ok(key) => key,
        Err(error) => return refused(&error),
    };
    let decrypted = match file.decrypt(&key, Mac::Ignored) {
        Ok(decrypted) => decrypted,
        Err(error) => return refused(&error),
    };
    for output in FORMATS {
        match (decrypted.write(output), output) {
            (Err(error), _) => refused(&error)?,
            (Ok(text), Format::Json) => {
                let read = serde_json::from_slice::<serde_json::Value>(text.expose());
                prop_assert!(read.is_ok(), "{:?}", String::from_utf8_lossy(text.expose()));
            }
            (Ok(text), Format::Yaml) => {
                let read = towpath_yaml::read(text.expose(), Dialect::V3, &Limits::default());
                prop_assert!(read.is_ok(), "{read:?} {:?}", String::from_utf8_lossy(text.expose()));
            }
            _ => {}
        }
    }
    Ok(())
}

fn manifests(bytes: &[u8], format: Format, service: &dyn KeyService) -> Result<(), TestCaseError> {
    for done in [resources(bytes, format, &[service]), input(bytes, format, &[service])] {
        if let Err(error) = done {
            refused(&error)?;
        }
    }
    if let Ok(value) = serde_json::from_slice(bytes)
        && let Err(error) = object(&value, &[service])
    {
        refused(&error)?;
    }
    Ok(())
}

#[test]
fn the_seeds_are_decrypted() {
    for (format, bytes) in SEEDS {
        let file = File::read(bytes, format).expect("a file of sops");
        let key = file.data_key(&[&age()]).expect("our key");
        let text = file.decrypt(&key, Mac::Verified).expect("our key").write(format).expect("its own format");
        assert!(String::from_utf8_lossy(text.expose()).contains("sword"), "{format}");
        assert!(survives(bytes, format, &age()).is_ok(), "{format}");
    }
}

#[test]
fn every_file_has_an_answer() {
    let seconds = std::env::var("TOWPATH_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(2);
    let end = Instant::now() + Duration::from_secs(seconds);
    let keys: Vec<Known> = SEEDS
        .iter()
        .map(|(format, bytes)| {
            let file = File::read(bytes, *format).expect("a file of sops");
            Known(file.data_key(&[&age()]).expect("our key"))
        })
        .collect();
    let piece = prop_oneof![
        3 => select(PIECES).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..3),
        1 => (any::<Index>(), any::<Index>(), 1_usize..80).prop_map(|(seed, at, length)| {
            let (_, bytes) = SEEDS[seed.index(SEEDS.len())];
            bytes.iter().skip(at.index(bytes.len())).take(length).copied().collect()
        }),
    ];
    let cut = (any::<Index>(), 0_usize..20, piece);
    let format = prop_oneof![4 => Just(None), 1 => select(&FORMATS[..]).prop_map(Some)];
    let cases = (any::<Index>(), prop::collection::vec(cut, 1..5), format, any::<bool>());
    let mut runner = TestRunner::new(Config { cases: 500, failure_persistence: None, ..Config::default() });
    while Instant::now() < end {
        let done = runner.run(&cases, |(seed, cuts, other, slow)| {
            let seed = seed.index(SEEDS.len());
            let (format, bytes) = SEEDS[seed];
            let mut bytes = bytes.to_vec();
            for (at, length, piece) in cuts {
                let at = at.index(bytes.len() + 1);
                bytes.splice(at..(at + length).min(bytes.len()), piece);
            }
            let format = other.unwrap_or(format);
            if slow {
                survives(&bytes, format, &age())?;
            }
            survives(&bytes, format, &keys[seed])?;
            manifests(&bytes, format, &keys[seed])
        });
        if let Err(error) = done {
            panic!("{error}");
        }
    }
}
