//! Reads `layers.toml`: sections of `key = ["word", …]`, which is all of TOML that the table needs.

use std::collections::BTreeMap;

use anyhow::{Result, bail};

/// Section, then key, then words.
pub type Table = BTreeMap<String, BTreeMap<String, Vec<String>>>;

/// The table in `text`; an error names the line.
pub fn parse(text: &str) -> Result<Table> {
    let mut table = Table::new();
    let mut section = String::new();
    let mut open: Option<(String, String)> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default().trim();
        if let Some((key, mut list)) = open.take() {
            list.push_str(line);
            open = close(&mut table, &section, key, list)?;
        } else if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            name.trim().clone_into(&mut section);
        } else if let Some((key, list)) = line.split_once('=') {
            open = close(&mut table, &section, key.trim().to_owned(), list.trim().to_owned())?;
        } else if !line.is_empty() {
            bail!("line {number}: expected [section] or key = [\"word\", …], found {line}");
        }
    }
    match open {
        Some((key, _)) => bail!("the list of {key} has no end"),
        None => Ok(table),
    }
}

/// Stores a list that is complete; gives back one that goes on in the next line.
fn close(table: &mut Table, section: &str, key: String, list: String) -> Result<Option<(String, String)>> {
    if !list.ends_with(']') {
        return Ok(Some((key, list)));
    }
    let Some(inner) = list.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
        bail!("{key} is not a list");
    };
    let mut words = Vec::new();
    for word in inner.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        match word.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some(word) => words.push(word.to_owned()),
            None => bail!("{key}: {word} is not in double quotes"),
        }
    }
    let entries = table.entry(section.to_owned()).or_default();
    if entries.insert(key.clone(), words).is_some() {
        bail!("[{section}] has {key} twice");
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_sections_and_lists_over_lines() {
        let text = "# why\n[levels]\n0 = [\"object\"] # ground\n4 = []\n[edges]\ncli = [\n  \"api\",\n  \"plan\",\n]\n";
        let table = parse(text).unwrap();
        assert_eq!(table["levels"]["0"], ["object"]);
        assert!(table["levels"]["4"].is_empty());
        assert_eq!(table["edges"]["cli"], ["api", "plan"]);
    }

    #[test]
    fn says_what_is_wrong() {
        let error = |text| parse(text).unwrap_err().to_string();
        assert_eq!(error("[a]\nb"), "line 2: expected [section] or key = [\"word\", …], found b");
        assert_eq!(error("[a]\nb = [c]"), "b: c is not in double quotes");
        assert_eq!(error("[a]\nb = [\"c\","), "the list of b has no end");
        assert_eq!(error("[a]\nb = []\nb = []"), "[a] has b twice");
    }
}
