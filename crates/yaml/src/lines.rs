//! On which line of the text each value stands.

/// The lines of one document's values, as a tree that needs 16 bytes per value.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// In the order of the text, every collection before its children.
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Hash of the key, or of the index in decimal. Two keys of one mapping could in theory share it; an
    /// error would then name the wrong one of two lines.
    key: u64,
    line: u32,
    /// The number of the first entry that is not below this one.
    end: u32,
}

/// An entry that is still open.
#[derive(Clone, Copy)]
pub(crate) struct Open(usize);

impl Lines {
    /// The line of a value by the keys and indices that lead to it, counted from 1. Of a field it is the line
    /// of its key. The empty path is the document's own first line.
    pub fn of<K: AsRef<str>>(&self, path: &[K]) -> Option<u32> {
        let mut at = 0;
        for key in path {
            at = self.child(at, hash(key.as_ref()))?;
        }
        self.entries.get(at).map(|entry| entry.line)
    }

    /// The line of the deepest part of the path that exists: where to point at when a field is missing.
    pub fn nearest<K: AsRef<str>>(&self, path: &[K]) -> Option<u32> {
        (0..=path.len()).rev().find_map(|length| self.of(path.get(..length)?))
    }

    /// The child with a key; of several the last, which is the one whose value counts.
    fn child(&self, parent: usize, key: u64) -> Option<usize> {
        let end = self.entries.get(parent)?.end as usize;
        let mut found = None;
        let mut at = parent + 1;
        while at < end {
            let entry = self.entries.get(at)?;
            if entry.key == key {
                found = Some(at);
            }
            at = entry.end as usize;
        }
        found
    }

    pub(crate) fn open(&mut self, key: &str, line: u32) -> Open {
        self.entries.push(Entry { key: hash(key), line, end: 0 });
        Open(self.entries.len() - 1)
    }

    pub(crate) fn close(&mut self, open: Open) {
        let end = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        if let Some(entry) = self.entries.get_mut(open.0) {
            entry.end = end;
        }
    }

    /// The line of a key in a collection that is still open.
    pub(crate) fn sibling(&mut self, parent: Open, key: &str) -> Option<u32> {
        self.close(parent);
        let at = self.child(parent.0, hash(key))?;
        self.entries.get(at).map(|entry| entry.line)
    }
}

/// FNV-1a.
fn hash(key: &str) -> u64 {
    key.bytes()
        .fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}
