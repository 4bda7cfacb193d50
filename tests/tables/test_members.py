"""Archives: the table in them, the choice among several, and hostile ones."""

from __future__ import annotations

import gzip
import io
import zipfile

import pandas as pd
import pytest

from distpriv.errors import TableError
from distpriv.tables import digest, how_read, parsing, read_table
from distpriv.tables.members import archive_of

ONE = b"a,b\n1,x\n2,y\n"
LONGER = b"a,b\n1,x\n2,y\n3,z\n"


def archive(packing: int = zipfile.ZIP_DEFLATED, **files: bytes) -> bytes:
    return named({name.replace("_", "."): content for name, content in files.items()}, packing)


def named(files: dict[str, bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", packing) as file:
        for name, content in files.items():
            file.writestr(name, content)
    return buffer.getvalue()


def as_excel() -> bytes:
    buffer = io.BytesIO()
    pd.read_csv(io.BytesIO(ONE)).to_excel(buffer, index=False)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        archive(a_csv=ONE),
        archive(zipfile.ZIP_LZMA, a_csv=ONE),
        named({"folder/": b"", "folder/a.csv": ONE, "__MACOSX/folder/._a.csv": b"x" * 99}),
        archive(a_csv=ONE, readme_txt=b"what it is" * 99, b_pdf=b"%PDF" * 99),
        archive(a_csv_gz=gzip.compress(ONE)),
        named({"a": ONE}),
        named({"a.xlsx": as_excel()}),
        gzip.compress(archive(a_csv=ONE)),
    ],
    # Bytes with the time in them would give workers tests of different names.
    ids=[
        "zip",
        "lzma",
        "folder",
        "beside others",
        "gzip in zip",
        "no ending",
        "xlsx",
        "zip in gzip",
    ],
)
def test_the_one_table_of_an_archive(content: bytes) -> None:
    table = read_table(content)
    assert digest(table) == digest(read_table(ONE))
    assert len(how_read(table).members) == 1


def test_a_choice_of_several() -> None:
    content = archive(a_csv=ONE, b_csv=LONGER, c_json=b'[{"a":1}]')
    table = read_table(content)
    assert how_read(table).members == ("b.csv", "a.csv", "c.json")
    assert how_read(table).member == "b.csv"
    assert digest(table) == digest(read_table(LONGER))
    assert digest(read_table(content, member="a.csv")) == digest(read_table(ONE))


BAD = {
    "of nothing": (archive(), "zip archive"),
    "of pictures": (archive(a_png=b"x"), "no file that may be a table"),
    "of an archive": (archive(a_csv=archive(b_csv=ONE)), "zip archive again"),
    "damaged": (archive(a_csv=ONE)[:-30], "damaged"),
    "of a damaged table": (archive(a_csv=b"a\n\x00"), r"'a\.csv' in the zip archive: "),
    "of a program": (archive(a_csv=b"\x7fELF\x00\x00"), r"'a\.csv' in the zip archive: "),
}


@pytest.mark.parametrize(("content", "said"), BAD.values(), ids=BAD.keys())
def test_an_archive_without_a_table_ends_in_a_sentence(content: bytes, said: str) -> None:
    with pytest.raises(TableError, match=said):
        read_table(content)


def test_a_member_that_is_not_there_or_locked() -> None:
    with pytest.raises(TableError, match=r"no file '\.\./a\.csv'"):
        read_table(archive(a_csv=ONE), member="../a.csv")
    locked = bytearray(archive(zipfile.ZIP_STORED, a_csv=ONE))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        locked[locked.index(mark) + place] |= 1
    with pytest.raises(TableError, match="locked with a password"):
        read_table(bytes(locked))


def test_bombs(monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = archive(a_csv=b"a,b\n" + b"1,2\n" * 10**6)
    monkeypatch.setattr(parsing, "MAX_BYTES", 2**18)
    with pytest.raises(TableError, match=r"'a\.csv' in the zip archive holds more"):
        read_table(bomb)
    # The size it states is a lie.
    lying = bytearray(bomb)
    at = lying.index(b"PK\x01\x02") + 24
    lying[at : at + 4] = (10).to_bytes(4, "little")
    with pytest.raises(TableError):
        read_table(bytes(lying))
    with pytest.raises(TableError, match="1001 files"):
        archive_of(named({f"{i}.csv": b"" for i in range(1001)}, zipfile.ZIP_STORED))
