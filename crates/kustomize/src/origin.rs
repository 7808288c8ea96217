//! Where an object came from, and what changed it: the annotations that `buildMetadata` asks for.

use std::fmt::Write as _;

use crate::{path, remote};

/// A file, or a generator or transformer in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The file or folder.
    pub path: String,
    /// The file that configures what made or changed the object.
    pub configured_in: String,
    /// What made or changed the object.
    pub configured_by: Identifier,
}

/// A configuration by its type and name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identifier {
    /// Its apiVersion.
    pub api_version: String,
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
}

impl Origin {
    /// The origin of what lies below.
    pub fn below(&self, more: &str) -> Self {
        let mut origin = self.clone();
        // What is fetched begins a new tree; such builds are refused before anybody sees the origin.
        if !remote::is_repository(more) {
            origin.path = path::join(&self.path, more);
        }
        origin
    }

    /// The origin of what a built-in generator or transformer of a kustomization does.
    pub fn of_built_in(&self, file: &str, kind: &str) -> Self {
        let by =
            Identifier { api_version: "builtin".to_owned(), kind: kind.to_owned(), ..Identifier::default() };
        Self { path: String::new(), configured_in: path::join(&self.path, file), configured_by: by }
    }

    /// The fields that are not empty, as YAML.
    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut field = |name: &str, value: &str| {
            if !value.is_empty() {
                lines.push(format!("{name}: {}", scalar(value)));
            }
        };
        field("path", &self.path);
        field("configuredIn", &self.configured_in);
        let by = &self.configured_by;
        if *by != Identifier::default() {
            lines.push("configuredBy:".to_owned());
            let inner = [
                ("apiVersion", &by.api_version),
                ("kind", &by.kind),
                ("name", &by.name),
                ("namespace", &by.namespace),
            ];
            for (name, value) in inner {
                if !value.is_empty() {
                    lines.push(format!("  {name}: {}", scalar(value)));
                }
            }
        }
        lines
    }

    /// The annotation.
    pub fn to_text(&self) -> String {
        match self.lines() {
            lines if lines.is_empty() => "{}\n".to_owned(),
            lines => lines.iter().map(|line| format!("{line}\n")).collect(),
        }
    }
}

/// Many origins as one annotation.
pub fn list(origins: &[Origin]) -> String {
    let mut text = String::new();
    for origin in origins {
        for (number, line) in origin.lines().iter().enumerate() {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{} {line}", if number == 0 { "-" } else { " " });
        }
    }
    text
}

/// A string as YAML: quoted where it would be read as something else.
fn scalar(value: &str) -> String {
    towpath_yaml::to_string(&serde_json::Value::String(value.to_owned())).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_written_as_yaml() {
        let origin = Origin::default().below("../base").below("a.yaml");
        assert_eq!(origin.to_text(), "path: ../base/a.yaml\n");
        let made = Origin { path: "base".into(), ..Origin::default() }.of_built_in("kustomization.yaml", "X");
        assert_eq!(
            list(&[made]),
            "- configuredIn: base/kustomization.yaml\n  configuredBy:\n    apiVersion: builtin\n    kind: X\n"
        );
    }
}
