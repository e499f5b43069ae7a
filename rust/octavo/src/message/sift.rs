//! JSON of values of unknown shape, without what is no text in them.
//!
//! A block that this version does not know is counted as its JSON. A file in it would count by the length of its
//! base64, a hundred times too much; so files and what only the provider can read are told as what they are.

use super::attached;
use super::media::{self, Sort, Told};
use super::{Media, Sink};
use crate::node::{Key, Node, NodeKind, write_json_without};

/// From so many characters on, a text of base64 digits alone is taken for a file: words have spaces between, and ids,
/// keys and digests are shorter.
const LONG: usize = 1024;

/// Lines of base64 have 64 (PEM) or 76 (MIME) characters; a list of words has fewer a line.
const LINE: usize = 60;

/// The JSON of `node`, for `told`; files and what only the provider can read are told to `sink` on the way.
pub(super) fn json<N: Node, S: Sink>(node: &N, sink: &mut S, told: impl FnOnce(&mut S, &str)) {
    let kind = node.get(Key::Type);
    let kind = kind.as_ref().and_then(Node::text).unwrap_or_default();
    let hint = sort_in(&kind);
    let mut scratch = sink.scratch();
    scratch.clear();
    write_json_without(node, &mut scratch, &mut |name, kind, value| is_no_text(name, kind, value, hint, sink));
    told(sink, &scratch);
    sink.give_back(scratch);
}

/// The JSON of data that the model reads as text, whatever it looks like: only bytes, which JSON has not, are a file.
pub(super) fn data<N: Node, S: Sink>(node: &N, sink: &mut S, told: impl FnOnce(&mut S, &str)) {
    let mut scratch = sink.scratch();
    scratch.clear();
    write_json_without(node, &mut scratch, &mut |_, kind, value| kind == NodeKind::Map && bytes(value, None, sink));
    told(sink, &scratch);
    sink.give_back(scratch);
}

/// What a type's name suggests of the files in the block: `video_chunk`, `screenshot.image`.
fn sort_in(kind: &str) -> Option<Sort> {
    let sorts = [("image", Sort::Image), ("audio", Sort::Audio), ("video", Sort::Video)];
    sorts.into_iter().find(|(word, _)| kind.contains(word)).map(|(_, sort)| sort)
}

fn is_no_text<N: Node, S: Sink>(name: &str, kind: NodeKind, value: &N, hint: Option<Sort>, sink: &mut S) -> bool {
    match kind {
        NodeKind::Text => value.text().is_some_and(|text| {
            let secret = !text.is_empty() && is_secret(name);
            if secret {
                sink.media(Media::Opaque { characters: text.len() });
            } else if is_file(&text) {
                media::file(
                    Told { sort: hint.filter(|_| !text.starts_with("data:")), ..Told::default() },
                    Some(value),
                    sink,
                );
            } else {
                return false;
            }
            true
        }),
        NodeKind::Map if is_secret(name) => secret_bytes(value, sink),
        NodeKind::Map => bytes(value, hint, sink) || attached::read_inner(value, sink).is_some(),
        _ => false,
    }
}

fn bytes<N: Node, S: Sink>(value: &N, sort: Option<Sort>, sink: &mut S) -> bool {
    let found = value.bytes().is_some();
    if found {
        media::file(Told { sort, ..Told::default() }, Some(value), sink);
    }
    found
}

fn secret_bytes<N: Node, S: Sink>(value: &N, sink: &mut S) -> bool {
    value.bytes().is_some() && {
        super::opaque_value(value, sink);
        true
    }
}

/// Whether a member of that name is for the provider alone: `encrypted_content`, `encrypted_index`,
/// `encrypted_stdout`, `signature`, `thoughtSignature`, `redactedContent`.
pub(super) fn is_secret(name: &str) -> bool {
    name.starts_with("encrypted") || name.starts_with("redacted") || name.ends_with("ignature")
}

/// Whether a text is a file: a URL that carries its data, or base64 too long to be anything else.
fn is_file(text: &str) -> bool {
    if let Some(rest) = text.strip_prefix("data:") {
        return rest.contains(";base64,");
    }
    let line = text.len().min(text.find('\n').unwrap_or(usize::MAX));
    text.len() >= LONG && line >= LINE && text.bytes().all(is_base64)
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'=' | b'\n' | b'\r')
}
