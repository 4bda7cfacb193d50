"""Tables in the dialects that people bring; the expected values are what was written."""

from __future__ import annotations

import csv
import gzip
import io
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import distpriv as dp
from distpriv.tables import ReadOptions
from distpriv.tables.read import read

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


def test_questions_to_some_alone_are_told():
    frame = dp.read_table(b"sex,pregnant\n" + b"F,true\nF,false\nM,\nM,\n" * 10)
    assert "Missing in all 20 records with sex = 'M': 'pregnant'" in texts(frame)[-1]
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


def test_frames_keep_how_they_were_read(tmp_path):
    frame = dp.read_table(PLAIN)
    frame.to_parquet(tmp_path / "table.parquet")
    assert dp.how_read(pd.read_parquet(tmp_path / "table.parquet")) == dp.how_read(frame)
    with pytest.raises(dp.ReadError, match="was not read"):
        dp.how_read(FRAME)


def test_file_is_a_path_bytes_an_open_file_or_its_text(tmp_path):
    text = "name;pay\nAnn;1,5\nBob;2,5\nCid;4,0\n"
    file = tmp_path / "people.csv"
    file.write_text(text)
    for one in (file, str(file), text, text.encode(), io.BytesIO(text.encode()), io.StringIO(text)):
        assert dp.read_table(one)["pay"].tolist() == [1.5, 2.5, 4.0]
    with pytest.raises(dp.ReadError, match=r"peopel.csv cannot be opened .* mean 'people\.csv'\?"):
        dp.read_table(tmp_path / "peopel.csv")
    counts = []
    dp.read_table(text, progress=lambda *both: counts.append(both))
    assert counts == [(1, 1)]


def test_how_read_prints_options_and_notices():
    how = dp.how_read(dp.read_table("day;pay\n1.2.24;1,5\n3.2.24;2,5\n4.2.24;4,0\n"))
    assert repr(how).splitlines()[0] == "ReadOptions(delimiter=';', decimal=',')"
    assert how.to_frame()[["column", "changes"]].to_numpy().tolist() == [["day", "day_first=False"]]
    with pytest.raises(dp.ReadError, match="of another type"):
        dp.read_table("a;b\n1;2\n", types="number")
    with pytest.raises(dp.ReadError, match=r"option 'delimeter'.*mean 'delimiter'"):
        dp.read_table("a;b\n1;2\n", delimeter=";")
    with pytest.raises(dp.ReadError, match="'a' is there twice"):
        ReadOptions(types=(("a", "date"), ("a", "text")))


def test_reading_shows_no_records():
    reading = read(b"age\n" + b"\n".join(b"%d" % age for age in AGE))
    assert repr(reading).startswith("Reading(60 rows, 1 columns, ")
    assert reading.to_frame()["age"].sum() == AGE.sum()
