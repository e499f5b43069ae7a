"""Pictures, sound and files: a `data:` address in OpenAI's formats, a typed source in Anthropic's."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any, Final

from octavo.formats.turns import Block, Document, Image, Text, text_or_none

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "DEFAULT_FILENAME",
    "address_of",
    "anthropic_document",
    "anthropic_image",
    "data_address",
    "document_of_members",
    "document_of_source",
    "image_of_source",
    "media_type_of",
    "source_address",
    "split_data_address",
]

DEFAULT_FILENAME: Final = "document.pdf"
"""Name of a file whose document had no title: OpenAI wants one beside the data. Read back as no title."""

_SIGNATURES: Final = (
    # First bytes, what stands from the eighth on, and the media type: W3C PNG 1.2, ITU T.81, GIF89a, RFC 9649
    # (WebP), ISO 32000-1, RFC 2361 (WAVE), ID3v2.
    (b"\x89PNG", b"", "image/png"),
    (b"\xff\xd8\xff", b"", "image/jpeg"),
    (b"GIF8", b"", "image/gif"),
    (b"RIFF", b"WEBP", "image/webp"),
    (b"%PDF-", b"", "application/pdf"),
    (b"RIFF", b"WAVE", "audio/wav"),
    (b"ID3", b"", "audio/mpeg"),
)


def media_type_of(data: str, usual: str) -> str:
    """The media type that base64 tells by its first bytes; the usual one where they tell nothing."""
    try:
        head = base64.b64decode(data[:16], validate=True)
    except ValueError:
        return usual
    found = (kind for first, eighth, kind in _SIGNATURES if head.startswith(first) and head.startswith(eighth, 8))
    return next(found, usual)


def address_of(data: object, url: object, media_type: object, usual: str) -> str | None:
    """The address of what is held as base64, or stands elsewhere; `None` where neither is a text.

    Data that is at hand goes before an address. A media type that is not stated is told by the data's first bytes:
    a provider refuses a picture under another type than its own. `usual` is taken where they tell nothing.
    """
    if isinstance(data, str) and data:
        stated = media_type if isinstance(media_type, str) and media_type else media_type_of(data, usual)
        return data_address(stated, data)
    return url if isinstance(url, str) and url else None


def source_address(source: Mapping[str, Any], usual: str) -> str | None:
    """The address that an Anthropic source has, or holds its data in; `None` where it has none.

    Its type says which of the two it is; without one, what is there does.
    """
    data, url = source.get("data"), source.get("url")
    match source.get("type"):
        case "base64":
            url = None
        case "url":
            data = None
        case None:
            pass
        case _:
            return None
    return address_of(data, url, source.get("media_type"), usual)


def data_address(media_type: str, data: str) -> str:
    """Media type and base64 as one `data:` address."""
    return f"data:{media_type};base64,{data}"


def split_data_address(address: str) -> tuple[str, str] | None:
    """Media type and base64 of a `data:` address; `None` where it is another kind of address."""
    head, mark, data = address.partition(";base64,")
    return (head[5:], data) if mark and head.startswith("data:") else None


def image_of_source(source: Mapping[str, Any]) -> Image | None:
    """An Anthropic image source; `None` for a file that only Anthropic holds, or an unknown kind."""
    address = source_address(source, "image/png")
    return None if address is None else Image(url=address)


def anthropic_image(image: Image) -> dict[str, Any] | None:
    """An Anthropic image block; `None` for another provider's file or a `data:` address without base64."""
    if image.url is None:
        return None
    if not image.url.startswith("data:"):
        return {"type": "image", "source": {"type": "url", "url": image.url}}
    if (split := split_data_address(image.url)) is None:
        return None
    return {"type": "image", "source": {"type": "base64", "media_type": split[0], "data": split[1]}}


def document_of_source(source: Mapping[str, Any], title: str | None) -> Block | None:
    """An Anthropic document source; a text document becomes the text. `None` as for an image."""
    match source.get("type"):
        case "base64":
            data = source_address(source, "application/pdf")
            return None if data is None else Document(data=data, title=title)
        case "url":
            address = source_address(source, "application/pdf")
            return None if address is None else Document(url=address, title=title)
        case "text":
            return Text(str(source.get("data")))
        case _:
            return None


def document_of_members(held: Mapping[str, Any]) -> Document:
    """A file as OpenAI's formats have it: data, address or id, and its name."""
    data, title = text_or_none(held.get("file_data")), text_or_none(held.get("filename"))
    if data is not None and not data.startswith("data:"):
        data = f"data:application/pdf;base64,{data}"
    address, known = text_or_none(held.get("file_url")), text_or_none(held.get("file_id"))
    return Document(data, address, known, None if title == DEFAULT_FILENAME else title)


def anthropic_document(document: Document) -> dict[str, Any] | None:
    """An Anthropic document block; `None` where it is another provider's file or of a kind it does not read."""
    source = _source(document)
    if source is None:
        return None
    block: dict[str, Any] = {"type": "document", "source": source}
    if document.title is not None:
        block["title"] = document.title
    return block


def _source(document: Document) -> dict[str, Any] | None:
    if document.url is not None:
        return {"type": "url", "url": document.url}
    split = split_data_address(document.data) if document.data is not None else None
    if split is None:
        return None
    media_type, data = split
    if media_type == "application/pdf":
        return {"type": "base64", "media_type": media_type, "data": data}
    if not media_type.startswith("text/"):
        return None
    try:
        text = base64.b64decode(data, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
    return {"type": "text", "media_type": "text/plain", "data": text}
