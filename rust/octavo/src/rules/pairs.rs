//! Calls and their results, found again where they were torn apart.
//!
//! A result belongs to the newest exchange before it that has a call with its id, the first such call that
//! still waits; a result that has only its function's name belongs to the exchange right before it, else to the
//! oldest call of that name that still waits. A set of ids over the whole list would join calls and results of
//! different turns on servers that use the same ids in each.
//!
//! What no call before it explains may be the result of a call behind it, written in the wrong order; what answers
//! a call that has its result already is a later word on it. Both are told apart by [`Claim`].

use std::collections::{HashMap, VecDeque};

use super::demands::Layout;
use super::matching::{Fate, Place, Slot, match_results, slots};
use super::{List, Message};
use crate::message::{BlockFlags, BlockKind, BlockRow, MessageFlags, Role};
use crate::transcript::OPEN_EXCHANGES;

/// What a result turned out to be, anywhere in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Claim {
    /// The result of this call.
    Answers(Place),
    /// The result of this call, told by its place: it must be given the call's id.
    ByPlace(Place),
    /// The result of this call, which stands behind it: the only one with its id since the user spoke, and no call
    /// before it had that id.
    Early(Place),
    /// The result of this call in place of an earlier one: the model was not called between the two.
    Replaces(Place),
    /// A later result of this call took its place.
    Replaced(Place),
    /// A later word on this call, whose result the model has read: that result stays as it was sent.
    Follows(Place),
    /// No call of the list has its id, and a reference before it may stand for its call.
    Stored,
    /// No call has its id.
    Unknown,
}

impl Claim {
    /// The call whose result it is.
    pub(super) const fn answered(self) -> Option<Place> {
        match self {
            Self::Answers(call) | Self::ByPlace(call) | Self::Early(call) | Self::Replaces(call) => Some(call),
            Self::Replaced(_) | Self::Follows(_) | Self::Stored | Self::Unknown => None,
        }
    }
}

/// Calls and results of a whole list, found again wherever they stand.
#[derive(Default)]
pub(super) struct Pairs {
    results: HashMap<Place, Place>,
    claims: HashMap<Place, Claim>,
    /// For a call whose result took the place of another: where the first of them stood.
    first: HashMap<Place, Place>,
    /// For a call whose result stands before it and was read: the first that stands behind it.
    second: HashMap<Place, Place>,
}

/// A call or result with the number of the exchange that it stands in.
type Numbered = (usize, Slot);

impl Pairs {
    pub(super) fn find(list: &List<'_>) -> Self {
        let mut search = Search {
            items: Layout::of(list.mode.format) == Layout::Items,
            // The call may stand in the stored response, with the same id as one that comes later.
            knows_all: !list.mode.previous_response,
            ..Search::default()
        };
        list.messages().for_each(|message| search.read(&message));
        search.settle_early();
        search.match_by_place();
        search.settle_repeats();
        search.pairs
    }

    /// Where the result of a call stands.
    pub(super) fn result_of(&self, call: Place) -> Option<Place> {
        self.results.get(&call).copied()
    }

    /// Whether a call has a result that stands behind it.
    pub(super) fn is_answered(&self, call: Place) -> bool {
        let behind = self.result_of(call).filter(|result| !matches!(self.claim_of(*result), Claim::Early(_)));
        behind.is_some() || self.second.contains_key(&call)
    }

    /// Whether this is the first of the results that stand behind a call, though another one is the call's.
    pub(super) fn is_second(&self, call: Place, result: Place) -> bool {
        self.second.get(&call) == Some(&result)
    }

    /// Where the first of a call's results stood, whose place the one that is kept takes.
    pub(super) fn first_result_of(&self, call: Place) -> Option<Place> {
        self.first.get(&call).copied().or_else(|| self.result_of(call))
    }

    /// What a result answers.
    pub(super) fn claim_of(&self, result: Place) -> Claim {
        self.claims.get(&result).copied().unwrap_or(Claim::Unknown)
    }

    fn join(&mut self, call: Place, result: Place, claim: Claim) {
        self.results.insert(call, result);
        self.claims.insert(result, claim);
    }

    fn replace(&mut self, call: Place, result: Place) {
        if let Some(first) = self.result_of(call) {
            self.first.entry(call).or_insert(first);
            self.claims.insert(first, Claim::Replaced(call));
        }
        self.join(call, result, Claim::Replaces(call));
    }
}

/// Whether a block points to an item of the provider's that may be a call.
fn may_call(block: &BlockRow) -> bool {
    block.kind == BlockKind::Reference && block.flags.has(BlockFlags::MAY_CALL)
}

/// A result for a call that has one.
struct Repeat {
    call: Place,
    result: Place,
    /// Whether the model was not called since the call's result.
    replaces: bool,
}

/// The state of the walk that finds pairs.
#[derive(Default)]
struct Search {
    items: bool,
    /// Whether every call that a result may answer is in the list.
    knows_all: bool,
    /// References to items of the provider's so far that may be calls, and that no output was taken to answer.
    stored: usize,
    pairs: Pairs,
    exchange: usize,
    after_assistant: bool,
    open: HashMap<u64, Known>,
    /// Results since the user spoke whose id no call before them has; `None` where two have the same.
    strangers: HashMap<u64, Option<Place>>,
    /// For calls the result that stands before them, and the call's exchange: theirs unless one follows in it.
    early: HashMap<Place, (Place, usize)>,
    repeats: Vec<Repeat>,
    calls: Vec<Numbered>,
    unmatched: Vec<Numbered>,
}

impl Search {
    fn read(&mut self, message: &Message<'_>) {
        let assistant = message.role() == Role::Assistant;
        if assistant {
            self.exchange += usize::from(!(self.items && self.after_assistant));
            self.stored += message.blocks.iter().filter(|block| may_call(block)).count();
            slots(message, BlockKind::Call).for_each(|call| self.add_call(call));
            slots(message, BlockKind::Result).for_each(|result| self.add_result(result));
        } else {
            self.read_other(message);
        }
        self.after_assistant = assistant;
    }

    /// Calls that stand in somebody else's message are the assistant's all the same: each run of them one exchange.
    fn read_other(&mut self, message: &Message<'_>) {
        if message.role() == Role::User && message.has(MessageFlags::SPEECH) {
            self.strangers.clear();
        }
        let mut calling = false;
        for (number, block) in message.numbered() {
            match block.kind {
                BlockKind::Call => {
                    self.exchange += usize::from(!calling);
                    self.add_call(Slot::new(message, number, block));
                    calling = true;
                }
                BlockKind::Result => self.add_result(Slot::new(message, number, block)),
                _ => calling = false,
            }
        }
    }

    fn add_call(&mut self, call: Slot) {
        self.calls.push((self.exchange, call));
        if let Some(Some(result)) = self.strangers.remove(&call.id) {
            self.early.insert(call.place, (result, self.exchange));
        }
        self.open.entry(call.id).or_default().wait(self.exchange, &call);
    }

    fn add_result(&mut self, result: Slot) {
        let Some(known) = self.open.get_mut(&result.id) else { return self.add_stranger(result) };
        let Some(call) = known.take(self.exchange, &result) else { return self.add_repeat(result) };
        match self.early.get(&call) {
            // The model was called since, with what stood before the call as its result.
            Some(&(read, at)) if at != self.exchange => {
                known.answered = Some((call, at));
                self.pairs.join(call, read, Claim::Early(call));
                self.pairs.second.insert(call, result.place);
                self.pairs.claims.insert(result.place, Claim::Follows(call));
            }
            _ => self.pairs.join(call, result.place, Claim::Answers(call)),
        }
    }

    /// A result whose id was called, and no call with it waits.
    fn add_repeat(&mut self, result: Slot) {
        let answered = self.open.get(&result.id).and_then(|known| known.answered);
        let Some((call, at)) = answered.filter(|_| !result.is_nameless()) else {
            return self.leave(result, Claim::Unknown);
        };
        // A name alone does not say that it is the same call that is answered once more.
        let replaces = at == self.exchange && !result.no_id;
        self.repeats.push(Repeat { call, result: result.place, replaces });
        self.leave(result, Claim::Follows(call));
    }

    fn add_stranger(&mut self, result: Slot) {
        if self.stored > 0 && !result.no_id {
            // Each reference is one item: it stands for one call.
            self.stored -= 1;
            self.pairs.claims.insert(result.place, Claim::Stored);
            return;
        }
        if self.knows_all && !result.is_nameless() {
            let seen = self.strangers.contains_key(&result.id);
            self.strangers.insert(result.id, (!seen).then_some(result.place));
        }
        self.leave(result, Claim::Unknown);
    }

    fn leave(&mut self, result: Slot, claim: Claim) {
        self.pairs.claims.insert(result.place, claim);
        self.unmatched.push((self.exchange, result));
    }

    /// What stands before its call is its result where none stands behind it.
    fn settle_early(&mut self) {
        for (call, (result, _)) in std::mem::take(&mut self.early) {
            if self.pairs.result_of(call).is_none() {
                self.pairs.join(call, result, Claim::Early(call));
            }
        }
    }

    /// Second pass: what no id paired is matched by its place within its exchange.
    fn match_by_place(&mut self) {
        let calls = std::mem::take(&mut self.calls);
        let unmatched = std::mem::take(&mut self.unmatched);
        let mut calls = calls.chunk_by(|one, other| one.0 == other.0).peekable();
        for results in unmatched.chunk_by(|one, other| one.0 == other.0) {
            let exchange = results.first().map_or(0, |(exchange, _)| *exchange);
            while calls.next_if(|group| group.first().is_some_and(|(number, _)| *number < exchange)).is_some() {}
            let Some(group) = calls.next_if(|group| group.first().is_some_and(|(number, _)| *number == exchange))
            else {
                continue;
            };
            self.match_group(group, results);
        }
    }

    fn match_group(&mut self, calls: &[Numbered], results: &[Numbered]) {
        let waiting: Vec<Slot> =
            calls.iter().map(|(_, call)| *call).filter(|call| self.pairs.result_of(call.place).is_none()).collect();
        let unclaimed = |result: &Slot| self.pairs.claim_of(result.place).answered().is_none();
        let results: Vec<Slot> = results.iter().map(|(_, result)| *result).filter(unclaimed).collect();
        for (fate, result) in match_results(&waiting, &results).into_iter().zip(&results) {
            if let Fate::ByPlace(number) = fate
                && let Some(call) = waiting.get(number)
            {
                self.pairs.join(call.place, result.place, Claim::ByPlace(call.place));
            }
        }
    }

    /// Last, since a place may have given such a result a call of its own.
    fn settle_repeats(&mut self) {
        for repeat in std::mem::take(&mut self.repeats) {
            if repeat.replaces && self.pairs.claim_of(repeat.result) == Claim::Follows(repeat.call) {
                self.pairs.replace(repeat.call, repeat.result);
            }
        }
    }
}

/// The calls with one id.
#[derive(Default)]
struct Known {
    /// The newest exchange that called it.
    exchange: usize,
    /// Its calls there that still wait.
    waiting: VecDeque<Place>,
    /// Where a function's name stands for the id: calls of older exchanges that still wait, oldest first.
    older: VecDeque<(usize, Place)>,
    /// The call that was answered last, and the exchange in which its result stands.
    answered: Option<(Place, usize)>,
}

impl Known {
    fn wait(&mut self, exchange: usize, call: &Slot) {
        if self.exchange != exchange {
            // An older exchange's call with this id will not be answered any more; a name is no id.
            self.set_aside(call.is_named());
            self.exchange = exchange;
        }
        self.waiting.push_back(call.place);
    }

    fn set_aside(&mut self, named: bool) {
        let exchange = self.exchange;
        let waited = self.waiting.drain(..).filter(|_| named);
        self.older.extend(waited.map(|call| (exchange, call)));
    }

    /// The call that a result which stands in `exchange` answers.
    fn take(&mut self, exchange: usize, result: &Slot) -> Option<Place> {
        if result.no_id && self.exchange != exchange {
            // Without an id, only the exchange right before can be meant; with a name, the oldest that waits.
            if result.is_nameless() {
                return None;
            }
            self.set_aside(true);
        }
        let call = self.waiting.pop_front().or_else(|| self.oldest(exchange))?;
        self.answered = Some((call, exchange));
        Some(call)
    }

    /// The oldest call that still waits, of the exchanges whose calls are open obligations; where none of those
    /// waits, the newest of the others.
    fn oldest(&mut self, exchange: usize) -> Option<Place> {
        let is_past = |found: &(usize, Place)| found.0 + (OPEN_EXCHANGES as usize) < exchange;
        while self.older.len() > 1 && self.older.front().is_some_and(is_past) {
            self.older.pop_front();
        }
        self.older.pop_front().map(|(_, call)| call)
    }
}
