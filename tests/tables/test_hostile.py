"""Files that attack: each ends in a table, or in one sentence that names the right reason."""

from __future__ import annotations

import gzip
import io
import json
import struct
import zipfile

import pyarrow as pa
import pytest

import distpriv as dp
from tests.tables.test_guard import workbook_bomb
from tests.tables.test_read import parquet
from tests.tables.test_workbook import workbook

ROWS = "".join(f"{20 + k % 50},{'FM'[k % 2]},{1000 + k}\n" for k in range(40))
TABLE = b"age,sex,pay\n" + ROWS.encode()
SHEET = "xl/worksheets/0.xml"


def archive(*files, locked=False):
    """Pack files, as pairs of name and content; `locked` says that a password is needed."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files:
            packed.writestr(name, data)
    data = bytearray(target.getvalue())
    if locked:
        data[6] |= 1
        data[data.rfind(b"PK\x01\x02") + 8] |= 1
    return bytes(data)


def nested(depth):
    data = TABLE
    for level in range(depth):
        data = archive((f"{level}.{'zip' if level else 'csv'}", data))
    return data


def entities(levels):
    """Define entities of which each holds ten of the one before."""
    first, *letters = "abcdefghijkl"[:levels]
    pairs = zip(letters, first + "".join(letters), strict=False)
    more = "".join(f'<!ENTITY {one} "{f"&{last};" * 10}">' for one, last in pairs)
    return f'<!DOCTYPE x [<!ENTITY {first} "ha">{more}]><t>&{letters[-1]};</t>'


def workbook_with(old, new, head=""):
    """Return a workbook of a name and a cell in which something is replaced."""
    files = zipfile.ZipFile(io.BytesIO(workbook({"a": [["age"], [1]]})))
    parts = {name: files.read(name).decode() for name in files.namelist()}
    parts[SHEET] = head + parts[SHEET].replace(old, new)
    return archive(*parts.items())


def workbook_of_entities():
    """Return a workbook with a cell that multiplies as it is read."""
    head, _, cell = entities(10).partition("<t>")
    return workbook_with("<t>age</t>", f"<t>{cell}", head)


def workbook_of_a_last_cell():
    """Return a workbook with nothing but the cell after 17 billion others."""
    cells = '<row r="1"><c r="A1" t="inlineStr"><is><t>age</t></is></c></row><row r="2"><c r="A2">'
    return workbook_with(cells, '<row r="1048576"><c r="XFD1048576">')


def renamed(data):
    """Return a workbook whose sheet is in a file that is not called one."""
    files = zipfile.ZipFile(io.BytesIO(data))
    parts = {name: files.read(name).replace(b"sheet1.xml", b"a.xml") for name in files.namelist()}
    return archive(*((name.replace("sheet1.xml", "a.xml"), part) for name, part in parts.items()))


def nest(levels):
    kind = pa.int32()
    for _ in range(levels):
        kind = pa.list_(kind)
    return kind


SECOND = '<row r="2"><c r="A2">'
FAR_ROW = f'<row r="2">{"<c><v>1</v></c>" * 99}</row><row r="1048576"><c>'
WIDE = [{f"c{100 * row + k}": 1 for k in range(100)} for row in range(30)]
REFUSED = {
    "entities in XML": (b'<?xml version="1.0"?>' + entities(10).encode(), "XML"),
    "a file named in XML": (b'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY x SYSTEM "a">]>', "XML"),
    "entities in a workbook": (workbook_of_entities(), "workbook"),
    "a last cell": (workbook_of_a_last_cell(), "columns"),
    "cells far apart": (workbook_bomb(), "unpacks to more"),
    "a far column": (workbook_with('r="A2"', "r = 'zzzzzzz2'"), "unpacks to more"),
    "a far row": (workbook_with('r="A2"', f'r="A{"9" * 5000}"'), "unpacks to more"),
    "a row far enough": (workbook_with('r="A2"', 'r="ZZ999999"'), "unpacks to more"),
    "a far row without addresses": (workbook_with(SECOND, FAR_ROW), "unpacks to more"),
    "an address after a quote": (workbook_with('r="A2"', 's="0"r="XFD9999"'), "unpacks to more"),
    "cells far apart by another name": (renamed(workbook_bomb()), "unpacks to more"),
    "JSON without an end": (b"[" * 200_000, "nested too deep"),
    "JSON in JSON": (  # Python 3.14 reads it all, and finds no records
        b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
        "nested too deep|single object",
    ),
    "JSON of other names in each": (json.dumps(WIDE).encode(), "3000 columns"),
    "half a letter in JSON": (
        b'[{"a": "\\ud800", "b": 1}, {"a": "x", "b": 2}]',
        "half a character",
    ),
    "Parquet without its parts": (b"PAR1" + struct.pack("<I", 2**31 - 1) + b"PAR1", "damaged"),
    "Parquet of lists in lists": (parquet({"a": pa.array([None, None], nest(5))}), "no records"),
    "5 000 columns": (b"a," * 4_999 + b"a\n" + b"1," * 4_999 + b"1\n", "5000 columns"),
    "commas below": (TABLE + b"," * 1_000_000, "Line 42 has 1000001 values"),
    "control characters": (TABLE.replace(b"F", b"\x07"), "control character 0x07"),
    "commands for a terminal": (TABLE.replace(b"sex", b"\x1b[31m"), "control character 0x1B"),
    "bytes of 0": (TABLE.replace(b"F", b"\0"), "control character 0x00"),
    "quotation mark first": (b'"' + TABLE, "quotation mark"),
    "quotation mark within": (TABLE.replace(b"\n33", b'\n"33'), "quotation mark"),
    "quotation marks alone": (b'"' * 1_000_001, "quotation mark"),
    "line ends alone": (b"\n" * 1_000_000, "empty"),
    "an archive with a password": (archive(("t.csv", TABLE), locked=True), "password"),
    "archives in archives": (nested(4), "archive|workbook"),
    "nothing in UTF-16": (b"\xff\xfe", "empty"),
    "comments for ever": (b"<!-- x -->" * 6000 + b"<x>", "."),
    "a pickle": (b"\x80\x04\x95" + bytes(20), "pickle of Python"),
    "an archive of tapes": (
        b"a.csv".ljust(257, b"\0") + b"ustar" + bytes(250),
        "archive of a kind",
    ),
}


@pytest.mark.parametrize(("data", "words"), REFUSED.values(), ids=REFUSED)
def test_attack_ends_in_a_sentence_with_its_reason(data, words):
    with pytest.raises(dp.ReadError, match=words) as caught:
        dp.read_table(data)
    assert str(caught.value).endswith(".")
    assert len(str(caught.value)) < 300


FORMULAS = "=cmd|' /C calc'!A0,@SUM(1),sex\n" + "=1+1,-2,F\n" * 20
TEXT = TABLE.decode()
SAFE = {
    "names of markup": (TABLE.replace(b"age,sex", b"<script>x</script>,$x$"), "<script>x</script>"),
    "formulas": (FORMULAS.encode(), "=cmd|' /C calc'!A0"),
    "names of our own": (b"rn,c0,t0,v0\n" + b"1,2,3,4\n" * 20, "rn"),
    "2 MB in a cell": (TABLE + b'33,"' + b"x\n" * 1_000_000 + b'",5\n', "age"),
    "4 000 digits": (b"a,b\n" + (b"9" * 4000 + b",1\n") * 20, "a"),
    "many groups of thousands": (b"a,b\n" + (b"1" + b" 111" * 2000 + b"x,1\n") * 20, "a"),
    "UTF-16 without a mark": (TEXT.encode("utf-16-be"), "age"),
    "blanks for ever": (b" " * 60_000 + TABLE, "age"),
    "UTF-32": (TEXT.encode("utf-32"), "age"),
    "a way out of the archive": (archive(("../../etc/passwd.csv", TABLE)), "age"),
    "many files": (archive(*[(f"{k}.csv", TABLE) for k in range(300)]), "age"),
    "gzip in parts": (gzip.compress(TABLE[:50]) + gzip.compress(TABLE[50:]), "age"),
}


@pytest.mark.parametrize(("data", "name"), SAFE.values(), ids=SAFE)
def test_odd_file_is_read_as_it_is(data, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = dp.read_table(data)
    assert frame.columns[0] == name
    assert len(frame) in (20, 40, 41)
    assert not [*tmp_path.iterdir()]
