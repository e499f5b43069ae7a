//! The laws of validation and repair, on generated histories: every provider, format and mode.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::HashSet;

use octavo::message::{BlockFlags, BlockKind, BlockRow, Format, MessageFlags, MessageRow, Role, Rows};
use octavo::rules::{
    AddedTokens, ChangeKind, Edits, Judged, Mode, Piece, Provider, Recipe, Repair, RuleId, Size, Violation, repair,
    repaired_rows, validate,
};
use proptest::prelude::*;
use proptest::test_runner::Config;

type History = (Vec<MessageRow>, Vec<BlockRow>);

fn history(messages: Vec<(Role, Vec<BlockRow>)>) -> History {
    let mut rows = Vec::new();
    let mut all = Vec::new();
    for (role, blocks) in messages {
        let first_block = u32::try_from(all.len()).unwrap();
        let count = u32::try_from(blocks.len()).unwrap();
        let flags = blocks.iter().fold(MessageFlags(0), |flags, block| flags.with(MessageFlags::of_block(block)));
        let reasoning = blocks.first().is_some_and(|block| block.flags.has(BlockFlags::SPECIAL));
        // Now and then a role that the format does not have, as the readers flag it.
        let foreign = role == Role::Tool && blocks.first().is_some_and(|block| block.flags.has(BlockFlags::BAD_ID));
        let flags = flags.when(reasoning, MessageFlags::REASONING_CONTENT);
        let flags = flags.when(foreign, MessageFlags::FOREIGN_ROLE).when(blocks.is_empty(), MessageFlags::NO_CONTENT);
        let hollow =
            role == Role::Assistant && blocks.first().is_some_and(|block| block.flags.has(BlockFlags::TRAILING_SPACE));
        let flags = flags.when(hollow, MessageFlags::EMPTY_CALLS);
        rows.push(MessageRow { first_block, blocks: count, tokens: count, flags, role });
        all.extend(blocks);
    }
    (rows, all)
}

fn row(kind: BlockKind, id: u64, flags: BlockFlags) -> BlockRow {
    BlockRow { id, tokens: 1, flags, kind }
}

fn plain(kind: BlockKind) -> impl Strategy<Value = BlockRow> {
    Just(row(kind, 0, BlockFlags(0)))
}

fn text() -> impl Strategy<Value = BlockRow> {
    let empty = BlockFlags::EMPTY.with(BlockFlags::BLANK);
    let blank = BlockFlags::BLANK.with(BlockFlags::TRAILING_SPACE);
    let flags = prop_oneof![
        6 => Just(BlockFlags(0)), 1 => Just(empty), 1 => Just(blank), 1 => Just(BlockFlags::TRAILING_SPACE)
    ];
    let breakpoint =
        prop_oneof![5 => Just(BlockFlags(0)), 2 => Just(BlockFlags::CACHE_5M), 1 => Just(BlockFlags::CACHE_1H)];
    (flags, breakpoint).prop_map(|(flags, breakpoint)| row(BlockKind::Text, 0, flags.with(breakpoint)))
}

/// A call or result, with one of few ids so that they repeat, or without one.
fn paired(kind: BlockKind) -> impl Strategy<Value = BlockRow> {
    let ids = prop_oneof![
        12 => (1_u64..5).prop_map(|id| (id, BlockFlags(0))),
        1 => Just((0, BlockFlags::NO_ID)),
        2 => (11_u64..13).prop_map(|name| (name, BlockFlags::NO_ID)),
    ];
    let odd = prop_oneof![
        8 => Just(BlockFlags(0)), 1 => Just(BlockFlags::BAD_ID), 1 => Just(BlockFlags::BAD_ARGUMENTS),
        1 => Just(BlockFlags::MALFORMED), 1 => Just(BlockFlags::CACHE_5M.with_breakpoints(2)),
        1 => Just(BlockFlags::EMPTY_INSIDE.with(BlockFlags::MARKED_INSIDE)), 1 => Just(BlockFlags::SILENT_ERROR),
    ];
    (ids, prop::bool::ANY, odd)
        .prop_map(move |((id, flags), signed, odd)| row(kind, id, flags.with(odd).when(signed, BlockFlags::SIGNED)))
}

/// Thinking, which may carry a cache breakpoint that it must not.
fn thinking(kind: BlockKind) -> impl Strategy<Value = BlockRow> {
    prop::bool::weighted(0.2)
        .prop_map(move |marked| row(kind, 0, BlockFlags::default().when(marked, BlockFlags::CACHE_1H)))
}

fn packed() -> impl Strategy<Value = Vec<(Role, Vec<BlockRow>)>> {
    let block = prop_oneof![
        5 => text(),
        5 => paired(BlockKind::Call),
        1 => thinking(BlockKind::Thinking),
        1 => thinking(BlockKind::RedactedThinking),
        1 => plain(BlockKind::ServerResult),
        1 => paired(BlockKind::Result),
    ];
    let answer = prop_oneof![3 => text(), 6 => paired(BlockKind::Result), 1 => paired(BlockKind::Call), 1 => plain(BlockKind::Marker), 1 => plain(BlockKind::Image)];
    let message = prop_oneof![
        6 => prop::collection::vec(block, 0..4).prop_map(|blocks| (Role::Assistant, blocks)),
        6 => prop::collection::vec(answer.clone(), 0..4).prop_map(|blocks| (Role::User, blocks)),
        1 => prop::collection::vec(answer, 0..3).prop_map(|blocks| (Role::System, blocks)),
        1 => paired(BlockKind::Result).prop_map(|mut block| {
            block.flags = block.flags.with(BlockFlags::BAD_ID);
            (Role::Tool, vec![block])
        }),
    ];
    prop::collection::vec(message, 0..14)
}

fn flat() -> impl Strategy<Value = Vec<(Role, Vec<BlockRow>)>> {
    let reasoning = row(BlockKind::Thinking, 0, BlockFlags::SPECIAL);
    let assistant =
        (prop::bool::weighted(0.3), prop::option::of(text()), prop::collection::vec(paired(BlockKind::Call), 0..4))
            .prop_map(move |(thinks, said, calls)| {
                (Role::Assistant, thinks.then_some(reasoning).into_iter().chain(said).chain(calls).collect())
            });
    let message = prop_oneof![
        5 => assistant,
        6 => paired(BlockKind::Result).prop_map(|block| (Role::Tool, vec![block])),
        3 => prop::collection::vec(text(), 0..3).prop_map(|blocks| (Role::User, blocks)),
        1 => (text(), paired(BlockKind::Call)).prop_map(|(text, call)| (Role::User, vec![text, call])),
        1 => text().prop_map(|block| (Role::System, vec![block])),
    ];
    prop::collection::vec(message, 0..16)
}

fn items() -> impl Strategy<Value = Vec<(Role, Vec<BlockRow>)>> {
    let confirmation = row(BlockKind::Call, 9, BlockFlags::CONFIRMATION);
    let item = prop_oneof![2 => text(), 5 => paired(BlockKind::Call), 3 => plain(BlockKind::Thinking), 1 => Just(confirmation)];
    let message = prop_oneof![
        6 => item.prop_map(|block| (Role::Assistant, vec![block])),
        6 => paired(BlockKind::Result).prop_map(|block| (Role::Tool, vec![block])),
        3 => text().prop_map(|block| (Role::User, vec![block])),
        1 => text().prop_map(|block| (Role::System, vec![block])),
    ];
    prop::collection::vec(message, 0..16)
}

fn any_history() -> impl Strategy<Value = (Format, History)> {
    prop_oneof![
        packed().prop_map(|messages| (Format::Anthropic, messages)),
        packed().prop_map(|messages| (Format::Gemini, messages)),
        packed().prop_map(|messages| (Format::Bedrock, messages)),
        flat().prop_map(|messages| (Format::OpenAi, messages)),
        items().prop_map(|messages| (Format::Responses, messages)),
    ]
    .prop_map(|(format, messages)| (format, history(messages)))
}

fn any_mode() -> impl Strategy<Value = Mode> {
    let known = prop::option::of(prop::bool::ANY);
    let bits = (prop::bool::ANY, prop::bool::ANY, prop::bool::ANY, prop::option::of(prop::bool::ANY), prop::bool::ANY);
    let breakpoints = (0_u32..6, prop::bool::ANY, prop::bool::weighted(0.1), prop::bool::weighted(0.1));
    (known.clone(), known.clone(), known.clone(), known, bits, breakpoints, prop::bool::weighted(0.1)).prop_map(
        |(thinking, prefill, system_messages, has_tools, bits, breakpoints, large)| Mode {
            thinking,
            previous_response: bits.0,
            prefill,
            system_messages,
            has_tools,
            thinking_first: bits.1,
            signed_calls: bits.2,
            reasoning_content: bits.3,
            every_turn: bits.4,
            breakpoints: breakpoints.0,
            short_breakpoints: breakpoints.1,
            mixed_breakpoints: breakpoints.2,
            empty_system: breakpoints.3,
            size: large.then_some(Size { tokens: 2, limit: 1 }),
            ..Mode::new(Format::OpenAi)
        },
    )
}

const THOUGHTS: [BlockKind; 2] = [BlockKind::Thinking, BlockKind::RedactedThinking];

fn all_of(rows: Rows<'_>) -> Vec<u32> {
    (0..u32::try_from(rows.messages.len()).unwrap()).collect()
}

/// What the request must cure: a rule about it, or breakpoints that stand in system and tools.
fn is_told(found: &Violation) -> bool {
    let around = found.block.is_none() && matches!(found.rule, RuleId::A12 | RuleId::A13);
    matches!(found.rule.judged(), Judged::Request(_)) || around
}

/// Repairs, or keeps all where nothing must change.
fn repaired(provider: Provider, mode: &Mode, rows: Rows<'_>) -> Repair {
    let selection = all_of(rows);
    repair(provider, mode, rows, &selection)
        .unwrap_or_else(|| Repair { messages: selection.into_iter().map(Recipe::Keep).collect(), log: Vec::new() })
}

/// The blocks of the input that the repaired list holds, in its order, with their edits.
fn taken(recipes: &[Recipe], rows: Rows<'_>) -> Vec<(u32, u32, Edits)> {
    let mut taken = Vec::new();
    for recipe in recipes {
        match recipe {
            Recipe::Keep(message) => {
                let count = u32::try_from(rows.blocks_of(*message).len()).unwrap();
                taken.extend((0..count).map(|block| (*message, block, Edits::default())));
            }
            Recipe::Compose { pieces, .. } => taken.extend(pieces.iter().filter_map(|piece| match piece {
                Piece::Block { message, block, edits, .. } => Some((*message, *block, *edits)),
                _ => None,
            })),
        }
    }
    taken
}

proptest! {
    #![proptest_config(Config::with_cases(1500))]

    #[test]
    fn a_repaired_list_is_valid_and_stays_as_it_is((format, (messages, blocks)) in any_history(), mode in any_mode()) {
        let rows = Rows { messages: &messages, blocks: &blocks };
        for provider in Provider::ALL {
            let mode = Mode { format, ..mode };
            let first = repaired(provider, &mode, rows);
            let again = repaired_rows(rows, &first.messages, AddedTokens::default());
            let left = validate(provider, &mode, again.rows(), &all_of(again.rows()));
            prop_assert!(left.iter().all(is_told), "{provider:?} {mode:?} {:?} -> {left:?}", first.messages);
            let second = repaired(provider, &mode, again.rows());
            let kept: Vec<Recipe> = all_of(again.rows()).into_iter().map(Recipe::Keep).collect();
            prop_assert_eq!(second.messages, kept);
        }
    }

    #[test]
    fn repair_acts_exactly_where_a_rule_is_broken((format, (messages, blocks)) in any_history(), mode in any_mode()) {
        let rows = Rows { messages: &messages, blocks: &blocks };
        let selection = all_of(rows);
        for provider in Provider::ALL {
            let mode = Mode { format, ..mode };
            let found = validate(provider, &mode, rows, &selection);
            let repair = repair(provider, &mode, rows, &selection);
            prop_assert_eq!(found.is_empty(), repair.is_none());
            for rule in found.iter().map(|found| found.rule) {
                let row = octavo::rules::RULES.iter().find(|row| row.id == rule).unwrap();
                let of_format = |whose: &Provider| whose.format() == format;
                let is_its = row.providers.iter().any(|whose| *whose == provider || of_format(whose));
                prop_assert!(is_its, "{rule:?} is no rule of {provider:?}, nor of {format:?}");
            }
        }
    }

    #[test]
    fn nothing_leaves_unlogged_and_order_is_kept((format, (messages, blocks)) in any_history(), mode in any_mode()) {
        let rows = Rows { messages: &messages, blocks: &blocks };
        for provider in Provider::ALL {
            let mode = Mode { format, ..mode };
            let repair = repaired(provider, &mode, rows);
            let taken = taken(&repair.messages, rows);
            let places: HashSet<(u32, u32)> = taken.iter().map(|(message, block, _)| (*message, *block)).collect();
            prop_assert_eq!(places.len(), taken.len(), "a block stands twice");
            for message in all_of(rows) {
                for (number, block) in (0_u32..).zip(rows.blocks_of(message)) {
                    let logged = |kinds: &[ChangeKind]| repair.log.iter().any(|change| {
                        change.message == message && kinds.contains(&change.kind) && change.block.is_none_or(|at| at == number)
                    });
                    let leaves: &[ChangeKind] = match block.kind {
                        BlockKind::Result => &[ChangeKind::DroppedResult, ChangeKind::ReplacedResult],
                        BlockKind::Thinking | BlockKind::RedactedThinking =>
                            &[ChangeKind::DroppedThinking, ChangeKind::DroppedReasoning],
                        // A blank text that stood beside thinking leaves with it.
                        BlockKind::Text => &[ChangeKind::DroppedText, ChangeKind::DroppedThinking],
                        _ => &[],
                    };
                    let here = places.contains(&(message, number));
                    // Merged turns log thinking that leaves at their first message.
                    let freed = !here && repair.log.iter().any(|change| change.kind == ChangeKind::DroppedThinking)
                        && leaves.contains(&ChangeKind::DroppedThinking);
                    prop_assert!(here || freed || logged(leaves), "{provider:?}: {message}.{number} {block:?} left: {repair:?}");
                }
            }
            let speech: Vec<(u32, u32)> = taken.iter().map(|(message, block, _)| (*message, *block))
                .filter(|(message, block)| rows.blocks_of(*message).get(*block as usize).unwrap().kind != BlockKind::Result)
                .collect();
            prop_assert!(speech.is_sorted(), "{provider:?}: {speech:?}");
        }
    }

    #[test]
    fn no_placeholder_stands_where_a_result_was_dropped((format, (messages, blocks)) in any_history(), mode in any_mode()) {
        let rows = Rows { messages: &messages, blocks: &blocks };
        let row = |message: u32, block: u32| rows.blocks_of(message).get(block as usize).copied().unwrap();
        for provider in Provider::ALL {
            let mode = Mode { format, previous_response: false, ..mode };
            let log = repaired(provider, &mode, rows).log;
            let of = |kinds: &[ChangeKind]| -> Vec<(u32, BlockRow)> {
                log.iter().filter(|change| kinds.contains(&change.kind)).filter_map(|change| Some((change.message, row(change.message, change.block?)))).collect()
            };
            let dropped = of(&[ChangeKind::DroppedResult]);
            for (at, call) in of(&[ChangeKind::AddedResult, ChangeKind::AddedPendingResult]) {
                // After its call, no call with the id in between, and dropped all the same.
                let again = |until: u32| (at..=until).flat_map(|message| rows.blocks_of(message)).filter(|block| block.kind == BlockKind::Call && block.id == call.id).count();
                let lost = dropped.iter().any(|(message, result)| *message > at && result.id == call.id && call.id != 0
                    && call.flags.has(BlockFlags::NO_ID) == result.flags.has(BlockFlags::NO_ID) && again(*message) == 1);
                prop_assert!(!lost, "{provider:?}: {call:?} of {at} among {dropped:?}");
            }
        }
    }

    #[test]
    fn a_turn_with_thinking_is_never_edited((format, (messages, blocks)) in any_history(), mode in any_mode()) {
        let rows = Rows { messages: &messages, blocks: &blocks };
        for provider in Provider::ALL {
            let mode = Mode { format, ..mode };
            for recipe in repaired(provider, &mode, rows).messages {
                let Recipe::Compose { pieces, role, .. } = recipe else { continue };
                let is_thinking = |piece: &Piece| matches!(piece, Piece::Block { message, block, .. }
                    if matches!(rows.blocks_of(*message).get(*block as usize).unwrap().kind,
                        BlockKind::Thinking | BlockKind::RedactedThinking));
                if role != Role::Assistant || !pieces.iter().any(is_thinking) {
                    continue;
                }
                // Composed all the same: only a caller's own mark (or Gemini's stand-in) changed in it, and what was
                // stored as messages of its own goes on behind what has the thinking.
                let kind = |message: u32, block: u32| rows.blocks_of(message).get(block as usize).unwrap().kind;
                let thinks = |from: u32| pieces.iter().any(|piece| matches!(piece, Piece::Block { message, block, .. }
                    if *message == from && THOUGHTS.contains(&kind(*message, *block))));
                let mut thoughtful = Vec::new();
                let mut behind = 0_usize;
                for piece in &pieces {
                    let Piece::Block { message, block, edits, .. } = piece else {
                        return Err(TestCaseError::fail(format!("{piece:?} in a turn with thinking")));
                    };
                    if thinks(*message) {
                        prop_assert_eq!(behind, 0, "thinking behind what was joined");
                        thoughtful.push((*message, *block));
                    } else if !thoughtful.is_empty() {
                        behind += 1;
                    }
                    // Chat reasoning is not signed: what is out of shape is mended beside it.
                    let unsigned = !matches!(format, Format::Anthropic | Format::Gemini | Format::Bedrock);
                    let (mend_arguments, reshape) = (edits.mend_arguments && !unsigned, edits.reshape && !unsigned);
                    let made_id = if unsigned { 0 } else { edits.made_id };
                    let kept = Edits { drop_breakpoint: false, keep_breakpoints: 0, shorten_breakpoint: false, sign: false, ..*edits };
                    let edits = Edits { mend_arguments, reshape, made_id, ..kept };
                    prop_assert_eq!(edits, Edits::default());
                }
                let (from, _) = *thoughtful.first().unwrap();
                let whole: Vec<(u32, u32)> = (0..).zip(rows.blocks_of(from)).map(|(number, _)| (from, number)).collect();
                prop_assert_eq!(thoughtful, whole, "one turn's blocks, all of them, in their order");
            }
        }
    }
}

#[test]
fn a_message_that_is_freed_of_all_it_had_goes() {
    // Thinking beside a blank text that is out of shape, said by the user: nothing of it can stay.
    let thinking = row(BlockKind::Thinking, 0, BlockFlags::SIGNED);
    let blank = row(BlockKind::Text, 0, BlockFlags::MALFORMED.with(BlockFlags::BLANK).with(BlockFlags::EMPTY));
    for format in [Format::Anthropic, Format::Bedrock] {
        let answer = (Role::Assistant, vec![row(BlockKind::Text, 0, BlockFlags(0))]);
        let (messages, blocks) = history(vec![(Role::User, vec![thinking, blank]), answer]);
        let rows = Rows { messages: &messages, blocks: &blocks };
        for provider in Provider::ALL {
            let first = repaired(provider, &Mode::new(format), rows);
            let again = repaired_rows(rows, &first.messages, AddedTokens::default());
            assert_eq!(validate(provider, &Mode::new(format), again.rows(), &all_of(again.rows())), [], "{provider:?}");
            let kept = first
                .messages
                .iter()
                .any(|recipe| matches!(recipe, Recipe::Compose { pieces, .. } if pieces.is_empty()));
            assert!(!kept, "{provider:?} {format:?}: {:?}", first.messages);
        }
    }
}
