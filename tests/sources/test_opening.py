"""From an address to a source: what is taken, what is refused, and what no sentence repeats."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import distpriv as dp
from distpriv.errors import SourceError

PEOPLE = pa.table({"age": [20, 30, 40, 50], "team": ["a", "b", "a", "b"]})


def placed(path: Path, table: pa.Table = PEOPLE) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path)
    return path


@pytest.mark.parametrize(
    "address",
    [
        b"postgresql://someone:pass-word@host/base",
        ["postgresql://someone:pass-word@host/base"],
        "postgresql://someone:pass-word@host:port/base",
        "postgresql://someone:pass-word@127.0.0.1:1/base?sslmode=none",
        "sqlite:///pass-word",
        None,
    ],
)
def test_no_sentence_repeats_an_address(address: Any) -> None:
    with pytest.raises(SourceError) as caught:
        dp.connect(address, table="people")
    assert "pass-word" not in str(caught.value) + repr(caught.value)
    error: BaseException | None = caught.value
    assert error is not None
    assert error.__cause__ is None
    assert error.__suppress_context__ or error.__context__ is None
    last = traceback.format_exception_only(caught.value)
    assert "pass-word" not in "".join(last)


def test_a_link_opens_a_file_and_not_its_neighbours(tmp_path: Path) -> None:
    """The common folder of files that links lead to may be that of everything."""
    placed(tmp_path / "in" / "people.parquet")
    placed(tmp_path / "out" / "linked.parquet")
    hidden = placed(tmp_path / "out" / "hidden.parquet")
    (tmp_path / "in" / "more.parquet").symlink_to(tmp_path / "out" / "linked.parquet")
    source: Any = dp.scan(tmp_path / "in")
    assert source.profile().records == 8
    with pytest.raises(duckdb.Error):
        source.engine._connection.cursor().execute(f"SELECT * FROM '{hidden}'").fetchall()


@pytest.mark.parametrize("name", ["[1]2.parquet", "*.parquet", "1?.parquet"])
def test_a_name_that_is_a_pattern_names_no_other_file(tmp_path: Path, name: str) -> None:
    path = placed(tmp_path / name)
    placed(tmp_path / "12.parquet")
    with pytest.raises(SourceError, match="rename it"):
        dp.scan(path)


def test_hostile_paths_are_paths(tmp_path: Path) -> None:
    path = placed(tmp_path / "it's; DROP TABLE x; --" / 'quo"te {1,2} $1 %s 漢字.parquet')
    assert dp.scan(path).profile().records == 4
    assert dp.scan(path.parent).profile().records == 4


@pytest.mark.parametrize("name", ["filename", "file_row_number"])
def test_a_name_that_the_engine_needs_is_told_of(tmp_path: Path, name: str) -> None:
    path = placed(tmp_path / "people.parquet", PEOPLE.rename_columns([name, "team"]))
    with pytest.raises(SourceError, match="none called filename or file_row_number"):
        dp.scan(path)


def test_names_that_differ_by_case_get_a_number(tmp_path: Path) -> None:
    path = placed(tmp_path / "people.parquet", pa.table({"A": [1, 2, 3], "a": [7, 7, 9]}))
    profile = dp.scan(path).profile()
    assert [(name, each.low) for name, each in profile.columns.items()] == [("A", 1), ("a_1", 7)]


@pytest.mark.parametrize(
    "content",
    [
        b"age,team\n1,a\n2\n",
        b"age,team\n1,2\n3\n",
        "age,team\n1,å\n2,ö\n".encode("latin-1"),
        b"",
        b"age,team\n",
    ],
)
def test_a_csv_that_is_no_table_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "people.csv").write_bytes(content)
    with pytest.raises(SourceError) as caught:
        dp.scan(tmp_path / "people.csv").profile()
    assert str(caught.value).startswith("people.csv ")
    assert str(caught.value).endswith(".")


def test_a_sample_has_the_size_that_is_asked(tmp_path: Path) -> None:
    path = placed(tmp_path / "people.parquet", pa.concat_tables([PEOPLE] * 50))
    query, secret = dp.Query([dp.Mean("age")]), dp.SensitiveProperty("team", "b")
    assert dp.scan(path, size=7).sample(query, secret).counts == (7, 7)
    with pytest.raises(SourceError, match="size must be"):
        dp.scan(path, size=1)
