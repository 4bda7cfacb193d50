"""Linear algebra takes one thread, or as many as the owner says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SAYS = """
import json
import {first}
from distpriv.dashboard.serving import threads
threads.at_start()
import numpy, scipy.linalg
from threadpoolctl import threadpool_info
print(json.dumps([l["num_threads"] for l in threadpool_info() if l["user_api"] == "blas"]))
"""


def _threads(first: str, **owner: str) -> list[int]:
    """Of each library for linear algebra that a process has loaded."""
    environment = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    found = subprocess.run(
        [sys.executable, "-c", SAYS.format(first=first)],
        cwd=ROOT,
        env={**environment, **owner},
        capture_output=True,
        text=True,
        check=True,
    )
    threads: list[int] = json.loads(found.stdout)
    return threads


@pytest.mark.parametrize("first", ["numpy", "json"])
def test_one_each_whatever_was_loaded_before(first: str) -> None:
    found = _threads(first)
    assert found
    assert set(found) == {1}


def test_the_owner_s_number_stays() -> None:
    found = _threads("json", OPENBLAS_NUM_THREADS="2")
    assert set(found) == {min(2, os.cpu_count() or 1)}


def test_the_dashboard_starts_with_it() -> None:
    """The entry itself asks for it, before anything is served."""
    environment = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    code = (
        "import app; from threadpoolctl import threadpool_info;"
        "print([l['num_threads'] for l in threadpool_info() if l['user_api'] == 'blas'])"
    )
    found = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    threads = json.loads(found.stdout.splitlines()[-1])
    assert threads
    assert set(threads) == {1}
