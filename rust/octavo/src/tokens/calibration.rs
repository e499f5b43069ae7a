//! Counts of tokenizers that have no public vocabulary: `o200k_base`'s count times a ratio.
//!
//! The ratio depends on what the text is: Korean costs Claude 1.8 times `o200k_base`, English 1.1 or 1.5
//! times, by generation. Ratios per content class are dated data (`data/calibration.json`); a text of
//! several scripts gets the mean of theirs, weighed by the tokens that each is likely to have.
//! Everything is integer arithmetic, so that every machine counts the same.

mod anchor;
mod content;
mod longest;
mod usage;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;

use super::CountTokens;
use super::data::{Parsed, parse, parsed, scale};
use crate::error::{Error, Result};

pub use anchor::Anchor;
pub use content::{CLASSES, Class, Content};
pub use usage::Usage;

/// Ratios outside of this range are a mistake in the data, and the bound lets searches stop early.
const RATIO_RANGE: std::ops::RangeInclusive<u64> = 500..=4000;

/// How far counts can be off, per 1,000 tokens (95th percentile).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct ErrorBound {
    /// Of one document, before any usage was reported.
    #[serde(rename = "error_permille")]
    pub document: u64,
    /// Of a whole context that is anchored on reported usage.
    #[serde(rename = "anchored_permille")]
    pub anchored: u64,
    /// Of what was added after the anchor.
    #[serde(rename = "tail_permille")]
    pub tail: u64,
}

impl ErrorBound {
    /// Of a count that is exact.
    pub const EXACT: Self = Self { document: 0, anchored: 0, tail: 0 };
}

/// One tokenizer's ratios to `o200k_base`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calibration {
    /// Its name in the data.
    pub name: String,
    /// How far its counts can be off.
    pub bound: ErrorBound,
    /// Ratio per 1,000, and `o200k_base` tokens per 1,000 characters, of each class.
    weights: [Weight; CLASSES],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Weight {
    ratio: u64,
    density: u64,
}

#[derive(Deserialize)]
struct File {
    classes: Vec<ClassRow>,
    sets: Vec<SetRow>,
    estimated: ErrorBound,
    media: MediaError,
    unstated: Share,
    tools: Share,
}

/// How far the count of what is no text can be off, per 1,000 tokens (95th percentile).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct MediaError {
    /// Where its size or length is known.
    #[serde(rename = "error_permille")]
    pub measured: u64,
    /// Where it is assumed.
    #[serde(rename = "unmeasured_permille")]
    pub unmeasured: u64,
}

#[derive(Deserialize)]
struct ClassRow {
    name: String,
    density: u64,
}

#[derive(Deserialize)]
struct SetRow {
    name: String,
    ratios: BTreeMap<String, u64>,
    #[serde(flatten)]
    bound: ErrorBound,
}

#[derive(Deserialize)]
struct Share {
    error_permille: u64,
}

struct Table {
    sets: Vec<Calibration>,
    estimated: ErrorBound,
    media: MediaError,
    unstated: u64,
    tools: u64,
}

static TABLE: Parsed<Table> = LazyLock::new(|| resolve(parse(FILE, include_str!("../../data/calibration.json"))?));
const FILE: &str = "calibration.json";

fn resolve(file: File) -> Result<Table> {
    let sets = file.sets.into_iter().map(|set| calibration(set, &file.classes)).collect::<Result<_>>()?;
    let (unstated, tools) = (file.unstated.error_permille, file.tools.error_permille);
    Ok(Table { sets, estimated: file.estimated, media: file.media, unstated, tools })
}

fn calibration(set: SetRow, classes: &[ClassRow]) -> Result<Calibration> {
    let mut weights = [Weight::default(); CLASSES];
    for (weight, class) in weights.iter_mut().zip(Class::ALL) {
        let density = classes.iter().find(|row| row.name == class.name()).map(|row| row.density);
        let ratio = set.ratios.get(class.name()).copied().filter(|ratio| RATIO_RANGE.contains(ratio));
        let (Some(density @ 1..), Some(ratio)) = (density, ratio) else {
            return Err(Error::Data {
                file: FILE,
                reason: format!("{}: no usable row for {}", set.name, class.name()),
            });
        };
        *weight = Weight { ratio, density };
    }
    Ok(Calibration { name: set.name, bound: set.bound, weights })
}

/// The ratios called `name` in the data.
pub fn named(name: &str) -> Result<&'static Calibration> {
    let found = parsed(&TABLE)?.sets.iter().find(|set| set.name == name);
    found.ok_or_else(|| Error::Data { file: FILE, reason: format!("no set called {name:?}") })
}

/// How far a count by a stand-in vocabulary can be off.
pub fn estimated_bound() -> Result<ErrorBound> {
    Ok(parsed(&TABLE)?.estimated)
}

/// How far the count of a picture, document or sound can be off.
pub fn media_error() -> Result<MediaError> {
    Ok(parsed(&TABLE)?.media)
}

/// How far the count of a text can be off that the provider writes in a way of its own, per 1,000 tokens.
pub fn unstated_error() -> Result<u64> {
    Ok(parsed(&TABLE)?.unstated)
}

/// How far the count of tool definitions can be off, per 1,000 tokens.
pub fn tools_error() -> Result<u64> {
    Ok(parsed(&TABLE)?.tools)
}

impl Calibration {
    /// Tokens per 1,000 tokens of `o200k_base`, for a text with this content.
    pub fn permille(&self, content: &Content) -> u64 {
        // Shares are below 2^22 a character, so 64 bits hold texts of 4 TB; a longer one saturates.
        let (mut sum, mut all) = (0_u64, 0_u64);
        for (class, characters) in content.classes() {
            let Some(weight) = self.weights.get(class as usize) else { continue };
            let share = characters.saturating_mul(weight.density);
            sum = sum.saturating_add(share.saturating_mul(weight.ratio));
            all = all.saturating_add(share);
        }
        sum.saturating_add(all / 2).checked_div(all).unwrap_or(1000)
    }

    /// The smallest ratio of any class.
    fn least(&self) -> u64 {
        self.weights.iter().map(|weight| weight.ratio).min().unwrap_or(*RATIO_RANGE.start())
    }

    /// Tokens of a text with this content that has `base` tokens of `o200k_base`. At least 1 where `base` is.
    pub fn tokens(&self, content: &Content, base: u64) -> u64 {
        if base == 0 { 0 } else { scale(base, self.permille(content)).max(1) }
    }
}

/// A counter whose counts are another's times a ratio.
pub struct Calibrated {
    base: Arc<dyn CountTokens>,
    ratios: &'static Calibration,
}

impl Calibrated {
    /// Counts as `ratios` says; `base` counts `o200k_base`.
    pub fn new(base: Arc<dyn CountTokens>, ratios: &'static Calibration) -> Self {
        Self { base, ratios }
    }

    fn apply(&self, text: &str, base: usize) -> usize {
        usize::try_from(self.ratios.tokens(&Content::of(text), base as u64)).unwrap_or(usize::MAX)
    }
}

impl CountTokens for Calibrated {
    fn count(&self, text: &str) -> usize {
        self.apply(text, self.base.count(text))
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        // No ratio is below one half, so twice the limit in the base is past the limit here.
        let base = self.base.count_up_to(text, limit.saturating_mul(2).saturating_add(1))?;
        Some(self.apply(text, base)).filter(|&tokens| tokens <= limit)
    }

    fn truncate<'text>(&self, text: &'text str, limit: usize) -> &'text str {
        if self.count_up_to(text, limit).is_some() {
            return text;
        }
        let length = longest::length(text, limit as u64, self.base.as_ref(), self.ratios);
        text.get(..length).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
