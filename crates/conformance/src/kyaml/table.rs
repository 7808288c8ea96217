//! The table of kyaml's own merge tests, read from their Go source.
//!
//! A row is a composite literal that starts with `{description:`; its fields are raw strings in backquotes, a
//! bool and the merge options.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::modules::KYAML;

/// One row.
pub struct Row {
    pub description: String,
    pub source: String,
    pub target: String,
    pub expected: String,
    pub infer: bool,
    pub behind: bool,
}

/// All rows, in the order of files and of lines.
pub fn rows() -> Result<Vec<Row>> {
    let folder = KYAML.folder()?.join("yaml/merge2");
    let mut rows = Vec::new();
    for file in ["scalar_test.go", "list_test.go", "element_test.go", "map_test.go"] {
        let path = folder.join(file);
        let text = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
        let before = rows.len();
        for row in text.split("{description:").skip(1) {
            rows.push(parse(row).with_context(|| format!("a row of {}", path.display()))?);
        }
        if rows.len() == before {
            bail!("no row in {}", path.display());
        }
    }
    Ok(rows)
}

fn parse(text: &str) -> Result<Row> {
    let raw = |field: &str| {
        let behind = if field.is_empty() { text } else { text.split(&format!("\n\t\t{field}:")).nth(1)? };
        behind.trim_start().strip_prefix('`')?.split('`').next().map(str::to_owned)
    };
    Ok(Row {
        description: raw("").context("no description")?,
        source: raw("source").context("no source")?,
        target: raw("dest").context("no dest")?,
        expected: raw("expected").context("no expected")?,
        infer: text.contains("\n\t\tinfer: true"),
        behind: !text.contains("MergeOptionsListPrepend"),
    })
}
