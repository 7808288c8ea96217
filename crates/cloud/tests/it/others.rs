use towpath_sops::KeyName;
use towpath_testkit::Clouds;

use crate::support::{DATA_KEY, azure, open, opens, vault, with};

fn google() -> KeyName {
    KeyName::GcpKms(Clouds::GOOGLE.to_owned())
}

#[tokio::test]
async fn google_opens_with_every_kind_of_credentials() {
    let clouds = Clouds::start().unwrap();
    opens(&clouds, clouds.variables(), google(), Clouds::GOOGLE).await;
    let account = clouds.google_account();
    opens(&clouds, with(clouds.way(), &[("GOOGLE_CREDENTIALS", &account)]), google(), Clouds::GOOGLE).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("application_default_credentials.json");
    std::fs::write(&file, &account).unwrap();
    let path = file.to_str().unwrap();
    for name in ["GOOGLE_CREDENTIALS", "GOOGLE_APPLICATION_CREDENTIALS"] {
        opens(&clouds, with(clouds.way(), &[(name, path)]), google(), Clouds::GOOGLE).await;
    }
    let user =
        r#"{"type":"authorized_user","client_id":"client","client_secret":"s","refresh_token":"refresh"}"#;
    std::fs::write(&file, user).unwrap();
    let well_known = with(clouds.way(), &[("CLOUDSDK_CONFIG", folder.path().to_str().unwrap())]);
    opens(&clouds, well_known, google(), Clouds::GOOGLE).await;
    let machine = with(clouds.way(), &[("GCE_METADATA_HOST", &clouds.metadata())]);
    opens(&clouds, machine, google(), Clouds::GOOGLE).await;
}

#[tokio::test]
async fn google_refuses_with_the_reason() {
    let clouds = Clouds::start().unwrap();
    let sealed = clouds.seal(Clouds::GOOGLE, DATA_KEY);
    let other = Clouds::start().unwrap().google_account();
    let stranger = with(clouds.way(), &[("GOOGLE_CREDENTIALS", &other)]);
    let error = open(stranger, google(), &sealed).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "get a Google Cloud token: oauth2.googleapis.com answered 400: invalid_grant: Invalid JWT Signature."
    );
    for (text, said) in [
        ("{}", "GOOGLE_CREDENTIALS: no credentials of Google Cloud"),
        (
            r#"{"type":"external_account"}"#,
            "GOOGLE_CREDENTIALS: credentials of the type `external_account` are not supported",
        ),
        (r#"{"type":"service_account"}"#, "GOOGLE_CREDENTIALS: its private key cannot be used"),
    ] {
        let error = open(with(clouds.way(), &[("GOOGLE_CREDENTIALS", text)]), google(), &sealed).await;
        assert_eq!(error.unwrap_err().to_string(), said);
    }
    let error = open(clouds.variables(), google(), "AAAA").await.unwrap_err();
    assert!(
        error.to_string().ends_with("answered 400: Decryption failed: the ciphertext is invalid."),
        "{error}"
    );
}

#[tokio::test]
async fn azure_opens_with_a_secret_a_workload_and_a_machine() {
    let clouds = Clouds::start().unwrap();
    opens(&clouds, clouds.variables(), azure(), Clouds::AZURE).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, clouds.identity_token()).unwrap();
    let mut workload = with(clouds.variables(), &[("AZURE_FEDERATED_TOKEN_FILE", file.to_str().unwrap())]);
    workload.remove("AZURE_CLIENT_SECRET");
    opens(&clouds, workload, azure(), Clouds::AZURE).await;
    let metadata = format!("http://{}", clouds.metadata());
    let machine = with(clouds.way(), &[("AZURE_POD_IDENTITY_AUTHORITY_HOST", &metadata)]);
    opens(&clouds, machine, azure(), Clouds::AZURE).await;
}

#[tokio::test]
async fn azure_refuses_with_the_reason() {
    let clouds = Clouds::start().unwrap();
    let sealed = clouds.seal(Clouds::AZURE, DATA_KEY);
    let wrong = with(clouds.variables(), &[("AZURE_CLIENT_SECRET", "a wrong one")]);
    let error = open(wrong, azure(), &sealed).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "get an Azure token: login.microsoftonline.com answered 401: \
         invalid_client: AADSTS7000215: Invalid client secret provided."
    );
    let error = open(clouds.variables(), azure(), "AAAA").await.unwrap_err();
    assert!(error.to_string().ends_with("answered 400: BadParameter: refused"), "{error}");
}

#[tokio::test]
async fn vault_opens_with_a_variable_and_a_file() {
    let clouds = Clouds::start().unwrap();
    opens(&clouds, clouds.variables(), vault(), Clouds::VAULT).await;
    let home = tempfile::tempdir().unwrap();
    let token = clouds.variables().remove("VAULT_TOKEN").unwrap();
    std::fs::write(home.path().join(".vault-token"), format!("{token}\n")).unwrap();
    let file = with(clouds.way(), &[("HOME", home.path().to_str().unwrap())]);
    opens(&clouds, file, vault(), Clouds::VAULT).await;
}

#[tokio::test]
async fn vault_refuses_with_the_reason() {
    let clouds = Clouds::start().unwrap();
    let sealed = clouds.seal(Clouds::VAULT, DATA_KEY);
    let error = open(with(clouds.variables(), &[("VAULT_TOKEN", "a wrong one")]), vault(), &sealed).await;
    assert_eq!(
        error.unwrap_err().to_string(),
        "decrypt with Vault's transit engine: vault.test:8200 answered 403: permission denied"
    );
    let home = tempfile::tempdir().unwrap();
    let nobody = with(clouds.way(), &[("HOME", home.path().to_str().unwrap())]);
    assert_eq!(open(nobody, vault(), &sealed).await.unwrap_err().to_string(), "there is no Vault token");
    let elsewhere = with(clouds.variables(), &[("VAULT_ADDR", "https://vault.example.test")]);
    let error = open(elsewhere, vault(), &sealed).await.unwrap_err();
    assert!(
        error.to_string().starts_with("the file names the Vault server https://vault.test:8200"),
        "{error}"
    );
    assert!(clouds.seen().iter().all(|line| line.ends_with(" 403")), "{:?}", clouds.seen());
}
