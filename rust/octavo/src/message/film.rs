//! Length of a film, or of a sound in the same container, from the header of an MP4 file (ISO/IEC 14496-12).
//!
//! The file is a row of boxes, each with its length and its name. `moov`, which may stand behind the pictures, holds
//! `mvhd`, which says the length. Only the heads of boxes are looked at on the way.

use super::media::Data;

/// Boxes that are walked over in one row: real files have a dozen, those in fragments hundreds after `moov`.
const BOXES: usize = 64;

/// Seconds of an MP4 file.
pub(super) fn seconds(data: Data<'_>) -> Option<f64> {
    (data.part(4, 4).as_ref() == b"ftyp").then_some(())?;
    let film = find(data, 0, b"moov")?;
    let header = data.part(find(data, film, b"mvhd")?, 32);
    // Version 1 has its times in 64 bits.
    let (scale, length) = match header.first()? {
        0 => (u32_be(&header, 12)?, u64::from(u32_be(&header, 16)?)),
        _ => (u32_be(&header, 20)?, u64_be(&header, 24)?),
    };
    // Films longer than 136 years are no films; below that a float is exact to the millisecond.
    let length = u32::try_from(length.checked_div(u64::from(scale))?).ok()?;
    (length > 0).then(|| f64::from(length))
}

/// Where the content of the box called `name` begins, in the row of boxes that begins at `at`.
fn find(data: Data<'_>, mut at: usize, name: &[u8]) -> Option<usize> {
    for _ in 0..BOXES {
        let head = data.part(at, 16);
        let (length, content) = match u32_be(&head, 0)? {
            1 => (usize::try_from(u64_be(&head, 8)?).ok()?, 16),
            length => (length as usize, 8),
        };
        if head.get(4..8)? == name {
            return at.checked_add(content);
        }
        // A length of 0 is a box that lasts to the end; one that is shorter than its own head is broken.
        at = at.checked_add((length >= content).then_some(length)?)?;
    }
    None
}

fn u32_be(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u64_be(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_be_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::seconds;
    use crate::message::media::Data;

    fn boxed(name: &[u8], content: &[u8]) -> Vec<u8> {
        let length = u32::try_from(content.len() + 8).unwrap_or_default();
        [&length.to_be_bytes(), name, content].concat()
    }

    /// A film of `seconds`, whose header stands behind `padding` bytes of pictures.
    fn film(seconds: u32, version: u8, padding: usize) -> Vec<u8> {
        let (scale, length) = (1000_u32.to_be_bytes(), (seconds * 1000).to_be_bytes());
        let header = if version == 0 {
            [&[0; 12][..], &scale, &length].concat()
        } else {
            [&[1][..], &[0; 19], &scale, &[0; 4], &length].concat()
        };
        let film = boxed(b"moov", &[boxed(b"free", b"xx"), boxed(b"mvhd", &header)].concat());
        [boxed(b"ftyp", b"mp42"), boxed(b"mdat", &vec![0; padding]), film].concat()
    }

    #[test]
    fn the_length_is_read_from_the_header() {
        for (version, padding) in [(0, 0), (1, 0), (0, 3_000_000)] {
            assert_eq!(seconds(Data::Bytes(&film(90, version, padding))), Some(90.0), "{version} {padding}");
        }
    }

    #[test]
    fn what_is_broken_ends() {
        let whole = film(90, 0, 64);
        for end in 0..whole.len() - 4 {
            assert_eq!(seconds(Data::Bytes(whole.get(..end).unwrap_or_default())), None, "{end}");
        }
        let endless = [boxed(b"ftyp", b""), vec![0; 999]].concat();
        let huge = [boxed(b"ftyp", b""), [&1_u32.to_be_bytes()[..], b"mdat", &[0xff; 8]].concat()].concat();
        let no_scale = film(0, 0, 0);
        for file in [endless, huge, no_scale] {
            assert_eq!(seconds(Data::Bytes(&file)), None);
        }
    }
}
