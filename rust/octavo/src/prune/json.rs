//! JSON stays JSON: shape, keys and scalars, and of long arrays the first, the last and those that say that something
//! went wrong.
//!
//! How many are missing is said inside of the JSON. An array gets a string in the place of the elements that were left
//! out, `"… 118 more items"`; an object the member `"…": "12 more keys"`, its key with more of that character
//! where it has such a key already; a long string the mark that texts have. A reader who knows nothing of this
//! sees a value of a type that JSON arrays may hold, and nothing has to be removed before it is parsed.

mod text;
mod tree;

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use super::cues::{Severity, severity};
use super::fit::{Limit, Ranked, most};
use super::pieces::{characters_mark, rank};
use super::{LeftOut, Made};
use text::LongText;
use tree::{Node, Shape, minify, scan};

/// Stands alone where nothing else fits.
pub(super) const SHORT_MARK: &str = "\"…\"";

/// Whether the text is one JSON object or array.
pub(super) fn is_json(text: &str) -> bool {
    scan(text, usize::MAX).is_some()
}

/// The outer nothing: the text is no JSON object or array. The inner one: nothing of it fits.
pub(super) fn shorten(text: &str, bound: &Limit<'_>) -> Option<Made> {
    if !is_json(text) {
        return None;
    }
    let text = minify(text);
    if bound.holds(&text) {
        return Some(Some((text, LeftOut::default())));
    }
    let grain = bound.grain(8, 48, 4096);
    let nodes = scan(&text, grain)?;
    Some(Document::new(&text, nodes, grain).best(bound, grain))
}

struct Document<'text> {
    text: &'text str,
    nodes: Vec<Node>,
    /// The long strings, by node.
    long: Vec<(usize, LongText<'text>)>,
    /// Of objects that have keys such as the mark's: how many characters a key has that is not among them.
    taken: HashMap<usize, usize>,
}

impl<'text> Document<'text> {
    fn new(text: &'text str, nodes: Vec<Node>, grain: usize) -> Self {
        let strings = nodes.iter().enumerate().filter(|(_, node)| node.shape == Shape::Text);
        let long = strings.filter(|(_, node)| node.end - node.start > grain + 2);
        let long = long.map(|(place, node)| (place, LongText::new(slice(text, node.start, node.end)))).collect();
        let taken = taken(text, &nodes);
        Self { text, nodes, long, taken }
    }

    /// As many nodes as fit, long strings cut to `room` bytes; where that is all of them, strings as long as fit.
    fn best(&self, bound: &Limit<'_>, room: usize) -> Made {
        let mut ranked = self.ranked();
        let attempt = |kept: &[usize], room| Some(self.written(kept, room)).filter(|(text, _)| bound.holds(text));
        let (size, made) = most(ranked.len(), |size| attempt(&ranked.best(size.max(1)), room))?;
        if size < ranked.len() || self.long.is_empty() {
            return Some(made);
        }
        let all = ranked.best(size);
        let longest = self.long.iter().map(|(_, long)| long.len()).max().unwrap_or(0);
        let longer = most(longest.saturating_sub(room) / STEP + 1, |step| attempt(&all, room + step * STEP));
        Some(longer.map_or(made, |(_, longer)| longer))
    }

    /// The nodes by rank: no node before its parent, which stands before it and is ranked no worse.
    fn ranked(&self) -> Ranked {
        let errors = self.errors();
        let mut ranks: Vec<u64> = Vec::with_capacity(self.nodes.len());
        for (node, error) in self.nodes.iter().zip(errors) {
            let parent = self.nodes.get(node.parent);
            let above = ranks.get(node.parent).copied().unwrap_or(0);
            ranks.push(above.saturating_add(parent.map_or(0, |parent| step(node, parent, error))));
        }
        Ranked::new(ranks.into_iter())
    }

    /// Which elements of arrays say that something went wrong, numbered within their array. Where half of the
    /// elements do, that tells nothing, and none is.
    fn errors(&self) -> Vec<Option<usize>> {
        let mut counts = vec![0; self.nodes.len()];
        let mut errors: Vec<Option<usize>> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let element = node.key == (0, 0) && node.whole;
            let wrong = element && severity(slice(self.text, node.start, node.end)) == Severity::Error;
            let count = counts.get_mut(node.parent).filter(|_| wrong);
            errors.push(count.map(|count: &mut usize| {
                *count += 1;
                *count - 1
            }));
        }
        for (error, node) in errors.iter_mut().zip(&self.nodes) {
            let (wrong, all) = (counts.get(node.parent), self.nodes.get(node.parent).map(|parent| parent.children));
            if wrong.zip(all).is_some_and(|(wrong, all)| 2 * wrong >= all) {
                *error = None;
            }
        }
        errors
    }

    /// The kept nodes, which are in their order and have their parents among them.
    fn written(&self, kept: &[usize], room: usize) -> (String, LeftOut) {
        let mut writing =
            Writing { of: self, room, written: String::new(), left_out: LeftOut::default(), open: vec![] };
        for &place in kept {
            if let Some(node) = self.nodes.get(place) {
                writing.node(place, node);
            }
        }
        while writing.close() {}
        (writing.written, writing.left_out)
    }
}

/// By how many bytes the longest strings grow from one size that is tried to the next.
const STEP: usize = 16;

/// How much worse a node is ranked than its parent. Scalars of an object come before its containers; of an array the
/// first, the last and the wrong elements, then inwards from both ends.
fn step(node: &Node, parent: &Node, error: Option<usize>) -> u64 {
    if parent.shape == Shape::Object {
        let container = matches!(node.shape, Shape::Object | Shape::Array);
        return rank(1 + node.place / 4 + if container { 2 } else { 0 });
    }
    let behind = parent.children.saturating_sub(node.place + 1);
    let inwards = if node.place == 0 || behind == 0 { 2 } else { 6 + 2 * node.place.min(behind) };
    rank(error.map_or(inwards, |error| inwards.min(4 + error)))
}

/// Of each object with keys of nothing but `…`, escaped or not, the shortest such key that it does not have.
fn taken(text: &str, nodes: &[Node]) -> HashMap<usize, usize> {
    let mut lengths: HashMap<usize, BTreeSet<usize>> = HashMap::new();
    for node in nodes {
        let key = slice(text, node.key.0, node.key.1).trim_matches('"');
        if key.starts_with('…') || key.starts_with("\\u2026") {
            let key = key.replace("\\u2026", "…");
            let length = key.chars().count();
            if key.chars().all(|character| character == '…') {
                lengths.entry(node.parent).or_default().insert(length);
            }
        }
    }
    let free =
        |lengths: &BTreeSet<usize>| (1..).zip(lengths).take_while(|(length, taken)| length == *taken).count() + 1;
    lengths.into_iter().map(|(node, lengths)| (node, free(&lengths))).collect()
}

fn slice(text: &str, start: usize, end: usize) -> &str {
    text.get(start..end).unwrap_or_default()
}

/// A container that is being written.
struct Open {
    node: usize,
    /// The place of the next child, if none is missing before it.
    next: usize,
    /// Children that were written.
    written: usize,
    /// Whether anything was written, marks included.
    begun: bool,
}

struct Writing<'a, 'text> {
    of: &'a Document<'text>,
    room: usize,
    written: String,
    left_out: LeftOut,
    open: Vec<Open>,
}

impl Writing<'_, '_> {
    fn node(&mut self, place: usize, node: &Node) {
        while self.open.last().is_some_and(|open| open.node != node.parent) && self.close() {}
        self.begin(node);
        if node.whole {
            return self.value(place, node);
        }
        self.written.push(if node.shape == Shape::Object { '{' } else { '[' });
        self.open.push(Open { node: place, next: 0, written: 0, begun: false });
    }

    /// What stands before a value: the mark for elements that are missing, the comma, the key.
    fn begin(&mut self, node: &Node) {
        let Some(open) = self.open.last_mut() else { return };
        let missing = node.place.saturating_sub(open.next);
        (open.next, open.written) = (node.place + 1, open.written + 1);
        let in_array = node.key == (0, 0);
        if in_array && missing > 0 {
            self.items(missing);
        }
        self.comma();
        if !in_array {
            let key = slice(self.of.text, node.key.0, node.key.1);
            self.written.push_str(key);
            self.written.push(':');
        }
    }

    fn comma(&mut self) {
        if let Some(open) = self.open.last_mut()
            && std::mem::replace(&mut open.begun, true)
        {
            self.written.push(',');
        }
    }

    fn items(&mut self, missing: usize) {
        self.comma();
        self.left_out.items += missing;
        let plural = if missing == 1 { "" } else { "s" };
        let _ = write!(self.written, "\"… {missing} more item{plural}\"");
    }

    fn keys(&mut self, object: usize, missing: usize) {
        self.comma();
        self.left_out.keys += missing;
        let plural = if missing == 1 { "" } else { "s" };
        let key = "…".repeat(self.of.taken.get(&object).map_or(1, |&free| free));
        let _ = write!(self.written, "\"{key}\":\"{missing} more key{plural}\"");
    }

    /// A value that is written whole, or a long string with its middle left out.
    fn value(&mut self, place: usize, node: &Node) {
        let long = self.of.long.binary_search_by_key(&place, |&(node, _)| node).ok();
        let long = long.and_then(|at| self.of.long.get(at)).and_then(|(_, long)| long.folded(self.room));
        let Some((head, characters, tail)) = long else {
            return self.written.push_str(slice(self.of.text, node.start, node.end));
        };
        self.left_out.characters += characters;
        let mark = characters_mark(characters, false);
        let _ = write!(self.written, "\"{head}{mark}{tail}\"");
    }

    /// Ends the innermost container, with the mark for what is missing in it.
    fn close(&mut self) -> bool {
        let Some(open) = self.open.last() else { return false };
        let Some(node) = self.of.nodes.get(open.node) else { return false };
        let (last, all) = (node.children.saturating_sub(open.next), node.children.saturating_sub(open.written));
        let (object, place) = (node.shape == Shape::Object, open.node);
        if object && all > 0 {
            self.keys(place, all);
        } else if !object && last > 0 {
            self.items(last);
        }
        self.written.push(if object { '}' } else { ']' });
        self.open.pop();
        true
    }
}
