//! `towpath kustomize --decrypt` on trees that the real sops encrypted, held against the real kustomize on the
//! same trees decrypted by the real sops; and `--substitute`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;
use towpath_testkit::Clouds;

/// What no output may hold unless it was decrypted on purpose.
const WORD: &str = "swordfish";

const SECRET: &str =
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: login\nstringData:\n  password: a swordfish\n";
const OTHER: &str = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: other\ndata:\n  key: c3dvcmRmaXNo\n";
const PATCH: &str =
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: login\nstringData:\n  user: swordfish 2\n";
const LIST: &str = r#"{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Secret","metadata":{"name":"third"},"stringData":{"a":"swordfish 3"}}]}"#;
const PLAIN: &str = "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n";

const KUSTOMIZATION: &str = "namePrefix: shop-
resources: [login.yaml, both.yaml, list.json]
patches: [{path: patch.yaml}]
secretGenerator:
- name: made
  files: [settings.yaml, token=token.enc, .dockerconfigjson=registry.txt]
  envs: [app.env]
configMapGenerator:
- name: open
  files: [open.txt]
";

/// A person's machine: a home without anything in it but what a test puts there.
struct Machine {
    folder: TempDir,
    variables: BTreeMap<String, String>,
    key: String,
    recipient: String,
}

impl Machine {
    fn new() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let home = folder.path().to_string_lossy().into_owned();
        for name in ["tmp", "encrypted", "plain"] {
            fs::create_dir(folder.path().join(name))?;
        }
        let text = run(&mut Command::new(towpath_toolbox::ensure("age-keygen")?))?;
        let text = String::from_utf8(text)?;
        let recipient = text.lines().find_map(|line| line.strip_prefix("# public key: "));
        let recipient = recipient.context("age-keygen named no public key")?.to_owned();
        let temporary = folder.path().join("tmp").to_string_lossy().into_owned();
        let pairs = [("HOME", home.clone()), ("XDG_CONFIG_HOME", home.clone()), ("TMPDIR", temporary)];
        let variables = pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Ok(Self { folder, variables, key: text, recipient })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(&self.variables).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("SOPS_DISABLE_VERSION_CHECK", "1");
        command
    }

    fn sops(&self, arguments: &[&str], path: &Path) -> Result<Vec<u8>> {
        let mut command = self.command(&towpath_toolbox::ensure("sops")?);
        run(command.env("SOPS_AGE_KEY", &self.key).args(arguments).arg(path))
    }

    /// Encrypts for our age key, in the given format.
    fn encrypt(&self, text: &str, format: &str) -> Result<Vec<u8>> {
        let path = self.path("tmp/file");
        fs::write(&path, text)?;
        let arguments =
            ["encrypt", "--age", &self.recipient, "--input-type", format, "--output-type", format];
        let regex = ["--encrypted-regex", "^(data|stringData|items)$"];
        let kubernetes = text.contains("apiVersion");
        let done = self.sops(&[&arguments[..], if kubernetes { &regex[..] } else { &[] }].concat(), &path);
        fs::remove_file(&path)?;
        done
    }

    /// Writes a file encrypted into one tree, and as the real sops decrypts it into the other.
    fn add(&self, name: &str, text: &str, format: &str) -> Result<()> {
        let path = self.path("encrypted").join(name);
        fs::write(&path, self.encrypt(text, format)?)?;
        let plain = self.sops(&["decrypt", "--input-type", format, "--output-type", format], &path)?;
        Ok(fs::write(self.path("plain").join(name), plain)?)
    }

    fn both(&self, name: &str, text: &str) -> Result<()> {
        fs::write(self.path("encrypted").join(name), text)?;
        Ok(fs::write(self.path("plain").join(name), text)?)
    }

    fn ours(&self, arguments: &[&str], more: &[(&str, &str)]) -> Result<Output> {
        let mut command = self.command(Path::new(env!("CARGO_BIN_EXE_towpath")));
        command.arg("kustomize").arg(self.path("encrypted")).args(arguments).envs(more.iter().copied());
        Ok(command.env("TOWPATH_LOG", "trace").output()?)
    }

    /// Builds the decrypted tree with the real kustomize.
    fn expected(&self) -> Result<String> {
        let mut command = self.command(&towpath_toolbox::ensure("kustomize")?);
        Ok(String::from_utf8(run(command.arg("build").arg(self.path("plain")))?)?)
    }

    /// A tree of one Secret, encrypted with these arguments of the real sops.
    fn one(&self, arguments: &[&str]) -> Result<()> {
        self.both("kustomization.yaml", "resources: [login.yaml]\n")?;
        fs::write(self.path("plain/login.yaml"), SECRET)?;
        let regex = ["encrypt", "--encrypted-regex", "^(data|stringData)$"];
        let encrypted = self.sops(&[&regex[..], arguments].concat(), &self.path("plain/login.yaml"))?;
        Ok(fs::write(self.path("encrypted/login.yaml"), encrypted)?)
    }

    /// Refused, without a word of the plaintext anywhere.
    fn refused(&self, more: &[(&str, &str)]) -> Result<String> {
        let done = self.ours(&["--decrypt"], more)?;
        let said =
            format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        ensure!(done.status.code() == Some(1), "{said}");
        ensure!(!said.contains(WORD) && !said.contains("AGE-SECRET-KEY"), "{said}");
        ensure!(fs::read_dir(self.path("tmp"))?.next().is_none(), "something was left behind");
        Ok(said)
    }
}

fn run(command: &mut Command) -> Result<Vec<u8>> {
    let output = command.output().with_context(|| format!("start {command:?}"))?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(output.stdout)
}

fn built(done: &Output) -> Result<String> {
    ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    Ok(String::from_utf8(done.stdout.clone())?)
}

#[test]
fn a_tree_builds_as_if_it_had_never_been_encrypted() -> Result<()> {
    let machine = Machine::new()?;
    machine.both("kustomization.yaml", KUSTOMIZATION)?;
    machine.both("open.txt", "open\n")?;
    machine.add("login.yaml", SECRET, "yaml")?;
    machine.add("list.json", LIST, "json")?;
    machine.add("patch.yaml", PATCH, "yaml")?;
    machine.add("settings.yaml", "a: swordfish 4\n# why\nb: [1, true]\n", "yaml")?;
    machine.add("token.enc", "swordfish\0\u{1}5\n", "binary")?;
    machine.add("registry.txt", r#"{"auths":{"r":{"auth":"swordfish"}}}"#, "json")?;
    machine.add("app.env", "A=swordfish\n# b\nB=2\n", "dotenv")?;
    // Two files of sops behind each other, and a plain one between them: each has a MAC of its own.
    let second = OTHER.replace("other", "fourth");
    let encrypted = [machine.encrypt(OTHER, "yaml")?, machine.encrypt(&second, "yaml")?];
    let texts = encrypted.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let [first, last] = &texts;
    fs::write(machine.path("encrypted/both.yaml"), format!("{first}---\n{PLAIN}---\n{last}"))?;
    fs::write(machine.path("plain/both.yaml"), format!("{OTHER}---\n{PLAIN}---\n{second}"))?;
    let file = machine.path("keys.txt");
    fs::write(&file, &machine.key)?;
    let done = machine.ours(&["--decrypt"], &[("SOPS_AGE_KEY_FILE", &file.to_string_lossy())])?;
    ensure!(built(&done)? == machine.expected()?, "{}", built(&done)?);
    ensure!(!String::from_utf8_lossy(&done.stderr).contains(WORD));
    ensure!(fs::read_dir(machine.path("tmp"))?.next().is_none(), "something was left behind");
    // Without the flag nothing is decrypted, as in kustomize.
    ensure!(!built(&machine.ours(&[], &[])?)?.contains(WORD));
    Ok(())
}

#[test]
fn age_keys_are_found_where_sops_finds_them() -> Result<()> {
    let machine = Machine::new()?;
    machine.one(&["--age", &machine.recipient])?;
    let expected = machine.expected()?;
    let file = machine.path("a key.txt");
    fs::write(&file, &machine.key)?;
    let (path, command) = (file.to_string_lossy(), format!("cat '{}'", file.display()));
    for (name, value) in
        [("SOPS_AGE_KEY", &*machine.key), ("SOPS_AGE_KEY_FILE", &*path), ("SOPS_AGE_KEY_CMD", &*command)]
    {
        ensure!(built(&machine.ours(&["--decrypt"], &[(name, value)])?)? == expected, "{name}");
    }
    let said = machine.refused(&[])?;
    ensure!(said.contains("no age key was found: set SOPS_AGE_KEY"), "{said}");
    let said = machine.refused(&[("SOPS_AGE_KEY", "AGE-SECRET-KEY-1QQQ")])?;
    ensure!(said.contains("SOPS_AGE_KEY: line 1 of the age keys: not an age key, or mistyped"), "{said}");
    let said = machine.refused(&[("SOPS_AGE_KEY_FILE", "/nowhere")])?;
    ensure!(said.contains("read /nowhere: No such file or directory"), "{said}");
    let said = machine.refused(&[("SOPS_AGE_KEY_CMD", "exit 7")])?;
    ensure!(said.contains("SOPS_AGE_KEY_CMD: it ended with exit status: 7"), "{said}");
    fs::create_dir_all(machine.path("sops/age"))?;
    fs::write(machine.path("sops/age/keys.txt"), &machine.key)?;
    ensure!(built(&machine.ours(&["--decrypt"], &[])?)? == expected);
    Ok(())
}

#[test]
fn ssh_keys_open_and_those_with_a_passphrase_say_so() -> Result<()> {
    let machine = Machine::new()?;
    fs::create_dir(machine.path(".ssh"))?;
    let file = machine.path(".ssh/id_ed25519");
    let keygen = |passphrase: &str, file: &Path| {
        let mut command = machine.command(Path::new("ssh-keygen"));
        run(command.args(["-q", "-t", "ed25519", "-N", passphrase, "-f"]).arg(file))
    };
    keygen("", &file)?;
    let public = fs::read_to_string(file.with_extension("pub"))?;
    let recipient = public.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
    machine.one(&["--age", &recipient])?;
    ensure!(built(&machine.ours(&["--decrypt"], &[])?)? == machine.expected()?);
    let closed = machine.path("closed");
    keygen("a passphrase", &closed)?;
    let said = machine.refused(&[("SOPS_AGE_SSH_PRIVATE_KEY_FILE", &closed.to_string_lossy())])?;
    ensure!(said.contains("the SSH key has a passphrase: use an age key"), "{said}");
    Ok(())
}

#[test]
fn gpg_opens_what_it_has_the_key_for() -> Result<()> {
    let mut machine = Machine::new()?;
    let home = machine.path("gnupg");
    fs::create_dir(&home)?;
    fs::set_permissions(&home, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    machine.variables.insert("GNUPGHOME".into(), home.to_string_lossy().into_owned());
    let recipe = machine.path("recipe");
    fs::write(
        &recipe,
        "%no-protection\nKey-Type: eddsa\nKey-Curve: ed25519\nSubkey-Type: ecdh\nSubkey-Curve: cv25519\nSubkey-Usage: encrypt\nName-Real: towpath\nExpire-Date: 0\n%commit\n",
    )?;
    let gpg = |arguments: &[&str]| run(machine.command(Path::new("gpg")).arg("--batch").args(arguments));
    gpg(&["--generate-key", &recipe.to_string_lossy()])?;
    let list = String::from_utf8(gpg(&["--list-secret-keys", "--with-colons"])?)?;
    let fingerprint =
        list.lines().find(|line| line.starts_with("fpr:")).and_then(|line| line.split(':').nth(9));
    machine.one(&["--pgp", fingerprint.context("a fingerprint")?])?;
    let done = machine.ours(&["--decrypt"], &[])?;
    let nobody = machine.path("tmp").to_string_lossy().into_owned();
    let said = machine.ours(&["--decrypt"], &[("SOPS_GPG_EXEC", "no-such-program")])?;
    let elsewhere = machine.ours(&["--decrypt"], &[("GNUPGHOME", &nobody)])?;
    let _ = run(machine.command(Path::new("gpgconf")).args(["--kill", "all"]));
    let _ = run(machine.command(Path::new("gpgconf")).env("GNUPGHOME", &nobody).args(["--kill", "all"]));
    ensure!(built(&done)? == machine.expected()?);
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    ensure!(said.contains("start no-such-program: No such file or directory"), "{said}");
    let said = String::from_utf8_lossy(&elsewhere.stderr).into_owned();
    ensure!(
        elsewhere.status.code() == Some(1) && said.contains("No secret key") && !said.contains(WORD),
        "{said}"
    );
    Ok(())
}

#[test]
fn every_cloud_opens() -> Result<()> {
    let mut machine = Machine::new()?;
    let clouds = Clouds::start()?;
    machine.variables.extend(clouds.variables());
    let keys = [
        ("--kms", Clouds::AWS),
        ("--gcp-kms", Clouds::GOOGLE),
        ("--azure-kv", Clouds::AZURE),
        ("--hc-vault-transit", Clouds::VAULT),
    ];
    for (flag, key) in keys {
        machine.one(&[flag, key])?;
        let done = machine.ours(&["--decrypt"], &[])?;
        ensure!(built(&done)? == machine.expected()?, "{key}");
        ensure!(!String::from_utf8_lossy(&done.stderr).contains(WORD));
    }
    let said = machine.refused(&[("VAULT_TOKEN", "wrong")])?;
    ensure!(
        said.contains("encrypted/login.yaml': cannot get the data key: Vault https://vault.test:8200"),
        "{said}"
    );
    ensure!(said.contains("answered 403: permission denied"), "{said}");
    Ok(())
}

#[test]
fn a_changed_file_is_refused_and_says_nothing() -> Result<()> {
    let machine = Machine::new()?;
    machine.one(&["--age", &machine.recipient])?;
    let path = machine.path("encrypted/login.yaml");
    let text = fs::read_to_string(&path)?;
    let key = [("SOPS_AGE_KEY", machine.key.as_str())];
    let mac = text.lines().find(|line| line.contains("mac: ENC[")).context("a MAC")?;
    let cases = [
        (
            text.replace("name: login", "name: logout"),
            "MAC mismatch: the file was changed after it was encrypted",
        ),
        (
            text.replace("password: ENC[AES256_GCM,data:", "password: ENC[AES256_GCM,data:AAAA"),
            "cannot decrypt the value of `stringData.password`",
        ),
        (
            text.replace(mac, "    mac: ENC[AES256_GCM,data:AAAA,iv:AAAA,tag:AAAA,type:str]"),
            "the file's MAC cannot be decrypted",
        ),
        (text.replace(mac, "    mac: ''  # mac: ENC["), "the file has no MAC"),
        (text.replace(" password:", " renamed:"), "cannot decrypt the value of `stringData.renamed`"),
    ];
    for (changed, expected) in cases {
        fs::write(&path, changed)?;
        let said = machine.refused(&key)?;
        ensure!(said.contains(expected) && said.contains("encrypted/login.yaml"), "{said}");
    }
    fs::write(&path, &text)?;
    let stranger = Machine::new()?;
    let said = machine.refused(&[("SOPS_AGE_KEY", &stranger.key)])?;
    ensure!(said.contains("none of the given age keys fits") && said.contains("hint:"), "{said}");
    Ok(())
}

#[test]
fn what_shows_up_after_the_build_follows_flux() -> Result<()> {
    let machine = Machine::new()?;
    // A literal is no file: it becomes visible in the Secret. The name of its key says what it is.
    let env = String::from_utf8(machine.encrypt("A=swordfish\n", "dotenv")?)?;
    let secret = String::from_utf8(machine.encrypt(SECRET, "yaml")?)?;
    // sops writes with an indentation of four.
    let annotated =
        "    name: opted\n    annotations:\n        kustomize.toolkit.fluxcd.io/decrypt: Disabled";
    let opted = secret.replace("    name: login", annotated);
    fs::write(machine.path("encrypted/opted.yaml"), format!("---\n{opted}"))?;
    fs::write(machine.path("encrypted/inner"), env)?;
    let kustomization = "resources: [opted.yaml]\nsecretGenerator: [{name: late, files: [inner.env=inner]}]\ngeneratorOptions: {disableNameSuffixHash: true}\n";
    fs::write(machine.path("encrypted/kustomization.yaml"), kustomization)?;
    let text = built(&machine.ours(&["--decrypt"], &[("SOPS_AGE_KEY", &machine.key)])?)?;
    ensure!(text.contains("inner.env: QT1zd29yZGZpc2gK\n"), "{text}");
    ensure!(text.contains("name: opted") && text.contains("password: ENC["), "{text}");
    Ok(())
}

#[test]
fn variables_are_filled_in_as_flux_does_it() -> Result<()> {
    let machine = Machine::new()?;
    machine.both("kustomization.yaml", "resources: [a.yaml]\n")?;
    let object = |name: &str, rest: &str| {
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n{rest}")
    };
    let opted =
        object("raw", "  labels:\n    kustomize.toolkit.fluxcd.io/substitute: disabled\ndata:\n  a: ${A}\n");
    let plain = object("${A}-x", "data:\n  b: ${B:=none} ${A/w/W} $${A}\n  c: ${N}\n");
    fs::write(machine.path("encrypted/a.yaml"), format!("{opted}---\n{plain}"))?;
    let text = built(&machine.ours(&["--substitute", "A=web", "--substitute", "N=8"], &[])?)?;
    ensure!(text.contains("  name: web-x\n") && text.contains("  b: none Web ${A}\n"), "{text}");
    ensure!(text.contains("  c: 8\n") && text.contains("  a: ${A}\n"), "{text}");
    let text =
        built(&machine.ours(&["--substitute", "A=web", "--substitute", "N=8", "--typed-substitute"], &[])?)?;
    ensure!(text.contains("  c: \"8\"\n"), "{text}");
    let done = machine.ours(&["--substitute", "A=swordfish", "--strict-substitute"], &[])?;
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    ensure!(
        done.status.code() == Some(1) && said.contains("variable not set (strict mode): \"N\""),
        "{said}"
    );
    ensure!(!said.contains(WORD) && said.contains("hint: set `N`"), "{said}");
    let done = machine.ours(&["--substitute", WORD], &[])?;
    ensure!(done.status.code() == Some(3), "{done:?}");
    Ok(())
}
