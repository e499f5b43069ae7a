//! Calls and their results, found again where they were torn apart.
//!
//! A result belongs to the newest exchange before it that has a call with its id, the first such call that
//! still waits; a result without an id belongs to the exchange right before it. A set of ids over the whole
//! list would join calls and results of different turns on servers that use the same ids in each.

use std::collections::{HashMap, VecDeque};

use super::demands::Layout;
use super::matching::{Fate, Place, Slot, match_results, slots};
use super::{List, Provider};
use crate::message::{BlockKind, Role};

/// What a result turned out to be, anywhere in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Claim {
    /// The result of this call.
    Answers(Place),
    /// The result of this call, told by its place: it must be given the call's id.
    ByPlace(Place),
    /// The call has another result already.
    Repeated,
    /// No call before it has its id.
    Unknown,
}

/// Calls and results of a whole list, found again wherever they stand.
#[derive(Default)]
pub(super) struct Pairs {
    results: HashMap<Place, Place>,
    claims: HashMap<Place, Claim>,
}

/// A call or result with the number of the exchange that it stands in.
type Numbered = (usize, Slot);

impl Pairs {
    pub(super) fn find(list: &List<'_>) -> Self {
        let mut search = Search::default();
        let items = Layout::of(list.mode.format) == Layout::Items;
        let mut after_assistant = false;
        for message in list.messages() {
            let assistant = message.role() == Role::Assistant;
            if assistant {
                search.exchange += usize::from(!(items && after_assistant));
                slots(&message, BlockKind::Call).for_each(|call| search.add_call(call));
            } else {
                slots(&message, BlockKind::Result).for_each(|result| search.add_result(result));
            }
            after_assistant = assistant;
        }
        search.match_by_place(list.provider == Provider::Gemini);
        search.pairs
    }

    /// Where the result of a call stands.
    pub(super) fn result_of(&self, call: Place) -> Option<Place> {
        self.results.get(&call).copied()
    }

    /// What a result answers. A result inside an assistant message answers nothing.
    pub(super) fn claim_of(&self, result: Place) -> Claim {
        self.claims.get(&result).copied().unwrap_or(Claim::Unknown)
    }

    fn join(&mut self, call: Place, result: Place, claim: Claim) {
        self.results.insert(call, result);
        self.claims.insert(result, claim);
    }
}

/// The state of the walk that finds pairs.
#[derive(Default)]
struct Search {
    pairs: Pairs,
    exchange: usize,
    /// For each id: the newest exchange that called it, and its calls that still wait.
    open: HashMap<u64, (usize, VecDeque<Place>)>,
    calls: Vec<Numbered>,
    unmatched: Vec<Numbered>,
}

impl Search {
    fn add_call(&mut self, call: Slot) {
        self.calls.push((self.exchange, call));
        let (exchange, waiting) = self.open.entry(call.id).or_default();
        if *exchange != self.exchange {
            // An older exchange's call with this id will not be answered any more.
            waiting.clear();
            *exchange = self.exchange;
        }
        waiting.push_back(call.place);
    }

    fn add_result(&mut self, result: Slot) {
        let waiting = self.open.get_mut(&result.id);
        // Without an id, only the exchange right before can be meant.
        let near = waiting.filter(|(exchange, _)| !result.no_id || *exchange == self.exchange);
        match near.map(|(_, waiting)| waiting.pop_front()) {
            Some(Some(call)) => self.pairs.join(call, result.place, Claim::Answers(call)),
            Some(None) => self.leave(result, Claim::Repeated),
            None => self.leave(result, Claim::Unknown),
        }
    }

    fn leave(&mut self, result: Slot, claim: Claim) {
        self.pairs.claims.insert(result.place, claim);
        self.unmatched.push((self.exchange, result));
    }

    /// Second pass: what no id paired is matched by its place within its exchange.
    fn match_by_place(&mut self, any_id: bool) {
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
            self.match_group(group, results, any_id);
        }
    }

    fn match_group(&mut self, calls: &[Numbered], results: &[Numbered], any_id: bool) {
        let waiting: Vec<Slot> =
            calls.iter().map(|(_, call)| *call).filter(|call| self.pairs.result_of(call.place).is_none()).collect();
        let results: Vec<Slot> = results.iter().map(|(_, result)| *result).collect();
        for (fate, result) in match_results(&waiting, &results, any_id).into_iter().zip(&results) {
            if let Fate::ByPlace(number) = fate
                && let Some(call) = waiting.get(number)
            {
                self.pairs.join(call.place, result.place, Claim::ByPlace(call.place));
            }
        }
    }
}
