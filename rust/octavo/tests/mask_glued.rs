//! Findings glued to one another: what one of them hides is not left over for a second masking.

use octavo::mask::{Finding, Kind, Options, Stream, find, masked};

fn options() -> Options {
    Options { kinds: Kind::ALL.iter().copied().collect(), ..Options::default() }
}

fn mask(text: &str) -> String {
    masked(text, &find(text, &options()), |found: &Finding| format!("[{}]", found.kind.name()))
}

#[test]
fn masking_twice_is_masking_once() {
    for before in ["4111111111111111", "010-1234-5678", "11-12-123456-78", "850314-1065126", "x1", "a@b.co", "kim", ""]
    {
        for joint in ["-", ".", ":", "", " ", "@", "::"] {
            for after in
                ["00::2", "::10D:Em@e.co", "28::1", "00:1A:2B:3C:4D:5E:Em@e.co", "1.2.3.4", "::1.010-1234-5678"]
            {
                let text = format!("{before}{joint}{after}");
                let once = mask(&text);
                assert_eq!(mask(&once), once, "{text}");
                let mut stream = Stream::new(options());
                let mut streamed: String = text.chars().map(|one| stream.push(one.encode_utf8(&mut [0; 4]))).collect();
                streamed.push_str(&stream.finish());
                assert_eq!(streamed, once, "{text}");
            }
        }
    }
}

#[test]
fn addresses_are_found_where_they_stand_alone() {
    for (text, wanted) in [
        ("a ::1234, b", "a [IP_ADDRESS], b"),
        ("from 2001:db8::1: refused", "from [IP_ADDRESS]: refused"),
        ("-2001:db8::1-", "-[IP_ADDRESS]-"),
        ("[2001:db8::1]:80", "[[IP_ADDRESS]]:80"),
        ("00:1A:2B:3C:4D:5E.", "[MAC_ADDRESS]."),
    ] {
        assert_eq!(mask(text), wanted);
    }
}
