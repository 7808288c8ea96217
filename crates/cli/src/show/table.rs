//! Columns of text.

use std::fmt::Write as _;

use anstyle::Style;

/// A text and how it is shown.
#[derive(Clone, Debug)]
pub struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    /// Text in a style.
    pub fn styled(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::styled(text, Style::new())
    }
}

/// Lays out rows below a head; two spaces between columns, nothing at the end of a line.
pub fn table(head: &[&str], rows: &[Vec<Cell>]) -> String {
    let mut widths: Vec<usize> = head.iter().map(|text| text.chars().count()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.text.chars().count());
        }
    }
    let heading: Vec<Cell> = head.iter().map(|text| Cell::styled(*text, Style::new().bold())).collect();
    std::iter::once(&heading).chain(rows).map(|row| line(row, &widths)).collect()
}

fn line(row: &[Cell], widths: &[usize]) -> String {
    let last = row.iter().rposition(|cell| !cell.text.is_empty()).unwrap_or(0);
    let mut text = String::new();
    for (index, (cell, width)) in row.iter().zip(widths).enumerate().take(last + 1) {
        let Cell { text: content, style } = cell;
        let padding = if index == last { 0 } else { width - content.chars().count() + 2 };
        let _ = write!(text, "{style}{content}{style:#}{:padding$}", "");
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_and_lines_end_with_text() {
        let rows =
            vec![vec!["a".into(), "long one".into(), "".into()], vec!["bb".into(), "x".into(), "y".into()]];
        let text = anstream::adapter::strip_str(&table(&["N", "KIND", "Z"], &rows)).to_string();
        assert_eq!(text, "N   KIND      Z\na   long one\nbb  x         y\n");
    }
}
