"""What columns hold: numbers, dates and labels as people write them, and the notices on them."""

from __future__ import annotations

import csv
import io
import re
from functools import cache

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings, strategies as st

import distpriv as dp
from distpriv.tables.columns import literal
from distpriv.tables.numbers import (
    WRITINGS,
    beside,
    compiled,
    minutes,
    minutes_sql,
    number,
    number_macro,
    plain,
    plain_sql,
)
from distpriv.tables.read import in_memory, read

N = 60
AGE = np.arange(N) * 7 % 60 + 18


def written(**columns):
    """Write columns, each repeated to 60 cells, as CSV."""
    target = io.StringIO()
    full = [(list(cells) * N)[:N] for cells in columns.values()]
    csv.writer(target, lineterminator="\n").writerows([columns, *zip(*full, strict=True)])
    return target.getvalue().encode()


# Cells, what the first of them are read as, and words of the one notice on them, if there is one.
NUMBERS = {
    "top coded": (["90+", *range(20, 79)], [90, 20], "1 of 60 values .* flag .* '90\\+' as 90"),
    "below a limit": (["1.5", "2", "<0.5"], [1.5, 2, 0.5], "20 of 60"),
    "words": (["40", "under 18", "65 and over", "100 or more", *"1234"], [40, 18, 65, 100], "flag"),
    "years": (["5 years", "1 year", "85 years and over"], [5, 1, 85], "'85 years and over' as 85"),
    "marks": (["12*", "11", "5.2 (e)", "7", "8 p", "6"], [12, 11, 5.2, 7, 8], "flag"),
    "minus behind": (["12-", "11"], [-12, 11], "30 of 60 .* unusual way: '12-' as -12"),
    "brackets": (["($3)", "'4", "−7"], [-3, 4, -7], "unusual"),
    "Arabic": (["٣٫٥", "۴", "५", "３"], [3.5, 4, 5, 3], "unusual"),
    "hours": (["02:45", "1:30", "10:05"], [165, 90, 605], "read as minutes"),
    "hours and seconds": (["1:30:30", "59:30"], [90.5, 59.5], "'1:30:30' as 90.5"),
    "hours by letters": (["1h 30m", "45m", "2h", "1h05"], [90, 45, 120, 65], "minutes"),
    "a unit": (["70 kg", "66.5kg", "80"], [70, 66.5, 80], "40 of 60 .* unit 'kg'"),
    "units of units": (["12 mg/dL", "- 9 mg/dL"], [12, -9], "unit 'mg/dl'"),
    "one number": (["7", ""], [7, None], ""),
    "a dump": (["7", "8", "\\N"], [7, 8, None], "Read as missing"),
    "a currency": (["Rs. 1,00,000", "Rs. 500"], [100_000, 500], "unit 'rs'"),
    "a comma and a unit": (["70,5 kg", "66,25 kg"], [70.5, 66.25], "unit 'kg'"),
    "French": (["1\u202f080,50", "12\u00a0500,25"], [1080.5, 12_500.25], ""),
    "Swiss": (["1'234.50", "12’345.00"], [1234.5, 12_345], ""),
    "Indian": (["1,00,000", "12,34,567"], [100_000, 1_234_567], ""),
    "refusals": (["5", "keine Angabe", "Don’t know"], [5, None, None], "'keine Angabe' \\(20\\)"),
    "no answer": (["NA", *range(1, 40)], [None, 1], "Read as missing .* 'NA' \\(2\\)"),
    "per cent": (["7 %", "8"], [7, 8], "30 of 60 .* have a %"),
    "thousandfold": (["2,037", "1,500"], [2037, 1500], "may be 2.037 \\(so written: 60 records"),
    "codes": ([1, 2, 3, 4, 777, 999], [1, 2], "777 \\(10 records\\), 999 \\(10 records\\)"),
    "an odd one": (["oops", *range(59)], [None, 0], "59 of 60 .* row 2 is 'oops'"),
}
LABELS = {
    "mostly flags": (["<0.5", "<0.5", "1.5"], "20 of 60 values .* others are not, such as '<0.5'"),
    "two units": (["70 kg", "150 lb", "66 kg"], "unit 'kg' and others are not, such as '150 lb'"),
    "house numbers": (["12", "14a", "12b", "3"], "30 of 60"),
    "bands": (["0-17", "18-64", "65+"], ""),
    "limits": (["<=50K", ">50K"], ""),
    "years of school": (["10a", "9b", "7c"], ""),
    "answers": (["Tea;Coffee", "Coffee", "Tea;Milk", "Milk"], "30 cells .* several answers"),
    "rare answers": (["Tea", "Coffee;Tea", "Coffee;Water"], "40 cells .* several answers"),
    "an empty code": (["None", "dog"], ""),
    "countries": (["NA", "DE", "FR", "ES"], ""),
    "letters": (["T", "F"], ""),
    "one letter": (["F"], ""),
    "times of day": (["8:30 AM", "12:05 pm"], "Times of day .* as '8:30 AM'"),
}
DATES = {
    "day or month": (
        ["05/06/2020", "07/08/2020"],
        [pd.Timestamp(2020, 5, 6)],
        "60 dates .* may be 2020-06-05",
    ),
    "dashes": (["05-06-2020", "07-08-2020"], [pd.Timestamp(2020, 6, 5)], "may be 2020-05-06"),
    "short years": (["05/06/20", "17/08/20"], [pd.Timestamp(2020, 6, 5)], ""),
    "months by name": (["12 Jan 2020", "05 MAR 2021"], [pd.Timestamp(2020, 1, 12)], ""),
    "long months": (["3 May 2020", "12 November 2020"], [pd.Timestamp(2020, 5, 3)], ""),
    "SAS": (["12OCT2020", "05MAR2021"], [pd.Timestamp(2020, 10, 12)], ""),
    "American": (
        ["May 3, 2020", "Nov 12, 2020", "October 1, 2020"],
        [pd.Timestamp(2020, 5, 3)],
        "",
    ),
    "two years": (
        ["13/06/2020"] * 57 + ["05/16/20", "epoch", "00/00/0000"],
        [pd.Timestamp(2020, 6, 13)],
        "57 of 60",
    ),
}
CASES = {
    **{name: (cells, "number", words) for name, (cells, _, words) in NUMBERS.items()},
    **{name: (cells, "category", words) for name, (cells, words) in LABELS.items()},
    **{name: (cells, "date", words) for name, (cells, _, words) in DATES.items()},
    "ticked": (["Y", ""], "boolean", "'Y' in 30 records and blank in 30"),
    "leading zeros": (["007", "012"], "identifier", "60 values .* leading zeros"),
    "long digits": ([1439403621518935500 + k for k in range(N)], "identifier", "too many digits"),
    "names": ([f"word {k}" for k in range(N)], "identifier", ""),
    "running": (range(1, N + 1), "identifier", ""),
    "truth": (["true", "FALSE"], "boolean", ""),
    "zero or one": (["1", "0"], "number", ""),
    "empty": ([""], "text", "is empty in every record"),
    "capitals": (["red", "Red"], "category", "capitals alone: 'red' \\(30\\)"),
    "two codes": (["cafe\u0301", "café"], "category", "30 records .* made one"),
}


@pytest.mark.parametrize("name", CASES)
def test_each_change_of_a_notice_reads_otherwise_and_changes_nothing_else(name):
    cells, kind, words = CASES[name]
    data = written(x=cells, age=range(20, 50))
    first = read(data)
    assert first.types["x"] == kind
    assert bool(first.notices) == bool(words)
    assert not words or any(re.search(words, notice.text) for notice in first.notices)
    frame = first.to_frame()
    _, values, _ = NUMBERS.get(name) or DATES.get(name) or ((), (), "")
    for value, one in zip(values, frame["x"], strict=False):
        assert one == value or (value is None and pd.isna(one))
    for notice in filter(lambda notice: notice.changes, first.notices):
        changes = dict(notice.changes)
        options = first.options.changed(**changes)
        then = read(data, options)
        assert then.options == options == dp.tables.ReadOptions(**options.arguments())
        now = then.to_frame()
        rest = frame.drop(index=[row - 2 for row in changes.get("drop", ())])
        assert list(now) != list(frame) or not now["x"].equals(frame["x"]), "nothing changed"
        pd.testing.assert_series_equal(now["age"], rest["age"].reset_index(drop=True))
        back = [one for one in then.notices if one.text.startswith("Usual signs")]
        for one in back:
            again = read(data, options, **dict(one.changes)).to_frame()
            pd.testing.assert_series_equal(again["x"], frame["x"])
        assert len(back) == notice.text.startswith("Read as missing")


def test_columns_are_read_as_their_values_in_memory_and_in_place(tmp_path):
    path = tmp_path / "all.csv"
    path.write_bytes(written(**{name: cells for name, (cells, *_) in CASES.items()}))
    frame = dp.read_table(path)
    options, _ = dp.how_read(frame)
    again = dp.read_table(path, dp.tables.ReadOptions(**options.arguments()))
    pd.testing.assert_frame_equal(frame, again)
    pd.testing.assert_frame_equal(dp.scan(path).columns(list(frame)), frame)


def test_a_type_that_is_chosen_is_the_type():
    assert not read(written(x=["05/06/2020"], age=AGE), types={"x": "category"}).notices
    for kind in ("number", "date", "boolean", "category", "identifier", "text"):
        reading = read(written(x=["a", "7"], age=AGE), types={"x": kind})
        assert reading.types["x"] == kind
        assert bool(reading.notices) == (kind in ("number", "date", "boolean"))


def test_one_date_shows_the_order_of_others():
    frame = dp.read_table(written(a=["05/06/2020", "07/08/2020"], b=["25/06/2020", "07/08/2020"]))
    assert frame["a"][0] == pd.Timestamp("2020-06-05")


@cache
def database():
    """Return the database that reads texts by all macros, and its query."""
    db = in_memory()
    every = [minutes_sql("t", False), minutes_sql("t", True)]
    for k, writing in enumerate(WRITINGS):
        db.execute(number_macro(f"number_{k}", writing))
        pattern = literal(f"^(?:{beside(writing, 'kg')})$")
        cell = "a" if writing[0] == "." else "b"
        every.append(f"number_{k}({cell})")
        every.append(f"number_{k}(regexp_extract({cell}, {pattern}, 3))")
    plain_ones = f"{plain_sql('t', ('.', ''))} AS a, {plain_sql('t', (',', ''))} AS b"
    cells = f"SELECT t, {plain_ones} FROM (SELECT unnest(?) AS t)"
    return db, f"SELECT {', '.join(every)} FROM ({cells})"


SIGNS = [*"00123456789..,,''-−()+eE%$€ \u00a0\u202f_:hms*<>k٣۴५１٫٬–", "kg", "1:30", "12,345"]


@settings(max_examples=5, deadline=None)
@given(st.lists(st.lists(st.sampled_from(SIGNS), max_size=9).map("".join), min_size=30))
@example(["1_000", "inf", "nan", "1.2.3", "12 34", "(3", "90+", "1e999", "+-1", "8E00081", "0x1"])
def test_sql_and_python_read_the_same_numbers(texts):
    texts = [text.strip(" \u00a0\u202f") for text in texts]
    db, query = database()
    for text, row in zip(texts, db.execute(query, [texts]).fetchall(), strict=True):
        wanted = [minutes(text, False), minutes(text, True)]
        for writing in WRITINGS:
            found = compiled(beside(writing, "kg")).fullmatch(plain(text, writing))
            wanted.append(number(text, writing))
            wanted.append(number(found["number"], writing) if found else None)
        assert list(row) == wanted, text


@pytest.mark.parametrize(
    ("cells", "delimiter", "read_as", "other"),
    [
        ("2,037 1,500 3,250", ";", 2.037, "2037"),
        ("2.037 1.500 3.250", ";", 2.037, "2037"),
        ('"2,037" "1,500" "3,250"', ",", 2037, "2.037"),
        ("2,037 1,500 3,250", "\t", 2037, "2.037"),
    ],
)
def test_numbers_that_may_be_a_thousandfold_are_told(cells, delimiter, read_as, other):
    rows = [f"x{delimiter}y", *(f"{cell}{delimiter}a" for cell in cells.split() * 5)]
    data = "\n".join(rows).encode()
    frame = dp.read_table(data)
    assert frame["x"][0] == read_as
    options, (notice,) = dp.how_read(frame)
    assert f"it may be {other}" in notice.text
    assert dp.read_table(data, options, **dict(notice.changes))["x"][0] == float(other)
    # One number that is not ambiguous tells what the others are.
    frame = dp.read_table(("x;y\n" + "2,037;0,5\n1,500;0,25\n" * 9).encode())
    assert frame["x"].mean() == pytest.approx(1.7685)
    assert not dp.how_read(frame)[1]


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%Y/%m/%d", "%d/%m/%Y %H:%M"])
def test_dates_are_read_in_their_writing(form):
    dates = pd.Series(pd.date_range("2020-01-01", periods=N, freq="25h"))
    values = dp.read_table(written(x=dates.dt.strftime(form), age=AGE))["x"]
    assert values.dtype == "datetime64[us]"
    assert (values == (dates if "%H" in form else dates.dt.floor("D"))).all()


def test_codes_of_typed_columns_are_read_as_missing_and_back():
    target = io.BytesIO()
    pq.write_table(pa.table({"x": np.tile([1.0, 2.0, 3.0, -99.0], 15)}), target)
    data = target.getvalue()
    options, (notice,) = dp.how_read(dp.read_table(data))
    frame = dp.read_table(data, options, **dict(notice.changes))
    assert frame["x"].isna().sum() == 15
    pd.testing.assert_frame_equal(frame, dp.read_table(data, missing={"x": ["-99"]}))
    options, (notice,) = dp.how_read(frame)
    assert dp.read_table(data, options, **dict(notice.changes))["x"].isna().sum() == 0


def test_several_answers_become_columns(tmp_path):
    path = tmp_path / "drinks.csv"
    cells = ["Tea; Cafe\u0301 (black)", "Caf\u00e9 (black)", "Tea;Milk", "Milk", ""] * 12
    path.write_text("drinks,age\n" + "".join(f"{cell},{k}\n" for k, cell in enumerate(cells)))
    notice = next(one for one in dp.how_read(dp.read_table(path))[1] if one.changes)
    assert "24 cells of 'drinks' hold several answers" in notice.text
    changes = dict(notice.changes)
    frame = dp.read_table(path, **changes)
    counts = {name: frame[name].astype(float).sum() for name in list(frame)[2:]}
    assert counts == {"drinks: Tea": 24, "drinks: Café (black)": 24, "drinks: Milk": 24}
    assert frame["drinks: Tea"].isna().sum() == 12
    pd.testing.assert_frame_equal(dp.scan(path, **changes).columns(list(frame)), frame)
    options, notices = dp.how_read(frame)
    whole = dp.read_table(path, options, **dict(notices[0].changes))
    assert list(whole) == ["drinks", "age"]
    with pytest.raises(dp.ReadError, match="no answers that could be split"):
        dp.read_table(written(a=[""], b=range(9)), split={"a": ";"})


def test_late_oddities_of_a_long_table_are_told():
    size = 60_000
    frame = pd.DataFrame({"x": np.arange(size) % 7, "ok": "true", "c": ["a", "b"] * (size // 2)})
    frame = frame.astype(str)
    frame.loc[size - 3] = ["oops", "maybe", "NA"]
    table = dp.read_table(frame.to_csv(index=False).encode())
    assert table.iloc[size - 3].isna().all()
    assert len(dp.how_read(table)[1]) == 2
    assert (table["x"].drop(size - 3) == np.delete(np.arange(size) % 7, size - 3)).all()
