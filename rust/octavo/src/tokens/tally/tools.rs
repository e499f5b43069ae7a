//! Counts tool definitions of every format.

use super::{Reading, Tally, add};
use crate::message::{Estimated, TextKind, read_unknown};
use crate::node::{Key, Node, NodeKind};
use crate::tokens::framing::ToolRule;

mod schema;

/// Schemas nested deeper than this are counted as their JSON.
const MAX_DEPTH: usize = 16;

/// Members under which a list of definitions is wrapped: Bedrock's `toolConfig`, Gemini's tool objects.
const LISTS: &[Key] = &[Key::Tools, Key::FunctionDeclarations, Key::FunctionDeclarationsSnake];

/// Members under which a single definition is wrapped: `OpenAI` Chat, Bedrock.
const WRAPPERS: &[Key] = &[Key::Function, Key::Custom, Key::ToolSpec];

/// Where a definition keeps the schema of its arguments.
const SCHEMAS: &[Key] = &[
    Key::Parameters,
    Key::InputSchema,
    Key::InputSchemaCamel,
    Key::ParametersJsonSchema,
    Key::ParametersJsonSchemaSnake,
];

/// Members that no model reads: what the client and the server settle between them.
const SILENT: &[Key] = &[Key::Type, Key::CacheControl, Key::CachePoint];

/// Tokens of all definitions, and what of them is in doubt beyond what counts of tools are anyway.
pub(super) fn count<N: Node>(tally: &mut Tally, tools: &N) -> (u64, Estimated) {
    let before = (std::mem::take(&mut tally.block), std::mem::take(&mut tally.block_estimated));
    let mut found = 0_u32;
    each(tally, tools, 0, &mut found);
    let own = std::mem::replace(&mut tally.block, before.0);
    let estimated = std::mem::replace(&mut tally.block_estimated, before.1);
    if found == 0 {
        return (0, Estimated::default());
    }
    let end = match tally.profile.framing.tools {
        ToolRule::OpenAi { end, .. } => end,
        ToolRule::Schema { .. } => 0,
    };
    // A free choice of tools is the default of every client.
    let [free_choice, _] = tally.profile.tool_prompt;
    (add(own, end).saturating_add(u64::from(free_choice)), estimated)
}

/// Counts every definition, whatever it is wrapped in.
fn each<N: Node>(tally: &mut Tally, node: &N, depth: usize, found: &mut u32) {
    match node.kind() {
        // Definitions are wrapped three deep at most; a hostile list must not exhaust the stack.
        _ if depth > MAX_DEPTH => {}
        NodeKind::List => node.items(&mut |item| each(tally, &item, depth + 1, found)),
        NodeKind::Map => match LISTS.iter().find_map(|&key| Some((key, node.get(key)?))) {
            Some((key, list)) if list.kind() == NodeKind::List => {
                each(tally, &list, depth + 1, found);
                *found = found.saturating_add(u32::from(beside(tally, node, key)));
            }
            _ if node.get(Key::CachePoint).is_some() => {}
            _ => {
                *found = found.saturating_add(1);
                definition(tally, node);
            }
        },
        _ => {}
    }
}

/// What stands beside a list of definitions: another tool of Gemini's (`googleSearch`), the name of a namespace.
fn beside<N: Node>(tally: &mut Tally, node: &N, list: Key) -> bool {
    // Bedrock's `toolConfig` says how to choose, which is told by the tool prompt.
    let known = |name: &str| name == list.name() || name == "toolChoice" || is_silent(name);
    let before = tally.block;
    rest(tally, node, known);
    tally.block > before
}

fn definition<N: Node>(tally: &mut Tally, outer: &N) {
    let wrapper = WRAPPERS.iter().find_map(|&key| Some((key, outer.get(key)?)));
    let wrapper = wrapper.filter(|(_, inner)| inner.kind() == NodeKind::Map);
    let tool = wrapper.as_ref().map_or(outer, |(_, inner)| inner);
    let schema = SCHEMAS.iter().find_map(|&key| Some((key, tool.get(key)?)));
    constant(tally, start(tally));
    let described = schema.is_some() || wrapper.is_some() || tool.get(Key::Description).is_some();
    if !described && !is_function(tool) {
        // A tool of the provider's own, such as a web search: what it costs is not published.
        return unknown(tally, tool);
    }
    named(tally, tool);
    let held = schema.as_ref().map(|(key, _)| key.name());
    if let Some((_, schema)) = &schema {
        // Bedrock wraps the schema once more.
        parameters(tally, &schema.get(Key::Json).unwrap_or_else(|| schema.clone()));
    }
    let told = [Key::Name.name(), Key::Description.name()];
    rest(tally, tool, |name| told.contains(&name) || held == Some(name) || is_silent(name));
    if let Some((key, _)) = &wrapper {
        rest(tally, outer, |name| name == key.name() || is_silent(name));
    }
}

fn named<N: Node>(tally: &mut Tally, tool: &N) {
    match tally.profile.framing.tools {
        ToolRule::OpenAi { .. } => line(tally, &[&member(tool, Key::Name), &told(tool)]),
        ToolRule::Schema { .. } => {
            tally.text(TextKind::Name, &member(tool, Key::Name));
            tally.text(TextKind::Speech, &member(tool, Key::Description));
        }
    }
}

fn parameters<N: Node>(tally: &mut Tally, schema: &N) {
    match tally.profile.framing.tools {
        ToolRule::OpenAi { .. } => schema::count(tally, schema),
        ToolRule::Schema { .. } => tally.json(TextKind::Json, schema),
    }
}

/// Members of a definition that no rule speaks of (`strict`, a grammar, examples): name and value as JSON.
fn rest<N: Node>(tally: &mut Tally, node: &N, known: impl Fn(&str) -> bool) {
    node.entries(&mut |name, value| {
        if value.kind() != NodeKind::Null && !known(name) {
            tally.unstated(name);
            unknown(tally, &value);
        }
    });
}

fn is_function<N: Node>(tool: &N) -> bool {
    matches!(member(tool, Key::Type).as_str(), "function" | "custom")
}

fn is_silent(name: &str) -> bool {
    SILENT.iter().any(|key| key.name() == name)
}

/// A value of which it is not published how the model sees it: its JSON, in doubt.
fn unknown<N: Node>(tally: &mut Tally, value: &N) {
    read_unknown(value, &mut Reading::new(tally));
}

/// What is counted meanwhile is in doubt.
fn in_doubt(tally: &mut Tally, work: impl FnOnce(&mut Tally)) {
    let (block, doubted) = (tally.block, tally.block_estimated.tokens);
    work(tally);
    let doubted = tally.block_estimated.tokens.saturating_sub(doubted);
    tally.doubt(tally.block.saturating_sub(block).saturating_sub(doubted));
}

fn start(tally: &Tally) -> i32 {
    match tally.profile.framing.tools {
        ToolRule::OpenAi { start, .. } => start,
        ToolRule::Schema { per_tool } => per_tool,
    }
}

fn constant(tally: &mut Tally, tokens: i32) {
    tally.block = add(tally.block, tokens);
}

/// Counts the parts as one line, with colons between.
fn line(tally: &mut Tally, parts: &[&str]) {
    let mut scratch = tally.take_scratch();
    scratch.clear();
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            scratch.push(':');
        }
        scratch.push_str(part);
    }
    tally.text(TextKind::Speech, &scratch);
    tally.put_scratch(scratch);
}

/// The description as the cookbook's rule has it: without its last dot.
fn told<N: Node>(node: &N) -> String {
    let mut description = member(node, Key::Description);
    description.truncate(description.trim_end_matches('.').len());
    description
}

fn member<N: Node>(node: &N, key: Key) -> String {
    node.get(key).and_then(|value| value.text().map(std::borrow::Cow::into_owned)).unwrap_or_default()
}
