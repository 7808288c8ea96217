//! Where tools are looked for, and where ours are kept.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::table::{self, Module};

/// Where tools come from: what [`crate::find`] sees, and what [`crate::ensure`] makes them with.
#[derive(Clone, Debug)]
pub struct Places {
    /// Folders of ready binaries, first match wins: `KUBEBUILDER_ASSETS`, then `TOWPATH_TOOLS`.
    pub ready: Vec<PathBuf>,
    /// Our cache.
    pub cache: PathBuf,
    /// The `go` command, where there is one.
    pub go: Option<PathBuf>,
}

impl Places {
    /// The places that the environment names.
    pub fn from_env() -> Self {
        let ready = ["KUBEBUILDER_ASSETS", "TOWPATH_TOOLS"].into_iter().filter_map(folder_var).collect();
        Places { ready, cache: cache_dir(), go: on_path("go") }
    }

    /// The path of a tool that is already here.
    pub fn find(&self, tool: &str) -> Option<PathBuf> {
        let ready = self.ready.iter().map(|folder| folder.join(tool));
        let cached = table::lookup(tool).into_iter().flat_map(|(module, _)| {
            let built = self.module(module).ok().map(|folder| folder.join(tool));
            built.into_iter().chain([self.envtest().join(tool)])
        });
        ready.chain(cached).find(|path| is_executable(path))
    }

    /// The cache folder of a module. Its name carries a digest of all that decides the result, so that a
    /// changed pin or stamp is a new folder and is built anew, and two checkouts never undo each other.
    pub fn module(&self, module: &Module) -> Result<PathBuf> {
        let digest = crate::checksum::of_parts(&inputs(module)?);
        let short: String = digest.chars().take(12).collect();
        let version = if module.version.is_empty() { "ours" } else { module.version };
        Ok(self.tools().join(format!("{}-{version}-{short}", module.folder)))
    }

    /// The cache folder of a downloaded control plane.
    pub fn envtest(&self) -> PathBuf {
        self.tools().join(format!("envtest-{}", table::KUBERNETES))
    }

    /// The cache folder of all tools.
    pub fn tools(&self) -> PathBuf {
        self.cache.join("tools")
    }
}

/// The folder for all that may be thrown away and made again: `$TOWPATH_CACHE`, or `towpath` in the user's
/// cache folder.
pub fn cache_dir() -> PathBuf {
    folder_var("TOWPATH_CACHE")
        .or_else(|| folder_var("XDG_CACHE_HOME").map(|folder| folder.join("towpath")))
        .or_else(|| folder_var("HOME").map(|folder| folder.join(".cache/towpath")))
        .unwrap_or_else(|| env::temp_dir().join("towpath-cache"))
}

/// The path of a program: on `PATH`, or in the folders of system programs that a user's `PATH` may lack.
pub fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let system = ["/usr/local/sbin", "/usr/sbin", "/sbin"].map(PathBuf::from);
    env::split_paths(&path).chain(system).map(|folder| folder.join(program)).find(|path| is_executable(path))
}

/// The `tools/` folder of the checkout this was compiled from.
pub(crate) fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools")
}

/// The folder a module is built in.
pub(crate) fn source_of(module: &Module) -> Result<PathBuf> {
    let folder = sources().join(module.folder);
    folder.canonicalize().with_context(|| format!("find the module tools/{}", module.folder))
}

fn inputs(module: &Module) -> Result<Vec<Vec<u8>>> {
    let folder = source_of(module)?;
    let entries = fs::read_dir(&folder).with_context(|| format!("list {}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "mod" || e == "sum" || e == "go"));
    files.sort();
    let mut parts =
        vec![env::consts::OS.into(), env::consts::ARCH.into(), module.stamps.join(" ").into_bytes()];
    for path in files {
        parts.push(path.file_name().unwrap_or_default().as_encoded_bytes().to_vec());
        parts.push(fs::read(&path).with_context(|| format!("read {}", path.display()))?);
    }
    Ok(parts)
}

fn folder_var(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(folder: &Path, name: &str) {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join(name), "").unwrap();
        fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn ready_folders_win_over_the_cache() {
        let root = tempfile::tempdir().unwrap();
        let (assets, ready) = (root.path().join("assets"), root.path().join("ready"));
        let cache = root.path().join("cache");
        let places = Places { ready: vec![assets.clone(), ready.clone()], cache, go: None };
        assert_eq!(places.find("etcd"), None);

        let (module, _) = table::lookup("etcd").unwrap();
        let cached = places.module(module).unwrap();
        for folder in [&cached, &ready, &assets] {
            put(folder, "etcd");
            assert_eq!(places.find("etcd"), Some(folder.join("etcd")));
        }
    }

    #[test]
    fn a_downloaded_control_plane_is_found() {
        let root = tempfile::tempdir().unwrap();
        let places = Places { ready: vec![], cache: root.path().into(), go: None };
        put(&places.envtest(), "kube-apiserver");
        assert_eq!(places.find("kube-apiserver"), Some(places.envtest().join("kube-apiserver")));
    }

    #[test]
    fn a_file_that_cannot_be_run_is_not_a_tool() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("etcd"), "").unwrap();
        let places = Places { ready: vec![root.path().into()], cache: root.path().join("cache"), go: None };
        assert_eq!(places.find("etcd"), None);
    }
}
