"""Kinds of files, told by their content."""

from __future__ import annotations

import bz2
import datetime
import gzip
import io
import json
import lzma
import sys
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.orc
import pyarrow.parquet as pq
import pyreadstat
import pytest

import distpriv as dp
from distpriv.tables import delimited
from distpriv.tables.formats import format_of
from tests.tables.test_read import AGE, PLAIN, parquet
from tests.tables.test_workbook import ROWS as SHEET, workbook

ROWS = [{"age": 20 + k, "sex": "FM"[k % 2], "late": k < 3, "pay": k / 8} for k in range(12)]
FRAME = pd.DataFrame(ROWS)
NAMES = list(FRAME)
LISTS = [[row[name] for name in NAMES] for row in ROWS]
TYPES = ["int64", "category", "bool", "float64"]


def as_json(value):
    return json.dumps(value).encode()


def markup(rows, row, cell):
    lines = ("".join(cell.format(value) for value in line) for line in rows)
    return "".join(row.format(line) for line in lines)


def web_page():
    rows = markup([NAMES, *LISTS], "<tr>{}", "<td>{}<br>\n")
    menu = "<table><tr><td>home<td>about<tr><td>help<td>contact</table>"
    script = "<script>if (a<b) document.write('<tr>')</script>"
    return f"<!-- made --><html>{menu}<table><tr><td>{script}<table>{rows}</table></table>"


def sheets(head=""):
    cell = '<Cell><Data ss:Type="String">{}</Data><Comment><Data>odd</Data></Comment></Cell>'
    rows = markup([NAMES, *LISTS], "<Row>{}</Row>", cell)
    names = 'xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet"'
    first = "<ss:Worksheet ss:Name='Notes'><Table><Row/><Row/></Table></ss:Worksheet>"
    second = f"<Worksheet ss:Name='Data'><ss:Table>{rows}</ss:Table></Worksheet>"
    return f"<?xml version='1.0'?>{head}<Workbook {names}>{first}{second}</Workbook>"


def arff():
    head = "% made\n@RELATION r\n@attribute age real\n@attribute 'sex' {F, M}\n"
    head += '@attribute "late" {True,False}\n@attribute pay numeric\n@DATA\n% records\n'
    return head + "\n".join(", ".join(map(str, row)) for row in LISTS)


def written(write, frame=FRAME, **how):
    target = io.BytesIO()
    write(frame, target, **how)
    return target.getvalue()


def zipped(name, data):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr(name, data)
    return target.getvalue()


CSV = b"age,sex\n" + b"".join(b"%d,%c\n" % (20 + k, b"FM"[k % 2]) for k in range(30))
FEATURES = [{"type": "Feature", "properties": row, "geometry": {}} for row in ROWS]
COUPLES = {
    "records": as_json(ROWS),
    "lists": as_json([NAMES, *LISTS]),
    "columns": FRAME.to_json().encode(),
    "columns of lists": FRAME.to_json(orient="split").encode(),
    "split": as_json({name: [row[name] for row in ROWS] for name in NAMES}),
    "records by number": FRAME.to_json(orient="index").encode(),
    "records by name": as_json({f"p{k}": row for k, row in enumerate(ROWS[:3])} | {"q": ROWS[3]}),
    "wrapped": as_json({"status": "ok", "few": [{"x": 1}], "page": {"results": ROWS}}),
    "lines": "\n".join(map(json.dumps, ROWS)).encode("utf-16"),
    "features": as_json({"type": "FeatureCollection", "features": FEATURES}),
    "packed": zipped("inner.zip", zipped("a.json", as_json(ROWS))),
    "xz": lzma.compress(FRAME.to_csv(index=False).encode()),
    "bz2": bz2.compress(FRAME.to_csv(index=False).encode()),
    "web page": web_page().encode(),
    "sheets": sheets().encode(),
    "ARFF": arff().encode(),
    "places": FRAME.to_string(index=False).encode(),
    "Stata": written(pd.DataFrame.to_stata, FRAME.astype({"late": str}), write_index=False),
    "Arrow": written(pyarrow.feather.write_feather),
    "ORC": written(pyarrow.orc.write_table, pa.table(FRAME.assign(late=FRAME.late.astype(str)))),
}


@pytest.mark.parametrize("data", COUPLES.values(), ids=COUPLES)
def test_table_is_found_in_each_kind_of_file(data):
    frame = dp.read_table(data)
    expected = FRAME.astype({"sex": "category"})[: len(frame)]
    assert frame.dtypes.astype(str).tolist() == TYPES
    assert len(frame) >= 4
    assert frame.astype({"sex": str}).to_dict("list") == expected.to_dict("list")
    options, _ = dp.how_read(frame)
    pd.testing.assert_frame_equal(dp.read_table(data, options), frame)


def test_values_of_json_keep_their_types_and_what_is_left_out_is_told():
    long, beside = 1439403621518935563, {"next": "page 2", "schema": {"fields": [{"a": 1}] * 9}}
    records = [
        {"id": long + k, "zip": "007", "one": 1, "ok": True, "in": {"x": 1}, "rate": k / 4}
        for k in range(5)
    ]
    del records[0]["one"], records[0]["ok"]
    data = as_json({**beside, "data": records}).replace(b'"rate": 0.5', b'"rate": NaN')
    frame = dp.read_table(data)
    assert frame.drop(columns=["id", "zip"]).to_dict("records")[1:3] == [
        {"one": 1.0, "ok": True, "rate": 0.25},
        {"one": 1.0, "ok": True, "rate": pytest.approx(np.nan, nan_ok=True)},
    ]
    assert frame.loc[4, ["id", "zip"]].tolist() == [str(long + 4), "007"]
    assert frame.isna().sum().tolist() == [0, 0, 1, 1, 1]
    notices = " ".join(notice.text for notice in dp.how_read(frame)[1])
    assert all(part in notices for part in ("'data'", "next = page 2", "'in'", "'NaN'"))


PROSE = b"It was the best of times.\nIt was the worst\nof times it was the age\nof wisdom it was\n"
OLE = b"\xd0\xcf\x11\xe0"  # how old workbooks begin
REFUSED = {
    "twice": (b'[{"a": 1, "a": 2}]', "two values of 'a'"),
    "cut": (b'[{"a": 1},\n{"a": ', "damaged in line 2"),
    "one object": (b'{"a": 1, "b": [1, 2]}', "is a single object"),
    "empty": (b"[ ]", "has no records"),
    "nested": (b"[] [[[1]]]", "lists beside or within others"),
    "columns": (b'{"columns": 5, "data": [[1]]}', "has no records"),
    "objects": (b'{"meta": {"a": 1}, "more": {"b": 1}}', "is a single object"),
    "wide": (as_json([{f"c{k}": 1} for k in range(2001)]), "2001 columns"),
    "page": (b"<!DOCTYPE html><body>Log in</body>", "without a table"),
    "spans": (b"<table><tr><td>a<tr>" + b"<td colspan=1000000000>" * 3, "3000 columns"),
    "XML": (b"<?xml version='1.0'?><people/>", "XML"),
    "sparse": (b"@relation r\n@attribute a real\n@data\n{0 1}\n", "sparse"),
    "ragged": (b"@relation r\n@attribute a real\n@data\n1\n1,2\n", "Record 2"),
    "SPSS": (b"$FL2@(#) IBM SPSS", "SPSS is damaged"),
    "Stata": (COUPLES["Stata"][:400], "Stata is damaged"),
    "SAS": (bytes(12) + b"\xc2\xea\x81\x60" + bytes(900), "SAS is damaged"),
    "SAS 8": (b"HEADER RECORD*******LIBV8", "version 8"),
    "Arrow": (COUPLES["Arrow"][:-200], "damaged"),
    "ORC": (COUPLES["ORC"][:-20], "damaged"),
    "places": (b"a   b\n" * 300 + b"xxxxxxxxxxxxx\n", "same places"),
    "xz": (COUPLES["xz"][:60], "damaged"),
    "Word": (zipped("[Content_Types].xml", b"<Types/>"), "without sheets"),
    "open": (CSV.replace(b"25,M", b'25,"M'), "before 'M' is not closed"),
    "long": (b"x" * 200_000 + CSV, "more than 131072 characters"),
    "names": ((b"1," * 70_000 + b"1\n") * 5, "70001 columns"),
    "7z": (b"7z\xbc\xaf\x27\x1c", "archive"),
    "dBase": (b"\x03\x7a\x01\x0a" + bytes(30), "dBase"),
    "DuckDB": (bytes(8) + b"DUCK\x40\x00", "DuckDB"),
    "an empty file": (b"\n", "is empty"),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(50), "a picture"),
    "a photograph": (b"\xff\xd8\xff\xe0" + bytes(50), "a picture"),
    "a PDF": (b"%PDF-1.7\n", "a PDF"),
    "a program": (b"\x7fELF\x02\x01\x01" + bytes(100), "not text"),
    "prose": (PROSE, "running text"),
    "fixed places": (b"12F3400\n13M2200\n44F1000\n51M9900\n", "7 characters"),
    "names alone": (b"age,sex,pay\n", "no records"),
    "a long line": (PLAIN + b"1,M,2,3\n", "Line 62 has 4 values where the others have 3"),
    "damaged gzip": (gzip.compress(PLAIN)[:90], "damaged"),
    "damaged Parquet": (parquet({"a": AGE})[:300], "damaged"),
    "a damaged archive": (b"PK\x03\x04" + bytes(100), "damaged"),
    "many columns": (b",".join(b"c%d" % k for k in range(2_001)) + b"\n" + b"1," * 2_000, "2001"),
    "a cut workbook": (workbook({"Data": SHEET})[:900], "damaged"),
    "an empty workbook": (workbook({"Data": []}), "empty"),
    "a workbook of names": (workbook({"Data": [["age", "sex"]]}), "no records"),
    "a locked workbook": (OLE + bytes(99) + "EncryptedPackage".encode("utf-16-le"), "password"),
    "a damaged workbook": (OLE + bytes(900), "damaged"),
}


@pytest.mark.parametrize(("data", "words"), REFUSED.values(), ids=REFUSED)
def test_what_holds_no_table_is_refused_in_a_sentence_with_its_reason(data, words):
    with pytest.raises(dp.ReadError, match=words) as caught:
        dp.read_table(data)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


TEXTS = {name: CSV.decode().encode(name) for name in ("utf-16", "utf-16-be", "utf-32", "utf-32-le")}
TEXTS |= {"cut": TEXTS["utf-16"][:-1], "quoted": CSV.replace(b"F", b"'F'").replace(b"M", b"'M'")}
TEXTS |= {"notes": CSV + b"Source: register\nRead in May\nYears\n"}


@pytest.mark.parametrize("data", TEXTS.values(), ids=TEXTS)
def test_text_is_read_in_each_encoding_and_with_what_stands_around_it(data):
    frame = dp.read_table(data)
    assert frame["age"].tolist() == [*range(20, 50)]
    assert frame["sex"].tolist() == ["F", "M"] * 15


@pytest.mark.parametrize("code", ["cp1252", "mac_roman", "cp1251", "big5", "cp932"])
def test_code_page_of_a_text_is_found(code):
    words = {
        "cp1251": "Иванов из Москвы",
        "big5": "北從雲林縣牛挑灣溪",
        "cp932": "年齢と性別のデータ",
    }.get(code, "château à Besançon")
    frame = dp.read_table(f"place,n\n{words},1\n{words},2\n{words},2\n".encode(code))
    assert set(frame["place"]) == {words}
    (notice,) = dp.how_read(frame)[1]
    assert notice.text == f"The text is not in UTF-8; it was read as {code}."


def test_large_text_is_read_as_a_small_one(monkeypatch):
    rows = b"".join(b"%d,%s ,x\n" % (k, [b"", b"ab", b"c"][k % 3]) for k in range(900))
    small = dp.read_table(b"k,a,b\n" + rows)
    monkeypatch.setattr(delimited, "LONGEST", 1_000)
    pd.testing.assert_frame_equal(dp.read_table(b"k,a,b\n" + rows), small)


@pytest.mark.parametrize("name", ["pk", "orc", "par1", "obj", "[a]", "network name", "gif8"])
def test_names_of_columns_are_not_taken_for_the_beginning_of_other_files(name):
    assert format_of(f"{name},age\n1,2\n".encode()) is None


@pytest.mark.parametrize("name", ["sav", "zsav", "por", "xpt"])
def test_files_of_spss_and_sas_have_labels_dates_and_missing_values(tmp_path, name):
    day = datetime.date(2020, 1, 31)
    frame = pd.DataFrame({"grade": [1.0, 2.0, 0.0, 9.0], "day": [day] * 3 + [None]})
    file = tmp_path / "a"
    if name == "xpt":
        pyreadstat.write_xport(frame, file, file_format_version=5, variable_format={"day": "DATE9"})
    elif name == "por":
        pyreadstat.write_por(frame, file)
    else:
        labels = {"variable_value_labels": {"grade": {1: "low", 2: "high"}}}
        missing = {"missing_ranges": {"grade": [9]}, "compress": name == "zsav"}
        pyreadstat.write_sav(frame, file, **labels, **missing)
    grade, days = dp.read_table(file).to_numpy(dtype=object).T
    expected = ["low", "high", "0", "nan"] if "sav" in name else ["1", "2", "0", "9"]
    assert [*map(str, grade)] == expected
    assert days[0] == pd.Timestamp(day)
    assert pd.isna(days[3])


def test_file_of_spss_names_the_package_that_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(dp.ReadError, match=r"pip install 'distpriv\[statistics-files\]'.*CSV"):
        dp.read_table(b"$FL2@(#) IBM SPSS")


def test_labels_of_stata_are_read_and_single_precision_stands_for_decimals():
    frame = pd.DataFrame({"sex": pd.Categorical(["F", "M", None]), "rate": [0.1, 2.35, None]})
    single = frame.astype({"rate": "float32"})
    table = pa.table([single["rate"], single["rate"] * 0 + 7], names=["rate", "rate"])
    stata = dp.read_table(written(pd.DataFrame.to_stata, single, write_index=False))
    parquet = dp.read_table(written(pq.write_table, table))
    assert stata["sex"].astype(str).tolist()[:2] == ["F", "M"]
    assert stata["rate"].tolist()[:2] == parquet["rate"].tolist()[:2] == [0.1, 2.35]
    assert parquet.isna().sum().tolist() == [1, 1]
    assert list(parquet) == ["rate", "rate (2)"]


def test_cells_of_a_web_page_stand_in_the_rows_that_they_span():
    head = "<tr><th rowspan=2>dept<th colspan=2>person<tr><th>age<th>sex"
    rows = "".join(
        f"<tr>{'<td rowspan=3>D' + str(k) if k % 3 == 0 else ''}<td>{20 + k}<td>&nbsp;F "
        for k in range(9)
    )
    frame = dp.read_table(f"<table>{head}{rows}</table>".encode())
    assert list(frame) == ["dept", "age", "sex"]
    assert frame["dept"].tolist() == ["D0"] * 3 + ["D3"] * 3 + ["D6"] * 3
    assert frame["age"].tolist() == [*range(20, 29)]


def test_entities_that_a_document_defines_are_not_read():
    head = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
    frame = dp.read_table(sheets(head).replace(">F<", ">&b;<").encode())
    assert set(frame["sex"]) == {"&b;", "M"}
    assert dp.read_table(sheets().encode(), member="Data").shape == (12, 4)
