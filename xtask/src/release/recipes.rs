//! The binaries of a release and the ways to make each, best first.
//!
//! In: what this machine has. Out: for each binary the first way that works here, or the reasons why none does.

/// A way to make a binary.
#[derive(Debug, PartialEq, Eq)]
pub struct Recipe {
    /// Rust's name of the platform.
    pub triple: &'static str,
    /// C compilers that can make code for it and link it; the first that is here is taken.
    pub compilers: &'static [&'static str],
    /// Flags for rustc.
    pub flags: &'static [&'static str],
}

/// The binaries, each with its recipes.
///
/// musl gives one file that runs on every Linux; glibc linked statically does too, but resolves names only
/// through plain DNS and `/etc/hosts`, so it is second. macOS always links its system library.
pub const BINARIES: &[(&str, &[Recipe])] = &[
    (
        "towpath-linux-amd64",
        &[
            recipe("x86_64-unknown-linux-musl", &["x86_64-linux-musl-gcc", "musl-gcc"], &[]),
            recipe("x86_64-unknown-linux-gnu", &["x86_64-linux-gnu-gcc", "cc"], STATIC),
        ],
    ),
    (
        "towpath-linux-arm64",
        &[
            recipe("aarch64-unknown-linux-musl", &["aarch64-linux-musl-gcc"], &[]),
            recipe("aarch64-unknown-linux-gnu", &["aarch64-linux-gnu-gcc", "cc"], STATIC),
        ],
    ),
    ("towpath-darwin-amd64", &[recipe("x86_64-apple-darwin", &["o64-clang", "cc"], &[])]),
    ("towpath-darwin-arm64", &[recipe("aarch64-apple-darwin", &["oa64-clang", "cc"], &[])]),
];

const STATIC: &[&str] = &["-Ctarget-feature=+crt-static"];

const fn recipe(
    triple: &'static str,
    compilers: &'static [&'static str],
    flags: &'static [&'static str],
) -> Recipe {
    Recipe { triple, compilers, flags }
}

/// The platforms that releases are made for.
pub fn triples() -> impl Iterator<Item = &'static str> {
    BINARIES.iter().filter_map(|(_, recipes)| recipes.first()).map(|recipe| recipe.triple)
}

/// What a machine has.
pub struct Machine<'a> {
    /// Its own platform: the plain `cc` compiles for this operating system only.
    pub host: &'a str,
    /// Whether Rust's standard library for a platform is installed.
    pub has_library: &'a dyn Fn(&str) -> bool,
    /// Whether a program is installed.
    pub has_program: &'a dyn Fn(&str) -> bool,
}

/// The first recipe that works here with its compiler, or why none does.
pub fn choose<'a>(recipes: &'a [Recipe], machine: &Machine) -> Result<(&'a Recipe, &'static str), String> {
    let mut reasons = Vec::new();
    for recipe in recipes {
        let compiler = recipe.compilers.iter().find(|name| {
            (machine.has_program)(name) && (**name != "cc" || compiles_natively(machine.host, recipe.triple))
        });
        match compiler {
            _ if !(machine.has_library)(recipe.triple) => {
                reasons
                    .push(format!("Rust's library for it is missing (rustup target add {})", recipe.triple));
            }
            None => {
                let names: Vec<_> = recipe.compilers.iter().filter(|name| **name != "cc").copied().collect();
                reasons.push(format!("no C compiler for {} ({})", recipe.triple, names.join(" or ")));
            }
            Some(compiler) => return Ok((recipe, compiler)),
        }
    }
    Err(reasons.join("; "))
}

/// Apple's `cc` compiles for both of Apple's architectures; elsewhere it compiles for the host only.
fn compiles_natively(host: &str, triple: &str) -> bool {
    host == triple || (host.ends_with("-apple-darwin") && triple.ends_with("-apple-darwin"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: &str = "x86_64-unknown-linux-gnu";

    fn chosen(binary: &str, libraries: &[&str], programs: &[&str]) -> Result<(String, String), String> {
        let (_, recipes) = BINARIES.iter().find(|(name, _)| *name == binary).unwrap();
        let has_library = |triple: &str| libraries.contains(&triple);
        let has_program = |program: &str| programs.contains(&program);
        let machine = Machine { host: HOST, has_library: &has_library, has_program: &has_program };
        let (recipe, compiler) = choose(recipes, &machine)?;
        Ok((recipe.triple.to_owned(), compiler.to_owned()))
    }

    #[test]
    fn musl_comes_first_where_it_can() {
        let found = chosen("towpath-linux-amd64", &["x86_64-unknown-linux-musl", HOST], &["musl-gcc", "cc"]);
        assert_eq!(found, Ok(("x86_64-unknown-linux-musl".into(), "musl-gcc".into())));
    }

    #[test]
    fn static_glibc_comes_second() {
        let found = chosen("towpath-linux-amd64", &["x86_64-unknown-linux-musl", HOST], &["cc"]);
        assert_eq!(found, Ok((HOST.into(), "cc".into())));
    }

    #[test]
    fn what_is_missing_is_said() {
        let reasons = chosen("towpath-linux-arm64", &["aarch64-unknown-linux-gnu"], &["cc"]).unwrap_err();
        let first = "Rust's library for it is missing (rustup target add aarch64-unknown-linux-musl)";
        let second = "no C compiler for aarch64-unknown-linux-gnu (aarch64-linux-gnu-gcc)";
        assert_eq!(reasons, format!("{first}; {second}"));
    }

    #[test]
    fn a_linux_compiler_does_not_make_macos_binaries() {
        assert!(chosen("towpath-darwin-arm64", &["aarch64-apple-darwin"], &["cc"]).is_err());
        assert!(compiles_natively("aarch64-apple-darwin", "x86_64-apple-darwin"));
    }
}
