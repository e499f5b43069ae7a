//! What a stream keeps: enough of what was said before, and nothing that can be read in a log.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod marked;

use std::cell::Cell;

use marked::mask;
use octavo::mask::{Options, Stream};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::Config;

fn streamed(text: &str, size: usize) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut stream = Stream::new(Options::default());
    let parts = characters.chunks(size).map(|chunk| stream.push(&chunk.iter().collect::<String>()));
    let mut out: String = parts.collect();
    out += &stream.finish();
    out
}

#[test]
fn what_is_not_seen_hides_no_context_in_a_stream() {
    let mut tried = 0;
    for unseen in ["\u{200B}", "\u{3164}", "\u{FE0F}", "\u{AD}", "\u{301}", "\u{E0020}", "\u{80}", "\u{200B}\u{301}"] {
        for count in [100, 1_000, 5_000] {
            for (word, number) in [("국민은행", "123456789012"), ("여권", "M12345678"), ("주민번호", "8513011234567")]
            {
                let text = format!("앞 {word} {} {number} 끝", unseen.repeat(count));
                let whole = mask(&text);
                assert!(!whole.contains(number), "{word} {unseen:?} {count}");
                for size in [7, 64, 1_000] {
                    assert_eq!(streamed(&text, size), whole, "{word} {unseen:?} {count}, {size} at a time");
                    tried += 1;
                }
            }
        }
    }
    assert_eq!(tried, 216);
}

#[test]
fn full_width_text_before_a_number_is_context_as_far_as_in_the_whole() {
    for count in 20..40 {
        let text = format!("계좌{}１２３４５６７８９０１２ 끝", "，".repeat(count));
        assert_eq!(streamed(&text, 3), mask(&text), "{count}");
    }
}

#[test]
fn neither_stream_nor_piece_prints_what_it_holds() {
    let mut stream = Stream::new(Options::default());
    let piece = stream.advance("password=hunter2Zq9xK and more words, then 010-1234-56");
    let (stream, piece) = (format!("{stream:?} {stream:#?}"), format!("{piece:?} {piece:#?}"));
    for shown in [&stream, &piece] {
        assert!(!shown.contains("hunter2") && !shown.contains("1234") && !shown.contains("words"), "{shown}");
    }
    assert!(stream.contains("Stream") && stream.contains("held_bytes: 13"), "{stream}");
    assert!(piece.contains("Piece") && piece.contains("bytes: 41") && piece.contains("findings: 1"), "{piece}");
}

/// What follows may be the line of a key; the line before is over.
#[test]
fn a_line_is_given_out_with_its_end() {
    let mut stream = Stream::new(Options::default());
    assert_eq!(stream.push("good\n"), "good\n");
    assert_eq!(stream.push("next"), "");
    assert_eq!(stream.push("\n"), "next\n");
    assert_eq!(stream.finish(), "");
}

/// A key's end may come when its beginning was given out: what is left of it is masked, in pieces of any size.
#[test]
fn the_end_of_a_key_whose_beginning_went_is_masked() {
    let mut masked = 0;
    for line_end in ["\n", "\r\n"] {
        for length in [4, 13, 21, 25] {
            let text = format!("{}{line_end}-----END PRIVATE KEY-----{line_end}done", "aaa".repeat(length));
            let whole = mask(&text).contains("[PRIVATE_KEY]");
            for size in 1..9 {
                let out = streamed(&text, size);
                assert_eq!(out.contains("[PRIVATE_KEY]"), whole, "{length} {size} {line_end:?}: {out}");
                assert!(out.ends_with("done"), "{out}");
                masked += usize::from(whole);
            }
        }
    }
    assert!(masked > 20);
}

const BASE64: &str = "[A-Za-z0-9+/]";

/// The last lines of a key, whatever stands before them, and its end line.
fn key_tail() -> impl Strategy<Value = String> {
    let before =
        select(vec!["", "x\n", "key: ", "\"", "commit ", "a/b/c+", "$ tail k\n", "\u{1b}[0m", "[SECRET]", "= "]);
    let line_end = select(vec!["\n", "\r\n", "\\n", "\\r\\n", "\\\\n", " \n", "\r\n  "]);
    let line = || format!("{BASE64}{{36,100}}={{0,2}}");
    let last = prop::string::string_regex(&format!("{BASE64}{{1,64}}={{0,2}}")).unwrap();
    let lines = prop::collection::vec(prop::string::string_regex(&line()).unwrap(), 1..4);
    let label = select(vec!["PRIVATE KEY-----", "RSA PRIVATE KEY-----", "PRIVATE KEY----", "CERTIFICATE-----", "PRIV"]);
    (before, lines, last, line_end, label).prop_map(|(before, mut lines, last, line_end, label)| {
        lines.push(last);
        format!("{before}{}{line_end}-----END {label}{line_end}done", lines.join(line_end))
    })
}

/// Nothing is given out of lines that may be those of a key, however they are cut, while their end may come.
#[test]
fn the_tail_of_a_key_is_masked_as_in_the_whole_however_it_is_cut() {
    let (masked, tried) = (Cell::new(0), Cell::new(0));
    let config = Config { failure_persistence: None, ..Config::with_cases(400) };
    let result = proptest::test_runner::TestRunner::new(config).run(
        &(key_tail(), prop::collection::vec(1_usize..30, 1..40)),
        |(text, cuts)| {
            let whole = mask(&text);
            tried.update(|tried| tried + 1);
            masked.update(|masked| masked + usize::from(whole.contains("[PRIVATE_KEY]")));
            for size in 1..9 {
                prop_assert_eq!(&streamed(&text, size), &whole, "{} at a time", size);
            }
            let mut stream = Stream::new(Options::default());
            let (mut rest, mut out) = (text.as_str(), String::new());
            for &size in cuts.iter().cycle() {
                let Some((chunk, after)) = rest.split_at_checked(size.min(rest.len())) else { break };
                out += &stream.push(chunk);
                rest = after;
                if rest.is_empty() {
                    break;
                }
            }
            prop_assert_eq!(out + &stream.finish(), whole);
            Ok(())
        },
    );
    assert_eq!(result, Ok(()));
    assert!(masked.get() > tried.get() / 6, "{masked:?} of {tried:?}");
}

/// What may be the line of a key is held back; the text is given out again when it is not.
#[test]
fn no_more_is_held_back_than_lines_that_may_be_those_of_a_key() {
    let mut stream = Stream::new(Options::default());
    let line = "MIIEpAIBAAKCAQEAxxyyzzxxyyzzxx/yzzxxyyzz0123456789abc+efghijABCD";
    assert_eq!(stream.push(&format!("$ tail k\r\n{line}\r")), "$ tail k\r\n");
    assert_eq!(stream.push(&format!("\n{line}\r\n")), "");
    assert_eq!(stream.push("no key\r\nand, words"), format!("{line}\r\n{line}\r\nno key\r\nand, "));
    let (mut held, mut most) = (0, 0);
    for _ in 0..2_000 {
        held = held + line.len() + 2 - stream.push(&format!("\r\n{line}")).len();
        most = held.max(most);
    }
    assert!((30_000..40_000).contains(&most), "{most}");
}
