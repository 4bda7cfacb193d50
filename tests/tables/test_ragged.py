"""Short records filled with missing values, against Python's own reader; all else is refused."""

from __future__ import annotations

import csv
import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import distpriv as dp
from distpriv.errors import TableError
from distpriv.tables import read_table
from distpriv.tables.ragged import explain

# Three of them: neither a number, nor missing, nor what a type's name is.
CELLS = st.sampled_from(["", "red", "blue", 'a "b"', "x;y", "1", "2.5", " z"])


def _alike(cell: str, written: str) -> bool:
    """Whether that is the text, or the number that it stands for."""
    return cell == written or float(cell) == float(written)


def test_what_they_lack_is_missing_and_said() -> None:
    table = read_table(b"colour,age,town\nred,5,A\nblue,7\ngreen\nred,,B\n,8,C\nblue,9,D\n")
    assert table["age"].tolist()[:2] == [5, 7]
    assert table["town"].isna().tolist() == [False, True, True, False, False, False]
    assert table["age"].isna().tolist() == [False, False, True, True, False, False]
    (repair,) = dp.how_read(table).repairs
    assert (repair.kind, repair.undone) == ("short_rows", False)
    said = "2 rows have too few values, the first in line 3; what they lack is missing."
    assert repair.said == said


def test_they_can_be_left_out_instead() -> None:
    table = read_table(b"colour,age\nred,5\nblue\n\ngreen,6\nred,\n", undo=["short_rows"])
    assert table["colour"].tolist() == ["red", "green", "red"]
    (repair,) = dp.how_read(table).repairs
    assert repair.undone
    assert "the first in line 3; left out" in repair.said


@given(
    st.lists(st.lists(CELLS, min_size=1, max_size=3).filter(any), min_size=3, max_size=12),
    st.sampled_from(",;\t|"),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_against_another_reader(records, delimiter, end, quoted) -> None:
    """Every value stands where that says, and every record is there or all are refused."""
    short = [record for record in records if len(record) < 3]
    # Enough whole records that most are, and nobody takes another separator for the right one.
    whole = [["red", "blue", "1"]] * 12
    out = io.StringIO(newline="")
    style = csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=style)
    writer.writerows([["p", "q", "r"], *whole, *records])
    text = out.getvalue()
    every = {"p": [], "q": [], "r": []}
    if not short:
        explain(text.encode(), delimiter, 3)
        assert dp.how_read(read_table(text.encode(), missing=every)).repairs == ()
        return
    wanted = [*whole, *records]
    table = read_table(text.encode(), missing=every)
    there = dp.retype(table, dict.fromkeys("pqr", "text"))
    for place, name in enumerate("pqr"):
        for record, cell in zip(wanted, there[name], strict=True):
            written = record[place].strip() if place < len(record) else ""
            assert pd.isna(cell) if not written else _alike(cell, written)
    first = next(place for place, record in enumerate(records) if len(record) < 3)
    (repair,) = dp.how_read(table).repairs
    assert f"the first in line {first + len(whole) + 2};" in repair.said
    left = read_table(text.encode(), missing=every, undo=["short_rows"])
    assert len(left) == len(wanted) - len(short)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        # More values than columns, anywhere.
        ("a,b\n1,2\n3\n4,5,6\n7,8\n9,10\n", "line 4 has 3 values"),
        # More than half are short: the first line names what is not there.
        ("a,b,c\n1,2\n3,4\n5,6,7\n", "line 2 has 2 values"),
        # A quotation mark that may have swallowed the lines between.
        ('a,b,c\n1,2,3\n4,"5\n6,7,8\n9"\n1,2,3\n1,2,3\n', "line 3 has 2 values"),
        ('a,b\n1,"2\n3,4\n5\n6,7\n', "quotation mark"),
    ],
    ids=["long", "most", "swallowed", "open"],
)
def test_what_else_is_wrong_is_told_by_its_line(text: str, said: str) -> None:
    with pytest.raises(TableError) as caught:
        read_table(text.encode())
    assert said in str(caught.value).lower()


def test_a_column_of_one_is_never_made_of_it() -> None:
    """Blank lines in a table of one column are no records, short or not."""
    assert len(read_table(b"a\n1\n\n2\n")) == 2


def test_a_large_file_with_one_short_record() -> None:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"a": rng.integers(0, 9, 30_000), "b": rng.normal(size=30_000)})
    lines = frame.to_csv(index=False).split("\n")
    lines[20_000] = lines[20_000].split(",")[0]
    table = read_table("\n".join(lines).encode())
    assert table["a"].tolist() == frame["a"].tolist()
    assert np.flatnonzero(table["b"].isna()).tolist() == [19_999]
    assert "the first in line 20001;" in dp.how_read(table).repairs[0].said
