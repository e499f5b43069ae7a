//! Outputs of tools that are cleared: a placeholder is sent in their place, and the exchange stays.
//!
//! What is cleared is decided where the cut is, and sticks as it does: only when shrinking is due. First what newer
//! outputs repeat or supersede, then all that is old, where that alone brings what is shown down to the goal; else the
//! cut moves, and all that is old behind it is cleared as well, since the prefix breaks anyway.

use std::ops::Range;

use super::shrink::{Cost, first_where};
use super::stays::anchor_candidates;
use super::view::{anchors_of, shown_from};
use super::{Cut, FNV_PRIME, Limits, Window};
use crate::budget::share;
use crate::transcript::{OutputRow, Transcript};

/// Outputs within this part of the room, counted from the end (in thousandths), are not old.
const TAIL_SHARE: u32 = 250;

/// So many of the newest exchanges are never cleared, however long they are: the model works on them.
const NEWEST: u32 = 2;

/// What is cleared of the messages from the cut on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cleared {
    /// All outputs of messages before this one.
    pub before: u32,
    /// And these behind it, by number: newer ones repeat or supersede them.
    pub replaced: Vec<u32>,
}

impl Cleared {
    /// Nothing.
    pub const NONE: Self = Self { before: 0, replaced: Vec::new() };

    /// Whether nothing is cleared.
    pub fn is_none(&self) -> bool {
        self.before == 0 && self.replaced.is_empty()
    }

    /// All that may be cleared at a call before message `end`.
    pub(super) fn all(transcript: &Transcript, end: u32, room: u64, limits: &Limits) -> Self {
        if !limits.clear {
            return Self::NONE;
        }
        let before = transcript.start_of(tail(transcript, end, room));
        Self { before, replaced: replaced(transcript, before, end) }
    }

    /// Without what is left out anyway where the cut falls on `exchange`.
    pub(super) fn since(mut self, transcript: &Transcript, exchange: u32) -> Self {
        let start = transcript.start_of(exchange);
        self.replaced.retain(|&at| transcript.output(at).is_some_and(|row| row.message >= start));
        if transcript.savings_in(start, self.before) == 0 {
            self.before = 0;
        }
        self
    }

    /// Tokens that it saves in the messages in `start..end`, all of them from the cut on.
    pub(super) fn saved_in(&self, transcript: &Transcript, spared: &[u32], start: u32, end: u32) -> u64 {
        if self.is_none() {
            return 0;
        }
        let old = transcript.savings_in(start, self.before.min(end).max(start));
        let behind = self.replaced.iter().filter_map(|&at| transcript.output(at));
        let behind: u64 =
            behind.filter(|row| (start..end).contains(&row.message)).map(|row| u64::from(row.saving)).sum();
        let kept = spared.iter().map(|&exchange| {
            let span = transcript.span_of(exchange, end);
            self.saved_in(transcript, &[], span.start.max(start), span.end.max(start))
        });
        (old + behind).saturating_sub(kept.sum())
    }

    /// The outputs that are cleared in the messages in `start..end`, all of them from the cut on.
    fn rows_in<'t>(&'t self, transcript: &'t Transcript, start: u32, end: u32) -> impl Iterator<Item = &'t OutputRow> {
        let old = transcript.outputs_in(start, self.before.min(end).max(start)).1;
        let behind = self.replaced.iter().filter_map(|&at| transcript.output(at));
        old.iter().chain(behind.filter(move |row| (start..end).contains(&row.message)))
    }

    /// The messages that hold what is cleared, as ranges, at the call where that was decided.
    pub(super) fn messages(&self, transcript: &Transcript, cut: &Cut) -> Vec<Range<u32>> {
        let spared = spared(transcript, cut.exchange, cut.at);
        let start = transcript.start_of(cut.exchange);
        let mut found: Vec<Range<u32>> = Vec::new();
        for row in self.rows_in(transcript, start, cut.at).filter(|row| !is_spared(transcript, &spared, row.message)) {
            match found.last_mut() {
                Some(last) if last.end > row.message => {}
                Some(last) if last.end == row.message => last.end += 1,
                _ => found.push(row.message..row.message.saturating_add(1)),
            }
        }
        found
    }

    /// A hash with what tells it from any other.
    pub(super) fn hashed(&self, hash: u64) -> u64 {
        let numbers = std::iter::once(&self.before).filter(|_| !self.is_none()).chain(&self.replaced);
        numbers.fold(hash, |hash, &number| (hash ^ u64::from(number)).wrapping_mul(FNV_PRIME))
    }
}

/// Why an output is cleared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Why {
    /// A newer output says the same.
    Repeated,
    /// A newer call looked at the same thing.
    Superseded,
    /// It is behind what the model works on.
    Old,
}

impl Why {
    /// The word that stands in a report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Repeated => "repeated",
            Self::Superseded => "superseded",
            Self::Old => "old",
        }
    }
}

impl Window {
    /// Why one of the outputs is cleared that are.
    pub fn why(&self, transcript: &Transcript, row: &OutputRow) -> Why {
        let at = self.decided.as_ref().map_or(self.end, |cut| cut.at);
        match row.is_replaced(at) {
            true if transcript.is_repeated(row) => Why::Repeated,
            true => Why::Superseded,
            false => Why::Old,
        }
    }

    /// Tokens that placeholders save in the messages in `start..end`.
    pub fn saved_in(&self, transcript: &Transcript, start: u32, end: u32) -> u64 {
        let Some(cut) = self.decided.as_ref().filter(|cut| !cut.cleared.is_none()) else { return 0 };
        let start = start.max(transcript.start_of(self.cut));
        if start >= end { 0 } else { cut.cleared.saved_in(transcript, &self.spared, start, end) }
    }

    /// The outputs that are cleared in the messages in `start..end`, in order.
    pub fn cleared_in<'t>(&'t self, transcript: &'t Transcript, start: u32, end: u32) -> Vec<&'t OutputRow> {
        let Some(cut) = self.decided.as_ref().filter(|cut| !cut.cleared.is_none()) else { return Vec::new() };
        let start = start.max(transcript.start_of(self.cut));
        let rows = cut.cleared.rows_in(transcript, start, end.max(start));
        rows.filter(|row| !is_spared(transcript, &self.spared, row.message)).collect()
    }
}

/// The exchanges from `from` on that are pinned at a call before message `end`, in order, each once.
pub(super) fn spared(transcript: &Transcript, from: u32, end: u32) -> Vec<u32> {
    let pins = transcript.pins().iter().filter(|pin| pin.holds(end) && pin.exchange >= from);
    let mut spared: Vec<u32> = pins.map(|pin| pin.exchange).collect();
    spared.sort_unstable();
    spared.dedup();
    spared
}

fn is_spared(transcript: &Transcript, spared: &[u32], message: u32) -> bool {
    !spared.is_empty() && spared.binary_search(&transcript.exchange_of(message)).is_ok()
}

/// The exchange that what is not old begins with.
fn tail(transcript: &Transcript, end: u32, room: u64) -> u32 {
    let least = newest(transcript, end);
    let within = share(room, TAIL_SHARE);
    first_where(0, least, |exchange| transcript.tokens_in(transcript.start_of(exchange), end) <= within)
}

/// The first of the newest exchanges.
fn newest(transcript: &Transcript, end: u32) -> u32 {
    transcript.exchanges_before(end).saturating_sub(NEWEST)
}

/// What newer outputs replaced of the messages from `from` on, those of the newest exchanges aside.
fn replaced(transcript: &Transcript, from: u32, end: u32) -> Vec<u32> {
    let (first, rows) = transcript.outputs_in(from, transcript.start_of(newest(transcript, end)));
    let numbered = (u32::try_from(first).unwrap_or(u32::MAX)..).zip(rows);
    numbered.filter(|(_, row)| row.is_replaced(end)).map(|(at, _)| at).collect()
}

/// The cut that stands, with so much cleared that what is shown before message `end` is within the goal; `None` where
/// that is not enough.
pub(super) fn enough(
    transcript: &Transcript,
    standing: Option<&Cut>,
    end: u32,
    goal: impl Fn(u64, u64) -> u64,
    room: u64,
    limits: &Limits,
) -> Option<Cut> {
    if !limits.clear {
        return None;
    }
    let exchange = shown_from(transcript, standing);
    let (stands, anchors) = standing.map_or_else(Default::default, |cut| (cut.cleared.clone(), cut.anchors.clone()));
    let shown = anchors_of(transcript, standing, exchange, end);
    let candidates = anchor_candidates(transcript, exchange, end, room, limits);
    let known = stands.before.max(transcript.start_of(exchange));
    let repeated = || Cleared { before: stands.before, replaced: replaced(transcript, known, end) };
    let old = || Cleared::all(transcript, end, room, limits);
    [&repeated as &dyn Fn() -> Cleared, &old].into_iter().find_map(|cleared| {
        let cleared = cleared().since(transcript, exchange);
        let mut cost = Cost::new(transcript, end, limits, &cleared);
        let newest = cost.newest().max(exchange);
        let lasts = cost.lasting(&candidates, newest, room, limits);
        let goal = goal(lasts, cost.shown(&candidates, newest));
        let used = cost.since(exchange).saturating_add(cost.anchors(&shown)).saturating_add(cost.told());
        let told = cost.told();
        let cut = || Cut { at: end, exchange, anchors: anchors.clone(), told, lasts, cleared: cleared.clone() };
        (used <= goal && cleared != stands).then(cut)
    })
}
