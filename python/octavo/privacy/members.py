"""What the values of a JSON value are called: by their keys, by the pair that they stand in, by what is around them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

__all__ = ["LONGEST_NAME", "Visit", "inherits", "name_below", "stated"]

LONGEST_NAME: Final = 64
"""Characters at the end of a masked key that say something about its value: twice what context is looked for in."""

_OPTION: Final = re.compile(r"--?[A-Za-z][A-Za-z0-9_-]{2,39}")
"""An option of a command, which says what the argument after it is."""

_PAIRS: Final = (
    (
        ("value", "Value", "answer", "v", "ParameterValue"),
        (
            *("name", "Name", "key", "Key", "label", "question", "variable", "field", "property", "param"),
            *("parameter", "k", "header", "title", "ParameterKey", "type"),
        ),
    ),
    (("content", "data"), ("title", "field", "label", "question")),
)
"""An object of one of each is a pair: what the first holds stands under what the second says. So write Kubernetes and
ECS their environments, HAR its headers, CloudFormation its parameters, and forms their fields."""

_TYPES: Final = ("password", "secret")
"""Types that say more of a value than the name beside them: `{"name": "field1", "type": "password", "value": …}`."""

_NUMBERS: Final = frozenset({"number", "no", "num", "nr", "번호"})
"""Keys that say no more than that a number stands there: which one, the key around says."""

_SAYING_NOTHING: Final = frozenset({"value", "val", "text", "content", "data", "raw", "plain", "plaintext", "string"})
"""Keys that say nothing: the value is what the key around says. So are positions, `{"rrn": {"0": …}}`."""

_SECRETS: Final = re.compile(
    r"(?:secret|credential|api[_-]?key|access[_-]?key)s|(?:secret|string)[_-]?data", re.IGNORECASE
)
"""Names of what holds secrets by the names of what they open: `{"secrets": {"db": …}}`."""

_NO_SECRETS: Final = re.compile(
    r".*(?:id|name|user|type|host|port|url|uri|email|region|endpoint|path|file|at|date|version|status|scope|hint|label)s?",
    re.IGNORECASE,
)
"""Keys in them that stand for no secret: who logs in, where, and since when."""


class Visit(NamedTuple):
    """A container as it was when it was read, so that nobody can put something into it that is not looked at."""

    container: Any
    name: str
    children: list[tuple[Any, Any]]
    """Key and value; in lists the position stands for the key."""
    stated: str
    """Of a pair, what its value is called."""


def name_below(visit: Visit, key: Any) -> str:
    """The name of a value: its key, or for the items of a list the key that the list stands under.

    In a list of arguments the one before names it: `["--password", "…"]`.
    """
    if not isinstance(visit.container, dict):
        option = visit.children[key - 1][1] if key else None
        return option if type(option) is str and _OPTION.fullmatch(option) else visit.name
    own = key if type(key) is str else str.__str__(key) if isinstance(key, str) else ""
    if visit.stated and own in _values(visit.container):
        return visit.stated
    return _with_outer(own, visit.name) if visit.name else own


def _with_outer(own: str, outer: str) -> str:
    if _is_position(own) or own in _SAYING_NOTHING:
        return _one_of(outer)
    if own in _NUMBERS:
        return f"{_one_of(outer)} {own}"
    if _SECRETS.fullmatch(outer) and not _NO_SECRETS.fullmatch(own):
        return f"{own}_secret"
    return own


def _one_of(name: str) -> str:
    """`phones` are many of a phone."""
    return name[:-1] if len(name) > 3 and name.endswith("s") and not name.endswith("ss") else name


def inherits(container: dict[Any, Any], name: str) -> bool:
    """Whether what an object stands under says what is in it."""
    return bool(name) and (_SECRETS.fullmatch(name) is not None or any(map(_says_nothing, container)))


def _says_nothing(key: object) -> bool:
    if type(key) is not str:
        return True
    return key in _SAYING_NOTHING or key in _NUMBERS or _is_position(key)


def _is_position(key: str) -> bool:
    return len(key) < 9 and (not key or (key.isascii() and key.isdigit()))


def stated(container: dict[Any, Any]) -> str:
    """What the value of a pair is called; nothing where the object is no pair."""
    names = next((names for values, names in _PAIRS if any(key in container for key in values)), ())
    texts = [text[-LONGEST_NAME:] for text in _texts(container, names)]
    kind = dict.get(container, "type") if texts else None
    return kind if type(kind) is str and kind in _TYPES else next(iter(texts), "")


def _texts(container: dict[Any, Any], keys: Iterable[str]) -> list[str]:
    return [text for text in (dict.get(container, key) for key in keys) if type(text) is str]


def _values(container: dict[Any, Any]) -> Iterable[str]:
    return next((values for values, _ in _PAIRS if any(key in container for key in values)), ())
