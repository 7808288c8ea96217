//! Checksums.

use aws_lc_rs::digest::{Algorithm, SHA1_FOR_LEGACY_USE_ONLY, SHA256, SHA512, digest};

use super::Table;

pub fn add(table: &mut Table<'_>) {
    table.text("sha1sum", |text| hex(&SHA1_FOR_LEGACY_USE_ONLY, text));
    table.text("sha256sum", |text| hex(&SHA256, text));
    table.text("sha512sum", |text| hex(&SHA512, text));
    table.text("adler32sum", |text| adler32(text).to_string().into_bytes());
}

fn hex(algorithm: &'static Algorithm, text: &[u8]) -> Vec<u8> {
    let sum = digest(algorithm, text);
    sum.as_ref().iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect()
}

fn adler32(text: &[u8]) -> u32 {
    const MODULUS: u32 = 65_521;
    let (mut low, mut high) = (1, 0);
    for byte in text {
        low = (low + u32::from(*byte)) % MODULUS;
        high = (high + low) % MODULUS;
    }
    (high << 16) | low
}
