//! The engine's answer for one call: which messages, why, and what they cost. Numbers and positions only.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::message::{BlockFlags, BlockRow, Estimated, Format, Role};
use crate::rules::{AddedTokens, Mode, Piece, Provider, Recipe, Repair, repair, repaired_rows};
use crate::tokens::calibration::Anchor;
use crate::transcript::{Opening, Transcript};
use crate::window::{Limits, Window, loop_opening, next_cut, past_soft};

/// Why a run of messages is in the context, or is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// A system message at the start: always kept.
    Leading,
    /// What the user said before the model first answered, or first called tools: what the conversation is for.
    Task,
    /// What the user had asked for when the cut moved.
    Request,
    /// The newest exchange: what the call is about to answer.
    Newest,
    /// Its call may still be answered.
    Obligation,
    /// The caller pinned it.
    Pinned,
    /// It holds the call of a result that stands later, or the result of a call that does.
    AnsweredLate,
    /// A result whose call the provider has stored.
    StoredCall,
    /// It opens the current tool loop, which must start with thinking.
    LoopOpening,
    /// It holds the provider's summary of what stood before it.
    Compaction,
    /// Within the window.
    Window,
    /// Before the cut.
    BeforeCut,
}

impl Reason {
    /// The word that stands in a report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Leading => "leading",
            Self::Task => "task",
            Self::Request => "request",
            Self::Newest => "newest",
            Self::Obligation => "obligation",
            Self::Pinned => "pinned",
            Self::AnsweredLate => "answered_late",
            Self::StoredCall => "stored_call",
            Self::LoopOpening => "loop_opening",
            Self::Compaction => "compaction",
            Self::Window => "window",
            Self::BeforeCut => "before_cut",
        }
    }

    /// Whether messages with this reason are in the context.
    pub const fn is_kept(self) -> bool {
        !matches!(self, Self::BeforeCut)
    }
}

/// A run of messages that share one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The messages.
    pub span: Range<u32>,
    /// Why they are kept or left out.
    pub reason: Reason,
}

/// Everything that one call is planned for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// How many tokens there are.
    pub limits: Limits,
    /// What volatile content needs at least beside the history.
    pub beside: u64,
    /// Whose rules hold.
    pub provider: Provider,
    /// What is known about the request beside its messages.
    pub mode: Mode,
    /// Tokens of the texts that a repair may add.
    pub added: AddedTokens,
}

/// Room for the tail is rounded up to the largest power of two within this part of the budget, so that a
/// section that grows a little does not move every cut.
const TAIL_PARTS: u64 = 32;

impl Call {
    /// The limits with what volatile content needs kept free.
    pub fn limits_with_tail(&self) -> Limits {
        let step = 1_u64 << (self.limits.budget / TAIL_PARTS).max(1).ilog2();
        let beside = self.beside.checked_next_multiple_of(step).unwrap_or(self.beside);
        Limits { beside: self.limits.beside.saturating_add(beside), ..self.limits }
    }
}

/// The report of usage that a call goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reported {
    /// How many messages there were before the call that it was made for.
    pub at: u32,
    /// What stood around the history then: that call's [`Limits::basis`].
    pub basis: u64,
    /// Whether all messages that it covers are shown as they were then.
    pub whole: bool,
}

/// What is sent in one call, and what it costs. Tokens are the transcript's own count except where said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// What it was made for.
    pub call: Call,
    /// Turns the transcript's count into the provider's.
    pub anchor: Anchor,
    /// What is shown.
    pub window: Window,
    /// How many messages there were before the last call that the model had answered, where there was one.
    pub previous: Option<u32>,
    /// The report of usage that `anchor` is made of, if there was one.
    pub reported: Option<Reported>,
    /// The shown messages, in order.
    pub spans: Vec<Range<u32>>,
    /// How the shown messages become valid; `None` when they are.
    pub repair: Option<Repair>,
    /// Tokens that the repair adds or takes away.
    pub repaired: i64,
    /// Tokens of the leading system messages.
    pub leading: u64,
}

impl Plan {
    /// Carries a window through the provider's rules.
    pub fn new(
        transcript: &Transcript,
        call: Call,
        (anchor, reported): (Anchor, Option<Reported>),
        window: Window,
        previous: Option<u32>,
    ) -> Self {
        let spans = window.spans(transcript);
        let repair = mended(transcript, &call, &spans);
        let leading = transcript.tokens_in(0, window.leading);
        let shown = leading.saturating_add(window.tokens);
        let repaired = repair.as_ref().map_or(0, |repair| {
            let costs = costs_of(transcript, &window, &repair.messages, call.added);
            let tokens = costs.iter().map(Cost::tokens).sum::<u64>();
            tokens.cast_signed().saturating_sub(shown.cast_signed())
        });
        Self { call, anchor, window, previous, reported, spans, repair, repaired, leading }
    }

    /// Whether the model has answered the call since: the message that follows is its own, and in Responses, where a
    /// turn is several items, the first of its turn.
    ///
    /// Elsewhere two messages of the model's in a row may be two calls (an agent that goes on while a result is pending)
    /// or one. Who assembled between them knows; a call without state takes them for one.
    pub fn answered(&self, transcript: &Transcript) -> bool {
        let (messages, end) = (transcript.rows().messages, self.window.end as usize);
        let is_own = |at: usize| messages.get(at).is_some_and(|row| row.role == Role::Assistant);
        let amid = transcript.format() == Format::Responses && end.checked_sub(1).is_some_and(is_own);
        is_own(end) && !amid
    }

    /// Whether other messages are shown of those that the call before could show; without one, whether any is left out.
    ///
    /// Told by what is shown, not by the cut: it may move over what stays before it anyhow.
    pub fn moved_since(&self, previous: Option<&Self>) -> bool {
        let (end, before) = previous.map_or((self.window.end, None), |plan| (plan.window.end, Some(&plan.spans)));
        let now = self.spans.iter().map(|span| span.start..span.end.min(end)).filter(|span| !span.is_empty());
        match before {
            Some(before) => !now.eq(before.iter().cloned()),
            None => !now.eq(std::iter::once(0..end).filter(|all| !all.is_empty())),
        }
    }

    /// Tokens of everything but volatile content: fixed parts, leading and shown messages, repairs.
    pub fn tokens(&self) -> u64 {
        let shown = self.call.limits.fixed.saturating_add(self.leading).saturating_add(self.window.tokens);
        shown.saturating_add_signed(self.repaired)
    }

    /// What is no text among the tokens of the messages that are sent, from message `from` on. An edited message
    /// counts with all of it while one block of that kind is left.
    pub fn estimated(&self, transcript: &Transcript, from: u32) -> Estimated {
        let turn = transcript.turn_before(self.window.end);
        let of = |start: u32, end: u32| transcript.estimated_at(start.max(from), end.max(from), turn);
        let Some(repair) = &self.repair else {
            return self.spans.iter().fold(Estimated::default(), |sum, span| sum.plus(of(span.start, span.end)));
        };
        let sent: BTreeSet<u32> = repair.messages.iter().flat_map(|recipe| sources(transcript, recipe)).collect();
        sent.into_iter().fold(Estimated::default(), |sum, message| sum.plus(of(message, message + 1)))
    }

    /// Tokens of the shown messages that came after the report that this call goes by.
    pub fn added(&self, transcript: &Transcript) -> u64 {
        let from = self.reported.map_or(0, |reported| reported.at);
        let tokens = |span: &Range<u32>| self.window.tokens_in(transcript, span.start.max(from), span.end.max(from));
        self.spans.iter().map(tokens).sum()
    }

    /// Tokens of the shown messages' thinking, whether it is counted or not.
    pub fn thinking(&self, transcript: &Transcript) -> u64 {
        let shown = self.spans.iter().cloned().flatten();
        shown.map(|message| thinking_of(transcript.rows().blocks_of(message))).sum()
    }

    /// Tokens left for volatile content at the tail.
    pub fn left(&self) -> u64 {
        self.anchor.within(self.call.limits.budget).saturating_sub(self.tokens())
    }

    /// Whether the history has passed the soft mark: a summary is worth starting.
    pub fn past_soft(&self) -> bool {
        past_soft(&self.window, self.call.limits.marks)
    }

    /// Every message of the call, in runs that share one reason, in order.
    pub fn verdicts(&self, transcript: &Transcript) -> Vec<Verdict> {
        let mut verdicts = Vec::new();
        let mut at = 0;
        for span in self.spans.iter().chain(std::iter::once(&(self.window.end..self.window.end))) {
            if at < span.start {
                verdicts.push(Verdict { span: at..span.start, reason: Reason::BeforeCut });
            }
            self.explain(transcript, span, &mut verdicts);
            at = span.end;
        }
        verdicts
    }

    /// A shown span joins runs with different reasons: the leading messages, anchors, the window itself.
    fn explain(&self, transcript: &Transcript, span: &Range<u32>, verdicts: &mut Vec<Verdict>) {
        let cut = transcript.start_of(self.window.cut).min(self.window.end);
        let mut at = span.start;
        while at < span.end {
            let (end, reason) = if at < self.window.leading {
                (self.window.leading, Reason::Leading)
            } else if at >= cut {
                (span.end, Reason::Window)
            } else {
                let exchange = transcript.exchange_of(at);
                (transcript.span_of(exchange, self.window.end).end, self.anchor_reason(transcript, exchange))
            };
            let end = end.min(span.end).max(at + 1);
            verdicts.push(Verdict { span: at..end, reason });
            at = end;
        }
    }

    fn anchor_reason(&self, transcript: &Transcript, exchange: u32) -> Reason {
        let is_asked = |said: &[u32]| said.binary_search(&exchange).is_ok();
        if is_asked(transcript.task_before(self.window.end)) {
            Reason::Task
        } else if transcript.pins().iter().any(|pin| pin.exchange == exchange && pin.holds(self.window.end)) {
            Reason::Pinned
        } else if transcript.obligations(self.window.end).any(|open| open == exchange) {
            // Before the request: a user who speaks while a call waits speaks in the call's own exchange.
            Reason::Obligation
        } else if self.opens_loop(transcript, exchange) {
            // Before the request: results that come with a word of the user's go on with the loop.
            Reason::LoopOpening
        } else if is_asked(transcript.worked_before(self.window.end))
            && !is_asked(transcript.request_before(self.window.end))
        {
            Reason::Task
        } else if transcript.exchanges().get(exchange as usize).is_some_and(|found| found.user_speech) {
            Reason::Request
        } else if self.answers_stored(transcript, exchange) {
            Reason::StoredCall
        } else if transcript.compaction_before(self.window.end) == Some(exchange) {
            Reason::Compaction
        } else if transcript.answered_late(0, self.window.end).any(|call| call == exchange) {
            Reason::AnsweredLate
        } else {
            Reason::Window
        }
    }

    fn answers_stored(&self, transcript: &Transcript, exchange: u32) -> bool {
        let found = transcript.exchanges().get(exchange as usize);
        self.call.limits.stored_calls && found.is_some_and(|found| found.opening == Opening::Stray)
    }

    fn opens_loop(&self, transcript: &Transcript, exchange: u32) -> bool {
        self.call.limits.loop_opening && loop_opening(transcript, self.window.end) == Some(exchange)
    }

    /// The messages that the next cut would leave out, were it made now.
    pub fn leaving(&self, transcript: &Transcript) -> Vec<Range<u32>> {
        let next = next_cut(transcript, &self.window, &self.call.limits);
        let mut leaving: Vec<Range<u32>> = Vec::new();
        for exchange in
            (self.window.cut..next.exchange).filter(|exchange| next.anchors.binary_search(exchange).is_err())
        {
            let span = transcript.span_of(exchange, self.window.end);
            match leaving.last_mut() {
                Some(last) if last.end == span.start => last.end = span.end,
                _ => leaving.push(span),
            }
        }
        leaving
    }

    /// Tokens of the messages that are sent as they are: all that are shown, or what a repair kept. And what the
    /// provider takes out of the others.
    pub fn kept_tokens(&self, transcript: &Transcript) -> (u64, u64) {
        let Some(repair) = &self.repair else { return (self.leading.saturating_add(self.window.tokens), 0) };
        let costs = costs_of(transcript, &self.window, &repair.messages, self.call.added);
        costs.iter().zip(&repair.messages).fold((0, 0), |(kept, out), (cost, recipe)| match recipe {
            Recipe::Keep(_) => (kept + cost.tokens(), out),
            Recipe::Compose { .. } => (kept, out + cost.stripped),
        })
    }

    /// What the provider takes out of what is sent once the user speaks before the last `behind` messages of it: the
    /// thinking of this turn so far. 0 for models that keep it.
    pub fn stripped_by_speech(&self, transcript: &Transcript, behind: usize) -> u64 {
        if transcript.keeps_thinking() {
            return 0;
        }
        let costs = costs_of(transcript, &self.window, &recipes(&self.spans, self.repair.clone()), self.call.added);
        let before = costs.len().saturating_sub(behind);
        costs.iter().take(before).map(|cost| cost.thinking.saturating_sub(cost.stripped)).sum()
    }

    /// What cannot be left out, by reason, with its tokens: the parts to blame when a context is over. `None` is what a
    /// repair added.
    pub fn pinned(&self, transcript: &Transcript) -> Vec<(Option<Reason>, u64)> {
        let sent = recipes(&self.spans, self.repair.clone());
        let costs = costs_of(transcript, &self.window, &sent, self.call.added);
        let mut pinned: Vec<(Option<Reason>, u64)> = Vec::new();
        for (recipe, cost) in sent.iter().zip(&costs) {
            let reason = source(recipe).map(|message| self.reason_of(transcript, message));
            match pinned.iter_mut().find(|known| known.0 == reason) {
                Some(known) => known.1 = known.1.saturating_add(cost.tokens()),
                None => pinned.push((reason, cost.tokens())),
            }
        }
        pinned
    }

    /// Why a message that is sent cannot be left out.
    fn reason_of(&self, transcript: &Transcript, message: u32) -> Reason {
        if message < self.window.leading {
            return Reason::Leading;
        }
        let exchange = transcript.exchange_of(message);
        let newest = transcript.exchanges_before(self.window.end).checked_sub(1);
        if Some(exchange) == newest { Reason::Newest } else { self.anchor_reason(transcript, exchange) }
    }

    /// The messages that this call sends exactly as an earlier one of the same transcript did, repairs included, cache
    /// breakpoints aside: how many, and their tokens.
    pub fn shared_with(&self, transcript: &Transcript, previous: &Self) -> SharedPrefix {
        let before = recipes(&previous.spans, previous.repair.clone());
        let now = recipes(&self.spans, self.repair.clone());
        let unchanged = |message| {
            let after = message + 1;
            self.window.cleared_in(transcript, message, after) == previous.window.cleared_in(transcript, message, after)
        };
        let is_same = |(ours, theirs): &(&Recipe, &Recipe)| {
            ours.is_cached_as(theirs, transcript.rows()) && messages_of(ours).into_iter().all(unchanged)
        };
        let same = now.iter().zip(&before).take_while(is_same).count();
        let costs = costs_of(transcript, &self.window, &now, self.call.added);
        SharedPrefix {
            messages: u32::try_from(same).unwrap_or(u32::MAX),
            tokens: costs.iter().take(same).map(Cost::tokens).collect(),
            whole: same == before.len(),
        }
    }
}

/// The message that what a recipe makes comes from, or most of it; `None` for what a repair says.
fn source(recipe: &Recipe) -> Option<u32> {
    match recipe {
        Recipe::Keep(message) => Some(*message),
        Recipe::Compose { from, pieces, .. } => from.or_else(|| {
            pieces.iter().find_map(|piece| match piece {
                Piece::Block { message, .. } | Piece::NoResult { message, .. } => Some(*message),
                Piece::Note(_) => None,
            })
        }),
    }
}

/// What one message costs that is sent.
struct Cost {
    /// All of it.
    whole: u64,
    /// Of that, thinking that is not counted in later turns.
    thinking: u64,
    /// Of that, what the provider takes out at this call: it is of an earlier turn.
    stripped: u64,
}

impl Cost {
    const fn tokens(&self) -> u64 {
        self.whole.saturating_sub(self.stripped)
    }
}

/// What the messages cost that the recipes make, each.
fn costs_of(transcript: &Transcript, window: &Window, recipes: &[Recipe], added: AddedTokens) -> Vec<Cost> {
    let sent = repaired_rows(transcript.rows(), recipes, added);
    let keeps = transcript.keeps_thinking();
    let turn = sent.messages.iter().rposition(|row| row.flags.begins_turn(row.role)).unwrap_or(0);
    let costs = sent.messages.iter().zip(0_u32..).enumerate().map(|(at, (row, message))| {
        let thinking = if keeps { 0 } else { thinking_of(sent.rows().blocks_of(message)) };
        let saved = recipes.get(at).map_or(0, |recipe| saved_by(transcript, window, recipe));
        let whole = u64::from(row.tokens).saturating_sub(saved);
        Cost { whole, thinking, stripped: if at < turn { thinking } else { 0 } }
    });
    costs.collect()
}

/// Tokens that placeholders save in what a recipe makes.
fn saved_by(transcript: &Transcript, window: &Window, recipe: &Recipe) -> u64 {
    let Recipe::Compose { pieces, .. } = recipe else {
        return messages_of(recipe).iter().map(|&message| window.saved_in(transcript, message, message + 1)).sum();
    };
    let saved = pieces.iter().map(|piece| {
        let Piece::Block { message, block, .. } = *piece else { return 0 };
        let rows = window.cleared_in(transcript, message, message + 1);
        rows.iter().find(|row| row.block == block).map_or(0, |row| u64::from(row.saving))
    });
    saved.sum()
}

/// The messages that something of is in what a recipe makes.
fn messages_of(recipe: &Recipe) -> Vec<u32> {
    match recipe {
        Recipe::Keep(message) => vec![*message],
        Recipe::Compose { pieces, .. } => pieces.iter().filter_map(Piece::message).collect(),
    }
}

fn thinking_of(blocks: &[BlockRow]) -> u64 {
    blocks.iter().filter(|block| block.kind.is_thinking()).map(|block| u64::from(block.tokens)).sum()
}

/// The messages whose media, or content that only the provider can read, are in what the recipe makes.
fn sources(transcript: &Transcript, recipe: &Recipe) -> Vec<u32> {
    match recipe {
        Recipe::Keep(message) => vec![*message],
        Recipe::Compose { pieces, .. } => {
            pieces.iter().filter_map(|piece| estimated_source(transcript, piece)).collect()
        }
    }
}

fn estimated_source(transcript: &Transcript, piece: &Piece) -> Option<u32> {
    let Piece::Block { message, block, .. } = *piece else { return None };
    let row = transcript.rows().blocks_of(message).get(block as usize)?;
    row.flags.has(BlockFlags::ESTIMATED).then_some(message)
}

fn mended(transcript: &Transcript, call: &Call, spans: &[Range<u32>]) -> Option<Repair> {
    let selection: Vec<u32> = spans.iter().cloned().flatten().collect();
    repair(call.provider, &call.mode, transcript.rows(), &selection)
}

fn recipes(spans: &[Range<u32>], repair: Option<Repair>) -> Vec<Recipe> {
    match repair {
        Some(repair) => repair.messages,
        None => spans.iter().cloned().flatten().map(Recipe::Keep).collect(),
    }
}

/// What two consecutive calls have in common from the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedPrefix {
    /// How many messages of the context, leading ones included.
    pub messages: u32,
    /// The tokens of each.
    pub tokens: Vec<u64>,
    /// Whether all that the earlier call sent is in it.
    pub whole: bool,
}
