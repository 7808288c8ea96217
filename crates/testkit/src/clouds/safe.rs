//! What was encrypted, behind tickets.

use std::sync::{Mutex, PoisonError};

/// Plaintexts with the key and the context that they were given with.
#[derive(Debug, Default)]
pub(super) struct Safe {
    kept: Mutex<Vec<Kept>>,
}

#[derive(Debug)]
struct Kept {
    key: String,
    context: String,
    plaintext: Vec<u8>,
}

impl Safe {
    /// Keeps a plaintext; the ticket stands for it.
    pub fn keep(&self, key: &str, context: &str, plaintext: &[u8]) -> Vec<u8> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push(Kept { key: key.to_owned(), context: context.to_owned(), plaintext: plaintext.to_vec() });
        format!("ticket {}", kept.len()).into_bytes()
    }

    /// The plaintext, for the same key and context.
    pub fn take(&self, key: &str, context: &str, ticket: &[u8]) -> Option<Vec<u8>> {
        let number: usize = std::str::from_utf8(ticket).ok()?.strip_prefix("ticket ")?.parse().ok()?;
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.get(number.checked_sub(1)?)?;
        (found.key == key && found.context == context).then(|| found.plaintext.clone())
    }
}
