//! Media from the data that a message carries: what decides their tokens is read from a few of its bytes.

use std::borrow::Cow;

use super::{BlockKind, Media, Sink, TextKind, base64, film, image_size, pdf, wave};
use crate::node::{Key, Node};

/// The data of a file, as a message carries it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Data<'a> {
    /// Base64, without the beginning of a data URL.
    Base64(&'a str),
    /// As it is: clients of Bedrock and Gemini take bytes.
    Bytes(&'a [u8]),
}

impl<'a> Data<'a> {
    /// The data of a URL that carries its own (`data:application/pdf;base64,…`); plain base64 is taken too.
    fn of_url(url: &'a str) -> Self {
        Self::Base64(url.split_once(";base64,").map_or(if url.contains(':') { "" } else { url }, |(_, data)| data))
    }

    /// The bytes from `start` on, at most `length` of them; fewer where the data ends or cannot be read.
    pub(super) fn part(self, start: usize, length: usize) -> Cow<'a, [u8]> {
        match self {
            Self::Base64(data) => base64::decode(data, start, length).into(),
            Self::Bytes(bytes) => {
                let rest = bytes.get(start..).unwrap_or_default();
                rest.get(..length).unwrap_or(rest).into()
            }
        }
    }

    /// About how many bytes there are.
    pub(super) fn length(self) -> usize {
        match self {
            Self::Base64(data) => base64::length(data),
            Self::Bytes(bytes) => bytes.len(),
        }
    }

    /// All bytes. Base64 may be broken into lines.
    fn whole(self) -> Cow<'a, [u8]> {
        match self {
            Self::Base64(data) if data.contains(char::is_whitespace) => {
                let joined: String = data.split_whitespace().collect();
                base64::decode(&joined, 0, joined.len()).into()
            }
            _ => self.part(0, self.length() + 3),
        }
    }

    fn is_empty(self) -> bool {
        self.length() == 0
    }
}

/// What a file is to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Image,
    Audio,
    Video,
    Document,
    /// A file whose own bytes are what the model reads.
    Text,
}

impl Sort {
    /// By a media type, or by the ending of a name that stands for one (Bedrock's `format`).
    pub(super) fn of_type(name: &str) -> Option<Self> {
        let whole = name.split(';').next().unwrap_or(name);
        let (family, rest) = whole.split_once('/').unwrap_or(("", whole));
        match (family, rest) {
            ("image", _) | ("", "png" | "jpeg" | "jpg" | "gif" | "webp") => Some(Self::Image),
            ("audio", _) | ("", "mp3" | "wav" | "ogg" | "flac" | "m4a" | "aac" | "opus") => Some(Self::Audio),
            ("video", _) | ("", "mp4" | "mov" | "mkv" | "webm" | "mpeg" | "mpg" | "wmv" | "flv") => Some(Self::Video),
            ("text", _)
            | ("application", "json" | "xml" | "yaml" | "x-yaml" | "javascript")
            | ("", "txt" | "md" | "csv" | "html" | "json" | "xml") => Some(Self::Text),
            ("application", "octet-stream") | ("", _) => None,
            _ => Some(Self::Document),
        }
    }

    /// By the first bytes of the file.
    fn of_data(data: Data<'_>) -> Option<Self> {
        let head = data.part(0, 16);
        let is_at = |at: usize, mark: &[u8]| head.get(at..).is_some_and(|rest| rest.starts_with(mark));
        let any = |marks: &[&[u8]]| marks.iter().any(|mark| is_at(0, mark));
        if any(&[b"\x89PNG", b"\xff\xd8\xff", b"GIF8"]) || (is_at(0, b"RIFF") && is_at(8, b"WEBP")) {
            return Some(Self::Image);
        }
        if any(&[b"ID3", b"OggS", b"fLaC", b"\xff\xfb", b"\xff\xf3"]) || (is_at(0, b"RIFF") && is_at(8, b"WAVE")) {
            return Some(Self::Audio);
        }
        if is_at(4, b"ftyp") || is_at(0, b"\x1a\x45\xdf\xa3") {
            return Some(Self::Video);
        }
        is_at(0, b"%PDF-").then_some(Self::Document)
    }

    /// The kind of a block that holds it.
    pub(super) fn block(self) -> BlockKind {
        match self {
            Self::Image => BlockKind::Image,
            Self::Audio => BlockKind::Audio,
            Self::Video => BlockKind::Video,
            Self::Document | Self::Text => BlockKind::Document,
        }
    }
}

/// What is said of a file beside its data.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Told<'a> {
    /// What it is, where the block's own type says so.
    pub(super) sort: Option<Sort>,
    /// Its media type, or empty.
    pub(super) media_type: &'a str,
    /// The `detail` that was asked for, or empty.
    pub(super) detail: &'a str,
}

impl Told<'_> {
    /// What a file is that nothing is known of but its sort.
    pub(super) fn of(sort: Sort) -> Self {
        Self { sort: Some(sort), ..Self::default() }
    }

    /// What the file is: by its block's type, its media type, its data. Anything else is a document, of which one
    /// can only tell that it is there.
    fn settle(self, url: &str, data: Option<Data<'_>>) -> Sort {
        let in_url = url.strip_prefix("data:").and_then(|rest| rest.split([';', ',']).next()).unwrap_or_default();
        let typed = || Sort::of_type(in_url).or_else(|| Sort::of_type(self.media_type));
        let told = self.sort.or_else(typed).or_else(|| data.and_then(Sort::of_data));
        told.unwrap_or(Sort::Document)
    }
}

/// Tells of a file whose data, where the message carries it, is `data`: a URL, base64 or bytes. What it is.
pub(super) fn file<N: Node, S: Sink>(told: Told<'_>, data: Option<&N>, sink: &mut S) -> Sort {
    let Some(node) = data else { return of_data(told, "", None, sink) };
    if let Some(url) = node.text() {
        let data = Some(Data::of_url(&url)).filter(|data| !data.is_empty());
        return of_data(told, &url, data, sink);
    }
    let bytes = node.bytes();
    of_data(told, "", bytes.as_deref().map(Data::Bytes), sink)
}

fn of_data<S: Sink>(told: Told<'_>, url: &str, data: Option<Data<'_>>, sink: &mut S) -> Sort {
    let sort = told.settle(url, data);
    sink.media(match sort {
        Sort::Image => Media::Image { size: data.and_then(image_size::of), detail: told.detail },
        Sort::Audio => {
            Media::Audio { seconds: data.and_then(|data| wave::seconds(data).or_else(|| film::seconds(data))) }
        }
        Sort::Video => Media::Video { seconds: data.and_then(film::seconds) },
        Sort::Document => Media::Document { pages: data.and_then(pdf::pages) },
        Sort::Text => match data {
            // A file of text is no picture of pages: its words are what the model reads.
            Some(data) => {
                sink.text(TextKind::Speech, &String::from_utf8_lossy(&data.whole()));
                return sort;
            }
            None => Media::Document { pages: None },
        },
    });
    sort
}

/// A picture whose data, where the message carries it, is `data`.
pub(super) fn image<N: Node, S: Sink>(data: Option<&N>, detail: &str, sink: &mut S) {
    file(Told { detail, ..Told::of(Sort::Image) }, data, sink);
}

/// The data under `outer`, then `inner`: `source.data`, `file.file_data`, `source.bytes`.
pub(super) fn inner<N: Node>(node: &N, outer: Key, inner: Key) -> Option<N> {
    node.get(outer)?.get(inner)
}
