//! The unit of the window, and what callers pin.

/// What an exchange opens with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opening {
    /// System or developer messages.
    System,
    /// Something the user said.
    User,
    /// An assistant message without calls.
    Reply,
    /// An assistant message with calls; its results follow in the same exchange.
    Calls,
    /// Results whose call stands elsewhere or nowhere.
    Stray,
}

/// The unit that is kept or dropped whole: an assistant turn with all its results, or one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exchange {
    /// Its first message. It ends where the next exchange starts.
    pub start: u32,
    /// Calls that have no result yet.
    pub unanswered: u32,
    /// How many messages there were when its last call was answered; `u32::MAX` while one waits.
    pub answered_at: u32,
    /// How many messages there were when the first of its calls was answered; `u32::MAX` before.
    pub answered_from: u32,
    /// Whether it asks for somebody's approval: such a call waits however long it takes.
    pub confirms: bool,
    /// What it opens with.
    pub opening: Opening,
    /// Whether the user says something in it.
    pub user_speech: bool,
}

/// A caller's wish that an exchange is never dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pin {
    /// The message that was named.
    pub message: u32,
    /// Its exchange, which stays whole.
    pub exchange: u32,
    /// How many messages there were when it was pinned.
    pub since: u32,
    /// How many there were when the pin was taken off; `u32::MAX` while it holds.
    pub until: u32,
}

impl Pin {
    /// Whether it holds for a call before which there are `end` messages.
    pub fn holds(&self, end: u32) -> bool {
        self.since <= end && end < self.until
    }
}
