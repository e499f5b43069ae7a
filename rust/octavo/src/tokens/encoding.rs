//! The exact encodings.

use std::sync::{Arc, LazyLock};

use super::CountTokens;
use super::bpe::Bpe;
use super::cache::Cache;
use super::scan;
use super::split::{Cl100k, O200k};
use super::vocabulary::Vocabulary;
use crate::{Error, Result};

/// An encoding whose vocabulary is inside the package: `o200k_base` or `cl100k_base`.
pub struct Encoding {
    name: &'static str,
    pattern: Pattern,
    bpe: Bpe,
    cache: Cache,
}

/// Bytes of the counts that an encoding remembers.
const CACHE_BYTES: usize = 6 << 20;

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
        Self { name, pattern, bpe: Bpe::new(vocabulary), cache: Cache::new(CACHE_BYTES) }
    }
}

impl CountTokens for Encoding {
    fn count(&self, text: &str) -> usize {
        self.count_up_to(text, usize::MAX).unwrap_or(usize::MAX)
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        match self.pattern {
            Pattern::O200k => scan::count::<O200k>(text.as_bytes(), limit, &self.bpe, &self.cache),
            Pattern::Cl100k => scan::count::<Cl100k>(text.as_bytes(), limit, &self.bpe, &self.cache),
        }
    }

    fn truncate<'text>(&self, text: &'text str, limit: usize) -> &'text str {
        // Descending over the character boundaries of what certainly suffices.
        let mut end = text.len();
        while self.count_up_to(text.get(..end).unwrap_or_default(), limit).is_none() {
            end = text.floor_char_boundary(end.saturating_sub(1));
        }
        text.get(..end).unwrap_or_default()
    }
}
