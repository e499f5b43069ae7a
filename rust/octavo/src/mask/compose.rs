//! Letters that are written in parts: Hangul and kana in NFD, as file names of macOS have them.
//!
//! Source: Unicode 17.0, §3.12 (conjoining jamo) and `UnicodeData.txt` (canonical decompositions of kana).

/// The letter that a text begins with where it is written in several characters, and how many bytes those take. It takes
/// three bytes itself, as each of its parts does.
pub(super) fn letter(text: &str) -> Option<(char, usize)> {
    let mut characters = text.chars();
    let first = u32::from(characters.next()?);
    match first {
        0x1100..=0x1112 => syllable(first, characters),
        0x3046..=0x30F2 => voiced(first, u32::from(characters.next()?)).map(|letter| (letter, 6)),
        _ => None,
    }
}

/// Whether more parts of the same letter may follow.
pub(super) fn begins_letter(first: char) -> bool {
    matches!(first, '\u{1100}'..='\u{1112}' | '\u{3046}'..='\u{30F2}')
}

/// A leading consonant, a vowel, and perhaps a trailing consonant.
fn syllable(lead: u32, mut rest: std::str::Chars<'_>) -> Option<(char, usize)> {
    let vowel = u32::from(rest.next()?);
    if !(0x1161..=0x1175).contains(&vowel) {
        return None;
    }
    let open = 0xAC00 + ((lead - 0x1100) * 21 + (vowel - 0x1161)) * 28;
    match rest.next().map(u32::from) {
        Some(tail @ 0x11A8..=0x11C2) => Some((char::from_u32(open + tail - 0x11A7)?, 9)),
        _ => Some((char::from_u32(open)?, 6)),
    }
}

/// A kana with its voicing mark: the voiced letter follows it in the table, the half-voiced one that.
fn voiced(kana: u32, mark: u32) -> Option<char> {
    let hiragana = if kana >= 0x30A6 { kana - 0x60 } else { kana };
    let in_rows =
        matches!(hiragana, 0x304B..=0x3061) && hiragana % 2 == 1 || matches!(hiragana, 0x3064 | 0x3066 | 0x3068);
    let of_h = matches!(hiragana, 0x306F | 0x3072 | 0x3075 | 0x3078 | 0x307B);
    match mark {
        0x3099 if in_rows || of_h => char::from_u32(kana + 1),
        0x309A if of_h => char::from_u32(kana + 2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::letter;

    #[test]
    fn parts_are_put_together() {
        for (parts, whole) in [
            ("\u{1100}\u{1161}", '가'),
            ("\u{1112}\u{1161}\u{11AB}", '한'),
            ("\u{1100}\u{116E}\u{11A8}", '국'),
            ("\u{1112}\u{1175}\u{11C2}", '힣'),
            ("ト\u{3099}", 'ド'),
            ("は\u{309A}", 'ぱ'),
            ("つ\u{3099}", 'づ'),
        ] {
            assert_eq!(letter(parts), Some((whole, parts.len())));
            assert_eq!(letter(&format!("{parts}나")), Some((whole, parts.len())));
        }
        for alone in ["\u{1100}", "\u{1161}", "가", "ト", "あ\u{3099}", "\u{1100}가", "a"] {
            assert_eq!(letter(alone), None, "{alone}");
        }
    }
}
