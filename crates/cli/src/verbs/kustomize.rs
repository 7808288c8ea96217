//! `towpath kustomize`: what `kustomize build` does, in this process.
//!
//! Its flags are kustomize's own, so `-o` is a file or folder here and not a format. The global flags do not
//! apply, and the words are parsed apart from those of the other verbs.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::{Args, Parser, ValueEnum};
use towpath_failure::Failure as _;
use towpath_kustomize::{Decrypted, Disk, Functions, Options, Output, Reorder, Restriction, build};

use crate::args::Global;
use crate::exit::Exit;
use crate::screen::Screen;
use crate::secrets::{Flags, Problem};
use crate::verbs::programs::Programs;

/// Build a kustomization as `kustomize build` does, to the byte
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  towpath kustomize overlays/production
  towpath kustomize overlays/production -o rendered/
  towpath kustomize overlays/production --decrypt --substitute REGION=eu-west-1
  towpath kustomize . --load-restrictor LoadRestrictionsNone | towpath deploy -f - --app shop

Remote bases, Helm charts and containers are refused, and so are programs that are not allowed.
Exit codes: 0 success, 1 the build failed, 3 bad usage.")]
pub struct Kustomize {
    /// The folder with the kustomization file
    #[arg(default_value = ".", value_name = "PATH")]
    pub path: String,
    /// Write to this file, or one file for each object if it is a folder
    #[arg(id = "output", short = 'o', long = "output", value_name = "FILE|DIR")]
    pub file: Option<PathBuf>,
    /// Which files a kustomization may read: those in and below its folder, or all
    #[arg(long, value_enum, value_name = "WHICH", default_value = "LoadRestrictionsRootOnly")]
    pub load_restrictor: LoadRestrictor,
    /// The order of the output: by kind, or as read; deprecated, use sortOptions in the kustomization
    #[arg(long, value_enum, value_name = "ORDER")]
    pub reorder: Option<Order>,
    /// Say how long it took and how much came out, on stderr
    #[arg(long)]
    pub stats: bool,
    /// Add a label with the version to all objects; deprecated, use buildMetadata in the kustomization
    #[arg(long)]
    pub enable_managedby_label: bool,
    /// Allow helmCharts (they are not supported yet, and say so)
    #[arg(long)]
    pub enable_helm: bool,
    /// Allow functions to run this program: an absolute path, several times. It runs with an empty environment, for
    /// a minute at most, and without network where the system lets us take it away
    #[arg(long, value_name = "PROGRAM")]
    pub allow_command: Vec<PathBuf>,
    /// Allow functions that are programs, any, with our environment and rights; needs --enable-alpha-plugins
    #[arg(long)]
    pub enable_exec: bool,
    /// Environment variables for functions of --enable-exec
    #[arg(short = 'e', long, value_name = "NAME[=VALUE]")]
    pub env: Vec<String>,
    #[command(flatten)]
    pub secrets: Flags,
    #[command(flatten)]
    pub foreign: Foreign,
}

/// Flags that only programs outside of this one have a use for. They are accepted, so that scripts run as they
/// are; a kustomization that needs such a program is refused.
#[derive(Debug, Args)]
#[command(next_help_heading = "Accepted for the sake of scripts")]
pub struct Foreign {
    /// Allow plugins; of those that are not built in, only functions that are programs are run
    #[arg(long)]
    pub enable_alpha_plugins: bool,
    /// Allow functions the network; refused all the same
    #[arg(long)]
    pub network: bool,
    /// The network of functions
    #[arg(long, value_name = "NAME")]
    pub network_name: Option<String>,
    /// Run functions as the current user
    #[arg(long)]
    pub as_current_user: bool,
    /// Mounts for functions
    #[arg(long, value_name = "MOUNT")]
    pub mount: Vec<String>,
    /// The Helm program
    #[arg(long, value_name = "PATH")]
    pub helm_command: Option<String>,
    /// API versions for Helm
    #[arg(long, value_name = "VERSIONS", value_delimiter = ',')]
    pub helm_api_versions: Vec<String>,
    /// The Kubernetes version for Helm
    #[arg(long, value_name = "VERSION")]
    pub helm_kube_version: Option<String>,
    /// Have Helm say more
    #[arg(long)]
    pub helm_debug: bool,
    /// Have kustomize print a stack trace
    #[arg(long)]
    pub stack_trace: bool,
}

/// Which files a kustomization may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LoadRestrictor {
    /// Those in and below its folder
    #[value(name = "LoadRestrictionsRootOnly")]
    RootOnly,
    /// All
    #[value(name = "LoadRestrictionsNone")]
    None,
}

/// The order of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// By kind
    Legacy,
    /// As read
    None,
}

#[derive(Debug, Parser)]
#[command(name = "towpath kustomize", max_term_width = 110)]
struct Alone {
    #[command(flatten)]
    args: Kustomize,
}

/// Runs the verb if it is the first word of the command line.
pub fn if_asked() -> Option<Exit> {
    let mut words = std::env::args_os();
    let program = words.next()?;
    if words.next()? != "kustomize" {
        return None;
    }
    Some(match Alone::try_parse_from(std::iter::once(program).chain(words)) {
        Ok(Alone { args }) => run(&args),
        Err(error) => crate::usage(&error),
    })
}

/// Builds and writes.
pub fn run(args: &Kustomize) -> Exit {
    let mut screen = Screen::new(&Global::default());
    let begin = Instant::now();
    let mut hint = None;
    if args.reorder.is_some() {
        screen.note(
            "Flag --reorder has been deprecated, use the new 'sortOptions' field in kustomization.yaml instead.",
        );
    }
    let done = std::env::current_dir()
        .map_err(|error| format!("the current folder: {error}"))
        .and_then(|current| {
            built(args, &current, &screen).map_err(|problem| {
                hint = problem.hint;
                problem.message
            })
        })
        .and_then(|output| {
            let size = write(&output, args.file.as_deref(), &mut screen)?;
            if args.stats {
                let (count, time) = (output.objects().len(), begin.elapsed().as_secs_f64() * 1000.0);
                screen.note(&format!("{count} objects, {size} bytes, {time:.1} ms"));
            }
            Ok(())
        });
    match done {
        Ok(()) => Exit::Success,
        Err(message) => {
            screen.error(&message);
            if let Some(hint) = hint {
                screen.hint(&hint);
            }
            Exit::Failed
        }
    }
}

fn built(args: &Kustomize, current: &Path, screen: &Screen) -> Result<Output, Problem> {
    let any = args.enable_exec && args.foreign.enable_alpha_plugins;
    let programs = Programs::allowed(&args.allow_command, any, &args.env);
    if programs.as_ref().is_some_and(Programs::keeps_network) {
        screen.note("# Warning: programs keep their network, since namespaces cannot be made here");
    }
    let options = Options {
        reorder: match args.reorder {
            None => Reorder::Unspecified,
            Some(Order::Legacy) => Reorder::Legacy,
            Some(Order::None) => Reorder::None,
        },
        restriction: match args.load_restrictor {
            LoadRestrictor::RootOnly => Restriction::RootOnly,
            LoadRestrictor::None => Restriction::None,
        },
        managed_by_label: args.enable_managedby_label,
        helm: args.enable_helm,
        functions: programs.map(|programs| -> Arc<dyn Functions> { Arc::new(programs) }),
        ..Options::default()
    };
    let disk = Disk::at(current);
    let decryption = args.secrets.decryption();
    let built = match &decryption {
        None => build(&disk, &args.path, &options),
        Some(decryption) => {
            let files = Decrypted::new(&disk, |path, purpose, bytes| decryption.file(path, purpose, bytes));
            build(&files, &args.path, &options)
        }
    };
    let mut output = built.map_err(|error| Problem {
        message: error.to_string(),
        hint: error.hint().or_else(|| decryption.as_ref()?.hint()),
    })?;
    args.secrets.finish(decryption.as_ref(), &mut output)?;
    for warning in output.warnings() {
        screen.note(warning);
    }
    Ok(output)
}

/// Writes to stdout, to a file or into a folder; answers how many bytes.
fn write(output: &Output, to: Option<&Path>, screen: &mut Screen) -> Result<usize, String> {
    let failed = |path: &Path, error: std::io::Error| format!("write {}: {error}", path.display());
    match to {
        Some(folder) if folder.is_dir() => {
            let files = output.to_files().map_err(|error| error.to_string())?;
            let mut size = 0;
            for (name, text) in files {
                let path = folder.join(name);
                fs::write(&path, &text).map_err(|error| failed(&path, error))?;
                size += text.len();
            }
            Ok(size)
        }
        to => {
            let text = output.to_yaml().map_err(|error| error.to_string())?;
            match to {
                Some(path) => fs::write(path, &text).map_err(|error| failed(path, error))?,
                None => screen.raw(&text),
            }
            Ok(text.len())
        }
    }
}
