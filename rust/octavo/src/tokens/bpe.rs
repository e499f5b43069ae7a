//! Exact byte-pair counting of one pretoken in linear time.

use super::merge;
use super::pairs::Pairs;
use super::trie::Trie;
use super::vocabulary::Vocabulary;

/// Byte-pair encoding by longest match with a validity test, instead of by merging.
///
/// A sequence of tokens is the encoding of its bytes exactly when each adjacent pair is: merging the bytes of
/// the two never merges across their border (van Antwerpen and Neubeck, "So many tokens, so little time",
/// 2024, and the essay of the `bpe` crate). So one takes the longest token that is compatible with the token
/// before it, and steps back when there is none. A bit for each position remembers that no way leads on from
/// it; each position is left at most once, hence linear time.
///
/// Linear with a large factor where most ways are wrong: a million dashes, of which there are 28 tokens, have 64
/// dead positions behind each token and took 1.1 s. So the steps back are limited; past the limit the definition
/// takes over, 0.15 s for the same input. (Remembering the pairs that were tested left 0.85 s. All on a busy machine.)
pub(super) struct Bpe {
    trie: Trie,
    pub(super) pairs: Pairs,
    vocabulary: Vocabulary,
    /// The token of each byte.
    singles: [u32; 256],
}

/// Steps back that a pretoken may take: these, and one more for so many bytes.
const RETREATS: usize = 32;
const BYTES_PER_RETREAT: usize = 16;

/// Memory of a count, reused from pretoken to pretoken.
#[derive(Default)]
pub(super) struct Scratch {
    /// Token and length. 32 bits for both: a pretoken of a megabyte has up to a million.
    tokens: Vec<(u32, u32)>,
    /// A bit for each position that no token leads on from.
    dead: Vec<u64>,
    /// What is left to try at the present position, longest last.
    shorter: Vec<(u32, usize)>,
}

impl Bpe {
    pub(super) fn new(vocabulary: Vocabulary) -> Self {
        let pairs = Pairs::new(&vocabulary);
        let mut singles = [0; 256];
        for (byte, single) in (0..=u8::MAX).zip(&mut singles) {
            *single = vocabulary.trie.longest(&[byte]).map_or(0, |(token, _)| token);
        }
        Self { trie: vocabulary.trie, pairs, vocabulary, singles }
    }

    /// Tokens of `piece`.
    pub(super) fn count(&self, piece: &[u8], scratch: &mut Scratch) -> usize {
        match self.trie.longest(piece) {
            None => 0,
            Some((_, length)) if length == piece.len() => 1,
            _ => self.encode(piece, scratch).len(),
        }
    }

    /// The tokens of `piece` and the length of each.
    pub(super) fn encode<'scratch>(&self, piece: &[u8], scratch: &'scratch mut Scratch) -> &'scratch [(u32, u32)] {
        if !self.backtrack(piece, scratch) {
            scratch.tokens.clear();
            merge::encode(piece, &self.singles, &self.pairs, &mut scratch.tokens);
        }
        &scratch.tokens
    }

    /// False when there were too many steps back.
    fn backtrack(&self, piece: &[u8], scratch: &mut Scratch) -> bool {
        let Scratch { tokens, dead, shorter } = scratch;
        tokens.clear();
        dead.clear();
        dead.resize(piece.len() / 64 + 1, 0);
        let (mut at, mut next, mut listed) = (0, self.trie.longest(piece), false);
        let mut retreats = RETREATS + piece.len() / BYTES_PER_RETREAT;
        while let Some((token, length)) = next {
            let end = at + length;
            let open = dead.get(end / 64).is_some_and(|word| word >> (end % 64) & 1 == 0);
            if open && tokens.last().is_none_or(|&(last, _)| self.compatible(last, token)) {
                tokens.push((token, u32::try_from(length).unwrap_or(u32::MAX)));
                (at, listed) = (end, false);
                next = self.trie.longest(piece.get(at..).unwrap_or_default());
                continue;
            }
            // The shorter tokens at this position are listed at once: a run of blanks has more than a hundred.
            if !listed {
                shorter.clear();
                shorter.extend(self.trie.prefixes(piece.get(at..end - 1).unwrap_or_default()));
                listed = true;
            }
            next = shorter.pop();
            if next.is_none() {
                // No token leads on from here: the way to this position was wrong.
                if let Some(word) = dead.get_mut(at / 64) {
                    *word |= 1 << (at % 64);
                }
                if retreats == 0 {
                    return false;
                }
                retreats -= 1;
                next = tokens.pop().map(|(token, length)| (token, length as usize));
                at -= next.map_or(0, |(_, length)| length);
                listed = false;
            }
        }
        true
    }

    /// Every token that `text` starts with, shortest first, and its length.
    pub(super) fn tokens_at(&self, text: &[u8]) -> impl Iterator<Item = (u32, usize)> {
        self.trie.prefixes(text)
    }

    /// Whether `left` and `right` can stand beside each other in an encoding: takes both apart along their
    /// merges, latest first, and looks for an earlier merge across the border.
    pub(super) fn compatible(&self, mut left: u32, mut right: u32) -> bool {
        let mut limit = u32::MAX;
        loop {
            if self.pairs.merged(left, right).is_some_and(|token| token < limit) {
                return false;
            }
            // The younger of the two is the one that a merge across the border would have had to precede. Of
            // two equal tokens the left one is merged first, so the right one is taken apart first.
            if left > right {
                limit = left;
                let Some((_, last)) = self.vocabulary.parts(left) else { return true };
                left = last;
            } else {
                limit = right.saturating_add(1);
                let Some((first, _)) = self.vocabulary.parts(right) else { return true };
                right = first;
            }
        }
    }
}
