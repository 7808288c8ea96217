//! The tables of the library's own tests.

use std::collections::BTreeMap;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use towpath_substitute::{Part, Template};

use super::{Question, compare};
use crate::modules;
use crate::score::{Score, Verdict};

#[derive(Deserialize)]
struct Tables {
    expand: Vec<Expand>,
    call: Vec<Call>,
    parse: Vec<Parse>,
}

/// Variables and a text to its expansion, or an error.
#[derive(Deserialize)]
struct Expand {
    test: String,
    params: BTreeMap<String, String>,
    input: String,
    output: String,
    #[serde(default)]
    error: String,
}

/// A function of the library to its result.
#[derive(Deserialize)]
struct Call {
    function: String,
    args: Vec<String>,
    want: String,
}

/// A text to its tree.
#[derive(Deserialize)]
struct Parse {
    text: String,
    node: Node,
}

#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct Node {
    text: Option<String>,
    name: Option<String>,
    operator: String,
    nodes: Vec<Node>,
}

pub fn run(score: &mut Score) -> Result<()> {
    let tables = read()?;
    if tables.expand.is_empty() || tables.call.is_empty() || tables.parse.is_empty() {
        bail!("a table of the library's tests was not found");
    }
    for case in tables.expand {
        score.add(&format!("{} {}", case.test, case.input), expand(case)?);
    }
    for case in tables.call {
        score.add(&format!("{} {:?}", case.function, case.args), call(&case)?);
    }
    for case in tables.parse {
        score.add(&format!("parse {}", case.text), parse(&case));
    }
    Ok(())
}

fn read() -> Result<Tables> {
    let folder = modules::ENVSUBST.folder()?;
    let program = towpath_toolbox::ensure("envsubstoracle")?;
    let output = Command::new(&program).arg("tables").arg(folder).output().context("start the oracle")?;
    if !output.status.success() {
        bail!("read the tables: {}", String::from_utf8_lossy(&output.stderr));
    }
    serde_json::from_slice(&output.stdout).context("the oracle's tables")
}

fn expand(case: Expand) -> Result<Verdict> {
    let variables = case.params.into_iter().map(|(name, value)| (name, value.into_bytes())).collect();
    let question =
        Question { text: case.input.into_bytes(), variables, strict: case.test.contains("Strict") };
    let ours = question.ours();
    match (case.error.as_str(), &ours) {
        ("errVarNotSet", Err(error)) if error.starts_with("variable not set (strict mode): ") => {
            Ok(Verdict::Agreed)
        }
        ("errVarNotSet", _) => {
            Ok(Verdict::Missed(format!("  ours {ours:?}\n  Flux variable not set (strict mode)")))
        }
        ("", _) => Ok(compare(&ours, &Ok(case.output.into_bytes()))),
        (unknown, _) => bail!("the tests name an error that we do not know: {unknown}"),
    }
}

/// The functions of the library by the expressions that call them.
fn call(case: &Call) -> Result<Verdict> {
    let Some((value, args)) = case.args.split_first() else { bail!("{} without a value", case.function) };
    let text = match case.function.as_str() {
        "toLen" => "${#v}".to_owned(),
        "toLower" => "${v,,}".to_owned(),
        "toLowerFirst" => "${v,}".to_owned(),
        "toUpper" => "${v^^}".to_owned(),
        "toUpperFirst" => "${v^}".to_owned(),
        "toDefault" => format!("${{v:-{}}}", args.concat()),
        // Through variables: `${v:-3}` would be a default.
        "toSubstr" if args.len() == 1 => "${v:${a0}}".to_owned(),
        "toSubstr" => "${v:${a0}:${a1}}".to_owned(),
        unknown => bail!("the tests call a function that we do not know: {unknown}"),
    };
    let named = args.iter().enumerate().map(|(index, arg)| (format!("a{index}"), arg.clone().into_bytes()));
    let variables = named.chain([("v".to_owned(), value.clone().into_bytes())]).collect();
    let question = Question { text: text.into_bytes(), variables, strict: true };
    Ok(compare(&question.ours(), &Ok(case.want.clone().into_bytes())))
}

fn parse(case: &Parse) -> Verdict {
    let theirs = flat(&case.node);
    match Template::parse(case.text.as_bytes()) {
        Ok(template) if same(&template.parts, &theirs) => Verdict::Agreed,
        ours => Verdict::Missed(format!("  ours {ours:?}")),
    }
}

/// The parts of a tree in order: the library nests its lists.
fn flat(node: &Node) -> Vec<&Node> {
    if node.name.is_none() && node.text.is_none() {
        node.nodes.iter().flat_map(flat).collect()
    } else {
        vec![node]
    }
}

fn same(ours: &[Part<'_>], theirs: &[&Node]) -> bool {
    ours.len() == theirs.len()
        && ours.iter().zip(theirs).all(|(ours, theirs)| match ours {
            Part::Text(text) => theirs.text.as_ref().is_some_and(|theirs| theirs.as_bytes() == text.as_ref()),
            Part::Expression(expression) => {
                let arguments: Vec<&Node> = theirs.nodes.iter().collect();
                theirs.name.as_deref() == Some(expression.name.as_ref())
                    && theirs.operator == expression.operator
                    && same(&expression.arguments, &arguments)
            }
        })
}
