//! AWS KMS, its token service, and the metadata servers of containers and instances.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::safe::Safe;
use super::{Asked, Clouds, Reply, signature};

pub(super) const ID: &str = "AKIDTOWPATH";
pub(super) const SECRET: &str = "aws/secret+of+a+test";
/// What a role's session is called and signs with.
const SESSION: (&str, &str, &str) = ("ASIATOWPATH", "aws/secret+of+a+session", "token-of-a-session");
/// A workload's identity, as a cluster would sign it.
pub(super) const IDENTITY: &str = "identity.of.a-workload";

/// `Encrypt` and `Decrypt`, for the user and for a role's session.
pub(super) fn keys(safe: &Safe, asked: &Asked) -> Reply {
    let token = asked.header("x-amz-security-token");
    let (id, secret) = if token == SESSION.2 { (SESSION.0, SESSION.1) } else { (ID, SECRET) };
    if let Err(problem) = signature::check(asked, id, secret, "kms") {
        return refused(403, "IncompleteSignatureException", &problem);
    }
    let body = asked.json();
    let text = |name: &str| body.get(name).and_then(Value::as_str).unwrap_or_default();
    // As maps are sorted, equal contexts are equal texts.
    let context = body.get("EncryptionContext").filter(|context| **context != json!({}));
    let context = context.map_or_else(String::new, ToString::to_string);
    let bytes = |name: &str| STANDARD.decode(text(name)).unwrap_or_default();
    let key = text("KeyId");
    if key != Clouds::AWS {
        return refused(400, "NotFoundException", &format!("Key '{key}' does not exist"));
    }
    match asked.header("x-amz-target") {
        "TrentService.Encrypt" => {
            let ticket = safe.keep(key, &context, &bytes("Plaintext"));
            Reply::json(200, &json!({ "KeyId": key, "CiphertextBlob": STANDARD.encode(ticket) }))
        }
        "TrentService.Decrypt" => match safe.take(key, &context, &bytes("CiphertextBlob")) {
            Some(plaintext) => {
                Reply::json(200, &json!({ "KeyId": key, "Plaintext": STANDARD.encode(plaintext) }))
            }
            None => refused(400, "InvalidCiphertextException", ""),
        },
        other => refused(400, "UnknownOperationException", other),
    }
}

fn refused(status: u16, kind: &str, message: &str) -> Reply {
    Reply::json(status, &json!({ "__type": kind, "message": message }))
}

/// `AssumeRole`, signed, and `AssumeRoleWithWebIdentity`, with a token.
pub(super) fn roles(asked: &Asked) -> Reply {
    let problem = match asked.form("Action").as_str() {
        "AssumeRole" => signature::check(asked, ID, SECRET, "sts").err(),
        "AssumeRoleWithWebIdentity" if asked.form("WebIdentityToken") == IDENTITY => None,
        _ => Some("no such token or action".to_owned()),
    };
    let allowed = asked.form("RoleArn") == Clouds::AWS_ROLE && asked.form("RoleSessionName").len() > 1;
    let problem = problem.or_else(|| (!allowed).then(|| "not authorized to take on this role".to_owned()));
    if let Some(problem) = problem {
        let text = format!(
            "<ErrorResponse><Error><Code>AccessDenied</Code><Message>{problem}</Message></Error></ErrorResponse>"
        );
        return Reply::text(403, "text/xml", text);
    }
    let (id, secret, token) = SESSION;
    let action = asked.form("Action");
    Reply::text(
        200,
        "text/xml",
        format!(
            "<{action}Response><{action}Result><Credentials><AccessKeyId>{id}</AccessKeyId>\
             <SecretAccessKey>{secret}</SecretAccessKey><SessionToken>{token}</SessionToken>\
             <Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></{action}Result></{action}Response>"
        ),
    )
}

/// The credentials of a container (`/container`) and of an instance with its second kind of session.
pub(super) fn metadata(asked: &Asked) -> Option<Reply> {
    let (id, secret, token) = SESSION;
    let credentials = json!({
        "AccessKeyId": id, "SecretAccessKey": secret, "Token": token, "Expiration": "2099-01-01T00:00:00Z",
    });
    let session = || asked.header("x-aws-ec2-metadata-token") == "metadata-session";
    match (asked.method.as_str(), asked.path.as_str()) {
        ("GET", "/container") if asked.header("authorization") == IDENTITY => {
            Some(Reply::json(200, &credentials))
        }
        ("PUT", "/latest/api/token") => Some(Reply::text(200, "text/plain", "metadata-session")),
        ("GET", "/latest/meta-data/iam/security-credentials/") if session() => {
            Some(Reply::text(200, "text/plain", "the-role\n"))
        }
        ("GET", "/latest/meta-data/iam/security-credentials/the-role") if session() => {
            Some(Reply::json(200, &credentials))
        }
        _ => None,
    }
}
