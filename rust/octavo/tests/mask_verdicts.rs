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

/// Constants, types and identifiers of programs under names that are those of secrets elsewhere.
#[test]
fn what_programs_name_like_secrets() {
    unchanged(&[
        "pub const IFLA_DPLL_PIN: _bindgen_ty_2 = 5;",
        "pub const WPA_PSK: DOT11_AUTH_ALGORITHM = 3i32;",
        "pw: __uint64,",
        "the functionality identified by 0b0100",
        "szOID_USER_PASSWORD: &'static str = \"2.5.4.35\"",
        "Win32_Security_Credentials = [\"Win32_Security\"]",
        "CgCAzOgBAM0oAgCVGwCAo/EAAIQFAACdGwCA4goAgK0bAICotQAApRsAgIFdAAC1GwCAzPwBAM3AAQC9Gw",
    ]);
}

/// Menus, validation, parameters of statements, prompts, forms in other languages, public keys, and who logs in.
#[test]
fn what_stands_under_a_name_of_a_secret_and_is_none() {
    unchanged(&[
        "Mnemonic: \"goto file\"",
        "readUserInfo.password('       Again:     ')",
        "password=\"`cat /run/secrets/db1`\"",
        "\"password\": \"required|min:8\"",
        "\"password\": \"required|string|min:8|confirmed\",",
        "\"password\": \"nullable|min:6\",",
        "password: \"bail|required|max:255\"",
        "\"password\": \"Пароль\"",
        "\"password\": \"Mật khẩu\"",
        "password=@Password1",
        "password = @pass1 AND x",
        "password=:password1",
        "WHERE password = :new_password1",
        "Secret: projects/p1/secrets/db-pass1",
        "GPG_KEY=A035C8C19219BA821ECEA86B64E628F8D684696D",
        "ENV GPG_KEY A035C8C19219BA821ECEA86B64E628F8D684696D",
        "http://user@example.com/",
    ]);
    check(
        "SECRET",
        &[
            "password: \"«required|Zq9x»\"",
            "password=«@Zq9xhunter»",
            "mnemonic: \"«legal winner thank year wave sausage»\"",
        ],
    );
    check("EMAIL", &["see http://x.com/?to=«kim@example.com»", "mailto://«kim@example.com»"]);
}
