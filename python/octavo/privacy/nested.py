"""JSON values: keys and values at any depth, without recursion, and still JSON afterwards."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, Final, NamedTuple, TypeAlias

from octavo.errors import ArgumentError

__all__ = ["PROBES", "MaskTexts", "Named", "SpokenBy", "masked_json"]

Named: TypeAlias = tuple[str, str]
"""A text and, before it, the key that it stands under: `("password", "…")`; an empty name where there is none."""

MaskTexts: TypeAlias = Callable[[list[Named], list[int]], list[str]]
"""Masks texts, each in the light of its name; the second list says how often each stands in the value."""

SpokenBy: TypeAlias = Callable[[str], Hashable]
"""What a name says about values under it: names that say the same are equal here."""

_LEAST: Final = 10**8
"""Numbers of fewer than nine digits are nobody's: the shortest that is looked for is a phone number."""

_MOST: Final = 10**30
"""Numbers from here on are longer than any; Python would need quadratic time to write out the largest."""

_EXACT: Final = 2.0**63
"""Floats from here on are not written as whole numbers: their last digits are nobody's."""

_LONGEST_NAME: Final = 64
"""Characters at the end of a masked key that say something about its value: twice what context is looked for in."""

_NUMBER: Final = re.compile(r"\] [0-9]+\Z")
"""The number of a key that was equal to another when it was masked."""

_OPTION: Final = re.compile(r"--?[A-Za-z][A-Za-z0-9_-]{2,39}")
"""An option of a command, which says what the argument after it is."""

_CONTAINERS: Final = (dict, list, tuple)

_VALUES: Final = ("value", "Value", "answer")
_STATED: Final = ("name", "Name", "key", "Key", "label", "question")
"""An object of one of each is a pair: what the first holds stands under what the second says. So write Kubernetes and
ECS their environments, HAR its headers, and forms their fields."""

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


def masked_json(value: Any, mask: MaskTexts, spoken_by: SpokenBy, name: str = "") -> Any:
    """The value with its keys, texts and numbers masked; unchanged parts are the same objects.

    Args:
        value: dicts, lists, tuples, texts, numbers, booleans and `None`, nested to any depth.
        mask: masks many texts at once.
        spoken_by: what a name says, asked where one list stands under many names.
        name: what the value stands under, where that is not in it.

    Raises:
        ArgumentError: something else stands in it, or it contains itself.
    """
    reading = _Reading(mask, spoken_by)
    reading.read(value, name)
    masked = _masked_texts(reading, mask)
    if not masked:
        return value
    masks = _Masks(masked, reading.read_under)
    for visit in reading.visits:
        masks.rebuild(visit)
    return masks.of(value, name)


def _masked_texts(reading: _Reading, mask: MaskTexts) -> dict[Named, str]:
    """Every text in which something was found, with what it becomes."""
    # A key and a text alone are masked alike, so a text that is a key somewhere is masked with it.
    keys: list[Named] = [("", key) for key in reading.keys]
    masked = mask(
        keys, [times + reading.texts.get(named, 0) for named, times in zip(keys, reading.keys.values(), strict=True)]
    )
    names = {key: _spoken(new) for (_, key), new in zip(keys, masked, strict=True)}
    others = [named for named in reading.texts if named[0] or named[1] not in reading.keys]
    spoken = [(names.get(name, name), text) for name, text in others]
    masked += mask(spoken, [reading.texts[named] for named in others])
    # Compared as objects: what is left alone comes back as it was given.
    return {named: new for named, new in zip([*keys, *others], masked, strict=True) if new is not named[1]}


def _spoken(key: str) -> str:
    """What a masked key says about its value: the same when it is masked again, and numbered by then."""
    return _NUMBER.sub("]", key)[-_LONGEST_NAME:]


class _Visit(NamedTuple):
    """A container as it was when it was read, so that nobody can put something into it that is not looked at."""

    container: Any
    name: str
    children: list[tuple[Any, Any]]
    """Key and value; in lists the position stands for the key."""
    stated: str
    """Of a pair, what its value is called."""


class _Reading:
    """One walk through a value, with a stack of its own: depth costs memory, not Python's stack."""

    def __init__(self, mask: MaskTexts, spoken_by: SpokenBy) -> None:
        self.visits: list[_Visit] = []
        """Children before parents. What is shared is visited once a name, whatever it would make written out."""
        self.keys: dict[str, int] = {}
        """How often each stands there."""
        self.texts: dict[Named, int] = {}
        """Values, each with the key that it stands under as it was given, and how often."""
        self._mask = mask
        self._spoken_by = spoken_by
        self._open: list[tuple[_Visit, Iterator[tuple[Any, Any]]]] = []
        self._way: list[Any] = []
        # By identity: every container stays alive in its visit.
        self._names: dict[int, dict[str, str]] = {}
        self._alike: dict[tuple[int, Hashable], str] = {}
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
                if isinstance(child, _CONTAINERS):
                    if self._enter(child, _name_below(visit, key)):
                        break
                elif child is not None:
                    self._leaf(child, _name_below(visit, key))
            else:
                self._leave(visit)

    def read_under(self, container: Any, name: str) -> str:
        """The name that a container under this one is read under: none where it says nothing about what is inside."""
        return "" if isinstance(container, dict) else self._names[id(container)][name]

    def _leaf(self, child: Any, name: str) -> None:
        text = child if type(child) is str else _text_of(child)
        if text is not None:
            self.texts[name, text] = self.texts.get((name, text), 0) + 1
        elif not (child is None or isinstance(child, bool | int | float)):
            raise self._refused("is no JSON value", child)

    def _enter(self, container: Any, name: str) -> bool:
        """Begin a container; whether it was not read before."""
        if id(container) in self._ancestors:
            raise self._refused("contains itself", container)
        isdict = isinstance(container, dict)
        if self._is_read(container, "" if isdict else name):
            return False
        children = list(container.items() if isdict else enumerate(container))
        visit = _Visit(container, "" if isdict else name, children, _stated(container) if isdict else "")
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

    def _keys(self, visit: _Visit) -> None:
        keys = self.keys
        for key, _ in visit.children:
            text = key if type(key) is str else _text_of(key)
            if text is not None:
                keys[text] = keys.get(text, 0) + 1
            elif not (key is None or isinstance(key, bool | int | float)):
                raise self._refused("has a key that is no JSON key", key)

    def _leave(self, visit: _Visit) -> None:
        self.visits.append(visit)
        self._ancestors.discard(id(visit.container))
        self._open.pop()
        self._way.pop()

    def _refused(self, why: str, got: object) -> ArgumentError:
        """Says where, with the keys masked, and never what: it may be what must not be seen."""
        way = self._way[:20]
        names = ["", *(str.__str__(step)[-_LONGEST_NAME:] if isinstance(step, str) else "" for step in way)]
        # Masked before they are written out and cut, which would hide from the rules what people can still read.
        # It is no part of what comes out, so it counts for nothing.
        masked = self._mask(
            [(name, _text_of(step) or "") for name, step in zip(names, way, strict=False)], [0] * len(way)
        )
        steps = [step if _text_of(step) is None else new for step, new in zip(way, masked, strict=True)]
        place = "value" + "".join(f"[{step!r:.80}]" for step in steps) + "[…]" * (len(self._way) > 20)
        return ArgumentError(f"{place} {why}: {type(got).__name__}", name=place, got=type(got))


def _name_below(visit: _Visit, key: Any) -> str:
    """The name of a value: its key, or for the items of a list the key that the list stands under.

    In a list of arguments the one before names it: `["--password", "…"]`.
    """
    if not isinstance(visit.container, dict):
        option = visit.children[key - 1][1] if key else None
        return option if type(option) is str and _OPTION.fullmatch(option) else visit.name
    if visit.stated and key in _VALUES:
        return visit.stated
    return key if type(key) is str else str.__str__(key) if isinstance(key, str) else ""


def _stated(container: dict[Any, Any]) -> str:
    """What the value of a pair is called; nothing where the object is no pair."""
    if not any(key in container for key in _VALUES):
        return ""
    texts = (dict.get(container, key) for key in _STATED)
    return next((text[-_LONGEST_NAME:] for text in texts if type(text) is str), "")


def _text_of(value: Any) -> str | None:
    """The text in which something may be found: of numbers the digits; `None` where nothing can be."""
    if isinstance(value, str):
        # The characters alone: a class of the caller's may compare them otherwise.
        return str.__str__(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float):
        return str(int(value)) if _LEAST <= abs(value) < _EXACT and value.is_integer() else None
    return int.__repr__(value) if _LEAST <= abs(value) < _MOST else None


class _Masks:
    """What stands in the place of each value, known from the leaves up."""

    def __init__(self, texts: dict[Named, str], read_under: Callable[[Any, str], str]) -> None:
        # Only texts in which something was found.
        self._texts = texts
        self._read_under = read_under
        self._containers: dict[tuple[int, str], Any] = {}

    def of(self, value: Any, name: str) -> Any:
        """The masked value: the same object where nothing was found."""
        if isinstance(value, _CONTAINERS):
            return self._containers[id(value), self._read_under(value, name)]
        text = _text_of(value)
        return value if text is None else self._texts.get((name, text), value)

    def rebuild(self, visit: _Visit) -> None:
        """Put a container together from its masked children."""
        values = [self.of(child, _name_below(visit, key)) for key, child in visit.children]
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
