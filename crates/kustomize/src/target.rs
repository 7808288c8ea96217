//! One kustomization: everything it names, accumulated and changed in upstream's order.
//!
//! ```text
//! resources -> configurations, crds -> generators -> components -> transformers -> validators -> vars
//! ```

use std::sync::Arc;

use crate::accumulator::Accumulator;
use crate::build::Build;
use crate::config::{Config, ConfigArgs, from_crds};
use crate::configure::{self, unfit};
use crate::decode::{Unknown, decode};
use crate::error::{Error, Within};
use crate::files::Use;
use crate::generate::Generator;
use crate::loader::Loader;
use crate::origin::{Identifier, Origin};
use crate::plugin::{self, Plugin};
use crate::read;
use crate::resource::Resource;
use crate::spec::{Kustomization, Refused};
use crate::transform::{Transformer, in_file};

const FILE_NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// A kustomization in its folder.
pub struct Target<'b, 'f> {
    build: &'b Build<'f>,
    loader: Loader<'f>,
    /// What it says.
    pub spec: Kustomization,
    file: &'static str,
    /// Where it is, if anybody wants to know.
    origin: Option<Origin>,
}

/// How a folder is named by another kustomization.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Base,
    Component,
}

impl<'b, 'f> Target<'b, 'f> {
    /// Reads the kustomization file of a folder.
    pub fn load(build: &'b Build<'f>, loader: Loader<'f>) -> Result<Self, Error> {
        let mut found = FILE_NAMES.into_iter().filter_map(|name| match loader.load(name) {
            Ok(content) => Some(Ok((name, content))),
            Err(error) if error.is_about_content() => Some(Err(error)),
            Err(_) => None,
        });
        let Some((file, content)) = found.next().transpose()? else {
            return Err(Error::invalid(format!(
                "unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '{}'",
                loader.root()
            )));
        };
        if found.next().is_some() {
            return Err(Error::invalid(format!(
                "Found multiple kustomization files under: {}\n",
                loader.root()
            )));
        }
        drop(found);
        let value = read::value(&content, &loader.budget().of_text()).within(|| "invalid Kustomization")?;
        let (spec, warnings) = Kustomization::read(&value).map_err(|refused| match refused {
            Refused::Empty => Error::invalid("kustomization.yaml is empty"),
            Refused::Decode(error) => Error::invalid(format!("invalid Kustomization: {error}")),
            Refused::Fields(wrong) => Error::invalid(format!(
                "Failed to read kustomization file under {}:\n{}",
                loader.root(),
                wrong.join("\n")
            )),
        })?;
        for warning in warnings {
            build.warn(warning);
        }
        Ok(Self { build, loader, spec, file, origin: None })
    }

    /// Uses the schema that the kustomization names, unless another one is in use.
    pub fn set_schema(&self) -> Result<(), Error> {
        let Some(openapi) = &self.spec.openapi else { return Ok(()) };
        let custom = openapi.get("path").map(|path| self.loader.load(path)).transpose()?;
        self.loader.kinds().name_schema(openapi.get("version").map(String::as_str), custom.as_deref())
    }

    /// Begins to note where objects come from.
    pub fn track_origin(&mut self) {
        if self.spec.build_metadata.as_ref().is_some_and(|options| !options.is_empty()) {
            self.origin = Some(Origin::default());
        }
    }

    /// Brings everything together, on top of what is there.
    pub fn accumulate(&self, so_far: Accumulator) -> Result<Accumulator, Error> {
        let spec = &self.spec;
        let mut sum = so_far;
        self.add_resources(&mut sum, spec.resources.as_deref().unwrap_or_default())
            .within(|| "accumulating resources")?;
        sum.merge_config(&self.configurations()?)?;
        sum.merge_config(&self.crds()?)?;
        self.generate(&mut sum)?;
        for path in spec.components.iter().flatten() {
            sum = self.add_component(sum, path).within(|| "accumulating components")?;
        }
        self.transform(&mut sum)?;
        self.validate(&mut sum)?;
        sum.merge_variables(spec.vars.as_deref().unwrap_or_default())?;
        Ok(sum)
    }

    fn configurations(&self) -> Result<Arc<Config>, Error> {
        let built_in = Config::built_in();
        let mut custom = Arc::new(Config::default());
        for path in self.spec.configurations.iter().flatten() {
            let value = self.loader.value(path)?;
            let args: ConfigArgs = decode(&value, Unknown::Refused).map_err(|error| unfit(&error))?;
            custom = custom.merged(&Arc::new(Config::from_args(&args)))?;
        }
        built_in.merged(&custom)
    }

    fn crds(&self) -> Result<Arc<Config>, Error> {
        let mut config = Arc::new(Config::default());
        let paths = self.spec.crds.as_deref().unwrap_or_default();
        for path in paths {
            let loaded = || -> Result<Config, Error> {
                let value = self
                    .loader
                    .value(path)
                    .within(|| format!("unable to parse open API definition from '{path}'"))?;
                from_crds(&value)
            };
            config = config
                .merged(&Arc::new(loaded().within(|| format!("loading CRDs [{}]", paths.join(" ")))?))?;
        }
        Ok(config)
    }

    /// Adds what paths lead to: files first, and folders where a file cannot be had.
    fn add_resources(&self, sum: &mut Accumulator, paths: &[String]) -> Result<(), Error> {
        for path in paths {
            let Err(not_a_file) = self.add_file(sum, path) else { continue };
            if not_a_file.is_remote() {
                return Err(not_a_file);
            }
            let accumulation = || format!("accumulation err='{not_a_file}'");
            let loader = match self.loader.folder(path) {
                Ok(loader) => loader,
                Err(_) if not_a_file.is_about_content() => return Err(not_a_file),
                Err(error) => return Err(error.within(accumulation())),
            };
            let base = self.folder(loader, path, Role::Base, Accumulator::default());
            let root = self.root_of(path);
            self.look_again(sum);
            let merged = base
                .and_then(|base| sum.merge(base).within(|| format!("recursed merging from path '{root}'")));
            merged.within(accumulation)?;
        }
        Ok(())
    }

    /// Who objects are can depend on a schema that a kustomization just named.
    fn look_again(&self, sum: &mut Accumulator) {
        if self.loader.kinds().has_own_scopes() {
            sum.resources.list_mut();
        }
    }

    /// The folder of a base, for messages.
    fn root_of(&self, path: &str) -> String {
        self.loader.folder(path).map(|loader| loader.root().to_owned()).unwrap_or_default()
    }

    fn add_file(&self, sum: &mut Accumulator, path: &str) -> Result<(), Error> {
        let read = || {
            let mut resources = self
                .loader
                .objects(&self.loader.input(path, Use::Resource)?)
                .map_err(|error| in_file(error, path))?;
            check_twins(&resources)?;
            for resource in &mut resources {
                resource.origin = self.origin.as_ref().map(|origin| origin.below(path));
            }
            Ok(resources)
        };
        let resources = read().within(|| format!("accumulating resources from '{path}'"))?;
        sum.resources.append_all(resources).within(|| format!("merging resources from '{path}'"))
    }

    fn add_component(&self, sum: Accumulator, path: &str) -> Result<Accumulator, Error> {
        let loader = self.loader.folder(path).map_err(|error| match error {
            error if error.is_remote() => error,
            error => Error::invalid(format!("loader.New {:?}", error.to_string())),
        })?;
        let root = loader.root().to_owned();
        let done = self.folder(loader, path, Role::Component, sum).and_then(|mut sum| {
            sum.resources.refuse_twins().within(|| format!("recursed merging from path '{root}'"))?;
            Ok(sum)
        });
        done.map_err(|error| Error::invalid(format!("accumulateDirectory: {:?}", error.to_string())))
    }

    /// Accumulates the kustomization of another folder.
    fn folder(
        &self,
        loader: Loader<'f>,
        path: &str,
        role: Role,
        mut so_far: Accumulator,
    ) -> Result<Accumulator, Error> {
        let root = loader.root().to_owned();
        let mut inner =
            Self::load(self.build, loader).within(|| format!("couldn't make target for path '{root}'"))?;
        inner.spec.build_metadata.clone_from(&self.spec.build_metadata);
        inner.origin = self.origin.as_ref().map(|origin| origin.below(path));
        inner.set_schema()?;
        self.look_again(&mut so_far);
        match (role, inner.spec.is_component()) {
            (Role::Component, false) => {
                let kind = inner.spec.kind();
                return Err(Error::invalid(format!(
                    "expected kind 'Component' for path '{root}' but got '{kind}'"
                )));
            }
            (Role::Base, true) => {
                return Err(Error::invalid(format!("expected kind != 'Component' for path '{root}'")));
            }
            _ => {}
        }
        inner.accumulate(so_far).within(|| format!("recursed accumulation of path '{root}'"))
    }

    fn generate(&self, sum: &mut Accumulator) -> Result<(), Error> {
        if let Some(chart) = self.spec.helm_charts.iter().flatten().next() {
            return Err(self.build.refuse_chart(chart, self.spec.helm_globals.as_ref()));
        }
        let origin = |kind| self.origin.as_ref().map(|origin| origin.of_built_in(self.file, kind));
        let built_in = configure::generators(&self.spec).into_iter();
        let mut generators: Vec<(Generator, Option<Origin>)> =
            built_in.map(|(kind, generator)| (generator, origin(kind))).collect();
        let paths = self.spec.generators.as_deref().unwrap_or_default();
        generators.extend(
            self.plugins(paths, "generator")
                .within(|| "loading generator plugins")?
                .into_iter()
                .map(|(plugin, origin, id)| match plugin {
                    Plugin::Generator(generator) => Ok((generator, origin)),
                    Plugin::Function(function) => Ok((Generator::Function(function), origin)),
                    Plugin::Transformer(_) => Err(Error::invalid(format!(
                        "loading generator plugins: failed to load generator: plugin {id} not a generator"
                    ))),
                })
                .collect::<Result<Vec<_>, Error>>()?,
        );
        for (generator, origin) in generators {
            for mut resource in generator.run(&self.loader)? {
                if resource.origin.is_none() {
                    resource.origin.clone_from(&origin);
                }
                // Upstream prints the generator as it lies in memory.
                sum.absorb(resource).within(|| "merging from generator &{0x0 <nil>}")?;
            }
        }
        Ok(())
    }

    /// What objects configure that are written inline, in files or in folders; with origins and ids.
    fn plugins(&self, texts: &[String], what: &str) -> Result<Vec<(Plugin, Option<Origin>, String)>, Error> {
        let mut sum = Accumulator::default();
        let mut paths = Vec::new();
        for text in texts {
            match self.loader.objects(text.as_bytes()) {
                Err(_) => paths.push(text.clone()),
                Ok(inline) => {
                    for mut resource in inline {
                        resource.origin = self.origin.as_ref().map(|origin| origin.below(self.file));
                        sum.resources.append(resource).within(|| format!("configuring external {what}"))?;
                    }
                }
            }
        }
        self.add_resources(&mut sum, &paths)?;
        let load = |resource: &Resource| -> Result<_, Error> {
            let loaded = plugin::load(resource, &self.loader, self.build.functions());
            let plugin =
                if what == "generator" { loaded.within(|| "failed to load generator")? } else { loaded? };
            Ok((plugin, configured_by(resource), resource.original_id().to_string()))
        };
        sum.resources.list().iter().map(load).collect()
    }

    fn external_transformers(&self, texts: &[String]) -> Result<Vec<(Transformer, Option<Origin>)>, Error> {
        let loaded = self.plugins(texts, "transformer")?.into_iter();
        loaded
            .map(|(plugin, origin, id)| match plugin {
                Plugin::Transformer(transformer) => Ok((transformer, origin)),
                Plugin::Function(function) => Ok((Transformer::Function(function), origin)),
                Plugin::Generator(_) => Err(Error::invalid(format!("plugin {id} not a transformer"))),
            })
            .collect()
    }

    fn transform(&self, sum: &mut Accumulator) -> Result<(), Error> {
        let origin = |kind| self.origin.as_ref().map(|origin| origin.of_built_in(self.file, kind));
        let built_in = configure::transformers(&self.spec, &sum.config, &self.loader)?.into_iter();
        let mut list: Vec<_> = built_in.map(|(kind, transformer)| (transformer, origin(kind))).collect();
        list.extend(self.external_transformers(self.spec.transformers.as_deref().unwrap_or_default())?);
        for (transformer, origin) in list {
            transformer.apply(&mut sum.resources, &self.loader)?;
            if let Some(origin) = origin {
                for resource in sum.resources.list_mut() {
                    resource.changed_by(&origin);
                }
            }
            sum.resources.drop_gone();
        }
        Ok(())
    }

    fn validate(&self, sum: &mut Accumulator) -> Result<(), Error> {
        const VALIDATED: &str = "validated-by";
        let validators = self.external_transformers(self.spec.validators.as_deref().unwrap_or_default())?;
        for (validator, _) in validators {
            let before: Vec<_> = sum.resources.list().iter().map(|one| one.node.clone()).collect();
            validator.apply(&mut sum.resources, &self.loader)?;
            let same = sum.resources.list().len() == before.len()
                && sum.resources.list().iter().zip(&before).all(|(after, before)| {
                    let mut after = after.node.clone();
                    if let Some(labels) = after.at_mut(&["metadata", "labels"]) {
                        labels.remove(VALIDATED);
                    }
                    after.to_json().ok() == before.to_json().ok()
                });
            if !same {
                return Err(Error::invalid("validator shouldn't modify the resource map: nodes unequal"));
            }
        }
        Ok(())
    }
}

/// Two objects of one file must not be the same.
fn check_twins(resources: &[Resource]) -> Result<(), Error> {
    if resources.len() < 2 {
        return Ok(());
    }
    let mut seen = std::collections::HashSet::with_capacity(resources.len());
    match resources.iter().find(|resource| !seen.insert(resource.id().key())) {
        None => Ok(()),
        Some(twin) => {
            Err(Error::invalid(format!("may not add resource with an already registered id: {}", twin.id())))
        }
    }
}

/// The origin of what an object makes or changes.
fn configured_by(resource: &Resource) -> Option<Origin> {
    let origin = resource.origin.as_ref()?;
    Some(Origin {
        path: String::new(),
        configured_in: origin.path.clone(),
        configured_by: Identifier {
            api_version: resource.api_version().to_owned(),
            kind: resource.kind().to_owned(),
            name: resource.name().to_owned(),
            namespace: resource.namespace().to_owned(),
        },
    })
}
