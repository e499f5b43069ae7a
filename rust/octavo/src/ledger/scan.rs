//! Finds values in plain text, in any script, in one pass.
//!
//! A table of bytes parts the text into runs without spaces and says what is in each: most are words, and are passed by
//! without a second look. What is left is told by its form (`kind.rs`). Where scripts meet without a space, the run
//! is parted: `HAT136편을` is an id with a particle behind it.

use std::ops::Range;

use super::kind::{ValueKind, kind_of};
use super::spoken;

/// Receives a value: its bytes in the text, what it is, and the bytes of the name in front of it (`name=`, `name:`),
/// empty where there is none.
pub(super) type Found<'a> = dyn FnMut(Range<usize>, ValueKind, Range<usize>) + 'a;

/// No value is longer than this many bytes: four times what a value may have in characters.
const LONGEST_RUN: usize = 800;

const DIGIT: u8 = 1;
const JOINER: u8 = 2;
const UPPER: u8 = 4;
const LOWER: u8 = 8;
const HIGH: u8 = 16;
/// Marks that make a run worth a look by themselves.
const TELLING: u8 = 32;
/// Ends a run unless digits stand on both sides.
const COMMA: u8 = 64;
const EQUALS: u8 = 128;

/// What each byte is; 0 ends a run.
const CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "below 256")]
        let class = class_of(byte as u8);
        #[expect(clippy::indexing_slicing, reason = "below 256, checked when compiled")]
        {
            table[byte] = class;
        }
        byte += 1;
    }
    table
}

const fn class_of(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => DIGIT,
        b'A'..=b'Z' => UPPER,
        b'a'..=b'z' => LOWER,
        b'.' | b':' | b'-' | b'#' | b'+' | b'~' | b'%' | b'?' | b'&' | b'^' => JOINER,
        b'/' | b'\\' | b'@' | b'_' | b'$' => JOINER | TELLING,
        b'=' => JOINER | TELLING | EQUALS,
        b',' => COMMA,
        0x80.. => HIGH,
        _ => 0,
    }
}

fn class(byte: u8) -> u8 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or(0)
}

/// Tells every value in a text, in order.
pub(super) fn scan(text: &str, found: &mut Found<'_>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut name = 0..0;
    while let Some(&byte) = bytes.get(at) {
        if class(byte) & !COMMA == 0 {
            // A name holds for what follows on its line.
            if byte == b'\n' || byte == b',' || byte == b';' {
                name = 0..0;
            }
            at += 1;
            continue;
        }
        let (end, seen) = run(bytes, at);
        let whole = at..end;
        at = end;
        if !is_telling(seen, bytes, &whole) {
            name = if bytes.get(end - 1) == Some(&b':') { whole.start..end - 1 } else { 0..0 };
            continue;
        }
        at = Run { text, found, name: std::mem::replace(&mut name, 0..0) }.read(whole, seen).max(at);
    }
}

/// Where a run ends, and what is in it.
fn run(bytes: &[u8], start: usize) -> (usize, u8) {
    let (mut at, mut seen) = (start, 0);
    while let Some(&byte) = bytes.get(at) {
        let class = class(byte);
        if class == 0 || class == COMMA && !between_digits(bytes, at) {
            break;
        }
        seen |= class;
        at += 1;
    }
    (at, seen)
}

fn between_digits(bytes: &[u8], at: usize) -> bool {
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    digit(at.checked_sub(1)) && digit(at.checked_add(1))
}

/// Whether a run can hold a value: it has a digit, a telling mark, a mark inside, or a hump.
fn is_telling(seen: u8, bytes: &[u8], run: &Range<usize>) -> bool {
    if seen & (DIGIT | TELLING) != 0 {
        return true;
    }
    if seen == HIGH {
        return spoken::is_half_day(bytes.get(run.clone()).unwrap_or_default());
    }
    let inner = bytes.get(run.start + 1..run.end.saturating_sub(1)).unwrap_or_default();
    let joined = seen & JOINER != 0 && inner.iter().any(|byte| matches!(byte, b'.' | b':'));
    let humped = seen & UPPER != 0
        && seen & LOWER != 0
        && (inner.iter().any(u8::is_ascii_uppercase) || spoken::is_month(bytes.get(run.clone()).unwrap_or_default()));
    joined || humped
}

struct Run<'text, 'found, 'visit> {
    text: &'text str,
    found: &'found mut Found<'visit>,
    name: Range<usize>,
}

impl Run<'_, '_, '_> {
    /// Reads one run; where to go on.
    fn read(&mut self, run: Range<usize>, seen: u8) -> usize {
        let end = run.end;
        if run.len() > LONGEST_RUN {
            // Nothing that anybody could write down: base64, minified code.
            return end;
        }
        if let Some((value, kind)) = spoken::at(self.text, run.start) {
            let end = value.end;
            self.tell(value, kind);
            return end;
        }
        let run = if seen & EQUALS == 0 { run } else { self.unnamed(run) };
        if seen & HIGH == 0 {
            self.part(run);
            return end;
        }
        self.parted(run)
    }

    /// Takes the name off a run `name=value`.
    fn unnamed(&mut self, run: Range<usize>) -> Range<usize> {
        let text = self.text.get(run.clone()).unwrap_or_default();
        let Some((before, after)) = text.split_once('=') else { return run };
        let plain = |one: char| one.is_alphanumeric() || matches!(one, '_' | '-' | '.');
        if before.is_empty()
            || after.is_empty()
            || after.starts_with('=')
            || !before.trim_start_matches('-').chars().all(plain)
        {
            return run;
        }
        self.name = run.start..run.start + before.len();
        run.start + before.len() + 1..run.end
    }

    /// Reads a run in which scripts may meet, part by part; where to go on.
    fn parted(&mut self, run: Range<usize>) -> usize {
        let mut start = run.start;
        while start < run.end {
            if let Some((value, kind)) = spoken::at(self.text, start) {
                start = value.end;
                self.tell(value, kind);
                if start > run.end {
                    return start;
                }
                continue;
            }
            let rest = self.text.get(start..run.end).unwrap_or_default();
            let length = part_length(rest);
            self.part(start..start + length);
            start += length.max(1);
        }
        run.end
    }

    /// Tells a part if it is a value, without the punctuation around it.
    fn part(&mut self, part: Range<usize>) {
        let text = self.text.get(part.clone()).unwrap_or_default();
        let (start, text) = trimmed(text);
        if text.len() < 2 {
            return;
        }
        let value = part.start + start..part.start + start + text.len();
        if let Some(kind) = kind_of(text).filter(|_| !self.is_end_tag(&value)) {
            self.tell(value, kind);
        }
    }

    /// Whether it is `/name` of an end tag, and no path.
    fn is_end_tag(&self, value: &Range<usize>) -> bool {
        let at = |place: Option<usize>| place.and_then(|place| self.text.as_bytes().get(place));
        at(Some(value.start)) == Some(&b'/')
            && at(value.start.checked_sub(1)) == Some(&b'<')
            && at(Some(value.end)) == Some(&b'>')
    }

    fn tell(&mut self, value: Range<usize>, kind: ValueKind) {
        (self.found)(value, kind, std::mem::replace(&mut self.name, 0..0));
    }
}

/// A text without the punctuation of the sentence around it, and where it starts.
fn trimmed(text: &str) -> (usize, &str) {
    let front = text.trim_start_matches([':', '+', '?', '&', '%', '=', '-']);
    let start = text.len() - front.len();
    let back = front.trim_end_matches(['.', ':', '?', '&', '=', '-', '+', '~', '^', '#']);
    // A sentence may begin with a dot only where it is a path or a file: `.env`, `./a`.
    let inner = if back.starts_with("..") && !back.starts_with("../") { back.trim_start_matches('.') } else { back };
    (start + back.len() - inner.len(), inner)
}

/// How long the first part is: up to where ASCII letters or digits meet another script, or a mark of another script.
///
/// A name that goes on behind such a place with a joiner (`v2최종.docx`) is one part.
fn part_length(text: &str) -> usize {
    let mut ascii_word = None;
    for (at, one) in text.char_indices() {
        let word = one.is_alphanumeric();
        if !one.is_ascii() && !word && !is_currency(one) {
            return if at == 0 { one.len_utf8() } else { at };
        }
        if word && ascii_word.is_some_and(|before: bool| before != one.is_ascii()) {
            let rest = text.get(at..).unwrap_or_default();
            if !(goes_on(rest) && text.get(..at).is_some_and(is_joined)) {
                return at;
            }
        }
        ascii_word = word.then_some(one.is_ascii());
    }
    text.len()
}

/// Whether what begins here in another script is the middle of a file name.
fn goes_on(rest: &str) -> bool {
    let behind = rest.trim_start_matches(|one: char| one.is_alphabetic() && !one.is_ascii());
    behind.strip_prefix(['.', '/', '_', '-']).is_some_and(|after| after.starts_with(char::is_alphanumeric))
}

fn is_joined(before: &str) -> bool {
    before.contains(['_', '/', '-', '.'])
}

const fn is_currency(one: char) -> bool {
    matches!(one, '₩' | '€' | '£' | '¥' | '￦' | '￥')
}

#[cfg(test)]
mod tests {
    use super::scan;

    fn values(text: &str) -> Vec<String> {
        let mut seen = Vec::new();
        scan(text, &mut |value, kind, name| {
            let name = text.get(name).unwrap_or_default();
            let name = if name.is_empty() { String::new() } else { format!("{name}=") };
            seen.push(format!("{} {name}{}", kind.name(), text.get(value).unwrap_or_default()));
        });
        seen
    }

    #[test]
    fn values_are_found_in_any_script() {
        let cases: [(&str, &[&str]); 17] = [
            ("Book HAT136, please. Then wait.", &["identifier HAT136"]),
            ("예약번호는 XEWRD9입니다.", &["identifier XEWRD9"]),
            ("航班HAT136将于2024年5月15日起飞。", &["identifier HAT136", "date 2024年5月15日"]),
            ("2024년 5월 15일 오후 3시에 만나요", &["date 2024년 5월 15일 오후 3시"]),
            (
                "합계 35,000원과 300만 원, $1,200.50 and 300 USD",
                &["amount 35,000원", "amount 300만 원", "amount $1,200.50", "amount 300 USD"],
            ),
            ("보고서_v2최종.docx를 열어", &["path 보고서_v2최종.docx"]),
            ("see src/theme/light.json:12 and README.md.", &["path src/theme/light.json:12", "path README.md"]),
            ("mail ada@example.com로 보내", &["handle ada@example.com"]),
            ("order_id=4821X total: 12.50", &["identifier order_id=4821X"]),
            ("user: mia_kim_4397", &["identifier user=mia_kim_4397"]),
            ("call read_entry() or trimMessages", &["name read_entry", "name trimMessages"]),
            ("on May 15, 2024 at 10:30", &["date May 15, 2024", "date 10:30"]),
            ("https://example.com/a?b=1.", &["url https://example.com/a?b=1"]),
            ("the end. and so on, e.g. this", &[]),
            ("https://예시.한국/길?가=1을", &["url https://예시.한국/길?가=1"]),
            ("「注文番号A-1029」を確認", &["identifier A-1029"]),
            ("<system-reminder>x</system-reminder></INST> </div> < /tmp/a>", &["path /tmp/a"]),
        ];
        for (text, expected) in cases {
            assert_eq!(values(text), expected, "{text}");
        }
    }
}
