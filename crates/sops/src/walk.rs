//! Decrypts a tree in the order of its file, and hashes what was decrypted.

use sha2::{Digest as _, Sha512};

use crate::cipher;
use crate::error::Error;
use crate::key::DataKey;
use crate::metadata::{Metadata, Rule};
use crate::number;
use crate::tree::{Branch, Item, Value};

/// What the hash starts with where it covers encrypted values only: SHA-256 of `sops`.
const ONLY_ENCRYPTED: [u8; 32] = [
    0x8a, 0x3f, 0xd2, 0xad, 0x54, 0xce, 0x66, 0x52, 0x7b, 0x10, 0x34, 0xf3, 0xd1, 0x47, 0xbe, 0x0b, 0x0b,
    0x97, 0x5b, 0x3b, 0xf4, 0x4f, 0x72, 0xc6, 0xfd, 0xad, 0xec, 0x81, 0x76, 0xf2, 0x7d, 0x69,
];

/// Decrypts all branches in place; returns the MAC in upper-case hexadecimal.
pub(crate) fn decrypt(branches: &mut [Branch], metadata: &Metadata, key: &DataKey) -> Result<String, Error> {
    let mut walk = Walk { metadata, key, hash: Sha512::new(), path: Vec::new(), comments: Vec::new() };
    if metadata.mac_only_encrypted {
        walk.hash.update(ONLY_ENCRYPTED);
    }
    for branch in branches {
        walk.branch(branch)?;
    }
    Ok(walk.hash.finalize().iter().map(|byte| format!("{byte:02X}")).collect())
}

struct Walk<'m> {
    metadata: &'m Metadata,
    key: &'m DataKey,
    hash: Sha512,
    path: Vec<Vec<u8>>,
    /// The comments directly before the value at hand, for every collection around it.
    comments: Vec<Vec<Vec<u8>>>,
}

impl Walk<'_> {
    fn branch(&mut self, branch: &mut Branch) -> Result<(), Error> {
        self.comments.push(Vec::new());
        for item in branch {
            match item {
                Item::Comment(comment) => {
                    self.remember(comment);
                    *comment = match self.comment(comment) {
                        Value::Text(text) | Value::Comment(text) => text,
                        other => {
                            let problem = format!("a comment became {}", other.kind());
                            return Err(Error::Unsupported { path: self.place(), problem });
                        }
                    };
                }
                Item::Entry(key, value) => {
                    self.path.push(key.clone());
                    self.value(value)?;
                    self.path.pop();
                    self.forget();
                }
            }
        }
        self.comments.pop();
        Ok(())
    }

    fn list(&mut self, items: &mut [Value]) -> Result<(), Error> {
        self.comments.push(Vec::new());
        for item in items {
            if let Value::Comment(comment) = item {
                self.remember(comment);
                *item = self.comment(&comment.clone());
            } else {
                self.value(item)?;
                self.forget();
            }
        }
        self.comments.pop();
        Ok(())
    }

    fn value(&mut self, value: &mut Value) -> Result<(), Error> {
        match value {
            Value::Null => Ok(()),
            Value::List(items) => self.list(items),
            Value::Branch(branch) => self.branch(branch),
            leaf => {
                let encrypted = self.is_encrypted(false);
                if encrypted {
                    let Value::Text(text) = &*leaf else {
                        return Err(self.problem("it is not encrypted, or not as SOPS does it"));
                    };
                    *leaf = self.open(text).map_err(|problem| self.problem(problem))?;
                }
                self.take_in(leaf, encrypted);
                Ok(())
            }
        }
    }

    /// A comment that cannot be decrypted was never encrypted: old versions of SOPS left them alone.
    fn comment(&mut self, comment: &[u8]) -> Value {
        let plain = || Value::Comment(comment.to_vec());
        let encrypted = self.is_encrypted(true);
        let value = if encrypted { self.open(comment).unwrap_or_else(|_| plain()) } else { plain() };
        self.take_in(&value, encrypted);
        value
    }

    fn open(&self, encrypted: &[u8]) -> Result<Value, &'static str> {
        let mut place = self.path.join(&b':');
        place.push(b':');
        cipher::decrypt(encrypted, self.key, &place)
    }

    /// Comments are not part of the MAC.
    fn take_in(&mut self, value: &Value, encrypted: bool) {
        if self.metadata.mac_only_encrypted && !encrypted {
            return;
        }
        match value {
            Value::Text(text) => self.hash.update(text),
            Value::Integer(number) => self.hash.update(number.to_string()),
            Value::Float(number) => self.hash.update(number::plain(*number)),
            Value::Boolean(true) => self.hash.update("True"),
            Value::Boolean(false) => self.hash.update("False"),
            Value::Time(time) => self.hash.update(time),
            Value::Null | Value::Comment(_) | Value::List(_) | Value::Branch(_) => {}
        }
    }

    fn is_encrypted(&self, comment: bool) -> bool {
        let ends = |suffix: &[u8]| self.path.iter().any(|key| key.ends_with(suffix));
        let mut comments = self.comments.iter().flatten();
        match &self.metadata.rule {
            Rule::UnencryptedSuffix(suffix) => !ends(suffix),
            Rule::EncryptedSuffix(suffix) => ends(suffix),
            Rule::UnencryptedRegex(regex) => !self.path.iter().any(|key| regex.is_match(key)),
            Rule::EncryptedRegex(regex) => self.path.iter().any(|key| regex.is_match(key)),
            Rule::UnencryptedComment(regex) => !comments.any(|comment| regex.is_match(comment)),
            Rule::EncryptedComment(regex) => {
                // The comment that says so is itself not encrypted.
                let count = self.comments.iter().map(Vec::len).sum::<usize>() - usize::from(comment);
                comments.take(count).any(|comment| regex.is_match(comment))
            }
        }
    }

    fn remember(&mut self, comment: &[u8]) {
        if let Some(comments) = self.comments.last_mut() {
            comments.push(comment.to_vec());
        }
    }

    fn forget(&mut self) {
        if let Some(comments) = self.comments.last_mut() {
            comments.clear();
        }
    }

    fn place(&self) -> String {
        String::from_utf8_lossy(&self.path.join(&b'.')).into_owned()
    }

    fn problem(&self, problem: &'static str) -> Error {
        Error::Value { path: self.place(), problem }
    }
}
