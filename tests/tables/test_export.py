"""CSV that a spreadsheet takes for data and nothing else."""

from __future__ import annotations

import csv
import io

import numpy as np
import pandas as pd
import pytest

from distpriv.tables.export import inert, safe_csv


def read(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_a_text_that_starts_a_formula_gets_an_apostrophe(start):
    text = f"{start}cmd|' /C calc'!A0"
    table = pd.DataFrame({"plain": [text], text: pd.Categorical([text])})
    rows = read(safe_csv(table))
    assert rows == [["plain", f"'{text}"], [f"'{text}", f"'{text}"]]


def test_numbers_stay_numbers():
    table = pd.DataFrame(
        {"a": [-1.5, np.nan], "b": [-2, 3], "c": [True, False], "d": ["-0.25", "+1e5"]}
    )
    assert read(safe_csv(table))[1:] == [
        ["-1.5", "-2", "True", "-0.25"],
        ["", "3", "False", "+1e5"],
    ]
    mixed = pd.DataFrame({"x": [-1, -1.5, "-1a", "-1+2", None]}, dtype=object)
    assert [row[0] for row in read(safe_csv(mixed))[1:]] == ["-1", "-1.5", "'-1a", "'-1+2", ""]


@pytest.mark.parametrize("text", ["-1\n=1+1", "1", "-٣", "- 1", "--1", "-1,5", "+1.", "-0x10"])
def test_only_a_whole_plain_number_is_left_alone(text):
    assert inert(text) == (text if text == "1" else f"'{text}")


def test_what_is_no_text_is_written_as_one_first():
    table = pd.DataFrame({"t": pd.to_timedelta([-1], unit="D"), "o": [["=1"]]})
    assert read(safe_csv(table))[1][0].startswith("'-1 days")


def test_lines_end_as_the_standard_says_and_fields_are_quoted():
    content = safe_csv(pd.DataFrame({"a,b": ['he said "no"', "two\nlines"], "ü": ["x", "y"]}))
    assert content == ('\ufeff"a,b",ü\r\n"he said ""no""",x\r\n"two\nlines",y\r\n'.encode())


def test_columns_of_the_same_name_and_the_index():
    table = pd.DataFrame([["=a", 2]], columns=["x", "x"], index=pd.Index(["@i"], name="-n"))
    assert read(safe_csv(table)) == [["x", "x"], ["'=a", "2"]]
    assert read(safe_csv(table, index=True)) == [["'-n", "x", "x"], ["'@i", "'=a", "2"]]


def test_the_table_is_left_as_it_is():
    table = pd.DataFrame({"a": ["=1"]})
    safe_csv(table)
    assert table.to_dict("list") == {"a": ["=1"]}
    assert safe_csv(pd.DataFrame()).strip() == b"\xef\xbb\xbf"
