"""What looks wrong in a table is told with bounds that can be had again, and left as it is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from distpriv.tables import digest, how_read, read_table
from distpriv.tables.notices import bounded, header_like, mangled, outliers

AGES = [20 + i % 50 for i in range(200)]


def csv(**columns: object) -> bytes:
    return pd.DataFrame(columns).to_csv(index=False).encode()


def test_impossible_numbers_get_bounds_from_the_data() -> None:
    content = csv(age=[*AGES, -1726, 99_999_999_999])
    table = read_table(content)
    (notice,) = how_read(table).notices
    assert (notice.kind, notice.column) == ("outliers", "age")
    assert (notice.low, notice.high) == (0, 90)
    assert "come from the data" in notice.said
    assert table["age"].max() == 99_999_999_999
    bound = read_table(content, bounds={"age": (notice.low, notice.high)})
    assert bound["age"].isna().sum() == 2
    assert how_read(bound).notices[0].kind == "bounds"
    assert digest(bound) != digest(table)
    assert digest(read_table(content, bounds={"age": (-2000, 1e12)})) == digest(table)


@pytest.mark.parametrize(
    "values",
    [
        AGES,
        list(np.random.default_rng(1).lognormal(10, 1, 500)),
        [0] * 99 + [10**9],  # no width to speak of
        [1, 10**9],
        [np.nan] * 30,
    ],
)
def test_what_is_possible_gets_none(values: list[float]) -> None:
    assert outliers(pd.DataFrame({"x": values}), {"x": "number"}) == []


def test_bounds_do_not_hang_on_the_order_or_on_one_record() -> None:
    values = np.array([*AGES, -1726, 99_999_999_999], dtype=float)
    of = [
        outliers(pd.DataFrame({"x": some}), {"x": "number"})[0]
        for some in (values, values[::-1], values[1:])
    ]
    assert len({(one.low, one.high) for one in of}) == 1


@pytest.mark.parametrize(
    ("labels", "guess"),
    [
        (["0-5", "25-Jun", "26-50"], "'6-25'"),
        (["1-10", "Oct-99", "11-20"], "'10-99'"),
        (["1-3", "2024-06-25 00:00:00"], "'6-25'"),
    ],
)
def test_dates_that_a_spreadsheet_made_of_ranges(labels: list[str], guess: str) -> None:
    table = read_table(csv(size=labels * 4, n=range(4 * len(labels))))
    (notice,) = [one for one in how_read(table).notices if one.kind == "mangled"]
    assert guess in notice.said


def test_dates_among_words_are_no_damage() -> None:
    table = pd.DataFrame({"x": pd.Categorical(["May-24", "spring", "25-Jun"])})
    assert mangled(table, {"x": "category"}) == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"5.1,3.5,Iris-setosa\n4.9,3.0,Iris-setosa\n4.7,3.2,Iris-other\n", True),
        (b"x,o,x\nx,x,o\no,o,x\nx,o,o\n", True),
        (b"5,5,a\n4,3,b\n", True),
        (b"country,1990,1991\nA,1,2\nB,3,4\n", False),
        (b"a,b,c\n1,2,x\n3,4,y\n", False),
        (b"x,y\no,x\nx,o\n", False),
    ],
)
def test_a_first_row_like_the_others_is_noticed_and_kept(content: bytes, told: bool) -> None:
    table = read_table(content)
    assert [one.kind for one in how_read(table).notices] == ["header"] * told
    without = read_table(content, header=False)
    assert len(without) == len(table) + 1
    assert how_read(without).notices == ()


def test_a_table_of_nothing_has_no_row_like_the_others() -> None:
    assert header_like(pd.DataFrame({"1": [None]}), {"1": "text"}, {}) == []


def test_bounds_of_labels_do_nothing() -> None:
    table = pd.DataFrame({"x": ["a", "b"]})
    same, told = bounded(table, [("x", 0, 1)])
    assert same is table
    assert told == []
