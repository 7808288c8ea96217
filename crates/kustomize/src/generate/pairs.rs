//! Keys and values from literals, env files and files.

use std::collections::BTreeMap;

use crate::error::{Error, Within};
use crate::files::Use;
use crate::loader::Loader;
use crate::path;
use crate::spec::GeneratorArgs;

/// The longest line of an env file that Go's scanner takes; it ends there without a word.
const LONGEST_LINE: usize = 64 * 1024;

/// What a generator makes.
#[derive(Clone, Copy)]
pub enum Made {
    ConfigMap,
    Secret,
}

impl Made {
    fn of_env(self) -> Use<'static> {
        match self {
            Self::ConfigMap => Use::ConfigMapEnv,
            Self::Secret => Use::SecretEnv,
        }
    }

    fn of_file(self, key: &str) -> Use<'_> {
        match self {
            Self::ConfigMap => Use::ConfigMap { key },
            Self::Secret => Use::Secret { key },
        }
    }
}

/// All keys and values of a generator.
pub fn load(
    loader: &Loader<'_>,
    args: &GeneratorArgs,
    made: Made,
) -> Result<BTreeMap<String, Vec<u8>>, Error> {
    let pairs = collect(loader, args, made).within(|| "loading KV pairs")?;
    let mut known = BTreeMap::new();
    for (key, value) in pairs {
        if known.contains_key(&key) {
            return Err(Error::invalid(format!("configmap {} illegally repeats the key `{key}`", args.name)));
        }
        known.insert(key, value);
    }
    Ok(known)
}

fn collect(loader: &Loader<'_>, args: &GeneratorArgs, made: Made) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let sources = &args.sources;
    let mut all = Vec::new();
    for env in &sources.envs {
        let pairs = loader.input(env, made.of_env()).and_then(|content| env_file(&content));
        all.extend(pairs.within(|| format!("env source files: {}", listed(&sources.envs)))?);
    }
    for text in &sources.literals {
        all.push(literal(text).within(|| format!("literal sources {}", listed(&sources.literals)))?);
    }
    for source in &sources.files {
        let pair = file(loader, source, made);
        all.push(pair.within(|| format!("file sources: {}", listed(&sources.files)))?);
    }
    Ok(all)
}

/// A list as Go prints it.
fn listed(list: &[String]) -> String {
    format!("[{}]", list.join(" "))
}

fn literal(text: &str) -> Result<(String, Vec<u8>), Error> {
    let refused = || Error::invalid(format!("invalid literal source {text}, expected key=value"));
    let (key, value) = text.split_once('=').ok_or_else(refused)?;
    if key.is_empty() {
        return Err(refused());
    }
    let quoted = ['"', '\''].into_iter().find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
    Ok((key.to_owned(), quoted.unwrap_or(value).into()))
}

fn file(loader: &Loader<'_>, source: &str, made: Made) -> Result<(String, Vec<u8>), Error> {
    let (key, path) = match source.split('=').collect::<Vec<_>>().as_slice() {
        [path] => (path::base(path), *path),
        ["", path] => {
            return Err(Error::invalid(format!(
                "missing key name for file path {path:?} in source {source:?}"
            )));
        }
        [key, ""] => {
            return Err(Error::invalid(format!(
                "missing file path for key name {key:?} in source {source:?}"
            )));
        }
        [key, path] => (*key, *path),
        _ => return Err(Error::invalid(format!("source {source:?} key name or file path contains '='"))),
    };
    Ok((key.to_owned(), loader.input(path, made.of_file(key))?))
}

fn env_file(content: &[u8]) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let mut pairs = Vec::new();
    for (number, line) in content.split(|byte| *byte == b'\n').enumerate() {
        if line.len() >= LONGEST_LINE {
            break;
        }
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let Ok(line) = std::str::from_utf8(line) else {
            return Err(Error::invalid(format!("line {} of an env file has invalid utf8 bytes", number + 1)));
        };
        let line = if number == 0 { line.strip_prefix('\u{FEFF}').unwrap_or(line) } else { line };
        let line = line.trim_start();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        if !key.is_empty() {
            pairs.push((key.to_owned(), value.into()));
        }
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_lose_one_pair_of_quotes() {
        let value = |text| String::from_utf8(literal(text).unwrap().1).unwrap();
        assert_eq!(value("a='b'"), "b");
        assert_eq!(value("a=\"b'"), "\"b'");
        assert_eq!(value("a=b=c"), "b=c");
        assert_eq!(value("a=\""), "\"");
        assert!(literal("=b").is_err());
        assert!(literal("b").is_err());
    }

    #[test]
    fn env_files_are_lines() {
        let long = format!("\u{FEFF}a=1\r\n  # no\n\tb = 2 \nc\n=x\nd={}\ne=1\n", "x".repeat(LONGEST_LINE));
        let pairs = env_file(long.as_bytes()).unwrap();
        let texts: Vec<_> =
            pairs.iter().map(|(key, value)| (key.as_str(), std::str::from_utf8(value).unwrap())).collect();
        assert_eq!(texts, [("a", "1"), ("b ", " 2 "), ("c", "")]);
        assert!(env_file(b"a=\xFF\n").is_err());
    }
}
