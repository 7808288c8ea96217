//! The order of keys: natural, as go-yaml sorts them.

/// The entries of a mapping in go-yaml's order.
///
/// That order is not transitive (`1a` < `2` < `12` < `1a`), so Go's own result depends on chance there, and
/// Rust's sort may panic. Entries are brought into plain order first and then merged: same input, same output.
pub(super) fn sorted<V: Copy>(mut entries: Vec<(&str, V)>) -> Vec<(&str, V)> {
    entries.sort_by_key(|(key, _)| *key);
    merge_sort(entries)
}

fn merge_sort<V: Copy>(mut left: Vec<(&str, V)>) -> Vec<(&str, V)> {
    if left.windows(2).all(|pair| matches!(pair, [(a, _), (b, _)] if !less(b, a))) {
        return left;
    }
    let right = merge_sort(left.split_off(left.len() / 2));
    let mut left = merge_sort(left).into_iter().peekable();
    let mut right = right.into_iter().peekable();
    let mut merged = Vec::with_capacity(left.len() + right.len());
    while let (Some((a, _)), Some((b, _))) = (left.peek(), right.peek()) {
        merged.extend(if less(b, a) { right.next() } else { left.next() });
    }
    merged.extend(left);
    merged.extend(right);
    merged
}

/// Rune by rune: letters by code point and behind everything else, runs of digits by their number. Outside of
/// ASCII our letters are a few more than Go's (circled ones, Roman numerals), and its digits a few more than ours.
fn less(a: &str, b: &str) -> bool {
    let common = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    // Back to the start of the character in which they differ.
    let at = (0..=common).rev().find(|at| a.is_char_boundary(*at) && b.is_char_boundary(*at)).unwrap_or(0);
    let (before, a, b) =
        (a.get(..at).unwrap_or_default(), a.get(at..).unwrap_or_default(), b.get(at..).unwrap_or_default());
    let (Some(first_a), Some(first_b)) = (a.chars().next(), b.chars().next()) else {
        return a.len() < b.len();
    };
    match (first_a.is_alphabetic(), first_b.is_alphabetic()) {
        (true, true) => first_a < first_b,
        (a_letter, b_letter) if a_letter != b_letter => b_letter,
        _ => {
            // A zero only counts behind other digits if one of them is not zero.
            let zero = first_a == '0' || first_b == '0';
            let digits = before.chars().rev().take_while(char::is_ascii_digit);
            let start = i64::from(zero && digits.into_iter().any(|digit| digit != '0'));
            let (number_a, length_a) = number(a, start);
            let (number_b, length_b) = number(b, start);
            (number_a, length_a, first_a) < (number_b, length_b, first_b)
        }
    }
}

/// The run of digits at the start as a number that wraps like Go's, and its length.
fn number(text: &str, start: i64) -> (i64, usize) {
    text.bytes().take_while(u8::is_ascii_digit).fold((start, 0), |(number, length), digit| {
        (number.wrapping_mul(10).wrapping_add(i64::from(digit - b'0')), length + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(keys: &[&str]) -> Vec<String> {
        let entries = keys.iter().map(|key| (*key, ())).collect();
        sorted(entries).into_iter().map(|(key, ())| key.to_owned()).collect()
    }

    #[test]
    fn natural() {
        assert_eq!(
            order(&["b10", "b9", "a", "B", "a.b", "a-b", "ab", "1", "", "_x"]),
            ["", "_x", "1", "B", "a", "a-b", "a.b", "ab", "b9", "b10"]
        );
        assert_eq!(order(&["a100", "a1000", "a101", "a1", "a01"]), ["a1", "a01", "a100", "a101", "a1000"]);
        assert_eq!(order(&["é", "z", "1"]), ["1", "z", "é"]);
        assert_eq!(order(&["1a", "2", "12"]).len(), 3);
    }
}
