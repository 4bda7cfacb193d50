"""What each column is, by one rule, and the SQL expression that reads it."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from distpriv.errors import ReadError
from distpriv.tables.numbers import (
    ENOUGH,
    UNIT,
    WRITINGS,
    Writing,
    beside,
    compiled,
    core,
    is_ambiguous,
    is_number,
    minutes,
    minutes_sql,
    number,
    number_macro,
    other,
    plain,
    plain_sql,
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
    {"NA", "N/A", "n/a", "<NA>", "\\N", "NULL", "null", "NaN", "nan", "?", "#N/A", "#NA", "#NULL!"}
    | {"#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "#NAME?"}
)
# Missing among numbers and dates; elsewhere they are answers.
_WORDS = frozenset(
    {"inf", "-inf", "infinity", "-infinity", "none", "unknown", "missing", "refused", "nil", "unk"}
    | {"unspecified", "undefined", "-", "--", ".", "..", "...", "*", "**", "***", "#", "tba", "tbd"}
    | {"not available", "not applicable", "not stated", "not known", "not recorded", "no data"}
    | {"don't know", "do not know", "no answer", "no response", "not answered", "not reported"}
    | {"prefer not to say", "prefer not to answer", "rather not say", "declined", "dk", "withheld"}
    | {"suppressed", "refused to answer", "n.a.", "(x)", "(na)", "k.a.", "keine angabe"}
    | {"keine antwort", "unbekannt", "verweigert"}
    | {"weiß nicht", "weiss nicht", "inconnu", "ne sait pas", "sans réponse", "non renseigné"}
    | {"refus", "nsp", "n.d.", "n/d", "desconocido", "no sabe", "no contesta", "no responde"}
    | {"ns/nc", "sin dato", "sin datos", "s/d", "não sabe", "não informado", "sem informação"}
    | {"desconhecido", "non so", "non risponde", "sconosciuto", "onbekend", "weet niet", "n.v.t."}
    | {"geen antwoord", "brak danych", "nie wiem", "okänd", "vet ej", "ukendt", "ved ikke"}
    | {"bilinmiyor", "неизвестно", "нет данных", "нет ответа", "不明", "無回答", "未知", "拒答"}
)
_TIME = r"([ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?(Z|[+-][0-9]{2}:?[0-9]{2})?)?"
_ISO = "%Y-%m-%d"
_TIMES = "", " %H:%M", " %H:%M:%S"
_MONTHS = "(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
_PARTS = {"%Y": "[0-9]{4}", "%y": "[0-9]{2}", "%b": _MONTHS, "%B": f"{_MONTHS}[A-Za-z]*"}
_NAMED = "%d %B %Y", "%d-%B-%Y", "%d-%b-%y", "%d%b%Y", "%B %d, %Y"
_PAIRS = [  # of forms, day first and month first
    (f"%d{sign}%m{sign}%{year}", f"%m{sign}%d{sign}%{year}") for year in "Yy" for sign in "./-"
]
_DATES = {
    form: re.sub("%[yYbB]", lambda part: _PARTS[part[0]], re.escape(form))
    for form in (_ISO, "%Y/%m/%d", "%Y.%m.%d", *sum(_PAIRS, ()), *_NAMED)
}
_DATES = {form: re.sub("%[dm]", "[0-9]{1,2}", one) + _TIME for form, one in _DATES.items()}
_DATED = re.compile(
    r"[0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]|[0-9]{1,2}[ -]?[A-Za-z]{3,9}[ -]?[0-9]{2}|"
    "[A-Za-z]{3,9} [0-9]{1,2}, [0-9]"
)
_CLOCK = re.compile(r"(?i)\d?\d(:\d\d){0,2} ?[ap]\.?m\.?")
_SENTINELS = {
    *(sign * int(digit * times) for sign in (1, -1) for digit in "789" for times in range(1, 6)),
    *range(-9, 0),
    *(97, 98, 996, 997, 998, 9996, 9997, 9998),
}
_ODD = re.compile(r"^'|\(|.[-−]$|[^\x00-\u065f\D]")  # brackets, minus behind, other digits
_DIGITS = {".": re.compile(r"[+-]?[0-9]+(\.[0-9]*)?"), ",": re.compile("[+-]?[0-9]+")}
_ZEROS = re.compile(r"[+-]?0\d")
SPANS = "spans of time"
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
    return not text or text in _TOKENS or _is_word(text)


def _is_word(text: str) -> bool:
    return text.lower().replace("’", "'") in _WORDS


class _Measure(NamedTuple):
    """One way to read a column, the texts it reads, and how many records have them.

    Of numbers also: records without a flag, and records with any flag or unit; texts with a flag,
    and those with a unit.
    """

    type: ColumnType
    sql: str
    plural: str
    reads: dict[str, float]
    records: int
    bare: int
    near: int
    flagged: Sequence[str] = ()
    united: Sequence[str] = ()


@dataclass
class Column:
    """Hold a column while it is decided how to read it.

    The kind is "text", or what the file says that it is. Labels are the commonest ones among the
    profiled records, each `step`-th of the table, with their counts; `complete` if there are no
    others. `text` is SQL of `cell` without signs for missing values, which is called `source`;
    `sql` makes the value of that, NULL where it is missing. `plural` says what the values are,
    where others are missing. `gone` are the labels that stand for a missing value, `usual` the
    texts that do so unless others are chosen.
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
    cell: str = ""
    text: str = ""
    sql: str = ""
    plural: str = ""
    numbers: dict[str, float] = field(default_factory=dict)
    gone: dict[str, int] = field(default_factory=dict)
    usual: set[str] = field(default_factory=set)
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

    def listed(self, counts: Mapping[str, int]) -> str:
        """List labels with the number of records that have them."""
        some = [f"{excerpt(text)} ({self.times(count)})" for text, count in counts.items()]
        return ", ".join(some[:5]) + ", …" * (len(some) > 5)

    def drop_missing(self, writing: Writing, chosen: tuple[str, ...] | None) -> None:
        """Leave out the labels that stand for a missing value, and tell of them."""
        self.text = self.cell = cell = f"c{self.place}"
        self.usual = self._usual(writing) if self.kind == "text" else set()
        gone = self.usual if chosen is None else set(chosen)
        if self.kind == "number":
            same = {number(text, WRITINGS[0]) for text in gone}
            gone |= {text for text in self.labels if number(text, WRITINGS[0]) in same}
        self.gone = {text: n for text, n in self.labels.items() if text in gone}
        if chosen is None and self.step == 1:
            gone = set(self.gone)
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

    def _usual(self, writing: Writing) -> set[str]:
        """Find the texts that usually stand for a missing value."""
        gone, values = set(_TOKENS), set(self.values)
        if len(values) > 2 and all(re.fullmatch(r"[A-Z]{2}", text) for text in values):
            gone.discard("NA")  # Namibia among the codes of countries
        words = set(filter(_is_word, self.labels))
        if words and self.count(self._figures(writing)) >= ENOUGH * self.count(values) > 0:
            gone |= words
        return gone

    def _figures(self, writing: Writing) -> set[str]:
        """Find the labels that are numbers, spans of time or dates."""
        numbers = self._numbers("", writing).reads.keys()
        return {t for t in self.labels if t in numbers or _DATED.match(t) or minutes(t, True)}

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
            advice = (
                "; where it holds formulas, open the file in a spreadsheet, save it, and choose it "
                "again"
            )
            self.tell(f"Column {self.name!r} is empty in every record{advice * (not self.gone)}.")
        elif not (self._ticked(chosen) or self._measured(options, chosen)):
            self._labelled(chosen, bool(dict(options.split).get(self.name)))
        if self.type != "date":
            self.notices = [one for one in self.notices if "day_first" not in dict(one.changes)]
        self._tell_missing(options.writing)

    def _tell_missing(self, writing: Writing) -> None:
        """Tell of labels that were read as missing, and of those that may be."""
        kept = {text: n for text, n in self.labels.items() if text in self.usual}
        if self.gone:
            usual = [text for text in self.gone if text in self.usual]
            changes: dict[str, object] = {"missing": {self.name: usual}}
            if len(usual) == len(self.gone):
                changes = {"missing": {self.name: ()}}
                if self.kind == "text" and self.type in ("number", "date"):
                    changes["types"] = {self.name: "category"}
            self.tell(f"Read as missing in {self.name!r}: {self.listed(self.gone)}.", **changes)
        if kept:
            changes = {"missing": {self.name: [*self.gone, *kept]}}
            rest = self.labels.keys() - kept.keys()
            figures = rest & self._figures(writing)
            if self.count(figures) >= ENOUGH * self.count(rest) > 0:
                dates = 2 * self.count(filter(_DATED.match, figures)) > self.count(rest)
                changes["types"] = {self.name: "date" if dates else "number"}
            self.tell(
                f"Usual signs for missing values are labels in {self.name!r}: {self.listed(kept)}.",
                **changes,
            )

    def _ticked(self, chosen: ColumnType | None) -> bool:
        """Read one label and blanks as ticked or not."""
        if chosen or len(self.labels) > 1 or self.kind != "text" or self.present == self.records:
            return False
        ((label, ticked),) = self.labels.items()
        figure = label != "1" and self._figures(WRITINGS[0])
        if ticked < self.present or figure:
            return False
        self.type, self.plural = "boolean", f"{excerpt(label)} or blank"
        self.text = f"coalesce({self.text}, '')"
        self.sql = f"CASE {self.source} WHEN '' THEN false WHEN {literal(label)} THEN true END"
        self.tell(
            f"{self.name!r} is {excerpt(label)} in {self.times(ticked)} records and blank in "
            f"{self.times(self.records - ticked)}; blank was read as not ticked.",
            types={self.name: "category"},
        )
        return True

    def _measured(self, options: ReadOptions, chosen: ColumnType | None) -> bool:
        """Read numbers or dates, if there are enough of them or they are chosen."""
        measures = [m for m in self._measures(options, chosen) if chosen in (None, m.type)]
        measure = max(measures, key=lambda m: m.records, default=None)
        if measure is None:
            return False
        filled = self.count(self.labels)
        if not chosen and measure.records < ENOUGH * filled:
            if measure.near >= 0.5 * filled and measure.bare:
                odd = [t for t in self.labels if t not in measure.reads or t in measure.flagged]
                self.tell(
                    f"{self.times(measure.records)} of {self.times(filled)} values of "
                    f"{self.name!r} are {measure.plural} and others are not, such as "
                    f"{', '.join(map(excerpt, odd[:3]))}; they were read as labels.",
                    types={self.name: measure.type},
                )
            return False
        spans = measure.plural == SPANS
        if measure.type == "number" and not (spans or chosen) and self._is_code():
            self.type = "identifier"
            return True
        self.type, self.sql, self.plural = measure.type, measure.sql, measure.plural
        if measure.type == "number":
            self._tell_numbers(measure)
        return True

    def _measures(self, options: ReadOptions, chosen: ColumnType | None) -> list[_Measure]:
        """List the ways to read numbers and dates."""
        source, filled = self.source, self.count(self.labels)
        if self.kind == "number":
            finite = f"CASE WHEN isfinite(CAST({source} AS DOUBLE)) THEN {source} END"
            numbers = self.read(WRITINGS[0])
            return [_Measure("number", finite, "", numbers, filled, filled, filled)]
        measures = []
        for macro, one in (("number", options.writing), ("other_number", other(options.writing))):
            measures.append(self._numbers(macro, one))
            if measures[-1].records >= ENOUGH * filled and chosen != "date":
                return measures
        short = any(text.count(":") == 2 for text in self.labels)
        spans = {t: span for t in self.labels if (span := minutes(t, short)) is not None}
        if good := self.count(spans):
            sql = minutes_sql(source, short)
            measures.append(_Measure("number", sql, SPANS, spans, good, good, good))
        if chosen == "date" or 2 * self.count(filter(_DATED.match, self.labels)) >= filled:
            for form in self._date_forms(options):
                dates = {text: 0.0 for text in self.labels if _is_date(text, form)}
                good = self.count(dates)
                sql = _date_sql(form, source)
                measures.append(_Measure("date", sql, "dates", dates, good, good, good))
        return measures

    def _numbers(self, macro: str, writing: Writing) -> _Measure:
        """Measure numbers, also those with a unit, and with a flag where these are not the most."""
        cell, numbers = self.source, self.read(writing)
        if not all(map(str.isascii, self.labels)):
            cell = plain_sql(cell, writing)
        sql = f"{macro}({cell})"
        profiled = self.step == 1 and self.complete
        if profiled and all(map(_DIGITS[writing[0]].fullmatch, self.labels)):
            sql = f"TRY_CAST({cell} AS DOUBLE)"
        bare = near = self.count(numbers)
        rest = {t: plain(t, writing) for t in self.labels if t not in numbers and len(t) <= 60}
        pattern = compiled(beside(writing))
        units = {text: _unit(m) for text, one in rest.items() if (m := pattern.fullmatch(one))}
        if not units:
            return _Measure("number", sql, "numbers", numbers, bare, bare, bare)
        counts = Counter(dict.fromkeys(filter(None, units.values()), 0))
        for text, one in units.items():
            counts[one] += self.labels[text]
            near += self.labels[text] if UNIT.fullmatch(one) else 0
        del counts[""]
        unit = max(counts, key=counts.__getitem__, default="")
        exact = beside(writing, unit and re.escape(unit) + r"s?\.?")
        flagged, united = list[str](), list[str]()
        for text, one in rest.items():
            match = compiled(exact).fullmatch(one)
            value = number(match["number"], writing) if match else None
            if match and value is not None:
                numbers[text] = value
                (flagged if match["flag"] or match["mark"] else united).append(text)
        bare += self.count(united)
        beside_it = f"regexp_extract({cell}, {literal(f'^(?:{exact})$')}, 3)"
        sql = f"coalesce({sql}, {macro}({beside_it}))"
        good = self.count(numbers)
        records = good if 2 * bare >= self.count(self.labels) else bare
        plural = f"numbers with the unit {unit!r}" if united else "numbers"
        near = max(near, good)
        return _Measure("number", sql, plural, numbers, records, bare, near, flagged, united)

    def _date_forms(self, options: ReadOptions) -> list[str]:
        """List the ways to write dates, one alone of two that fit equally."""
        forms = list(_DATES)
        for pair in _PAIRS:
            day, month = ([t for t in self.labels if _is_date(t, form)] for form in pair)
            if day and day == month:
                usual = options.delimiter == ";" or options.decimal == "," or "/" not in pair[0]
                first = usual if options.day_first is None else options.day_first
                forms.remove(pair[first])
                ways = {text: [_written(text, form) for form in pair] for text in day}
                if text := next((one for one, (a, b) in ways.items() if a != b), ""):
                    self.tell(
                        f"{self.times(self.count(day))} dates of {self.name!r} fit day first and "
                        f"month first: {text!r} was read as {ways[text][not first]}; it may be "
                        f"{ways[text][first]}.",
                        day_first=not first,
                    )
        return forms

    def shows_day_first(self) -> bool | None:
        """Tell whether dates fit day first alone, or month first alone; else None."""
        dated = list(filter(_DATED.match, self.labels))
        for pair in _PAIRS:
            day, month = (self.count(t for t in dated if _is_date(t, f)) for f in pair)
            if day != month and max(day, month) >= ENOUGH * self.count(self.labels):
                return day > month
        return None

    def _is_code(self) -> bool:
        """Tell digits that name: leading zeros, too many, or keys that count the records."""
        digits = all(map(str.isdecimal, self.labels))
        odd = [text for text in self.labels if _ZEROS.match(text) or _digits(text) > 15]
        if odd:
            self.tell(
                f"{self.times(self.count(odd))} values of {self.name!r} have leading zeros or too "
                f"many digits for a number, such as {odd[0]!r}; all were read as names.",
                types={self.name: "number"},
            )
            return True
        if not digits or len(self.labels) < min(self.records, MOST_LABELS) or self.records < 3:
            return False
        numbers = list(map(int, self.labels))  # in the order of the records
        running = numbers[0] <= self.step and len({b - a for a, b in pairwise(numbers)}) == 1
        return bool(KEY.search(self.name)) or (running and self.records >= 10)

    def _tell_numbers(self, measure: _Measure) -> None:
        """Tell how numbers are written, and of usual signs for a missing value."""
        labels: dict[str, object] = {"types": {self.name: "category"}}
        missing = {"missing": {self.name: [*self.gone, *measure.flagged]}}
        swapped, spans = "other_number" in measure.sql, measure.plural == SPANS
        flags = {*measure.flagged, *measure.united}
        odd = [text for text in measure.reads if text not in flags and _ODD.search(text)]
        percent = [text for text in measure.reads if text.endswith("%")]
        for texts, what, changes in (
            (measure.flagged, "have a flag and count as the number in it", missing),
            (measure.united, f"are {measure.plural}, which was left out", labels),
            (percent * (len(percent) < len(measure.reads)), "have a % and others none", labels),
            (odd, "are written in an unusual way", labels),
            (list(measure.reads) * spans, "are spans of time, read as minutes", labels),
            (list(measure.reads) * swapped, "have another decimal sign than others", labels),
        ):
            if texts:
                ways = (f"{excerpt(text)} as {measure.reads[text] + 0:.10g}" for text in texts[:3])
                self.tell(
                    f"{self.times(self.count(texts))} of {self.times(self.count(self.labels))} "
                    f"values of {self.name!r} {what}: {', '.join(ways)}.",
                    **changes,
                )
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
                missing={self.name: [*self.gone, *texts]},
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
        if coded := [text for text in self.labels if text not in normal]:
            self.sql = f"nfc_normalize({self.sql})"
            self.tell(
                f"Labels of {self.name!r} in {self.times(self.count(coded))} records look like "
                "others but were coded otherwise; they were made one."
            )
        times = list(filter(_CLOCK.fullmatch, self.labels))
        if 2 * self.count(times) > self.count(self.labels):
            self.tell(
                f"Times of day in {self.name!r} were read as labels, such as {excerpt(times[0])}; "
                "to read them as minutes, write them without AM and PM."
            )
        if self.type != "category":
            return
        folded = Counter(text.casefold() for text in normal)
        if twins := {t: n for t, n in self.labels.items() if folded[t.casefold()] > 1}:
            self.tell(f"Labels of {self.name!r} differ in capitals alone: {self.listed(twins)}.")
        if not split and (sign := _separator(normal)):
            joined = [text for text in self.labels if sign in text]
            self.tell(
                f"{self.times(self.count(joined))} cells of {self.name!r} hold several answers, "
                f"such as {excerpt(joined[0])}; each can be a column of its own.",
                split={self.name: sign},
            )

    def answers(self, sign: str, place: int, names: Collection[str]) -> list[Column]:
        """Return a column of booleans for each answer that a sign separates from others."""
        counts: Counter[str] = Counter()
        for text, count in self.labels.items():
            parts = unicodedata.normalize("NFC", text).split(sign)
            counts.update(dict.fromkeys(filter(None, map(str.strip, parts)), count))
        pattern = literal(f"{_BLANKS}{re.escape(sign)}{_BLANKS}")
        split = f"string_split_regex(nfc_normalize(CAST({{}} AS VARCHAR)), {pattern})"
        columns: list[Column] = []
        for answer, _ in counts.most_common(MOST_ANSWERS):
            name = f"{self.name}: {answer}"
            while name in names:
                name += " (2)"
            one = replace(self, name=name, place=place + len(columns))
            one.notices, one.type = [], "boolean"
            one.sql = f"list_contains({split.format(one.source)}, {literal(answer)})"
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


def _unit(match: re.Match[str]) -> str:
    """Return the unit beside a number, in the singular."""
    unit = (match["unit"] or match["other"] or "").lower().rstrip(".")
    return unit.removesuffix("s") if len(unit) > 2 else unit


def _digits(text: str) -> int:
    """Count the digits of a whole number, or before the decimal sign."""
    return len(re.sub(r"\D", "", re.split("[.eE]", text)[0])) if len(text) > 15 else 0


def _is_date(text: str, form: str) -> bool:
    if not compiled(_DATES[form]).fullmatch(text):
        return False
    first, second = re.split("[^0-9]+", text)[:2]
    ends = (12, 31) if form.startswith("%m") else (31, 12)
    return (
        form.startswith("%Y")
        or form in _NAMED
        or (0 < int(first) <= ends[0] and 0 < int(second) <= ends[1])
    )


def _written(text: str, form: str) -> str:
    """Write the day of a date as ISO does."""
    try:
        return datetime.strptime(re.split("[ T]", text)[0], form).date().isoformat()
    except ValueError:  # the year 0
        return text


def _date_sql(form: str, text: str) -> str:
    forms = [one + time for one in (form, form.replace("%B", "%b")) for time in _TIMES]
    spaced = f"regexp_replace({text}, '([0-9])T', '\\1 ')"
    sql = f"try_strptime({spaced}, {list(dict.fromkeys(forms))})"
    if form == _ISO:  # a cast to TIMESTAMP alone would leave out the offset from UTC
        sql = (
            f"CASE WHEN regexp_matches({text}, ':.*([+-]\\d\\d|Z)') "
            f"THEN make_timestamp(epoch_us(TRY_CAST({text} AS TIMESTAMPTZ))) "
            f"ELSE TRY_CAST({text} AS TIMESTAMP) END"
        )
    # DuckDB reads 20 as a year, and "epoch" as a date.
    return f"CASE WHEN regexp_full_match({text}, '{_DATES[form]}') THEN {sql} END"


def _separator(labels: Iterable[str]) -> str:
    """Find the sign between answers of which most recur in other labels, "" for none."""
    for sign in ";|,":
        joined = [text for text in labels if sign in text]
        parts = Counter(part.strip() for text in labels for part in set(text.split(sign)))
        ones = [part.strip() for text in joined for part in text.split(sign)]
        shared = all(any(parts[one.strip()] > 1 for one in text.split(sign)) for text in joined)
        often = sum(parts[one] > 1 for one in ones) >= 0.9 * len(ones)
        if len(joined) > 1 and (often or (shared and sign != ",")):
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
        if pa.types.is_dictionary(cells.type):
            cells = cells.cast(pa.string())
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
        cores = {text: core(text) for text in texts}
        signed = {text: one for text, one in cores.items() if "." in one or "," in one}
        bare = cores.keys() - signed
        digits = column.count(text for text in bare if is_number(cores[text], WRITINGS[0]))
        least = ENOUGH * column.count(texts)
        for writing in order if digits + column.count(signed) >= max(1, least) else ():
            good = digits + column.count(t for t, one in signed.items() if is_number(one, writing))
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
    types, missing, split = dict(options.types), dict(options.missing), dict(options.split)
    place = max((column.place for column in columns), default=0) + 1
    added: list[Column] = []
    for column in columns:
        column.drop_missing(options.writing, missing.get(column.name))
    orders = {column.shows_day_first() for column in columns} - {None}
    if options.day_first is None and len(orders) == 1:
        options = options.changed(day_first=orders.pop())
    for column in columns:
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
    doubtful: list[tuple[str, Column, list[str]]] = []
    for column in columns:
        if not column.sql.startswith(("number(", "coalesce(number(", "TRY_CAST(")):
            continue
        for sign in filter(None, writing):
            texts = [text for text in column.numbers if sign in core(text)]
            if texts and all(is_ambiguous(core(text), writing) for text in texts):
                doubtful.append((sign, column, texts))
            elif texts:
                proven.add(sign)
    for sign, column, texts in doubtful:
        if sign not in proven:
            way = (other((sign, ""))[0], sign) if sign == options.decimal else (sign, "")
            one = column.numbers[texts[0]]
            column.tell(
                f"{excerpt(texts[0])} in {column.name!r} was read as {one:.10g}; it may be "
                f"{number(core(texts[0]), way):.10g} "
                f"(so written: {column.times(column.count(texts))} records).",
                decimal=way[0],
                thousands=way[1],
            )
