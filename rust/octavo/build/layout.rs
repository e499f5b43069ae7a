//! Lays out the double-array trie that `src/tokens/trie.rs` reads. Runs in the build script: it takes 60 ms for
//! 200,000 tokens when optimised, as long as the whole first count may take.
//!
//! A node is one `u32`, indexed by `base(parent) ^ byte`: bits 0..8 the byte that leads here, bits 8..31 the base
//! of its own children, bit 31 whether a token ends here. Invariants:
//! - no two nodes with children have the same base: so a slot whose byte is right is a child of the node that
//!   asks, and no second word for the parent is needed;
//! - a base lies inside the array, as does its whole block of 256;
//! - the base of a leaf is 0, and no slot of block 0 carries the byte that base 0 reaches it by;
//! - a slot left free carries a byte that no base in use reaches it by.

const BLOCK: usize = 256;
const TOKEN_HERE: u32 = 1 << 31;

/// The trie of the tokens 0.., given by their bytes: number of nodes, base of the root, nodes, tokens.
pub(crate) fn trie(tokens: &[Vec<u8>]) -> Vec<u8> {
    let mut layout = Layout::new();
    layout.place(&sorted(tokens.iter().map(Vec::as_slice)));
    layout.seal();
    layout.written()
}

/// A node that is yet to be laid out: the tokens `from..to` of the sorted list, which share `depth` bytes.
#[derive(Clone, Copy)]
struct Open {
    slot: Option<u32>,
    from: usize,
    to: usize,
    depth: usize,
}

/// Lays the nodes out depth first over the sorted tokens.
struct Layout {
    root: u32,
    nodes: Vec<u32>,
    tokens: Vec<u32>,
    free: Vec<[u64; 4]>,
    base_used: Vec<[u64; 4]>,
    /// Blocks below this are as good as full.
    first_open: usize,
}

/// A node with several children is tried in this many of the youngest blocks before a new one is opened.
const TRIED: usize = 3;

impl Layout {
    fn new() -> Self {
        let mut layout = Self {
            root: 0,
            nodes: Vec::new(),
            tokens: Vec::new(),
            free: Vec::new(),
            base_used: Vec::new(),
            first_open: 1,
        };
        layout.open_block();
        layout.take(0, &[]);
        // The slots of block 0 are nobody's child: not free, and sealed by hand.
        layout.free = vec![[0; 4]];
        for (node, byte) in layout.nodes.iter_mut().zip(0..=u8::MAX) {
            *node = u32::from(!byte);
        }
        layout
    }

    fn place(&mut self, sorted: &[(&[u8], u32)]) {
        let mut stack = vec![Open { slot: None, from: 0, to: sorted.len(), depth: 0 }];
        let (mut bytes, mut children) = (Vec::new(), Vec::new());
        while let Some(mut open) = stack.pop() {
            if let Some(&(_, token)) = sorted.get(open.from).filter(|(spelling, _)| spelling.len() == open.depth) {
                self.end_token(open, token);
                open.from += 1;
            }
            bytes.clear();
            children.clear();
            split_by_byte(sorted, open, &mut bytes, &mut children);
            let base = if bytes.is_empty() { 0 } else { self.find_base(&bytes) };
            self.take(base, &bytes);
            match open.slot {
                None => self.root = base,
                Some(slot) => {
                    if let Some(node) = self.nodes.get_mut(slot as usize) {
                        *node |= base << 8;
                    }
                }
            }
            for (child, &byte) in children.iter_mut().zip(&bytes) {
                let slot = base ^ u32::from(byte);
                child.slot = Some(slot);
                if let Some(node) = self.nodes.get_mut(slot as usize) {
                    *node = u32::from(byte);
                }
            }
            stack.extend(children.iter().rev());
        }
    }

    fn end_token(&mut self, at: Open, token: u32) {
        let Some(slot) = at.slot.map(|slot| slot as usize) else { return };
        if let Some((node, end)) = self.nodes.get_mut(slot).zip(self.tokens.get_mut(slot)) {
            *node |= TOKEN_HERE;
            *end = token;
        }
    }

    fn open_block(&mut self) {
        self.nodes.resize(self.nodes.len() + BLOCK, 0);
        self.tokens.resize(self.tokens.len() + BLOCK, 0);
        self.free.push([u64::MAX; 4]);
        self.base_used.push([0; 4]);
    }

    /// A base under which all of `bytes` (at least one) fall on free slots.
    fn find_base(&mut self, bytes: &[u8]) -> u32 {
        let youngest = self.free.len().saturating_sub(TRIED);
        let mut block = if bytes.len() == 1 { self.first_open } else { self.first_open.max(youngest) };
        loop {
            if block == self.free.len() {
                self.open_block();
            }
            if let Some(low) = self.fit(block, bytes) {
                return u32::try_from(block * BLOCK).unwrap_or(0) | u32::from(low);
            }
            if bytes.len() == 1 {
                // Not even one child fits: the few slots left are not worth another look.
                self.first_open = block + 1;
            }
            block += 1;
        }
    }

    /// The low byte of a base in `block` under which all children fall on free slots: tries the 256 bases of the
    /// block at once.
    fn fit(&self, block: usize, bytes: &[u8]) -> Option<u8> {
        let (free, used) = (self.free.get(block)?, self.base_used.get(block)?);
        if let &[byte] = bytes {
            return ones(free).map(|slot| slot ^ byte).find(|&low| !bit(used, low));
        }
        let mut bases = used.map(|word| !word);
        for &byte in bytes {
            for (bases, free) in bases.iter_mut().zip(exclusive_or(free, byte)) {
                *bases &= free;
            }
            if bases == [0; 4] {
                return None;
            }
        }
        ones(&bases).next()
    }

    fn take(&mut self, base: u32, bytes: &[u8]) {
        let (block, low) = (base as usize / BLOCK, base.to_le_bytes()[0]);
        if let Some((free, used)) = self.free.get_mut(block).zip(self.base_used.get_mut(block)) {
            set(used, low, true);
            for &byte in bytes {
                set(free, low ^ byte, false);
            }
        }
    }

    fn written(&self) -> Vec<u8> {
        let count = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        let head = [count, self.root].into_iter().flat_map(u32::to_le_bytes);
        let nodes = self.nodes.iter().flat_map(|node| node.to_le_bytes());
        let tokens = self.tokens.iter().flat_map(|token| token.to_le_bytes().into_iter().take(3));
        head.chain(nodes).chain(tokens).collect()
    }

    /// Gives every slot left free a byte that no base in use reaches it by. There is such a base: a block whose
    /// 256 bases are all in use has at least 256 children, so no slot is left.
    fn seal(&mut self) {
        for (block, (free, used)) in self.free.iter().zip(&self.base_used).enumerate() {
            let Some(idle) = ones(&used.map(|word| !word)).next() else { continue };
            for slot in ones(free) {
                if let Some(node) = self.nodes.get_mut(block * BLOCK + usize::from(slot)) {
                    *node = u32::from(slot ^ idle);
                }
            }
        }
    }
}

/// The children of a node: the next byte of each, and the part of the sorted list that it covers.
fn split_by_byte(sorted: &[(&[u8], u32)], open: Open, bytes: &mut Vec<u8>, children: &mut Vec<Open>) {
    let tokens = sorted.get(open.from..open.to).unwrap_or_default();
    for (at, (spelling, _)) in (open.from..).zip(tokens) {
        let Some(&byte) = spelling.get(open.depth) else { continue };
        if bytes.last() == Some(&byte)
            && let Some(last) = children.last_mut()
        {
            last.to = at + 1;
        } else {
            bytes.push(byte);
            children.push(Open { slot: None, from: at, to: at + 1, depth: open.depth + 1 });
        }
    }
}

/// The tokens in the order of their bytes, the first eight compared as one number.
fn sorted<'bytes>(tokens: impl Iterator<Item = &'bytes [u8]>) -> Vec<(&'bytes [u8], u32)> {
    let prefix = |bytes: &[u8]| {
        let mut first = [0; 8];
        first.iter_mut().zip(bytes).for_each(|(to, &from)| *to = from);
        u64::from_be_bytes(first)
    };
    let mut keyed: Vec<_> = (0..).zip(tokens).map(|(token, bytes)| (prefix(bytes), bytes, token)).collect();
    keyed.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.cmp(b.1)));
    keyed.into_iter().map(|(_, bytes, token)| (bytes, token)).collect()
}

#[inline]
fn ones(set: &[u64; 4]) -> impl Iterator<Item = u8> {
    (0..=255u8).step_by(64).zip(set).flat_map(|(from, &word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            let at = (left != 0).then(|| left.trailing_zeros().to_le_bytes()[0])?;
            left &= left - 1;
            Some(from + at)
        })
    })
}

/// The set of `member ^ byte` for all members of `set`.
fn exclusive_or(set: &[u64; 4], byte: u8) -> [u64; 4] {
    const KEPT: [u64; 6] = [
        0x5555_5555_5555_5555,
        0x3333_3333_3333_3333,
        0x0f0f_0f0f_0f0f_0f0f,
        0x00ff_00ff_00ff_00ff,
        0x0000_ffff_0000_ffff,
        0x0000_0000_ffff_ffff,
    ];
    let [a, b, c, d] = *set;
    let mut words = match byte >> 6 {
        0 => [a, b, c, d],
        1 => [b, a, d, c],
        2 => [c, d, a, b],
        _ => [d, c, b, a],
    };
    for (bit, kept) in KEPT.iter().enumerate() {
        if byte >> bit & 1 == 1 {
            words = words.map(|word| (word & kept) << (1 << bit) | word >> (1 << bit) & kept);
        }
    }
    words
}

fn bit(set: &[u64; 4], at: u8) -> bool {
    set.get(usize::from(at / 64)).is_some_and(|word| word >> (at % 64) & 1 == 1)
}

fn set(set: &mut [u64; 4], at: u8, value: bool) {
    if let Some(word) = set.get_mut(usize::from(at / 64)) {
        *word = *word & !(1 << (at % 64)) | u64::from(value) << (at % 64);
    }
}
