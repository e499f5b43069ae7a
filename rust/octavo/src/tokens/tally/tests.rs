#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

use serde_json::{Value, json};

use super::{Count, Tally};
use crate::message::Format;
use crate::tokens::model::{Method, profile};

fn tally(model: &str) -> Tally {
    Tally::new(profile(Some(model), false).unwrap()).unwrap()
}

fn count(model: &str, format: Format, messages: &Value) -> Count {
    let mut tally = tally(model);
    for (index, message) in messages.as_array().unwrap().iter().enumerate() {
        tally.read(format, index, &message).unwrap();
    }
    tally.counted(true)
}

#[test]
fn the_cookbook_examples() {
    // OpenAI's cookbook, num_tokens_from_messages: the numbers that the API itself reported.
    let messages = json!([
        {"role": "system", "content": "You are a helpful, pattern-following assistant that translates corporate jargon into plain English."},
        {"role": "system", "name": "example_user", "content": "New synergies will help drive top-line growth."},
        {"role": "system", "name": "example_assistant", "content": "Things working well together will increase revenue."},
        {"role": "system", "name": "example_user", "content": "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage."},
        {"role": "system", "name": "example_assistant", "content": "Let's talk later when we're less busy about how to do better."},
        {"role": "user", "content": "This late pivot means we don't have time to boil the ocean for the client deliverable."}
    ]);
    assert_eq!(count("gpt-4", Format::OpenAi, &messages).tokens, 129);
    assert_eq!(count("gpt-4o", Format::OpenAi, &messages).tokens, 124);
    assert_eq!(count("gpt-4o", Format::OpenAi, &messages).method, Method::Exact);
}

#[test]
fn the_cookbook_tools() {
    // OpenAI's cookbook, num_tokens_for_tools: 101 for gpt-4o and 105 for gpt-4, messages included.
    let tools = json!([{"type": "function", "function": {
        "name": "get_current_weather",
        "description": "Get the current weather in a given location",
        "parameters": {"type": "object", "properties": {
            "location": {"type": "string", "description": "The city and state, e.g. San Francisco, CA"},
            "unit": {"type": "string", "description": "The unit of temperature to return", "enum": ["celsius", "fahrenheit"]}
        }, "required": ["location"]}
    }}]);
    let messages = json!([
        {"role": "system", "content": "You are a helpful assistant that can answer to questions about the weather."},
        {"role": "user", "content": "What's the weather like in San Francisco?"}
    ]);
    for (model, expected) in [("gpt-4o", 101), ("gpt-4", 105)] {
        let mut tally = tally(model);
        tally.tools(&&tools);
        for (index, message) in messages.as_array().unwrap().iter().enumerate() {
            tally.read(Format::OpenAi, index, &message).unwrap();
        }
        assert_eq!(tally.counted(true).tokens, expected, "{model}");
    }
}

/// The counts of each message alone, of all together, and what a request has once.
fn parts(model: &str, format: Format, messages: &Value) -> (u64, u64, u64) {
    let mut each = tally(model);
    let alone = messages.as_array().unwrap().iter().map(|message| u64::from(each.read(format, 0, &message).unwrap()));
    let alone = alone.sum();
    (alone, count(model, format, messages).tokens, u64::from(each.fixed()))
}

#[test]
fn odd_shapes_add_up() {
    let messages = json!([
        {"role": "assistant", "content": null, "tool_calls": null},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": {"path": "a.txt"}}}]},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "c2", "type": "function", "function": {"name": "f", "arguments": null}}]},
        {"role": "assistant", "tool_calls": [{"id": "c3", "type": "function", "function": null}]},
        {"role": "user", "content": [{"type": "text", "text": null}, "bare string", {"type": "text", "text": "x"}]},
        {"role": "tool", "tool_call_id": "c1", "content": {"ok": true, "n": 3}}
    ]);
    for model in ["gpt-4o", "gpt-4", "claude-opus-4-8", "gemini-2.5-pro", "house-model"] {
        let (alone, together, fixed) = parts(model, Format::OpenAi, &messages);
        assert_eq!(together, alone + fixed, "{model}");
    }
    let one = |message: Value| tally("gpt-4o").read(Format::OpenAi, 0, &&message).unwrap();
    let call = |arguments: Value| {
        one(
            json!({"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}]}),
        )
    };
    assert_eq!(call(json!({"path": "a.txt"})), call(json!("{\"path\":\"a.txt\"}")));
    assert_eq!(call(json!(null)), call(json!("")));
    assert_eq!(one(json!({"role": "user", "content": null})), one(json!({"role": "user"})));
}

#[test]
fn calls_reasoning_and_tools_are_counted() {
    let (thought, body) = ("think ".repeat(4000), format!("{{\"body\": \"{}\"}}", "word ".repeat(8000)));
    let messages = json!([{"role": "assistant", "content": null, "reasoning_content": thought,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "write", "arguments": body}}]}]);
    let description = "long text ".repeat(1000);
    let tools = json!([{"type": "function", "function": {"name": "write", "description": description,
        "parameters": {"type": "object", "properties": {}}}}]);
    for model in ["gpt-4o", "claude-sonnet-5", "gemini-3-flash", "qwen3"] {
        let mut tally = tally(model);
        let counter = tally.counter().clone();
        let least = counter.count(&thought) + counter.count(&body);
        assert!(tally.read(Format::OpenAi, 0, &messages.get(0).unwrap()).unwrap() as usize >= least, "{model}");
        assert!(tally.tools(&&tools).tokens as usize >= counter.count(&description), "{model}");
        assert_eq!(tally.tools(&&json!([])).tokens + tally.tools(&&json!(null)).tokens, 0);
    }
}

#[test]
fn the_shapes_of_tools_count_alike() {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    let shapes = [
        json!([{"type": "function", "function": {"name": "w", "description": "weather", "parameters": schema}}]),
        json!([{"type": "function", "name": "w", "description": "weather", "parameters": schema}]),
        json!([{"name": "w", "description": "weather", "input_schema": schema}]),
        json!([{"functionDeclarations": [{"name": "w", "description": "weather", "parameters": schema}]}]),
        json!({"tools": [{"toolSpec": {"name": "w", "description": "weather", "inputSchema": {"json": schema}}}, {"cachePoint": {"type": "default"}}]}),
    ];
    for model in ["gpt-4o", "claude-opus-4-8", "gemini-2.5-pro"] {
        let counts: Vec<u32> = shapes.iter().map(|tools| tally(model).tools(&tools).tokens).collect();
        let first = counts.first().copied().unwrap();
        assert!(first > 0 && counts.iter().all(|&count| count == first), "{model}: {counts:?}");
    }
    // Claude's tools bring their system prompt once, not once a tool.
    let one = tally("claude-opus-4-8").tools(shapes.get(2).as_ref().unwrap()).tokens;
    let two =
        tally("claude-opus-4-8").tools(&&json!([shapes.get(2).unwrap().get(0), shapes.get(2).unwrap().get(0)])).tokens;
    assert!(one > 290 && two - 290 == 2 * (one - 290));
}

#[test]
fn pictures_count_by_size_and_add_up() {
    let picture = |length: usize| json!({"type": "image_url", "image_url": {"url": format!("data:image/png;base64,{}", "A".repeat(length))}});
    let message = |pictures: Vec<Value>| {
        let mut content = vec![json!({"type": "text", "text": "see"})];
        content.extend(pictures);
        json!([{"role": "user", "content": content}])
    };
    let result = |length: usize| json!([{"role": "tool", "tool_call_id": "c", "content": [picture(length)]}]);
    for model in ["gpt-4o", "gpt-5-mini", "claude-sonnet-4-5", "gemini-2.5-flash", "qwen3"] {
        let none = count(model, Format::OpenAi, &message(vec![]));
        let small = count(model, Format::OpenAi, &message(vec![picture(4000)]));
        let big = count(model, Format::OpenAi, &message(vec![picture(4_000_000)]));
        let two = count(model, Format::OpenAi, &message(vec![picture(4000), picture(4_000_000)]));
        assert_eq!(small, big, "{model}");
        assert!(small.tokens > none.tokens);
        assert_eq!(two.tokens - none.tokens, 2 * (small.tokens - none.tokens));
        assert_eq!(count(model, Format::OpenAi, &result(4000)), count(model, Format::OpenAi, &result(4_000_000)));
        assert_eq!(small.method, Method::Estimated);
        assert!(small.error_bound >= (small.tokens - none.tokens) / 2);
    }
}

#[test]
fn a_system_prompt_counts_in_every_shape() {
    let text = "You are a careful clerk. Refuse what the policy refuses.";
    let shapes = [
        json!(text),
        json!([{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]),
        json!([{"text": text}, {"cachePoint": {"type": "default"}}]),
        json!({"parts": [{"text": text}]}),
        json!({"role": "system", "content": [{"type": "text", "text": text}]}),
    ];
    for model in ["gpt-4o", "claude-opus-4-8", "gemini-2.5-pro"] {
        let counts: Vec<u32> = shapes.iter().map(|system| tally(model).system(&system).tokens).collect();
        let first = counts.first().copied().unwrap();
        assert!(first as usize >= tally(model).counter().count(text), "{model}");
        assert!(counts.iter().all(|&count| count == first), "{model}: {counts:?}");
        assert_eq!(tally(model).system(&&json!(null)).tokens, 0);
    }
}

#[test]
fn a_bound_is_given_with_every_count() {
    let messages = json!([{"role": "user", "content": "The quick brown fox jumps over the lazy dog. ".repeat(50)}]);
    let exact = count("gpt-4o", Format::OpenAi, &messages);
    let calibrated = count("claude-opus-4-8", Format::OpenAi, &messages);
    let estimated = count("house", Format::OpenAi, &messages);
    assert_eq!((exact.method, exact.error_bound), (Method::Exact, 0));
    assert_eq!(calibrated.method, Method::Calibrated);
    assert!(calibrated.error_bound * 1000 >= calibrated.tokens * 130);
    assert!(estimated.method == Method::Estimated && estimated.error_bound > calibrated.error_bound);
}
