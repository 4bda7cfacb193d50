"""Statistics and secrets as links write them.

``mean:age,count:sex:Female`` are two statistics; ``income:>50K``, ``job:clerk:cook`` (one of two
values), ``age:~above:30`` and ``age:~between:30:39`` are secrets.

In names ``~`` is written ``~0``, ``:`` is ``~1`` and ``,`` is ``~2``, so ``~`` before a letter is
never part of a name: it begins a word of the form. A label that is no text is ``!`` and JSON
(``late:!1``), and a text that begins with ``!`` or a backslash gets a backslash before it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from distpriv.errors import DistprivError
from distpriv.queries import Label, SensitiveProperty, Statistic

__all__ = ["read_secret", "read_statistics", "write_secret", "write_statistics"]

_ESCAPES = {"~": "~0", ":": "~1", ",": "~2"}  # ~ first when writing, last when reading
_WORDS = ("above", "below", "between")


def _escape(text: str) -> str:
    for sign, escape in _ESCAPES.items():
        text = text.replace(sign, escape)
    return text


def _unescape(text: str) -> str:
    for sign, escape in reversed(_ESCAPES.items()):
        text = text.replace(escape, sign)
    return text


def _write_label(label: Label) -> str:
    if not isinstance(label, str):
        return _escape("!" + json.dumps(label))
    return _escape("\\" + label if label[:1] in ("!", "\\") else label)


def _read_label(text: str) -> Label:
    text = _unescape(text)
    if text[:1] != "!":
        return text[1:] if text[:1] == "\\" else text
    try:
        label = json.loads(text[1:])
    except ValueError:
        label = None
    if not isinstance(label, str | bool | int | float):
        raise DistprivError(f"{text!r} in the link is no value; choose the value anew.")
    return label


def write_statistics(statistics: Iterable[Statistic]) -> str:
    """Write statistics as a link has them."""
    parts = []
    for one in statistics:
        value = () if one.value is None else (_write_label(one.value),)
        parts.append(":".join((one.kind, _escape(one.column), *value)))
    return ",".join(parts)


def read_statistics(text: str) -> tuple[Statistic, ...]:
    """Read statistics from a link; DistprivError if one of them is none."""
    statistics = []
    for part in filter(None, text.split(",")):
        kind, *names = part.split(":")
        if len(names) not in (1, 2):
            raise DistprivError(f"{part!r} in the link is no figure; choose the figures anew.")
        value = map(_read_label, names[1:])
        statistics.append(Statistic(kind, _unescape(names[0]), *value))
    return tuple(statistics)


def write_secret(secret: SensitiveProperty) -> str:
    """Write a secret as a link has it."""
    column = _escape(secret.column)
    if secret.values:
        return ":".join((column, *map(_write_label, secret.values)))
    word = next(word for word in _WORDS if getattr(secret, word) is not None)
    threshold = getattr(secret, word)
    numbers = threshold if word == "between" else (threshold,)
    return ":".join((column, f"~{word}", *(json.dumps(number) for number in numbers)))


def read_secret(text: str) -> SensitiveProperty:
    """Read a secret from a link; DistprivError if it is none."""
    column, *parts = text.split(":")
    if parts and parts[0].startswith("~") and parts[0][1:] in _WORDS:
        return _in_range(_unescape(column), parts[0][1:], parts[1:])
    if not parts:
        raise DistprivError(f"{text!r} in the link names no value; choose the secret anew.")
    return SensitiveProperty(_unescape(column), tuple(map(_read_label, parts)))


def _in_range(column: str, word: str, texts: list[str]) -> SensitiveProperty:
    """Read a threshold, or two."""
    try:
        numbers = tuple(map(float, texts))
    except ValueError:
        numbers = ()
    if len(numbers) != 1 + (word == "between"):
        parts = ":".join((f"~{word}", *texts))
        raise DistprivError(f"{parts!r} in the link is no range; choose the secret anew.")
    values: dict[str, Any] = {word: numbers if word == "between" else numbers[0]}
    return SensitiveProperty(column, **values)
