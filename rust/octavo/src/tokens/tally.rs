//! Adds up what a request costs: texts, media, framing, system prompt and tool definitions.
//!
//! Additive by construction: a request's total is the sum of its messages, each counted alone, and of
//! [`Tally::fixed`], [`Tally::system`] and [`Tally::tools`], each once. Nothing is counted again when the
//! conversation grows.

mod tools;

use std::sync::Arc;

use super::CountTokens;
use super::calibration::{self, MediaError};
use super::data::{scale, to_row};
use super::image::is_measured;
use super::model::{Method, Profile, Thinking};
use crate::error::Result;
use crate::message::{
    BlockEnd, BlockKind, BlockRow, Counted, Estimated, Format, Media, MessageEnd, MessageFlags, Role, Sink, TextKind,
    read as read_message, read_unknown,
};
use crate::node::{Key, MAX_DEPTH, Node, NodeKind, write_json};

/// Counts messages for one model. It keeps no text: what it holds are sums.
#[derive(Clone)]
pub struct Tally {
    profile: &'static Profile,
    counter: Arc<dyn CountTokens>,
    method: Method,
    /// Per 1,000 tokens of text, how far the count can be off.
    text_error: u64,
    media_error: MediaError,
    unstated_error: u64,
    tools_error: u64,
    /// Tokens of the block that is being read.
    block: u64,
    /// Of those, what is no text.
    block_estimated: Estimated,
    sums: Parts,
    /// Of `sums`, thinking that the provider takes out once the user speaks again.
    thinking: Counted,
    scratch: String,
}

/// What a number of tokens consists of, by how sure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Parts {
    /// Texts and the framing around them.
    pub text: u64,
    /// Tool definitions, with the system prompt that they bring.
    pub tools: u64,
    /// Media, and what only the provider can read.
    pub estimated: Estimated,
}

/// What a block takes, or a system prompt, or tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BlockCount {
    /// All its tokens.
    pub tokens: u32,
    /// Of those, what is no text.
    pub estimated: Estimated,
}

/// A number of tokens, how it was made, and how far it can be off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// Tokens.
    pub tokens: u64,
    /// How they were counted.
    pub method: Method,
    /// The true number lies within this many tokens, 95 times in 100. 0 where the count is exact.
    pub error_bound: u64,
}

impl Tally {
    /// A tally by the model's own counter.
    pub fn new(profile: &'static Profile) -> Result<Self> {
        Ok(Self::build(profile, profile.counter()?, profile.method, profile.bound.document, errors()?))
    }

    /// A tally by a counter that the caller brings (a `tokenizer.json`, a counter of their own), which is
    /// taken at its word: its method is [`Method::Exact`].
    pub fn with_counter(profile: &'static Profile, counter: Arc<dyn CountTokens>) -> Result<Self> {
        Ok(Self::build(profile, counter, Method::Exact, 0, errors()?))
    }

    fn build(
        profile: &'static Profile,
        counter: Arc<dyn CountTokens>,
        method: Method,
        text_error: u64,
        Errors { media, unstated, tools }: Errors,
    ) -> Self {
        let (block, block_estimated, sums, scratch) = (0, Estimated::default(), Parts::default(), String::new());
        let thinking = Counted::default();
        let (media_error, unstated_error, tools_error) = (media, unstated, tools);
        Self {
            profile,
            counter,
            method,
            text_error,
            media_error,
            unstated_error,
            tools_error,
            block,
            block_estimated,
            sums,
            thinking,
            scratch,
        }
    }

    /// The same tally with its counter wrapped in another that counts alike.
    #[must_use]
    pub fn through(self, wrap: impl FnOnce(Arc<dyn CountTokens>) -> Arc<dyn CountTokens>) -> Self {
        Self { counter: wrap(Arc::clone(&self.counter)), ..self }
    }

    /// What is known of the model.
    pub fn profile(&self) -> &'static Profile {
        self.profile
    }

    /// The counter of texts.
    pub fn counter(&self) -> &Arc<dyn CountTokens> {
        &self.counter
    }

    /// How texts are counted. A count with media is an estimate whatever the texts are (see [`Self::counted`]).
    pub fn method(&self) -> Method {
        self.method
    }

    /// Per 1,000 tokens of text, how far the count can be off (95th percentile).
    pub fn text_error(&self) -> u64 {
        self.text_error
    }

    /// Counts a text of the block that is being read.
    pub fn text(&mut self, _kind: TextKind, text: &str) {
        if !text.is_empty() {
            let tokens = self.counter.count(text) as u64;
            self.block = self.block.saturating_add(tokens);
        }
    }

    /// Tokens of the block that is being read, so far.
    pub fn block_so_far(&self) -> u64 {
        self.block
    }

    /// Counts a text that the provider writes in a form of its own (see [`Sink::unstated`]).
    pub fn unstated(&mut self, text: &str) {
        let before = self.block;
        self.text(TextKind::Json, text);
        self.doubt(self.block.saturating_sub(before));
    }

    /// So many tokens of the block that is being read are counted by a form that the provider may not use.
    fn doubt(&mut self, tokens: u64) {
        if tokens > 0 {
            let error = scale(tokens, self.unstated_error).max(1);
            self.block_estimated = self.block_estimated.plus(Estimated { tokens, error });
        }
    }

    /// Counts media of the block that is being read.
    pub fn media(&mut self, media: Media<'_>) {
        // The rules were parsed when the profile was made, so there is an answer; 0 would hide a picture.
        let tokens = self.profile.media.tokens(media).unwrap_or(1);
        let share = if is_measured(media) { self.media_error.measured } else { self.media_error.unmeasured };
        self.block = self.block.saturating_add(tokens);
        self.block_estimated = self.block_estimated.plus(Estimated { tokens, error: scale(tokens, share) });
    }

    /// Tokens of the block that just ended, with what frames a call or a result.
    pub fn take_block(&mut self, kind: BlockKind) -> BlockCount {
        let framing = self.profile.framing;
        let around = match kind {
            BlockKind::Call | BlockKind::ServerCall => framing.call,
            BlockKind::Result | BlockKind::ServerResult => framing.result,
            _ => 0,
        };
        let estimated = std::mem::take(&mut self.block_estimated);
        let block = add(std::mem::take(&mut self.block), around);
        self.sums.estimated = self.sums.estimated.plus(estimated);
        self.sums.text = self.sums.text.saturating_add(block.saturating_sub(estimated.tokens));
        BlockCount { tokens: to_row(block), estimated }
    }

    /// What of a block the provider takes out once the user speaks again: thinking, for models that do not keep it.
    pub fn stripped(&self, kind: BlockKind, count: BlockCount) -> Counted {
        if kind.is_thinking() && self.profile.thinking == Thinking::Stripped {
            Counted { tokens: u64::from(count.tokens), estimated: count.estimated }
        } else {
            Counted::default()
        }
    }

    /// Tokens that frame a message, whatever is in it.
    pub fn message(&mut self, _role: Role, flags: MessageFlags) -> u32 {
        let framing = self.profile.framing;
        let name = if flags.has(MessageFlags::NAMED) { framing.name_field } else { 0 };
        let around = add(0, framing.message.saturating_add(name));
        self.sums.text = self.sums.text.saturating_add(around);
        to_row(around)
    }

    /// Tokens that a request has once: what primes the reply.
    pub fn fixed(&self) -> u32 {
        to_row(add(0, self.profile.framing.request))
    }

    /// Tokens of a system prompt that is given apart from the messages: a text, a list of text blocks
    /// (Anthropic, Bedrock), or a Gemini content with parts. Nothing costs nothing.
    pub fn system<N: Node>(&mut self, system: &N) -> BlockCount {
        if system.kind() == NodeKind::Null {
            return BlockCount::default();
        }
        self.system_texts(system, 0);
        let estimated = std::mem::take(&mut self.block_estimated);
        let tokens = add(std::mem::take(&mut self.block), self.profile.framing.system);
        self.sums.estimated = self.sums.estimated.plus(estimated);
        self.sums.text = self.sums.text.saturating_add(tokens.saturating_sub(estimated.tokens));
        BlockCount { tokens: to_row(tokens), estimated }
    }

    fn system_texts<N: Node>(&mut self, node: &N, depth: usize) {
        if depth > MAX_DEPTH {
            return; // as `write_json`: what lies deeper is no text that a provider would take
        }
        if let Some(text) = node.text() {
            return self.text(TextKind::Speech, &text);
        }
        if node.kind() == NodeKind::List {
            return node.items(&mut |item| self.system_texts(&item, depth + 1));
        }
        let inner = [Key::Text, Key::Parts, Key::Content].into_iter().find_map(|key| node.get(key));
        match inner {
            Some(inner) => self.system_texts(&inner, depth + 1),
            // A Bedrock cache point is a marker, not text.
            None if node.get(Key::CachePoint).is_some() || node.kind() == NodeKind::Null => {}
            None => read_unknown(node, &mut Reading::new(self)),
        }
    }

    /// Tokens of the tool definitions, with the system prompt that they bring, and what of them is written in a form
    /// that nobody publishes. No tool costs nothing.
    pub fn tools<N: Node>(&mut self, tools: &N) -> BlockCount {
        let (tokens, estimated) = tools::count(self, tools);
        self.sums.estimated = self.sums.estimated.plus(estimated);
        self.sums.tools = self.sums.tools.saturating_add(tokens.saturating_sub(estimated.tokens));
        BlockCount { tokens: to_row(tokens), estimated }
    }

    fn json<N: Node>(&mut self, kind: TextKind, node: &N) {
        let mut scratch = self.take_scratch();
        scratch.clear();
        write_json(node, &mut scratch);
        self.text(kind, &scratch);
        self.put_scratch(scratch);
    }

    /// Room for JSON that must be written before it can be counted, for the holder's [`Sink::scratch`].
    pub fn take_scratch(&mut self) -> String {
        std::mem::take(&mut self.scratch)
    }

    /// Takes the room back.
    pub fn put_scratch(&mut self, scratch: String) {
        self.scratch = scratch;
    }

    /// Counts one message without keeping rows of it: framing included.
    pub fn read<N: Node>(&mut self, format: Format, index: usize, message: &N) -> Result<u32> {
        let mut reading = Reading::new(self);
        let end: MessageEnd = read_message(format, index, message, &mut reading)?;
        let Reading { tokens, thinking, flags, .. } = reading;
        if flags.begins_turn(end.role) {
            self.strip();
        }
        self.thinking = self.thinking.plus(thinking);
        // What stands outside of a block (a participant's name) belongs to the message.
        let outside = self.take_block(BlockKind::Marker).tokens;
        Ok(tokens.saturating_add(outside).saturating_add(self.message(end.role, end.flags)))
    }

    /// Takes out what the provider does: the thinking of turns that are over.
    fn strip(&mut self) {
        let Counted { tokens, estimated } = std::mem::take(&mut self.thinking);
        self.sums.text = self.sums.text.saturating_sub(tokens.saturating_sub(estimated.tokens));
        self.sums.estimated = self.sums.estimated.minus(estimated);
    }

    /// Everything counted so far and [`Self::fixed`], with its method and error bound; starts anew.
    pub fn counted(&mut self, with_fixed: bool) -> Count {
        let sums = std::mem::take(&mut self.sums);
        self.thinking = Counted::default();
        let fixed = if with_fixed { u64::from(self.fixed()) } else { 0 };
        let tokens = [sums.text, sums.estimated.tokens, sums.tools, fixed].into_iter().fold(0, u64::saturating_add);
        let (method, error_bound) = self.certainty(sums);
        Count { tokens, method, error_bound }
    }

    /// How a number of tokens of these parts was made, and within how many tokens the true number lies. What is
    /// no text makes it an estimate whatever the texts are.
    pub fn certainty(&self, parts: Parts) -> (Method, u64) {
        let method = if parts.estimated.is_none() { self.method } else { Method::Estimated };
        let bound = scale(parts.text, self.text_error)
            .saturating_add(parts.estimated.error)
            .saturating_add(scale(parts.tools, self.tools_error.max(self.text_error)));
        (method, bound)
    }
}

/// How far counts of what is no plain text can be off, per 1,000 tokens.
#[derive(Clone, Copy)]
struct Errors {
    media: MediaError,
    unstated: u64,
    tools: u64,
}

fn errors() -> Result<Errors> {
    let (unstated, tools) = (calibration::unstated_error()?, calibration::tools_error()?);
    Ok(Errors { media: calibration::media_error()?, unstated, tools })
}

/// `tokens` with a framing constant, which may be negative.
fn add(tokens: u64, around: i32) -> u64 {
    tokens.saturating_add_signed(i64::from(around))
}

struct Reading<'a> {
    tally: &'a mut Tally,
    tokens: u32,
    thinking: Counted,
    flags: MessageFlags,
}

impl<'a> Reading<'a> {
    fn new(tally: &'a mut Tally) -> Self {
        Self { tally, tokens: 0, thinking: Counted::default(), flags: MessageFlags::default() }
    }
}

impl Sink for Reading<'_> {
    fn text(&mut self, kind: TextKind, text: &str) {
        self.tally.text(kind, text);
    }

    fn unstated(&mut self, text: &str) {
        self.tally.unstated(text);
    }

    fn media(&mut self, media: Media<'_>) {
        self.tally.media(media);
    }

    fn end_block(&mut self, end: BlockEnd<'_>) {
        let count = self.tally.take_block(end.kind);
        self.tokens = self.tokens.saturating_add(count.tokens);
        self.thinking = self.thinking.plus(self.tally.stripped(end.kind, count));
        let row = BlockRow { id: 0, tokens: count.tokens, flags: end.flags, kind: end.kind };
        self.flags = self.flags.with(MessageFlags::of_block(&row));
    }

    fn scratch(&mut self) -> String {
        self.tally.take_scratch()
    }

    fn give_back(&mut self, scratch: String) {
        self.tally.put_scratch(scratch);
    }
}

#[cfg(test)]
mod tests;
