//! Digests of files and of parts, as lower-case hex.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256, Sha512};

/// The SHA-256 of a file.
pub fn sha256(path: &Path) -> Result<String> {
    of_file::<Sha256>(path)
}

/// Fails unless the file has this SHA-512.
pub fn expect_sha512(path: &Path, expected: &str) -> Result<()> {
    let actual = of_file::<Sha512>(path)?;
    if !actual.eq_ignore_ascii_case(expected.trim()) {
        bail!("{} has SHA-512 {actual}, expected {expected}", path.display());
    }
    Ok(())
}

/// One SHA-256 over several parts; where one part ends and the next begins counts too.
pub fn of_parts(parts: &[Vec<u8>]) -> String {
    let mut digest = Sha256::new();
    for part in parts {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    }
    hex(&digest.finalize())
}

fn of_file<D: Digest>(path: &Path) -> Result<String> {
    let mut file = File::open(path).with_context(|| format!("open {}", path.display()))?;
    let mut digest = D::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = file.read(&mut buffer).with_context(|| format!("read {}", path.display()))?;
        match buffer.get(..count) {
            Some(bytes) if count > 0 => digest.update(bytes),
            _ => return Ok(hex(&digest.finalize())),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes every write");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // Computed with `printf towpath | sha512sum`.
    const TOWPATH: &str = "37c65ae86bddb9e158d1335fdc693d07fe16bff18751ebe5e6cda3f3a3a318802716ab820d6b8885ef2e529b36a4a7a1b5674c68e5d107348cb4e29a571ef159";

    fn file() -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "towpath").unwrap();
        file
    }

    #[test]
    fn the_right_checksum_passes_in_either_case() {
        expect_sha512(file().path(), TOWPATH).unwrap();
        expect_sha512(file().path(), &TOWPATH.to_uppercase()).unwrap();
    }

    #[test]
    fn a_changed_byte_is_named_with_both_sums() {
        let file = file();
        std::fs::write(file.path(), "towpatH").unwrap();
        let error = expect_sha512(file.path(), TOWPATH).unwrap_err().to_string();
        assert!(error.contains(TOWPATH), "{error}");
    }

    #[test]
    fn parts_do_not_run_into_each_other() {
        let one = of_parts(&[b"ab".to_vec(), b"c".to_vec()]);
        let other = of_parts(&[b"a".to_vec(), b"bc".to_vec()]);
        assert_ne!(one, other);
    }
}
