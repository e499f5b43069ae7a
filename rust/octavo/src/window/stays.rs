//! What of the history stays when the cut passes it.

use std::cmp::Reverse;

use super::{Limits, first_exchange, tokens_of};
use crate::budget::share;
use crate::message::{MessageFlags, Role};
use crate::transcript::Transcript;

/// Calls without result take this part of the room at most (in thousandths): where results get lost all the
/// time, what waits for them must not crowd out the conversation.
const OPEN_SHARE: u32 = 250;

/// So many messages are looked at where something is searched for among neighbours (the middle of the task, the answer
/// behind a prompt): a search must not grow with the conversation.
const SEARCHED: usize = 32;

/// What may have to stay when the cut passes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) exchange: u32,
    /// The exchange with the other half of its pair, for which it stays as long as that is shown; `u32::MAX` for what
    /// stays in any case.
    needed_by: u32,
    /// It goes where what stays is more than there is room for.
    yields: bool,
}

impl Candidate {
    pub(super) const fn stays_before(self, cut: u32) -> bool {
        self.exchange < cut && cut <= self.needed_by
    }

    pub(super) const fn must_stay(&self) -> bool {
        !self.yields
    }
}

/// What may have to stay when the cut passes it, in order, each exchange once.
pub(super) fn anchor_candidates(
    transcript: &Transcript,
    from: u32,
    end: u32,
    room: u64,
    limits: &Limits,
) -> Vec<Candidate> {
    let first = first_exchange(transcript);
    let mut anchors: Vec<u32> = spoken(transcript, transcript.task_before(end), end, room);
    anchors.extend(spoken(transcript, transcript.request_before(end), end, room));
    anchors.extend(transcript.prompt_before(end).map(|prompt| transcript.exchange_of(prompt)));
    anchors.extend(transcript.compaction_before(end));
    anchors.extend(loop_opening(transcript, end).filter(|_| limits.loop_opening));
    if limits.stored_calls {
        anchors.extend(transcript.strays());
    }
    anchors.extend(obligations(transcript, end, room));
    anchors.extend(transcript.pins().iter().filter(|pin| pin.holds(end)).map(|pin| pin.exchange));
    // No further than that: the halves of halves would in the end be everything.
    let halves: Vec<u32> = anchors.iter().flat_map(|&anchor| transcript.needed_by(anchor)).collect();
    let lasting = |yields| move |exchange| Candidate { exchange, needed_by: u32::MAX, yields };
    let always = anchors.into_iter().chain(halves).map(lasting(false));
    let worked = worked(transcript, end, room).map(lasting(true));
    let pairs =
        transcript.apart(from, end).map(|(needed_by, exchange)| Candidate { exchange, needed_by, yields: false });
    let mut candidates: Vec<Candidate> = always.chain(pairs).chain(worked).collect();
    candidates.retain(|found| found.exchange >= first && transcript.start_of(found.exchange) < end);
    // Of several reasons the one that lasts.
    candidates.sort_unstable_by_key(|found| (Reverse(found.exchange), found.yields, Reverse(found.needed_by)));
    candidates.dedup_by_key(|found| found.exchange);
    candidates.reverse();
    candidates
}

/// What the model first called tools for, within [`OPEN_SHARE`] of the room.
fn worked(transcript: &Transcript, end: u32, room: u64) -> impl Iterator<Item = u32> {
    let mut asked = spoken(transcript, transcript.worked_before(end), end, room);
    asked.sort_unstable();
    asked.dedup();
    let turn = transcript.turn_before(end);
    let tokens: u64 = asked.iter().map(|&exchange| tokens_of(transcript, exchange, end, turn)).sum();
    asked.into_iter().filter(move |_| tokens <= share(room, OPEN_SHARE))
}

/// What stays of what the user said in several messages, before the model first answered or last: the first and the
/// last, and of what stands between the newest that are within [`OPEN_SHARE`] of the room.
fn spoken(transcript: &Transcript, said: &[u32], end: u32, room: u64) -> Vec<u32> {
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
