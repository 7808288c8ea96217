use towpath_failure::{Class, Failure as _};
use towpath_testkit::Clouds;

use crate::support::{DATA_KEY, Variables, aws, open, opens, with};

fn start() -> Clouds {
    Clouds::start().expect("clouds")
}

/// The way there, with the user's keys taken out.
fn way(clouds: &Clouds) -> Variables {
    let mut variables = clouds.way();
    variables.remove("AWS_EC2_METADATA_DISABLED");
    variables
}

#[tokio::test]
async fn keys_in_variables_open() {
    let clouds = start();
    opens(&clouds, clouds.variables(), aws("", "", &[]), Clouds::AWS).await;
}

#[tokio::test]
async fn a_role_is_taken_on_first() {
    let clouds = start();
    opens(&clouds, clouds.variables(), aws(Clouds::AWS_ROLE, "", &[]), Clouds::AWS).await;
    let asked: Vec<String> = clouds.seen();
    assert!(asked.first().is_some_and(|line| line.contains("sts.eu-west-1.amazonaws.com")), "{asked:?}");
    let other = aws("arn:aws:iam::1:role/other", "", &[]);
    let error = open(clouds.variables(), other, &clouds.seal(Clouds::AWS, DATA_KEY)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "take on an AWS role: sts.eu-west-1.amazonaws.com answered 403: AccessDenied: not authorized to take on this role"
    );
}

#[tokio::test]
async fn a_web_identity_opens() {
    let clouds = start();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, clouds.identity_token()).unwrap();
    let variables = with(
        clouds.way(),
        &[("AWS_WEB_IDENTITY_TOKEN_FILE", file.to_str().unwrap()), ("AWS_ROLE_ARN", Clouds::AWS_ROLE)],
    );
    opens(&clouds, variables, aws("", "", &[]), Clouds::AWS).await;
}

#[tokio::test]
async fn profiles_and_their_sources_open() {
    let clouds = start();
    let folder = tempfile::tempdir().unwrap();
    let (config, credentials) = (folder.path().join("config"), folder.path().join("credentials"));
    let all = clouds.variables();
    let keys = format!(
        "aws_access_key_id = {}\naws_secret_access_key = {}\n",
        all["AWS_ACCESS_KEY_ID"], all["AWS_SECRET_ACCESS_KEY"]
    );
    std::fs::write(&credentials, format!("[user]\n{keys}[default]\n{keys}")).unwrap();
    let role = Clouds::AWS_ROLE;
    let text = format!(
        "[profile role]\nrole_arn = {role}\nsource_profile = user\n[profile sso]\nsso_session = s\n\
         [profile round]\nrole_arn = {role}\nsource_profile = about\n[profile about]\nrole_arn = {role}\nsource_profile = round\n"
    );
    std::fs::write(&config, text).unwrap();
    let files = [
        ("AWS_CONFIG_FILE", config.to_str().unwrap()),
        ("AWS_SHARED_CREDENTIALS_FILE", credentials.to_str().unwrap()),
    ];
    let variables = with(clouds.way(), &files);
    for profile in ["", "user", "role"] {
        opens(&clouds, variables.clone(), aws("", profile, &[]), Clouds::AWS).await;
    }
    opens(&clouds, with(variables.clone(), &[("AWS_PROFILE", "role")]), aws("", "", &[]), Clouds::AWS).await;
    for (profile, said) in [
        ("sso", "the AWS profile `sso` cannot be used: it logs in with SSO"),
        (
            "round",
            "the AWS profile `round` cannot be used: its chain of source_profile is too long, or a circle",
        ),
        ("none", "there is no AWS profile `none`"),
    ] {
        let error = open(variables.clone(), aws("", profile, &[]), "AAAA").await.unwrap_err();
        assert_eq!(error.to_string(), said);
        assert!(error.hint().is_some());
    }
}

#[tokio::test]
async fn containers_and_instances_open() {
    let clouds = start();
    let at = |path: &str| format!("http://{}{path}", clouds.metadata());
    let container = [
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", at("/container")),
        ("AWS_CONTAINER_AUTHORIZATION_TOKEN", clouds.identity_token().to_owned()),
    ];
    let container: Vec<(&str, &str)> =
        container.iter().map(|(name, value)| (*name, value.as_str())).collect();
    opens(&clouds, with(way(&clouds), &container), aws("", "", &[]), Clouds::AWS).await;
    let instance = with(way(&clouds), &[("AWS_EC2_METADATA_SERVICE_ENDPOINT", &at("/"))]);
    opens(&clouds, instance, aws("", "", &[]), Clouds::AWS).await;
}

#[tokio::test]
async fn what_does_not_fit_is_refused_with_the_reason() {
    let clouds = start();
    let sealed = clouds.seal(Clouds::AWS, DATA_KEY);
    let wrong = with(clouds.variables(), &[("AWS_SECRET_ACCESS_KEY", "a wrong secret")]);
    let error = open(wrong, aws("", "", &[]), &sealed).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "decrypt with AWS KMS: kms.eu-west-1.amazonaws.com answered 403: \
         IncompleteSignatureException: the signature does not match"
    );
    assert_eq!(error.class(), Class::Terminal);
    let error = open(clouds.variables(), aws("", "", &[("app", "shop")]), &sealed).await.unwrap_err();
    assert!(error.to_string().ends_with("400: InvalidCiphertextException: "), "{error}");
    let error = open(clouds.variables(), aws("", "", &[]), "no base64").await.unwrap_err();
    assert_eq!(error.to_string(), "its encrypted data key is not base64");
    let error = open(clouds.way(), aws("", "", &[]), &sealed).await.unwrap_err();
    assert!(error.to_string().starts_with("there are no AWS credentials"), "{error}");
}

#[tokio::test]
async fn a_service_that_is_not_there_is_named() {
    let clouds = start();
    let gone = with(clouds.variables(), &[("AWS_ENDPOINT_URL_KMS", "http://127.0.0.1:1")]);
    let error = open(gone, aws("", "", &[]), &clouds.seal(Clouds::AWS, DATA_KEY)).await.unwrap_err();
    assert!(error.to_string().starts_with("cannot reach 127.0.0.1:1: "), "{error}");
    assert_eq!(error.class(), Class::Transient);
    // A server whose certificate is of nobody we know is not talked to.
    let mut stranger = clouds.variables();
    stranger.remove("SSL_CERT_FILE");
    let error = open(stranger, aws("", "", &[]), &clouds.seal(Clouds::AWS, DATA_KEY)).await.unwrap_err();
    assert!(error.to_string().contains("certificate"), "{error}");
}
