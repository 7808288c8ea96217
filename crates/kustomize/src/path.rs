//! Paths as text, with Go's rules: error messages and origins carry them, so they must be spelled alike.

/// The shortest path that means the same, by text alone.
pub fn clean(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(&last) if last != ".." => {
                    parts.pop();
                }
                _ if rooted => {}
                _ => parts.push(".."),
            },
            _ => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match (rooted, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}

/// Two paths as one; the second is taken as relative even if it begins with a slash.
pub fn join(first: &str, second: &str) -> String {
    match (first.is_empty(), second.is_empty()) {
        (true, true) => String::new(),
        (true, false) => clean(second),
        (false, true) => clean(first),
        (false, false) => clean(&format!("{first}/{second}")),
    }
}

/// The last part of a path.
pub fn base(path: &str) -> &str {
    if path.is_empty() {
        return ".";
    }
    match path.trim_end_matches('/') {
        "" => "/",
        trimmed => trimmed.rsplit('/').next().unwrap_or(trimmed),
    }
}

/// Whether `path` is `folder` or lies below it; both are clean.
pub fn is_within(path: &str, folder: &str) -> bool {
    folder == "/" || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cleaned_as_go_does() {
        for (path, expected) in [
            ("", "."),
            ("/", "/"),
            ("a//b/./c/..", "a/b"),
            ("../../a", "../../a"),
            ("/../a", "/a"),
            ("a/../..", ".."),
            ("./", "."),
        ] {
            assert_eq!(clean(path), expected, "{path}");
        }
        assert_eq!(join("/a", "/b"), "/a/b");
        assert_eq!(join("", "b/"), "b");
        assert_eq!(base("a/b/"), "b");
        assert_eq!(base("/"), "/");
    }

    #[test]
    fn a_folder_holds_itself_and_what_is_below() {
        assert!(is_within("/a/b", "/a"));
        assert!(is_within("/a", "/a"));
        assert!(!is_within("/ab", "/a"));
        assert!(is_within("/ab", "/"));
    }
}
