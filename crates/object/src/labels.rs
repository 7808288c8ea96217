//! Which objects, by their labels: the selectors that kubectl and the API take.
//! <https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#api>

/// What labels have to be for their object to be chosen. The default chooses everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSelector {
    requirements: Vec<Requirement>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Requirement {
    In(String, Vec<String>),
    NotIn(String, Vec<String>),
    Exists(String),
    Missing(String),
}

/// Why a text is no selector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text:?} is not a requirement: use KEY=VALUE, KEY!=VALUE, KEY, !KEY, KEY in (A,B) or KEY notin (A,B)"
)]
pub struct BadSelector {
    /// The part that cannot be understood.
    pub text: String,
}

impl LabelSelector {
    /// Reads requirements that are separated by commas; all of them have to hold.
    pub fn parse(text: &str) -> Result<Self, BadSelector> {
        let each = parts(text).map(|part| requirement(part).ok_or_else(|| BadSelector { text: part.into() }));
        Ok(Self { requirements: each.collect::<Result<_, _>>()? })
    }

    /// True when it chooses everything.
    pub fn is_all(&self) -> bool {
        self.requirements.is_empty()
    }

    /// Whether an object is chosen whose labels are these.
    pub fn takes<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.requirements.iter().all(|one| match one {
            Requirement::In(name, values) => {
                label(name).is_some_and(|value| values.iter().any(|v| v == value))
            }
            Requirement::NotIn(name, values) => {
                label(name).is_none_or(|value| values.iter().all(|v| v != value))
            }
            Requirement::Exists(name) => label(name).is_some(),
            Requirement::Missing(name) => label(name).is_none(),
        })
    }
}

/// The parts of a selector: separated by commas, but not by those in parentheses.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0u32;
    text.split(move |letter| {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    })
    .map(str::trim)
    .filter(|text| !text.is_empty())
}

fn requirement(text: &str) -> Option<Requirement> {
    let is_name = |name: &str| !name.is_empty() && !name.contains([' ', '=', '!', '(', ')', ',']);
    let named = |name: &str| is_name(name.trim()).then(|| name.trim().to_owned());
    if let Some((name, value)) = text.split_once("!=") {
        return Some(Requirement::NotIn(named(name)?, vec![value.trim().into()]));
    }
    if let Some((name, value)) = text.split_once("==").or_else(|| text.split_once('=')) {
        return Some(Requirement::In(named(name)?, vec![value.trim().into()]));
    }
    if let Some(name) = text.strip_prefix('!') {
        return Some(Requirement::Missing(named(name)?));
    }
    let Some((head, values)) = text.split_once('(') else { return Some(Requirement::Exists(named(text)?)) };
    let values = values.strip_suffix(')')?.split(',').map(|value| value.trim().to_owned()).collect();
    let (name, word) = head.trim().rsplit_once(char::is_whitespace)?;
    match word {
        "in" => Some(Requirement::In(named(name)?, values)),
        "notin" => Some(Requirement::NotIn(named(name)?, values)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_requirements_have_to_hold() {
        let takes = |text: &str| {
            LabelSelector::parse(text).unwrap().takes(|name| match name {
                "app" => Some("web"),
                "tier" => Some("front"),
                _ => None,
            })
        };
        for yes in
            ["", "app=web", "app==web,tier!=back", "app in (web, api),tier", "!odd", "odd notin (a)", "x!=1"]
        {
            assert!(takes(yes), "{yes}");
        }
        for no in ["app=api", "tier notin (front,back)", "!app", "odd", "odd=x", "app in (api)"] {
            assert!(!takes(no), "{no}");
        }
        for bad in ["a in b", "=a", "a b", "a in (b", "a on (b)"] {
            assert!(LabelSelector::parse(bad).is_err(), "{bad}");
        }
    }
}
