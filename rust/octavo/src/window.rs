//! Which exchanges are in the context: a sticky cut that moves rarely, far, and to a grid.
//!
//! A [`View`] is a fold over the boundaries at which the model was called. At each, if what is shown has
//! passed the high mark, the cut moves forward until what is shown is at the low mark; else nothing moves
//! and the next call sends the same prefix. Since the fold has no other input than the transcript, the
//! limits and the reported usage, whoever folds it gets the same cut: a transcript fed step by step, and
//! a stateless call with the whole list.
//!
//! What is kept whatever the cut: the task (the first thing the user said), the request that was current
//! when the cut moved, calls that still wait for their result, and what a caller pinned.

use std::borrow::Cow;
use std::ops::Range;

use crate::budget::{Marks, share};
use crate::message::{MessageFlags, Role};
use crate::tokens::calibration::Anchor;
use crate::transcript::{Opening, Transcript};

/// The grid is the largest power of two within this part of the room, so that cuts of slightly different
/// limits still fall on the same message.
const GRID_PARTS: u64 = 8;

/// Calls without result take this part of the room at most (in thousandths): where results get lost all the
/// time, what waits for them must not crowd out the conversation.
const OPEN_SHARE: u32 = 250;

/// So many messages are looked at where something is searched for among neighbours (the middle of the task, the answer
/// behind a prompt): a search must not grow with the conversation.
const SEARCHED: usize = 32;

/// What a fold depends on beside the transcript. A view made with other limits is folded anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Limits {
    /// The most tokens that may be sent, in the provider's count.
    pub budget: u64,
    /// Tokens of what never shrinks beside the leading system messages: system, tools, framing, sections.
    pub fixed: u64,
    /// Tokens kept free for volatile content at the tail. Part of the limits, so that a cut that makes room
    /// for it goes down to the low mark and stays, as any other.
    pub beside: u64,
    /// Whether the exchange that opens the current tool loop stays where it holds thinking: a provider that wants
    /// the loop to start with it refuses it without (rule A7).
    pub loop_opening: bool,
    /// Whether results without a call stay: they answer a response that the provider has stored.
    pub stored_calls: bool,
    /// Tokens of the placeholder that a repair puts behind a call whose result was lost. Part of what is shown,
    /// so that a cut that makes room for it goes down to the low mark and stays.
    pub placeholder: u64,
    /// What usage is compared within: a report for another system prompt, other tools or another thinking
    /// mode says nothing about this call.
    pub basis: u64,
    /// When shrinking starts and where it goes.
    pub marks: Marks,
}

/// What the provider reported for one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Observation {
    /// How many messages the call had before it.
    pub at: u32,
    /// What was reported against what was estimated.
    pub anchor: Anchor,
}

/// Where the history begins, from some call on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// The call at which the cut moved here: the number of messages before it.
    pub at: u32,
    /// The first exchange that is shown, anchors and leading messages aside.
    pub exchange: u32,
    /// Earlier exchanges that stay, in order.
    pub anchors: Vec<u32>,
}

/// What is shown at one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// How many messages there are before the call.
    pub end: u32,
    /// How many messages lead: the system messages at the start.
    pub leading: u32,
    /// The first exchange of the shown history.
    pub cut: u32,
    /// Earlier exchanges that are shown, in order.
    pub anchors: Vec<u32>,
    /// Tokens of everything shown except the leading messages.
    pub tokens: u64,
    /// Tokens that the history may take: the budget less the fixed parts.
    pub room: u64,
    /// Whether the cut moved at this very call.
    pub moved: bool,
}

impl Window {
    /// Tokens of the messages in `start..end` as they count at this call.
    pub fn tokens_in(&self, transcript: &Transcript, start: u32, end: u32) -> u64 {
        transcript.tokens_at(start, end, transcript.turn_before(self.end))
    }

    /// The messages that are shown, in order, as ranges that do not touch.
    pub fn spans(&self, transcript: &Transcript) -> Vec<Range<u32>> {
        let mut spans: Vec<Range<u32>> = Vec::with_capacity(self.anchors.len() + 2);
        let leading = std::iter::once(0..self.leading);
        let anchors = self.anchors.iter().map(|&anchor| transcript.span_of(anchor, self.end));
        let shown = std::iter::once(transcript.start_of(self.cut).min(self.end)..self.end);
        for span in leading.chain(anchors).chain(shown).filter(|span| !span.is_empty()) {
            match spans.last_mut() {
                Some(last) if last.end == span.start => last.end = span.end,
                _ => spans.push(span),
            }
        }
        spans
    }
}

/// The cuts of one transcript under one set of limits, folded as far as its last model call.
#[derive(Debug, Clone)]
pub struct View {
    limits: Limits,
    cuts: Vec<Cut>,
    folded: usize,
}

impl View {
    /// A view that has seen nothing yet.
    pub fn new(limits: Limits) -> Self {
        Self { limits, cuts: Vec::new(), folded: 0 }
    }

    /// The limits that it was made with.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Where the cut moved, oldest first.
    pub fn cuts(&self) -> &[Cut] {
        &self.cuts
    }

    /// The last model call that has been folded, 0 when there was none.
    pub fn folded_to(&self, transcript: &Transcript) -> u32 {
        let last = self.folded.checked_sub(1).and_then(|last| transcript.calls().get(last));
        last.copied().unwrap_or(0)
    }

    /// Takes in the model calls made since the last fold. Amortised O(1) a call.
    pub fn fold(&mut self, transcript: &Transcript, observations: &[Observation]) {
        let fresh = transcript.calls().get(self.folded..).unwrap_or_default();
        for &call in fresh {
            let room = self.room(transcript, anchor_at(observations, call));
            if let Some(cut) = self.step(transcript, call, room) {
                self.cuts.push(cut);
            }
        }
        self.folded += fresh.len();
    }

    /// The view as it was when `transcript` was all there was: what was decided at a call hangs on nothing behind it.
    #[must_use]
    pub fn truncated(&self, transcript: &Transcript) -> Self {
        let calls = transcript.calls();
        // A call that was made with all messages is not answered yet: whether it is folded shows when it is.
        let cuts = self.cuts.iter().take_while(|cut| calls.binary_search(&cut.at).is_ok()).cloned().collect();
        Self { limits: self.limits, cuts, folded: self.folded.min(calls.len()) }
    }

    /// The window at the call that is made with all messages, `extra` tokens smaller than the room for what
    /// its repair adds. The view itself does not change: the call may never happen.
    pub fn window(&self, transcript: &Transcript, observations: &[Observation], extra: u64) -> Window {
        let end = transcript.len();
        let room = self.room(transcript, anchor_at(observations, end.saturating_add(1)));
        let stepped = self.step(transcript, end, room);
        let moved = stepped.is_some();
        let mut window = shown(transcript, stepped.as_ref().or(self.cuts.last()), end, room, moved);
        if window.tokens.saturating_add(extra) > room {
            let target = room.saturating_sub(extra);
            // What the repair adds is in `extra` already.
            let limits = Limits { placeholder: 0, ..self.limits };
            let cut = shrink(transcript, end, window.cut, |_| target, room, &limits);
            let forced = shown(transcript, Some(&cut), end, room, true);
            if forced.tokens < window.tokens {
                window = forced;
            }
        }
        window
    }

    /// Whether everything that the call before message `at` showed is shown in `window` as well, at the same
    /// place: what was reported for it then still says what it costs.
    pub fn holds(&self, transcript: &Transcript, at: u32, window: &Window) -> bool {
        let after = self.cuts.partition_point(|cut| cut.at <= at);
        let cut = after.checked_sub(1).and_then(|last| self.cuts.get(last));
        let exchange = cut.map_or_else(|| first_exchange(transcript), |cut| cut.exchange);
        exchange == window.cut && anchors_of(transcript, cut, exchange, at)[..] == window.anchors[..]
    }

    /// What the last model call that has been folded saw, if there was one.
    pub fn previous(&self, transcript: &Transcript, observations: &[Observation]) -> Option<Window> {
        let call = *transcript.calls().get(self.folded.checked_sub(1)?)?;
        let room = self.room(transcript, anchor_at(observations, call));
        let moved = self.cuts.last().is_some_and(|cut| cut.at == call);
        Some(shown(transcript, self.cuts.last(), call, room, moved))
    }

    /// Tokens that the history may take, in the transcript's own count.
    fn room(&self, transcript: &Transcript, anchor: Anchor) -> u64 {
        let leading = transcript.tokens_in(0, transcript.leading());
        let fixed = self.limits.fixed.saturating_add(self.limits.beside).saturating_add(leading);
        anchor.within(self.limits.budget).saturating_sub(fixed)
    }

    /// The cut that a call before message `end` makes, when shrinking is due.
    fn step(&self, transcript: &Transcript, end: u32, room: u64) -> Option<Cut> {
        let first = first_exchange(transcript);
        let cut = self.cuts.last().map_or(first, |last| last.exchange);
        let cost = Cost::new(transcript, end, &self.limits);
        let used = cost.anchors(&anchors_of(transcript, self.cuts.last(), cut, end)) + cost.since(cut);
        let high = share(room, self.limits.marks.high);
        if used <= high {
            return None;
        }
        let low = share(room, self.limits.marks.low);
        let moved = shrink(transcript, end, cut, |least| target(least, low, high, room), room, &self.limits);
        (moved.exchange != cut).then_some(moved)
    }
}

fn shown(transcript: &Transcript, cut: Option<&Cut>, end: u32, room: u64, moved: bool) -> Window {
    let first = first_exchange(transcript);
    let exchange = cut.map_or(first, |cut| cut.exchange);
    let anchors = anchors_of(transcript, cut, exchange, end).into_owned();
    let turn = transcript.turn_before(end);
    let kept: u64 = anchors.iter().map(|&anchor| tokens_of(transcript, anchor, end, turn)).sum();
    let tokens = kept + transcript.tokens_at(transcript.start_of(exchange), end, turn);
    Window { end, leading: transcript.leading().min(end), cut: exchange, anchors, tokens, room, moved }
}

/// What stays before exchange `from` at a call: what the cut kept, what is pinned by now, and the calls of results
/// that came since.
fn anchors_of<'c>(transcript: &Transcript, cut: Option<&'c Cut>, from: u32, end: u32) -> Cow<'c, [u32]> {
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

/// What exchanges cost at a call: their tokens, and a placeholder for each call whose result was lost.
struct Cost<'t> {
    transcript: &'t Transcript,
    end: u32,
    turn: u32,
    count: u32,
    placeholder: u64,
}

impl<'t> Cost<'t> {
    fn new(transcript: &'t Transcript, end: u32, limits: &Limits) -> Self {
        let (turn, count) = (transcript.turn_before(end), transcript.exchanges_before(end));
        Self { transcript, end, turn, count, placeholder: limits.placeholder }
    }

    /// Everything from exchange `cut` on. Calls of the newest exchange may still be answered.
    fn since(&self, cut: u32) -> u64 {
        let tokens = self.transcript.tokens_at(self.transcript.start_of(cut), self.end, self.turn);
        tokens.saturating_add(self.lost(cut, self.count.saturating_sub(1)))
    }

    fn of(&self, exchange: u32) -> u64 {
        let tokens = tokens_of(self.transcript, exchange, self.end, self.turn);
        tokens.saturating_add(self.lost(exchange, exchange.saturating_add(1)))
    }

    fn anchors(&self, anchors: &[u32]) -> u64 {
        anchors.iter().map(|&anchor| self.of(anchor)).sum()
    }

    fn lost(&self, start: u32, end: u32) -> u64 {
        self.transcript.lost_in(start, end).saturating_mul(self.placeholder)
    }
}

/// The exchange after the leading system messages.
fn first_exchange(transcript: &Transcript) -> u32 {
    // Each leading system message is an exchange of its own.
    transcript.leading()
}

/// What was last reported before a call before which there were `call` messages: the newest reported earlier.
fn anchor_at(observations: &[Observation], call: u32) -> Anchor {
    reported_before(observations, call).map_or_else(Anchor::default, |found| found.anchor)
}

fn reported_before(observations: &[Observation], call: u32) -> Option<&Observation> {
    let after = observations.partition_point(|observation| observation.at < call);
    after.checked_sub(1).and_then(|last| observations.get(last))
}

/// What was last reported when a call is made with `end` messages: for a call with the same messages, too, where
/// this one is made again.
pub(crate) fn reported_by(observations: &[Observation], end: u32) -> Option<&Observation> {
    reported_before(observations, end.saturating_add(1))
}

/// How far to go down. The low mark where what must stay is below it; else halfway between what must stay
/// and the next limit above, so that one large newest result neither empties the window nor makes every
/// following call shrink again.
fn target(least: u64, low: u64, high: u64, room: u64) -> u64 {
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
fn shrink(transcript: &Transcript, end: u32, from: u32, goal: impl Fn(u64) -> u64, room: u64, limits: &Limits) -> Cut {
    let newest = transcript.exchanges_before(end).saturating_sub(1).max(from);
    let candidates = anchor_candidates(transcript, from, end, room, limits);
    let stay = |cut: u32| candidates.iter().filter(move |found| found.stays_before(cut)).map(|found| found.exchange);
    let cost = Cost::new(transcript, end, limits);
    let shown = |cut: u32| stay(cut).map(|anchor| cost.of(anchor)).sum::<u64>() + cost.since(cut);
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

/// Where the next cut would fall, were it made now.
pub(crate) fn next_cut(transcript: &Transcript, window: &Window, limits: &Limits) -> Cut {
    let low = share(window.room, limits.marks.low);
    shrink(transcript, window.end, window.cut, |_| low, window.room, limits)
}

/// The grid that cuts are aligned to, in tokens left out.
fn grid(room: u64) -> u64 {
    let part = (room / GRID_PARTS).max(1);
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

/// What may have to stay when the cut passes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    exchange: u32,
    /// The exchange with the other half of its pair, for which it stays as long as that is shown; `u32::MAX` for what
    /// stays in any case.
    needed_by: u32,
}

impl Candidate {
    const fn stays_before(self, cut: u32) -> bool {
        self.exchange < cut && cut <= self.needed_by
    }
}

/// What may have to stay when the cut passes it, in order, each exchange once.
fn anchor_candidates(transcript: &Transcript, from: u32, end: u32, room: u64, limits: &Limits) -> Vec<Candidate> {
    let first = first_exchange(transcript);
    let mut anchors: Vec<u32> = task(transcript, end, room);
    anchors.extend(transcript.request_before(end));
    anchors.extend(transcript.prompt_before(end).map(|prompt| transcript.exchange_of(prompt)));
    anchors.extend(transcript.compaction_before(end));
    anchors.extend(loop_opening(transcript, end).filter(|_| limits.loop_opening));
    if limits.stored_calls {
        anchors.extend(strays(transcript));
    }
    anchors.extend(obligations(transcript, end, room));
    anchors.extend(transcript.pins().iter().filter(|pin| pin.holds(end)).map(|pin| pin.exchange));
    // No further than that: the halves of halves would in the end be everything.
    let halves: Vec<u32> = anchors.iter().flat_map(|&anchor| transcript.needed_by(anchor)).collect();
    let always = anchors.into_iter().chain(halves).map(|exchange| Candidate { exchange, needed_by: u32::MAX });
    let pairs = transcript.apart(from, end).map(|(needed_by, exchange)| Candidate { exchange, needed_by });
    let mut candidates: Vec<Candidate> = always.chain(pairs).collect();
    candidates.retain(|found| found.exchange >= first && transcript.start_of(found.exchange) < end);
    // Of several reasons the one that lasts.
    candidates.sort_unstable_by(|one, other| other.cmp(one));
    candidates.dedup_by_key(|found| found.exchange);
    candidates.reverse();
    candidates
}

/// What of the task stays: what the user said first and last before the model first answered, and of what stands
/// between the newest that are within [`OPEN_SHARE`] of the room.
fn task(transcript: &Transcript, end: u32, room: u64) -> Vec<u32> {
    let said = transcript.task_before(end);
    let ([first, .., last] | [first @ last]) = said else { return Vec::new() };
    let mut left = share(room, OPEN_SHARE);
    let turn = transcript.turn_before(end);
    let between = said.get(1..said.len().saturating_sub(1)).unwrap_or_default().iter().rev().copied();
    let kept = between.take(SEARCHED).take_while(|&exchange| {
        let after = left.checked_sub(tokens_of(transcript, exchange, end, turn));
        left = after.unwrap_or(0);
        after.is_some()
    });
    [*first, *last].into_iter().chain(kept).collect()
}

/// The exchanges that are made of results without a call. O(exchanges).
fn strays(transcript: &Transcript) -> impl Iterator<Item = u32> + '_ {
    let numbered = (0_u32..).zip(transcript.exchanges());
    numbered.filter(|(_, exchange)| exchange.opening == Opening::Stray).map(|(at, _)| at)
}

/// The exchange that the current tool loop starts with, where it holds thinking.
pub(crate) fn loop_opening(transcript: &Transcript, end: u32) -> Option<u32> {
    let prompt = transcript.prompt_before(end)?.saturating_add(1);
    let behind = (prompt..end).take(SEARCHED).zip(transcript.rows().messages.get(prompt as usize..)?);
    let (first, row) = behind.into_iter().find(|(_, row)| row.role == Role::Assistant)?;
    row.flags.has(MessageFlags::THINKING).then(|| transcript.exchange_of(first))
}

/// The calls that may still be answered and are kept for it, newest first: what asks for approval always, the
/// others within [`OPEN_SHARE`] of the room. A result that comes for one that was let go brings it back.
pub fn obligations(transcript: &Transcript, end: u32, room: u64) -> impl Iterator<Item = u32> + '_ {
    let most = share(room, OPEN_SHARE);
    let turn = transcript.turn_before(end);
    let mut spent = 0_u64;
    transcript.obligations(end).filter(move |&open| {
        let confirms = transcript.exchanges().get(open as usize).is_some_and(|found| found.confirms);
        let after = spent.saturating_add(tokens_of(transcript, open, end, turn));
        let kept = confirms || after <= most;
        if kept && !confirms {
            spent = after;
        }
        kept
    })
}

fn tokens_of(transcript: &Transcript, exchange: u32, end: u32, turn: u32) -> u64 {
    let span = transcript.span_of(exchange, end);
    transcript.tokens_at(span.start, span.end, turn)
}
