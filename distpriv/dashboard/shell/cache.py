"""Cached calls.

Streamlit hashes large tables from a sample, so a table is never an argument that it hashes: each
call is keyed by the table's full-content digest. What comes from a table lives in the session
that brought it, and no longer than there is something newer in its place. What comes from an
example alone may be everybody's: many look at the same one, and move the same sliders.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from hashlib import blake2b
from typing import Any, Literal, TypeVar, TypeVarTuple, overload

import numpy as np
import streamlit as st

from distpriv.dashboard.shell.dataset import Dataset, from_example
from distpriv.tables.examples import EXAMPLES
from distpriv.words import escape

__all__ = ["computed", "example"]

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_MOST = 32
_MOST_COMMON = 512
_FEW = {Dataset.groups: 6}  # a number for every record and statistic


@overload
def computed(
    function: Callable[[Dataset, *Ts], T], source: Dataset, /, *arguments: *Ts, saying: str = ""
) -> T: ...
@overload
def computed(
    function: Callable[[*Ts], T],
    source: str,
    /,
    *arguments: *Ts,
    saying: str = "",
    common: bool = False,
) -> T: ...
def computed(  # type: ignore[misc]  # mypy takes *Ts for more than the rest
    function: Callable[..., Any],
    source: Dataset | str,
    /,
    *arguments: Any,
    saying: str = "",
    common: bool = False,
) -> Any:
    """Call a function once for everything that its name, the source and the arguments say.

    Parameters
    ----------
    function : callable
        Of the dataset and the arguments, or of the arguments alone if the source is a text. What
        it returns is shared: nobody may change it, unless changing is what it is for.
    source : Dataset or str
        What it is computed from; a text names, with the table's digest, everything that the
        function knows beside its arguments.
    *arguments
        Numbers (floats count to 12 digits), texts, arrays, and tuples, mappings and dataclasses
        of them.
    saying : str
        What is shown meanwhile; by default nothing.
    common : bool
        Whether all sessions share it: only what comes of an example, and is never changed.
    """
    if isinstance(source, Dataset) and source.source is not None and not saying:
        saying = f"Asking {escape(source.title)} …"
    given = (source, *arguments) if isinstance(source, Dataset) else arguments
    key = repr((source if isinstance(source, str) else _key(source), *map(_key, arguments)))
    name = f"{function.__module__}.{function.__qualname__}"
    most = _MOST_COMMON if common else _FEW.get(function, _MOST)
    return _store(name, saying, most, common)(key, lambda: function(*given))


@cache
def _store(
    name: str, saying: str, most: int, common: bool
) -> Callable[[str, Callable[[], object]], object]:
    """What one function came to lately, in every session its own or for all of them."""

    def compute(key: str, _call: Callable[[], object]) -> object:
        return _call()

    compute.__qualname__ = f"{name} {saying} {common}"  # by which Streamlit tells functions apart
    scope: Literal["global", "session"] = "global" if common else "session"
    kept = st.cache_resource(show_spinner=saying or False, max_entries=most, scope=scope)
    return kept(compute)


def _key(value: object) -> object:
    """What tells a value from others; its representation is complete."""
    if isinstance(value, Dataset):
        return value.digest
    if isinstance(value, np.ndarray):
        content = blake2b(np.ascontiguousarray(value).tobytes()).hexdigest()
        return (value.dtype.str, value.shape, content)
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if value is None or isinstance(value, str | int | bytes | Enum):
        return value
    if isinstance(value, Mapping):
        return [(_key(name), _key(item)) for name, item in value.items()]
    if isinstance(value, list | tuple | set | frozenset):
        return (type(value).__name__, *map(_key, value))
    if dataclasses.is_dataclass(value):
        fields = (_key(getattr(value, field.name)) for field in dataclasses.fields(value))
        return (type(value).__qualname__, *fields)
    raise TypeError(f"{type(value).__name__} is no part of a key; name it in the source.")


@st.cache_resource(show_spinner="Loading the records …", max_entries=len(EXAMPLES))
def example(key: str) -> Dataset:
    """An embedded or fetched example; the same for everybody."""
    return from_example(next(example for example in EXAMPLES if example.key == key))
