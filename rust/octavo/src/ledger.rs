//! The values that matter in a conversation: a scratchpad that fills itself.
//!
//! Identifiers, paths, URLs, handles, dates, amounts, versions, names, and the arguments of past calls are taken from
//! each message when it is appended, in one pass over its text. When messages are not shown any more, the values that
//! are still likely to be needed are written as a section (`rank.rs`, `render.rs`).
//!
//! Everything is kept by message: a value is a row, and each message that holds it adds a sighting. Rows and sightings
//! only grow at their ends, so that going back to an earlier message is to cut them, and a replay gives the same.
//! Of the messages' text a ledger keeps that of the values, bounded in bytes ([`Ledger::bytes`]).

mod entry;
mod extract;
mod json;
mod kind;
mod letting_go;
mod plainness;
mod rank;
mod render;
mod scan;
mod secrets;
mod similarity;
mod spoken;
mod texts;

use std::collections::HashSet;
use std::hash::BuildHasherDefault;

pub use entry::Entry;
pub use extract::{Extractor, LONGEST_VALUE, MOST_VALUES, MessageValues, Origin, read_values};
pub use kind::ValueKind;
pub use rank::{Request, Weights};
pub use render::{Draft, Section};

use crate::mask::Pattern;
use texts::{AsIs, ByHash, ROW, Texts};

/// Bytes that a ledger may take when nothing else is said: about 50,000 values.
pub const DEFAULT_BYTES: usize = 8 << 20;

/// Secrets that are remembered, by their hash. The oldest is forgotten first.
const MOST_SECRETS: usize = 1 << 16;

/// One message holds one value.
#[derive(Debug, Clone, Copy)]
struct Sighting {
    value: u32,
    message: u32,
    /// What it is called there, and the tool it is given to or comes from: places in `names`.
    name: u32,
    tool: u32,
    times: u32,
    kind: ValueKind,
    origin: Origin,
    argument: bool,
}

/// The values of one conversation.
#[derive(Debug, Clone)]
pub struct Ledger {
    values: Texts,
    names: Texts,
    /// In the order of their messages.
    sightings: Vec<Sighting>,
    /// Where the sightings of each message begin.
    starts: Vec<usize>,
    /// Of each value, its newest sighting; beyond the end, or another value's, where messages were taken back.
    newest: Vec<u32>,
    /// The tool that a call with this id is made to, newest last, with the call's message.
    calls: ByHash<Vec<(u32, u32)>>,
    /// Secrets and the message that first held each.
    secrets: Vec<(u64, u32)>,
    secret: HashSet<u64, BuildHasherDefault<AsIs>>,
    deny: Vec<Pattern>,
    limit: usize,
    bytes: usize,
    /// Before how many messages something was let go of last.
    let_go: Option<u32>,
}

impl Default for Ledger {
    fn default() -> Self {
        Self::new(DEFAULT_BYTES, Vec::new())
    }
}

impl Ledger {
    /// An empty ledger that takes about `limit` bytes at most, and no value that one of the patterns is found in.
    pub fn new(limit: usize, deny: Vec<Pattern>) -> Self {
        let mut names = Texts::default();
        // Place 0 is no name.
        names.put("", 0);
        let bytes = names.bytes();
        Self {
            values: Texts::default(),
            names,
            sightings: Vec::new(),
            starts: Vec::new(),
            newest: Vec::new(),
            calls: ByHash::default(),
            secrets: Vec::new(),
            secret: HashSet::default(),
            deny,
            limit,
            bytes,
            let_go: None,
        }
    }

    /// How many messages there were.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there was no message.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// How many values are kept.
    pub fn values(&self) -> usize {
        self.values.rows.len()
    }

    /// Bytes that values and sightings take, about.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes in the values of the next message.
    pub fn push(&mut self, read: &MessageValues) {
        let message = u32::try_from(self.starts.len()).unwrap_or(u32::MAX);
        let start = self.sightings.len();
        self.starts.push(start);
        self.remember(&read.secrets, message);
        for block in &read.blocks {
            let tool = self.tool(block, message);
            let (mut last, mut name) = (0..0, 0);
            for row in read.rows.get(block.rows.clone()).unwrap_or_default() {
                // Values of one list share the place of their name.
                if row.name != last {
                    (last, name) = (row.name.clone(), self.name(read.part(&row.name), message));
                }
                self.see(read.part(&row.value), row, (name, tool), message, start);
            }
        }
        if self.bytes > self.limit {
            self.let_go(message);
        }
    }

    /// The tool that a block's values are given to or come from.
    fn tool(&mut self, block: &extract::Block, message: u32) -> u32 {
        if block.tool.is_empty() {
            return self.calls.get(&block.id).and_then(|calls| calls.last()).map_or(0, |&(tool, _)| tool);
        }
        let tool = self.name(&block.tool, message);
        if block.is_call && block.id != 0 {
            self.calls.entry(block.id).or_default().push((tool, message));
            self.bytes += size_of::<(u64, Vec<(u32, u32)>)>() + size_of::<(u32, u32)>();
        }
        tool
    }

    fn name(&mut self, name: &str, message: u32) -> u32 {
        if name.is_empty() {
            return 0;
        }
        let before = self.names.rows.len();
        let place = self.names.put(name, message).unwrap_or(0);
        self.bytes += if self.names.rows.len() > before { name.len() + ROW } else { 0 };
        place
    }

    fn see(&mut self, text: &str, row: &extract::Found, (name, tool): (u32, u32), message: u32, start: usize) {
        let Some(value) = self.value(text, message) else { return };
        let (kind, origin, argument) = (row.kind, row.origin, row.argument);
        let fresh = Sighting { value, message, name, tool, times: 1, kind, origin, argument };
        let newest = self.newest.get(value as usize).copied().unwrap_or(u32::MAX) as usize;
        if newest >= start
            && let Some(seen) = self.sightings.get_mut(newest).filter(|seen| seen.value == value)
        {
            return seen.merge(&fresh);
        }
        let place = u32::try_from(self.sightings.len()).unwrap_or(u32::MAX);
        self.sightings.push(fresh);
        if let Some(newest) = self.newest.get_mut(value as usize) {
            *newest = place;
        }
        self.bytes += size_of::<Sighting>();
    }

    /// The place of a value, if it may enter.
    fn value(&mut self, text: &str, message: u32) -> Option<u32> {
        match self.values.find(text) {
            Ok(place) => Some(place),
            Err(_) if self.is_denied(text) => None,
            Err(hash) => {
                let place = self.values.add(text, hash, message)?;
                self.newest.push(u32::MAX);
                self.bytes += text.len() + ROW + size_of::<u32>();
                Some(place)
            }
        }
    }

    fn is_denied(&self, text: &str) -> bool {
        self.is_secret(text) || self.deny.iter().any(|pattern| !pattern.find(text).is_empty())
    }

    fn is_secret(&self, text: &str) -> bool {
        !self.secret.is_empty() && secrets::holds(text, |hash| self.secret.contains(&hash))
    }

    fn remember(&mut self, secrets: &[u64], message: u32) {
        for &secret in secrets {
            if self.secret.insert(secret) {
                self.secrets.push((secret, message));
            }
        }
        if self.secrets.len() > MOST_SECRETS {
            let gone = self.secrets.len() - MOST_SECRETS / 2;
            for (secret, _) in self.secrets.drain(..gone) {
                self.secret.remove(&secret);
            }
            self.let_go = Some(message);
        }
    }

    /// Goes back to the first `to` messages. False, with nothing changed, where something was let go of since: then the
    /// ledger must be read anew from the messages.
    #[must_use]
    pub fn truncate(&mut self, to: usize) -> bool {
        let Some(&start) = self.starts.get(to) else { return true };
        if to == 0 {
            *self = Self::new(self.limit, std::mem::take(&mut self.deny));
            return true;
        }
        let Ok(to) = u32::try_from(to) else { return true };
        if self.let_go.is_some_and(|at| to <= at) {
            return false;
        }
        self.starts.truncate(to as usize);
        self.sightings.truncate(start);
        self.values.truncate(to);
        self.names.truncate(to);
        self.placed();
        for calls in self.calls.values_mut() {
            calls.retain(|&(_, message)| message < to);
        }
        self.calls.retain(|_, calls| !calls.is_empty());
        let kept = self.secrets.partition_point(|&(_, message)| message < to);
        for (secret, _) in self.secrets.drain(kept..) {
            self.secret.remove(&secret);
        }
        self.bytes = self.weighed();
        true
    }

    fn weighed(&self) -> usize {
        let calls: usize = self.calls.values().map(Vec::len).sum();
        self.values.bytes()
            + self.values.rows.len() * size_of::<u32>()
            + self.names.bytes()
            + self.sightings.len() * size_of::<Sighting>()
            + calls * (size_of::<(u64, Vec<(u32, u32)>)>() + size_of::<(u32, u32)>())
    }
}

impl Sighting {
    /// Takes in another sighting of the same message. An argument says most of what a value is, then the newest name.
    fn merge(&mut self, other: &Self) {
        let times = self.times.saturating_add(other.times);
        let better = (other.argument, other.name != 0) >= (self.argument, self.name != 0);
        let said = self.origin.min(other.origin);
        let argument = self.argument || other.argument;
        if better {
            *self = *other;
        }
        (self.times, self.origin, self.argument) = (times, said, argument);
    }
}
