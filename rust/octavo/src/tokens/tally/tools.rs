//! Counts tool definitions of every format.

use super::{Tally, add};
use crate::message::TextKind;
use crate::node::{Key, Node, NodeKind};
use crate::tokens::framing::ToolRule;

/// Schemas nested deeper than this are counted as their JSON.
const MAX_DEPTH: usize = 16;

/// Members under which a list of definitions is wrapped: Bedrock's `toolConfig`, Gemini's tool objects.
const LISTS: &[Key] = &[Key::Tools, Key::FunctionDeclarations, Key::FunctionDeclarationsSnake];

/// Members under which a single definition is wrapped: `OpenAI` Chat, Bedrock.
const WRAPPERS: &[Key] = &[Key::Function, Key::ToolSpec];

/// Where a definition keeps the schema of its arguments.
const SCHEMAS: &[Key] = &[
    Key::Parameters,
    Key::InputSchema,
    Key::InputSchemaCamel,
    Key::ParametersJsonSchema,
    Key::ParametersJsonSchemaSnake,
];

pub(super) fn count<N: Node>(tally: &mut Tally, tools: &N) -> u64 {
    let before = std::mem::take(&mut tally.block);
    let mut found = 0_u32;
    each(tools, 0, &mut |tool| {
        found = found.saturating_add(1);
        definition(tally, tool);
    });
    let own = std::mem::replace(&mut tally.block, before);
    if found == 0 {
        return 0;
    }
    let end = match tally.profile.framing.tools {
        ToolRule::OpenAi { end, .. } => end,
        ToolRule::Schema { .. } => 0,
    };
    // A free choice of tools is the default of every client.
    let [free_choice, _] = tally.profile.tool_prompt;
    add(own, end).saturating_add(u64::from(free_choice))
}

/// Visits every definition, whatever it is wrapped in.
fn each<N: Node>(node: &N, depth: usize, visit: &mut dyn FnMut(&N)) {
    match node.kind() {
        // Definitions are wrapped three deep at most; a hostile list must not exhaust the stack.
        _ if depth > MAX_DEPTH => {}
        NodeKind::List => node.items(&mut |item| each(&item, depth + 1, visit)),
        NodeKind::Map => match LISTS.iter().find_map(|&key| node.get(key)) {
            Some(list) if list.kind() == NodeKind::List => each(&list, depth + 1, visit),
            _ if node.get(Key::CachePoint).is_some() => {}
            _ => visit(node),
        },
        _ => {}
    }
}

fn definition<N: Node>(tally: &mut Tally, tool: &N) {
    let inner = WRAPPERS.iter().find_map(|&key| tool.get(key)).filter(|inner| inner.kind() == NodeKind::Map);
    let tool = inner.as_ref().unwrap_or(tool);
    let schema = SCHEMAS.iter().find_map(|&key| tool.get(key));
    // Bedrock wraps the schema once more.
    let schema = schema.map(|schema| schema.get(Key::Json).unwrap_or(schema));
    if schema.is_none() && tool.get(Key::Description).is_none() {
        // A tool of the provider's own, such as a web search: what it costs is not published.
        tally.json(TextKind::Json, tool);
        return constant(tally, start(tally));
    }
    match tally.profile.framing.tools {
        ToolRule::OpenAi { start, properties, .. } => {
            constant(tally, start);
            line(tally, &[&member(tool, Key::Name), description(tool).trim_end_matches('.')]);
            if let Some(schema) = schema {
                object(tally, &schema, properties, 0);
            }
        }
        ToolRule::Schema { per_tool } => {
            constant(tally, per_tool);
            tally.text(TextKind::Name, &member(tool, Key::Name));
            tally.text(TextKind::Speech, &description(tool));
            if let Some(schema) = schema {
                tally.json(TextKind::Json, &schema);
            }
        }
    }
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

/// The cookbook's rule for an object's properties. It shows flat schemas; nested objects and lists of
/// objects follow the same rule here, one level down.
fn object<N: Node>(tally: &mut Tally, schema: &N, opening: i32, depth: usize) {
    if depth > MAX_DEPTH {
        return tally.json(TextKind::Json, schema);
    }
    let Some(properties) = schema.get(Key::Properties) else { return };
    let mut first = true;
    properties.entries(&mut |name, property| {
        if std::mem::take(&mut first) {
            constant(tally, opening);
        }
        self::property(tally, name, &property, opening, depth);
    });
}

fn property<N: Node>(tally: &mut Tally, name: &str, schema: &N, opening: i32, depth: usize) {
    let ToolRule::OpenAi { property, enum_start, enum_item, .. } = tally.profile.framing.tools else { return };
    constant(tally, property);
    if let Some(values) = schema.get(Key::Enum) {
        constant(tally, enum_start);
        values.items(&mut |value| {
            constant(tally, enum_item);
            match value.text() {
                Some(text) => tally.text(TextKind::Json, &text),
                None => tally.json(TextKind::Json, &value),
            }
        });
    }
    line(tally, &[name, &member(schema, Key::Type), description(schema).trim_end_matches('.')]);
    object(tally, schema, opening, depth + 1);
    if let Some(items) = schema.get(Key::Items) {
        object(tally, &items, opening, depth + 1);
    }
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

fn description<N: Node>(node: &N) -> String {
    member(node, Key::Description)
}

fn member<N: Node>(node: &N, key: Key) -> String {
    node.get(key).and_then(|value| value.text().map(std::borrow::Cow::into_owned)).unwrap_or_default()
}
