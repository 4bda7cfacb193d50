"""What is done to a file so that it can be read, each thing told and to be undone."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple

import pandas as pd

from distpriv.tables.labels import counted, holds_text, plain_text, shown, text_of
from distpriv.tables.types import check_shape

__all__ = [
    "AS_FOUND",
    "REPAIRS",
    "Choices",
    "Repair",
    "RepairKind",
    "Settled",
    "columns_shown",
    "loose",
    "respaced",
    "settled",
]

RepairKind = Literal[
    "separator", "types_row", "blank_names", "double_names", "short_rows", "infinite", "nested"
]
REPAIRS: dict[RepairKind, str] = {
    "separator": "Read every line as one value",
    "types_row": "Take that row for a record",
    "blank_names": "Leave these columns out",
    "double_names": "Keep the first of each name alone",
    "short_rows": "Leave these records out",
    "infinite": "Leave these records out",
    "nested": "Keep them as text",
}
"""What is done with a thing of each kind when its repair is undone."""

_SAMPLE = 65_536
_SAMPLE_LINES = 200
_TOKEN = re.compile(r'"(?:[^"]|"")*"|[^\s"]\S*')
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|\?|NA")
_TYPE_NAMES = {
    *("int", "integer", "int32", "int64", "long", "bigint", "smallint", "float", "float32"),
    *("float64", "double", "real", "decimal", "number", "numeric", "num", "string", "str"),
    *("text", "varchar", "char", "character", "object", "factor", "category", "categorical"),
    *("nominal", "continuous", "discrete", "bool", "boolean", "logical", "date", "datetime"),
    *("timestamp", "time"),
}


class Repair(NamedTuple):
    """One thing that was done to a file.

    Attributes
    ----------
    kind : RepairKind
    said : str
        What there was and what was done, or what was done when the repair was undone.
    undone : bool
    """

    kind: RepairKind
    said: str
    undone: bool


@dataclass(frozen=True, kw_only=True)
class Choices:
    """How a file is to be read, where its reader chose otherwise than what is found out.

    Attributes
    ----------
    member : str
        The file in a zip archive, or the sheet of a workbook.
    header : bool
        Whether the first row names the columns.
    undo : tuple of RepairKind
    missing : tuple of (column, texts)
        What stands for a missing value in a column, in place of what is taken for one by default.
    bounds : tuple of (column, lowest, highest)
        Numbers outside are taken as missing.
    """

    member: str = ""
    header: bool = True
    undo: tuple[RepairKind, ...] = ()
    missing: tuple[tuple[str, tuple[str, ...]], ...] = ()
    bounds: tuple[tuple[str, float, float], ...] = ()

    def arguments(self) -> dict[str, Any]:
        """Those that differ from the default, as :func:`distpriv.read_table` takes them."""
        given = {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if getattr(self, field.name) != field.default
        }
        if "undo" in given:
            given["undo"] = list(self.undo)
        if "missing" in given:
            given["missing"] = {name: list(texts) for name, texts in self.missing}
        if "bounds" in given:
            given["bounds"] = {name: (low, high) for name, low, high in self.bounds}
        return given


AS_FOUND = Choices()
"""Nothing is chosen."""


class Settled(NamedTuple):
    """A table with names of its own for all columns.

    Attributes
    ----------
    frame : DataFrame, shape (N, m)
    repairs : tuple of Repair
    written : dict of str to str
        What stood where the names are, for columns whose name was changed.
    """

    frame: pd.DataFrame
    repairs: tuple[Repair, ...]
    written: dict[str, str]


def loose(names: Sequence[str], columns: Sequence[pd.Series]) -> pd.DataFrame:
    """Put columns together under names that may be blank or stand twice.

    Parameters
    ----------
    names : sequence of str, length m
    columns : sequence of Series, each of shape (N,)
    """
    check_shape(columns=len(names))
    frame = pd.DataFrame(dict(enumerate(columns)))
    frame.columns = pd.Index(list(names), dtype=object)
    return frame


def columns_shown(names: Collection[str]) -> str:
    """Some names of columns for a sentence."""
    some = ", ".join(shown(name) for name in list(names)[:3])
    return some if len(names) <= 3 else f"{some} and {len(names) - 3} more"


def respaced(data: bytes, undo: Collection[RepairKind]) -> tuple[bytes, tuple[Repair, ...]]:
    """Write text whose values are separated by blanks or ``::`` with tabs between them.

    Parameters
    ----------
    data : bytes
        Any text whose ASCII characters are bytes; line ends stay where they are.
    undo : collection of RepairKind

    Returns
    -------
    bytes
        As they were, if a usual separator is there, no separator is seen, or that is undone.
    tuple of Repair
    """
    if b"\0" in data[:_SAMPLE]:
        return data, ()
    lines = data[:_SAMPLE].decode("latin-1").splitlines()
    cut = [line for line in lines[: -1 if len(data) > _SAMPLE else None] if line.strip()]
    sample = cut[:_SAMPLE_LINES]
    if len(sample) < 2:
        return data, ()
    what = "'::'" if _doubled(sample) else "blanks" if _blank(sample) else ""
    if not what:
        return data, ()
    if "separator" in undo:
        said = f"The values seem to be separated by {what}; every line is read as one value."
        return data, (Repair("separator", said, True),)
    text = data.decode("latin-1").replace("\t", " ")
    if what == "blanks":
        text = re.sub(r"[^\r\n]+", lambda line: "\t".join(_TOKEN.findall(line[0])), text)
    else:
        text = text.replace("::", "\t")
    said = f"The values are separated by {what}, which were read as the ends of cells."
    return text.encode("latin-1"), (Repair("separator", said, False),)


def _doubled(lines: Sequence[str]) -> bool:
    return len(counts := {line.count("::") for line in lines}) == 1 and counts != {0}


def _blank(lines: Sequence[str]) -> bool:
    """Whether every line has as many words, and more than any other separator gives values."""
    tokens = [_TOKEN.findall(line) for line in lines]
    # A table of R has no name above the names of its rows, which cannot be told from a damage.
    widths = {len(each) for each in tokens}
    if len(widths) != 1:
        return False
    width = widths.pop()
    if any(min(line.count(mark) for line in lines) for mark in ",;|"):
        return False
    numbers = all(_NUMBER.fullmatch(word) for each in tokens[1:] for word in each[:-1])
    tabs = min(line.count("\t") for line in lines)
    if tabs or width == 2:
        # Words of a text in cells between tabs are no cells, but numbers are.
        return numbers and width > tabs + 1
    return width > 2 and len(lines) > 2


def settled(
    frame: pd.DataFrame,
    *,
    header: bool = True,
    headed: bool = True,
    undo: Collection[RepairKind] = (),
    short: int = 0,
) -> Settled:
    """Give every column a name of its own.

    Parameters
    ----------
    frame : DataFrame, shape (N, m)
        Its names may be blank or stand twice; columns of text hold labels as they are written.
    header : bool
        Whether the first row, which gave the names, names the columns.
    headed : bool
        Whether the names stood in a row of their own.
    undo : collection of RepairKind
    short : int
        Line of the first record that ended early, if any did: such a record's last cell is
        missing, and a blank one is not.

    Raises
    ------
    TableError
        If nothing is left.
    """
    repairs: list[Repair] = []
    names = [str(name).strip() for name in frame.columns]
    columns = [frame.iloc[:, place] for place in range(len(names))]
    if headed and not header:
        columns = [_with_name(name, column) for name, column in zip(names, columns, strict=True)]
        names = [f"column {place + 1}" for place in range(len(names))]
    elif headed and len(columns) > 1 and (types := _types_row(columns)):
        repairs.append(_told_types(types, undo))
        if "types_row" not in undo:
            columns = [column.iloc[1:].reset_index(drop=True) for column in columns]
    if short:
        repairs += _filled_short(columns, undo, short)
    names, columns = _named(names, columns, undo, repairs)
    names, columns, written = _numbered(names, columns, undo, repairs)
    check_shape(rows=len(columns[0]) if columns else 1, columns=len(columns))
    made = pd.DataFrame(dict(zip(names, columns, strict=True)))
    check_shape(rows=len(made))
    return Settled(made, tuple(repairs), written)


def _with_name(name: str, column: pd.Series) -> pd.Series:
    """The column with its name as the first value."""
    column = plain_text(column)
    kept: object = name or None
    if not isinstance(column.dtype, pd.StringDtype):
        if pd.api.types.is_numeric_dtype(column.dtype) and _NUMBER.fullmatch(name):
            number = float(name) if name[-1:] not in ("?", "A") else float("nan")
            kept = int(number) if number.is_integer() else number
        elif name:
            texts = [None if pd.isna(value) else text_of(value) for value in column]
            column = pd.Series(texts, dtype="str")
    dtype = "str" if isinstance(column.dtype, pd.StringDtype) else None
    first = pd.Series([kept], dtype=dtype)
    if kept is None and dtype is None:
        return column.reindex(range(-1, len(column))).reset_index(drop=True)
    return pd.concat([first, column], ignore_index=True)


def _types_row(columns: Sequence[pd.Series]) -> list[str]:
    """What the first record says if all of it are names of types; else nothing."""
    if not len(columns[0]):
        return []
    words = [str(column.iloc[0]).strip() for column in columns]
    return words if all(word.lower() in _TYPE_NAMES for word in words) else []


def _told_types(words: Sequence[str], undo: Collection[RepairKind]) -> Repair:
    some = ", ".join(words[:3]) + (", …" if len(words) > 3 else "")
    done = "is kept as a record" if "types_row" in undo else "was left out"
    said = f"The row below the names says what types the columns have ({some}); it {done}."
    return Repair("types_row", said, "types_row" in undo)


def _filled_short(
    columns: list[pd.Series], undo: Collection[RepairKind], line: int
) -> list[Repair]:
    ended = columns[-1].isna().to_numpy()
    count = int(ended.sum())
    if not count:
        return []
    where = f"{counted(count, 'row')} {'has' if count == 1 else 'have'} too few values"
    where += f", the first in line {line}"
    if "short_rows" in undo:
        columns[:] = [column[~ended].reset_index(drop=True) for column in columns]
        return [Repair("short_rows", f"{where}; left out.", True)]
    return [Repair("short_rows", f"{where}; what they lack is missing.", False)]


def _named(
    names: list[str],
    columns: list[pd.Series],
    undo: Collection[RepairKind],
    repairs: list[Repair],
) -> tuple[list[str], list[pd.Series]]:
    """Without nameless columns: empty ones go, others get a name or, if that is undone, go too."""
    taken, given, kept = set(names), [], []
    for place, name in enumerate(names):
        if name or _is_empty(columns[place]):
            new = name
        else:
            new = _free(f"column {place + 1}", taken)
            given.append(new)
            taken.add(new)
            new = "" if "blank_names" in undo else new
        if new:
            kept.append((new, columns[place]))
    if given:
        undone = "blank_names" in undo
        what = f"{counted(len(given), 'column')} {'has' if len(given) == 1 else 'have'} no name"
        done = "left out" if undone else f"called {columns_shown(given)}"
        verb = "was" if len(given) == 1 else "were"
        repairs.append(Repair("blank_names", f"{what} and {verb} {done}.", undone))
    return [name for name, _ in kept], [column for _, column in kept]


def _is_empty(column: pd.Series) -> bool:
    if holds_text(column.dtype):
        column = plain_text(column)
        return bool((column.isna() | (column.str.strip() == "")).all())
    return bool(column.isna().all())


def _free(name: str, taken: Collection[str]) -> str:
    while name in taken:
        name += "'"
    return name


def _numbered(
    names: list[str],
    columns: list[pd.Series],
    undo: Collection[RepairKind],
    repairs: list[Repair],
) -> tuple[list[str], list[pd.Series], dict[str, str]]:
    """Names that stand twice, numbered from the second on."""
    counts: dict[str, int] = {}
    taken, made, written = set(names), [], {}
    for name, column in zip(names, columns, strict=True):
        counts[name] = counts.get(name, 0) + 1
        if counts[name] == 1:
            made.append((name, column))
            continue
        number = counts[name]
        while f"{name} ({number})" in taken:
            number += 1
        counts[name] = number
        new = f"{name} ({number})"
        taken.add(new)
        written[new] = name
        if "double_names" not in undo:
            made.append((new, column))
    if written:
        undone = "double_names" in undo
        twice = columns_shown(dict.fromkeys(written.values()))
        done = (
            "only the first of each name was kept"
            if undone
            else f"the further ones are called {columns_shown(written)}"
        )
        said = f"Several columns are called {twice}; {done}."
        repairs.append(Repair("double_names", said, undone))
    return [name for name, _ in made], [column for _, column in made], written
