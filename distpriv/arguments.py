"""Arguments are what the signature says they are, or the error says which is not.

A public function or class is marked with the error of its subject, and its annotations are the
rule::

    @checked(CalibrationError)
    def promised(epsilon: Annotated[float, Within(0, 1)], names: Sequence[str]) -> Noise: ...

Where a domain depends on other arguments the body checks it; an annotation of a form that is not
read here allows anything. Libraries that check types were tried: they take True and "1" for numbers
(pydantic), look at one entry of a list (beartype), make no array of a list, and cost 0.1 to 0.3 s
to import.
"""

from __future__ import annotations

import json
import math
import os
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, wraps
from inspect import signature
from numbers import Integral, Real
from typing import IO, Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from distpriv.errors import DistprivError

__all__ = ["MODERATE", "POSITIVE", "Axes", "Unread", "Within", "checked", "is_unicode"]

_Marked = TypeVar("_Marked", bound=Callable[..., Any])
# What is wanted, in words; and what gives a value as the function is to have it, or _NOT.
_Rule = tuple[str, Callable[[Any, str], Any]]
_NOT: Any = object()
_LARGEST = 1 << 128  # of a whole number: the entropy of a seed


def is_unicode(value: object) -> bool:
    """Return whether no text in what JSON holds has half of a pair of surrogates.

    JSON and Python can write one; no browser takes it and no database.
    """
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


@dataclass(frozen=True)
class Within:
    """Domain of a number, or of all numbers of an array; its ends belong to it, NaN never does."""

    low: float = -math.inf
    high: float = math.inf

    @property
    def wanted(self) -> str:
        """In words, behind the kind of number."""
        ends = [f", at least {self.low:g}"] * (self.low > -math.inf)
        return "".join(ends + [f", at most {self.high:g}"] * (self.high < math.inf))

    def __contains__(self, value: Any) -> bool:
        return bool(np.all((self.low <= np.asarray(value)) & (np.asarray(value) <= self.high)))


@dataclass(frozen=True)
class Axes:
    """How many axes an array has, and that it is not empty: ``Annotated[ArrayLike, Axes(1)]``."""

    count: int

    @property
    def wanted(self) -> str:
        """In words, behind the kind of array."""
        return f" along {self.count} {'axis' if self.count == 1 else 'axes'}"

    def __contains__(self, value: Any) -> bool:
        return np.ndim(value) == self.count and np.size(value) > 0


class Unread:
    """For ``Annotated[ArrayLike, Unread]``: the body reads it, and has the better sentence."""


# Where squares and products of a few numbers neither overflow nor vanish.
MODERATE = Within(-1e50, 1e50)
POSITIVE = Within(1e-50, 1e50)


class _ArrayLike:
    """Stands for NumPy's ``ArrayLike``, which other unions dissolve."""


class _Refused(Exception):  # noqa: N818 - never leaves this module
    """What was wanted, what is there, and where."""


def checked(error: type[DistprivError]) -> Callable[[_Marked], _Marked]:
    """Refuse arguments of a function, or of a class's constructor, that its annotations exclude.

    Lists stand for arrays and are made arrays; a text is no list of texts, and neither True nor
    False is a number. Which numbers, which texts: that is up to the function, but for `Within`.

    Parameters
    ----------
    error : type of DistprivError
        What is raised, with the function, the parameter, what it must be, and what it is.
    """

    def mark(marked: _Marked) -> _Marked:
        if isinstance(marked, type):
            marked.__init__ = _guarded(marked.__init__, marked.__name__, error)  # type: ignore[misc]
            return marked
        return _guarded(marked, marked.__name__, error)  # type: ignore[return-value]

    return mark


def _guarded(
    function: Callable[..., Any], name: str, error: type[DistprivError]
) -> Callable[..., Any]:
    parameters = signature(function).parameters
    in_order = [each.name for each in parameters.values() if each.kind is not each.KEYWORD_ONLY]

    @cache
    def rules() -> dict[str, _Rule]:
        # At the first call: annotations may name what is defined further down.
        hints = get_type_hints(function, None, {"ArrayLike": _ArrayLike}, include_extras=True)
        return {parameter: _rule(hints.get(parameter, Any)) for parameter in parameters}

    @wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        rule, placed = rules(), list(args)
        try:
            for k, parameter in enumerate(in_order[: len(placed)]):
                placed[k] = _take(rule[parameter], placed[k], parameter)
            for parameter, value in kwargs.items():
                if parameter in rule:  # of any other Python says so
                    kwargs[parameter] = _take(rule[parameter], value, parameter)
        except _Refused as refused:
            wanted, value, where = refused.args
            raise error(f"In {name}, {where} must be {wanted}, got {_shown(value)}.") from None
        return function(*placed, **kwargs)

    return guarded


def _take(rule: _Rule, value: Any, where: str) -> Any:
    entry = rule[1](value, where)
    if entry is _NOT:
        raise _Refused(rule[0], value, where)
    return entry


def _shown(value: Any) -> str:
    if value is None or isinstance(value, str | bytes | Real):
        text = repr(value) if isinstance(value, str | bytes) else str(value)
        return text if len(text) <= 60 else f"{text[:57]}..."
    return _a(type(value))


def _a(kind: type) -> str:
    return f"{'an' if kind.__name__[0] in 'aeiouAEIOU' else 'a'} {kind.__name__}"


def _rule(hint: Any) -> _Rule:
    """Return what an annotation allows."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _ANYTHING if Unread in hint.__metadata__ else _within(hint, *_rule(inner[0]))
    if hasattr(hint, "__value__"):  # of a `type` statement, as NDArray is from NumPy 2.5 on
        return _rule(hint.__value__[inner] if inner else hint.__value__)
    if hint in _PLAIN:
        return _PLAIN[hint]
    if origin in (Union, types.UnionType):
        return _any_of([_rule(member) for member in inner])
    if origin is Literal:
        # Which of them is up to the function, where an error can say what follows from it.
        return _instance(f"one of {', '.join(map(str, inner))}", *map(type, inner))
    if origin is np.ndarray:
        return "an array of numbers", _array(get_args(inner[1])[0])
    kind = origin or hint
    if not isinstance(kind, type) or getattr(kind, "_is_protocol", False):
        return _ANYTHING
    if not inner or not issubclass(kind, Iterable):
        return _instance(_a(kind), kind)
    return _parts(kind, [_rule(part) for part in inner], fixed=kind is tuple and ... not in inner)


def _instance(wanted: str, *kinds: type) -> _Rule:
    return wanted, lambda value, where: value if isinstance(value, kinds) else _NOT


def _within(hint: Any, wanted: str, inside: Callable[[Any, str], Any]) -> _Rule:
    domains = hint.__metadata__

    def read(value: Any, where: str) -> Any:
        entry = inside(value, where)
        return entry if entry is not _NOT and all(entry in domain for domain in domains) else _NOT

    return wanted + "".join(domain.wanted for domain in domains), read


def _any_of(rules: Sequence[_Rule]) -> _Rule:
    def read(value: Any, where: str) -> Any:
        part = None
        for _, member in rules:
            try:
                entry = member(value, where)
            except _Refused as refused:
                part = refused
            else:
                if entry is not _NOT:
                    return entry
        if part is not None:
            raise part
        return _NOT

    return " or ".join(dict.fromkeys(wanted for wanted, _ in rules)), read


def _parts(kind: type, rules: Sequence[_Rule], *, fixed: bool) -> _Rule:
    """Return the rule of what has parts: a row of so many, a dictionary, or a list."""
    ordered = issubclass(kind, Sequence)

    def row(value: Any, where: str) -> Any:
        if not _is_list(value) or len(value) != len(rules):
            return _NOT
        return tuple(_take(rules[k], part, f"{where}[{k}]") for k, part in enumerate(value))

    def mapping(value: Any, where: str) -> Any:
        if not isinstance(value, Mapping):
            return _NOT
        for name, part in value.items():
            _take(rules[0], name, f"{where}'s keys")
            _take(rules[1], part, f"{where}[{_shown(name)}]")
        return value

    def series(value: Any, where: str) -> Any:
        if isinstance(value, str | bytes) or not isinstance(value, Iterable):
            return _NOT
        if ordered and not _is_list(value):
            return _NOT
        if isinstance(value, Iterator | np.ndarray):  # an iterator can be gone through only once
            value = tuple(value)
        for k, part in enumerate(value):
            _take(rules[0], part, f"{where}[{k}]" if ordered else f"{where}'s entries")
        return value

    if fixed:
        return f"a row of {len(rules)}", row
    if issubclass(kind, Mapping):
        return "a dictionary", mapping
    return "a list" if ordered else "a collection", series


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence | np.ndarray) and not isinstance(value, str | bytes)


def _number(value: Any, where: str = "") -> Any:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        return _NOT
    try:
        float(value)
    except OverflowError:
        return _NOT
    return value


def _whole(value: Any, where: str = "") -> Any:
    number = _number(value)
    if number is _NOT or not math.isfinite(number) or number % 1 or abs(number) > _LARGEST:
        return _NOT
    return number if isinstance(number, Integral) else int(number)


def _array(entry: Any = None) -> Callable[[Any, str], Any]:
    """Read as an array of that type; without one the value stays as it is."""

    def read(value: Any, where: str) -> Any:
        try:
            array = np.asarray(value)
        except ValueError:  # rows of different lengths
            return _NOT
        if array.dtype.kind not in "biuf":
            return _NOT
        return value if entry is None else np.asarray(array, dtype=entry)

    return read


_ANYTHING: _Rule = "anything", lambda value, where: value
_PLAIN: dict[Any, _Rule] = {
    Any: _ANYTHING,
    _ArrayLike: ("an array of numbers", _array()),
    float: ("a number", _number),
    int: ("a whole number", _whole),
    bool: _instance("True or False", bool, np.bool_),
    str: _instance("a text", str),
    bytes: _instance("bytes", bytes),
    types.NoneType: _instance("None", types.NoneType),
    IO[bytes]: ("an open file", lambda value, where: value if hasattr(value, "read") else _NOT),
    os.PathLike[str]: _instance("a path", os.PathLike),
}
