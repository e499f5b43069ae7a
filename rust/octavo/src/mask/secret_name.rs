//! Which names are those of secrets, in the languages that people write them in.

/// What a name says about the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
    /// A person has chosen it: six characters of two sorts are enough.
    Password,
    /// A person has chosen it, of several words: `passphrase`.
    Phrase,
    /// Words that a machine has chosen (BIP 39): a mnemonic is the letter of a menu as well.
    Mnemonic,
    /// `pass`, which is the verdict of a test more often than a password: one is given in quotes, or with `=` at once.
    Pass,
    /// Digits: `pin`.
    Pin,
    /// A machine has made it: long and without pattern.
    Key,
    /// As a key, and some are short.
    Secret,
    /// User and password in base64.
    Login,
    /// `…_KEY` of any program: only what is random for certain.
    LooseKey,
}

impl Sort {
    /// Whether a person has chosen the value.
    pub(super) const fn is_chosen(self) -> bool {
        matches!(self, Self::Password | Self::Phrase)
    }

    /// Whether several words are one value.
    pub(super) const fn has_words(self) -> bool {
        matches!(self, Self::Phrase | Self::Mnemonic)
    }
}

/// Names by their last byte, without `_`, `-`, `.` and blanks. Nearly every sign in a text follows another name, so
/// this is asked often: few comparisons decide on an ASCII name, and nothing is allocated.
fn names(last: u8) -> (&'static [&'static str], &'static [&'static str]) {
    match last {
        b'd' => (&["password", "passwd", "pwd", "wachtwoord", "lösenord"], &[]),
        b's' => (&["passwords"], &["credentials", "apikeys"]),
        b'e' => (&["passcode", "motdepasse", "adgangskode", "şifre"], &[]),
        b't' => (&["passwort", "kennwort"], &["jwt"]),
        b'a' => (&["contraseña", "senha", "parola", "salasana"], &["clientkeydata"]),
        b'i' => (&["katasandi"], &[]),
        b'n' => (&[], &["token", "authorization"]),
        b'y' => (&[], KEYS),
        b'l' => (&[], &["credential"]),
        0x80.. => (OTHER_PASSWORDS, OTHER_KEYS),
        b'o' => (&["hasło", "heslo"], &[]),
        b'u' => (&["mậtkhẩu"], &[]),
        _ => (&[], &[]),
    }
}

const KEYS: &[&str] = &[
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "authkey",
    "signingkey",
    "encryptionkey",
    "masterkey",
    "accountkey",
    "appkey",
    "restkey",
    "consumerkey",
    "subscriptionkey",
    "servicekey",
    "rolekey",
    "openaikey",
    "wifikey",
    "storagekey",
    "functionkey",
    "licensekey",
    "adminkey",
    "clientkey",
    "serverkey",
    "jwtkey",
    "sessionkey",
    "hmackey",
    "aeskey",
    "presharedkey",
    "tlskey",
];
/// In other scripts; in the normal form a long vowel mark is a dash, and dashes are not seen.
const OTHER_PASSWORDS: &[&str] = &[
    "비밀번호",
    "비번",
    "암호",
    "패스워드",
    "비밀구절",
    "密码",
    "密碼",
    "口令",
    "パスワド",
    "パスコド",
    "パスフレズ",
    "合言葉",
    "пароль",
    "كلمةالمرور",
    "كلمةالسر",
    "รหัสผ่าน",
    "पासवर्ड",
    "סיסמה",
    "κωδικός",
    "jelszó",
];
const OTHER_PINS: &[&str] = &["핀번호", "핀코드", "暗証番号", "提款密码", "pin번호", "pin코드"];
const OTHER_KEYS: &[&str] = &[
    "토큰",
    "인증키",
    "api키",
    "비밀키",
    "시크릿",
    "시크릿키",
    "보안키",
    "액세스키",
    "접근키",
    "암호화키",
    "개인키",
    "서비스키",
    "トクン",
    "apiキ",
    "アクセスキ",
    "シクレット",
    "シクレットキ",
    "秘密鍵",
    "令牌",
    "密钥",
    "密鑰",
    "私钥",
];
/// What has a password: `DB_PASS` and `userpass` name one, `first_pass` and `two-pass` a round.
const ACCOUNTS: &[&str] = &[
    "db", "user", "mail", "smtp", "imap", "ftp", "admin", "root", "sql", "redis", "http", "login", "my", "ssh", "key",
    "store", "proxy", "ldap", "pg", "postgres", "mongo", "rabbitmq", "wifi", "sudo", "basic", "rpc", "mqtt", "require",
];
/// Names that end like a key's and say where a list goes on.
const POSITIONS: &[&str] = &["pagetoken", "nexttoken", "continuationtoken", "synctoken", "cursortoken"];
/// Keys of databases and caches, and those that everybody may see.
const PUBLIC: &[&str] = &[
    "public",
    "pub",
    "primary",
    "foreign",
    "sort",
    "partition",
    "cache",
    "object",
    "index",
    "unique",
    "hash",
    "range",
    "row",
    "map",
    "registry",
    "hot",
    "group",
    "session",
    "publishable",
    "idempotency",
    "s3",
    "gpg",
    "pgp",
    "lookup",
    "translation",
];

/// What `name` names. Case, dashes, underscores, stops and blanks in it are not seen.
pub(super) fn sort_of_name(name: &[u8]) -> Option<Sort> {
    sort_of_plain_name(name).or_else(|| sort_of_plain_name(without_suffix(name)?))
}

/// `PASSWORD2`, `DB_PASSWORD_PROD`, `API_KEY_PROD`: the name without the number or the place it is for.
fn without_suffix(name: &[u8]) -> Option<&[u8]> {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    if digits > 0 {
        let (head, _) = name.split_at_checked(name.len().saturating_sub(digits))?;
        let head = if let [rest @ .., b'_' | b'-'] = head { rest } else { head };
        return (digits <= 2).then_some(head);
    }
    let end = |suffix: &&str| {
        let (head, tail) = name.split_at_checked(name.len().checked_sub(suffix.len())?)?;
        tail.eq_ignore_ascii_case(suffix.as_bytes()).then_some(head)
    };
    // Most names end otherwise: one look at the last byte decides.
    let may_end = matches!(
        name.last()?.to_ascii_lowercase(),
        b'd' | b'v' | b't' | b'g' | b'm' | b'w' | 0xB8 | 0xBD | 0xA5 | 0x95 | 0x94
    );
    may_end.then(|| SUFFIXES.iter().find_map(end))?
}

const SUFFIXES: &[&str] = &[
    "_prod",
    "_dev",
    "_test",
    "_staging",
    "_confirm",
    "_old",
    "_new",
    "_encoded",
    " string",
    " 재확인",
    " 변경",
    " 입력",
    " 설정",
    " 재설정",
    " 초기화",
    " 확인",
    "확인",
];

fn sort_of_plain_name(name: &[u8]) -> Option<Sort> {
    // A long vowel mark at the end is a dash in the normal form.
    let name = match name {
        [rest @ .., b'-'] if rest.last().is_some_and(|&byte| byte >= 0x80) => rest,
        _ => name,
    };
    let last = name.last()?.to_ascii_lowercase();
    if !may_end(name.iter().rev().nth(1).map_or(0, u8::to_ascii_lowercase), last) {
        return None;
    }
    let (passwords, keys) = names(last);
    let ends = |names: &[&str]| names.iter().any(|one| ends_loosely(name, one.as_bytes()));
    if last >= 0x80 && ends(OTHER_PINS) {
        return Some(Sort::Pin);
    }
    if ends(passwords) || (last == b's' && is_password_of_account(name)) {
        return Some(Sort::Password);
    }
    if (ends(keys) && !ends(POSITIONS)) || (last >= 0x80 && ends(OTHER_KEYS)) {
        return Some(Sort::Key);
    }
    sort_of_word(name, last)
}

/// Whether any name ends with these two small letters: most names in a text are told by them.
pub(super) fn may_end(before: u8, last: u8) -> bool {
    match last {
        b'a' => matches!(before, b'h' | b'l' | b't' | 0xB1),
        b'c' => before == b'i',
        b'd' => matches!(before, b'r' | b'w'),
        b'e' => matches!(before, b'd' | b'r' | b's'),
        b'h' => before == b't',
        b'i' => before == b'd',
        b'k' => before == b's',
        b'l' => before == b'a',
        b'n' => matches!(before, b'e' | b'i' | b'o'),
        b'o' => matches!(before, b'l' | 0x82),
        b's' => matches!(before, b'd' | b'l' | b's' | b'y'),
        b't' => matches!(before, b'e' | b'r' | b'w'),
        b'u' => before == 0xA9,
        b'w' => before == b'p',
        b'y' => before == b'e',
        _ => last >= 0x80,
    }
}

/// Names of which the end alone must be a word.
fn sort_of_word(name: &[u8], last: u8) -> Option<Sort> {
    let word = |words: &[&str]| words.iter().any(|word| ends_with_word(name, word.as_bytes()));
    let loosely = |words: &[&str]| words.iter().any(|word| ends_loosely(name, word.as_bytes()));
    match last {
        b's' if word(&["pass"]) => Some(Sort::Pass),
        b'w' if word(&["pw"]) => Some(Sort::Password),
        b'k' if word(&["psk"]) => Some(Sort::Password),
        b'n' if word(&["pin", "pincode"]) => Some(Sort::Pin),
        b'h' if word(&["auth"]) => Some(Sort::Login),
        b'e' if loosely(&["passphrase", "seedphrase", "recoveryphrase", "secretphrase"]) => Some(Sort::Phrase),
        b'c' if word(&["mnemonic"]) => Some(Sort::Mnemonic),
        b't' if loosely(&["secret"]) => Some(Sort::Secret),
        b'e' if loosely(&["xamzsignature", "xgoogsignature"]) => Some(Sort::Key),
        b'y' if ends_with_word(name, b"KEY") && is_environment(name) => Some(Sort::LooseKey),
        _ => None,
    }
}

/// `OPENAI_KEY`, and no `PUBLIC_KEY`.
fn is_environment(name: &[u8]) -> bool {
    let start =
        name.iter().rev().take_while(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || **byte == b'_');
    let Some((head, b"KEY")) = name.split_at_checked(name.len().saturating_sub(3)) else { return false };
    let word = head.strip_suffix(b"_").unwrap_or_default();
    start.count() > 5 && !PUBLIC.iter().any(|public| ends_loosely(word, public.as_bytes()))
}

/// Whether the name ends with the word, when what joins words is not seen.
fn ends_loosely(name: &[u8], word: &[u8]) -> bool {
    let mut letters = name.iter().rev().filter(|byte| !matches!(byte, b'_' | b'-' | b'.' | b' '));
    word.iter().rev().all(|byte| letters.next().is_some_and(|letter| letter.eq_ignore_ascii_case(byte)))
}

/// `DB_PASS`, `userpass`.
fn is_password_of_account(name: &[u8]) -> bool {
    let Some((head, tail)) = name.split_at_checked(name.len().saturating_sub(4)) else { return false };
    let head = if let [rest @ .., b'_' | b'-' | b'.'] = head { rest } else { head };
    let ends = |account: &&str| {
        let start = head.len().saturating_sub(account.len());
        head.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(account.as_bytes()))
    };
    tail.eq_ignore_ascii_case(b"pass") && ACCOUNTS.iter().any(ends)
}

/// `DB_PASS` ends with the word, `bypass` does not; `userPw` does.
fn ends_with_word(name: &[u8], word: &[u8]) -> bool {
    let Some((head, tail)) = name.split_at_checked(name.len().saturating_sub(word.len())) else { return false };
    let hump = tail.first().is_some_and(u8::is_ascii_uppercase) && head.last().is_some_and(u8::is_ascii_lowercase);
    tail.eq_ignore_ascii_case(word) && (hump || !head.last().is_some_and(u8::is_ascii_alphanumeric))
}
