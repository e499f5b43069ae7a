//! What a chat format adds around content, as dated data (`data/framing.json`).

use std::sync::LazyLock;

use serde::Deserialize;

use super::data::{Parsed, parse, parsed};
use crate::error::{Error, Result};

/// Tokens that a format adds. Values may be negative: an older format saved a token for a name.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Framing {
    /// Its name in the data.
    pub name: String,
    /// Around each message.
    pub message: i32,
    /// For a message's `name`.
    pub name_field: i32,
    /// Around each call.
    pub call: i32,
    /// Around each result.
    pub result: i32,
    /// Once per request: what primes the reply.
    pub request: i32,
    /// Around a system prompt that is given apart from the messages.
    pub system: i32,
    /// How tool definitions are counted.
    pub tools: ToolRule,
}

/// How tool definitions are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase", tag = "rule")]
pub enum ToolRule {
    /// `OpenAI`'s cookbook: each function and property as a line of text, with constants between.
    OpenAi {
        /// For each function.
        start: i32,
        /// For each function that has properties.
        properties: i32,
        /// For each property.
        property: i32,
        /// For each property with a closed set of values.
        enum_start: i32,
        /// For each of those values.
        enum_item: i32,
        /// Once, after the last function.
        end: i32,
    },
    /// Name, description and the schema's JSON, with a constant for each tool.
    Schema {
        /// For each tool.
        per_tool: i32,
    },
}

#[derive(Deserialize)]
struct File {
    sets: Vec<Framing>,
}

static TABLE: Parsed<File> = LazyLock::new(|| parse(FILE, include_str!("../../data/framing.json")));
const FILE: &str = "framing.json";

/// The framing called `name` in the data.
pub fn named(name: &str) -> Result<&'static Framing> {
    let found = parsed(&TABLE)?.sets.iter().find(|set| set.name == name);
    found.ok_or_else(|| Error::Data { file: FILE, reason: format!("no set called {name:?}") })
}
