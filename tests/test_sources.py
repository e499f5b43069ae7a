"""The source of a picture or a file as an address: one rule, whoever reads it."""

from __future__ import annotations

import base64
from typing import Any

import pytest

import octavo
from octavo.formats import convert
from octavo.formats.media import address_of, media_type_of, source_address
from octavo.integrations.langchain import to_messages

PNG, JPEG, GIF = b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0", b"GIF89a"
WEBP, WAVE = b"RIFF\x00\x00\x00\x00WEBP", b"RIFF\x00\x00\x00\x00WAVE"


def coded(data: bytes) -> str:
    return base64.b64encode(data + b"\0" * 9).decode()


@pytest.mark.parametrize(
    "data, media_type",
    [
        (PNG, "image/png"),
        (JPEG, "image/jpeg"),
        (GIF, "image/gif"),
        (WEBP, "image/webp"),
        (b"%PDF-1.7", "application/pdf"),
        (WAVE, "audio/wav"),
        (b"ID3\x04", "audio/mpeg"),
        (b"anything", "image/x-default"),
        (b"", "image/x-default"),
    ],
)
def test_data_of_no_stated_type_tells_it_by_its_first_bytes(data: bytes, media_type: str) -> None:
    assert media_type_of(coded(data), "image/x-default") == media_type


def test_data_that_is_no_base64_has_the_usual_type() -> None:
    for broken in ("", "A", "가나다라마바사아자차카타파하거너", "\ud83d" * 30, "iVBOR!!!"):
        assert media_type_of(broken, "image/png") == "image/png"


def test_what_is_stated_is_believed() -> None:
    assert address_of(coded(PNG), None, "image/jpeg", "image/png") == f"data:image/jpeg;base64,{coded(PNG)}"
    for missing in (None, "", 7, ["image/png"]):
        assert address_of(coded(JPEG), None, missing, "image/png") == f"data:image/jpeg;base64,{coded(JPEG)}"


def test_data_at_hand_goes_before_an_address() -> None:
    assert address_of("AA==", "https://x/a", "image/gif", "image/png") == "data:image/gif;base64,AA=="
    assert address_of(7, "https://x/a", "image/gif", "image/png") == "https://x/a"
    assert address_of(None, 7, None, "image/png") is None
    assert address_of("", "", None, "image/png") is None


@pytest.mark.parametrize(
    "source, address",
    [
        ({"type": "base64", "media_type": "image/gif", "data": "AA=="}, "data:image/gif;base64,AA=="),
        ({"type": "base64", "data": "AA=="}, "data:image/png;base64,AA=="),
        ({"media_type": None, "data": "AA=="}, "data:image/png;base64,AA=="),
        ({"type": "url", "url": "https://x/a", "data": "AA=="}, "https://x/a"),
        ({"url": "https://x/a"}, "https://x/a"),
        ({"type": "base64", "url": "https://x/a"}, None),
        ({"type": "text", "media_type": "text/plain", "data": "said"}, None),
        ({"type": "file", "file_id": "file_1"}, None),
        ({"type": "hologram", "data": "AA==", "url": "https://x/a"}, None),
        ({"type": ["url"], "url": "https://x/a"}, None),
        ({}, None),
    ],
)
def test_the_type_of_a_source_says_where_it_stands(source: dict[str, Any], address: str | None) -> None:
    assert source_address(source, "image/png") == address


SOURCES: list[dict[str, Any]] = [
    {"type": "base64", "media_type": "image/gif", "data": coded(PNG)},
    *[{"type": "base64", "data": coded(data)} for data in (PNG, JPEG, GIF, WEBP, b"anything")],
    {"type": "base64", "media_type": None, "data": coded(GIF)},
    {"type": "url", "url": "https://x/a.png"},
]


@pytest.mark.parametrize("source", SOURCES)
def test_every_way_to_chat_gives_one_address(source: dict[str, Any]) -> None:
    address = source_address(source, "image/png")
    assert address is not None
    part = {"type": "image_url", "image_url": {"url": address}}
    block = {"type": "image", "source": source}

    converted = convert([{"role": "user", "content": [block]}], "openai", source="anthropic")
    assert converted.messages == [{"role": "user", "content": [part]}]

    assert to_messages([{"type": "human", "content": [block]}]) == [{"role": "user", "content": [part]}]

    function = {"name": "look", "arguments": "{}"}
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "type": "function", "function": function}]}
    stray = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": [block]}]}
    repaired = octavo.repair([{"role": "user", "content": "q"}, call, stray], "openai")
    assert repaired.messages[2]["content"] == [part]


def test_a_document_of_no_stated_type_is_a_pdf() -> None:
    block = {"type": "document", "source": {"type": "base64", "data": "AA=="}}
    (converted,) = convert([{"role": "user", "content": [block]}], "openai", source="anthropic").messages
    (written,) = to_messages([{"type": "human", "content": [block]}])
    assert converted["content"][0]["file"]["file_data"] == "data:application/pdf;base64,AA=="
    assert written["content"][0]["file"]["file_data"] == "data:application/pdf;base64,AA=="


@pytest.mark.parametrize("data, format", [(WAVE, "wav"), (b"anything", "wav"), (b"ID3\x04", "mp3")])
def test_sound_of_no_stated_type_has_a_format_that_chat_knows(data: bytes, format: str) -> None:
    (written,) = to_messages([{"type": "human", "content": [{"type": "audio", "base64": coded(data)}]}])
    assert written["content"] == [{"type": "input_audio", "input_audio": {"data": coded(data), "format": format}}]
