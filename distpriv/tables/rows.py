"""What one row of a table is: a record, a cell of counted records, or one of a record's rows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from distpriv.errors import ReadError
from distpriv.tables.options import Notice, ReadOptions, Row, how_as_json, how_read
from distpriv.text import whole

if TYPE_CHECKING:
    import pandas as pd

    from distpriv.arrays import IntArray

__all__ = ["KEY", "MOST_RECORDS", "as_records", "counts_of", "names_of", "proposed"]

MOST_RECORDS = 2_000_000
_COUNTS = re.compile(
    r"(?i)freq|frequency|counts?|n|number|cases|persons|people|records|weight|total"
)
KEY = re.compile(
    r"(^|[\W_])((?i:id|key|nr|no|number|code|uuid|respondent\w*|person|case|row))$|^(?i:id)|ID$"
)


def _is_count(column: pd.Series) -> bool:
    if column.dtype.kind not in "iuf" or column.isna().any():
        return False
    values = column.to_numpy(float)
    natural = bool(np.all((values >= 0) & (values == np.floor(values))))
    return natural and 2 <= values.sum() <= MOST_RECORDS


def _is_name(column: pd.Series) -> bool:
    return bool(column.notna().all()) and 1 < column.nunique() < len(column)


def counts_of(frame: pd.DataFrame) -> list[str]:
    """Return the columns that may count records: whole numbers of 0 or more, none missing."""
    return [str(name) for name in frame if _is_count(frame[name])]


def names_of(frame: pd.DataFrame) -> list[str]:
    """Return the columns that may name a record of several rows: filled, and repeated."""
    return [str(name) for name in frame if _is_name(frame[name])]


def proposed(frame: pd.DataFrame) -> Row:
    """Return what one row looks to be, by the names of the columns and their values.

    A cell: a column is called as counts are, and the others have few labels, which do not repeat.
    A part: a column is called as keys are, and its values repeat, at most 20 times on average.
    """
    names = [str(name) for name in frame]
    for name in filter(_COUNTS.fullmatch, names):
        others = frame.drop(columns=name)
        few = len(names) > 1 and all(others[other].nunique() <= 30 for other in others)
        if few and _is_count(frame[name]) and not others.duplicated().any():
            return Row("cell", name)
    for name in filter(KEY.search, names):
        if _is_name(frame[name]) and frame[name].nunique() >= len(frame) / 20:
            return Row("part", name)
    return Row()


def tell_row(frame: pd.DataFrame) -> list[Notice]:
    """Return a notice where one row does not look to be a record."""
    row = proposed(frame)
    if row.kind == "record":
        return []
    text = f"Several rows may belong to one record, which {row.column!r} names"
    if row.kind == "cell":
        text = f"Each row may stand for as many records as {row.column!r} counts"
    return [Notice(f"{text}; choose what one row is.", row.column)]


def as_records(frame: pd.DataFrame, row: Row) -> pd.DataFrame:
    """Return a table with one row a record.

    Parameters
    ----------
    frame : DataFrame
    row : Row
        "cell": each row is repeated as often as its column counts. "part": the rows that share a
        name become one, with the first value of each column that is not missing; columns that
        differ within a record are noted (:func:`distpriv.how_read`). The column of counts or names
        is left out.

    Raises
    ------
    ReadError
        If the column is not there or does not count records, or there are more than 2 million.
    """
    if row.kind == "record":
        return frame
    if row.column not in frame:
        raise ReadError(f"The table has no column {row.column!r}; choose what one row is again.")
    return (_repeat if row.kind == "cell" else _merge)(frame, row.column)


def _repeat(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    counts = frame[column]
    if counts.dtype.kind in "iuf" and counts.sum() > MOST_RECORDS:
        raise ReadError(
            f"The rows stand for {whole(counts.sum())} records by {column!r} and at most "
            f"{whole(MOST_RECORDS)} are read; choose another column or a part of the table."
        )
    if not _is_count(counts):
        raise ReadError(
            f"Column {column!r} does not count records, for it is not filled with whole numbers "
            "of 0 or more; choose another one."
        )
    places = np.repeat(np.arange(len(frame)), counts.to_numpy(np.int64))
    return frame.drop(columns=column).take(places).reset_index(drop=True)


def _merge(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    import pandas as pd

    records, names = pd.factorize(frame[column])
    if (records < 0).any():
        raise ReadError(
            f"Column {column!r} is missing in {int((records < 0).sum())} rows, so it does not name "
            "their records; choose another one."
        )
    merged, notices = {}, []
    for name in frame.columns.drop(column):
        values = frame[name].reset_index(drop=True)
        places, differing = _first(records, pd.factorize(values)[0], len(names))
        merged[name] = values.reindex(places).reset_index(drop=True)
        if differing:
            text = (
                f"{name!r} differs within {differing} of {len(names)} records; the first value "
                "that is not missing stands for each."
            )
            notices.append(Notice(text, str(name)))
    result = pd.DataFrame(merged)
    options, former = how_read(frame) if "distpriv" in frame.attrs else (ReadOptions(), ())
    result.attrs = {**frame.attrs, "distpriv": how_as_json(options, (*former, *notices))}
    return result


def _first(records: IntArray, codes: IntArray, count: int) -> tuple[IntArray, int]:
    """Find the row of each record's first value (-1: all missing), and count those that differ."""
    present = np.flatnonzero(codes >= 0)
    places = np.full(count, -1)
    places[records[present[::-1]]] = present[::-1]  # the last assignment stays
    unequal = codes[present] != codes[places[records[present]]]
    return places, len(np.unique(records[present][unequal]))
