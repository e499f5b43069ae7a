//! What a terminal would show: without codes for colours and cursor, progress lines in their last state.

use std::borrow::Cow;

const ESCAPE: char = '\u{1b}';
const BACKSPACE: char = '\u{8}';

/// The text as a terminal shows it. Borrowed where it has no codes.
///
/// Dropped are the control sequences of ECMA-48 (CSI) and the operating system commands (OSC) that xterm added, what
/// stands before a carriage return that does not end its line, and what a backspace takes back.
pub(super) fn wash(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let overwritten = || bytes.windows(2).any(|pair| matches!(pair, [b'\r', next] if !matches!(next, b'\n' | b'\r')));
    if !text.contains([ESCAPE, BACKSPACE]) && !overwritten() {
        return Cow::Borrowed(text);
    }
    let mut written = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        wash_line(line, &mut written);
    }
    Cow::Owned(written)
}

fn wash_line(line: &str, written: &mut String) {
    let start = written.len();
    let content = line.trim_end_matches(['\r', '\n']);
    let mut rest = content.chars();
    while let Some(character) = rest.next() {
        match character {
            ESCAPE => skip_code(&mut rest),
            // Nothing that stood here will be seen again, unless nothing else comes.
            '\r' if !rest.as_str().is_empty() => written.truncate(start),
            BACKSPACE if written.len() > start => drop(written.pop()),
            BACKSPACE => {}
            other => written.push(other),
        }
    }
    written.push_str(line.get(content.len()..).unwrap_or_default());
}

/// Skips the rest of one code. A code that does not end takes the rest of the line.
fn skip_code(rest: &mut std::str::Chars<'_>) {
    match rest.next() {
        Some('[') => drop(rest.find(|character| matches!(character, '@'..='~'))),
        Some(']') => {
            while let Some(character) = rest.next() {
                if character == '\u{7}' {
                    break;
                }
                if character == ESCAPE {
                    rest.next();
                    break;
                }
            }
        }
        Some('(' | ')' | '#') => drop(rest.next()),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::wash;
    use std::borrow::Cow;

    #[test]
    fn codes_and_overwritten_states_go() {
        assert_eq!(wash("\u{1b}[1;31merror\u{1b}[0m: no\n"), "error: no\n");
        assert_eq!(wash("10%\r20%\r100%\ndone\r\n"), "100%\ndone\r\n");
        assert_eq!(wash("build -\u{8}\\\u{8}|\u{8}done"), "build done");
        assert_eq!(wash("\u{1b}]8;;http://a\u{7}link\u{1b}]8;;\u{1b}\\ x"), "link x");
        assert_eq!(wash("a\u{1b}[31"), "a");
    }

    #[test]
    fn what_has_no_codes_is_borrowed() {
        assert!(matches!(wash("a\r\nb\0c\u{fffd}\r\n"), Cow::Borrowed(_)));
    }
}
