//! Checks AWS' signature of a request, version 4, from the side of the server: by what the client says it signed.
//!
//! <https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html>

use aws_lc_rs::{digest, hmac};

use super::Asked;

/// Whether the request was signed with this key for this service; the error says what is wrong.
pub(super) fn check(asked: &Asked, id: &str, secret: &str, service: &str) -> Result<(), String> {
    let header = asked.header("authorization");
    let part = |name: &str| {
        let (_, rest) = header.split_once(&format!("{name}="))?;
        Some(rest.split(',').next().unwrap_or_default().trim())
    };
    let (Some(credential), Some(signed), Some(signature)) =
        (part("Credential"), part("SignedHeaders"), part("Signature"))
    else {
        return Err("the request is not signed".into());
    };
    let Some((who, scope)) = credential.split_once('/') else { return Err("the scope is missing".into()) };
    let [date, region, of, end] = scope.split('/').collect::<Vec<_>>()[..] else {
        return Err("the scope has not four parts".into());
    };
    let time = asked.header("x-amz-date");
    if who != id || of != service || region != "eu-west-1" || end != "aws4_request" || !time.starts_with(date)
    {
        return Err(format!("signed as {who} for {scope} at {time}"));
    }
    for needed in ["host", "x-amz-date"] {
        if !signed.split(';').any(|name| name == needed) {
            return Err(format!("{needed} is not signed"));
        }
    }
    let value = |name: &str| if name == "host" { asked.host.as_str() } else { asked.header(name) };
    let headers: String = signed.split(';').map(|name| format!("{name}:{}\n", value(name).trim())).collect();
    let (method, path, query) = (&asked.method, &asked.path, &asked.query);
    let canonical = format!("{method}\n{path}\n{query}\n{headers}\n{signed}\n{}", sha256(&asked.body));
    let text = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{}", sha256(canonical.as_bytes()));
    let start = format!("AWS4{secret}").into_bytes();
    let key = [date, region, service, end].iter().fold(start, |key, part| mac(&key, part.as_bytes()));
    if hex(&mac(&key, text.as_bytes())) == signature {
        Ok(())
    } else {
        Err("the signature does not match".into())
    }
}

fn mac(key: &[u8], text: &[u8]) -> Vec<u8> {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text).as_ref().to_vec()
}

fn sha256(bytes: &[u8]) -> String {
    hex(digest::digest(&digest::SHA256, bytes).as_ref())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
