"""How a table was read: what it came to, notices with a click each, and the first rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from typing import Any

import pandas as pd
import streamlit as st

from distpriv.dashboard.page import escape
from distpriv.dashboard.state import File
from distpriv.tables.options import Notice, ReadOptions
from distpriv.text import listed, whole

__all__ = ["ACTIONS", "action", "notices", "preview", "summary"]

IN_SIGHT = 3  # notices; the others unfold
NAMES = 6  # of columns of a type
ROWS, COLUMNS, LETTERS = 5, 50, 60  # of the preview
SIGNS = {",": "commas", ".": "points", ";": "semicolons", "\t": "tabs", "|": "bars", " ": "blanks"}
TYPES = {"number": "numbers", "date": "dates", "boolean": "true or false", "category": "labels"}
TYPES |= {"identifier": "names", "text": "text"}


def _rows(rows: Sequence[int]) -> str:
    return f"row{'s' if len(rows) > 1 else ''} {listed(rows)}"


ACTIONS: dict[str, Callable[[Any], str]] = {
    "member": lambda name: f"Read {name}",
    "delimiter": lambda sign: f"Part values at {SIGNS.get(sign, sign)}",
    "thousands": lambda sign: f"{SIGNS[sign].capitalize()} between thousands",
    "decimal": lambda sign: f"Decimal {SIGNS[sign][:-1]} instead",
    "header": lambda rows: f"Names in {_rows(rows)}" if rows else "No row of names",
    "first": lambda row: f"Keep row {row} as a record",
    "last": lambda count: f"Leave {count} rows at the end out" if count else "Keep it as a record",
    "drop": lambda _: "Leave these rows out",
    "day_first": lambda first: f"{'Day' if first else 'Month'} first",
    "split": lambda _: "One column per answer",
    "missing": lambda pairs: "Treat as missing" if pairs[0][1] else "Keep as answers",
    "types": lambda pairs: f"Read as {TYPES[pairs[0][1]]}",
}
"""What a click does that changes an option, by its value; of several options, the first here."""

CHOSEN: dict[str, Callable[[Any], str]] = {
    "member": lambda name: f"from {name}",
    "delimiter": lambda sign: f"{SIGNS.get(sign, sign)} between values",
    "decimal": lambda _: "decimal comma",
    "header": lambda rows: f"names in {_rows(rows)}" if rows else "no row of names",
    "last": lambda count: f"without the last {count}",
    "drop": lambda rows: f"without {len(rows)} rows",
}
CHOSEN |= dict.fromkeys(("missing", "types", "split"), lambda pairs: f"{_some([*pairs])} as chosen")
"""How a file was read, where that is not the usual way."""


def action(changes: Iterable[tuple[str, Any]]) -> str:
    """Say what changes of options do, in the words of a button."""
    values = {name: value for name, value in changes if value != ""}
    return next((words(values[name]) for name, words in ACTIONS.items() if name in values), "")


def _some(names: Sequence[str]) -> str:
    rest = len(names) - NAMES
    cut = [one if len(one) <= LETTERS else f"{one[: LETTERS - 1]}…" for one in names[:NAMES]]
    return listed([*cut, *([f"{rest} more"] if rest > 0 else [])])


def _type(column: pd.Series) -> str:
    kind = getattr(column.dtype, "categories", column).dtype.kind
    return {"i": "Numbers", "f": "Numbers", "M": "Dates", "b": "True or false"}.get(kind, "Labels")


def summary(frame: pd.DataFrame, rows: int, options: ReadOptions) -> str:
    """Say in Markdown how many records of how many rows a table has, its types, how it was read."""
    names: dict[str, list[str]] = {}
    for name, column in frame.items():
        names.setdefault(_type(column), []).append(str(name))
    many = f" from {whole(rows)} rows" if rows != len(frame) else ""
    parts = [f"**{whole(len(frame))} records**{many}, {len(frame.columns)} columns."]
    parts += [f"{kind}: {escape(_some(some))}." for kind, some in names.items()]
    chosen = options.arguments().items()
    words = [CHOSEN[name](value) for name, value in chosen if name in CHOSEN]
    parts += [f"Read: {escape(', '.join(words))}."] if words else []
    return " ".join(parts)


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
                escape(action(notice.changes), 60),
                key=f"change-{file.key}-{place}-{hash(notice)}",
                on_click=file.change,
                args=(options, notice.changes),
            )


def preview(frame: pd.DataFrame) -> None:
    """Show the first rows, long texts cut and days without a time of day."""
    some = frame.iloc[:ROWS, :COLUMNS]

    def cut(column: pd.Series) -> pd.Series:
        kind = _type(column)
        if kind == "Dates" and (column.dt.normalize() == column)[column.notna()].all():
            return column.dt.date
        return column.astype("str").str[:LETTERS] if kind == "Labels" else column

    with st.container(key=f"preview-{len(some)}"):
        short = {name: cut(column) for name, column in some.items()}
        st.dataframe(pd.DataFrame(short), hide_index=True, placeholder="")
