//! The server without its network: a request in, a reply out, at a time that is given.
//!
//! In: [`Request`]s and the time. Out: [`Reply`]s, and what the store remembers. Nothing here waits: a watch is a reply
//! that says from where and of what, and the shell goes on reading the store.
//!
//! ```text
//! Request ─► address ─► kind ─► read | watch | create | update | patch | apply | delete ─► store ─► settle
//! ```
//! `settle` is what controllers of a cluster would do soon after: collect garbage, empty namespaces, serve definitions.

mod define;
mod delete;
mod known;
mod metadata;
mod patch;
mod read;
mod settle;
mod write;

use std::collections::VecDeque;
use std::sync::Arc;

use http::Method;
use jiff::Timestamp;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::kinds::{Form, Kind, Kinds};
use crate::refusal::Refusal;
use crate::request::{Address, Request, Shown};
use crate::select::Selector;
use crate::store::{Record, Store};
use settle::Due;

/// A server.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) kinds: Kinds,
    pub(crate) store: Store,
    /// What controllers would do is done.
    controllers: bool,
    /// Makes uids of one server differ from another's.
    seed: String,
    uids: u64,
    due: VecDeque<Due>,
}

/// An answer.
pub(crate) enum Reply {
    /// A document.
    Json(u16, Value),
    /// An object, or a whole list, as bytes.
    Bytes(u16, Vec<u8>),
    Text(u16, &'static str),
    List(List),
    Watch(Box<Watch>),
}

/// A list that is still to be written out.
pub(crate) struct List {
    pub(crate) kind: Arc<Kind>,
    pub(crate) shown: Shown,
    pub(crate) version: u64,
    /// For the next page.
    pub(crate) token: String,
    pub(crate) remaining: Option<usize>,
    pub(crate) records: Vec<Arc<Record>>,
}

/// A watch that begins.
pub(crate) struct Watch {
    pub(crate) kind: Arc<Kind>,
    pub(crate) shown: Shown,
    pub(crate) selector: Selector,
    /// The keys of its objects begin so.
    pub(crate) prefix: String,
    /// Everything up to this version has been told, or is among the first.
    pub(crate) from: u64,
    /// What is there, where the client asks for it.
    pub(crate) initial: Vec<Arc<Record>>,
    /// The end of what is there has to be marked.
    pub(crate) mark: bool,
    pub(crate) bookmarks: bool,
    pub(crate) seconds: Option<u64>,
}

impl Server {
    pub(crate) fn new(seed: &str, memory: usize, controllers: bool, now: Timestamp) -> Self {
        let mut server = Self {
            kinds: Kinds::built_in(),
            store: Store::new(memory),
            controllers,
            seed: seed.into(),
            uids: 0,
            due: VecDeque::new(),
        };
        for name in ["default", "kube-system", "kube-public", "kube-node-lease"] {
            server.add_namespace(name, now);
        }
        server
    }

    /// Answers a request.
    pub(crate) fn answer(&mut self, request: &Request, now: Timestamp) -> Reply {
        self.respond(request, now).unwrap_or_else(|refusal| Reply::Json(refusal.code, refusal.body()))
    }

    fn respond(&mut self, request: &Request, now: Timestamp) -> Result<Reply, Refusal> {
        match request.path.as_str() {
            "/healthz" | "/livez" | "/readyz" => return Ok(Reply::Text(200, "ok")),
            "/version" => return Ok(Reply::Json(200, Kinds::version())),
            _ => {}
        }
        let form = if request.takes_aggregated() { Form::Aggregated } else { Form::Plain };
        if request.method == Method::GET
            && let Some(document) = self.kinds.document(&request.path, form)
        {
            return Ok(Reply::Json(200, document));
        }
        let Some(address) = request.address() else { return Ok(Reply::Text(404, "404 page not found\n")) };
        if !self.kinds.serves(&address.group, &address.version) {
            return Ok(Reply::Text(404, "404 page not found\n"));
        }
        let kind = self.kinds.find(&address.group, &address.version, &address.plural);
        let kind = kind.cloned().ok_or_else(Refusal::no_resource)?;
        let part = address.subresource.as_str();
        if !(part.is_empty() || (part == "status" && kind.status)) {
            return Err(Refusal::no_resource());
        }
        self.store.reserve(self.kinds.tables());
        let reply = self.act(request, &kind, &address, now)?;
        self.settle(now);
        Ok(reply)
    }

    fn act(
        &mut self,
        request: &Request,
        kind: &Arc<Kind>,
        address: &Address,
        now: Timestamp,
    ) -> Result<Reply, Refusal> {
        let named = !address.name.is_empty();
        let allowed = |verb: &str| kind.verbs.iter().any(|known| known == verb);
        match (&request.method, named) {
            (&Method::GET, true) if allowed("get") => self.get(request, kind, address),
            (&Method::GET, false) if request.says("watch") && allowed("watch") => {
                self.watch(request, kind, address)
            }
            (&Method::GET, false) if allowed("list") => self.list(request, kind, address),
            (&Method::POST, false) if allowed("create") => self.create(request, kind, address, now),
            (&Method::PUT, true) if allowed("update") => self.replace(request, kind, address, now),
            (&Method::PATCH, true) if allowed("patch") => self.patch(request, kind, address, now),
            (&Method::DELETE, true) if allowed("delete") => self.delete(request, kind, address, now),
            (&Method::DELETE, false) if allowed("deletecollection") => {
                self.delete_all(request, kind, address, now)
            }
            _ => Err(Refusal::no_method()),
        }
    }

    /// A name that no other object has.
    fn uid(&mut self) -> String {
        self.uids += 1;
        let digest = Sha256::digest(format!("{}/{}", self.seed, self.uids));
        let digits: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
        format!("{}-{}-4{}-8{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
    }

    fn add_namespace(&mut self, name: &str, now: Timestamp) {
        let Some(kind) = self.kinds.find("", "v1", "namespaces").cloned() else { return };
        let object = json!({"metadata": {"name": name}});
        let writer = write::Write::by_us("kube-apiserver", now);
        // A name of ours, in an empty server.
        let _ = self.create_object(&kind, "", object, &writer);
    }
}

/// An object as it is sent: its type and what is stored of it.
pub(crate) fn render(kind: &Kind, record: &Record, shown: Shown, into: &mut Vec<u8>) {
    let rest = record.text.get(1..).unwrap_or_default();
    match shown {
        Shown::Whole => {
            type_of(&kind.gvk.api_version(), &kind.gvk.kind, into);
            into.extend_from_slice(rest);
        }
        Shown::Metadata => {
            type_of("meta.k8s.io/v1", "PartialObjectMetadata", into);
            let metadata = record.value().get_mut("metadata").map(Value::take).unwrap_or_default();
            into.extend_from_slice(format!("\"metadata\":{metadata}}}").as_bytes());
        }
    }
}

fn type_of(api_version: &str, kind: &str, into: &mut Vec<u8>) {
    into.extend_from_slice(format!("{{\"kind\":\"{kind}\",\"apiVersion\":\"{api_version}\",").as_bytes());
}

/// An object as bytes.
fn bytes(kind: &Kind, record: &Record, shown: Shown) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(record.text.len() + 64);
    render(kind, record, shown, &mut bytes);
    bytes
}
