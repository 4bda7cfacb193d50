"""Which values of a column stand for a missing one: what is taken for it, what is asked.

By default blanks and what programs write for a missing value (``NA``, ``NaN``, ``null``, ``?``) are
missing. Words such as ``None`` or ``unknown`` are an answer where the others of the column are
words: "None" was found of a test that was not made, and of a patient without a complaint. They
are missing by default only in a column whose other values are all numbers, dates or truth values.
Nothing else is; a number that may stand for a missing one (-200, 999) is shown and left as it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from distpriv.errors import TableError
from distpriv.tables.labels import (
    DEFAULT_STYLES,
    MISSING_TOKENS,
    Labels,
    counted,
    dates_of,
    every,
    holds_text,
    labels_of,
    matching,
    shown,
    style_of,
    text_of,
)
from distpriv.tables.repairs import Repair, RepairKind, columns_shown
from distpriv.tables.types import ColumnType

__all__ = [
    "WORDS",
    "Found",
    "check_columns",
    "finite",
    "labelled",
    "numbers_as_missing",
    "stand_ins",
]

WORDS = frozenset(
    {
        *("none", "unknown", "not recorded", "don't know", "dont know", "don’t know", "refused"),
        *("not available", "not applicable", "not stated", "not reported", "not known", "missing"),
        *("unspecified", "undefined", "not specified", "prefer not to say", "no answer", "n.a."),
        *("no data", "empty", "nil", "-", "--", "---", ".", "..", "...", "*", "tba", "tbd", "xx"),
        *("unk", "none reported", "unbekannt", "keine angabe", "k.a.", "inconnu", "desconocido"),
    }
)
"""Words, in lower case, that may stand for a missing value and may be an answer."""

_COUNTRY = r"^[A-Z]{2}$"
_TRUTH = r"^(?i:true|false)$"
_LARGE = r"^[+-]?(?i:inf|infinity)$|[eE]\+?\d{3}$|\d{300}"
_FEWEST = 3
_SHARE = 0.002
_GLANCE = 2_000  # labels that rule out, at little cost, that all are numbers


class Found(NamedTuple):
    """A value that stands for a missing one, or may.

    Attributes
    ----------
    column, text : str
    records : int
        How many have it.
    taken : bool
        Whether it is missing now.
    """

    column: str
    text: str
    records: int
    taken: bool


def check_columns(names: Iterable[str], columns: Iterable[object], what: str) -> None:
    """Raise TableError for a column that does not exist.

    Parameters
    ----------
    names : iterable of str
        What was asked for.
    columns : iterable
        What there is.
    what : str
        What is set, for the message.
    """
    known = list(columns)
    for name in names:
        if name not in known:
            listed = ", ".join(shown(column) for column in known[:10])
            raise TableError(
                f"there is no column {shown(name)} to set {what} for; the columns are {listed}."
            )


def labelled(
    frame: pd.DataFrame,
    chosen: Mapping[str, Collection[str]],
    types: Mapping[str, ColumnType],
) -> tuple[dict[str, Labels], list[Found]]:
    """Labels of the columns of text, without those that stand for a missing value.

    Parameters
    ----------
    frame : DataFrame, shape (N, m)
        Columns of text hold their labels as they are written.
    chosen : mapping of column to texts
        What is missing beside blanks, in place of what is by default.
    types : mapping
        Types that are known.

    Returns
    -------
    dict of str to Labels
    list of Found
        All such values, whether taken or not.
    """
    labels: dict[str, Labels] = {}
    found: list[Found] = []
    for key, column in frame.items():
        if not holds_text(column.dtype):
            continue
        name = str(key)
        known = labels_of(column, missing=("",))
        wanted = chosen.get(name)
        taken = _taken(known.texts, wanted, types.get(name))
        offered = taken | _member(pc.utf8_lower(known.texts), WORDS)
        offered |= _member(known.texts, MISSING_TOKENS)
        if offered.any():
            found += _counted(name, known, offered, taken)
        labels[name] = _without(known, taken) if taken.any() else known
    return labels, found


def _taken(
    texts: Any, wanted: Collection[str] | None, kind: ColumnType | None
) -> NDArray[np.bool_]:
    if wanted is not None:
        return _member(texts, [text.strip() for text in wanted])
    sure = _member(texts, MISSING_TOKENS)
    words = _member(pc.utf8_lower(texts), WORDS)
    if not (sure.any() or words.any()):
        return sure
    rest = texts.filter(pa.array(~(sure | words)))
    if words.any() and kind not in ("category", "text", "identifier") and _measured(rest):
        return sure | words
    # Namibia among the codes of countries.
    if len(rest) >= _FEWEST and every(rest, _COUNTRY):
        return sure & ~_member(texts, ["NA"])
    return sure


@lru_cache(maxsize=64)
def _array(among: frozenset[str], kind: Any) -> Any:
    return pa.array(list(among), kind)


def _member(texts: Any, among: Collection[str]) -> NDArray[np.bool_]:
    mask = pc.is_in(texts, _array(frozenset(among), texts.type))
    return np.asarray(mask.to_numpy(zero_copy_only=False), dtype=np.bool_)


def _measured(texts: Any) -> bool:
    """Whether all labels are numbers, dates or truth values, among which no word is an answer."""
    if not len(texts):
        return False
    for part in (texts.slice(0, _GLANCE), texts):
        if not (
            style_of(part, DEFAULT_STYLES)
            or every(part, _TRUTH)
            or bool(dates_of(part).notna().all())
        ):
            return False
    return True


def _counted(
    name: str, labels: Labels, offered: NDArray[np.bool_], taken: NDArray[np.bool_]
) -> list[Found]:
    present = labels.codes[labels.codes >= 0]
    counts = np.bincount(present, minlength=len(labels.texts))
    return [
        Found(name, labels.texts[int(place)].as_py(), int(counts[place]), bool(taken[place]))
        for place in np.flatnonzero(offered)
    ]


def _without(labels: Labels, away: NDArray[np.bool_]) -> Labels:
    kept = ~away
    places = np.where(kept, np.cumsum(kept) - 1, -1)
    codes = np.append(places, -1).astype(labels.codes.dtype)[labels.codes]
    return Labels(codes, labels.texts.filter(pa.array(kept)))


def finite(
    frame: pd.DataFrame, labels: dict[str, Labels], undo: Collection[RepairKind]
) -> tuple[pd.DataFrame, dict[str, Labels], tuple[Repair, ...]]:
    """Take infinite numbers as missing or, if that is undone, leave their records out.

    Parameters
    ----------
    frame : DataFrame, shape (N, m)
    labels : dict of str to Labels
        Of its columns of text.
    undo : collection of RepairKind

    Returns
    -------
    DataFrame
    dict of str to Labels
    tuple of Repair
        One, if there were any.
    """
    large: dict[str, NDArray[np.bool_]] = {}
    of_records: dict[str, NDArray[np.bool_]] = {}
    for key, column in frame.items():
        name = str(key)
        if name in labels:
            mask = _too_large(labels[name].texts)
            if mask is not None:
                large[name] = mask
                of_records[name] = labels[name].take(mask, False)
        elif pd.api.types.is_float_dtype(column.dtype):
            values = np.isinf(column.to_numpy(dtype=np.float64, na_value=np.nan))
            if values.any():
                of_records[name] = values
    if not of_records:
        return frame, labels, ()
    count = sum(int(each.sum()) for each in of_records.values())
    what = f"{counted(count, 'infinite value')} in {columns_shown(of_records)}"
    if "infinite" not in undo:
        frame = frame.copy()
        for name, mask in of_records.items():
            if name in large:
                labels = {**labels, name: _without(labels[name], large[name])}
            else:
                frame[name] = frame[name].mask(mask)
        verb = "was" if count == 1 else "were"
        return frame, labels, (Repair("infinite", f"{what} {verb} taken as missing.", False),)
    away = np.logical_or.reduce(list(of_records.values()))
    if away.all():
        raise TableError(f"every record has an infinite value in {columns_shown(of_records)}.")
    frame = frame[~away].reset_index(drop=True)
    labels = {name: _taken_of(known, ~away) for name, known in labels.items()}
    left = counted(int(away.sum()), "record")
    return frame, labels, (Repair("infinite", f"{what}: {left} left out.", True),)


def _taken_of(labels: Labels, kept: NDArray[np.bool_]) -> Labels:
    codes = labels.codes[kept]
    used = np.zeros(len(labels.texts), dtype=np.bool_)
    used[codes[codes >= 0]] = True
    return _without(Labels(codes, labels.texts), ~used)


def _too_large(texts: Any) -> NDArray[np.bool_] | None:
    """Mark the infinite of the labels of a column of numbers; None if there are none."""
    if not len(texts):
        return None
    suspect = matching(texts, _LARGE)
    if not suspect.any():
        return None
    style = style_of(texts, DEFAULT_STYLES)
    if style is None:
        return None
    plain = style.normalise(texts)
    for place in np.flatnonzero(suspect):
        suspect[place] = not np.isfinite(float(plain[int(place)].as_py()))
    # A column of nothing but infinities has no numbers.
    return suspect if suspect.any() else None


def numbers_as_missing(
    table: pd.DataFrame, chosen: Mapping[str, Collection[str]], found: list[Found]
) -> tuple[pd.DataFrame, list[Found]]:
    """Take numbers that were chosen to stand for a missing value as missing.

    Parameters
    ----------
    table : DataFrame, shape (N, m)
        Typed; only its numeric columns are looked at.
    chosen : mapping of column to texts
    found : list of Found
        Those of labels.

    Returns
    -------
    DataFrame
        A new one if anything has changed.
    list of Found
        With the numbers that were taken.
    """
    told = list(found)
    for name, texts in chosen.items():
        if not _is_number(table[name]):
            continue
        for text in texts:
            try:
                value = float(text)
            except ValueError:
                continue
            mask = (table[name] == value).to_numpy(dtype=bool, na_value=False)
            if not mask.any():
                continue
            table = table.copy()
            column = table[name].astype("float64").mask(mask)
            table[name] = column
            told.append(Found(name, text.strip(), int(mask.sum()), True))
    return table, told


def _is_number(column: pd.Series) -> bool:
    dtype = column.dtype
    return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)


def stand_ins(table: pd.DataFrame, types: Mapping[str, ColumnType]) -> list[Found]:
    """Numbers that may stand for a missing value; none is taken for one.

    Such a number is the least or the greatest of its column and repeated; and it is negative where
    no other is, or as far from the next as all others are from each other.

    Parameters
    ----------
    table : DataFrame, shape (N, m)
    types : mapping of column to ColumnType
    """
    told = []
    for key, column in table.items():
        if types[str(key)] != "number":
            continue
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        values = values[~np.isnan(values)]
        least = max(_FEWEST, _SHARE * len(values))
        for value, count in _extremes(values):
            if count >= least and value % 1 == 0:
                told.append(Found(str(key), text_of(float(value)), count, False))
    return told


def _extremes(values: NDArray[np.float64]) -> list[tuple[float, int]]:
    if not len(values):
        return []
    low, high = float(values.min()), float(values.max())
    told = []
    for value, other in ((low, high), (high, low)):
        if low == high or (value == high and set(str(int(abs(value)))) != {"9"}):
            continue
        rest = values[values != value]
        near, far = (rest.min(), rest.max()) if value == low else (rest.max(), rest.min())
        lonely = low < 0 <= rest.min() and value == low
        apart = abs(value - near) > abs(near - far) > 0
        if len(rest) and (lonely or (apart and other != value)):
            told.append((value, len(values) - len(rest)))
    return told
