"""Messages, system prompt and tools of one provider written in the format of another."""

from octavo.formats.arguments import RAW_ARGUMENTS
from octavo.formats.conversion import CLIENT_FORMATS, ClientFormat, Converted, arguments_of, client_arguments, convert
from octavo.formats.media import DEFAULT_FILENAME, address_of, source_address
from octavo.formats.results import ERROR_MARK
from octavo.formats.turns import Note

__all__ = [
    "CLIENT_FORMATS",
    "DEFAULT_FILENAME",
    "ERROR_MARK",
    "RAW_ARGUMENTS",
    "ClientFormat",
    "Converted",
    "Note",
    "address_of",
    "arguments_of",
    "client_arguments",
    "convert",
    "source_address",
]
