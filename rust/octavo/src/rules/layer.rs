//! Laying a broken list out anew: every exchange as its provider wants it.

use super::content::{is_blank, is_void};
use super::demands::Layout;
use super::draft::{Draft, Part};
use super::matching::Place;
use super::pairing::{is_loose, may_stand_alone, missing_id};
use super::pairs::{Claim, Pairs};
use super::reasoning::{is_thinking, opens_turn};
use super::recipe::{Change, ChangeKind, Edits, Piece, told_row};
use super::{List, Message, RuleId};
use crate::message::{BlockFlags, BlockKind, BlockRow, MessageFlags, Role};

/// Lays the messages out anew: results behind their calls, placeholders where one is missing, and
/// nothing that is empty or answers nothing. Everything else keeps its order.
pub(super) fn lay_out(list: &List<'_>, log: &mut Vec<Change>) -> Vec<Draft> {
    let pairs = Pairs::find(list);
    let mut layer = Layer {
        list,
        layout: Layout::of(list.mode.format),
        loose: is_loose(list),
        pending_from: pending_from(list),
        pairs,
        waiting: Vec::new(),
        drafts: Vec::with_capacity(list.selection.len()),
        results_end: (usize::MAX, 0),
        run: (0, 0),
        torn: Vec::new(),
        log,
    };
    for message in list.messages() {
        layer.add(&message);
    }
    layer.drafts
}

/// Where the assistant turn starts that nothing but its results follows; past the end when there is none.
fn pending_from(list: &List<'_>) -> usize {
    let mut from = usize::MAX;
    for message in list.messages().rev() {
        let kinds = message.blocks.iter().map(|block| block.kind);
        match message.role() {
            Role::Assistant => from = message.position,
            _ if from != usize::MAX => break,
            role if role == Role::System || opens_turn(role, kinds) => break,
            _ => {}
        }
    }
    from
}

struct Layer<'l, 'a> {
    list: &'l List<'a>,
    layout: Layout,
    loose: bool,
    pending_from: usize,
    pairs: Pairs,
    /// Calls whose results have not been laid out yet.
    waiting: Vec<(Place, BlockRow, u32)>,
    drafts: Vec<Draft>,
    /// A message's position, and how many results it starts with.
    results_end: (usize, usize),
    /// Where the run of assistant messages ends, and where its last calls stand.
    run: (usize, usize),
    /// Positions of a torn turn's messages, whose results are told of when the turn is whole: told between its messages, they would
    /// part it, and what goes on with it would be joined to them.
    torn: Vec<usize>,
    log: &'l mut Vec<Change>,
}

impl Layer<'_, '_> {
    fn add(&mut self, message: &Message<'_>) {
        if message.role() != Role::Assistant {
            return self.add_other(message);
        }
        if self.continues_turn(message) || self.continues_calls() {
            self.join(message);
        } else {
            let parts = self.keep(message);
            self.push(message, parts);
        }
        let calls = message.numbered().filter(|(_, block)| block.kind == BlockKind::Call);
        self.waiting.extend(calls.map(|(number, block)| ((message.position, number), *block, message.index)));
        if self.layout != Layout::Items && self.is_torn(message) {
            return self.torn.push(message.position);
        }
        let (run_end, last_call) = self.run_of(message.position);
        if self.layout != Layout::Items || message.position + 1 == run_end {
            self.answer_calls(message.position);
        } else if self.loose && message.position == last_call {
            self.answer_early(message.position);
        }
        let torn = std::mem::take(&mut self.torn);
        torn.into_iter().filter_map(|at| self.list.at(at)).for_each(|part| self.place_results(&part));
        self.place_results(message);
    }

    /// Where the run of assistant messages ends that the one at `position` stands in, and where its last calls stand.
    /// Looked up once for each run.
    fn run_of(&mut self, position: usize) -> (usize, usize) {
        if position >= self.run.0 {
            self.run = (position, position);
            let run = self.list.messages_from(position).take_while(|next| next.role() == Role::Assistant);
            for message in run {
                let last_call = if message.has(MessageFlags::CALLS) { message.position } else { self.run.1 };
                self.run = (message.position + 1, last_call);
            }
        }
        self.run
    }

    /// Whether a message goes on with the assistant turn before it, which holds thinking: clients that store a
    /// turn block by block, as it streams in, make such messages of it. One that has thinking of its own is a turn of its
    /// own; and one that called has been answered first.
    fn continues_turn(&self, message: &Message<'_>) -> bool {
        // Asked at each message of a run: what a draft holds is told by its flags here, not by its blocks.
        let thinks = |last: &&Draft| last.role == Role::Assistant && last.flags.has(MessageFlags::THINKING);
        let before = self.drafts.last().filter(thinks);
        let joins = self.layout == Layout::Packed && self.list.demands.alternate.is_some();
        before.is_some() && joins && !message.has(MessageFlags::THINKING) && !message.blocks.is_empty()
    }

    /// Whether calls before it wait for results that stand behind it.
    fn continues_calls(&self) -> bool {
        self.layout != Layout::Items && !self.waiting.is_empty()
    }

    /// Whether the calls that wait are parallel to those of the next message: the assistant goes on in it without
    /// thinking of its own, and their results stand behind it. Answered one after the other they would be turns that
    /// nobody made. Those of earlier messages of the run were asked about there.
    fn is_torn(&self, message: &Message<'_>) -> bool {
        let Some(next) = self.list.at(message.position + 1) else { return false };
        let goes_on = next.role() == Role::Assistant && !next.has(MessageFlags::THINKING) && !next.blocks.is_empty();
        let is_behind = |(number, block): (u32, &BlockRow)| {
            let result = self.pairs.result_of((message.position, number)).filter(|result| result.0 > next.position);
            let early = result.is_some_and(|result| matches!(self.pairs.claim_of(result), Claim::Early(_)));
            let named = self.layout == Layout::Packed || !block.flags.has(BlockFlags::NO_ID);
            block.kind != BlockKind::Call || named && result.is_some() && !early
        };
        goes_on && !self.waiting.is_empty() && message.numbered().all(is_behind)
    }

    /// Puts a message back into the turn that it is a part of, at once: what stands beside thinking is not edited.
    fn join(&mut self, message: &Message<'_>) {
        let demands = self.list.demands;
        self.log(ChangeKind::Merged, message.index, None, demands.alternate.or(Some(demands.unanswered)));
        let bound = self.drafts.last().is_some_and(|turn| turn.flags.has(MessageFlags::THINKING));
        if !bound {
            let parts = self.keep(message);
            if let Some(turn) = self.drafts.last_mut() {
                turn.parts.extend(parts);
            }
            return;
        }
        let whole = message.blocks.iter().all(|block| block.kind != BlockKind::Result);
        let blank = self.drops_empty();
        let parts: Vec<Part> = if whole {
            message.numbered().map(|(number, block)| taken(message.index, number, block, None)).collect()
        } else {
            self.keep(message)
        };
        let Some(turn) = self.drafts.last_mut() else { return };
        turn.parts.extend(parts);
        if whole {
            return;
        }
        turn.parts.retain(|part| !(is_thinking(&part.row) || blank && is_blank(&part.row)));
        turn.flags = turn.flags.without(MessageFlags::THINKING);
        let (first, emptied) = (turn.origin(), turn.parts.is_empty());
        if emptied {
            self.drafts.pop();
        }
        self.log(ChangeKind::DroppedThinking, first, None, Some(self.list.demands.orphan));
    }

    fn push(&mut self, message: &Message<'_>, parts: Vec<Part>) {
        // Without blocks from the start, it stays where the provider lets it.
        if parts.is_empty() && (!message.blocks.is_empty() || self.drops(self.list.demands.empty)) {
            if message.blocks.is_empty() || message.blocks.iter().any(|block| block.kind != BlockKind::Result) {
                self.log(ChangeKind::DroppedMessage, message.index, None, self.list.demands.empty);
            }
            return;
        }
        self.drafts.push(Draft::of(message, parts));
    }

    fn drops_empty(&self) -> bool {
        self.drops(self.list.demands.empty_text)
    }

    fn drops(&self, rule: Option<RuleId>) -> bool {
        self.list.is_own() && rule.is_some()
    }

    /// The blocks that stay in their own message: no results, no blank texts.
    fn keep(&mut self, message: &Message<'_>) -> Vec<Part> {
        let bound = message.role() == Role::Assistant && message.has(MessageFlags::THINKING);
        let mut parts = Vec::with_capacity(message.blocks.len());
        for (number, block) in message.numbered() {
            if block.kind == BlockKind::Result {
                parts.extend(self.told_inside(message, number, block));
            } else if self.drops(self.list.demands.empty) && is_void(block) {
                self.log(ChangeKind::DroppedText, message.index, Some(number), self.list.demands.empty);
            } else if self.drops_empty() && !bound && is_blank(block) {
                self.log(ChangeKind::DroppedText, message.index, Some(number), self.list.demands.empty_text);
            } else {
                parts.push(taken(message.index, number, block, None));
            }
        }
        if bound && parts.len() < message.blocks.len() {
            // A turn with thinking is left alone or freed of all of it, never edited around it.
            parts.retain(|part| !(is_thinking(&part.row) || self.drops_empty() && is_blank(&part.row)));
            self.log(ChangeKind::DroppedThinking, message.index, None, Some(self.list.demands.orphan));
        }
        parts
    }

    fn add_other(&mut self, message: &Message<'_>) {
        let parts = self.keep(message);
        self.place_results(message);
        if !message.has(MessageFlags::CALLS) {
            return self.add_speech(message, parts);
        }
        for run in parts.chunk_by(|one, other| is_call(one) == is_call(other)) {
            if run.first().is_some_and(is_call) {
                self.add_calls(message, run);
            } else {
                self.add_speech(message, run.to_vec());
            }
        }
    }

    fn add_speech(&mut self, message: &Message<'_>, parts: Vec<Part>) {
        let rest_of_answer = self.layout == Layout::Packed && self.holds_results_of(message);
        match self.drafts.last_mut() {
            Some(answer) if rest_of_answer => {
                answer.parts.extend(parts);
                self.restore_order(message.index);
            }
            _ => self.push(message, parts),
        }
    }

    /// Calls in a message that is not the assistant's become an assistant message where they stand, so that what is
    /// said before and behind them keeps its place.
    fn add_calls(&mut self, message: &Message<'_>, calls: &[Part]) {
        for part in calls {
            let Piece::Block { block, .. } = part.piece else { continue };
            self.log(ChangeKind::MovedCall, message.index, Some(block), Some(self.list.written.caller));
            self.waiting.push(((message.position, block), part.row, message.index));
        }
        let (role, flags) = (Role::Assistant, MessageFlags::CALLS);
        self.drafts.push(Draft { role, from: None, parts: calls.to_vec(), flags, add_reasoning: false });
        self.answer_calls(message.position);
    }

    fn place_results(&mut self, message: &Message<'_>) {
        if message.has(MessageFlags::RESULTS) {
            for (number, block) in message.numbered().filter(|(_, block)| block.kind == BlockKind::Result) {
                self.place_result(message, number, block);
            }
        }
    }

    /// Results that were laid out with their calls need nothing; others stay (loose), are told, or leave.
    fn place_result(&mut self, message: &Message<'_>, number: u32, block: &BlockRow) {
        let place = (message.position, number);
        let claim = self.pairs.claim_of(place);
        let stays = match claim {
            Claim::Answers(_) | Claim::ByPlace(_) | Claim::Replaces(_) | Claim::Stored => true,
            Claim::Unknown => may_stand_alone(self.list, block),
            Claim::Early(_) | Claim::Replaced(_) | Claim::Follows(_) => false,
        };
        if stays && self.loose {
            let part = self.result_part(place, message.index, block, claim);
            return self.drafts.push(Draft::of(message, vec![part]));
        }
        let demands = self.list.demands;
        match claim {
            Claim::Unknown | Claim::Stored => {
                self.log(ChangeKind::DroppedResult, message.index, Some(number), Some(demands.orphan));
            }
            Claim::Replaced(_) => {
                self.log(ChangeKind::ReplacedResult, message.index, Some(number), Some(demands.repeated));
            }
            Claim::Follows(call) if !self.tells_inside(message) => {
                let part = self.told(message, number, block, call);
                let (role, flags) = (Role::User, MessageFlags::SPEECH);
                self.drafts.push(Draft { role, from: None, parts: vec![part], flags, add_reasoning: false });
            }
            _ => {}
        }
    }

    /// Whether a result that is told as a text is told in its own message: the user's, where messages hold blocks.
    fn tells_inside(&self, message: &Message<'_>) -> bool {
        self.layout == Layout::Packed && message.role() == Role::User
    }

    /// A later word on a call whose result the model has read. That result stays as it was sent, and the later
    /// one, which would be refused as a second, is told as a text.
    fn told_inside(&mut self, message: &Message<'_>, number: u32, block: &BlockRow) -> Option<Part> {
        let Claim::Follows(call) = self.pairs.claim_of((message.position, number)) else { return None };
        self.tells_inside(message).then(|| self.told(message, number, block, call))
    }

    fn told(&mut self, message: &Message<'_>, number: u32, block: &BlockRow, call: Place) -> Part {
        self.log(ChangeKind::ResultToText, message.index, Some(number), Some(self.list.demands.repeated));
        let call = self.list.at(call.0).map(|message| (message.index, call.1));
        let edits = Edits { as_text: true, ..Edits::default() };
        let piece = Piece::Block { message: message.index, block: number, call, edits };
        Part { piece, row: told_row(block, 0) }
    }

    /// Whether the last draft is an answer made of this message's results (and placeholders).
    fn holds_results_of(&self, message: &Message<'_>) -> bool {
        let Some(answer) = self.drafts.last().filter(|last| last.role == Role::User) else { return false };
        let mut real = answer.parts.iter().filter_map(|part| match part.piece {
            Piece::Block { message, .. } => Some(message),
            _ => None,
        });
        answer.has(BlockKind::Result) && real.next() == Some(message.index) && real.all(|from| from == message.index)
    }

    /// Where results need not come first, blocks go back to the order that they had in their message.
    fn restore_order(&mut self, index: u32) {
        if self.list.demands.results_first.is_some() {
            return;
        }
        let Some(answer) = self.drafts.last_mut() else { return };
        answer.parts.sort_by_key(|part| match part.piece {
            Piece::Block { message, block, .. } if message == index => block,
            _ => u32::MAX,
        });
    }

    /// Lays out the results of the calls that wait, in the order in which they came, then placeholders.
    fn answer_calls(&mut self, end: usize) {
        let waiting = std::mem::take(&mut self.waiting);
        let mut results: Vec<(Place, Place)> =
            waiting.iter().filter_map(|(call, _, _)| Some((self.pairs.first_result_of(*call)?, *call))).collect();
        results.sort_unstable();
        let near = self.end_of_answers(end);
        let mut answers = Vec::with_capacity(waiting.len());
        answers.extend(results.into_iter().filter_map(|(_, call)| self.answer(call, near)));
        for (call, block, index) in &waiting {
            if self.pairs.result_of(*call).is_none() && !block.flags.has(BlockFlags::CONFIRMATION) {
                answers.push(self.placeholder(*call, block, *index));
            }
        }
        self.push_answers(answers);
    }

    /// Lays out what stands before its call in the input, where the run of calls ends though the turn goes on: what
    /// the model says next may speak of it.
    fn answer_early(&mut self, end: usize) {
        let pairs = &self.pairs;
        let is_early =
            |call: Place| pairs.result_of(call).is_some_and(|at| matches!(pairs.claim_of(at), Claim::Early(_)));
        let (early, others) = std::mem::take(&mut self.waiting).into_iter().partition(|(call, _, _)| is_early(*call));
        self.waiting = early;
        self.answer_calls(end);
        self.waiting = others;
    }

    /// The position after the last message in which results may stand without being moved.
    fn end_of_answers(&self, end: usize) -> usize {
        if self.layout == Layout::Packed {
            return end + 2;
        }
        let run = self.list.messages_from(end + 1).take_while(|message| message.role() == Role::Tool);
        end + 1 + run.count()
    }

    fn answer(&mut self, call: Place, near: usize) -> Option<(Option<u32>, Part)> {
        let result = self.pairs.result_of(call)?;
        let claim = self.pairs.claim_of(result);
        let early = matches!(claim, Claim::Early(_));
        if self.loose && !early {
            return None;
        }
        let message = self.list.at(result.0)?;
        let block = message.blocks.get(result.1 as usize)?;
        let of_assistant = message.role() == Role::Assistant;
        if early || of_assistant || result.0 >= near || self.stands_late(&message, result.1) {
            let rule = self.list.demands.results_first.unwrap_or(self.list.demands.unanswered);
            self.log(ChangeKind::MovedResult, message.index, Some(result.1), Some(rule));
        }
        debug_assert!(claim.answered() == Some(call));
        Some((answer_source(&message), self.result_part(result, message.index, block, claim)))
    }

    /// Whether other content stands before a result. Asked for each result of a message in turn: where its
    /// results end is looked up once, so that a thousand parallel results stay linear.
    fn stands_late(&mut self, message: &Message<'_>, number: u32) -> bool {
        if self.list.demands.results_first.is_none() || self.layout != Layout::Packed {
            return false;
        }
        if self.results_end.0 != message.position {
            let in_front = |block: &&BlockRow| matches!(block.kind, BlockKind::Result | BlockKind::Marker);
            self.results_end = (message.position, message.blocks.iter().take_while(in_front).count());
        }
        number as usize >= self.results_end.1
    }

    fn result_part(&mut self, place: Place, index: u32, block: &BlockRow, claim: Claim) -> Part {
        let Some(call) = claim.answered() else { return taken(index, place.1, block, None) };
        let call = self.list.at(call.0).map(|message| (message.index, call.1));
        let mut part = taken(index, place.1, block, call);
        let rule = missing_id(self.list);
        let take_id = matches!(claim, Claim::ByPlace(_)) && rule.is_some();
        if let (true, Piece::Block { edits, .. }) = (take_id, &mut part.piece) {
            edits.take_id = true;
            self.log(ChangeKind::GaveId, index, Some(place.1), rule);
        }
        part
    }

    fn placeholder(&mut self, call: Place, block: &BlockRow, index: u32) -> (Option<u32>, Part) {
        let pending = call.0 >= self.pending_from;
        let kind = if pending { ChangeKind::AddedPendingResult } else { ChangeKind::AddedResult };
        self.log(kind, index, Some(call.1), Some(self.list.demands.unanswered));
        let row = BlockRow { id: block.id, tokens: 0, flags: BlockFlags::default(), kind: BlockKind::Result };
        (None, Part { piece: Piece::NoResult { message: index, block: call.1, made_id: 0 }, row })
    }

    /// One message for all of them, or one for each, as the format has it.
    fn push_answers(&mut self, answers: Vec<(Option<u32>, Part)>) {
        if self.layout != Layout::Packed {
            self.drafts.extend(answers.into_iter().map(|(from, part)| answer_draft(Role::Tool, from, vec![part])));
        } else if !answers.is_empty() {
            let from = answers.iter().find_map(|(from, _)| *from);
            let parts = answers.into_iter().map(|(_, part)| part).collect();
            self.drafts.push(answer_draft(Role::User, from, parts));
        }
    }

    fn log(&mut self, kind: ChangeKind, message: u32, block: Option<u32>, rule: Option<RuleId>) {
        self.log.extend(rule.map(|rule| Change { kind, message, block, rule }));
    }
}

fn answer_draft(role: Role, from: Option<u32>, parts: Vec<Part>) -> Draft {
    Draft { role, from, parts, flags: MessageFlags::RESULTS, add_reasoning: false }
}

/// The message whose other members an answer takes over; none of the assistant's.
fn answer_source(message: &Message<'_>) -> Option<u32> {
    (message.role() != Role::Assistant).then_some(message.index)
}

fn is_call(part: &Part) -> bool {
    part.row.kind == BlockKind::Call
}

fn taken(message: u32, block: u32, row: &BlockRow, call: Option<(u32, u32)>) -> Part {
    Part { piece: Piece::Block { message, block, call, edits: Edits::default() }, row: *row }
}
