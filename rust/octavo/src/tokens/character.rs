//! The class of a character, as the split patterns of the encodings see it.

/// Class bits. A character has exactly one; the end of the text has none, so no test ever accepts it.
pub(super) const OTHER: u8 = 1;
/// `\p{Lu}`, `\p{Lt}`
pub(super) const UPPER: u8 = 1 << 1;
/// `\p{Ll}`
pub(super) const LOWER: u8 = 1 << 2;
/// `\p{Lm}`, `\p{Lo}`: letters without case
pub(super) const CASELESS: u8 = 1 << 3;
/// `\p{M}`
pub(super) const MARK: u8 = 1 << 4;
/// `\p{N}`
pub(super) const NUMBER: u8 = 1 << 5;
/// `\s` but not a newline
pub(super) const SPACE: u8 = 1 << 6;
/// `\r`, `\n`
pub(super) const NEWLINE: u8 = 1 << 7;

const BLOCK: usize = 128;
const BLOCKS: usize = 0x11_0000 / BLOCK;
/// Written by `data/classify_characters.py`: which block each 128 code points use, then the distinct blocks.
static CLASSES: &[u8] = include_bytes!("../../data/character_classes.bin");
static ASCII: [u8; BLOCK] = ascii();

const fn ascii() -> [u8; BLOCK] {
    let mut classes = [OTHER; BLOCK];
    let mut code = 0u8;
    while code < 128 {
        #[expect(clippy::indexing_slicing, reason = "const evaluation: a wrong index fails the build")]
        {
            classes[code as usize] = match code {
                b'A'..=b'Z' => UPPER,
                b'a'..=b'z' => LOWER,
                b'0'..=b'9' => NUMBER,
                b'\r' | b'\n' => NEWLINE,
                b' ' | b'\t' | 0x0b | 0x0c => SPACE,
                _ => OTHER,
            };
        }
        code += 1;
    }
    classes
}

/// Class of a code point.
pub(super) fn class_of(code: u32) -> u8 {
    let code = code as usize;
    let block = CLASSES.get(code / BLOCK).map_or(0, |&block| usize::from(block));
    CLASSES.get(BLOCKS + block * BLOCK + code % BLOCK).copied().unwrap_or(OTHER)
}

/// Class and width in bytes of the character that starts at `at`; `(0, 0)` at the end.
///
/// `text` is valid UTF-8 and `at` is a character boundary: then the width is exact. Whatever the bytes,
/// this neither panics nor reads outside.
#[inline]
pub(super) fn class_at(text: &[u8], at: usize) -> (u8, usize) {
    match text.get(at) {
        None => (0, 0),
        Some(&lead) => match ASCII.get(usize::from(lead)) {
            Some(&class) => (class, 1),
            None => wide_class_at(text, at, lead),
        },
    }
}

fn wide_class_at(text: &[u8], at: usize, lead: u8) -> (u8, usize) {
    let tail = |offset: usize| text.get(at + offset).map_or(0, |&byte| u32::from(byte & 0x3f));
    let lead = u32::from(lead);
    if lead < 0xe0 {
        (class_of((lead & 0x1f) << 6 | tail(1)), 2)
    } else if lead < 0xf0 {
        (class_of((lead & 0x0f) << 12 | tail(1) << 6 | tail(2)), 3)
    } else {
        (class_of((lead & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3)), 4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_table_agrees_with_the_full_table() {
        for code in 0..128u8 {
            assert_eq!(class_at(&[code], 0), (class_of(u32::from(code)), 1), "{code}");
        }
    }

    #[test]
    fn every_width_is_decoded() {
        for (text, class) in [("é", LOWER), ("가", CASELESS), ("\u{301}", MARK), ("𝟘", NUMBER), ("🙂", OTHER)] {
            assert_eq!(class_at(text.as_bytes(), 0), (class, text.len()), "{text}");
        }
        assert_eq!(class_at(b"", 0), (0, 0));
    }
}
