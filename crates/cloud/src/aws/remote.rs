//! Credentials from the container or the instance that we run in.

use std::net::IpAddr;

use ::http::{Method, Uri};
use jiff::Timestamp;

use super::credentials::Credentials;
use crate::Context;
use crate::cache::Lease;
use crate::environment;
use crate::error::Error;
use crate::http::{Answer, Patience, Request};

const CONTAINER: &str = "http://169.254.170.2";
const INSTANCE: &str = "http://169.254.169.254";
/// The addresses of ECS' and EKS' own servers, which may be asked without TLS.
const KNOWN: [&str; 3] = ["169.254.170.2", "169.254.170.23", "fd00:ec2::23"];

/// Of the container, or else of the instance.
pub(crate) async fn find(context: &Context) -> Result<Lease<Credentials>, Error> {
    match container(context).await? {
        Some(lease) => Ok(lease),
        None => instance(context).await,
    }
}

/// `None` where nothing says that this is a container with credentials.
pub(crate) async fn container(context: &Context) -> Result<Option<Lease<Credentials>>, Error> {
    let environment = &context.environment;
    let url = match environment.get("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") {
        Some(path) => format!("{CONTAINER}{path}"),
        None => match environment.get("AWS_CONTAINER_CREDENTIALS_FULL_URI") {
            Some(url) if may_be_asked(url) => url.to_owned(),
            Some(url) => {
                let problem = format!(
                    "AWS_CONTAINER_CREDENTIALS_FULL_URI is {url}, which is neither TLS nor this machine"
                );
                return Err(Error::Credentials { problem, hint: None });
            }
            None => return Ok(None),
        },
    };
    let mut request = Request::get(url);
    if let Some(file) = environment.get("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE") {
        let token = environment::file(file.as_ref())?;
        request = request.with("authorization", token.trim());
    } else if let Some(token) = environment.get("AWS_CONTAINER_AUTHORIZATION_TOKEN") {
        request = request.with("authorization", token);
    }
    let answer =
        context.http.send("get the container's AWS credentials", Patience::Service, &request).await?;
    credentials(&answer).map(Some)
}

fn may_be_asked(url: &str) -> bool {
    let Ok(uri) = url.parse::<Uri>() else { return false };
    let host = uri.host().unwrap_or_default().trim_matches(['[', ']']);
    let loopback = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    uri.scheme_str() == Some("https") || loopback || KNOWN.contains(&host)
}

pub(crate) async fn instance(context: &Context) -> Result<Lease<Credentials>, Error> {
    let environment = &context.environment;
    if environment.is_true("AWS_EC2_METADATA_DISABLED") {
        return Err(none("and AWS_EC2_METADATA_DISABLED is set"));
    }
    let server =
        environment.get("AWS_EC2_METADATA_SERVICE_ENDPOINT").unwrap_or(INSTANCE).trim_end_matches('/');
    let action = "get the instance's AWS credentials";
    let ask = async |request: Request| {
        context.http.send(action, Patience::Metadata, &request).await.map_err(|error| match error {
            Error::Unreachable { .. } => none("and there is no instance metadata server"),
            other => other,
        })
    };
    let session = Request { method: Method::PUT, ..Request::get(format!("{server}/latest/api/token")) };
    let session = ask(session.with("x-aws-ec2-metadata-token-ttl-seconds", "300")).await?;
    let session = session.text()?;
    let path = format!("{server}/latest/meta-data/iam/security-credentials/");
    let header = "x-aws-ec2-metadata-token";
    let roles = ask(Request::get(&path).with(header, session)).await?;
    let role = roles.text()?.lines().next().map(str::trim).filter(|role| !role.is_empty());
    let role = role.ok_or_else(|| none("and the instance has no role"))?.to_owned();
    credentials(&ask(Request::get(format!("{path}{role}")).with(header, session)).await?)
}

fn credentials(answer: &Answer) -> Result<Lease<Credentials>, Error> {
    let (id, secret) = (answer.field("/AccessKeyId")?, answer.field("/SecretAccessKey")?);
    let token = answer.field("/Token").ok();
    let value = Credentials::new(&id, &secret, token.as_ref().map(|token| token.as_str()));
    let until = answer.field("/Expiration").ok().and_then(|time| time.parse::<Timestamp>().ok());
    Ok(Lease { value, until })
}

fn none(why: &str) -> Error {
    Error::credentials(
        format!("there are no AWS credentials in the environment or in ~/.aws, {why}"),
        "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_servers_are_asked_without_tls() {
        for url in
            ["http://169.254.170.23/v1", "http://[fd00:ec2::23]/v1", "http://localhost:1/", "https://a/"]
        {
            assert!(may_be_asked(url), "{url}");
        }
        assert!(!may_be_asked("http://example.test/"));
        assert!(!may_be_asked("no url"));
    }
}
