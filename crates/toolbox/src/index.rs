//! Reads the index of control-plane archives that `setup-envtest` uses.
//!
//! In: the text of `envtest-releases.yaml`. Out: the [`Archive`] for a version and a platform. The index is
//! machine-written YAML of one fixed shape, so a few lines read it and anything else is passed over:
//!
//! ```text
//! releases:
//!   v1.36.2:
//!     envtest-v1.36.2-linux-amd64.tar.gz:
//!       hash: SHA-512 in hex
//!       selfLink: https://…
//! ```

/// An archive with etcd, kube-apiserver and kubectl for one platform.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Archive {
    /// The file name: `envtest-vVERSION-OS-ARCH.tar.gz`.
    pub(crate) name: String,
    /// Its SHA-512 in hex.
    pub(crate) hash: String,
    /// Where it is downloaded from.
    pub(crate) url: String,
}

/// All archives of the index that have a hash and an address.
pub(crate) fn parse(text: &str) -> Vec<Archive> {
    let mut archives: Vec<Archive> = Vec::new();
    for line in text.lines() {
        let Some((key, value)) = line.trim().split_once(':') else {
            continue;
        };
        let value = value.trim().trim_matches(['"', '\'']).to_owned();
        match (key, archives.last_mut()) {
            ("hash", Some(archive)) => archive.hash = value,
            ("selfLink", Some(archive)) => archive.url = value,
            (name, _) if name.ends_with(".tar.gz") => {
                archives.push(Archive { name: name.to_owned(), ..Archive::default() });
            }
            _ => {}
        }
    }
    archives.retain(|archive| !archive.hash.is_empty() && !archive.url.is_empty());
    archives
}

/// The archive for `version` on `os` and `arch` (Go's words), or else for the newest patch of the same minor
/// version: not every patch release of Kubernetes gets an archive.
pub(crate) fn select<'a>(
    archives: &'a [Archive],
    version: &str,
    os: &str,
    arch: &str,
) -> Option<&'a Archive> {
    let wanted = numbers(version)?;
    let ours = archives.iter().filter_map(|archive| {
        let middle = archive.name.strip_prefix("envtest-v")?.strip_suffix(&format!("-{os}-{arch}.tar.gz"))?;
        Some((numbers(middle)?, archive))
    });
    ours.filter(|(found, _)| found.get(..2) == wanted.get(..2))
        .max_by_key(|(found, _)| (*found == wanted, found.clone()))
        .map(|(_, archive)| archive)
}

/// `1.36.3` as numbers; nothing for pre-releases and other words.
fn numbers(version: &str) -> Option<Vec<u64>> {
    version.split('.').map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(names: &[&str]) -> String {
        names.iter().fold("releases:\n  v9.9.9:\n".to_owned(), |text, name| {
            format!("{text}    {name}:\n      hash: ab{name}\n      selfLink: https://example.test/{name}\n")
        })
    }

    fn chosen(names: &[&str]) -> Option<String> {
        select(&parse(&index(names)), "1.36.3", "linux", "amd64").map(|archive| archive.name.clone())
    }

    #[test]
    fn reads_name_hash_and_address() {
        let archives = parse(&index(&["envtest-v1.36.3-linux-amd64.tar.gz"]));
        let name = "envtest-v1.36.3-linux-amd64.tar.gz".to_owned();
        let (hash, url) = (format!("ab{name}"), format!("https://example.test/{name}"));
        assert_eq!(archives, [Archive { name, hash, url }]);
    }

    #[test]
    fn an_entry_without_a_hash_is_not_offered() {
        let text =
            "releases:\n  v1.36.3:\n    envtest-v1.36.3-linux-amd64.tar.gz:\n      selfLink: https://x\n";
        assert!(parse(text).is_empty());
        assert!(parse("<html>not found</html>").is_empty());
    }

    #[test]
    fn takes_the_exact_version_for_this_platform() {
        let names = [
            "envtest-v1.36.4-linux-amd64.tar.gz",
            "envtest-v1.36.3-linux-arm64.tar.gz",
            "envtest-v1.36.3-linux-amd64.tar.gz",
            "envtest-v1.36.10-linux-amd64.tar.gz",
        ];
        assert_eq!(chosen(&names).as_deref(), Some("envtest-v1.36.3-linux-amd64.tar.gz"));
    }

    #[test]
    fn falls_back_to_the_newest_patch_of_the_same_minor() {
        let names = [
            "envtest-v1.36.2-linux-amd64.tar.gz",
            "envtest-v1.36.10-linux-amd64.tar.gz",
            "envtest-v1.36.11-rc.0-linux-amd64.tar.gz",
            "envtest-v1.37.0-linux-amd64.tar.gz",
        ];
        assert_eq!(chosen(&names).as_deref(), Some("envtest-v1.36.10-linux-amd64.tar.gz"));
        assert_eq!(chosen(&["envtest-v1.35.9-linux-amd64.tar.gz"]), None);
    }
}
