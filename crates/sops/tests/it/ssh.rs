//! SSH keys that are no use say why. Those that are come from the real tools, in `cargo xtask conformance sops`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use towpath_sops::Age;

/// A key file of OpenSSH with these texts behind its magic word, and then one key that is nothing.
fn file(cipher: &str, private: &[u8]) -> String {
    let text =
        |text: &[u8]| [&u32::try_from(text.len()).expect("a short text").to_be_bytes()[..], text].concat();
    let parts = [
        b"openssh-key-v1\0".to_vec(),
        text(cipher.as_bytes()),
        text(b"none"),
        text(b""),
        vec![0, 0, 0, 1],
        text(b"public"),
        text(private),
    ];
    let body = STANDARD.encode(parts.concat());
    format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{body}\n-----END OPENSSH PRIVATE KEY-----\n")
}

fn problem(text: &str) -> &'static str {
    Age::from_ssh_key(text).expect_err("a key of no use")
}

#[test]
fn refusals_say_what_to_do() {
    let passphrase = "the SSH key has a passphrase: use an age key, or an SSH key without one";
    assert_eq!(problem(&file("aes256-ctr", b"")), passphrase);
    let old =
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAAAA\n-----END RSA PRIVATE KEY-----\n";
    assert_eq!(problem(old), passphrase);
    let ecdsa = [&[0; 8][..], &[0, 0, 0, 5], b"ecdsa"].concat();
    assert_eq!(problem(&file("none", &ecdsa)), "only ssh-ed25519 and ssh-rsa keys can be used with age");
    let broken = "not a private key of SSH that can be read";
    let short = [&[0; 8][..], &[0, 0, 0, 7], b"ssh-rsa", &[0, 0, 0, 1, 5]].concat();
    for text in ["", "ssh-ed25519 AAAA", &file("none", b""), &file("none", &short)] {
        assert_eq!(problem(text), broken, "{text}");
    }
}
