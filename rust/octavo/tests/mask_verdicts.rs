//! Secrets that look like something else, and what looks like a secret and is none.

mod marked;

use marked::{check, mask, unchanged};
use octavo::mask::{Options, Stream};

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

/// What is left of a key beside its mask must not be its secret half.
#[test]
fn a_key_is_masked_to_its_end() {
    let check = |kind: &str, text: &str| check(kind, &[text, &format!("key={text}\n"), &format!("({text})")]);
    check(
        "API_KEY",
        "«sntrys_eyJpYXQiOjE2ODczMzY1NDMuNjk4NTksInVybCI6bnVsbH0=_U6OcaXGBDnXXUcAfFGpDU1s8gmK4NxWyCXV1fBR6a1A»",
    );
    check("API_KEY", "«glsa_HOruNAb7SOiCdshU9algkrq7FDsNSLAa_6e819d39»");
    check("SLACK_TOKEN", "«xoxd-a1B2c3D4e5F6g7%2FH8i9J0k1L2m3N4o5%3D»");
}

/// Formats of providers, bare: no name stands before them.
#[test]
fn keys_of_more_providers() {
    let a20 = "a1B2c3D4e5F6g7H8i9J0";
    let a40 = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
    let hex = "0123456789abcdef0123456789abcdef";
    for key in [
        format!("ATATT3xFfGF0{a40}{a40}=A1B2C3D4"),
        format!("ATBB{a20}k1L2m3N4o5P6"),
        format!("secret_{a40}k1L"),
        format!("pat-na1-{}", "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"),
        "NRAK-A1B2C3D4E5F6G7H8I9J0K1L2M3N".to_owned(),
        format!("sl.{a40}{a40}"),
        format!("ABSK{a40}{a40}="),
        format!("AQ.Ab8{a40}"),
        format!("HRKU-AA{a40}"),
        format!("nfp_{a40}"),
        format!("vcp_{a40}"),
        format!("FlyV1 fm2_{a40}").split_off(6),
        format!("AKID{hex}"),
        format!("AQVN{a40}"),
        format!("ops_eyJ{a40}{a40}"),
        format!("tskey-auth-{a20}-{a40}"),
        format!("bkua_{hex}01234567"),
        format!("CCIPAT_{a20}_{hex}01234567"),
        format!("sgp_{hex}01234567"),
        format!("sqp_{hex}01234567"),
        format!("pul-{hex}01234567"),
        format!("phx_{a40}"),
        "re_a1B2c3D4_e5F6g7H8i9J0k1L2m3N4o5P6".to_owned(),
        format!("CFPAT-{a40}"),
        format!("e2b_{hex}01234567"),
        format!("jina_{hex}{a20}"),
        format!("csk-{hex}"),
        format!("fc-{hex}"),
        format!("sk_{hex}0123456789abcdef"),
        format!("live_sk_{a20}9T0"),
        format!("test_sk_{a20}9T0"),
        format!("tfp_{a40}"),
        format!("dt0c01.{a20}9T0.{hex}{hex}"),
        format!("aio_{}", "abCD12efGH34ijKL56mnOP78qrST"),
    ] {
        for text in [key.clone(), format!("키는 {key}입니다"), format!("\"{key}\"")] {
            let masked = mask(&text);
            assert!(masked.contains("[API_KEY]") || masked.contains("[GOOGLE_API_KEY]"), "{text} became {masked}");
            assert!(!masked.contains(key.get(key.len() - 8..).unwrap_or("?")), "{text} became {masked}");
        }
    }
    unchanged(&[
        "test_sk_learn_pipeline_01",
        "re_compile_pattern_with_flags_and_groups",
        "secret_name_of_the_database_user_number_1",
        "sk_test",
        "fc-cache-2.13.1",
        "pat-na1-",
        "live_sk_",
        "AKIDENTITY",
        "ABSKIP",
        "e2b_desktop_sandbox",
    ]);
}

/// A header that is only mentioned is given out again.
#[test]
fn a_mentioned_header_is_let_go() {
    for begin in ["-----BEGIN RSA PRIVATE KEY-----\n", "see -----BEGIN RSA PRIVATE KEY----- is a header. "] {
        let mut stream = Stream::new(Options::default());
        let text = begin.to_owned() + &"normal text here.\n".repeat(200);
        let given: usize =
            text.as_bytes().chunks(7).map(|chunk| stream.push(&String::from_utf8_lossy(chunk)).len()).sum();
        assert!(given + 700 > text.len(), "{given} of {} bytes were given out", text.len());
        assert_eq!(mask(&text), text);
    }
}

/// Under a name of a password, in quotes, all but placeholders is a password.
#[test]
fn passwords_of_every_form_under_a_certain_name() {
    for value in [
        "Zq9x hunter2",
        "correct horse battery staple",
        "Zq9x(hunter2)",
        "$tr0ngPa55!",
        "{Zq9x!hunter2",
        "<Zq9xhunter2>",
        "[Zq9xhunter2]",
        "%Zq9x2hun%",
        "*Zq9x2hun",
        "Zq9x\\nhunter",
        "exampleHunter2Zq9",
        "null1",
        "sunshine",
        "iloveyou",
        "가나다라마바사",
        "1234",
        "aB3$x",
        "Tr0ub4dor&3",
        "my-Sup3rS3cr3t",
        "qwerty",
    ] {
        check(
            "SECRET",
            &[
                &format!("{{\"password\": \"«{value}»\"}}"),
                &format!("{{\"db_password\":\"«{value}»\", \"x\": 1}}"),
                &format!("password = \"«{value}»\""),
                &format!("password: '«{value}»'"),
            ],
        );
    }
    check("SECRET", &["{\"password\": «12345678»}", "{\"password\": «1234», \"a\": 1}", "DB_PASSWORD=«sunshine»\n"]);
    for value in [
        "${X}",
        "<your password>",
        "{{x}}",
        "****",
        "null",
        "xxxxxxxx",
        "string",
        "password",
        "Password:",
        "your_password",
        "must have 8 characters",
        "비밀번호",
        "비밀번호를 입력하세요",
        "Enter your password",
        "<PASSWORD>",
        "$PASSWORD",
        "%DB_PASSWORD%",
        "[REDACTED]",
        "change-me",
        "{password}",
        "YOUR_PASSWORD_123",
        "required",
        "[SECRET]",
        "getpass('x')",
        "os.environ['PASSWORD1']",
        "https://example.com/reset",
    ] {
        unchanged(&[&format!("{{\"password\": \"{value}\"}}"), &format!("password = \"{value}\"")]);
    }
    unchanged(&[
        "password=password",
        "password=settings",
        "\"password\": null",
        "\"password\": true",
        "PASSWORD=PASSWORD",
    ]);
}

/// Names of programs and algorithms are no secrets.
#[test]
fn names_in_programs_are_no_secrets() {
    unchanged(&[
        "DialogToken: DOT11_DIALOG_TOKEN,",
        "AccessToken: WBEM_128BITS",
        "pub Token: super::super::x2::HANDLE",
        "frag_token: crate::__u32",
        "auth: sha256-rsa2048",
        "auth: \"AWS4-HMAC-SHA256\"",
        "secret=base64encoded",
        "token: 0x52908400098527886E0F7030069857D2E4169EE7",
        "password: hashedPassword2",
        "암호: AES-256-GCM",
    ]);
}

/// A sentence that says what the password is.
#[test]
fn passwords_that_a_sentence_states() {
    check(
        "SECRET",
        &[
            "비밀번호는 «password123»이에요.",
            "비밀번호는 «A1b2C3d4E5»입니다.",
            "비밀번호가 «hunter2Zq9xK»",
            "비번은 «1q2w3e4r!» 이야",
            "비밀번호 «hunter2Zq9xK»",
            "비밀번호는: «hunter2Zq9xK»",
            "토큰은 «a1B2c3D4e5F6g7H8»입니다",
            "密码是«abc12345»。",
            "パスワードは«abc12345»です",
            "password is «hunter2Zq9xK»",
            "the password is: «hunter2Zq9xK»",
            "그의 비밀번호는«password123»입니다",
        ],
    );
    unchanged(&[
        "비밀번호는 8자 이상",
        "비밀번호는 SHA256으로 저장",
        "암호는 AES256입니다",
        "the password is 8characters long",
        "password is base64 encoded",
        "비밀번호는 2FA와 함께",
        "사용자는 hunter2Zq9xK입니다",
        "token is expired1",
        "비밀번호는 [SECRET]입니다",
        "password x2y3z4",
    ]);
}

/// The most frequent names that are not those of a dictionary, and other languages.
#[test]
fn more_names_of_passwords_and_keys() {
    check(
        "SECRET",
        &[
            "PASSWORD2=«hunter2Zq»",
            "password_1: «hunter2Zq»",
            "DB_PASSWORD_PROD=«hunter2Zq»",
            "API_KEY_PROD=«a8F3kd93kfLs02kd»",
            "\"password_confirm\": \"«hunter2Zq»\"",
            "Passwort: «hunter2Zq»",
            "contraseña: «hunter2Zq»",
            "mot de passe: «hunter2Zq»",
            "senha: «hunter2Zq»",
            "пароль: «hunter2Zq»",
            "wachtwoord: «hunter2Zq»",
        ],
    );
    unchanged(&["token2: 1234", "secret_test: true", "max_tokens_test=1024", "key 12: a8F3kd93kfLs02kd"]);
}

/// PHP and many loggers escape slashes.
#[test]
fn passwords_in_urls_with_escaped_slashes() {
    check("URL_PASSWORD", &["postgres:\\/\\/u:«pw9Zq»@h", "\"https:\\/\\/kim:«hunter2Zq9xK»@h.com\\/x\""]);
    unchanged(&["https:\\/\\/h.com:8080\\/x@y"]);
}

/// A note on lines that were left out is in the middle of the key.
#[test]
fn a_key_with_a_note_in_it() {
    let line = "MIIEpAIBAAKCAQEAxxyyzzxxyyzzxxyyzzxxyyzz0123456789abcdefghijABCD";
    let key = format!(
        "-----BEGIN RSA PRIVATE KEY-----\n{line}\n[... 20 lines omitted ...]\n{line}\n-----END RSA PRIVATE KEY-----"
    );
    assert_eq!(mask(&format!("a {key} b")), "a [PRIVATE_KEY] b");
}

/// No tail of a password stays beside its mask.
#[test]
fn passwords_without_quotes_are_masked_to_their_end() {
    check(
        "SECRET",
        &[
            "password: «Tr0ub4dor&3»",
            "password: «Zq9x;hunter2»",
            "password: «Zq9x,hunter2»",
            "password: «Zq9x'hunter2»",
            "password: «Zq9x<hunter2»",
            "password: «Zq9x|hunter2»",
            "password=«hunter2»&user=kim",
            "Password=«hunter2»;User=kim",
            "{password: «hunter2»,user: kim}",
            "<b>password: «hunter2»</b>",
            "password: «hunter2»<br>",
            "password=«hunter2», kim",
            "'password: «hunter2»'",
        ],
    );
}

/// The formats whose prefix has no separator, or whose mark stands inside, and the rest of the common providers.
#[test]
fn keys_of_still_more_providers() {
    let a20 = "a1B2c3D4e5F6g7H8i9J0";
    let a40 = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
    let hex = "0123456789abcdef0123456789abcdef";
    let odd = "fedcba98fedcba98fedcba9876543210";
    for key in [
        format!("dapi{hex}"),
        format!("dapi{odd}-2"),
        format!("SK{odd}"),
        format!("AC{odd}"),
        format!("oy2{a40}abc"),
        format!("EAACEdEose0cBA{a40}{a40}"),
        format!("EAAAE{a40}{a20}"),
        format!("LTAI5t{a20}"),
        format!("AKCp8{a40}{a40}").chars().take(73).collect(),
        format!("cmVmdGtuOjAxOjE3{a40}{a20}"),
        format!("{odd}-us12"),
        "MTA4NTY3ODkwMTIzNDU2Nzg5.GaBcDe.a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9".to_owned(),
        format!("patAbCdEf12345678.{hex}{odd}"),
        format!("aBcDeFgHiJkLmN.atlasv1.{a40}{a40}"),
        "aB38Q~a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7".to_owned(),
        format!("1//0g{a40}{a40}"),
        format!("ya29.{a40}"),
        format!("GOCSPX-{a40}").chars().take(35).collect(),
        format!("glrt-{a20}"),
        format!("glft-{a20}"),
        format!("glsoat-{a20}"),
        format!("GR1348941{a20}"),
        format!("shpat_{hex}"),
        format!("shpca_{hex}"),
        format!("shppa_{hex}"),
        format!("shpss_{hex}"),
        format!("sntrys_eyJpYXQiOjE2ODczMzY1NDMuNjk4NTksInVybCI6bnVsbH0=_{a40}"),
        format!("sntryu_{hex}{hex}"),
        format!("glc_eyJvIjoiMSIs{a40}"),
        format!("glsa_{a20}k1L2m3N4o5P6_6e819d39"),
        format!("eyJrIjoi{a40}{a40}"),
        format!("dop_v1_{hex}{hex}"),
        format!("fo1_{a40}"),
        format!("sbp_{hex}01234567"),
        format!("pscale_tkn_{a40}"),
        format!("pscale_pw_{a40}"),
        format!("pscale_oauth_{a40}"),
        format!("ntn_{a40}123456"),
        format!("lin_api_{a40}"),
        format!("lin_oauth_{hex}{hex}"),
        format!("figd_{a40}"),
        format!("PMAK-{}-{}", "0123456789abcdef01234567", "0123456789abcdef0123456789abcdef01"),
        format!("dp.pt.{a40}abc"),
        format!("dp.st.dev.{a40}abc"),
        format!("dp.ct.{a40}abc"),
        format!("hvs.{a40}{a40}"),
        format!("hvb.{a40}{a40}"),
        format!("sk-or-v1-{hex}{hex}"),
        format!("gsk_{a40}0123456789ab"),
        format!("xai-{a40}{a40}"),
        format!("pplx-{a40}12345678"),
        format!("r8_{a40}").chars().take(40).collect(),
        format!("live_sk_{a20}9T0"),
        format!("test_gsk_{a20}9T0"),
        format!("ncp_iam_BPAMKR{a40}"),
        "A3-ABC123-DEF456-GHJ78-KLM90-NPQ12-RST34".to_owned(),
        format!("xoxe.xoxp-1-{a40}{a40}"),
        format!("napi_{a40}"),
        format!("dckr_oat_{a40}"),
        "123456789:AAH1b2C3d4E5A1b2C3d4E5A1b2C3d4E5F6g".to_owned(),
        format!("key-{hex}"),
        format!("access_token$production$0123456789abcdef${hex}"),
        format!("https://hooks.slack.com/services/T0123ABCD/B0123ABCD/{a20}abcd"),
        format!("https://discord.com/api/webhooks/123456789012345678/{a40}{a20}abcdefgh"),
        format!(
            "https://x.webhook.office.com/webhookb2/550e8400-e29b-41d4-a716-446655440000@550e8400-e29b-41d4-a716-446655440000/IncomingWebhook/{hex}/550e8400-e29b-41d4-a716-446655440000"
        ),
        format!("https://hooks.zapier.com/hooks/catch/1234567/a1b2c3d/"),
    ] {
        for text in [
            key.clone(),
            format!("키는 {key}입니다"),
            format!("\"{key}\""),
            format!("({key}), x"),
            format!("`{key}`\n"),
        ] {
            let masked = mask(&text);
            let known = ["[API_KEY]", "[GOOGLE_API_KEY]", "[GITLAB_TOKEN]", "[SLACK_TOKEN]"];
            assert!(known.iter().any(|kind| masked.contains(kind)), "{text} became {masked}");
            let tail = key.trim_end_matches('/');
            assert!(!masked.contains(tail.get(tail.len() - 6..).unwrap_or("?")), "{text} became {masked}");
        }
    }
    check("PRIVATE_KEY", &["«AGE-SECRET-KEY-1QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE»"]);
    unchanged(&[
        "dapi0123",
        "SKU12345678901234567890123456789012",
        "ACM0123456789abcdef0123456789abcdef0",
        "oy2k",
        "EAA1",
        "0123456789abcdef0123456789abcdef-us-east-1",
        "a.b.c.d.e1.f2",
        "1//0",
        "module.atlasv1.x",
        "A3-ABC123",
        "path/to/dapi_test_file_number_1",
        "com.example.GaBcDe.SomeClassNameThatIsVeryLong123",
    ]);
}
