//! Tokens of pictures, documents, sounds and videos, by size and length, as dated data (`data/images.json`).
//!
//! Never by the length of the data: a photograph of 3 MB costs what its pixels cost. What only the provider can
//! read is the exception: its length is all that is known.

use std::sync::LazyLock;

use serde::Deserialize;

use super::data::{Parsed, parse, parsed, scale};
use crate::error::{Error, Result};
use crate::message::Media;

/// How one family of models counts media.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct MediaRule {
    /// Its name in the data.
    pub name: String,
    #[serde(flatten)]
    picture: Picture,
    /// Tokens of a document's page.
    page: u64,
    /// Tokens of a second of sound.
    second: u64,
    /// Tokens of a second of video.
    video: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase", tag = "rule")]
enum Picture {
    /// Fitted into 2,048 px and a short side of 768 px, then cut into squares of 512 px.
    Tiles { base: u64, tile: u64 },
    /// Squares of `patch` px after the picture was shrunk to `edge` (0: any) and at most `cap` squares.
    Patches { patch: u64, edge: u64, cap: u64, original_edge: u64, original_cap: u64, permille: u64 },
    /// One tile up to `small` px on both sides, else a tile for each square of `side` px.
    Gemini { small: u64, side: u64, tile: u64 },
    /// The same whatever the size.
    Flat { tokens: u64 },
}

#[derive(Deserialize)]
struct File {
    unknown: Unknown,
    opaque: Opaque,
    rules: Vec<MediaRule>,
}

#[derive(Deserialize)]
struct Unknown {
    width: u64,
    height: u64,
    pages: u64,
    seconds: u64,
}

/// How long content that only the provider can read is, from the length of its base64.
#[derive(Deserialize)]
struct Opaque {
    /// Bytes that are no content: version, nonce, tag.
    envelope: u64,
    bytes_per_token: u64,
}

impl Opaque {
    fn tokens(&self, characters: u64) -> u64 {
        let bytes = (characters / 4).saturating_mul(3).saturating_sub(self.envelope);
        bytes.div_ceil(self.bytes_per_token.max(1))
    }
}

static TABLE: Parsed<File> = LazyLock::new(|| parse(FILE, include_str!("../../data/images.json")));
const FILE: &str = "images.json";

/// The media rule called `name` in the data.
pub fn named(name: &str) -> Result<&'static MediaRule> {
    let found = parsed(&TABLE)?.rules.iter().find(|rule| rule.name == name);
    found.ok_or_else(|| Error::Data { file: FILE, reason: format!("no rule called {name:?}") })
}

impl MediaRule {
    /// Tokens of one picture, document, sound or video, or of what only the provider can read; at least 1.
    pub fn tokens(&self, media: Media<'_>) -> Result<u64> {
        let File { unknown, opaque, .. } = parsed(&TABLE)?;
        Ok(match media {
            Media::Image { size, detail } => {
                let size =
                    size.map_or((unknown.width, unknown.height), |(width, height)| (width.into(), height.into()));
                self.picture.tokens((size.0.max(1), size.1.max(1)), detail)
            }
            Media::Document { pages } => self.page.saturating_mul(pages.map_or(unknown.pages, u64::from).max(1)),
            Media::Audio { seconds } => self.second.saturating_mul(whole_seconds(seconds).unwrap_or(unknown.seconds)),
            Media::Video { seconds } => self.video.saturating_mul(whole_seconds(seconds).unwrap_or(unknown.seconds)),
            Media::Opaque { characters } => opaque.tokens(characters as u64),
        }
        .max(1))
    }
}

/// Whether the size or length is known that decides the tokens, and not assumed.
pub fn is_measured(media: Media<'_>) -> bool {
    match media {
        Media::Image { size, .. } => size.is_some(),
        Media::Document { pages } => pages.is_some(),
        Media::Audio { seconds } | Media::Video { seconds } => whole_seconds(seconds).is_some(),
        Media::Opaque { .. } => true,
    }
}

/// A started second counts whole; what is no length is unknown.
fn whole_seconds(seconds: Option<f64>) -> Option<u64> {
    let seconds = seconds?.ceil();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked before")]
    (1.0..1e9).contains(&seconds).then_some(seconds as u64)
}

impl Picture {
    fn tokens(self, size: (u64, u64), detail: &str) -> u64 {
        match self {
            Self::Tiles { base, .. } if detail == "low" => base,
            Self::Tiles { base, tile } => {
                let (width, height) = shrink_short(shrink(size, 2048), 768);
                base + tile * width.div_ceil(512) * height.div_ceil(512)
            }
            Self::Patches { patch, edge, cap, original_edge, original_cap, permille } => {
                let (edge, cap) = match detail {
                    "original" => (original_edge, original_cap),
                    // "low" is a version of 512 px.
                    "low" => (512, cap),
                    _ => (edge, cap),
                };
                scale(patches(if edge == 0 { size } else { shrink(size, edge) }, patch, cap), permille)
            }
            Self::Gemini { small, tile, .. } if size.0 <= small && size.1 <= small => tile,
            Self::Gemini { side, tile, .. } => tile.saturating_mul(size.0.div_ceil(side) * size.1.div_ceil(side)),
            Self::Flat { tokens } => tokens,
        }
    }
}

/// The size with its long edge at most `edge`, in proportion.
fn shrink(size: (u64, u64), edge: u64) -> (u64, u64) {
    let long = size.0.max(size.1);
    if long <= edge { size } else { (part(size.0, edge, long), part(size.1, edge, long)) }
}

/// The size with its short edge at most `edge`, in proportion.
fn shrink_short(size: (u64, u64), edge: u64) -> (u64, u64) {
    let short = size.0.min(size.1);
    if short <= edge { size } else { (part(size.0, edge, short), part(size.1, edge, short)) }
}

/// `length * edge / of`, rounded half up, at least 1.
fn part(length: u64, edge: u64, of: u64) -> u64 {
    ((length * edge + of / 2) / of).max(1)
}

/// Squares of `patch` px that cover the picture, shrunk in proportion until there are at most `cap`.
///
/// The number only falls with the long edge, so the largest edge that fits is found by halving: at most
/// 32 steps, which is exact where scaling by a square root is off by the rounding of the grid.
fn patches(size: (u64, u64), patch: u64, cap: u64) -> u64 {
    let grid = |(width, height): (u64, u64)| width.div_ceil(patch) * height.div_ceil(patch);
    if grid(size) <= cap {
        return grid(size);
    }
    let (mut low, mut high) = (1, size.0.max(size.1));
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if grid(shrink(size, middle)) <= cap { low = middle } else { high = middle - 1 }
    }
    grid(shrink(size, low))
}

#[cfg(test)]
mod tests {
    use super::{is_measured, named};
    use crate::error::Result;
    use crate::message::Media;

    fn tokens(rule: &str, width: u32, height: u32, detail: &str) -> Result<u64> {
        named(rule)?.tokens(Media::Image { size: Some((width, height)), detail })
    }

    #[test]
    fn published_examples() {
        // OpenAI's images guide (gpt-4o): a square of 1,024 is 765, 2,048 x 4,096 is 1,105, low detail 85.
        assert_eq!(tokens("openai-gpt-4o", 1024, 1024, "high"), Ok(765));
        assert_eq!(tokens("openai-gpt-4o", 2048, 4096, "high"), Ok(1105));
        assert_eq!(tokens("openai-gpt-4o", 4096, 8192, "low"), Ok(85));
        // Anthropic's vision page: full HD and 4K on both tiers.
        assert_eq!(tokens("anthropic-standard", 1920, 1080, ""), Ok(1560));
        assert_eq!(tokens("anthropic-high", 1920, 1080, ""), Ok(2691));
        assert_eq!(tokens("anthropic-high", 3840, 2160, ""), Ok(4784));
        // Gemini: one tile up to 384 px, then squares of 768 px.
        assert_eq!(tokens("gemini-tiles", 384, 384, ""), Ok(258));
        assert_eq!(tokens("gemini-tiles", 960, 540, ""), Ok(516));
        // OpenAI's patch models: 1,024 patches times the model's factor.
        assert_eq!(tokens("openai-mini", 1024, 1024, ""), Ok(1659));
        assert_eq!(tokens("openai-original", 4096, 4096, "original"), Ok(10_000));
        assert_eq!(tokens("openai-original", 4096, 4096, "low"), Ok(256));
    }

    #[test]
    fn hostile_sizes_are_counted() {
        for rule in ["openai-gpt-4o", "openai-mini", "anthropic-high", "gemini-tiles", "gemini-3"] {
            for (width, height) in [(0, 0), (1, u32::MAX), (u32::MAX, u32::MAX)] {
                assert!(tokens(rule, width, height, "original").is_ok_and(|tokens| tokens >= 1), "{rule}");
            }
        }
    }

    #[test]
    fn unknown_lengths_have_a_documented_size() {
        let rule = named("anthropic-high");
        let count = |media| rule.clone().and_then(|rule| rule.tokens(media));
        assert_eq!(count(Media::Image { size: None, detail: "" }), Ok(37 * 37));
        assert_eq!(count(Media::Document { pages: None }), Ok(5 * 2347));
        assert_eq!(count(Media::Document { pages: Some(2) }), Ok(2 * 2347));
        for seconds in [None, Some(f64::NAN), Some(-1.0), Some(f64::INFINITY), Some(30.0), Some(29.5)] {
            assert_eq!(count(Media::Audio { seconds }), Ok(30 * 32), "{seconds:?}");
            assert_eq!(
                is_measured(Media::Audio { seconds }),
                seconds.is_some_and(|seconds| seconds > 29.0 && seconds < 31.0)
            );
        }
    }

    #[test]
    fn what_only_the_provider_can_read_counts_by_its_length() {
        let tokens = |characters| named("anthropic-high").and_then(|rule| rule.tokens(Media::Opaque { characters }));
        // 40,000 characters are 30,000 bytes, 29,350 without the envelope, at 4 bytes a token.
        assert_eq!((tokens(40_000), tokens(868), tokens(0)), (Ok(7338), Ok(1), Ok(1)));
        assert!(tokens(usize::MAX).is_ok_and(|tokens| tokens > 1 << 60));
    }
}
