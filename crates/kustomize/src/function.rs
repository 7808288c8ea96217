//! Functions that are programs: objects go in, objects come out.
//!
//! In: the object that configures a function, and for a transformer all objects of the build. Out: the objects
//! that the function prints, as a `ResourceList` or as plain documents. What runs the program is the caller's
//! ([`Functions`]); without one, functions are refused. Containers are always refused.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use towpath_yaml::{Entry, Key, Node};

use crate::budget::Budget;
use crate::decode::{Unknown, decode, record};
use crate::error::{Error, Within};
use crate::loader::Loader;
use crate::resource::{Behavior, Resource};
use crate::resources::Resources;
use crate::tree;

/// One call of a program.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The program as the kustomization names it.
    pub program: &'a str,
    /// Its arguments.
    pub args: &'a [String],
    /// The folder of the kustomization.
    pub folder: &'a str,
    /// What it reads.
    pub input: &'a str,
    /// The most bytes that it may print.
    pub most: u64,
}

/// Runs programs for a build, or says why it does not.
pub trait Functions: fmt::Debug + Send + Sync {
    /// What the program prints.
    fn run(&self, call: &Call<'_>) -> Result<Vec<u8>, String>;
}

record! {
    /// How a function is run.
    Spec = "FunctionSpec" {
        container: Option<Container> = "container",
        exec: Option<Exec> = "exec",
    }
}

record! {
    /// In a container.
    Container = "ContainerSpec" {
        image: String = "image",
    }
}

record! {
    /// As a program.
    Exec = "ExecSpec" {
        path: String = "path",
        args: Vec<String> = "args",
    }
}

/// A function, ready to be run.
#[derive(Clone, Debug)]
pub struct Function {
    functions: Arc<dyn Functions>,
    exec: Exec,
    config: Node,
    folder: String,
    name: String,
}

const ANNOTATIONS: [&str; 2] = ["config.kubernetes.io/function", "config.k8s.io/function"];
const CONTAINER: &str = "config.kubernetes.io/container";
const LOCAL: &str = "config.kubernetes.io/local-config";
const NEEDS_HASH: &str = "kustomize.config.k8s.io/needs-hash";
const BEHAVIOR: &str = "kustomize.config.k8s.io/behavior";

impl Function {
    /// The function that an object configures.
    pub fn new(
        resource: &Resource,
        loader: &Loader<'_>,
        functions: &Arc<dyn Functions>,
    ) -> Result<Self, Error> {
        let id = resource.original_id().to_string();
        let annotations = tree::texts(&resource.node, "annotations");
        let annotation = |name: &str| {
            annotations.iter().find(|(key, value)| *key == name && !value.is_empty()).map(|(_, value)| *value)
        };
        let spec = match ANNOTATIONS.into_iter().find_map(annotation) {
            Some(text) => {
                let value = crate::read::value(text.as_bytes(), &loader.budget().of_text())?;
                decode::<Spec>(&value, Unknown::Ignored).map_err(Error::invalid)?
            }
            None => Spec {
                container: annotation(CONTAINER).map(|image| Container { image: image.to_owned() }),
                exec: None,
            },
        };
        if let Some(image) = spec.container.map(|container| container.image).filter(|image| !image.is_empty())
        {
            return Err(Error::Plugin(format!(
                "function {id} wants the container image '{image}', and containers are not run here"
            )));
        }
        let Some(exec) = spec.exec.filter(|exec| !exec.path.is_empty()) else {
            return Err(Error::Plugin(format!(
                "{id} is neither built in nor a function that is a program; kustomize's plugin folders are not searched"
            )));
        };
        let mut config = resource.node.clone();
        let mut texts: Vec<_> =
            annotations.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        texts.push((LOCAL.to_owned(), "true".to_owned()));
        tree::set_texts(&mut config, "annotations", texts);
        let name =
            format!("api: {}, kind: {}, name: {}", resource.api_version(), resource.kind(), resource.name());
        Ok(Self { functions: functions.clone(), exec, config, folder: loader.root().to_owned(), name })
    }

    /// The objects that the function makes.
    pub fn generate(&self, loader: &Loader<'_>) -> Result<Vec<Resource>, Error> {
        // Upstream's functions see their own configuration where there is nothing else.
        let mut made = self.call(vec![self.config.clone()], loader)?;
        for resource in &mut made {
            let mut texts: Vec<(String, String)> = tree::texts(&resource.node, "annotations")
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect();
            let mut take = |name: &str| {
                let at = texts.iter().position(|(key, _)| key == name)?;
                Some(texts.remove(at).1)
            };
            let (needs_hash, behavior) = (take(NEEDS_HASH), take(BEHAVIOR));
            if let Some(word) = needs_hash.as_deref() {
                resource.memory.needs_hash = truth(word).ok_or_else(|| {
                    Error::invalid(format!(
                        "the annotation {NEEDS_HASH:?} contains an invalid value ({word:?})"
                    ))
                })?;
            }
            if let Some(word) = behavior.as_deref() {
                resource.memory.behavior = Behavior::new(word);
            }
            if needs_hash.is_some() || behavior.is_some() {
                tree::set_texts(&mut resource.node, "annotations", texts);
            }
        }
        Ok(made)
    }

    /// Puts what the function prints in the place of what there was; what it does not print is gone.
    pub fn transform(&self, resources: &mut Resources, loader: &Loader<'_>) -> Result<(), Error> {
        let input = resources.list().iter().map(|resource| resource.node.clone()).collect();
        let output = self.call(input, loader)?;
        let mut before = std::mem::take(resources.list_mut());
        let index: HashMap<_, _> = before.iter().enumerate().map(|(at, old)| (old.id().key(), at)).collect();
        let places: Vec<_> = output.iter().map(|new| index.get(&new.id().key()).copied()).collect();
        let (mut added, mut kept) = (Vec::new(), vec![false; before.len()]);
        for (new, place) in output.into_iter().zip(places) {
            let slot = place.and_then(|at| Some((kept.get_mut(at)?, before.get_mut(at)?)));
            match slot {
                Some((true, _)) => {
                    let (name, id) = (&self.name, new.id());
                    return Err(Error::invalid(format!("plugin {name} generated duplicate resource: {id}")));
                }
                Some((kept, old)) => {
                    *kept = true;
                    old.node = new.node;
                }
                None => added.push(new),
            }
        }
        let kept = before.into_iter().zip(kept).filter_map(|(old, kept)| kept.then_some(old));
        resources.append_all(kept.chain(added).collect())
    }

    fn call(&self, items: Vec<Node>, loader: &Loader<'_>) -> Result<Vec<Resource>, Error> {
        let text = |key: &str, value: &str| Entry { key: Key::new(key), value: Node::text(value) };
        let list = Node::map(vec![
            text("apiVersion", "config.kubernetes.io/v1"),
            text("kind", "ResourceList"),
            Entry { key: Key::new("items"), value: Node::list(items) },
            Entry { key: Key::new("functionConfig"), value: self.config.clone() },
        ]);
        let input = towpath_yaml::write(&list).map_err(|error| Error::invalid(error.to_string()))?;
        let budget: &Budget = loader.budget();
        let call = Call {
            program: &self.exec.path,
            args: &self.exec.args,
            folder: &self.folder,
            input: &input,
            most: budget.file(),
        };
        let output =
            self.functions.run(&call).map_err(Error::Plugin).within(|| "couldn't execute function")?;
        budget.spend_file(output.len())?;
        loader.objects(&output).within(|| format!("what '{}' printed", self.exec.path))
    }
}

/// A truth value as Go's library reads it.
fn truth(word: &str) -> Option<bool> {
    match word {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Memory, Options, build};

    /// Answers with a text, or with its input.
    #[derive(Debug)]
    struct Canned(Option<&'static str>);

    impl Functions for Canned {
        fn run(&self, call: &Call<'_>) -> Result<Vec<u8>, String> {
            if call.program != "./fn" || call.args != ["-x"] || call.folder != "/" {
                return Err(format!("unexpected: {call:?}"));
            }
            Ok(self.0.unwrap_or(call.input).into())
        }
    }

    fn built(field: &str, spec: &str, answer: Option<&'static str>) -> Result<String, String> {
        let mut files = Memory::new();
        files.add("kustomization.yaml", format!("resources: [a.yaml]\nnamePrefix: p-\n{field}: [f.yaml]\n"));
        files.add("a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
        let annotation = format!("  annotations: {{config.kubernetes.io/function: '{spec}'}}\n");
        files.add(
            "f.yaml",
            format!("apiVersion: example.com/v1\nkind: Fn\nmetadata:\n  name: f\n{annotation}"),
        );
        let options = Options { functions: Some(Arc::new(Canned(answer))), ..Options::default() };
        build(&files, "/", &options).and_then(|output| output.to_yaml()).map_err(|error| error.to_string())
    }

    const EXEC: &str = "exec: {path: ./fn, args: [-x]}";

    #[test]
    fn a_generator_adds_what_it_prints() {
        let printed = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n  annotations: {kustomize.config.k8s.io/needs-hash: \"true\"}\n";
        let text = built("generators", EXEC, Some(printed)).unwrap();
        assert!(text.contains("name: p-s-") && text.contains("name: p-a\n"), "{text}");
        // Its own configuration, which it prints here, is not part of the output.
        assert!(!built("generators", EXEC, None).unwrap().contains("kind: Fn"));
    }

    #[test]
    fn a_transformer_says_what_there_is() {
        let same = built("transformers", EXEC, None).unwrap();
        assert_eq!(same, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: p-a\n");
        let printed = "kind: ResourceList\nitems:\n- {apiVersion: v1, kind: ConfigMap, metadata: {name: p-a}, data: {x: y}}\n\
                       - {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}\n";
        let text = built("transformers", EXEC, Some(printed)).unwrap();
        assert!(text.contains("x: \"y\"") && text.contains("name: b\n"), "{text}");
        assert_eq!(built("transformers", EXEC, Some("kind: ResourceList\nitems: []\n")).unwrap(), "");
        assert!(built("validators", EXEC, Some(printed)).unwrap_err().contains("validator shouldn't modify"));
        assert!(built("validators", EXEC, None).is_ok());
    }

    #[test]
    fn containers_are_refused() {
        let error = built("generators", "container: {image: example/fn}", None).unwrap_err();
        assert!(
            error.ends_with("wants the container image 'example/fn', and containers are not run here"),
            "{error}"
        );
        let error = built("transformers", "{}", None).unwrap_err();
        assert!(error.contains("neither built in nor a function"), "{error}");
    }
}
