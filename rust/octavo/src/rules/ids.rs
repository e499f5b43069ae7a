//! Ids of calls that are used again, or that the provider refuses: each such use gets one that is made from its place.

use std::collections::{HashMap, HashSet};

use super::List;
use super::demands::Layout;
use super::draft::{Draft, Part};
use super::mend::{change, free_of_thinking};
use super::pairing::is_identified_call;
use super::recipe::{Change, ChangeKind, Piece, made_id};
use super::shape::wants_id;
use crate::message::{BlockKind, BlockRow, id_hash};

/// Message and block of the input.
type Place = (u32, u32);

/// A5, A21: every use of an id but the first gets an id that is made from its place, and so does a call whose id is
/// refused; results follow. Which use keeps the id, and what the others are called, depends on nothing that
/// comes later, so that the prefix stays. That an id looks like a made one does not matter: it is one
/// more use of it.
pub(super) fn settle_ids(list: &List<'_>, drafts: &mut [Draft], log: &mut Vec<Change>) {
    let rule = list.demands.unique_ids.or(list.demands.turn_ids).or(list.demands.call_id);
    // Reasoning of Chat messages is not signed: beside it a call may be edited.
    let packed = Layout::of(list.mode.format) == Layout::Packed;
    let mut ids = Ids::of(list);
    ids.keep_clear_of(drafts);
    let mut changed: HashMap<Place, u32> = HashMap::new();
    for draft in drafts.iter_mut() {
        let mut renamed = false;
        ids.turn.clear();
        for part in draft.parts.iter_mut().filter(|part| part.row.kind == BlockKind::Call) {
            let Piece::Block { message, block, edits, .. } = &mut part.piece else { continue };
            let verdict = ids.judge(&part.row);
            if verdict != Verdict::Fine {
                edits.made_id = ids.make((*message, *block));
                changed.insert((*message, *block), edits.made_id);
            }
            if let (Verdict::Repeated, Some(rule)) = (verdict, rule) {
                log.push(change(ChangeKind::Renamed, *message, Some(*block), rule));
                renamed = true;
            }
        }
        if let Some(rule) = rule.filter(|_| renamed && packed) {
            free_of_thinking(draft, rule, log);
        }
    }
    if !changed.is_empty() {
        drafts.iter_mut().flat_map(|draft| &mut draft.parts).for_each(|part| follow_call(part, &changed));
    }
}

/// What becomes of a call's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// It stays.
    Fine,
    /// It is none that the provider takes: the pass about shapes has said so.
    Refused,
    /// Another call before has it.
    Repeated,
}

/// The ids of the calls so far, by their hashes.
struct Ids {
    /// Whether an id may be used only once. Where it may be used again, only made ones are kept apart.
    unique: bool,
    /// Whether ids are refused for what they are written with.
    refuses: bool,
    used: HashSet<u64>,
    /// Whether an id may come back in another turn only, and those of the turn at hand.
    once_a_turn: bool,
    turn: HashSet<u64>,
    made: HashSet<u64>,
}

impl Ids {
    fn of(list: &List<'_>) -> Self {
        let (unique, refuses) = (list.demands.unique_ids.is_some(), list.written.call_id.is_some());
        let once_a_turn = list.demands.turn_ids.is_some();
        Self { unique, refuses, once_a_turn, used: HashSet::new(), turn: HashSet::new(), made: HashSet::new() }
    }

    /// Outputs that stand alone, since the provider holds their calls, keep their ids: no made one may be the same.
    fn keep_clear_of(&mut self, drafts: &[Draft]) {
        if self.unique {
            return;
        }
        let parts = drafts.iter().flat_map(|draft| &draft.parts).filter(|part| part.row.kind == BlockKind::Result);
        let alone = parts.filter(|part| matches!(part.piece, Piece::Block { call: None, .. }));
        self.used.extend(alone.map(|part| part.row.id));
    }

    fn judge(&mut self, call: &BlockRow) -> Verdict {
        if self.refuses && wants_id(call) {
            return Verdict::Refused;
        }
        if !is_identified_call(call) {
            return Verdict::Fine;
        }
        let again = !self.used.insert(call.id) && (self.unique || self.made.contains(&call.id));
        let in_turn = self.once_a_turn && !self.turn.insert(call.id);
        if again || in_turn { Verdict::Repeated } else { Verdict::Fine }
    }

    /// The first try at which the id that is made for a place is no other call's. Calls before this one take at most
    /// one try each, and only ids of one place stand in each other's way.
    fn make(&mut self, place: Place) -> u32 {
        let mut attempt = 1;
        loop {
            let id = id_hash(&made_id(place.0, place.1, attempt));
            if self.used.insert(id) {
                self.made.insert(id);
                return attempt;
            }
            attempt += 1;
        }
    }
}

/// Gives a result the id that was made for its call.
fn follow_call(part: &mut Part, changed: &HashMap<Place, u32>) {
    match &mut part.piece {
        Piece::Block { call: Some(call), edits, .. } => edits.made_id = changed.get(call).copied().unwrap_or_default(),
        Piece::NoResult { message, block, made_id } => {
            *made_id = changed.get(&(*message, *block)).copied().unwrap_or_default();
        }
        _ => {}
    }
}
