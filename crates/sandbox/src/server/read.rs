//! Reading: one object, a list in pages, a watch that begins.

use std::sync::Arc;

use super::{List, Reply, Server, Watch, bytes};
use crate::kinds::Kind;
use crate::refusal::Refusal;
use crate::request::{Address, Request};
use crate::select::Selector;
use crate::store::{Listed, key};

const OLD_PAGE: &str = "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.";

impl Server {
    pub(super) fn get(&self, request: &Request, kind: &Kind, address: &Address) -> Result<Reply, Refusal> {
        let record = self.store.get(kind.table, &key(&address.namespace, &address.name));
        let record = record.ok_or_else(|| Refusal::not_found(kind, &address.name))?;
        Ok(Reply::Bytes(200, bytes(kind, record, request.shown())))
    }

    pub(super) fn list(
        &self,
        request: &Request,
        kind: &Arc<Kind>,
        address: &Address,
    ) -> Result<Reply, Refusal> {
        let selector = selector(request, kind)?;
        let limit = request.parameter("limit").parse().ok().filter(|limit| *limit > 0);
        let (mut version, mut after) = (None, String::new());
        if request.has("continue") && !request.parameter("continue").is_empty() {
            let token = Token::parse(request.parameter("continue"))?;
            (version, after) = (Some(token.version), token.after);
        } else if request.parameter("resourceVersionMatch") == "Exact" {
            version = Some(number(request.parameter("resourceVersion"))?);
        }
        if let Some(version) = version.filter(|version| *version > self.store.version()) {
            return Err(Refusal::expired(format!("Too large resource version: {version}")));
        }
        let prefix = prefix(address);
        let table = self.store.table(kind.table);
        let want = limit.unwrap_or(usize::MAX);
        let listed = table.list(version, &prefix, &after, want, |key, record| selector.takes(key, record));
        let Listed { found, rest } = listed.map_err(|_| Refusal::expired(OLD_PAGE))?;
        let at = version.unwrap_or_else(|| self.store.version());
        let (mut token, mut remaining) = (String::new(), None);
        if let (true, Some((last, _))) = (rest > 0, found.last()) {
            token = Token { version: at, after: last.to_string() }.write();
            remaining = selector.is_all().then_some(rest);
        }
        let records = found.into_iter().map(|(_, record)| record).collect();
        Ok(Reply::List(List {
            kind: kind.clone(),
            shown: request.shown(),
            version: at,
            token,
            remaining,
            records,
        }))
    }

    pub(super) fn watch(
        &self,
        request: &Request,
        kind: &Arc<Kind>,
        address: &Address,
    ) -> Result<Reply, Refusal> {
        let selector = selector(request, kind)?;
        let prefix = prefix(address);
        let table = self.store.table(kind.table);
        let (streamed, given) = (request.says("sendInitialEvents"), request.parameter("resourceVersion"));
        let from = match given {
            "" | "0" => None,
            text => Some(number(text)?),
        };
        if streamed && request.parameter("resourceVersionMatch") != "NotOlderThan" {
            return Err(Refusal::bad_request("sendInitialEvents requires resourceVersionMatch=NotOlderThan"));
        }
        let fresh = streamed || (from.is_none() && !request.has("sendInitialEvents"));
        let mut initial = Vec::new();
        if fresh {
            let all = table.list(None, &prefix, "", usize::MAX, |key, record| selector.takes(key, record));
            initial = all.unwrap_or_default().found.into_iter().map(|(_, record)| record).collect();
        }
        let from = if fresh { self.store.version() } else { from.unwrap_or_else(|| self.store.version()) };
        Ok(Reply::Watch(Box::new(Watch {
            kind: kind.clone(),
            shown: request.shown(),
            selector,
            prefix,
            from,
            initial,
            mark: streamed && request.says("allowWatchBookmarks"),
            bookmarks: request.says("allowWatchBookmarks"),
            seconds: request.parameter("timeoutSeconds").parse().ok(),
        })))
    }
}

fn selector(request: &Request, kind: &Kind) -> Result<Selector, Refusal> {
    Selector::parse(kind, request.parameter("labelSelector"), request.parameter("fieldSelector"))
}

/// The keys of a namespace begin with its name; those of all begin with anything.
pub(super) fn prefix(address: &Address) -> String {
    if address.namespace.is_empty() { String::new() } else { format!("{}/", address.namespace) }
}

fn number(text: &str) -> Result<u64, Refusal> {
    text.parse().map_err(|_| {
        let why = format!("strconv.ParseUint: parsing {text:?}: invalid syntax");
        Refusal::internal(format!("resourceVersion: Invalid value: {text:?}: {why}"))
    })
}

/// Where a list goes on: its version and the last key.
struct Token {
    version: u64,
    after: String,
}

impl Token {
    fn write(&self) -> String {
        let text = format!("{} {}", self.version, self.after);
        text.bytes().map(|byte| format!("{byte:02x}")).collect()
    }

    fn parse(text: &str) -> Result<Self, Refusal> {
        let digits = |place: usize| u8::from_str_radix(text.get(place..place + 2)?, 16).ok();
        let bytes: Option<Vec<u8>> = (0..text.len()).step_by(2).map(digits).collect();
        let token = bytes.and_then(|bytes| {
            let text = String::from_utf8(bytes).ok()?;
            let (version, after) = text.split_once(' ')?;
            Some(Self { version: version.parse().ok()?, after: after.into() })
        });
        token.ok_or_else(|| Refusal::bad_request("continue key is not valid: illegal base64 data"))
    }
}
