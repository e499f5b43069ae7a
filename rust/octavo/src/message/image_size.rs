//! Width and height of a picture from its first bytes.
//!
//! Only the header is decoded: a picture of many megabytes costs as much as a small one.

use super::media::Data;

/// How many bytes are looked at: JPEG may carry a preview before its frame header.
const HEAD: usize = 48 * 1024;

pub(super) fn of(data: Data<'_>) -> Option<(u32, u32)> {
    // Only JPEG needs to look further than its first 48 bytes.
    let jpeg_file = *data.part(0, 2) == [0xff, 0xd8];
    let bytes = data.part(0, if jpeg_file { HEAD } else { 48 });
    png(&bytes).or_else(|| gif(&bytes)).or_else(|| webp(&bytes)).or_else(|| jpeg(&bytes))
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
    use super::of;
    use crate::message::media::Data;

    fn from_base64(data: &str) -> Option<(u32, u32)> {
        of(Data::Base64(data))
    }

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
