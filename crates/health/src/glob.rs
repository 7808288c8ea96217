//! Names of kinds with wildcards.

/// A name with wildcards: `*` for any characters, `?` for one, `[a-z]`, `[!a-z]`, `{a,b}`; `\` before a
/// character takes it as it is.
#[derive(Clone, Debug)]
pub(crate) struct Glob {
    text: String,
    /// One for each way to choose from the braces.
    choices: Vec<Vec<Token>>,
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Literal(char),
    One,
    Any,
    Set { negated: bool, ranges: Vec<(char, char)> },
}

/// How many ways of choosing from braces a name may have.
const CHOICES: usize = 64;

impl Glob {
    /// Whether the name has any wildcards.
    pub(crate) fn is_one(name: &str) -> bool {
        name.contains(['*', '?', '[', '{', '\\'])
    }

    pub(crate) fn new(text: &str) -> Result<Self, &'static str> {
        let mut choices = vec![Vec::new()];
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            rest = rest.get(character.len_utf8()..).unwrap_or_default();
            match character {
                '{' => {
                    let (inside, behind) = rest.split_once('}').ok_or("a brace is not closed")?;
                    let mut next = Vec::new();
                    for choice in inside.split(',') {
                        let tokens = Self::new(choice)?.choices;
                        for (one, other) in
                            choices.iter().flat_map(|one| tokens.iter().map(move |o| (one, o)))
                        {
                            next.push(one.iter().chain(other).cloned().collect());
                        }
                    }
                    if next.len() > CHOICES {
                        return Err("there are too many choices");
                    }
                    (choices, rest) = (next, behind);
                }
                '[' => {
                    let (inside, behind) = rest.split_once(']').ok_or("a bracket is not closed")?;
                    push(&mut choices, &set(inside));
                    rest = behind;
                }
                '\\' => {
                    let literal = rest.chars().next().ok_or("a backslash stands before nothing")?;
                    push(&mut choices, &Token::Literal(literal));
                    rest = rest.get(literal.len_utf8()..).unwrap_or_default();
                }
                '*' => push(&mut choices, &Token::Any),
                '?' => push(&mut choices, &Token::One),
                literal => push(&mut choices, &Token::Literal(literal)),
            }
        }
        Ok(Self { text: text.to_owned(), choices })
    }

    /// As it was written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// How many characters it says outright.
    pub(crate) fn literals(&self) -> usize {
        let literals =
            |tokens: &Vec<Token>| tokens.iter().filter(|token| matches!(token, Token::Literal(_))).count();
        self.choices.iter().map(literals).min().unwrap_or_default()
    }

    pub(crate) fn matches(&self, name: &str) -> bool {
        let name: Vec<char> = name.chars().collect();
        self.choices.iter().any(|tokens| matches(tokens, &name))
    }
}

fn push(choices: &mut [Vec<Token>], token: &Token) {
    for tokens in choices {
        // Two stars in a row are one.
        if !(*token == Token::Any && tokens.last() == Some(&Token::Any)) {
            tokens.push(token.clone());
        }
    }
}

fn set(inside: &str) -> Token {
    let (negated, inside) = match inside.strip_prefix('!') {
        Some(rest) => (true, rest),
        None => (false, inside),
    };
    let characters: Vec<char> = inside.chars().collect();
    let mut ranges = Vec::new();
    let mut rest = characters.as_slice();
    loop {
        rest = match rest {
            [] => return Token::Set { negated, ranges },
            [low, '-', high, rest @ ..] => {
                ranges.push((*low, *high));
                rest
            }
            [one, rest @ ..] => {
                ranges.push((*one, *one));
                rest
            }
        };
    }
}

/// Goes back only to the last star, so that it never takes longer than the product of the lengths.
fn matches(tokens: &[Token], name: &[char]) -> bool {
    let (mut t, mut n) = (0, 0);
    let mut star = None;
    while let Some(character) = name.get(n) {
        match tokens.get(t) {
            Some(Token::Any) => {
                star = Some((t + 1, n));
                t += 1;
            }
            Some(token) if fits(token, *character) => (t, n) = (t + 1, n + 1),
            _ => match star {
                Some((after, taken)) => {
                    star = Some((after, taken + 1));
                    (t, n) = (after, taken + 1);
                }
                None => return false,
            },
        }
    }
    tokens.get(t..).unwrap_or_default().iter().all(|token| *token == Token::Any)
}

fn fits(token: &Token, character: char) -> bool {
    match token {
        Token::Literal(literal) => *literal == character,
        Token::One | Token::Any => true,
        Token::Set { negated, ranges } => {
            ranges.iter().any(|(low, high)| (*low..=*high).contains(&character)) != *negated
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards() {
        let matches = |glob: &str, name: &str| Glob::new(glob).unwrap().matches(name);
        for (glob, name) in [
            ("*", "apps/Deployment"),
            ("*.crossplane.io/*", "aws.crossplane.io/Bucket"),
            ("a?c", "abc"),
            ("a**c*", "abbc"),
            ("[a-c]x[!a-c]", "bxd"),
            ("{Config,Secret}*", "ConfigMap"),
            ("{a,b}/{c,d*}", "b/de"),
            ("\\*", "*"),
        ] {
            assert!(matches(glob, name), "{glob} {name}");
        }
        for (glob, name) in [
            ("*.crossplane.io/*", "crossplane.io/Bucket"),
            ("a?c", "ac"),
            ("[!a]", "a"),
            ("{a,b}", "c"),
            ("\\*", "a"),
            ("a*", "ba"),
        ] {
            assert!(!matches(glob, name), "{glob} {name}");
        }
        let stars = "a*".repeat(50) + "b";
        assert!(!matches(&stars, &"a".repeat(5000)));
        assert!(Glob::new("{a").is_err() && Glob::new("a\\").is_err());
        assert!(Glob::new(&"{a,b}".repeat(7)).is_err());
    }
}
