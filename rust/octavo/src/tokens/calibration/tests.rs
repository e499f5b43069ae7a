#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Anchor, CLASSES, Calibrated, Class, Content, TABLE, Usage, named};
use crate::tokens::data::{parsed, scale};
use crate::tokens::{CountTokens, encoding};

fn main_class(text: &str) -> Class {
    Content::of(text).classes().into_iter().max_by_key(|&(_, characters)| characters).unwrap().0
}

#[test]
fn every_class_is_told_from_its_bytes() {
    let cases = [
        (Class::Prose, "All human beings are born free and equal in dignity and rights."),
        (Class::Latin, "Alle Menschen sind frei und gleich an Würde und Rechten geboren; fügt Übermaß hinzu."),
        (Class::Vietnamese, "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm"),
        (Class::Code, "fn main() { let x = vec![1, 2]; for i in &x { print(i); } }"),
        (Class::Json, r#"{"name":"get_weather","args":{"city":"Seoul","unit":"c"}}"#),
        (Class::Logs, "2026-11-30 04:21:51,003 1847 0x7f3a 200 15.25"),
        (Class::Cyrillic, "Все люди рождаются свободными и равными"),
        (Class::Greek, "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι"),
        (Class::Arabic, "يولد جميع الناس أحرارا متساوين"),
        (Class::Hebrew, "כל בני האדם נולדו בני חורין"),
        (Class::Devanagari, "सभी मनुष्यों को गौरव और अधिकारों"),
        (Class::Bengali, "সমস্ত মানুষ স্বাধীনভাবে সমান মর্যাদা"),
        (Class::Dravidian, "மனிதப் பிறவியினர் சகலரும் சுதந்திரமாகவே"),
        (Class::Thai, "มนุษย์ทั้งหลายเกิดมามีอิสระ"),
        (Class::Hangul, "모든 인간은 태어날 때부터 자유로우며"),
        (Class::Japanese, "すべての人間は、生まれながらにして自由であり"),
        (Class::Chinese, "人人生而自由，在尊严和权利上一律平等。"),
        (Class::Symbols, "🎉🚀✨🔥💡🙏"),
        (Class::Other, "ყველა ადამიანი იბადება თავისუფალი"),
    ];
    assert_eq!(cases.len(), CLASSES);
    for (class, text) in cases {
        assert_eq!(main_class(text), class, "{text}");
    }
}

#[test]
fn recorded_ratios_come_out() {
    let cases = [
        ("claude-3", "모든 인간은 자유롭다", 1770),
        ("claude-4.7", "모든인간", 1790),
        ("gemma-3", "人人生而自由", 900),
    ];
    for (set, text, expected) in cases {
        let ratio = named(set).unwrap().permille(&Content::of(text));
        assert!(ratio.abs_diff(expected) <= 60, "{set} {text}: {ratio}");
    }
    assert!(named("claude-9").is_err());
}

#[test]
fn scaling_rounds_half_up_and_saturates() {
    let cases = [
        (0, 1500, 0),
        (1, 1499, 1),
        (1, 1500, 2),
        (1001, 999, 1000),
        (u64::MAX, 1000, u64::MAX),
        (u64::MAX, 1001, u64::MAX),
    ];
    for (amount, permille, expected) in cases {
        assert_eq!(scale(amount, permille), expected, "{amount} {permille}");
    }
}

#[test]
fn a_mixed_text_lies_between_its_parts() {
    let set = named("claude-3").unwrap();
    let (korean, english) = ("모든 인간은 태어날 때부터 ".repeat(20), "born free and equal in dignity ".repeat(20));
    let mixed = set.permille(&Content::of(&format!("{korean}{english}")));
    assert!(set.permille(&Content::of(&english)) < mixed && mixed < set.permille(&Content::of(&korean)));
}

#[test]
fn the_anchor_corrects_without_clamps() {
    let anchor = Anchor::new(4200, 1000).unwrap();
    assert_eq!((anchor.permille(), anchor.total(0), anchor.total(100)), (4200, 4200, 4620));
    let low = Anchor::new(500, 1000).unwrap();
    assert_eq!(low.total(101), 551);
    for (reported, estimated) in [(0, 5), (5, 0), (0, 0)] {
        assert!(Anchor::new(reported, estimated).is_err());
    }
    assert_eq!(Anchor::new(u64::MAX, 1).unwrap().total(u64::MAX), u64::MAX);
}

#[test]
fn a_grown_anchor_leaves_out_what_the_estimate_does_not_know() {
    // 20,000 tokens of system prompt are reported that the estimate does not see; text costs 1.2 times.
    let first = Anchor::new(21_200, 1000).unwrap();
    assert_eq!((first.permille(), first.total(1000)), (1000, 22_200));
    let grown = first.grown(74_000, 45_000).unwrap();
    assert!((1188..=1200).contains(&grown.permille()), "{}", grown.permille());
    // Where all is known, the first report's ratio is used from the start, and fades as others are learnt from.
    let known = Anchor::new(4200, 1000).unwrap();
    assert_eq!(known.grown(4200, 1000).unwrap().permille(), 4200);
    assert_eq!(known.grown(6200, 3000).unwrap().permille(), 2067);
    // What a cut took away tells as much as what was added.
    let grown = known.grown(16_200, 13_000).unwrap();
    assert!(grown.grown(10_200, 7000).unwrap().permille() < grown.permille());
}

#[test]
fn a_constant_that_changes_says_nothing_about_the_ratio() {
    let learnt = Anchor::new(1300, 1000).unwrap().grown(14_300, 11_000).unwrap();
    assert_eq!(learnt.permille(), 1300);
    let through_a_proxy = learnt.grown(34_430, 11_100).unwrap();
    assert_eq!(through_a_proxy.permille(), 1300);
    assert_eq!((through_a_proxy.total(1000), through_a_proxy.missed()), (35_730, 0));
    let back = through_a_proxy.grown(14_560, 11_200).unwrap();
    assert_eq!((back.permille(), back.missed()), (1300, 20_000), "it comes again");
    let steady = |reports: u64| {
        (1..=reports).try_fold(back, |anchor, more| anchor.grown(14_560 + 130 * more, 11_200 + 100 * more)).unwrap()
    };
    assert_eq!((steady(29).missed(), steady(30).missed()), (20_000, 0), "and no more");
}

#[test]
fn what_is_in_doubt_is_what_the_counter_claims_until_a_report_shows_it_wrong() {
    let close = Anchor::new(1050, 1000).unwrap();
    assert_eq!(close.doubt(137), 50 + 137);
    let far = Anchor::new(1400, 1000).unwrap();
    assert_eq!(far.doubt(137), 400 + 700);
    assert_eq!(Anchor::new(21_000, 1000).unwrap().doubt(0), 700, "a constant, and nothing is known of the ratio");
    let grown = far.grown(9400, 9000).unwrap();
    assert!(grown.doubt(137) < 100, "{}", grown.doubt(137));
}

#[test]
fn the_bound_of_an_anchored_total_is_the_tail_s() {
    let bound = named("claude-4.7").unwrap().bound;
    let anchor = Anchor::new(100_000, 100_000).unwrap();
    assert_eq!((anchor.bound(0, bound), anchor.bound(1000, bound)), (0, 230));
}

#[test]
fn usage_of_every_provider() {
    let cases = [
        (
            json!({"input_tokens": 3, "cache_read_input_tokens": 17_842, "cache_creation_input_tokens": 8037, "output_tokens": 441}),
            25_882,
            441,
        ),
        (
            json!({"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120, "prompt_tokens_details": {"cached_tokens": 64}}),
            100,
            20,
        ),
        (json!({"input_tokens": 100, "input_tokens_details": {"cached_tokens": 64}, "output_tokens": 20}), 100, 20),
        (json!({"promptTokenCount": 7, "candidatesTokenCount": 5, "thoughtsTokenCount": 4}), 7, 9),
        (json!({"prompt_token_count": 7, "candidates_token_count": 5, "thoughts_token_count": null}), 7, 5),
        (json!({"inputTokens": 2, "cacheReadInputTokens": 10, "outputTokens": 1}), 12, 1),
        (json!({"id": "msg_1", "usage": {"input_tokens": 9, "output_tokens": 1}}), 9, 1),
        (json!({"usageMetadata": {"promptTokenCount": 7}}), 7, 0),
    ];
    for (usage, input, output) in cases {
        assert_eq!(Usage::read(&&usage), Ok(Usage { input, output }), "{usage}");
    }
    let wrong: [Value; 7] = [
        json!(null),
        json!({}),
        json!({"input_tokens": 0}),
        json!({"input_tokens": -1}),
        json!({"input_tokens": 1.5}),
        json!({"input_tokens": "12"}),
        json!({"input_tokens": 1e300}),
    ];
    for usage in wrong {
        assert!(Usage::read(&&usage).is_err(), "{usage}");
    }
}

/// By trying every place.
fn longest<'text>(counter: &Calibrated, text: &'text str, limit: usize) -> &'text str {
    let mut ends = text.char_indices().map(|(at, _)| at).chain([text.len()]).rev();
    let end = ends.find(|&end| counter.count(text.get(..end).unwrap()) <= limit).unwrap();
    text.get(..end).unwrap()
}

/// A piece of text of one class or another: together they move the ratio and pass its thresholds.
fn part() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,9}( [a-z]{1,9}){0,30}",
        "[0-9: -]{0,120}",
        "(\\{\"[a-z]{1,5}\":[0-9]{1,3}\\},){0,14}",
        "[가-힣 ]{0,60}",
        "[ぁ-ん一-龥。]{0,60}",
        "[\n ]{0,90}",
        "(\\PC){0,40}",
        "[=+;(){}]{0,60}",
        "(ế|ạ|t|h| ){0,60}",
    ]
}

#[test]
fn long_runs_and_long_texts_are_cut_in_time() {
    let base = encoding("o200k_base").unwrap();
    let run = |character: &str| character.repeat(200_000 / character.len());
    for ratios in &parsed(&TABLE).unwrap().sets {
        let counter = Calibrated::new(Arc::clone(&base), ratios);
        for text in [run("a"), run(" "), run("\n"), run("あ"), run("12 ab "), run("{\"a\": 1}")] {
            for limit in [0, 1, 100, 10_000] {
                let prefix = counter.truncate(&text, limit);
                assert!(text.starts_with(prefix) && counter.count(prefix) <= limit);
                // A run need not give the very longest, but not much less: the next kilobyte does not fit.
                let more = text.floor_char_boundary(prefix.len() + 1024);
                assert!(
                    more == text.len() || counter.count(text.get(..more).unwrap()) > limit,
                    "{} {limit}",
                    prefix.len()
                );
            }
        }
    }
}

proptest! {
    #[test]
    fn counts_keep_their_laws(text in "(\\PC|[a-z ]|[가-힣]|[ぁ-ん]|\n){0,80}", limit in 0_usize..60) {
        let base = encoding("o200k_base").unwrap();
        for ratios in &parsed(&TABLE).unwrap().sets {
            let counter = Calibrated::new(Arc::clone(&base), ratios);
            let count = counter.count(&text);
            prop_assert_eq!(count == 0, text.is_empty());
            prop_assert_eq!(counter.count_up_to(&text, limit), Some(count).filter(|&count| count <= limit));
            let prefix = counter.truncate(&text, limit);
            prop_assert_eq!(prefix, longest(&counter, &text, limit));
        }
    }

    #[test]
    fn the_longest_beginning_is_found_across_classes(parts in prop::collection::vec(part(), 1..7), share in 0_usize..1000) {
        let text = parts.concat();
        let base = encoding("o200k_base").unwrap();
        for ratios in &parsed(&TABLE).unwrap().sets {
            let counter = Calibrated::new(Arc::clone(&base), ratios);
            let limit = counter.count(&text) * share / 1000;
            prop_assert_eq!(counter.truncate(&text, limit), longest(&counter, &text, limit));
        }
    }

    #[test]
    fn what_was_added_can_be_taken_away(text in "\\PC{0,60}", more in "(\\PC|[a-z0-9 \n]){0,60}") {
        let mut content = Content::of(&format!("{text}{more}"));
        content.remove(&more);
        prop_assert_eq!(content.classes(), Content::of(&text).classes());
    }

    #[test]
    fn classes_hold_every_character(text in "\\PC{0,200}") {
        let characters: u64 = Content::of(&text).classes().iter().map(|&(_, characters)| characters).sum();
        prop_assert_eq!(characters, text.chars().count() as u64);
    }
}
