//! Calls and their results: judged side by side, and found again where they were torn apart.
//!
//! Judging looks only at neighbours, as providers do. Finding ([`Pairs`]) walks the whole list: a result
//! belongs to the newest exchange before it that has a call with its id, the first such call that still
//! waits; a result without an id belongs to the exchange right before it.

use std::collections::{HashMap, HashSet, VecDeque};

use super::demands::Layout;
use super::{List, Message, Provider, RuleId, Violation};
use crate::message::{BlockFlags, BlockKind, BlockRow, Role};

/// Where a block stands: position of its message in the list, and its number in the message.
pub(super) type Place = (usize, u32);

/// Above this many parallel calls, ids are looked up in a map instead of one after the other, so that
/// a thousand parallel calls stay linear. Below it, the walk over a few numbers is the faster one.
const MANY: usize = 64;

/// A call or result that takes part in the pairing.
#[derive(Debug, Clone, Copy)]
struct Slot {
    place: Place,
    index: u32,
    id: u64,
    no_id: bool,
    optional: bool,
}

impl Slot {
    fn new(message: &Message<'_>, number: u32, block: &BlockRow) -> Self {
        Self {
            place: (message.position, number),
            index: message.index,
            id: block.id,
            no_id: block.flags.has(BlockFlags::NO_ID),
            optional: block.flags.has(BlockFlags::CONFIRMATION),
        }
    }

    fn violation(&self, rule: RuleId) -> Violation {
        Violation { index: self.index, block: Some(self.place.1), rule }
    }
}

/// What became of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
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
///
/// `any_id`: a result with an id may answer a call without one (Gemini, whose ids are optional).
fn match_results(calls: &[Slot], results: &[Slot], any_id: bool) -> Vec<Fate> {
    let mut waiting = Waiting::new(calls);
    let mut fates: Vec<Fate> = results.iter().map(|result| by_id(&mut waiting, result)).collect();
    // Each only ever moves forward, since what is not free or does not fit now never will be.
    let (mut next, mut next_nameless) = (0, 0);
    for (fate, result) in fates.iter_mut().zip(results) {
        if matches!(fate, Fate::Answers(_)) || !(result.no_id || any_id) {
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

/// Judges calls, results, their ids and their places.
pub(super) fn judge(list: &List<'_>, found: &mut Vec<Violation>) {
    let before = found.len();
    judge_neighbours(list, found);
    // A Responses list wants no neighbours, only an order; but neighbours are what it nearly always has.
    if is_loose(list) && found.len() > before {
        found.truncate(before);
        judge_order(list, found);
    }
    judge_unique(list, found);
    judge_tools(list, found);
}

/// Whether results may stand anywhere after their calls.
pub(super) fn is_loose(list: &List<'_>) -> bool {
    list.provider == Provider::Responses && list.is_own()
}

/// One exchange while it is being read: its calls, then the results that may answer them.
#[derive(Default)]
struct Neighbours {
    calls: Vec<Slot>,
    results: Vec<Slot>,
    /// Whether results have begun.
    answered: bool,
}

fn judge_neighbours(list: &List<'_>, found: &mut Vec<Violation>) {
    let layout = Layout::of(list.mode.format);
    let mut group = Neighbours::default();
    for message in list.messages() {
        if message.role() == Role::Assistant {
            if layout != Layout::Items || group.answered {
                group.close(list, found);
            }
            group.add_calls(&message);
            judge_orphans(list, &message, found);
        } else if group.accepts(layout, message.role()) {
            group.add_results(&message);
            judge_first(list, &message, found);
        } else {
            group.close(list, found);
            judge_orphans(list, &message, found);
        }
    }
    group.close(list, found);
}

impl Neighbours {
    fn accepts(&self, layout: Layout, role: Role) -> bool {
        let answer = if layout == Layout::Packed { Role::User } else { Role::Tool };
        role == answer && !self.calls.is_empty() && (!self.answered || layout != Layout::Packed)
    }

    fn add_calls(&mut self, message: &Message<'_>) {
        self.calls.extend(slots(message, BlockKind::Call));
    }

    fn add_results(&mut self, message: &Message<'_>) {
        self.answered = true;
        self.results.extend(slots(message, BlockKind::Result));
    }

    fn close(&mut self, list: &List<'_>, found: &mut Vec<Violation>) {
        self.answered = false;
        if self.calls.is_empty() && self.results.is_empty() {
            return;
        }
        if !self.agree() {
            self.report(list, found);
        }
        self.calls.clear();
        self.results.clear();
    }

    /// Whether the results stand in the order of their calls: the usual case, and one that needs no search.
    fn agree(&self) -> bool {
        self.calls.len() == self.results.len()
            && self.calls.iter().zip(&self.results).all(|(call, result)| call.id == result.id)
    }

    fn report(&self, list: &List<'_>, found: &mut Vec<Violation>) {
        let demands = list.demands;
        let mut waits = vec![true; self.calls.len()];
        let fates = match_results(&self.calls, &self.results, list.provider == Provider::Gemini);
        for (fate, result) in fates.iter().zip(&self.results) {
            let rule = match *fate {
                Fate::Answers(call) => {
                    answer(&mut waits, call);
                    None
                }
                Fate::ByPlace(call) => {
                    answer(&mut waits, call);
                    demands.missing_id
                }
                Fate::Repeated => Some(demands.repeated),
                Fate::Unknown => Some(demands.unknown),
            };
            found.extend(rule.map(|rule| result.violation(rule)));
        }
        let unanswered = self.calls.iter().zip(waits).filter(|(call, waits)| *waits && !call.optional);
        found.extend(unanswered.map(|(call, _)| call.violation(demands.unanswered)));
    }
}

fn answer(waits: &mut [bool], call: usize) {
    if let Some(waits) = waits.get_mut(call) {
        *waits = false;
    }
}

fn slots<'a>(message: &Message<'a>, kind: BlockKind) -> impl Iterator<Item = Slot> + use<'a> {
    let message = *message;
    message
        .numbered()
        .filter(move |(_, block)| block.kind == kind)
        .map(move |(number, block)| Slot::new(&message, number, block))
}

fn judge_orphans(list: &List<'_>, message: &Message<'_>, found: &mut Vec<Violation>) {
    found.extend(slots(message, BlockKind::Result).map(|result| result.violation(list.demands.orphan)));
}

/// Results must come before anything else; markers such as `cachePoint` are not content.
fn judge_first(list: &List<'_>, message: &Message<'_>, found: &mut Vec<Violation>) {
    let (Some(rule), true) = (list.demands.results_first, Layout::of(list.mode.format) == Layout::Packed) else {
        return;
    };
    let late = message
        .numbered()
        .skip_while(|(_, block)| matches!(block.kind, BlockKind::Result | BlockKind::Marker))
        .find(|(_, block)| block.kind == BlockKind::Result);
    found.extend(late.map(|(number, _)| message.violation(Some(number), rule)));
}

/// Judges a list whose results may stand anywhere after their calls.
fn judge_order(list: &List<'_>, found: &mut Vec<Violation>) {
    let pairs = Pairs::find(list);
    for message in list.messages() {
        for (number, block) in message.numbered() {
            let place = (message.position, number);
            let rule = match block.kind {
                BlockKind::Call if pairs.result_of(place).is_none() && !block.flags.has(BlockFlags::CONFIRMATION) => {
                    Some(list.demands.unanswered)
                }
                BlockKind::Result => judge_result(list, &pairs, place, block),
                _ => None,
            };
            found.extend(rule.map(|rule| message.violation(Some(number), rule)));
        }
    }
}

fn judge_result(list: &List<'_>, pairs: &Pairs, place: Place, block: &BlockRow) -> Option<RuleId> {
    match pairs.claim_of(place) {
        Claim::Answers(_) => None,
        Claim::ByPlace(_) => list.demands.missing_id,
        Claim::Repeated => Some(list.demands.repeated),
        Claim::Unknown => (!may_stand_alone(list, block)).then_some(list.demands.orphan),
    }
}

/// R4: the call may stand in the stored response; but then the result must name it.
pub(super) fn may_stand_alone(list: &List<'_>, result: &BlockRow) -> bool {
    list.mode.previous_response && !result.flags.has(BlockFlags::NO_ID)
}

fn judge_unique(list: &List<'_>, found: &mut Vec<Violation>) {
    let Some(rule) = list.demands.unique_ids else { return };
    let mut ids: Vec<u64> = list.messages().flat_map(|message| call_ids(&message)).collect();
    ids.sort_unstable();
    if ids.windows(2).all(|pair| pair.first() != pair.last()) {
        return;
    }
    let mut seen = HashSet::new();
    for message in list.messages() {
        let again = slots(&message, BlockKind::Call).filter(|call| !call.no_id && !seen.insert(call.id));
        found.extend(again.map(|call| call.violation(rule)));
    }
}

/// Whether a block is a call with an id of its own (in Gemini's format, a name often stands for it).
pub(super) fn is_identified_call(block: &BlockRow) -> bool {
    block.kind == BlockKind::Call && !block.flags.has(BlockFlags::NO_ID)
}

fn call_ids<'a>(message: &Message<'a>) -> impl Iterator<Item = u64> + use<'a> {
    message.blocks.iter().filter(|block| is_identified_call(block)).map(|block| block.id)
}

fn judge_tools(list: &List<'_>, found: &mut Vec<Violation>) {
    let (Some(rule), Some(false)) = (list.demands.needs_tools, list.mode.has_tools) else { return };
    let first = list.messages().find_map(|message| {
        let (number, _) =
            message.numbered().find(|(_, block)| matches!(block.kind, BlockKind::Call | BlockKind::Result))?;
        Some(message.violation(Some(number), rule))
    });
    found.extend(first);
}

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

impl Default for Pairs {
    fn default() -> Self {
        Self { results: HashMap::new(), claims: HashMap::new() }
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
