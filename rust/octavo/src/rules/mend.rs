//! The passes that make a laid-out list obey the rest of the rules.
//!
//! Each pass settles one rule and undoes none of those before it; the order of the calls in
//! [`mend`] is therefore part of the design. All are linear.

use std::collections::HashMap;

use super::breakpoints::{MAX_BREAKPOINTS, is_empty_text, is_hour};
use super::content::{ends_in_space, is_blank};
use super::demands::Layout;
use super::draft::{Draft, Part};
use super::order::{may_precede_system, takes_system};
use super::pairing::is_identified_call;
use super::reasoning::{is_thinking, wants_reasoning_content};
use super::recipe::{Change, ChangeKind, Edits, Note, Piece};
use super::{List, Provider, RuleId};
use crate::message::{BlockFlags, BlockKind, MessageFlags, Role};

/// Runs every pass.
pub(super) fn mend(list: &List<'_>, drafts: Vec<Draft>, log: &mut Vec<Change>) -> Vec<Draft> {
    let mut mender = Mender { list, drafts, log };
    mender.drop_lone_reasoning();
    mender.settle_system();
    mender.open_with_user();
    mender.merge();
    mender.turn_thinking_off();
    mender.settle_end();
    mender.rename_repeats();
    mender.sign_calls();
    mender.add_reasoning();
    mender.settle_breakpoints();
    mender.drafts
}

struct Mender<'l, 'a> {
    list: &'l List<'a>,
    drafts: Vec<Draft>,
    log: &'l mut Vec<Change>,
}

impl Mender<'_, '_> {
    fn is(&self, provider: Provider) -> bool {
        self.list.provider == provider && self.list.is_own()
    }

    fn is_packed(&self) -> bool {
        Layout::of(self.list.mode.format) == Layout::Packed
    }

    /// R3: a reasoning item whose item is gone goes too. From the end, since one may lean on another.
    fn drop_lone_reasoning(&mut self) {
        if !self.is(Provider::Responses) {
            return;
        }
        let mut followed = false;
        let mut kept = Vec::with_capacity(self.drafts.len());
        for draft in std::mem::take(&mut self.drafts).into_iter().rev() {
            if !followed && draft.parts.iter().any(|part| is_thinking(&part.row)) {
                self.log.push(change(ChangeKind::DroppedReasoning, draft.origin(), Some(0), RuleId::R3));
                continue;
            }
            followed = draft.role == Role::Assistant;
            kept.push(draft);
        }
        kept.reverse();
        self.drafts = kept;
    }

    /// A16: a system message that cannot stand where it is becomes the user's: nothing of it is lost.
    fn settle_system(&mut self) {
        let Some(rule) = self.list.demands.system.filter(|_| self.is_packed()) else { return };
        let takes = takes_system(self.list);
        let mut follows = false;
        for draft in &mut self.drafts {
            let only_text = draft.parts.iter().all(|part| part.row.kind == BlockKind::Text);
            if draft.role == Role::System && !(takes && follows && only_text) {
                draft.role = Role::User;
                self.log.push(change(ChangeKind::SystemToUser, draft.origin(), None, rule));
            }
            follows = may_precede_system(draft.role, draft.parts.last().map(|part| &part.row));
        }
    }

    /// A9, G1, B3: a note opens the list where the assistant would.
    fn open_with_user(&mut self) {
        let Some(rule) = self.list.demands.first_user else { return };
        let first = self.drafts.iter().position(|draft| draft.role != Role::System);
        let Some((at, first)) = first.and_then(|at| Some((at, self.drafts.get(at)?))) else { return };
        if first.role == Role::Assistant {
            self.log.push(change(ChangeKind::Opened, first.origin(), None, rule));
            self.drafts.insert(at, Draft::note(Note::Start));
        }
    }

    /// A9, G1: what stands side by side becomes one message, or is parted by a note where one of the two
    /// holds thinking.
    fn merge(&mut self) {
        if !self.is_packed() {
            return;
        }
        let clashes = self.clashes();
        let mut merged: Vec<Draft> = Vec::with_capacity(self.drafts.len());
        for (draft, clash) in std::mem::take(&mut self.drafts).into_iter().zip(clashes) {
            match (clash, merged.last_mut()) {
                (Some(rule), Some(last)) if !self.must_part(last, &draft) => {
                    self.log.push(change(ChangeKind::Merged, draft.origin(), None, rule));
                    last.from = last.from.or(draft.from);
                    last.parts.extend(draft.parts);
                }
                (Some(rule), Some(_)) => {
                    self.log.push(change(ChangeKind::Parted, draft.origin(), None, rule));
                    merged.extend([Draft::note(Note::Continue), draft]);
                }
                _ => merged.push(draft),
            }
        }
        self.drafts = merged;
    }

    fn must_part(&self, last: &Draft, draft: &Draft) -> bool {
        let provider = self.list.provider;
        draft.role == Role::Assistant && (last.is_bound(provider) || draft.is_bound(provider))
    }

    /// For each draft, the rule that forbids it behind the one before. From the end: where only messages
    /// with calls may not follow their own kind, one that such a message joins must join what is before it.
    fn clashes(&self) -> Vec<Option<RuleId>> {
        let demands = self.list.demands;
        let mut clashes = vec![None; self.drafts.len()];
        let mut joined = false;
        for ((draft, before), clash) in
            self.drafts.iter().skip(1).zip(&self.drafts).zip(clashes.iter_mut().skip(1)).rev()
        {
            let same = before.role == draft.role && draft.role != Role::System;
            let calls = draft.role == Role::Assistant && (draft.has(BlockKind::Call) || joined);
            *clash = demands.alternate.or(demands.calls_after_user.filter(|_| calls)).filter(|_| same);
            joined = clash.is_some() && !self.must_part(before, draft);
        }
        clashes
    }

    /// A8: with thinking off, the last turn is freed of it. Should another turn thereby become the last,
    /// the whole list is: once, so that it stays linear.
    fn turn_thinking_off(&mut self) {
        if !self.is(Provider::Anthropic) || self.list.mode.thinking != Some(false) {
            return;
        }
        if self.free_last_turn() {
            self.merge();
            if self.last_turn().into_iter().any(|at| self.holds_thinking(at)) {
                let all = 0..self.drafts.len();
                self.free(all);
                self.merge();
            }
        }
    }

    fn holds_thinking(&self, at: usize) -> bool {
        self.drafts.get(at).is_some_and(|draft| draft.parts.iter().any(|part| is_thinking(&part.row)))
    }

    /// Assistant messages of the turn that still runs, and the last one in any case.
    fn last_turn(&self) -> Vec<usize> {
        let opened = self.drafts.iter().rposition(Draft::opens_turn).map_or(0, |at| at + 1);
        let assistants = self.drafts.iter().enumerate().filter(|(_, draft)| draft.role == Role::Assistant);
        let last = assistants.clone().next_back().map(|(at, _)| at);
        assistants.map(|(at, _)| at).filter(|&at| at >= opened || Some(at) == last).collect()
    }

    fn free_last_turn(&mut self) -> bool {
        let last = self.last_turn();
        self.free(last)
    }

    fn free(&mut self, places: impl IntoIterator<Item = usize>) -> bool {
        let mut freed = false;
        for at in places {
            if let Some(draft) = self.drafts.get_mut(at) {
                freed |= free_of_thinking(draft, RuleId::A8, self.log);
            }
        }
        self.drafts.retain(|draft| !(draft.role == Role::Assistant && draft.parts.is_empty()));
        freed
    }

    /// A14, A15: the list may not end as it does.
    fn settle_end(&mut self) {
        if self.list.provider != Provider::Anthropic {
            return;
        }
        let Some(last) = self.drafts.last_mut().filter(|last| last.role == Role::Assistant) else { return };
        let refused = self.list.mode.prefill == Some(false);
        let bound = last.is_bound(Provider::Anthropic);
        let origin = last.origin();
        let spaced = last.parts.last_mut().filter(|part| ends_in_space(&part.row));
        match spaced {
            Some(part) if !refused && !bound => {
                edit(part, |edits| edits.strip_end = true);
                self.log.push(change(ChangeKind::StrippedSpace, origin, None, RuleId::A14));
            }
            None if !refused => {}
            _ => {
                let rule = if refused { RuleId::A15 } else { RuleId::A14 };
                self.log.push(change(ChangeKind::Continued, origin, None, rule));
                self.drafts.push(Draft::note(Note::Continue));
            }
        }
    }

    /// A5: all but one of the calls with an id get a new one, and their results with them. The one that
    /// keeps it is the newest in a turn with thinking, which may not be edited, or else the first.
    fn rename_repeats(&mut self) {
        let Some(rule) = self.list.demands.unique_ids else { return };
        let keepers = keepers(&self.drafts);
        if keepers.values().all(|uses| uses.count < 2) {
            return;
        }
        let mut numbers: HashMap<u64, u32> = HashMap::new();
        let mut copies: HashMap<(u32, u32), u32> = HashMap::new();
        for draft in &mut self.drafts {
            let mut renamed = false;
            for part in draft.parts.iter_mut().filter(|part| is_identified_call(&part.row)) {
                let number = numbers.entry(part.row.id).or_insert(0);
                *number += 1;
                let Some(uses) = keepers.get(&part.row.id).filter(|uses| uses.count > 1) else { continue };
                if uses.keeper == *number {
                    continue;
                }
                edit(part, |edits| edits.copy = *number);
                if let Piece::Block { message, block, .. } = part.piece {
                    copies.insert((message, block), *number);
                    self.log.push(change(ChangeKind::Renamed, message, Some(block), rule));
                }
                renamed = true;
            }
            if renamed {
                free_of_thinking(draft, rule, self.log);
            }
        }
        for part in self.drafts.iter_mut().flat_map(|draft| &mut draft.parts) {
            follow_call(part, &copies);
        }
    }

    /// G2: each step of the current turn without a signature gets the documented stand-in.
    fn sign_calls(&mut self) {
        if !self.is(Provider::Gemini) || !self.list.mode.signed_calls {
            return;
        }
        let from = self.drafts.iter().rposition(Draft::opens_turn).map_or(0, |at| at + 1);
        for draft in self.drafts.iter_mut().skip(from).filter(|draft| draft.role == Role::Assistant) {
            let origin = draft.origin();
            let first = draft.parts.iter_mut().find(|part| part.row.kind == BlockKind::Call);
            if let Some(part) = first.filter(|part| !part.row.flags.has(BlockFlags::SIGNED)) {
                edit(part, |edits| edits.sign = true);
                self.log.push(change(ChangeKind::Signed, origin, None, RuleId::G2));
            }
        }
    }

    /// D1: what the server wants to see in every assistant message with calls.
    fn add_reasoning(&mut self) {
        if !self.is(Provider::OpenAi) || !wants_reasoning_content(self.list) {
            return;
        }
        for draft in self.drafts.iter_mut().filter(|draft| draft.role == Role::Assistant) {
            if draft.has(BlockKind::Call) && !draft.flags.has(MessageFlags::REASONING_CONTENT) {
                draft.add_reasoning = true;
                self.log.push(change(ChangeKind::AddedReasoning, draft.origin(), None, RuleId::D1));
            }
        }
    }

    /// A11, A13, A12, in this order. A breakpoint is the caller's mark, not part of the model's turn, so
    /// it may leave a turn with thinking where there is no other way.
    fn settle_breakpoints(&mut self) {
        if !self.is(Provider::Anthropic) {
            return;
        }
        self.drop_breakpoints(RuleId::A11, usize::MAX, |part| is_empty_text(&part.row));
        let order: Vec<bool> = self.breakpoints().map(|part| is_hour(&part.row)).collect();
        let before_hour = order.iter().rposition(|hour| *hour).unwrap_or(0);
        let short = order.iter().take(before_hour).filter(|hour| !**hour).count();
        self.drop_breakpoints(RuleId::A13, short, |part| !is_hour(&part.row));
        let count = self.breakpoints().count();
        let room = MAX_BREAKPOINTS.saturating_sub(self.list.mode.breakpoints) as usize;
        self.drop_breakpoints(RuleId::A12, count.saturating_sub(room), |_| true);
    }

    fn breakpoints(&self) -> impl Iterator<Item = &Part> {
        self.drafts.iter().flat_map(|draft| &draft.parts).filter(|part| is_breakpoint(part))
    }

    /// Takes the breakpoint from the first `count` blocks that `fits`.
    fn drop_breakpoints(&mut self, rule: RuleId, count: usize, fits: impl Fn(&Part) -> bool) {
        let parts = self.drafts.iter_mut().flat_map(|draft| &mut draft.parts);
        for part in parts.filter(|part| is_breakpoint(part) && fits(part)).take(count) {
            edit(part, |edits| edits.drop_breakpoint = true);
            if let Piece::Block { message, block, .. } = part.piece {
                self.log.push(change(ChangeKind::DroppedBreakpoint, message, Some(block), rule));
            }
        }
    }
}

/// How often an id is used, and which use keeps it.
struct Uses {
    count: u32,
    keeper: u32,
}

fn keepers(drafts: &[Draft]) -> HashMap<u64, Uses> {
    let mut keepers: HashMap<u64, Uses> = HashMap::new();
    for draft in drafts {
        let bound = draft.parts.iter().any(|part| is_thinking(&part.row));
        for part in draft.parts.iter().filter(|part| is_identified_call(&part.row)) {
            let uses = keepers.entry(part.row.id).or_insert(Uses { count: 0, keeper: 1 });
            uses.count += 1;
            if bound {
                uses.keeper = uses.count;
            }
        }
    }
    keepers
}

/// Gives a result the number that its call's id got.
fn follow_call(part: &mut Part, copies: &HashMap<(u32, u32), u32>) {
    match &mut part.piece {
        Piece::Block { call: Some(call), edits, .. } => edits.copy = copies.get(call).copied().unwrap_or(0),
        Piece::NoResult { message, block, copy } => *copy = copies.get(&(*message, *block)).copied().unwrap_or(0),
        _ => {}
    }
}

fn is_breakpoint(part: &Part) -> bool {
    let dropped = matches!(part.piece, Piece::Block { edits, .. } if edits.drop_breakpoint);
    part.row.flags.is_breakpoint() && !dropped
}

fn edit(part: &mut Part, change: impl FnOnce(&mut Edits)) {
    if let Piece::Block { edits, .. } = &mut part.piece {
        change(edits);
    }
}

/// Takes all thinking out of a turn, which may then be edited. False when there was none.
fn free_of_thinking(draft: &mut Draft, rule: RuleId, log: &mut Vec<Change>) -> bool {
    let before = draft.parts.len();
    draft.parts.retain(|part| !is_thinking(&part.row));
    let freed = draft.parts.len() < before;
    if freed {
        // Beside thinking a blank text is replayed as it came; without it, it is refused.
        draft.parts.retain(|part| !is_blank(&part.row));
        log.push(change(ChangeKind::DroppedThinking, draft.origin(), None, rule));
    }
    freed
}

fn change(kind: ChangeKind, message: u32, block: Option<u32>, rule: RuleId) -> Change {
    Change { kind, message, block, rule }
}
