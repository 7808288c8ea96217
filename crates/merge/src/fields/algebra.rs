//! Union, intersection and difference: one walk over two tries side by side.

use std::cmp::Ordering;

use super::{Entry, FieldSet};

impl FieldSet {
    /// The paths that are in either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        self.combine(other, |here, there| here || there)
    }

    /// The paths that are in both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        self.combine(other, |here, there| here && there)
    }

    /// The paths of this set that are not in the other.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        self.combine(other, |here, there| here && !there)
    }

    /// The paths for which `keep` says yes, given whether each set has them.
    fn combine(&self, other: &Self, keep: fn(bool, bool) -> bool) -> Self {
        let none = Self::default();
        let mut entries = Vec::new();
        for (here, there) in side_by_side(&self.entries, &other.entries) {
            let Some(either) = here.or(there) else { continue };
            let owned = keep(is_owned(here), is_owned(there));
            let below = here
                .map_or(&none, |entry| &entry.below)
                .combine(there.map_or(&none, |entry| &entry.below), keep);
            if owned || !below.is_empty() {
                let element = either.element.clone();
                entries.push(Entry { element, owned, below });
            }
        }
        Self { entries }
    }
}

fn is_owned(entry: Option<&Entry>) -> bool {
    entry.is_some_and(|entry| entry.owned)
}

/// The entries of both lists in order, those of the same element together.
fn side_by_side<'a>(
    left: &'a [Entry],
    right: &'a [Entry],
) -> impl Iterator<Item = (Option<&'a Entry>, Option<&'a Entry>)> {
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    std::iter::from_fn(move || {
        let order = match (left.peek(), right.peek()) {
            (None, None) => return None,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(here), Some(there)) => here.element.cmp(&there.element),
        };
        Some(match order {
            Ordering::Less => (left.next(), None),
            Ordering::Greater => (None, right.next()),
            Ordering::Equal => (left.next(), right.next()),
        })
    })
}
