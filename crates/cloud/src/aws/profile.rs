//! `~/.aws/config` and `~/.aws/credentials`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use zeroize::Zeroizing;

use crate::environment::{self, Environment};
use crate::error::Error;

/// The settings of one profile; secrets among them, so there is no `Debug`.
#[derive(Default)]
pub(crate) struct Profile {
    settings: BTreeMap<String, Zeroizing<String>>,
}

impl Profile {
    pub fn get(&self, name: &str) -> Option<&str> {
        self.settings.get(name).map(|value| value.as_str()).filter(|value| !value.is_empty())
    }
}

/// All profiles of both files.
#[derive(Default)]
pub(crate) struct Profiles {
    profiles: BTreeMap<String, Profile>,
}

impl Profiles {
    pub fn read(environment: &Environment) -> Result<Self, Error> {
        let path = |variable: &str, usual: &str| {
            environment.get(variable).map(PathBuf::from).or_else(|| environment.at_home(usual))
        };
        let mut all = Self::default();
        if let Some(path) = path("AWS_CONFIG_FILE", ".aws/config")
            && let Some(text) = environment::file_if_any(&path)?
        {
            all.take_in(&text, Kind::Config);
        }
        if let Some(path) = path("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials")
            && let Some(text) = environment::file_if_any(&path)?
        {
            all.take_in(&text, Kind::Credentials);
        }
        Ok(all)
    }

    pub fn get(&self, name: &str) -> Option<&Profile> {
        self.profiles.get(name)
    }

    fn take_in(&mut self, text: &str, kind: Kind) {
        let mut current: Option<String> = None;
        for line in text.lines() {
            // An indented line belongs to a nested setting, of which we need none.
            if line.starts_with([' ', '\t', '#', ';']) {
                continue;
            }
            if let Some(section) = line.strip_prefix('[').and_then(|line| line.split_once(']')) {
                current = kind.name(section.0).map(str::to_owned);
                if let Some(name) = &current {
                    self.profiles.entry(name.clone()).or_default();
                }
                continue;
            }
            let (Some(name), Some((key, value))) = (&current, line.split_once('=')) else { continue };
            let value = value.split([' ', '\t']).filter(|word| !word.is_empty()).take_while(|word| {
                // A comment behind a value begins with a sign of its own.
                !word.starts_with('#') && !word.starts_with(';')
            });
            let value = Zeroizing::new(value.collect::<Vec<_>>().join(" "));
            let profile = self.profiles.entry(name.clone()).or_default();
            profile.settings.insert(key.trim().to_lowercase(), value);
        }
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Config,
    Credentials,
}

impl Kind {
    /// The profile that a section is for: in the configuration all but `default` begin with a word.
    fn name(self, section: &str) -> Option<&str> {
        let section = section.trim();
        match self {
            Self::Credentials => Some(section),
            Self::Config if section == "default" => Some(section),
            Self::Config => {
                section.strip_prefix("profile").filter(|rest| rest.starts_with([' ', '\t'])).map(str::trim)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_files_make_one_profile() {
        let mut all = Profiles::default();
        let config =
            "[default]\nregion=eu\n[profile a]\nrole_arn = r # why\ns3 =\n  x = y\n[sso-session s]\nk=v\n";
        all.take_in(config, Kind::Config);
        all.take_in("[a]\naws_access_key_id = I\n;[b]\n[c]\naws_access_key_id=J\n", Kind::Credentials);
        let of = |profile: &str, name: &str| {
            all.get(profile).and_then(|profile| profile.get(name)).map(str::to_owned)
        };
        assert_eq!(of("a", "role_arn").as_deref(), Some("r"));
        assert_eq!(of("a", "aws_access_key_id").as_deref(), Some("I"));
        assert_eq!(of("c", "aws_access_key_id").as_deref(), Some("J"));
        assert_eq!(of("default", "region").as_deref(), Some("eu"));
        assert!(all.get("b").is_none() && all.get("sso-session s").is_none());
        assert_eq!(of("a", "x"), None);
    }
}
