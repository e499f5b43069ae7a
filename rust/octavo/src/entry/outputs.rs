//! Which results of a message a placeholder could stand for, told while the message is read.

#![expect(deprecated, reason = "the one std hasher whose algorithm and key are fixed")]

use std::hash::{Hasher as _, SipHasher};
use std::sync::Arc;

use crate::message::cleared::{counted_as, placeholder, reference};
use crate::message::{BlockFlags, BlockKind, BlockRow, Format, TextKind};
use crate::tokens::CountTokens;
use crate::transcript::{Look, Output};

/// A placeholder must save at least so many tokens: below, what is lost is worth more than what is saved.
const LEAST_SAVING: u64 = 64;

/// A placeholder takes at least so many. Where an output is shorter than both together, none is counted.
const LEAST_PLACEHOLDER: u64 = 8;

/// Words in a function's name that say that it looks at something and changes nothing.
const LOOKS: [&str; 14] =
    ["read", "view", "cat", "open", "get", "show", "list", "ls", "fetch", "load", "search", "find", "grep", "glob"];

/// Results that hold more than their text: breakpoints, empty texts, errors that say nothing, pictures.
const UNFIT: [BlockFlags; 8] = [
    BlockFlags::EMPTY_INSIDE,
    BlockFlags::MARKED_INSIDE,
    BlockFlags::SILENT_ERROR,
    BlockFlags::CACHE_5M,
    BlockFlags::CACHE_1H,
    BlockFlags::ESTIMATED,
    BlockFlags::MALFORMED,
    BlockFlags::SPECIAL,
];

/// What is known of the block that is being read, and what was found in those before it.
pub(super) struct Outputs {
    format: Format,
    /// Of output and arguments; begun when there is one.
    hash: Option<SipHasher>,
    /// Tokens of output.
    tokens: u64,
    /// It holds something that a placeholder could not stand for.
    other: bool,
    /// The block's first name is that of a function that looks.
    looks: bool,
    found: (Vec<Output>, Vec<Look>),
}

impl Outputs {
    pub(super) fn new(format: Format) -> Self {
        Self { format, hash: None, tokens: 0, other: false, looks: false, found: (Vec::new(), Vec::new()) }
    }

    pub(super) fn text(&mut self, kind: TextKind, text: &str, tokens: u64) {
        match kind {
            TextKind::ToolOutput => {
                self.tokens = self.tokens.saturating_add(tokens);
                self.feed(text);
            }
            TextKind::Name => {
                self.looks = is_look(text);
                if self.looks {
                    self.feed(text);
                }
            }
            TextKind::Arguments if self.looks => self.feed(text),
            TextKind::Arguments => {}
            TextKind::Speech | TextKind::Thinking | TextKind::Json => self.other = true,
        }
    }

    fn feed(&mut self, text: &str) {
        let hash = self.hash.get_or_insert_with(SipHasher::new);
        hash.write_u64(text.len() as u64);
        hash.write(text.as_bytes());
    }

    pub(super) fn other(&mut self) {
        self.other = true;
    }

    pub(super) fn end_block(&mut self, row: &BlockRow, number: usize, counter: &Arc<dyn CountTokens>) {
        let hash = self.hash.take().map_or(0, |hash| hash.finish());
        let (tokens, other) = (std::mem::take(&mut self.tokens), std::mem::take(&mut self.other));
        let looks = std::mem::take(&mut self.looks);
        match row.kind {
            BlockKind::Call if looks && row.id != 0 => self.found.1.push(Look { id: row.id, key: hash }),
            BlockKind::Result if !other && !UNFIT.iter().any(|flag| row.flags.has(*flag)) => {
                let output = self.output(row, number, (tokens, hash), counter);
                self.found.0.extend(output);
            }
            _ => {}
        }
    }

    fn output(
        &self,
        row: &BlockRow,
        number: usize,
        (tokens, content): (u64, u64),
        counter: &Arc<dyn CountTokens>,
    ) -> Option<Output> {
        if tokens < LEAST_SAVING + LEAST_PLACEHOLDER {
            return None;
        }
        let tokens = u32::try_from(tokens).ok()?;
        let text = counted_as(self.format, &placeholder(tokens, &reference(row.id, content)));
        let saving = u64::from(tokens).checked_sub(counter.count(&text) as u64)?;
        let saving = u32::try_from(saving).ok().filter(|_| saving >= LEAST_SAVING)?;
        Some(Output { block: u32::try_from(number).ok()?, tokens, saving, content })
    }

    pub(super) fn finish(self) -> (Vec<Output>, Vec<Look>) {
        self.found
    }
}

/// Whether a function's name says that it only looks: one of its words does.
fn is_look(name: &str) -> bool {
    let parts = name.split(|letter: char| !letter.is_ascii_alphanumeric());
    parts
        .flat_map(|part| words(part).chain([part]))
        .any(|word| LOOKS.iter().any(|look| word.eq_ignore_ascii_case(look)))
}

/// The words of a name that is written in one: `readFile`, `WebFetch`.
fn words(name: &str) -> impl Iterator<Item = &str> {
    let mut rest = name;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut letters = rest.char_indices().skip(1);
        let end = letters.find(|(_, letter)| letter.is_ascii_uppercase()).map_or(rest.len(), |(at, _)| at);
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::is_look;

    #[test]
    fn a_function_that_looks_is_told_by_a_word_of_its_name() {
        for name in ["Read", "read_file", "readFile", "get-user", "WebFetch", "fs.list", "LS"] {
            assert!(is_look(name), "{name}");
        }
        for name in ["Bash", "write", "thread", "already_done", "bread_get2"] {
            assert!(!is_look(name), "{name}");
        }
    }
}
