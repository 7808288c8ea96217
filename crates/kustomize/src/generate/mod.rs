//! Objects that are made, not read.

mod iam;
mod object;
mod pairs;

use crate::error::Error;
use crate::function::Function;
use crate::loader::Loader;
use crate::resource::{Behavior, Resource};
use crate::spec::{ConfigMapArgs, GeneratorArgs, SecretArgs};

pub use iam::IamPolicy;

/// Something that makes objects.
#[derive(Clone, Debug)]
pub enum Generator {
    /// A ConfigMap.
    ConfigMap(ConfigMapArgs),
    /// A Secret.
    Secret(SecretArgs),
    /// A ServiceAccount for Google's cloud.
    Iam(IamPolicy),
    /// Whatever a function makes.
    Function(Box<Function>),
}

impl Generator {
    /// Makes the objects.
    pub fn run(&self, loader: &Loader<'_>) -> Result<Vec<Resource>, Error> {
        match self {
            Self::ConfigMap(args) => {
                object::config_map(loader, &args.common).map(|node| generated(node, loader, &args.common))
            }
            Self::Secret(args) => {
                object::secret(loader, args).map(|node| generated(node, loader, &args.common))
            }
            Self::Iam(policy) => policy.objects(loader),
            Self::Function(function) => function.generate(loader),
        }
    }
}

fn generated(node: towpath_yaml::Node, loader: &Loader<'_>, args: &GeneratorArgs) -> Vec<Resource> {
    let mut resource = Resource::new(node, loader.kinds());
    resource.memory.needs_hash =
        !args.options.as_ref().is_some_and(|options| options.disable_name_suffix_hash);
    resource.memory.behavior = Behavior::new(&args.behavior);
    vec![resource]
}
