//! Tokens of Azure, found in the order of its own libraries.
//!
//! ```text
//! client secret (AZURE_CLIENT_SECRET) ► workload identity (AZURE_FEDERATED_TOKEN_FILE)
//!   ► managed identity: App Service (IDENTITY_ENDPOINT), or the metadata server of the machine
//! ```

use std::path::Path;

use jiff::Timestamp;

use crate::Context;
use crate::cache::{Lease, Token};
use crate::encode::form;
use crate::environment;
use crate::error::Error;
use crate::http::{Answer, Patience, Request};

const AUTHORITY: &str = "https://login.microsoftonline.com";
const METADATA: &str = "http://169.254.169.254";
const FORM: &str = "application/x-www-form-urlencoded";
const ASSERTION: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const ACTION: &str = "get an Azure token";

pub(super) async fn find(context: &Context, resource: &str) -> Result<Lease<Token>, Error> {
    let environment = &context.environment;
    let (tenant, client) = (environment.get("AZURE_TENANT_ID"), environment.get("AZURE_CLIENT_ID"));
    let scope = format!("{resource}/.default");
    if let (Some(tenant), Some(client)) = (tenant, client) {
        let common = [("client_id", client), ("scope", &scope), ("grant_type", "client_credentials")];
        if let Some(secret) = environment.get("AZURE_CLIENT_SECRET") {
            return ask(context, tenant, &[&common[..], &[("client_secret", secret)]].concat()).await;
        }
        if environment.get("AZURE_CLIENT_CERTIFICATE_PATH").is_some() {
            return Err(Error::credentials(
                "AZURE_CLIENT_CERTIFICATE_PATH is not supported",
                "set AZURE_CLIENT_SECRET, or use a workload identity",
            ));
        }
        if let Some(file) = environment.get("AZURE_FEDERATED_TOKEN_FILE") {
            let token = environment::file(Path::new(file))?;
            let own = [("client_assertion_type", ASSERTION), ("client_assertion", token.trim())];
            return ask(context, tenant, &[&common[..], &own].concat()).await;
        }
    }
    managed(context, resource).await
}

async fn ask(context: &Context, tenant: &str, pairs: &[(&str, &str)]) -> Result<Lease<Token>, Error> {
    let authority =
        context.environment.get("AZURE_AUTHORITY_HOST").unwrap_or(AUTHORITY).trim_end_matches('/');
    let request = Request::post(format!("{authority}/{tenant}/oauth2/v2.0/token"), FORM, form(pairs));
    lease(&context.http.send(ACTION, Patience::Service, &request).await?, context.clock.now())
}

/// The identity of the machine or of the App Service; `AZURE_CLIENT_ID` says which, where there are several.
async fn managed(context: &Context, resource: &str) -> Result<Lease<Token>, Error> {
    let environment = &context.environment;
    let client = environment.get("AZURE_CLIENT_ID");
    let query = |version| {
        let mut pairs = vec![("api-version", version), ("resource", resource)];
        pairs.extend(client.map(|client| ("client_id", client)));
        form(&pairs)
    };
    let app_service = environment.get("IDENTITY_ENDPOINT").zip(environment.get("IDENTITY_HEADER"));
    let request = if let Some((url, header)) = app_service {
        Request::get(format!("{url}?{}", query("2019-08-01"))).with("x-identity-header", header)
    } else {
        let host = environment.get("AZURE_POD_IDENTITY_AUTHORITY_HOST").unwrap_or(METADATA);
        let path = "metadata/identity/oauth2/token";
        let url = format!("{}/{path}?{}", host.trim_end_matches('/'), query("2018-02-01"));
        Request::get(url).with("metadata", "true")
    };
    let answer =
        context.http.send(ACTION, Patience::Metadata, &request).await.map_err(|error| match error {
            Error::Unreachable { .. } => Error::credentials(
                "there are no Azure credentials, and no managed identity",
                "set AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET or AZURE_FEDERATED_TOKEN_FILE",
            ),
            other => other,
        })?;
    lease(&answer, context.clock.now())
}

fn lease(answer: &Answer, now: Timestamp) -> Result<Lease<Token>, Error> {
    let token = Token(answer.field("/access_token")?);
    Ok(Lease::for_seconds(token, now, answer.number("/expires_in").unwrap_or(0)))
}
