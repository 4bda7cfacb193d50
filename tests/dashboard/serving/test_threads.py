"""Linear algebra takes one thread, or as many as the owner says."""

from __future__ import annotations

import os

import pytest

from tests.dashboard.serving.processes import told

COUNTS = """
import json
from threadpoolctl import threadpool_info
print(json.dumps([l["num_threads"] for l in threadpool_info() if l["user_api"] == "blas"]))
"""
STARTS = "from distpriv.dashboard.serving import threads\nthreads.at_start()\n"


def _threads(code: str, **owner: str) -> list[int]:
    """Of each library for linear algebra that a process has loaded after some code."""
    threads: list[int] = told(code + COUNTS, "_NUM_THREADS", **owner)
    assert threads
    return threads


@pytest.mark.parametrize("first", ["import numpy\n", ""], ids=["loaded before", "not loaded"])
def test_one_each_whatever_was_loaded_before(first: str) -> None:
    assert set(_threads(first + STARTS)) == {1}


def test_the_owner_s_number_stays() -> None:
    most = min(2, os.cpu_count() or 1)
    loads = "import numpy, scipy.linalg\n"
    assert set(_threads(STARTS + loads, OPENBLAS_NUM_THREADS="2")) == {most}


def test_the_dashboard_starts_with_it() -> None:
    """The entry itself asks for it, before anything is served."""
    assert set(_threads("import app\n")) == {1}
