//! Every kind of secret: URL passwords, private keys, web tokens, keys of providers, assignments.

mod marked;

use marked::{check, mask, unchanged};
use octavo::mask::Kind;

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
fn signs_in_quotes_are_part_of_a_secret() {
    check(
        "SECRET",
        &[
            "SECRET_KEY = 'django-insecure-«x»'"
                .replace("django-insecure-«x»", "«django-insecure-7h(2$k{q9v&=!m3^zx)p8w_r5t@1n6b4c0j»")
                .as_str(),
            "\"api_key\": \"«a1B2(c3D4{e5F6g7H8i9J0»\"",
            "token = \"«z9(Y8x7W6v5U4t3S2r1Q0»\"",
        ],
    );
    unchanged(&["api_key = \"{prefix}-{key_id}\"", "token = \"get_token(user_1)\"", "SECRET_KEY = \"{}{}\""]);
}

#[test]
fn letters_alone_are_a_password_where_they_are_base64_of_a_text() {
    check("SECRET", &["data:\n  password: «aHVudGVyMlpxOXhL»\n  username: a2lt", "password: «c2VjcmV0cGFzc3dvcmQ=»"]);
    unchanged(&[
        "password: PasswordResetTokenGenerator",
        "password: setAuthorizationProvider",
        "password: requiredFieldX=",
    ]);
}

#[test]
fn a_token_of_an_address_is_no_login() {
    unchanged(&[
        "curl -u [EMAIL:d2e6aa10b4c1f2a3d2e6aa10b4c1f2a3]",
        "wget --user [EMAIL:d2e6aa10b4c1f2a3d2e6aa10b4c1f2a3] https://x",
    ]);
    check("API_KEY", &["https://api.telegram.org/bot«123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw»/getMe"]);
}

#[test]
fn a_key_without_body_does_not_reach_over_the_end_of_its_string() {
    let text = r#"{"a":"-----BEGIN RSA PRIVATE KEY-----\n\\","9912312065122password is ":["",1]}"#;
    assert!(mask(text).starts_with(r#"{"a":"-----BEGIN RSA PRIVATE KEY-----\n\\","#), "{}", mask(text));
}
