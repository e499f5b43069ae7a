//! Which exchange a message joins, which calls wait, and which result answers which call.

use super::{Exchange, MATCHED, OPEN_EXCHANGES, Opening, TURN_MESSAGES, Transcript, WAITING_MESSAGES};
use crate::message::{BlockFlags, BlockKind, BlockRow, Format, MessageFlags, MessageRow, Role};

/// Whether a block is somebody's word: a blank text is none.
fn says_something(block: &BlockRow) -> bool {
    let blank = matches!(block.kind, BlockKind::Text | BlockKind::Other) && block.flags.has(BlockFlags::BLANK);
    MessageFlags::of_block(block).has(MessageFlags::SPEECH) && !blank
}

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
        if !self.waits() || self.is_full() {
            self.start_exchange(index, Opening::System, false);
        }
    }

    fn place_assistant(&mut self, index: u32, row: &MessageRow, blocks: &[BlockRow]) {
        let after_assistant = self.messages.last().is_some_and(|last| last.role == Role::Assistant);
        if !after_assistant {
            self.calls.push(index);
        }
        let has_calls = row.flags.has(MessageFlags::CALLS);
        if !(after_assistant && self.goes_on(row.flags)) {
            self.start_exchange(index, if has_calls { Opening::Calls } else { Opening::Reply }, false);
        } else if has_calls && let Some(last) = self.exchanges.last_mut() {
            last.opening = Opening::Calls;
        }
        self.open_calls(blocks);
        let results = self.close_calls(blocks);
        self.link(&results);
    }

    /// Whether the assistant's message at the end, with these flags, belongs to the exchange of its message before: the
    /// two are one turn, stored block by block. Cut between, its thinking or its calls would go to another turn. Texts
    /// alone may be cut: a monologue must not become one exchange. In Responses, whose items are no messages, all of a
    /// turn belongs together; else at most [`TURN_MESSAGES`].
    fn goes_on(&self, flags: MessageFlags) -> bool {
        let Some(last) = self.exchanges.last() else { return false };
        let binds = |flags: MessageFlags| flags.has(MessageFlags::THINKING) || flags.has(MessageFlags::CALLS);
        let turn = self.messages.get(last.start as usize..).unwrap_or_default();
        let bound = || binds(flags) || turn.iter().any(|row| binds(row.flags));
        self.format == Format::Responses || (turn.len() < TURN_MESSAGES && bound())
    }

    fn place_answer(&mut self, index: u32, row: &MessageRow, blocks: &[BlockRow]) {
        let speaks = row.role == Role::User && blocks.iter().any(says_something);
        if speaks {
            self.strangers.clear();
        }
        if self.is_prompt(row) {
            self.prompts.push(index);
        }
        let results = self.close_calls(blocks);
        if self.takes(speaks, &results) {
            self.join_last(speaks);
        } else {
            let answers = row.flags.has(MessageFlags::RESULTS) || row.role == Role::Tool;
            self.start_exchange(index, if answers { Opening::Stray } else { Opening::User }, speaks);
        }
        self.link(&results);
        let exchange = self.exchange_count().saturating_sub(1);
        for id in results.strange {
            let seen = self.strangers.contains_key(&id);
            self.strangers.insert(id, (!seen).then_some(exchange));
        }
        self.open_calls(blocks);
    }

    /// Whether a message is the user's after a tool loop, not in it. Where roles alternate, what the user says beside
    /// results is one message with them, in whatever messages it was stored.
    fn is_prompt(&self, row: &MessageRow) -> bool {
        let own = row.role == Role::User && !row.flags.has(MessageFlags::RESULTS);
        let follows = self.messages.last().is_some_and(|last| last.role == Role::User);
        own && !(self.format.alternates() && (self.waits() || follows && !self.ends_in_prompt()))
    }

    /// Whether the last message is a prompt.
    fn ends_in_prompt(&self) -> bool {
        self.prompts.last().is_some_and(|&prompt| prompt.saturating_add(1) == self.len())
    }

    /// Whether a message that is not the assistant's belongs to the newest exchange.
    fn takes(&self, speaks: bool, results: &Results) -> bool {
        if results.here {
            return true;
        }
        // A user who speaks while a call waits stands between the call and its result: kept with them. What answers
        // no call there is not worth an exchange of its own, unless it may answer a call that comes.
        let stray = !speaks && self.follows_calls() && results.strange.is_empty();
        results.elsewhere.is_empty() && !self.is_full() && (self.waits() || stray)
    }

    /// What stands in the newest exchange answers calls of others: where it is shown, they are.
    fn link(&mut self, results: &Results) {
        let newest = self.exchange_count().saturating_sub(1);
        self.late.extend(results.elsewhere.iter().map(|&call| (newest, call)));
    }

    fn join_last(&mut self, speaks: bool) {
        let at = self.exchange_count().saturating_sub(1);
        let Some(last) = self.exchanges.last_mut() else { return };
        if speaks && !last.user_speech {
            last.user_speech = true;
            self.request(at);
        }
    }

    /// The user says something in an exchange: the first, or one more of a request in several messages.
    fn request(&mut self, exchange: u32) {
        let place = u32::try_from(self.requests.len()).unwrap_or(u32::MAX);
        let goes_on = self.requests.last().is_some_and(|last| last.saturating_add(1) == exchange);
        let run = self.runs.last().copied().filter(|_| goes_on).unwrap_or(place);
        self.requests.push(exchange);
        self.runs.push(run);
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
            self.request(count);
        }
        if opening == Opening::Stray {
            self.strays.push(count);
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

    /// The exchanges in which the user asks for what the model first called tools for, before message `end`: where
    /// examples or a greeting come first, this is the task. O(log exchanges).
    pub fn worked_before(&self, end: u32) -> &[u32] {
        let worked = self.worked.map(|exchange| self.start_of(exchange)).filter(|&start| start < end);
        worked.map_or(&[], |start| self.request_before(start))
    }

    pub(super) fn exchange_count(&self) -> u32 {
        u32::try_from(self.exchanges.len()).unwrap_or(u32::MAX)
    }

    /// Whether the newest exchange is as long as one may get that only waits: it can never be cut, and what waits for
    /// a lost result would else take in the rest of the conversation. Results of its calls still join it.
    fn is_full(&self) -> bool {
        self.exchanges.last().is_some_and(|last| self.len().saturating_sub(last.start) >= WAITING_MESSAGES)
    }

    /// Whether the newest exchange has calls without results.
    fn waits(&self) -> bool {
        self.exchanges.last().is_some_and(|last| last.unanswered > 0)
    }

    /// Whether the newest exchange is made of calls: an orphan result there is not worth its own exchange.
    fn follows_calls(&self) -> bool {
        self.exchanges.last().is_some_and(|last| last.opening == Opening::Calls)
    }

    fn open_calls(&mut self, blocks: &[BlockRow]) {
        let exchange = self.exchange_count().saturating_sub(1);
        for block in blocks.iter().filter(|block| block.kind == BlockKind::Call) {
            self.open_call(block, exchange);
        }
    }

    fn open_call(&mut self, block: &BlockRow, exchange: u32) {
        if block.id != 0 {
            self.called.insert(block.id, exchange);
        }
        self.worked.get_or_insert(exchange);
        if let Some(Some(result)) = self.strangers.remove(&block.id) {
            // Its result was there before it, as the rules pair them: one is not shown without the other.
            if result != exchange {
                self.late.push((exchange, result));
            }
            return;
        }
        if let Some(last) = self.exchanges.last_mut() {
            last.unanswered += 1;
            last.answered_at = u32::MAX;
            last.confirms |= block.flags.has(BlockFlags::CONFIRMATION);
        }
        self.open.entry(block.id).or_default().push(exchange);
    }

    fn close_calls(&mut self, blocks: &[BlockRow]) -> Results {
        let mut results = Results::default();
        for block in blocks.iter().filter(|block| block.kind == BlockKind::Result) {
            self.close_call(block, &mut results);
        }
        results
    }

    /// Finds the exchange whose call a result answers: the newest call with that id that still waits, else the newest
    /// that does not, on which the result is a later word.
    fn close_call(&mut self, block: &BlockRow, results: &mut Results) {
        let newest = self.exchange_count().saturating_sub(1);
        match self.take_call(block, newest) {
            Some(turn) if turn == newest => results.here = true,
            Some(turn) => results.elsewhere.push(turn),
            None if block.id == 0 => {}
            None => match self.called.get(&block.id) {
                Some(&turn) if turn != newest => results.elsewhere.push(turn),
                Some(_) => {}
                None => results.strange.push(block.id),
            },
        }
    }

    fn take_call(&mut self, result: &BlockRow, newest: u32) -> Option<u32> {
        let turns = self.open.get_mut(&result.id)?;
        let last = turns.len().checked_sub(1)?;
        let turn = if result.flags.has(BlockFlags::NO_ID) && result.id != 0 && turns.last() != Some(&newest) {
            // Where a function's name stands for the id, a late result is the oldest open obligation's.
            turns.remove(turns.partition_point(|turn| turn.saturating_add(OPEN_EXCHANGES) < newest).min(last))
        } else {
            turns.remove(last)
        };
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

/// Where the calls stand that the results of one message answer.
#[derive(Default)]
struct Results {
    /// In the newest exchange.
    here: bool,
    /// In these older exchanges.
    elsewhere: Vec<u32>,
    /// Nowhere yet: ids that no call had.
    strange: Vec<u64>,
}
