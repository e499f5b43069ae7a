//! Media parts of every dialect, by their type: routers, servers and frameworks pass each other's on.
//!
//! `OpenAI` Chat and Responses, Anthropic, `vLLM` (`video_url`, `audio_url`), `LangChain` (`source_type`, `base64`),
//! Mistral (`document_url`), Vercel's and MCP's (`mimeType`, `data`). What they have in common: a type that names
//! what it is, and the data beside it or one level below.

use super::media::{self, Sort, Told};
use super::{Sink, TextKind};
use crate::node::{Key, Node, NodeKind};

/// Members that hold a file: its data, or an object with the data.
const HOLDERS: [Key; 11] = [
    Key::ImageUrl,
    Key::InputAudio,
    Key::AudioUrl,
    Key::VideoUrl,
    Key::File,
    Key::Source,
    Key::DocumentUrl,
    Key::Image,
    Key::Audio,
    Key::Video,
    Key::InputVideo,
];

/// Members that are the data; addresses last.
const DATA: [Key; 7] = [Key::Data, Key::Base64, Key::Bytes, Key::FileData, Key::Url, Key::FileUrl, Key::Uri];

/// Members that name the file's media type.
const TYPES: [Key; 5] = [Key::MediaType, Key::MimeType, Key::MimeTypeSnake, Key::MediaTypeCamel, Key::Format];

/// What a part's type tells, where it says that the part is a file: often which sort, too.
fn told_by(kind: &str) -> Option<Told<'static>> {
    let sort = match kind {
        "image" | "image_url" | "input_image" | "output_image" | "image_file" | "computer_screenshot" => {
            Some(Sort::Image)
        }
        "audio" | "audio_url" | "input_audio" | "output_audio" => Some(Sort::Audio),
        "video" | "video_url" | "input_video" | "video_file" => Some(Sort::Video),
        "file" | "input_file" | "file_url" | "document" | "document_url" | "media" => None,
        _ => return None,
    };
    Some(Told { sort, ..Told::default() })
}

/// Tells of a part that is a file, and what it is. Nothing where it is none.
pub(super) fn read<N: Node, S: Sink>(part: &N, sink: &mut S) -> Option<Sort> {
    let kind = part.get(Key::Type)?;
    let told = told_by(&kind.text()?)?;
    let (holder, data) = held(part);
    Some(read_file(part, told, holder.as_ref(), data.as_ref(), sink))
}

/// As [`read`], for an object amid other data: its type may mean another thing there, so it must hold a file.
pub(super) fn read_inner<N: Node, S: Sink>(part: &N, sink: &mut S) -> Option<Sort> {
    let kind = part.get(Key::Type)?;
    let told = told_by(&kind.text()?)?;
    let (holder, data) = held(part);
    let carried = data.as_ref()?;
    let away = carried.text().is_some_and(|text| text.contains("://"));
    (told.sort.is_some() || !away).then(|| read_file(part, told, holder.as_ref(), data.as_ref(), sink))
}

fn read_file<N: Node, S: Sink>(part: &N, told: Told<'_>, holder: Option<&N>, data: Option<&N>, sink: &mut S) -> Sort {
    if data.is_none() && told.sort.is_none() {
        // `LangChain` has files of plain text, Anthropic documents of text.
        let text = [Some(part), holder].into_iter().flatten().find_map(|node| node.get(Key::Text));
        if let Some(text) = text.as_ref().and_then(Node::text) {
            sink.text(TextKind::Speech, &text);
            return Sort::Text;
        }
    }
    let stated = |keys: &[Key]| {
        let nodes = [Some(part), holder].into_iter().flatten();
        nodes.flat_map(|node| keys.iter().filter_map(|&key| node.get(key))).find(|value| value.kind() == NodeKind::Text)
    };
    let (media_type, detail) = (stated(&TYPES), stated(&[Key::Detail]));
    let media_type = media_type.as_ref().and_then(Node::text).unwrap_or_default();
    let detail = detail.as_ref().and_then(Node::text).unwrap_or_default();
    media::file(Told { media_type: &media_type, detail: &detail, ..told }, data, sink)
}

/// The object that holds the file, and its data.
fn held<N: Node>(part: &N) -> (Option<N>, Option<N>) {
    let holder = HOLDERS.iter().find_map(|&key| part.get(key));
    let own = DATA.iter().find_map(|&key| part.get(key).filter(is_data));
    let data = own.or_else(|| {
        let holder = holder.as_ref()?;
        if is_data(holder) {
            return Some(holder.clone());
        }
        DATA.iter().find_map(|&key| holder.get(key).filter(is_data))
    });
    (holder.filter(|holder| holder.kind() == NodeKind::Map), data)
}

/// Whether a value can be the data of a file, or its address.
fn is_data<N: Node>(value: &N) -> bool {
    match value.kind() {
        NodeKind::Text => true,
        NodeKind::Map => value.bytes().is_some(),
        _ => false,
    }
}
