//! Random JSON through everything that reads messages: no panic, no hang, repair idempotent, plans in order.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use octavo::assemble::Assembler;
use octavo::budget::Marks;
use octavo::entry::read_entry;
use octavo::message::{Format, Rows};
use octavo::node::Key;
use octavo::plan::Call;
use octavo::rules::{AddedTokens, Judged, Mode, Provider, Recipe, repair, repaired_rows, validate};
use octavo::tokens::calibration::Usage;
use octavo::tokens::model::profile;
use octavo::tokens::tally::Tally;
use octavo::window::Limits;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::Config;
use serde_json::{Map, Number, Value, json};

const FORMATS: [Format; 5] = [Format::Anthropic, Format::OpenAi, Format::Responses, Format::Gemini, Format::Bedrock];

/// Words that readers look for as values of `role` and `type`.
const WORDS: &[&str] = &[
    "user",
    "assistant",
    "system",
    "developer",
    "tool",
    "function",
    "model",
    "text",
    "tool_use",
    "tool_result",
    "thinking",
    "redacted_thinking",
    "image",
    "document",
    "image_url",
    "input_text",
    "output_text",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "message",
    "reasoning",
    "mcp_approval_request",
    "base64",
    "file",
    "input_file",
    "input_audio",
    "video_url",
    "container_upload",
    "image_generation_call",
    "computer_call_output",
    "custom",
    "audio/wav",
    "video/mp4",
    "text/plain",
    "data:application/pdf;base64,JVBERi0xLjQK",
    "AAAAGGZ0eXBtcDQyAAAAAA==",
    "call_1",
    "call_2",
    "",
    " ",
    "ephemeral",
    "5m",
    "1h",
];

fn key() -> impl Strategy<Value = String> {
    prop_oneof![8 => select(Key::ALL).prop_map(|key| key.name().to_owned()), 1 => any::<String>()]
}

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::Bool),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<f64>().prop_map(|number| Number::from_f64(number).map_or(Value::Null, Value::Number)),
        6 => select(WORDS).prop_map(Value::from),
        2 => any::<String>().prop_map(Value::from),
        1 => (1_usize..40_000).prop_map(|length| Value::from("가b ".repeat(length / 4))),
        1 => (1_usize..4_000).prop_map(|length| Value::from("Zm9v".repeat(length / 4))),
    ]
}

fn object(member: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    prop::collection::vec((key(), member), 0..7).prop_map(|members| Value::Object(members.into_iter().collect()))
}

fn value() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(5, 40, 5, |inner| {
        prop_oneof![prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array), object(inner)]
    })
}

/// A value inside `levels` lists, deeper than any parser lets through.
fn deep(levels: usize) -> Value {
    (0..levels).fold(json!("x"), |inner, _| json!([inner]))
}

/// An object that has at least some of what a message has.
fn message() -> impl Strategy<Value = Value> {
    let member = prop_oneof![20 => value(), 1 => (100_usize..400).prop_map(deep)];
    let role = prop_oneof![12 => select(&["user", "assistant", "tool", "model", "system"][..]).prop_map(Value::from), 1 => value()];
    (prop::option::weighted(0.9, role), prop::option::of(member), object(value())).prop_map(
        |(role, content, others)| {
            let mut message: Map<String, Value> = others.as_object().cloned().unwrap_or_default();
            role.and_then(|role| message.insert("role".into(), role));
            content.and_then(|content| message.insert("content".into(), content));
            Value::Object(message)
        },
    )
}

fn tally() -> Tally {
    Tally::new(profile(None, false).unwrap()).unwrap()
}

/// What could be read of the messages.
fn filled(format: Format, messages: &[Value]) -> Assembler {
    let mut assembler = Assembler::new(format);
    let mut tally = tally();
    for (index, message) in messages.iter().enumerate() {
        if let Ok(entry) = read_entry(format, index, &message, &mut tally) {
            assembler.append(&entry).unwrap();
        }
    }
    assembler
}

fn all_of(rows: Rows<'_>) -> Vec<u32> {
    (0..u32::try_from(rows.messages.len()).unwrap()).collect()
}

#[test]
fn the_generator_makes_messages_that_can_be_read() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let read = (0..200).filter(|_| {
        let message = message().new_tree(&mut runner).unwrap().current();
        FORMATS.into_iter().any(|format| filled(format, std::slice::from_ref(&message)).transcript().len() == 1)
    });
    assert!(read.count() > 100, "nearly nothing is a message: the laws below would look at nothing");
}

proptest! {
    #![proptest_config(Config::with_cases(150))]

    /// Reading a message with its counts is the same as reading it without a transcript.
    #[test]
    fn any_value_is_read_or_refused(value in prop_oneof![message(), value()]) {
        for format in FORMATS {
            let entry = read_entry(format, 7, &&value, &mut tally());
            let counted = tally().read(format, 7, &&value);
            prop_assert_eq!(entry.as_ref().map(|entry| entry.tokens).ok(), counted.as_ref().copied().ok());
            if let Err(error) = counted {
                prop_assert!(error.to_string().starts_with("message 7: "), "{error}");
            }
        }
    }

    #[test]
    fn any_value_is_counted_as_system_and_tools(value in value(), levels in 0_usize..800) {
        for value in [value, deep(levels), json!({"parts": deep(levels)}), json!([{"tools": deep(levels)}])] {
            let mut once = tally();
            prop_assert_eq!(once.system(&&value), tally().system(&&value));
            prop_assert_eq!(once.tools(&&value), tally().tools(&&value));
            let _refused_or_read = Usage::read(&&value);
        }
    }

    #[test]
    fn what_is_read_is_repaired_once_and_for_all(messages in prop::collection::vec(message(), 0..8)) {
        for format in FORMATS {
            let assembler = filled(format, &messages);
            let rows = assembler.transcript().rows();
            for provider in Provider::ALL {
                let mode = Mode::new(format);
                let broken = validate(provider, &mode, rows, &all_of(rows));
                let Some(first) = repair(provider, &mode, rows, &all_of(rows)) else {
                    prop_assert!(broken.iter().all(|found| matches!(found.rule.judged(), Judged::Request(_))), "{broken:?}");
                    continue;
                };
                let again = repaired_rows(rows, &first.messages, AddedTokens::default());
                let kept: Vec<Recipe> = all_of(again.rows()).into_iter().map(Recipe::Keep).collect();
                let second = repair(provider, &mode, again.rows(), &all_of(again.rows()));
                prop_assert!(second.is_none_or(|second| second.messages == kept), "{provider:?} {format:?}");
            }
        }
    }

    #[test]
    fn any_budget_plans_what_was_read(
        messages in prop::collection::vec(message(), 0..12),
        budget in prop_oneof![0_u64..3000, any::<u64>()],
        fixed in prop_oneof![0_u64..300, any::<u64>()],
        beside in prop_oneof![0_u64..300, any::<u64>()],
    ) {
        for format in FORMATS {
            let mut assembler = filled(format, &messages);
            for provider in Provider::ALL {
                let limits = Limits { budget, fixed, beside: 0, loop_opening: false, stored_calls: false, placeholder: 0, told: 0, basis: 0, marks: Marks::default(), clear: false };
                let added = AddedTokens { result: 20, note: 10, framing: 4 };
                let call = Call { limits, beside, provider, mode: Mode::new(format), added };
                let plan = assembler.plan(call);
                prop_assert_eq!(&assembler.plan(call).spans, &plan.spans, "planned twice, planned alike");
                let told: Vec<u32> = plan.verdicts(assembler.transcript()).into_iter().flat_map(|one| one.span).collect();
                prop_assert_eq!(told, all_of(assembler.transcript().rows()), "every message has one verdict, in order");
            }
        }
    }
}
