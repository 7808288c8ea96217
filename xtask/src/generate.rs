//! `generate`: committed files that are made from code.
//!
//! In: the table below. Out: the files, or with `--check` an error that names those that are not fresh.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::cargo::{cargo, output, root};

/// A committed file and the cargo arguments that print its content.
struct Generated {
    path: &'static str,
    producer: &'static [&'static str],
}

/// Every generated file.
const FILES: &[Generated] = &[Generated {
    path: "docs/reference/cli.md",
    producer: &["run", "--quiet", "--package", "towpath", "--", "markdown-help"],
}];

/// `cargo xtask generate [--check]`
pub fn run(args: &[String]) -> Result<()> {
    let write = match args {
        [] => true,
        [flag] if flag == "--check" => false,
        _ => bail!("generate takes only --check; see `cargo xtask help generate`"),
    };
    let mut stale = Vec::new();
    for file in FILES {
        let path = root().join(file.path);
        let fresh = output(&mut cargo(file.producer))?;
        let committed = fs::read_to_string(&path).unwrap_or_default();
        match difference(&committed, &fresh) {
            None => println!("{} is fresh", file.path),
            Some(_) if write => {
                if let Some(folder) = path.parent() {
                    fs::create_dir_all(folder).with_context(|| format!("create {}", folder.display()))?;
                }
                fs::write(&path, fresh).with_context(|| format!("write {}", file.path))?;
                println!("{} written", file.path);
            }
            Some(line) => stale.push(format!("{}:{line}", file.path)),
        }
    }
    if !stale.is_empty() {
        bail!("not fresh: {}; run `cargo xtask generate` and commit the result", stale.join(", "));
    }
    Ok(())
}

/// The number of the first line in which two texts differ.
fn difference(committed: &str, fresh: &str) -> Option<usize> {
    if committed == fresh {
        return None;
    }
    let same = committed.lines().zip(fresh.lines()).take_while(|(one, other)| one == other).count();
    Some(same + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_differing_line_is_found() {
        assert_eq!(difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(difference("a\nb\n", "a\nc\n"), Some(2));
        assert_eq!(difference("a\n", "a\nb\n"), Some(2));
        assert_eq!(difference("", "a\n"), Some(1));
    }
}
