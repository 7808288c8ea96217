//! Work by key: each key is in line once and under way once; asked for again while it is under way, it gets back in
//! line when that ends.
//!
//! ```text
//! push ─► waiting ─take─► under way ─done─► (pushed meanwhile? waiting : forgotten)
//!            └ pushed again: still once
//! ```

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Mutex, PoisonError};

use tokio::sync::Notify;

/// A queue of keys.
#[derive(Debug)]
pub(crate) struct Queue<K> {
    state: Mutex<State<K>>,
    news: Notify,
}

#[derive(Debug)]
struct State<K> {
    line: VecDeque<K>,
    waiting: BTreeSet<K>,
    /// Keys under way, and whether they were asked for again.
    busy: BTreeMap<K, bool>,
}

impl<K> Default for Queue<K> {
    fn default() -> Self {
        let state = State { line: VecDeque::new(), waiting: BTreeSet::new(), busy: BTreeMap::new() };
        Self { state: Mutex::new(state), news: Notify::new() }
    }
}

impl<K: Clone + Ord> Queue<K> {
    /// Asks for work on a key.
    pub(crate) fn push(&self, key: K) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(again) = state.busy.get_mut(&key) {
            *again = true;
        } else if state.waiting.insert(key.clone()) {
            state.line.push_back(key);
            self.news.notify_one();
        }
    }

    /// The next key; its worker has to say when it is [`done`](Self::done).
    pub(crate) async fn take(&self) -> K {
        loop {
            let news = self.news.notified();
            if let Some(key) = self.try_take() {
                return key;
            }
            news.await;
        }
    }

    fn try_take(&self) -> Option<K> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let key = state.line.pop_front()?;
        state.waiting.remove(&key);
        state.busy.insert(key.clone(), false);
        if !state.line.is_empty() {
            self.news.notify_one();
        }
        Some(key)
    }

    /// The work on a key has ended.
    pub(crate) fn done(&self, key: &K) {
        let again = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.busy.remove(key) == Some(true)
        };
        if again {
            self.push(key.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_key_is_in_line_once_and_under_way_once() {
        let queue = Queue::default();
        queue.push("a");
        queue.push("a");
        queue.push("b");
        assert_eq!(queue.take().await, "a");
        queue.push("a");
        assert_eq!(queue.take().await, "b");
        assert_eq!(queue.try_take(), None);
        queue.done(&"a");
        assert_eq!(queue.take().await, "a");
        queue.done(&"a");
        queue.done(&"b");
        assert_eq!(queue.try_take(), None);
    }

    #[tokio::test]
    async fn a_waiting_worker_is_woken() {
        let queue = std::sync::Arc::new(Queue::default());
        let worker = tokio::spawn({
            let queue = queue.clone();
            async move { (queue.take().await, queue.take().await) }
        });
        tokio::task::yield_now().await;
        queue.push(1);
        queue.push(2);
        assert_eq!(worker.await.unwrap(), (1, 2));
    }
}
