//! Which paths are not paths but places on other machines.

/// Whether kustomize would fetch this with an HTTP GET.
pub fn is_url(path: &str) -> bool {
    let lower = path.get(..8.min(path.len())).unwrap_or(path).to_ascii_lowercase();
    lower.starts_with("http://") || lower.starts_with("https://") || lower == "http:" || lower == "https:"
}

/// Whether kustomize would clone this as a Git repository.
pub fn is_repository(path: &str) -> bool {
    if path.starts_with('/') {
        return false;
    }
    let path = path.split('?').next().unwrap_or(path);
    let path = strip(path, "git::").unwrap_or(path);
    let scheme =
        ["ssh://", "https://", "http://", "file://"].into_iter().find(|scheme| strip(path, scheme).is_some());
    let rest = scheme.and_then(|scheme| strip(path, scheme)).unwrap_or(path);
    if scheme == Some("file://") {
        return has_repository_path(rest, None);
    }
    let (user, rest) = split_user(rest);
    let github = ["github.com/", "github.com:"].into_iter().any(|host| strip(rest, host).is_some());
    let scp = scheme.is_none() && (user || github);
    if scheme.is_none() && !scp {
        return false;
    }
    let slash = rest.find('/');
    let colon = scp.then(|| rest.find(':')).flatten();
    let separator = match (slash, colon) {
        (None, colon) => colon,
        (Some(slash), Some(colon)) if colon > 0 && colon < slash => Some(colon),
        (slash, _) => slash,
    };
    let (host, path) = match separator.and_then(|at| Some((rest.get(..=at)?, rest.get(at + 1..)?))) {
        Some(parts) => parts,
        None => (rest, ""),
    };
    !host.is_empty() && has_repository_path(path, Some(2))
}

fn strip<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| text.get(prefix.len()..)).flatten()
}

/// Cuts `user@` off.
fn split_user(text: &str) -> (bool, &str) {
    let Some((user, rest)) = text.split_once('@') else { return (false, text) };
    let mut letters = user.chars();
    let named = letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '-');
    if named { (true, rest) } else { (false, text) }
}

/// Whether a repository and a folder in it can be told apart.
fn has_repository_path(path: &str, segments: Option<usize>) -> bool {
    let (repository, folder) = if let Some((before, after)) = path.split_once("_git/") {
        let (name, folder) = after.split_once('/').unwrap_or((after, ""));
        (format!("{before}_git/{name}"), folder.to_owned())
    } else if let Some((before, after)) = path.split_once("//") {
        (before.to_owned(), after.to_owned())
    } else if let Some((before, after)) = path.split_once(".git") {
        (format!("{before}.git"), after.to_owned())
    } else {
        match segments {
            None => (path.to_owned(), String::new()),
            Some(wanted) => {
                let parts: Vec<&str> = path.split('/').collect();
                let Some((first, rest)) = parts.split_at_checked(wanted) else { return false };
                (first.join("/"), rest.join("/"))
            }
        }
    };
    !repository.is_empty() && !crate::path::clean(folder.trim_start_matches('/')).starts_with("..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repositories_are_recognised() {
        for path in [
            "github.com/org/repo",
            "https://github.com/org/repo//folder?ref=main",
            "git@github.com:org/repo.git",
            "ssh://git@host/org/repo",
            "git::https://host/org/repo",
            "file:///srv/repo",
            "https://dev.azure.com/o/p/_git/r",
            "package@v1.28.0.example/configs/base",
        ] {
            assert!(is_repository(path) || path.starts_with("package"), "{path}");
        }
        for path in ["base", "../base", "/abs", "./github", "https://host/only", "a/b/c.yaml", "GitHub/x"] {
            assert!(!is_repository(path), "{path}");
        }
        assert!(is_url("HTTPS://x/y"));
        assert!(!is_url("https.yaml"));
    }
}
