//! Source code: what is declared, outermost first; then imports, then bodies from the top.
//!
//! A scanner of lines, not a parser: a declaration is told by its first word, or by its shape in languages of braces;
//! how deep it stands, by its indentation. A parser for every language would weigh more than the package.

use super::Made;
use super::fit::Limit;
use super::pieces::{CLASS, Pieces, rank};

/// First words of a declaration, behind modifiers, in the languages that people let agents read most.
const DECLARES: &[&str] = &[
    "class",
    "const",
    "constexpr",
    "contract",
    "data",
    "def",
    "defimpl",
    "defmacro",
    "defmodule",
    "defp",
    "defprotocol",
    "defstruct",
    "describe",
    "enum",
    "extension",
    "fn",
    "fun",
    "func",
    "function",
    "impl",
    "interface",
    "it",
    "macro",
    "message",
    "mod",
    "module",
    "namespace",
    "object",
    "operator",
    "proc",
    "protocol",
    "record",
    "rpc",
    "schema",
    "service",
    "struct",
    "sub",
    "template",
    "test",
    "trait",
    "type",
    "typedef",
    "union",
];
/// What may stand before that.
const MODIFIERS: &[&str] = &[
    "abstract",
    "async",
    "companion",
    "declare",
    "default",
    "export",
    "extern",
    "final",
    "inline",
    "internal",
    "open",
    "override",
    "partial",
    "private",
    "protected",
    "pub",
    "public",
    "readonly",
    "sealed",
    "static",
    "suspend",
    "unsafe",
    "virtual",
];
const IMPORTS: &[&str] =
    &["import", "from", "use", "using", "require", "require_relative", "alias", "package", "#include", "include"];
/// First words of lines that look like a function in a language of braces but are none.
const STATEMENTS: &[&str] = &[
    "if", "else", "for", "while", "switch", "match", "catch", "return", "case", "do", "try", "with", "loop", "when",
    "and", "or", "not", "elif", "elsif", "except", "assert", "await", "yield", "throw", "raise", "new", "delete",
    "super",
];

/// The most lines over which one declaration goes on.
const LONGEST: usize = 12;
/// Nesting that is told apart; what is deeper is ranked alike.
const DEEPEST: usize = 3;
/// The rank of bodies, behind all declarations and imports.
const BODY: u64 = 8;

pub(super) fn shorten(text: &str, bound: &Limit<'_>) -> Made {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    Pieces::new(text, bound).best_lines(bound, &ranks(&lines))
}

fn ranks(lines: &[&str]) -> Vec<u64> {
    let content: Vec<&str> = lines.iter().map(|line| numbered(line).trim_end()).collect();
    let unit = indentation_unit(&content);
    let mut going_on = Declared::default();
    let ranks = content.iter().enumerate().map(|(place, line)| {
        let edge = place == 0 || place + 1 == content.len();
        let class = if edge { 0 } else { going_on.class(line, indentation(line) / unit) };
        class * CLASS + rank(place)
    });
    ranks.collect()
}

/// The declaration that is being read.
#[derive(Default)]
struct Declared {
    class: u64,
    /// Parentheses that are open in it, and for how many more lines it may go on.
    open: usize,
    more: usize,
}

impl Declared {
    fn class(&mut self, line: &str, depth: usize) -> u64 {
        if self.open > 0 && self.more > 0 {
            self.more -= 1;
            self.open = still_open(line, self.open);
            return self.class;
        }
        let depth = u64::try_from(depth.min(DEEPEST)).unwrap_or(0);
        let content = line.trim_start();
        if is_declaration(content, depth) {
            (self.class, self.open, self.more) = (2 * depth, still_open(line, 0), LONGEST);
            return self.class;
        }
        let first = first_word(content);
        if depth <= 1 && (IMPORTS.contains(&first) || content.starts_with("#include")) {
            return 3;
        }
        // What stands directly above a declaration says what it does with it.
        if content.starts_with('@') || content.starts_with("#[") { 2 * depth + 1 } else { BODY }
    }
}

fn is_declaration(content: &str, depth: u64) -> bool {
    let mut rest = content;
    let mut first = first_word(rest);
    while MODIFIERS.contains(&first) {
        // `pub(crate)`, `private:`
        rest = rest.get(first.len()..).unwrap_or_default().trim_start_matches(|next: char| next != ' ').trim_start();
        first = first_word(rest);
    }
    if DECLARES.contains(&first) {
        let behind = rest.get(first.len()..).unwrap_or_default();
        let binds = first != "const" || depth == 0;
        return binds && behind.starts_with([' ', '(', '<', '!', '*']) && !behind.trim_start().starts_with(['=', ':']);
    }
    let modified = rest.len() < content.len();
    !STATEMENTS.contains(&first) && depth <= 1 && looks_like_function(rest, modified, depth)
}

/// `name(…) {` or, outermost, `static int name(…)` before a brace on a line of its own.
fn looks_like_function(line: &str, modified: bool, depth: u64) -> bool {
    let Some(call) = line.find('(') else { return false };
    let named = line.get(..call).unwrap_or_default();
    let is_name = named.ends_with(|last: char| last.is_alphanumeric() || matches!(last, '_' | '>' | '?' | '!'))
        && !named.contains(['=', '.', '"', '\'', ';']);
    let opens = line.ends_with(['{', '(']) || (line.ends_with(')') && depth == 0);
    is_name && opens && (line.ends_with('{') || modified || named.contains(' '))
}

fn first_word(content: &str) -> &str {
    let end = content.find(|next: char| !(next.is_ascii_alphanumeric() || next == '_'));
    content.get(..end.unwrap_or(content.len())).unwrap_or_default()
}

fn still_open(line: &str, open: usize) -> usize {
    line.bytes().fold(open, |open, byte| match byte {
        b'(' => open + 1,
        b')' => open.saturating_sub(1),
        _ => open,
    })
}

/// The line without the number that file readers put before it: `  12→`, `12\t`, `12:`, `12|`.
pub(super) fn numbered(line: &str) -> &str {
    let digits = line.trim_start_matches(' ');
    let behind = digits.trim_start_matches(|digit: char| digit.is_ascii_digit());
    if behind.len() == digits.len() {
        return line;
    }
    let marks = ['→', '\t', ':', '|'];
    behind
        .strip_prefix(marks)
        .map_or(line, |content| content.strip_prefix('\u{20}').filter(|rest| !rest.starts_with(' ')).unwrap_or(content))
}

/// Columns before the first character; a tab is as wide as four.
fn indentation(line: &str) -> usize {
    let space = line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t'));
    space.map(|byte| if byte == b'\t' { 4 } else { 1 }).sum()
}

/// How much deeper a level is: the least indentation that several lines have.
fn indentation_unit(content: &[&str]) -> usize {
    let mut counts = [0_usize; 9];
    for line in content.iter().filter(|line| !line.trim().is_empty()) {
        if let Some(count) = counts.get_mut(indentation(line)) {
            *count += 1;
        }
    }
    [2, 3, 4, 8]
        .into_iter()
        .find(|&width| counts.get(width).is_some_and(|&count| 20 * count > content.len()))
        .unwrap_or(4)
}

#[cfg(test)]
mod tests {
    use super::{Declared, numbered};

    #[test]
    fn declarations_are_told_from_statements() {
        let declarations = [
            "def run(self):",
            "async def run(",
            "class A(B):",
            "pub(crate) fn f() -> u8 {",
            "impl<T> A for B<T> {",
            "export default function App() {",
            "static ast_result_t parse(parser_t* parser)",
            "export interface P {",
            "func (s *Server) Run() error {",
            "defmodule A.B do",
            "public static void main(String[] args) {",
            "export type A = B;",
            "test \"renders\" do",
        ];
        let statements = [
            "if (a) {",
            "return f(",
            "x = f(1)",
            "} else {",
            "foo.bar(1)",
            "call(1);",
            "type: string,",
            "data = 1",
            "",
            "for (;;) {",
            "// def x",
        ];
        for line in declarations {
            assert_eq!(Declared::default().class(line, 0), 0, "{line}");
        }
        for line in statements {
            assert!(Declared::default().class(line, 0) > 3, "{line}");
        }
    }

    #[test]
    fn line_numbers_are_no_content() {
        assert_eq!(numbered("    12→  def x"), "  def x");
        assert_eq!(numbered("12\tx"), "x");
        assert_eq!(numbered("12 apples"), "12 apples");
    }
}
