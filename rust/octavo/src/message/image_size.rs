//! Width and height of a picture from the first bytes of its base64.
//!
//! Only the header is decoded: a picture of many megabytes costs as much as a small one.

/// How much base64 is looked at: JPEG may carry a preview before its frame header.
const HEAD: usize = 64 * 1024;

pub(super) fn from_base64(data: &str) -> Option<(u32, u32)> {
    let bytes = decode_head(data.as_bytes());
    png(&bytes).or_else(|| gif(&bytes)).or_else(|| webp(&bytes)).or_else(|| jpeg(&bytes))
}

/// Decodes as many whole groups of four as there are, up to [`HEAD`]; stops at the first bad character.
fn decode_head(data: &[u8]) -> Vec<u8> {
    let signature = data.get(..8).unwrap_or_default();
    // Only JPEG needs to look further than its first 32 bytes.
    let limit = if signature.starts_with(b"/9j/") { HEAD } else { 64 };
    let mut out = Vec::with_capacity(limit.min(data.len()));
    for group in data.get(..limit.min(data.len())).unwrap_or_default().chunks_exact(4) {
        let mut value = 0_u32;
        for &byte in group {
            let Some(digit) = digit(byte) else { return out };
            value = value << 6 | digit;
        }
        out.extend_from_slice(&value.to_be_bytes()[1..]);
    }
    out
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

fn u16_be(bytes: &[u8], at: usize) -> Option<u32> {
    let pair = bytes.get(at..at + 2)?;
    Some(u32::from(u16::from_be_bytes(pair.try_into().ok()?)))
}

fn u16_le(bytes: &[u8], at: usize) -> Option<u32> {
    let pair = bytes.get(at..at + 2)?;
    Some(u32::from(u16::from_le_bytes(pair.try_into().ok()?)))
}

fn u24_le(bytes: &[u8], at: usize) -> Option<u32> {
    let three = bytes.get(at..at + 3)?;
    three.iter().rev().try_fold(0_u32, |sum, &byte| Some(sum << 8 | u32::from(byte)))
}

fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    bytes.starts_with(b"\x89PNG\r\n\x1a\n").then_some(())?;
    let side = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    Some((side(16)?, side(20)?))
}

fn gif(bytes: &[u8]) -> Option<(u32, u32)> {
    bytes.starts_with(b"GIF8").then_some(())?;
    Some((u16_le(bytes, 6)?, u16_le(bytes, 8)?))
}

fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    (bytes.starts_with(b"RIFF") && bytes.get(8..12)? == b"WEBP").then_some(())?;
    match bytes.get(12..16)? {
        b"VP8X" => Some((u24_le(bytes, 24)? + 1, u24_le(bytes, 27)? + 1)),
        b"VP8 " => Some((u16_le(bytes, 26)? & 0x3fff, u16_le(bytes, 28)? & 0x3fff)),
        b"VP8L" => {
            let bits = u32::from_le_bytes(bytes.get(21..25)?.try_into().ok()?);
            Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
        }
        _ => None,
    }
}

/// Walks the segments of a JPEG to its frame header (SOF0–SOF15 without DHT, JPG and DAC).
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    bytes.starts_with(&[0xff, 0xd8]).then_some(())?;
    let mut at = 2;
    loop {
        (*bytes.get(at)? == 0xff).then_some(())?;
        let marker = *bytes.get(at + 1)?;
        match marker {
            0xff => at += 1,
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => {
                return Some((u16_be(bytes, at + 7)?, u16_be(bytes, at + 5)?));
            }
            0xd8 | 0x01 | 0xd0..=0xd7 => at += 2,
            _ => at += 2 + u16_be(bytes, at + 2)? as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::from_base64;

    #[test]
    fn sizes_are_read_from_the_headers() {
        // A 3x2 GIF and a 1x1 PNG, written by hand from their specifications.
        assert_eq!(from_base64("R0lGODlhAwACAIAAAAAAAP///w=="), Some((3, 2)));
        assert_eq!(from_base64("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"), Some((1, 1)));
        assert_eq!(from_base64("AAAA"), None);
        assert_eq!(from_base64(""), None);
        assert_eq!(from_base64("/9j/"), None);
    }
}
