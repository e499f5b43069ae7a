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

#[test]
fn a_word_that_names_a_number_may_be_written_against_it() {
    check(
        "KR_PHONE",
        &[
            "Tel«010-1234-5678»",
            "TEL«01012345678»",
            "HP«010-1234-5678»",
            "M«010-1234-5678»",
            "T«02-123-4567» F«02-123-4568»",
            "Mobile«010-1234-5678»",
            "Phone«+82-10-1234-5678»",
            "«010-1234-5678»ext 3",
            "«010-1234-5678»fax",
            "\\nTel«010-1234-5678»",
        ],
    );
    check("KR_RRN", &["RRN«850228-1234567»", "rrn«850228-1234567»"]);
    check("CREDIT_CARD", &["VISA«4111111111111111»", "card«4111-1111-1111-1111»", "«4111111111111111»exp 12/28"]);
    unchanged(&[
        "x4111111111111111",
        "a010-1234-5678",
        "M01012345678",
        "hotel010-1234-5678",
        "850228-1234567abc",
        "id4111111111111111",
    ]);
}

#[test]
fn columns_of_numbers_are_no_cards_and_accounts() {
    unchanged(&[
        "4142 4344 4546 4748 494a",
        "00000010: 4142 4344 4546 4748  ABCDEFGH",
        "1233 4751 4232 1231 9336 4370",
        "3000 3001 3002 3003",
        "5230 522E 5236 5238",
        "305 308320 23543",
        "104 156963 12345 file.txt",
        "100 200 300000",
        "110\t123\t456789",
        "0.5 305 308320 23543",
        "1000 1001 1002",
        "|radius-acct|\n00001610  09 31 38 31 33 2f 75 64",
        "[.4300.0020.0011.0002]",
        "0502.0020.0002",
        "4111  1111  1111  1111",
    ]);
    check(
        "CREDIT_CARD",
        &[
            "«4111 1111 1111 1111»",
            "카드 «4111 1111 1111 1111» 12/28",
            "«4111 1111 1111 1111» 12/28",
            "«4111 1111 1111 1111» 12 28 123",
        ],
    );
    check("KR_BANK_ACCOUNT", &["계좌 «110 123 456789»", "신한 «110 123 456789»"]);
}

#[test]
fn a_word_for_codes_takes_a_layout_back() {
    unchanged(&[
        "lot 13-05-240115-01",
        "ref 12-34-567890-12",
        "SKU 100-123-456789",
        "backup_240115-1030451.tar",
        "seed 110101-1234567",
    ]);
    unchanged(&[
        "계좌 조회 완료 ts=1716283456789",
        "은행 API 응답 timestamp=1716283456789",
        "{\"type\":\"입금\",\"created_at\":1716283456789}",
        "입금액: 1500000000",
        "송금 총액: 10000000000",
        "계좌 건수 1234567890",
    ]);
    check("KR_BANK_ACCOUNT", &["ts=1716283456789 입금 계좌 «110123456789»", "금액 5,000원, 계좌 «110123456789»"]);
    check("KR_DRIVER_LICENSE", &["lot 3, 면허 «13-05-240115-01»"]);
    check("KR_BANK_ACCOUNT", &["ref 3, 계좌 «110-123-456789»"]);
}

#[test]
fn dots_keys_and_empty_cells_hide_nothing() {
    check(
        "KR_PHONE",
        &[
            "전화 «010•1234•5678»",
            "전화 «010ㆍ1234ㆍ5678»",
            "전화 «0️⃣1️⃣0️⃣-1234-5678»",
            "전화 «010\u{2800}1234\u{2800}5678»",
        ],
    );
}

#[test]
fn the_country_may_be_written_against_the_number() {
    check("KR_PHONE", &["«+8210-1234-5678»", "전화 «00821012345678»입니다", "«+822-123-4567»", "«+8231 123 4567»"]);
}

#[test]
fn older_passports_have_two_letters() {
    check("KR_PASSPORT", &["여권 «PM1234567»", "여권번호: «PS7654321»입니다", "passport «PM1234567»"]);
    unchanged(&["PM1234567", "여권 AM1234567", "여권 PM123456", "여권 PM12345678"]);
}

#[test]
fn names_of_files_and_sums_are_no_accounts() {
    unchanged(&[
        "-rw-r--r-- 1 1000 1000 234567 Nov 30 2026 account.py\n-rw-r--r-- 1 1000 1000 234568 Nov 30 2026 bank.py",
        "  12345 67890 234567 src/account.rs\n  12345 67890 234567 src/bank/mod.rs\n",
        ":100644 100644 1d4b2c3 5e6f7a8 M\tsrc/bank/a.c\n:100644 100644 1d4b2c3 5e6f7a8 M\tsrc/b.c",
        "src/bank/a.c: 12345 67890 bytes",
        "tests/test_account.py::test_a PASSED [ 12%] 12345 67890",
        "bank 100 200 300 400",
        "account 5000 10000 15000",
        "Bank 0 000000 - 100000",
        "계좌 통계 100644 100755 건",
        "은행 코드 004 011 020 088",
        "pid 12345 67890 bank",
        "account_balance 1234567 8901234",
        "accountBalance: 1234567 8901234",
        "AWS account 123456789012",
        "account_id: 1234567890",
    ]);
}

#[test]
fn accounts_right_behind_their_word() {
    check(
        "KR_BANK_ACCOUNT",
        &[
            "account «12345678901234»",
            "account «1234567890»",
            "acct: «12345678901234»",
            "{\"account_num\": \"«12345678901234»\"}",
            "{\"account\": \"«12345678901234»\\n\"}",
            "{\"toAccount\": \"«12345678901234»\"}",
            "{\"withdrawAccount\": \"«12345678901234»\"}",
            "{\"bank\": \"국민은행\", \"number\": \"«12345678901234»\"}",
            "{\"account\": {\"bank\": \"국민\", \"number\": \"«12345678901234»\"}}",
            "국민 «12345678901234»",
            "카뱅«3333011234567»",
            "[국민] «12345678901234»",
            "새마을 «9002123456789»",
            "SC «12345678901»",
            "계좌번호: «110 12 3456789»",
            "계좌는 «110 12 3456789»입니다",
        ],
    );
}

#[test]
fn dumps_are_no_telephone_numbers() {
    unchanged(&[
        "0100016 0045 0123 0456 0777 0000 0001 0002 0003",
        "0160000 0001",
        "0701234 5678 9abc 0123",
        "0101234 5678 1234 5678",
    ]);
    check("KR_PHONE", &["전화 «0101234 5678»", "«0101234-5678»"]);
}

#[test]
fn letters_and_brackets_of_business_cards() {
    check(
        "KR_PHONE",
        &[
            "T «02.1234.5678»",
            "T. «02.1234.5678» F. «02.1234.5679»",
            "T: «02-1234-5678»",
            "«(031) 123 4567»",
            "{\"mobile\": «1012345678»}",
            "{\"hp\": \"«1012345678»\"}",
        ],
    );
    unchanged(&["v 02.1234.5678", "AT 02.1234.5678", "id 1012345678", "phone count of last year 1012345678"]);
}

#[test]
fn older_and_foreign_documents() {
    check(
        "KR_DRIVER_LICENSE",
        &["면허 서울 «12-123456-78»", "면허번호: 서울-«12-123456-78»", "경기 «15-123456-70» 면허"],
    );
    check("KR_PASSPORT", &["여권번호 «AB1234567»", "여권번호: «M 1234 5678»", "passport no. «PS1234567»"]);
    check("CREDIT_CARD", &["%B«4111111111111111»^KIM/CHULSOO^2605101?"]);
    check("KR_RRN", &["{\"rrn\": «501013234567»}"]);
    unchanged(&[
        "서울 12-123456-78",
        "면허 12-123456-78",
        "여권 사본 첨부 AB1234567",
        "%B4111111111111112^x",
        "rrn: 509913234567",
    ]);
}

#[test]
fn signs_between_the_halves_of_a_resident_number() {
    check("KR_RRN", &["주민번호 «991231⁄2065122» 끝", "주민번호 «991231\u{FFF9}-2065122» 끝"]);
    for sign in ["│", "|", "=", "+", "一", "ᅳ"] {
        check("KR_RRN", &[&format!("주민번호 «991231{sign}2065122» 끝")]);
        unchanged(&[&format!("값 1000{sign}2000{sign}300000"), &format!("입금 1000{sign}2000{sign}30000")]);
    }
}
