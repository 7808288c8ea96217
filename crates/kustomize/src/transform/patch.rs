//! Patches.

use towpath_merge::json6902::Patch as JsonPatch;
use towpath_merge::strategic::{self, Order};
use towpath_yaml::Node;

use crate::budget::Budget;
use crate::error::{Error, Within};
use crate::files::Use;
use crate::loader::Loader;
use crate::resource::{Memory, Resource};
use crate::resources::Resources;
use crate::selector::Selector;
use crate::spec::{self, PatchArgs};
use crate::tree;

/// A patch, ready for use.
#[derive(Clone, Debug)]
pub struct Patch {
    content: Content,
    target: Option<spec::Selector>,
    options: PatchArgs,
    /// Where it came from, for messages.
    source: String,
    /// How many bytes it has.
    weight: usize,
}

#[derive(Clone, Debug)]
enum Content {
    Nothing,
    Merge(Vec<Resource>),
    Json(JsonPatch),
}

impl Patch {
    /// Reads a patch; it must be either a strategic merge patch or a JSON patch. `config` is shown in errors.
    pub fn new(loader: &Loader<'_>, args: &spec::Patch, config: impl Fn() -> String) -> Result<Self, Error> {
        let inline = args.inline.trim();
        let (text, source) = match (inline, args.path.as_str()) {
            ("", "") => {
                return Err(Error::invalid(format!("must specify one of patch and path in\n{}", config())));
            }
            (_, "") => (inline.as_bytes().to_vec(), format!("[patch: {inline:?}]")),
            ("", path) => {
                let text = loader
                    .input(path, Use::Patch)
                    .within(|| format!("failed to get the patch file from path({path})"))?;
                (text, format!("[path: {path:?}]"))
            }
            _ => {
                return Err(Error::invalid(format!(
                    "patch and path can't be set at the same time\n{}",
                    config()
                )));
            }
        };
        let content = match (loader.objects(&text), JsonPatch::read(&text)) {
            (Ok(merge), Ok(json)) if !merge.is_empty() && !json.is_empty() => {
                return Err(Error::invalid(format!(
                    "illegally qualifies as both an SM and JSON patch: {source}"
                )));
            }
            (Err(_), Err(_)) => {
                return Err(Error::invalid(format!("unable to parse SM or JSON patch from {source}")));
            }
            (Ok(merge), _) if merge.is_empty() => Content::Nothing,
            (Ok(merge), _) => Content::Merge(merge),
            (Err(_), Ok(json)) => Content::Json(json),
        };
        let options = args.options.clone().unwrap_or_default();
        let weight = text.len();
        let mut patch = Self { content, target: args.target.clone(), options, source, weight };
        patch.make_texts();
        Ok(patch)
    }

    /// Where upstream marks a patch it makes all its annotations texts.
    fn make_texts(&mut self) {
        if let Content::Merge(patches) = &mut self.content
            && (self.options.allow_name_change || self.options.allow_kind_change)
        {
            for patch in patches {
                texts(&mut patch.node, "annotations");
            }
        }
    }

    /// Applies the patch to what it is meant for.
    pub fn apply(&self, resources: &mut Resources, budget: &Budget) -> Result<(), Error> {
        match (&self.content, &self.target) {
            (Content::Nothing, _) => Ok(()),
            (Content::Merge(patches), None) => patches.iter().try_for_each(|patch| {
                let id = patch.original_id();
                let at = resources
                    .find_one(&id)
                    .within(|| format!("no resource matches strategic merge patch \"{id}\""))?;
                resources.change(at, |resource| merge(resource, &patch.node, &self.options)).unwrap_or(Ok(()))
            }),
            (Content::Merge(patches), Some(target)) => match patches.as_slice() {
                [patch] => {
                    let chosen = select(resources, target)
                        .within(|| "unable to find patch target in `resources`".to_owned())?;
                    budget.spend_copies(self.weight, chosen.len())?;
                    merge_into(resources, &chosen, patch, &self.options)
                }
                _ => Err(Error::invalid(format!(
                    "Multiple Strategic-Merge Patches in one `patches` entry is not allowed to set \
                     `patches.target` field: {}",
                    self.source
                ))),
            },
            (Content::Json(_), None) => {
                Err(Error::invalid(format!("must specify a target for JSON patch {}", self.source)))
            }
            (Content::Json(patch), Some(target)) => {
                let chosen = select(resources, target)?;
                budget.spend_copies(self.weight, chosen.len())?;
                chosen.into_iter().try_for_each(|at| {
                    let changed = |resource: &mut Resource| {
                        resource.remember_id();
                        change(resource, patch)
                    };
                    resources.change(at, changed).unwrap_or(Ok(()))
                })
            }
        }
    }
}

/// The strategic merge patches of `patchesStrategicMerge`.
#[derive(Clone, Debug)]
pub struct MergePatches {
    patches: Vec<Resource>,
}

impl MergePatches {
    /// Reads patches that are written inline or in files, and some that are only written inline.
    pub fn new(loader: &Loader<'_>, paths: &[String], inline: &str) -> Result<Self, Error> {
        if paths.is_empty() && inline.is_empty() {
            return Err(Error::invalid("empty file path and empty patch content"));
        }
        let mut patches = Vec::new();
        for path in paths {
            let more = match loader.objects(path.as_bytes()) {
                Ok(more) => more,
                Err(_) => {
                    loader.objects(&loader.input(path, Use::Patch)?).map_err(|error| in_file(error, path))?
                }
            };
            patches.extend(more);
        }
        if !inline.is_empty() {
            patches.extend(loader.objects(inline.as_bytes())?);
        }
        if patches.is_empty() {
            return Err(Error::invalid(format!(
                "patch appears to be empty; files=[{}], Patch={inline}",
                paths.join(" ")
            )));
        }
        Ok(Self { patches })
    }

    /// Applies each patch to the one object that it means.
    pub fn apply(&self, resources: &mut Resources) -> Result<(), Error> {
        for patch in &self.patches {
            let at = resources.find_one(&patch.original_id())?;
            merge_into(resources, &[at], patch, &PatchArgs::default())?;
        }
        Ok(())
    }
}

/// A JSON patch of `patchesJson6902`.
#[derive(Clone, Debug)]
pub struct LateJsonPatch {
    patch: JsonPatch,
    target: spec::Selector,
    weight: usize,
}

impl LateJsonPatch {
    /// Reads the patch.
    pub fn new(
        loader: &Loader<'_>,
        target: Option<&spec::Selector>,
        path: &str,
        inline: &str,
    ) -> Result<Self, Error> {
        let Some(target) = target.filter(|target| !target.id.name.is_empty()) else {
            return Err(Error::invalid("must specify the target name"));
        };
        let text = match (path, inline) {
            ("", "") => return Err(Error::invalid("empty file path and empty jsonOp")),
            ("", inline) => inline.as_bytes().to_vec(),
            (path, "") => {
                let text = loader.input(path, Use::Patch)?;
                if text.is_empty() {
                    return Err(Error::invalid(format!("patch file '{path}' empty seems to be empty")));
                }
                text
            }
            _ => return Err(Error::invalid("must specify a file path or jsonOp, not both")),
        };
        let read = JsonPatch::read(&text).map_err(|error| Error::invalid(error.to_string()))?;
        if read.is_empty() {
            return Err(Error::invalid(format!("patch appears to be empty; file={path}, JsonOp={inline}")));
        }
        Ok(Self { patch: read, target: target.clone(), weight: text.len() })
    }

    /// Applies the patch to what it is meant for.
    pub fn apply(&self, resources: &mut Resources, budget: &Budget) -> Result<(), Error> {
        let chosen = select(resources, &self.target)?;
        budget.spend_copies(self.weight, chosen.len())?;
        for at in chosen {
            resources.change(at, |resource| change(resource, &self.patch)).unwrap_or(Ok(()))?;
        }
        Ok(())
    }
}

/// Applies a JSON patch to an object.
fn change(resource: &mut Resource, patch: &JsonPatch) -> Result<(), Error> {
    resource.node = patch.apply(&resource.node).map_err(|error| Error::invalid(error.to_string()))?;
    Ok(())
}

/// Puts the name of a file to an error in it.
pub fn in_file(error: Error, path: &str) -> Error {
    match error {
        Error::Malformed(text) => Error::Malformed(format!("{text} in File: {path}")),
        other => other,
    }
}

fn select(resources: &Resources, target: &spec::Selector) -> Result<Vec<usize>, Error> {
    let selector = Selector::new(target)?;
    let mut chosen = Vec::new();
    for (at, resource) in resources.list().iter().enumerate() {
        if selector.takes(resource)? {
            chosen.push(at);
        }
    }
    Ok(chosen)
}

/// Applies a patch to objects by place, whatever they are called.
fn merge_into(
    resources: &mut Resources,
    places: &[usize],
    patch: &Resource,
    options: &PatchArgs,
) -> Result<(), Error> {
    let mut content = patch.node.clone();
    texts(&mut content, "labels");
    texts(&mut content, "annotations");
    let kind = patch.kind().to_owned();
    for at in places {
        let done = resources.change(*at, |resource| {
            content.set("kind", Node::scalar(kind.as_str()));
            content.set("apiVersion", Node::scalar(resource.api_version()));
            merge(resource, &content, options)
        });
        done.unwrap_or(Ok(()))?;
    }
    resources.drop_gone();
    resources.refuse_twins_if_changed()
}

/// Makes all labels or annotations of a patch texts; even a null, which then no longer removes anything.
fn texts(node: &mut Node, field: &str) {
    let all = tree::texts(node, field).into_iter().map(|(key, value)| (key.to_owned(), value.to_owned()));
    let all = all.collect();
    if node.get("metadata").is_some_and(|metadata| metadata.get(field).is_some()) {
        tree::set_texts(node, field, all);
    }
}

/// Merges a patch into an object. Who the object is stays, unless the options say otherwise.
fn merge(resource: &mut Resource, patch: &Node, options: &PatchArgs) -> Result<(), Error> {
    let (name, namespace) = (resource.name().to_owned(), resource.namespace().to_owned());
    let kind = resource.kind().to_owned();
    if options.allow_name_change || options.allow_kind_change {
        resource.remember_id();
    }
    let node = std::mem::replace(&mut resource.node, Node::null());
    let merged = strategic::merge(node, patch.clone(), resource.kinds.for_merge(), Order::Front);
    resource.node = merged.map_err(|error| Error::invalid(error.to_string()))?.unwrap_or_else(Node::null);
    if resource.is_gone() {
        return Ok(());
    }
    if wipes_annotations(patch) {
        // Upstream keeps its memory in the annotations, which are gone now.
        resource.memory = Memory::default();
    }
    if !options.allow_kind_change {
        resource.node.set("kind", Node::scalar(kind));
    }
    if !options.allow_name_change {
        tree::set_metadata(&mut resource.node, "name", Node::scalar(name));
    }
    tree::set_namespace(&mut resource.node, &namespace);
    Ok(())
}

fn wipes_annotations(patch: &Node) -> bool {
    let replaces = |node: &Node| {
        node.is_null()
            || node.get("$patch").is_some_and(|word| matches!(tree::raw(word), "replace" | "delete"))
    };
    replaces(patch)
        || patch
            .get("metadata")
            .is_some_and(|metadata| replaces(metadata) || metadata.get("annotations").is_some_and(replaces))
}
