"""Any file to a table: what is read, and what bad input gets."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from datetime import date
from datetime import time as clock
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pandas.testing import assert_frame_equal

from distpriv.errors import TableError
from distpriv.tables import column_types, digest, parsing, read_table, summarise, types
from tests.tables.examples import ADULT, PEOPLE


def as_parquet(frame: pd.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.to_parquet(buffer)
    return buffer.getvalue()


def as_excel(frame: pd.DataFrame, **options: object) -> bytes:
    buffer = io.BytesIO()
    frame.to_excel(buffer, index=False, **options)
    return buffer.getvalue()


def as_zip(name: str, content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(name, content)
    return buffer.getvalue()


def csv_frame(text: str = PEOPLE) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(text))


FORMATS = {
    "gzip": gzip.compress(PEOPLE.encode()),
    "old line ends": PEOPLE.replace("\n", "\r").encode(),
    "parquet": as_parquet(csv_frame()),
    "excel": as_excel(csv_frame()),
    "excel with a margin": as_excel(csv_frame(), startrow=2, startcol=3),
    "gzipped parquet": gzip.compress(as_parquet(csv_frame())),
    "records": csv_frame().to_json(orient="records").encode(),
    "columns": json.dumps(csv_frame().to_dict("list")).encode(),
    "split": csv_frame().to_json(orient="split").encode(),
    "json lines": csv_frame().to_json(orient="records", lines=True).encode(),
}


@pytest.mark.parametrize("content", FORMATS.values(), ids=FORMATS.keys())
@pytest.mark.parametrize("name", ["people.csv", "people.xlsx", None])
def test_content_decides_and_not_the_name(content: bytes, name: str | None) -> None:
    table = read_table(content, name=name)
    assert_frame_equal(table, read_table(PEOPLE.encode()))
    assert digest(table) == digest(read_table(PEOPLE.encode()))


def test_first_sheet_with_data() -> None:
    buffer = io.BytesIO()
    with pd.ExcelWriter(buffer) as book:
        pd.DataFrame().to_excel(book, sheet_name="empty", index=False)
        pd.DataFrame({"x": [1, 2]}).to_excel(book, sheet_name="full", index=False)
    assert read_table(buffer.getvalue())["x"].tolist() == [1, 2]


def test_kinds_of_parquet_columns() -> None:
    frame = pd.DataFrame(
        {
            "small": np.array([1, 2], dtype=np.int8),
            "single": np.array([0.5, 2], dtype=np.float32),
            "whole": pd.array([1, None], dtype="Int64"),
            "exact": [Decimal("1.5"), None],
            "flag": pd.array([True, None], dtype="boolean"),
            "level": pd.Categorical([" b ", "NA"]),
            "day": [date(2020, 1, 2), None],
            "zone": pd.to_datetime(["2020-01-02T00:00+02:00", None]),
            "clock": [clock(1, 2), None],
            "empty": [None, None],
        }
    )
    table = read_table(as_parquet(frame))
    assert table.dtypes.astype(str).tolist() == [
        *("int64", "float64", "float64", "float64", "boolean", "category"),
        *("datetime64[us]", "datetime64[us]", "category", "str"),
    ]
    assert table["level"].tolist()[:1] == ["b"]
    assert table["zone"][0] == pd.Timestamp(2020, 1, 1, 22)
    assert table.isna().sum().tolist() == [0, 0, 1, 1, 1, 1, 1, 1, 1, 2]


def test_mixed_cells_of_a_workbook_are_labels() -> None:
    frame = pd.DataFrame({"x": [1, 2.5, "a", True, "#DIV/0!"], "n": [1, 2, 3, 4, 5]})
    table = read_table(as_excel(frame))
    assert table["x"].tolist()[:4] == ["1", "2.5", "a", "true"]
    assert table["x"].isna().tolist() == [False] * 4 + [True]


def test_unnamed_parquet_index_is_no_column() -> None:
    frame = pd.DataFrame({"x": [1, 2]}, index=[5, 7])
    assert read_table(as_parquet(frame)).columns.tolist() == ["x"]


GOOD = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
BAD = {
    "empty file": (b"", "^The file is empty; "),
    "blank lines only": (b" \r\n\n", "^The file is empty; "),
    "header only": (b"a,b\n", "no records"),
    "binary": (bytes(range(256)) * 4, "neither text nor"),
    "zero byte": (b"a,b\n1,\x00\n", "line 2 holds the control character 0x00"),
    "picture": (b"\x89PNG\r\n\x1a\n" + bytes(30), "a picture"),
    "old workbook": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "^The workbook is damaged"),
    "short records": (b"a,b\n1,2\n\n3\n4\n", "^Line 4 has 1 value where the first line names 2"),
    "a short and a long record": (b"a,b\n1\n2,3\n4,5,6\n7,8\n", "^Line 4 has 3 values where"),
    "long record": (b'a,b\n"1\n1",2\n3,4,5\n', "^Line 4 has 3 values where"),
    "short record in Adult": (ADULT.replace(", 9,", ",").encode(), "^Line 3 has 14 values"),
    "title line": (b"Report\n" + b"a,b,c\n" * 3, "^Line 2 has 3 values where the first line"),
    "damaged UTF-8": ("a,b\nü,ö\n".encode() + b"\xff,1\n", "^Line 3 holds the byte 0xFF"),
    "cut UTF-16": (b"\xff\xfea\x00,", "^Line 1 holds the byte 0x2C"),
    "unknown delimiter": (b"a:b\n1:2\n", "separated by ':'"),
    "open quotation mark": (b'a,b\n1,"2\n3,4\n', "^Line 2 opens a quotation mark"),
    "open, closed by the next": (b'a,b\n"x,1\n"y",2\n', "^Line 2 opens a quotation mark"),
    "huge cell": (b'a,b\n"' + b"x" * 200_000 + b",1\n", "more than 131072 characters"),
    "many columns": (b",".join(b"c%d" % i for i in range(2_001)) + b"\n1\n", "2001 columns"),
    "nested object": (b'[{"a":1},{"a":{"b":2}}]', "^All columns hold lists or records"),
    "nested objects": (b'{"a":{"b":[1]}}', "^All columns hold lists"),
    "damaged JSON": (b'[{"a":1},\n{"a":]', "^The JSON is damaged at line 2, character 6"),
    "damaged JSON line": (b'{"a":1}\n{"a":2\n', "^The JSON is damaged at line 2"),
    "name twice in JSON": (b'[{"a":1,"a":2}]', "'a' stands twice"),
    "JSON numbers": (b"[1, 2]", "^Record 1 is no JSON object"),
    "deep JSON": (b"[" * 100_000, "nested too deeply"),
    "half a character": (b'[{"a":"\\ud800"}]', "^Column 'a' holds half a character"),
    "half a character in a name": (b'[{"\\ud800":1}]', "half a character"),
    "no JSON records": (b"[]", "no records"),
    "no JSON columns": (b"[{}]", "no columns"),
    "empty JSON object": (b"{}", "no columns"),
    "JSON columns of two lengths": (b'{"a":[1,2],"b":[1]}', "^Column 'b' has 1 value where"),
    "split of two lengths": (b'{"columns":["a"],"data":[[1],[2,3]]}', "^Record 2 has 2 values"),
    "damaged gzip": (gzip.compress(PEOPLE.encode())[:-20], "gzip file is damaged"),
    "gzip of nothing": (gzip.compress(b""), "^The file is empty"),
    "damaged parquet": (as_parquet(GOOD)[:-20], "Parquet file is damaged"),
    "parquet that is no UTF-8": (
        as_parquet(GOOD).replace(b"x", b"\xff"),
        "Parquet file is damaged",
    ),
    "parquet without rows": (as_parquet(GOOD[:0]), "no records"),
    "parquet without columns": (as_parquet(pd.DataFrame(index=[1, 2])), "no columns"),
    "parquet with lists": (as_parquet(pd.DataFrame({"a": [[1], [2]]})), "^All columns hold lists"),
    "damaged workbook": (as_excel(GOOD)[:-100], "damaged"),
    "workbook damaged inside": (as_excel(GOOD).replace(b"PK\x01\x02", b"PK\x01\x03"), "damaged"),
    "workbook with a header only": (as_excel(GOOD[:0]), "no records"),
    "empty workbook": (as_excel(pd.DataFrame()), "no sheet with data"),
    "zip of a picture": (as_zip("people.png", b"\x89PNG"), "no file that may be a table"),
}


@pytest.mark.parametrize(("content", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input_gets_one_sentence(content: bytes, message: str) -> None:
    with pytest.raises(TableError, match=message) as caught:
        read_table(content)
    text = str(caught.value)
    assert text.endswith(".")
    assert "\n" not in text
    assert len(text) < 300


def test_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(types, "MAX_ROWS", 15)
    for content in FORMATS.values():
        with pytest.raises(TableError, match="20 rows"):
            read_table(content)


def test_bombs(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pd.DataFrame({"a": ["x" * 1_000] * 5_000})
    bombs = [gzip.compress(b"a\n" + b"1\n" * 10**6), as_parquet(frame), as_excel(frame)]
    monkeypatch.setattr(parsing, "MAX_BYTES", 2**18)
    for content in bombs:
        assert len(content) < 2**18
        with pytest.raises(TableError, match="unpacked"):
            read_table(content)


PIECES = st.lists(
    st.sampled_from(
        [
            *("a", "b", "1", "0,5", "2020-01-01", "true", "é", "?", "null", "1e999", "-", "NaN"),
            *(",", ";", "\t", "|", "\n", "\r\n", " ", '"', '""', "\ufeff"),
            *("{", "}", "[", "]", ":", '"a":'),
        ]
    ),
    max_size=40,
).map("".join)


def survives(content: bytes) -> None:
    try:
        table = read_table(content)
    except TableError:
        return
    assert len(table) >= 1
    assert table.columns.is_unique
    assert all(isinstance(name, str) and name.strip() == name != "" for name in table.columns)
    assert list(column_types(table)) == table.columns.tolist()
    assert digest(table) == digest(table.copy())
    assert len(summarise(table)) == table.shape[1]


@given(st.binary(max_size=300))
def test_any_bytes(content: bytes) -> None:
    survives(content)


@given(PIECES, st.sampled_from(["utf-8", "utf-16", "latin-1"]))
@settings(max_examples=300)
def test_any_text(text: str, encoding: str) -> None:
    survives(text.encode(encoding, "ignore"))


@given(st.sampled_from(sorted(FORMATS)), st.data())
@settings(max_examples=200, deadline=None)
def test_any_damage(kind: str, data: st.DataObject) -> None:
    content = bytearray(FORMATS[kind])
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    survives(bytes(content[: data.draw(st.integers(0, len(content)))]))


LABELS = st.text(st.sampled_from('abcé ,;|\t"\n'), max_size=6).map(lambda text: f"x{text}y")
DATES = st.datetimes(pd.Timestamp(1900, 1, 1), pd.Timestamp(2100, 1, 1))
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def typed_frames(draw: st.DrawFn) -> pd.DataFrame:
    """Frames of all types with missing values below the first record."""
    rows = draw(st.integers(1, 9))

    def values(strategy: st.SearchStrategy[object], missing: bool = True) -> list[object]:
        rest = st.none() | strategy if missing else strategy
        more = draw(st.lists(rest, min_size=rows - 1, max_size=rows - 1))
        return [draw(strategy), *more]

    flags = pd.Series(values(st.booleans()), dtype="boolean")
    labels = values(LABELS)
    known = sorted({label for label in labels if label is not None})
    return pd.DataFrame(
        {
            "whole": np.array(values(st.integers(-(2**53), 2**53), False), dtype=np.int64),
            "real": np.array(values(FLOATS), dtype=np.float64) + 0.0,
            "label": pd.Categorical(labels, pd.Index(known, dtype="str")),
            "flag": flags if flags.hasnans else flags.astype(bool),
            "day": pd.Series(values(DATES), dtype="datetime64[us]"),
        }
    )


def as_lines(frame: pd.DataFrame) -> bytes:
    plain = frame.astype(object).where(frame.notna(), None)
    records = plain.to_dict("records")
    return "\n".join(json.dumps(record, default=str) for record in records).encode()


WRITERS = {
    "comma": lambda frame: frame.to_csv(index=False).encode(),
    "tab": lambda frame: frame.to_csv(index=False, sep="\t").encode("utf-16"),
    "bar": lambda frame: frame.to_csv(index=False, sep="|").encode(),
    "semicolon": lambda frame: frame.to_csv(index=False, sep=";").encode(),
    "decimal comma": lambda frame: frame.to_csv(index=False, sep=";", decimal=",").encode(),
    "parquet": as_parquet,
    "json lines": as_lines,
}


@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS.keys())
@given(frame=typed_frames())
@settings(deadline=None)
def test_round_trip(writer: Callable[[pd.DataFrame], bytes], frame: pd.DataFrame) -> None:
    table = read_table(writer(frame))
    assert_frame_equal(table, frame, check_exact=True)
    assert digest(table) == digest(frame)
