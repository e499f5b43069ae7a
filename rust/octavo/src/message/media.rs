//! Media from the data that a message carries: what decides their tokens is read from a few of its bytes.

use std::borrow::Cow;

use super::{Media, Sink, base64, image_size, pdf, wave};
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
}

/// What `work` makes of a member's data: a URL, base64 or bytes. Nothing where there is none.
fn with_data<N: Node, T>(node: Option<&N>, work: impl FnOnce(Data<'_>) -> Option<T>) -> Option<T> {
    let node = node?;
    if let Some(text) = node.text() {
        return work(Data::of_url(&text));
    }
    work(Data::Bytes(&node.bytes()?))
}

/// A picture whose data, where the message carries it, is `data`.
pub(super) fn image<N: Node, S: Sink>(data: Option<&N>, detail: &str, sink: &mut S) {
    sink.media(Media::Image { size: with_data(data, image_size::of), detail });
}

/// A document whose data, where the message carries it, is `data`.
pub(super) fn document<N: Node, S: Sink>(data: Option<&N>, sink: &mut S) {
    sink.media(Media::Document { pages: with_data(data, pdf::pages) });
}

/// A sound whose data, where the message carries it, is `data`.
pub(super) fn audio<N: Node, S: Sink>(data: Option<&N>, sink: &mut S) {
    sink.media(Media::Audio { seconds: with_data(data, wave::seconds) });
}

/// The data under `outer`, then `inner`: `source.data`, `file.file_data`, `source.bytes`.
pub(super) fn inner<N: Node>(node: &N, outer: Key, inner: Key) -> Option<N> {
    node.get(outer)?.get(inner)
}
