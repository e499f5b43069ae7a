//! Letters spelled out as escapes of JSON, as Python writes whatever is not ASCII, are read as what they stand for.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod marked;
mod timing;

use std::fmt::Write as _;

use marked::{check, mask, unchanged};
use octavo::mask::{Options, Stream};
use serde_json::Value;
use timing::{PATIENCE, assert_grows_with_size};

/// As `json.dumps` writes a text, without its quotes.
fn spelled(text: &str) -> String {
    let mut out = String::new();
    for unit in text.encode_utf16() {
        match u8::try_from(unit) {
            Ok(byte @ b' '..=b'~') => out.push(char::from(byte)),
            _ => write!(out, "\\u{unit:04x}").unwrap(),
        }
    }
    out
}

fn streamed(text: &str, size: usize) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut stream = Stream::new(Options::default());
    let mut out: String = characters.chunks(size).map(|chunk| stream.push(&chunk.iter().collect::<String>())).collect();
    out += &stream.finish();
    out
}

/// Names and values in many scripts, what they must become, and in what they stand.
#[test]
fn what_is_found_when_it_is_written_is_found_when_it_is_spelled() {
    let mut tried = 0;
    for (text, kind, value) in [
        ("{\"비밀번호\": \"wq7Lm-24Zt9x\"}", "SECRET", "wq7Lm-24Zt9x"),
        ("{\"密码\": \"wq7Lm-24Zt9x\"}", "SECRET", "wq7Lm-24Zt9x"),
        ("{\"пароль\": \"wq7Lm-24Zt9x\"}", "SECRET", "wq7Lm-24Zt9x"),
        ("{\"a\": \"주민번호 850228-1234567 이고\"}", "KR_RRN", "850228-1234567"),
        ("{\"a\": \"계좌는 12345678901입니다\"}", "KR_BANK_ACCOUNT", "12345678901"),
        ("{\"계좌번호\": [12345678901]}", "KR_BANK_ACCOUNT", "12345678901"),
        ("{\"a\": \"전화０１０－１２３４－５６７８ 입니다\"}", "KR_PHONE", "０１０－１２３４－５６７８"),
        ("{\"a\": \"홍길동@예시.한국 으로\"}", "EMAIL", "홍길동@예시.한국"),
        ("{\"a\": \"𝟎𝟏𝟎-1234-5678\"}", "KR_PHONE", "𝟎𝟏𝟎-1234-5678"),
        ("{\"a\": \"비밀번호는 hunter2Zq9xK입니다\"}", "SECRET", "hunter2Zq9xK"),
        ("{\"비밀번호\": \"가나다라마바\"}", "SECRET", "가나다라마바"),
    ] {
        let written = mask(text);
        assert!(written.contains(&format!("[{kind}]")), "{written}");
        let mut deep = text.to_owned();
        for _ in 0..3 {
            deep = if deep == text { spelled(text) } else { deep.replace('\\', "\\\\").replace('"', "\\\"") };
            let mut hidden = spelled(value);
            while hidden != value && !deep.contains(&hidden) {
                hidden = hidden.replace('\\', "\\\\");
            }
            let wanted = deep.replace(&hidden, &format!("[{kind}]"));
            let got = mask(&deep);
            assert_eq!(got, wanted, "{deep}");
            assert_eq!(mask(&got), got);
            for size in [1, 2, 3, 7, 50] {
                assert_eq!(streamed(&deep, size), got, "{deep}, {size} at a time");
            }
            tried += 1;
        }
        // A number becomes a token without quotes, spelled or not.
        assert!(text.contains('[') || serde_json::from_str::<Value>(&mask(&spelled(text))).is_ok());
    }
    assert_eq!(tried, 33);
}

#[test]
fn letters_of_a_name_may_be_spelled_out() {
    check(
        "SECRET",
        &[
            r#"{"pass\u0077ord": "«wq7Lm-24Zt9x»"}"#,
            r#"{"\u0070\u0061\u0073\u0073\u0077\u006f\u0072\u0064": "«wq7Lm-24Zt9x»"}"#,
            r#"{"password": "«wq7Lm\u002d24Zt9x»"}"#,
            r#"{"\u1107\u1175\u1106\u1175\u11af\u1107\u1165\u11ab\u1112\u1169": "«wq7Lm-24Zt9x»"}"#,
        ],
    );
    check("KR_PHONE", &[r#"{"a": "«\u002B82 10-1234-5678»"}"#, r#"{"a": "\uc804\ud654 «0\u0031\u0030-1234-5678»"}"#]);
    check("EMAIL", &[r#"{"a": "«kim\u0040example.com»"}"#]);
    unchanged(&[
        r#"{"a": "\uc548\ub155\ud558\uc138\uc694 1234"}"#,
        r"C:\users\uabcd\file.txt",
        r#"{"\uc8fc\ubb38\ubc88\ud638": "12345678901"}"#,
        r"[\u4e00-\u9fff\uff01-\uff5e]{1,3}",
        r#"{"a": "\ud800 alone \udfff"}"#,
    ]);
}

#[test]
fn what_is_spelled_costs_what_its_text_costs() {
    for unit in ["\\ube44", "\\ud835\\udfd7", "\\u1107\\u1175\\u11af", "\\\\\\", "\\u", "\\u00", "\\uc804\\ud654 0"] {
        let text = |times: usize| unit.repeat(times);
        assert_grows_with_size(unit, 4_000, text, |text: &String| drop(mask(text)), PATIENCE);
        // A stream holds back a bounded run of them, which costs it something until that is full.
        assert_grows_with_size(unit, 4_000, text, |text: &String| drop(streamed(text, 64)), PATIENCE);
    }
}
