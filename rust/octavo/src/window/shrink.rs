//! Where the cut goes when it moves.

use super::clearing::spared;
use super::stays::{Candidate, anchor_candidates};
use super::{Cleared, Cut, Limits, Window, first_exchange, tokens_of};
use crate::budget::{Marks, even, share};
use crate::transcript::{Opening, Transcript};

/// The grid is the largest power of two within this part of the room, so that cuts of slightly different
/// limits still fall on the same message.
const GRID_PARTS: u64 = 8;

/// Fewer tokens than this are not worth keeping for what is told: they hold its own two lines and hardly a value.
const LEAST_TOLD: u64 = 64;

/// What exchanges cost at a call: their tokens, and a placeholder for each call whose result was lost.
pub(super) struct Cost<'t> {
    transcript: &'t Transcript,
    end: u32,
    turn: u32,
    count: u32,
    placeholder: u64,
    told: u64,
    cleared: &'t Cleared,
    /// Exchanges that are pinned, whose outputs are never cleared.
    spared: Vec<u32>,
}

impl<'t> Cost<'t> {
    pub(super) fn new(transcript: &'t Transcript, end: u32, limits: &Limits, cleared: &'t Cleared) -> Self {
        let (turn, count) = (transcript.turn_before(end), transcript.exchanges_before(end));
        let spared = if cleared.is_none() { Vec::new() } else { spared(transcript, 0, end) };
        Self { transcript, end, turn, count, placeholder: limits.placeholder, told: 0, cleared, spared }
    }

    /// Everything from exchange `cut` on. Calls of the newest exchange may still be answered.
    pub(super) fn since(&self, cut: u32) -> u64 {
        let start = self.transcript.start_of(cut);
        let tokens = self.transcript.tokens_at(start, self.end, self.turn);
        let saved = self.cleared.saved_in(self.transcript, &self.spared, start, self.end);
        tokens.saturating_sub(saved).saturating_add(self.lost(cut, self.count.saturating_sub(1)))
    }

    /// The newest exchange.
    pub(super) fn newest(&self) -> u32 {
        self.count.saturating_sub(1)
    }

    fn of(&self, exchange: u32) -> u64 {
        let tokens = tokens_of(self.transcript, exchange, self.end, self.turn);
        tokens.saturating_add(self.lost(exchange, exchange.saturating_add(1)))
    }

    /// Grants what is told, where the cut may go as far as exchange `newest`; tokens of what lasts until the next one.
    pub(super) fn lasting(&mut self, candidates: &[Candidate], newest: u32, room: u64, limits: &Limits) -> u64 {
        let stays = self.staying(candidates.iter().filter(|found| found.must_stay()), newest);
        self.told = granted(limits.told, room, stays);
        stays.saturating_add(self.told)
    }

    /// Tokens granted for what is told.
    pub(super) const fn told(&self) -> u64 {
        self.told
    }

    /// Everything from exchange `cut` on, what stays before it, and what is told of the rest.
    pub(super) fn shown(&self, candidates: &[Candidate], cut: u32) -> u64 {
        (self.staying(candidates.iter(), cut) + self.since(cut)).saturating_add(self.told)
    }

    /// What stays before exchange `cut`.
    fn staying<'c>(&self, candidates: impl Iterator<Item = &'c Candidate>, cut: u32) -> u64 {
        candidates.filter(|found| found.stays_before(cut)).map(|found| self.of(found.exchange)).sum()
    }

    pub(super) fn anchors(&self, anchors: &[u32]) -> u64 {
        anchors.iter().map(|&anchor| self.of(anchor)).sum()
    }

    fn lost(&self, start: u32, end: u32) -> u64 {
        self.transcript.lost_in(start, end).saturating_mul(self.placeholder)
    }
}

/// The marks of a call in tokens of what is shown. They are taken of what can shrink: the room less what `lasts`, which
/// is what stays before the cut and what is told. Of the whole room, a task of half of it would leave the low mark
/// nothing to go down to, and every call would be due.
#[derive(Debug, Clone, Copy)]
pub(super) struct Levels {
    lasts: u64,
    room: u64,
    marks: Marks,
}

impl Levels {
    pub(super) fn new(room: u64, lasts: u64, marks: Marks) -> Self {
        Self { lasts: lasts.min(room), room, marks }
    }

    fn at(self, mark: u32) -> u64 {
        self.lasts.saturating_add(share(self.room.saturating_sub(self.lasts), mark))
    }

    /// Above this a summary is worth starting.
    pub(super) fn soft(self) -> u64 {
        self.at(self.marks.soft)
    }

    /// Above this shrinking is due.
    pub(super) fn high(self) -> u64 {
        self.at(self.marks.high)
    }

    /// How far to go down. The low mark where what must be shown is below it; else halfway between that and the next
    /// limit above, so that one large newest result neither empties the window nor makes every following call shrink
    /// again.
    pub(super) fn target(self, least: u64) -> u64 {
        let (low, high) = (self.at(self.marks.low), self.high());
        if least <= low {
            low
        } else if least < high {
            least.midpoint(high)
        } else if least < self.room {
            least.midpoint(self.room)
        } else {
            least
        }
    }
}

/// Tokens kept for what is told: at most half of what `stays` leaves of the room. A long task or pin leaves little, and
/// the conversation needs it as well. A third, or twice the share that was asked for, cost step recall a point
/// (`benches/quality/step_recall.py`, Claude Code at 8,000) and moved the cut a little less often.
fn granted(most: u64, room: u64, stays: u64) -> u64 {
    let told = even(most.min(room.saturating_sub(stays) / 2));
    if told < LEAST_TOLD { 0 } else { told }
}

/// Moves the cut forward from exchange `from` until what is shown before message `end` is within the
/// goal, on the grid of `room`. The goal is asked for with what lasts, and with what is shown at least. The newest
/// exchange always stays. O(log exchanges).
pub(super) fn shrink(
    transcript: &Transcript,
    end: u32,
    from: u32,
    goal: impl Fn(u64, u64) -> u64,
    room: u64,
    limits: &Limits,
) -> Cut {
    let cleared = Cleared::all(transcript, end, room, limits);
    let newest = transcript.exchanges_before(end).saturating_sub(1).max(from);
    let mut candidates = anchor_candidates(transcript, from, end, room, limits);
    let mut cost = Cost::new(transcript, end, limits, &cleared);
    let lasts = cost.lasting(&candidates, newest, room, limits);
    let least = cost.shown(&candidates, newest);
    if least > room.min(goal(lasts, least)) {
        candidates.retain(Candidate::must_stay);
    }
    let stay = |cut: u32| candidates.iter().filter(move |found| found.stays_before(cut)).map(|found| found.exchange);
    let shown = |cut: u32| cost.shown(&candidates, cut);
    let goal = goal(lasts, shown(newest));
    let fits = first_where(from, newest, |cut| shown(cut) <= goal);
    let dropped = transcript.tokens_in(0, transcript.start_of(fits));
    let aligned = dropped.next_multiple_of(grid(room));
    let on_grid = first_where(fits, newest, |cut| transcript.tokens_in(0, transcript.start_of(cut)) >= aligned);
    // A grid too coarse for a small room would leave nothing but the newest.
    let cut = if on_grid < newest { on_grid } else { fits };
    let exchange = past_reply(transcript, cut, newest);
    let anchors: Vec<u32> = stay(exchange).collect();
    let told = cost.told;
    Cut { at: end, exchange, anchors, told, lasts, cleared: cleared.since(transcript, exchange) }
}

/// The first exchange from which on what is shown is within the room, whatever else stays: no cut falls before it.
pub(super) fn within_room(transcript: &Transcript, end: u32, room: u64, limits: &Limits) -> u32 {
    let cleared = Cleared::all(transcript, end, room, limits);
    let (first, cost) = (first_exchange(transcript), Cost::new(transcript, end, limits, &cleared));
    first_where(first, cost.count.saturating_sub(1).max(first), |cut| cost.since(cut) <= room)
}

/// Where the next cut would fall, were it made now.
pub(crate) fn next_cut(transcript: &Transcript, window: &Window, limits: &Limits) -> Cut {
    let room = even(window.room);
    let goal = |lasts, _| Levels::new(room, lasts, limits.marks).target(0);
    shrink(transcript, window.end, window.cut, goal, room, limits)
}

/// Whether what is shown has passed the soft mark.
pub(crate) fn past_soft(window: &Window, marks: Marks) -> bool {
    let lasts = window.decided.as_ref().map_or(0, |cut| cut.lasts);
    window.tokens.saturating_add(window.told) > Levels::new(window.room, lasts, marks).soft()
}

/// The grid that cuts are aligned to, in tokens left out.
fn grid(room: u64) -> u64 {
    let part = (even(room) / GRID_PARTS).max(1);
    1 << part.ilog2()
}

/// The first in `low..=high` for which `holds`, given that it holds from there on; `high` when none does.
pub(super) fn first_where(low: u32, high: u32, holds: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (low, high);
    while low < high {
        let middle = low.midpoint(high);
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// Past a reply whose question was left out. What the newest exchange follows directly is kept.
fn past_reply(transcript: &Transcript, from: u32, newest: u32) -> u32 {
    let reply = transcript.exchanges().get(from as usize).is_some_and(|found| found.opening == Opening::Reply);
    if reply && from.saturating_add(1) < newest { from + 1 } else { from }
}
