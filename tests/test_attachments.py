"""Files in messages of every dialect: pictures by size, documents by pages, never by the length of their data."""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, TypeAlias

import pytest

import octavo
from octavo.tokens import counter_for
from sessions import ANTHROPIC, BEDROCK, GEMINI, OPENAI, RESPONSES, Dialect, Message
from test_media import pdf, png, wave

Write: TypeAlias = Callable[[bytes], Message]
"""Writes a message that carries these bytes."""

FILM = b"\0\0\0\x0cftypmp42"


def film(seconds: int, padding: int) -> bytes:
    """An MP4 file whose header stands behind so many bytes of pictures."""
    header = struct.pack(">I4s12xII", 28, b"mvhd", 600, seconds * 600)
    pictures = struct.pack(">I4s", 8 + padding, b"mdat") + b"\0" * padding
    return FILM + pictures + struct.pack(">I4s", 8 + len(header), b"moov") + header


def coded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def mime(data: bytes) -> str:
    """Base64 in lines, as mail has it."""
    return base64.encodebytes(data).decode()


def url(data: bytes, media_type: str) -> str:
    return f"data:{media_type};base64,{coded(data)}"


def said(*parts: Any) -> Message:
    return {"role": "user", "content": list(parts)}


def tool(*parts: Any) -> Message:
    return {"role": "tool", "tool_call_id": "c", "content": list(parts)}


def output(*parts: Any) -> Message:
    return {"type": "function_call_output", "call_id": "c", "output": list(parts)}


def result(*parts: Any) -> Message:
    return said({"type": "tool_result", "tool_use_id": "c", "content": list(parts)})


def converse(*blocks: Any) -> Message:
    return said({"toolResult": {"toolUseId": "c", "content": list(blocks)}})


def parts(*each: Any) -> Message:
    return {"role": "user", "parts": list(each)}


def response(*each: Any) -> Message:
    return parts({"functionResponse": {"name": "f", "response": {"ok": True}, "parts": list(each)}})


def tokens(dialect: Dialect, message: Message) -> int:
    return counter_for(dialect.model).count_message(message, dialect.format)


PICTURES: dict[str, tuple[Dialect, Write, Message]] = {
    # name: (dialect, the message with the picture, the message without)
    "Responses input_image": (
        RESPONSES,
        lambda data: said({"type": "input_image", "image_url": url(data, "image/png")}),
        said(),
    ),
    "Responses output": (
        RESPONSES,
        lambda data: output({"type": "input_image", "image_url": url(data, "image/png")}),
        output(),
    ),
    "Responses file that is a picture": (
        RESPONSES,
        lambda data: output({"type": "input_file", "file_data": url(data, "image/png")}),
        output(),
    ),
    "Responses generated": (
        RESPONSES,
        lambda data: {"type": "image_generation_call", "id": "i", "result": coded(data)},
        {"type": "item_reference", "id": "i"},
    ),
    "Responses screenshot": (
        RESPONSES,
        lambda data: {
            "type": "computer_call_output",
            "call_id": "c",
            "output": {"type": "computer_screenshot", "image_url": url(data, "image/png")},
        },
        {"type": "computer_call_output", "call_id": "c"},
    ),
    "Chat image_url": (
        OPENAI,
        lambda data: said({"type": "image_url", "image_url": {"url": url(data, "image/png"), "detail": "high"}}),
        said(),
    ),
    "Chat bare image_url": (
        OPENAI,
        lambda data: tool({"type": "image_url", "image_url": url(data, "image/png")}),
        tool(),
    ),
    "LangChain source_type": (
        OPENAI,
        lambda data: said({"type": "image", "source_type": "base64", "data": coded(data), "mime_type": "image/png"}),
        said(),
    ),
    "LangChain base64": (OPENAI, lambda data: tool({"type": "image", "base64": coded(data)}), tool()),
    "MCP in a tool message": (
        OPENAI,
        lambda data: tool({"type": "image", "data": coded(data), "mimeType": "image/png"}),
        tool(),
    ),
    "Anthropic's in Chat": (
        OPENAI,
        lambda data: tool(
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": coded(data)}}
        ),
        tool(),
    ),
    "Chat file that is a picture": (
        OPENAI,
        lambda data: said({"type": "file", "file": {"file_data": url(data, "image/png")}}),
        said(),
    ),
    "Ollama's images": (OPENAI, lambda data: {**said(), "images": [coded(data)]}, said()),
    "OpenRouter's images": (
        OPENAI,
        lambda data: {**said(), "images": [{"type": "image_url", "image_url": {"url": url(data, "image/png")}}]},
        said(),
    ),
    "Anthropic result": (
        ANTHROPIC,
        lambda data: result(
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": coded(data)}}
        ),
        result(),
    ),
    "Anthropic image_url": (
        ANTHROPIC,
        lambda data: said({"type": "image_url", "image_url": {"url": url(data, "image/png")}}),
        said(),
    ),
    "Anthropic image_url in a result": (
        ANTHROPIC,
        lambda data: result({"type": "image_url", "image_url": {"url": url(data, "image/png")}}),
        result(),
    ),
    "Anthropic document of blocks": (
        ANTHROPIC,
        lambda data: said(
            {
                "type": "document",
                "source": {
                    "type": "content",
                    "content": [
                        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": coded(data)}}
                    ],
                },
            }
        ),
        said(),
    ),
    "Bedrock bytes": (
        BEDROCK,
        lambda data: said({"image": {"format": "png", "source": {"bytes": data}}}),
        said(),
    ),
    "Bedrock result": (
        BEDROCK,
        lambda data: converse({"image": {"format": "png", "source": {"bytes": bytearray(data)}}}),
        converse(),
    ),
    "Bedrock guarded": (
        BEDROCK,
        lambda data: said({"guardContent": {"image": {"format": "png", "source": {"bytes": data}}}}),
        said(),
    ),
    "Gemini inlineData": (
        GEMINI,
        lambda data: parts({"inlineData": {"mimeType": "image/png", "data": coded(data)}}),
        parts(),
    ),
    "Gemini bytes": (
        GEMINI,
        lambda data: parts({"inline_data": {"mime_type": "image/png", "data": data}}),
        parts(),
    ),
    "Gemini object": (
        GEMINI,
        lambda data: parts(
            SimpleNamespace(inline_data=SimpleNamespace(mime_type="image/png", data=data), text=None, thought=None)
        ),
        parts(),
    ),
    "Gemini response": (
        GEMINI,
        lambda data: response({"inlineData": {"mimeType": "image/png", "data": coded(data)}}),
        response(),
    ),
}

pictures = pytest.mark.parametrize(("dialect", "write", "bare"), PICTURES.values(), ids=PICTURES.keys())


@pictures
def test_a_picture_counts_by_its_size(dialect: Dialect, write: Write, bare: Message) -> None:
    nothing = tokens(dialect, bare)
    small = tokens(dialect, write(png(200, 200) + b"\0" * 1_000))
    assert tokens(dialect, write(png(200, 200) + b"\0" * 1_000_000)) == small
    assert nothing < small < tokens(dialect, write(png(1_400, 1_400))) < nothing + 3_000


@pictures
def test_a_picture_of_unknown_size_counts_as_the_table_assumes(dialect: Dialect, write: Write, bare: Message) -> None:
    long, short = (tokens(dialect, write(b"\x07" * length)) for length in (1_000_000, 1_000))
    # Where nothing says that it is a picture, it is a document of unknown length.
    assert long == short
    assert 200 < short - tokens(dialect, bare) < 15_000


@pictures
def test_a_count_with_a_picture_says_that_it_is_estimated(dialect: Dialect, write: Write, bare: Message) -> None:
    counter = counter_for(dialect.model)
    with_picture, without = (
        counter.count_messages([message], format=dialect.format) for message in (write(png(900, 900)), bare)
    )
    assert (with_picture.method, without.method) == ("estimated", counter.method)
    assert with_picture.error_bound - without.error_bound >= (with_picture.tokens - without.tokens) // 2 - 2


FILES: dict[str, tuple[Dialect, Write, Message]] = {
    "Responses input_file": (
        RESPONSES,
        lambda data: said({"type": "input_file", "filename": "a.pdf", "file_data": url(data, "application/pdf")}),
        said(),
    ),
    "Responses bare base64": (
        RESPONSES,
        lambda data: output({"type": "input_file", "filename": "a.pdf", "file_data": coded(data)}),
        output(),
    ),
    "Chat file": (
        OPENAI,
        lambda data: said({"type": "file", "file": {"file_data": url(data, "application/pdf")}}),
        said(),
    ),
    "Chat file in a result": (
        OPENAI,
        lambda data: tool({"type": "file", "file": {"file_data": url(data, "application/pdf")}}),
        tool(),
    ),
    "LangChain file": (
        OPENAI,
        lambda data: said({"type": "file", "base64": coded(data), "mime_type": "application/pdf"}),
        said(),
    ),
    "Mistral document_url": (
        OPENAI,
        lambda data: said({"type": "document_url", "document_url": url(data, "application/pdf")}),
        said(),
    ),
    "Anthropic result": (
        ANTHROPIC,
        lambda data: result(
            {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": coded(data)}}
        ),
        result(),
    ),
    "Anthropic fetched page": (
        ANTHROPIC,
        lambda data: said(
            {
                "type": "web_fetch_tool_result",
                "tool_use_id": "s",
                "content": {
                    "type": "web_fetch_result",
                    "content": {
                        "type": "document",
                        "source": {"type": "base64", "media_type": "application/pdf", "data": coded(data)},
                    },
                },
            }
        ),
        said({"type": "web_fetch_tool_result", "tool_use_id": "s"}),
    ),
    "Bedrock result": (
        BEDROCK,
        lambda data: converse({"document": {"format": "pdf", "source": {"bytes": data}}}),
        converse(),
    ),
    "Gemini bytes": (
        GEMINI,
        lambda data: parts({"inline_data": {"mime_type": "application/pdf", "data": data}}),
        parts(),
    ),
}


@pytest.mark.parametrize(("dialect", "write", "bare"), FILES.values(), ids=FILES.keys())
def test_a_file_counts_by_its_pages(dialect: Dialect, write: Write, bare: Message) -> None:
    nothing = tokens(dialect, bare)
    one, three = (tokens(dialect, write(pdf(pages))) for pages in (1, 3))
    assert 258 <= (three - one) // 2 <= one - nothing
    assert tokens(dialect, write(pdf(3, padding=500_000))) == three
    long, short = (tokens(dialect, write(b"\x07" * length)) for length in (1_000_000, 1_000))
    assert long == short == one + 2 * (three - one), "the documented five pages"


ELSEWHERE: dict[str, tuple[Dialect, Message, Message]] = {
    # What the provider holds, or fetches: nothing is known of it but what it is.
    "Responses file_id": (RESPONSES, said({"type": "input_image", "file_id": "file-1"}), said()),
    "Responses file_url": (RESPONSES, said({"type": "input_file", "file_url": "https://x.test/a.pdf"}), said()),
    "Responses output file_id": (RESPONSES, output({"type": "input_file", "file_id": "file-1"}), output()),
    "Responses screenshot file_id": (
        RESPONSES,
        {
            "type": "computer_call_output",
            "call_id": "c",
            "output": {"type": "computer_screenshot", "file_id": "file-1"},
        },
        {"type": "computer_call_output", "call_id": "c"},
    ),
    "Chat image_url": (
        OPENAI,
        said({"type": "image_url", "image_url": {"url": "https://x.test/a.png"}}),
        said(),
    ),
    "Chat file_id": (OPENAI, said({"type": "file", "file": {"file_id": "file-1"}}), said()),
    "Chat video_url": (OPENAI, said({"type": "video_url", "video_url": {"url": "https://x.test/a.mp4"}}), said()),
    "Chat audio_url": (OPENAI, said({"type": "audio_url", "audio_url": {"url": "https://x.test/a.mp3"}}), said()),
    "Chat audio that was said": (
        OPENAI,
        {"role": "assistant", "content": "so", "audio": {"id": "audio_1"}},
        {"role": "assistant", "content": "so"},
    ),
    "Anthropic url": (
        ANTHROPIC,
        said({"type": "image", "source": {"type": "url", "url": "https://x.test/a.png"}}),
        said(),
    ),
    "Anthropic file": (ANTHROPIC, said({"type": "document", "source": {"type": "file", "file_id": "f"}}), said()),
    "Bedrock s3": (
        BEDROCK,
        said({"video": {"format": "mp4", "source": {"s3Location": {"uri": "s3://b/a.mp4"}}}}),
        said(),
    ),
    "Bedrock s3 in a result": (
        BEDROCK,
        converse({"document": {"format": "pdf", "source": {"s3Location": {"uri": "s3://b/a"}}}}),
        converse(),
    ),
    "Gemini fileData": (
        GEMINI,
        parts({"fileData": {"mimeType": "application/pdf", "fileUri": "https://x.test/files/1"}}),
        parts(),
    ),
    "Gemini film": (GEMINI, parts({"file_data": {"file_uri": "https://www.youtube.com/watch?v=1"}}), parts()),
}


@pytest.mark.parametrize(("dialect", "message", "bare"), ELSEWHERE.values(), ids=ELSEWHERE.keys())
def test_a_file_that_lies_elsewhere_costs_something(dialect: Dialect, message: Message, bare: Message) -> None:
    counter = counter_for(dialect.model)
    counted = counter.count_messages([message], format=dialect.format)
    cost = counted.tokens - counter.count_messages([bare], format=dialect.format).tokens
    assert cost >= 250
    assert counted.method == "estimated"
    assert counted.error_bound >= cost, "even its size is assumed"


def sounds(data: bytes) -> list[tuple[Dialect, Message, Message, int]]:
    part = {"type": "input_audio", "input_audio": {"data": coded(data), "format": "wav"}}
    return [
        (RESPONSES, output(part), output(), 10),
        (OPENAI, tool(part), tool(), 10),
        (OPENAI, said({"type": "audio_url", "audio_url": {"url": url(data, "audio/wav")}}), said(), 10),
        (OPENAI, said({"type": "audio", "base64": coded(data), "mime_type": "audio/wav"}), said(), 10),
        (
            OPENAI,
            {"role": "assistant", "content": "so", "audio": {"id": "a", "data": coded(data)}},
            {"role": "assistant", "content": "so"},
            10,
        ),
        (BEDROCK, said({"audio": {"format": "wav", "source": {"bytes": data}}}), said(), 32),
        (GEMINI, parts({"inline_data": {"mime_type": "audio/wav", "data": data}}), parts(), 32),
    ]


def test_a_sound_counts_by_its_length() -> None:
    for (dialect, message, bare, second), (_, longer, _, _) in zip(sounds(wave(3)), sounds(wave(93)), strict=True):
        # The header belongs to the file: a started second counts.
        assert tokens(dialect, message) - tokens(dialect, bare) == 4 * second, message
        assert tokens(dialect, longer) - tokens(dialect, message) == 90 * second, message


def films(data: bytes) -> list[tuple[Dialect, Message, Message]]:
    return [
        (OPENAI, said({"type": "video_url", "video_url": {"url": url(data, "video/mp4")}}), said()),
        (OPENAI, tool({"type": "video", "base64": coded(data), "mime_type": "video/mp4"}), tool()),
        (BEDROCK, said({"video": {"format": "mp4", "source": {"bytes": data}}}), said()),
        (BEDROCK, converse({"video": {"format": "mp4", "source": {"bytes": data}}}), converse()),
        (GEMINI, parts({"inlineData": {"mimeType": "video/mp4", "data": coded(data)}}), parts()),
        (GEMINI, response({"inlineData": {"mimeType": "video/mp4", "data": data}}), response()),
    ]


def test_a_film_counts_by_its_length() -> None:
    each = (films(film(3, 900)), films(film(93, 900_000)), films(FILM + b"\0" * 900), films(FILM + b"\0" * 900_000))
    for (dialect, short, bare), (_, long, _), (_, unknown, _), (_, larger, _) in zip(*each, strict=True):
        nothing = tokens(dialect, bare)
        assert tokens(dialect, short) - nothing == 3 * 263
        assert tokens(dialect, long) - nothing == 93 * 263
        assert tokens(dialect, unknown) - nothing == 30 * 263, "half a minute where nothing says its length"
        assert tokens(dialect, larger) == tokens(dialect, unknown)


def test_a_file_of_text_counts_by_its_words() -> None:
    text = "The quick brown fox jumps over the lazy dog. 다람쥐 헌 쳇바퀴에 타고파.\n" * 400
    data = text.encode()
    cases = [
        (OPENAI, said({"type": "file", "file": {"file_data": url(data, "text/plain")}}), said()),
        (
            ANTHROPIC,
            said({"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": text}}),
            said(),
        ),
        (BEDROCK, said({"document": {"format": "md", "source": {"bytes": data}}}), said()),
        (BEDROCK, said({"document": {"format": "md", "source": {"text": text}}}), said()),
        (GEMINI, parts({"inlineData": {"mimeType": "text/csv", "data": coded(data)}}), parts()),
    ]
    for dialect, message, bare in cases:
        counter = counter_for(dialect.model)
        assert tokens(dialect, message) - tokens(dialect, bare) == counter.count(text), message
        assert counter.count_messages([message], format=dialect.format).method == counter.method
    as_lines = said({"type": "file", "file": {"file_data": f"data:text/plain;base64,{mime(data)}"}})
    assert tokens(OPENAI, as_lines) == tokens(OPENAI, cases[0][1])


# ---- what no reader knows ----

UNKNOWN: dict[str, tuple[Dialect, Callable[[Any], Message]]] = {
    "Chat part": (OPENAI, lambda value: said({"type": "hologram", "payload": value})),
    "Chat part in a result": (OPENAI, lambda value: tool({"type": "hologram", "payload": value})),
    "Chat part, deep": (OPENAI, lambda value: said({"type": "hologram", "of": [{"layers": {"first": value}}]})),
    "Chat content that is no list": (OPENAI, lambda value: {"role": "user", "content": {"payload": value}}),
    "Anthropic block": (ANTHROPIC, lambda value: said({"type": "hologram", "payload": value})),
    "Anthropic result": (ANTHROPIC, lambda value: result({"type": "hologram", "payload": value})),
    "Anthropic server result": (
        ANTHROPIC,
        lambda value: said({"type": "x_tool_result", "tool_use_id": "s", "content": {"type": "x", "payload": value}}),
    ),
    "Responses item": (RESPONSES, lambda value: {"type": "hologram", "payload": value}),
    "Responses call of the server": (RESPONSES, lambda value: {"type": "hologram_call", "payload": value}),
    "Responses output": (RESPONSES, lambda value: output({"type": "hologram", "payload": value})),
    "Bedrock block": (BEDROCK, lambda value: said({"hologram": {"payload": value}})),
    "Bedrock result": (BEDROCK, lambda value: converse({"hologram": {"payload": value}})),
    "Gemini part": (GEMINI, lambda value: parts({"hologram": {"payload": value}})),
    "Gemini signed part": (GEMINI, lambda value: parts({"hologram": {"payload": value}, "thoughtSignature": "s"})),
    "Gemini part of a response": (GEMINI, lambda value: response({"hologram": {"payload": value}})),
}

unknown = pytest.mark.parametrize(("dialect", "write"), UNKNOWN.values(), ids=UNKNOWN.keys())


@unknown
@pytest.mark.parametrize(
    "written",
    [coded, lambda data: url(data, "application/x-hologram"), bytes, bytearray, memoryview, mime],
    ids=["base64", "data URL", "bytes", "bytearray", "memoryview", "lines"],
)
def test_a_file_in_a_block_of_unknown_kind_is_no_text(
    dialect: Dialect, write: Callable[[Any], Message], written: Callable[[bytes], Any]
) -> None:
    counter = counter_for(dialect.model)
    short, long = (write(written(b"\x07\xaa" * length)) for length in (1_000, 500_000))
    counted = counter.count_messages([long], format=dialect.format)
    assert counted.tokens == counter.count_messages([short], format=dialect.format).tokens
    nothing = tokens(dialect, write(""))
    assert 250 < counted.tokens - nothing < 15_000
    assert counted.method == "estimated"
    assert counted.error_bound >= counted.tokens - nothing
    picture = tokens(dialect, write(written(png(200, 200) + b"\0" * 1_000)))
    assert picture > nothing


@unknown
def test_what_is_encrypted_in_a_block_of_unknown_kind_counts_by_its_length(
    dialect: Dialect, write: Callable[[Any], Message]
) -> None:
    secret = coded(bytes(range(250)) * 120)
    for name in ("encrypted_content", "encrypted_index", "signature", "thought_signature", "redactedContent"):
        cost = tokens(dialect, write({name: secret})) - tokens(dialect, write({name: ""}))
        assert 7_330 <= cost <= 7_345, name


@unknown
def test_the_words_of_a_block_of_unknown_kind_are_counted(dialect: Dialect, write: Callable[[Any], Message]) -> None:
    words = "The quick brown fox jumps over the lazy dog. " * 200
    counter = counter_for(dialect.model)
    counted = counter.count_messages([write(words)], format=dialect.format)
    assert counted.tokens - tokens(dialect, write("")) >= counter.count(words) * 0.99
    assert counted.method == "estimated", "nobody says how the provider writes it"
    assert counted.error_bound >= counter.count(words) * 0.49


def test_base64_that_the_model_reads_is_text() -> None:
    data = coded(bytes(range(256)) * 40)
    for dialect, message in (
        (OPENAI, {"role": "tool", "tool_call_id": "c", "content": data}),
        (OPENAI, {"role": "user", "content": data}),
        (ANTHROPIC, result({"type": "text", "text": data})),
        (ANTHROPIC, said({"type": "tool_use", "id": "t", "name": "f", "input": {"data": data}})),
        (BEDROCK, converse({"json": {"data": data}})),
        (GEMINI, parts({"functionResponse": {"name": "f", "response": {"data": data}}})),
    ):
        counter = counter_for(dialect.model)
        assert tokens(dialect, message) >= counter.count(data)
        assert counter.count_messages([message], format=dialect.format).method == counter.method


def test_bytes_in_arguments_and_results_are_files() -> None:
    for length in (1_000, 1_000_000):
        data = b"\x07" * length
        call = said({"toolUse": {"toolUseId": "t", "name": "f", "input": {"data": data}}})
        answer = parts({"functionResponse": {"name": "f", "response": {"data": data}}})
        assert 10_000 < tokens(BEDROCK, call) < 12_000
        assert 1_290 <= tokens(GEMINI, answer) < 1_400


def test_a_file_for_the_container_costs_its_name() -> None:
    block = {"type": "container_upload", "file_id": "file_011CNha8iCJcU1wXNR6q4V8w"}
    counter = counter_for(ANTHROPIC.model)
    counted = counter.count_messages([said(block)], format="anthropic")
    assert counter.count(block["file_id"]) <= counted.tokens - tokens(ANTHROPIC, said()) <= 60
    assert counted.method == "estimated"


def test_what_a_search_found_is_counted_once() -> None:
    secret = coded(bytes(range(250)) * 120)
    page = {"type": "web_search_result", "title": "t", "url": "https://x.test", "page_age": "April 30, 2025"}

    def found(**more: str) -> Message:
        return said({"type": "web_search_tool_result", "tool_use_id": "s", "content": [{**page, **more}]})

    bare = tokens(ANTHROPIC, found(encrypted_content="x" * 8))
    assert tokens(ANTHROPIC, found(encrypted_content=secret)) - bare == 7_337
    both = tokens(ANTHROPIC, found(encrypted_content=secret, encrypted_index=secret))
    assert both - tokens(ANTHROPIC, found(encrypted_content=secret)) == 7_338
    counter = counter_for(ANTHROPIC.model)
    assert bare - tokens(ANTHROPIC, said({"type": "web_search_tool_result", "tool_use_id": "s", "content": []})) == (
        1 + sum(counter.count(page[name]) for name in ("title", "url", "page_age"))
    )


def test_a_report_knows_of_files_outside_of_blocks() -> None:
    spoken = {"role": "assistant", "content": "so", "audio": {"id": "audio_1"}}
    messages = [OPENAI.user("Task"), spoken, OPENAI.user("go on")]
    report = octavo.assemble(messages, budget=90_000, model="gpt-4o").report
    counted = counter_for("gpt-4o").count_messages(messages, format="openai")
    assert (report.tokens, report.method) == (counted.tokens, "estimated")
    assert report.error_bound == pytest.approx(counted.error_bound / counted.tokens)
