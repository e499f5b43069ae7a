//! What a value is, told from its form alone.

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ValueKind {
    /// An order, user, ticket or reservation id, a digest, a UUID: letters with digits, or a long number.
    Identifier,
    /// A file or a folder.
    Path,
    /// A URL.
    Url,
    /// An e-mail address, or a name behind an `@`.
    Handle,
    /// A date, a time, or both.
    Date,
    /// A number with a currency.
    Amount,
    /// A version: `v2`, `1.4.0-rc1`, `name@3.2`.
    Version,
    /// The name of a function or symbol: `snake_case`, `camelCase`, `Module::item`.
    Name,
    /// Anything else that was given under a key: a scalar of an argument or of a JSON result.
    Value,
}

impl ValueKind {
    /// Every kind, in the order of its number.
    pub const ALL: [Self; 9] = [
        Self::Identifier,
        Self::Path,
        Self::Url,
        Self::Handle,
        Self::Date,
        Self::Amount,
        Self::Version,
        Self::Name,
        Self::Value,
    ];

    /// Its name, as callers read it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Identifier => "identifier",
            Self::Path => "path",
            Self::Url => "url",
            Self::Handle => "handle",
            Self::Date => "date",
            Self::Amount => "amount",
            Self::Version => "version",
            Self::Name => "name",
            Self::Value => "value",
        }
    }

    /// What several of it are called in a section.
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Identifier => "identifiers",
            Self::Path => "paths",
            Self::Url => "urls",
            Self::Handle => "handles",
            Self::Date => "dates",
            Self::Amount => "amounts",
            Self::Version => "versions",
            Self::Name => "names",
            Self::Value => "values",
        }
    }
}

/// Endings of files: sources, documents, data, pictures, archives. Sorted, to be searched by halving: code is full of
/// dots.
#[rustfmt::skip]
const EXTENSIONS: [&str; 115] = [
    "7z", "apk", "avi", "bash", "bat", "bin", "bmp", "bz2", "c", "cc", "cfg", "cjs", "cmake", "conf", "cpp", "cs",
    "css", "csv", "db", "diff", "dll", "doc", "docx", "dylib", "eex", "env", "epub", "erb", "erl", "ex", "exe", "exs",
    "gif", "gitignore", "go", "gradle", "gz", "h", "heex", "hpp", "htm", "html", "hwp", "hwpx", "ico", "ini", "ipynb",
    "iso", "jar", "java", "jl", "jpeg", "jpg", "js", "json", "jsonl", "jsx", "kt", "lock", "log", "lua", "md", "mdx",
    "mjs", "mkv", "mov", "mp3", "mp4", "ndjson", "odt", "parquet", "patch", "pdf", "php", "pl", "png", "ppt", "pptx",
    "proto", "ps1", "py", "pyi", "rar", "rb", "rs", "rst", "rtf", "scss", "sh", "so", "sql", "sqlite", "svelte",
    "svg", "swift", "tar", "tf", "tgz", "toml", "ts", "tsv", "tsx", "txt", "vue", "wav", "webp", "whl", "xls", "xlsx",
    "xml", "xz", "yaml", "yml", "zip", "zsh",
];

/// Letters of the longest of them.
const LONGEST_EXTENSION: usize = 9;

/// A number of fewer digits says too little to be looked for later, unless something names it.
const SHORTEST_NUMBER: usize = 5;

/// What a text without spaces is; nothing where it is a word like any other.
pub(super) fn kind_of(text: &str) -> Option<ValueKind> {
    let shape = Shape::of(text);
    if shape.alphanumeric == 0 {
        return None;
    }
    if shape.slashes >= 2 && text.contains("://") || text.starts_with("www.") {
        return Some(ValueKind::Url);
    }
    if shape.has(b'@') {
        return handle(text);
    }
    if shape.currency || text.ends_with('%') && shape.digits > 0 {
        return (shape.digits > 0).then_some(if shape.currency { ValueKind::Amount } else { ValueKind::Value });
    }
    if shape.digits >= 3 && is_date(text) {
        return Some(ValueKind::Date);
    }
    if shape.digits > 0 && is_version(text, &shape) {
        return Some(ValueKind::Version);
    }
    if is_path(text, &shape) {
        return Some(ValueKind::Path);
    }
    named(text, &shape)
}

/// Identifiers and names: what is left when no mark in it says more.
fn named(text: &str, shape: &Shape) -> Option<ValueKind> {
    if shape.slashes > 0 || shape.has(b'=') || shape.has(b'\\') {
        return None;
    }
    if let Some(number) = text.strip_prefix('#') {
        return (shape.digits > 0 && number.len() == shape.alphanumeric).then_some(ValueKind::Identifier);
    }
    if shape.digits > 0 && shape.letters == 0 {
        let plain = shape.digits == text.len() || shape.dots == 0 && shape.digits >= 7 && !shape.has(b',');
        return (plain && shape.digits >= SHORTEST_NUMBER).then_some(ValueKind::Identifier);
    }
    if shape.has(b':') && text.contains("::") || text.ends_with("()") {
        return Some(ValueKind::Name);
    }
    if shape.digits > 0 {
        let ordinal = shape.letters <= 2 && shape.alphanumeric <= 4 && shape.upper == 0;
        return (!ordinal && text.len() >= 3).then_some(ValueKind::Identifier);
    }
    let dotted = shape.dots >= 2 && text.split('.').all(|part| part.len() >= 2);
    let joined = shape.has(b'_') && shape.letters >= 3 || shape.humps;
    (dotted || joined).then_some(ValueKind::Name)
}

fn handle(text: &str) -> Option<ValueKind> {
    let (before, after) = text.rsplit_once('@')?;
    let word = |text: &str| text.chars().filter(|one| one.is_alphanumeric()).count() >= 2;
    if after.starts_with(|first: char| first.is_ascii_digit()) || after.starts_with('^') {
        return word(before).then_some(ValueKind::Version);
    }
    word(after).then_some(ValueKind::Handle)
}

/// `2024-05-15`, `2024/5/15`, `15.05.2024`, `2024-05-15T10:30:00Z`, `10:30`.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    if !bytes.first().is_some_and(u8::is_ascii_digit) || text.len() > 40 {
        return false;
    }
    let day = day_length(bytes);
    let rest = bytes.get(day..).unwrap_or_default();
    match (day, rest) {
        (0, _) => is_time(bytes),
        (_, []) => true,
        (_, [b'T' | b't' | b' ' | b'_', time @ ..]) => is_time(time),
        _ => false,
    }
}

/// The length of a day at the start: three numbers with the same mark between, one of them a year; 0 for none.
fn day_length(bytes: &[u8]) -> usize {
    let first = digits_at(bytes, 0);
    let Some(&mark) = bytes.get(first).filter(|mark| matches!(mark, b'-' | b'/' | b'.')) else { return 0 };
    let second = digits_at(bytes, first + 1);
    if bytes.get(first + second + 1) != Some(&mark) {
        return 0;
    }
    let third = digits_at(bytes, first + second + 2);
    let fits = matches!((first, second, third), (4, 1..=2, 1..=2) | (1..=2, 1..=2, 4));
    if fits { first + second + third + 2 } else { 0 }
}

/// `10:30`, `10:30:00`, with a fraction and a zone.
fn is_time(bytes: &[u8]) -> bool {
    let hours = digits_at(bytes, 0);
    let minutes = digits_at(bytes, hours + 1);
    let tail = bytes.get(hours + minutes + 1..).unwrap_or_default();
    matches!(hours, 1 | 2)
        && bytes.get(hours) == Some(&b':')
        && minutes == 2
        && tail.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.' | b'Z' | b'z' | b'+' | b'-'))
}

fn digits_at(bytes: &[u8], at: usize) -> usize {
    bytes.iter().skip(at).take_while(|byte| byte.is_ascii_digit()).count()
}

/// `v2`, `v1.4`, `1.4.0`, `1.4.0-rc1`, and the constraints that are written with them: `^1.4.0`, `>=2.1`.
fn is_version(text: &str, shape: &Shape) -> bool {
    let bare = text.trim_start_matches(['^', '~', '>', '<', '=']);
    let number = bare.strip_prefix(['v', 'V']).unwrap_or(bare);
    let dots = number.split(['-', '+']).next().unwrap_or_default();
    let numeric = dots.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    let marked = number.len() < bare.len() && text.len() <= 8 || bare.len() < text.len() && shape.dots > 0;
    numeric && text.len() <= 32 && (marked || (2..=3).contains(&(dots.split('.').count() - 1)))
}

/// A slash or backslash with names around, or a name with an extension.
fn is_path(text: &str, shape: &Shape) -> bool {
    if shape.letters == 0 || shape.has(b'=') || shape.has(b'(') {
        return false;
    }
    let marks = shape.slashes + shape.backslashes;
    if marks == 0 {
        return shape.dots > 0 && !shape.has(b':') && has_extension(text);
    }
    let rooted = text.starts_with(['/', '~']) || text.starts_with("./") || text.starts_with("../");
    let drive = text.as_bytes().get(1) == Some(&b':') && shape.backslashes > 0;
    rooted && shape.alphanumeric >= 2 || drive || shape.slashes >= 2 || shape.dots > 0 || shape.has(b'_')
}

/// Whether a name without a slash is that of a file: an ending that files have. Others are members (`self.rows`), hosts, or
/// sentences without a space between.
fn has_extension(text: &str) -> bool {
    let Some((stem, extension)) = text.rsplit_once('.') else { return false };
    let stem_ends = stem.is_empty() || stem.ends_with(|last: char| last.is_alphanumeric() || "_*)".contains(last));
    extension.len() <= LONGEST_EXTENSION && stem_ends && is_extension(extension)
}

fn is_extension(text: &str) -> bool {
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return EXTENSIONS.binary_search(&text.to_ascii_lowercase().as_str()).is_ok();
    }
    EXTENSIONS.binary_search(&text).is_ok()
}

/// What characters a text is made of.
#[derive(Default)]
struct Shape {
    digits: usize,
    letters: usize,
    upper: usize,
    alphanumeric: usize,
    dots: usize,
    slashes: usize,
    backslashes: usize,
    /// A capital behind a small letter.
    humps: bool,
    currency: bool,
    /// Something beyond ASCII.
    foreign: bool,
    /// Bits of the ASCII marks in it.
    marks: u128,
}

impl Shape {
    fn of(text: &str) -> Self {
        let mut shape = Self::default();
        let mut lower = false;
        for byte in text.bytes() {
            let was_lower = std::mem::take(&mut lower);
            match byte {
                b'0'..=b'9' => shape.digits += 1,
                b'a'..=b'z' => (shape.letters, lower) = (shape.letters + 1, true),
                b'A'..=b'Z' => {
                    (shape.letters, shape.upper) = (shape.letters + 1, shape.upper + 1);
                    shape.humps |= was_lower;
                }
                0x80.. => shape.foreign = true,
                _ => {
                    shape.dots += usize::from(byte == b'.');
                    shape.slashes += usize::from(byte == b'/');
                    shape.backslashes += usize::from(byte == b'\\');
                    shape.marks |= 1 << byte;
                }
            }
        }
        shape.currency = shape.has(b'$');
        if shape.foreign {
            shape.add_foreign(text);
        }
        shape.alphanumeric = shape.digits + shape.letters;
        shape
    }

    /// Letters and currencies of other scripts.
    fn add_foreign(&mut self, text: &str) {
        for one in text.chars().filter(|one| !one.is_ascii()) {
            self.letters += usize::from(one.is_alphabetic());
            self.currency |= matches!(one, '₩' | '€' | '£' | '¥' | '￦' | '￥');
        }
    }

    fn has(&self, mark: u8) -> bool {
        self.marks & (1 << mark) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::{EXTENSIONS, ValueKind, kind_of};

    #[test]
    fn endings_are_sorted() {
        assert!(EXTENSIONS.is_sorted());
        assert_eq!(kind_of("README.MD"), Some(ValueKind::Path));
        assert_eq!(kind_of("self.rows"), None);
    }

    #[test]
    fn forms_are_told() {
        let cases = [
            ("HAT136", Some(ValueKind::Identifier)),
            ("mia_kim_4397", Some(ValueKind::Identifier)),
            ("credit_card_8003957", Some(ValueKind::Identifier)),
            ("JIRA-1203", Some(ValueKind::Identifier)),
            ("#4821", Some(ValueKind::Identifier)),
            ("550e8400-e29b-41d4-a716-446655440000", Some(ValueKind::Identifier)),
            ("20240515001", Some(ValueKind::Identifier)),
            ("src/theme/light.json", Some(ValueKind::Path)),
            ("theme.ts", Some(ValueKind::Path)),
            ("~/notes", Some(ValueKind::Path)),
            ("C:\\Users\\me\\a.txt", Some(ValueKind::Path)),
            ("보고서.xlsx", Some(ValueKind::Path)),
            ("https://example.com/a?b=1", Some(ValueKind::Url)),
            ("ada@example.com", Some(ValueKind::Handle)),
            ("@ada_l", Some(ValueKind::Handle)),
            ("left-pad@1.3.0", Some(ValueKind::Version)),
            ("2024-05-15", Some(ValueKind::Date)),
            ("2024-05-15T10:30:00Z", Some(ValueKind::Date)),
            ("10:30", Some(ValueKind::Date)),
            ("$1,200.50", Some(ValueKind::Amount)),
            ("₩35,000", Some(ValueKind::Amount)),
            ("v2.1", Some(ValueKind::Version)),
            ("1.4.0-rc1", Some(ValueKind::Version)),
            ("read_entry", Some(ValueKind::Name)),
            ("trimMessages", Some(ValueKind::Name)),
            ("Transcript::append", Some(ValueKind::Name)),
            ("window", None),
            ("pair-safe", None),
            ("and/or", None),
            ("3rd", None),
            ("42", None),
            ("3.14", None),
            ("...", None),
            ("e.g", None),
        ];
        for (text, kind) in cases {
            assert_eq!(kind_of(text), kind, "{text}");
        }
    }
}
