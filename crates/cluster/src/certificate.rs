//! When a certificate ends: just enough DER to read that one date.
//!
//! An API server answers an expired client certificate with a bare 401. Reading the date ourselves turns that
//! into a sentence that helps.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kube::config::AuthInfo;

/// The client certificate we show, as PEM.
pub(crate) fn client_certificate(auth: &AuthInfo) -> Option<Vec<u8>> {
    match (&auth.client_certificate_data, &auth.client_certificate) {
        (Some(data), _) => STANDARD.decode(data.as_bytes()).ok(),
        (None, Some(path)) => std::fs::read(path).ok(),
        (None, None) => None,
    }
}

/// The end of the first certificate in a PEM file, in seconds since 1970.
pub(crate) fn ends(pem: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(pem).ok()?;
    let body = text.split_once("-----BEGIN CERTIFICATE-----")?.1.split_once("-----END")?.0;
    let der = STANDARD.decode(body.split_whitespace().collect::<String>()).ok()?;
    let (_, certificate, _) = element(&der)?;
    let (_, signed_part, _) = element(certificate)?;
    let mut rest = signed_part;
    let (tag, _, after) = element(rest)?;
    if tag == 0xa0 {
        rest = after; // the version, which old certificates leave out
    }
    for _ in ["serial number", "signature algorithm", "issuer"] {
        rest = element(rest)?.2;
    }
    let (_, validity, _) = element(rest)?;
    let (_, _, not_after) = element(validity)?;
    let (tag, date, _) = element(not_after)?;
    seconds(tag, std::str::from_utf8(date).ok()?)
}

/// The first element of `der`: its tag, its content and what follows it.
fn element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = der.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = if first < 0x80 {
        (usize::from(first), rest)
    } else {
        let (bytes, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
        let length = bytes
            .iter()
            .try_fold(0usize, |sum, byte| sum.checked_mul(256)?.checked_add(usize::from(*byte)))?;
        (length, rest)
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((tag, content, rest))
}

/// `YYMMDDHHMMSSZ` (tag 23) or `YYYYMMDDHHMMSSZ` (tag 24) to seconds since 1970.
fn seconds(tag: u8, text: &str) -> Option<i64> {
    let (year, rest) = if tag == 23 {
        let (year, rest) = text.split_at_checked(2)?;
        let year: i64 = year.parse().ok()?;
        (if year < 50 { 2000 + year } else { 1900 + year }, rest)
    } else {
        let (year, rest) = text.split_at_checked(4)?;
        (year.parse().ok()?, rest)
    };
    let mut parts = [0i64; 5];
    let mut rest = rest;
    for part in &mut parts {
        let (digits, after) = rest.split_at_checked(2)?;
        *part = digits.parse().ok()?;
        rest = after;
    }
    let [month, day, hour, minute, second] = parts;
    Some(((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second)
}

/// Days since 1970-01-01 in the Gregorian calendar, counting years from March so that the leap day is the last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(seconds(23, "700101000000Z"), Some(0));
        assert_eq!(seconds(24, "20000229120000Z"), Some(951_825_600));
        assert_eq!(seconds(23, "261115171512Z"), Some(1_794_762_912));
        assert_eq!(seconds(23, "26"), None);
    }

    #[test]
    fn hostile_bytes_give_nothing() {
        assert_eq!(ends(b"-----BEGIN CERTIFICATE-----\nMIIB/////w==\n-----END CERTIFICATE-----"), None);
        assert_eq!(ends(b"\xff\xfe"), None);
    }
}
