//! The exact encodings.

use std::sync::{Arc, LazyLock, OnceLock};

use super::CountTokens;
use super::bpe::Bpe;
use super::cache::{Cache, LEAST_BYTES};
use super::scan::{self, Counted};
use super::split::{Cl100k, O200k};
use super::vocabulary::Vocabulary;
use super::{stream, truncate};
use crate::{Error, Result};

/// An encoding whose vocabulary is inside the package: `o200k_base` or `cl100k_base`.
pub struct Encoding {
    name: &'static str,
    pattern: Pattern,
    bpe: Bpe,
    cache: Cache,
}

/// Bytes of the counts that an encoding remembers, unless said otherwise. Measured on 8.6 MB of real documents with
/// 65,000 distinct pretokens: 3 MiB took 1.3 times as long when hot, 12 MiB as long as 6.
const CACHE_BYTES: usize = 6 << 20;
const MOST_CACHE_BYTES: usize = 1 << 30;

static CHOSEN_CACHE_BYTES: OnceLock<usize> = OnceLock::new();

/// Sets how many bytes of counts each encoding may remember: 64 KiB to 1 GiB, 6 MiB when this is not called. Once, before
/// an encoding is loaded.
///
/// # Errors
/// [`Error::OutOfRange`] when it is too little, too much or too late.
pub fn limit_cache(bytes: usize) -> Result<()> {
    let refused = |expected| Error::OutOfRange { name: "cache bytes", expected, got: bytes.to_string() };
    if !(LEAST_BYTES..=MOST_CACHE_BYTES).contains(&bytes) {
        return Err(refused("from 65,536 to 1,073,741,824"));
    }
    CHOSEN_CACHE_BYTES.set(bytes).map_err(|_| refused("set once, before the first count"))
}

#[derive(Clone, Copy)]
enum Pattern {
    O200k,
    Cl100k,
}

static O200K: LazyLock<Result<Arc<Encoding>>> =
    LazyLock::new(|| Vocabulary::o200k_base().map(|it| Arc::new(Encoding::new("o200k_base", Pattern::O200k, it))));
static CL100K: LazyLock<Result<Arc<Encoding>>> =
    LazyLock::new(|| Vocabulary::cl100k_base().map(|it| Arc::new(Encoding::new("cl100k_base", Pattern::Cl100k, it))));

impl Encoding {
    /// The encoding of that name, loaded at the first call and shared afterwards.
    ///
    /// # Errors
    /// [`Error::UnknownEncoding`] when the package does not carry it.
    pub fn named(name: &str) -> Result<Arc<Self>> {
        match name {
            "o200k_base" => O200K.clone(),
            "cl100k_base" => CL100K.clone(),
            _ => Err(Error::UnknownEncoding(name.to_owned())),
        }
    }

    /// The encoding's published name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    fn new(name: &'static str, pattern: Pattern, vocabulary: Vocabulary) -> Self {
        let cache_bytes = *CHOSEN_CACHE_BYTES.get_or_init(|| CACHE_BYTES);
        Self { name, pattern, bpe: Bpe::new(vocabulary), cache: Cache::new(cache_bytes) }
    }
}

impl Encoding {
    fn scan(&self, text: &str, limit: usize) -> Counted {
        match self.pattern {
            Pattern::O200k => scan::count::<O200k>(text.as_bytes(), limit, &self.bpe, &self.cache),
            Pattern::Cl100k => scan::count::<Cl100k>(text.as_bytes(), limit, &self.bpe, &self.cache),
        }
    }
}

impl CountTokens for Encoding {
    fn count(&self, text: &str) -> usize {
        self.count_up_to(text, usize::MAX).unwrap_or(usize::MAX)
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        match self.scan(text, limit) {
            Counted::All(tokens) => Some(tokens),
            Counted::Over(..) => None,
        }
    }

    /// Exactly the longest one, but far inside a pretoken of more than 64 KiB, or of more than 4 KiB of blanks, where not
    /// every place is tried. Every answer has been counted.
    fn truncate<'text>(&self, text: &'text str, limit: usize) -> &'text str {
        let Counted::Over(at, tokens) = self.scan(text, limit) else { return text };
        let length = match self.pattern {
            Pattern::O200k => truncate::length::<O200k>(text, limit, (at, tokens), &self.bpe),
            Pattern::Cl100k => truncate::length::<Cl100k>(text, limit, (at, tokens), &self.bpe),
        };
        text.get(..length).unwrap_or_default()
    }

    fn settled(&self, text: &str) -> usize {
        match self.pattern {
            Pattern::O200k => stream::settled::<O200k>(text.as_bytes()),
            Pattern::Cl100k => stream::settled::<Cl100k>(text.as_bytes()),
        }
    }
}
