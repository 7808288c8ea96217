//! Bech32 as age writes keys with it: a word, `1`, and the data in characters of five bits with a checksum.

const ALPHABET: &[u8; 32] = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";

/// The word in lower case and the data; `None` where the checksum or anything else is wrong.
pub(super) fn decode(text: &str) -> Option<(String, Vec<u8>)> {
    let lower = text.to_ascii_lowercase();
    if text != lower && text != text.to_ascii_uppercase() {
        return None;
    }
    let (word, data) = lower.rsplit_once('1')?;
    let fives: Vec<u8> = data
        .bytes()
        .map(|byte| ALPHABET.iter().position(|known| *known == byte).and_then(|five| u8::try_from(five).ok()))
        .collect::<Option<_>>()?;
    let body = fives.len().checked_sub(6)?;
    let high = word.bytes().map(|byte| byte >> 5);
    let low = word.bytes().map(|byte| byte & 31);
    if checksum(high.chain([0]).chain(low).chain(fives.iter().copied())) != 1 {
        return None;
    }
    Some((word.to_owned(), eights(fives.get(..body)?)?))
}

fn checksum(values: impl Iterator<Item = u8>) -> u32 {
    const GENERATOR: [u32; 5] = [0x3B6A_57B2, 0x2650_8E6D, 0x1EA1_19FA, 0x3D42_33DD, 0x2A14_62B3];
    values.fold(1, |sum, value| {
        let top = sum >> 25;
        let next = (sum & 0x01FF_FFFF) << 5 ^ u32::from(value);
        let bits = GENERATOR.iter().enumerate().filter(|(bit, _)| top >> bit & 1 == 1);
        bits.fold(next, |next, (_, generator)| next ^ generator)
    })
}

/// Groups of five bits to bytes; what is left over must be less than five bits, and zero.
fn eights(fives: &[u8]) -> Option<Vec<u8>> {
    let (mut bytes, mut buffer, mut bits) = (Vec::new(), 0_u32, 0);
    for five in fives {
        buffer = (buffer << 5 | u32::from(*five)) & 0xFFF;
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(buffer >> bits & 0xFF).ok()?);
        }
    }
    (bits < 5 && buffer & ((1 << bits) - 1) == 0).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_typing_errors() {
        let (word, data) = decode("age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj").unwrap();
        assert_eq!((word.as_str(), data.len()), ("age", 32));
        assert_eq!(decode("age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwk"), None);
        assert_eq!(decode("age1Zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"), None);
        for text in ["", "1", "age1", "age1qqqqqq", "é1qqqqqqqq"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
