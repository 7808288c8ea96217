//! Tokens and credentials, kept until shortly before they end.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::sync::{Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use zeroize::Zeroizing;

use crate::error::Error;

/// How long before its end something is not used any more.
const MARGIN: SignedDuration = SignedDuration::from_secs(60);

/// A token of a service.
#[derive(Clone)]
pub(crate) struct Token(pub Zeroizing<String>);

/// Something that may end, if anybody said when.
pub(crate) struct Lease<T> {
    pub value: T,
    pub until: Option<Timestamp>,
}

impl<T> Lease<T> {
    /// For so many seconds from now.
    pub fn for_seconds(value: T, now: Timestamp, seconds: i64) -> Self {
        let seconds = seconds.clamp(0, 86_400);
        Self { value, until: now.checked_add(SignedDuration::from_secs(seconds)).ok() }
    }
}

/// Leases by what they are for.
pub(crate) struct Cache<T> {
    leases: Mutex<BTreeMap<String, Lease<T>>>,
}

impl<T> Default for Cache<T> {
    fn default() -> Self {
        Self { leases: Mutex::default() }
    }
}

impl<T: Clone> Cache<T> {
    /// What is kept, or what `fetch` brings. Two who ask at once may both fetch.
    pub async fn get<F>(&self, name: &str, now: Timestamp, fetch: F) -> Result<T, Error>
    where
        F: Future<Output = Result<Lease<T>, Error>>,
    {
        if let Some(value) = self.kept(name, now) {
            return Ok(value);
        }
        let lease = fetch.await?;
        let value = lease.value.clone();
        self.leases.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), lease);
        Ok(value)
    }

    fn kept(&self, name: &str, now: Timestamp) -> Option<T> {
        let leases = self.leases.lock().unwrap_or_else(PoisonError::into_inner);
        let lease = leases.get(name)?;
        let usable = lease.until.is_none_or(|until| until.duration_since(now) > MARGIN);
        usable.then(|| lease.value.clone())
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn ask(cache: &Cache<u8>, now: i64, fresh: u8, seconds: i64) -> u8 {
        let now = Timestamp::from_second(now).unwrap();
        cache.get("x", now, async { Ok(Lease::for_seconds(fresh, now, seconds)) }).await.unwrap()
    }

    #[tokio::test]
    async fn a_lease_is_used_until_shortly_before_its_end() {
        let cache = Cache::default();
        assert_eq!(ask(&cache, 0, 1, 300).await, 1);
        assert_eq!(ask(&cache, 239, 2, 300).await, 1);
        assert_eq!(ask(&cache, 240, 3, 300).await, 3);
    }
}
