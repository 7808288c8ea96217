//! Keeps one kind in one place up to date, for ever: list, watch, and what to do when either fails.
//!
//! ```text
//! list (streamed, or page by page) ──► watch ──ended──► watch from the last version
//!   ▲                                    │
//!   └───────────── 410 ──────────────────┘     any other fault: a pause, then the same again
//! ```

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, sleep, timeout};

use super::definition;
use super::index::Index;
use super::shared::{Shared, Voice};
use super::source::Source;
use super::state::FeedId;
use super::wire::{Item, Reader};
use super::{KindState, Rbac, backoff};
use crate::Error;
use crate::lines::Lines;

/// How long a list waits for its turn.
const TURN: Duration = Duration::from_secs(2);
/// How long a streamed list may say nothing before we ask for pages instead.
const SILENT_LIST: Duration = Duration::from_secs(30);
/// A server refuses a version that is too old at once, with an event: so long we wait for that before we believe a
/// watch that we took up again.
const SETTLE: Duration = Duration::from_millis(250);
/// A watch that ends sooner is not opened again at once, time after time.
const HASTY: Duration = Duration::from_secs(1);

/// What an open answer tells.
enum Phase {
    /// Everything as it is. Held until its end: the permit, if we got one in time.
    Listing { _permit: Option<OwnedSemaphorePermit> },
    /// What changes.
    Watching,
}

impl Phase {
    fn is_list(&self) -> bool {
        matches!(self, Self::Listing { .. })
    }
}

/// The feed of one kind in one place.
pub(super) struct Feed {
    shared: Arc<Shared>,
    source: Source,
    id: FeedId,
    /// Whether the server streams lists of this kind; believed until it refuses.
    streams: bool,
    /// The current round of listing.
    round: u32,
    voice: Voice,
    /// Where the watch can go on; nothing where we have to list.
    version: Option<String>,
    /// Failures in a row.
    failures: u32,
}

impl Feed {
    pub(super) fn new(shared: Arc<Shared>, source: Source, id: FeedId) -> Self {
        let voice = if shared.look(|index| index.has_none(&id.kind)) { Voice::Quiet } else { Voice::Loud };
        Self { shared, source, id, streams: true, round: 0, voice, version: None, failures: 0 }
    }

    /// Runs until dropped.
    pub(super) async fn run(mut self) {
        let mut hasty = 0u32;
        loop {
            self.shared.breaker.passable().await;
            let began = Instant::now();
            let result = match self.version.clone() {
                Some(version) => self.watch(&version).await,
                None => self.list().await,
            };
            match result {
                Ok(()) => {
                    hasty = if began.elapsed() < HASTY { hasty + 1 } else { 0 };
                    if hasty > 3 && self.version.is_none() {
                        let what = self.source.in_words("list");
                        let message = "it expires before it is read, time after time".into();
                        self.shared.set_stale(&self.id, Error::Broken { what, message });
                    }
                    if hasty > 1 {
                        sleep(backoff::pause(hasty - 2, None, self.shared.settings.longest_pause)).await;
                    }
                }
                Err(error) => {
                    self.shared.breaker.failed(&error);
                    let pause = self.fault(error).await;
                    sleep(pause).await;
                }
            }
        }
    }

    /// Lists and then watches.
    async fn list(&mut self) -> Result<(), Error> {
        // The semaphore is never closed. A kind that hangs does not keep others from being listed.
        let turn = timeout(TURN, Arc::clone(&self.shared.lists).acquire_owned()).await;
        let permit = turn.ok().and_then(Result::ok);
        self.round = self.shared.change(Index::begin);
        if self.streams {
            match self.source.stream().await {
                Ok(lines) => return self.follow(lines, Phase::Listing { _permit: permit }).await,
                Err(error) if matches!(error.code(), 400 | 422) => {
                    tracing::debug!(%error, "no streamed lists here");
                    self.streams = false;
                }
                Err(error) => return Err(error),
            }
        }
        let mut token = String::new();
        loop {
            let page = match self.source.page(self.shared.settings.page, &token).await {
                // The rest of the list is too old by now. Nothing has been removed yet: begin again.
                Err(error) if error.is_gone() => return Ok(()),
                page => page?,
            };
            let what = self.source.in_words("list");
            let reader = Reader { kind: &self.id.kind, settings: &self.shared.settings, what: &what };
            let items: Result<Vec<Item>, Error> =
                page.objects.iter().map(|object| reader.object(object)).collect();
            self.shared.take_in(&self.id.kind, self.round, items?, self.voice);
            token = page.token;
            if token.is_empty() {
                self.version = Some(page.version);
                break;
            }
        }
        drop(permit);
        self.listed();
        Ok(())
    }

    /// Watches from a version.
    async fn watch(&mut self, from: &str) -> Result<(), Error> {
        match self.source.watch(from).await {
            Ok(lines) => self.follow(lines, Phase::Watching).await,
            Err(error) if error.is_gone() => {
                self.version = None;
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Takes in what an open answer says until it ends. Where it begins with a list, the end of that is marked.
    async fn follow(&mut self, mut lines: Lines, mut phase: Phase) -> Result<(), Error> {
        self.shared.breaker.answered();
        let mut settled = phase.is_list() || self.is_live();
        loop {
            let patience = match (&phase, settled) {
                (Phase::Listing { .. }, _) => SILENT_LIST,
                (Phase::Watching, true) => self.shared.settings.idle,
                (Phase::Watching, false) => SETTLE,
            };
            let batch = match timeout(patience, lines.next()).await {
                Ok(Some(batch)) => batch,
                Ok(None) if phase.is_list() => {
                    let what = self.source.in_words("stream");
                    return Err(Error::Broken { what, message: "the list ended early".into() });
                }
                Ok(None) => return Ok(()),
                Err(_) if !settled => {
                    settled = true;
                    self.live();
                    continue;
                }
                Err(_) => {
                    // A list that stays silent is no list: ask for pages. A silent watch is opened anew.
                    self.streams &= !phase.is_list();
                    return Ok(());
                }
            };
            let going_on = self.take_in(&batch, &mut phase)?;
            if !going_on {
                return Ok(());
            }
            if !settled {
                settled = true;
                self.live();
            }
        }
    }

    /// Takes in lines; false when the version has become too old.
    fn take_in(&mut self, batch: &[u8], phase: &mut Phase) -> Result<bool, Error> {
        let what = self.source.in_words("watch");
        let mut items = Vec::new();
        let mut end = Ok(true);
        for line in batch.split_inclusive(|byte| *byte == b'\n') {
            let reader = Reader { kind: &self.id.kind, settings: &self.shared.settings, what: &what };
            let (item, version) = match reader.line(line) {
                Ok(read) => read,
                Err(error) => (Item::Failed(error), String::new()),
            };
            if !phase.is_list() && !version.is_empty() {
                self.version = Some(version.clone());
            }
            match item {
                Item::Seen(..) | Item::Gone { .. } => items.push(item),
                Item::Bookmark { all_told: true } if phase.is_list() => {
                    self.shared.take_in(&self.id.kind, self.round, std::mem::take(&mut items), self.voice);
                    self.version = Some(version);
                    *phase = Phase::Watching;
                    self.listed();
                }
                Item::Bookmark { .. } => {}
                Item::Expired => end = Ok(false),
                Item::Failed(error) => end = Err(error),
            }
            if !matches!(end, Ok(true)) {
                self.version = None;
                break;
            }
        }
        self.shared.take_in(&self.id.kind, self.round, items, self.voice);
        self.reached();
        end
    }

    /// The list is complete.
    fn listed(&mut self) {
        self.shared.finish(&self.id, self.round, self.voice);
        self.reached();
        self.voice = Voice::Loud;
        self.live();
    }

    fn reached(&self) {
        if let Some(version) = &self.version {
            self.shared.reach.note(&self.id, version);
        }
    }

    fn live(&mut self) {
        self.failures = 0;
        self.shared.breaker.answered();
        if !self.is_live() {
            self.shared.set(&self.id, KindState::Live);
        }
    }

    fn is_live(&self) -> bool {
        self.shared.states.borrow().get(&self.id).is_some_and(KindState::is_live)
    }

    /// Says what a failure makes of the kind, and how long to wait.
    async fn fault(&mut self, error: Error) -> Duration {
        let settings = &self.shared.settings;
        let asked = error.status().and_then(|status| status.retry_after);
        let pause = backoff::pause(self.failures, asked, settings.longest_pause);
        self.failures += 1;
        tracing::debug!(kind = %self.id.kind, %error, pause_ms = pause.as_millis(), "a kind cannot be read");
        if error.is_forbidden() && self.is_not_ours().await {
            self.version = None;
            self.shared.purge(&self.id, Voice::Quiet);
            self.voice = Voice::Quiet;
            self.shared.set(&self.id, KindState::Forbidden { error: Arc::new(error) });
            return self.shared.settings.forbidden_pause;
        }
        if error.is_not_found() {
            // Perhaps it is no longer served. If so, we are stopped when the server says it in so many words: an
            // answer from something in between must not make objects vanish.
            self.shared.ask.notify_one();
        }
        self.shared.set_stale(&self.id, error);
        pause
    }

    /// Whether a 403 means that the kind is not ours to see.
    async fn is_not_ours(&self) -> bool {
        match self.shared.settings.rbac {
            // We look at definitions for ourselves; nobody asked for them.
            Rbac::Off => definition::defines(&self.id.kind),
            Rbac::Normal => true,
            Rbac::Strict => matches!(self.source.may_list().await, Ok(false)),
        }
    }
}
