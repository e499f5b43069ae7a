"""JSON values: keys and values at any depth, without recursion, and still JSON afterwards."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, Final, TypeAlias

from octavo.errors import ArgumentError
from octavo.privacy.document import Document, FindIn, Known, Named, short_of, text_of
from octavo.privacy.members import LONGEST_NAME, Visit, inherits, name_below, stated

__all__ = ["PROBES", "MaskTexts", "SpokenBy", "masked_json"]

MaskTexts: TypeAlias = Callable[[list[Named], list[int], Known], list[str]]
"""Masks texts, each in the light of its name; the second list says how often each stands in the value, and the last
argument what is known of some by what stands around them."""

SpokenBy: TypeAlias = Callable[[str], Hashable]
"""What a name says about values under it: names that say the same are equal here."""

_SHOWN: Final = 80
"""Characters of a key in the place of an error."""

_NUMBER: Final = re.compile(r"\] [0-9]+\Z")
"""The number of a key that was equal to another when it was masked."""

_ROUNDS: Final = 8
"""Readings of a value: what was masked in one rarely shows more in the next. No value was seen that needs a third."""

_CONTAINERS: Final = (dict, list, tuple)

_NAMES: Final = 8
"""Names that one list is read under. It is the same object under each, which no parsed JSON has; further names are
taken together by what they say, or a list under many keys would cost keys times length."""


PROBES: Final = (
    "hunter2Zq9xK",
    "Zq9x hunter2",
    "12345678",
    "wdzjGBH6ML",
    "3f786850e387550fdab836ed7e6dc881de23001b",
    "8503141065126",
    "8503141065121",
    "850230-1234567",
    "850314-1065126",
    "110123456789",
    "110-123-456789",
    "110 12 3456789",
    "0212345678",
    "010-123-4567",
    "30569309025904",
    "111212345678",
    "M12345678",
    "104-86-56659",
    "1048656659",
)
"""Values, none of them somebody's, which are masked under some names and not under others: passwords and tokens of each
kind, numbers without check digit, with an impossible date, in one piece, and such as a word may take back."""


def masked_json(
    value: Any, mask: MaskTexts, spoken_by: SpokenBy, name: str = "", *, find: FindIn, again: MaskTexts | None = None
) -> Any:
    """The value with its keys, texts and numbers masked; unchanged parts are the same objects.

    What is masked may bring a word nearer to what follows, so what comes out is read again until nothing more is found.

    Args:
        value: dicts, lists, tuples, texts, numbers, booleans and `None`, nested to any depth.
        mask: masks many texts at once.
        spoken_by: what a name says, asked where one list stands under many names.
        name: what the value stands under, where that is not in it.
        find: what is found in the value as it would be written.
        again: masks texts that have been masked; `mask` where nothing is given.

    Raises:
        ArgumentError: something else stands in it, or it contains itself.
    """
    for _ in range(_ROUNDS):
        masked = _masked_once(value, mask, spoken_by, name, find)
        if masked is value:
            break
        value, mask = masked, again or mask
    return value


def _masked_once(value: Any, mask: MaskTexts, spoken_by: SpokenBy, name: str, find: FindIn) -> Any:
    reading = _Reading(mask, spoken_by)
    reading.read(value, name)
    known = reading.document.known(find)
    names, texts = _masked_texts(reading, mask, known)
    short = _masked_short(reading, mask, known, names)
    if not texts and not short:
        return value
    masks = _Masks(texts, short, reading.read_under)
    for visit in reading.visits:
        masks.rebuild(visit)
    return masks.of(value, name)


def _masked_texts(reading: _Reading, mask: MaskTexts, known: Known) -> tuple[dict[str, str], dict[Named, str]]:
    """What each key says, and every text in which something was found, with what it becomes."""
    # A key and a text alone are masked alike, so a text that is a key somewhere is masked with it.
    keys: list[Named] = [("", key) for key in reading.keys]
    times = [often + reading.texts.get(named, 0) for named, often in zip(keys, reading.keys.values(), strict=True)]
    masked = mask(keys, times, known)
    names = {key: _spoken(new) for (_, key), new in zip(keys, masked, strict=True)}
    others = {named: often for named, often in reading.texts.items() if named[0] or named[1] not in reading.keys}
    masked += _under(others, mask, known, names)
    # Compared as objects: what is left alone comes back as it was given.
    return names, {named: new for named, new in zip([*keys, *others], masked, strict=True) if new is not named[1]}


def _masked_short(reading: _Reading, mask: MaskTexts, known: Known, names: dict[str, str]) -> dict[Named, str]:
    """The same of short numbers: they are nobody's, but for those that are seen to be by what stands around them."""
    short = {named: often for named, often in reading.short.items() if named in known} if known else {}
    masked = _under(short, mask, known, names) if short else []
    return {named: new for named, new in zip(short, masked, strict=True) if new is not named[1]}


def _under(texts: dict[Named, int], mask: MaskTexts, known: Known, names: dict[str, str]) -> list[str]:
    """The texts masked under what the masked keys say."""
    spoken = [(names.get(name, name), text) for name, text in texts]
    here = {new: known[old] for new, old in zip(spoken, texts, strict=True) if old in known} if known else known
    return mask(spoken, list(texts.values()), here)


def _spoken(key: str) -> str:
    """What a masked key says about its value: the same when it is masked again, and numbered by then."""
    return _NUMBER.sub("]", key)[-LONGEST_NAME:]


class _Reading:
    """One walk through a value, with a stack of its own: depth costs memory, not Python's stack."""

    def __init__(self, mask: MaskTexts, spoken_by: SpokenBy) -> None:
        self.visits: list[Visit] = []
        """Children before parents. What is shared is visited once a name, whatever it would make written out."""
        self.keys: dict[str, int] = {}
        """How often each stands there."""
        self.texts: dict[Named, int] = {}
        """Values, each with the key that it stands under as it was given, and how often."""
        self.short: dict[Named, int] = {}
        """The same of numbers with fewer digits than a text is made of."""
        self.document = Document()
        self._mask = mask
        self._spoken_by = spoken_by
        self._open: list[tuple[Visit, Iterator[tuple[Any, Any]]]] = []
        self._way: list[Any] = []
        # By identity: every container stays alive in its visit.
        self._names: dict[int, dict[str, str]] = {}
        self._alike: dict[tuple[int, Hashable], str] = {}
        self._inherits: dict[tuple[int, str], bool] = {}
        self._ancestors: set[int] = set()

    def read(self, value: Any, name: str) -> None:
        if not isinstance(value, _CONTAINERS):
            self._leaf(value, name)
            return
        self._enter(value, name)
        while self._open:
            visit, children = self._open[-1]
            for key, child in children:
                self._way[-1] = key
                if isinstance(visit.container, dict):
                    self.document.key(text_of(key))
                if not isinstance(child, _CONTAINERS):
                    self._leaf(child, name_below(visit, key))
                elif self._enter(child, name_below(visit, key)):
                    break
            else:
                self._leave(visit)

    def read_under(self, container: Any, name: str) -> str:
        """The name that a container under this one is read under: none where it says nothing about what is inside."""
        return self._names[id(container)][self._inherited(container, name)]

    def _inherited(self, container: Any, name: str) -> str:
        if not name or not isinstance(container, dict):
            return name
        said = self._inherits.get((id(container), name))
        if said is None:
            said = self._inherits[id(container), name] = inherits(container, name)
        return name if said else ""

    def _leaf(self, child: Any, name: str) -> None:
        text = child if type(child) is str else text_of(child)
        if text is not None:
            self.texts[name, text] = self.texts.get((name, text), 0) + 1
            write = self.document.text if isinstance(child, str) else self.document.number
            write(name, text)
        elif child is None or isinstance(child, bool):
            self.document.constant()
        elif not isinstance(child, int | float):
            raise self._refused("is no JSON value", child)
        else:
            digits = short_of(child)
            self.short[name, digits] = self.short.get((name, digits), 0) + 1
            self.document.number(name, digits)

    def _enter(self, container: Any, name: str) -> bool:
        """Begin a container; whether it was not read before."""
        if id(container) in self._ancestors:
            raise self._refused("contains itself", container)
        isdict = isinstance(container, dict)
        name = self._inherited(container, name)
        if self._is_read(container, name):
            self.document.constant()
            return False
        self.document.open("{" if isdict else "[")
        children = list(container.items() if isdict else enumerate(container))
        visit = Visit(container, name, children, stated(container) if isdict else "")
        if isdict:
            self._keys(visit)
        self._ancestors.add(id(container))
        self._open.append((visit, iter(visit.children)))
        self._way.append(None)
        return True

    def _is_read(self, container: Any, name: str) -> bool:
        names = self._names.setdefault(id(container), {})
        if name in names:
            return True
        like = name
        if len(names) >= _NAMES:
            like = self._alike.setdefault((id(container), self._spoken_by(name)), name)
        names[name] = like
        return like != name

    def _keys(self, visit: Visit) -> None:
        keys = self.keys
        for key, _ in visit.children:
            text = key if type(key) is str else text_of(key)
            if text is not None:
                keys[text] = keys.get(text, 0) + 1
            elif not (key is None or isinstance(key, bool | int | float)):
                raise self._refused("has a key that is no JSON key", key)

    def _leave(self, visit: Visit) -> None:
        self.visits.append(visit)
        self.document.close("}" if isinstance(visit.container, dict) else "]")
        self._ancestors.discard(id(visit.container))
        self._open.pop()
        self._way.pop()

    def _refused(self, why: str, got: object) -> ArgumentError:
        """Says where, with the keys masked, and never what: it may be what must not be seen."""
        way = self._way[:20]
        names = ["", *(str.__str__(step)[-LONGEST_NAME:] if isinstance(step, str) else "" for step in way)]
        # Masked before they are written out and cut, which would hide from the rules what people can still read.
        # It is no part of what comes out, so it counts for nothing.
        masked = self._mask(
            [(name, text_of(step) or "") for name, step in zip(names, way, strict=False)], [0] * len(way), {}
        )
        steps = [step if text_of(step) is None else new for step, new in zip(way, masked, strict=True)]
        place = "value" + "".join(f"[{_shown(step)}]" for step in steps) + "[…]" * (len(self._way) > 20)
        return ArgumentError(f"{place} {why}: {type(got).__name__}", name=place, got=type(got))


def _shown(step: Any) -> str:
    """A key in the place of an error. What is too long is cut between words: a part of a number shows it as well."""
    shown = repr(step)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN].rpartition(' ')[0]}…"


class _Masks:
    """What stands in the place of each value, known from the leaves up."""

    def __init__(self, texts: dict[Named, str], short: dict[Named, str], read_under: Callable[[Any, str], str]) -> None:
        # Only texts in which something was found.
        self._texts = texts
        self._short = short
        self._read_under = read_under
        self._containers: dict[tuple[int, str], Any] = {}

    def of(self, value: Any, name: str) -> Any:
        """The masked value: the same object where nothing was found."""
        if isinstance(value, _CONTAINERS):
            return self._containers[id(value), self._read_under(value, name)]
        text = text_of(value)
        if text is not None:
            return self._texts.get((name, text), value)
        number = self._short and isinstance(value, int | float) and not isinstance(value, bool)
        return self._short.get((name, short_of(value)), value) if number else value

    def rebuild(self, visit: Visit) -> None:
        """Put a container together from its masked children."""
        values = [self.of(child, name_below(visit, key)) for key, child in visit.children]
        keys = [key for key, _ in visit.children]
        if isinstance(visit.container, dict):
            keys = [self.of(key, "") for key in keys]
        same = all(new is old for new, (_, old) in zip(values, visit.children, strict=True)) and all(
            new is old for new, (old, _) in zip(keys, visit.children, strict=True)
        )
        self._containers[id(visit.container), visit.name] = (
            visit.container if same else _made(visit.container, keys, values, visit.children)
        )


def _made(container: Any, keys: list[Any], values: list[Any], children: list[tuple[Any, Any]]) -> Any:
    if isinstance(container, tuple):
        return tuple(values)
    if isinstance(container, list):
        return values
    changed = [new is not old for new, (old, _) in zip(keys, children, strict=True)]
    return dict(zip(_numbered(keys, changed), values, strict=True))


def _numbered(keys: list[Any], changed: Iterable[bool]) -> Iterator[Any]:
    """Keys of one object, which stay apart: a second `[EMAIL]` becomes `[EMAIL] 2`. Those not masked keep theirs."""
    marked = list(zip(keys, changed, strict=True))
    taken = {key for key, new in marked if not new}
    next_number: dict[str, int] = {}
    for key, new in marked:
        if not new:
            yield key
            continue
        number = next_number.get(key, 1)
        while (name := key if number == 1 else f"{key} {number}") in taken:
            number += 1
        next_number[key] = number + 1
        taken.add(name)
        yield name
