//! Byte-pair merging by the definition: the reference that the fast counter is tested against.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::pairs::Pairs;

/// Tokens of `piece` after all merges, lowest rank first, leftmost first among equals. O(n log n).
///
/// `singles` maps a byte to its token.
pub(super) fn count(piece: &[u8], singles: &[u32; 256], pairs: &Pairs) -> usize {
    let mut chain = Chain::new(piece, singles);
    let mut heap: BinaryHeap<_> = (0..chain.links.len()).filter_map(|at| chain.candidate(at, pairs)).collect();
    let mut count = chain.links.len();
    while let Some(Reverse((token, at))) = heap.pop() {
        if chain.candidate(at, pairs) == Some(Reverse((token, at))) {
            chain.merge(at, token);
            count -= 1;
            let previous = chain.links.get(at).map_or(usize::MAX, |link| link.previous);
            heap.extend([previous, at].into_iter().filter_map(|at| chain.candidate(at, pairs)));
        }
    }
    count
}

/// The tokens of a piece as a doubly linked list; a link that was merged into its left neighbour is dead.
struct Chain {
    links: Vec<Link>,
}

#[derive(Clone, Copy)]
struct Link {
    token: u32,
    previous: usize,
    next: usize,
    alive: bool,
}

impl Chain {
    fn new(piece: &[u8], singles: &[u32; 256]) -> Self {
        let link = |(at, byte): (usize, &u8)| Link {
            token: singles.get(usize::from(*byte)).copied().unwrap_or_default(),
            previous: at.wrapping_sub(1),
            next: at + 1,
            alive: true,
        };
        Self { links: piece.iter().enumerate().map(link).collect() }
    }

    /// The merge of the token at `at` with the one behind it.
    fn candidate(&self, at: usize, pairs: &Pairs) -> Option<Reverse<(u32, usize)>> {
        let left = self.links.get(at).filter(|link| link.alive)?;
        let right = self.links.get(left.next)?;
        pairs.merged(left.token, right.token).map(|token| Reverse((token, at)))
    }

    fn merge(&mut self, at: usize, token: u32) {
        let Some(&Link { next: dead, .. }) = self.links.get(at) else { return };
        let Some(gone) = self.links.get_mut(dead) else { return };
        gone.alive = false;
        let next = gone.next;
        if let Some(link) = self.links.get_mut(at) {
            (link.token, link.next) = (token, next);
        }
        if let Some(link) = self.links.get_mut(next) {
            link.previous = at;
        }
    }
}
