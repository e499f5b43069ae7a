//! Every kind of secret: URL passwords, private keys, web tokens, keys of providers, assignments.

mod marked;

use marked::{check, mask, unchanged};
use octavo::mask::{Kind, Options, Stream};

#[test]
fn passwords_in_urls() {
    check(
        "URL_PASSWORD",
        &[
            "postgresql://admin:«p%40ss»@db.internal:5432/users",
            "redis://:«s3cr3tpw»@10.0.0.5:6379/0",
            "https://user:«p@ss:w0rd!»@host.com/path",
            "mysql://root:«pa/ss#1?»@db:3306/x",
            "mongodb+srv://u:«비밀1»@cluster0.mongodb.net",
            "amqp://guest:«guest»@localhost//",
            "DB=postgres://u:«pw»@h/d, 다음",
            "(ftp://u:«p)w»@h)",
            "https://u:«pw'9Zq»@h",
            "https://u:«pw\"9Zq»@h/x",
            "postgres://u:«p w9Zq»@h",
            "postgres://u:«[p]w9Zq»@h",
            "https://u:«$pw9Zq»@h",
            "https://u:«{pw9Zq»@h",
            "https://u:«p<w>9Zq»@h",
            "https://u:«p`w9Zq»@h",
            "{\"url\": \"https://u:«pw'9Zq»@h.com/x\"}",
            "https://user:«p@ss/w0rd»@host.com/path",
            "https://user:«p@@ss»@host.com",
            "https://«hunter2Zq9xKa1B2c3D4»@github.com/x",
            "https://«9944b09199c62bcf9418ad846dd0e4bb»@o123.ingest.sentry.io/456",
            "https://«hunter2Zq9xKa1B2c3D4:x-oauth-basic»@github.com/x",
            "https://«hunter2Zq9xKa1B2c3D4:»@api.example.com",
            "git clone //kim:«hunter2Zq9xK»@host/path",
            "root:«hunter2Zq9xK»@tcp(127.0.0.1:3306)/db",
            "jdbc:oracle:thin:kim/«hunter2Zq9xK»@db:1521:x",
            "smtp://kim%40x.com:«hunter2Zq9xK»@smtp.x.com:587",
            "postgres:\\\\/\\\\/u:«pw9Zq»@h",
        ],
    );
    unchanged(&[
        "https://host:8080/path@x",
        "https://${USER}:${PASSWORD}@host",
        "postgres://user:<password>@host/db",
        "https://example.com/@user:1",
        "http://[::1]:80/",
        "see https://example.com: it works @ home",
        "{\"a\":\"http://host:x\",\"mail\":\"@kim\"}",
        "http://localhost:3000 @kim",
        "//comment: see kim@host",
        "https://[URL_PASSWORD]@github.com",
    ]);
}

#[test]
fn tokens_in_urls_keep_their_kind() {
    check("GITHUB_TOKEN", &["https://«ghp_A1b2C3d4E5A1b2C3d4E5A1b2C3d4E5F6g7H8»@github.com/x"]);
    let long = "aB3dE5fG7hJ9kL2m".repeat(200);
    assert_eq!(mask(&format!("https://u:{long}@h.com/x")), "https://u:[URL_PASSWORD]@h.com/x");
}

#[test]
fn private_keys() {
    let body = "MIIEpAIBAAKCAQEAxxyyzzxxyyzzxxyyzzxxyyzz0123456789abcdefghijABCDEFGH\nyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\nAbc0==";
    for label in ["RSA PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "ENCRYPTED PRIVATE KEY"] {
        let block = format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----");
        assert_eq!(mask(&format!("열쇠 <{block}> 끝")), "열쇠 <[PRIVATE_KEY]> 끝");
        let escaped = block.replace('\n', "\\n");
        assert_eq!(mask(&format!("{{\"k\": \"{escaped}\\n\"}}")), "{\"k\": \"[PRIVATE_KEY]\\n\"}");
        let cut = format!("-----BEGIN {label}-----\n{body}");
        assert_eq!(mask(&cut), "[PRIVATE_KEY]");
        assert_eq!(mask(&format!("{cut}\n그 다음 줄")), "[PRIVATE_KEY]\n그 다음 줄");
    }
    let pgp = format!(
        "-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n{body}\n=aB3d\n-----END PGP PRIVATE KEY BLOCK-----"
    );
    assert_eq!(mask(&pgp), "[PRIVATE_KEY]");
    let headed =
        format!("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n{body}");
    assert_eq!(mask(&headed), "[PRIVATE_KEY]");
    let public = format!("-----BEGIN PUBLIC KEY-----\n{body}\n-----END PUBLIC KEY-----");
    assert_eq!(mask(&public), public);
    let prose = "a key begins with -----BEGIN RSA PRIVATE KEY----- and ends with -----END RSA PRIVATE KEY-----";
    assert_eq!(mask(prose), prose);
}

#[test]
fn web_tokens() {
    let header = "eyJhbGciOiJIUzI1NiJ9";
    let payload = "eyJzdWIiOiIxMjM0NTY3ODkwIn0";
    let sign = "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";
    for (text, wanted) in [
        (format!("{header}.{payload}.{sign}입니다."), "[JWT]입니다.".to_owned()),
        (format!("Authorization: Bearer {header}.{payload}.{sign}"), "Authorization: Bearer [JWT]".to_owned()),
        (format!("({header}.{payload}.{sign}), 다음"), "([JWT]), 다음".to_owned()),
        (format!("{header}.{payload}"), "[JWT]".to_owned()),
        (format!("token=\"{header}.{payload}.{sign}\""), "token=\"[JWT]\"".to_owned()),
        (format!("{header}.{payload}.{sign}."), "[JWT].".to_owned()),
    ] {
        assert_eq!(mask(&text), wanted);
    }
    unchanged(&["eyJhbGciOiJIUzI1NiJ9", "eyJmb28iOiJiYXIifQ.eyJmb28iOiJiYXIifQ.abc", "xeyJhbGciOiJIUzI1NiJ9.eyJz.a"]);
}

/// Each format, in the places where a key stands.
#[test]
fn keys_of_providers() {
    let a20 = "a1B2c3D4e5F6g7H8i9J0";
    let a40 = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
    let keys = [
        (Kind::AnthropicKey, format!("sk-ant-api03-{a40}{a40}-xAA")),
        (Kind::AnthropicKey, format!("sk-ant-admin01-{a40}AA")),
        (Kind::AnthropicKey, format!("sk-ant-oat01-{a40}")),
        (Kind::OpenaiKey, format!("sk-proj-{a40}T3BlbkFJ{a40}")),
        (Kind::OpenaiKey, format!("sk-svcacct-{a40}T3BlbkFJ{a20}")),
        (Kind::OpenaiKey, format!("sk-admin-{a40}T3BlbkFJ{a20}")),
        (Kind::OpenaiKey, format!("sk-{a20}T3BlbkFJ{a20}")),
        (Kind::GithubToken, "ghp_A1b2C3d4E5A1b2C3d4E5A1b2C3d4E5F6g7H8".to_owned()),
        (Kind::GithubToken, "gho_A1b2C3d4E5A1b2C3d4E5A1b2C3d4E5F6g7H8".to_owned()),
        (Kind::GithubToken, "ghs_A1b2C3d4E5A1b2C3d4E5A1b2C3d4E5F6g7H8".to_owned()),
        (Kind::GithubToken, format!("github_pat_11{a20}_{a40}{a20}")),
        (Kind::AwsAccessKey, "AKIAQWERTYUIOPASDF23".to_owned()),
        (Kind::AwsAccessKey, "ASIAQWERTYUIOPASDF23".to_owned()),
        (Kind::SlackToken, "xoxb-123456789012-123456789012-aBcDeFgHiJkLmNoPqRsTuVwX".to_owned()),
        (Kind::SlackToken, "xoxp-123456789012-123456789012-abcdef0123456789".to_owned()),
        (Kind::SlackToken, "xapp-1-A012ABCD-123456789012-abcdef0123456789".to_owned()),
        (Kind::StripeKey, "sk_live_a1B2c3D4e5F6g7H8".to_owned()),
        (Kind::StripeKey, "rk_test_a1B2c3D4e5F6g7H8".to_owned()),
        (Kind::GoogleApiKey, "AIzaSyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q".to_owned()),
        (Kind::HfToken, "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH".to_owned()),
        (Kind::GitlabToken, format!("glpat-{a20}")),
        (Kind::NpmToken, "npm_A1b2C3d4E5A1b2C3d4E5A1b2C3d4E5F6g7H8".to_owned()),
        (Kind::PypiToken, format!("pypi-AgEIcHlwaS5vcmc{a40}")),
        (Kind::ApiKey, format!("gsk_{a40}")),
        (Kind::ApiKey, format!("xai-{a40}")),
        (Kind::ApiKey, format!("SG.{a20}.{a40}")),
        (Kind::ApiKey, format!("hvs.{a40}")),
        (Kind::ApiKey, format!("r8_{a40}")),
        (Kind::ApiKey, format!("dop_v1_{a40}")),
        (Kind::ApiKey, format!("lsv2_pt_{a40}")),
        (Kind::ApiKey, format!("sk-or-v1-{a40}")),
        (Kind::ApiKey, "123456789:AAH1b2C3d4E5A1b2C3d4E5A1b2C3d4E5F6g".to_owned()),
    ];
    let mut wrong = Vec::new();
    for (kind, key) in &keys {
        let token = format!("[{}]", kind.name());
        for frame in [
            "key=¤",
            "키는 ¤입니다.",
            "키는¤입니다",
            "(¤), 다음",
            "\"¤\"",
            "¤",
            "token: ¤\n",
            "¤.",
            "api_key=¤&x=1",
            "\\n¤\\n",
        ] {
            if mask(&frame.replace('¤', key)) != frame.replace('¤', &token) {
                wrong.push(format!("{} -> {}", frame.replace('¤', key), mask(&frame.replace('¤', key))));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    unchanged(&[
        "sk-fading-circle",
        "sk-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "sk-proj-...",
        "hf_hub_download",
        "npm_config_registry",
        "pk_live_a1B2c3D4e5F6g7H8",
        "task-1234567890abcdef1234567890",
        "AKIAQWERTYUIOPASDF234",
        "MAKIAQWERTYUIOPASDF23",
        "github_pat_example",
    ]);
}

#[test]
fn assignments() {
    check(
        "SECRET",
        &[
            "password=«hunter2»",
            "PASSWORD: «Tr0ub4dor»",
            "passwd = '«p4ssw0rd!»'",
            "\"password\": \"«A1b2C3d4»\"",
            "{\\\"password\\\": \\\"«A1b2C3d4»\\\"}",
            "DB_PASS=«s3cr3t!»",
            "pwd:«qwer1234»,",
            "비밀번호: «abc1234!»입니다",
            "비밀번호：«abc1234!»",
            "암호 = «1q2w3e4r»",
            "密码: «abc12345»",
            "パスワード: «abc12345»",
            "**Password:** «hunter22»",
            "\"apiKey\": \"«a8F3kd93kfLs02kd»\"",
            "api_key=«a8F3kd93kfLs02kd»&x=1",
            "X-Api-Key: «a8F3kd93kfLs02kd»",
            "client_secret: '«a8F3kd93-kfLs02kd»'",
            "Authorization: Bearer «a8F3kd93kfLs02kd»",
            "Authorization: Basic «dXNlcjpwYXNzMTIz»",
            "-H 'Authorization: token «0123456789abcdef0123456789abcdef01234567»'",
            "aws_secret_access_key = «wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzzzKEY1»",
            "AccountKey=«Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr==»;",
            "access token: «550e8400-e29b-41d4-a716-446655440000»",
            "config[\"password\"] = \"«hunter2»\"",
            "password := \"«hunter2»\"",
            "mysql --password «hunter2» -u root",
            "gh auth --api-token '«a8F3kd93kfLs02kd»'",
            "'secret' => '«a8F3kd93kfLs02kd»'",
        ],
    );
    unchanged(&[
        "password=${DB_PASSWORD}",
        "password: $PASSWORD",
        "password=<password>",
        "token: <token>",
        "password: ********",
        "password = xxxxxxxx",
        "api_key=your-api-key-1234567890",
        "api_key=\"YOUR_API_KEY_123456\"",
        "token = process.env.TOKEN1234",
        "password = os.environ[\"PASSWORD1\"]",
        "token = get_token(x1)",
        "password = decrypt2(value)",
        "password: string",
        "password: str = None",
        "password=None, token=true",
        "token: 123",
        "max_tokens=1024",
        "tokens: 4096",
        "next_page_token: a8F3kd93kfLs02kd",
        "if password == \"hunter2\"",
        "std::token::a8F3kd93kfLs02kd",
        "pwd=/home/user1/x2",
        "password: it was 1234 characters long",
        "model_token: claude-3-5-sonnet-20241022",
        "\"password\": \"must have 8 characters\"",
        "bypass: abc12345",
        "author: abc12345",
        "password = config.password2",
        "secret: {{ secrets.API_KEY1 }}",
        "token: \"${{ secrets.TOKEN12 }}\"",
        "password=[SECRET]",
        "--password-file /run/secrets/db1",
        "--password $PASSWORD1",
        "--token",
        "\"token\": \"[API_KEY:0123456789abcdef]\"",
    ]);
}

/// Notebooks keep a text as a list of its lines.
#[test]
fn a_key_as_a_list_of_lines() {
    let line = "MIIEpAIBAAKCAQEAxxyyzzxxyyzzxxyyzzxxyyzz0123456789abcdefghijABCD";
    let list = |end: &str| {
        format!(
            "{{\"source\": [\"-----BEGIN RSA PRIVATE KEY-----\\n\", \"{line}\\n\",\n  \"{line}\\n\", \"Ab0=\\n\"{end}], \"x\": \"y\"}}"
        )
    };
    let whole = list(", \"-----END RSA PRIVATE KEY-----\\n\"");
    assert_eq!(mask(&whole), "{\"source\": [\"[PRIVATE_KEY]\\n\"], \"x\": \"y\"}");
    assert_eq!(mask(&list("")), "{\"source\": [\"[PRIVATE_KEY]\\n\"], \"x\": \"y\"}");
    let named = format!("{{\"a\": \"-----BEGIN RSA PRIVATE KEY-----\\n{line}\", \"{line}\": 1}}");
    assert_eq!(mask(&named), format!("{{\"a\": \"[PRIVATE_KEY]\", \"{line}\": 1}}"));
    let other = format!("{{\"a\": \"-----BEGIN RSA PRIVATE KEY-----\\n{line}\", \"b\": \"kept\", \"c\": 1}}");
    assert_eq!(mask(&other), "{\"a\": \"[PRIVATE_KEY]\", \"b\": \"kept\", \"c\": 1}");
}

#[test]
fn a_backslash_at_the_end_of_a_value_goes_with_it() {
    for (text, right) in [
        (r#"{"a":"\"password\": \"Zq9xK-hunter2\\","b":1}"#, r#"{"a":"\"password\": \"[SECRET]","b":1}"#),
        (r#"{"a":"\"password\": \"Zq9xK-hunter2\\\\\"","b":1}"#, r#"{"a":"\"password\": \"[SECRET]\"","b":1}"#),
        (r#"{"password":"Zq9xK-hunter2\\","b":1}"#, r#"{"password":"[SECRET]","b":1}"#),
    ] {
        assert_eq!(mask(text), right);
        assert!(serde_json::from_str::<serde_json::Value>(&mask(text)).is_ok());
    }
}

#[test]
fn a_long_secret_is_masked_whole() {
    for length in [200, 255, 256, 257, 900, 9_000, 16_383, 16_640, 16_641, 100_000] {
        let value: String = "aB3dE5fG7hJ9kL2m".chars().cycle().take(length).collect();
        for (before, after) in
            [("AWS_SESSION_TOKEN=", " end"), ("\"aws_session_token\": \"", "\" end"), ("Authorization: Bearer ", "")]
        {
            assert_eq!(mask(&format!("{before}{value}{after}")), format!("{before}[SECRET]{after}"), "{length}");
        }
    }
}

#[test]
fn a_private_key_never_goes_on_into_a_name() {
    let text = r#"{"a":"-----BEGIN RSA PRIVATE KEY-----\n4111111111111111","-----END RSA PRIVATE KEY-----":["",1]}"#;
    assert!(serde_json::from_str::<serde_json::Value>(&mask(text)).is_ok(), "{}", mask(text));
}

/// What `tail` prints, and what is left of a key whose beginning was cut off.
#[test]
fn the_tail_of_a_private_key() {
    let line = "MIIEpAIBAAKCAQEAxxyyzzxxyyzzxx/yzzxxyyzz0123456789abc+efghijABCD";
    for label in ["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY"] {
        let tail = format!("{line}\n{line}\n{line}\nAb0=\n-----END {label}-----");
        assert_eq!(mask(&format!("$ tail -5 key\n{tail}\nok")), "$ tail -5 key\n[PRIVATE_KEY]\nok");
        assert_eq!(mask(&format!("{tail}\nok")), "[PRIVATE_KEY]\nok");
        assert_eq!(mask(&format!("$ tail key\n{}", tail.replace('\n', "\r\n"))), "$ tail key\n[PRIVATE_KEY]");
        let escaped = tail.replace('\n', "\\n");
        assert_eq!(
            mask(&format!("{{\"out\": \"$ tail k\\n{escaped}\\n\"}}")),
            "{\"out\": \"$ tail k\\n[PRIVATE_KEY]\\n\"}"
        );
        assert_eq!(mask(&format!("{{\"out\": \"{escaped}\\n\"}}")), "{\"out\": \"[PRIVATE_KEY]\\n\"}");
    }
    let public = format!("$ tail\n{line}\n{line}\n-----END CERTIFICATE-----");
    assert_eq!(mask(&public), public);
    let blob = format!("a\n{line}\n{line}\n{line}\nend");
    assert_eq!(mask(&blob), blob);
}

#[test]
fn private_keys_of_other_programs() {
    let line = "AAAAgQCxyyzzxxyyzzxxyyzzxxyyzz0123456789abcdefghijABCDEFGHAAAAgQ";
    let ppk = |lines: &str| {
        format!(
            "PuTTY-User-Key-File-3: ssh-rsa\nEncryption: none\nComment: kim\nPublic-Lines: 1\n{line}\nPrivate-Lines: 2\n{lines}\nPrivate-MAC: x\n"
        )
    };
    assert_eq!(mask(&ppk(&format!("{line}\nAb01=="))), ppk("[PRIVATE_KEY]"));
    let ssh2 = format!(
        "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: \"kim\"\n{line}\n{line}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----"
    );
    assert_eq!(mask(&format!("a {ssh2} b")), "a [PRIVATE_KEY] b");
    let between = format!(
        "-----BEGIN RSA PRIVATE KEY-----\n{line}\n2026-05-21 10:20:30 [ERROR] retry in 5 s: {{a}}\n{line}\nAb0=\n-----END RSA PRIVATE KEY-----"
    );
    assert_eq!(mask(&format!("a {between} b")), "a [PRIVATE_KEY] b");
}

/// Longer than any bound: masked to the border, whole and in a stream, which holds a bounded part of it.
#[test]
fn what_is_longer_than_any_key_is_masked_to_its_border() {
    let random: String = "aB3dE5fG7hJ9kL2m".chars().cycle().take(150_000).collect();
    let line = "MIIEpAIBAAKCAQEAxxyyzzxxyyzzxxyyzzxxyyzz0123456789abcdefghijABCD\n";
    let quoted = random.replace("G7", "G 7");
    let header = format!("eyJ4NWMiOlsi{random}");
    let texts = [
        (format!("sk-ant-api03-{random}입니다"), "[ANTHROPIC_KEY]입니다"),
        (format!("hvs.{random}. x"), "[API_KEY]. x"),
        (format!("sntrys_{random} x"), "[API_KEY] x"),
        (format!("token={random} x"), "token=[SECRET] x"),
        (format!("{{\"token\": \"{random}\", \"a\": 1}}"), "{\"token\": \"[SECRET]\", \"a\": 1}"),
        (format!("{{\"password\": \"{quoted}\", \"a\": 1}}"), "{\"password\": \"[SECRET]\", \"a\": 1}"),
        (format!("{{\\\"password\\\": \\\"{quoted}\\\", 1}}"), "{\\\"password\\\": \\\"[SECRET]\\\", 1}"),
        (format!("eyJhbGciOiJIUzI1NiJ9.eyJ{random}.{random} x"), "[JWT] x"),
        (format!("{header}.eyJ{random}.{random} x"), "[JWT] x"),
        (format!("Bearer {random} x"), "Bearer [SECRET] x"),
        (
            format!("a -----BEGIN RSA PRIVATE KEY-----\n{}-----END RSA PRIVATE KEY----- b", line.repeat(2_000)),
            "a [PRIVATE_KEY] b",
        ),
        (
            format!("a -----BEGIN RSA PRIVATE KEY-----\n{}\nplain words", line.repeat(2_000)),
            "a [PRIVATE_KEY]\n\nplain words",
        ),
    ];
    for (text, right) in &texts {
        let start: String = text.chars().take(40).collect();
        assert_eq!(mask(text).chars().take(200).collect::<String>(), *right, "{start}");
        assert_eq!(mask(right), *right, "{start}");
        for size in [1_usize, 7, 1_000, 70_000] {
            let mut stream = Stream::new(Options::default());
            let (mut out, mut taken) = (String::new(), 0);
            let characters: Vec<char> = text.chars().collect();
            for piece in characters.chunks(size) {
                let piece = stream.advance(&piece.iter().collect::<String>());
                taken += piece.text.len();
                out += &written(&piece);
            }
            out += &written(&stream.rest());
            assert_eq!(out.chars().take(200).collect::<String>(), *right, "{start} in pieces of {size}");
            assert!(size == 70_000 || taken + 60_000 > text.len(), "{start}: {taken} of {}", text.len());
        }
    }
}

fn written(piece: &octavo::mask::Piece) -> String {
    octavo::mask::masked(&piece.text, &piece.found, |found| {
        if found.goes_on() { String::new() } else { format!("[{}]", found.kind.name()) }
    })
}
