//! Age keys, where `sops` looks for them.
//!
//! ```text
//! SOPS_AGE_SSH_PRIVATE_KEY_FILE, or ~/.ssh/id_ed25519, or ~/.ssh/id_rsa
//! and SOPS_AGE_KEY, SOPS_AGE_KEY_FILE, what SOPS_AGE_KEY_CMD prints, sops/age/keys.txt in the user's configuration
//! ```

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use towpath_sops::{Age, DataKey, KeyName, KeyService, MasterKey};
use zeroize::Zeroizing;

const NONE: &str = "no age key was found: set SOPS_AGE_KEY or SOPS_AGE_KEY_FILE, or put it into sops/age/keys.txt in \
                    your configuration folder";

/// Age keys that are read when the first file needs one.
#[derive(Default)]
pub struct AgeKeys {
    found: OnceLock<Result<Found, String>>,
}

#[derive(Default)]
struct Found {
    keys: Age,
    /// Whether there is any key, or only folders without one.
    any: bool,
    /// Why a key that is there by itself was left out.
    left_out: Option<String>,
}

impl KeyService for AgeKeys {
    fn open(&self, key: &MasterKey) -> Option<Result<DataKey, String>> {
        if !matches!(key.name, KeyName::Age(_)) {
            return None;
        }
        Some(match self.found.get_or_init(find) {
            Err(problem) => Err(problem.clone()),
            Ok(found) if !found.any => Err(found.left_out.clone().unwrap_or_else(|| NONE.to_owned())),
            Ok(found) => found.keys.open(key)?.map_err(|problem| match &found.left_out {
                Some(left_out) => format!("{problem}; {left_out}"),
                None => problem,
            }),
        })
    }
}

fn find() -> Result<Found, String> {
    let mut found = Found::default();
    ssh(&mut found)?;
    let mut take = |name: &str, text: &str| {
        let keys = Age::from_keys(text).map_err(|problem| format!("{name}: {problem}"))?;
        found.keys.extend(keys);
        found.any = true;
        Ok::<(), String>(())
    };
    if let Ok(text) = env::var("SOPS_AGE_KEY") {
        take("SOPS_AGE_KEY", &Zeroizing::new(text))?;
    }
    if let Some(path) = env::var_os("SOPS_AGE_KEY_FILE") {
        take("SOPS_AGE_KEY_FILE", &read(Path::new(&path))?)?;
    }
    if let Ok(command) = env::var("SOPS_AGE_KEY_CMD") {
        take("SOPS_AGE_KEY_CMD", &printed(&command)?)?;
    }
    if let Some(path) = configuration().map(|folder| folder.join("sops/age/keys.txt"))
        && path.exists()
    {
        take(&path.to_string_lossy(), &read(&path)?)?;
    }
    Ok(found)
}

/// The one that is named must be of use; one that is just there may be left out.
fn ssh(found: &mut Found) -> Result<(), String> {
    if let Some(path) = env::var_os("SOPS_AGE_SSH_PRIVATE_KEY_FILE") {
        let keys = Age::from_ssh_key(&read(Path::new(&path))?);
        found.keys.extend(keys.map_err(|problem| format!("SOPS_AGE_SSH_PRIVATE_KEY_FILE: {problem}"))?);
        found.any = true;
        return Ok(());
    }
    let folder = env::home_dir().map(|home| home.join(".ssh"));
    let files = folder.into_iter().flat_map(|folder| ["id_ed25519", "id_rsa"].map(|name| folder.join(name)));
    let Some(path) = files.into_iter().find(|path| path.exists()) else { return Ok(()) };
    match read(&path).and_then(|text| Age::from_ssh_key(&text).map_err(str::to_owned)) {
        Ok(keys) => {
            found.keys.extend(keys);
            found.any = true;
        }
        Err(problem) => found.left_out = Some(format!("{}: {problem}", path.display())),
    }
    Ok(())
}

fn read(path: &Path) -> Result<Zeroizing<String>, String> {
    fs::read_to_string(path).map(Zeroizing::new).map_err(|error| format!("read {}: {error}", path.display()))
}

/// The command is the user's own, with all that their shell gives it.
fn printed(command: &str) -> Result<Zeroizing<String>, String> {
    let output =
        Command::new("sh").args(["-c", command]).stdin(Stdio::inherit()).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("SOPS_AGE_KEY_CMD: {error}"))?;
    if !output.status.success() {
        return Err(format!("SOPS_AGE_KEY_CMD: it ended with {}", output.status));
    }
    String::from_utf8(output.stdout)
        .map(Zeroizing::new)
        .map_err(|_| "SOPS_AGE_KEY_CMD: it printed no text".to_owned())
}

fn configuration() -> Option<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let usual = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".config" };
    set("XDG_CONFIG_HOME").or_else(|| env::home_dir().map(|home| home.join(usual)))
}
