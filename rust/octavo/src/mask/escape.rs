//! Escapes: of strings (`\n`, `\u0022`) and of terminals (colours and links), which are borders and part of no value.
//!
//! Text in JSON in JSON has a run of backslashes before the letter of an escape, so any number of them is one. The
//! sequences of terminals are those of ECMA-48: `ESC [ … final byte`, and `ESC ( B` of older ones; also with the
//! escape character spelled out, as programs print it: `\u001b`, `\x1b`, `\033`, `\e`.

use super::token;
use super::view::View;

/// The longest parameters of a sequence: `38;2;255;255;255` has sixteen.
const PARAMETERS: usize = 24;
/// Backslashes before a letter that are looked at.
const BACKSLASHES: usize = 64;
/// Spellings of the escape character, after their backslashes.
const SPELLINGS: &[&str] = &["u001b", "x1b", "033", "e"];

impl View<'_> {
    /// Past the escape whose last characters stand here and look like a word's: the `n` of `\n`, `u000e`, `31m`.
    pub(super) fn after_escape(&self, at: usize) -> usize {
        let end = self.after_letter(at).max(self.after_percent(at));
        if end > at { end } else { self.after_sequence(at) }
    }

    /// Whether an escape ends here.
    pub(super) fn ends_escape(&self, at: usize) -> bool {
        let before = self.before(at);
        let letter = |width: usize| {
            let start = at.checked_sub(width).filter(|&start| self.before(start) == b'\\');
            start.is_some_and(|start| self.after_letter(start) == at)
        };
        let percent =
            at.checked_sub(2).is_some_and(|start| self.before(start) == b'%' && self.after_percent(start) == at);
        if percent || letter(1) || (before.is_ascii_hexdigit() && (letter(5) || letter(3))) {
            return true;
        }
        let last = at.checked_sub(1).filter(|_| is_final(before));
        last.is_some_and(|last| {
            let start = self.run_back(last, PARAMETERS, is_parameter);
            self.after_sequence(start) == at
        })
    }

    /// The end of the escape of four or two hexadecimal digits in which this digit stands.
    pub(super) fn inside_code(&self, at: usize) -> Option<usize> {
        let percent = [Some(at), at.checked_sub(1)].into_iter().flatten().find(|&start| self.before(start) == b'%');
        if let Some(end) = percent.map(|start| self.after_percent(start)).filter(|&end| end > at) {
            return Some(end);
        }
        let start = (1..=4)
            .filter_map(|width| at.checked_sub(width))
            .find(|&start| matches!(self.at(start), b'u' | b'x') && self.before(start) == b'\\')?;
        Some(self.after_letter(start)).filter(|&end| end > at)
    }

    /// The end of the sequence of a terminal that begins here.
    pub(super) fn sequence_end(&self, at: usize) -> Option<usize> {
        let open = match self.at(at) {
            0x1B => at + 1,
            b'\\' => {
                let word = self.run(at, BACKSLASHES, |byte| byte == b'\\');
                word + SPELLINGS.iter().find(|spelling| self.starts_with_any_case(word, spelling))?.len()
            }
            _ => return None,
        };
        // After an escape character a token may stand as well.
        let opens = matches!(self.at(open), b'[' | b'(') && token::end(self, open).is_none();
        opens.then(|| self.after_sequence(open + 1)).filter(|&end| end > open + 1)
    }

    /// Past sequences of a terminal.
    pub(super) fn skip_sequences(&self, from: usize) -> usize {
        let mut at = from;
        while let Some(end) = self.sequence_end(at).filter(|&end| end < from + 4 * BACKSLASHES) {
            at = end;
        }
        at
    }

    /// Before sequences of a terminal.
    pub(super) fn skip_sequences_back(&self, to: usize) -> usize {
        let mut at = to;
        while to - at < 4 * BACKSLASHES && self.ends_escape(at) && is_final(self.before(at)) {
            let start = self.run_back(at - 1, PARAMETERS, is_parameter);
            let Some(open) = start.checked_sub(1).and_then(|open| self.introducer(open)) else { break };
            at = open;
        }
        at
    }

    fn after_letter(&self, at: usize) -> usize {
        // The backslash of `ESC \`, which ends the link of a terminal, escapes nothing.
        if self.before(at) != b'\\' || at.checked_sub(1).is_some_and(|one| self.before(one) == 0x1B) {
            return at;
        }
        let hexadecimal = |digits| self.run(at + 1, digits, |byte| byte.is_ascii_hexdigit()) == at + 1 + digits;
        match self.at(at) {
            b'n' | b'r' | b't' | b'b' | b'f' => at + 1,
            b'u' if hexadecimal(4) => at + 5,
            b'x' if hexadecimal(2) => at + 3,
            _ => at,
        }
    }

    /// Past the two digits of percent-encoding, when they stand for no letter or digit: `%20`, `%27`, `%40`.
    fn after_percent(&self, at: usize) -> usize {
        let (high, low) = (self.at(at), self.at(at + 1));
        let sign = match high {
            b'0' | b'2' => low.is_ascii_hexdigit(),
            b'3' => matches!(low, b'a'..=b'f' | b'A'..=b'F'),
            b'4' | b'6' => low == b'0',
            b'5' | b'7' => matches!(low, b'b'..=b'f' | b'B'..=b'F'),
            _ => false,
        };
        if self.before(at) == b'%' && sign { at + 2 } else { at }
    }

    /// Past the parameters and the final byte of a sequence, of which `at` is a parameter or the final byte.
    fn after_sequence(&self, at: usize) -> usize {
        let start = self.run_back(at, PARAMETERS, is_parameter);
        let opened = match self.before(start) {
            b'[' | b'(' => start - 1,
            _ => return at,
        };
        let end = self.run(start, PARAMETERS, is_parameter);
        // Where the escape character itself has been lost, a colour is still known by its form.
        let colour = self.at(opened) == b'[' && end > start && self.at(end) == b'm';
        let introduced = || self.introducer(opened).is_some() && token::end(self, opened).is_none();
        let whole = is_final(self.at(end)) && (colour || introduced());
        if whole { end + 1 } else { at }
    }

    /// Where the escape character before `at` begins, spelled out or not.
    fn introducer(&self, at: usize) -> Option<usize> {
        if self.before(at) == 0x1B {
            return Some(at - 1);
        }
        let spelled = |spelling: &&str| {
            let start = at.checked_sub(spelling.len())?;
            (self.before(start) == b'\\' && self.starts_with_any_case(start, spelling)).then_some(start)
        };
        let word = SPELLINGS.iter().find_map(spelled)?;
        Some(self.run_back(word, BACKSLASHES, |byte| byte == b'\\'))
    }
}

fn is_parameter(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b';' | b':' | b'?' | b'=' | b'>')
}

/// Final bytes that look like a word's: the others are borders anyway.
fn is_final(byte: u8) -> bool {
    byte.is_ascii_alphabetic()
}
