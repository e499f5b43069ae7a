//! The fold: which calls moved the cut.

use std::borrow::Cow;

use super::clearing::{enough, spared};
use super::shrink::{Cost, Levels, shrink, within_room};
use super::{Cleared, Cut, Limits, Reports, Window, first_exchange, tokens_of};
use crate::budget::even;
use crate::tokens::calibration::Anchor;
use crate::transcript::Transcript;

/// An epoch is as many tokens of the history as the largest power of two within the room, times this. From 8 to 16
/// times the room: some 20 to 50 cuts, of which the one that starts an epoch is one more than were due. Shorter ones
/// would break more prefixes, longer ones cost more where a view is folded anew (a system prompt with a clock in it).
const EPOCH_ROOMS: u64 = 16;

/// The cuts of one transcript under one set of limits, folded as far as its last model call. It remembers those of
/// the current epoch: what was decided before bears on nothing.
#[derive(Debug, Clone)]
pub struct View {
    limits: Limits,
    /// How many tokens of the history make an epoch.
    epoch: u64,
    cuts: Vec<Cut>,
    folded: usize,
}

impl View {
    /// A view that has seen nothing yet.
    pub fn new(limits: Limits) -> Self {
        let room = limits.budget.saturating_sub(limits.fixed).saturating_sub(limits.beside).max(1);
        let epoch = (1_u64 << even(room).ilog2()).saturating_mul(EPOCH_ROOMS);
        Self { limits, epoch, cuts: Vec::new(), folded: 0 }
    }

    /// The limits that it was made with.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The last model call that has been folded, if there was one.
    pub fn last_call(&self, transcript: &Transcript) -> Option<u32> {
        transcript.calls().get(self.folded.checked_sub(1)?).copied()
    }

    /// The same, 0 when there was none.
    pub fn folded_to(&self, transcript: &Transcript) -> u32 {
        self.last_call(transcript).unwrap_or(0)
    }

    /// Which epoch a call with `end` messages is made in. Counted without the room, which usage changes from call to
    /// call, so that it depends on nothing but what lies before; and without thinking that may be taken out, so that
    /// shrinking is due when an epoch begins.
    fn epoch_of(&self, transcript: &Transcript, end: u32) -> u64 {
        transcript.lasting_before(end) / self.epoch
    }

    /// What the call before message `end` goes on from: the last cut, and nothing where it is the first of its epoch.
    fn standing(&self, transcript: &Transcript, end: u32) -> Option<&Cut> {
        let mut last = self.folded_to(transcript);
        if last >= end {
            // The last call again: what came before it.
            let calls = transcript.calls();
            last = calls
                .partition_point(|&call| call < end)
                .checked_sub(1)
                .and_then(|at| calls.get(at))
                .map_or(0, |&at| at);
        }
        let cut = self.cuts.iter().rfind(|cut| cut.at < end);
        cut.filter(|_| self.epoch_of(transcript, end) == self.epoch_of(transcript, last))
    }

    /// Takes in the model calls made since the last fold. Amortised O(1) a call, and for a new view O(log calls) a
    /// cut of the epoch that the last call was made in. `calls` are the transcript's, or the first of them.
    pub fn fold(&mut self, transcript: &Transcript, calls: &[u32], reports: &Reports) {
        self.enter_epoch(transcript, calls);
        while let Some(&call) = calls.get(self.folded) {
            let room = self.room(transcript, reports.anchor_at(self.limits.basis, call));
            self.cuts.extend(self.step(transcript, call, room));
            self.folded += 1;
            self.folded += self.quiet(transcript, reports, calls.get(self.folded..).unwrap_or_default());
        }
    }

    /// Goes to the first call of the last call's epoch, where that lies ahead.
    fn enter_epoch(&mut self, transcript: &Transcript, calls: &[u32]) {
        let Some(&last) = calls.last() else { return };
        let epoch = self.epoch_of(transcript, last);
        if epoch > self.epoch_of(transcript, self.folded_to(transcript)) {
            self.cuts.clear();
            self.folded = calls.partition_point(|&call| self.epoch_of(transcript, call) < epoch);
        }
    }

    /// How many of the calls that come next are not due to shrink. What is shown only grows until the cut moves, or
    /// usage, a pin or a new turn changes what the same messages count: until then the next one that is due is found
    /// by doubling and halving.
    fn quiet(&self, transcript: &Transcript, reports: &Reports, next: &[u32]) -> usize {
        let Some(&first) = next.first() else { return 0 };
        let changes = next_change(transcript, reports, first);
        let alike = next.partition_point(|&call| call < changes);
        let room = self.room(transcript, reports.anchor_at(self.limits.basis, first));
        let due = |&call: &u32| self.is_due(transcript, self.standing(transcript, call), call, room);
        let mut most = 1;
        while most < alike && !next.get(most - 1).is_some_and(due) {
            most *= 2;
        }
        let (low, high) = (most / 2, most.min(alike));
        low + next.get(low..high).unwrap_or_default().partition_point(|call| !due(call))
    }

    /// The window at a call before message `end`, the next one or one that was folded, with what was reported for calls of
    /// fewer than `known` messages; `extra` tokens smaller than the room for what its repair adds. The view itself does
    /// not change: the call may never happen.
    pub fn window(&self, transcript: &Transcript, reports: &Reports, (end, known): (u32, u32), extra: u64) -> Window {
        let room = self.room(transcript, reports.anchor_at(self.limits.basis, known));
        let stepped = self.step(transcript, end, room);
        let cut = stepped.as_ref().or_else(|| self.standing(transcript, end));
        let mut window = Self::shown(transcript, cut, end, room);
        if window.tokens.saturating_add(window.told).saturating_add(extra) > room {
            let target = room.saturating_sub(extra);
            // What the repair adds is in `extra` already.
            let limits = Limits { placeholder: 0, ..self.limits };
            let cut = shrink(transcript, end, window.cut, |_, _| target, room, &limits);
            let forced = Self::shown(transcript, Some(&cut), end, room);
            if forced.tokens < window.tokens {
                window = forced;
            }
        }
        window
    }

    /// Whether everything that the call before message `at` showed is shown in `window` as well, at the same
    /// place: what was reported for it then still says what it costs.
    pub fn holds(&self, transcript: &Transcript, at: u32, window: &Window) -> bool {
        if self.epoch_of(transcript, at) != self.epoch_of(transcript, window.end) {
            return false;
        }
        let after = self.cuts.partition_point(|cut| cut.at <= at);
        let cut = after.checked_sub(1).and_then(|last| self.cuts.get(last));
        let exchange = shown_from(transcript, cut);
        let cleared = cleared_by(cut) == cleared_by(window.decided.as_ref());
        let spared = cleared && (cleared_by(cut).is_none() || spared(transcript, exchange, at) == window.spared);
        spared && exchange == window.cut && anchors_of(transcript, cut, exchange, at)[..] == window.anchors[..]
    }

    fn shown(transcript: &Transcript, cut: Option<&Cut>, end: u32, room: u64) -> Window {
        let exchange = shown_from(transcript, cut);
        let anchors = anchors_of(transcript, cut, exchange, end).into_owned();
        let turn = transcript.turn_before(end);
        let kept: u64 = anchors.iter().map(|&anchor| tokens_of(transcript, anchor, end, turn)).sum();
        let start = transcript.start_of(exchange);
        let cleared = cleared_by(cut);
        let spared = if cleared.is_none() { Vec::new() } else { spared(transcript, exchange, end) };
        let saved = cleared.saved_in(transcript, &spared, start, end);
        let tokens = kept + transcript.tokens_at(start, end, turn).saturating_sub(saved);
        let (leading, told) = (transcript.leading().min(end), cut.map_or(0, |cut| cut.told));
        Window { end, leading, cut: exchange, anchors, tokens, room, decided: cut.cloned(), told, spared }
    }

    /// Tokens that the history may take, in the transcript's own count.
    fn room(&self, transcript: &Transcript, anchor: Anchor) -> u64 {
        let leading = transcript.tokens_in(0, transcript.leading());
        let fixed = self.limits.fixed.saturating_add(self.limits.beside).saturating_add(leading);
        anchor.within(self.limits.budget).saturating_sub(fixed)
    }

    /// Whether shrinking may be due at a call before message `end` that goes on from `cut`: as far as the cut knew what
    /// lasts.
    fn is_due(&self, transcript: &Transcript, cut: Option<&Cut>, end: u32, room: u64) -> bool {
        self.used(transcript, cut, end) > self.levels(room, cut.map_or(0, |cut| cut.lasts)).high()
    }

    fn used(&self, transcript: &Transcript, cut: Option<&Cut>, end: u32) -> u64 {
        let exchange = shown_from(transcript, cut);
        let cost = Cost::new(transcript, end, &self.limits, cleared_by(cut));
        let shown = cost.anchors(&anchors_of(transcript, cut, exchange, end)) + cost.since(exchange);
        shown.saturating_add(cut.map_or(0, |cut| cut.told))
    }

    fn levels(&self, room: u64, lasts: u64) -> Levels {
        Levels::new(even(room), lasts, self.limits.marks)
    }

    /// The cut that a call before message `end` makes, when shrinking is due.
    fn step(&self, transcript: &Transcript, end: u32, room: u64) -> Option<Cut> {
        let standing = self.standing(transcript, end);
        if !self.is_due(transcript, standing, end, room) {
            return None;
        }
        let room = even(room);
        let from = standing.map_or_else(|| within_room(transcript, end, room, &self.limits), |cut| cut.exchange);
        let goal = |lasts, least| self.levels(room, lasts).target(least);
        let enough = enough(transcript, standing, end, goal, room, &self.limits);
        let moved = enough.unwrap_or_else(|| shrink(transcript, end, from, goal, room, &self.limits));
        // More may stay by now than the last cut knew of: a long task, a pin.
        let due = self.used(transcript, standing, end) > self.levels(room, moved.lasts).high();
        let other = moved.exchange != shown_from(transcript, standing) || moved.cleared != *cleared_by(standing);
        (due && other).then_some(moved)
    }
}

/// The number of messages from which on a call may find other inputs than the one with `call` messages, beside what
/// was said since: where usage was reported, a pin was set or taken off, or a turn begins that strips thinking.
fn next_change(transcript: &Transcript, reports: &Reports, call: u32) -> u32 {
    let reported = reports.next_after(call);
    let pins = transcript.pins().iter().flat_map(|pin| [pin.since, pin.until]).filter(|&at| at > call);
    let turn = transcript.next_turn(call).map(|turn| turn.saturating_add(1));
    pins.chain(reported).chain(turn).min().unwrap_or(u32::MAX)
}

/// The first exchange that is shown, anchors aside.
pub(super) fn shown_from(transcript: &Transcript, cut: Option<&Cut>) -> u32 {
    cut.map_or_else(|| first_exchange(transcript), |cut| cut.exchange)
}

/// What is cleared.
fn cleared_by(cut: Option<&Cut>) -> &Cleared {
    static NOTHING: Cleared = Cleared::NONE;
    cut.map_or(&NOTHING, |cut| &cut.cleared)
}

/// What stays before exchange `from` at a call: what the cut kept, what is pinned by now, and the calls of results
/// that came since.
pub(super) fn anchors_of<'c>(transcript: &Transcript, cut: Option<&'c Cut>, from: u32, end: u32) -> Cow<'c, [u32]> {
    let kept = cut.map_or(&[] as &[u32], |cut| &cut.anchors);
    let first = first_exchange(transcript);
    let pinned = transcript.pins().iter().filter(|pin| pin.holds(end)).map(|pin| pin.exchange);
    let pins = pinned.flat_map(|exchange| transcript.needed_by(exchange).chain([exchange]));
    let late = transcript.answered_late(from, end);
    let mut added = pins.chain(late).filter(|anchor| (first..from).contains(anchor)).peekable();
    if added.peek().is_none() {
        return Cow::Borrowed(kept);
    }
    let mut anchors: Vec<u32> = kept.iter().copied().chain(added).collect();
    anchors.sort_unstable();
    anchors.dedup();
    Cow::Owned(anchors)
}
