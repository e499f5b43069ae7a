//! The correction that real usage gives: after one reported call only what was added is estimated.

use super::{ErrorBound, Usage};
use crate::error::{Error, Result};
use crate::tokens::data::scale;

/// How many estimated tokens the first report's ratio weighs beside what was added since: two or three
/// messages, below which rounding and framing outweigh the text.
const FIRST_WEIGHT: u64 = 2000;

/// No estimate is off by more than this: 4 characters a token needs 4.2 for Korean on Claude. A first report
/// beyond it covers content that the estimate does not know of (a system prompt kept by a proxy), which
/// is a constant and says nothing about the text.
const FARTHEST: u64 = 5;

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

    /// The ratio as numerator and denominator: the first report's, and what was added since in proportion.
    fn ratio(self) -> (u128, u128) {
        let (reported, estimated) = self.origin;
        let known = reported / FARTHEST <= estimated && estimated / FARTHEST <= reported;
        let (first, of) = if known { (u128::from(reported), u128::from(estimated)) } else { (1, 1) };
        let more = u128::from(self.reported.saturating_sub(reported));
        let grown = u128::from(self.estimated.saturating_sub(estimated));
        if more == 0 || grown == 0 {
            return (first, of);
        }
        // (more + weight * first / of) / (grown + weight), over the common denominator. Real sizes
        // stay far below 128 bits; absurd ones saturate.
        let weight = u128::from(FIRST_WEIGHT);
        let up = more.saturating_mul(of).saturating_add(weight.saturating_mul(first));
        (up, grown.saturating_add(weight).saturating_mul(of))
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

    /// Tokens of the same kind of content when it is estimated at `estimated`: grown since, or shrunk by a cut.
    pub fn at(self, estimated: u64) -> u64 {
        if let Some(tail) = estimated.checked_sub(self.estimated) {
            return self.total(tail);
        }
        let (up, down) = self.ratio();
        self.reported.saturating_sub(apply(self.estimated - estimated, up, down))
    }

    /// The largest estimate whose content stays within `tokens` of the provider's.
    pub fn within(self, tokens: u64) -> u64 {
        let (up, down) = self.ratio();
        let guess = match tokens.checked_sub(self.reported) {
            Some(more) => self.estimated.saturating_add(apply(more, down, up)),
            None => self.estimated.saturating_sub(apply(self.reported - tokens, down, up)),
        };
        // Both directions round half up, so the guess is off by less than two tokens of the larger unit.
        let mut least = guess.saturating_sub(apply(2, down, up).saturating_add(2));
        let mut most = guess.saturating_add(apply(2, down, up).saturating_add(2));
        while least < most {
            let middle = least + (most - least).div_ceil(2);
            if self.at(middle) <= tokens {
                least = middle;
            } else {
                most = middle - 1;
            }
        }
        least
    }

    /// How far [`Self::total`] can be off, in tokens (95th percentile): only the tail is uncertain.
    pub fn bound(self, tail: u64, bound: ErrorBound) -> u64 {
        let tail = self.total(tail).saturating_sub(self.reported);
        scale(tail, bound.tail).min(scale(self.reported.saturating_add(tail), bound.document))
    }
}

/// `amount * by / of`, rounded half up.
fn apply(amount: u64, by: u128, of: u128) -> u64 {
    let product = u128::from(amount).saturating_mul(by).saturating_add(of / 2);
    product.checked_div(of).and_then(|tokens| u64::try_from(tokens).ok()).unwrap_or(u64::MAX)
}

impl Default for Anchor {
    /// Nothing was reported: an estimate is taken as it is.
    fn default() -> Self {
        Self { reported: 1, estimated: 1, origin: (1, 1) }
    }
}

#[cfg(test)]
mod tests {
    use super::Anchor;
    use crate::error::Result;

    #[test]
    fn without_a_report_an_estimate_stands() {
        for tokens in [0, 1, 2, 999, u64::from(u32::MAX)] {
            assert_eq!(Anchor::default().at(tokens), tokens);
            assert_eq!(Anchor::default().within(tokens), tokens);
        }
    }

    #[test]
    fn a_budget_is_never_passed() -> Result<()> {
        for (reported, estimated) in [(4217, 1000), (1000, 4217), (9000, 300), (77, 77)] {
            let anchor = Anchor::new(reported, estimated)?.grown(reported + 900, estimated + 700)?;
            for budget in [0, 1, 500, 9999, 1_000_000] {
                let most = anchor.within(budget);
                assert!(most == 0 || anchor.at(most) <= budget, "{anchor:?} {budget}: {most}");
                assert!(anchor.at(most + 1) > budget || anchor.at(most + 1) == anchor.at(most), "{anchor:?} {budget}");
            }
        }
        Ok(())
    }

    #[test]
    fn a_hidden_system_prompt_is_a_constant() -> Result<()> {
        let anchor = Anchor::new(20_100, 100)?.grown(20_300, 300)?;
        assert_eq!(anchor.at(1300), 21_300);
        assert_eq!(anchor.at(100), 20_100);
        Ok(())
    }
}
