"""Lines of delimited text, whatever the delimiter and the encoding."""

from __future__ import annotations

import re

import pytest
from pandas.testing import assert_frame_equal

from distpriv.errors import TableError
from distpriv.tables import column_types, delimited, read_table
from distpriv.tables.delimited import ADULT_COLUMNS, decode, parse_delimited, scan
from distpriv.tables.labels import plain_text
from tests.tables.examples import ADULT, PEOPLE, PEOPLE_TYPES

NO_JSON = re.compile(r"\{")


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


@pytest.mark.parametrize(
    "encoding", ["cp1252", "latin-1", "utf-16", "utf-16-be", "utf-32", "cp1251", "gb18030"]
)
def test_other_encodings_are_read_in_pieces_too(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And give what the whole text gives, wherever a piece ends."""
    label = {"cp1251": "Санкт-Петербург", "gb18030": "中华人民共和国"}.get(
        encoding, "Größe, Müller"
    )
    text = "name;n\n" + "".join(f'"{label} {n % 7}";{n}\n' for n in range(60)) + "x\n"
    content = text.encode(encoding)
    whole = parse_delimited(decode(content))
    for size in (7, 64, 1 << 21):
        monkeypatch.setattr(delimited, "_SCAN_BLOCK", size)
        found = scan(content, NO_JSON)
        assert found is not None
        assert found.short == whole.short == 62
        assert_frame_equal(found.frame.astype("str"), whole.frame.astype("str"))
    assert label in str(whole.frame.iloc[0, 0])


def test_what_cannot_be_read_is_said_by_its_line() -> None:
    content = "name;n\nx;1\ny;2\n".encode("utf-16") + b"\x00\xd8"
    assert scan(content, NO_JSON) is None
    with pytest.raises(TableError, match="line 4 holds the byte"):
        decode(content)


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


@pytest.mark.parametrize(
    "content",
    [
        "a,b\n1,x\n2, y \n1,NA\n",
        "a;b\n1,5;ü\n2,25;日本\n\n3,5;?\n",
        "\ufeffa\tb\n1\tx\n2\ty\x1a",
        'a,b\n"1","x, ""y"""\n"2",z\n',
        '"a\nb",c\n1,2\n3,4\n',
        "a,b\r\n1,x\r\n2,y\r\n",
        "a,b\r1,x\r2,y\r",
        "a,a,\n1,2,3\n4,5,6\n",
        "k,v\n" + "".join(f"{i},{i % 7}\n" for i in range(200_000)),
        "a,b\n1,x\n\n\n2\n3,y\n\n4\n5,x\n",
        "a;b\r\n1;x\r\n2\r\n\r\n3;y\r\n4\r\n5;\r\n",
        "\ufeffa,b\r1,ü\r2\r3,y\r4,\r",
        'a,b,c\n1,"x, y",z\n"2, 3"\n4,"a ""b""",\n5,\n6,7,8\n',
        "k,v\n" + "".join(f"{i},{i % 7}\n" if i % 50_000 else "\n-1\n" for i in range(200_000)),
    ],
)
def test_a_scan_gives_what_the_decoded_text_gives(content: str) -> None:
    data = content.encode()
    quick, slow = scan(data, NO_JSON), parse_delimited(decode(data))
    assert quick is not None
    assert (quick.delimiter, quick.short) == (slow.delimiter, slow.short)
    assert list(quick.frame.columns) == list(slow.frame.columns)
    for place in range(len(quick.frame.columns)):
        left, right = quick.frame.iloc[:, place], slow.frame.iloc[:, place]
        assert plain_text(left).tolist() == plain_text(right).tolist()


@pytest.mark.parametrize(
    "data",
    [
        b"a,b\n1,2,3\n",
        b"a,b\n1\n",
        b"a,b\n1\n2\n3,4\n",
        "a,b\né,ü\n".encode() + b"1,\xff\n",
        "a,b\né,ü\n".encode() + b"\xe9\n",
        b"a,b\n1,\x01\n",
        b'a,b\n"1,2\n3,4\n',
        b'a,b\n"1\n",2\n3,4\n',
        b"\na,b\n1,2\n",
        b'{"a": 1}',
        b"a,b\n",
        b" \n" * 100_000,
    ],
)
def test_a_scan_leaves_alone_what_needs_a_closer_look(data: bytes) -> None:
    assert scan(data, NO_JSON) is None
