"""Long work: pieces in order, an end for another key, and failures as sentences."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from distpriv.dashboard import jobs
from distpriv.errors import AttackError
from tests.conftest import ROOT


@pytest.fixture(autouse=True)
def _one_thread():
    jobs.start(ThreadPoolExecutor(1))
    yield
    jobs.stop()


def double(shared, number):
    return shared + bytes([2 * number])


def fail(_, error):
    raise error


def finished(job):
    end = time.monotonic() + 10
    while job.running and time.monotonic() < end:
        time.sleep(0.01)
    return job


def test_results_come_in_order_and_a_key_is_begun_once():
    session = {}
    job = jobs.begin(session, "attack", 1, double, lambda: b"x", ((i,) for i in range(5)))
    assert jobs.begin(session, "attack", 1, double, pytest.fail, ()) is job
    assert finished(job).results == [b"x" + bytes([2 * i]) for i in range(5)]
    assert (job.failure, job.stopped) == ("", False)


def test_another_key_drops_what_has_not_begun():
    session, gate = {}, Event()
    first = jobs.begin(session, "attack", 1, lambda *_: gate.wait(10), bytes, [()] * 3)
    second = jobs.begin(session, "attack", 2, double, lambda: b"", [(1,)])
    gate.set()
    assert finished(second).results == [b"\2"]
    assert first.stopped


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (AttackError("Too few records; take more."), "Too few records; take more."),
        (TypeError("Ana 1990"), "Something went wrong in the program."),
    ],
)
def test_failure_is_a_sentence_and_ends_the_job(error, sentence, caplog):
    job = jobs.begin({}, "attack", 1, fail, bytes, [(error,)] * 3)
    finished(job)
    assert job.results == []
    assert job.failure.startswith(sentence)
    assert "Ana" not in job.failure + caplog.text


def test_workers_end_with_their_server(tmp_path):
    """Started as a program of its own, and killed."""
    script = tmp_path / "server.py"
    script.write_text(
        "import multiprocessing, os, time\n"
        "from concurrent.futures import ProcessPoolExecutor\n"
        "from distpriv.dashboard import end_with_the_server\n"
        "if __name__ == '__main__':\n"
        "    context = multiprocessing.get_context('spawn')\n"
        "    pool = ProcessPoolExecutor(1, context, end_with_the_server)\n"
        "    print(pool.submit(os.getpid).result(), flush=True)\n"
        "    time.sleep(60)\n"
    )
    server = subprocess.Popen(
        [sys.executable, script],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    worker = int(server.stdout.readline())
    server.kill()
    server.communicate()
    end = time.monotonic() + 10
    while alive(worker) and time.monotonic() < end:
        time.sleep(0.05)
    assert not alive(worker)


def alive(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
    except FileNotFoundError:
        return False
