//! The cases written by hand, in `cases/yaml/`: one file per theme.
//!
//! A case starts with a line `=== name`. After `=== name escaped` the text is one line with `\n`, `\r`, `\t`,
//! `\\` and `\xNN`, for what an editor would not keep; several such lines are joined.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::Case;
use super::oracle::Question;

/// All written cases, in a fixed order.
pub fn written() -> Result<Vec<Case>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/yaml");
    let mut files: Vec<_> = fs::read_dir(&folder)
        .with_context(|| format!("read {}", folder.display()))?
        .collect::<Result<Vec<_>, _>>()
        .context("read the folder of cases")?;
    files.sort_by_key(fs::DirEntry::file_name);
    let mut cases = Vec::new();
    for file in files {
        let path = file.path();
        let text = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
        let theme = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut found = 0;
        for case in text.split("=== ").skip(1) {
            cases.push(parse(&theme, case)?);
            found += 1;
        }
        if found == 0 {
            bail!("no case in {}", path.display());
        }
    }
    Ok(cases)
}

fn parse(theme: &str, case: &str) -> Result<Case> {
    let (title, text) = case.split_once('\n').context("a case needs a title line")?;
    let (title, bytes) = match title.strip_suffix(" escaped") {
        Some(title) => (title, unescape(&text.replace('\n', ""))?),
        None => (title, text.as_bytes().to_vec()),
    };
    Ok(Case { name: format!("{theme}: {title}"), question: Question::Decode(bytes) })
}

fn unescape(text: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        if character != '\\' {
            bytes.extend(character.to_string().as_bytes());
            continue;
        }
        match rest.next() {
            Some('n') => bytes.push(b'\n'),
            Some('r') => bytes.push(b'\r'),
            Some('t') => bytes.push(b'\t'),
            Some('\\') => bytes.push(b'\\'),
            Some('x') => {
                let digits: String = rest.by_ref().take(2).collect();
                bytes.push(
                    u8::from_str_radix(&digits, 16).with_context(|| format!("the escape \\x{digits}"))?,
                );
            }
            other => bail!("the escape \\{other:?} is unknown"),
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_cases_can_be_read() {
        let cases = written().unwrap();
        assert!(
            cases
                .iter()
                .any(|case| case.name == "streams: not UTF-8" && case.question.text() == Some(b"a: \xFF\n"))
        );
        let mut names: Vec<_> = cases.iter().map(|case| &case.name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), cases.len(), "two cases have the same name");
    }

    #[test]
    fn unknown_escapes_are_refused() {
        assert!(unescape("\\q").is_err());
        assert!(unescape("\\xZZ").is_err());
    }
}
