//! The schema of a function's arguments by `OpenAI`'s cookbook, as far as the cookbook goes.
//!
//! It shows flat objects: each property with its type, its description and its closed set of values. Objects inside
//! objects and lists follow the same rule here, and everything else (`anyOf`, `$defs`, `default`, limits of a number…)
//! is counted as its JSON: both in doubt, for nobody publishes how the model sees them.

use super::{MAX_DEPTH, constant, in_doubt, line, member, rest, told, unknown};
use crate::message::TextKind;
use crate::node::{Key, Node, NodeKind};
use crate::tokens::framing::ToolRule;
use crate::tokens::tally::Tally;

/// Members of an object's schema that the rule takes in. `required` and `type` are in the cookbook's own example, and
/// cost nothing there.
const OBJECT: &[Key] = &[Key::Properties, Key::Required, Key::Type];

/// Members of a property that the rule takes in.
const PROPERTY: &[Key] = &[Key::Type, Key::Description, Key::Enum, Key::Properties, Key::Required, Key::Items];

/// Counts the schema of a function's arguments.
pub(super) fn count<N: Node>(tally: &mut Tally, schema: &N) {
    if schema.kind() != NodeKind::Map {
        return unknown(tally, schema);
    }
    object(tally, schema, 0);
    rest(tally, schema, |name| is_in(OBJECT, name) && !is_odd(name, schema));
}

fn is_in(keys: &[Key], name: &str) -> bool {
    keys.iter().any(|key| key.name() == name)
}

/// Whether a member is not of the kind that the rule speaks of: types in a list, properties that are no object.
fn is_odd<N: Node>(name: &str, schema: &N) -> bool {
    let kind = |key: Key| schema.get(key).map(|value| value.kind());
    let takes = |key: Key, wanted: NodeKind| name == key.name() && kind(key).is_some_and(|kind| kind != wanted);
    takes(Key::Type, NodeKind::Text)
        || takes(Key::Description, NodeKind::Text)
        || takes(Key::Properties, NodeKind::Map)
        || takes(Key::Enum, NodeKind::List)
        || takes(Key::Items, NodeKind::Map)
}

/// The properties of an object. Those of one that is itself a property are in doubt.
fn object<N: Node>(tally: &mut Tally, schema: &N, depth: usize) {
    let ToolRule::OpenAi { properties: opening, .. } = tally.profile.framing.tools else { return };
    let Some(properties) = schema.get(Key::Properties) else { return };
    let mut first = true;
    properties.entries(&mut |name, schema| {
        if std::mem::take(&mut first) {
            constant(tally, opening);
        }
        property(tally, name, &schema, depth);
    });
}

fn property<N: Node>(tally: &mut Tally, name: &str, schema: &N, depth: usize) {
    let ToolRule::OpenAi { property, .. } = tally.profile.framing.tools else { return };
    if schema.kind() != NodeKind::Map || depth > MAX_DEPTH {
        tally.unstated(name);
        return unknown(tally, schema);
    }
    constant(tally, property);
    values(tally, schema);
    line(tally, &[name, &member(schema, Key::Type), &told(schema)]);
    in_doubt(tally, |tally| {
        object(tally, schema, depth + 1);
        if let Some(items) = schema.get(Key::Items).filter(|items| items.kind() == NodeKind::Map) {
            self::property(tally, Key::Items.name(), &items, depth + 1);
        }
    });
    rest(tally, schema, |name| is_in(PROPERTY, name) && !is_odd(name, schema));
}

fn values<N: Node>(tally: &mut Tally, schema: &N) {
    let ToolRule::OpenAi { enum_start, enum_item, .. } = tally.profile.framing.tools else { return };
    let Some(values) = schema.get(Key::Enum).filter(|values| values.kind() == NodeKind::List) else { return };
    constant(tally, enum_start);
    values.items(&mut |value| {
        constant(tally, enum_item);
        match value.text() {
            Some(text) => tally.text(TextKind::Json, &text),
            None => tally.json(TextKind::Json, &value),
        }
    });
}
