//! Base64, read as far as it goes: the header of a token, a secret that is written so.

/// Which signs stand for 62 and 63.
#[derive(Clone, Copy)]
pub(super) enum Alphabet {
    /// `+` and `/` (RFC 4648, section 4).
    Plain,
    /// `-` and `_` (RFC 4648, section 5).
    Url,
}

/// The bytes that a text stands for, up to the first character that is of another alphabet.
pub(super) fn decode(text: &str, alphabet: Alphabet) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.bytes() {
        let Some(value) = sextet(byte, alphabet) else { break };
        bits = (bits << 6 | u32::from(value)) & 0xFFFF;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.extend(u8::try_from(bits >> count & 0xFF));
        }
    }
    bytes
}

/// The six bits of a character.
pub(super) fn sextet(byte: u8, alphabet: Alphabet) -> Option<u8> {
    match (byte, alphabet) {
        (b'A'..=b'Z', _) => Some(byte - b'A'),
        (b'a'..=b'z', _) => Some(byte - b'a' + 26),
        (b'0'..=b'9', _) => Some(byte - b'0' + 52),
        (b'+', Alphabet::Plain) | (b'-', Alphabet::Url) => Some(62),
        (b'/', Alphabet::Plain) | (b'_', Alphabet::Url) => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Alphabet, decode};

    #[test]
    fn the_header_is_decoded() {
        assert_eq!(decode("eyJhbGciOiJIUzI1NiJ9", Alphabet::Url), br#"{"alg":"HS256"}"#);
    }
}
