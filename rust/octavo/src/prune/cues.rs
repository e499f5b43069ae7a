//! Words by which a line says that something went wrong.

/// How much a line says that something went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Severity {
    /// Not at all.
    None,
    /// A warning.
    Warning,
    /// An error.
    Error,
}

const ERRORS: &[&str] = &[
    "abort",
    "aborted",
    "aborting",
    "critical",
    "denied",
    "err",
    "error",
    "errors",
    "exception",
    "fail",
    "failed",
    "failing",
    "fails",
    "failure",
    "failures",
    "fatal",
    "invalid",
    "panic",
    "panicked",
    "refused",
    "segfault",
    "timeout",
    "traceback",
    "uncaught",
    "undefined",
    "unhandled",
    "unresolved",
];
const WARNINGS: &[&str] = &["caution", "deprecated", "warn", "warning", "warnings"];
/// In scripts that do not separate words.
const FOREIGN_ERRORS: &[&str] =
    &["오류", "에러", "실패", "예외", "错误", "錯誤", "失败", "失敗", "异常", "エラー", "例外", "✗", "✘", "❌"];
const FOREIGN_WARNINGS: &[&str] = &["경고", "警告", "⚠"];
/// Said before a word of error, these take it back: "0 errors", "no failures".
const NEGATIONS: &[&str] = &["no", "zero", "without", "0"];

/// The longest word that is looked at, in bytes: names of exceptions are long, data is longer.
const LONGEST: usize = 64;

/// What the line says.
pub(super) fn severity(line: &str) -> Severity {
    let ascii = ascii_severity(line);
    if ascii == Severity::Error || line.is_ascii() {
        return ascii;
    }
    let has = |cues: &[&str]| cues.iter().any(|cue| line.contains(cue));
    if has(FOREIGN_ERRORS) {
        Severity::Error
    } else if has(FOREIGN_WARNINGS) {
        Severity::Warning.max(ascii)
    } else {
        ascii
    }
}

fn ascii_severity(line: &str) -> Severity {
    let mut found = Severity::None;
    let mut before = "";
    let mut rest = line;
    while let Some(start) = rest.find(|character: char| character.is_ascii_alphanumeric()) {
        let from = rest.get(start..).unwrap_or_default();
        let end = from.find(|character: char| !character.is_ascii_alphanumeric()).unwrap_or(from.len());
        let (word, behind) = from.split_at_checked(end).unwrap_or((from, ""));
        let said = word_severity(word, before, behind);
        if said == Severity::Error {
            return said;
        }
        found = found.max(said);
        before = word;
        rest = behind;
    }
    found
}

fn word_severity(word: &str, before: &str, behind: &str) -> Severity {
    if word.len() > LONGEST || word.len() < 3 {
        return Severity::None;
    }
    let is = |cues: &[&str]| cues.iter().any(|cue| cue.eq_ignore_ascii_case(word));
    let named = || word.ends_with("Error") || word.ends_with("Exception");
    let said = if is(ERRORS) || named() {
        Severity::Error
    } else if is(WARNINGS) {
        Severity::Warning
    } else if word.eq_ignore_ascii_case("code") && before.eq_ignore_ascii_case("exit") && !says_nothing(behind) {
        return Severity::Error;
    } else {
        return Severity::None;
    };
    let negated = NEGATIONS.iter().any(|negation| negation.eq_ignore_ascii_case(before));
    if negated || (behind.starts_with([':', '=', '"', '\'']) && says_nothing(behind)) { Severity::None } else { said }
}

/// Whether what follows a word says that there is none of it: `: 0`, `=null`, `": []`.
fn says_nothing(behind: &str) -> bool {
    let value = behind.trim_start_matches([':', '=', '"', '\'', ' ']);
    if value.len() < behind.len() && behind.ends_with(['"', '\'']) && value.is_empty() {
        return true;
    }
    let none = ["null", "false", "none", "None", "False", "nil", "[]", "{}", "0"];
    none.iter().any(|&none| {
        let rest = value.strip_prefix(none);
        rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '.'))
    })
}

#[cfg(test)]
mod tests {
    use super::{Severity, severity};

    #[test]
    fn errors_warnings_and_what_is_neither() {
        let cases = [
            ("2026-01-01 ERROR db down", Severity::Error),
            ("RuntimeError: pool exhausted", Severity::Error),
            ("java.lang.NullPointerException", Severity::Error),
            ("exit code 1", Severity::Error),
            ("Exit code 0", Severity::None),
            ("3 tests, 2 failures", Severity::Error),
            ("3 tests, 0 failures", Severity::None),
            (r#"{"error": null, "id": 3}"#, Severity::None),
            (r#"{"errors":[],"ok":true}"#, Severity::None),
            (r#"{"error": "no such table"}"#, Severity::Error),
            ("warning: unused import", Severity::Warning),
            ("연결에 실패했습니다", Severity::Error),
            ("terror and mirrors", Severity::None),
            ("all good", Severity::None),
            ("", Severity::None),
        ];
        for (line, expected) in cases {
            assert_eq!(severity(line), expected, "{line}");
        }
    }
}
