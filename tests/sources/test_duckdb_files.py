"""Files through DuckDB: what is read, what is not, and what cannot be reached."""

from __future__ import annotations

import gzip
import threading
import time
import traceback
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlalchemy import func, select

import distpriv as dp
from distpriv.errors import SourceError
from distpriv.sources.duckdb_files import FileEngine, files_of

QUERY = dp.Query([dp.Mean("age")])
GROUP = dp.SensitiveProperty("group", "b")


def people(records: int = 100) -> pa.Table:
    rng = np.random.default_rng(1)
    return pa.table(
        {
            "age": rng.integers(18, 90, records),
            "group": np.array(["a", "b"])[rng.integers(2, size=records)],
        }
    )


def engine_of(folder: Path, **options: Any) -> FileEngine:
    pq.write_table(people(), folder / "people.parquet")
    return FileEngine(files_of(folder), "The people", **options)


def test_a_path_a_folder_and_a_pattern_name_files(tmp_path: Path) -> None:
    for name in ("a.parquet", "b.parquet", "notes.md", ".hidden.parquet", "_SUCCESS"):
        pq.write_table(people(), tmp_path / name)
    names = [path.name for path in files_of(tmp_path)]
    assert names == ["a.parquet", "b.parquet"]
    assert [path.name for path in files_of(tmp_path / "*.parquet")] == names
    assert [path.name for path in files_of(tmp_path / "b.parquet")] == ["b.parquet"]
    for nowhere in (tmp_path / "c.parquet", tmp_path / "*.csv"):
        with pytest.raises(SourceError, match="There is no file at"):
            files_of(nowhere)
    assert dp.scan(tmp_path).profile().records == 200


def test_nothing_but_the_folder_can_be_read(tmp_path: Path) -> None:
    folder, other = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    other.mkdir()
    pq.write_table(people(), other / "secret.parquet")
    engine = engine_of(folder)
    for statement in (
        f"SELECT * FROM read_parquet('{other}/secret.parquet')",
        f"SELECT * FROM '{folder}/../out/secret.parquet'",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM glob('/etc/*')",
        f"COPY (SELECT 1) TO '{other}/x.csv'",
        f"ATTACH '{other}/x.db'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET allowed_directories = ['/']",
        "RESET lock_configuration",
        "SET memory_limit = '90GB'",
    ):
        with pytest.raises(duckdb.Error):
            engine._connection.cursor().execute(statement).fetchall()
    assert sorted(path.name for path in other.iterdir()) == ["secret.parquet"]


def test_what_a_driver_says_goes_nowhere(tmp_path: Path) -> None:
    engine = engine_of(tmp_path)
    (tmp_path / "people.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(SourceError) as caught:
        engine.rows(select(func.count()).select_from(engine.records))
    said = "".join(traceback.format_exception(caught.value))
    assert "could not be read" in str(caught.value)
    assert "duckdb." not in said.replace("duckdb_files", "")
    assert str(tmp_path) not in str(caught.value)


def test_files_that_are_no_table_are_refused(tmp_path: Path) -> None:
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(SourceError, match="cannot be read as a table"):
        dp.scan(tmp_path)


def test_a_query_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    engine = engine_of(tmp_path, seconds=0.3)
    endless = select(func.count()).select_from(func.range(10**14))
    started = time.monotonic()
    with pytest.raises(SourceError, match=r"took longer than the 0.3 seconds"):
        engine.rows(endless)
    assert time.monotonic() - started < 30
    assert engine.rows(select(func.count()).select_from(engine.records)) == [(100,)]


def test_a_query_can_be_stopped_from_elsewhere(tmp_path: Path) -> None:
    engine = engine_of(tmp_path)

    def stop() -> None:
        while not engine._running:
            time.sleep(0.01)
        time.sleep(0.1)
        engine.cancel()

    thread = threading.Thread(target=stop)
    thread.start()
    with pytest.raises(SourceError, match="was stopped"):
        engine.rows(select(func.count()).select_from(func.range(10**14)))
    thread.join()


def test_nested_and_binary_columns_are_left_out(tmp_path: Path) -> None:
    table = people().append_column("tags", pa.array([["x"]] * 100)).append_column(
        "blob", pa.array([b"\x00\xff"] * 100)
    )  # fmt: skip
    pq.write_table(table, tmp_path / "people.parquet")
    engine = FileEngine(files_of(tmp_path), "The people")
    assert [column.name for column in engine.columns] == ["age", "group"]
    assert engine.left_out == ("tags", "blob")


@pytest.mark.parametrize(
    ("name", "pack"), [("people.csv", bytes), ("people.csv.gz", gzip.compress)]
)
@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_csv_is_read_as_a_file_is(tmp_path: Path, name: str, pack: Any, sign: str) -> None:
    rows = ["zip;age;group;share"] + [
        f"0{1000 + i};{20 + i % 7};{'b ' if i % 3 else 'a'};{'' if i % 9 == 0 else i / 8}"
        for i in range(90)
    ]
    content = "\n".join(rows).replace(";", sign).encode()
    (tmp_path / name).write_bytes(pack(content))
    table, source = dp.read_table(content), dp.scan(tmp_path)
    assert source.profile().types == dp.column_types(table)
    assert source.profile().columns["group"].labels == {"a": 30, "b": 60}
    query = dp.Query([dp.Mean("age"), dp.Mean("share")])
    found, known = source.group_moments(query, GROUP), dp.group_moments(table, query, GROUP)
    assert (found.counts, found.dropped) == (known.counts, known.dropped)
    np.testing.assert_allclose(found.means, known.means, rtol=1e-14)
    np.testing.assert_allclose(found.steps, known.steps)


def test_a_broken_line_of_a_csv_is_named(tmp_path: Path) -> None:
    rows = [f"{20 + i % 7},{'b' if i % 3 else 'a'}" for i in range(60_000)]
    rows[50_000] = "1,2,3,4"
    (tmp_path / "people.csv").write_text("age,group\n" + "\n".join(rows))
    with pytest.raises(SourceError, match=r"line 50002|cannot be read as a table"):
        dp.scan(tmp_path).profile()


def test_many_texts_that_are_numbers_are_numbers(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    table = people(30_000)
    numbers = [f"{value:.6f}" for value in rng.normal(size=30_000)]
    numbers[5] = "NA"
    table = table.append_column("score", pa.array(numbers))
    pq.write_table(table, tmp_path / "people.parquet")
    source = dp.scan(tmp_path)
    assert source.profile().types["score"] == "number"
    assert source.profile().columns["score"].missing == 1
    known = dp.group_moments(
        dp.read_table(tmp_path / "people.parquet"), dp.Query([dp.Mean("score")]), GROUP
    )
    found = source.group_moments(dp.Query([dp.Mean("score")]), GROUP)
    np.testing.assert_allclose(found.means, known.means, rtol=1e-12)
    odd = table.set_column(2, "score", pa.array([*numbers[:-1], "much"]))
    pq.write_table(odd, tmp_path / "people.parquet")
    assert dp.scan(tmp_path).profile().types["score"] in ("text", "identifier")


def test_the_fingerprint_is_the_catalogue_s(tmp_path: Path) -> None:
    engine = engine_of(tmp_path)
    before = engine.fingerprint()
    assert FileEngine(files_of(tmp_path), "Again").fingerprint() == before
    pq.write_table(people(101), tmp_path / "people.parquet")
    assert engine.fingerprint() != before
    (tmp_path / "people.parquet").unlink()
    with pytest.raises(SourceError, match="could not be read"):
        engine.fingerprint()
