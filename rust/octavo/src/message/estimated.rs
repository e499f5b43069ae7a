//! The part of a count that no vocabulary gives.

/// Tokens, and what of them is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counted {
    /// All of them.
    pub tokens: u64,
    /// Of those, what is no text.
    pub estimated: Estimated,
}

impl Counted {
    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self { tokens: self.tokens.saturating_add(other.tokens), estimated: self.estimated.plus(other.estimated) }
    }

    /// What is left without `other`.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self { tokens: self.tokens.saturating_sub(other.tokens), estimated: self.estimated.minus(other.estimated) }
    }

    /// Whether there is nothing.
    pub const fn is_none(self) -> bool {
        self.tokens == 0 && self.estimated.is_none()
    }
}

/// Tokens of media and of what only the provider can read, and how far they can be off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Estimated {
    /// Tokens.
    pub tokens: u64,
    /// The true number lies within this many tokens of it, 95 times in 100.
    pub error: u64,
}

impl Estimated {
    /// Both together. Errors add up: media of one kind are off in the same direction.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self { tokens: self.tokens.saturating_add(other.tokens), error: self.error.saturating_add(other.error) }
    }

    /// What is left without `other`.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self { tokens: self.tokens.saturating_sub(other.tokens), error: self.error.saturating_sub(other.error) }
    }

    /// Whether nothing is estimated.
    pub const fn is_none(self) -> bool {
        self.tokens == 0 && self.error == 0
    }
}
