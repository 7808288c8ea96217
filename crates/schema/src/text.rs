//! Small questions about texts: is it base64, is it a quantity, which name was meant.

/// Whether Go's standard decoder reads it as base64: line breaks are passed over, padding is needed.
pub(crate) fn is_base64(text: &str) -> bool {
    let bytes: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    let digits = bytes.iter().position(|byte| *byte == b'=').unwrap_or(bytes.len());
    let (digits, padding) = bytes.split_at(digits);
    bytes.len().is_multiple_of(4)
        && padding.len() <= 2
        && padding.iter().all(|byte| *byte == b'=')
        && digits.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}

/// Whether it is a quantity: a signed decimal number with a suffix or an exponent.
/// <https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/>
pub(crate) fn is_quantity(text: &str) -> bool {
    let text = text.trim();
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let end = unsigned.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(unsigned.len());
    let (number, suffix) = unsigned.split_at(end);
    let is_number = number.chars().any(|c| c.is_ascii_digit()) && number.matches('.').count() <= 1;
    is_number && is_suffix(suffix)
}

fn is_suffix(suffix: &str) -> bool {
    const SUFFIXES: [&str; 16] =
        ["", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    let is_exponent = |text: &str| {
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    SUFFIXES.contains(&suffix) || suffix.strip_prefix(['e', 'E']).is_some_and(is_exponent)
}

/// The name that was probably meant: the nearest one, if it is near enough.
pub(crate) fn nearest<'a>(written: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (written.chars().count() / 3).max(1);
    known
        .map(|name| (distance(&written.to_lowercase(), &name.to_lowercase()), name))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, name)| name)
}

/// How many characters have to be added, removed, replaced or swapped with their neighbour.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    let mut previous = None;
    for (row, a) in left.chars().enumerate() {
        let mut current = vec![row + 1];
        for (column, b) in right.iter().enumerate() {
            let at = |line: &[usize], column: usize| line.get(column).copied().unwrap_or(usize::MAX - 1);
            let mut best = (at(&last, column) + usize::from(a != *b))
                .min(at(&last, column + 1) + 1)
                .min(at(&current, column) + 1);
            let swapped = column > 0 && previous == Some(*b) && right.get(column - 1) == Some(&a);
            if swapped {
                best = best.min(at(&before_last, column - 1) + 1);
            }
            current.push(best);
        }
        previous = Some(a);
        before_last = std::mem::replace(&mut last, current);
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_with_padding_and_line_breaks() {
        for good in ["", "YQ==", "YWI=", "YWJj", "YW\nJj\n"] {
            assert!(is_base64(good), "{good:?}");
        }
        for bad in ["YQ", "Y===", "not base64", "YQ==YQ==", "====", "pa$$"] {
            assert!(!is_base64(bad), "{bad:?}");
        }
    }

    #[test]
    fn quantities() {
        for good in ["1", "0.5", ".5", "5.", "-1", "+3", "500m", "1Gi", "1e3", "1E-3", "12E", "100k"] {
            assert!(is_quantity(good), "{good:?}");
        }
        for bad in ["", "m", "1GB", "1 Gi", "one", "1.2.3", "1gi", "1K", "500MB", "1e", "--1"] {
            assert!(!is_quantity(bad), "{bad:?}");
        }
    }

    #[test]
    fn the_nearest_name_is_meant() {
        let known = || ["replicas", "selector", "template", "strategy"].into_iter();
        assert_eq!(nearest("replcias", known()), Some("replicas"));
        assert_eq!(nearest("Replicas", known()), Some("replicas"));
        assert_eq!(nearest("replica", known()), Some("replicas"));
        assert_eq!(nearest("volumes", known()), None);
        assert_eq!(nearest("", known()), None);
    }
}
