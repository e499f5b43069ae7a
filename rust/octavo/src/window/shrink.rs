//! Where the cut goes when it moves.

use super::stays::{Candidate, anchor_candidates};
use super::{Cut, Limits, Window, first_exchange, tokens_of};
use crate::budget::{even, share};
use crate::transcript::{Opening, Transcript};

/// The grid is the largest power of two within this part of the room, so that cuts of slightly different
/// limits still fall on the same message.
const GRID_PARTS: u64 = 8;

/// What exchanges cost at a call: their tokens, and a placeholder for each call whose result was lost.
pub(super) struct Cost<'t> {
    transcript: &'t Transcript,
    end: u32,
    turn: u32,
    count: u32,
    placeholder: u64,
    told: u64,
}

impl<'t> Cost<'t> {
    pub(super) fn new(transcript: &'t Transcript, end: u32, limits: &Limits) -> Self {
        let (turn, count) = (transcript.turn_before(end), transcript.exchanges_before(end));
        Self { transcript, end, turn, count, placeholder: limits.placeholder, told: limits.told }
    }

    /// Everything from exchange `cut` on. Calls of the newest exchange may still be answered.
    pub(super) fn since(&self, cut: u32) -> u64 {
        let tokens = self.transcript.tokens_at(self.transcript.start_of(cut), self.end, self.turn);
        tokens.saturating_add(self.lost(cut, self.count.saturating_sub(1)))
    }

    fn of(&self, exchange: u32) -> u64 {
        let tokens = tokens_of(self.transcript, exchange, self.end, self.turn);
        tokens.saturating_add(self.lost(exchange, exchange.saturating_add(1)))
    }

    /// Everything from exchange `cut` on, what stays before it, and what is told of the rest.
    fn shown(&self, candidates: &[Candidate], cut: u32) -> u64 {
        let stay = candidates.iter().filter(|found| found.stays_before(cut));
        let kept = stay.map(|found| self.of(found.exchange)).sum::<u64>();
        (kept + self.since(cut)).saturating_add(self.told)
    }

    pub(super) fn anchors(&self, anchors: &[u32]) -> u64 {
        anchors.iter().map(|&anchor| self.of(anchor)).sum()
    }

    fn lost(&self, start: u32, end: u32) -> u64 {
        self.transcript.lost_in(start, end).saturating_mul(self.placeholder)
    }
}

/// How far to go down. The low mark where what must stay is below it; else halfway between what must stay
/// and the next limit above, so that one large newest result neither empties the window nor makes every
/// following call shrink again.
pub(super) fn target(least: u64, low: u64, high: u64, room: u64) -> u64 {
    if least <= low {
        low
    } else if least < high {
        least.midpoint(high)
    } else if least < room {
        least.midpoint(room)
    } else {
        least
    }
}

/// Moves the cut forward from exchange `from` until what is shown before message `end` is within the
/// target, on the grid of `room`. The newest exchange always stays. O(log exchanges).
pub(super) fn shrink(
    transcript: &Transcript,
    end: u32,
    from: u32,
    goal: impl Fn(u64) -> u64,
    room: u64,
    limits: &Limits,
) -> Cut {
    let newest = transcript.exchanges_before(end).saturating_sub(1).max(from);
    let mut candidates = anchor_candidates(transcript, from, end, room, limits);
    let cost = Cost::new(transcript, end, limits);
    let least = cost.shown(&candidates, newest);
    if least > room.min(goal(least)) {
        candidates.retain(Candidate::must_stay);
    }
    let stay = |cut: u32| candidates.iter().filter(move |found| found.stays_before(cut)).map(|found| found.exchange);
    let shown = |cut: u32| cost.shown(&candidates, cut);
    let goal = goal(shown(newest));
    let fits = first_where(from, newest, |cut| shown(cut) <= goal);
    let dropped = transcript.tokens_in(0, transcript.start_of(fits));
    let aligned = dropped.next_multiple_of(grid(room));
    let on_grid = first_where(fits, newest, |cut| transcript.tokens_in(0, transcript.start_of(cut)) >= aligned);
    // A grid too coarse for a small room would leave nothing but the newest.
    let cut = if on_grid < newest { on_grid } else { fits };
    let exchange = past_reply(transcript, cut, newest);
    let anchors = stay(exchange).collect();
    Cut { at: end, exchange, anchors }
}

/// The first exchange from which on what is shown is within the room, whatever else stays: no cut falls before it.
pub(super) fn within_room(transcript: &Transcript, end: u32, room: u64, limits: &Limits) -> u32 {
    let (first, cost) = (first_exchange(transcript), Cost::new(transcript, end, limits));
    first_where(first, cost.count.saturating_sub(1).max(first), |cut| cost.since(cut) <= room)
}

/// Where the next cut would fall, were it made now.
pub(crate) fn next_cut(transcript: &Transcript, window: &Window, limits: &Limits) -> Cut {
    let room = even(window.room);
    let low = share(room, limits.marks.low);
    shrink(transcript, window.end, window.cut, |_| low, room, limits)
}

/// The grid that cuts are aligned to, in tokens left out.
fn grid(room: u64) -> u64 {
    let part = (even(room) / GRID_PARTS).max(1);
    1 << part.ilog2()
}

/// The first in `low..=high` for which `holds`, given that it holds from there on; `high` when none does.
fn first_where(low: u32, high: u32, holds: impl Fn(u32) -> bool) -> u32 {
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
