//! Which collection a comment stands in.
//!
//! A comment line that is not indented deeper than the content that follows it stands before that content. Else
//! it is the end of what came before: of the innermost collection whose items are indented like it.

use std::collections::HashSet;

use towpath_yaml::{Content, Node, Style};

/// The comments of a text by the item that they stand next to. Items are counted as they come in the text.
pub(super) struct Comments {
    before: Vec<Vec<Vec<u8>>>,
    after: Vec<Vec<Vec<u8>>>,
    next: usize,
}

/// An item of a block collection.
struct Place {
    line: usize,
    column: usize,
    document: usize,
    /// The item that its collection is the value of.
    parent: Option<usize>,
}

impl Comments {
    /// Finds the comments of documents in their text.
    pub fn of(text: &str, nodes: &[Node]) -> Self {
        let lines: Vec<&str> = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
        let mut survey = Survey { lines: &lines, places: Vec::new(), inside: HashSet::new(), document: 0 };
        for (document, node) in nodes.iter().enumerate() {
            survey.document = document;
            survey.node(node, None, (usize::MAX, 0));
        }
        let Survey { places, inside, .. } = survey;
        let mut comments = Self {
            before: places.iter().map(|_| Vec::new()).collect(),
            after: places.iter().map(|_| Vec::new()).collect(),
            next: 0,
        };
        for (line, text) in lines.iter().enumerate() {
            let column = indentation(text);
            let Some(comment) = text.trim_start_matches([' ', '\t']).strip_prefix('#') else { continue };
            if inside.contains(&line) {
                continue;
            }
            let list = match spot(&places, &lines, line, column) {
                Some(Spot::Before(place)) => comments.before.get_mut(place),
                Some(Spot::After(place)) => comments.after.get_mut(place),
                None => None,
            };
            if let Some(list) = list {
                list.push(comment.as_bytes().to_vec());
            }
        }
        comments
    }

    /// The number of the next item, in the order of the text.
    pub fn enter(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }

    pub fn before(&mut self, item: usize) -> Vec<Vec<u8>> {
        self.before.get_mut(item).map(std::mem::take).unwrap_or_default()
    }

    pub fn after(&mut self, item: usize) -> Vec<Vec<u8>> {
        self.after.get_mut(item).map(std::mem::take).unwrap_or_default()
    }
}

enum Spot {
    Before(usize),
    After(usize),
}

fn spot(places: &[Place], lines: &[&str], line: usize, column: usize) -> Option<Spot> {
    // The first item behind the comment is the outermost on its line: items are listed from the outside in.
    let next = places.partition_point(|place| place.line < line);
    let previous = next.checked_sub(1);
    let following = places.get(next);
    let starts_document = |place: &Place| {
        let between = lines.get(line..place.line).unwrap_or_default();
        previous
            .and_then(|previous| places.get(previous))
            .is_none_or(|before| before.document == place.document)
            || !between.iter().any(|line| line.starts_with("---"))
    };
    match following {
        Some(place) if starts_document(place) && column <= place.column => return Some(Spot::Before(next)),
        _ => {}
    }
    // Up from the item before, to the first that is not indented deeper.
    let mut place = previous?;
    while let Some(here) = places.get(place)
        && here.column > column
        && let Some(parent) = here.parent
    {
        place = parent;
    }
    Some(Spot::After(place))
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

struct Survey<'t> {
    lines: &'t [&'t str],
    places: Vec<Place>,
    /// The lines that are part of a text.
    inside: HashSet<usize>,
    document: usize,
}

impl Survey<'_> {
    /// `from` is a line and a column in it from which a collection on the same line starts.
    fn node(&mut self, node: &Node, parent: Option<usize>, from: (usize, usize)) {
        match &node.content {
            Content::Scalar(_) if node.style.has(Style::LITERAL) || node.style.has(Style::FOLDED) => {
                self.block_text(row(node.line), parent);
            }
            Content::Scalar(_) => {}
            Content::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    let line = row(item.line);
                    let column = self.column(line, if index == 0 { from } else { (usize::MAX, 0) });
                    let place = self.add(line, column, parent, node.style);
                    self.node(item, Some(place), (line, column + 1));
                }
            }
            Content::Map(entries) => {
                for (index, entry) in entries.iter().enumerate() {
                    let line = row(entry.key.line);
                    let column = self.column(line, if index == 0 { from } else { (usize::MAX, 0) });
                    let place = self.add(line, column, parent, node.style);
                    self.node(&entry.value, Some(place), (usize::MAX, 0));
                }
            }
        }
    }

    fn add(&mut self, line: usize, column: usize, parent: Option<usize>, style: Style) -> usize {
        // Nothing is said of what stands in brackets: it is as deep as the item that they belong to.
        let outer = parent.and_then(|parent| self.places.get(parent)).filter(|_| style.has(Style::FLOW));
        let (line, column) = outer.map_or((line, column), |outer| (outer.line, outer.column));
        // Lines must not go back, whatever a text looks like: they are searched by halves.
        let line = self.places.last().map_or(line, |last| last.line.max(line));
        self.places.push(Place { line, column, document: self.document, parent });
        self.places.len() - 1
    }

    fn column(&self, line: usize, (from_line, from): (usize, usize)) -> usize {
        let text = self.lines.get(line).copied().unwrap_or_default();
        if line != from_line {
            return indentation(text);
        }
        from + indentation(text.get(from..).unwrap_or_default())
    }

    fn block_text(&mut self, line: usize, parent: Option<usize>) {
        let outer = parent.and_then(|parent| self.places.get(parent)).map_or(0, |place| place.column);
        for (index, text) in self.lines.iter().enumerate().skip(line + 1) {
            if !text.trim().is_empty() && indentation(text) <= outer {
                break;
            }
            self.inside.insert(index);
        }
    }
}

fn row(line: u32) -> usize {
    usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1)
}
