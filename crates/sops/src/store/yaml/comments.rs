//! Which collection a comment stands in, as go-yaml v3 sees it.
//!
//! A comment belongs to what follows it. But where the line behind it is further to the left than the content
//! before it, and than the comment, it is the foot of that content. And where an empty line follows, it is the
//! foot of the content before it, or of the collection that is indented like it.

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
    /// The item that its collection is the value of.
    parent: Option<usize>,
    /// Its collection is in brackets.
    flow: bool,
}

impl Comments {
    /// Finds the comments of documents in their text.
    pub fn of(text: &str, nodes: &[Node]) -> Self {
        let lines = lines(text);
        let mut survey = Survey { lines: &lines, places: Vec::new(), inside: HashSet::new() };
        for node in nodes {
            survey.node(node, None, (usize::MAX, 0));
        }
        let Survey { places, inside, .. } = survey;
        let mut comments = Self {
            before: places.iter().map(|_| Vec::new()).collect(),
            after: places.iter().map(|_| Vec::new()).collect(),
            next: 0,
        };
        // The last line with content, and the comment of several lines that the last line belonged to.
        let (mut content, mut open) = ("", None);
        for (line, text) in lines.iter().enumerate() {
            let Some(comment) = comment(text).filter(|_| !inside.contains(&line)) else {
                open = None;
                if is_content(text) {
                    content = text;
                }
                continue;
            };
            let spot = match open {
                Some((column, spot)) if column == indentation(text) => spot,
                _ => spot(&places, &lines, line, content),
            };
            open = Some((indentation(text), spot));
            let list = match spot {
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

#[derive(Clone, Copy)]
enum Spot {
    Before(usize),
    After(usize),
}

/// Where a comment belongs that starts at a line; `content` is the last line before it that is no comment.
fn spot(places: &[Place], lines: &[&str], line: usize, content: &str) -> Option<Spot> {
    let column = lines.get(line).map_or(0, |text| indentation(text));
    // The first item behind the comment is the outermost on its line: items are listed from the outside in.
    let next = places.partition_point(|place| place.line < line);
    let Some(previous) = next.checked_sub(1) else { return Some(Spot::Before(next)) };
    let mut here = outside_of_brackets(places, previous);
    let innermost = places.get(here).map_or(0, |place| place.column);
    let mut behind = lines.iter().skip(line + 1);
    // Lines of one comment are indented alike.
    let follows = behind.find(|text| comment(text).is_none() || indentation(text) != column);
    let follows = follows.copied().unwrap_or_default();
    if content.trim_end().ends_with(['{', '[']) {
        return None;
    }
    if follows.trim().is_empty() {
        let below_content = line > 0 && lines.get(line - 1).is_some_and(|text| is_content(text));
        if column >= innermost {
            let following = places.get(next).filter(|_| !below_content);
            return Some(following.map_or(Spot::After(here), |_| Spot::Before(next)));
        }
        here = indented_like(places, here, column);
        return Some(Spot::After(here));
    }
    let left = indentation(follows);
    if places.get(next).is_some() && (left >= innermost || left == column) {
        return Some(Spot::Before(next));
    }
    // Only the first of several feet is that of the content; the others go by their own indentation.
    let above = lines.iter().take(line).rev().take_while(|text| comment(text).is_some());
    if above.map(|text| indentation(text)).any(|above| above != column) {
        here = indented_like(places, here, column);
    }
    Some(Spot::After(here))
}

/// Up from an item to the first that is not indented deeper.
fn indented_like(places: &[Place], mut here: usize, column: usize) -> usize {
    while let Some(place) = places.get(here)
        && place.column > column
        && let Some(parent) = place.parent
    {
        here = parent;
    }
    here
}

fn is_content(text: &str) -> bool {
    !text.trim().is_empty() && comment(text).is_none()
}

fn outside_of_brackets(places: &[Place], mut place: usize) -> usize {
    while let Some(here) = places.get(place).filter(|here| here.flow)
        && let Some(parent) = here.parent
    {
        place = parent;
    }
    place
}

/// The text behind the `#` of a line that has nothing else.
fn comment(line: &str) -> Option<&str> {
    line.trim_start_matches([' ', '\t']).strip_prefix('#')
}

/// The lines as YAML counts them.
fn lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let line = line.strip_suffix('\r').unwrap_or(line);
        lines.extend(line.split(['\r', '\u{85}', '\u{2028}', '\u{2029}']));
    }
    lines
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

struct Survey<'t> {
    lines: &'t [&'t str],
    places: Vec<Place>,
    /// The lines that are part of a text.
    inside: HashSet<usize>,
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
        self.places.push(Place { line, column, parent, flow: style.has(Style::FLOW) });
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
