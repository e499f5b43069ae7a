//! What of its own turns the assistant may give back: no calls of the server's without their results, no pictures.

use std::collections::BTreeSet;

use super::draft::Draft;
use super::mend::{change, free_of_thinking};
use super::recipe::{Change, ChangeKind, Piece};
use super::{List, Provider, Violation};
use crate::message::{BlockKind, BlockRow, MessageFlags, Role};

pub(super) fn judge(list: &List<'_>, found: &mut Vec<Violation>) {
    if !list.is_own() {
        return;
    }
    judge_files(list, found);
    let calls = list.messages().any(|message| message.has(MessageFlags::SERVER_CALLS));
    if calls && let Some(rule) = list.demands.server_call {
        let lone = lone_calls(list.messages().map(|message| (message.role(), message.blocks.iter())));
        found.extend(lone.into_iter().filter_map(|(position, number)| {
            let message = list.at(position)?;
            Some(message.violation(u32::try_from(number).ok(), rule))
        }));
    }
}

fn judge_files(list: &List<'_>, found: &mut Vec<Violation>) {
    let Some(rule) = list.demands.own_file else { return };
    let speaks = list.messages().filter(|message| {
        message.role() == Role::Assistant
            && message.has(MessageFlags::SPEECH)
            && !message.has(MessageFlags::STRING_CONTENT)
    });
    for message in speaks {
        let files = message.numbered().filter(|(_, block)| is_file(list.provider, block));
        found.extend(files.map(|(number, _)| message.violation(Some(number), rule)));
    }
}

/// What the provider takes from the user only.
fn is_file(provider: Provider, block: &BlockRow) -> bool {
    block.kind == BlockKind::Image || provider == Provider::Bedrock && block.kind == BlockKind::Document
}

/// The server's calls without a result behind them, as turn and block, of those that the server will not go on with.
///
/// It goes on where nothing but calls and results stands behind the call: a turn that was paused, or one that called
/// the caller's tools as well, whose results come first. Whatever else is said ends the turn, and a result behind it
/// is none of the call's.
fn lone_calls<'r, B>(turns: impl DoubleEndedIterator<Item = (Role, B)> + ExactSizeIterator) -> Vec<(usize, usize)>
where
    B: DoubleEndedIterator<Item = &'r BlockRow> + ExactSizeIterator,
{
    let (mut lone, mut answered) = (Vec::new(), BTreeSet::new());
    let mut over = false;
    for (at, (role, blocks)) in turns.enumerate().rev() {
        if role != Role::Assistant {
            if role == Role::System || blocks.into_iter().any(|block| block.kind != BlockKind::Result) {
                over = true;
                answered.clear();
            }
            continue;
        }
        for (number, block) in blocks.enumerate().rev() {
            match block.kind {
                BlockKind::ServerResult => {
                    answered.insert(block.id);
                }
                BlockKind::ServerCall if over && !answered.contains(&block.id) => lone.push((at, number)),
                BlockKind::ServerCall | BlockKind::Call => {}
                _ => over = true,
            }
        }
        over = true;
    }
    lone
}

/// Takes out what may not be given back; a turn with thinking loses that as well, since nothing beside it is edited.
pub(super) fn leave_out(list: &List<'_>, drafts: &mut Vec<Draft>, log: &mut Vec<Change>) {
    if !list.is_own() {
        return;
    }
    let turns = drafts.iter().map(|draft| (draft.role, draft.parts.iter().map(|part| &part.row)));
    let mut lone = list.demands.server_call.map_or_else(Vec::new, |_| lone_calls(turns));
    for (at, draft) in drafts.iter_mut().enumerate().filter(|(_, draft)| draft.role == Role::Assistant) {
        let gone = std::iter::from_fn(|| lone.pop_if(|place| place.0 == at)).map(|place| place.1).collect();
        leave_out_of(list, draft, gone, log);
    }
    drafts
        .retain(|draft| !draft.parts.is_empty() || draft.from.is_some_and(|from| list.rows.blocks_of(from).is_empty()));
}

fn leave_out_of(list: &List<'_>, draft: &mut Draft, calls: Vec<usize>, log: &mut Vec<Change>) {
    let (mut calls, mut number, mut left) = (calls.into_iter().peekable(), 0, None);
    draft.parts.retain(|part| {
        let call = calls.next_if_eq(&number).and(list.demands.server_call);
        number += 1;
        let rule = call.or(list.demands.own_file.filter(|_| is_file(list.provider, &part.row)));
        if let (Some(rule), Piece::Block { message, block, .. }) = (rule, part.piece) {
            let kind = if call.is_some() { ChangeKind::DroppedServerCall } else { ChangeKind::DroppedFile };
            log.push(change(kind, message, Some(block), rule));
            left = Some(rule);
        }
        rule.is_none()
    });
    if let Some(rule) = left {
        free_of_thinking(draft, rule, log);
    }
}
