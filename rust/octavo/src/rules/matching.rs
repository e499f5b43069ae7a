//! Matching the results of one exchange with its calls.

use std::collections::{HashMap, VecDeque};

use super::{Message, RuleId, Violation};
use crate::message::{BlockFlags, BlockKind, BlockRow};

/// Where a block stands: position of its message in the list, and its number in the message.
pub(super) type Place = (usize, u32);

/// Above this many parallel calls, ids are looked up in a map instead of one after the other, so that
/// a thousand parallel calls stay linear. Below it, the walk over a few numbers is the faster one.
const MANY: usize = 64;

/// A call or result that takes part in the pairing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    pub(super) place: Place,
    pub(super) index: u32,
    pub(super) id: u64,
    pub(super) no_id: bool,
    pub(super) optional: bool,
}

impl Slot {
    pub(super) fn new(message: &Message<'_>, number: u32, block: &BlockRow) -> Self {
        Self {
            place: (message.position, number),
            index: message.index,
            id: block.id,
            no_id: block.flags.has(BlockFlags::NO_ID),
            optional: block.flags.has(BlockFlags::CONFIRMATION),
        }
    }

    pub(super) fn violation(&self, rule: RuleId) -> Violation {
        Violation { index: self.index, block: Some(self.place.1), rule }
    }

    /// Whether its function's name stands for its id.
    pub(super) const fn is_named(&self) -> bool {
        self.no_id && self.id != 0
    }

    /// Whether nothing tells which call it is, or answers.
    pub(super) const fn is_nameless(&self) -> bool {
        self.no_id && self.id == 0
    }
}

/// What became of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It answers the call with this number, by its id.
    Answers(usize),
    /// It answers the call with this number by its place; its own id does not say so.
    ByPlace(usize),
    /// The call with its id has another result already.
    Repeated,
    /// No call has its id.
    Unknown,
}

/// Numbers of the calls that still wait, by id.
struct Waiting<'a> {
    calls: &'a [Slot],
    taken: Vec<bool>,
    /// No call before this one waits.
    first: usize,
    many: HashMap<u64, VecDeque<usize>>,
}

impl<'a> Waiting<'a> {
    fn new(calls: &'a [Slot]) -> Self {
        let mut many: HashMap<u64, VecDeque<usize>> = HashMap::new();
        if calls.len() > MANY {
            for (number, call) in calls.iter().enumerate() {
                many.entry(call.id).or_default().push_back(number);
            }
        }
        Self { calls, taken: vec![false; calls.len()], first: 0, many }
    }

    fn is_free(&self, number: usize) -> bool {
        self.taken.get(number) == Some(&false)
    }

    fn take(&mut self, number: usize) {
        if let Some(taken) = self.taken.get_mut(number) {
            *taken = true;
        }
        while self.taken.get(self.first) == Some(&true) {
            self.first += 1;
        }
    }

    fn with_id(&mut self, id: u64) -> Option<usize> {
        let number = if self.many.is_empty() {
            (self.first..self.calls.len())
                .find(|&number| self.is_free(number) && self.calls.get(number).is_some_and(|call| call.id == id))
        } else {
            self.many.get_mut(&id)?.pop_front()
        }?;
        self.take(number);
        Some(number)
    }

    /// The first call from `from` on that waits and `fits`.
    fn after(&self, from: &mut usize, fits: impl Fn(&Slot) -> bool) -> Option<usize> {
        while self.calls.get(*from).is_some_and(|call| !(self.is_free(*from) && fits(call))) {
            *from += 1;
        }
        (*from < self.calls.len()).then_some(*from)
    }

    fn knows(&self, id: u64) -> bool {
        if self.many.is_empty() { self.calls.iter().any(|call| call.id == id) } else { self.many.contains_key(&id) }
    }
}

/// Matches the results of one exchange with its calls: by id first, then by place where one side has no id.
pub(super) fn match_results(calls: &[Slot], results: &[Slot]) -> Vec<Fate> {
    let mut waiting = Waiting::new(calls);
    let mut fates: Vec<Fate> = results.iter().map(|result| by_id(&mut waiting, result)).collect();
    // Each only ever moves forward, since what is not free or does not fit now never will be.
    let (mut next, mut next_nameless) = (0, 0);
    for (fate, result) in fates.iter_mut().zip(results) {
        if matches!(fate, Fate::Answers(_)) {
            continue;
        }
        let number = if result.no_id {
            waiting.after(&mut next, |call| !call.optional)
        } else {
            waiting.after(&mut next_nameless, |call| call.no_id && !call.optional)
        };
        if let Some(number) = number {
            waiting.take(number);
            *fate = Fate::ByPlace(number);
        }
    }
    fates
}

fn by_id(waiting: &mut Waiting<'_>, result: &Slot) -> Fate {
    match waiting.with_id(result.id) {
        Some(number) => Fate::Answers(number),
        None if waiting.knows(result.id) => Fate::Repeated,
        None => Fate::Unknown,
    }
}

/// The calls (or results) of a message.
pub(super) fn slots<'a>(message: &Message<'a>, kind: BlockKind) -> impl Iterator<Item = Slot> + use<'a> {
    let message = *message;
    message
        .numbered()
        .filter(move |(_, block)| block.kind == kind)
        .map(move |(number, block)| Slot::new(&message, number, block))
}
