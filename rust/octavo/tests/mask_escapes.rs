//! Escapes of strings and of terminals stand beside values and hide none.

mod marked;

use marked::{check, mask, unchanged};

/// Values of every form, and their kinds.
const VALUES: &[(&str, &str)] = &[
    ("KR_PHONE", "010-1234-5678"),
    ("KR_RRN", "850228-1234567"),
    ("CREDIT_CARD", "4111 1111 1111 1111"),
    ("CREDIT_CARD", "4111111111111111"),
    ("IBAN", "DE89370400440532013000"),
    ("KR_BANK_ACCOUNT", "110-123-456789"),
    ("KR_DRIVER_LICENSE", "11-12-345678-90"),
    ("EMAIL", "kim@example.com"),
    ("GITHUB_TOKEN", "ghp_A1b2C3d4E5A1b2C3d4E5A1b2C3d4E5F6g7H8"),
    ("AWS_ACCESS_KEY", "AKIAQWERTYUIOPASDF23"),
    ("ANTHROPIC_KEY", "sk-ant-api03-a1B2c3D4e5F6g7H8i9J0k1L2m3"),
    ("JWT", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"),
];

fn stay_beside_every_value(pairs: &[(&str, &str)]) {
    let mut hidden = Vec::new();
    for (before, after) in pairs {
        for (kind, value) in VALUES {
            let got = mask(&format!("a {before}{value}{after} b"));
            if got != format!("a {before}[{kind}]{after} b") {
                hidden.push(format!("{before:?} {value} {after:?}: {got:?}"));
            }
        }
    }
    assert!(hidden.is_empty(), "{} hidden:\n{}", hidden.len(), hidden.join("\n"));
}

#[test]
fn colours_are_borders() {
    stay_beside_every_value(&[
        ("\u{1b}[31m", "\u{1b}[0m"),
        ("\u{1b}[1;31m", "\u{1b}[m"),
        ("\u{1b}[01;31m\u{1b}[K", "\u{1b}[m\u{1b}[K"),
        ("\u{1b}[38;2;255;100;0m", "\u{1b}[39m"),
        ("\u{1b}[38:5:208m", "\u{1b}[0m"),
        ("\u{1b}[2J\u{1b}[H", "\u{1b}[?25h"),
        ("\u{1b}(B\u{1b}[m", "\u{1b}(B"),
        ("\u{1b}]8;;file:///a\u{1b}\\", "\u{1b}]8;;\u{1b}\\"),
        ("\u{1b}]0;title\u{7}", "\u{1b}]0;\u{7}"),
        ("\\u001b[31m", "\\u001b[0m"),
        ("\\u001B[1;31m", "\\u001B[0m"),
        ("\\\\u001b[31m", "\\\\u001b[0m"),
        ("\\x1b[31m\\x1b[K", "\\x1b[0m"),
        ("\\033[32m", "\\033[0m"),
        ("\\e[32m", "\\e[0m"),
        ("[32m", "[0m"),
    ]);
}

#[test]
fn escapes_of_strings_are_borders_at_every_depth() {
    for depth in 1..=5 {
        let backslashes = "\\".repeat(depth);
        for letter in ["n", "r", "t", "\"", "'", "u000a", "u0022", "u00a0", "x0a"] {
            let escape = format!("{backslashes}{letter}");
            stay_beside_every_value(&[(&escape, &escape)]);
        }
    }
}

#[test]
fn a_coloured_secret_is_masked() {
    check(
        "SECRET",
        &[
            "password=\u{1b}[33m«hunter2Zq9xK»\u{1b}[0m",
            "\"password\": \u{1b}[32m\"«hunter2Zq9xK»\"\u{1b}[0m",
            "\u{1b}[34;1m\"password\"\u{1b}[0m\u{1b}[1;39m: \u{1b}[0m\u{1b}[0;32m\"«hunter2Zq9xK»\"\u{1b}[0m",
            "\u{1b}[36mpassword\u{1b}[0m=\u{1b}[35m«hunter2Zq9xK»\u{1b}[0m",
            "password: \\u001b[32m«hunter2Zq9xK»\\u001b[0m",
        ],
    );
    check(
        "PRIVATE_KEY",
        &[
            "\u{1b}[32m«-----BEGIN RSA PRIVATE KEY-----\u{1b}[0m\n\u{1b}[32mMIIEpAIBAAKCAQEAxxyyzz0123456789abcdef\u{1b}[0m\n\u{1b}[32m-----END RSA PRIVATE KEY-----»\u{1b}[0m",
        ],
    );
}

#[test]
fn a_secret_is_masked_at_every_depth_of_json() {
    for depth in 0..=7 {
        let quote = format!("{}\"", "\\".repeat(depth));
        check("SECRET", &[&format!("{{{quote}password{quote}:{quote}«hunter2Zq9xK»{quote}}}")]);
    }
}

#[test]
fn quotes_and_blanks_that_are_spelled_out_are_borders() {
    let quotes =
        ["&quot;", "&#34;", "&#39;", "&apos;", "&#x27;", "\\u0022", "\\u0027", "\\\\u0022", "\\x27", "%22", "%27"];
    for quote in quotes {
        check(
            "SECRET",
            &[
                &format!("{quote}password{quote}: {quote}«hunter2Zq9xK»{quote}, x"),
                &format!("{quote}password{quote}:{quote}«sunshine»{quote}}}"),
                &format!("password={quote}«hunter2Zq9xK»{quote}"),
                &format!("{quote}apiKey{quote}: {quote}«a8F3kd93kfLs02kd»{quote}"),
                &format!(
                    "{{{quote}name{quote}:{quote}password{quote},{quote}value{quote}:{quote}«hunter2Zq9xK»{quote}}}"
                ),
            ],
        );
        check("KR_RRN", &[&format!("{quote}«850228-1234567»{quote}")]);
    }
    check("KR_PHONE", &["q=%20«010-1234-5678»%20x", "&nbsp;«010-1234-5678»&nbsp;", "tel%3A«010-1234-5678»%2C"]);
    check("GITHUB_TOKEN", &["%3D«ghp_A1b2C3d4E5A1b2C3d4E5A1b2C3d4E5F6g7H8»%26x"]);
    check("URL_PASSWORD", &["https://u:«p%40ss%27w9»@h.com"]);
    unchanged(&["50%41010-1234-5678x", "&quot;password&quot;: &quot;&quot;"]);
}

#[test]
fn what_only_looks_like_an_escape_is_none() {
    unchanged(&["m01012345678", "a[m01012345678", "x1b[31", "foo[3]m010-1234-5678x", "u0022010-1234-5678"]);
}
