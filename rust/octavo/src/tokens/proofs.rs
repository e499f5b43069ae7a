//! The fast ways against the plain ones, on generated text.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop")]

use std::sync::{Arc, LazyLock};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::block::{self, Block, Masks, SplitBlocks};
use super::bpe::{Bpe, Scratch};
use super::character::{CASELESS, class_of};
use super::classify::{Classify, Portable};
use super::pairs::Pairs;
use super::split::{Cl100k, O200k, Split};
use super::vocabulary::Vocabulary;
use super::{CountTokens, Encoding, StreamCounter, merge};

/// What the patterns treat apart: cases, marks, contractions, newlines, slashes, other scripts and spaces.
const PARTS: &[&str] = &[
    "a",
    "b",
    "A",
    "B",
    "é",
    "É",
    "가",
    "あ",
    "漢",
    "ア",
    "㐀",
    "・",
    "—",
    "“",
    "Ж",
    "ж",
    "\u{301}",
    "1",
    "22",
    "٣",
    " ",
    "  ",
    "\t",
    "\n",
    "\r\n",
    "/",
    ".",
    "(",
    "'",
    "'s",
    "'S",
    "'re",
    "'LL",
    "'ſ",
    "ſ",
    "\u{a0}",
    "\u{3000}",
    "\u{85}",
    "🙂",
    "\0",
    "_",
    "the",
    " Hello",
    "ʰ",
    "ǅ",
    "\u{200b}",
    "\x0b",
    "𝟘",
    "-----",
    "        ",
    "<|endoftext|>",
    ";\n\n",
    "\n/",
];

fn text(parts: usize) -> impl Strategy<Value = String> {
    let few = vec(select(PARTS), 1..6).prop_flat_map(move |few| vec(select(few), 0..parts));
    let many = vec(select(PARTS), 0..parts);
    prop_oneof![few, many].prop_map(|parts| parts.concat())
}

fn encodings() -> [Arc<Encoding>; 2] {
    ["o200k_base", "cl100k_base"].map(|name| Encoding::named(name).unwrap())
}

fn masks<C: Classify>(text: &[u8], at: usize) -> Masks {
    let mut bytes = [0; 64];
    let rest = &text[at..];
    let length = rest.len().min(64);
    bytes[..length].copy_from_slice(&rest[..length]);
    C::classify(&bytes)
}

/// Every end that a block gives is the reference's; returns how many there were.
fn check_block<S: SplitBlocks>(text: &[u8]) -> usize {
    let (mut at, mut seen) = (0, 0);
    while at < text.len() {
        let block = Block { text, at, masks: masks::<Portable>(text, at) };
        let mut ends = block::ends::<S>(block);
        let mut start = at;
        while ends != 0 {
            let end = at + ends.trailing_zeros() as usize;
            ends &= ends - 1;
            assert_eq!(end, S::end(text, start), "from {start} in {:?}", String::from_utf8_lossy(text));
            start = end;
            seen += 1;
        }
        at = if start > at { start } else { S::end(text, at) };
    }
    seen
}

fn reference(vocabulary: &Vocabulary, pairs: &Pairs, piece: &[u8]) -> Vec<(u32, u32)> {
    let singles = std::array::from_fn(|byte| vocabulary.trie.longest(&[u8::try_from(byte).unwrap()]).unwrap().0);
    let mut tokens = Vec::new();
    merge::encode(piece, &singles, pairs, &mut tokens);
    tokens
}

/// The longest beginning by trying all.
fn longest_within(encoding: &Encoding, text: &str, limit: usize) -> usize {
    (0..=text.len())
        .rev()
        .filter(|&end| text.is_char_boundary(end))
        .find(|&end| encoding.count(&text[..end]) <= limit)
        .unwrap()
}

static BPES: LazyLock<[(Vocabulary, Bpe); 2]> = LazyLock::new(|| {
    [Vocabulary::o200k_base().unwrap(), Vocabulary::cl100k_base().unwrap()].map(|it| (it, Bpe::new(it)))
});

#[test]
fn blocks_do_most_of_ascii_text() {
    let text = "It's 2026: fn main() { println!(\"Hello, world\"); }\n    // don't\n\n".repeat(20);
    assert!(check_block::<O200k>(text.as_bytes()) > 300);
    assert!(check_block::<Cl100k>(text.as_bytes()) > 300);
}

#[test]
fn blocks_do_most_of_wide_text() {
    let text = "한국어 문장을 “따옴표” 안에 — 日本語のテキスト、漢字。A가 가's Ünïcode.\n".repeat(20);
    assert!(check_block::<O200k>(text.as_bytes()) > 200);
    assert!(check_block::<Cl100k>(text.as_bytes()) > 200);
}

/// Letters that are told by their bytes are what the table says, and all of their bytes are marked.
#[test]
fn letters_told_by_their_bytes_are_letters() {
    let mut told = 0;
    for character in ('\u{80}'..=char::MAX).filter(|character| character.len_utf8() == 3) {
        let mut bytes = [b' '; 64];
        character.encode_utf8(&mut bytes[7..]);
        let masks = Portable::classify(&bytes);
        assert_eq!(masks.caseless | masks.wide, 0b111 << 7, "{character}");
        assert!(masks.caseless == 0 || masks.wide == 0);
        if masks.caseless != 0 {
            assert_eq!(class_of(u32::from(character)), CASELESS, "{character}");
            told += 1;
        }
    }
    assert!(told > 30_000, "{told}");
}

#[test]
fn every_token_counts_as_one() {
    for (vocabulary, bpe) in BPES.iter() {
        let mut spelling: Vec<Vec<u8>> = (0..256).map(|_| Vec::new()).collect();
        for byte in 0..=u8::MAX {
            spelling[vocabulary.trie.longest(&[byte]).unwrap().0 as usize] = vec![byte];
        }
        for merge in vocabulary.merges() {
            let bytes = [spelling[merge.left as usize].clone(), spelling[merge.right as usize].clone()].concat();
            assert_eq!(vocabulary.trie.longest(&bytes), Some((merge.token, bytes.len())));
            assert_eq!(
                bpe.encode(&bytes, &mut Scratch::default()),
                [(merge.token, u32::try_from(bytes.len()).unwrap())]
            );
            spelling.push(bytes);
        }
        assert_eq!(spelling.len(), vocabulary.len());
    }
}

#[test]
fn an_unknown_name_is_an_error() {
    assert!(matches!(Encoding::named("gpt2"), Err(crate::Error::UnknownEncoding(name)) if name == "gpt2"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn blocks_split_like_the_reference(text in text(80)) {
        check_block::<O200k>(text.as_bytes());
        check_block::<Cl100k>(text.as_bytes());
    }

    #[test]
    fn pretokens_cover_the_text(text in text(40)) {
        for end in [O200k::end, Cl100k::end] {
            let mut at = 0;
            while at < text.len() {
                let next = end(text.as_bytes(), at);
                prop_assert!(next > at && text.is_char_boundary(next));
                at = next;
            }
        }
    }

    #[test]
    fn vector_classes_are_the_portable_ones(
        bytes in prop_oneof![vec(any::<u8>(), 64), text(80).prop_map(|text| (text + &" ".repeat(64)).into_bytes())]
    ) {
        let bytes: [u8; 64] = *bytes.first_chunk().unwrap();
        let portable = Portable::classify(&bytes);
        #[cfg(target_arch = "x86_64")]
        {
            use super::classify::{Avx2, Avx512};
            if Avx512::supported() {
                prop_assert_eq!(Avx512::classify(&bytes), portable);
            }
            if Avx2::supported() {
                prop_assert_eq!(Avx2::classify(&bytes), portable);
            }
        }
        let classes = [portable.lower, portable.upper, portable.digit, portable.space, portable.blank, portable.newline, portable.other, portable.caseless, portable.wide];
        prop_assert_eq!(classes.iter().map(|class| class.count_ones()).sum::<u32>(), 64);
    }
}

/// Units of runs in which no pretoken ends.
const RUNS: &[&str] = &["a", "가", "あ", " ", "\n", "=-", "=", "-", "Ab", "あA", "ㅋ", "🙂", "e\u{301}", "漢字", "_"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn longest_match_counts_like_merging(
        bytes in prop_oneof![
            vec(any::<u8>(), 1..60),
            vec(select(b"aab ".as_slice()), 1..300),
            (select(b"-=/_ a".as_slice()), 1usize..3_000).prop_map(|(byte, times)| vec![byte; times]),
            text(60).prop_map(String::into_bytes),
        ]
    ) {
        for (vocabulary, bpe) in BPES.iter() {
let tokens = reference(vocabulary, &bpe.pairs, &bytes);
            prop_assert_eq!(bpe.count(&bytes, &mut Scratch::default()), tokens.len());
            prop_assert_eq!(bpe.encode(&bytes, &mut Scratch::default()).to_vec(), tokens);
        }
    }

    #[test]
    fn truncation_keeps_the_longest_beginning(text in text(40), limit in 0usize..30) {
        for encoding in encodings() {
            let kept = encoding.truncate(&text, limit);
            prop_assert!(text.starts_with(kept));
            prop_assert_eq!(kept.len(), longest_within(&encoding, &text, limit));
        }
    }

    #[test]
    fn truncation_inside_a_long_run(
        head in text(3),
        units in vec(select(RUNS), 1..4),
        times in vec(1usize..300, 1..6),
        tail in text(4),
        limit in 0usize..300,
    ) {
        let runs: String = times.iter().zip(units.iter().cycle()).map(|(&times, unit)| unit.repeat(times)).collect();
        let text = head + &runs + &tail;
        for encoding in encodings() {
            prop_assert_eq!(encoding.truncate(&text, limit).len(), longest_within(&encoding, &text, limit));
        }
    }

    #[test]
    fn a_limit_is_exact(text in text(60)) {
        for encoding in encodings() {
            let count = encoding.count(&text);
            prop_assert_eq!(encoding.count_up_to(&text, count), Some(count));
            if let Some(less) = count.checked_sub(1) {
                prop_assert_eq!(encoding.count_up_to(&text, less), None);
            }
        }
    }

    #[test]
    fn a_stream_counts_what_it_was_given(parts in vec(text(8), 0..40)) {
        for encoding in encodings() {
            let (mut stream, mut whole) = (StreamCounter::new(encoding.clone()), String::new());
            for part in &parts {
                stream.push(part);
                whole.push_str(part);
                prop_assert_eq!(stream.total(), encoding.count(&whole), "{:?}", whole);
            }
        }
    }
}
