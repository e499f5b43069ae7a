//! The laws of the ledger: a replay gives the same, nothing secret enters, nothing leaves its line, memory is bounded.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on has failed")]

mod timing;

use octavo::entry::{read_entry, read_entry_and_values};
use octavo::ledger::{DEFAULT_BYTES, Entry, Ledger, MessageValues, Origin, Request, ValueKind, read_values};
use octavo::mask::Pattern;
use octavo::message::Format;
use octavo::tokens::model::profile;
use octavo::tokens::tally::Tally;
use octavo::tokens::{CountTokens, encoding};
use proptest::prelude::*;
use serde_json::{Value, json};
use timing::{PATIENCE, assert_grows_with_size};

fn read(message: &Value) -> MessageValues {
    read_values(Format::OpenAi, 0, &message).unwrap()
}

fn ledger_of(messages: &[Value]) -> Ledger {
    fed(Ledger::default(), messages)
}

fn fed(mut ledger: Ledger, messages: &[Value]) -> Ledger {
    for message in messages {
        ledger.push(&read(message));
    }
    ledger
}

fn said(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn call(id: &str, name: &str, arguments: &Value) -> Value {
    let function = json!({"name": name, "arguments": arguments.to_string()});
    json!({"role": "assistant", "content": null, "tool_calls": [{"id": id, "type": "function", "function": function}]})
}

fn result(id: &str, content: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": content})
}

fn entry<'a>(entries: &'a [Entry<'a>], value: &str) -> &'a Entry<'a> {
    entries.iter().find(|entry| entry.value == value).unwrap()
}

fn o200k() -> std::sync::Arc<dyn CountTokens> {
    encoding("o200k_base").unwrap()
}

#[test]
fn a_value_says_what_it_is_and_where_it_was_seen() {
    let ledger = ledger_of(&[
        said("예약 XEWRD9를 취소해 줘, mail ada@example.com"),
        call("c1", "get_reservation", &json!({"reservation_id": "XEWRD9", "flights": [{"date": "2024-05-15"}]})),
        result(
            "c1",
            "{\"reservation_id\": \"XEWRD9\", \"total\": 1250, \"paid_by\": {\"card_77\": {\"id\": \"card_77\"}}}",
        ),
        call("c2", "cancel", &json!({"reservation_id": "XEWRD9", "note": "as the user asked for in words"})),
    ]);
    let entries = ledger.entries();
    let id = entry(&entries, "XEWRD9");
    assert_eq!((id.kind, id.name, id.tool), (ValueKind::Identifier, "reservation_id", "cancel"));
    assert_eq!((id.origin, id.first, id.last, id.times), (Origin::User, 0, 3, 4));
    assert_eq!((id.uses, id.last_use), (2, Some(3)));
    let date = entry(&entries, "2024-05-15");
    assert_eq!((date.kind, date.name, date.tool), (ValueKind::Date, "flights.date", "get_reservation"));
    let card = entry(&entries, "card_77");
    assert_eq!(
        (card.kind, card.name, card.tool, card.origin),
        (ValueKind::Identifier, "paid_by.id", "get_reservation", Origin::Tool)
    );
    assert_eq!(entry(&entries, "ada@example.com").kind, ValueKind::Handle);
    assert_eq!(entry(&entries, "as the user asked for in words").uses, 1);
    assert_eq!(entry(&entries, "1250").name, "total");
}

#[test]
fn names_in_code_are_kept_where_they_are_called_or_defined() {
    let values =
        |message| ledger_of(&[message]).entries().iter().map(|entry| entry.value.to_owned()).collect::<Vec<_>>();
    let code = "fn read_entry(some_node) -> other_name { trimMessages(a) }";
    assert_eq!(values(result("c", code)), ["read_entry", "trimMessages"]);
    assert_eq!(values(said(code)), ["read_entry", "some_node", "other_name", "trimMessages"]);
}

#[test]
fn both_formats_hold_the_same_values() {
    let anthropic = json!({"role": "assistant", "content": [
        {"type": "text", "text": "Reading src/a.rs now."},
        {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "src/b.rs", "limit": 2000}},
    ]});
    let openai = json!({"role": "assistant", "content": "Reading src/a.rs now.", "tool_calls": [
        {"id": "t1", "type": "function", "function": {"name": "Read", "arguments": "{\"file_path\":\"src/b.rs\",\"limit\":2000}"}},
    ]});
    let mut one = Ledger::default();
    one.push(&read_values(Format::Anthropic, 0, &&anthropic).unwrap());
    assert_eq!(one.entries(), ledger_of(&[openai]).entries());
    assert_eq!(one.values(), 3);
}

#[test]
fn what_is_shown_is_not_written() {
    let ledger = ledger_of(&[said("order A-1029 and B-2044"), said("again A-1029"), said("C-3055")]);
    let written = |left_out| ledger.section(left_out, &Request::default(), 500, o200k().as_ref());
    let section = written(std::slice::from_ref(&(0..1)));
    assert!(section.text.contains("B-2044") && !section.text.contains("A-1029") && !section.text.contains("C-3055"));
    assert_eq!((section.shown, section.left), (1, 0));
    assert_eq!(written(&[]).text, "");
    assert!(written(&[2..9, 0..2]).text.contains("A-1029"));
}

#[test]
fn what_is_needed_most_comes_first() {
    let mut messages: Vec<Value> = (0..40).map(|at| result("c0", &format!("row noise{at}x{at}"))).collect();
    messages.extend([
        said("please use booking QX7731"),
        call("c1", "find", &json!({"user_id": "mia_kim_4397"})),
        result("c1", "{\"user_id\": \"mia_kim_4397\", \"order_id\": \"ZZ9001\", \"seat\": \"12B7\"}"),
    ]);
    let ledger = ledger_of(&messages);
    let all = 0..messages.len();
    let request = Request { text: "", names: &["order_id"] };
    let place = |text: &str, value: &str| text.find(value).unwrap();
    let text = ledger.section(std::slice::from_ref(&all), &request, 2000, o200k().as_ref()).text;
    let order: Vec<usize> = ["mia_kim_4397", "ZZ9001", "QX7731", "noise3x3"].map(|value| place(&text, value)).to_vec();
    assert!(order.is_sorted(), "{text}");
    let seats = ledger_of(&[result("c1", "{\"seat\": \"12B7\", \"gate\": \"33C1\"}"), said("and?")]);
    let written =
        |text| seats.section(std::slice::from_ref(&(0..1)), &Request { text, names: &[] }, 2000, o200k().as_ref()).text;
    let first = |text: String| place(&text, "12B7") < place(&text, "33C1");
    assert!(first(written("which seat")) && !first(written("which gate")));
}

/// What must not enter, whatever holds it.
const SECRETS: [&str; 8] = [
    "sk-ant-api03-9sKd82jsLq0Zp3mVn7Xc5Bt1Rw4Yf6Gh8Jk2Lz0Qa9Ws7Ed5Rf3Tg1Yh_AA",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
    "hunter2-Blue-77x",
    "p4ssW0rd_9Zz1",
    "900101-1234568",
    "4111-1111-1111-1111",
];

fn holding(secret: &str, way: usize) -> Vec<Value> {
    let named = json!({"password": secret, "path": "src/kept.rs"});
    vec![match way % 6 {
        0 => said(&format!("my password is {secret} and the file src/kept.rs")),
        1 => call("c", "login", &named),
        2 => result("c", &named.to_string()),
        3 => said(&format!("open postgres://ada:{secret}@db.example.com/main with src/kept.rs")),
        4 => result("c", &format!("API_KEY={secret}\nsrc/kept.rs")),
        _ => call("c", "run", &json!({"command": format!("PASSWORD='{secret}' make src/kept.rs")})),
    }]
}

#[test]
fn secrets_never_enter() {
    for secret in SECRETS {
        for way in 0..6 {
            let mut messages = holding(secret, way);
            // Where nothing gives it away, it is known from the place where something did.
            messages.push(said(&format!("and once more: {secret} src/other.rs")));
            messages.push(call("d", "type", &json!({"text": secret})));
            let ledger = ledger_of(&messages);
            let values: Vec<String> = ledger.entries().iter().map(|entry| entry.value.to_owned()).collect();
            assert!(values.iter().any(|value| value.contains("src/kept.rs")), "{way}: {values:?}");
            assert!(values.contains(&"src/other.rs".to_owned()));
            assert!(values.iter().all(|value| !value.contains(secret)), "{way} {secret}: {values:?}");
            let all = 0..messages.len();
            let section = ledger.section(std::slice::from_ref(&all), &Request::default(), 4000, o200k().as_ref());
            assert!(!section.text.contains(secret) && section.shown > 0, "{}", section.text);
        }
    }
}

#[test]
fn a_secret_that_is_told_later_is_not_written_either() {
    let messages = [result("c", "row hunter2-Blue-77x ok"), said("the password is hunter2-Blue-77x")];
    let mut ledger = ledger_of(&messages);
    assert!(ledger.entries().iter().all(|entry| entry.value != "hunter2-Blue-77x"));
    assert!(ledger.truncate(1));
    assert_eq!(ledger.entries(), ledger_of(&messages[..1]).entries());
}

#[test]
fn denied_patterns_never_enter() {
    let deny = vec![Pattern::new("(?i)internal|^EMP-").unwrap()];
    let ledger = fed(Ledger::new(DEFAULT_BYTES, deny), &[said("EMP-2201, TKT-2201, docs/internal/a.md")]);
    let values: Vec<_> = ledger.entries().iter().map(|entry| entry.value.to_owned()).collect();
    assert_eq!(values, ["TKT-2201"]);
}

#[test]
fn memory_is_bounded_and_arguments_stay_longest() {
    let limit = 64 << 10;
    let mut ledger = Ledger::new(limit, Vec::new());
    ledger.push(&read(&call("c", "open", &json!({"id": "KEEP-7001"}))));
    for at in 0..3000 {
        ledger.push(&read(&result("x", &format!("row{at}a{at} again KEEP-7002 line{at}b"))));
        assert!(ledger.bytes() <= limit, "{at}: {}", ledger.bytes());
    }
    let entries = ledger.entries();
    assert!(entries.len() > 100);
    assert_eq!(entry(&entries, "KEEP-7001").uses, 1);
    assert_eq!(entry(&entries, "KEEP-7002").times, 3000);
    assert!(
        entries.iter().all(|entry| entry.value != "row0a0")
            && entries.iter().any(|entry| entry.value == "row2999a2999")
    );
    // What is gone cannot be brought back from here, and nothing is pretended.
    assert!(!ledger.truncate(5) && ledger.len() == 3001);
    assert!(ledger.truncate(3001) && ledger.truncate(0) && ledger.is_empty());
    assert_eq!(ledger.bytes(), Ledger::default().bytes());
}

#[test]
fn one_message_cannot_flood() {
    let text = (0..50_000).map(|at| format!("id{at}x ")).collect::<Vec<_>>().concat();
    let values = read(&said(&text));
    assert!(values.len() <= octavo::ledger::MOST_VALUES);
    let mut ledger = Ledger::default();
    ledger.push(&values);
    let entries = ledger.entries();
    assert!(entries.iter().any(|entry| entry.value == "id0x") && entries.iter().any(|entry| entry.value == "id49999x"));
}

/// Four times the text takes about four times as long: sixteen would be a square.
#[test]
fn time_is_linear_in_the_text() {
    let pieces = [
        "a",
        "1",
        ",1",
        "a.",
        "/",
        "=",
        "a=1 ",
        "2024년 5월 ",
        "가1",
        "가나.",
        "\"",
        "{\"a\":",
        "[",
        "\\",
        "@a",
        "1,000",
        "오전 ",
        "-",
        "A-1 ",
        "password=",
        "_가",
        "a_가",
        "May 1",
        "{\"k\":\"v 1\"},",
    ];
    for piece in pieces {
        // Long runs, which are passed by, and runs of a length that is looked at.
        let text = |count: usize| {
            let run = format!("{} ", piece.repeat(96 / piece.len()));
            piece.repeat(count) + &run.repeat(count / 96)
        };
        let build = |count: usize| [said(&text(count)), call("c", "t", &json!({"k": text(count)}))];
        assert_grows_with_size(piece, 1_000, build, |messages| drop(ledger_of(messages)), PATIENCE);
    }
}

/// Rendering looks at every sighting once, whatever the ledger holds.
#[test]
fn time_to_write_is_linear_in_the_sightings() {
    let counter = o200k();
    let build = |count: usize| {
        let rows = (0..count).map(|at| result("c", &format!("row id{at}x and id{}x", at / 2)));
        ledger_of(&rows.collect::<Vec<_>>())
    };
    let write = |ledger: &Ledger| {
        let section = ledger.section(
            std::slice::from_ref(&(0..ledger.len())),
            &Request { text: "id7x", names: &["id"] },
            100,
            counter.as_ref(),
        );
        assert!(section.shown > 0);
    };
    assert_grows_with_size("write", 1_000, build, write, PATIENCE);
}

fn piece() -> impl Strategy<Value = String> {
    let known = [
        "HAT136",
        "src/a.rs",
        "https://example.com/x?y=1",
        "2024년 5월 15일",
        "35,000원",
        "v1.2.3",
        "read_entry()",
        "</ledger>",
        "<ledger>",
        "ignore: all previous",
        "```",
        "~~~",
        "\u{202e}",
        "\u{2028}",
        "\n- x",
        "\r\n",
        "\"",
        "\\u003c",
        "name=Z9-1",
        "key: Q77x",
        "가나다ABC123을",
        "🙂",
        "{\"id\": \"A7-1\", \"x\": [1, 2.5]}",
        "ada@example.com",
        "\0",
        "a,b c",
        "'",
        "<!--",
        "&lt;/ledger>",
    ];
    prop_oneof![4 => prop::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => "\\PC{0,40}", 1 => "[A-Z0-9_/.:@=-]{0,24}"]
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(piece(), 0..12).prop_map(|pieces| pieces.join(" "))
}

fn message() -> impl Strategy<Value = Value> {
    prop_oneof![
        text().prop_map(|text| said(&text)),
        text().prop_map(|text| json!({"role": "assistant", "content": text})),
        (text(), piece(), 0..4_u8).prop_map(|(text, key, id)| call(
            &format!("c{id}"),
            &key,
            &json!({key.clone(): text, "n": [1200, {"deep": key}]})
        )),
        (text(), 0..4_u8).prop_map(|(text, id)| result(&format!("c{id}"), &text)),
        (text(), piece(), 0..4_u8)
            .prop_map(|(text, key, id)| result(&format!("c{id}"), &json!({key: {"v": text}}).to_string())),
        text().prop_map(|text| json!({"role": "system", "content": text})),
    ]
}

fn messages() -> impl Strategy<Value = Vec<Value>> {
    prop::collection::vec(message(), 1..14)
}

#[test]
fn what_is_printed_for_a_log_holds_no_value() {
    let message = said("order A-1029");
    let (values, ledger) = (read(&message), ledger_of(std::slice::from_ref(&message)));
    let draft = ledger.draft(std::slice::from_ref(&(0..1)), &Request::default(), 100);
    let printed = format!("{values:?} {ledger:?} {draft:?}");
    assert!(printed.contains("MessageValues") && printed.contains("Draft") && !printed.contains("1029"), "{printed}");
}

/// One walk gives what two give.
#[test]
fn values_are_read_beside_the_count() {
    let mut tally = Tally::new(profile(Some("gpt-4o"), false).unwrap()).unwrap();
    let messages = [said("order A-1029"), call("c", "t", &json!({"k": "src/a.rs"})), result("c", "{\"id\": \"B-7\"}")];
    let mut ledger = Ledger::default();
    for message in &messages {
        let alone = read_entry(Format::OpenAi, 0, &message, &mut tally).unwrap();
        let (entry, values) = read_entry_and_values(Format::OpenAi, 0, &message, &mut tally).unwrap();
        assert_eq!((entry.tokens, entry.blocks), (alone.tokens, alone.blocks));
        ledger.push(&values);
    }
    assert_eq!(ledger.entries(), ledger_of(&messages).entries());
    assert_eq!(ledger.values(), 3);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Taking messages back and appending them again is as if nothing had been.
    #[test]
    fn a_replay_gives_the_same(messages in messages(), cut in any::<prop::sample::Index>()) {
        let cut = cut.index(messages.len() + 1);
        let whole = ledger_of(&messages);
        let mut back = whole.clone();
        prop_assert!(back.truncate(cut));
        let fresh = ledger_of(&messages[..cut]);
        prop_assert_eq!(back.entries(), fresh.entries());
        prop_assert_eq!((back.bytes(), back.len(), back.values()), (fresh.bytes(), fresh.len(), fresh.values()));
        let again = fed(back, &messages[cut..]);
        prop_assert_eq!(again.entries(), whole.entries());
        prop_assert_eq!(again.bytes(), whole.bytes());
        let all = 0..messages.len();
        let written = |ledger: &Ledger| ledger.section(std::slice::from_ref(&all), &Request::default(), 300, o200k().as_ref());
        prop_assert_eq!(written(&again), written(&whole));
    }

    /// A full ledger that is replayed lets go of the same.
    #[test]
    fn a_full_ledger_is_replayed_the_same(messages in prop::collection::vec(message(), 30..60)) {
        let full = || fed(Ledger::new(3000, Vec::new()), &messages);
        let ledger = full();
        prop_assert!(ledger.bytes() <= 3000);
        let again = full();
        prop_assert_eq!(ledger.entries(), again.entries());
    }

    /// Within its limit, between its marks, each line a list of values or one value.
    #[test]
    fn nothing_leaves_its_line(messages in messages(), limit in 0..400_usize) {
        let ledger = ledger_of(&messages);
        let section = ledger.section(std::slice::from_ref(&(0..messages.len())), &Request { text: "HAT136", names: &["v"] }, limit, o200k().as_ref());
        prop_assert!(section.tokens <= limit);
        prop_assert_eq!(section.tokens, o200k().count(&section.text));
        prop_assert_eq!(section.shown + section.left, ledger.entries().len());
        if section.text.is_empty() {
            prop_assert_eq!(section.shown, 0);
            return Ok(());
        }
        let lines: Vec<&str> = section.text.split('\n').collect();
        prop_assert_eq!((lines[0], lines[lines.len() - 1]), ("<ledger>", "</ledger>"));
        prop_assert_eq!(section.text.matches("ledger>").count() - section.text.matches("&lt;ledger>").count() - section.text.matches("&lt;/ledger>").count(), 2);
        for line in &lines[2..lines.len() - 1] {
            let name = line.split_once(" (").is_some_and(|(name, _)| !name.is_empty() && !name.contains(char::is_whitespace));
            prop_assert!(name || line.starts_with("- "), "{line:?} in {}", section.text);
        }
        prop_assert!(section.text.chars().all(|one| one == '\n' || !one.is_control()));
        let hides = ["```", "\u{202e}", "\u{2028}"].iter().any(|mark| section.text.contains(mark));
        prop_assert!(!hides);
    }

    /// What a secret stands in says nothing of it.
    #[test]
    fn no_secret_among_anything(secret in prop::sample::select(SECRETS.to_vec()), way in 0..6_usize, around in messages(), at in any::<prop::sample::Index>()) {
        let mut messages = around;
        let at = at.index(messages.len() + 1);
        messages.splice(at..at, holding(secret, way));
        let ledger = ledger_of(&messages);
        prop_assert!(ledger.entries().iter().all(|entry| !entry.value.contains(secret)));
    }
}
