//! `setup`: the real tools, found or made.

use anyhow::{Result, bail};

use crate::cargo::root;

/// What tests start beside us. kubectl is the peer in benchmarks and the second opinion in tests.
const NEEDED: &[&str] =
    &["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl", "kwok"];

/// `cargo xtask setup [TOOL…]`
pub fn run(args: &[String]) -> Result<()> {
    let tools = match args {
        [] => needed(),
        [one] if one == "all" => available(),
        some => some.iter().map(String::as_str).collect(),
    };
    if let Some(unknown) = tools.iter().find(|tool| towpath_toolbox::table::lookup(tool).is_none()) {
        bail!("no tool is called {unknown}; there are: {}", towpath_toolbox::table::names().join(", "));
    }
    ensure(&tools)
}

/// The tools that `cargo xtask test` needs.
pub fn needed() -> Vec<&'static str> {
    let mut tools = NEEDED.to_vec();
    if has_module("yamloracle") {
        tools.push("yamloracle");
    }
    tools
}

/// Finds or makes tools, and says where each is.
pub fn ensure(tools: &[&str]) -> Result<()> {
    for tool in tools {
        let path = towpath_toolbox::ensure(tool)?;
        println!("{tool:<24} {}", path.display());
        if *tool == "kwok" {
            println!("{:<24} {}", "kwok-stages", towpath_toolbox::kwok_stages()?.display());
        }
    }
    Ok(())
}

fn available() -> Vec<&'static str> {
    let modules = towpath_toolbox::table::MODULES.iter().filter(|module| has_module(module.folder));
    modules.flat_map(|module| module.tools).map(|tool| tool.name).collect()
}

fn has_module(folder: &str) -> bool {
    root().join("tools").join(folder).join("go.mod").is_file()
}
