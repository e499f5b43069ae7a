"""Maskers: one set of rules, applied to texts, JSON values, lists and streams alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, final

from octavo import _core
from octavo.checking import check_flag
from octavo.errors import MaskingError
from octavo.privacy.document import Known, Named
from octavo.privacy.finding import (
    Finding,
    Match,
    Span,
    check_unseen,
    finding,
    known_kinds,
    located,
    matches,
    refuse_unseen,
)
from octavo.privacy.nested import PROBES, masked_json
from octavo.privacy.recognizer import Recognizer, Recognizes, check_recognizers, merged
from octavo.privacy.settling import Around, Settling
from octavo.privacy.stream import MaskStream
from octavo.privacy.token import Pseudonyms, Vaulted, Write, typed, unmasked, written
from octavo.privacy.validation import masking_schema
from octavo.privacy.vault import Vault

__all__ = ["Masker"]


@final
class Masker:
    """Masks personal data and secrets by one set of rules. Never changes; safe to share between threads.

    It also stands in Pydantic annotations, `Annotated[str, masker]`, as :data:`octavo.privacy.Masked` does with the
    default rules.

    Names of people and postal addresses have no form that a rule could know: they are **not** found without a model.
    A recogniser can bring one (`octavo.integrations.presidio`).
    """

    __slots__ = ("_count", "_engine", "_kinds", "_plain", "_recognizers", "_settling", "_strict", "_vault", "_write")

    def __init__(
        self,
        *,
        kinds: Iterable[str] | None = None,
        strict: bool = False,
        recognizers: Iterable[Recognizes] = (),
        pseudonym_key: bytes | None = None,
        vault: Vault | None = None,
    ) -> None:
        """Make a masker.

        Args:
            kinds: the kinds that are found, of :data:`octavo.privacy.KINDS`; all that are on by default for `None`.
            strict: also mask 13 bare digits whose date of birth is possible, as in 27 of 1,000 times in ms.
            recognizers: recognisers of one's own, beside the kinds.
            pseudonym_key: a tenant's secret of at least 16 bytes: tokens become stable pseudonyms. It must not be
                stored where the masked text is.
            vault: where values are kept so that :meth:`unmask` brings them back.

        Raises:
            ArgumentError: an argument is of a kind that its parameter does not take.
            MaskingError: a kind is unknown, a key too short, or both key and vault are given.
        """
        check_flag("strict", strict, optional=False)
        if pseudonym_key is not None and vault is not None:
            raise MaskingError("pseudonym_key and vault exclude each other: a token is one or the other", name="vault")
        self._kinds: Final = known_kinds(kinds)
        self._strict: Final = strict
        self._recognizers: Final = check_recognizers(recognizers)
        self._engine: Final = _core.Detector(list(self._kinds), strict)
        self._settling: Final = Settling(self._engine, self._recognizers)
        self._vault: Final = vault
        self._write: Final = _writer(pseudonym_key, vault)
        self._count: Callable[[str, int], None] | None = None
        # What the engine does alone is done in one go, without findings as objects.
        self._plain = not self._recognizers and self._write is typed

    @property
    def kinds(self) -> tuple[str, ...]:
        """The built-in kinds that are found."""
        return self._kinds

    @property
    def strict(self) -> bool:
        """Whether 13 bare digits with a possible date of birth are masked."""
        return self._strict

    def mask(self, text: str) -> str:
        """The text with every finding replaced by a token such as `[KR_RRN]`; the same object where there is none.

        Everything outside the findings stays as it is, lone surrogates included, and what is masked once is not
        changed by masking it again.

        Raises:
            ArgumentError: `text` is none.
            RecognizerError: a recogniser of the caller's own failed.
        """
        try:
            if self._plain:
                return self._engine.mask(text)
            spans = self._engine.find(text)
        except TypeError:
            # Looked at only now: a short text is masked in less time than a check would take.
            check_unseen("text", text)
            raise
        found = self._settled(text, matches(spans))
        if self._count is not None:
            for one in found:
                self._count(one.kind, 1)
        return written(text, found, self._write)

    def find(self, text: str) -> tuple[Finding, ...]:
        """Every finding, in order and apart from one another.

        Raises:
            ArgumentError: `text` is none.
            RecognizerError: a recogniser of the caller's own failed.
        """
        check_unseen("text", text)
        spans = self._engine.find(text)
        if self._plain:
            return tuple(map(finding, spans))
        return tuple(located(text, self._settled(text, matches(spans))))

    def mask_all(self, texts: Iterable[str]) -> list[str]:
        """Mask many texts in one crossing into the engine: each as :meth:`mask` does.

        Raises:
            ArgumentError: they are no list, or one of them is no text; it says which.
            RecognizerError: a recogniser of the caller's own failed.
        """
        given = _texts(texts)
        if self._plain:
            return self._engine.mask_all(given)
        return self._mask_named([("", text) for text in given], [1] * len(given), {})

    def mask_json(self, value: Any) -> Any:
        """A JSON value with its keys, texts and numbers masked: it stays JSON, and unchanged parts the same objects.

        A text is read in the light of its key (`{"password": "…"}`), the items of a list in that of the list's. A
        number that is somebody's, such as a card number, becomes a text: its token. Keys that become equal are
        numbered, `[EMAIL]` and `[EMAIL] 2`. Depth does not matter.

        Args:
            value: dicts, lists, tuples, texts, numbers, booleans and `None`.

        Raises:
            ArgumentError: something else stands in it, or it contains itself; it says where.
            RecognizerError: a recogniser of the caller's own failed.
        """
        return self._masked_json(value, "")

    def stream(self) -> MaskStream:
        """A stream of text that arrives in parts; what it gives out, joined, is the masked whole."""
        settle = self._settled if self._recognizers else None
        write = self._write if self._count is None else self._counted
        whole = settle is not None or self._write is not typed
        return MaskStream(self._engine.stream(), settle, write, whole=whole)

    def mask_stream(self, chunks: Iterable[str]) -> Iterator[str]:
        """Mask a text that arrives in parts, such as a model's answer, as far as it is certain at each.

        Raises:
            ArgumentError: there is nothing to go through; later, where it is read, that a chunk is no text.
            RecognizerError: a recogniser of the caller's own failed.
        """
        _check_chunks(chunks)
        return _masked_chunks(self.stream(), chunks)

    def unmask(self, text: str) -> str:
        """The text with every token that the vault knows turned back into the value that stood there.

        Other tokens stay. The same object where there is none.

        Raises:
            ArgumentError: `text` is none.
            MaskingError: this masker has no vault.
        """
        check_unseen("text", text)
        if self._vault is None:
            raise MaskingError("only a masker with a vault can unmask", name="vault")
        return unmasked(text, self._vault)

    def counting(self, count: Callable[[str, int], None]) -> Masker:
        """The same masker, which also tells `count` the kind of what it masks and in how many places it stands."""
        other = object.__new__(Masker)
        for name in self.__slots__:
            object.__setattr__(other, name, getattr(self, name))
        other._count, other._plain = count, False
        return other

    def __copy__(self) -> Masker:
        return self

    def __deepcopy__(self, _memo: object) -> Masker:
        # It never changes; and a vault that is copied would give one token to two values.
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        if isinstance(self._write, Pseudonyms):
            # Whatever pickles are kept in or sent through would hold the key, often beside the masked text.
            raise TypeError("a Masker with a pseudonym key cannot be pickled: make one in each process")
        if self._count is not None:
            raise TypeError("a Masker that counts cannot be pickled: make one in each process")
        return _masker, (self._kinds, self._strict, self._recognizers, self._vault)

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> dict[str, Any]:
        return masking_schema(handler(source), self._masked_json)

    def __repr__(self) -> str:
        tokens = "typed" if self._write is typed else repr(self._write)
        return f"<Masker: {len(self._kinds)} kinds, {len(self._recognizers)} recognisers, {tokens}>"

    def _counted(self, kind: str, value: str) -> str:
        if self._count is not None:
            self._count(kind, 1)
        return self._write(kind, value)

    def _settled(self, text: str, built_in: list[Match], before: str = "") -> list[Match]:
        return self._settling.settled(text, built_in, Around(before))

    def _masked_json(self, value: Any, name: str) -> Any:
        again = self._mask_again if self._recognizers else None
        return masked_json(value, self._mask_named, self._spoken_by, name, find=self._find_built_in, again=again)

    def _find_built_in(self, text: str) -> list[Match]:
        return matches(self._engine.find(text))

    def _mask_again(self, texts: list[Named], times: list[int], known: Known) -> list[str]:
        """What the engine alone finds in values that were masked: a recogniser has been asked."""
        places = [Around.member(name) for name, _ in texts]
        spans = self._engine.find_all([place.around(text) for place, (_, text) in zip(places, texts, strict=True)])
        again = zip(texts, places, spans, times, strict=True)
        return [
            self._written(named[1], merged(place.inside(matches(found), named[1]), known.get(named, [])), often)
            for named, place, found, often in again
        ]

    def _mask_named(self, texts: list[Named], times: list[int], known: Known) -> list[str]:
        places = [Around.member(name) for name, _ in texts]
        found = self._engine.find_all([place.around(text) for place, (_, text) in zip(places, texts, strict=True)])
        found = self._found_on_one_line(texts, places, found)
        if not self._recognizers and not any(found) and not known:
            return [text for _, text in texts]
        each = zip(texts, places, found, times, strict=True)
        return [
            self._mask_member(named[1], place, spans, often, known.get(named, []))
            for named, place, spans, often in each
        ]

    def _found_on_one_line(self, texts: list[Named], places: list[Around], found: list[list[Span]]) -> list[list[Span]]:
        """A value that is a secret as one line is one secret, whatever line ends and blanks were pasted with it."""
        lines = [place.on_one_line(text) for place, (_, text) in zip(places, texts, strict=True)]
        again = [(at, place.around(line)) for at, (place, line) in enumerate(zip(places, lines, strict=True)) if line]
        for (at, around), spans in zip(again, self._engine.find_all([text for _, text in again]), strict=True):
            before, after = len(places[at].before), len(places[at].after)
            for kind, start, end, in_bytes, bytes_end, in_units, units_end, confidence in spans:
                if (start, end) == (before, len(around) - after):
                    last = before + len(texts[at][1])
                    found[at] = [(kind, before, last, in_bytes, bytes_end, in_units, units_end, confidence)]
        return found

    def _mask_member(self, text: str, place: Around, spans: list[Span], times: int, known: list[Match]) -> str:
        """The text masked, given what the engine found where it stands, what is known, and how often it does."""
        if not spans and not self._recognizers and not known:
            return text
        built_in = merged(place.inside(matches(spans), text), known)
        return self._written(text, self._settling.settled(text, built_in, place), times)

    def _written(self, text: str, found: list[Match], times: int) -> str:
        if self._count is not None:
            for one in found:
                self._count(one.kind, times)
        return written(text, found, self._write) if found else text

    def _spoken_by(self, name: str) -> tuple[object, ...]:
        """What a name says about a value under it: what is found in some values, and the words of recognisers."""
        place = Around.member(name)
        found = self._engine.find_all([place.around(probe) for probe in PROBES])
        kinds = [
            tuple((one.kind, one.start, one.end) for one in place.inside(matches(spans), probe))
            for probe, spans in zip(PROBES, found, strict=True)
        ]
        own = (word for one in self._recognizers if isinstance(one, Recognizer) for word in one.context)
        return (*kinds, frozenset(word for word in own if word in name.lower()))


def _masker(kinds: Iterable[str], strict: bool, recognizers: Iterable[Recognizes], vault: Vault | None) -> Masker:
    return Masker(kinds=kinds, strict=strict, recognizers=recognizers, vault=vault)


def _check_chunks(chunks: object) -> None:
    if not isinstance(chunks, Iterable):
        raise refuse_unseen("chunks", "texts in order", chunks)


def _masked_chunks(stream: MaskStream, chunks: Iterable[str]) -> Iterator[str]:
    for chunk in chunks:
        ready = stream.push(chunk)
        if ready:
            yield ready
    rest = stream.finish()
    if rest:
        yield rest


def _texts(texts: object) -> list[str]:
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        raise refuse_unseen("texts", "a list of texts", texts)
    given = list(texts)
    for at, text in enumerate(given):
        check_unseen(f"texts[{at}]", text)
    return given


def _writer(key: bytes | None, vault: Vault | None) -> Write:
    if key is not None:
        return Pseudonyms(key)
    return typed if vault is None else Vaulted(vault)
