//! The one pass: a table of bytes finds triggers, each trigger's recogniser looks at bounded text around it.
//!
//! Whatever is found first from the left stays; the recogniser of a trigger chooses the longest and most specific
//! reading there. After a finding the text before is out of sight, as it will be when a token stands there, which is
//! why masking twice is masking once.

use std::cell::Cell;
use std::ops::Range;

use super::border::Border;
use super::kind::{Kind, KindSet};
use super::table::Place;
use super::view::View;
use super::{
    assignment, bare_keys, call, command_line, digits, email, guard, header, jwt, key_body, keys, markup, network, pem,
    statement, token, trigger, url,
};

/// A finding in the normal form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Found {
    pub(super) kind: Kind,
    pub(super) range: Range<usize>,
    pub(super) confidence: u8,
    /// Where it goes on, when it is longer than what was looked at.
    pub(super) open: Option<Border>,
}

impl Found {
    /// The same, going on to its border.
    pub(super) fn open(self, border: Border) -> Self {
        Self { open: Some(border), ..self }
    }
}

/// What a recogniser works with.
pub(super) struct Scene<'s, 'a> {
    pub(super) view: &'s View<'a>,
    /// Findings and tokens before, in order.
    pub(super) past: &'s [Range<usize>],
    pub(super) kinds: KindSet,
    pub(super) strict: bool,
    /// The cell of a table that was come to last.
    pub(super) table: Option<&'s Place>,
    /// The one that is looked at; in a box, since a scene is made at every trigger.
    pub(super) cell: Cell<Option<Box<Place>>>,
}

/// Where the pass stands. It can stop where the text stops and go on when there is more.
#[derive(Clone, Default, Debug)]
pub(super) struct Scanner {
    /// The next byte to read.
    pub(super) at: usize,
    /// Findings and tokens so far, in order.
    pub(super) past: Vec<Range<usize>>,
    /// A finding that begins further on: the password of a URL whose user is still to be read.
    pub(super) ahead: Option<Found>,
    /// What ends the last finding, while that has not been reached.
    pub(super) open: Option<(Kind, Border)>,
    /// The cell of a table that was come to last.
    pub(super) table: Option<Place>,
}

impl Scanner {
    /// Reads on to the end of the view, or, when more may come, to the first trigger that needs it.
    pub(super) fn run(
        &mut self,
        view: &mut View<'_>,
        kinds: KindSet,
        strict: bool,
        last: bool,
        found: &mut Vec<Found>,
    ) {
        loop {
            if !self.go_on(view, last, found) {
                return;
            }
            let Some(at) = self.next_trigger(view) else { break };
            if let Some(ahead) = self.ahead.take_if(|ahead| at >= ahead.range.start) {
                self.take(view, ahead, found);
                continue;
            }
            view.take_asked_past_end();
            let (table, cell) = (self.table.as_ref(), Cell::new(None));
            let scene = Scene { view, past: &self.past, kinds, strict, table, cell };
            let (finding, next) = visit(&scene, at);
            let cell = scene.cell.take();
            if view.take_asked_past_end() && !last {
                self.at = at;
                return;
            }
            if let Some(cell) = cell {
                self.table = Some(*cell);
            }
            self.accept(view, finding, next, found);
        }
        self.at = view.len();
    }

    /// The next byte that may begin or mark something. Most of them do not, by what stands beside them: these are
    /// passed here, where it costs least.
    fn next_trigger(&self, view: &View<'_>) -> Option<usize> {
        let bytes = view.bytes();
        let end = self.ahead.as_ref().map_or(usize::MAX, |ahead| ahead.range.start);
        let mut at = self.at;
        while at < end {
            let Some(next) = trigger::next(bytes, at) else { break };
            at = next;
            if at < end && (view.is_near_floor(at) || may_matter(bytes, at)) {
                return Some(at);
            }
            at += 1;
        }
        Some(end).filter(|&end| end < usize::MAX)
    }

    fn accept(&mut self, view: &mut View<'_>, step: Step, next: usize, found: &mut Vec<Found>) {
        self.at = next;
        match step {
            Step::Nothing => {}
            Step::Token(range) => self.pass(view, range),
            Step::Found(finding) if finding.range.start > next => self.ahead = self.ahead.take().or(Some(finding)),
            Step::Found(finding) => {
                let crosses = self.ahead.as_ref().is_some_and(|ahead| finding.range.end > ahead.range.start);
                if !crosses {
                    self.take(view, finding, found);
                }
            }
        }
    }

    fn take(&mut self, view: &mut View<'_>, finding: Found, found: &mut Vec<Found>) {
        self.pass(view, finding.range.clone());
        self.open = finding.open.map(|border| (finding.kind, border));
        found.push(finding);
    }

    /// Goes on with the last finding to its border; whether it is reached. What a stream has given out already is gone
    /// on with by a finding of confidence 0.
    fn go_on(&mut self, view: &mut View<'_>, last: bool, found: &mut Vec<Found>) -> bool {
        let Some((kind, border)) = self.open else { return true };
        let (end, reached) = border.reach(view, self.at, last);
        if end > self.at {
            match found.last_mut() {
                Some(before) => before.range.end = end,
                None => found.push(Found { kind, range: self.at..end, confidence: 0, open: None }),
            }
            if let Some(before) = self.past.last_mut() {
                before.end = end;
            }
            self.at = end;
            view.raise_floor(end);
        }
        if reached {
            self.open = None;
        }
        view.take_asked_past_end();
        reached
    }

    /// A finding or token is behind: nothing before its end is seen any more.
    fn pass(&mut self, view: &mut View<'_>, range: Range<usize>) {
        self.at = range.end;
        view.raise_floor(range.end);
        self.past.push(range);
    }
}

/// Whether what stands beside a frequent trigger lets it begin anything, where its two neighbours do not tell. `true`
/// where the text ends before.
fn may_matter(bytes: &[u8], at: usize) -> bool {
    let Some(&next) = bytes.get(at + 1) else { return true };
    let before = |back: usize| at.checked_sub(back).and_then(|at| bytes.get(at)).copied().unwrap_or(b' ');
    match bytes.get(at) {
        Some(b'B' | b'b') => bytes.get(at + 2).is_none_or(|byte| matches!(byte, b'a' | b'A')),
        Some(b'(') if before(1) == b' ' => {
            matches!(next, b'"' | b'\'' | b'`' | b'N' | b'\\') || matches!(before(2), b's' | b'S' | b'\n')
        }
        Some(b'\n' | b'\\') => may_be_key(bytes, at),
        Some(b':' | b'=') => guard::may_assign(bytes, at, next),
        Some(b'-' | b'_' | b'.') => guard::may_join_key(bytes, at, next),
        Some(b'>') => next != b'<' || bytes.get(at + 2).is_none_or(|&byte| byte == b'!'),
        _ => true,
    }
}

/// Whether a line of base64 may stand before or after the line end.
fn may_be_key(bytes: &[u8], at: usize) -> bool {
    may_end_key_line(bytes, at) || may_begin_key_line(bytes, at)
}

/// Whether a line of base64 may end here: none is shorter than 40 bytes.
pub(super) fn may_end_key_line(bytes: &[u8], at: usize) -> bool {
    let line = at.checked_sub(36).and_then(|start| bytes.get(start..at - 2));
    line.is_some_and(|line| line.iter().rev().all(|&byte| pem::is_base64(byte)))
}

/// Whether a line of base64 may stand behind this line end, some bytes of escape and indentation between.
fn may_begin_key_line(bytes: &[u8], at: usize) -> bool {
    let rest = bytes.get(at.saturating_add(12)..).unwrap_or_default();
    rest.iter().take(28).all(|&byte| pem::is_base64(byte))
}

/// What stands at a trigger.
enum Step {
    Nothing,
    Found(Found),
    Token(Range<usize>),
}

fn visit(scene: &Scene<'_, '_>, at: usize) -> (Step, usize) {
    let view = scene.view;
    let next = at + 1;
    let found = match view.at(at) {
        b'0'..=b'9' => {
            let key = match view.before(at) {
                b'A'..=b'Z' | b'a'..=b'z' => bare_keys::by_digit(scene, at),
                _ if view.at(at + 1) == b'/' => bare_keys::google_refresh(scene, at),
                _ => None,
            };
            if let Some(key) = key.or_else(|| bare_keys::azure(scene, at)) {
                return (Step::Found(key), next);
            }
            let (found, next) = digits::visit(scene, at);
            let found = found.or_else(|| statement::find(scene, at));
            return (step(found), next);
        }
        b'[' => return (token::end(view, at).map_or(Step::Nothing, |end| Step::Token(at..end)), next),
        b'@' => email::find(scene, at),
        b':' => url::find(scene, at)
            .or_else(|| assignment::find(scene, at))
            .or_else(|| header::cookies(scene, at))
            .or_else(|| command_line::piped(scene, at))
            .or_else(|| network::colons(scene, at)),
        b'=' => assignment::find(scene, at),
        b'>' => markup::element(scene, at),
        b'(' => call::find(scene, at),
        b'\'' => call::statement(scene, at),
        b'\n' | b'\\' => key_body::tail(scene, at),
        b'B' | b'b' => header::bearer(scene, at),
        b'-' => pem::find(scene, at)
            .or_else(|| keys::find(scene, at))
            .or_else(|| bare_keys::mailchimp(scene, at))
            .or_else(|| key_body::putty(scene, at))
            .or_else(|| command_line::find(scene, at))
            .or_else(|| header::cookie_option(scene, at))
            .or_else(|| network::dashes(scene, at)),
        b'_' => keys::find(scene, at).or_else(|| bare_keys::maxmind(scene, at)),
        b'.' => keys::find(scene, at).or_else(|| bare_keys::dotted(scene, at)).or_else(|| network::stops(scene, at)),
        b'A' => keys::capital(scene, at),
        b'J' => jwt::find(scene, at)
            .or_else(|| bare_keys::grafana(scene, at))
            .or_else(|| bare_keys::azure_service(scene, at)),
        _ => None,
    };
    (step(found), next)
}

/// Nearly always nothing: then nothing is copied, for which the processor would wait.
fn step(found: Option<Found>) -> Step {
    let Some(found) = found else { return Step::Nothing };
    Step::Found(found)
}
