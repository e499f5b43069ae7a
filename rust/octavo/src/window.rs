//! Which exchanges are in the context: a sticky cut that moves rarely, far, and to a grid.
//!
//! A [`View`] is a fold over the boundaries at which the model was called. At each, if what is shown has
//! passed the high mark, the cut moves forward until what is shown is at the low mark; else nothing moves
//! and the next call sends the same prefix. Since the fold has no other input than the transcript, the
//! limits and the reported usage, whoever folds it gets the same cut: a transcript fed step by step, and
//! a stateless call with the whole list. It starts afresh with each *epoch* of the history, so that whoever folds
//! it anew, for limits that were not there before, has one epoch to fold and not the conversation.
//!
//! What is kept whatever the cut: the task (the first thing the user said), the request that was current
//! when the cut moved, calls that still wait for their result, and what a caller pinned.

mod clearing;
mod reports;
mod shrink;
mod stays;
mod view;

use std::ops::Range;

use crate::budget::Marks;
use crate::transcript::Transcript;

pub use clearing::{Cleared, Why};
pub use reports::{Observation, Reports};
pub(crate) use shrink::{next_cut, past_soft};
pub(crate) use stays::loop_opening;
pub use stays::obligations;
pub use view::View;

/// Of FNV-1a (RFC 9923), here by exchange and not by byte.
const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

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
    /// The most tokens kept for what is told of messages that were left out, once some were. Part of what is shown, so
    /// that the cut makes room for it when it moves. How much it is really is the cut's.
    pub told: u64,
    /// What stands around the history: its upper half names tools and thinking mode, the lower one the texts. A call
    /// goes by the report that is most like it.
    pub basis: u64,
    /// When shrinking starts and where it goes.
    pub marks: Marks,
    /// Whether old outputs of tools are cleared before exchanges are left out: each is sent as a placeholder.
    pub clear: bool,
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
    /// Tokens kept for what is told of the messages that it left out.
    pub told: u64,
    /// Tokens of what cannot shrink until the next cut: what had to stay before it, and what is told.
    pub lasts: u64,
    /// The outputs that are cleared from then on.
    pub cleared: Cleared,
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
    /// Where the cut moved last, and what it kept.
    pub decided: Option<Cut>,
    /// Tokens kept for what is told of what it left out; beside `tokens`.
    pub told: u64,
    /// Exchanges from the cut on that are pinned by now: their outputs are shown whole.
    pub spared: Vec<u32>,
}

impl Window {
    /// Tokens of the messages in `start..end` as they count at this call.
    pub fn tokens_in(&self, transcript: &Transcript, start: u32, end: u32) -> u64 {
        let tokens = transcript.tokens_at(start, end, transcript.turn_before(self.end));
        tokens.saturating_sub(self.saved_in(transcript, start, end))
    }

    /// What tells the last cut from every other of the same conversation under the same limits: where it was made,
    /// where it fell, and a hash of what it kept. Nothing where there was none.
    pub fn cut_key(&self) -> Option<(u32, u32, u64)> {
        let cut = self.decided.as_ref()?;
        let anchors =
            cut.anchors.iter().fold(FNV_OFFSET, |hash, &anchor| (hash ^ u64::from(anchor)).wrapping_mul(FNV_PRIME));
        Some((cut.at, cut.exchange, cut.cleared.hashed(anchors)))
    }

    /// The call at which the cut moved last, as the number of messages before it, and the messages that were left out
    /// there, as ranges. What changes between two cuts (a pin, a late result) is not in it.
    pub fn left_out(&self, transcript: &Transcript) -> (u32, Vec<Range<u32>>) {
        let Some(cut) = &self.decided else { return (self.end, Vec::new()) };
        let mut left_out = Vec::with_capacity(cut.anchors.len() + 1);
        let mut from = self.leading;
        for span in cut.anchors.iter().map(|&anchor| transcript.span_of(anchor, cut.at)) {
            left_out.push(from..span.start);
            from = span.end;
        }
        left_out.push(from..transcript.start_of(cut.exchange));
        left_out.extend(cut.cleared.messages(transcript, cut));
        left_out.retain(|span| !span.is_empty());
        (cut.at, left_out)
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

/// The exchange after the leading system messages.
fn first_exchange(transcript: &Transcript) -> u32 {
    // Each leading system message is an exchange of its own.
    transcript.leading()
}

fn tokens_of(transcript: &Transcript, exchange: u32, end: u32, turn: u32) -> u64 {
    let span = transcript.span_of(exchange, end);
    transcript.tokens_at(span.start, span.end, turn)
}
