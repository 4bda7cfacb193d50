"""Types of columns: recognised, taken, and changed."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from distpriv.errors import TableError
from distpriv.tables import column_types, read_table, retype
from tests.tables.examples import PEOPLE


def typed(text: str, column: str = "x") -> tuple[str, list[object]]:
    table = read_table(text.encode())
    return column_types(table)[column], table[column].tolist()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("x\n1\n2\n", [1, 2]),
        ("x;y\n1,5;a\n2,25;b\n", [1.5, 2.25]),
        ("x;y\n1.234,5;a\n2,25;b\n", [1234.5, 2.25]),
        ("x;y\n1.234;0,5\n2.345;0,25\n", [1234, 2345]),
        ("x;y\n1.234;a\n2.345;b\n", [1.234, 2.345]),
        ('x,y\n"1,234",a\n"2,345,678",b\n', [1234, 2345678]),
        ("x\ty\n1,234\t1.5\n2\t2\n", [1234, 2]),
        ("x\n1 234\n1'234'567\n", [1234, 1234567]),
        ("x\n.5\n-1e3\n", [0.5, -1000.0]),
        ("x\n+5\n-7\n", [5, -7]),
        ("x\n1,5\n2,5\n", [1.5, 2.5]),
        ("x\n0.1257302210933913123\n1\n", [0.1257302210933913123, 1]),
    ],
)
def test_numbers(text: str, values: list[float]) -> None:
    assert typed(text) == ("number", values)


@pytest.mark.parametrize("codes", [["01", "02"], ["yes", "no"], ["2020-13-01", "x"], ["1_0", "2"]])
def test_labels_stay_categories(codes: list[str]) -> None:
    assert typed("x\n" + "\n".join(codes)) == ("category", codes)


@pytest.mark.parametrize(
    "label",
    ["2020-02-13", "2020/2/13", "13.2.2020", "2/13/2020", "2020-02-13T00:00:00Z", "13-02-2020"],
)
def test_dates(label: str) -> None:
    kind, values = typed(f"x\n{label}\n")
    assert kind == "date"
    assert values == [pd.Timestamp(2020, 2, 13)]


def test_missing_values_and_blanks() -> None:
    table = read_table(b"a,b,c,d\n?, x ,true,\nNA,x,,\n3,,false,null\n")
    assert table["a"].dtype == "float64"
    assert table["b"].tolist()[:2] == ["x", "x"]
    assert table["c"].dtype == "boolean"
    assert column_types(table)["d"] == "text"
    assert table.isna().sum().tolist() == [2, 1, 1, 3]


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ("key", "identifier"),
        ("mail", "identifier"),
        ("uuid", "identifier"),
        ("person", "identifier"),
        ("phone", "identifier"),
        ("remark", "text"),
        ("height", "number"),
        ("salary", "number"),
        ("code", "number"),
        ("constant", "category"),
    ],
)
def test_identifiers_and_text_are_recognised(column: str, kind: str) -> None:
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(
        {
            "key": np.arange(1, 51),
            "mail": [f"a{i}@example.org" for i in range(50)],
            "uuid": [f"{i:08x}-0000-4000-8000-{i:012x}" for i in range(50)],
            "person": [f"Surname{i}, Name" for i in range(50)],
            "phone": [f"+49 170 55{i:05d}" for i in range(50)],
            "remark": [f"The {i}th remark, long enough to be a sentence" for i in range(50)],
            "height": rng.normal(170, 10, 50),
            "salary": rng.choice(100_000, 50, replace=False),
            "code": np.arange(50) % 3,
            "constant": "same",
        }
    )
    assert column_types(read_table(frame.to_csv(index=False).encode()))[column] == kind
    assert column_types(frame)[column] == kind


def test_years_are_no_key() -> None:
    assert typed("x\n" + "\n".join(map(str, range(1990, 2021))))[0] == "number"


def test_column_types_follow_the_columns() -> None:
    table = read_table(PEOPLE.encode())
    assert column_types(table[["sex", "name"]]) == {"sex": "category", "name": "identifier"}
    changed = table.assign(sex=np.arange(20) % 3)
    assert column_types(changed)["sex"] == "number"
    assert column_types(pd.DataFrame({"a": [True, None], "b": ["x", 1]}, dtype=object)) == {
        "a": "category",
        "b": "category",
    }
    with pytest.raises(TableError, match="nested values"):
        column_types(pd.DataFrame({"a": [[1], [2]]}))
    with pytest.raises(TableError, match="'a'"):
        column_types(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_known_types_are_taken() -> None:
    table = read_table(b"zip,n\n00123,1\n456,2\n", types={"zip": "category", "n": "text"})
    assert table["zip"].tolist() == ["00123", "456"]
    assert column_types(table) == {"zip": "category", "n": "text"}


def test_retype_there_and_back() -> None:
    table = read_table(b"a,b,c\n1,1.5,true\n2,,false\n2,2,true\n")
    other = retype(table, {"a": "category", "b": "text", "c": "category"})
    assert other["a"].tolist() == ["1", "2", "2"]
    assert other["c"].tolist() == ["true", "false", "true"]
    assert column_types(other) == {"a": "category", "b": "text", "c": "category"}
    assert column_types(table)["a"] == "number"
    back = retype(other, {"a": "number", "b": "number", "c": "boolean"})
    assert_frame_equal(back, table)


def test_retype_takes_any_name() -> None:
    assert retype(read_table(b"self,n\n1,2\n"), {"self": "category"})["self"].tolist() == ["1"]


def test_retype_dates_and_booleans() -> None:
    table = read_table(b"year,d,yes\n1999,2020-01-02,yes\n2000,2020-01-03,no\n2000,,yes\n")
    other = retype(table, {"year": "date", "d": "category", "yes": "boolean"})
    assert other["year"].dt.year.tolist() == [1999, 2000, 2000]
    assert other["d"].tolist()[:2] == ["2020-01-02", "2020-01-03"]
    assert other["yes"].tolist() == [True, False, True]
    assert retype(other, {"yes": "number"})["yes"].tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("kind", "record"), [("number", 2), ("date", 1), ("boolean", 1)], ids=["number", "date", "bool"]
)
def test_retype_names_column_record_and_value(kind: str, record: int) -> None:
    table = read_table(("x,y\n12345,1\n" + "z" * 60 + ",1\n5,2\n").encode())
    with pytest.raises(TableError, match=rf"^Column 'x' holds '.{{1,40}}' in record {record},"):
        retype(table, {"x": kind})


def test_retype_unknown_column_and_type() -> None:
    table = read_table(b"x\n1\n")
    with pytest.raises(TableError, match="no column 'y'"):
        retype(table, {"y": "number"})
    with pytest.raises(TableError, match="'colour'"):
        retype(table, {"x": "colour"})
