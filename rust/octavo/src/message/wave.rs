//! Length of a sound from the header of a WAVE file. Other kinds say it nowhere near their beginning.

use super::media::Data;

/// Chunks that are walked over before the format is found: recorders put a few comments first.
const CHUNKS: usize = 8;

/// Seconds of a WAVE file: its bytes by the bytes that a second takes.
pub(super) fn seconds(data: Data<'_>) -> Option<f64> {
    let head = data.part(0, 12);
    (head.starts_with(b"RIFF") && head.get(8..12)? == b"WAVE").then_some(())?;
    let mut at = 12;
    for _ in 0..CHUNKS {
        let chunk = data.part(at, 20);
        let size = u32_le(&chunk, 4)?;
        if chunk.starts_with(b"fmt ") {
            let rate = u32_le(&chunk, 16)?;
            let bytes = u32::try_from(data.length().saturating_sub(at)).ok()?;
            return (rate > 0).then(|| f64::from(bytes) / f64::from(rate));
        }
        // Chunks have an even length.
        at = at.checked_add(8)?.checked_add(size as usize)?.checked_next_multiple_of(2)?;
    }
    None
}

fn u32_le(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::seconds;
    use crate::message::media::Data;

    /// A WAVE file of 16 kHz, 16 bit, one channel, from the RIFF specification.
    fn wave(samples: usize, comment: bool) -> Vec<u8> {
        let mut file = b"RIFF\0\0\0\0WAVE".to_vec();
        if comment {
            file.extend_from_slice(b"LIST\x03\0\0\0abc\0");
        }
        file.extend_from_slice(b"fmt \x10\0\0\0\x01\0\x01\0");
        file.extend_from_slice(&16_000_u32.to_le_bytes());
        file.extend_from_slice(&32_000_u32.to_le_bytes());
        file.extend_from_slice(b"\x02\0\x10\0data\0\0\0\0");
        file.resize(file.len() + samples * 2, 0);
        file
    }

    #[test]
    fn the_length_is_read_from_the_header() {
        for comment in [false, true] {
            let file = wave(16_000 * 90, comment);
            assert!(seconds(Data::Bytes(&file)).is_some_and(|seconds| (90.0..90.1).contains(&seconds)));
        }
        assert_eq!(seconds(Data::Bytes(b"RIFF\0\0\0\0WAVEfmt ")), None);
        assert_eq!(seconds(Data::Bytes(b"ID3")), None);
    }
}
