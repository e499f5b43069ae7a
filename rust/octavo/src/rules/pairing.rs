//! Calls and their results, judged as providers judge them: side by side.

use std::collections::HashSet;

use super::demands::Layout;
use super::matching::{Fate, Place, Slot, match_results, slots};
use super::pairs::{Claim, Pairs};
use super::{List, Message, Provider, RuleId, Violation};
use crate::message::{BlockFlags, BlockKind, BlockRow, MessageFlags, Role};

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
        let assistant = message.role() == Role::Assistant;
        if !assistant && message.has(MessageFlags::CALLS) {
            judge_callers(list, &message, found);
        }
        if assistant {
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
        if !message.has(MessageFlags::CALLS) {
            return;
        }
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

    /// Whether each call has its result: in order, or in any order of a few. The usual cases, judged without
    /// a buffer; the rest is matched and reported.
    fn agree(&self) -> bool {
        if self.calls.len() != self.results.len() {
            return false;
        }
        let in_order = self.calls.iter().zip(&self.results).all(|(call, result)| call.id == result.id);
        in_order || (self.calls.len() <= u64::BITS as usize && self.agree_in_any_order())
    }

    fn agree_in_any_order(&self) -> bool {
        let mut taken = 0_u64;
        self.results.iter().all(|result| {
            let mut waiting = (0..).zip(&self.calls).filter(|(number, _)| taken & (1 << number) == 0);
            let Some((number, _)) = waiting.find(|(_, call)| call.id == result.id) else { return false };
            taken |= 1 << number;
            true
        })
    }

    fn report(&self, list: &List<'_>, found: &mut Vec<Violation>) {
        let demands = list.demands;
        let mut waits = vec![true; self.calls.len()];
        let fates = match_results(&self.calls, &self.results);
        for (fate, result) in fates.iter().zip(&self.results) {
            let rule = match *fate {
                Fate::Answers(call) => {
                    answer(&mut waits, call);
                    None
                }
                Fate::ByPlace(call) => {
                    answer(&mut waits, call);
                    by_place(list, result.no_id)
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

/// What a result breaks that only its place gives to a call: it has no id, or one that the call does not have.
fn by_place(list: &List<'_>, no_id: bool) -> Option<RuleId> {
    missing_id(list).map(|rule| if no_id { rule } else { list.demands.unknown })
}

/// The rule that a result without its call's id breaks. In a format whose calls need none there is none to give; a
/// conversion makes one for both.
pub(super) fn missing_id(list: &List<'_>) -> Option<RuleId> {
    list.demands.missing_id.filter(|_| list.written.missing_id.is_some())
}

fn answer(waits: &mut [bool], call: usize) {
    if let Some(waits) = waits.get_mut(call) {
        *waits = false;
    }
}

/// Only the assistant calls.
fn judge_callers(list: &List<'_>, message: &Message<'_>, found: &mut Vec<Violation>) {
    found.extend(slots(message, BlockKind::Call).map(|call| call.violation(list.written.caller)));
}

fn judge_orphans(list: &List<'_>, message: &Message<'_>, found: &mut Vec<Violation>) {
    if !message.has(MessageFlags::RESULTS) {
        return;
    }
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
                BlockKind::Call if !pairs.is_answered(place) && !block.flags.has(BlockFlags::CONFIRMATION) => {
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
        Claim::Answers(_) | Claim::Stored => None,
        // Of several results, all but the first are too many.
        Claim::Replaced(call) if pairs.first_result_of(call) == Some(place) => None,
        Claim::ByPlace(_) => by_place(list, block.flags.has(BlockFlags::NO_ID)),
        Claim::Follows(call) if pairs.is_second(call, place) => None,
        Claim::Replaced(_) | Claim::Replaces(_) | Claim::Follows(_) => Some(list.demands.repeated),
        Claim::Early(_) | Claim::Unknown => (!may_stand_alone(list, block)).then_some(list.demands.orphan),
    }
}

/// R4: the call may stand in the stored response; but then the result must name it.
pub(super) fn may_stand_alone(list: &List<'_>, result: &BlockRow) -> bool {
    list.mode.previous_response && !result.flags.has(BlockFlags::NO_ID)
}

fn judge_unique(list: &List<'_>, found: &mut Vec<Violation>) {
    let Some(rule) = list.demands.unique_ids else { return judge_turns(list, found) };
    let calling = list.messages().filter(|message| message.has(MessageFlags::CALLS));
    let mut ids: Vec<u64> = calling.flat_map(|message| call_ids(&message)).collect();
    if !has_repeats(&mut ids) {
        return;
    }
    let mut seen = HashSet::new();
    for message in list.messages() {
        let again = slots(&message, BlockKind::Call).filter(|call| !call.no_id && !seen.insert(call.id));
        found.extend(again.map(|call| call.violation(rule)));
    }
}

/// Ids that may come back in other turns may not in one: its results could not be told apart.
fn judge_turns(list: &List<'_>, found: &mut Vec<Violation>) {
    let Some(rule) = list.demands.turn_ids else { return };
    for message in list.messages().filter(|message| message.has(MessageFlags::CALLS) && message.blocks.len() > 1) {
        let mut ids: Vec<u64> = call_ids(&message).collect();
        if ids.len() > 1 && has_repeats(&mut ids) {
            let mut seen = HashSet::new();
            let again = slots(&message, BlockKind::Call).filter(|call| !call.no_id && !seen.insert(call.id));
            found.extend(again.map(|call| call.violation(rule)));
        }
    }
}

/// Whether a block is a call with an id of its own (in Gemini's format, a name often stands for it).
pub(super) fn is_identified_call(block: &BlockRow) -> bool {
    block.kind == BlockKind::Call && !block.flags.has(BlockFlags::NO_ID)
}

/// Up to this many ids go into a small table; sorting them took a third of a clean window's time. More are
/// sorted, so that ids made to collide cannot make the table slow.
const FEW_IDS: usize = 256;

fn has_repeats(ids: &mut [u64]) -> bool {
    if ids.len() > FEW_IDS {
        ids.sort_unstable();
        return ids.windows(2).any(|pair| pair.first() == pair.last());
    }
    // Ids are hashes, never 0: four places for each make the first look nearly always the last.
    let size = (ids.len() * 4).next_power_of_two();
    let mut table = vec![0_u64; size];
    ids.iter().any(|&id| is_known(&mut table, id))
}

/// Puts an id into the table. True when it was there already.
fn is_known(table: &mut [u64], id: u64) -> bool {
    let mask = table.len() - 1;
    #[expect(clippy::cast_possible_truncation, reason = "only the low bits are used")]
    let mut at = id as usize & mask;
    while let Some(place) = table.get_mut(at) {
        if *place == 0 {
            *place = id;
            return false;
        }
        if *place == id {
            return true;
        }
        at = (at + 1) & mask;
    }
    false
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
