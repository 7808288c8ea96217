//! JSON pointers (RFC 6901).

use super::{Place, Step};

/// Reads a pointer; nothing where it is none. A step of digits is a place in a list or a name, as what is there
/// turns out to be.
pub(super) fn parse(text: &str) -> Option<Place> {
    if text.is_empty() {
        return Some(Place::default());
    }
    let steps = text.strip_prefix('/')?.split('/');
    Some(steps.map(|step| Step::Either(step.replace("~1", "/").replace("~0", "~"))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_read_in_the_right_order() {
        let names = |text: &str| format!("{:?}", parse(text).unwrap());
        assert_eq!(names("/a~1b/~01"), names("/a~1b/~01"));
        let place = parse("/a~1b/~01/0").unwrap();
        let value = serde_json::json!({"a/b": {"~1": ["x"]}});
        assert_eq!(place.get(&value).unwrap(), "x");
        assert!(parse("spec").is_none());
    }
}
