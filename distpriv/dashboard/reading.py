"""How a table was read: what it came to, notices with a click each, and the first rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from distpriv.dashboard.page import escape
from distpriv.tables.options import Notice, ReadOptions
from distpriv.text import listed, whole

if TYPE_CHECKING:
    from distpriv.dashboard.state import File

__all__ = ["ACTIONS", "action", "how", "notices", "preview", "summary"]

IN_SIGHT = 3  # notices; the others unfold
NAMES = 6  # of columns of a type
ROWS, COLUMNS, LETTERS = 5, 50, 80  # of the preview
SIGNS = {",": "commas", ".": "points", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks"}
TYPES = {"number": "numbers", "date": "dates", "boolean": "true or false", "category": "labels"}
TYPES |= {"identifier": "names", "text": "text"}


def _rows(rows: Sequence[int]) -> str:
    return f"row{'s' if len(rows) > 1 else ''} {listed(rows)}"


ACTIONS: dict[str, Callable[[Any], str]] = {
    "member": lambda name: f"Read {name}",
    "delimiter": lambda sign: f"Part values at {SIGNS.get(sign, sign)}",
    "decimal": lambda sign: f"Decimal {'comma' if sign == ',' else 'point'} instead",
    "thousands": lambda sign: f"{sign or 'Nothing'} between thousands",
    "header": lambda rows: f"Names in {_rows(rows)}" if rows else "No row of names",
    "first": lambda row: f"Keep row {row} as a record",
    "last": lambda count: f"Leave {count} rows at the end out" if count else "Keep it as a record",
    "drop": lambda rows: "Leave these rows out" if rows else "Keep all rows",
    "day_first": lambda first: f"{'Day' if first else 'Month'} first",
    "split": lambda _: "One column per answer",
    "missing": lambda pairs: "Treat as missing" if pairs[0][1] else "Keep as values",
    "types": lambda pairs: f"Read as {TYPES[pairs[0][1]]}",
    "quote": lambda sign: f"Quotation mark {sign}",
    "escape": lambda sign: f"Escape by {sign}",
}
"""What a click does that changes an option, by its value; of several options, the first here."""


def action(changes: Iterable[tuple[str, Any]]) -> str:
    """Say what changes of options do, in the words of a button."""
    values = dict(changes)
    return next((words(values[name]) for name, words in ACTIONS.items() if name in values), "")


def how(options: ReadOptions) -> str:
    """Say how a file was read, in what differs from the usual."""
    now, parts = options.arguments(), []
    if "delimiter" in now:
        parts.append(f"{SIGNS.get(options.delimiter, options.delimiter)} between values")
    if "decimal" in now:
        parts.append("decimal comma")
    if "thousands" in now:
        parts.append(f"{SIGNS[options.thousands]} between thousands")
    if "header" in now:
        parts.append(f"names in {_rows(options.header)}" if options.header else "no row of names")
    if count := len(options.drop) + options.last:
        parts.append(f"{count} row{'s' if count > 1 else ''} left out")
    if columns := list(dict.fromkeys(_changed(options))):
        parts.append(f"{_some(columns)} as chosen")
    words = [f"from {options.member}"] if options.member else []
    words += [f"with {', '.join(parts)}"] if parts else []
    return f"Read {' '.join(words)}." if words else ""


def _changed(options: ReadOptions) -> list[str]:
    return [name for name, _ in (*options.types, *options.missing, *options.split)]


def _some(names: Sequence[str]) -> str:
    rest = len(names) - NAMES
    return listed([*names[:NAMES], *([f"{rest} more"] if rest > 0 else [])])


def _type(column: pd.Series) -> str:
    kind = getattr(column.dtype, "categories", column).dtype.kind
    return {"i": "Numbers", "f": "Numbers", "M": "Dates", "b": "True or false"}.get(kind, "Labels")


def summary(frame: pd.DataFrame, rows: int, options: ReadOptions | None = None) -> str:
    """Say in Markdown how many records of how many rows a table has, its types, how it was read."""
    names: dict[str, list[str]] = {}
    for name, column in frame.items():
        names.setdefault(_type(column), []).append(str(name))
    records = f"**{whole(len(frame))} records**"
    records += f" from {whole(rows)} rows" if rows != len(frame) else ""
    types = [f"{kind}: {escape(_some(each))}." for kind, each in names.items()]
    types += [escape(how(options))] if options else []
    return " ".join((f"{records}, {len(frame.columns)} columns.", *types))


def notices(every: Sequence[Notice], file: File | None = None, options: Any = None) -> None:
    """List what was guessed in reading, each with a click that reads the file the other way."""
    for begin, end in ((0, IN_SIGHT), (IN_SIGHT, len(every))):
        some = every[begin:end]
        with st.expander(f"{len(some)} more") if begin and some else nullcontext():
            for place, notice in enumerate(some, begin):
                _notice(notice, place, file, options)


def _notice(notice: Notice, place: int, file: File | None, options: Any) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(escape(notice.text), width="stretch")
        if file is not None and notice.changes:
            st.button(
                escape(action(notice.changes)),
                key=f"change-{file.key}-{place}-{hash(notice)}",
                on_click=file.change,
                args=(options, notice.changes),
            )


def preview(frame: pd.DataFrame) -> None:
    """Show the first rows, long texts cut."""
    some = frame.iloc[:ROWS, :COLUMNS]
    cut = {
        name: column if _type(column) != "Labels" else column.astype("str").str[:LETTERS]
        for name, column in some.items()
    }
    st.dataframe(pd.DataFrame(cut), hide_index=True)
