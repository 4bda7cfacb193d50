"""What each column is, by one rule, and the SQL expression that reads it."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from distpriv.tables.numbers import (
    ENOUGH,
    WRITINGS,
    Writing,
    best_writing,
    is_ambiguous,
    is_number,
    number_macro,
    value,
)
from distpriv.tables.options import ColumnType, Notice, ReadOptions

__all__ = ["Column", "decide", "guess_writing", "is_blank", "literal", "profile", "quoted"]

MOST_LABELS = 2_000
SAMPLE = 50_000  # records that are profiled; all are checked once they are read
CELLS = 10_000_000  # that are profiled in all
_TOKENS = frozenset(
    {"NA", "N/A", "n/a", "<NA>", "NULL", "null", "NaN", "nan", "?", "#N/A", "#NA", "#NULL!"}
    | {"#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "#NAME?"}
)
# Missing among numbers and dates; elsewhere they are answers.
_WORDS = frozenset(
    {"inf", "-inf", "infinity", "-infinity", "none", "unknown", "missing", "refused", "nil", "unk"}
    | {"unspecified", "undefined", "-", "--", ".", "..", "...", "*", "tba", "tbd", "n.a.", "k.a."}
    | {"not available", "not applicable", "not stated", "not known", "not recorded", "no data"}
    | {"don't know", "no answer", "prefer not to say", "keine angabe", "unbekannt", "inconnu"}
    | {"desconocido"}
)
_TIME = r"([ T]\d{1,2}:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?"
_ISO = "%Y-%m-%d"
_DATES = {
    form: re.compile(re.sub("%[dm]", r"\\d{1,2}", re.escape(form).replace("%Y", r"\d{4}")) + _TIME)
    for form in (_ISO, "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%Y/%m/%d", "%Y.%m.%d")
}
_DATED = re.compile(r"\d{1,4}[-./]\d{1,2}[-./]\d")
_KEY = re.compile(
    r"(^|[\W_])((?i:id|key|nr|no|number|code|uuid|respondent\w*|person|case|row))$|^(?i:id)|ID$"
)
_SENTINELS = {
    *(sign * int(digit * times) for sign in (1, -1) for digit in "789" for times in range(1, 6)),
    *range(-9, 0),
    *(97, 98, 996, 997, 998, 9996, 9997, 9998),
}


def quoted(name: str) -> str:
    """Return a name as SQL's identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text as SQL's literal, where a view or a stored SELECT can bind none."""
    return "'" + text.replace("'", "''") + "'"


def is_blank(cell: str | None) -> bool:
    """Return whether a cell is empty or holds a sign for a missing value."""
    text = (cell or "").strip()
    return not text or text in _TOKENS or text.lower() in _WORDS


class _Measure(NamedTuple):
    """One way to read a column, the texts it reads, and how many records have them."""

    type: ColumnType
    sql: str
    plural: str
    reads: Callable[[str], bool]
    records: int


@dataclass
class Column:
    """Hold a column while it is decided how to read it.

    Attributes
    ----------
    name, kind : str
        Kind: "text", or what the file says that it is.
    place : int
        Its cells are ``c<place>`` of the view ``records``.
    labels : dict of text to count
        The commonest ones among the profiled records; `complete` if there are no others.
    present, records : int
        Profiled records with a value, and all of them: each `step`-th of the table.
    text, sql : str
        SQL of the cells without the signs for missing values, called ``t<place>``; and SQL that
        makes the value of that, NULL where it is missing.
    plural, check : str
        What the values are, where others are missing; SQL that counts the values.
    """

    name: str
    kind: str
    place: int
    labels: dict[str, int] = field(default_factory=dict)
    present: int = 0
    records: int = 0
    complete: bool = True
    step: int = 1
    type: ColumnType = "text"
    text: str = ""
    sql: str = ""
    plural: str = ""
    check: str = "count({})"
    notices: list[Notice] = field(default_factory=list)

    @property
    def source(self) -> str:
        """Name of the cells without the signs for missing values."""
        return f"t{self.place}"

    @property
    def filled(self) -> int:
        """Number of records with one of the labels."""
        return sum(self.labels.values())

    def times(self, count: int) -> str:
        """Write a number of profiled records as one of all records."""
        return str(count) if self.step == 1 else f"about {count * self.step}"

    def tell(self, text: str, **changes: object) -> None:
        """Add a notice."""
        self.notices.append(Notice(text, self.name, tuple(changes.items())))

    def drop_missing(self, writing: Writing, chosen: tuple[str, ...] | None) -> None:
        """Leave out the labels that stand for a missing value."""
        cell = f"c{self.place}" if self.kind == "text" else f"CAST(c{self.place} AS VARCHAR)"
        if chosen is not None:
            gone = set(chosen)
            absent = f"{cell} IN ({', '.join(map(literal, chosen))})"
        else:
            gone = self._missing(writing) if self.kind == "text" else set()
            # One constant: DuckDB plans lists of them in the square of their number.
            pattern = literal("|".join(map(re.escape, sorted(gone))))
            longest = max((len(text.encode()) for text in gone), default=0)
            absent = f"strlen({cell}) <= {longest} AND regexp_full_match({cell}, {pattern})"
        self.labels = {text: n for text, n in self.labels.items() if text not in gone}
        if gone:
            self.text = f"CASE WHEN {absent} THEN NULL ELSE c{self.place} END"

    def _missing(self, writing: Writing) -> set[str]:
        """Find the texts that stand for a missing value, and tell of those that are there."""
        gone = set(_TOKENS)
        values = {text: n for text, n in self.labels.items() if not is_blank(text)}
        if len(values) > 2 and all(re.fullmatch(r"[A-Z]{2}", text) for text in values):
            gone.discard("NA")  # Namibia among the codes of countries
        measured = (n for t, n in values.items() if is_number(t, writing) or _DATED.match(t))
        if values and sum(measured) >= ENOUGH * sum(values.values()):
            gone |= {text for text in self.labels if text.lower() in _WORDS}
        if present := [text for text in self.labels if text in gone]:
            listed = ", ".join(
                f"{text!r} ({self.times(self.labels[text])})" for text in present[:5]
            )
            verb = "was" if len(present) == 1 else "were"
            self.tell(f"{listed} of {self.name!r} {verb} read as missing.", missing={self.name: ()})
        return gone if self.step > 1 else set(present)

    def decide(self, options: ReadOptions, chosen: ColumnType | None) -> None:
        """Set type and SQL."""
        self.sql = f"CAST({self.source} AS VARCHAR)"
        if self.kind in ("boolean", "date"):
            self.type = "boolean" if self.kind == "boolean" else "date"
            if chosen in ("category", "identifier", "text"):
                self.type = chosen
            else:
                self.sql = self.source
        elif not self.labels:
            self.type = chosen or "text"
            self.tell(
                f"Column {self.name!r} is empty in every record; where it holds formulas, open "
                "the file in a spreadsheet, save it, and choose it again."
            )
        elif not (self._ticked(chosen) or self._measured(options, chosen)):
            self._labelled(chosen)

    def _ticked(self, chosen: ColumnType | None) -> bool:
        """Read one label and blanks as ticked or not."""
        if chosen or len(self.labels) > 1 or self.kind != "text" or self.present == self.records:
            return False
        ((label, ticked),) = self.labels.items()
        if ticked < self.present:
            return False
        self.type, self.plural, self.check = "boolean", repr(label), "count(*) FILTER (WHERE {})"
        equal = f"{self.source} = {literal(label)}"
        self.sql = f"CASE WHEN {self.source} IS NULL THEN false WHEN {equal} THEN true END"
        self.tell(
            f"{self.name!r} is {label!r} or blank; blank was read as not ticked.",
            types={self.name: "category"},
        )
        return True

    def _measured(self, options: ReadOptions, chosen: ColumnType | None) -> bool:
        """Read numbers or dates, if there are enough of them or they are chosen."""
        measures = [m for m in self._measures(options) if chosen in (None, m.type)]
        measure = max(measures, key=lambda m: m.records, default=None)
        if measure is None:
            return False
        if not chosen and measure.records < ENOUGH * self.filled:
            if measure.records >= 0.5 * self.filled:
                odd = [repr(text) for text in self.labels if not measure.reads(text)][:3]
                self.tell(
                    f"{self.times(measure.records)} of {self.times(self.filled)} values of "
                    f"{self.name!r} are {measure.plural} and others are not, as {', '.join(odd)}; "
                    "they were read as labels.",
                    types={self.name: measure.type},
                )
            return False
        if measure.type == "number" and not chosen and self._is_code():
            self.type = "identifier"
            return True
        self.type, self.sql, self.plural = measure.type, measure.sql, measure.plural
        if measure.type == "number":
            self._tell_numbers(measure, options.writing)
        return True

    def _measures(self, options: ReadOptions) -> list[_Measure]:
        """List the ways to read numbers and dates."""
        source, writing = self.source, options.writing
        if self.kind == "number":
            finite = f"CASE WHEN isfinite(CAST({source} AS DOUBLE)) THEN {source} END"
            return [_Measure("number", finite, "", lambda _: True, self.filled)]
        measures = []
        for macro, one in (("number", writing), ("other_number", other_writing(writing))):
            reads = partial(is_number, writing=one)
            good = sum(n for text, n in self.labels.items() if reads(text))
            measures.append(_Measure("number", f"{macro}({source})", "numbers", reads, good))
            if good >= ENOUGH * self.filled:
                return measures
        if 2 * sum(n for t, n in self.labels.items() if _DATED.match(t)) < self.filled:
            return measures
        for form in self._date_forms(day_first=options.delimiter == ";" or writing[0] == ","):
            reads = partial(_is_date, form=form)
            good = sum(n for text, n in self.labels.items() if reads(text))
            measures.append(_Measure("date", _date_sql(form, source), "dates", reads, good))
        return measures

    def _date_forms(self, *, day_first: bool) -> list[str]:
        """List the ways to write dates, one alone of two that fit equally."""
        forms = list(_DATES)
        day, month = ({t for t in self.labels if _is_date(t, form)} for form in forms[2:4])
        if day and day == month:
            forms.remove(forms[3 if day_first else 2])
            self.tell(
                f"Dates of {self.name!r} fit day first and month first; the "
                f"{'day' if day_first else 'month'} was read first.",
                types={self.name: "category"},
            )
        return forms

    def _is_code(self) -> bool:
        """Tell digits that name: leading zeros, too many, or keys that count the records."""
        digits = (re.sub(r"\D", "", re.split("[.eE]", text)[0]) for text in self.labels)
        zeros = any(re.match(r"[+-]?0\d", text) for text in self.labels)
        if zeros or max(map(len, digits)) > 15:
            self.tell(
                f"{self.name!r} has digits with leading zeros or too many for a number; they were "
                "read as names.",
                types={self.name: "number"},
            )
            return True
        whole = all(re.fullmatch(r"\d+", text) for text in self.labels)
        if not whole or len(self.labels) < min(self.records, MOST_LABELS) or self.records < 3:
            return False
        numbers = list(map(int, self.labels))  # in the order of the records
        running = numbers[0] <= self.step and len({b - a for a, b in pairwise(numbers)}) == 1
        return bool(_KEY.search(self.name)) or (running and self.records >= 10)

    def _tell_numbers(self, measure: _Measure, writing: Writing) -> None:
        """Tell of another decimal sign, of per cent, and of usual signs for a missing value."""
        if measure.sql.startswith("other_number"):
            writing = other_writing(writing)
            self.tell(
                f"{self.name!r} has another decimal sign than the other columns, as in "
                f"{next(filter(measure.reads, self.labels))!r}; both were read as numbers.",
                types={self.name: "category"},
            )
        percent = sum(n for text, n in self.labels.items() if text.endswith("%"))
        if 0 < percent < self.filled:
            self.tell(f"Some values of {self.name!r} have a % and others none.")
        writing = writing if self.kind == "text" else WRITINGS[0]
        values = {text: value(text, writing) for text in self.labels if is_number(text, writing)}
        counts: Counter[float] = Counter()
        for text, number in values.items():
            counts[number] += self.labels[text]
        often = max(3, 0.002 * self.filled)
        usual = {one for one, count in counts.items() if one in _SENTINELS and count >= often}
        rest = counts.keys() - usual
        if not usual or len(rest) < 2:
            return
        low, high = min(rest), max(rest)
        texts = [
            t for t, x in values.items() if x in usual and (x < 0 <= low or x > 2 * high - low)
        ]
        if texts:
            listed = ", ".join(
                f"{text} ({self.times(self.labels[text])} records)" for text in texts
            )
            self.tell(
                f"{listed} of {self.name!r} may stand for a missing value; all others lie between "
                f"{low:g} and {high:g}.",
                missing={self.name: texts},
            )

    def _labelled(self, chosen: ColumnType | None) -> None:
        """Read booleans or labels."""
        if chosen == "boolean" or (not chosen and {t.lower() for t in self.labels} <= _BOOLEANS):
            word = f"lower({self.sql})"
            self.type, self.plural = "boolean", "true or false"
            self.sql = (
                f"CASE WHEN {word} IN ('true', 't', 'yes', 'y', '1') THEN true "
                f"WHEN {word} IN ('false', 'f', 'no', 'n', '0') THEN false END"
            )
            return
        self.type = chosen if chosen in ("category", "identifier", "text") else self._words()
        normal = {unicodedata.normalize("NFC", text) for text in self.labels}
        if normal != self.labels.keys():
            self.sql = f"nfc_normalize({self.sql})"
            self.tell(
                f"Labels of {self.name!r} that look alike but are coded in two ways were made one."
            )
        if self.type != "category":
            return
        folded = Counter(text.casefold() for text in normal)
        if twins := sorted(text for text in normal if folded[text.casefold()] > 1):
            listed = ", ".join(map(repr, twins[:4]))
            self.tell(f"Labels of {self.name!r} differ in capitals alone: {listed}.")
        if several := _several(self.labels):
            self.tell(f"Cells of {self.name!r} hold several answers, as {several!r}.")

    def _words(self) -> ColumnType:
        count = len(self.labels)
        long = sum(map(len, self.labels)) / count >= 40
        if not self.complete or (count >= 0.95 * self.present and self.present >= 20):
            return "text" if long else "identifier"
        return "text" if count > 1_000 or (long and count > 20) else "category"


_BOOLEANS = {"true", "false"}


def other_writing(writing: Writing) -> Writing:
    """Return the writing with the other decimal sign."""
    return ("." if writing[0] == "," else ",", "")


def _is_date(text: str, form: str) -> bool:
    if not _DATES[form].fullmatch(text):
        return False
    day, month = (int(part) for part in re.split(r"\D", text)[:2])
    if form.startswith("%m"):
        day, month = month, day
    return form.startswith("%Y") or (day <= 31 and month <= 12)


def _date_sql(form: str, text: str) -> str:
    if form == _ISO:  # a cast to TIMESTAMP alone would leave out the offset from UTC
        return (
            f"CASE WHEN regexp_matches({text}, ':.*([+-]\\d\\d|Z)') "
            f"THEN make_timestamp(epoch_us(TRY_CAST({text} AS TIMESTAMPTZ))) "
            f"ELSE TRY_CAST({text} AS TIMESTAMP) END"
        )
    forms = ", ".join(f"'{form}{time}'" for time in ("", " %H:%M", " %H:%M:%S"))
    return f"try_strptime(replace({text}, 'T', ' '), [{forms}])"


def _several(labels: dict[str, int]) -> str:
    """Find a label that joins answers which recur in others, "" for none."""
    for sign in ";|,":
        joined = [text for text in labels if sign in text]
        parts = Counter(part.strip() for text in labels for part in set(text.split(sign)))
        recur = all(parts[part.strip()] > 1 for text in joined for part in text.split(sign))
        if len(joined) > 1 and recur:
            return joined[0]
    return ""


def profile(
    db: duckdb.DuckDBPyConnection, kinds: Sequence[str], names: Sequence[str]
) -> list[Column]:
    """Return the columns with their labels, of at most 50 000 records, taken evenly."""
    ((count,),) = db.execute("SELECT count(*) FROM records").fetchall()
    step = max(1, -(-count // max(1_000, min(SAMPLE, CELLS // len(names)))))
    db.execute(f"CREATE TEMP TABLE profiled AS FROM records WHERE rn % {step} = 0")
    columns = []
    for place, cells in enumerate(db.sql("SELECT * EXCLUDE rn FROM profiled").to_arrow_table()):
        column = Column(names[place], kinds[place], place, text=f"c{place}", step=step)
        columns.append(column)
        column.records, column.present = len(cells), len(cells) - cells.null_count
        if column.kind in ("text", "number"):
            counts = pc.value_counts(cells.drop_null().combine_chunks())
            # A stable sort: labels of equal counts stay in the order of the records.
            order = pc.array_sort_indices(counts.field("counts"), order="descending")
            often = counts.take(order[:MOST_LABELS])
            texts = often.field("values").cast(pa.string()).to_pylist()
            column.labels = dict(zip(texts, often.field("counts").to_pylist(), strict=True))
            column.complete = len(counts) <= MOST_LABELS
    return columns


def guess_writing(
    columns: Sequence[Column], options: ReadOptions, fixed: frozenset[str]
) -> ReadOptions:
    """Return options with the decimal sign and the sign of thousands that fit most columns."""
    if {"decimal", "thousands"} & fixed:
        return options
    texts = [column.labels for column in columns if column.kind == "text"]
    values = ({t: n for t, n in labels.items() if not is_blank(t)} for labels in texts)
    decimal, thousands = best_writing(values, comma_first=options.delimiter == ";")
    return options.changed(decimal=decimal, thousands=thousands)


def decide(db: duckdb.DuckDBPyConnection, columns: Sequence[Column], options: ReadOptions) -> None:
    """Decide the type, the SQL and the notices of each column.

    A column of which 95 % of the values are numbers, or dates, is one; the others are missing. Of
    one where half of them are, a notice tells.
    """
    db.execute(number_macro("number", options.writing))
    db.execute(number_macro("other_number", other_writing(options.writing)))
    types, missing = dict(options.types), dict(options.missing)
    for column in columns:
        column.drop_missing(options.writing, missing.get(column.name))
        column.decide(options, types.get(column.name))
    _tell_ambiguous(columns, options)


def _tell_ambiguous(columns: Sequence[Column], options: ReadOptions) -> None:
    """Tell where a number may be a thousand times another one.

    That is so of ``1,234``, unless the same sign in ``0,460`` or ``1,234,567`` shows what it is.
    """
    writing = options.writing
    proven = {"."} if options.delimiter == "," and options.decimal == "." else set()
    doubtful: list[tuple[str, Column, str]] = []
    for column in columns:
        if column.kind != "text" or not column.sql.startswith("number("):
            continue
        for sign in filter(None, writing):
            texts = [t for t in column.labels if sign in t and is_number(t, writing)]
            if texts and all(is_ambiguous(text, writing) for text in texts):
                doubtful.append((sign, column, texts[0]))
            elif texts:
                proven.add(sign)
    for sign, column, text in doubtful:
        if sign not in proven:
            decimal = other_writing((sign, ""))[0] if sign == options.decimal else sign
            other = (decimal, sign if sign == options.decimal else "")
            column.tell(
                f"{text!r} in {column.name!r} was read as {value(text, writing):.10g}; it may be "
                f"{value(text, other):.10g}.",
                decimal=other[0],
                thousands=other[1],
            )
