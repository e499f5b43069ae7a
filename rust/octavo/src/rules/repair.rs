//! The smallest change found that makes a list obey its provider's rules.

use super::breakpoints::is_around;
use super::layer::lay_out;
use super::mend::mend;
use super::recipe::{Change, ChangeKind, Recipe};
use super::table::Judged;
use super::{List, Mode, Provider, Violation, validate};
use crate::message::Rows;

/// A valid list in place of a broken one, and what was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repair {
    /// The list to send.
    pub messages: Vec<Recipe>,
    /// Every change, in the order of the passes that made them.
    pub log: Vec<Change>,
}

/// Repairs the selected messages; `None` when they are valid as they are.
///
/// What comes back obeys every rule but those that only the request can meet ([`Judged::Request`]),
/// which the log tells. Order is kept except where a result must move next to its call. A turn with
/// thinking is kept byte for byte, or freed of all its thinking where it cannot stand. Repairing the
/// result again changes nothing.
pub fn repair(provider: Provider, mode: &Mode, rows: Rows<'_>, selection: &[u32]) -> Option<Repair> {
    let violations = validate(provider, mode, rows, selection);
    if violations.is_empty() {
        return None;
    }
    let mut log: Vec<Change> = violations.iter().filter(|found| !is_curable(found)).map(told).collect();
    if log.len() == violations.len() {
        return Some(Repair { messages: selection.iter().map(|&index| Recipe::Keep(index)).collect(), log });
    }
    let list = List::new(provider, mode, rows, selection);
    let drafts = lay_out(&list, &mut log);
    let drafts = mend(&list, drafts, &mut log);
    Some(Repair { messages: drafts.into_iter().map(|draft| draft.into_recipe(&list)).collect(), log })
}

fn is_curable(violation: &Violation) -> bool {
    !matches!(violation.rule.judged(), Judged::Request(_)) && !is_around(violation)
}

fn told(violation: &Violation) -> Change {
    Change { kind: ChangeKind::Told, message: violation.index, block: violation.block, rule: violation.rule }
}
