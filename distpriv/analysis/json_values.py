"""Numbers, secrets, statistics and pairs of shares in JSON, written and read.

A reader takes what `json.loads` gave and returns the value, or raises: a DistprivError that says
what is wrong, or one of the plain errors in :data:`WRONG`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields
from typing import Any

from distpriv import queries
from distpriv.arguments import is_unicode
from distpriv.errors import DistprivError, ScenarioError
from distpriv.queries.properties import Pair, SensitiveProperty
from distpriv.queries.statistics import Statistic
from distpriv.words import exact

__all__ = [
    "ANY",
    "LONGEST",
    "WRONG",
    "Reader",
    "among",
    "entry_in",
    "number",
    "of",
    "pair_in",
    "pair_out",
    "parsed",
    "property_in",
    "property_out",
    "scalar",
    "statistic_in",
    "statistic_out",
    "text_of",
    "tuple_of",
    "whole",
]

Reader = Callable[[Any], Any]

LONGEST = 2_000_000
"""Characters that any file of choices has at most; a full workspace of a wide table has a
twentieth of that."""

_LONGEST_TEXT = 10_000  # of a name or a value
_MOST_VALUES = 10_000  # of a property

WRONG = (TypeError, ValueError, KeyError, AttributeError, OverflowError)
"""What a reader raises of a value outside its domain."""


def parsed(text: str | bytes, what: str = "file", longest: int = LONGEST) -> Any:
    """What a JSON text says.

    Parameters
    ----------
    text : str or bytes
    what : str
        What it is, for the error.
    longest : int
        Characters or bytes that are read at most.

    Raises
    ------
    ScenarioError
        If it is longer, no JSON, or holds half a character (a lone surrogate), which can neither
        be sent nor kept.
    """
    if len(text) > longest:
        raise ScenarioError(
            f"The {what} has {exact(len(text))} characters, more than the {exact(longest)} that "
            "one may have; save it again where it was made."
        )
    try:
        value = json.loads(text)
        whole = is_unicode(value)
    except (ValueError, RecursionError):
        raise ScenarioError(
            f"The {what} is damaged: it is no JSON text; save it again where it was made."
        ) from None
    if not whole:
        raise ScenarioError(
            f"The {what} is damaged: a name in it holds half a character; save it again where it "
            "was made."
        )
    return value


def entry_in(readers: Mapping[str, Reader], name: str, value: Any, of_what: str) -> Any:
    """Read a field by its reader; raises ScenarioError, which names the field and what it is of."""
    try:
        return readers[name](value)
    except DistprivError as error:
        raise ScenarioError(f"The {of_what}'s field {name!r} is wrong: {error}") from None
    except WRONG:
        raise ScenarioError(
            f"The {of_what}'s field {name!r} has a value outside its domain: {value!r:.80}."
        ) from None


def number(low: float, high: float) -> Callable[[Any], float]:
    """A reader of finite numbers from `low` to `high`; True and False are none."""

    def read(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError
        if not (math.isfinite(value) and low <= value <= high):
            raise ValueError
        return float(value)

    return read


def whole(low: int, high: int) -> Callable[[Any], int]:
    """A reader of whole numbers from `low` to `high`; 1.0 is none."""

    def read(value: Any) -> int:
        if type(value) is not int or not low <= value <= high:
            raise ValueError
        return value

    return read


def of(kind: type) -> Callable[[Any], Any]:
    """A reader of values of one type and no other."""

    def read(value: Any) -> Any:
        if type(value) is not kind:
            raise TypeError
        return value

    return read


def among(options: Collection[str]) -> Callable[[Any], Any]:
    """A reader of one of some words."""

    def read(value: Any) -> Any:
        if not isinstance(value, str) or value not in options:
            raise ScenarioError(f"it must be one of {', '.join(options)}, got {value!r:.80}.")
        return value

    return read


def text_of(longest: int = _LONGEST_TEXT) -> Callable[[Any], str]:
    """A reader of texts of at most so many characters."""

    def read(value: Any) -> str:
        if type(value) is not str:
            raise TypeError
        if len(value) > longest:
            raise ScenarioError(
                f"a text in it has {exact(len(value))} characters, more than {exact(longest)}."
            )
        return value

    return read


def tuple_of(
    read: Callable[[Any], Any], length: int | None = None, most: int | None = None
) -> Callable[[Any], Any]:
    """A reader of lists, of one length or at most so long if given, whose items `read` reads."""

    def read_all(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list) or length not in (None, len(value)):
            raise TypeError
        if most is not None and len(value) > most:
            raise ScenarioError(f"it has {exact(len(value))} entries, more than {exact(most)}.")
        return tuple(map(read, value))

    return read_all


ANY = number(-math.inf, math.inf)


def property_out(secret: SensitiveProperty) -> dict[str, object]:
    """A property: ``column`` and one of ``values``, ``above``, ``below``, ``between``."""
    packed: dict[str, object] = {"column": secret.column}
    if secret.values:
        packed["values"] = list(secret.values)
    elif secret.closed:
        packed["between"] = [secret.low, secret.high]
    elif secret.high == math.inf:
        packed["above"] = secret.low
    else:
        packed["below"] = secret.high
    return packed


def property_in(value: Any) -> SensitiveProperty:
    """Read a property."""
    column = text_of()(value["column"])
    rest = {key: item for key, item in value.items() if key != "column"}
    ((key, given),) = rest.items()
    if key == "values":
        return SensitiveProperty(column, values=tuple_of(scalar, most=_MOST_VALUES)(given))
    if key == "between":
        return SensitiveProperty(column, between=tuple_of(ANY, 2)(given))
    if key == "above":
        return SensitiveProperty(column, above=ANY(given))
    if key == "below":
        return SensitiveProperty(column, below=ANY(given))
    raise KeyError(key)


def scalar(value: Any) -> str | float | bool:
    """Read a text, a number or a truth value."""
    if isinstance(value, str):
        return text_of()(value)
    if not isinstance(value, int | float):
        raise TypeError
    if not math.isfinite(value):
        raise ValueError
    return value


def statistic_out(statistic: Statistic) -> dict[str, object]:
    """A statistic: its ``kind`` and its own fields."""
    own = {field.name: getattr(statistic, field.name) for field in fields(statistic)}
    return {"kind": type(statistic).__name__, **own}


def statistic_in(value: Any) -> Statistic:
    """Read a statistic."""
    kinds = {kind.__name__: kind for kind in map(queries.get, queries.names())}
    kind = kinds[among(kinds)(value["kind"])]
    given = {name: scalar(item) for name, item in value.items() if name != "kind"}
    others = {parameter.name for parameter in kind.parameters if parameter.domain == "column"}
    for name in {"column", *others} & set(given):
        text_of()(given[name])
    return kind(**given)  # type: ignore[arg-type]


def pair_out(pair: Pair) -> dict[str, object]:
    """A pair of shares: ``property``, ``p_i`` and ``p_j``."""
    return {"property": property_out(pair.secret), "p_i": pair.p_i, "p_j": pair.p_j}


def pair_in(value: Any) -> Pair:
    """Read a pair of shares."""
    share = number(0, 1)
    return Pair(property_in(value["property"]), share(value["p_i"]), share(value["p_j"]))
