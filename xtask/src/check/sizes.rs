//! The size rule: a file that one can read in one sitting.

use std::path::Path;

use super::Finding;

const WARN: usize = 400;
const FAIL: usize = 800;

/// Judges a file by its lines without the tests in it. Files that hold only tests are free.
pub fn judge(path: &Path, text: &str) -> Option<Finding> {
    if path.extension().is_none_or(|e| e != "rs") || is_test(path) {
        return None;
    }
    let lines = text.lines().take_while(|line| line.trim() != "#[cfg(test)]").count();
    let name = path.display();
    if lines > FAIL {
        return Some(Finding::Error(format!("{name} has {lines} lines; {FAIL} is the limit: split it")));
    }
    (lines > WARN).then(|| Finding::Warning(format!("{name} has {lines} lines; over {WARN} needs a reason")))
}

fn is_test(path: &Path) -> bool {
    let in_folder =
        path.components().any(|part| part.as_os_str() == "tests" || part.as_os_str() == "benches");
    in_folder || path.file_stem().is_some_and(|stem| stem == "tests")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, lines: usize) -> Option<Finding> {
        judge(Path::new(path), &"x\n".repeat(lines))
    }

    #[test]
    fn the_limits_hold_for_code() {
        assert_eq!(file("crates/a/src/lib.rs", 400), None);
        assert!(matches!(file("crates/a/src/lib.rs", 401), Some(Finding::Warning(_))));
        assert!(matches!(file("crates/a/src/lib.rs", 801), Some(Finding::Error(_))));
    }

    #[test]
    fn tests_and_other_files_are_free() {
        assert_eq!(file("crates/a/tests/deploy.rs", 5000), None);
        assert_eq!(file("crates/a/src/tests.rs", 5000), None);
        assert_eq!(file("Cargo.lock", 5000), None);
        let with_tests = format!("x\n#[cfg(test)]\n{}", "x\n".repeat(5000));
        assert_eq!(judge(Path::new("src/lib.rs"), &with_tests), None);
    }
}
