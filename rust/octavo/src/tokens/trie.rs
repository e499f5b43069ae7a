//! Longest token at a position: a double-array trie over the token bytes, laid out when the crate is built.

/// One `u32` a node, indexed by `base(parent) ^ byte`: bits 0..8 the byte that leads here, bits 8..31 the base of
/// its own children, bit 31 whether a token ends here. Bases of inner nodes are distinct, so comparing the byte
/// alone tells whether the slot is a child of the node one came from. Block 0 holds no child of anybody, so the
/// base 0 of a leaf leads nowhere. `build/layout.rs` writes this and explains the invariants.
#[derive(Clone, Copy)]
pub(super) struct Trie {
    root: u32,
    nodes: &'static [[u8; 4]],
    /// The token that ends at the node of the same index. Apart from the nodes, so that a walk touches one word a
    /// byte and this only once.
    tokens: &'static [[u8; 3]],
}

const TOKEN_HERE: u32 = 1 << 31;

impl Trie {
    /// Reads the layout: number of nodes, base of the root, nodes, tokens; little endian.
    pub(super) fn read(data: &'static [u8]) -> Option<Self> {
        let (&count, rest) = data.split_first_chunk()?;
        let (&root, rest) = rest.split_first_chunk()?;
        let count = u32::from_le_bytes(count) as usize;
        let (nodes, tokens) = rest.split_at_checked(count * 4)?;
        let ((nodes, []), (tokens, [])) = (nodes.as_chunks(), tokens.as_chunks()) else { return None };
        (tokens.len() == count).then_some(Self { root: u32::from_le_bytes(root), nodes, tokens })
    }

    /// The longest token that `text` starts with, and its length.
    #[inline]
    pub(super) fn longest(&self, text: &[u8]) -> Option<(u32, usize)> {
        let (mut base, mut found) = (self.root, None);
        for (depth, &byte) in text.iter().enumerate() {
            let at = base ^ u32::from(byte);
            let node = self.node(at);
            if node & 0xff != u32::from(byte) {
                break;
            }
            if node & TOKEN_HERE != 0 {
                found = Some((at, depth + 1));
            }
            base = node << 1 >> 9;
        }
        found.map(|(at, length)| (self.token(at), length))
    }

    /// Every token that `text` starts with, shortest first, and its length.
    pub(super) fn prefixes(&self, text: &[u8]) -> impl Iterator<Item = (u32, usize)> {
        let mut base = self.root;
        text.iter()
            .zip(1..)
            .map_while(move |(&byte, length)| {
                let at = base ^ u32::from(byte);
                let node = self.node(at);
                base = node << 1 >> 9;
                (node & 0xff == u32::from(byte)).then_some((node, at, length))
            })
            .filter(|(node, ..)| node & TOKEN_HERE != 0)
            .map(|(_, at, length)| (self.token(at), length))
    }

    #[inline]
    fn node(&self, at: u32) -> u32 {
        // Every base lies in a whole block of 256 nodes, so the index is always inside.
        self.nodes.get(at as usize).map_or(0, |&node| u32::from_le_bytes(node))
    }

    #[inline]
    fn token(&self, at: u32) -> u32 {
        self.tokens.get(at as usize).map_or(0, |&[a, b, c]| u32::from_le_bytes([a, b, c, 0]))
    }
}
