//! The domain of an e-mail address: where it ends, and what only looks like one.

use super::view::View;

/// The longest domain (RFC 5321) and label (RFC 1035), in bytes.
const LONGEST: usize = 255;
const LABEL: usize = 63;

/// Last labels that are file names and no domains: `icon@2x.png`.
const FILES: &[&str] = &[
    "png",
    "jpg",
    "jpeg",
    "gif",
    "svg",
    "webp",
    "ico",
    "css",
    "js",
    "mjs",
    "cjs",
    "jsx",
    "ts",
    "tsx",
    "json",
    "html",
    "htm",
    "yaml",
    "yml",
    "toml",
    "exe",
    "dll",
    "txt",
    "log",
    "xml",
    "lock",
    "tgz",
    "gz",
    "whl",
    "jar",
    "vue",
    "java",
    "go",
    "service",
    "socket",
    "mount",
    "automount",
    "timer",
    "target",
    "slice",
    "scope",
    "swap",
    "utf",
    "zip",
    "tar",
    "cpp",
];
/// Files only directly after the `@`: as the last of more labels they are countries.
const SOURCES: &[&str] = &["py", "rs", "sh", "md", "pl"];
/// Last labels of most addresses: what follows one is another word.
const COMMON: &[&str] = &["com", "net", "org", "edu", "gov", "io", "kr", "jp", "cn", "dev", "ai", "de", "uk"];
/// Top domains outside ASCII, from IANA's root zone: those of countries, and generic ones of Korean, Chinese and
/// Japanese. The list tells where a domain ends and a particle begins.
const FOREIGN: &[&str] = &[
    "한국",
    "삼성",
    "닷컴",
    "닷넷",
    "中国",
    "中國",
    "香港",
    "澳門",
    "台湾",
    "台灣",
    "新加坡",
    "公司",
    "网络",
    "網路",
    "在线",
    "中文网",
    "商城",
    "商店",
    "网址",
    "网店",
    "网站",
    "我爱你",
    "集团",
    "企业",
    "组织机构",
    "政府",
    "公益",
    "移动",
    "世界",
    "みんな",
    "コム",
    "ストア",
    "セ-ル",
    "グ-グル",
    "クラウド",
    "рф",
    "рус",
    "бел",
    "укр",
    "срб",
    "мкд",
    "мон",
    "қаз",
    "бг",
    "ею",
    "онлайн",
    "сайт",
    "дети",
    "москва",
    "орг",
    "ком",
    "ευ",
    "ελ",
    "հայ",
    "გე",
    "भारत",
    "ভারত",
    "বাংলা",
    "ไทย",
    "ລາວ",
    "مصر",
    "السعودية",
    "امارات",
    "ایران",
    "عراق",
    "سورية",
    "ישראל",
];
/// The full stops of Chinese and Japanese, also half as wide: they end sentences too, so only here they are dots.
const STOPS: &[&str] = &["。", "｡"];

/// The end of the longest domain here: labels and a top domain. A file or a call is none. After a local part outside
/// ASCII, which may be the end of a sentence, the top domain must be a common one, of a country, or outside ASCII.
pub(super) fn end(view: &View<'_>, from: usize, foreign: bool) -> Option<usize> {
    let mut reading = Reading { view, from, foreign, found: None, sure: false };
    let mut start = from;
    while start < from + LONGEST {
        let end = match reading.label(start) {
            Label::Until(end) => end,
            Label::Missing => break,
            Label::OfAnother => return None,
        };
        let Some(next) = reading.after_dot(end) else { break };
        start = next;
    }
    reading.found
}

/// Letters of ASCII, digits and the hyphen.
pub(super) fn is_label(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

/// What stands where a label may.
enum Label {
    /// One that ends there.
    Until(usize),
    /// None: the domain ended before.
    Missing,
    /// The last one of a file or a call: nothing here is a domain.
    OfAnother,
}

struct Reading<'v, 'a> {
    view: &'v View<'a>,
    from: usize,
    foreign: bool,
    /// The end of the longest domain so far.
    found: Option<usize>,
    /// Whether its top domain is a common one.
    sure: bool,
}

impl Reading<'_, '_> {
    /// Reads the label at `start`.
    fn label(&mut self, start: usize) -> Label {
        let view = self.view;
        let end = view.run(start, LABEL, is_label);
        if view.at(start) == b'-' || self.sure && end == start {
            return Label::Missing;
        }
        if view.at(end) >= 0x80 && (start == self.from || end == start || self.goes_on_latin(end)) {
            return self.foreign_label(start).map_or(Label::Missing, Label::Until);
        }
        if end == start {
            return Label::Missing;
        }
        if self.western_label(start, end) { Label::Until(end) } else { Label::OfAnother }
    }

    /// Whether what was read may be a domain still.
    fn western_label(&mut self, start: usize, end: usize) -> bool {
        let view = self.view;
        let letters = view.run(start, LABEL, |byte| byte.is_ascii_alphabetic());
        let label = view.slice(start..letters);
        let last = start > self.from && letters > start && view.ends_word(letters);
        let file = is_one_of(FILES, label) || is_source(view.slice(self.from..letters)) || is_call(view, letters);
        let other = file && !is_one_of(COMMON, label);
        if last && other && !self.sure {
            return false;
        }
        let known = !self.foreign || letters - start == 2 || is_one_of(COMMON, label);
        if is_punycode(view.slice(start..end)) {
            self.found = Some(end);
        } else if last && letters - start >= 2 && !other && known {
            self.found = Some(letters);
            self.sure = is_one_of(COMMON, label);
        }
        true
    }

    /// The end of a label with letters outside ASCII; where it begins with a top domain, the domain may end there.
    fn foreign_label(&mut self, start: usize) -> Option<usize> {
        let view = self.view;
        if start > self.from {
            let top = FOREIGN.iter().filter(|top| view.starts_with(start, top)).max_by_key(|top| top.len());
            self.found = top.map(|top| start + top.len()).or(self.found);
        }
        let mut end = start;
        while end - start <= LABEL
            && let Some(one) = view.character_at(end)
            && (one.is_alphanumeric() || one == '-')
        {
            end += one.len_utf8();
        }
        (end > start).then_some(end)
    }

    fn goes_on_latin(&self, at: usize) -> bool {
        self.view.character_at(at).is_some_and(|one| matches!(one, '\u{C0}'..='\u{24F}') && one.is_alphabetic())
    }

    /// Where the next label begins.
    fn after_dot(&self, end: usize) -> Option<usize> {
        let view = self.view;
        if view.at(end) == b'.' {
            return Some(end + 1);
        }
        let stop = STOPS.iter().find(|stop| !self.sure && view.starts_with(end, stop))?;
        Some(end + stop.len())
    }
}

/// Whether the parenthesis at `at` is that of a call, and does not begin a telephone number: `(02) 123-4567`.
fn is_call(view: &View<'_>, at: usize) -> bool {
    view.at(at) == b'(' && (!view.at(at + 1).is_ascii_digit() || !view.at(at + 2).is_ascii_digit())
}

fn is_one_of(labels: &[&str], label: &str) -> bool {
    labels.iter().any(|one| label.eq_ignore_ascii_case(one))
}

/// `bar.py`, but not `empresa.com.py`.
fn is_source(domain: &str) -> bool {
    domain.split_once('.').is_some_and(|(_, last)| is_one_of(SOURCES, last))
}

fn is_punycode(label: &str) -> bool {
    label.len() > 4 && label.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("xn--"))
}
