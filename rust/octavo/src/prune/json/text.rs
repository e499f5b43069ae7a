//! A long JSON string and where it may be cut: between characters as they are when it is decoded.

/// Where every so many bytes a character begins: what is between is read again.
const STEP: usize = 256;

/// A long string with marks of places where a character begins.
pub(super) struct LongText<'text> {
    /// What stands between the quotes.
    inner: &'text str,
    /// Byte, and characters before it.
    marks: Vec<(usize, usize)>,
}

impl<'text> LongText<'text> {
    /// Of the string with its quotes.
    pub(super) fn new(quoted: &'text str) -> Self {
        let inner = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(quoted);
        let (mut marks, mut characters) = (vec![(0, 0)], 0);
        let mut next = STEP;
        for (start, _) in Characters::of(inner, 0) {
            if start >= next {
                marks.push((start, characters));
                next = start + STEP;
            }
            characters += 1;
        }
        Self { inner, marks }
    }

    /// Its length in bytes.
    pub(super) fn len(&self) -> usize {
        self.inner.len()
    }

    /// Two thirds of `room` bytes from its beginning, one third from its end, and how many characters are between;
    /// nothing where all of it has room.
    pub(super) fn folded(&self, room: usize) -> Option<(&'text str, usize, &'text str)> {
        if room >= self.inner.len() {
            return None;
        }
        let (head, before) = self.boundary(room - room / 3, false);
        let (tail, through) = self.boundary(self.inner.len() - room / 3, true);
        let left_out = through.checked_sub(before).filter(|&left_out| left_out > 0)?;
        Some((self.inner.get(..head)?, left_out, self.inner.get(tail..)?))
    }

    /// The boundary between characters next to `target`, at or before it, or at or behind it; and the characters
    /// before it.
    fn boundary(&self, target: usize, behind: bool) -> (usize, usize) {
        let mark = self.marks.partition_point(|&(byte, _)| byte <= target).saturating_sub(1);
        let (mut at, mut characters) = self.marks.get(mark).copied().unwrap_or_default();
        for (_, end) in Characters::of(self.inner, at) {
            if at == target || (end > target && !behind) || at > target {
                break;
            }
            (at, characters) = (end, characters + 1);
        }
        (at, characters)
    }
}

/// The characters of a string that is written in JSON: beginning and end of each. A pair of escaped surrogates is one.
struct Characters<'text> {
    text: &'text str,
    at: usize,
}

impl<'text> Characters<'text> {
    fn of(text: &'text str, at: usize) -> Self {
        Self { text, at }
    }

    fn length(&self) -> Option<usize> {
        let rest = self.text.get(self.at..)?;
        let first = rest.chars().next()?;
        if first != '\\' {
            return Some(first.len_utf8());
        }
        if !rest.starts_with("\\u") {
            return Some(2);
        }
        let bytes = rest.as_bytes();
        let high = matches!(bytes.get(2..4)?, [b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B']);
        let low = matches!(bytes.get(6..10), Some([b'\\', b'u', b'd' | b'D', b'c'..=b'f' | b'C'..=b'F']));
        Some(if high && low { 12 } else { 6 })
    }
}

impl Iterator for Characters<'_> {
    type Item = (usize, usize);

    fn next(&mut self) -> Option<(usize, usize)> {
        let start = self.at;
        self.at = self.text.len().min(start + self.length()?);
        Some((start, self.at))
    }
}

#[cfg(test)]
mod tests {
    use super::LongText;

    #[test]
    fn escapes_and_pairs_are_never_cut() {
        let inner = r#"a\n\\\u00e9\ud83d\ude42한글🙂\"-"#.repeat(40);
        let quoted = format!("\"{inner}\"");
        let decoded = |part: &str| serde_json::from_str::<String>(&format!("\"{part}\"")).ok();
        let characters = decoded(&inner).map(|text| text.chars().count());
        let long = LongText::new(&quoted);
        for room in 0..long.len() {
            let Some((head, left_out, tail)) = long.folded(room) else { continue };
            assert!(head.len() + tail.len() <= room, "{room}");
            let kept = decoded(head).zip(decoded(tail)).map(|(head, tail)| head.chars().count() + tail.chars().count());
            assert_eq!(kept.map(|kept| kept + left_out), characters, "{room}");
        }
    }
}
