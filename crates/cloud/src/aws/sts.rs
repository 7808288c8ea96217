//! Roles: credentials from AWS' token service.

use std::path::Path;

use jiff::Timestamp;
use zeroize::Zeroizing;

use super::credentials::Credentials;
use super::sign::{Scope, sign};
use super::{endpoint, session_name};
use crate::Context;
use crate::cache::Lease;
use crate::encode::form;
use crate::environment;
use crate::error::Error;
use crate::http::{Answer, Patience, Request, xml};

const FORM: &str = "application/x-www-form-urlencoded";

/// Takes on a role with credentials that we have.
pub(crate) async fn assume(
    context: &Context,
    credentials: &Credentials,
    region: &str,
    role: &str,
    session: Option<&str>,
    external_id: Option<&str>,
) -> Result<Lease<Credentials>, Error> {
    let session = session.map_or_else(session_name, str::to_owned);
    let mut pairs = vec![
        ("Action", "AssumeRole"),
        ("Version", "2011-06-15"),
        ("RoleArn", role),
        ("RoleSessionName", &session),
    ];
    pairs.extend(external_id.map(|id| ("ExternalId", id)));
    let request = Request::post(endpoint(&context.environment, "sts", region), FORM, form(&pairs));
    let request = sign(request, credentials, &Scope { region, service: "sts" }, context.clock.now());
    answered(&context.http.send("take on an AWS role", Patience::Service, &request).await?)
}

/// Takes on a role with a token that somebody else signed: a service account of a cluster.
pub(crate) async fn web_identity(
    context: &Context,
    region: &str,
    role: &str,
    session: Option<&str>,
    file: &Path,
) -> Result<Lease<Credentials>, Error> {
    if role.is_empty() {
        return Err(Error::credentials("a web identity token needs a role", "set AWS_ROLE_ARN"));
    }
    let token = environment::file(file)?;
    let session = session.map_or_else(session_name, str::to_owned);
    let body = form(&[
        ("Action", "AssumeRoleWithWebIdentity"),
        ("Version", "2011-06-15"),
        ("RoleArn", role),
        ("RoleSessionName", &session),
        ("WebIdentityToken", token.trim()),
    ]);
    let request = Request::post(endpoint(&context.environment, "sts", region), FORM, body);
    answered(
        &context.http.send("take on an AWS role with a web identity", Patience::Service, &request).await?,
    )
}

fn answered(answer: &Answer) -> Result<Lease<Credentials>, Error> {
    let text = answer.text()?;
    let field = |name: &'static str| xml(text, name).ok_or_else(|| answer.without(name));
    let token = Zeroizing::new(field("SessionToken")?.to_owned());
    let value = Credentials::new(field("AccessKeyId")?, field("SecretAccessKey")?, Some(&token));
    let until = field("Expiration").ok().and_then(|time| time.parse::<Timestamp>().ok());
    Ok(Lease { value, until })
}
