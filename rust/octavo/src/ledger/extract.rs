//! Reads one message into the values that it holds.
//!
//! A [`Sink`] beside the one that counts: it sees the same texts. What is said is scanned, JSON is walked for the scalars
//! under its keys, arguments of calls are taken value by value. Whatever the masker finds to be a secret in a text
//! is left out, and remembered by its hash, so that it does not enter from another place where nothing gives it away.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use super::kind::{ValueKind, kind_of};
use super::{json, plainness, scan, secrets};
use crate::error::Result;
use crate::mask::{self, Kind, Options, Policy};
use crate::message::{BlockEnd, BlockKind, Format, Media, Role, Sink, TextKind, id_hash, read};
use crate::node::Node;

/// A value has at most this many characters, on one line: as long as what is looked up in `benches/quality`.
pub const LONGEST_VALUE: usize = 200;

/// Values of one message, repetitions included. Of a message that holds more, the first half of so many are kept and at
/// least the last quarter: a list's beginning is what was asked for, a log's end says what came of it.
pub const MOST_VALUES: usize = 8192;

/// Bytes of one text that are read at its beginning, and as many at its end: what a section may show is found there, and
/// nobody waits for 100 MB of output.
const MOST_READ: usize = 128 << 10;

/// Paths of one message that are remembered at a time.
const MOST_NAMES: usize = 1024;

/// Who brought a value in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    /// Said by the user.
    User,
    /// Said by the assistant, or given by it as an argument.
    Assistant,
    /// Part of a tool's output.
    Tool,
}

impl Origin {
    /// Its name, as callers read it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// A value of one message. Ranges are bytes of the text of [`MessageValues`].
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) value: Range<u32>,
    pub(super) name: Range<u32>,
    pub(super) kind: ValueKind,
    pub(super) origin: Origin,
    pub(super) argument: bool,
}

/// The values of one block, and the call that it is or answers.
#[derive(Debug, Clone, Default)]
pub(super) struct Block {
    pub(super) rows: Range<usize>,
    /// The tool, where the block names one.
    pub(super) tool: String,
    /// The id that pairs a call with its result; 0 for none.
    pub(super) id: u64,
    pub(super) is_call: bool,
}

/// What one message holds: made without the ledger, so that it can be read before any lock is taken.
#[derive(Clone, Default)]
pub struct MessageValues {
    pub(super) text: String,
    pub(super) rows: Vec<Found>,
    pub(super) blocks: Vec<Block>,
    /// Hashes of the secrets that stand in it.
    pub(super) secrets: Vec<u64>,
}

impl std::fmt::Debug for MessageValues {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // What it holds is what somebody said: a log must not.
        formatter.debug_struct("MessageValues").field("values", &self.rows.len()).finish_non_exhaustive()
    }
}

impl MessageValues {
    /// How many values there are, repetitions included.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn part(&self, range: &Range<u32>) -> &str {
        self.text.get(range.start as usize..range.end as usize).unwrap_or_default()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// Kinds of findings that are personal data, which is kept as it was said; the others open a door, or name a person for
/// good.
const PERSONAL: [Kind; 6] =
    [Kind::Email, Kind::KrPhone, Kind::KrBankAccount, Kind::KrDriverLicense, Kind::KrPassport, Kind::Iban];

/// What the masker looks for. The less it looks for, the faster it is.
static SECRETS: LazyLock<Options> = LazyLock::new(|| {
    let kinds = Kind::ALL.iter().copied().filter(|kind| kind.on_by_default() && !PERSONAL.contains(kind)).collect();
    Options { kinds, policy: Policy::Balanced }
});

/// Gathers the values of one message while a reader walks it.
#[derive(Default)]
pub struct Extractor {
    values: MessageValues,
    /// Texts of the block that is being read begin here.
    first: usize,
    tool: String,
    scratch: String,
    short: String,
    /// Where the names of paths stand.
    names: HashMap<String, Range<u32>>,
}

/// Reads the values of one message. `index` is its position, for the error.
///
/// # Errors
/// As [`read`]: there is no message here at all.
pub fn read_values<N: Node>(format: Format, index: usize, node: &N) -> Result<MessageValues> {
    let mut extractor = Extractor::default();
    let end = read(format, index, node, &mut extractor)?;
    Ok(extractor.finish(end.role))
}

impl Extractor {
    /// What was gathered, for a message of this role. A system prompt holds nothing that could leave the window.
    pub fn finish(mut self, role: Role) -> MessageValues {
        self.close(false, 0);
        let origin = match role {
            Role::User => Origin::User,
            Role::Assistant => Origin::Assistant,
            Role::Tool => Origin::Tool,
            Role::System => return MessageValues { secrets: self.values.secrets, ..MessageValues::default() },
        };
        // What is said has the origin of the message, which a reader tells at its end; until then it is the user's.
        for row in self.values.rows.iter_mut().filter(|row| row.origin == Origin::User) {
            row.origin = origin;
        }
        self.values
    }

    fn close(&mut self, is_call: bool, id: u64) {
        let rows = self.first..self.values.rows.len();
        let tool = std::mem::take(&mut self.tool);
        if is_call || !rows.is_empty() {
            self.values.blocks.push(Block { rows, tool, id, is_call });
        }
        self.first = self.values.rows.len();
    }

    /// Reads one text, of a long one the beginning and the end.
    fn read(&mut self, text: &str, origin: Origin, argument: bool) {
        if text.len() <= 2 * MOST_READ {
            return self.read_whole(text, origin, argument);
        }
        // At the end of a line, so that what names a secret is not parted from it.
        let before = text.get(..text.floor_char_boundary(MOST_READ)).unwrap_or_default();
        self.read_whole(before.rsplit_once('\n').map_or(before, |(lines, _)| lines), origin, argument);
        let behind = text.get(text.ceil_char_boundary(text.len() - MOST_READ)..).unwrap_or_default();
        self.read_whole(behind.split_once('\n').map_or(behind, |(_, lines)| lines), origin, argument);
    }

    /// Reads a text: its secrets first.
    fn read_whole(&mut self, text: &str, origin: Origin, argument: bool) {
        let denied = self.secrets_in(text);
        let done = if argument || json::is_likely(text) { self.walk(text, origin, argument, &denied) } else { 0 };
        if done < text.len() {
            self.scan(text, done, origin, &denied);
        }
    }

    fn secrets_in(&mut self, text: &str) -> Vec<Range<usize>> {
        let found = mask::find(text, &SECRETS);
        let secrets = found.iter().filter_map(|found| text.get(found.bytes.clone()));
        self.values.secrets.extend(secrets.flat_map(secrets::hashes));
        found.into_iter().map(|found| found.bytes).collect()
    }

    /// Scans a text from a place on.
    fn scan(&mut self, text: &str, from: usize, origin: Origin, denied: &[Range<usize>]) {
        let rest = text.get(from..).unwrap_or_default();
        let mut denied = Denied(denied);
        scan::scan(rest, &mut |value, kind, name| {
            let range = value.start + from..value.end + from;
            if !denied.meets(&range) && !is_passing(kind, origin, rest.as_bytes().get(value.end)) {
                let name = rest.get(name).unwrap_or_default();
                self.push(rest.get(value).unwrap_or_default(), name, kind, origin, false);
            }
        });
    }

    /// Takes the scalars of JSON; where the JSON ends.
    fn walk(&mut self, text: &str, origin: Origin, argument: bool, denied: &[Range<usize>]) -> usize {
        let mut denied = Denied(denied);
        let mut scratch = std::mem::take(&mut self.scratch);
        let end = json::walk(text, &mut |path, step| {
            let (range, is_key, is_text) = match step {
                json::Step::Key(range) => (range, true, false),
                json::Step::Text(range) => (range, false, true),
                json::Step::Number(range) => (range, false, false),
            };
            let touched = denied.meets(&range);
            let raw = text.get(range).unwrap_or_default();
            let decoded = if is_text && raw.contains('\\') {
                json::unescaped(raw, &mut scratch);
                scratch.as_str()
            } else {
                raw
            };
            if is_key {
                self.key(raw, path, origin);
            } else if !touched && plainness::is_value(decoded, origin, argument) {
                let spaced = decoded.contains(' ');
                let kind = if spaced { None } else { kind_of(decoded) };
                self.push(decoded, path, kind.unwrap_or(ValueKind::Value), origin, argument);
                if argument && spaced {
                    // What a command is given stands in it: paths, ids.
                    self.scan(decoded, 0, origin, &[]);
                }
            } else if is_text {
                let denied = if touched { self.secrets_in(decoded) } else { Vec::new() };
                self.scan(decoded, 0, origin, &denied);
            }
        });
        self.scratch = scratch;
        end
    }

    /// A key that is a value itself: rows by id, prices by date.
    fn key(&mut self, key: &str, path: &str, origin: Origin) {
        if key.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_') {
            return;
        }
        let kind = kind_of(key).filter(|kind| !matches!(kind, ValueKind::Name | ValueKind::Value));
        if let Some(kind) = kind.filter(|_| plainness::is_value(key, origin, false)) {
            let outer = path.len().saturating_sub(key.len() + 1);
            self.push(key, path.get(..outer).unwrap_or_default(), kind, origin, false);
        }
    }

    fn push(&mut self, value: &str, name: &str, kind: ValueKind, origin: Origin, argument: bool) {
        if !plainness::is_shown(value) {
            return;
        }
        if self.values.rows.len() >= MOST_VALUES {
            // The oldest of the second half makes room.
            self.make_room();
        }
        let name = self.written_name(name);
        let value = self.write(value);
        self.values.rows.push(Found { value, name, kind, origin, argument });
    }

    /// Leaves out the second quarter of the values; what was written of them stays in the text until the end.
    fn make_room(&mut self) {
        let gone = MOST_VALUES / 2..MOST_VALUES / 4 * 3;
        self.values.rows.drain(gone.clone());
        let shifted = |at: usize| if at <= gone.start { at } else { at.saturating_sub(gone.len()).max(gone.start) };
        for block in &mut self.values.blocks {
            block.rows = shifted(block.rows.start)..shifted(block.rows.end);
        }
        self.first = shifted(self.first);
    }

    /// The place of a name. Each is written once: the rows of a list have the same paths over and over.
    fn written_name(&mut self, path: &str) -> Range<u32> {
        if path.is_empty() {
            return 0..0;
        }
        if let Some(name) = self.names.get(path) {
            return name.clone();
        }
        let mut short = std::mem::take(&mut self.short);
        plainness::short_path(path, &mut short);
        let name = if short.is_empty() { 0..0 } else { self.write(&short) };
        self.short = short;
        if self.names.len() >= MOST_NAMES {
            self.names.clear();
        }
        self.names.insert(path.to_owned(), name.clone());
        name
    }

    fn write(&mut self, text: &str) -> Range<u32> {
        // A message of 4 GiB of values has ended in an empty range; the values are bounded above.
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let start = place(self.values.text.len());
        self.values.text.push_str(text);
        start..place(self.values.text.len())
    }
}

/// Whether a name in a tool's output is only passed by: code is made of names, and those that are called or defined with
/// parameters say most.
fn is_passing(kind: ValueKind, origin: Origin, next: Option<&u8>) -> bool {
    kind == ValueKind::Name && origin == Origin::Tool && next != Some(&b'(')
}

/// Findings in order, asked about ranges in order.
struct Denied<'a>(&'a [Range<usize>]);

impl Denied<'_> {
    fn meets(&mut self, range: &Range<usize>) -> bool {
        while let Some((first, rest)) = self.0.split_first() {
            if first.end > range.start {
                return first.start < range.end;
            }
            self.0 = rest;
        }
        false
    }
}

impl Sink for Extractor {
    fn text(&mut self, kind: TextKind, text: &str) {
        match kind {
            TextKind::Speech => self.read(text, Origin::User, false),
            TextKind::Arguments => self.read(text, Origin::Assistant, true),
            TextKind::ToolOutput | TextKind::Json => self.read(text, Origin::Tool, false),
            TextKind::Name => plainness::short_path(text, &mut self.tool),
            // Reasoning is not shown again by every provider, and what it holds is said or done afterwards.
            TextKind::Thinking => {}
        }
    }

    fn media(&mut self, _: Media<'_>) {}

    fn end_block(&mut self, end: BlockEnd<'_>) {
        let id = if end.id.is_empty() { 0 } else { id_hash(end.id) };
        self.close(matches!(end.kind, BlockKind::Call | BlockKind::ServerCall), id);
    }

    fn scratch(&mut self) -> String {
        String::new()
    }

    fn give_back(&mut self, _: String) {}
}
