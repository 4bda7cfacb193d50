"""What one row is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import distpriv as dp
from distpriv.tables.options import Row
from distpriv.tables.rows import as_records, counts_of, names_of, proposed

CELLS = b"class,survived,Freq\n" + b"1st,Yes,203\n1st,No,122\n2nd,Yes,118\n2nd,No,0\n"
VISITS = pd.DataFrame(
    {
        "record_id": np.repeat(np.arange(1, 21), 3),
        "age": np.tile([50.0, np.nan, np.nan], 20) + np.repeat(np.arange(20), 3),
        "sex": pd.Categorical(np.tile(["F", None, None], 20)),
        "weight": np.arange(60) % 7,
        "site": ["north"] * 60,
    }
)


def test_cells_are_proposed_and_repeated():
    frame = dp.read_table(CELLS)
    row = proposed(frame)
    assert row == Row("cell", "Freq")
    assert "'Freq'" in dp.how_read(frame)[1][-1].text
    records = as_records(frame, row)
    assert records.shape == (443, 2)
    assert (records["survived"] == "Yes").mean() == 321 / 443
    assert records.dtypes.equals(frame.dtypes.drop("Freq"))
    assert dp.how_read(records) == dp.how_read(frame)


def test_rows_of_a_record_are_brought_together():
    assert proposed(VISITS) == Row("part", "record_id")
    records = as_records(VISITS, Row("part", "record_id"))
    expected = VISITS.groupby("record_id", sort=False, observed=True).first().reset_index(drop=True)
    pd.testing.assert_frame_equal(records, expected, check_dtype=False)
    notices = dp.how_read(records)[1]
    assert [notice.column for notice in notices] == ["weight"]
    assert "within 20 of 20 records" in notices[0].text


def test_columns_that_count_or_name_are_offered():
    frame = dp.load_example("staff")
    assert proposed(frame) == Row()
    assert as_records(frame, Row()) is frame
    assert counts_of(VISITS) == ["record_id", "weight"]
    assert names_of(VISITS) == ["record_id", "weight"]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (Row("cell", "sex"), "does not count"),
        (Row("cell", "age"), "does not count"),
        (Row("cell", "many"), "60 000 000 records"),
        (Row("part", "sex"), "missing in 40 rows"),
        (Row("part", "name"), "no column 'name'"),
    ],
)
def test_columns_that_do_not_fit_are_refused(row, words):
    with pytest.raises(dp.ReadError, match=words.replace(" ", r"\s")):
        as_records(VISITS.assign(many=1_000_000), row)
