//! The paths rule: no file may name a folder of the machine it was written on.

use std::path::{Path, PathBuf};

use super::Finding;

/// Folders that mean the same on every machine, so that a checkout inside them gives nothing away.
const COMMON: [&str; 8] = ["/", "/tmp", "/var/tmp", "/opt", "/srv", "/src", "/usr/src", "/build"];

/// The folders of this machine that must not appear: the checkout, what it is in, and the home folder.
pub fn of_this_machine(root: &Path) -> Vec<String> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let folders = [Some(root.to_path_buf()), root.parent().map(Path::to_path_buf), home];
    let texts = folders.into_iter().flatten().map(|path| path.to_string_lossy().into_owned());
    texts.filter(|text| text.starts_with('/') && !COMMON.contains(&text.as_str())).collect()
}

/// Judges every line of a file: against the folders of this machine, and against anybody's home folder.
pub fn judge(path: &Path, text: &str, folders: &[String]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let found = folders.iter().find(|folder| names(line, folder)).map(String::as_str);
        if let Some(what) = found.or_else(|| somebodys_home(line)) {
            let place = path.display();
            findings.push(Finding::Error(format!("{place}:{number} names a folder of one machine: {what}")));
        }
    }
    findings
}

/// Whether `line` holds `folder` as a whole path or as the beginning of one.
fn names(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        let after = line.get(at + folder.len()..).and_then(|text| text.chars().next());
        let inside = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        !before.is_some_and(|c| inside(c) || matches!(c, '/' | '}' | ')' | '*')) && !after.is_some_and(inside)
    })
}

/// A path below a named user's home folder.
fn somebodys_home(line: &str) -> Option<&str> {
    ["/home/", "/Users/"].into_iter().find_map(|prefix| {
        let (before, rest) = line.split_once(prefix)?;
        let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.')))?;
        let starts = !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '/' | '}' | '.'));
        let at = before.len();
        let is_path = end > 0 && rest.get(end..)?.starts_with('/');
        (starts && is_path).then(|| line.get(at..at + prefix.len() + end)).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> bool {
        let folders = ["/data/towpath".to_owned(), "/data".to_owned()];
        !judge(Path::new("README.md"), line, &folders).is_empty()
    }

    /// Put together here so that this file does not break its own rule.
    fn home(user: &str) -> String {
        ["", "home", user, "x"].join("/")
    }

    #[test]
    fn a_folder_of_this_machine_is_found() {
        assert!(found("cd /data/towpath && make"));
        assert!(found("TOOLS=/data/tools"));
        assert!(found("see /data"));
    }

    #[test]
    fn a_longer_or_a_relative_path_is_not() {
        assert!(!found("mount /database"));
        assert!(!found("crates/data/x"));
        assert!(!found("https://example.test/data"));
        assert!(!found("${root}/data"));
    }

    #[test]
    fn anybodys_home_is_found() {
        assert!(found(&home("ann")));
        assert!(found(&format!("path: \"{}\"", home("ann.b"))));
        assert!(!found(&home("$USER")));
        assert!(!found(&format!("https://example.test{}", home("ann"))));
    }

    #[test]
    fn a_checkout_in_a_common_folder_gives_nothing_away() {
        let folders = of_this_machine(Path::new("/tmp/towpath"));
        assert!(folders.contains(&"/tmp/towpath".to_owned()));
        assert!(!folders.contains(&"/tmp".to_owned()));
    }
}
