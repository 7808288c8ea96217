//! AWS KMS: one signed `Decrypt`, in the region of the key.

mod credentials;
mod profile;
mod remote;
mod sign;
mod sts;

use std::collections::BTreeMap;

use serde_json::json;

pub(crate) use self::credentials::Credentials;
use self::sign::{Scope, sign};
use crate::Context;
use crate::cache::{Cache, Lease};
use crate::encode::{base64, from_base64};
use crate::environment::Environment;
use crate::error::Error;
use crate::http::{Patience, Request};

/// How long AWS lets the name of a session be.
const LONGEST_SESSION: usize = 64;

pub(crate) struct Key<'k> {
    pub arn: &'k str,
    /// Empty for none.
    pub role: &'k str,
    /// Empty for none.
    pub profile: &'k str,
    pub context: &'k [(String, String)],
}

pub(crate) async fn open(
    context: &Context,
    cache: &Cache<Credentials>,
    key: &Key<'_>,
    encrypted: &str,
) -> Result<Vec<u8>, Error> {
    let region = region(key.arn).ok_or_else(|| Error::Key(format!("no valid ARN found in '{}'", key.arn)))?;
    let bytes = from_base64(encrypted)
        .ok_or_else(|| Error::Key("its encrypted data key is not base64".to_owned()))?;
    let now = context.clock.now();
    let name = format!("{region}|{}|{}", key.profile, key.role);
    let credentials = cache.get(&name, now, credentials(context, key, region)).await?;
    let pairs: BTreeMap<&String, &String> = key.context.iter().map(|(name, value)| (name, value)).collect();
    let mut body = json!({ "KeyId": key.arn, "CiphertextBlob": base64(&bytes) });
    if let (false, Some(body)) = (pairs.is_empty(), body.as_object_mut()) {
        body.insert("EncryptionContext".to_owned(), json!(pairs));
    }
    let url = endpoint(&context.environment, "kms", region);
    let request = Request::post(url, "application/x-amz-json-1.1", body.to_string());
    let request = request.with("x-amz-target", "TrentService.Decrypt");
    let request = sign(request, &credentials, &Scope { region, service: "kms" }, now);
    let answer = context.http.send("decrypt with AWS KMS", Patience::Service, &request).await?;
    let plaintext = answer.field("/Plaintext")?;
    from_base64(&plaintext).ok_or_else(|| answer.without("/Plaintext"))
}

async fn credentials(context: &Context, key: &Key<'_>, region: &str) -> Result<Lease<Credentials>, Error> {
    let lease = credentials::find(context, key.profile, region).await?;
    if key.role.is_empty() {
        return Ok(lease);
    }
    sts::assume(context, &lease.value, region, key.role, None, None).await
}

/// The region in `arn:aws…:kms:REGION:ACCOUNT:key/…` or `…:alias/…`. It becomes part of a host name, so it has
/// letters, digits and hyphens only.
fn region(arn: &str) -> Option<&str> {
    let mut parts = arn.splitn(6, ':');
    let mut part = || parts.next();
    let (first, partition, service, region, account, name) =
        (part()?, part()?, part()?, part()?, part()?, part()?);
    let known = first == "arn" && partition.starts_with("aws") && service == "kms";
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let account = !account.is_empty() && account.bytes().all(|byte| byte.is_ascii_digit());
    let name =
        ["key/", "alias/"].iter().any(|kind| name.strip_prefix(kind).is_some_and(|name| !name.is_empty()));
    (known && account && name && !region.is_empty() && region.bytes().all(plain)).then_some(region)
}

/// Where a service listens, with a slash behind it.
fn endpoint(environment: &Environment, service: &str, region: &str) -> String {
    let own = format!("AWS_ENDPOINT_URL_{}", service.to_uppercase());
    let given = environment.get(&own).or_else(|| environment.get("AWS_ENDPOINT_URL"));
    if let Some(url) = given.filter(|_| !environment.is_true("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS")) {
        return format!("{}/", url.trim_end_matches('/'));
    }
    let domain = match region.split('-').collect::<Vec<_>>().as_slice() {
        ["cn", ..] => "amazonaws.com.cn",
        ["us", "iso", ..] => "c2s.ic.gov",
        ["us", "isob", ..] => "sc2s.sgov.gov",
        ["us", "isof", ..] => "csp.hci.ic.gov",
        ["eu", "isoe", ..] => "cloud.adc-e.uk",
        _ => "amazonaws.com",
    };
    let fips = if environment.is_true("AWS_USE_FIPS_ENDPOINT") { "-fips" } else { "" };
    format!("https://{service}{fips}.{region}.{domain}/")
}

/// How our sessions are called in AWS' records: as SOPS calls them.
fn session_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let keep = |letter: &char| letter.is_ascii_alphanumeric() || "=,.@-_".contains(*letter);
    format!("sops@{}", host.trim()).chars().filter(keep).take(LONGEST_SESSION).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_region_is_that_of_the_key() {
        assert_eq!(region("arn:aws:kms:eu-west-1:107501996527:key/612d5f0p"), Some("eu-west-1"));
        assert_eq!(region("arn:aws-cn:kms:cn-north-1:1:alias/a:b"), Some("cn-north-1"));
        for arn in [
            "",
            "arn:aws:kms:x.evil.test/:1:key/k",
            "arn:aws:s3:eu-west-1:1:key/k",
            "arn:aws:kms:eu-west-1::key/k",
            "arn:aws:kms:eu-west-1:1:key/",
            "arn:aws:kms::1:key/k",
        ] {
            assert_eq!(region(arn), None, "{arn}");
        }
    }

    #[test]
    fn the_endpoint_is_that_of_the_region_unless_it_is_given() {
        let none = Environment::default();
        assert_eq!(endpoint(&none, "kms", "eu-west-1"), "https://kms.eu-west-1.amazonaws.com/");
        assert_eq!(endpoint(&none, "kms", "cn-north-1"), "https://kms.cn-north-1.amazonaws.com.cn/");
        let fips = Environment::new([("AWS_USE_FIPS_ENDPOINT", "true")]);
        assert_eq!(endpoint(&fips, "kms", "us-gov-west-1"), "https://kms-fips.us-gov-west-1.amazonaws.com/");
        let own = Environment::new([("AWS_ENDPOINT_URL", "http://a"), ("AWS_ENDPOINT_URL_KMS", "http://b/")]);
        assert_eq!(endpoint(&own, "kms", "x"), "http://b/");
        assert_eq!(endpoint(&own, "sts", "x"), "http://a/");
    }
}
