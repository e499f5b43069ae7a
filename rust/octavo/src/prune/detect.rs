//! What a text is, told from itself.

use super::Kind;
use super::code::numbered;
use super::cues::{Severity, severity};
use super::json::is_json;

/// Lines that are looked at, from the beginning of the text, and bytes of each: enough to tell, and cheap.
const LINES: usize = 200;
const BYTES: usize = 200;

/// What the text is. JSON is read to its end; of everything else, at most 200 lines are looked at.
pub fn detect(text: &str) -> Kind {
    let start = text.trim_start();
    if start.starts_with(['{', '[']) && is_json(text) {
        return Kind::Json;
    }
    if is_html(start) {
        return Kind::Html;
    }
    let lines: Vec<&str> = sample(text);
    if is_diff(&lines) {
        return Kind::Diff;
    }
    let mut votes = Votes::default();
    for line in lines {
        votes.count(line);
    }
    votes.winner()
}

/// The first lines that are not empty, each cut to its beginning.
fn sample(text: &str) -> Vec<&str> {
    let near = text.get(..text.floor_char_boundary(LINES * BYTES)).unwrap_or_default();
    let lines = near.lines().filter(|line| !line.trim().is_empty()).take(LINES);
    lines.map(|line| line.get(..line.floor_char_boundary(BYTES)).unwrap_or_default()).collect()
}

fn is_html(start: &str) -> bool {
    let near = start.get(..start.floor_char_boundary(2000)).unwrap_or_default();
    if !near.starts_with('<') {
        return false;
    }
    let near = near.to_ascii_lowercase();
    let page = ["<!doctype html", "<html", "<head", "<body"];
    let parts =
        ["<div", "<p>", "<p ", "<span", "<table", "<ul", "<h1", "<h2", "<a href", "<section", "<article", "<meta"];
    page.iter().any(|tag| near.starts_with(tag))
        || near.starts_with("<?xml") && near.contains("<html")
        || (near.starts_with("<!--") && near.contains("<html"))
        || parts.iter().any(|tag| near.starts_with(tag)) && near.contains("</")
}

fn is_diff(lines: &[&str]) -> bool {
    let hunks = lines.iter().filter(|line| line.starts_with("@@ -")).count();
    let headed =
        lines.windows(2).any(|pair| matches!(pair, [old, new] if old.starts_with("--- ") && new.starts_with("+++ ")));
    hunks > 0 && headed || lines.first().is_some_and(|line| line.starts_with("diff --git "))
}

/// How many lines look like what.
#[derive(Default)]
struct Votes {
    lines: usize,
    code: usize,
    log: usize,
    markdown: usize,
    headings: usize,
    numbered: usize,
    fenced: bool,
    matter: bool,
}

impl Votes {
    fn count(&mut self, line: &str) {
        let content = numbered(line);
        self.numbered += usize::from(content.len() < line.len());
        self.lines += 1;
        let trimmed = content.trim();
        self.matter |= self.lines == 1 && trimmed == "---";
        let quoted = trimmed.trim_start_matches(['>', ' ']);
        if quoted.starts_with("```") || quoted.starts_with("~~~") {
            self.fenced = !self.fenced;
            self.markdown += 2;
            return;
        }
        if self.fenced {
            return self.markdown += 1;
        }
        self.headings += usize::from(is_heading(quoted));
        self.markdown += usize::from(is_markdown(quoted));
        self.code += usize::from(is_code(trimmed));
        // A number before every line is a file that was read, not a log.
        self.log += usize::from(is_log(line, trimmed));
    }

    fn winner(&self) -> Kind {
        let of = |count: usize, share: usize| self.lines > 0 && count * 100 >= self.lines * share;
        let code = of(self.code, 30) || (of(self.numbered, 60) && of(self.code, 15));
        let prose = (self.headings > 0 || self.matter) && of(self.markdown, 20) && self.markdown > 2;
        if of(self.log, 25) && self.log > self.code / 2 && !of(self.numbered, 60) {
            Kind::Log
        } else if prose && (self.markdown >= self.code || self.matter) {
            Kind::Markdown
        } else if code && self.code > 2 {
            Kind::Code
        } else if self.headings > 1 && of(self.markdown, 10) || (of(self.markdown, 40) && self.markdown > 4) {
            Kind::Markdown
        } else if of(self.log, 4) && self.log > 0 && !of(self.numbered, 60) {
            Kind::Log
        } else {
            Kind::Plain
        }
    }
}

fn is_heading(line: &str) -> bool {
    let level = line.bytes().take_while(|&byte| byte == b'#').count();
    (1..=6).contains(&level) && line.as_bytes().get(level) == Some(&b' ')
}

fn is_markdown(line: &str) -> bool {
    let marks = ["- ", "* ", "+ ", "1. ", "2. ", "3. ", "| ", "|-", "![", "[", "**", "> "];
    is_heading(line)
        || marks.iter().any(|mark| line.starts_with(mark))
        || line.contains("](")
        || line.contains("**")
        || line.matches('`').count() >= 2
}

fn is_code(line: &str) -> bool {
    let words = [
        "def ",
        "class ",
        "import ",
        "from ",
        "fn ",
        "pub ",
        "let ",
        "const ",
        "var ",
        "function ",
        "return ",
        "return;",
        "if (",
        "if ",
        "for ",
        "while ",
        "#include",
        "using ",
        "package ",
        "func ",
        "struct ",
        "enum ",
        "type ",
        "export ",
        "private ",
        "public ",
        "static ",
        "defmodule ",
        "defp ",
        "alias ",
        "use ",
        "end",
        "self.",
        "this.",
        "//",
        "/*",
        "* @",
        "@",
        "#[",
        "async ",
        "await ",
        "elif ",
        "else:",
        "try:",
        "except ",
        "with ",
        "raise ",
        "assert ",
        "} ",
        "else",
        "case ",
    ];
    let ends = line.ends_with(['{', '}', ';']) || line.ends_with("),") || line.ends_with("},") || line.ends_with(" do");
    let assigns = line.contains("= ") || line.contains(" => ") || line.contains(" -> ");
    let calls = line.ends_with(')') && line.contains('(') && !line.contains(". ");
    ends || assigns || calls || (words.iter().any(|word| line.starts_with(word)) && !line.ends_with('.'))
}

fn is_log(line: &str, content: &str) -> bool {
    let starts = [
        "$ ",
        "==> ",
        "Exit code",
        "exit code",
        "npm ",
        "> ",
        "Traceback (",
        "Compiling ",
        "Running ",
        "Collecting ",
        "Downloading ",
        "Installing ",
        "PASS",
        "FAIL",
        "ok ",
        "not ok ",
        "[INFO]",
        "[WARN",
        "[ERROR]",
        "make:",
        "make[",
        "+ ",
        "Requirement already",
        "Successfully ",
        "Generated ",
        "Finished ",
    ];
    let levels = ["INFO", "DEBUG", "TRACE", "WARN", "ERROR", "FATAL"];
    stamped(line)
        || starts.iter().any(|start| content.starts_with(start)) && !content.starts_with("> #")
        || content.split([' ', '[', ']', ':', '|']).take(6).any(|word| levels.contains(&word))
        || (severity(line) > Severity::None && !is_code(content))
}

/// Whether a line begins with a date or a time.
fn stamped(line: &str) -> bool {
    let start = line.trim_start_matches(['[', '(', ' ']);
    let bytes = start.as_bytes();
    let digits = |from: usize, to: usize| bytes.get(from..to).is_some_and(|part| part.iter().all(u8::is_ascii_digit));
    let date =
        digits(0, 4) && matches!(bytes.get(4), Some(b'-' | b'/')) && digits(5, 7) && bytes.get(7) == bytes.get(4);
    let time = digits(0, 2) && bytes.get(2) == Some(&b':') && digits(3, 5) && bytes.get(5) == Some(&b':');
    date || time
}
