"""Read random tables in random writings, and hold what is read to what was written.

``make fuzz`` or ``python -m benchmarks.fuzz 0 1000``; a table is made again by its number. A fault
is a crash, a wrong figure without a word, or another reading by `scan`.
"""

from __future__ import annotations

import csv
import sys
import tempfile
from collections import Counter
from io import BytesIO, StringIO
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
import pandas as pd

import distpriv as dp
from distpriv.tables.guard import read_guarded
from tests.tables.test_workbook import workbook

NAMES = (
    'age|pay ($)|born, year|<b>x</b>|size "L"|Größe|n|total|weight|yes/no|rate %|a b|q1|Q1|`x`*y*|_'
)
LABELS = ["red", "dark blue", "x-ray", "q, r", "ünder", "None", "1st", "a;b", "it's", 'the "old"']
KINDS = ["int", "real", "large", "year", "top", "money", "date", "bool", "code", "label"]
SIGNS = ["", "", "NA", "-", "unknown", ".", "n/a", "prefer not to say"]
DATES = ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%Y/%m/%d"]
ENCODINGS = ["utf-8", "utf-8", "utf-8-sig", "cp1252", "utf-16"]


class Table:
    """Hold one random table: its values, their texts, and the file that was written of them."""

    def __init__(self, number: int) -> None:
        rng = self.rng = np.random.default_rng([52, number])
        self.form = self.any(["csv"] * 7 + ["tsv", "xlsx", "parquet", "json"])
        self.decimal, self.group = self.any([".", ","]), "," * int(rng.random() < 0.2)
        signs = list(",,,,;|\t" if self.decimal == "." else ";|\t")
        self.delimiter = "\t" if self.form == "tsv" else self.any(signs)
        self.size = int(np.exp(rng.uniform(2, 6)))
        values, texts = dict[str, pd.Series](), dict[str, pd.Series]()
        for name in map(str, rng.permutation(NAMES.split("|"))[: rng.integers(2, 8)]):
            values[name], texts[name] = self.column(self.any(KINDS), first=not values)
        self.truth, self.texts = pd.DataFrame(values), pd.DataFrame(texts)
        self.data = self.written()

    def any(self, choices: list[str]) -> str:
        return str(self.rng.choice(choices))

    def column(self, kind: str, *, first: bool) -> tuple[pd.Series, pd.Series]:
        rng, size = self.rng, self.size
        absent = rng.random(size) < (0 if first else rng.choice([0, 0, 0.1, 0.4]))
        sign = self.any(SIGNS)
        if kind in ("year", "top"):
            ends = (1990, 2024) if kind == "year" else (18, 92)
            values = pd.Series(rng.integers(*ends, size).astype(float))
            values = values.clip(upper=88 if kind == "top" else None)
            texts = values.astype(int).astype(str).replace("88", "88+")
            sign = "-99" if kind == "top" and absent.sum() > 3 and rng.random() < 0.5 else sign
        elif kind == "date":
            values = pd.Series(np.datetime64("2000-01-01") + rng.integers(0, 9000, size))
            texts = values.dt.strftime(self.any(DATES))
        elif kind in ("bool", "code", "label"):
            some = {"bool": ["True", "False"], "code": [f"{k:05}" for k in range(0, 9999, 7)]}
            drawn = rng.choice(some.get(kind, LABELS[: rng.integers(2, 11)]), size)
            values = texts = pd.Series(drawn, dtype=str)
            sign = ""
        else:
            places = {"int": 0, "money": 2}.get(kind, int(rng.integers(1, 5)))
            normal, scale = rng.normal(0, 1, size), 10 ** rng.uniform(1, 4)
            values = pd.Series(np.exp(9 + normal) if kind == "large" else scale * normal)
            values = values.round(places) + 0.0
            swap = str.maketrans(",.", ",." if self.decimal == "." else ".,")
            unit = self.any([" €", "$", " kg"]) if kind == "money" else ""
            texts = values.map(lambda one: f"{one:{self.group}.{places}f}".translate(swap) + unit)
        return values.mask(absent), texts.mask(absent, sign)

    def written(self) -> bytes:
        dates = [name for name, one in self.truth.items() if one.dtype.kind == "M"]
        plain = self.truth.assign(**{name: self.texts[name] for name in dates})
        plain = plain.astype(object).where(self.truth.notna(), None)
        if self.form == "parquet":
            self.truth.to_parquet(target := BytesIO())
            return target.getvalue()
        if self.form == "json":
            form = self.any(["records", "split", "columns"])
            return str(plain.to_json(orient=form, lines=form == "records")).encode()
        if self.form == "xlsx":
            rows = [list(plain), *plain.to_numpy().tolist()]
            return workbook({"a": [[escape(x) if type(x) is str else x for x in r] for r in rows]})
        numbers = [one.dtype.kind == "f" for _, one in self.truth.items()]
        extra = self.any(["", "", "", "title", "units", "foot", "total"]) if any(numbers) else ""
        above = {"title": [["Survey of the north"], []]}.get(extra, [])
        units = [["cm" * one for one in numbers]] if extra == "units" else []
        below = {"foot": [["Source: register"]], "total": [["Total", *[""] * len(numbers[1:])]]}
        rows = [*above, list(self.texts), *units, *self.texts.to_numpy(), *below.get(extra, [])]
        how = {"delimiter": self.delimiter, "lineterminator": self.any(["\n", "\r\n", "\r"])}
        quoting = int(self.rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
        csv.writer(target := StringIO(newline=""), quoting=quoting, **how).writerows(rows)
        return target.getvalue().encode(self.any(ENCODINGS))


def differs(name: str, frame: pd.DataFrame, values: pd.Series) -> str:
    """Say how a column has other means or shares than were written."""
    values = values.dropna()
    if name not in frame or not len(values):
        return f"{name} is not there; " if len(values) else ""
    column = frame[name].dropna()
    if values.dtype.kind in "iuf":
        same = pd.api.types.is_numeric_dtype(column) and len(column) == len(values)
        same = same and np.allclose(column.mean(), values.mean(), rtol=1e-9, atol=1e-9)
    else:
        shares = [one.astype(str).value_counts() for one in (column, values)]
        same = shares[0][shares[0] > 0].to_dict() == shares[1].to_dict()
    return "" if same else f"{name}: {frame[name].dtype}; "


def faults(table: Table, path: Path, *, guarded: bool) -> tuple[str, str]:
    """Return whether a table is read right, and what is wrong."""
    path.write_bytes(table.data)
    try:
        frame = dp.read_table(table.data)
        notices = dp.how_read(frame)[1]
        wrong = "" if len(frame) == table.size else f"{len(frame)} of {table.size} records; "
        for name, values in table.truth.items():
            if not any(name == one.column or repr(name) in one.text for one in notices):
                wrong += differs(str(name), frame, values)
        if guarded and not frame.equals(read_guarded(table.data, "table")):
            wrong += "another table through the guard; "
    except dp.ReadError as error:
        return "refused", str(error)
    except Exception as error:  # noqa: BLE001
        return "CRASH", f"{type(error).__name__}: {error}"
    try:
        scanned = dp.scan(path).columns(list(frame))
        other = "".join(differs(name, scanned, frame[name]) for name in frame)
        wrong += f"by scan {other}" * bool(other)
    except dp.ReadError:
        pass  # what is no plain table is refused
    return "WRONG" if wrong else "told" if notices else "right", wrong


def main() -> None:
    first, count = map(int, sys.argv[1:] or (0, 1000))
    tally = Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, first + count):
            table = Table(number)
            path = Path(folder) / f"table.{table.form}"
            outcome, text = faults(table, path, guarded=number % 25 == 0)
            tally[outcome] += 1
            if text:
                print(number, outcome, table.form, repr(table.delimiter), text[:300], flush=True)
    print(f"{count} tables from {first}: {dict(tally)}")


if __name__ == "__main__":
    main()
