//! Texts that are kept once each, found by their hash.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher, Hasher};

/// Hashes as keys of a map: they are spread already.
#[derive(Default, Clone)]
pub(super) struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

pub(super) type ByHash<T> = HashMap<u64, T, BuildHasherDefault<AsIs>>;

/// The hash of a value. Nothing that is written depends on it.
pub(super) fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// A text that is kept, and the message that brought it.
#[derive(Clone)]
pub(super) struct Kept {
    pub(super) text: Box<str>,
    pub(super) message: u32,
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // What it holds is what somebody said: a log must not.
        formatter.debug_struct("Kept").field("bytes", &self.text.len()).finish_non_exhaustive()
    }
}

/// Texts with a place each, found by their hash.
#[derive(Debug, Clone, Default)]
pub(super) struct Texts {
    pub(super) rows: Vec<Kept>,
    places: ByHash<u32>,
}

impl Texts {
    pub(super) fn get(&self, place: u32) -> &str {
        self.rows.get(place as usize).map_or("", |kept| &kept.text)
    }

    /// The place of a text, or where it would be put.
    pub(super) fn find(&self, text: &str) -> Result<u32, u64> {
        let mut hash = hash(text);
        while let Some(&place) = self.places.get(&hash) {
            if self.get(place) == text {
                return Ok(place);
            }
            hash = hash.wrapping_add(1);
        }
        Err(hash)
    }

    /// The place of a text, which is taken in where it is new. Nothing when there are 2³² of them.
    pub(super) fn put(&mut self, text: &str, message: u32) -> Option<u32> {
        self.find(text).map_or_else(|hash| self.add(text, hash, message), Some)
    }

    /// Takes in a text that is not there, at the place that [`Self::find`] gave.
    pub(super) fn add(&mut self, text: &str, hash: u64, message: u32) -> Option<u32> {
        let place = u32::try_from(self.rows.len()).ok()?;
        self.rows.push(Kept { text: text.into(), message });
        self.places.insert(hash, place);
        Some(place)
    }

    /// Forgets what came with messages from `to` on.
    pub(super) fn truncate(&mut self, to: u32) {
        let kept = self.rows.partition_point(|kept| kept.message < to);
        if kept < self.rows.len() {
            self.rows.truncate(kept);
            self.places.retain(|_, place| (*place as usize) < kept);
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.rows.iter().map(|kept| kept.text.len() + ROW).sum()
    }
}

/// Bytes of a text's row and its place in the map, about.
pub(super) const ROW: usize = size_of::<Kept>() + 2 * size_of::<(u64, u32)>();
