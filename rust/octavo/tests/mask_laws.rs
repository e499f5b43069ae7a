//! The laws of masking, on random text made of what matters to it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use octavo::mask::{Finding, Kind, KindSet, Options, Policy, Stream, find, masked, normalised};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::Config;

/// Whole values, halves of them, words of context, and what stands between.
const PIECES: &[&str] = &[
    "850314-1065126",
    "9912312065122",
    "850314-5065126",
    "010-1234-5678",
    "01012345678",
    "+82 10 1234 5678",
    "(02) 123-4567",
    "110-123-456789",
    "110123456789",
    "3333-01-1234567",
    "4111 1111 1111 1111",
    "4111111111111111",
    "DE89370400440532013000",
    "GB82 WEST 1234 5698 7654 32",
    "11-12-345678-90",
    "M12345678",
    "kim@example.com",
    "홍길동@예시.한국",
    "@müller.de",
    "o'",
    "。",
    "Message-ID: <",
    "9 9 1 2 3 1 - 2 0 6 5 1 2 2",
    "0 1 0 ",
    "1234/5678",
    "991231\n2065122",
    "<br>",
    "\0",
    "é",
    "e\u{301}",
    "𝐤",
    "M 12345678",
    "@example.com",
    "https://user:p@ss/w0rd@host.com/path",
    "postgres://01012345678:pw@db",
    "://",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
    "eyJhbGciOiJIUzI1NiJ9.",
    "-----BEGIN RSA PRIVATE KEY-----\n",
    "MIIEpAIBAAKCAQEAxxyyzz0123456789abcdef",
    "-----END RSA PRIVATE KEY-----",
    "-----BEGIN ",
    "sk-ant-api03-a1B2c3D4e5F6g7H8i9J0k1L2m3",
    "ghp_A1b2C3d4E5A1b2C3d4E5A1b2C3d4E5F6g7H8",
    "AKIAQWERTYUIOPASDF23",
    "AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q",
    "xoxb-123456789012-aBcDeFgHiJkLmNoP",
    "sk-",
    "password",
    "--token ",
    "\"apiKey\"",
    "비밀번호",
    "비밀번호는 ",
    "\u{1107}\u{1175}\u{1106}\u{1175}\u{11AF}\u{1107}\u{1165}\u{11AB}\u{1112}\u{1169}: ",
    "\u{1100}\u{1168}\u{110C}\u{116A} ",
    "@\u{110B}\u{1168}\u{1109}\u{1175}.\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}",
    "이름,주민번호,계좌\n",
    "| 이름 | 주민번호 | 계좌 |\n|---|---|---|\n| ",
    "{\"columns\": [\"rrn\", \"account no\"], \"data\": [[",
    "5304042000328",
    "35200002944",
    "\\n",
    "], [",
    " | ",
    "\u{1100}",
    "\u{1161}",
    "\u{11A8}",
    "ハ\u{309A}スワート\u{3099}: ",
    "\u{3099}",
    "password is ",
    "\"password\": \"",
    "DB_PASS='",
    "correct horse",
    "sntrys_",
    "<x>",
    "<password>",
    "</password>",
    "<![CDATA[",
    "]]>",
    "<key>password</key><string>",
    "name=\"password\"",
    " value=\"",
    "\"value\": \"",
    ": str = '",
    "IDENTIFIED BY '",
    "INSERT INTO t (a, password) VALUES ('b', '",
    "curl -u kim:",
    "curl -u ",
    "curl -u &",
    "wget --user ",
    "-u ",
    "--user ",
    "--auth=",
    "[JWT:f00123456789abc0]",
    "[PRIVATE_KEY]",
    "[SECRET]",
    "&[EMAIL:0123456789abcdef]:",
    "}[SECRET]:",
    "mysql -p",
    "--user kim:",
    "sshpass -p ",
    "Bearer ",
    "bearer a1B2c3D4/e5F6g7H8a1B2c3D4",
    "Cookie: sessionid=",
    "; sid=",
    "ID/PW: kim/",
    "ENV DB_PASSWORD ",
    "login kim password ",
    "| password | ",
    "password ->",
    "passphrase: correct horse battery staple",
    "setPassword('",
    "getenv(\"DB_PASSWORD\", \"",
    "my-s3cret",
    ";Pwd=",
    "&quot;",
    "\\u0027",
    "%40",
    "ghp_A1b2C3d4E5A1b2C3d4E5A1b2C3d4E5F6g7H8@",
    "https://u:p w9Zq@h",
    "://:",
    "//kim:",
    "@tcp(",
    "jdbc:oracle:thin:kim/",
    "'",
    "`",
    ">",
    "<",
    ";",
    "$",
    "&",
    "{",
    "}",
    "|",
    "?",
    "#",
    "+",
    "*",
    "!",
    "Authorization: Bearer ",
    "hunter2",
    "a8F3kd93kfLs02kdQ1",
    "${PASSWORD}",
    "주민번호",
    "외국인",
    "법인",
    "주문번호",
    "계좌",
    "국민은행",
    "카드",
    "연락처",
    "여권",
    "account number",
    "[KR_RRN]",
    "[EMAIL:0123456789abcdef]",
    "[KR_",
    "[",
    "]",
    "입니다",
    "谢谢",
    "カード",
    "\u{200B}",
    "\u{3164}",
    "\u{AD}",
    "１２",
    "٣",
    "𝟗",
    "–",
    "－",
    "＠",
    "\u{A0}",
    "=",
    ":",
    ": ",
    "\"",
    "\\\"",
    "\\n",
    "\\\\n",
    "\\u0022",
    "Tel",
    "RRN",
    "ext",
    "accountNumber",
    "\u{1b}[31m",
    "\u{1b}[0m",
    "\\u001b[1;32m",
    "\n",
    " ",
    "-",
    ".",
    "_",
    "/",
    "@",
    ",",
    "(",
    ")",
    "0",
    "19",
    "1234",
    "a",
    "Z9",
];

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        12 => select(PIECES).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => "[0-9A-Za-z@=:._-]{1,12}",
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

fn options() -> impl Strategy<Value = Options> {
    let some = prop::collection::vec(select(Kind::ALL), 1..6).prop_map(|kinds| kinds.into_iter().collect());
    let kinds = prop_oneof![4 => Just(KindSet::default()), 2 => Just(KindSet::all()), 1 => some];
    (kinds, any::<bool>())
        .prop_map(|(kinds, strict)| Options { kinds, policy: if strict { Policy::Strict } else { Policy::Balanced } })
}

fn token(finding: &Finding) -> String {
    format!("[{}]", finding.kind.name())
}

fn mask(text: &str, options: &Options) -> String {
    masked(text, &find(text, options), token)
}

/// Texts that the laws have failed on: what is left beside a token must not be judged without it.
#[test]
fn what_is_left_beside_a_token_is_not_found() {
    let texts = [
        "curl -u &[JWT:f00123456789abc0]:x1y2z3",
        "curl -u }[EMAIL:0123456789abcdef] https://x",
        "curl -u ١٢٣[PRIVATE_KEY]:hunter2",
        "wget --user a[SECRET]:hunter2",
        "https://user:p@ss/[EMAIL]/path",
        "https://user:p@[SECRET]x[EMAIL]/path",
        "m://A1b2C3d4E5F6g7H8@:[URL_PASSWORD]@",
        ";Pw=456789,[GOOGLE_API_KEY]",
        "Auth:3778<![CDATA[[GITHUB_TOKEN]'e",
        "passphrase: se ry le bearer [SECRET]",
        "kim@example.com-[KR_RRN]",
    ];
    for text in texts {
        assert_eq!(find(text, &Options::default()), vec![], "{text}");
    }
    // What is certain stays found beside one.
    for text in ["https://u:hunter2@db.example.com/[EMAIL]", "kim@example.com [KR_RRN]", "curl -u kim:hunter2 [EMAIL]"]
    {
        assert_eq!(find(text, &Options::default()).len(), 1, "{text}");
    }
}

/// `MASK_CASES=100` makes a hundred times as many.
fn config(cases: u32) -> Config {
    let times = std::env::var("MASK_CASES").ok().and_then(|times| times.parse().ok()).unwrap_or(1_u32);
    Config { failure_persistence: None, ..Config::with_cases(cases.saturating_mul(times)) }
}

proptest! {
    #![proptest_config(config(4_000))]

    #[test]
    fn findings_are_sorted_apart_and_of_the_kinds_asked_for((text, options) in (text(), options())) {
        let mut end = 0;
        for finding in find(&text, &options) {
            prop_assert!(finding.bytes.start >= end && finding.bytes.start < finding.bytes.end, "{finding:?}");
            prop_assert!(text.get(finding.bytes.clone()).is_some(), "{finding:?} cuts a character");
            prop_assert!(options.kinds.contains(finding.kind) && (1..=100).contains(&finding.confidence));
            end = finding.bytes.end;
        }
    }

    #[test]
    fn masking_twice_is_masking_once((text, options) in (text(), options())) {
        let once = mask(&text, &options);
        prop_assert_eq!(find(&once, &options), vec![], "{:?} became {:?}", text, once);
    }

    #[test]
    fn pseudonyms_are_not_found_again((text, options) in (text(), options())) {
        let name = |finding: &Finding| format!("[{}:f{:015x}]", finding.kind.name(), finding.bytes.start * 0x1234_5678_9ABC);
        let once = masked(&text, &find(&text, &options), name);
        prop_assert_eq!(find(&once, &options), vec![], "{:?} became {:?}", text, once);
    }

    #[test]
    fn what_no_finding_covers_stays((text, options) in (text(), options())) {
        let findings = find(&text, &options);
        let masked = masked(&text, &findings, |_| "\u{0}".to_owned());
        let mut kept = String::new();
        let mut end = 0;
        for finding in &findings {
            kept.push_str(text.get(end..finding.bytes.start).unwrap());
            kept.push('\u{0}');
            end = finding.bytes.end;
        }
        kept.push_str(text.get(end..).unwrap());
        prop_assert_eq!(masked, kept);
    }

    #[test]
    fn a_stream_masks_like_the_whole(
        (text, options, cuts) in (text(), options(), prop::collection::vec(1_usize..30, 1..40))
    ) {
        let mut stream = Stream::new(options);
        let mut out = String::new();
        let mut rest = text.as_str();
        for size in cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let at = rest.char_indices().map(|(at, _)| at).nth(*size).unwrap_or(rest.len());
            let (chunk, after) = rest.split_at(at);
            out += &stream.push(chunk);
            rest = after;
        }
        out += &stream.finish();
        prop_assert_eq!(out, mask(&text, &options));
    }

    #[test]
    fn json_stays_json((one, two, three) in (text(), text(), text())) {
        let value = serde_json::json!({"a": one, two: [three, 1], "nested": serde_json::json!({"a": "x"}).to_string()});
        for json in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
            let masked = mask(&json, &Options::default());
            prop_assert!(serde_json::from_str::<serde_json::Value>(&masked).is_ok(), "{json} became {masked}");
        }
    }

    #[test]
    fn the_normal_form_is_its_own(text in text()) {
        let once = normalised(&text).into_owned();
        prop_assert_eq!(normalised(&once).into_owned(), once);
    }
}

proptest! {
    #![proptest_config(config(100))]

    /// Long texts, so that a stream forgets what is behind it.
    #[test]
    fn a_long_stream_masks_like_the_whole(
        (parts, size) in (prop::collection::vec(text(), 20..120), 1_usize..200)
    ) {
        let text = parts.join(" ordinary words between them, and a number 42. ");
        let characters: Vec<char> = text.chars().collect();
        let mut stream = Stream::new(Options::default());
        let mut out: String = characters.chunks(size).map(|chunk| stream.push(&chunk.iter().collect::<String>())).collect();
        out += &stream.finish();
        prop_assert_eq!(out, mask(&text, &Options::default()));
    }
}
