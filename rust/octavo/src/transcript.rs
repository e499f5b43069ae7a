//! The append-only messages of one conversation, as numbers.
//!
//! A message is read once, when it is appended: its tokens go into a running sum, and it joins an
//! [`Exchange`]. Any range's tokens are then one subtraction, the total is O(1), and nothing here grows
//! with the length of a text.

mod exchange;
mod outputs;
mod placing;
mod replay;

use std::collections::HashMap;

use crate::error::{Error, Result};
use crate::message::{
    BlockEnd, BlockKind, BlockRow, Counted, Estimated, Format, MessageEnd, MessageFlags, MessageRow, Rows, id_hash,
};

pub use exchange::{Exchange, Opening, Pin};
pub use outputs::{Look, Output, OutputRow};

/// How many exchanges an unanswered call stays an open obligation. A confirmation may come many turns
/// later; a result that was lost must not block the window for ever.
pub const OPEN_EXCHANGES: u32 = 32;

/// How many messages an exchange takes in because it waits. As many as a call stays an open obligation for.
const WAITING_MESSAGES: u32 = OPEN_EXCHANGES;

/// How many messages one turn of the assistant's may be stored in: each block in one of its own.
const TURN_MESSAGES: usize = 32;

/// How many exchanges with open obligations are remembered; the oldest is let go first.
const OPEN_TURNS: usize = 16;

/// With so many exchanges that had open calls a result is still matched, however old they are: one that comes late
/// brings its call back into the window.
const MATCHED: usize = 1024;

/// So many of the latest approvals are looked at: a search must not grow with the conversation.
const APPROVALS: usize = 256;

/// A message that has been read and counted, ready to be appended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Who speaks, and facts about the message.
    pub end: MessageEnd,
    /// Tokens of the whole message, framing included.
    pub tokens: u32,
    /// Of those, what is no text.
    pub estimated: Estimated,
    /// Of its tokens, thinking that the provider takes out again once the user speaks; nothing where it stays.
    pub thinking: Counted,
    /// Its blocks, in order.
    pub blocks: Vec<BlockRow>,
    /// Those of its results that a placeholder could stand for, in order.
    pub outputs: Vec<Output>,
    /// Its calls that only look at something.
    pub looks: Vec<Look>,
}

/// Turns the end of a block into its row.
pub fn block_row(end: &BlockEnd<'_>, tokens: u32) -> BlockRow {
    let paired =
        matches!(end.kind, BlockKind::Call | BlockKind::Result | BlockKind::ServerCall | BlockKind::ServerResult);
    let id = if paired && !end.id.is_empty() { id_hash(end.id) } else { 0 };
    BlockRow { id, tokens, flags: end.flags, kind: end.kind }
}

/// The messages of one conversation, as rows, running sums and exchanges.
#[derive(Debug, Clone)]
pub struct Transcript {
    format: Format,
    messages: Vec<MessageRow>,
    blocks: Vec<BlockRow>,
    /// `sums[i]` = tokens of the first `i` messages; one longer than `messages`.
    sums: Vec<u64>,
    /// Messages with media or content that only the provider can read, in order, each with the sum up to and
    /// with itself. Most messages have none, and cost nothing here.
    estimates: Vec<(u32, Estimated)>,
    /// Messages with thinking that the provider takes out of earlier turns, in order, each with the sum up to and
    /// with itself. Empty for models that keep it.
    thinking: Vec<(u32, Counted)>,
    /// Messages that begin a turn after the first such thinking, oldest first.
    turns: Vec<u32>,
    exchanges: Vec<Exchange>,
    /// For each id that waits for a result: the exchanges that called it, oldest first.
    open: HashMap<u64, Vec<u32>>,
    /// For each id that was ever called: the newest exchange that did. What answers an answered call, or one that is
    /// no longer waited for, finds it here.
    called: HashMap<u64, u32>,
    /// Results since the user spoke with ids that nothing called, each with its exchange; `None` where two have one.
    strangers: HashMap<u64, Option<u32>>,
    /// Exchanges that had a call without result when the next one started, oldest first.
    waited: Vec<u32>,
    /// `lost[i]` = calls that had no result when the next exchange started, in the first `i` of `waited`.
    lost: Vec<u64>,
    /// Those of `waited` that ask for approval.
    approvals: Vec<u32>,
    /// How many of `waited`, from the start, are no longer matched with results.
    forgotten: usize,
    /// Exchanges in which the user says something, oldest first.
    requests: Vec<u32>,
    /// For each of `requests`, where the run of neighbours among them begins that it stands in.
    runs: Vec<u32>,
    /// The exchange in which the model first called anything.
    worked: Option<u32>,
    /// The user's messages without results, oldest first: each begins a tool loop.
    prompts: Vec<u32>,
    /// Exchanges that hold a provider's summary of what stands before it, oldest first.
    compactions: Vec<u32>,
    /// Exchanges of results whose call stands elsewhere or nowhere, oldest first.
    strays: Vec<u32>,
    /// Calls and results in different exchanges: the later one and the one that it needs, in order of the first.
    late: Vec<(u32, u32)>,
    outputs: outputs::Outputs,
    pins: Vec<Pin>,
    /// Messages before which a model call was made: the first message of each assistant turn.
    calls: Vec<u32>,
    leading: u32,
}

impl Transcript {
    /// An empty transcript of messages in `format`.
    pub fn new(format: Format) -> Self {
        Self {
            format,
            messages: Vec::new(),
            blocks: Vec::new(),
            sums: vec![0],
            estimates: Vec::new(),
            thinking: Vec::new(),
            turns: Vec::new(),
            exchanges: Vec::new(),
            open: HashMap::new(),
            called: HashMap::new(),
            strangers: HashMap::new(),
            waited: Vec::new(),
            lost: vec![0],
            approvals: Vec::new(),
            forgotten: 0,
            requests: Vec::new(),
            runs: Vec::new(),
            worked: None,
            prompts: Vec::new(),
            compactions: Vec::new(),
            strays: Vec::new(),
            late: Vec::new(),
            outputs: outputs::Outputs::default(),
            pins: Vec::new(),
            calls: Vec::new(),
            leading: 0,
        }
    }

    /// The shape its messages are written in.
    pub fn format(&self) -> Format {
        self.format
    }

    /// How many messages there are.
    pub fn len(&self) -> u32 {
        // `append` refuses to grow past u32::MAX messages.
        u32::try_from(self.messages.len()).unwrap_or(u32::MAX)
    }

    /// Whether there is no message yet.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Every message and block as numbers.
    pub fn rows(&self) -> Rows<'_> {
        Rows { messages: &self.messages, blocks: &self.blocks }
    }

    /// The exchanges, in order.
    pub fn exchanges(&self) -> &[Exchange] {
        &self.exchanges
    }

    /// Where model calls were made: each is the number of messages that stood before the call.
    pub fn calls(&self) -> &[u32] {
        &self.calls
    }

    /// How many messages at the start are system messages: always kept, part of the fixed content.
    pub fn leading(&self) -> u32 {
        self.leading
    }

    /// Tokens of all messages. O(1).
    pub fn tokens(&self) -> u64 {
        self.sums.last().copied().unwrap_or(0)
    }

    /// Tokens of the messages in `start..end`. O(1); positions past the end count as the end.
    pub fn tokens_in(&self, start: u32, end: u32) -> u64 {
        self.sum_at(end).saturating_sub(self.sum_at(start))
    }

    fn sum_at(&self, index: u32) -> u64 {
        self.sums.get(index as usize).copied().unwrap_or_else(|| self.tokens())
    }

    /// What is no text among the tokens of the messages in `start..end`. O(log messages).
    pub fn estimated_in(&self, start: u32, end: u32) -> Estimated {
        self.estimated_before(end).minus(self.estimated_before(start))
    }

    fn estimated_before(&self, message: u32) -> Estimated {
        before(&self.estimates, message)
    }

    /// Whether no message has thinking that the provider takes out of earlier turns.
    pub fn keeps_thinking(&self) -> bool {
        self.thinking.is_empty()
    }

    /// Tokens of the first `end` messages without the thinking that the provider takes out of earlier turns: they only
    /// grow, whatever turn they are counted in. O(log messages).
    pub fn lasting_before(&self, end: u32) -> u64 {
        self.tokens_in(0, end).saturating_sub(before(&self.thinking, end).tokens)
    }

    /// The first message of the turn in which a call with `end` messages is made: where the user spoke last. 0 where
    /// it does not matter, since no thinking stands before it. O(log messages).
    pub fn turn_before(&self, end: u32) -> u32 {
        last_where(&self.turns, |&turn| turn < end).copied().unwrap_or(0)
    }

    /// The first message from `from` on that begins such a turn.
    pub fn next_turn(&self, from: u32) -> Option<u32> {
        self.turns.get(self.turns.partition_point(|&turn| turn < from)).copied()
    }

    /// What the provider takes out of the messages in `start..end` at a call in the turn that starts at message
    /// `turn`: the thinking of earlier turns. Nothing for models that keep it. O(log messages).
    pub fn stripped_in(&self, start: u32, end: u32, turn: u32) -> Counted {
        let end = end.min(turn);
        if self.thinking.is_empty() || start >= end {
            return Counted::default();
        }
        before(&self.thinking, end).minus(before(&self.thinking, start))
    }

    /// Tokens of the messages in `start..end` as they count at a call in the turn that starts at message `turn`.
    /// O(log messages), and O(1) for models that keep thinking.
    pub fn tokens_at(&self, start: u32, end: u32, turn: u32) -> u64 {
        self.tokens_in(start, end).saturating_sub(self.stripped_in(start, end, turn).tokens)
    }

    /// What is no text among them.
    pub fn estimated_at(&self, start: u32, end: u32, turn: u32) -> Estimated {
        self.estimated_in(start, end).minus(self.stripped_in(start, end, turn).estimated)
    }

    /// The first message of an exchange; past the last exchange, the number of messages.
    pub fn start_of(&self, exchange: u32) -> u32 {
        self.exchanges.get(exchange as usize).map_or_else(|| self.len(), |found| found.start)
    }

    /// The messages of an exchange, cut off at `end`.
    pub fn span_of(&self, exchange: u32, end: u32) -> std::ops::Range<u32> {
        let start = self.start_of(exchange).min(end);
        start..self.start_of(exchange.saturating_add(1)).min(end)
    }

    /// Which exchange a message belongs to.
    pub fn exchange_of(&self, message: u32) -> u32 {
        let after = self.exchanges.partition_point(|exchange| exchange.start <= message);
        u32::try_from(after.saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// How many exchanges start before message `end`.
    pub fn exchanges_before(&self, end: u32) -> u32 {
        u32::try_from(self.exchanges.partition_point(|exchange| exchange.start < end)).unwrap_or(u32::MAX)
    }

    /// Bytes that the rows take, spare capacity left out.
    pub fn bytes(&self) -> usize {
        size_of_val(self.messages.as_slice())
            + size_of_val(self.blocks.as_slice())
            + size_of_val(self.sums.as_slice())
            + size_of_val(self.estimates.as_slice())
            + size_of_val(self.thinking.as_slice())
            + size_of_val(self.turns.as_slice())
            + size_of_val(self.exchanges.as_slice())
            + size_of_val(self.calls.as_slice())
            + size_of_val(self.waited.as_slice())
            + size_of_val(self.lost.as_slice())
            + size_of_val(self.approvals.as_slice())
            + size_of_val(self.requests.as_slice())
            + size_of_val(self.runs.as_slice())
            + size_of_val(self.prompts.as_slice())
            + size_of_val(self.compactions.as_slice())
            + size_of_val(self.strays.as_slice())
            + size_of_val(self.late.as_slice())
            + size_of_val(self.pins.as_slice())
            + self.outputs.bytes()
            + self.called.len() * size_of::<(u64, u32)>()
            + self.strangers.len() * size_of::<(u64, Option<u32>)>()
            + self.open.values().map(|turns| size_of::<u64>() + size_of_val(turns.as_slice())).sum::<usize>()
    }

    /// Appends one message. Amortised O(blocks of the message).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] when the transcript would pass `u32::MAX` messages or blocks.
    pub fn append(&mut self, entry: &Entry) -> Result<()> {
        let first_block = u32::try_from(self.blocks.len()).map_err(|_| full("blocks"))?;
        let blocks = u32::try_from(entry.blocks.len()).map_err(|_| full("blocks"))?;
        if first_block.checked_add(blocks).is_none() || self.messages.len() >= u32::MAX as usize {
            return Err(full("messages"));
        }
        let flags = flags_of(entry.end.flags, &entry.blocks);
        let row = MessageRow { first_block, blocks, tokens: entry.tokens, flags, role: entry.end.role };
        self.place(&row, &entry.blocks);
        if entry.blocks.iter().any(|block| block.kind == BlockKind::Compaction) {
            self.compactions.push(self.exchange_count().saturating_sub(1));
        }
        if !entry.estimated.is_none() {
            self.estimates.push((self.len(), self.estimated_before(u32::MAX).plus(entry.estimated)));
        }
        if !entry.thinking.is_none() {
            self.thinking.push((self.len(), before(&self.thinking, u32::MAX).plus(entry.thinking)));
        } else if flags.begins_turn(row.role) && !self.thinking.is_empty() {
            self.turns.push(self.len());
        }
        if !(entry.outputs.is_empty() && entry.looks.is_empty()) {
            self.take_outputs(&row, &entry.blocks, &entry.outputs, &entry.looks);
        }
        self.messages.push(row);
        self.blocks.extend_from_slice(&entry.blocks);
        self.sums.push(self.tokens() + u64::from(entry.tokens));
        Ok(())
    }

    /// Never drop the exchange that `message` belongs to (or drop it again). False when there is no such message.
    pub fn pin(&mut self, message: u32, pinned: bool) -> bool {
        if message >= self.len() {
            return false;
        }
        let exchange = self.exchange_of(message);
        let now = self.len();
        let standing = self.pins.iter_mut().find(|pin| pin.message == message && pin.until == u32::MAX);
        match (standing, pinned) {
            (Some(pin), false) => pin.until = now,
            (None, true) => self.pins.push(Pin { message, exchange, since: now, until: u32::MAX }),
            _ => {}
        }
        // What was pinned and let go between two messages held at no call.
        self.pins.retain(|pin| pin.since < pin.until);
        true
    }

    /// Takes over what was pinned in the same messages read in another format, where exchanges may differ.
    pub fn inherit_pins(&mut self, other: &Self) {
        self.pins = other.pins.iter().map(|pin| Pin { exchange: self.exchange_of(pin.message), ..*pin }).collect();
    }

    /// Calls of the exchanges in `start..end` that had no result when the next exchange started, whatever came
    /// later: what a repair puts a placeholder behind. O(log exchanges).
    pub fn lost_in(&self, start: u32, end: u32) -> u64 {
        let before = |exchange: u32| {
            let after = self.waited.partition_point(|&turn| turn < exchange);
            self.lost.get(after).copied().unwrap_or_default()
        };
        before(end).saturating_sub(before(start))
    }

    /// What callers pinned, in the order in which they did, pins that were taken off included.
    pub fn pins(&self) -> &[Pin] {
        &self.pins
    }

    /// The exchanges in which the user says something before the model first answers, or before message `end`: the
    /// task. Often one; but instructions, a demonstration or a file's content may stand before it as messages of
    /// their own.
    pub fn task_before(&self, end: u32) -> &[u32] {
        let answered = self.calls.first().map_or(end, |&call| call.min(end));
        let after = self.requests.partition_point(|&exchange| self.start_of(exchange) < answered);
        self.requests.get(..after).unwrap_or_default()
    }

    /// The last message of the user's before message `end` that brings no results: the current tool loop, if there is
    /// one, starts behind it.
    pub fn prompt_before(&self, end: u32) -> Option<u32> {
        last_where(&self.prompts, |&message| message < end).copied()
    }

    /// The exchanges that are made of results without a call, oldest first.
    pub fn strays(&self) -> &[u32] {
        &self.strays
    }

    /// The last exchange before message `end` with a provider's summary of what stands before it.
    pub fn compaction_before(&self, end: u32) -> Option<u32> {
        last_where(&self.compactions, |&exchange| self.start_of(exchange) < end).copied()
    }

    /// The exchanges in which the user says something last before message `end`, one after the other: the current
    /// request. Often one; but what is asked for may stand in several messages.
    pub fn request_before(&self, end: u32) -> &[u32] {
        let after = self.requests.partition_point(|&exchange| self.start_of(exchange) < end);
        let from = after.checked_sub(1).and_then(|last| self.runs.get(last)).map_or(after, |&from| from as usize);
        self.requests.get(from..after).unwrap_or_default()
    }

    /// The exchanges whose calls were still waiting when there were `end` messages and may yet be answered:
    /// what asks for approval, however old, and of the others at most 16, none older than
    /// [`OPEN_EXCHANGES`]; newest first in each. A turn of which some results came before the model was called
    /// again has lost the others: nobody waits for those.
    pub fn obligations(&self, end: u32) -> impl Iterator<Item = u32> + '_ {
        let oldest = self.exchanges_before(end).saturating_sub(OPEN_EXCHANGES);
        let recent = self.waited.get(self.waited.partition_point(|&turn| turn < oldest)..).unwrap_or_default();
        let calls = self.open_among(recent, end, false).take(OPEN_TURNS);
        let latest = self.approvals.get(self.approvals.len().saturating_sub(APPROVALS)..).unwrap_or_default();
        self.open_among(latest, end, true).take(OPEN_TURNS).chain(calls)
    }

    /// Of some exchanges those that were open when there were `end` messages, newest first.
    fn open_among<'a>(&'a self, turns: &'a [u32], end: u32, confirms: bool) -> impl Iterator<Item = u32> + 'a {
        let count = self.exchanges_before(end);
        // The newest exchange is no earlier one yet: it is shown in any case, and the same at its own call as
        // when that call is folded later.
        let after = turns.partition_point(|&turn| turn.saturating_add(1) < count);
        let earlier = turns.get(..after).unwrap_or_default().iter().rev().copied();
        earlier.filter(move |&turn| {
            let found = self.exchanges.get(turn as usize);
            found.is_some_and(|found| found.confirms == confirms && self.is_open(found, end))
        })
    }

    fn is_open(&self, exchange: &Exchange, end: u32) -> bool {
        let lost = exchange.answered_from <= end && !exchange.confirms && self.called_after(exchange.start, end);
        exchange.answered_at > end && !lost
    }

    /// Whether the model was called again between the turn that starts at `start` and message `end`.
    fn called_after(&self, start: u32, end: u32) -> bool {
        let next = self.calls.partition_point(|&call| call <= start);
        self.calls.get(next).is_some_and(|&call| call < end)
    }

    /// The exchanges that hold the other half of a pair of which one stands in a later exchange, from exchange `from`
    /// on and before message `end`: the call of a late result, or the result of a call that was written behind it.
    pub fn answered_late(&self, from: u32, end: u32) -> impl Iterator<Item = u32> + '_ {
        self.apart(from, end).map(|(_, earlier)| earlier)
    }

    /// The same, each with the later exchange.
    pub fn apart(&self, from: u32, end: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let count = self.exchanges_before(end);
        let first = self.late.partition_point(|&(later, _)| later < from);
        let after = self.late.get(first..).unwrap_or_default();
        after.iter().copied().take_while(move |&(later, _)| later < count)
    }

    /// The earlier exchanges that hold the other half of a pair of which one stands in `exchange`.
    pub fn needed_by(&self, exchange: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.late.partition_point(|&(later, _)| later < exchange);
        let after = self.late.get(first..).unwrap_or_default();
        after.iter().take_while(move |&&(later, _)| later == exchange).map(|&(_, earlier)| earlier)
    }
}

fn full(what: &'static str) -> Error {
    Error::OutOfRange { name: what, expected: "at most 4,294,967,295 in one transcript", got: "more".into() }
}

/// The sum before a message, of sums up to and with some.
fn before<S: Copy + Default>(sums: &[(u32, S)], message: u32) -> S {
    last_where(sums, |&(index, _)| index < message).map(|&(_, sum)| sum).unwrap_or_default()
}

/// The last of an ordered list for which `holds`, given that it holds for all before that and for none behind.
fn last_where<T>(list: &[T], holds: impl FnMut(&T) -> bool) -> Option<&T> {
    list.get(list.partition_point(holds).checked_sub(1)?)
}

/// A message's own flags with those that its blocks tell.
pub fn flags_of(own: MessageFlags, blocks: &[BlockRow]) -> MessageFlags {
    blocks.iter().fold(own, |flags, block| flags.with(MessageFlags::of_block(block)))
}
