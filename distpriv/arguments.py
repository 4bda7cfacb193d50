"""Arguments are what the signature says they are, or the error says which is not.

A public function or class is marked with the error of its subject, and its annotations are the
rule::

    @checked(CalibrationError)
    def promised(epsilon: Annotated[float, Within(0, 1)], names: Sequence[str]) -> Noise: ...

Where a domain depends on other arguments the body checks it.
"""

from __future__ import annotations

import inspect
import json
import math
import os
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, wraps
from numbers import Integral, Real
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import ArrayLike

from distpriv.errors import DistprivError

__all__ = ["MODERATE", "POSITIVE", "Axes", "Unread", "Within", "checked", "is_unicode"]

_Marked = TypeVar("_Marked", bound=Callable[..., Any])


def is_unicode(value: object) -> bool:
    """Whether every text in what JSON holds is whole.

    JSON and Python can write half of a pair of surrogates; no browser takes it and no database.
    """
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


class _Refused(Exception):  # noqa: N818 - never leaves this module
    """The argument is not of the kind: where in it, what was wanted, and what is there."""

    def __init__(self, wanted: str, value: Any, where: str = "") -> None:
        super().__init__(wanted)
        self.wanted, self.value, self.where = wanted, value, where


@dataclass(frozen=True)
class Within:
    """Domain of a number, or of all numbers of an array, as ``Annotated[float, Within(0, 1)]``.

    Attributes
    ----------
    low, high : float
        Both belong to it; NaN never does.
    """

    low: float = -math.inf
    high: float = math.inf

    @property
    def wanted(self) -> str:
        """In words, behind the kind of number."""
        ends = [f", at least {self.low:g}"] * (self.low > -math.inf)
        ends += [f", at most {self.high:g}"] * (self.high < math.inf)
        return "".join(ends)

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


@dataclass(frozen=True)
class _Kind:
    """What an annotation allows: in words, and a function that takes a value.

    It gives the value back, as the function is to have it, `_NOT` for another kind, or raises
    _Refused for a part of it. Values of exactly the types that are `sure` need no reading.
    """

    wanted: str
    read: Callable[[Any], Any]
    sure: frozenset[type] = frozenset()

    def take(self, value: Any, where: str = "") -> Any:
        """The value, or _Refused."""
        try:
            entry = self.read(value)
        except _Refused as refused:
            raise _Refused(refused.wanted, refused.value, where + refused.where) from None
        if entry is _NOT:
            raise _Refused(self.wanted, value, where)
        return entry


_NOT: Any = object()
_ALIAS: Any = getattr(typing, "TypeAliasType", ())  # from Python 3.12 on
_LARGEST = 1 << 128  # of a whole number: the entropy of a seed


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
    parameters = inspect.signature(function).parameters
    in_order = [
        parameter.name
        for parameter in parameters.values()
        if parameter.kind is not parameter.KEYWORD_ONLY
    ]

    @cache
    def kinds() -> dict[str, _Kind]:
        # At the first call: annotations may name what is defined further down.
        hints = get_type_hints(function, include_extras=True)
        return {parameter: _kind(hints.get(parameter, Any)) for parameter in parameters}

    def taken(parameter: str, value: Any, kind: _Kind) -> Any:
        try:
            return kind.take(value)
        except _Refused as refused:
            raise error(
                f"In {name}, {parameter}{refused.where} must be {refused.wanted}, got "
                f"{_shown(refused.value)}."
            ) from None

    @wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        rules, placed = kinds(), list(args)
        for index, (parameter, value) in enumerate(zip(in_order, args, strict=False)):
            if type(value) not in rules[parameter].sure:
                placed[index] = taken(parameter, value, rules[parameter])
        for parameter, value in kwargs.items():
            kind = rules.get(parameter)  # without one there is no such parameter: Python says so
            if kind is not None and type(value) not in kind.sure:
                kwargs[parameter] = taken(parameter, value, kind)
        return function(*placed, **kwargs)

    return guarded


def _shown(value: Any) -> str:
    """An argument in few words."""
    if value is None or isinstance(value, str | bytes | Real):
        text = repr(value) if isinstance(value, str | bytes) else str(value)
        return text if len(text) <= 60 else f"{text[:57]}..."
    kind = type(value).__name__
    return f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}"


def _kind(hint: Any) -> _Kind:
    """The rule of an annotation."""
    if hint is ArrayLike:
        return _Kind("an array of numbers", _array_like)
    hint = _without_alias(hint)
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        domains = hint.__metadata__
        return _kind(Any) if Unread in domains else _within(_kind(inner[0]), domains)
    if origin in (Union, types.UnionType):
        return _any_of(hint)
    if origin is Literal:
        # Which of them is up to the function, where an error can say what follows from it.
        return _of(f"one of {', '.join(map(str, inner))}", *map(type, inner))
    if origin is np.ndarray:
        return _Kind("an array of numbers", lambda value: _array(value, get_args(inner[1])[0]))
    plain = _PLAIN.get(hint)
    if plain is not None:
        return plain
    if origin is tuple and Ellipsis not in inner:
        return _row([_kind(hint) for hint in inner])
    if origin is not None and issubclass(origin, Mapping):
        return _mapping(*(_kind(hint) for hint in inner))
    if origin is not None and issubclass(origin, Iterable):
        return _series(origin, _kind(inner[0]))
    return _instance(origin or hint)


def _without_alias(hint: Any) -> Any:
    """Return what a `type` statement stands for, as NumPy 2.5 makes NDArray of one."""
    origin = get_origin(hint)
    if isinstance(origin, _ALIAS):
        return origin.__value__[get_args(hint)]
    return hint.__value__ if isinstance(hint, _ALIAS) else hint


def _within(kind: _Kind, domains: tuple[Any, ...]) -> _Kind:
    def read(value: Any) -> Any:
        entry = kind.read(value)
        return entry if entry is not _NOT and all(entry in domain for domain in domains) else _NOT

    return _Kind(kind.wanted + "".join(domain.wanted for domain in domains), read)


def _any_of(hint: Any) -> _Kind:
    """Array-likes are a union themselves, which another one dissolves."""
    members, arrays = get_args(hint), set(get_args(ArrayLike))
    kinds = []
    if arrays and arrays <= set(members):
        members = tuple(member for member in members if member not in arrays)
        kinds.append(_Kind("an array of numbers", _array_like))
    kinds += [_kind(member) for member in members]

    def read(value: Any) -> Any:
        inside = None
        for kind in kinds:
            try:
                entry = kind.read(value)
            except _Refused as refused:
                inside = refused
                continue
            if entry is not _NOT:
                return entry
        if inside is not None:
            raise inside
        return _NOT

    sure: frozenset[type] = frozenset().union(*(kind.sure for kind in kinds))
    return _Kind(" or ".join(dict.fromkeys(kind.wanted for kind in kinds)), read, sure)


def _number(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        return _NOT
    try:
        float(value)
    except OverflowError:
        return _NOT
    return value


def _whole(value: Any) -> Any:
    number = _number(value)
    if number is _NOT or not math.isfinite(number) or number % 1 or abs(number) > _LARGEST:
        return _NOT
    return number if isinstance(number, Integral) else int(number)


def _array_like(value: Any) -> Any:
    try:
        numeric = np.asarray(value).dtype.kind in "biuf"
    except ValueError:  # rows of different lengths
        return _NOT
    return value if numeric else _NOT


def _array(value: Any, entry: Any) -> Any:
    if type(value) is np.ndarray and value.dtype == entry:
        return value
    array = _array_like(value)
    return array if array is _NOT else np.asarray(array, dtype=entry)


def _row(kinds: Sequence[_Kind]) -> _Kind:
    def read(value: Any) -> Any:
        if not isinstance(value, Sequence | np.ndarray) or isinstance(value, str | bytes):
            return _NOT
        if len(value) != len(kinds):
            return _NOT
        return tuple(
            kind.take(item, f"[{index}]")
            for index, (kind, item) in enumerate(zip(kinds, value, strict=True))
        )

    return _Kind(f"a row of {len(kinds)}", read)


def _mapping(key: _Kind, entry: _Kind) -> _Kind:
    def read(value: Any) -> Any:
        if not isinstance(value, Mapping):
            return _NOT
        for name, item in value.items():
            key.take(name, "'s keys")
            entry.take(item, f"[{_shown(name)}]")
        return value

    return _Kind("a dictionary", read)


def _series(origin: type, entry: _Kind) -> _Kind:
    ordered = issubclass(origin, Sequence)

    def read(value: Any) -> Any:
        if isinstance(value, str | bytes) or not isinstance(value, Iterable):
            return _NOT
        if ordered and not isinstance(value, Sequence | np.ndarray):
            return _NOT
        if isinstance(value, Iterator):
            value = tuple(value)  # it can be gone through only once
        for index, item in enumerate(value):
            entry.take(item, f"[{index}]" if ordered else "'s entries")
        return list(value) if isinstance(value, np.ndarray) else value

    return _Kind("a list" if ordered else "a collection", read)


def _instance(hint: Any) -> _Kind:
    if hint is Any or not isinstance(hint, type) or getattr(hint, "_is_protocol", False):
        return _Kind("anything", lambda value: value)
    name = hint.__name__
    return _of(f"{'an' if name[0] in 'AEIOU' else 'a'} {name}", hint)


def _of(wanted: str, *kinds: type) -> _Kind:
    """Whatever is of one of these types."""
    return _Kind(
        wanted, lambda value: value if isinstance(value, kinds) else _NOT, frozenset(kinds)
    )


_PLAIN: dict[Any, _Kind] = {
    float: _Kind("a number", _number, frozenset({float})),
    int: _Kind("a whole number", _whole),
    bool: _of("True or False", bool, np.bool_),
    str: _of("a text", str),
    bytes: _of("bytes", bytes),
    type(None): _of("None", type(None)),
    typing.IO[bytes]: _Kind(
        "an open file", lambda value: value if hasattr(value, "read") else _NOT
    ),
    os.PathLike[str]: _of("a path", os.PathLike),
}
