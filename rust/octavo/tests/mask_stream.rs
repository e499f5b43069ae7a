//! What a stream keeps: enough of what was said before, and nothing that can be read in a log.

mod marked;

use marked::mask;
use octavo::mask::{Options, Stream};

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
