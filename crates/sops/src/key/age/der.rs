//! Just enough of DER and of large numbers to hand an RSA key from SSH's form to the provider's.

use zeroize::Zeroizing;

const INTEGER: u8 = 2;
const OCTETS: u8 = 4;
const SEQUENCE: u8 = 0x30;
/// A version, and the identifier of RSA keys with its empty parameters.
const RSA: [u8; 18] = [2, 1, 0, 0x30, 13, 6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1, 5, 0];

/// Numbers, most significant byte first, as a sequence of integers.
pub(super) fn sequence(numbers: &[&[u8]]) -> Zeroizing<Vec<u8>> {
    let mut all = Zeroizing::new(Vec::new());
    for number in numbers {
        let zeros = number.iter().take_while(|byte| **byte == 0).count();
        let number = number.get(zeros..).unwrap_or_default();
        // A first bit of one would make it negative, and no byte at all is no number.
        let sign: &[u8] = if number.first().is_none_or(|first| first & 0x80 != 0) { &[0] } else { &[] };
        let content = Zeroizing::new([sign, number].concat());
        all.extend_from_slice(&element(INTEGER, &content));
    }
    element(SEQUENCE, &all)
}

/// The integers of a sequence.
pub(super) fn integers(mut bytes: &[u8]) -> Option<Vec<&[u8]>> {
    let mut inside = read(&mut bytes, SEQUENCE)?;
    let mut all = Vec::new();
    while !inside.is_empty() {
        all.push(read(&mut inside, INTEGER)?);
    }
    Some(all)
}

/// An RSA key in PKCS #1 as one in PKCS #8.
pub(super) fn pkcs8(key: &[u8]) -> Zeroizing<Vec<u8>> {
    let content = Zeroizing::new([&RSA[..], &element(OCTETS, key)].concat());
    element(SEQUENCE, &content)
}

fn element(tag: u8, content: &[u8]) -> Zeroizing<Vec<u8>> {
    let mut head = vec![tag];
    match u8::try_from(content.len()) {
        Ok(length) if length < 0x80 => head.push(length),
        _ => {
            let length = content.len().to_be_bytes();
            let zeros = length.iter().take_while(|byte| **byte == 0).count();
            head.push(0x80 | u8::try_from(length.len() - zeros).unwrap_or_default());
            head.extend(length.iter().skip(zeros));
        }
    }
    Zeroizing::new([&head, content].concat())
}

fn read<'a>(bytes: &mut &'a [u8], tag: u8) -> Option<&'a [u8]> {
    let rest = bytes.strip_prefix(&[tag])?;
    let (first, mut rest) = rest.split_first()?;
    let mut length = usize::from(*first);
    if length >= 0x80 {
        let (digits, behind) = rest.split_at_checked(length - 0x80)?;
        rest = behind;
        length = digits
            .iter()
            .try_fold(0_usize, |length, digit| length.checked_mul(256)?.checked_add(usize::from(*digit)))?;
    }
    let (content, behind) = rest.split_at_checked(length)?;
    *bytes = behind;
    Some(content)
}

/// What is left of `number` after a division by `divisor`, bit by bit. Zero by zero is zero.
pub(super) fn remainder(number: &[u8], divisor: &[u8]) -> Zeroizing<Vec<u8>> {
    let divisor = Zeroizing::new([&[0], divisor].concat());
    let mut rest = Zeroizing::new(vec![0_u8; divisor.len()]);
    if divisor.iter().all(|byte| *byte == 0) {
        return rest;
    }
    for bit in number.iter().flat_map(|byte| (0..8).rev().map(move |shift| byte >> shift & 1)) {
        let mut carry = bit;
        for byte in rest.iter_mut().rev() {
            let next = *byte >> 7;
            *byte = *byte << 1 | carry;
            carry = next;
        }
        if *rest >= *divisor {
            let mut borrow = false;
            for (byte, other) in rest.iter_mut().zip(divisor.iter()).rev() {
                let (less, first) = byte.overflowing_sub(*other);
                let (less, second) = less.overflowing_sub(u8::from(borrow));
                (*byte, borrow) = (less, first || second);
            }
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remainders_are_those_of_small_numbers() {
        for (number, divisor) in
            [(0_u64, 1_u64), (7, 3), (u64::MAX, 10), (1 << 40, 999), (5, 9), (1 << 63, 1 << 62)]
        {
            let rest = remainder(&number.to_be_bytes(), &divisor.to_be_bytes());
            let rest = rest.iter().fold(0_u64, |rest, byte| rest << 8 | u64::from(*byte));
            assert_eq!(rest, number % divisor, "{number} by {divisor}");
        }
        assert!(remainder(&[1, 2], &[0]).iter().all(|byte| *byte == 0));
    }

    #[test]
    fn what_is_written_is_read() {
        let long = [0x81; 300];
        let written = sequence(&[&[0], &[0, 0, 5], &long]);
        let read = integers(&written).unwrap();
        assert_eq!(read, [&[0][..], &[5], &[&[0][..], &long].concat()]);
        assert_eq!(integers(&[SEQUENCE, 0x85, 1, 1, 1, 1, 1]), None);
    }
}
