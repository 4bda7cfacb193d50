"""A file's columns to a typed table, with what was done on the way kept on it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import NamedTuple

import pandas as pd

from distpriv.arguments import checked
from distpriv.errors import TableError
from distpriv.tables.labels import shown
from distpriv.tables.missing import (
    Found,
    check_columns,
    finite,
    labelled,
    numbers_as_missing,
    stand_ins,
)
from distpriv.tables.notices import Notice, bounded, notices
from distpriv.tables.parsing import RawTable
from distpriv.tables.repairs import REPAIRS, Choices, Repair, settled
from distpriv.tables.types import ColumnType, check_shape, type_columns

__all__ = ["READING", "UNTOLD", "Reading", "check_choices", "how_read", "load"]

READING = "reading"


class Reading(NamedTuple):
    """What was done to a file so that it could be read, and what was found in it.

    It is a tuple of tuples, so that it can go along with the table into a Parquet file.

    Attributes
    ----------
    repairs : tuple of Repair
        Those that were undone among them.
    found : tuple of Found
        Values that stand for a missing one, or may, by column.
    notices : tuple of Notice
        What looks wrong and was left as it is.
    members : tuple of str
        Tables of a zip archive or sheets of a workbook; none of another file.
    member : str
        The one that was read.
    headed : bool
        Whether names stand in a row of their own in a file of its kind.
    """

    repairs: tuple[Repair, ...] = ()
    found: tuple[Found, ...] = ()
    notices: tuple[Notice, ...] = ()
    members: tuple[str, ...] = ()
    member: str = ""
    headed: bool = False

    def __deepcopy__(self, _: object) -> Reading:
        """Itself: pandas copies what is kept on a table along with every column."""
        return self

    @property
    def done(self) -> tuple[Repair, ...]:
        """Repairs that hold."""
        return tuple(repair for repair in self.repairs if not repair.undone)


UNTOLD = Reading()
"""Nothing was done."""


@checked(TableError)
def how_read(table: pd.DataFrame) -> Reading:
    """Tell what was done to the file that a table was read from.

    Parameters
    ----------
    table : DataFrame
        From :func:`distpriv.read_table`; of any other there is nothing to tell.

    Examples
    --------
    >>> import distpriv as dp
    >>> for repair in dp.how_read(dp.read_table(b"a,a\\n1,2\\n")).repairs:
    ...     print(repair.said)
    Several columns are called 'a'; the further ones are called 'a (2)'.
    """
    kept = table.attrs.get(READING)
    return kept if isinstance(kept, Reading) else UNTOLD


def check_choices(choices: Choices) -> None:
    """Raise TableError for a repair that is unknown, and for bounds that hold nothing."""
    for kind in choices.undo:
        if kind not in REPAIRS:
            raise TableError(
                f"there is no repair {shown(kind)} to undo; choose among {', '.join(REPAIRS)}."
            )
    for name, low, high in choices.bounds:
        if not low < high or math.isnan(low) or math.isnan(high):
            raise TableError(
                f"the lower bound of {shown(name)} must be below the upper one, "
                f"got {low:g} and {high:g}."
            )


def load(
    raw: RawTable,
    choices: Choices,
    types: Mapping[str, ColumnType],
    watch: Callable[[float], object] | None = None,
) -> tuple[pd.DataFrame, dict[str, ColumnType]]:
    """Make a typed table of what a file holds.

    Parameters
    ----------
    raw : RawTable
    choices : Choices
    types : mapping of column to ColumnType
        Types that are known.
    watch : callable, optional
        Is given the share of the columns that are done, between 0 and 1.

    Returns
    -------
    DataFrame, shape (N, m)
        Its :class:`Reading` lies in its ``attrs``.
    dict of str to ColumnType

    Raises
    ------
    TableError
        If a value cannot be converted to a known type, there is no such column to choose for, or
        nothing is left.
    """
    frame, repairs, written = settled(
        raw.frame, header=choices.header, headed=raw.headed, undo=choices.undo, short=raw.short
    )
    raw = replace(raw, frame=pd.DataFrame())  # Of a large file it is as large as the table.
    chosen: dict[str, Collection[str]] = dict(choices.missing)
    check_columns(chosen, frame.columns, "missing values")
    check_columns([name for name, _, _ in choices.bounds], frame.columns, "bounds")
    labels, found = labelled(frame, chosen, types)
    frame, labels, infinite = finite(frame, labels, choices.undo)
    check_shape(rows=len(frame))
    names = [str(name) for name in frame.columns]
    frame = frame.drop(columns=list(labels))
    table, decided = type_columns(
        names, frame, labels, types, semicolons=raw.semicolons, watch=watch
    )
    table, found = numbers_as_missing(table, chosen, found)
    table, held = bounded(table, choices.bounds)
    bounds = {name for name, _, _ in choices.bounds}
    seen = notices(table, decided, written, raw.headed and choices.header)
    told = [notice for notice in seen if notice.column not in bounds or notice.kind == "mangled"]
    table.attrs[READING] = Reading(
        repairs=(*raw.repairs, *repairs, *infinite),
        found=(*found, *stand_ins(table, decided)),
        notices=(*told, *held),
        members=raw.members,
        member=raw.member,
        headed=raw.headed,
    )
    return table, decided
