//! That time grows with the text and not faster, whatever the text is made of.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod timing;

use octavo::mask::{KindSet, Options, Pattern, Policy, Stream, find};
use timing::{PATIENCE, assert_grows_with_size};

/// Bytes of the shorter text.
const SIZE: usize = if cfg!(debug_assertions) { 20_000 } else { 250_000 };

/// Texts of one trigger after another, each as near to a finding as it can be.
const UNITS: &[&str] = &[
    "9",
    "19",
    "010-",
    "1234 ",
    "1234-",
    "4111-1111-1111-",
    "850314-106512",
    "9912312065123 ",
    "계좌 1234567890123456",
    "110123456789 ",
    "@",
    "a@",
    "a.a@",
    "a@b.c",
    "a.b",
    ".com",
    "=",
    ":",
    "password=",
    "password: ",
    "\"token\": \"a",
    "token=\\\"",
    "eyJ",
    "eyJ.",
    "-eyJ",
    "eyJhbGciOiJIUzI1NiJ9.",
    "eyJhbGciOiJIUzI1NiJ9.x ",
    "://",
    "a://",
    "a://b:",
    "a://b:c/",
    "-",
    "-----",
    "-----BEGIN ",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n0123456789abcdef ",
    "-----BEGIN PRIVATE KEY-----\nDEK-Info:",
    "sk-",
    "sk-a",
    "ghp_",
    "sk-ant-api03-",
    "AKIA",
    "AIza",
    "xoxb-1",
    "SG.",
    "[",
    "[A",
    "[KR_RRN]",
    "[KR_RRN:",
    "9 ",
    "9\0",
    "123\n",
    "123<br>",
    "9 9 1 2 3 1 - ",
    "홍길동@",
    "é@예.",
    "@a。",
    "o'",
    "전화 010/1234/",
    "DE89",
    "DE89 3704 ",
    "M1234567",
    "00:",
    "1.",
    "::",
    "\u{200B}",
    "9\u{200B}",
    "－",
    "ー",
    "𝟗",
    "\u{AD}1",
    "주민번호",
    "\u{1b}[",
    "\u{1b}[31m1",
    "\\u001b[31m",
    "\\",
    "password=\\\\\"",
    "password=\u{1b}[31m",
    "Tel1",
    "4111 1111 1111 1111 ",
    "<password>",
    "<a name=\"password\" value=\"",
    "IDENTIFIED BY 'a ",
    "VALUES ('",
    "curl -u a:b ",
    "mysql -p",
    "Bearer a1B2c3D4e5F6g7H8",
    "Cookie: sid=a1; ",
    "https://a:b c",
    "kim:a@",
    "&quot;password&quot;:",
    "MIIEpAIBAAKCAQEAxxyyzzxxyyzzxxyyzzxxyyzz0123456789abcdefghijABCD\n",
    "Private-Lines: 99\nAAAA\n",
    "dapi0",
    "a8Q~a",
    "token=aB3dE5fG7hJ9kL2m",
    "eyJ4NWMiOlsi",
];

fn assert_linear(name: &str, unit: &str, run: impl Fn(&str)) {
    let text = |size: usize| unit.repeat(size / unit.len());
    assert_grows_with_size(&format!("{name} {unit:?}"), SIZE, text, |text| run(text), PATIENCE);
}

#[test]
fn time_grows_with_the_text_and_not_faster() {
    let options = Options { kinds: KindSet::all(), policy: Policy::Strict };
    for unit in UNITS {
        assert_linear("find", unit, |text| {
            std::hint::black_box(find(std::hint::black_box(text), &options));
        });
    }
}

/// Each search looks for what is not there up to the end of the line, and matches one letter.
#[test]
fn a_pattern_of_the_callers_takes_no_square() {
    let letters = if cfg!(debug_assertions) { 8_000 } else { 80_000 };
    for text in [".*x|a", "a+x|a", "(?:a|b)*?x|a{1,2}"] {
        let pattern = Pattern::new(text).unwrap();
        let find = |line: &String| assert!(pattern.find(line).len() >= line.len() / 2);
        assert_grows_with_size(text, letters, |letters| "a".repeat(letters), find, PATIENCE);
    }
}

#[test]
fn a_stream_of_small_pieces_takes_time_in_proportion() {
    for unit in ["an ordinary word ", "password=", "-----BEGIN PRIVATE KEY-----\n0123456789abcdef ", "A1b2C3d4E5", "9"]
    {
        assert_linear("stream", unit, |text| {
            let mut stream = Stream::new(Options::default());
            for piece in text.as_bytes().chunks(16) {
                std::hint::black_box(stream.push(std::str::from_utf8(piece).unwrap_or_default()));
            }
            std::hint::black_box(stream.finish());
        });
    }
}
