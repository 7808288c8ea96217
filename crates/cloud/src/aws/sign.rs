//! AWS' signature of a request, version 4.
//!
//! <https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html>

use aws_lc_rs::hmac;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use super::credentials::Credentials;
use crate::encode::hex;
use crate::http::Request;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// Where a signature holds.
pub(crate) struct Scope<'s> {
    pub region: &'s str,
    pub service: &'s str,
}

/// Signs all headers of a request, and its body. The path and the query must be in their canonical form.
pub(crate) fn sign(
    mut request: Request,
    credentials: &Credentials,
    scope: &Scope<'_>,
    now: Timestamp,
) -> Request {
    let now = now.to_zoned(TimeZone::UTC);
    let (date, time) = (now.strftime("%Y%m%d").to_string(), now.strftime("%Y%m%dT%H%M%SZ").to_string());
    request = request.with("x-amz-date", &time);
    if let Some(token) = &credentials.token {
        request = request.with("x-amz-security-token", token);
    }
    let mut headers: Vec<(&str, Zeroizing<String>)> = vec![("host", Zeroizing::new(request.host()))];
    headers
        .extend(request.headers.iter().map(|(name, value)| (*name, Zeroizing::new(value.trim().to_owned()))));
    headers.sort_by_key(|(name, _)| *name);
    let names = headers.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(";");
    let lines: String = headers.iter().map(|(name, value)| format!("{name}:{}\n", value.as_str())).collect();
    let rest = request.url.split_once("://").map_or("", |(_, rest)| rest);
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let path = path.find('/').and_then(|at| path.get(at..)).unwrap_or("/");
    let digest = hex(&Sha256::digest(&*request.body));
    let canonical =
        Zeroizing::new(format!("{}\n{path}\n{query}\n{lines}\n{names}\n{digest}", request.method.as_str()));
    let place = format!("{date}/{}/{}/aws4_request", scope.region, scope.service);
    let text = format!("{ALGORITHM}\n{time}\n{place}\n{}", hex(&Sha256::digest(canonical.as_bytes())));
    let mut key = hmac(format!("AWS4{}", credentials.secret.as_str()).as_bytes(), &date);
    for part in [scope.region, scope.service, "aws4_request"] {
        key = hmac(key.as_ref(), part);
    }
    let signature = hex(hmac(key.as_ref(), &text).as_ref());
    let id = &credentials.id;
    request.with(
        "authorization",
        &format!("{ALGORITHM} Credential={id}/{place}, SignedHeaders={names}, Signature={signature}"),
    )
}

fn hmac(key: &[u8], text: &str) -> hmac::Tag {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The credentials and the time of AWS' published test suite.
    fn signature(request: Request, service: &str) -> String {
        let secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
        let credentials = Credentials::new("AKIDEXAMPLE", secret, None);
        let now: Timestamp = "2015-08-30T12:36:00Z".parse().unwrap();
        let signed = sign(request, &credentials, &Scope { region: "us-east-1", service }, now);
        let (_, value) = signed.headers.into_iter().find(|(name, _)| *name == "authorization").unwrap();
        value.rsplit_once("Signature=").unwrap().1.to_owned()
    }

    #[test]
    fn the_published_vectors() {
        let post = |body: &str| {
            let kind = "application/x-www-form-urlencoded";
            Request::post("https://example.amazonaws.com/", kind, body.to_owned())
        };
        let bare = |method| Request { method, ..Request::get("https://example.amazonaws.com/") };
        let get_vanilla = "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31";
        assert_eq!(signature(bare(http::Method::GET), "service"), get_vanilla);
        let post_vanilla = "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b";
        assert_eq!(signature(bare(http::Method::POST), "service"), post_vanilla);
        let form = "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a";
        assert_eq!(signature(post("Param1=value1"), "service"), form);
        let key_sort = "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c";
        assert_eq!(signature(bare(http::Method::POST).with("my-header1", "value1"), "service"), key_sort);
        let users = Request::get("https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08")
            .with("content-type", "application/x-www-form-urlencoded; charset=utf-8");
        let documented = "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7";
        assert_eq!(signature(users, "iam"), documented);
    }
}
