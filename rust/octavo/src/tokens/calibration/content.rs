//! What a text consists of, told from its bytes in one pass.
//!
//! One table look-up a byte and no decoding: the first byte of a character tells its script, with the
//! second where scripts share the first. The exact count beside it takes several times as long.

/// A kind of content whose ratio differs from the others'.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the name it stands for in the data")]
pub enum Class {
    Prose,
    Latin,
    Vietnamese,
    Code,
    Json,
    Logs,
    Cyrillic,
    Greek,
    Arabic,
    Hebrew,
    Devanagari,
    Bengali,
    Dravidian,
    Thai,
    Hangul,
    Japanese,
    Chinese,
    Symbols,
    Other,
}

/// How many classes there are.
pub const CLASSES: usize = 19;

impl Class {
    /// Every class, in the order of its number.
    pub const ALL: [Self; CLASSES] = [
        Self::Prose,
        Self::Latin,
        Self::Vietnamese,
        Self::Code,
        Self::Json,
        Self::Logs,
        Self::Cyrillic,
        Self::Greek,
        Self::Arabic,
        Self::Hebrew,
        Self::Devanagari,
        Self::Bengali,
        Self::Dravidian,
        Self::Thai,
        Self::Hangul,
        Self::Japanese,
        Self::Chinese,
        Self::Symbols,
        Self::Other,
    ];

    /// Its name in the data.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prose => "prose",
            Self::Latin => "latin",
            Self::Vietnamese => "vietnamese",
            Self::Code => "code",
            Self::Json => "json",
            Self::Logs => "logs",
            Self::Cyrillic => "cyrillic",
            Self::Greek => "greek",
            Self::Arabic => "arabic",
            Self::Hebrew => "hebrew",
            Self::Devanagari => "devanagari",
            Self::Bengali => "bengali",
            Self::Dravidian => "dravidian",
            Self::Thai => "thai",
            Self::Hangul => "hangul",
            Self::Japanese => "japanese",
            Self::Chinese => "chinese",
            Self::Symbols => "symbols",
            Self::Other => "other",
        }
    }
}

/// Bins of the pass: what a byte counts as. `PART` is a byte inside a character.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Bin {
    Part,
    Letter,
    Digit,
    Space,
    Quote,
    Bracket,
    Separator,
    Operator,
    Punctuation,
    LatinMark,
    VietnameseMark,
    Cyrillic,
    Greek,
    Arabic,
    Hebrew,
    Devanagari,
    Bengali,
    Dravidian,
    Thai,
    Hangul,
    Kana,
    Han,
    Symbol,
    CjkMark,
    Other,
    /// The second byte decides.
    Shared,
}

/// A power of two above the number of bins, so that the bounds check is a mask.
const BINS: usize = 32;

const fn first_byte(byte: u8) -> Bin {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' => Bin::Letter,
        b'0'..=b'9' => Bin::Digit,
        b' ' | b'\t' | b'\n' | b'\r' => Bin::Space,
        b'"' => Bin::Quote,
        b'{' | b'}' | b'[' | b']' => Bin::Bracket,
        b':' | b',' => Bin::Separator,
        b'(' | b')' | b';' | b'=' | b'<' | b'>' | b'_' | b'&' | b'|' | b'+' | b'*' | b'$' | b'#' | b'\\' | b'/' => {
            Bin::Operator
        }
        0x00..=0x7f => Bin::Punctuation,
        0x80..=0xbf => Bin::Part,
        // U+0080..U+024F; U+0080..U+00BF (0xC2) is punctuation and signs.
        0xc3..=0xc9 => Bin::LatinMark,
        0xc2 | 0xca..=0xcc => Bin::Symbol,
        0xcd..=0xcf => Bin::Greek,
        0xd0..=0xd3 => Bin::Cyrillic,
        0xd6 | 0xd7 => Bin::Hebrew,
        0xd8..=0xdb => Bin::Arabic,
        0xe4..=0xe9 => Bin::Han,
        0xeb..=0xed => Bin::Hangul,
        0xe0..=0xe3 | 0xea | 0xef | 0xf0 => Bin::Shared,
        _ => Bin::Other,
    }
}

const TABLE: [Bin; 256] = {
    let mut table = [Bin::Other; 256];
    let mut rest: &mut [Bin] = &mut table;
    let mut byte = 0_u8;
    while let Some((bin, tail)) = rest.split_first_mut() {
        *bin = first_byte(byte);
        byte = byte.wrapping_add(1);
        rest = tail;
    }
    table
};

/// The script of a character whose first byte several scripts share.
const fn second_byte(first: u8, second: u8) -> Bin {
    match (first, second) {
        (0xe0, 0xa4 | 0xa5 | 0xa8..=0xab) => Bin::Devanagari,
        (0xe0, 0xa6 | 0xa7 | 0xac | 0xad) => Bin::Bengali,
        (0xe0, 0xae..=0xb7) => Bin::Dravidian,
        (0xe0, 0xb8..=0xbb) => Bin::Thai,
        (0xe1, 0x84..=0x87) | (0xea, 0xb0..=0xbf) => Bin::Hangul,
        (0xe1, 0xb8..=0xbb) => Bin::VietnameseMark,
        (0xe1, 0xbc..=0xbf) => Bin::Greek,
        (0xe2, _) | (0xef, 0xb8..=0xbb | 0xbe | 0xbf) | (0xf0, 0x9f) => Bin::Symbol,
        (0xe3, 0x80) | (0xef, 0xbc | 0xbd) => Bin::CjkMark,
        (0xe3, 0x81..=0x83 | 0x87) => Bin::Kana,
        (0xe3, 0x90..=0xbf) | (0xf0, 0xa0..=0xaf) | (0xef, 0xa4..=0xab) => Bin::Han,
        (0xef, 0xac..=0xb7) => Bin::Arabic,
        _ => Bin::Other,
    }
}

/// Places that neighbouring bytes are counted in.
const LANES: usize = 4;

/// Counts one byte. A lane would need 4 GiB of one kind to wrap.
fn bump(lanes: &mut [[u32; BINS]; LANES], lane: usize, bin: Bin) {
    let lane = lanes.get_mut(lane & (LANES - 1));
    if let Some(count) = lane.and_then(|lane| lane.get_mut(bin as usize & (BINS - 1))) {
        *count = count.wrapping_add(1);
    }
}

fn first_bin(byte: u8) -> Bin {
    TABLE.get(usize::from(byte)).copied().unwrap_or(Bin::Other)
}

/// Counts whole characters until at least `least` bytes are taken; what follows them.
fn add_mixed<'text>(bytes: &'text [u8], least: usize, lanes: &mut [[u32; BINS]; LANES]) -> &'text [u8] {
    let mut rest = bytes;
    while bytes.len() - rest.len() < least {
        let Some((&byte, tail)) = rest.split_first() else { break };
        rest = tail;
        let mut bin = first_bin(byte);
        if bin == Bin::Shared {
            let Some((&second, tail)) = rest.split_first() else { break };
            rest = tail;
            bin = second_byte(byte, second);
        }
        bump(lanes, rest.len(), bin);
    }
    rest
}

/// How many characters of each kind a text has. Texts add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Content {
    bins: [u64; BINS],
}

impl Content {
    /// The content of one text.
    pub fn of(text: &str) -> Self {
        let mut content = Self::default();
        content.add(text);
        content
    }

    /// Adds a text that follows.
    pub fn add(&mut self, text: &str) {
        let mut lanes = [[0_u32; BINS]; LANES];
        let mut rest = text.as_bytes();
        while let Some((chunk, tail)) = rest.split_first_chunk::<8>() {
            rest = if chunk.is_ascii() {
                // Neighbours are mostly of one bin; counting them in one place would wait for each store.
                for (at, &byte) in chunk.iter().enumerate() {
                    bump(&mut lanes, at, first_bin(byte));
                }
                tail
            } else {
                add_mixed(rest, chunk.len(), &mut lanes)
            };
        }
        while !rest.is_empty() {
            rest = add_mixed(rest, 1, &mut lanes);
        }
        for lane in lanes {
            self.bins.iter_mut().zip(lane).for_each(|(sum, count)| *sum += u64::from(count));
        }
    }

    /// Takes away a text that was added.
    pub(super) fn remove(&mut self, text: &str) {
        for character in text.chars() {
            let mut bytes = [0; 4];
            let mut bytes = character.encode_utf8(&mut bytes).bytes();
            let (first, second) = (bytes.next().unwrap_or_default(), bytes.next().unwrap_or_default());
            let bin = match first_bin(first) {
                Bin::Shared => second_byte(first, second),
                bin => bin,
            };
            if let Some(count) = self.bins.get_mut(bin as usize) {
                *count = count.saturating_sub(1);
            }
        }
    }

    fn bin(&self, bin: Bin) -> u64 {
        self.bins.get(bin as usize).copied().unwrap_or_default()
    }

    /// The classes of the text with their characters, summing to all its characters.
    pub fn classes(&self) -> [(Class, u64); 14] {
        let kana = self.bin(Bin::Kana);
        let han = self.bin(Bin::Han);
        // Chinese has no kana; Japanese prose has more kana than Han.
        let han_class = if kana * 10 >= han && kana > 0 { Class::Japanese } else { Class::Chinese };
        [
            (self.ascii_class(), self.ascii() + self.bin(Bin::LatinMark) + self.bin(Bin::VietnameseMark)),
            (Class::Cyrillic, self.bin(Bin::Cyrillic)),
            (Class::Greek, self.bin(Bin::Greek)),
            (Class::Arabic, self.bin(Bin::Arabic)),
            (Class::Hebrew, self.bin(Bin::Hebrew)),
            (Class::Devanagari, self.bin(Bin::Devanagari)),
            (Class::Bengali, self.bin(Bin::Bengali)),
            (Class::Dravidian, self.bin(Bin::Dravidian)),
            (Class::Thai, self.bin(Bin::Thai)),
            (Class::Hangul, self.bin(Bin::Hangul)),
            (Class::Japanese, kana),
            (han_class, han + self.bin(Bin::CjkMark)),
            (Class::Symbols, self.bin(Bin::Symbol)),
            (Class::Other, self.bin(Bin::Other)),
        ]
    }

    fn ascii(&self) -> u64 {
        const ASCII: [Bin; 8] = [
            Bin::Letter,
            Bin::Digit,
            Bin::Space,
            Bin::Quote,
            Bin::Bracket,
            Bin::Separator,
            Bin::Operator,
            Bin::Punctuation,
        ];
        ASCII.into_iter().map(|bin| self.bin(bin)).sum()
    }

    /// What the ASCII part (with accented letters) is. Thresholds are per 1,000 characters.
    fn ascii_class(&self) -> Class {
        let all = self.ascii().max(1);
        let share = |bin| self.bin(bin) * 1000 / all;
        let letters = self.bin(Bin::Letter).max(1);
        if self.bin(Bin::VietnameseMark) * 1000 / letters >= 30 {
            Class::Vietnamese
        } else if self.bin(Bin::LatinMark) * 1000 / letters >= 12 {
            Class::Latin
        } else if share(Bin::Digit) >= 150 {
            Class::Logs
        } else if share(Bin::Quote) >= 40 && share(Bin::Bracket) + share(Bin::Separator) >= 40 {
            Class::Json
        } else if share(Bin::Operator) + share(Bin::Bracket) >= 45 {
            Class::Code
        } else {
            Class::Prose
        }
    }
}
