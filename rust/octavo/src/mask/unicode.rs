//! What a character stands for when personal data is looked for: digit, dash, space, or nothing at all.
//!
//! Source: Unicode 17.0, `DerivedCoreProperties.txt` (`Default_Ignorable_Code_Point`), `DerivedGeneralCategory.txt`
//! (`Nd`, `Pd`). Compatibility forms (NFKC) are not enough: they leave Arabic-Indic digits, most dashes and every
//! invisible character as they are.

/// `Default_Ignorable_Code_Point`, first and last. Not category `Cf`: the Hangul fillers are letters, and the
/// combining grapheme joiner and the variation selectors are marks.
const IGNORABLE: &[(u32, u32)] = &[
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0x1_BCA0, 0x1_BCA3),
    (0x1_D173, 0x1_D17A),
    (0xE_0000, 0xE_0FFF),
];

/// The zero of every run of ten decimal digits (`Nd`), outside ASCII.
const ZEROS: &[u32] = &[
    0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0DE6, 0x0E50,
    0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50,
    0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10, 0x1_04A0, 0x1_0D30, 0x1_0D40, 0x1_1066, 0x1_10F0,
    0x1_1136, 0x1_11D0, 0x1_12F0, 0x1_1450, 0x1_14D0, 0x1_1650, 0x1_16C0, 0x1_16D0, 0x1_16DA, 0x1_1730, 0x1_18E0,
    0x1_1950, 0x1_1BF0, 0x1_1C50, 0x1_1D50, 0x1_1DA0, 0x1_1DE0, 0x1_1F50, 0x1_6130, 0x1_6A60, 0x1_6AC0, 0x1_6B50,
    0x1_6D70, 0x1_CCF0, 0x1_D7CE, 0x1_D7D8, 0x1_D7E2, 0x1_D7EC, 0x1_D7F6, 0x1_E140, 0x1_E2F0, 0x1_E4F0, 0x1_E5F1,
    0x1_E950, 0x1_FBF0,
];

/// Marks that are written over the character before them (`Mn`, `Me`): accents, keys around a digit, vowel signs
/// of Arabic and Hebrew, voicing marks of kana. Between digits they are as good as invisible.
const MARKS: &[(u32, u32)] = &[
    (0x0300, 0x036F),
    (0x0483, 0x0489),
    (0x0591, 0x05BD),
    (0x05BF, 0x05BF),
    (0x05C1, 0x05C2),
    (0x0610, 0x061A),
    (0x064B, 0x065F),
    (0x0670, 0x0670),
    (0x06D6, 0x06DC),
    (0x1AB0, 0x1ACE),
    (0x1DC0, 0x1DFF),
    (0x20D0, 0x20F0),
    (0x302A, 0x302D),
    (0x3099, 0x309A),
    (0xFE20, 0xFE2F),
];

/// Letters of mathematics outside their block, by the code of the ASCII letter: those that had one before it was made.
const OLD_LETTERS: &[(u32, u8)] = &[
    (0x2102, b'C'),
    (0x210A, b'g'),
    (0x210B, b'H'),
    (0x210C, b'H'),
    (0x210D, b'H'),
    (0x210E, b'h'),
    (0x2110, b'I'),
    (0x2111, b'I'),
    (0x2112, b'L'),
    (0x2113, b'l'),
    (0x2115, b'N'),
    (0x2119, b'P'),
    (0x211A, b'Q'),
    (0x211B, b'R'),
    (0x211C, b'R'),
    (0x211D, b'R'),
    (0x2124, b'Z'),
    (0x2128, b'Z'),
    (0x212C, b'B'),
    (0x212D, b'C'),
    (0x212F, b'e'),
    (0x2130, b'E'),
    (0x2131, b'F'),
    (0x2133, b'M'),
    (0x2134, b'o'),
];

/// What the character stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    /// Itself.
    Same,
    /// This ASCII character.
    Ascii(u8),
    /// Nothing: it is not seen.
    Nothing,
}

/// What `character` stands for. ASCII stands for itself.
pub(super) fn meaning(character: char) -> Meaning {
    let code = u32::from(character);
    match code {
        0..=0x7F | 0x9B => Meaning::Same,
        // The controls after ASCII are not seen; NEL ends a line. One of them, kept above, begins a colour.
        0x80..=0x9F if code != 0x85 => Meaning::Nothing,
        _ if is_dash(code) => Meaning::Ascii(b'-'),
        // Spaces (`Zs`), line and paragraph separator, the empty Braille cell.
        0x85 | 0xA0 | 0x1680 | 0x2000..=0x200A | 0x2028 | 0x2029 | 0x202F | 0x205F | 0x2800 | 0x3000 => {
            Meaning::Ascii(b' ')
        }
        // Dots between digits; U+318D is the one of Korean keyboards.
        0xB7 | 0x2022 | 0x2024 | 0x2027 | 0x2219 | 0x22C5 | 0x30FB | 0x318D | 0xFE52 | 0xFF65 => Meaning::Ascii(b'.'),
        // Lines of boxes, which part the cells of tables.
        0x2502 | 0x2503 | 0x2551 => Meaning::Ascii(b'|'),
        0x2044 | 0x2215 => Meaning::Ascii(b'/'),
        0xFE55 => Meaning::Ascii(b':'),
        0xFE6B => Meaning::Ascii(b'@'),
        0xFF01..=0xFF5E => u8::try_from(code - 0xFEE0).map_or(Meaning::Same, Meaning::Ascii),
        _ if is_in(IGNORABLE, code) || is_in(MARKS, code) => Meaning::Nothing,
        0x2102..=0x2134 => old_letter(code),
        0x1_D400..=0x1_D6A3 => mathematical_letter(code),
        _ => digit(code).map_or(Meaning::Same, |value| Meaning::Ascii(b'0' + value)),
    }
}

/// Whether a character that starts with this byte may stand for something else. Wrong answers cost time only in
/// one direction: every lead byte of a character with a meaning of its own must be here.
pub(super) const fn may_stand_for_another(lead: u8) -> bool {
    // Hangul (EB to ED) and Han (E4 to E9) begin with none of them, so that such text is passed at full speed.
    matches!(lead, 0xC2 | 0xCB..=0xCD | 0xD2 | 0xD6..=0xDF | 0xE0..=0xE3 | 0xEA | 0xEF | 0xF0..=0xF4)
}

/// `Pd`, and what is read as a dash: minus, long vowel mark, Hangul EU, hyphen bullet, box drawing.
const fn is_dash(code: u32) -> bool {
    let punctuation = matches!(
        code,
        0x058A | 0x05BE | 0x1400 | 0x1806 | 0x2010
            ..=0x2015
                | 0x2E17
                | 0x2E1A
                | 0x2E3A
                | 0x2E3B
                | 0x2E40
                | 0x2E5D
                | 0x301C
                | 0x3030
                | 0x30A0
                | 0xFE31
                | 0xFE32
                | 0xFE58
                | 0xFE63
                | 0xFF0D
                | 0x1_0D6E
                | 0x1_0EAD
    );
    let alike = matches!(
        code,
        0x02D7
            | 0x2043
            | 0x207B
            | 0x208B
            | 0x2212
            | 0x23AF
            | 0x2500
            | 0x2501
            | 0x2796
            | 0x30FC
            | 0x3161
            | 0xFF70
            | 0xFFDA
    );
    punctuation || alike
}

fn is_in(ranges: &[(u32, u32)], code: u32) -> bool {
    let after = ranges.partition_point(|&(first, _)| first <= code);
    after.checked_sub(1).and_then(|index| ranges.get(index)).is_some_and(|&(_, last)| code <= last)
}

fn old_letter(code: u32) -> Meaning {
    let place = OLD_LETTERS.binary_search_by_key(&code, |&(letter, _)| letter);
    place.ok().and_then(|place| OLD_LETTERS.get(place)).map_or(Meaning::Same, |&(_, ascii)| Meaning::Ascii(ascii))
}

/// Thirteen alphabets one after the other, each with its capitals first: bold, italic, script, sans-serif and so on.
fn mathematical_letter(code: u32) -> Meaning {
    let place = u8::try_from((code - 0x1_D400) % 52).unwrap_or_default();
    Meaning::Ascii(if place < 26 { b'A' + place } else { b'a' + place - 26 })
}

fn digit(code: u32) -> Option<u8> {
    let after = ZEROS.partition_point(|&zero| zero <= code);
    let zero = after.checked_sub(1).and_then(|index| ZEROS.get(index))?;
    u8::try_from(code - zero).ok().filter(|&value| value < 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_and_apart() {
        assert!(IGNORABLE.windows(2).all(|pair| matches!(pair, [(_, last), (first, _)] if last < first)));
        assert!(MARKS.windows(2).all(|pair| matches!(pair, [(_, last), (first, _)] if last < first)));
        assert!(OLD_LETTERS.windows(2).all(|pair| matches!(pair, [(one, _), (two, _)] if one < two)));
        assert!(ZEROS.windows(2).all(|pair| matches!(pair, [zero, next] if zero + 10 <= *next)));
    }

    #[test]
    fn letters_of_mathematics_are_letters() {
        for (text, ascii) in [("𝐀𝐳𝑨𝒛𝓐𝔃𝔄𝕫𝖠𝗓𝘈𝘻𝚉𝚣", "AzAzAzAzAzAzZz"), ("ℂℎℯℴℤ", "CheoZ")]
        {
            for (one, byte) in text.chars().zip(ascii.bytes()) {
                assert_eq!(meaning(one), Meaning::Ascii(byte), "{one}");
            }
            assert_eq!(text.chars().count(), ascii.len());
        }
        assert_eq!(meaning('∑'), Meaning::Same);
    }

    #[test]
    fn every_digit_is_a_number_by_the_standard_library() {
        let mut digits = 0;
        for character in (0x80..=0x10_FFFF).filter_map(char::from_u32) {
            if let (Meaning::Ascii(byte), true) = (meaning(character), character.is_numeric()) {
                assert!(byte.is_ascii_digit(), "{character:?}");
                digits += 1;
            }
            if digit(u32::from(character)).is_some() {
                assert!(character.is_numeric(), "{character:?} is no number");
            }
        }
        assert_eq!(digits, ZEROS.len() * 10);
    }

    #[test]
    fn every_character_with_a_meaning_has_a_lead_byte_that_says_so() {
        let mut found = 0;
        for character in (0x80..=0x10_FFFF).filter_map(char::from_u32).filter(|&one| meaning(one) != Meaning::Same) {
            let mut bytes = [0; 4];
            let lead = character.encode_utf8(&mut bytes).bytes().next().unwrap_or_default();
            assert!(may_stand_for_another(lead), "{character:?} begins with {lead:#x}");
            found += 1;
        }
        assert!(found > 4_800, "{found}");
    }
}
