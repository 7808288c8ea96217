//! Any bytes are a template or a clear refusal, within a limit of work: never a panic.

use std::borrow::Cow;

use proptest::prelude::*;
use towpath_substitute::{ExpandError, ParseError, Template};

/// What once went wrong somewhere, or might: replayed before anything is generated.
const SEEDS: &[&[u8]] = &[
    b"",
    b"$",
    b"${",
    b"${}",
    b"${#",
    b"${#}",
    b"${##v}",
    b"${v",
    b"${v:",
    b"${v:}",
    b"${v::}",
    b"${v:1:}",
    b"${v:1:9223372036854775807}",
    b"${v:-9223372036854775808:-9223372036854775808}",
    b"${v/",
    b"${v//",
    b"${v//}",
    b"${v///}",
    b"${v//${e}/x}",
    b"${v/\\/\\/}",
    b"${v#[}",
    b"${v#[a-}",
    b"${v%%\\}",
    b"${v,^}",
    b"${v:=${v:=${v}}}",
    b"$$${v}$$$",
    b"a\0${v",
    b"${v\0}",
    b"${\xFF}",
    b"\xC3${v:0:1}\xC3",
    b"${v:-$${v}}",
];

fn expand(text: &[u8]) -> Option<Result<Vec<u8>, ExpandError>> {
    let lookup = |name: &str| match name {
        "v" => Some(Cow::Borrowed("äb/c.*[d]\\é".as_bytes())),
        "e" => Some(Cow::Borrowed(&[][..])),
        "broken" => Some(Cow::Borrowed(&b"\xFF\xC3a"[..])),
        _ => None,
    };
    Some(Template::parse(text).ok()?.expand(lookup))
}

#[test]
fn the_seeds_are_survived() {
    for seed in SEEDS {
        expand(seed);
    }
}

#[test]
fn deep_nesting_is_refused() {
    let text = "${v:=".repeat(1_000_000);
    assert_eq!(Template::parse(text.as_bytes()), Err(ParseError::Depth(200)));
    let fits = format!("{}{}", "${e:=".repeat(200), "}".repeat(200));
    assert_eq!(expand(fits.as_bytes()), Some(Ok(Vec::new())));
}

#[test]
fn a_result_that_explodes_is_refused() {
    let value = vec![b'a'; 1 << 20];
    let text = b"${v//a/${v}}";
    let result = Template::parse(text).unwrap().expand(|_| Some(Cow::Borrowed(&value[..])));
    assert_eq!(result, Err(ExpandError::Size(64 << 20)));
}

#[test]
fn a_pattern_that_takes_for_ever_is_refused() {
    let value = vec![b'a'; 1 << 20];
    let text = b"${v#*a*a*a*b}";
    let result = Template::parse(text).unwrap().expand(|_| Some(Cow::Borrowed(&value[..])));
    assert_eq!(result, Err(ExpandError::Work("v#".into())));
}

proptest! {
    #[test]
    fn any_bytes(text in prop::collection::vec(any::<u8>(), 0..200)) {
        expand(&text);
    }

    #[test]
    fn any_mixture_of_what_means_something(
        text in r"(\$\{|\$|\}|v|e|broken|#|##|%|%%|/|//|:|:=|:-|-|\+|\?|=|\^|,|[0-9]|\\|\*|\[|\]|é| ){0,24}"
    ) {
        expand(text.as_bytes());
    }

    #[test]
    fn text_without_a_dollar_is_itself(text in "[^$\0]*") {
        prop_assert_eq!(expand(text.as_bytes()), Some(Ok(text.into_bytes())));
    }
}
