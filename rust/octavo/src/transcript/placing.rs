//! Which exchange a message joins, which calls wait, and which result answers which call.

use super::{Exchange, MATCHED, Opening, Transcript};
use crate::message::{BlockFlags, BlockKind, BlockRow, Format, MessageFlags, MessageRow, Role};

impl Transcript {
    /// Decides which exchange the message at the end joins, before its row is pushed.
    pub(super) fn place(&mut self, row: &MessageRow, blocks: &[BlockRow]) {
        let index = self.len();
        match row.role {
            Role::System => self.place_system(index),
            Role::Assistant => self.place_assistant(index, row, blocks),
            Role::User | Role::Tool => self.place_answer(index, row, blocks),
        }
    }

    fn place_system(&mut self, index: u32) {
        if index == self.leading {
            self.leading += 1;
            return self.start_exchange(index, Opening::System, false);
        }
        if !self.waits() {
            self.start_exchange(index, Opening::System, false);
        }
    }

    fn place_assistant(&mut self, index: u32, row: &MessageRow, blocks: &[BlockRow]) {
        let after_assistant = self.messages.last().is_some_and(|last| last.role == Role::Assistant);
        if !after_assistant {
            self.calls.push(index);
        }
        let has_calls = row.flags.has(MessageFlags::CALLS);
        let joins = after_assistant && (self.format == Format::Responses || self.waits() || self.ends_in_thinking());
        if !joins {
            self.start_exchange(index, if has_calls { Opening::Calls } else { Opening::Reply }, false);
        } else if has_calls && let Some(last) = self.exchanges.last_mut() {
            last.opening = Opening::Calls;
        }
        for block in blocks.iter().filter(|block| block.kind == BlockKind::Call) {
            self.open_call(block);
        }
    }

    fn place_answer(&mut self, index: u32, row: &MessageRow, blocks: &[BlockRow]) {
        let mut here = false;
        let mut elsewhere = None;
        for block in blocks.iter().filter(|block| block.kind == BlockKind::Result) {
            match self.close_call(block) {
                Some(exchange) if exchange + 1 == self.exchange_count() => here = true,
                Some(exchange) => elsewhere = Some(exchange),
                None => {}
            }
        }
        let speaks = row.role == Role::User && row.flags.has(MessageFlags::SPEECH);
        // A user who speaks while a call waits stands between the call and its result: kept with them.
        if here || (elsewhere.is_none() && self.waits()) || (!speaks && elsewhere.is_none() && self.follows_calls()) {
            return self.join_last(speaks);
        }
        let opening =
            if row.flags.has(MessageFlags::RESULTS) || row.role == Role::Tool { Opening::Stray } else { Opening::User };
        self.start_exchange(index, opening, speaks);
        if let Some(call) = elsewhere {
            self.late.push((self.exchange_count().saturating_sub(1), call));
        }
    }

    fn join_last(&mut self, speaks: bool) {
        let at = self.exchange_count().saturating_sub(1);
        let Some(last) = self.exchanges.last_mut() else { return };
        if speaks && !last.user_speech {
            last.user_speech = true;
            self.requests.push(at);
        }
    }

    fn start_exchange(&mut self, start: u32, opening: Opening, user_speech: bool) {
        let count = self.exchange_count();
        if self.waits() {
            self.waited.push(count.saturating_sub(1));
            let lost = self.exchanges.last().map_or(0, |last| u64::from(last.unanswered));
            self.lost.push(self.lost.last().copied().unwrap_or(0).saturating_add(lost));
            if self.exchanges.last().is_some_and(|last| last.confirms) {
                self.approvals.push(count.saturating_sub(1));
            }
        }
        while self.waited.len().saturating_sub(self.forgotten) > MATCHED {
            self.forget_oldest();
        }
        if user_speech {
            self.requests.push(count);
        }
        self.exchanges.push(Exchange {
            start,
            unanswered: 0,
            answered_at: 0,
            answered_from: u32::MAX,
            confirms: false,
            opening,
            user_speech,
        });
    }

    fn oldest_waiting(&self) -> Option<u32> {
        self.waited.get(self.forgotten).copied()
    }

    /// Lets the oldest waiting turn go: its calls will not be matched any more.
    fn forget_oldest(&mut self) {
        let Some(turn) = self.oldest_waiting() else { return };
        self.forgotten += 1;
        if self.exchanges.get(turn as usize).is_some_and(|found| found.confirms) {
            return;
        }
        for message in self.span_of(turn, self.len()) {
            let ids: Vec<u64> = self.rows().blocks_of(message).iter().map(|block| block.id).collect();
            for id in ids {
                self.unregister(id, turn);
            }
        }
    }

    fn unregister(&mut self, id: u64, turn: u32) {
        if let Some(turns) = self.open.get_mut(&id) {
            turns.retain(|&other| other != turn);
            if turns.is_empty() {
                self.open.remove(&id);
            }
        }
    }

    pub(super) fn exchange_count(&self) -> u32 {
        u32::try_from(self.exchanges.len()).unwrap_or(u32::MAX)
    }

    /// Whether the newest exchange has calls without results.
    fn waits(&self) -> bool {
        self.exchanges.last().is_some_and(|last| last.unanswered > 0)
    }

    /// Whether the newest exchange is made of calls: an orphan result there is not worth its own exchange.
    fn follows_calls(&self) -> bool {
        self.exchanges.last().is_some_and(|last| last.opening == Opening::Calls)
    }

    /// Whether the last message is reasoning that belongs to what follows it.
    fn ends_in_thinking(&self) -> bool {
        self.blocks.last().is_some_and(|block| matches!(block.kind, BlockKind::Thinking | BlockKind::RedactedThinking))
    }

    fn open_call(&mut self, block: &BlockRow) {
        let exchange = self.exchange_count().saturating_sub(1);
        if let Some(last) = self.exchanges.last_mut() {
            last.unanswered += 1;
            last.answered_at = u32::MAX;
            last.confirms |= block.flags.has(BlockFlags::CONFIRMATION);
        }
        self.open.entry(block.id).or_default().push(exchange);
    }

    /// The exchange whose call this result answers: the newest call with that id that still waits.
    fn close_call(&mut self, result: &BlockRow) -> Option<u32> {
        let turns = self.open.get_mut(&result.id)?;
        let turn = turns.pop()?;
        if turns.is_empty() {
            self.open.remove(&result.id);
        }
        let now = self.len().saturating_add(1);
        if let Some(exchange) = self.exchanges.get_mut(turn as usize) {
            exchange.unanswered = exchange.unanswered.saturating_sub(1);
            exchange.answered_from = exchange.answered_from.min(now);
            exchange.answered_at = if exchange.unanswered == 0 { now } else { u32::MAX };
        }
        Some(turn)
    }
}
