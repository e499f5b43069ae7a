//! The correction that real usage gives: after one reported call only what changed since is estimated.

use super::{ErrorBound, Usage};
use crate::error::{Error, Result};
use crate::tokens::data::scale;

/// How many estimated tokens the first report's ratio weighs beside what reports differed by since: two or three
/// messages, below which rounding and framing outweigh the text. It fades: the first ratio takes a constant for
/// a ratio where a proxy adds one, and differences do not.
const FIRST_WEIGHT: u64 = 2000;

/// No estimate is off by more than this: 4 characters a token needs 4.2 for Korean on Claude. A first report
/// beyond it covers content that the estimate does not know of (a system prompt kept by a proxy), which
/// is a constant and says nothing about the text.
const FARTHEST: u64 = 5;

/// Differences beyond this are halved, so that what a conversation is made of by now outweighs what it once was.
const MOST_LEARNT: u64 = 1 << 16;

/// A difference between two reports may be off by this part of them: the noise of what providers report. Beyond it
/// the constant has changed, and nothing is learnt about the ratio.
const NOISE_PARTS: u64 = 20;

/// How far a first report may lie from the estimate and still be within what a counter claims: framing, rounding.
const CLOSE_PERMILLE: u64 = 20;

/// How far the ratio of a text may be off whose counter was found to be off, per 1,000: then even the first report
/// may be a constant, and the text cost a third of its estimate or nearly twice as much.
const UNKNOWN_PERMILLE: u64 = 700;

/// The two largest errors of two runs of reports, the one that is going on and the one before it. The second
/// largest is a 95th percentile of both, and one jump that does not come again is not held against all that follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Misses {
    now: (u32, u32),
    before: (u32, u32),
    count: u32,
}

impl Misses {
    const NONE: Self = Self { now: (0, 0), before: (0, 0), count: 0 };
    const RUN: u32 = 16;

    fn with(self, missed: u64) -> Self {
        let missed = u32::try_from(missed).unwrap_or(u32::MAX);
        let fresh = if self.count < Self::RUN { self } else { Self { before: self.now, ..Self::NONE } };
        let (first, second) = fresh.now;
        Self { now: (first.max(missed), second.max(first.min(missed))), count: fresh.count + 1, ..fresh }
    }

    const fn second(self) -> u32 {
        let ((first, second), (other, next)) = (self.now, self.before);
        let (least, most) = if first < other { (first, next) } else { (other, second) };
        if least > most { least } else { most }
    }
}

/// What a provider reported for a context, beside the estimate of exactly the same content; and what the reports
/// before it taught: a *ratio*, reported over estimated, of the text in which they differ. Whatever the estimate
/// cannot see (a proxy's system prompt) is the constant that is left, so the line through the report with that ratio
/// corrects any other context of the same conversation, grown, cut, or with another system prompt.
///
/// The ratio is not clamped within [`FARTHEST`]: an estimate of 4 characters a token needs 4.2 for Korean on Claude.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Anchor {
    reported: u64,
    estimated: u64,
    /// The first report of the conversation.
    first: (u64, u64),
    /// What reports since differed by, reported (with the sign of the estimate's difference) and estimated.
    learnt: (i64, u64),
    misses: Misses,
}

impl Anchor {
    /// `reported` tokens by the provider for content that was estimated at `estimated`.
    pub fn new(reported: u64, estimated: u64) -> Result<Self> {
        for (name, value) in [("reported", reported), ("estimated", estimated)] {
            if value == 0 {
                return Err(Error::OutOfRange { name, expected: "at least 1 token", got: value.to_string() });
            }
        }
        Ok(Self { reported, estimated, first: (reported, estimated), learnt: (0, 0), misses: Misses::NONE })
    }

    /// The anchor after a call that sent `input_estimate` and whose answer was estimated at
    /// `output_estimate`: the answer is part of the next context, so it is covered as well.
    pub fn from_usage(usage: Usage, input_estimate: u64, output_estimate: u64) -> Result<Self> {
        let reported = usage.input.saturating_add(if output_estimate == 0 { 0 } else { usage.output });
        Self::new(reported, input_estimate.saturating_add(output_estimate))
    }

    /// A later report of the same context, grown or cut. What both contain, and the estimate does not know of, is in
    /// their difference no more.
    pub fn grown(self, reported: u64, estimated: u64) -> Result<Self> {
        self.grown_from(self, reported, estimated)
    }

    /// The same where `self` is the last report of the conversation, and `like` the last one of a context that is more
    /// like the new one: of the same system prompt, tools and thinking mode.
    pub fn grown_from(self, like: Self, reported: u64, estimated: u64) -> Result<Self> {
        let fresh = Self::new(reported, estimated)?;
        let expected = Self { reported: like.reported, estimated: like.estimated, ..self }.at(estimated);
        let misses = self.misses.with(reported.abs_diff(expected));
        Ok(Self { first: self.first, learnt: self.learning(like, reported, estimated), misses, ..fresh })
    }

    fn learning(self, like: Self, reported: u64, estimated: u64) -> (i64, u64) {
        let more = signed(reported).saturating_sub(signed(like.reported));
        let more = if estimated < like.estimated { more.saturating_neg() } else { more };
        let ran = estimated.abs_diff(like.estimated);
        let noise = signed(reported.max(like.reported) / NOISE_PARTS);
        let most = signed(ran.saturating_mul(FARTHEST)).saturating_add(noise);
        if ran == 0 || !(-noise..=most).contains(&more) {
            return self.learnt;
        }
        let (rise, run) = (self.learnt.0.saturating_add(more), self.learnt.1.saturating_add(ran));
        if run > MOST_LEARNT { (rise / 2, run / 2) } else { (rise, run) }
    }

    /// Whether the first report can be read as a ratio.
    fn is_ratio(self) -> bool {
        let (reported, estimated) = self.first;
        reported / FARTHEST <= estimated && estimated / FARTHEST <= reported
    }

    /// What the first report's ratio weighs by now.
    fn weight(self) -> u64 {
        FIRST_WEIGHT * FIRST_WEIGHT / FIRST_WEIGHT.saturating_add(self.learnt.1)
    }

    /// The ratio as numerator and denominator: the first report's, and what reports differed by in proportion.
    fn ratio(self) -> (u128, u128) {
        let (reported, estimated) = self.first;
        let (first, of) = if self.is_ratio() { (u128::from(reported), u128::from(estimated)) } else { (1, 1) };
        let (rise, run) = (u128::from(self.learnt.0.max(0).unsigned_abs()), u128::from(self.learnt.1));
        // (rise + weight * first / of) / (run + weight), over the common denominator. Real sizes
        // stay far below 128 bits; absurd ones saturate.
        let weight = u128::from(self.weight());
        let up = rise.saturating_mul(of).saturating_add(weight.saturating_mul(first));
        let down = run.saturating_add(weight).saturating_mul(of);
        let farthest = u128::from(FARTHEST);
        match (up.saturating_mul(farthest) < down, up > down.saturating_mul(farthest)) {
            (true, _) => (1, farthest),
            (_, true) => (farthest, 1),
            _ => (up, down),
        }
    }

    /// What was estimated for the content of the report.
    pub const fn estimated(self) -> u64 {
        self.estimated
    }

    /// How far off the count was when the last reports came in, in tokens: more in one of 16 to 32 at most.
    pub const fn missed(self) -> u64 {
        self.misses.second() as u64
    }

    /// How far the ratio can be off because little was learnt about it, per 1,000 tokens of difference from the
    /// report, for a counter that says to be off by `claimed` per 1,000 of a text. A first report that lies farther off
    /// may be a ratio or a constant.
    pub fn doubt(self, claimed: u64) -> u64 {
        let (reported, estimated) = self.first;
        let off = apply(1000, reported.abs_diff(estimated).into(), estimated.into());
        let unknown = if off <= claimed + CLOSE_PERMILLE { claimed } else { UNKNOWN_PERMILLE.max(claimed) };
        let apart = if self.is_ratio() { off } else { 0 };
        let weight = self.weight();
        apply(apart + unknown, weight.into(), weight.saturating_add(self.learnt.1).into())
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

fn signed(tokens: u64) -> i64 {
    i64::try_from(tokens).unwrap_or(i64::MAX)
}

/// `amount * by / of`, rounded half up.
fn apply(amount: u64, by: u128, of: u128) -> u64 {
    let product = u128::from(amount).saturating_mul(by).saturating_add(of / 2);
    product.checked_div(of).and_then(|tokens| u64::try_from(tokens).ok()).unwrap_or(u64::MAX)
}

impl Default for Anchor {
    /// Nothing was reported: an estimate is taken as it is.
    fn default() -> Self {
        Self { reported: 1, estimated: 1, first: (1, 1), learnt: (0, 0), misses: Misses::NONE }
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
