//! Google Cloud KMS over gRPC, as Google's own library asks it: just enough of protocol buffers for two calls.

use super::safe::Safe;
use super::{Asked, Clouds, google};

const SERVICE: &str = "/google.cloud.kms.v1.KeyManagementService/";
/// gRPC's codes.
const OK: u16 = 0;
const INVALID: u16 = 3;
const UNAUTHENTICATED: u16 = 16;

pub(super) fn is_for(asked: &Asked) -> bool {
    asked.header("content-type").starts_with("application/grpc")
}

/// A framed message, empty where there is none, and the call's status.
pub(super) fn answer(safe: &Safe, asked: &Asked) -> (Vec<u8>, u16) {
    if !asked.bearer(google::TOKEN) {
        return (Vec::new(), UNAUTHENTICATED);
    }
    let message = asked.body.get(5..).unwrap_or_default();
    let (Some(key), Some(content)) = (field(message, 1), field(message, 2)) else {
        return (Vec::new(), INVALID);
    };
    if key != Clouds::GOOGLE.as_bytes() {
        return (Vec::new(), INVALID);
    }
    match asked.path.strip_prefix(SERVICE) {
        Some("Encrypt") => {
            let ticket = safe.keep(Clouds::GOOGLE, "", content);
            (framed(&[(1, key), (2, &ticket)]), OK)
        }
        Some("Decrypt") => match safe.take(Clouds::GOOGLE, "", content) {
            Some(plaintext) => (framed(&[(1, &plaintext)]), OK),
            None => (Vec::new(), INVALID),
        },
        _ => (Vec::new(), INVALID),
    }
}

/// The bytes of a field; others are skipped as long as they are of the same kind.
fn field(mut message: &[u8], wanted: u64) -> Option<&[u8]> {
    loop {
        let tag = number(&mut message)?;
        let length = usize::try_from(number(&mut message)?).ok()?;
        let (content, rest) = message.split_at_checked(length)?;
        if tag == wanted << 3 | 2 {
            return Some(content);
        }
        message = rest;
    }
}

fn number(message: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..63).step_by(7) {
        let (byte, rest) = message.split_first()?;
        *message = rest;
        value |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn framed(fields: &[(u8, &[u8])]) -> Vec<u8> {
    let mut message = Vec::new();
    for (tag, content) in fields {
        message.push(tag << 3 | 2);
        let mut length = content.len();
        while length > 0x7F {
            message.push(u8::try_from(length & 0x7F).unwrap_or_default() | 0x80);
            length >>= 7;
        }
        message.push(u8::try_from(length).unwrap_or_default());
        message.extend_from_slice(content);
    }
    let length = u32::try_from(message.len()).unwrap_or_default().to_be_bytes();
    [&[0], &length[..], &message].concat()
}
