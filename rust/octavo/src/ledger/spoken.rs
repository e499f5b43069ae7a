//! Dates and amounts as people write them, with words: `2024년 5월 15일`, `May 15, 2024`, `300만 원`, `300 USD`.

use std::ops::Range;

use super::kind::ValueKind;

/// Units of dates and times behind a number, Korean, Chinese and Japanese.
const UNITS: [&str; 14] = ["년", "년도", "월", "일", "年", "月", "日", "号", "시", "분", "时", "時", "点", "分"];

/// Units that tell a point in time by themselves. The others may count: `3일`, `2分`.
const POINTS: [char; 6] = ['월', '月', '시', '时', '時', '点'];

/// Words in front of an hour.
const HALVES: [&str; 10] = ["오전", "오후", "午前", "午後", "上午", "下午", "晚上", "早上", "아침", "저녁"];

const CURRENCIES: [&str; 18] = [
    "원", "달러", "유로", "엔", "위안", "元", "円", "块", "美元", "欧元", "USD", "KRW", "EUR", "JPY", "CNY", "GBP",
    "dollars", "won",
];

/// Words that multiply an amount.
const MULTIPLES: [char; 8] = ['십', '백', '천', '만', '억', '万', '億', '亿'];

/// Months by their first three letters, and the rest of their names.
const MONTHS: [(&[u8; 3], &[u8]); 12] = [
    (b"Jan", b"uary"),
    (b"Feb", b"ruary"),
    (b"Mar", b"ch"),
    (b"Apr", b"il"),
    (b"May", b""),
    (b"Jun", b"e"),
    (b"Jul", b"y"),
    (b"Aug", b"ust"),
    (b"Sep", b"tember"),
    (b"Oct", b"ober"),
    (b"Nov", b"ember"),
    (b"Dec", b"ember"),
];

/// The date or amount that begins at a place of a text.
pub(super) fn at(text: &str, start: usize) -> Option<(Range<usize>, ValueKind)> {
    let rest = text.get(start..)?;
    let (length, kind) = match rest.chars().next()? {
        '0'..='9' => date(rest)
            .map(|length| (length, ValueKind::Date))
            .or_else(|| amount(rest).map(|length| (length, ValueKind::Amount)))?,
        '오' | '午' | '上' | '下' | '晚' | '早' | '아' | '저' => (half_day(rest)?, ValueKind::Date),
        'A' | 'D' | 'F' | 'J' | 'M' | 'N' | 'O' | 'S' => (month(rest)?, ValueKind::Date),
        _ => return None,
    };
    Some((start..start + length, kind))
}

/// Whether a word is the name of a month, in full or its first three letters. Asked of every word with a capital.
pub(super) fn is_month(word: &[u8]) -> bool {
    let Some((first, rest)) = word.split_first_chunk::<3>() else { return false };
    MONTHS.iter().any(|(month, end)| *month == first && (rest.is_empty() || rest == *end))
}

/// Whether a word stands in front of an hour.
pub(super) fn is_half_day(word: &[u8]) -> bool {
    HALVES.iter().any(|half| half.as_bytes() == word)
}

/// Numbers with units of time behind them, the first one of a date or a time.
fn date(text: &str) -> Option<usize> {
    let (mut end, mut parts) = (0, 0);
    loop {
        let (space, number) = after_space(text.get(end..).unwrap_or_default());
        let half = if parts > 0 { half_day(number) } else { None };
        let Some(length) = half.or_else(|| unit(number)) else { break };
        (end, parts) = (end + space + length, parts + 1);
    }
    let is_point = parts > 1 || text.get(..end).is_some_and(|text| text.ends_with(POINTS));
    is_point.then_some(end)
}

/// What follows one space, if there is one, and how long that was.
fn after_space(text: &str) -> (usize, &str) {
    text.strip_prefix(' ').map_or((0, text), |behind| (1, behind))
}

/// A number of one to four digits with a unit: their length.
fn unit(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = text.get(digits..).filter(|rest| (1..=4).contains(&digits) && !begins_in_ascii(rest))?;
    let unit = UNITS.iter().filter(|unit| rest.starts_with(**unit)).max_by_key(|unit| unit.len())?;
    // A span is no date: `3시간`, `5일간`, `2년간`.
    let behind = rest.get(unit.len()..).unwrap_or_default();
    (!behind.starts_with(['간', '間', '间'])).then_some(digits + unit.len())
}

/// Most numbers are followed by ASCII, where no table need be asked.
fn begins_in_ascii(text: &str) -> bool {
    text.bytes().next().is_none_or(|byte| byte.is_ascii())
}

/// `오후 3시 30분`.
fn half_day(text: &str) -> Option<usize> {
    if begins_in_ascii(text) {
        return None;
    }
    let half = HALVES.iter().find(|half| text.starts_with(**half))?;
    let (space, hour) = after_space(text.get(half.len()..).unwrap_or_default());
    let end = half.len() + space + unit(hour)?;
    let (space, minutes) = after_space(text.get(end..).unwrap_or_default());
    Some(unit(minutes).map_or(end, |length| end + space + length))
}

/// `35,000원`, `300만 원`, `12.50 USD`.
fn amount(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b'.')).count();
    let behind = text.get(digits..)?;
    let behind = after_space(if begins_in_ascii(behind) { behind } else { behind.trim_start_matches(MULTIPLES) }).1;
    if behind.bytes().next().is_none_or(|byte| byte.is_ascii() && !b"UKEJCGdw".contains(&byte)) {
        return None;
    }
    let currency = CURRENCIES.iter().filter(|word| behind.starts_with(**word)).max_by_key(|word| word.len())?;
    let after = behind.get(currency.len()..).unwrap_or_default();
    let ends = !currency.is_ascii() || !after.starts_with(|next: char| next.is_ascii_alphanumeric());
    ends.then_some(text.len() - after.len())
}

/// `May 15, 2024`, `May 15th`, `May 2024`.
fn month(text: &str) -> Option<usize> {
    let word = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let word = text.get(..word).filter(|word| is_month(word.as_bytes()))?;
    let behind = text.get(word.len()..)?;
    let behind = behind.strip_prefix(". ").or_else(|| behind.strip_prefix(' '))?;
    let first = number(behind)?;
    let mut after = behind.get(first..)?;
    if first <= 2 {
        for suffix in ["st", "nd", "rd", "th"] {
            after = after.strip_prefix(suffix).unwrap_or(after);
        }
        let year = after.strip_prefix(", ").or_else(|| after.strip_prefix(' ')).unwrap_or_default();
        if number(year) == Some(4) {
            after = year.get(4..)?;
        }
    }
    (!after.starts_with(|next: char| next.is_ascii_alphanumeric())).then_some(text.len() - after.len())
}

/// Digits at the start, one, two or four.
fn number(text: &str) -> Option<usize> {
    Some(text.bytes().take_while(u8::is_ascii_digit).count()).filter(|digits| matches!(digits, 1 | 2 | 4))
}

#[cfg(test)]
mod tests {
    use super::{at, is_month};

    #[test]
    fn dates_and_amounts_in_words() {
        let cases = [
            ("2024년 5월 15일에", Some("2024년 5월 15일")),
            ("5월 15일 오후 3시 30분까지", Some("5월 15일 오후 3시 30분")),
            ("3시간 걸린다", None),
            ("3일 뒤", None),
            ("2分钟", None),
            ("2024年5月15日", Some("2024年5月15日")),
            ("May 3rd, then", Some("May 3rd")),
            ("Sept 3", None),
            ("March on", None),
            ("1,200,000원을", Some("1,200,000원")),
            ("3억 5천만 원", None),
            ("12.50 USDT", None),
            ("12.50 USD.", Some("12.50 USD")),
        ];
        for (text, expected) in cases {
            assert_eq!(at(text, 0).and_then(|(range, _)| text.get(range)), expected, "{text}");
        }
        assert!(is_month(b"Dec") && !is_month(b"Decide") && !is_month(b"may"));
    }
}
