//! Ways of writing a number so that rules do not see it, each tried on each value, alone and together.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that cannot go on has failed, and says what it saw"
)]

mod marked;
mod shared_data;

use marked::{check, unchanged};
use octavo::mask::{Options, find};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;
use shared_data::shared;

/// A word that says what the number is, and the number as most people write it.
const NUMBERS: &[(&str, &str)] = &[
    ("주민번호", "991231-2065122"),
    ("주민등록번호", "201107-3518274"),
    ("rrn", "850314-1065126"),
    ("외국인등록번호", "850314-5065126"),
    ("연락처", "010-1234-5678"),
    ("전화", "011-123-4567"),
    ("phone", "02-1234-5678"),
    ("휴대폰", "0505-1234-5678"),
    ("카드", "4111-1111-1111-1111"),
    ("card", "5555-5555-5555-4444"),
    ("국민은행", "123456-04-123456"),
    ("신한 계좌", "110-123-456789"),
    ("농협", "302-1234-5678-91"),
    ("카카오뱅크 계좌", "3333-01-1234567"),
    ("운전면허", "11-12-345678-90"),
];

/// Zero-width characters, Hangul fillers, joiners, soft hyphen, marks of direction, marks over digits.
const UNSEEN: &[char] = &[
    '\u{200B}',
    '\u{200C}',
    '\u{200D}',
    '\u{2060}',
    '\u{FEFF}',
    '\u{3164}',
    '\u{FFA0}',
    '\u{115F}',
    '\u{1160}',
    '\u{34F}',
    '\u{FE0F}',
    '\u{AD}',
    '\u{202E}',
    '\u{200E}',
    '\u{200F}',
    '\u{61C}',
    '\u{2066}',
    '\u{2069}',
    '\u{E0020}',
    '\u{301}',
    '\u{308}',
    '\u{20E3}',
    '\u{336}',
    '\0',
    '\u{1}',
    '\u{8}',
    '\u{7F}',
    '\u{80}',
];
/// The zeros of scripts.
const ZEROS: &[char] = &['0', '０', '٠', '۰', '०', '๐', '𝟎', '𝟘', '𝟢', '𝟬', '𝟶', '᠐', '꘠', '𑁦', '🯰'];
const DASHES: &[&str] = &[
    "-", "‐", "‑", "‒", "–", "—", "―", "−", "－", "﹣", "ー", "ㅡ", "⁃", "˗", "─", "➖", " - ", " – ", "--", "- ", " -",
];
/// What parts groups beside a word.
const JOINTS: &[&str] = &[
    " ", "\u{A0}", "\u{3000}", "\u{2009}", "\u{202F}", "\t", "  ", ".", "·", "・", "•", " . ", "/", "_", "~", "～",
    "*", "\n", "\r\n", "-\n", "\n-", " -\n  ", "<br>", "<br/>-", "-<br />", "\\n", "\u{85}", "\u{B}", "\u{2028}",
];

fn shared_vectors() -> Vec<(String, String)> {
    // Where they are absent the numbers above are tried alone.
    let Some(path) = shared("cases/pii_vectors.jsonl") else { return Vec::new() };
    let lines = std::fs::read_to_string(path).unwrap();
    let word = |kind: &str| match kind {
        "KR_RRN" => Some("주민번호"),
        "KR_FRN" => Some("외국인등록번호"),
        "KR_PHONE" => Some("연락처"),
        "KR_BANK_ACCOUNT" => Some("입금 계좌"),
        "CREDIT_CARD" => Some("카드"),
        _ => None,
    };
    let mut values = Vec::new();
    for line in lines.lines() {
        let vector: Value = serde_json::from_str(line).unwrap();
        let text: Vec<char> = vector["text"].as_str().unwrap().chars().collect();
        for span in vector["spans"].as_array().unwrap().iter().filter(|_| vector["tier"] != "evade") {
            let place = |key: &str| usize::try_from(span[key].as_u64().unwrap()).unwrap();
            let value: String = text.get(place("start")..place("end")).unwrap().iter().collect();
            // Only numbers that have groups can be grouped otherwise.
            let grouped = value.contains('-') && !value.starts_with(['+', '8']);
            if let Some(word) = word(span["type"].as_str().unwrap()).filter(|_| grouped) {
                values.push((word.to_owned(), value));
            }
        }
    }
    assert!(values.len() > 10, "{} numbers", values.len());
    values
}

fn numbers() -> Vec<(String, String)> {
    let own = NUMBERS.iter().map(|&(word, value)| (word.to_owned(), value.to_owned()));
    own.chain(shared_vectors()).collect()
}

/// Every digit of the value must be inside of what was found.
fn is_hidden(word: &str, value: &str) -> bool {
    let text = format!("{word}: {value} 끝");
    let start = word.len() + 2;
    let digits: Vec<usize> =
        value.char_indices().filter(|(_, one)| one.is_numeric()).map(|(at, _)| start + at).collect();
    let found = find(&text, &Options::default());
    assert!(!digits.is_empty(), "{value}");
    digits.iter().all(|at| found.iter().any(|finding| finding.bytes.contains(at)))
}

fn digits_of(value: &str, zero: char) -> String {
    let digit = |one: char| one.to_digit(10).and_then(|digit| char::from_u32(u32::from(zero) + digit)).unwrap_or(one);
    value.chars().map(digit).collect()
}

/// The unseen character after the characters at these places.
fn sprinkled(value: &str, unseen: char, every: impl Fn(usize) -> bool) -> String {
    let with = |(place, one): (usize, char)| if every(place) { vec![one, unseen] } else { vec![one] };
    let last = value.chars().count() - 1;
    value
        .chars()
        .enumerate()
        .flat_map(|(place, one)| if place == last { vec![one] } else { with((place, one)) })
        .collect()
}

fn spaced(value: &str) -> String {
    value.chars().map(String::from).collect::<Vec<_>>().join(" ")
}

/// Every way by itself: what it is called, and the value.
fn ways(value: &str) -> Vec<(String, String)> {
    let mut ways = vec![("spaced".to_owned(), spaced(value)), ("bare".to_owned(), value.replace('-', ""))];
    ways.extend(ZEROS.iter().map(|&zero| (format!("digits of {zero:?}"), digits_of(value, zero))));
    for &unseen in UNSEEN {
        ways.push((format!("{unseen:?} everywhere"), sprinkled(value, unseen, |_| true)));
        let places = 0..value.chars().count() - 1;
        ways.extend(places.map(|at| (format!("{unseen:?} at {at}"), sprinkled(value, unseen, |place| place == at))));
    }
    let joints = DASHES.iter().chain(JOINTS);
    ways.extend(joints.map(|joint| (format!("joined by {joint:?}"), value.replace('-', joint))));
    for dash in DASHES {
        ways.push((format!("mixed with {dash:?}"), value.replacen('-', dash, 1)));
    }
    ways
}

#[test]
fn no_way_of_writing_hides_a_number_beside_a_word() {
    let (mut tried, mut missed) = (0, Vec::new());
    for (word, value) in numbers() {
        for (name, written) in ways(&value) {
            tried += 1;
            if !is_hidden(&word, &written) {
                missed.push(format!("{word} {value}, {name}: {written:?}"));
            }
        }
    }
    eprintln!("{} of {tried} missed", missed.len());
    assert!(tried > 10_000, "{tried}");
    assert!(missed.is_empty(), "{} of {tried}:\n{}", missed.len(), missed.join("\n"));
}

/// Digits of any script, a joint for each gap, and what is not seen: together.
#[test]
fn ways_of_writing_together_hide_nothing() {
    let config = Config { cases: 4_000, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    // Something unseen inside a line break of two characters or a tag makes two of it, or none.
    let whole = |one: &&str| !one.contains(['\\', '<', '\r']);
    let joints: Vec<&str> = DASHES.iter().chain(JOINTS).copied().filter(whole).collect();
    let unseen = prop::collection::vec((0..40_usize, select(UNSEEN)), 0..4);
    let drawn = (select(numbers()), select(ZEROS), select(joints), unseen);
    let result = runner.run(&drawn, |((word, value), zero, joint, unseen)| {
        let mut written = digits_of(&value.replace('-', joint), zero);
        // A control character beside the end of a line is one more line end, as programs print them.
        let seen = |one: char| one.is_control() && joint.contains('\n');
        for (place, one) in unseen.into_iter().filter(|&(_, one)| !seen(one)) {
            written = sprinkled(&written, one, |at| at == place);
        }
        prop_assert!(is_hidden(&word, &written), "{word} {written:?}");
        Ok(())
    });
    assert!(result.is_ok(), "{}", result.unwrap_err());
}

#[test]
fn what_stands_around_stays() {
    check(
        "KR_RRN",
        &[
            "| 주민번호 | «991231<br>-2065122» |",
            "주민번호 «9 9 1 2 3 1 - 2 0 6 5 1 2 2» 끝",
            "주민번호: «991231-2\n065122»\n3",
        ],
    );
    check("KR_PHONE", &["| 전화 | «010-1234<br>5678» |", "전화: «010~1234~5678»~", "연락처 «0 1 0 1 2 3 4 5 6 7 8»로"]);
    check("KR_PASSPORT", &["여권 «M 12345678»", "여권번호 «M-12345678»입니다", "passport «Ｍ１２３４５６７８»"]);
    check(
        "IBAN",
        &["«DE89.3704.0044.0532.0130.00»", "«DE89 3704 0044\n  0532 0130 00»", "«DE89  3704  0044  0532  0130  00»"],
    );
    check("CREDIT_CARD", &["«4111111111111111»-00::2", "«4111111111111111»-10:30"]);
    check("KR_BANK_ACCOUNT", &["계좌 «100-123456-78901»", "하나은행 «123-456789-01234» 예금주"]);
}

#[test]
fn other_numbers_have_these_forms_without_a_word() {
    unchanged(&[
        "9 9 1 2 3 1 - 2 0 6 5 1 2 2",
        "010/1234/5678",
        "/data/010_1234_5678.bin",
        "010\n1234\n5678",
        "4111/1111/1111/1111",
        "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
        "100-123456-78901",
        "991231\n2065122",
        "part 123-456789-01234",
        "M 12345678",
        // Beside a word, but other numbers.
        "연락 가능 09:00-18:00, 전화는 10:30:15",
        "입금 2026/05/21 10:30, 이체 한도 1000000/5000000원",
        "은행 서버 192.168.10.12, 10.15.7.1",
        "은행 잔액\n500000\n300000",
        "카드 2026.05.21 10:30:22",
        "송금 2023/2024/2025",
        "①010번 회의실",
    ]);
}
