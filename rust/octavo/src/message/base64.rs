//! Looks into base64 here and there: only what is asked for is decoded, however long the data is.

/// What the bytes of `data` from `start` on are, at most `length` of them. Ends early at the first character
/// that is no base64: line breaks and padding included.
pub(super) fn decode(data: &str, start: usize, length: usize) -> Vec<u8> {
    let skipped = start % 3;
    let groups = (length + skipped).div_ceil(3);
    let text = data.as_bytes().get(start / 3 * 4..).unwrap_or_default();
    let mut out = Vec::with_capacity((groups * 3).min(text.len()));
    for group in text.chunks(4).take(groups) {
        let digits = group.iter().map_while(|&byte| digit(byte));
        let (read, value) = digits.fold((0_u32, 0_u32), |(read, value), digit| (read + 1, value << 6 | digit));
        // Two characters hold one byte, three hold two, four hold three.
        let bytes = (value << (6 * (4 - read))).to_be_bytes();
        out.extend(bytes.iter().skip(1).take((read * 6 / 8) as usize));
        if read < 4 {
            break;
        }
    }
    out.drain(..skipped.min(out.len()));
    out.truncate(length);
    out
}

/// How many characters so many bytes take.
pub(super) fn characters(bytes: usize) -> usize {
    bytes.div_ceil(3).saturating_mul(4)
}

/// About how many bytes the data has: padding is not looked at.
pub(super) fn length(data: &str) -> usize {
    data.len() / 4 * 3
}

fn digit(byte: u8) -> Option<u32> {
    Some(u32::from(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn any_part_is_decoded() {
        let text = b"The quick brown fox jumps";
        let data = "VGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcw==";
        for start in 0..text.len() + 3 {
            for length in 0..text.len() + 3 {
                let expected = text.get(start.min(text.len())..(start + length).min(text.len()));
                assert_eq!(Some(decode(data, start, length).as_slice()), expected, "{start} {length}");
            }
        }
        assert_eq!(decode("VGhl\nIHF1", 0, 99), b"The");
        assert_eq!(decode("", 5, 5), b"");
    }
}
