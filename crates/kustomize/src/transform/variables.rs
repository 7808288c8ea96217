//! `$(NAME)` in fields.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use towpath_yaml::{Content, Node, Style, Tag};

use crate::budget::Budget;
use crate::config::FieldSpec;
use crate::error::Error;
use crate::fieldpath;
use crate::resources::Resources;
use crate::spec::Var;
use crate::tree;
use crate::walk::{Make, each_field};

/// The values of all variables.
pub fn values(
    resources: &Resources,
    variables: &BTreeMap<String, Var>,
) -> Result<BTreeMap<String, Value>, Error> {
    variables.values().map(|variable| Ok((variable.name.clone(), value(resources, variable)?))).collect()
}

fn value(resources: &Resources, variable: &Var) -> Result<Value, Error> {
    let holder = resources.list().iter().find(|resource| resource.variables.contains(&variable.name));
    let Some(holder) = holder else {
        return Err(Error::invalid(format!(
            "var '{}' cannot be mapped to a field in the set of known resources",
            shown(variable)
        )));
    };
    let missing = || {
        Error::invalid(format!(
            "field specified in var '{}' not found in corresponding resource",
            shown(variable)
        ))
    };
    let path = fieldpath::with_indexes(&variable.fieldref.field_path);
    let node = fieldpath::lookup(&holder.node, &path).ok().flatten().ok_or_else(missing)?;
    match &node.content {
        Content::Scalar(text) => match node.tag {
            Tag::Int => text.parse::<i64>().map(Value::from).map_err(|_| missing()),
            Tag::Float => text.parse::<f64>().map(Value::from).map_err(|_| missing()),
            Tag::Bool => match &**text {
                "true" | "True" | "TRUE" => Ok(Value::Bool(true)),
                "false" | "False" | "FALSE" => Ok(Value::Bool(false)),
                _ => Err(missing()),
            },
            _ => Ok(Value::String(text.to_string())),
        },
        _ => node.to_json().map_err(|_| missing()),
    }
}

/// A variable as Go prints it.
pub fn shown(variable: &Var) -> String {
    format!("{{{} {} {{{}}}}}", variable.name, variable.objref.gvk.as_gvk(), variable.fieldref.field_path)
}

/// Replaces the variables in the fields that may have them; gives the names of those that were not used.
pub fn replace(
    resources: &mut Resources,
    values: &BTreeMap<String, Value>,
    specs: &[FieldSpec],
    budget: &Budget,
) -> Result<Vec<String>, Error> {
    let replacer = Replacer { values, used: RefCell::new(BTreeSet::new()), budget };
    for resource in resources.list_mut() {
        for spec in specs {
            each_field(resource, spec, Make::Nothing, &mut |node| replacer.field(node))?;
        }
    }
    let used = replacer.used.into_inner();
    Ok(values.keys().filter(|name| !used.contains(*name)).cloned().collect())
}

struct Replacer<'v> {
    values: &'v BTreeMap<String, Value>,
    used: RefCell<BTreeSet<String>>,
    budget: &'v Budget,
}

impl Replacer<'_> {
    fn field(&self, node: &mut Node) -> Result<(), Error> {
        if node.is_null() {
            return Ok(());
        }
        match &mut node.content {
            Content::Scalar(_) => self.scalar(node),
            Content::Map(entries) => entries.iter_mut().try_for_each(|entry| {
                if !matches!(entry.key.tag, Tag::Str | Tag::None) {
                    return Err(Error::invalid(format!(
                        "invalid map key: value='{}', tag='{}'",
                        entry.key.text,
                        entry.key.tag.name()
                    )));
                }
                self.scalar(&mut entry.value)
            }),
            Content::List(items) => items.iter_mut().try_for_each(|item| {
                if !tree::is_text(item) {
                    return Err(Error::invalid("invalid value type expect a string"));
                }
                self.scalar(item)
            }),
        }
    }

    fn scalar(&self, node: &mut Node) -> Result<(), Error> {
        if !tree::is_text(node) {
            return Ok(());
        }
        let (text, tag) = match self.expand(tree::raw(node))? {
            Value::String(text) => (text, Tag::Str),
            Value::Bool(flag) => (flag.to_string(), Tag::Bool),
            Value::Number(number) => {
                let tag = if number.is_f64() { Tag::Float } else { Tag::Int };
                (number.to_string(), tag)
            }
            other => (other.to_string(), Tag::Str),
        };
        *node = Node { tag, style: Style::PLAIN, ..Node::scalar(text) };
        Ok(())
    }

    /// The value of a variable; of an unknown one the text that names it.
    fn variable(&self, name: &str) -> Result<Value, Error> {
        Ok(match self.values.get(name) {
            Some(value @ (Value::String(_) | Value::Number(_) | Value::Bool(_))) => {
                self.budget.spend_copies(value.as_str().map_or(0, str::len), 1)?;
                self.used.borrow_mut().insert(name.to_owned());
                value.clone()
            }
            _ => Value::String(format!("$({name})")),
        })
    }

    fn expand(&self, text: &str) -> Result<Value, Error> {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            if after.is_empty() {
                break;
            }
            out.push_str(before);
            rest = after;
            if let Some(more) = rest.strip_prefix('$') {
                out.push('$');
                rest = more;
            } else if let Some((name, more)) = rest.strip_prefix('(').and_then(|inner| inner.split_once(')'))
            {
                let value = self.variable(name)?;
                if out.is_empty() && more.is_empty() && text.len() == name.len() + 3 {
                    return Ok(value);
                }
                match value {
                    Value::String(text) => out.push_str(&text),
                    other => out.push_str(&other.to_string()),
                }
                rest = more;
            } else {
                out.push('$');
                let mut letters = rest.chars();
                out.extend(letters.next());
                rest = letters.as_str();
            }
        }
        out.push_str(rest);
        Ok(Value::String(out))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::budget::Limits;

    use super::*;

    #[test]
    fn variables_are_expanded() {
        let values: BTreeMap<String, Value> = [("A", json!("a")), ("N", json!(5)), ("M", json!({}))]
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        let replacer =
            Replacer { values: &values, used: RefCell::default(), budget: &Budget::new(&Limits::default()) };
        for (text, expected) in [
            ("$(A)", json!("a")),
            ("$(N)", json!(5)),
            ("x-$(N)-$(A)", json!("x-5-a")),
            ("$$(A)", json!("$(A)")),
            ("$$$(A)", json!("$a")),
            ("$(B)", json!("$(B)")),
            ("$(M)", json!("$(M)")),
            ("$A $( $", json!("$A $( $")),
            ("$(A", json!("$(A")),
            ("$(A$(A))", json!("$(A$(A))")),
        ] {
            assert_eq!(replacer.expand(text).unwrap(), expected, "{text}");
        }
    }
}
