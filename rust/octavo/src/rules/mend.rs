//! The passes that make a laid-out list obey the rest of the rules.
//!
//! Each pass settles one rule and undoes none of those before it; the order of the calls in
//! [`mend`] is therefore part of the design. All are linear.

use super::breakpoints::{MAX_BREAKPOINTS, is_empty_text, is_hour, is_short};
use super::content::{ends_in_space, is_blank, is_hollow, is_of_server};
use super::demands::{Demands, Layout};
use super::draft::{Draft, Part};
use super::given_back::leave_out;
use super::ids::settle_ids;
use super::order::{may_precede_system, takes_system};
use super::reasoning::{is_thinking, wants_reasoning_content};
use super::recipe::{Change, ChangeKind, Edits, Note, Piece};
use super::shape::{has_bad_arguments, lacks_content};
use super::{List, Provider, RuleId};
use crate::message::{BlockFlags, BlockKind, BlockRow, MessageFlags, Role};

/// Runs every pass.
pub(super) fn mend(list: &List<'_>, drafts: Vec<Draft>, log: &mut Vec<Change>) -> Vec<Draft> {
    let mut mender = Mender { list, drafts, log };
    mender.drop_lone_reasoning();
    leave_out(mender.list, &mut mender.drafts, mender.log);
    mender.settle_shapes();
    mender.fill_results();
    settle_ids(mender.list, &mut mender.drafts, mender.log);
    mender.settle_system();
    mender.merge();
    mender.turn_thinking_off();
    mender.part();
    mender.open_with_user();
    mender.settle_end();
    mender.sign_calls();
    mender.add_reasoning();
    mender.settle_breakpoints();
    mender.tell_loop_start();
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

    /// A19 to A22, O5 to O8, O10: names of roles, arguments, ids and blocks that are not as the format has them. In a turn
    /// whose thinking is signed nothing is edited beside it.
    fn settle_shapes(&mut self) {
        self.tell_messages();
        let packed = self.is_packed();
        let (written, log) = (self.list.written, &mut *self.log);
        self.drafts.retain_mut(|draft| {
            let mut rule = None;
            for part in &mut draft.parts {
                rule = mend_block(written, part, log).or(rule);
            }
            let freed = rule.filter(|_| packed).is_some_and(|rule| free_of_thinking(draft, rule, log));
            !(freed && draft.parts.is_empty())
        });
    }

    /// What is wrong with a message as a whole: composing it anew is the cure.
    fn tell_messages(&mut self) {
        let demands = self.list.written;
        for message in self.list.messages() {
            let flags = message.row.flags;
            let malformed = |block: &BlockRow| block.flags.has(BlockFlags::MALFORMED);
            let in_block = message.blocks.iter().any(malformed);
            let told = [
                (ChangeKind::ChangedRole, Some(demands.role).filter(|_| flags.has(MessageFlags::FOREIGN_ROLE))),
                (ChangeKind::AddedContent, demands.content.filter(|_| lacks_content(message.role(), flags))),
                (ChangeKind::Reshaped, demands.shape.filter(|_| flags.has(MessageFlags::MALFORMED) && !in_block)),
                (ChangeKind::DroppedCallList, demands.call_list.filter(|_| flags.has(MessageFlags::EMPTY_CALLS))),
            ];
            let changes = told.into_iter().filter_map(|(kind, rule)| Some(change(kind, message.index, None, rule?)));
            self.log.extend(changes);
        }
    }

    /// A10, A11 and A25 inside results: empty texts leave, and an error that would say nothing says so.
    fn fill_results(&mut self) {
        if !self.list.is_own() {
            return;
        }
        let demands = self.list.demands;
        for part in self.drafts.iter_mut().flat_map(|draft| &mut draft.parts).filter(|part| is_hollow(&part.row)) {
            let Piece::Block { message, block, edits, .. } = &mut part.piece else { continue };
            let has = |flag| part.row.flags.has(flag);
            let kinds = [
                (ChangeKind::DroppedText, demands.empty_text.filter(|_| has(BlockFlags::EMPTY_INSIDE))),
                (ChangeKind::FilledResult, demands.silent_error.filter(|_| has(BlockFlags::SILENT_ERROR))),
            ];
            for (kind, rule) in kinds.into_iter().filter_map(|(kind, rule)| Some((kind, rule?))) {
                edits.mend_result = true;
                self.log.push(change(kind, *message, Some(*block), rule));
            }
        }
    }

    /// A16: a system message that cannot stand where it is becomes the user's: nothing of it is lost.
    fn settle_system(&mut self) {
        let Some(rule) = self.list.demands.system.filter(|_| self.is_packed()) else { return };
        let takes = takes_system(self.list);
        let mut follows = false;
        for draft in &mut self.drafts {
            let only_text = draft.parts.iter().all(|part| part.row.kind == BlockKind::Text);
            let named = !draft.flags.has(MessageFlags::DEVELOPER);
            if draft.role == Role::System && !(takes && follows && only_text && named) {
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

    /// A9, G1: what stands side by side becomes one message, unless the two must be parted.
    fn merge(&mut self) {
        if !self.is_packed() {
            return;
        }
        let clashes = self.clashes();
        let mut merged: Vec<Draft> = Vec::with_capacity(self.drafts.len());
        // Of the last one, kept: asked of it again at each message of a long run, it would be a square.
        let mut bound = false;
        for (draft, clash) in std::mem::take(&mut self.drafts).into_iter().zip(clashes) {
            match (clash, merged.last_mut()) {
                (Some(rule), Some(last)) if !self.must_part(bound, &draft) => {
                    self.log.push(change(ChangeKind::Merged, draft.origin(), None, rule));
                    last.from = last.from.or(draft.from);
                    last.parts.extend(draft.parts);
                }
                _ => {
                    bound = draft.is_bound(self.list.provider);
                    merged.push(draft);
                }
            }
        }
        self.drafts = merged;
    }

    /// A9, G1: a note parts what is left side by side. After all thinking has left that must, so that no note stays
    /// for what is gone.
    fn part(&mut self) {
        if !self.is_packed() {
            return;
        }
        let clashes = self.clashes();
        if clashes.iter().all(Option::is_none) {
            return;
        }
        for (draft, clash) in std::mem::take(&mut self.drafts).into_iter().zip(clashes) {
            if let Some(rule) = clash {
                self.log.push(change(ChangeKind::Parted, draft.origin(), None, rule));
                self.drafts.push(Draft::note(Note::Continue));
            }
            self.drafts.push(draft);
        }
    }

    /// Two turns that are both whole: the second has reasoning of its own, whose place in its message is part of what
    /// was signed. What has none goes on with the turn before it, unless it is edited and that one holds reasoning (`bound`).
    fn must_part(&self, bound: bool, draft: &Draft) -> bool {
        draft.role == Role::Assistant && (draft.is_bound(self.list.provider) || bound && draft.is_edited())
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
            joined = clash.is_some() && !self.must_part(before.is_bound(self.list.provider), draft);
        }
        clashes
    }

    /// A8: with thinking off, the last turn is freed of it. Should another turn thereby become the last,
    /// the whole list is: once, so that it stays linear. The whole list at once where the prefix should stay.
    fn turn_thinking_off(&mut self) {
        if !self.is(Provider::Anthropic) || self.list.mode.thinking != Some(false) {
            return;
        }
        let at_once = self.list.mode.every_turn;
        if if at_once { self.free_all() } else { self.free_last_turn() } {
            self.merge();
            if !at_once && self.last_turn().into_iter().any(|at| self.holds_thinking(at)) {
                self.free_all();
                self.merge();
            }
        }
    }

    fn holds_thinking(&self, at: usize) -> bool {
        self.drafts.get(at).is_some_and(Draft::holds_thinking)
    }

    /// Assistant messages of the turn that still runs, and the last one in any case.
    fn last_turn(&self) -> Vec<usize> {
        let opened = self.drafts.iter().rposition(Draft::opens_turn).map_or(0, |at| at + 1);
        let assistants = self.drafts.iter().enumerate().filter(|(_, draft)| draft.role == Role::Assistant);
        let last = assistants.clone().next_back().map(|(at, _)| at);
        assistants.map(|(at, _)| at).filter(|&at| at >= opened || Some(at) == last).collect()
    }

    fn free_all(&mut self) -> bool {
        self.free(0..self.drafts.len())
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
        self.drafts.retain(|draft| !draft.parts.is_empty());
        freed
    }

    /// A14, A15: the list may not end as it does.
    fn settle_end(&mut self) {
        if self.list.provider != Provider::Anthropic {
            return;
        }
        let Some(last) = self.drafts.last_mut().filter(|last| last.role == Role::Assistant) else { return };
        if last.parts.last().is_some_and(|part| is_of_server(&part.row)) {
            return;
        }
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

    /// G2: each step of the current turn without a signature gets the documented stand-in.
    fn sign_calls(&mut self) {
        if !self.is(Provider::Gemini) || !self.list.mode.signed_calls {
            return;
        }
        let newest = self.drafts.iter().rposition(Draft::opens_turn).map_or(0, |at| at + 1);
        let from = if self.list.mode.every_turn { 0 } else { newest };
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

    /// A7, told of the list as it now is: what was joined may have cured it, and thinking that had to leave brings it.
    fn tell_loop_start(&mut self) {
        let mode = self.list.mode;
        if !self.is(Provider::Anthropic) || mode.thinking != Some(true) || !mode.thinking_first {
            return;
        }
        self.log.retain(|told| told.rule != RuleId::A7);
        let from = self.drafts.iter().rposition(Draft::opens_turn).map_or(0, |at| at + 1);
        let mut turn = self.drafts.iter().skip(from).filter(|draft| draft.role == Role::Assistant);
        let Some(first) = turn.clone().next() else { return };
        let thinks = first.parts.first().is_some_and(|part| is_thinking(&part.row));
        if !thinks && turn.any(|draft| draft.has(BlockKind::Call)) {
            self.log.push(change(ChangeKind::Told, first.origin(), None, RuleId::A7));
        }
    }

    /// A11, A24, A13, A12, in this order. A breakpoint is the caller's mark, not part of the model's turn, so
    /// it may leave a turn with thinking where there is no other way.
    fn settle_breakpoints(&mut self) {
        if !self.is(Provider::Anthropic) {
            return;
        }
        self.drop_breakpoints(RuleId::A11, |part| is_empty_text(&part.row));
        self.drop_breakpoints(RuleId::A24, |part| is_thinking(&part.row));
        if self.list.mode.short_breakpoints {
            self.shorten_breakpoints();
        } else {
            let order: Vec<bool> = self.breakpoints().map(|part| is_hour(&part.row)).collect();
            let mut before_hour = order.iter().rposition(|hour| *hour).map_or(0, |last| last + 1);
            self.drop_breakpoints(RuleId::A13, |part| {
                let early = before_hour > 0;
                before_hour = before_hour.saturating_sub(1);
                early && is_short(&part.row)
            });
        }
        self.keep_newest_breakpoints(MAX_BREAKPOINTS.saturating_sub(self.list.mode.breakpoints));
    }

    /// A12: the newest `room` stay, also within a block whose content carries several.
    fn keep_newest_breakpoints(&mut self, mut room: u32) {
        let parts = self.drafts.iter_mut().rev().flat_map(|draft| draft.parts.iter_mut().rev());
        let mut told = Vec::new();
        for part in parts.filter(|part| is_breakpoint(part)) {
            let count = part.row.flags.breakpoints();
            let kept = count.min(room);
            room -= kept;
            if kept == count {
                continue;
            }
            if let Piece::Block { message, block, edits, .. } = &mut part.piece {
                edits.drop_breakpoint = true;
                // At most four.
                edits.keep_breakpoints = u8::try_from(kept).unwrap_or_default();
                told.push(change(ChangeKind::DroppedBreakpoint, *message, Some(*block), RuleId::A12));
            }
        }
        self.log.extend(told.into_iter().rev());
    }

    /// A13, where the five minutes stand in system or tools: an hour that may not follow lives five minutes as well.
    fn shorten_breakpoints(&mut self) {
        let parts = self.drafts.iter_mut().flat_map(|draft| &mut draft.parts);
        for part in parts.filter(|part| is_breakpoint(part) && is_hour(&part.row)) {
            if let Piece::Block { message, block, edits, .. } = &mut part.piece {
                edits.shorten_breakpoint = true;
                self.log.push(change(ChangeKind::ShortenedBreakpoint, *message, Some(*block), RuleId::A13));
            }
        }
    }

    fn breakpoints(&self) -> impl Iterator<Item = &Part> {
        self.drafts.iter().flat_map(|draft| &draft.parts).filter(|part| is_breakpoint(part))
    }

    /// Takes the breakpoint from each block that `fits`, asked in order.
    fn drop_breakpoints(&mut self, rule: RuleId, mut fits: impl FnMut(&Part) -> bool) {
        let parts = self.drafts.iter_mut().flat_map(|draft| &mut draft.parts);
        for part in parts.filter(|part| is_breakpoint(part)) {
            if !fits(part) {
                continue;
            }
            if let Piece::Block { message, block, edits, .. } = &mut part.piece {
                edits.drop_breakpoint = true;
                self.log.push(change(ChangeKind::DroppedBreakpoint, *message, Some(*block), rule));
            }
        }
    }
}

/// Mends one block; the rule that it broke, if any.
fn mend_block(demands: &Demands, part: &mut Part, log: &mut Vec<Change>) -> Option<RuleId> {
    let Piece::Block { message, block, edits, .. } = &mut part.piece else { return None };
    let arguments = demands.arguments.filter(|_| has_bad_arguments(&part.row));
    let call_id = demands.id_of(&part.row);
    let shape = demands.shape_of(&part.row);
    edits.mend_arguments = arguments.is_some();
    edits.reshape = shape.is_some();
    let kinds =
        [(ChangeKind::MendedArguments, arguments), (ChangeKind::MendedId, call_id), (ChangeKind::Reshaped, shape)];
    log.extend(kinds.into_iter().filter_map(|(kind, rule)| Some(change(kind, *message, Some(*block), rule?))));
    arguments.or(call_id).or(shape)
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
pub(super) fn free_of_thinking(draft: &mut Draft, rule: RuleId, log: &mut Vec<Change>) -> bool {
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

pub(super) fn change(kind: ChangeKind, message: u32, block: Option<u32>, rule: RuleId) -> Change {
    Change { kind, message, block, rule }
}
