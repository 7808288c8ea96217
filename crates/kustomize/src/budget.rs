//! What a build may cost, in numbers that do not depend on the machine.
//!
//! In: every file that is read, every value in it, every text that a transformer copies. Out: an error as soon
//! as it is too much. So input that means harm ends early: huge files, endless lists, bases of bases of bases,
//! and small texts that are copied into many places.

use std::cell::Cell;
use std::rc::Rc;

use towpath_yaml::{Content, Node};

use crate::error::Error;

/// The most that one build may cost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one file.
    pub file: u64,
    /// Bytes of all files, and of all texts that are copied; each file counts as 1 KiB at least.
    pub bytes: u64,
    /// Values in all objects: texts, numbers, lists, maps.
    pub values: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { file: 64 << 20, bytes: 512 << 20, values: 8_000_000 }
    }
}

/// What opening a file costs, however small it is.
const SMALLEST: u64 = 1024;

/// What is left, shared by all kustomizations of a build.
#[derive(Clone, Debug)]
pub struct Budget {
    limits: Limits,
    bytes: Rc<Cell<u64>>,
    values: Rc<Cell<u64>>,
}

impl Budget {
    /// Nothing is spent yet.
    pub fn new(limits: &Limits) -> Self {
        Self {
            limits: limits.clone(),
            bytes: Rc::new(Cell::new(limits.bytes)),
            values: Rc::new(Cell::new(limits.values)),
        }
    }

    /// The largest file.
    pub fn file(&self) -> u64 {
        self.limits.file
    }

    /// A file that is larger than that.
    pub fn too_large(&self, path: &str) -> Error {
        Error::Limit(format!("'{path}' has more than the {} bytes that a file may have", self.limits.file))
    }

    /// For the file that is read next.
    pub fn of_text(&self) -> towpath_yaml::Limits {
        let nodes = usize::try_from(self.values.get()).unwrap_or(usize::MAX);
        let limits = towpath_yaml::Limits::default();
        towpath_yaml::Limits { nodes: limits.nodes.min(nodes), ..limits }
    }

    /// A file was read.
    pub fn spend_file(&self, size: usize) -> Result<(), Error> {
        self.spend_bytes(u64::try_from(size).unwrap_or(u64::MAX).max(SMALLEST))
    }

    /// A text was put into many places.
    pub fn spend_copies(&self, size: usize, count: usize) -> Result<(), Error> {
        let size = u64::try_from(size).unwrap_or(u64::MAX);
        self.spend_bytes(size.saturating_mul(u64::try_from(count).unwrap_or(u64::MAX)))
    }

    /// Objects were read from a text. Its bytes are paid for, but not what its aliases repeat.
    pub fn spend_values<'n>(
        &self,
        text: &[u8],
        nodes: impl Iterator<Item = &'n Node> + Clone,
    ) -> Result<(), Error> {
        spend(&self.values, nodes.clone().map(count).sum()).ok_or_else(|| {
            Error::Limit(format!("the objects have more than the {} values allowed", self.limits.values))
        })?;
        if !text.contains(&b'*') {
            return Ok(());
        }
        self.spend_copies(nodes.map(size).sum::<usize>().saturating_sub(text.len()), 1)
    }

    fn spend_bytes(&self, bytes: u64) -> Result<(), Error> {
        spend(&self.bytes, bytes).ok_or_else(|| {
            Error::Limit(format!(
                "the build reads or copies more than the {} bytes allowed",
                self.limits.bytes
            ))
        })
    }
}

fn spend(left: &Cell<u64>, cost: u64) -> Option<()> {
    left.set(left.get().checked_sub(cost)?);
    Some(())
}

fn count(node: &Node) -> u64 {
    1 + match &node.content {
        Content::Scalar(_) => 0,
        Content::List(items) => items.iter().map(count).sum(),
        Content::Map(entries) => entries.iter().map(|entry| 1 + count(&entry.value)).sum(),
    }
}

/// Refuses a place so deep that walking to it would need too much stack.
pub fn check_depth(steps: usize, value: Option<&Node>) -> Result<(), Error> {
    let most = towpath_yaml::Limits::DEEPEST;
    if steps + value.map_or(0, depth) <= most {
        return Ok(());
    }
    Err(Error::Limit(format!("a field would be nested more than {most} levels deep")))
}

fn depth(node: &Node) -> usize {
    match &node.content {
        Content::Scalar(_) => 0,
        Content::List(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Content::Map(entries) => 1 + entries.iter().map(|entry| depth(&entry.value)).max().unwrap_or(0),
    }
}

/// The bytes of all texts in a node, and some for each value.
pub fn size(node: &Node) -> usize {
    const EACH: usize = 16;
    EACH + match &node.content {
        Content::Scalar(text) => text.len(),
        Content::List(items) => items.iter().map(size).sum(),
        Content::Map(entries) => entries.iter().map(|entry| entry.key.text.len() + size(&entry.value)).sum(),
    }
}
