"""Reading in a process under limits."""

from __future__ import annotations

import gzip
import io
import resource
import threading
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import distpriv as dp
from distpriv.tables import ReadOptions, guard
from distpriv.tables.guard import read_guarded
from tests.tables.test_workbook import workbook

DATA = b"age;pay;late;since;sex\n" + b"20;1,5;true;2020-01-31;F\n30;2,5;;2020-02-29;M\n" * 20
LIMIT = 1 << 30


def parquet_bomb():
    """Write 1.6 GB of text in a few kilobytes: one text, and where it stands."""
    target = io.BytesIO()
    text = pa.DictionaryArray.from_arrays(np.zeros(8_000_000, "int32"), ["y" * 200])
    pq.write_table(pa.table({"s": text}), target, compression="zstd", store_schema=False)
    return target.getvalue()


def gzip_bomb():
    """Write 50 million records in 200 kilobytes."""
    return gzip.compress(b"a,b\n") + gzip.compress(b"1,2\n" * 1_000_000) * 50


def workbook_bomb():
    """Write two cells, between which 17 billion have room."""
    target, data = io.BytesIO(), workbook({"a": [[1]]})
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(target, "w") as archive:
        for name in source.namelist():
            rows = b'</row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
            archive.writestr(name, source.read(name).replace(b"</row>", rows))
    return target.getvalue()


def test_table_comes_back_as_it_is_read_here():
    expected = dp.read_table(DATA)
    frame = read_guarded(DATA, "people.csv")
    pd.testing.assert_frame_equal(frame, expected)
    assert dp.how_read(frame) == dp.how_read(expected)
    options = dp.how_read(frame)[0]
    frame = read_guarded(DATA, "people.csv", options, LIMIT, types={"age": "category"})
    assert frame["age"].dtype == "category"
    assert read_guarded(b"a,b\n1,2\n", "small.csv", ReadOptions()).shape == (1, 2)


@pytest.mark.parametrize("bomb", [gzip_bomb, parquet_bomb, workbook_bomb])
def test_bombs_end_in_a_sentence(bomb):
    data = bomb()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(dp.ReadError, match=r"^bomb: The file unpacks to more than fits"):
        read_guarded(data, "bomb", memory=LIMIT)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < before + 50_000  # kB


def test_errors_and_what_takes_too_long_end_in_a_sentence():
    with pytest.raises(dp.ReadError, match=r"^scan\.png: This is a picture"):
        read_guarded(b"\x89PNG\r\n\x1a\n", "scan.png")
    with pytest.raises(dp.ReadError, match="takes too long"):
        read_guarded(DATA, "slow.csv", seconds=0.05)


def test_a_table_is_read_where_there_is_room_for_it(monkeypatch):
    monkeypatch.setattr(guard, "free", lambda: 1e9)
    with pytest.raises(dp.ReadError, match=r"^a\.csv: Too little memory"):
        read_guarded(DATA, "a.csv")
    monkeypatch.setattr(guard, "WAIT", 0)
    monkeypatch.setattr(guard, "_PARTS", threading.BoundedSemaphore(1))
    assert not guard.busy()
    with guard._PARTS:
        assert guard.busy()
        with pytest.raises(dp.ReadError, match=r"^a\.csv: The server reads other"):
            read_guarded(DATA, "a.csv")


def test_free_memory_is_that_of_the_container(tmp_path):
    assert guard.free(tmp_path) == float("inf")
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/meminfo").write_text("MemTotal: 9 kB\nMemAvailable: 7 kB\nHugePages: 0\n")
    assert guard.free(tmp_path) == 7 << 10
    group = tmp_path / "sys/fs/cgroup"
    group.mkdir(parents=True)
    (group / "memory.stat").write_text("anon 500\nactive_file 20\ninactive_file 80\n")
    (group / "memory.current").write_text("700\n")
    for limit, expected in {"1000\n": 400, "max\n": 7 << 10}.items():
        (group / "memory.max").write_text(limit)
        assert guard.free(tmp_path) == expected
