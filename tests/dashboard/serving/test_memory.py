"""What a session may keep, what is refused before it is read, and that all of it goes."""

from __future__ import annotations

import gc
import gzip
import io
import json
import os
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from distpriv.dashboard.serving import memory, settings
from distpriv.dashboard.serving.memory import Budget, Limits, limits, needed
from distpriv.dashboard.shell.uploads import from_upload
from distpriv.errors import ServingError, TableError

ROOT = Path(__file__).parents[3]
MB = 10**6
CSV = b"age,rich\n" + b"".join(
    b"%d,%s\n" % (20 + i % 40, (b"no", b"yes")[i % 2]) for i in range(99)
)


def test_limits_are_shares_of_what_there_is_or_what_the_owner_says():
    assert limits(machine=10_000 * MB) == Limits(7000 * MB, 2800 * MB)
    assert limits("2GB", "", 10**10) == Limits(2000 * MB, 800 * MB)
    assert limits(" 1.5 gb ", "64MB", 10**10) == Limits(1500 * MB, 64 * MB)
    assert 0 < limits().session < limits().everybody


@pytest.mark.parametrize("text", ["much", "1", "-4GB", "4 XB", "0", "nan", "1e9", "63MB", "9" * 40])
def test_what_is_no_amount_is_refused(text):
    with pytest.raises(ServingError, match=r"DISTPRIV_MEMORY must be at least 64MB"):
        limits(text)


def test_a_session_has_no_more_than_everybody():
    with pytest.raises(ServingError, match="at most what all sessions may have together"):
        limits("1GB", "2GB")


def _zipped(size):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", b"0" * size)
    return target.getvalue()


def test_of_a_packed_file_counts_what_it_unpacks_to():
    plain = b"0" * 3 * MB
    expected = needed(plain)
    assert len(plain) <= expected < needed(b"[" + plain)
    assert needed(_zipped(3 * MB)) == needed(gzip.compress(plain)) >= expected
    parquet = io.BytesIO()
    pd.DataFrame({"a": range(400_000)}).to_parquet(parquet)
    assert needed(parquet.getvalue()) > 400_000 * 8


@pytest.mark.parametrize("start", [b"PK\x03\x04", b"\x1f\x8b", b"PAR1", b""])
def test_what_only_looks_packed_counts_as_it_is(start):
    content = start + bytes(1000)
    assert needed(content) >= len(content)
    assert needed(start) >= 0


def test_what_would_be_too_much_for_a_session_is_not_read():
    budget = Budget(Limits(1000 * MB, 100 * MB), lambda: 0)
    with budget.reading("a", 90 * MB, "mine.csv"), pytest.raises(TableError) as refused:  # noqa: SIM117
        with budget.reading("a", 20 * MB, "mine.csv"):
            pytest.fail("it has been read")
    assert str(refused.value).startswith(
        "mine.csv may take 20\u00a0MB of memory, and 10\u00a0MB of the 100\u00a0MB of a session"
    )
    with budget.reading("b", 90 * MB, "other.csv"):
        assert budget.counted("b") == 90 * MB
    assert budget.sessions == 0


def test_what_would_be_too_much_for_everybody_is_not_read():
    budget = Budget(Limits(1000 * MB, 900 * MB), lambda: 500 * MB)
    # What others are reading at the same time counts as well.
    with budget.reading("a", 400 * MB, "a.csv"):  # noqa: SIM117
        with pytest.raises(TableError, match=r"this server has 100.MB left for everybody"):
            with budget.reading("b", 200 * MB, "b.csv"):
                pytest.fail("it has been read")
    with budget.reading("b", 400 * MB, "b.csv"):
        pass


def test_a_file_that_cannot_be_read_gives_back_what_was_set_aside(monkeypatch):
    budget = Budget(Limits(1000 * MB, 900 * MB), lambda: 0)
    monkeypatch.setattr(memory, "everybodys", lambda: budget)
    with pytest.raises(TableError):
        memory.table_of(b"\0", "b.csv", lambda: from_upload(b"\0", "b.csv"))
    assert budget.sessions == 0


def test_a_table_counts_for_as_long_as_it_is_held(monkeypatch):
    budget = Budget(Limits(1000 * MB, 900 * MB), lambda: 0)
    monkeypatch.setattr(memory, "everybodys", lambda: budget)
    dataset = memory.table_of(CSV, "a.csv", lambda: from_upload(CSV, "a.csv"))
    assert budget.counted(None) >= dataset.table.memory_usage(deep=True).sum()
    del dataset
    gc.collect()
    assert budget.counted(None) == budget.sessions == 0


def test_many_who_read_at_once_leave_nothing_behind():
    budget = Budget(Limits(1000 * MB, 900 * MB), lambda: 0)

    def read(session):
        for _ in range(200):
            with budget.reading(session, MB, "a.csv"):
                budget.keep(session, pd.DataFrame({"a": [1]}))

    threads = [threading.Thread(target=read, args=(number % 3,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert budget.sessions == 0


def test_a_page_refuses_an_upload_beyond_the_budget_in_a_sentence(open_app, monkeypatch):
    app = open_app("question")
    monkeypatch.setattr(memory, "everybodys", lambda: Budget(Limits(10**9, 500), lambda: 0))
    app.file_uploader(key="file").set_value(("own.csv", CSV, "text/csv")).run()
    assert not app.exception
    assert any("may take" in each.value and "own" in each.value for each in app.error)
    assert "upload" not in app.session_state


def test_whatever_a_session_had_goes_after_its_end():
    """Its table, its models, its work and itself; of nobody else's leaving."""
    script = Path(__file__).with_name("leaving.py")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, str(script), "1", "120"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told.pop("held") > 5
    assert told == {"left": [], "counted": 0}


@pytest.mark.parametrize("variable", ["DISTPRIV_MEMORY", "DISTPRIV_SESSION_MEMORY"])
def test_a_server_with_limits_that_cannot_be_read_does_not_start(variable, monkeypatch, caplog):
    monkeypatch.setenv(variable, "plenty")
    monkeypatch.setattr(settings, "current", settings.current.__wrapped__)
    monkeypatch.setattr(memory, "everybodys", memory.everybodys.__wrapped__)
    with pytest.raises(SystemExit):
        memory.at_start()
    assert f"{variable} must be at least 64MB" in caplog.text
