//! Numbers that are somebody's and numbers that only have their form: times, columns, codes.
#![expect(clippy::print_stderr, reason = "says what it saw")]

mod marked;

use marked::{check, mask, unchanged};

#[test]
fn milliseconds_are_no_resident_numbers() {
    let mut tried = 0;
    // Months in which the digits begin with a valid date, a number every 11 hours and a bit.
    for (first, last) in [(1_600_000_000_000_u64, 1_612_000_000_000), (1_701_000_000_000, 1_713_000_000_000)] {
        for time in (first..last).step_by(39_999_983) {
            for text in [format!("{time} ERROR disk"), format!("{{\"timestamp\":{time}}}"), format!("took {time}")] {
                assert_eq!(mask(&text), text);
                tried += 1;
            }
        }
    }
    eprintln!("{tried} times");
    assert!(tried > 1_500, "{tried}");
    unchanged(&["createdAt: 9601211021413", "\"time_ms\": 9601211021413", "ts=9601211021413"]);
    check("KR_FRN", &["외국인등록번호 «1703147000673»"]);
    check("KR_RRN", &["«9601211021413»", "rrn=«1301013234567»", "birth_date: «8503141065126»"]);
}

#[test]
fn an_impossible_date_after_a_certain_word_is_masked() {
    check(
        "KR_RRN",
        &[
            "주민번호 «850230-1234567»",
            "주민번호: «991301-1234567»",
            "주민등록번호는 «8513011234567»",
            "rrn: «850230-1234567»",
        ],
    );
    unchanged(&[
        "850230-1234567",
        "991301-1234567",
        "법인등록번호 850230-1234567",
        "주민번호 아님, 주문번호 850230-1234567",
    ]);
}

#[test]
fn a_bracket_that_is_opened_inside_is_closed_inside() {
    check("KR_RRN", &["주민번호 «991231(2065122)»", "(주민번호 «991231-2065122»)"]);
}

#[test]
fn ten_digits_after_010_beside_a_word() {
    check("KR_PHONE", &["연락처 «010-123-4567»", "휴대폰 «010-123-4567»입니다", "phone: «0101234567»"]);
    unchanged(&["010-123-4567", "0101234567"]);
}
