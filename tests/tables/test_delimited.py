"""Lines of delimited text, whatever the delimiter and the encoding."""

from __future__ import annotations

import pytest
from pandas.testing import assert_frame_equal

from distpriv.tables import column_types, read_table
from distpriv.tables.delimited import ADULT_COLUMNS
from tests.tables.examples import ADULT, PEOPLE, PEOPLE_TYPES


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_delimiters_and_encodings_give_one_table(delimiter: str, encoding: str) -> None:
    table = read_table(PEOPLE.replace(",", delimiter).encode(encoding))
    assert column_types(table) == PEOPLE_TYPES
    assert_frame_equal(table, read_table(PEOPLE.encode()))


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
@pytest.mark.parametrize("label", ["Müller", "é", "Straße", "Citroën", "Ærø"])
def test_western_code_pages(encoding: str, label: str) -> None:
    table = read_table(f"name,n\n{label},1\nSmith,2\n".encode(encoding))
    assert table["name"].tolist() == [label, "Smith"]


def test_other_code_pages_are_guessed() -> None:
    text = "имя,город\nИван,Москва\nМария Петрова,Санкт-Петербург\n"
    assert read_table(text.encode("cp1251")).columns.tolist() == ["имя", "город"]


def test_adult_raw_lines() -> None:
    table = read_table(ADULT.encode(), name="adult.test")
    assert tuple(table.columns) == ADULT_COLUMNS
    assert table["income"].tolist() == ["<=50K", ">50K"]
    assert table["workclass"].isna().tolist() == [False, True]
    assert table["age"].dtype == "int64"


def test_wide_and_quoted_values() -> None:
    table = read_table(b'id,remark\n1,"a, ""b""\nc"\n2,d\n')
    assert table["remark"].tolist() == ['a, "b"\nc', "d"]


def test_nameless_empty_column_is_left_out() -> None:
    assert read_table(b"a,b,\n1,x,\n2,y,\n").columns.tolist() == ["a", "b"]
