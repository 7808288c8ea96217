//! Executes templates.
//!
//! In: a tree, its set, the value of dot and a [`Run`]. Out: what the template prints, or an error with Go's
//! text: it names the template, the line, the column and the node that was being evaluated.

mod argument;
mod call;
mod error;
mod field;
mod pipeline;
mod range;

pub(crate) use call::prepare;
pub(crate) use field::pointed_to;

use crate::error::Error;
use crate::fmt;
use crate::parse::{Branch, Call, List, Node, Tree};
use crate::run::{Run, with_stack};
use crate::set::Templates;
use crate::value::{Operand, Type, Value};
use error::At;

/// Why a walk ends before its end.
pub(crate) enum Flow {
    Break,
    Continue,
    Error(Box<Error>),
}

type Walk<T = ()> = Result<T, Flow>;

/// An execution: where it is, its variables and what it printed.
struct Exec<'t, 'r, 'h> {
    templates: &'t Templates,
    run: &'r mut Run<'h>,
    tree: &'t Tree,
    at: At<'t>,
    /// Variables of all templates that are being executed; those of this one begin at `base`.
    variables: Vec<(u32, Operand)>,
    base: usize,
    out: Vec<u8>,
}

pub(crate) fn execute(
    templates: &Templates,
    tree: &Tree,
    dot: Value,
    run: &mut Run<'_>,
) -> Result<Vec<u8>, Error> {
    let dot = Operand::plain(dot);
    let mut exec = Exec {
        templates,
        run,
        tree,
        at: At::List(&tree.root),
        variables: vec![(0, dot.clone())],
        base: 0,
        out: Vec::new(),
    };
    let done = with_stack(|| exec.list(&dot, &tree.root));
    let Exec { out, run, .. } = exec;
    run.printed += out.len();
    match done {
        Err(Flow::Error(error)) => Err(*error),
        // The parser allows break and continue within a range only.
        Ok(()) | Err(Flow::Break | Flow::Continue) => Ok(out),
    }
}

impl<'t> Exec<'t, '_, '_> {
    fn list(&mut self, dot: &Operand, list: &'t List) -> Walk {
        self.at = At::List(list);
        list.nodes.iter().try_for_each(|node| self.node(dot, node))
    }

    fn node(&mut self, dot: &Operand, node: &'t Node) -> Walk {
        self.at = At::Node(node);
        self.step()?;
        match node {
            Node::Text(_, text) => self.out.extend_from_slice(text),
            Node::Action(_, pipe) => {
                let value = self.pipeline(dot, pipe)?;
                if pipe.variables.is_empty() {
                    self.at = At::Node(node);
                    self.print(node, value)?;
                }
            }
            Node::If(branch) | Node::With(branch) => {
                let with = matches!(node, Node::With(_));
                with_stack(|| self.if_or_with(dot, branch, with))?;
            }
            Node::Range(branch) => with_stack(|| self.range(dot, node, branch))?,
            Node::Template(call) => with_stack(|| self.template(dot, node, call))?,
            Node::Break(_) => return Err(Flow::Break),
            Node::Continue(_) => return Err(Flow::Continue),
        }
        Ok(())
    }

    fn step(&mut self) -> Walk {
        self.run.steps += 1;
        if self.run.steps > self.run.limits.steps {
            return Err(self.fail(&format!("exceeded the limit of {} steps", self.run.limits.steps)));
        }
        if self.run.printed + self.out.len() > self.run.limits.output {
            return Err(self.fail(&format!("exceeded the limit of {} bytes", self.run.limits.output)));
        }
        Ok(())
    }

    fn print(&mut self, node: &Node, operand: Operand) -> Walk {
        match field::pointed_to(operand.value) {
            Value::Nil => self.out.extend_from_slice(b"<no value>"),
            function if function.go_type().under() == Type::Func => {
                let name = function.type_name();
                return Err(self.fail(&format!("can't print {node} of type {name}")));
            }
            value => fmt::print_action(&mut self.out, &value),
        }
        Ok(())
    }

    fn if_or_with(&mut self, dot: &Operand, branch: &'t Branch, with: bool) -> Walk {
        let mark = self.variables.len();
        let operand = self.pipeline(dot, &branch.pipe)?;
        let done = match (operand.value.truth(), &branch.otherwise) {
            (true, _) if with => self.list(&operand, &branch.list),
            (true, _) => self.list(dot, &branch.list),
            (false, Some(otherwise)) => self.list(dot, otherwise),
            (false, None) => Ok(()),
        };
        self.variables.truncate(mark);
        done
    }

    fn template(&mut self, dot: &Operand, node: &'t Node, call: &'t Call) -> Walk {
        let Some(tree) = self.templates.find(&call.name) else {
            let name = crate::fmt::quote::quoted(&call.name);
            return Err(self.fail(&format!("template {name} not defined")));
        };
        let limit = self.run.limits.depth;
        if self.run.depth >= limit {
            return Err(self.fail(&format!("exceeded maximum template depth ({limit})")));
        }
        let dot = match &call.pipe {
            Some(pipe) => self.pipeline(dot, pipe)?,
            None => Operand::INVALID,
        };
        let base = std::mem::replace(&mut self.base, self.variables.len());
        self.variables.push((0, dot.clone()));
        let outer = std::mem::replace(&mut self.tree, tree);
        self.run.depth += 1;
        let done = self.list(&dot, &tree.root);
        self.run.depth -= 1;
        done?;
        self.variables.truncate(self.base);
        self.base = base;
        self.tree = outer;
        self.at = At::Node(node);
        Ok(())
    }
}
