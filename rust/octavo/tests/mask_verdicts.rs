//! Secrets that look like something else, and what looks like a secret and is none.

mod marked;

use marked::{check, unchanged};

/// `PASS` alone is the verdict of a test far more often than a password.
#[test]
fn a_verdict_is_no_password() {
    unchanged(&[
        "--- PASS: TestFoo2 (0.00s)",
        "PASS: tests/test-42.sh",
        "PASS: T1234567",
        "pass: x86_64",
        "pass: sha256sum",
        "ok 1 - pass: 12345678",
        "first pass: 1024x768",
        "two-pass: libx264",
        "first_pass: libx264",
        "pass: 0.12345678",
        "pass: test_foo.py::test_bar1",
        "'Test2::Event::Pass' => '1.302103'",
    ]);
    check(
        "SECRET",
        &[
            "DB_PASS=«s3cr3t!»",
            "db_pass: «s3cr3t9»",
            "smtp-pass: «s3cr3t9»",
            "pass=«s3cr3t9»",
            "\"pass\": \"«s3cr3t9»\"",
            "pass = '«s3cr3t9»'",
            "userpass: «s3cr3t9»",
        ],
    );
}

/// Units of systemd, products of matrices, locales and files have an `@` and are no addresses.
#[test]
fn what_has_an_at_sign_and_is_no_address() {
    unchanged(&[
        "user@1000.service",
        "getty@tty1.service",
        "wg-quick@wg0.service",
        "sshd@12.socket",
        "q@k.transpose(-2,-1)",
        "x@self.weight.t()",
        "W@x.mean(0)",
        "ca_ES@valencia.UTF-8",
        "sd_IN@devanagari.UTF-8",
        "https://unpkg.com/vue@next.min.js",
        "react@18.development.js",
        "file@v2.tar.gz",
        "foo@bar.py",
    ]);
    check(
        "EMAIL",
        &[
            "«kim@example.com»(회사)",
            "«kim@example.com».",
            "«kim@example.com».txt",
            "«kim@empresa.com.py»",
            "«kim@example.co.kr»(집)",
            "«kim@example.museum» (x)",
        ],
    );
}
