"""How a file is read and what one of its rows is: values that hash and write themselves as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from distpriv.display import html
from distpriv.errors import ReadError
from distpriv.text import near

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ColumnType", "HowRead", "Notice", "ReadOptions", "Row", "RowKind"]
__all__ += ["excerpt", "how_as_json", "how_from_json", "how_read"]

ColumnType = Literal["number", "category", "boolean", "date", "identifier", "text"]
RowKind = Literal["record", "cell", "part"]
_PAIRS = {"missing", "types", "split"}
_OTHER_TYPE = (
    "These options do not read a table: one of them is of another type than it must be; correct it."
)


def _frozen(value: Any) -> Any:
    """Make tuples of mappings and of all else that holds values, so that it hashes."""
    if isinstance(value, Mapping):
        value = value.items()
    elif isinstance(value, str) or not isinstance(value, Iterable):
        return value
    return tuple(map(_frozen, value))


@dataclass(frozen=True, kw_only=True, repr=False)
class ReadOptions:
    """Hold everything that decides how a file becomes a table.

    Attributes
    ----------
    member : str
        File of an archive, or sheet of a workbook; "" takes the largest.
    delimiter, quote, escape : str
        Of delimited text, one character each. Delimiter U+001F: each line is one value; U+001E:
        blanks divide the values at the same places of all lines.
    decimal, thousands : str
        "." or ","; thousands also "". Also of numbers that a workbook holds as text.
    header : tuple of int
        Rows, counted from 1 without blank lines, that name the columns; several are joined, ()
        names none.
    first, last : int
        First row that is a record, and how many rows at the bottom are none.
    drop : tuple of int
        Rows between them that are no records.
    missing : tuple of (column, texts)
        What stands for a missing value in a column, instead of the usual signs; also a mapping.
    types : tuple of (column, ColumnType)
        Also a mapping.
    split : tuple of (column, separator)
        Columns of several answers in a cell, which become one of booleans an answer besides; ""
        splits none. Also a mapping.
    day_first : bool, optional
        Of dates that fit day first and month first.

    Raises
    ------
    ReadError
        If a value is outside its domain.
    """

    member: str = ""
    delimiter: str = ","
    quote: str = '"'
    escape: str = '"'
    decimal: str = "."
    thousands: str = ""
    header: tuple[int, ...] = (1,)
    first: int = 2
    last: int = 0
    drop: tuple[int, ...] = ()
    missing: tuple[tuple[str, tuple[str, ...]], ...] = ()
    types: tuple[tuple[str, ColumnType], ...] = ()
    split: tuple[tuple[str, str], ...] = ()
    day_first: bool | None = None

    def __post_init__(self) -> None:
        try:
            for name in ("header", "drop", *_PAIRS):
                object.__setattr__(self, name, _frozen(getattr(self, name)))
            problem = self._problem()
        except (TypeError, ValueError):
            raise ReadError(_OTHER_TYPE) from None
        if problem:
            raise ReadError(f"These options do not read a table: {problem}; correct it.")

    def _problem(self) -> str:
        """Say what is wrong with the values, "" for nothing."""
        for name in ("delimiter", "quote", "escape"):
            sign = getattr(self, name)
            if len(sign) != 1 or sign in "\r\n":
                return f"{name} must be one character, not {sign!r}"
        if self.delimiter in (self.quote, self.escape):
            return f"delimiter and quotation mark are both {self.delimiter!r}"
        if self.decimal not in (".", ",") or self.thousands not in ("", ".", ","):
            return "decimal must be '.' or ',', and thousands '.', ',' or nothing"
        if self.decimal == self.thousands:
            return f"decimal and thousands are both {self.decimal!r}"
        rows = (*self.header, self.first, *self.drop)
        if not all(type(row) is int and row > 0 for row in rows) or self.last < 0:
            return "rows are whole numbers, counted from 1"
        if self.header and self.first <= max(self.header):
            return f"the first record (row {self.first}) must stand below row {max(self.header)}"
        if not all(isinstance(sign, str) for _, sign in self.split):
            return "split gives each column the text between its answers"
        if self.day_first not in (None, True, False):
            return "day_first is true or false"
        kinds = get_args(ColumnType)
        wrong = next((kind for _, kind in self.types if kind not in kinds), None)
        if wrong is not None:
            return f"the type of a column is {', '.join(kinds)}, not {wrong!r}"
        named = Counter((pairs, name) for pairs in _PAIRS for name, _ in getattr(self, pairs))
        several = (name for (_, name), times in named.items() if times > 1)
        return next((f"column {name!r} is there twice" for name in several), "")

    def __repr__(self) -> str:
        chosen = ", ".join(f"{name}={value!r}" for name, value in self.arguments().items())
        return f"ReadOptions({chosen})"

    @property
    def writing(self) -> tuple[str, str]:
        """Decimal sign and sign of thousands."""
        return self.decimal, self.thousands

    def changed(self, **changes: Any) -> ReadOptions:
        """Return options with some values changed; `missing`, `types` and `split` are merged.

        A header without a first row lets the records begin below it.
        """
        for name in sorted(changes.keys() - _DEFAULTS.keys()):
            hint = near(name, _DEFAULTS)
            raise ReadError(f"There is no option {name!r} for reading; leave it out.{hint}")
        if type(changes.get("header")) is int:
            changes["header"] = (changes["header"],)
        try:
            for name in changes.keys() & _PAIRS:
                changes[name] = dict(getattr(self, name)) | dict(changes[name])
            if changes.get("header") and "first" not in changes:
                changes["first"] = max(max(changes["header"]) + 1, self.first)
        except (TypeError, ValueError):
            raise ReadError(_OTHER_TYPE) from None
        return replace(self, **changes)

    def arguments(self) -> dict[str, Any]:
        """Return what differs from the default, as JSON; ``ReadOptions(**arguments)`` reads it."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        changed = {key: value for key, value in values.items() if value != _DEFAULTS[key]}
        named = {key: dict(value) for key, value in changed.items() if key in _PAIRS}
        return json.loads(json.dumps(changed | named))


_DEFAULTS = {field.name: field.default for field in fields(ReadOptions)}


@dataclass(frozen=True)
class Notice:
    """Hold a sentence on something that was guessed or looks wrong, and what would change it.

    ``options.changed(**dict(notice.changes))`` reads it the other way.
    """

    text: str
    column: str = ""  # "" for the whole table
    changes: tuple[tuple[str, Any], ...] = ()  # of options and their values; also a mapping

    def __post_init__(self) -> None:
        object.__setattr__(self, "changes", _frozen(self.changes))


@dataclass(frozen=True)
class Row:
    """Hold what one row of a table is; ReadError for another kind, or one without its column."""

    kind: RowKind = "record"  # "cell": of counted records; "part": one of a record's rows
    column: str = ""  # counts the records of a cell, or names the record of a part

    def __post_init__(self) -> None:
        if self.kind not in get_args(RowKind):
            raise ReadError(f"One row cannot be a {self.kind!r}; take record, cell or part.")
        if (self.kind == "record") != (self.column == ""):
            raise ReadError(
                "A cell or a part needs the column that counts or names records, and a record has "
                "none; correct the column."
            )


def excerpt(text: object) -> str:
    """Quote the beginning of a cell or a label, for a sentence."""
    return repr(f"{text}" if len(f"{text}") <= 40 else f"{text}"[:39] + "…")


def how_as_json(options: ReadOptions, notices: Iterable[Notice]) -> dict[str, Any]:
    """Return options and notices as plain JSON: ``{"options": …, "notices": […]}``."""
    how = {"options": options.arguments(), "notices": [vars(notice) for notice in notices]}
    return json.loads(json.dumps(how))


def how_from_json(value: dict[str, Any]) -> tuple[ReadOptions, tuple[Notice, ...]]:
    """Return options and notices from what :func:`how_as_json` writes."""
    notices = tuple(Notice(**notice) for notice in value["notices"])
    return ReadOptions(**value["options"]), notices


class HowRead(NamedTuple):
    """Hold how a table was read: the options, and notices of what was guessed or looks wrong."""

    options: ReadOptions
    notices: tuple[Notice, ...]

    def __repr__(self) -> str:
        return "\n".join([repr(self.options), *(f"- {notice.text}" for notice in self.notices)])

    def to_frame(self) -> pd.DataFrame:
        """Return a row a notice: column ("" for the whole table), notice, and what changes it."""
        import pandas as pd

        def written(name: str, value: Any) -> str:
            return f"{name}={dict(value) if name in _PAIRS else value!r}"

        rows = [
            (one.column, one.text, ", ".join(written(*change) for change in one.changes))
            for one in self.notices
        ]
        return pd.DataFrame(rows, columns=["column", "notice", "changes"])

    def _repr_html_(self) -> str:
        return html(repr(self.options), self.to_frame())


def how_read(table: pd.DataFrame) -> HowRead:
    r"""Return the options that :func:`distpriv.read_table` read a table with, and the notices.

    Parameters
    ----------
    table : DataFrame
        As `read_table` gave it.

    Returns
    -------
    HowRead
        A pair of options and notices; ``read_table(file, **changes)`` reads it the other way, with
        the changes of a notice.

    Raises
    ------
    ReadError
        If the table was not read by it.

    Examples
    --------
    >>> dp.how_read(dp.read_table("day;pay\n1.2.24;1,5\n3.2.24;2,5\n4.2.24;4,0\n"))
    ReadOptions(delimiter=';', decimal=',')
    - 3 dates of 'day' fit day first and month first: '1.2.24' was read as 2024-02-01; it may be
    2024-01-02.
    """
    how = getattr(table, "attrs", {})
    if "distpriv" not in how:
        raise ReadError("This table was not read by read_table, so nothing is noted of it.")
    return HowRead(*how_from_json(how["distpriv"]))
