//! The correction that real usage gives: after one reported call only what was added is estimated.

use super::{ErrorBound, Usage};
use crate::error::{Error, Result};
use crate::tokens::data::scale;

/// Messages must cover this many estimated tokens before their own ratio is used: below it, rounding and
/// framing outweigh the text.
const ENOUGH: u64 = 2000;

/// What a provider reported for a context, beside the estimate of exactly the same content.
///
/// The ratio is not clamped: an estimate of 4 characters a token needs 4.2 for Korean on Claude. The holder
/// drops the anchor when the content it covers is edited, or when model, tools or thinking mode change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Anchor {
    reported: u64,
    estimated: u64,
    /// The first report of the same growing context.
    origin: (u64, u64),
}

impl Anchor {
    /// `reported` tokens by the provider for content that was estimated at `estimated`.
    pub fn new(reported: u64, estimated: u64) -> Result<Self> {
        for (name, value) in [("reported", reported), ("estimated", estimated)] {
            if value == 0 {
                return Err(Error::OutOfRange { name, expected: "at least 1 token", got: value.to_string() });
            }
        }
        Ok(Self { reported, estimated, origin: (reported, estimated) })
    }

    /// The anchor after a call that sent `input_estimate` and whose answer was estimated at
    /// `output_estimate`: the answer is part of the next context, so it is covered as well.
    pub fn from_usage(usage: Usage, input_estimate: u64, output_estimate: u64) -> Result<Self> {
        let reported = usage.input.saturating_add(if output_estimate == 0 { 0 } else { usage.output });
        Self::new(reported, input_estimate.saturating_add(output_estimate))
    }

    /// A later report of the same context, grown. The first is kept, so that the ratio can leave out what
    /// both contain: a system prompt or tools that the estimate does not know of.
    pub fn grown(self, reported: u64, estimated: u64) -> Result<Self> {
        Ok(Self { origin: self.origin, ..Self::new(reported, estimated)? })
    }

    /// Reported and estimated tokens that the ratio is taken from.
    fn ratio(self) -> (u64, u64) {
        let (reported, estimated) = self.origin;
        match (self.reported.checked_sub(reported), self.estimated.checked_sub(estimated)) {
            (Some(more @ 1..), Some(grown)) if grown >= ENOUGH => (more, grown),
            _ => (self.reported, self.estimated),
        }
    }

    /// Reported tokens per 1,000 estimated ones.
    pub fn permille(self) -> u64 {
        let (reported, estimated) = self.ratio();
        apply(1000, reported, estimated)
    }

    /// Tokens of the anchored content and of a tail after it that was estimated at `tail`.
    pub fn total(self, tail: u64) -> u64 {
        let (reported, estimated) = self.ratio();
        self.reported.saturating_add(apply(tail, reported, estimated))
    }

    /// How far [`Self::total`] can be off, in tokens (95th percentile): only the tail is uncertain.
    pub fn bound(self, tail: u64, bound: ErrorBound) -> u64 {
        let tail = self.total(tail).saturating_sub(self.reported);
        scale(tail, bound.tail).min(scale(self.reported.saturating_add(tail), bound.document))
    }
}

/// `amount * by / of`, rounded half up.
fn apply(amount: u64, by: u64, of: u64) -> u64 {
    let of = u128::from(of.max(1));
    u64::try_from((u128::from(amount) * u128::from(by) + of / 2) / of).unwrap_or(u64::MAX)
}
