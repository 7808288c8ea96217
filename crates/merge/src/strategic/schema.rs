//! Which lists merge, and by which keys.
//!
//! The built-in facts are those of kustomize's fixed schema, Kubernetes 1.21.2: `facts.txt`, which
//! `towpath-conformance merge-facts` writes (`tools/kyamloracle/facts.go` tells the format). A custom schema
//! takes their place, or stands beside them: then its types have numbers of their own, and those of built-in
//! types have [`BUILT_IN_BIT`] set.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

use super::{Error, custom};

/// A type of the schema by number.
pub(super) type TypeId = u32;

/// Whether the objects of a kind are in namespaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// They are.
    Namespaced,
    /// They belong to the cluster.
    Cluster,
}

/// Whether the built-in schema is there beside a custom one, and who has the first word where both define the
/// same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltIn {
    /// It is not there.
    Absent,
    /// It is asked first.
    InFront,
    /// It is asked last.
    Behind,
}

/// Marks the number of a built-in type in a custom schema.
const BUILT_IN_BIT: TypeId = 1 << 31;

/// What is known of the fields of resources.
pub struct Schema {
    /// Filled when they are first asked for.
    types: Vec<OnceLock<Type>>,
    /// What the types are made from, where they are built in.
    lines: Vec<&'static str>,
    resources: HashMap<Cow<'static, str>, Resource>,
    built_in: BuiltIn,
    /// The custom types that stand for built-in ones.
    instead: HashMap<TypeId, TypeId>,
}

#[derive(Clone, Copy)]
pub(super) struct Resource {
    /// None where only the scope is known.
    pub root: Option<TypeId>,
    pub scope: Option<Scope>,
}

/// A type: an object, or a list.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Type {
    /// Sorted by name; `*` is any other.
    pub fields: Vec<(Cow<'static, str>, TypeId)>,
    pub items: Option<TypeId>,
    /// The list merges.
    pub merges: bool,
    /// By these keys; by none where its items are scalars.
    pub keys: Vec<Cow<'static, str>>,
}

const FACTS: &str = include_str!("facts.txt");

/// The built-in definitions by name.
static DEFINITIONS: LazyLock<HashMap<&'static str, TypeId>> = LazyLock::new(|| {
    let lines = FACTS.rsplit("\n\n").next().unwrap_or_default().lines();
    let parse = |line: &'static str| {
        let (name, id) = line.split_once(' ')?;
        Some((name, id.parse().ok()?))
    };
    lines.filter_map(parse).collect()
});

/// The number of a built-in definition in a custom schema.
pub(super) fn built_in_definition(name: &str) -> Option<TypeId> {
    DEFINITIONS.get(name).map(|id| id | BUILT_IN_BIT)
}

static BUILT_IN: LazyLock<Schema> = LazyLock::new(|| {
    let mut parts = FACTS.split("\n\n");
    let resources = parts.next().unwrap_or_default();
    let lines: Vec<_> = parts.next().unwrap_or_default().lines().collect();
    Schema {
        built_in: BuiltIn::Absent,
        instead: HashMap::new(),
        types: lines.iter().map(|_| OnceLock::new()).collect(),
        lines,
        resources: resources.lines().filter_map(resource).collect(),
    }
});

impl Schema {
    /// The schema of Kubernetes 1.21.2.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// The schema of an OpenAPI document, in JSON or YAML: what it defines is known, and what is built in if
    /// that stands beside it.
    pub fn custom(document: &[u8], built_in: BuiltIn) -> Result<Self, Error> {
        let read = custom::read(document, built_in)?;
        let instead = match built_in {
            BuiltIn::Behind => read
                .names
                .into_iter()
                .filter_map(|(name, id)| Some((built_in_definition(&name)?, id)))
                .collect(),
            BuiltIn::Absent | BuiltIn::InFront => HashMap::new(),
        };
        Ok(Self {
            types: read.types.into_iter().map(OnceLock::from).collect(),
            lines: Vec::new(),
            resources: read.resources,
            built_in,
            instead,
        })
    }

    /// Whether it tells the scope of any kind itself.
    #[must_use]
    pub fn has_scopes(&self) -> bool {
        self.resources.values().any(|resource| resource.scope.is_some())
    }

    /// Whether the objects of a kind are in namespaces, if that is known. What is built in has the first word.
    #[must_use]
    pub fn scope(&self, api_version: &str, kind: &str) -> Option<Scope> {
        let id = format!("{api_version}/{kind}");
        let of = |schema: &Self| schema.resources.get(id.as_str()).and_then(|resource| resource.scope);
        of(Self::built_in()).or_else(|| of(self))
    }

    pub(super) fn resource(&self, api_version: &str, kind: &str) -> Option<TypeId> {
        let id = format!("{api_version}/{kind}");
        let of = |schema: &Self| schema.resources.get(id.as_str())?.root;
        let built_in = || of(Self::built_in()).map(|id| self.current(id | BUILT_IN_BIT));
        match self.built_in {
            BuiltIn::Absent => of(self),
            BuiltIn::InFront => built_in().or_else(|| of(self)),
            BuiltIn::Behind => of(self).or_else(built_in),
        }
    }

    /// The custom type that stands for a built-in one, if there is one.
    fn current(&self, id: TypeId) -> TypeId {
        self.instead.get(&id).copied().unwrap_or(id)
    }

    /// The number of a type that another one refers to.
    fn inside(&self, outer: TypeId, inner: TypeId) -> TypeId {
        self.current(inner | outer & BUILT_IN_BIT)
    }

    fn get(&self, id: TypeId) -> Option<&Type> {
        if id & BUILT_IN_BIT != 0 {
            return Self::built_in().get(id & !BUILT_IN_BIT);
        }
        let cell = self.types.get(id as usize)?;
        Some(cell.get_or_init(|| self.lines.get(id as usize).map(|line| parse(line)).unwrap_or_default()))
    }

    /// The type of a field.
    pub(super) fn field(&self, id: TypeId, name: &str) -> Option<TypeId> {
        let fields = &self.get(id)?.fields;
        let find = |name: &str| fields.binary_search_by(|(field, _)| (**field).cmp(name)).ok();
        let (_, inner) = fields.get(find(name).or_else(|| find("*"))?)?;
        Some(self.inside(id, *inner))
    }

    /// The type of the items of a list.
    pub(super) fn items(&self, id: TypeId) -> Option<TypeId> {
        self.get(id)?.items.map(|inner| self.inside(id, inner))
    }

    /// Whether it is a list whose items are merged.
    pub(super) fn merges(&self, id: TypeId) -> bool {
        self.get(id).is_some_and(|known| known.merges)
    }

    /// The keys of the items of a list.
    pub(super) fn keys(&self, id: TypeId) -> Vec<&str> {
        self.get(id).map(|known| known.keys.iter().map(|key| &**key).collect()).unwrap_or_default()
    }
}

/// `apiVersion/Kind type scope`
fn resource(line: &'static str) -> Option<(Cow<'static, str>, Resource)> {
    let mut words = line.split(' ');
    let id = Cow::Borrowed(words.next()?);
    let root = words.next()?.parse().ok();
    let scope = match words.next()? {
        "n" => Some(Scope::Namespaced),
        "c" => Some(Scope::Cluster),
        _ => None,
    };
    Some((id, Resource { root, scope }))
}

/// `o field=type …` or `a type strategy keys`
fn parse(line: &'static str) -> Type {
    let mut words = line.split(' ');
    if words.next() == Some("a") {
        let items = words.next().and_then(|id| id.parse().ok());
        let strategy = words.next().unwrap_or_default();
        let keys = words.next().filter(|keys| *keys != "-").unwrap_or_default();
        return Type {
            items,
            merges: strategy.split(',').any(|strategy| strategy == "merge"),
            keys: keys.split(',').filter(|key| !key.is_empty()).map(Cow::Borrowed).collect(),
            ..Type::default()
        };
    }
    let mut fields: Vec<_> = words
        .filter_map(|word| word.split_once('='))
        .filter_map(|(name, id)| Some((Cow::Borrowed(name), id.parse().ok()?)))
        .collect();
    fields.sort();
    Type { fields, ..Type::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_facts() {
        let schema = Schema::built_in();
        let at = |kind: (&str, &str), path: &[&str]| {
            path.iter().try_fold(schema.resource(kind.0, kind.1)?, |id, step| match *step {
                "[]" => schema.items(id),
                field => schema.field(id, field),
            })
        };
        let deployment = ("apps/v1", "Deployment");
        let containers = at(deployment, &["spec", "template", "spec", "containers"]).unwrap();
        assert!(schema.merges(containers));
        assert_eq!(schema.keys(containers), ["name"]);
        let ports = at(deployment, &["spec", "template", "spec", "containers", "[]", "ports"]).unwrap();
        assert_eq!(schema.keys(ports), ["containerPort", "protocol"]);
        let command = at(deployment, &["spec", "template", "spec", "containers", "[]", "command"]).unwrap();
        assert!(!schema.merges(command));
        let finalizers = at(("v1", "Pod"), &["metadata", "finalizers"]).unwrap();
        assert!(schema.merges(finalizers) && schema.keys(finalizers).is_empty());
        assert_eq!(at(("autoscaling/v2", "HorizontalPodAutoscaler"), &[]), None);
        assert_eq!(schema.scope("v1", "Node"), Some(Scope::Cluster));
        assert_eq!(schema.scope("apps/v1", "Deployment"), Some(Scope::Namespaced));
        assert_eq!(schema.scope("example.com/v1", "Shop"), None);
    }
}
