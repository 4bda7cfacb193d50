"""What one row is."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

import distpriv as dp
from distpriv.tables import EXAMPLES, Row
from distpriv.tables.rows import as_records, counts_of, names_of, proposed, tell_row

CELLS = b"class,survived,Freq\n" + b"1st,Yes,203\n1st,No,122\n2nd,Yes,118\n2nd,No,0\n"
VISITS = pd.DataFrame(
    {
        "record_id": np.repeat(np.arange(1, 21), 3),
        "age": np.tile([50.0, np.nan, np.nan], 20) + np.repeat(np.arange(20), 3),
        "sex": pd.Categorical(np.tile(["F", None, None], 20)),
        "weight": np.where(np.arange(60) % 3 == 0, np.nan, np.arange(60) % 7),
        "site": ["north"] * 60,
    }
)


def cells(names, *sides, counts=None):
    """Return all combinations of labels, and counts of them."""
    rows = list(product(*sides))
    return pd.DataFrame(rows, columns=names[:-1]).assign(**{names[-1]: counts or range(len(rows))})


def people(**columns):
    """Return records of 40 people with further columns."""
    k = np.arange(40)
    return pd.DataFrame({"age": 20 + k * 7 % 31, "sex": np.where(k % 3, "F", "M"), **columns})


def test_cells_are_proposed_and_repeated():
    frame = dp.read_table(CELLS)
    row = proposed(frame)
    assert row == Row("cell", "Freq")
    assert "'Freq'" in dp.how_read(frame)[1][-1].text
    records = as_records(frame, row)
    assert records.shape == (443, 2)
    assert (records["survived"] == "Yes").mean() == 321 / 443
    assert records.dtypes.equals(frame.dtypes.drop("Freq"))
    *former, notice = dp.how_read(records)[1]
    assert tuple(former) == dp.how_read(frame)[1]
    assert "443 records, by 'Freq'; of 1 with 0 and 0 without a count" in notice.text
    records = as_records(dp.read_table(CELLS.replace(b"122", b"")), row)
    assert len(records) == 321
    assert "of 1 with 0 and 1 without a count" in dp.how_read(records)[1][-1].text


FM, YN, ABC = "FM", ["yes", "no"], "abc"
EACH = np.repeat(np.arange(10), 4)
KINDS = {
    "called as counts are": (cells(["a", "b", "Anzahl"], range(18, 40), FM), "cell"),
    "some combinations": (cells(["a", "b", "No. of cases"], ABC, FM)[:4], "cell"),
    "one side": (cells(["diagnosis", "n"], "abcde"), "cell"),
    "beside numbers of rows": (
        cells(["a", "b", "count"], ABC, FM).reset_index(names="row"),
        "cell",
    ),
    "by structure alone": (cells(["class", "sex", "survivors"], ABC, FM), "cell"),
    "a school's subjects": (people(subject=["maths", "art"] * 20), "record"),
    "a total of each": (people(total=range(40)), "record"),
    "a count of each": (people(n=range(40), number=range(40)), "record"),
    "years as numbers": (cells(["country", "year", "people"], ABC, (2001, 2002))[:2], "record"),
    "names and marks": (cells(["student", "marks"], list("abcdefghijkl")), "record"),
    "codes of places": (people(zip_code=EACH, department_id=EACH), "record"),
    "cases and controls": (people(case=EACH % 2), "record"),
    "answers called no": (people(smoking_no=EACH, No=EACH), "record"),
    "entered twice": (people(id=[*range(39), 38]), "record"),
    "a patient's visits": (people(**{"Patient-No": EACH}), "part"),
    "a person's answers": (people(participant=[f"p{one}" for one in EACH]), "part"),
    "numbered records": (people(ID=EACH), "part"),
}


@pytest.mark.parametrize(("frame", "kind"), KINDS.values(), ids=KINDS)
def test_row_is_what_names_and_structure_show(frame, kind):
    assert proposed(frame).kind == kind
    assert len(tell_row(frame)) == (kind != "record")


def test_counts_that_no_records_can_be_made_of_are_told():
    frame = cells(["a", "b", "Freq"], ABC, FM, counts=[1.5, 2, 3, 4, 5, 6])
    (notice,) = tell_row(frame)
    assert "not all of these are whole numbers" in notice.text
    with pytest.raises(dp.ReadError, match="does not count records"):
        as_records(frame, Row("cell", "Freq"))

    frame = pd.DataFrame({"date": pd.date_range("2000-01-01", periods=40), "births": 8000 + EACH})
    assert "as 'births' counts, but figures count it once" in tell_row(frame)[0].text
    for name, labels in (("n", range(40)), ("nombre", range(1940, 1980)), ("ncases", range(40))):
        frame = people(name=list(map("name {}".format, labels)), **{name: EACH})
        assert f"as {name!r} counts" in tell_row(frame)[0].text


def test_rows_of_a_record_are_brought_together():
    assert proposed(VISITS) == Row("part", "record_id")
    differ, apart = (notice.text for notice in tell_row(VISITS))
    assert "'record_id' names, within which 'weight' may differ" in differ
    assert "Rows that have 'age' and 'sex' leave 'weight' blank" in apart
    records = as_records(VISITS, Row("part", "record_id"))
    expected = VISITS.groupby("record_id", sort=False, observed=True).first().reset_index(drop=True)
    pd.testing.assert_frame_equal(records, expected, check_dtype=False)
    notices = dp.how_read(records)[1]
    assert [notice.column for notice in notices] == ["weight"]
    assert "within 20 of 20 records" in notices[0].text


def test_weights_of_a_survey_are_told_with_the_share_that_they_change_most():
    frame = people(answer=YN * 20, fnlwgt=[3000, 1000] * 20)
    (notice,) = tell_row(frame)
    assert notice.column == "fnlwgt"
    assert "the share of answer = 'yes' would be 75.0 %, not 50.0 %" in notice.text
    bodies = {"weight": 60.5 + np.arange(40), "Gewicht": range(50, 90), "wt": 2000 + EACH}
    assert not any(tell_row(people(**{name: values})) for name, values in bodies.items())
    assert tell_row(people(weight=np.tile([0.5, 1.5], 20)))


def test_columns_that_count_or_name_are_offered():
    frame = dp.load_example("staff")
    assert proposed(frame) == Row()
    assert as_records(frame, Row()) is frame
    assert counts_of(VISITS) == ["record_id", "age", "weight"]
    assert names_of(VISITS) == ["record_id"]


def test_examples_are_records_and_an_adult_weighs_what_the_census_says():
    assert not any(tell_row(dp.load_example(name)) for name in EXAMPLES)
    adult = dp.load_example("census-income").assign(fnlwgt=lambda frame: 1000 + frame["age"] ** 3)
    (notice,) = tell_row(adult)
    assert "survey's weight" in notice.text


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (Row("cell", "sex"), "does not count"),
        (Row("cell", "half"), "does not count"),
        (Row("cell", "many"), "60 000 000 records"),
        (Row("part", "sex"), "missing in 40 rows"),
        (Row("part", "name"), "no column 'name'"),
    ],
)
def test_columns_that_do_not_fit_are_refused(row, words):
    with pytest.raises(dp.ReadError, match=words.replace(" ", r"\s")):
        as_records(VISITS.assign(many=1_000_000, half=0.5), row)
