//! Where a value without quotes ends when it has signs in it that end other values: `Zq9x(hunter2`, `pa&ss;x`.
//!
//! A person's password may have any sign. What ends one is what stands around it: a blank, the bracket or quote that
//! was opened before its name, a tag, and the name of the next value.

use super::naming::NAME;
use super::quoted::VALUE;
use super::token;
use super::view::View;

/// Bytes before the value in which a bracket or quote may have been opened.
const OPENED: usize = 256;

/// Past the last byte of the value that begins at `start`, in whatever signs.
pub(super) fn whole_end(view: &View<'_>, start: usize) -> usize {
    let mut brackets = Brackets::default();
    let mut before = None;
    let mut end = start;
    let mut at = start;
    while at < start + VALUE {
        let byte = view.at(at);
        if byte.is_ascii_graphic() && is_solid(byte) {
            at += 1;
            end = at;
            continue;
        }
        let around = before.get_or_insert_with(|| Around::of(view, start));
        match brackets.step(byte) {
            _ if !byte.is_ascii_graphic() || around.ends(view, at, byte) => break,
            Step::Closes => end = at + 1,
            Step::Alone if around.has_opened(byte) => break,
            Step::Opens | Step::Alone => {}
        }
        at += 1;
    }
    end
}

/// Whether a byte ends nothing and may be the last one.
fn is_solid(byte: u8) -> bool {
    !b".:?,;&|<>)]}([{\"'`\\".contains(&byte)
}

/// Brackets that are opened and not closed inside of the value.
#[derive(Default)]
struct Brackets {
    open: [usize; 4],
}

enum Step {
    Opens,
    Closes,
    Alone,
}

impl Brackets {
    fn step(&mut self, byte: u8) -> Step {
        if let Some(open) = place(*b"([{<", byte).and_then(|place| self.open.get_mut(place)) {
            *open += 1;
            return Step::Opens;
        }
        let open = place(*b")]}>", byte).and_then(|place| self.open.get_mut(place)).filter(|open| **open > 0);
        open.map_or(Step::Alone, |open| {
            *open -= 1;
            Step::Closes
        })
    }
}

fn place(bytes: [u8; 4], byte: u8) -> Option<usize> {
    bytes.iter().position(|&one| one == byte)
}

/// What stands before the value on its line.
struct Around {
    /// Brackets and quotes that are open there, by the byte that closes them.
    open: Vec<u8>,
    /// Whether it is a line of an environment file or an option of a command: no other name can follow.
    alone: bool,
}

impl Around {
    fn of(view: &View<'_>, start: usize) -> Self {
        let line = view.run_back(start, OPENED, |byte| !matches!(byte, 0 | b'\n'));
        let mut open = Vec::new();
        let bytes = view.bytes().get(line..start).unwrap_or_default();
        for &byte in bytes {
            let closer = match byte {
                b'(' => b')',
                b'[' => b']',
                b'{' => b'}',
                b'<' => b'>',
                _ => byte,
            };
            if open.last() == Some(&byte) {
                open.pop();
            } else if closer != byte || matches!(byte, b'"' | b'\'' | b'`') {
                open.push(closer);
            } else if let Some(last) = open.iter().rposition(|&one| one == byte) {
                open.truncate(last);
            }
        }
        Self { open, alone: is_environment(bytes) }
    }

    fn has_opened(&self, closer: u8) -> bool {
        self.open.contains(&closer)
    }

    /// Whether the value ends at this byte whatever stood before it.
    fn ends(&self, view: &View<'_>, at: usize, byte: u8) -> bool {
        let next = view.at(at + 1);
        match byte {
            b'"' => true,
            b'\\' => !self.open.is_empty() || b"nrtbfux0\"'\\/".contains(&next) || !next.is_ascii_graphic(),
            b'[' => token::end(view, at).is_some(),
            b'<' => !self.alone && is_tag(view, at),
            b',' | b';' | b'&' | b'|' => view.starts_with(at, "&amp;") || !self.alone && names_another(view, at + 1),
            _ => false,
        }
    }
}

/// `DB_PASSWORD=` at the start of a line.
fn is_environment(before: &[u8]) -> bool {
    let name = before.strip_prefix(b"export ").unwrap_or(before);
    let Some((b'=', name)) = name.split_last() else { return false };
    name.len() > 3 && name.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
}

/// `</b>`, `<br>`, `<br/>`.
fn is_tag(view: &View<'_>, at: usize) -> bool {
    let name = view.run(at + 1, 12, |byte| byte.is_ascii_lowercase());
    view.at(at + 1) == b'/' && view.at(at + 2).is_ascii_lowercase()
        || name > at + 1 && matches!(view.at(name), b'>' | b' ' | b'/')
}

/// Whether the name of another value stands here: `user=kim`, `user: kim`, `"user"`.
fn names_another(view: &View<'_>, at: usize) -> bool {
    let end = view.run(at, NAME, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    let next = view.at(end);
    let long = end > at + 1 || view.before(at) == b'&' && end > at;
    long && view.at(at).is_ascii_alphabetic() && matches!(next, b'=' | b':')
}

/// Whether a token follows with nothing between but signs that end a value: what it took the place of was judged as
/// one with the value.
pub(super) fn meets_token(view: &View<'_>, end: usize) -> bool {
    let border = |byte: u8| byte.is_ascii_graphic() && !is_solid(byte) && byte != b'"';
    let borders = (end..end + VALUE).take_while(|&at| border(view.at(at)));
    borders.into_iter().any(|at| token::begins(view, at).is_some())
}
