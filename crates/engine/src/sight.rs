//! What a single run sees of its objects: what it read at first, what the server answered since, and what watches tell
//! where something is waited for. A kind is watched from the first time that one of its objects is waited for.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures::stream::{BoxStream, SelectAll, unfold};
use futures::{FutureExt as _, StreamExt as _};
use serde_json::Value;
use tokio::time::sleep;
use towpath_clock::{Clock as _, SystemClock};
use towpath_cluster::{Cluster, Follow, Seen as Told, Selection};
use towpath_health::{Judge, Rules};
use towpath_object::{Key, Object, Resource};
use towpath_plan::sync::{Observation, Schedule, Seen, Verdict};

use crate::observe::observe;

/// How often objects are read that may not be watched.
const POLL: Duration = Duration::from_secs(1);

/// Objects as they are seen.
pub(crate) type News = Vec<(Key, State)>;

/// An object as it is seen.
#[derive(Clone, Debug)]
pub(crate) enum State {
    /// It is there.
    There(Object),
    /// It was deleted; as it was last.
    Deleted(Object),
    /// It is not among those that are there.
    Absent,
}

impl State {
    /// The object, if it is there.
    pub(crate) fn object(&self) -> Option<&Object> {
        match self {
            Self::There(object) => Some(object),
            Self::Deleted(_) | Self::Absent => None,
        }
    }
}

/// What is known of an object that is there.
enum Known<'a> {
    /// All of it.
    Object(Cow<'a, Object>),
    /// That it is as it should be. Of most objects of a run no more is wanted, and there are many.
    Ready(Observation),
}

impl Known<'_> {
    fn uid(&self) -> &str {
        match self {
            Self::Object(object) => object.uid(),
            Self::Ready(seen) => &seen.uid,
        }
    }

    fn version(&self) -> &str {
        match self {
            Self::Object(object) => object.resource_version(),
            Self::Ready(seen) => &seen.resource_version,
        }
    }
}

/// A kind in a namespace.
type Place = (Resource, String);

/// What a run sees.
pub(crate) struct Sight<'a> {
    cluster: Cluster,
    /// The label selector that all objects of the run answer to.
    selector: String,
    judge: Judge,
    clock: SystemClock,
    places: BTreeMap<Key, Place>,
    watched: BTreeSet<Place>,
    news: SelectAll<BoxStream<'static, News>>,
    objects: BTreeMap<Key, Known<'a>>,
    gone: BTreeSet<Key>,
}

impl<'a> Sight<'a> {
    /// What is seen at first is what was live when the schedule was made.
    pub(crate) fn new(cluster: &Cluster, selector: String, judge: Judge, schedule: &'a Schedule) -> Self {
        let tasks = schedule.tasks.iter();
        let live = tasks.clone().filter_map(|task| {
            let live = task.live.as_ref()?;
            Some((task.id.key.clone(), Known::Object(Cow::Borrowed(live))))
        });
        let places = tasks.filter_map(|task| {
            let key = &task.id.key;
            Some((key.clone(), (task.resource.clone()?, key.namespace.clone())))
        });
        Self {
            cluster: cluster.clone(),
            selector,
            judge,
            clock: SystemClock::default(),
            places: places.collect(),
            watched: BTreeSet::new(),
            news: SelectAll::new(),
            objects: live.collect(),
            gone: BTreeSet::new(),
        }
    }

    /// By whose rules health is judged.
    pub(crate) fn rules(&self) -> Rules {
        self.judge.rules()
    }

    /// In the words of the schedule.
    pub(crate) fn see(&self, key: &Key) -> Seen {
        match self.objects.get(key) {
            Some(Known::Object(object)) => Seen::There(observe(&self.judge, object, self.clock.now())),
            Some(Known::Ready(seen)) => Seen::There(seen.clone()),
            None if self.gone.contains(key) => Seen::Gone,
            None => Seen::Unseen,
        }
    }

    /// The uid of the object, if it is there.
    pub(crate) fn uid(&self, key: &Key) -> Option<&str> {
        self.objects.get(key).map(Known::uid)
    }

    /// True when it is there and as it should be.
    pub(crate) fn is_ready(&self, key: &Key) -> bool {
        matches!(self.objects.get(key), Some(Known::Ready(_)))
    }

    /// The object as it was last seen, where it is not known to be as it should be.
    pub(crate) fn object(&self, key: &Key) -> Option<&Object> {
        match self.objects.get(key)? {
            Known::Object(object) => Some(object),
            Known::Ready(_) => None,
        }
    }

    /// The server has answered with this. Who manages which field is the larger half of it, and nobody asks.
    pub(crate) fn take_value(&mut self, returned: Option<Value>) {
        let Some(mut value) = returned else { return };
        if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
            metadata.remove("managedFields");
        }
        if let Ok(object) = Object::new(value) {
            self.take(object);
        }
    }

    fn take(&mut self, object: Object) {
        let key = object.key();
        self.gone.remove(&key);
        let seen = observe(&self.judge, &object, self.clock.now());
        let settled = matches!(seen.verdict, Verdict::Ready | Verdict::None) && !seen.terminating;
        let known = if settled { Known::Ready(seen) } else { Known::Object(Cow::Owned(object)) };
        self.objects.insert(key, known);
    }

    /// The server has said that there is no such object.
    pub(crate) fn lose(&mut self, key: &Key) {
        self.objects.remove(key);
        self.gone.insert(key.clone());
    }

    /// Waits for news of these objects' kinds. Never ends if there are none.
    pub(crate) async fn change<'k>(&mut self, keys: impl Iterator<Item = &'k Key>) {
        let places: BTreeSet<Place> = keys.filter_map(|key| self.places.get(key).cloned()).collect();
        for place in places {
            if self.watched.insert(place.clone()) {
                let keys = self.places.iter().filter(|(_, known)| **known == place);
                let keys = keys.map(|(key, _)| key.clone()).collect();
                let (resource, namespace) = place;
                self.news.push(watch(&self.cluster, &self.selector, resource, &namespace, keys));
            }
        }
        match self.news.next().await {
            Some(news) => {
                for (key, state) in news {
                    self.hear(&key, state);
                }
            }
            None => std::future::pending().await,
        }
    }

    /// Watches may be behind what the server has answered since.
    fn hear(&mut self, key: &Key, state: State) {
        let known = self.objects.get(key);
        match state {
            State::There(object)
                if known.is_none_or(|known| !is_older(object.resource_version(), known.version())) =>
            {
                self.take(object);
            }
            State::Deleted(object) if known.is_some_and(|known| known.uid() == object.uid()) => {
                self.lose(key);
            }
            // Whether it is gone the server is asked.
            State::Absent => {
                self.objects.remove(key);
            }
            State::There(_) | State::Deleted(_) => {}
        }
    }
}

/// Versions are numbers that grow.
/// <https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions>
fn is_older(one: &str, other: &str) -> bool {
    matches!((one.parse::<u64>(), other.parse::<u64>()), (Ok(one), Ok(other)) if one < other)
}

/// One kind in one namespace: watched, or read again and again where watching is forbidden.
pub(crate) fn watch(
    cluster: &Cluster,
    selector: &str,
    resource: Resource,
    namespace: &str,
    keys: Vec<Key>,
) -> BoxStream<'static, News> {
    let follow = cluster.follow(&resource, Selection::in_namespace(namespace).labelled(selector));
    let state = (cluster.clone(), resource, keys, Some(follow));
    unfold(state, |(cluster, resource, keys, mut follow)| {
        async move {
            let news = loop {
                match next(&mut follow).await {
                    Some(Told::Reset(objects)) => break reset(&keys, objects),
                    Some(Told::Applied(object)) => break news(object, State::There),
                    Some(Told::Deleted(object)) => break news(object, State::Deleted),
                    Some(Told::Failed(error)) => {
                        tracing::debug!(%error, "cannot be watched; read it again and again");
                        follow = None;
                    }
                    None => {
                        sleep(POLL).await;
                        break poll(&cluster, &resource, &keys).await;
                    }
                }
            };
            Some((news, (cluster, resource, keys, follow)))
        }
        .boxed()
    })
    .boxed()
}

async fn next(follow: &mut Option<Follow>) -> Option<Told> {
    follow.as_mut()?.next().await
}

fn news(value: Value, state: impl Fn(Object) -> State) -> News {
    Object::new(value).map(|object| (object.key(), state(object))).into_iter().collect()
}

fn reset(keys: &[Key], values: Vec<Value>) -> News {
    let mut found: BTreeMap<Key, Object> = BTreeMap::new();
    for object in values.into_iter().filter_map(|value| Object::new(value).ok()) {
        found.insert(object.key(), object);
    }
    keys.iter().map(|key| (key.clone(), found.remove(key).map_or(State::Absent, State::There))).collect()
}

async fn poll(cluster: &Cluster, resource: &Resource, keys: &[Key]) -> News {
    let mut news = Vec::new();
    for key in keys {
        if let Ok(value) = cluster.get(resource, &key.namespace, &key.name).await {
            let object = value.and_then(|value| Object::new(value).ok());
            news.push((key.clone(), object.map_or(State::Absent, State::There)));
        }
    }
    news
}
