//! Secrets that are longer than any bound.

mod marked;

use marked::mask;
use octavo::mask::{Options, Stream};

#[test]
fn a_long_secret_is_masked_whole() {
    for length in [200, 255, 256, 257, 900, 9_000, 16_383, 16_640, 16_641, 100_000] {
        let value: String = "aB3dE5fG7hJ9kL2m".chars().cycle().take(length).collect();
        for (before, after) in
            [("AWS_SESSION_TOKEN=", " end"), ("\"aws_session_token\": \"", "\" end"), ("Authorization: Bearer ", "")]
        {
            assert_eq!(mask(&format!("{before}{value}{after}")), format!("{before}[SECRET]{after}"), "{length}");
        }
    }
}

/// Longer than any bound: masked to the border, whole and in a stream, which does not hold it.
#[test]
fn what_is_longer_than_any_key_is_masked_to_its_border() {
    let random: String = "aB3dE5fG7hJ9kL2m".chars().cycle().take(150_000).collect();
    let line = "MIIEpAIBAAKCAQEAxxyyzzxxyyzzxxyyzzxxyyzz0123456789abcdefghijABCD\n";
    let quoted = random.replace("G7", "G 7");
    let header = format!("eyJ4NWMiOlsi{random}");
    let texts = [
        (format!("sk-ant-api03-{random}입니다"), "[ANTHROPIC_KEY]입니다"),
        (format!("hvs.{random}. x"), "[API_KEY]. x"),
        (format!("sntrys_{random} x"), "[API_KEY] x"),
        (format!("token={random} x"), "token=[SECRET] x"),
        (format!("{{\"token\": \"{random}\", \"a\": 1}}"), "{\"token\": \"[SECRET]\", \"a\": 1}"),
        (format!("{{\"password\": \"{quoted}\", \"a\": 1}}"), "{\"password\": \"[SECRET]\", \"a\": 1}"),
        (format!("{{\\\"password\\\": \\\"{quoted}\\\", 1}}"), "{\\\"password\\\": \\\"[SECRET]\\\", 1}"),
        (format!("eyJhbGciOiJIUzI1NiJ9.eyJ{random}.{random} x"), "[JWT] x"),
        (format!("{header}.eyJ{random}.{random} x"), "[JWT] x"),
        (format!("Bearer {random} x"), "Bearer [SECRET] x"),
        (
            format!("a -----BEGIN RSA PRIVATE KEY-----\n{}-----END RSA PRIVATE KEY----- b", line.repeat(2_000)),
            "a [PRIVATE_KEY] b",
        ),
        (
            format!("a -----BEGIN RSA PRIVATE KEY-----\n{}\nplain words", line.repeat(2_000)),
            "a [PRIVATE_KEY]\n\nplain words",
        ),
    ];
    for (text, right) in &texts {
        let start: String = text.chars().take(40).collect();
        assert_eq!(mask(text).chars().take(200).collect::<String>(), *right, "{start}");
        assert_eq!(mask(right), *right, "{start}");
        for size in [1_usize, 7, 1_000, 70_000] {
            let mut stream = Stream::new(Options::default());
            let (mut out, mut taken) = (String::new(), 0);
            let characters: Vec<char> = text.chars().collect();
            for piece in characters.chunks(size) {
                let piece = stream.advance(&piece.iter().collect::<String>());
                taken += piece.text.len();
                out += &written(&piece);
            }
            out += &written(&stream.rest());
            assert_eq!(out.chars().take(200).collect::<String>(), *right, "{start} in pieces of {size}");
            assert!(size == 70_000 || taken + 60_000 > text.len(), "{start}: {taken} of {}", text.len());
        }
    }
}

fn written(piece: &octavo::mask::Piece) -> String {
    octavo::mask::masked(&piece.text, &piece.found, |found| {
        if found.goes_on() { String::new() } else { format!("[{}]", found.kind.name()) }
    })
}
