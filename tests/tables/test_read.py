"""Tables in the dialects that people bring; the expected values are what was written."""

from __future__ import annotations

import csv
import gzip
import io
import zipfile
from functools import cache

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings, strategies as st

import distpriv as dp
from distpriv.tables.numbers import WRITINGS, number, number_macro
from distpriv.tables.read import in_memory, read

N = 60
AGE = np.arange(N) * 7 % 60 + 18
SEX = np.where(AGE % 5 < 2, "F", "M")
PAY = np.round(900 + AGE * 13.37, 2)
FRAME = pd.DataFrame({"age": AGE, "sex": SEX, "pay": PAY})
PLAIN = FRAME.to_csv(index=False).encode()
EUROPEAN = [f"{pay:,.2f}".translate(str.maketrans(",.", ".,")) for pay in PAY]


def write(pay=None, **how):
    return (FRAME if pay is None else FRAME.assign(pay=pay)).to_csv(index=False, **how).encode()


def archive(**files):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as packed:
        for name, data in files.items():
            packed.writestr(name.replace("_", "."), data)
    return target.getvalue()


def parquet(columns):
    target = io.BytesIO()
    pq.write_table(pa.table(columns), target)
    return target.getvalue()


def texts(frame):
    return [notice.text for notice in dp.how_read(frame)[1]]


SMALL = {
    "age": pa.array(AGE.astype("int16")),
    "sex": pa.array(SEX).dictionary_encode(),
    "pay": pa.array(PAY).cast(pa.decimal128(12, 2), safe=False),
}
SAME = {
    "plain": PLAIN,
    "tabs": write(sep="\t"),
    "bars": write(sep="|"),
    "semicolons": write(sep=";"),
    "blanks": write(sep=" "),
    "decimal comma": write(sep=";", decimal=","),
    "thousands": write([f"{pay:,.2f}" for pay in PAY]),
    "european thousands": write(EUROPEAN, sep=";"),
    "narrow blanks": write([f"{pay:,.2f}".replace(",", "\u202f") for pay in PAY]),
    "currency": write([f"${pay:.2f}" for pay in PAY]),
    "byte order mark": b"\xef\xbb\xbf" + write(lineterminator="\r\n"),
    "old line ends": write(lineterminator="\r"),
    "utf-16": PLAIN.decode().encode("utf-16"),
    "quoted": write(quoting=csv.QUOTE_ALL),
    "sep line": b"sep=;\n" + write(sep=";"),
    "blank lines": PLAIN.replace(b"\n", b"\n\n"),
    "blanks around labels": PLAIN.replace(b"F,", b"F ,"),
    "title": b"Staff of the north\n\n" + PLAIN,
    "units": PLAIN.replace(b"\n", b"\nyears,,euros\n", 1),
    "groups above names": b"person,,money\n" + PLAIN,
    "note below": PLAIN + b"\nSource: register, page 7\n",
    "total below": PLAIN + f"Total,,{PAY.sum():.2f}\n".encode(),
    "sum below": PLAIN + f",,{PAY.sum():.2f}\n".encode(),
    "trailing separators": PLAIN.replace(b"\n", b",\n").replace(b"pay,", b"pay", 1),
    "gzip": gzip.compress(PLAIN),
    "archive": archive(readme_txt="words " * 2_000, data_csv=PLAIN),
    "archive of gzip": archive(table_gz=gzip.compress(PLAIN)),
    "parquet": parquet({"age": AGE, "sex": SEX, "pay": PAY}),
    "parquet of texts": parquet({"age": AGE.astype(str), "sex": SEX, "pay": PAY.astype(str)}),
    "parquet of small types": parquet(SMALL),
}


@pytest.mark.parametrize("data", SAME.values(), ids=SAME)
def test_every_writing_is_read_as_the_same_table(data):
    frame = dp.read_table(data)
    assert list(frame) == ["age", "sex", "pay"]
    assert frame["age"].dtype == "int64"
    assert isinstance(frame["sex"].dtype, pd.CategoricalDtype)
    np.testing.assert_array_equal(frame["age"], AGE)
    np.testing.assert_array_equal(frame["sex"].astype(str), SEX)
    np.testing.assert_allclose(frame["pay"], PAY, rtol=1e-12)


def test_labels_in_other_encodings_are_read():
    data = "town,age\n" + "Köln,30\nMálaga,40\n" * 9
    frame = dp.read_table(data.encode("cp1252"))
    assert set(frame["town"]) == {"Köln", "Málaga"}
    assert "read as cp1252" in texts(frame)[0]


@pytest.mark.parametrize(
    ("data", "records"),
    [
        ("x;kind\n" + "1,50;a\n2,25;b\n" * 6 + "3,75;a\nSource: register page 7\n", 13),
        ("pet,town\n" + "cat,Ulm\ndog,Bonn\n" * 9 + "Source: a survey\n", 18),
    ],
)
def test_footer_of_a_small_table_is_no_record(data, records):
    frame = dp.read_table(data.encode())
    assert len(frame) == records
    assert "is no record and was left out" in texts(frame)[0]


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
    assert not texts(frame)


@cache
def numbers_database():
    db = in_memory()
    for k, writing in enumerate(WRITINGS):
        db.execute(number_macro(f"number_{k}", writing))
    return db


def sql_numbers(written, writing):
    query = f"SELECT number_{WRITINGS.index(writing)}(t) FROM (SELECT unnest(?) AS t)"
    return [row[0] for row in numbers_database().execute(query, [written]).fetchall()]


@settings(max_examples=25, deadline=None)
@given(
    writing=st.sampled_from(WRITINGS),
    numbers=st.lists(st.floats(-1e9, 1e9).map(lambda x: round(x, 3)), min_size=1, max_size=20),
)
def test_sql_and_python_read_the_same_numbers(writing, numbers):
    decimal, thousands = writing
    swap = str.maketrans(",.", f"{thousands or ','}{decimal}")
    written = [(f"{x:,.3f}" if thousands else f"{x:.3f}").translate(swap) for x in numbers]
    assert sql_numbers(written, writing) == [number(text, writing) for text in written] == numbers


def test_texts_that_are_no_numbers_stay_texts():
    odd = ["1_000", "inf", "nan", "1.2.3", "12 34", "(3", "90+", "1e999"]
    assert sql_numbers(odd, (".", "")) == [None] * len(odd)


def column(cells, name="x", **changes):
    """Read a column beside the ages: values, notices and type."""
    rows = (f"{cell},{age}\n" for cell, age in zip(cells, AGE, strict=False))
    reading = read(f"{name},age\n{''.join(rows)}".encode(), **changes)
    return reading.to_frame()[name], reading.notices, reading.types[name]


@pytest.mark.parametrize(
    ("cells", "missing", "words"),
    [
        (["5", "7", "8", "prefer not to say", "NA"] * 12, 24, "'prefer not to say' (12)"),
        (["90+", *map(str, range(20, 60))], 1, "row 2 is '90+'"),
        (["1.5", "2", "<0.5", "3"] * 10, 0, "they were read as labels"),
        ([f"0{k % 9 + 1}/0{k % 7 + 1}/2020" for k in range(N)], 0, "the month was read first"),
        (["Tea;Coffee", "Coffee", "Tea;Milk", "Milk"] * 15, 0, "several answers"),
        (["red", "Red"] * 30, 0, "capitals alone"),
        (["cafe\u0301", "café"] * 30, 0, "were made one"),
        (["7 %", "8"] * 30, 0, "have a %"),
        (["Y", ""] * 30, 0, "blank was read as not ticked"),
        ([""] * 30, 30, "is empty in every record"),
    ],
)
def test_doubtful_columns_are_told(cells, missing, words):
    values, (notice, *_), _ = column(cells)
    assert words in notice.text
    assert values.isna().sum() == missing


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        ([f"{k * 137 % 999:05d}" for k in range(N)], "identifier"),
        ([str(14394036215189355 * 100 + k) for k in range(N)], "identifier"),
        ([f"word {k}" for k in range(N)], "identifier"),
        (range(1, N + 1), "identifier"),
        (["None", "dog"] * 30, "category"),
        (["T", "F"] * 30, "category"),
        (["NA", "DE", "FR", "ES"] * 15, "category"),
        (["20-29", "30-39"] * 30, "category"),
        (["true", "FALSE"] * 30, "boolean"),
        (["1", "0"] * 30, "number"),
        (["'-5.00", "($3)", "−7"] * 20, "number"),
    ],
)
def test_column_is_what_it_holds(cells, kind):
    values, _, found = column(cells)
    assert found == kind
    assert values.isna().sum() == 0


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%Y/%m/%d", "%d/%m/%Y %H:%M"])
def test_dates_are_read_in_their_writing(form):
    dates = pd.Series(pd.date_range("2020-01-01", periods=N, freq="25h"))
    values, _, _ = column(dates.dt.strftime(form))
    assert values.dtype == "datetime64[us]"
    assert (values == (dates if "%H" in form else dates.dt.floor("D"))).all()


def test_codes_for_missing_values_are_offered():
    cells = [*(str(k % 4 + 1) for k in range(40)), *["777", "999"] * 10]
    _, (notice,), _ = column(cells)
    assert "777 (10 records), 999 (10 records)" in notice.text
    assert column(cells, **dict(notice.changes))[0].mean() == 2.5
    data = parquet({"x": np.tile([1.0, 2.0, 3.0, -99.0], 15)})
    options, (notice,) = dp.how_read(dp.read_table(data))
    assert dp.read_table(data, options, **dict(notice.changes))["x"].isna().sum() == 15


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
        dp.read_table(parquet({"a": [True, False]}), split={"a": ";"})


def test_questions_to_some_alone_are_told():
    frame = dp.read_table(b"sex,pregnant\n" + b"F,true\nF,false\nM,\nM,\n" * 10)
    assert "missing in every record with sex = 'M'" in texts(frame)[-1]
    assert frame["pregnant"].cat.categories.tolist() == [False, True]
    assert frame["pregnant"].isna().sum() == 20


def test_names_are_unique_and_their_case_counts():
    frame = dp.read_table(b"score,SCORE,score,,\n" + b"1.5,20,x,3,\n2.5,30,y,4,\n" * 5)
    assert list(frame) == ["score", "SCORE", "score (2)", "column 4"]
    assert frame["SCORE"].mean() == 25


def test_names_and_labels_with_quotation_marks_are_safe():
    name, label = "a\"b'; DROP TABLE grid; --", 'it\'s "x"; --'
    target = io.StringIO()
    csv.writer(target).writerows([[name, "y"], *([[label, "1"], ["", "2"]] * 9)])
    frame = dp.read_table(target.getvalue().encode())
    assert frame[name].sum() == 9
    frame = dp.read_table(target.getvalue().encode(), missing={name: [label]})
    assert frame[name].isna().all()


def test_lines_may_break_within_quotation_marks_and_end_early():
    lines = b'"first\nsecond, third",1,2\nlong,3,4\nshort,3\n'
    frame = dp.read_table(b"remark,x,y\n" + lines * 10)
    assert (frame["remark"] == "first\nsecond, third").sum() == 10
    assert frame["y"].isna().sum() == 10


def test_late_oddities_of_a_long_table_are_told():
    size = 60_000
    frame = pd.DataFrame({"x": np.arange(size) % 7, "ok": "true", "c": ["a", "b"] * (size // 2)})
    frame = frame.astype(str)
    frame.loc[size - 3] = ["oops", "maybe", "NA"]
    table = dp.read_table(frame.to_csv(index=False).encode())
    assert table.iloc[size - 3].isna().all()
    assert len(texts(table)) == 2
    assert (table["x"].drop(size - 3) == np.delete(np.arange(size) % 7, size - 3)).all()


def test_columns_of_parquet_keep_their_types_or_are_told():
    columns = {
        "id": pa.array([2**60 + k for k in range(N)]),
        "part": pa.array([float("nan")] + [0.5] * (N - 1)),
        "flag": pa.array([None, *([True, False] * N)[1:N]]),
        "when": pa.array(pd.date_range("2020", periods=N, tz="Europe/Berlin")),
        "list": pa.array([[1]] * N),
        "__index_level_0__": AGE,
    }
    reading = read(parquet(columns))
    assert list(reading.types.values()) == ["identifier", "number", "boolean", "date"]
    frame = reading.to_frame()
    assert frame["part"].isna().sum() == 1
    assert frame["when"][0] == pd.Timestamp("2019-12-31 23:00")
    assert "'list' holds list" in texts(frame)[0]


PROSE = b"It was the best of times.\nIt was the worst\nof times it was the age\nof wisdom it was\n"
REFUSED = {
    "an empty file": (b"\n", "is empty"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(50), "a picture"),
    "a photograph": (b"\xff\xd8\xff\xe0" + bytes(50), "a picture"),
    "a PDF": (b"%PDF-1.7\n", "a PDF"),
    "SPSS": (b"$FL2@(#) SPSS DATA FILE", "an SPSS file"),
    "JSON": (b'[{"age": 5}]', "a JSON file"),
    "a web page": (b"<!DOCTYPE html><table>", "web page"),
    "a program": (b"\x7fELF\x02\x01\x01" + bytes(100), "no text"),
    "prose": (PROSE, "running text"),
    "fixed places": (b"12F3400\n13M2200\n44F1000\n51M9900\n", "7 characters"),
    "names alone": (b"age,sex,pay\n", "no records"),
    "a long line": (PLAIN + b"1,M,2,3\n", "Line 62 has 4 values where the others have 3"),
    "an open quotation mark": (PLAIN.replace(b"\n32", b'\n"32'), "quotation mark"),
    "damaged gzip": (gzip.compress(PLAIN)[:90], "damaged"),
    "damaged Parquet": (parquet({"a": AGE})[:300], "damaged"),
    "a damaged archive": (b"PK\x03\x04" + bytes(100), "damaged"),
    "many columns": (b",".join(b"c%d" % k for k in range(2_001)) + b"\n" + b"1," * 2_000, "2001"),
}


@pytest.mark.parametrize(("data", "words"), REFUSED.values(), ids=REFUSED)
def test_files_without_a_table_are_refused_in_one_sentence(data, words):
    with pytest.raises(dp.ReadError, match=words) as caught:
        dp.read_table(data)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"header": (90,)}, "Row 90"),
        ({"types": {"wage": "number"}}, "no column 'wage'"),
        ({"colour": 1}, "no option 'colour'"),
        ({"last": 70}, "no records"),
    ],
)
def test_wrong_options_are_refused(changes, words):
    with pytest.raises(dp.ReadError, match=words):
        dp.read_table(PLAIN, **changes)


def test_member_of_an_archive_is_chosen_by_name():
    data = archive(one_csv=PLAIN, two_csv=b"x,y\n1,2\n")
    frame = dp.read_table(data)
    options, (notice,) = dp.how_read(frame)
    assert dp.read_table(data, options, **dict(notice.changes)).shape == (1, 2)
    with pytest.raises(dp.ReadError, match=r"no 'three\.csv'"):
        dp.read_table(data, member="three.csv")


def test_types_are_chosen_and_guessed_options_read_the_same_again(tmp_path):
    frame = dp.read_table(PLAIN, types={"age": "category", "pay": "text"})
    assert frame["age"].cat.categories[0] == "18"
    assert frame["pay"].dtype == "category"
    path = tmp_path / "staff.csv"
    path.write_bytes(b"Staff;;\n" + write(EUROPEAN, sep=";") + b"Source: us\n")
    frame = dp.read_table(path)
    again = dp.read_table(str(path), dp.how_read(frame)[0])
    pd.testing.assert_frame_equal(frame, again)
    assert texts(frame) == texts(again)


def test_open_files_are_read_and_frames_keep_how(tmp_path):
    frame = dp.read_table(io.StringIO(PLAIN.decode()))
    pd.testing.assert_frame_equal(frame, dp.read_table(io.BytesIO(PLAIN)))
    frame.to_parquet(tmp_path / "table.parquet")
    assert dp.how_read(pd.read_parquet(tmp_path / "table.parquet")) == dp.how_read(frame)
    with pytest.raises(dp.ReadError, match="was not read"):
        dp.how_read(FRAME)
    with pytest.raises(dp.ReadError, match="cannot be opened"):
        dp.read_table(tmp_path / "none.csv")


def test_reading_shows_no_records():
    reading = read(b"age\n" + b"\n".join(b"%d" % age for age in AGE))
    assert repr(reading).startswith("Reading(60 rows, 1 columns, ")
    assert reading.to_frame()["age"].sum() == AGE.sum()
    assert 'AS "age"' in reading.select
