"""What each column is, by one rule, and the SQL expression that reads it."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from distpriv.errors import ReadError
from distpriv.tables.numbers import (
    ENOUGH,
    WRITINGS,
    Writing,
    is_ambiguous,
    is_number,
    number,
    number_macro,
    other,
)
from distpriv.tables.options import ColumnType, Notice, ReadOptions, excerpt
from distpriv.tables.rows import KEY

__all__ = ["Column", "decide", "guess_writing", "is_blank", "literal", "profile", "quoted"]
__all__ += ["selected", "stride"]

MOST_LABELS = 2_000
SAMPLE = 50_000  # records that are profiled; all are checked once they are read
CELLS = 10_000_000  # that are profiled in all
MOST_ANSWERS = 30  # of a column of several answers that become columns
_BLANKS = r"[\pZ\s\v\x1c-\x1f\x85]*"
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
_SENTINELS = {
    *(sign * int(digit * times) for sign in (1, -1) for digit in "789" for times in range(1, 6)),
    *range(-9, 0),
    *(97, 98, 996, 997, 998, 9996, 9997, 9998),
}
_BOOLEANS = {"true", "false"}


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
    reads: dict[str, float]
    records: int


@dataclass
class Column:
    """Hold a column while it is decided how to read it.

    The kind is "text", or what the file says that it is. Labels are the commonest ones among the
    profiled records, each `step`-th of the table, with their counts; `complete` if there are no
    others. `text` is SQL of the cells without signs for missing values, which is called `source`;
    `sql` makes the value of that, NULL where it is missing. `plural` says what the values are,
    where others are missing.
    """

    name: str
    kind: str
    place: int
    labels: dict[str, int]
    present: int
    records: int
    complete: bool
    step: int
    type: ColumnType = "text"
    text: str = ""
    sql: str = ""
    plural: str = ""
    numbers: dict[str, float] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)

    @property
    def source(self) -> str:
        """Name of the cells without signs for missing values."""
        return f"t{self.place}"

    @cached_property
    def values(self) -> list[str]:
        """Labels that are no sign for a missing value."""
        return [text for text in self.labels if not is_blank(text)]

    def count(self, texts: Iterable[str]) -> int:
        """Count the profiled records with one of the labels."""
        return sum(self.labels[text] for text in texts)

    def times(self, count: int) -> str:
        """Write a number of profiled records as one of all records."""
        return str(count) if self.step == 1 else f"about {count * self.step}"

    def read(self, writing: Writing) -> dict[str, float]:
        """Return the labels that are numbers, and the numbers."""
        pairs = ((text, number(text, writing)) for text in self.labels)
        return {text: one for text, one in pairs if one is not None}

    def tell(self, text: str, **changes: object) -> None:
        """Add a notice."""
        self.notices.append(Notice(text, self.name, tuple(changes.items())))

    def drop_missing(self, writing: Writing, chosen: tuple[str, ...] | None) -> None:
        """Leave out the labels that stand for a missing value."""
        self.text = cell = f"c{self.place}"
        found = self._missing(writing) if chosen is None and self.kind == "text" else set()
        gone = found | set(chosen or ())
        self.labels = {text: n for text, n in self.labels.items() if text not in gone}
        if self.kind == "number":
            numbers = (number(text, WRITINGS[0]) for text in gone)
            absent = f"{cell} IN ({', '.join(repr(one) for one in numbers if one is not None)})"
        else:
            # One constant: DuckDB plans lists of them in the square of their number.
            pattern = literal("|".join(map(re.escape, sorted(gone))))
            longest = max((len(text.encode()) for text in gone), default=0)
            absent = f"strlen({cell}) <= {longest} AND regexp_full_match({cell}, {pattern})"
        if gone:
            self.text = f"CASE WHEN {absent} THEN NULL ELSE {cell} END"

    def _missing(self, writing: Writing) -> set[str]:
        """Find the texts that stand for a missing value, and tell of those that are there."""
        gone, values = set(_TOKENS), set(self.values)
        if len(values) > 2 and all(re.fullmatch(r"[A-Z]{2}", text) for text in values):
            gone.discard("NA")  # Namibia among the codes of countries
        words = {text for text in self.labels if text.lower() in _WORDS}
        if words and values:
            measured = values & self.read(writing).keys() | set(filter(_DATED.match, values))
            if self.count(measured) >= ENOUGH * self.count(values):
                gone |= words
        if present := [text for text in self.labels if text in gone]:
            counts = (f"{text!r} ({self.times(self.labels[text])})" for text in present[:5])
            verb = "was" if len(present) == 1 else "were"
            self.tell(
                f"{', '.join(counts)} of {self.name!r} {verb} read as missing.",
                missing={self.name: ()},
            )
        return gone if self.step > 1 else set(present)

    def decide(self, options: ReadOptions, chosen: ColumnType | None) -> None:
        """Set type and SQL."""
        self.sql = f"CAST({self.source} AS VARCHAR)"
        if self.kind in ("boolean", "date"):
            if chosen in ("category", "identifier", "text"):
                self.type = chosen
            else:
                self.type, self.sql = "boolean" if self.kind == "boolean" else "date", self.source
        elif not self.labels:
            self.type = chosen or "text"
            self.tell(
                f"Column {self.name!r} is empty in every record; where it holds formulas, open "
                "the file in a spreadsheet, save it, and choose it again."
            )
        elif not (self._ticked(chosen) or self._measured(options, chosen)):
            self._labelled(chosen, bool(dict(options.split).get(self.name)))

    def _ticked(self, chosen: ColumnType | None) -> bool:
        """Read one label and blanks as ticked or not."""
        if chosen or len(self.labels) > 1 or self.kind != "text" or self.present == self.records:
            return False
        ((label, ticked),) = self.labels.items()
        if ticked < self.present:
            return False
        self.type, self.plural = "boolean", f"{excerpt(label)} or blank"
        self.text = f"coalesce({self.text}, '')"
        self.sql = f"CASE {self.source} WHEN '' THEN false WHEN {literal(label)} THEN true END"
        self.tell(
            f"{self.name!r} is {excerpt(label)} or blank; blank was read as not ticked.",
            types={self.name: "category"},
        )
        return True

    def _measured(self, options: ReadOptions, chosen: ColumnType | None) -> bool:
        """Read numbers or dates, if there are enough of them or they are chosen."""
        measures = [m for m in self._measures(options) if chosen in (None, m.type)]
        measure = max(measures, key=lambda m: m.records, default=None)
        if measure is None:
            return False
        filled = self.count(self.labels)
        if not chosen and measure.records < ENOUGH * filled:
            if measure.records >= 0.5 * filled:
                odd = [excerpt(text) for text in self.labels if text not in measure.reads][:3]
                self.tell(
                    f"{self.times(measure.records)} of {self.times(filled)} values of "
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
            self._tell_numbers(measure)
        return True

    def _measures(self, options: ReadOptions) -> list[_Measure]:
        """List the ways to read numbers and dates."""
        source, filled = self.source, self.count(self.labels)
        if self.kind == "number":
            finite = f"CASE WHEN isfinite(CAST({source} AS DOUBLE)) THEN {source} END"
            return [_Measure("number", finite, "", self.read(WRITINGS[0]), filled)]
        measures = []
        for macro, one in (("number", options.writing), ("other_number", other(options.writing))):
            numbers = self.read(one)
            good = self.count(numbers)
            measures.append(_Measure("number", f"{macro}({source})", "numbers", numbers, good))
            if good >= ENOUGH * filled:
                return measures
        if 2 * self.count(filter(_DATED.match, self.labels)) >= filled:
            for form in self._date_forms(day_first=options.delimiter == ";" or one[0] == "."):
                dates = {text: 0.0 for text in self.labels if _is_date(text, form)}
                sql = _date_sql(form, source)
                measures.append(_Measure("date", sql, "dates", dates, self.count(dates)))
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
        whole = all(text.isdigit() for text in self.labels)
        zeros = any(map(re.compile(r"[+-]?0\d").match, self.labels))
        if zeros or any(
            len(text) > 15 and len(re.sub(r"\D", "", re.split("[.eE]", text)[0])) > 15
            for text in self.labels
        ):
            self.tell(
                f"{self.name!r} has digits with leading zeros or too many for a number; they were "
                "read as names.",
                types={self.name: "number"},
            )
            return True
        if not whole or len(self.labels) < min(self.records, MOST_LABELS) or self.records < 3:
            return False
        numbers = list(map(int, self.labels))  # in the order of the records
        running = numbers[0] <= self.step and len({b - a for a, b in pairwise(numbers)}) == 1
        return bool(KEY.search(self.name)) or (running and self.records >= 10)

    def _tell_numbers(self, measure: _Measure) -> None:
        """Tell of another decimal sign, of per cent, and of usual signs for a missing value."""
        if measure.sql.startswith("other_number"):
            self.tell(
                f"{self.name!r} has another decimal sign than the other columns, as in "
                f"{next(iter(measure.reads))!r}; both were read as numbers.",
                types={self.name: "category"},
            )
        percent = self.count(text for text in self.labels if text.endswith("%"))
        if 0 < percent < self.count(self.labels):
            self.tell(f"Some values of {self.name!r} have a % and others none.")
        self.numbers = measure.reads
        counts: Counter[float] = Counter()
        for text, one in self.numbers.items():
            counts[one] += self.labels[text]
        often = max(3, 0.002 * self.count(self.labels))
        usual = {one for one, count in counts.items() if one in _SENTINELS and count >= often}
        rest = sorted(counts.keys() - usual)
        if len(rest) < 2:
            return
        low, high = rest[0], rest[-1]
        usual = {one for one in usual if one < 0 <= low or one > 2 * high - low}
        if texts := [text for text, one in self.numbers.items() if one in usual]:
            counted = (f"{text} ({self.times(self.labels[text])} records)" for text in texts)
            self.tell(
                f"{', '.join(counted)} of {self.name!r} may stand for a missing value; all others "
                f"lie between {low:g} and {high:g}.",
                missing={self.name: texts},
            )

    def _labelled(self, chosen: ColumnType | None, split: bool) -> None:
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
        normal = dict.fromkeys(unicodedata.normalize("NFC", text) for text in self.labels)
        if normal.keys() != self.labels.keys():
            self.sql = f"nfc_normalize({self.sql})"
            self.tell(
                f"Labels of {self.name!r} that look alike but are coded in two ways were made one."
            )
        if self.type != "category":
            return
        folded = Counter(text.casefold() for text in normal)
        if twins := sorted(text for text in normal if folded[text.casefold()] > 1):
            listed = ", ".join(map(excerpt, twins[:4]))
            self.tell(f"Labels of {self.name!r} differ in capitals alone: {listed}.")
        if not split and (sign := _separator(normal)):
            joined = [text for text in self.labels if sign in text]
            self.tell(
                f"{self.times(self.count(joined))} cells of {self.name!r} hold several answers, as "
                f"{excerpt(joined[0])}; each can be a column of its own.",
                split={self.name: sign},
            )

    def answers(self, sign: str, place: int, names: Collection[str]) -> list[Column]:
        """Return a column of booleans for each answer that a sign separates from others."""
        counts: Counter[str] = Counter()
        for text, count in self.labels.items():
            parts = unicodedata.normalize("NFC", text).split(sign)
            counts += dict.fromkeys(filter(None, map(str.strip, parts)), count)
        pattern = literal(f"{_BLANKS}{re.escape(sign)}{_BLANKS}")
        parts = f"string_split_regex(nfc_normalize(CAST({{}} AS VARCHAR)), {pattern})"
        columns = []
        for answer, _ in counts.most_common(MOST_ANSWERS):
            name = f"{self.name}: {answer}"
            while name in names:
                name += " (2)"
            one = replace(self, name=name, place=place + len(columns))
            one.notices, one.type = [], "boolean"
            one.sql = f"list_contains({parts.format(one.source)}, {literal(answer)})"
            columns.append(one)
        if not columns:
            raise ReadError(f"{self.name!r} holds no answers that could be split; leave it whole.")
        rest = "" if len(counts) <= MOST_ANSWERS else f" the {MOST_ANSWERS} commonest of"
        self.tell(
            f"{self.name!r} was split at {sign!r}:{rest} its {len(counts)} answers became columns.",
            split={self.name: ""},
        )
        return columns

    def _words(self) -> ColumnType:
        count = len(self.labels)
        long = sum(map(len, self.labels)) / count >= 40
        if not self.complete or (count >= 0.95 * self.present and self.present >= 20):
            return "text" if long else "identifier"
        return "text" if count > 1_000 or (long and count > 20) else "category"


def _is_date(text: str, form: str) -> bool:
    if not _DATES[form].fullmatch(text):
        return False
    first, second = map(int, re.split(r"\D", text)[:2])
    ends = (12, 31) if form.startswith("%m") else (31, 12)
    return form.startswith("%Y") or (first <= ends[0] and second <= ends[1])


def _date_sql(form: str, text: str) -> str:
    if form == _ISO:  # a cast to TIMESTAMP alone would leave out the offset from UTC
        return (
            f"CASE WHEN regexp_matches({text}, ':.*([+-]\\d\\d|Z)') "
            f"THEN make_timestamp(epoch_us(TRY_CAST({text} AS TIMESTAMPTZ))) "
            f"ELSE TRY_CAST({text} AS TIMESTAMP) END"
        )
    forms = ", ".join(f"'{form}{time}'" for time in ("", " %H:%M", " %H:%M:%S"))
    return f"try_strptime(replace({text}, 'T', ' '), [{forms}])"


def _separator(labels: Iterable[str]) -> str:
    """Find the sign between answers that recur in other labels, "" for none."""
    for sign in ";|,":
        joined = [text for text in labels if sign in text]
        parts = Counter(part.strip() for text in labels for part in set(text.split(sign)))
        recur = all(parts[part.strip()] > 1 for text in joined for part in text.split(sign))
        if len(joined) > 1 and recur:
            return sign
    return ""


def stride(records: int, columns: int) -> int:
    """Return the step at which records are taken evenly for a profile, at most 50 000 of them."""
    return max(1, -(-records // max(1_000, min(SAMPLE, CELLS // columns))))


def profile(rows: pa.Table, kinds: Sequence[str], names: Sequence[str], step: int) -> list[Column]:
    """Return the columns with their labels, of each `step`-th record of a table."""
    columns = []
    for place, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        cells = rows.column(place)
        labels, complete = dict[str, int](), True
        if kind in ("text", "number"):
            counts = pc.value_counts(cells.drop_null())
            # A stable sort: labels of equal counts stay in the order of the records.
            order = pc.array_sort_indices(counts.field("counts"), order="descending")
            often = counts.take(order[:MOST_LABELS])
            texts = often.field("values").cast(pa.string()).to_pylist()
            labels = dict(zip(texts, often.field("counts").to_pylist(), strict=True))
            complete = len(counts) <= MOST_LABELS
        present = len(cells) - cells.null_count
        columns.append(Column(name, kind, place, labels, present, len(cells), complete, step))
    return columns


def guess_writing(
    columns: Sequence[Column], options: ReadOptions, fixed: frozenset[str]
) -> ReadOptions:
    """Return options with the writing that makes numbers of most columns, then of most values.

    After a semicolon, a comma rather begins decimals than separates thousands where both fit.
    """
    if {"decimal", "thousands"} & fixed:
        return options
    order = sorted(WRITINGS, key=lambda w: options.delimiter == ";" and w == (".", ","))
    scores = dict.fromkeys(order, (0, 0))
    for column in columns:
        texts = column.values if column.kind == "text" else []
        signed = [text for text in texts if "." in text or "," in text]
        bare = set(texts).difference(signed)
        plain = column.count(text for text in bare if is_number(text, WRITINGS[0]))
        least = ENOUGH * column.count(texts)
        for writing in order if plain + column.count(signed) >= max(1, least) else ():
            good = plain + column.count(text for text in signed if is_number(text, writing))
            if good >= least:
                count, values = scores[writing]
                scores[writing] = (count + 1, values + good)
    decimal, thousands = max(order, key=scores.__getitem__)
    return options.changed(decimal=decimal, thousands=thousands)


def selected(records: str, columns: Mapping[str, Column]) -> str:
    """Return SQL that reads values by name, and rn, from records of cells and their numbers rn."""
    texts = ", ".join(f"{one.text} AS {one.source}" for one in columns.values())
    values = ", ".join(f"{one.sql} AS {name}" for name, one in columns.items())
    return f"SELECT rn, {values} FROM (SELECT rn, {texts} FROM {records})"  # noqa: S608 - quoted


def decide(columns: list[Column], options: ReadOptions) -> str:
    """Decide the type, the SQL and the notices of each column, and return the macros of the SQL.

    A column of which 95 % of the values are numbers, or dates, is one; the others are missing. Of
    one where half of them are, a notice tells. Columns of the answers that `split` names are added.
    """
    names = [column.name for column in columns]
    for name, _ in (*options.missing, *options.types, *options.split):
        if name not in names:
            raise ReadError(f"The table has no column {name!r}; read it without options for that.")
    types, missing, split = map(dict, (options.types, options.missing, options.split))
    place = max((column.place for column in columns), default=0) + 1
    added: list[Column] = []
    for column in columns:
        column.drop_missing(options.writing, missing.get(column.name))
        if sign := split.get(column.name):
            added += column.answers(sign, place + len(added), names)
        column.decide(options, types.get(column.name))
    _tell_ambiguous(columns, options)
    columns += added
    second = number_macro("other_number", other(options.writing))
    return f"{number_macro('number', options.writing)}; {second}"


def _tell_ambiguous(columns: Sequence[Column], options: ReadOptions) -> None:
    """Tell where a number may be a thousand times another one.

    That is so of ``1,234``, unless the same sign in ``0,460`` or ``1,234,567`` shows what it is.
    """
    writing = options.writing
    proven = {"."} if options.delimiter == "," and options.decimal == "." else set()
    doubtful: list[tuple[str, Column, str]] = []
    for column in columns:
        if not column.sql.startswith("number("):
            continue
        for sign in filter(None, writing):
            texts = [text for text in column.numbers if sign in text]
            if texts and all(is_ambiguous(text, writing) for text in texts):
                doubtful.append((sign, column, texts[0]))
            elif texts:
                proven.add(sign)
    for sign, column, text in doubtful:
        if sign not in proven:
            way = (other((sign, ""))[0], sign) if sign == options.decimal else (sign, "")
            column.tell(
                f"{text!r} in {column.name!r} was read as {column.numbers[text]:.10g}; it may be "
                f"{number(text, way):.10g}.",
                decimal=way[0],
                thousands=way[1],
            )
