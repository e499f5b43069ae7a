//! Shortening one text by its structure, to a number of tokens.
//!
//! A tool's output is split into units (lines, or the elements of JSON), the units are ranked by what its reader will
//! need, and as many of the best ranked as fit are kept in their order. Where others stood, a mark says how many
//! were left out. Every answer was counted as it stands, marks included: nothing is estimated.
//!
//! Time is linear in the text (but for sorting the ranks): the text is counted once, and the search for how many units
//! fit counts only what is about as long as the limit.

mod code;
mod cues;
mod detect;
mod diff;
mod fit;
mod html;
mod json;
mod log;
mod markdown;
mod pieces;
mod plain;
mod terminal;

use std::borrow::Cow;

pub use detect::detect;

use crate::tokens::CountTokens;
use fit::Limit;

/// What a text is, which decides what of it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// One JSON object or array.
    Json,
    /// A log, or what a command printed.
    Log,
    /// Source code, with or without line numbers.
    Code,
    /// A web page or a part of one.
    Html,
    /// A unified diff.
    Diff,
    /// Markdown.
    Markdown,
    /// Anything else.
    Plain,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 7] = [Self::Json, Self::Log, Self::Code, Self::Html, Self::Diff, Self::Markdown, Self::Plain];

    /// Its name, as callers write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Log => "log",
            Self::Code => "code",
            Self::Html => "html",
            Self::Diff => "diff",
            Self::Markdown => "markdown",
            Self::Plain => "plain",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// How much was left out. Lines, items, keys and characters are the sums of what the marks in the text say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeftOut {
    /// Tokens of the text that was given less tokens of the text that was made.
    pub tokens: usize,
    /// Whole lines: of the text that HTML became, for HTML; after progress lines were collapsed.
    pub lines: usize,
    /// Elements of JSON arrays that are shown. What is inside of an element that was left out is not counted again.
    pub items: usize,
    /// Members of JSON objects that are shown.
    pub keys: usize,
    /// Characters (code points) of lines, or of JSON strings, that are shown in part.
    pub characters: usize,
}

/// A text that has at most so many tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortened<'text> {
    /// The text: borrowed where it fits as it is.
    pub text: Cow<'text, str>,
    /// Its tokens.
    pub tokens: usize,
    /// By which structure it was shortened.
    pub kind: Kind,
    /// What is missing.
    pub left_out: LeftOut,
}

/// What was made of a text, if anything fits, and what is missing in it.
type Made = Option<(String, LeftOut)>;

/// Stands alone where not even a mark with a number fits. The same as in `octavo.cutting`.
const SHORT_MARK: &str = "[…]";

/// The text in at most `limit` tokens, by the structure that it has, or by that of the `kind` which is stated.
///
/// A text that fits is given back as it is. Else terminal codes are dropped and progress lines collapsed, and where
/// that is not enough, units are left out. A kind that the text does not have (JSON that does not parse, HTML that shows
/// nothing) is taken as [`Kind::Plain`]. Where not even `[…]` fits, nothing is left: the text is empty.
pub fn shorten<'text>(
    text: &'text str,
    limit: usize,
    counter: &dyn CountTokens,
    kind: Option<Kind>,
) -> Shortened<'text> {
    if let Some(tokens) = counter.count_up_to(text, limit) {
        let kind = kind.unwrap_or_else(|| detect(text));
        return Shortened { text: Cow::Borrowed(text), tokens, kind, left_out: LeftOut::default() };
    }
    let total = counter.count(text);
    let bound = Limit::new(counter, limit, text);
    let (kind, made) = structured(text, &bound, kind);
    let (made, left_out) = made.or_else(|| marked(text, kind, &bound)).unwrap_or_default();
    let tokens = counter.count(&made);
    let left_out = LeftOut { tokens: total.saturating_sub(tokens), ..left_out };
    Shortened { text: Cow::Owned(made), tokens, kind, left_out }
}

/// The text shortened by its structure, and which that is.
fn structured(text: &str, bound: &Limit<'_>, kind: Option<Kind>) -> (Kind, Made) {
    let washed = terminal::wash(text);
    let kind = kind.unwrap_or_else(|| detect(&washed));
    let structured = match kind {
        Kind::Json => json::shorten(text, bound),
        Kind::Html => html::shorten(&washed, bound),
        _ => None,
    };
    if let Some(made) = structured {
        return (kind, made);
    }
    let kind = if matches!(kind, Kind::Json | Kind::Html) { Kind::Plain } else { kind };
    if matches!(washed, Cow::Owned(_)) && bound.holds(&washed) {
        return (kind, Some((washed.into_owned(), LeftOut::default())));
    }
    let made = match kind {
        Kind::Log => log::shorten(&washed, bound),
        Kind::Code => code::shorten(&washed, bound),
        Kind::Diff => diff::shorten(&washed, bound),
        Kind::Markdown => markdown::shorten(&washed, bound),
        Kind::Plain | Kind::Json | Kind::Html => plain::shorten(&washed, bound),
    };
    (kind, made)
}

/// The mark alone, for where no unit fits beside it. It says that all is missing without a number.
fn marked(text: &str, kind: Kind, bound: &Limit<'_>) -> Made {
    let mark = if kind == Kind::Json { json::SHORT_MARK } else { SHORT_MARK };
    let lines = LeftOut { lines: text.split_inclusive('\n').count(), ..LeftOut::default() };
    let left_out = if kind == Kind::Json { LeftOut::default() } else { lines };
    bound.holds(mark).then(|| (mark.to_owned(), left_out)).or_else(|| Some((String::new(), left_out)))
}
