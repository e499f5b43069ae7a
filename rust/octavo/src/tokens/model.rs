//! Model names: what is counted for each, and what its provider does with a conversation.
//!
//! The table is dated data (`data/models.json`). A name is cleaned of what hosts add to it, and matched by
//! its longest known beginning; what no row matches gets the table's fallback, marked as unknown.

use std::sync::{Arc, LazyLock};

use serde::Deserialize;

use super::calibration::{self, Calibrated, Calibration, ErrorBound};
use super::data::{Parsed, parse, parsed};
use super::framing::{self, Framing};
use super::image::{self, MediaRule};
use super::{CountTokens, encoding};
use crate::error::{Error, Result};
use crate::message::Format;

/// How a count was made. Later ones are less certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// By the model's own vocabulary.
    Exact,
    /// By another vocabulary, times measured ratios.
    Calibrated,
    /// By another vocabulary that stands in, or by a rule of thumb.
    Estimated,
}

impl Method {
    /// Its name, as reports write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Calibrated => "calibrated",
            Self::Estimated => "estimated",
        }
    }
}

/// What a provider does by default with the reasoning of earlier turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Thinking {
    /// It stays in the context and is counted.
    Kept,
    /// It is taken out before the model reads the context.
    Stripped,
}

/// One row of the model table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts that the table states, each with its name")]
pub struct Profile {
    /// The beginning of the name that the row matches; empty for the fallback.
    pub prefix: String,
    /// Whose rules hold for messages in the row's format: `anthropic`, `openai`, `gemini` or `bedrock`.
    pub provider: String,
    /// The format that its messages are usually written in.
    pub format: Format,
    /// The encoding that is counted with.
    pub encoding: String,
    /// How counts are made.
    pub method: Method,
    /// How far counts can be off.
    pub bound: ErrorBound,
    /// What the chat format adds.
    pub framing: &'static Framing,
    /// How media are counted.
    pub media: &'static MediaRule,
    /// Ratios to the encoding, where the method is [`Method::Calibrated`].
    pub calibration: Option<&'static Calibration>,
    /// Tokens of the context window, where a source states them.
    pub window: Option<u32>,
    /// Whether the conversation may end with the beginning of the answer.
    pub prefill: bool,
    /// Whether system messages may stand amid the others, where a source says so.
    pub system_messages: Option<bool>,
    /// Whether a tool loop must start with thinking while thinking is on.
    pub thinking_first: bool,
    /// Whether calls of the current turn must carry a thought signature.
    pub signed_calls: bool,
    /// Whether assistant messages with calls must carry `reasoning_content` while thinking is on.
    pub reasoning_content: bool,
    /// What happens to the reasoning of earlier turns.
    pub thinking: Thinking,
    /// The shortest prefix that the provider caches, in tokens, where a source states it.
    pub cache_minimum: Option<u32>,
    /// Tokens of the system prompt that tools bring: with a free choice, and with a forced one.
    pub tool_prompt: [u32; 2],
    /// Whether a row of the table matched.
    pub known: bool,
}

#[derive(Deserialize)]
struct File {
    vendors: Vec<String>,
    fallback: Row,
    groups: Vec<Group>,
}

#[derive(Deserialize)]
struct Group {
    #[serde(flatten)]
    shared: Row,
    models: Vec<Row>,
}

#[derive(Deserialize, Clone, Default)]
struct Row {
    prefix: Option<String>,
    provider: Option<String>,
    format: Option<String>,
    encoding: Option<String>,
    method: Option<Method>,
    framing: Option<String>,
    image: Option<String>,
    calibration: Option<String>,
    window: Option<u32>,
    prefill: Option<bool>,
    system_messages: Option<bool>,
    thinking_first: Option<bool>,
    signed_calls: Option<bool>,
    reasoning_content: Option<bool>,
    thinking: Option<Thinking>,
    cache_minimum: Option<u32>,
    tool_prompt: Option<[u32; 2]>,
}

struct Table {
    vendors: Vec<String>,
    fallback: Profile,
    /// Longest prefix first.
    profiles: Vec<Profile>,
}

static TABLE: Parsed<Table> = LazyLock::new(|| resolve(parse(FILE, include_str!("../../data/models.json"))?));
const FILE: &str = "models.json";

fn resolve(file: File) -> Result<Table> {
    let mut profiles = Vec::new();
    for group in file.groups {
        for row in group.models {
            profiles.push(profile_of(row, &group.shared, true)?);
        }
    }
    profiles.sort_by(|one, other| other.prefix.len().cmp(&one.prefix.len()).then(one.prefix.cmp(&other.prefix)));
    let fallback = profile_of(file.fallback, &Row::default(), false)?;
    Ok(Table { vendors: file.vendors, fallback, profiles })
}

fn profile_of(row: Row, shared: &Row, known: bool) -> Result<Profile> {
    let prefix = plain(&row.prefix.clone().unwrap_or_default());
    let method = needed(row.method.or(shared.method), &prefix, "method")?;
    let calibration = match row.calibration.or_else(|| shared.calibration.clone()) {
        Some(name) if method == Method::Calibrated => Some(calibration::named(&name)?),
        _ => None,
    };
    Ok(Profile {
        provider: needed(row.provider.or_else(|| shared.provider.clone()), &prefix, "provider")?,
        format: format(&needed(row.format.or_else(|| shared.format.clone()), &prefix, "format")?)?,
        encoding: needed(row.encoding.or_else(|| shared.encoding.clone()), &prefix, "encoding")?,
        method,
        bound: bound(method, calibration)?,
        framing: framing::named(&needed(row.framing.or_else(|| shared.framing.clone()), &prefix, "framing")?)?,
        media: image::named(&needed(row.image.or_else(|| shared.image.clone()), &prefix, "image")?)?,
        calibration,
        window: row.window.or(shared.window),
        prefill: needed(row.prefill.or(shared.prefill), &prefix, "prefill")?,
        system_messages: row.system_messages.or(shared.system_messages),
        // The stricter reading where nothing is stated: it is only judged where thinking is on.
        thinking_first: row.thinking_first.or(shared.thinking_first).unwrap_or(true),
        signed_calls: row.signed_calls.or(shared.signed_calls).unwrap_or(false),
        reasoning_content: row.reasoning_content.or(shared.reasoning_content).unwrap_or(false),
        thinking: needed(row.thinking.or(shared.thinking), &prefix, "thinking")?,
        cache_minimum: row.cache_minimum.or(shared.cache_minimum),
        tool_prompt: row.tool_prompt.or(shared.tool_prompt).unwrap_or_default(),
        known,
        prefix,
    })
}

fn needed<T>(value: Option<T>, prefix: &str, name: &str) -> Result<T> {
    value.ok_or_else(|| Error::Data { file: FILE, reason: format!("{prefix:?} has no {name}") })
}

fn format(name: &str) -> Result<Format> {
    Ok(match name {
        "anthropic" => Format::Anthropic,
        "openai" => Format::OpenAi,
        "responses" => Format::Responses,
        "gemini" => Format::Gemini,
        "bedrock" => Format::Bedrock,
        other => return Err(Error::Data { file: FILE, reason: format!("unknown format {other:?}") }),
    })
}

fn bound(method: Method, calibration: Option<&Calibration>) -> Result<ErrorBound> {
    match (method, calibration) {
        (Method::Exact, _) => Ok(ErrorBound::EXACT),
        (Method::Calibrated, Some(calibration)) => Ok(calibration.bound),
        (Method::Calibrated, None) => Err(Error::Data { file: FILE, reason: "calibrated without ratios".into() }),
        (Method::Estimated, _) => calibration::estimated_bound(),
    }
}

/// What is known of the model called `name`; the fallback where no row matches.
///
/// `strict` makes an unknown name [`Error::UnknownModel`]. No name at all is the fallback.
pub fn profile(name: Option<&str>, strict: bool) -> Result<&'static Profile> {
    let table = parsed(&TABLE)?;
    let Some(name) = name else { return Ok(&table.fallback) };
    let cleaned = clean(name, &table.vendors);
    let found = table.profiles.iter().find(|profile| begins(&cleaned, &profile.prefix));
    match found {
        Some(profile) => Ok(profile),
        None if strict => Err(Error::UnknownModel(name.to_owned())),
        None => Ok(&table.fallback),
    }
}

/// Lower case, with one separator: hosts write `claude-opus-4.6`, `claude_opus_4_6` and `claude-opus-4-6`.
fn plain(name: &str) -> String {
    name.trim().to_lowercase().replace(['.', '_', ' '], "-")
}

/// The name without what hosts put around it: paths and vendors before it, versions and variants after it.
fn clean(name: &str, vendors: &[String]) -> String {
    let name = name.trim().to_lowercase();
    // `ft:gpt-4o-mini:org::id` is the one form that has the name after a colon.
    let name = name.strip_prefix("ft:").unwrap_or(&name);
    let mut name = name.rsplit('/').next().unwrap_or(name);
    // `claude-opus-4@20250514`, `…-v1:0`, `…:thinking`, `claude-opus-4-6[1m]`
    name = name.split(['@', ':', '[']).next().unwrap_or(name);
    // `us.anthropic.claude-…`: one vendor or region after another, each with a dot.
    while let Some((vendor, rest)) = name.split_once('.') {
        if !vendors.iter().any(|known| known == vendor) {
            break;
        }
        name = rest;
    }
    plain(name)
}

/// Whether `name` begins with `prefix` and a new part follows: `gpt-4` is not the beginning of `gpt-4o` or
/// `gpt-4-1` of `gpt-4-1106`, but `llama` is that of `llama3`.
fn begins(name: &str, prefix: &str) -> bool {
    let Some(rest) = name.strip_prefix(prefix) else { return false };
    match rest.chars().next() {
        None | Some('-') => true,
        Some(next) => next.is_ascii_digit() && prefix.ends_with(|last: char| last.is_ascii_alphabetic()),
    }
}

impl Profile {
    /// The counter of its texts.
    pub fn counter(&self) -> Result<Arc<dyn CountTokens>> {
        let base = encoding(&self.encoding)?;
        Ok(match self.calibration {
            Some(ratios) => Arc::new(Calibrated::new(base, ratios)),
            None => base,
        })
    }
}

#[cfg(test)]
mod tests;
