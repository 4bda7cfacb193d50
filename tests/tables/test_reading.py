"""Typed tables: types, corrections, digest and summary."""

from __future__ import annotations

import io
import os
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from distpriv.errors import TableError
from distpriv.tables import column_types, digest, loading, read_table, reading, summarise
from tests.tables.examples import PEOPLE, PEOPLE_TYPES


def test_sources(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    used = io.BytesIO(PEOPLE.encode())
    used.read()
    with path.open("rb") as file:
        tables = [read_table(source) for source in (path, str(path), file, used)]
    assert {digest(table) for table in tables} == {digest(read_table(PEOPLE.encode()))}


@pytest.mark.parametrize("source", ["missing.csv", Path("missing.csv"), ".", "a\0b", None, 5])
def test_source_that_cannot_be_read(source: object) -> None:
    with pytest.raises(TableError):
        read_table(source)


def test_source_of_characters() -> None:
    with pytest.raises(TableError, match="binary mode"):
        read_table(io.StringIO("a\n1\n"))


def test_message_names_the_file() -> None:
    with pytest.raises(TableError, match=r"^'people\.csv': line 3 has 3 values"):
        read_table(b"a,b\n1,2\n3,4,5\n", name="people.csv")


@pytest.mark.adult
@pytest.mark.skipif("ADULT_DIR" not in os.environ, reason="ADULT_DIR is not set")
@pytest.mark.parametrize(("name", "rows"), [("adult.data", 32_561), ("adult.test", 16_281)])
def test_adult_files(name: str, rows: int) -> None:
    table = read_table(Path(os.environ["ADULT_DIR"]) / name)
    assert table.shape == (rows, 15)
    assert table["income"].cat.categories.tolist() == ["<=50K", ">50K"]
    assert set(column_types(table).values()) == {"number", "category"}


def mixed(rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"n{i}": rng.normal(size=rows) for i in range(4)})
    for i in range(4):
        frame[f"c{i}"] = pd.Categorical.from_codes(rng.integers(0, 9, rows), list("abcdefghi"))
    frame["s"] = pd.Series([f"name {i}" for i in range(rows)], dtype="str")
    frame["b"] = pd.array(rng.random(rows) < 0.5, dtype="boolean")
    frame["d"] = pd.Timestamp(2020, 1, 1) + pd.to_timedelta(np.arange(rows), unit="min")
    return frame


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *(("n0", 0.5), ("n0", None), ("c1", "a"), ("c1", None), ("s", "other"), ("s", None)),
        *(("b", None), ("d", None), ("d", pd.Timestamp(2000, 1, 1))),
    ],
)
def test_digest_sees_one_cell_of_60_000_rows(column: str, value: object) -> None:
    table = mixed(60_000)
    table.loc[31_415, "c1"] = "b"
    changed = table.copy()
    changed.loc[31_415, column] = value
    assert digest(changed) != digest(table)
    assert digest(table.copy()) == digest(table)


def test_digest_sees_names_order_dtypes_and_borders() -> None:
    frames = [
        pd.DataFrame({"a": [1, 2]}),
        pd.DataFrame({"b": [1, 2]}),
        pd.DataFrame({"a": [2, 1]}),
        pd.DataFrame({"a": [1.0, 2.0]}),
        pd.DataFrame({"a": pd.array([1, 2], dtype="Int64")}),
        pd.DataFrame({"a": ["x", "yz"]}),
        pd.DataFrame({"a": ["xy", "z"]}),
        pd.DataFrame({"a": ["xyz", ""]}),
        pd.DataFrame({"a": ["xyz", None]}),
        pd.DataFrame({"a": pd.Categorical(["x", "yz"])}),
        pd.DataFrame({"a": ["x", 1]}),
        pd.DataFrame({"a": [1, 2], "b": [1, 2]}),
        pd.DataFrame({"b": [1, 2], "a": [1, 2]}),
    ]
    assert len({digest(frame) for frame in frames}) == len(frames)


def test_digest_does_not_depend_on_how_values_are_stored() -> None:
    table = mixed(100)
    parts = pd.concat([table[:30], table[30:]])
    assert digest(parts) == digest(table)
    assert digest(table[50:]) == digest(table[50:].reset_index(drop=True).copy())
    assert digest(pd.DataFrame({"a": [0.0]})) == digest(pd.DataFrame({"a": [-0.0]}))


def test_summary() -> None:
    summary = summarise(read_table((PEOPLE + ",,,,\n").encode())).set_index("column")
    assert summary["type"].to_dict() == PEOPLE_TYPES
    assert summary["missing"].tolist() == [1] * 5
    assert summary["distinct"].tolist() == [20, 7, 2, 20, 2]
    assert summary["example"].tolist() == [
        "Person 0",
        "20 to 26",
        "F, M",
        "2020-01-01 to 2020-01-20",
        "True, False",
    ]
    assert summarise(pd.DataFrame({"x": [None, None]}))["example"].tolist() == [""]


def test_what_was_read_goes_while_its_columns_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Or a large file would be in memory twice."""
    read: list[weakref.ref[pd.DataFrame]] = []
    gone: list[bool] = []
    parse, type_columns = reading.parse, loading.type_columns

    def parsed(*arguments: Any) -> Any:
        raw = parse(*arguments)
        read.append(weakref.ref(raw.frame))
        return raw

    def typed(*arguments: Any, **named: Any) -> Any:
        gone.append(read[0]() is None)
        return type_columns(*arguments, **named)

    monkeypatch.setattr(reading, "parse", parsed)
    monkeypatch.setattr(loading, "type_columns", typed)
    read_table(b"a,b\n1,x\n2,y\n")
    assert gone == [True]
