//! Shamir's secret sharing over GF(256), as SOPS cuts a data key into parts.
//!
//! Each part has one byte for each byte of the secret, and behind them the x at which it was taken.

use super::DataKey;

/// The secret of parts of equal length at different x; `None` where they are not that.
pub(crate) fn combine(parts: &[DataKey]) -> Option<DataKey> {
    let parts: Vec<(u8, &[u8])> = parts
        .iter()
        .map(|part| part.bytes().split_last().map(|(x, values)| (*x, values)))
        .collect::<Option<_>>()?;
    let length = parts.first()?.1.len();
    let fits = parts.iter().enumerate().all(|(index, (x, values))| {
        values.len() == length && *x != 0 && parts.iter().take(index).all(|(other, _)| other != x)
    });
    if !fits || parts.len() < 2 || length == 0 {
        return None;
    }
    let mut secret = vec![0; length];
    for (x, values) in &parts {
        let others = parts.iter().filter(|(other, _)| other != x);
        let weight = others.fold(1, |weight, (other, _)| multiply(weight, divide(*other, other ^ x)));
        for (byte, value) in secret.iter_mut().zip(*values) {
            *byte ^= multiply(*value, weight);
        }
    }
    Some(DataKey::new(secret))
}

/// In AES' field.
fn multiply(mut a: u8, mut b: u8) -> u8 {
    let mut product = 0;
    while b != 0 {
        if b & 1 == 1 {
            product ^= a;
        }
        let carry = a & 0x80 != 0;
        a <<= 1;
        if carry {
            a ^= 0x1B;
        }
        b >>= 1;
    }
    product
}

fn divide(a: u8, b: u8) -> u8 {
    // b^254 is its inverse.
    let inverse = (0..254).fold(1, |power, _| multiply(power, b));
    multiply(a, inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_through_two_points() {
        // The secret 0x2A with the slope 7, at x = 1 and x = 9.
        let part = |x: u8| DataKey::new(vec![0x2A ^ multiply(7, x), x]);
        assert!(combine(&[part(1), part(9)]).is_some_and(|key| key.bytes() == [0x2A]));
        assert!(combine(&[part(9), part(1), part(200)]).is_some_and(|key| key.bytes() == [0x2A]));
        assert!(combine(&[part(9), part(9)]).is_none());
        assert!(combine(&[part(9)]).is_none());
        assert!(combine(&[DataKey::new(vec![1])]).is_none());
    }
}
