//! What a person can type. The doc comments are the help texts; `docs/design/verbs.md` is the grammar.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use towpath_engine::Waves;
use towpath_settings as settings;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Yellow.on_default().bold())
    .usage(AnsiColor::Yellow.on_default().bold())
    .literal(AnsiColor::Green.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// Continuous delivery for Kubernetes.
#[derive(Debug, Parser)]
#[command(name = "towpath", version, styles = STYLES, max_term_width = 110, disable_help_subcommand = true)]
#[command(after_help = "Examples:
  towpath deploy -f ./manifests --app shop --namespace web --wait
  towpath diff -f ./manifests --app shop --namespace web
  towpath inspect shop --namespace web
  towpath delete shop --namespace web

Exit codes: 0 success, 1 failed, 2 changes (with --exit-code), 3 bad input, 4 cluster unreachable or refusing,
5 timed out, 130 interrupted.")]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub verb: Verb,
}

/// Flags that mean the same with every verb.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// The kubeconfig; otherwise KUBECONFIG, ~/.kube/config, then the pod's service account
    #[arg(long, global = true, value_name = "PATH")]
    pub kubeconfig: Option<PathBuf>,
    /// The context in the kubeconfig; otherwise its current one
    #[arg(long, global = true, value_name = "NAME")]
    pub context: Option<String>,
    /// The namespace; otherwise the context's, then "default"
    #[arg(short, long, global = true, value_name = "NS", env = settings::NAMESPACE.name, hide_env = true)]
    pub namespace: Option<String>,
    /// The result for programs; without it, text for people
    #[arg(short, long, global = true, value_name = "FORMAT")]
    pub output: Option<Output>,
    /// Say more about what is done, on stderr; twice: every request
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// No colour; NO_COLOR does the same
    #[arg(long, global = true)]
    pub no_color: bool,
}

/// A form for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// One JSON document
    Json,
    /// One YAML document
    Yaml,
    /// One kind.group/name a line
    Name,
}

#[derive(Debug, Subcommand)]
pub enum Verb {
    Deploy(Deploy),
    Diff(Diff),
    Inspect(Inspect),
    Delete(Delete),
    Kustomize(crate::verbs::kustomize::Kustomize),
    Version(Version),
    /// Print a completion script
    #[command(after_help = "Examples:
  towpath completion bash > /etc/bash_completion.d/towpath
  towpath completion zsh > \"${fpath[1]}/_towpath\"")]
    Completion {
        /// The shell
        shell: Shell,
    },
    /// Print this help as a page of documentation
    #[command(hide = true)]
    MarkdownHelp,
}

/// The manifests that are the whole of an app.
#[derive(Debug, Args)]
pub struct Wanted {
    /// A file, a folder (read recursively) or - for stdin; may be repeated
    #[arg(short, long = "file", required = true, value_name = "PATH", num_args = 1..)]
    pub file: Vec<PathBuf>,
    /// The app these manifests are
    #[arg(long, required = true, value_name = "NAME")]
    pub app: String,
    /// Delete what the app has and the manifests no longer name
    #[arg(long)]
    pub prune: bool,
    /// Take objects that belong to another app
    #[arg(long)]
    pub adopt: bool,
    /// Create the namespace when it is missing
    #[arg(long)]
    pub create_namespace: bool,
    /// Exit with 2 when there are changes
    #[arg(long)]
    pub exit_code: bool,
    /// Delete and create again what cannot be changed in place
    #[arg(long)]
    pub recreate: bool,
    /// Consent to deletions that objects ask consent for (Prune=confirm)
    #[arg(long)]
    pub approve_deletions: bool,
    #[command(flatten)]
    pub part: Part,
}

/// The heading of what is about a part of an app.
const PARTS: &str = "Hooks, waves and parts";

/// Which part of the app, and by whose rules.
#[derive(Debug, Args)]
pub struct Part {
    /// Only objects with these labels: KEY=VALUE, KEY!=VALUE, KEY, !KEY, "KEY in (A,B)"; no hooks run
    #[arg(help_heading = PARTS, short = 'l', long, value_name = "LABELS")]
    pub selector: Option<String>,
    /// Only objects of these waves: N, N..M, N.. or ..M; no hooks run
    #[arg(help_heading = PARTS, long, value_name = "WAVES", allow_hyphen_values = true)]
    pub wave: Option<Waves>,
    /// Run this hook again and do nothing else: NAME or KIND/NAME; may be repeated
    #[arg(help_heading = PARTS, long, value_name = "NAME", conflicts_with_all = ["selector", "wave", "no_hooks", "prune"])]
    pub hook: Vec<String>,
    /// Run no hooks
    #[arg(help_heading = PARTS, long)]
    pub no_hooks: bool,
    /// Whose rules decide about order, hooks and health
    #[arg(help_heading = PARTS, long, value_name = "RULES", default_value = "towpath")]
    pub rules: RuleSet,
}

/// Whose rules decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RuleSet {
    /// Stages of kinds, Flux's health; hooks, waves and options under our names, Argo CD's and Helm's
    Towpath,
    /// Argo CD's order of kinds and health
    Argo,
    /// Flux's; hooks, waves and options under our own names only
    Kstatus,
}

/// Make a cluster hold these manifests as one app
///
/// Applies them server-side in a sensible order (definitions, settings, workloads, admission), and writes down what
/// the app has before anything is created, so that nothing is ever orphaned. What is as wanted is not touched.
///
/// Annotations of ours (towpath.dev/hook, towpath.dev/wave, towpath.dev/sync-options), of Argo CD and of Helm make an
/// object a hook or put it into a wave: PreSync hooks run to their end first, waves follow one another when what is in
/// them is ready, PostSync hooks run last, SyncFail hooks after a failure. Hooks run when there is anything to do, and
/// when these manifests have not been delivered with all their hooks yet.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  towpath deploy -f ./manifests --app shop -n web            show the changes, ask, apply
  towpath deploy -f ./manifests --app shop -n web --wait     and wait until everything is ready
  towpath deploy -f a.yaml -f b/ --app shop --prune --yes    delete what is gone from the files, do not ask
  kustomize build . | towpath deploy -f - --app shop         from a pipe
  towpath deploy -f . --app shop -l tier=web                 only a part; nothing else is touched
  towpath deploy -f . --app shop --wave 0..1                 only the first waves
  towpath deploy -f . --app shop --hook migrate              run the hook migrate again, and nothing else
  towpath deploy -f . --app shop --dry-run --exit-code       for scripts: 0 no change, 2 changes")]
pub struct Deploy {
    #[command(flatten)]
    pub wanted: Wanted,
    /// Wait until everything is ready
    #[arg(long)]
    pub wait: bool,
    /// How long to wait at most, for each thing that has to be waited for
    #[arg(long, value_name = "D", default_value = "5m", value_parser = settings::parse_duration)]
    pub timeout: Duration,
    /// Only show what would change
    #[arg(long)]
    pub dry_run: bool,
    /// Do not ask
    #[arg(short, long)]
    pub yes: bool,
    /// How many requests are under way at once
    #[arg(long, value_name = "N", default_value_t = settings::CONCURRENCY, hide = true)]
    pub concurrency: usize,
}

/// Show what deploy would change, field by field
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  towpath diff -f ./manifests --app shop -n web
  towpath diff -f ./manifests --app shop --why                  and why each field differs
  towpath diff -f ./manifests --app shop --prune --exit-code    0 no change, 2 changes")]
pub struct Diff {
    #[command(flatten)]
    pub wanted: Wanted,
    /// Say of every field that differs why, also of those that stay as they are
    #[arg(long)]
    pub why: bool,
}

/// Show what an app has and how it is
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  towpath inspect               the apps of the namespace
  towpath inspect -A            the apps of all namespaces
  towpath inspect shop -n web   the app's objects, their health, and what controllers made for them")]
pub struct Inspect {
    /// The app; without it, all apps of the namespace
    pub app: Option<String>,
    /// All namespaces
    #[arg(short = 'A', long, conflicts_with = "app")]
    pub all_namespaces: bool,
}

/// Delete an app with everything it has
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  towpath delete shop -n web          show what would go, ask, delete
  towpath delete shop -n web --yes    do not ask
  towpath delete app image            an app whose name is a kind word")]
pub struct Delete {
    /// The app, or `app` and its name
    #[arg(required = true, num_args = 1..=2, value_names = ["APP"])]
    pub app: Vec<String>,
    /// Do not ask
    #[arg(short, long)]
    pub yes: bool,
    /// Only show what would be deleted
    #[arg(long)]
    pub dry_run: bool,
    /// Consent to deletions that objects ask consent for (Delete=confirm)
    #[arg(long)]
    pub approve_deletions: bool,
    /// How long to wait at most until everything is gone
    #[arg(long, value_name = "D", default_value = "5m", value_parser = settings::parse_duration)]
    pub timeout: Duration,
}

/// Show the versions of this program and of the cluster
#[derive(Debug, Args)]
pub struct Version {
    /// Only of this program; the cluster is not asked
    #[arg(long)]
    pub client: bool,
}
