//! Passwords with any sign in them, in every frame that gives no quotes, and the code that is none.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod marked;

use marked::{check, mask, unchanged};
/// `¤` is the value; what a frame itself uses as a border cannot stand in a value there.
const FRAMES: &[(&str, &str)] = &[
    ("DB_PASSWORD=¤\n", ""),
    ("export DB_PASSWORD=¤\nPORT=1\n", ""),
    ("db:\n  password: ¤\n  user: kim\n", ""),
    ("password = ¤\n", ""),
    ("비밀번호: ¤\n", ""),
    ("비밀번호: ¤ 입니다", ""),
    ("암호=¤", ""),
    ("GET /login?user=kim&password=¤&next=1 HTTP/1.1", "&#?;"),
    ("mysql --password ¤ -h db", ""),
    ("mysql --password=¤ -h db", ""),
    ("The password: ¤\nSee you", ""),
    ("password is: ¤ and more", ""),
];

/// Names of what machines make, which is long.
const KEY_FRAMES: &[(&str, &str)] = &[("SECRET_KEY=¤\n", ""), ("client_secret: ¤\n", ""), ("api_key = ¤\n", "")];

/// Random signs, the same in every run.
struct Signs(u64);

impl Signs {
    fn next(&mut self, alphabet: &str) -> char {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let count = u64::try_from(alphabet.len()).unwrap();
        alphabet.chars().nth(usize::try_from((self.0 >> 11) % count).unwrap()).unwrap()
    }

    /// A letter, and what a generator of passwords puts behind it: quotes and backslashes have their own tests.
    fn password(&mut self, length: usize, signs: &str) -> String {
        let letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ";
        let all = format!("{letters}{letters}23456789234567892345678923456789{signs}");
        let mut value = self.next(letters).to_string();
        while value.len() < length {
            value.push(self.next(&all));
        }
        value.replace_range(length - 2..length - 1, "7");
        value
    }
}

/// Whether the value might be written so in a program, or would be another line of values.
fn is_doubtful(value: &str) -> bool {
    let brackets = [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>')];
    let closed =
        brackets.iter().any(|&(open, close)| value.split_once(open).is_some_and(|(_, rest)| rest.contains(close)));
    let named = value.split([',', ';', '&', '|']).skip(1).any(|part| {
        let name = part.trim_start_matches(|one: char| one.is_ascii_alphanumeric() || matches!(one, '_' | '-' | '.'));
        name.len() < part.len() && name.starts_with(['=', ':'])
    });
    closed || named || value.contains("://") || value.contains("&amp;")
}

fn left_of(value: &str, masked: &str) -> Option<String> {
    let characters: Vec<char> = value.chars().collect();
    characters.windows(4).map(|four| four.iter().collect::<String>()).find(|four| masked.contains(four.as_str()))
}

/// Checks that of the values in the frames hardly any leaves four signs in a row: what is left is written as programs
/// write, `a::b`, or as a member, `D.JxNtgnF73`.
fn check_leaks(frames: &[(&str, &str)], values: impl Iterator<Item = String>) {
    let mut leaks = Vec::new();
    let mut looked_at = 0;
    for value in values.filter(|value| !is_doubtful(value)) {
        for (frame, borders) in frames {
            let value = value.replace(|one| borders.contains(one), "7");
            let text = frame.replace('¤', &value);
            let masked = mask(&text);
            looked_at += 1;
            if left_of(&value, &masked).is_some() {
                leaks.push(format!("{text:?} became {masked:?}"));
            }
        }
    }
    assert!(looked_at > 5_000, "{looked_at}");
    let first: Vec<_> = leaks.iter().take(20).cloned().collect();
    assert!(leaks.len() * 500 < looked_at, "{} of {looked_at}:\n{}", leaks.len(), first.join("\n"));
}

#[test]
fn nothing_of_a_password_is_left() {
    let mut signs = Signs(42);
    let values = (0..2_000).map(|at| signs.password(8 + at % 9, "!#$%&()*+,-./:;<=>?@[]^_`{|}~"));
    check_leaks(FRAMES, values);
}

#[test]
fn nothing_of_a_key_is_left() {
    let mut signs = Signs(43);
    let values = (0..2_000).map(|_| signs.password(50, "!@#$%^&*(-_=+)").to_lowercase());
    check_leaks(KEY_FRAMES, values);
}

/// Calls, members, types and templates, whatever digits are in their names.
#[test]
fn what_a_program_computes_is_no_secret() {
    unchanged(&[
        "password = decrypt2(value1)",
        "password=hash256(user1, salt2)",
        "password = base64.b64decode(secret[6:])",
        "auth = base64.b64encode(credentials.encode('utf-8')).decode('ascii')",
        "password: argv[12],",
        "password: config.database.password2,",
        "password: this.form1.value.pass1",
        "password = user.password1",
        "token: Option<[u8;32]>,",
        "token: HashMap<String,Vec<u8>>",
        "password: np.int64",
        "secret: crate::keys::Secret32",
        "password = sha256(input1 + salt)",
        "print(f\"password={password!r:>12}\")",
        "password=${DB_PASSWORD2}",
        "password: {{ vault.db1_password }}",
        "password=format!(\"{}1\", x)",
        "password: fn(u8,u16)->u32",
        "f(password=pw1, token=t2)",
        "auth = _sdk.SyncX509WorkloadIdentityAuth(\n    x)",
        "password: Option<&'a str1>",
        "password: z.string().min(8).max(64),",
        "password = randomBytes(16).toString('hex')",
        "password => password1.length",
    ]);
}

/// Borders of values that stand in something else.
#[test]
fn what_stands_around_a_value_stays() {
    check(
        "SECRET",
        &[
            "(password: «Zq9x[hunter2A»)",
            "[id=kim, password=«Zq9x(hunter2A»]",
            "{user: kim, password: «Zq9x&hunter2A», port: 1}",
            "'password: «Zq9x(hunter2A»'",
            "`password=«Zq9x|hunter2A»`",
            "see [here](https://x.com/?password=«Zq9xhunter2A»).",
            "<a href=\"/?password=«Zq9x(hunter2A»\">",
            "<p>password: «Zq9x(hunter2A»</p>",
            "password: «Zq9x(hunter2A», then",
            "password: «john.smith1985».",
            "비밀번호는 «Zq9x(hunter2A»입니다",
            "DB_PASSWORD=«pa&ss;x»\nA=1",
            "password=«hunter2Zq»&amp;user=kim",
            "\"DB_PASSWORD=«Zq9x(hunter2A»\"",
            "\"DB_PASSWORD=«Zq9x(hunter2A»\\n\"",
        ],
    );
}

/// Sentences with the value in quotes or brackets, and without either.
#[test]
fn values_that_a_sentence_states() {
    check(
        "SECRET",
        &[
            "임시 비밀번호: [«hunter2Zq9xK»]",
            "임시 비밀번호는 [«hunter2Zq9xK»] 입니다",
            "비번(«kim1234!»)",
            "비밀번호（«hunter2Zq9xK»）",
            "비번은 '«kim1234!»'",
            "비번은 \"«kim1234!»\" 이에요",
            "비번은 `«kim1234!»` 야",
            "비밀번호를 «hunter2Zq9xK»로 변경",
            "DB 비밀번호 - «hunter2Zq9xK»",
            "비밀번호 «qwer,1234»",
            "비밀번호는 «kim.1234» 입니다",
            "password «hunter2Zq9xK»",
            "password '«hunter2Zq9xK»'",
            "username `kim`, password `«hunter2Zq9xK»`",
            "using the password \"«hunter2Zq9xK»\"",
            "log in with username kim and password «hunter2Zq9xK»",
            "ID kim\nPW «hunter2Zq9xK»",
            "PW «kim1234!»",
            "password has been set to «hunter2Zq9xK»",
            "token «a1B2c3D4e5F6g7H8»",
            "API key «a1B2c3D4e5F6g7H8»",
        ],
    );
    unchanged(&[
        "비밀번호(SHA256)",
        "암호 (AES-256)",
        "토큰 (max_tokens=1024)",
        "비밀번호(8자 이상)",
        "비밀번호를 SHA256으로 저장",
        "password PBKDF2WithHmacSHA256",
        "password ResetV2Token",
        "token 3f786850e387550fdab836ed7e6dc881de23001b",
        "password \"admin\"",
        "a token 'T_STRING1'",
        "password (min 8)",
        "password [8-20]",
        "비밀번호 재설정 링크 https://x.com/a1",
        "계정은 kim1234 입니다",
    ]);
}

/// Letters of both cases in turn are no words; what somebody has made of an example is no example.
#[test]
fn letters_alone_and_examples_with_numbers() {
    check(
        "SECRET",
        &[
            "password=«QwErTyUiOpAs»",
            "password=«changeme123»",
            "password=«example123»",
            "{\"password\":\"«00000000»\"}",
            "{\"password\": \"«11111111»\"}",
        ],
    );
    unchanged(&[
        "password: PasswordResetTokenGenerator",
        "password=changeme",
        "password=your-password-1",
        "--token EXAMPLE12345...",
        "\"password\": \"00000000-0000-0000-0000-000000000000\"",
    ]);
}

/// Lists of arguments, pairs for a login, fields that are typed into, values of last resort.
#[test]
fn values_that_are_handed_over() {
    check(
        "SECRET",
        &[
            "{\"args\": [\"--password\", \"«hunter2Zq9xK»\"]}",
            "[\"--host\", \"db\",\n  \"--api-key\",\n  \"«a1B2c3D4e5F6g7H8»\"]",
            "auth=(\"kim\", \"«hunter2Zq9xK»\")",
            "HTTPBasicAuth('kim', '«hunter2Zq9xK»')",
            "page.type(\"input[name=password]\", \"«hunter2Zq9xK»\")",
            "find_element(By.ID, \"password\").send_keys(\"«hunter2Zq9xK»\")",
            "process.env.DB_PASSWORD || '«hunter2Zq9xK»'",
            "const p = process.env.DB_PASSWORD ?? \"«hunter2Zq9xK»\";",
            "echo 'kim:«hunter2Zq9xK»' | chpasswd",
            "echo \"kim:«changeit»\" | sudo chpasswd",
            "environment:\n  POSTGRES_PASSWORD: «postgres»\n",
            "{\"password\": \" «hunter2Zq9xK»\"}",
            "{\"password\": \"«hunter2Zq9xK» \"}",
        ],
    );
    unchanged(&[
        "[\"--password\", \"--host\"]",
        "[\"--password\", \"$DB_PASSWORD\"]",
        "auth=(\"kim\", \"pass\")",
        "auth(\"kim\", \"x2\", 3)",
        "find_element(By.ID, \"name\").send_keys(\"hunter2Zq9xK\")",
        "process.env.DB_HOST || 'hunter2Zq9xK'",
        "echo 'time:12345678' | cat",
        "    DB_PASSWORD: str\n",
        "DB_PASSWORD: password\n",
        "f(\"password: \" + user1 + \" x\")",
    ]);
    check("URL_PASSWORD", &["mongodb://u:«p»@h1:1,h2:2/x"]);
}
