//! Credentials of AWS, found where its own tools find them.
//!
//! ```text
//! a profile that the file names ──► that profile
//! otherwise: variables ► web identity ► AWS_PROFILE or `default` ► container ► instance
//! ```

use std::fmt;
use std::path::Path;

use zeroize::Zeroizing;

use super::profile::{Profile, Profiles};
use super::{remote, sts};
use crate::Context;
use crate::cache::Lease;
use crate::error::Error;

/// Of how many profiles one may refer to the next.
const LONGEST: usize = 8;

/// An access key.
#[derive(Clone)]
pub(crate) struct Credentials {
    pub id: String,
    pub secret: Zeroizing<String>,
    pub token: Option<Zeroizing<String>>,
}

impl Credentials {
    pub fn new(id: &str, secret: &str, token: Option<&str>) -> Self {
        let secret = Zeroizing::new(secret.to_owned());
        Self { id: id.to_owned(), secret, token: token.map(|token| Zeroizing::new(token.to_owned())) }
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Credentials of {}", self.id)
    }
}

/// The first credentials that are there. `profile` is what the file says, or empty.
pub(crate) async fn find(
    context: &Context,
    profile: &str,
    region: &str,
) -> Result<Lease<Credentials>, Error> {
    let environment = &context.environment;
    if profile.is_empty() {
        let key = environment.get("AWS_ACCESS_KEY_ID").or_else(|| environment.get("AWS_ACCESS_KEY"));
        let secret = environment.get("AWS_SECRET_ACCESS_KEY").or_else(|| environment.get("AWS_SECRET_KEY"));
        if let (Some(id), Some(secret)) = (key, secret) {
            let value = Credentials::new(id, secret, environment.get("AWS_SESSION_TOKEN"));
            return Ok(Lease { value, until: None });
        }
        if let Some(file) = environment.get("AWS_WEB_IDENTITY_TOKEN_FILE") {
            let role = environment.get("AWS_ROLE_ARN").unwrap_or_default();
            let session = environment.get("AWS_ROLE_SESSION_NAME");
            return sts::web_identity(context, region, role, session, Path::new(file)).await;
        }
    }
    let profiles = Profiles::read(environment)?;
    let named = if profile.is_empty() { environment.get("AWS_PROFILE") } else { Some(profile) };
    let name = named.unwrap_or("default");
    if named.is_some() && profiles.get(name).is_none() {
        return Err(missing(name));
    }
    of_profile(context, &profiles, name, region).await
}

/// Follows `source_profile` to where credentials are, and takes on the roles on the way back.
async fn of_profile(
    context: &Context,
    profiles: &Profiles,
    name: &str,
    region: &str,
) -> Result<Lease<Credentials>, Error> {
    let none = Profile::default();
    let mut chain = vec![profiles.get(name).unwrap_or(&none)];
    let mut at = name.to_owned();
    while let Some(profile) = chain.last().copied()
        && let (Some(source), Some(_)) = (profile.get("source_profile"), profile.get("role_arn"))
        // A profile that names itself has keys of its own for its role.
        && source != at
    {
        if chain.len() > LONGEST {
            return Err(unusable(name, "its chain of source_profile is too long, or a circle"));
        }
        chain.push(profiles.get(source).ok_or_else(|| missing(source))?);
        at = source.to_owned();
    }
    let mut lease = match chain.last() {
        Some(last) => ground(context, last, &at, region).await?,
        None => remote::find(context).await?,
    };
    for profile in chain.iter().rev() {
        let Some(role) = profile.get("role_arn") else { continue };
        if profile.get("web_identity_token_file").is_some() {
            continue;
        }
        if profile.get("mfa_serial").is_some() {
            return Err(unusable(name, "its role asks for a one-time code"));
        }
        let session = profile.get("role_session_name");
        lease = sts::assume(context, &lease.value, region, role, session, profile.get("external_id")).await?;
    }
    Ok(lease)
}

/// What a profile has by itself.
async fn ground(
    context: &Context,
    profile: &Profile,
    name: &str,
    region: &str,
) -> Result<Lease<Credentials>, Error> {
    if let (Some(id), Some(secret)) = (profile.get("aws_access_key_id"), profile.get("aws_secret_access_key"))
    {
        let value = Credentials::new(id, secret, profile.get("aws_session_token"));
        return Ok(Lease { value, until: None });
    }
    if let Some(source) = profile.get("credential_source") {
        return match source {
            "Environment" => Box::pin(find(context, "", region)).await,
            "EcsContainer" => remote::container(context)
                .await?
                .ok_or_else(|| unusable(name, "it wants a container's credentials, and this is none")),
            "Ec2InstanceMetadata" => remote::instance(context).await,
            _ => Err(unusable(name, "its credential_source is not known")),
        };
    }
    if let Some(file) = profile.get("web_identity_token_file") {
        let role = profile.get("role_arn").unwrap_or_default();
        return sts::web_identity(context, region, role, profile.get("role_session_name"), Path::new(file))
            .await;
    }
    if profile.get("sso_session").is_some() || profile.get("sso_start_url").is_some() {
        return Err(unusable(name, "it logs in with SSO"));
    }
    if profile.get("credential_process").is_some() {
        return Err(unusable(name, "it gets its credentials from a program"));
    }
    remote::find(context).await
}

fn missing(name: &str) -> Error {
    Error::credentials(
        format!("there is no AWS profile `{name}`"),
        "look into ~/.aws/config and ~/.aws/credentials, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
    )
}

fn unusable(name: &str, why: &str) -> Error {
    Error::credentials(
        format!("the AWS profile `{name}` cannot be used: {why}"),
        "run `eval \"$(aws configure export-credentials --format env)\"` first",
    )
}
