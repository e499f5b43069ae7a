"""What is no text: media by size and length, and content that only the provider can read; and how sure its count is."""

from __future__ import annotations

import base64
import struct
from typing import Any

import pytest

import octavo
from octavo.tokens import counter_for
from sessions import ANTHROPIC, BEDROCK, DIALECTS, GEMINI, OPENAI, RESPONSES, Dialect, Message, tools_of

every_dialect = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.format)

SECRET = base64.b64encode(bytes(range(250)) * 120).decode()  # 40,000 characters


def pdf(pages: int, *, table: bool = True, padding: int = 0) -> bytes:
    """A PDF as ISO 32000-1 describes it, whose page tree says that it has so many pages."""
    filler = b"%" + b"x" * padding + b"\n"
    file = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n" + filler
    tree = len(file)
    file += f"2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count {pages} >>\nendobj\n".encode() + filler
    if not table:
        return file
    entries = b"0000000000 65535 f \n0000000009 00000 n \n" + f"{tree:010} 00000 n \n".encode()
    trailer = b"trailer\n<< /Size 3 /Root 1 0 R >>\nstartxref\n" + str(len(file)).encode() + b"\n%%EOF\n"
    return file + b"xref\n0 3\n" + entries + trailer


def wave(seconds: int) -> bytes:
    """A WAVE file of 8 kHz, one byte a sample."""
    samples = b"\x80" * (8_000 * seconds)
    layout = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, 8_000, 8_000, 1, 8)
    return b"RIFF" + struct.pack("<I", 36 + len(samples)) + b"WAVE" + layout + b"data\0\0\0\0" + samples


def png(width: int, height: int) -> bytes:
    """The header of a PNG."""
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height) + b"\x08\x06\0\0\0" + b"\0" * 99


def document(dialect: Dialect, data: bytes) -> Message:
    coded = base64.b64encode(data).decode()
    url = f"data:application/pdf;base64,{coded}"
    part: Any = {
        "anthropic": {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": coded}},
        "openai": {"type": "file", "file": {"filename": "a.pdf", "file_data": url}},
        "openai-responses": {"type": "input_file", "filename": "a.pdf", "file_data": url},
        "gemini": {"inlineData": {"mimeType": "application/pdf", "data": coded}},
        "bedrock": {"document": {"format": "pdf", "name": "a", "source": {"bytes": data}}},
    }[dialect.format]
    return {"role": "user", "parts" if dialect is GEMINI else "content": [part]}


def picture(dialect: Dialect, data: bytes) -> Message:
    coded = base64.b64encode(data).decode()
    url = f"data:image/png;base64,{coded}"
    part: Any = {
        "anthropic": {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": coded}},
        "openai": {"type": "image_url", "image_url": {"url": url}},
        "openai-responses": {"type": "input_image", "image_url": url},
        "gemini": {"inlineData": {"mimeType": "image/png", "data": coded}},
        "bedrock": {"image": {"format": "png", "source": {"bytes": data}}},
    }[dialect.format]
    return {"role": "user", "parts" if dialect is GEMINI else "content": [part]}


def tokens(dialect: Dialect, message: Message) -> int:
    return counter_for(dialect.model).count_message(message, dialect.format)


@every_dialect
def test_a_document_counts_by_its_pages(dialect: Dialect) -> None:
    one, few, many = (tokens(dialect, document(dialect, pdf(pages))) for pages in (1, 3, 300))
    page = (few - one) / 2
    assert page >= 258
    assert many - one == 299 * page
    unknown = tokens(dialect, document(dialect, b"PK no pdf"))
    assert unknown - one == 4 * page, "the documented five pages"


@every_dialect
@pytest.mark.parametrize(("table", "padding"), [(True, 3_000_000), (False, 0), (False, 100_000)])
def test_a_long_file_is_looked_into_where_it_says_its_pages(dialect: Dialect, table: bool, padding: int) -> None:
    expected = tokens(dialect, document(dialect, pdf(300)))
    assert tokens(dialect, document(dialect, pdf(300, table=table, padding=padding))) == expected


def test_a_linearised_file_says_its_pages_first() -> None:
    file = b"%PDF-1.5\n9 0 obj\n<< /Linearized 1 /L 999 /H [ 9 9 ] /O 11 /E 99 /N 300 /T 9 >>\nendobj\n" + b"\0" * 5_000
    assert tokens(ANTHROPIC, document(ANTHROPIC, file)) == tokens(ANTHROPIC, document(ANTHROPIC, pdf(300)))


@every_dialect
def test_a_picture_counts_by_its_size(dialect: Dialect) -> None:
    small, large = (tokens(dialect, picture(dialect, png(side, side))) for side in (200, 1_400))
    assert small < large
    assert tokens(dialect, picture(dialect, png(200, 200) + b"\0" * 500_000)) == small


def test_a_sound_counts_by_its_length() -> None:
    def said(seconds: int, dialect: Dialect) -> Message:
        coded = base64.b64encode(wave(seconds)).decode()
        if dialect is GEMINI:
            return {"role": "user", "parts": [{"inlineData": {"mimeType": "audio/wav", "data": coded}}]}
        return {"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": coded, "format": "wav"}}]}

    for dialect, second in ((OPENAI, 10), (RESPONSES, 10), (GEMINI, 32)):
        assert tokens(dialect, said(91, dialect)) - tokens(dialect, said(1, dialect)) == 90 * second, dialect.format


OPAQUE: list[tuple[str, Dialect, Message, Message]] = [
    (
        "redacted thinking",
        ANTHROPIC,
        {"role": "assistant", "content": [{"type": "redacted_thinking", "data": SECRET}]},
        {"role": "assistant", "content": [{"type": "redacted_thinking", "data": ""}]},
    ),
    (
        "omitted thinking",
        ANTHROPIC,
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "", "signature": SECRET}]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "", "signature": ""}]},
    ),
    (
        "a compaction of Anthropic's",
        ANTHROPIC,
        {"role": "assistant", "content": [{"type": "compaction", "content": None, "encrypted_content": SECRET}]},
        {"role": "assistant", "content": [{"type": "compaction", "content": None}]},
    ),
    (
        "a page that was found",
        ANTHROPIC,
        {
            "role": "assistant",
            "content": [
                {
                    "type": "web_search_tool_result",
                    "tool_use_id": "s",
                    "content": [{"type": "web_search_result", "title": "t", "url": "u", "encrypted_content": SECRET}],
                }
            ],
        },
        {"role": "assistant", "content": [{"type": "web_search_tool_result", "tool_use_id": "s", "content": []}]},
    ),
    (
        "encrypted reasoning",
        RESPONSES,
        {"type": "reasoning", "summary": [], "encrypted_content": SECRET},
        {"type": "reasoning", "summary": []},
    ),
    ("a compaction", RESPONSES, {"type": "compaction", "encrypted_content": SECRET}, {"type": "compaction"}),
    (
        "a thought's signature",
        GEMINI,
        {"role": "model", "parts": [{"text": "so", "thoughtSignature": SECRET}]},
        {"role": "model", "parts": [{"text": "so"}]},
    ),
    (
        "redacted reasoning",
        BEDROCK,
        {"role": "assistant", "content": [{"reasoningContent": {"redactedContent": base64.b64decode(SECRET)}}]},
        {"role": "assistant", "content": [{"reasoningContent": {"redactedContent": b""}}]},
    ),
]


@pytest.mark.parametrize(
    ("dialect", "message", "bare"), [case[1:] for case in OPAQUE], ids=[case[0] for case in OPAQUE]
)
def test_what_only_the_provider_can_read_counts_by_its_length(
    dialect: Dialect, message: Message, bare: Message
) -> None:
    cost = tokens(dialect, message) - tokens(dialect, bare)
    # 30,000 bytes less an envelope of 650, at 4 bytes a token; as prose it would be 25,000 tokens and more.
    assert 7_338 <= cost <= 7_345
    counter = counter_for(dialect.model)
    counted = counter.count_messages([message], format=dialect.format)
    assert counted.method == "estimated"
    assert counted.error_bound >= cost // 2
    assert counter.count_messages([bare], format=dialect.format).method == counter.method


def test_a_signature_beside_its_reasoning_costs_nothing() -> None:
    block = {"type": "thinking", "thinking": "so be it", "signature": SECRET}
    message: Message = {"role": "assistant", "content": [block]}
    assert tokens(ANTHROPIC, message) == tokens(ANTHROPIC, {**message, "content": [{**block, "signature": "s"}]})


@pytest.mark.parametrize(
    "item",
    [
        {"type": "image_generation_call", "id": "i", "result": base64.b64encode(png(900, 900) * 900).decode()},
        {
            "type": "computer_call_output",
            "call_id": "c",
            "output": {
                "type": "computer_screenshot",
                "image_url": "data:image/png;base64," + base64.b64encode(png(900, 900) * 900).decode(),
            },
        },
    ],
    ids=lambda item: item["type"],
)
def test_pictures_in_items_of_the_server_are_pictures(item: Message) -> None:
    cost = tokens(RESPONSES, item)
    assert cost <= tokens(RESPONSES, picture(RESPONSES, png(900, 900))) + 20
    assert cost > 200


# ---- in reports ----


def mixed(dialect: Dialect, special: Message) -> list[Message]:
    return [
        dialect.user("Task"),
        *dialect.loop(3),
        dialect.reply("so"),
        special,
        dialect.reply("well"),
        dialect.user("go"),
    ]


def as_counted(context: octavo.Context, dialect: Dialect) -> tuple[str, float]:
    """What the counter says of exactly what is sent."""
    counter = counter_for(dialect.model)
    counted = counter.count_messages(context.messages, context.tools, context.system, format=dialect.format)
    # A section that joins a message is reckoned as a message of its own: four tokens of framing at most.
    assert 0 <= context.tokens - counted.tokens <= 4
    return counted.method, counted.error_bound / counted.tokens


@every_dialect
@pytest.mark.parametrize("with_tools", [False, True])
@pytest.mark.parametrize("what", ["text", "picture", "document"])
@pytest.mark.parametrize("sections", [(), (octavo.Section("policy", "be kind"), octavo.Section("s", "x", "prefix"))])
def test_a_report_says_of_what_is_sent_what_the_counter_says(
    dialect: Dialect, with_tools: bool, what: str, sections: tuple[octavo.Section, ...]
) -> None:
    special = {
        "text": dialect.user("look"),
        "picture": picture(dialect, png(800, 600)),
        "document": document(dialect, pdf(7)),
    }[what]
    tools = tools_of(dialect) if with_tools else None
    messages = mixed(dialect, special)
    context = octavo.assemble(messages, budget=90_000, model=dialect.model, tools=tools, sections=sections)
    method, bound = as_counted(context, dialect)
    report = context.report
    assert report.method == method
    assert report.error_bound == pytest.approx(bound, rel=0.02)
    assert (report.method == "estimated") == (what != "text")
    if what != "text" or with_tools:
        assert report.error_bound > 0
        assert "±" in str(report)
    methods = {span.method for span in report.spans}
    assert methods == {method if what == "text" else "estimated"} or "estimated" in methods


def test_what_is_cut_away_makes_nothing_uncertain() -> None:
    messages = [OPENAI.user("Task"), *mixed(OPENAI, picture(OPENAI, png(800, 600)))[1:], *OPENAI.loop(60)]
    whole = octavo.assemble(messages, budget=90_000, model="gpt-4o")
    cut = octavo.assemble(messages, budget=1_500, model="gpt-4o")
    assert (whole.report.method, cut.report.method, cut.report.error_bound) == ("estimated", "exact", 0.0)
    dropped = [span for span in cut.report.spans if span.verdict == "dropped"]
    assert "estimated" in {span.method for span in dropped}, "the picture is among what was left out"


def test_a_repair_that_takes_the_picture_away_takes_its_doubt_away() -> None:
    stray = {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "lost", "content": picture(ANTHROPIC, png(800, 600))["content"]},
            {"type": "text", "text": "go on"},
        ],
    }
    messages = [ANTHROPIC.user("Task"), ANTHROPIC.reply("so"), stray]
    context = octavo.assemble(messages, budget=90_000, model=ANTHROPIC.model)
    assert "image" not in str(context.messages)
    assert context.report.method == as_counted(context, ANTHROPIC)[0] == "calibrated"


@pytest.mark.parametrize("dialect", [ANTHROPIC, OPENAI], ids=lambda dialect: dialect.format)
def test_what_the_provider_reported_is_no_longer_in_doubt(dialect: Dialect) -> None:
    transcript = octavo.Transcript(dialect.model, format=dialect.format)
    transcript.extend(mixed(dialect, picture(dialect, png(800, 600))))
    first = transcript.assemble(budget=90_000)
    transcript.observe({"input_tokens": first.tokens + 200, "output_tokens": 9})
    transcript.extend([dialect.reply("ok"), dialect.user("and now?")])
    known = transcript.assemble(budget=90_000).report
    assert first.report.error_bound > known.error_bound > 0
    assert known.error_bound < 0.0271
    assert known.method == "calibrated"
    transcript.extend([dialect.reply("ok"), document(dialect, pdf(9))])
    later = transcript.assemble(budget=90_000).report
    assert later.method == "estimated"
    page_share = (later.tokens - known.tokens) / later.tokens
    assert later.error_bound >= page_share / 3, "the new document is as uncertain as ever"


def test_rows_with_pictures_stay_small() -> None:
    transcript = octavo.Transcript("gpt-4o", format="openai")
    transcript.extend([picture(OPENAI, png(80, 60))] * 2_000)
    assert transcript.row_bytes <= 128 * 2_000


def test_a_rewound_and_a_forked_transcript_are_as_sure_as_before() -> None:
    transcript = octavo.Transcript("gpt-4o", format="openai")
    transcript.extend(mixed(OPENAI, picture(OPENAI, png(800, 600))))
    before = transcript.assemble(budget=90_000).report
    transcript.extend([OPENAI.reply("ok"), document(OPENAI, pdf(9))])
    assert transcript.assemble(budget=90_000).report.error_bound > before.error_bound
    transcript.rewind(before.spans[-1].end)
    assert transcript.assemble(budget=90_000).report == before
    assert transcript.fork().assemble(budget=90_000).report == before
