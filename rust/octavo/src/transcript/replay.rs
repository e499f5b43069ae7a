//! Messages as they were appended, and the conversation as it was.

use super::{Pin, Transcript};
use crate::error::Result;
use crate::message::MessageEnd;
use crate::transcript::Entry;

impl Transcript {
    /// A message as it was appended.
    pub fn entry(&self, message: u32) -> Option<Entry> {
        let row = self.messages.get(message as usize)?;
        let end = MessageEnd { role: row.role, flags: row.flags };
        let estimated = self.estimated_in(message, message.saturating_add(1));
        let thinking = self.stripped_in(message, message.saturating_add(1), u32::MAX);
        let blocks = self.rows().blocks_of(message).to_vec();
        let (outputs, looks) = self.outputs_of(message);
        Some(Entry { end, tokens: row.tokens, estimated, thinking, blocks, outputs, looks })
    }

    /// The transcript as it was when it had `len` messages. O(len).
    pub fn truncated(&self, len: u32) -> Result<Self> {
        let mut shorter = Self::new(self.format);
        for entry in (0..len.min(self.len())).filter_map(|message| self.entry(message)) {
            shorter.append(&entry)?;
        }
        // A pin that stands is the caller's word about a message, whenever it was given; one that was taken off
        // later stands again.
        let survives = |pin: &&Pin| pin.message < len && (pin.since <= len || pin.until == u32::MAX);
        let as_it_was = |pin: &Pin| Pin {
            since: pin.since.min(len),
            until: if pin.until > len { u32::MAX } else { pin.until },
            ..*pin
        };
        shorter.pins = self.pins.iter().filter(survives).map(as_it_was).collect();
        Ok(shorter)
    }
}
