//! Byte-pair merging by the definition: lowest rank first, leftmost first among equals. O(n log n).
//!
//! What the fast counter is tested against, and what takes over from it on the inputs that it is slow on.

use std::collections::BTreeMap;

use super::pairs::Pairs;

/// Appends the tokens of `piece`, each with its length, to `tokens`. `singles` maps a byte to its token.
///
/// Places are 32 bits wide: a pretoken of 4 GiB or more would come out as fewer tokens than it has.
pub(super) fn encode(piece: &[u8], singles: &[u32; 256], pairs: &Pairs, tokens: &mut Vec<(u32, u32)>) {
    let mut chain = Chain::new(piece, singles);
    let mut waiting: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for at in 0..chain.end() {
        chain.offer(at, pairs, &mut waiting);
    }
    // A token is younger than its parts: what a merge makes possible comes after all merges of its own rank.
    while let Some((token, mut places)) = waiting.pop_first() {
        places.sort_unstable();
        for at in places {
            // What was merged in the meantime left its old offers behind.
            if chain.merged(at, pairs) == Some(token) {
                chain.merge(at, token);
                chain.offer(at, pairs, &mut waiting);
                if let Some(before) = chain.before(at) {
                    chain.offer(before, pairs, &mut waiting);
                }
            }
        }
    }
    tokens.extend(chain.tokens());
}

/// The tokens of a piece as a doubly linked list over the places where they begin.
struct Chain {
    links: Vec<Link>,
}

#[derive(Clone, Copy)]
struct Link {
    /// `GONE` when the token was merged into its left neighbour.
    token: u32,
    previous: u32,
    next: u32,
}

const GONE: u32 = u32::MAX;

impl Chain {
    fn new(piece: &[u8], singles: &[u32; 256]) -> Self {
        let link = |(at, byte): (u32, &u8)| Link {
            token: singles.get(usize::from(*byte)).copied().unwrap_or_default(),
            previous: at.wrapping_sub(1),
            next: at.saturating_add(1),
        };
        Self { links: (0..u32::MAX).zip(piece).map(link).collect() }
    }

    fn end(&self) -> u32 {
        u32::try_from(self.links.len()).unwrap_or(u32::MAX)
    }

    fn link(&self, at: u32) -> Option<&Link> {
        self.links.get(at as usize).filter(|link| link.token != GONE)
    }

    fn before(&self, at: u32) -> Option<u32> {
        self.link(at).map(|link| link.previous)
    }

    /// What the token at `at` and the one behind it merge into.
    fn merged(&self, at: u32, pairs: &Pairs) -> Option<u32> {
        let left = self.link(at)?;
        pairs.merged(left.token, self.link(left.next)?.token)
    }

    fn offer(&self, at: u32, pairs: &Pairs, waiting: &mut BTreeMap<u32, Vec<u32>>) {
        if let Some(token) = self.merged(at, pairs) {
            waiting.entry(token).or_default().push(at);
        }
    }

    fn merge(&mut self, at: u32, token: u32) {
        let Some(&Link { next: gone, .. }) = self.link(at) else { return };
        let Some(right) = self.links.get_mut(gone as usize) else { return };
        right.token = GONE;
        let next = right.next;
        if let Some(link) = self.links.get_mut(at as usize) {
            (link.token, link.next) = (token, next);
        }
        if let Some(link) = self.links.get_mut(next as usize) {
            link.previous = at;
        }
    }

    fn tokens(&self) -> impl Iterator<Item = (u32, u32)> {
        let alive = (0..).zip(&self.links).filter(|(_, link)| link.token != GONE);
        alive.map(|(at, link): (u32, _)| (link.token, link.next.saturating_sub(at)))
    }
}
