"""Statistics and secrets as links write them.

``mean:age,count:sex:Female`` are two statistics, ``quantile:pay:0.9`` and ``correlation:age:pay``
two more; ``income:>50K``, ``job:clerk:cook`` (one of two values), ``age:~above:30``,
``hired:~between:2010-01-01:2012-06-30`` and ``drinks:~contains:Coffee`` are secrets.

In names ``~`` is written ``~0``, ``:`` is ``~1`` and ``,`` is ``~2``, so ``~`` before a letter is
never part of a name: it begins a word of the form. A label that is no text is ``!`` and JSON
(``late:!1``), and a text that begins with ``!`` or a backslash gets a backslash before it. Public
bounds of columns are ``age:17:90,pay:0:1e6``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from distpriv.errors import DistprivError
from distpriv.privacy.persons import Bound, as_bounds
from distpriv.queries import Label, SensitiveProperty, Statistic
from distpriv.queries.statistics import NEEDS, PARAMETERS

__all__ = ["read_bounds", "read_secret", "read_statistics"]
__all__ += ["write_bounds", "write_secret", "write_statistics"]

MOST_FIGURES = 200  # of a link, so that nobody else's keeps the server busy for minutes
_ESCAPES = {"~": "~0", ":": "~1", ",": "~2"}  # ~ first when writing, last when reading
_WORDS = {"above": 1, "below": 1, "between": 2, "contains": 1}  # words of secrets, and their parts


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
    label = None
    with suppress(ValueError):
        label = json.loads(text[1:])
    if not isinstance(label, str | bool | int | float):
        raise DistprivError(f"{text!r} in the link is not a value; choose the value again.")
    return label


def write_statistics(statistics: Iterable[Statistic]) -> str:
    """Write statistics as a link has them."""
    parts = []
    for one in statistics:
        words = [one.kind, *map(_escape, one.columns)]
        words += [] if one.value is None else [_write_label(one.value)]
        words += [] if one.parameter is None else [json.dumps(one.parameter)]
        parts.append(":".join(words))
    return ",".join(parts)


def read_statistics(text: str) -> tuple[Statistic, ...]:
    """Read statistics from a link; DistprivError if one of them is none."""
    statistics, parts = [], [*filter(None, text.split(","))]
    if len(parts) > MOST_FIGURES:
        raise DistprivError(f"A link holds at most {MOST_FIGURES} figures; choose them again.")
    for part in parts:
        kind, *names = part.split(":")
        if len(names) not in (1, 2):
            raise DistprivError(f"{part!r} in the link is not a figure; choose the figures again.")
        column, *more = names
        statistics.append(Statistic(kind, _unescape(column), **_read_more(kind, more)))
    return tuple(statistics)


def _read_more(kind: str, texts: list[str]) -> dict[str, Any]:
    """Read the second part of a statistic, if it has one: a column, a number or a label."""
    if not texts:
        return {}
    name = NEEDS.get(kind, "value")
    if name not in PARAMETERS:
        return {name: (_unescape if name == "other" else _read_label)(texts[0])}
    try:
        return {name: float(texts[0])}
    except ValueError:
        raise DistprivError(
            f"{texts[0]!r} in the link is no {name} of a {kind}; choose the figures again."
        ) from None


def write_secret(secret: SensitiveProperty) -> str:
    """Write a secret as a link has it."""
    column = _escape(secret.column)
    if secret.values:
        return ":".join((column, *map(_write_label, secret.values)))
    word = next(word for word in _WORDS if getattr(secret, word) not in (None, ""))
    one: Any = getattr(secret, word)
    ends = one if isinstance(one, tuple) else (one,)
    parts = (_escape(end) if isinstance(end, str) else json.dumps(end) for end in ends)
    return ":".join((column, f"~{word}", *parts))


def read_secret(text: str) -> SensitiveProperty:
    """Read a secret from a link; DistprivError if it is none."""
    name, *parts = text.split(":")
    column, word = _unescape(name), parts[0][1:] if parts and parts[0][:1] == "~" else ""
    if word not in _WORDS:
        if not parts:
            raise DistprivError(f"{text!r} in the link names no value; choose the secret again.")
        return SensitiveProperty(column, tuple(map(_read_label, parts)))
    ends: list[Any] = [*map(_unescape, parts[1:])]
    if len(ends) != _WORDS[word]:
        raise DistprivError(
            f"{':'.join(parts)!r} in the link is not a range; choose the secret again."
        )
    if word != "contains":
        with suppress(ValueError):  # dates stay as they are
            ends = [*map(float, ends)]
    one: Any = tuple(ends) if word == "between" else ends[0]
    return SensitiveProperty(column, **{word: one})


def write_bounds(bounds: Iterable[Bound]) -> str:
    """Write public bounds of columns as a link has them."""
    return ",".join(f"{_escape(column)}:{low!r}:{high!r}" for column, low, high in bounds)


def read_bounds(text: str) -> tuple[Bound, ...]:
    """Read public bounds from a link; DistprivError if a part is none."""
    parts = [part.split(":") for part in text.split(",") if part]
    try:
        return as_bounds([(_unescape(name), float(low), float(high)) for name, low, high in parts])
    except DistprivError:
        raise
    except ValueError:
        raise DistprivError(f"{text!r} in the link are not bounds; choose them again.") from None
