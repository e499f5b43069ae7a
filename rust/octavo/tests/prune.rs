//! The laws of shortening, on generated texts of every kind.

use octavo::prune::{Kind, Shortened, shorten};
use octavo::tokens::{CountTokens, encoding};
use proptest::prelude::*;
use serde_json::Value;

/// Counts characters.
struct Characters;

impl CountTokens for Characters {
    fn count(&self, text: &str) -> usize {
        text.chars().count()
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        Some(self.count(text)).filter(|&count| count <= limit)
    }

    fn truncate<'text>(&self, text: &'text str, limit: usize) -> &'text str {
        text.char_indices().nth(limit).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
    }
}

fn line() -> impl Strategy<Value = String> {
    let known = [
        "",
        "```",
        "~~~py",
        "> ```",
        "- ```",
        "# Title",
        "ERROR down",
        "  at x",
        "Traceback (most recent call last):",
        "diff --git a/x b/x",
        "--- a/x",
        "+++ b/x",
        "@@ -1 +1 @@",
        "+new",
        "fn run() {",
        "    let x = 1;",
        "}",
        "<p>text</p>",
        "<a href=\"",
        "<script>",
        "\u{1b}[1mbold",
        "1%\r2%",
        "a\u{8}",
        "{\"a\":1}",
        "[1,2]",
        "[… 3 lines left out]",
    ];
    prop_oneof![
        3 => prop::sample::select(known.to_vec()).prop_map(str::to_owned),
        1 => "\\PC{0,200}",
        1 => "[a-z가-힣🙂\u{301} ]{0,400}",
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(line(), 0..60).prop_map(|lines| lines.join("\n"))
}

fn json() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "\\PC{0,40}".prop_map(Value::from),
        Just(Value::from("long \"text\" \\ 🙂 ".repeat(40))),
        Just(Value::from("error: refused")),
    ];
    scalar.prop_recursive(6, 300, 20, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..20).prop_map(Value::from),
            prop::collection::hash_map("[a-z…]{0,3}", inner, 0..12).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

fn laws(text: &str, short: &Shortened<'_>, limit: usize, counter: &dyn CountTokens, kind: Option<Kind>) {
    assert!(short.tokens <= limit);
    assert_eq!(short.tokens, counter.count(&short.text));
    assert!(short.text.chars().count() <= text.chars().count());
    assert!(short.text.len() <= text.len());
    let again = shorten(&short.text, limit, counter, kind);
    assert_eq!(again.text, short.text);
    if counter.count(text) <= limit {
        assert_eq!(short.text, text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn every_kind_keeps_the_laws(text in text(), limit in 0_usize..400, kind in prop::option::of(prop::sample::select(Kind::ALL.to_vec()))) {
        let short = shorten(&text, limit, &Characters, kind);
        laws(&text, &short, limit, &Characters, kind);
        if let Ok(encoding) = encoding("o200k_base") {
            let short = shorten(&text, limit / 4, encoding.as_ref(), kind);
            laws(&text, &short, limit / 4, encoding.as_ref(), kind);
        }
    }

    #[test]
    fn json_parses_and_keeps_its_shape(value in json(), limit in 8_usize..600, pretty: bool) {
        prop_assume!(value.is_array() || value.is_object());
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap_or_default();
        let short = shorten(&text, limit, &Characters, None);
        laws(&text, &short, limit, &Characters, None);
        prop_assert_eq!(short.kind, Kind::Json);
        let parsed: Result<Value, _> = serde_json::from_str(&short.text);
        prop_assert!(parsed.is_ok(), "{}", short.text);
        let Ok(parsed) = parsed else { return Ok(()) };
        prop_assert!(parsed == "…" || (parsed.is_array() == value.is_array() && parsed.is_object() == value.is_object()));
    }
}
