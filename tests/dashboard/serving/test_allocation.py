"""Memory that is free goes back to the system, whatever was allocated before."""

from __future__ import annotations

import platform

import pytest

from tests.dashboard.serving.processes import told

# An array of 30 MB, once freed, lets those of 6 MB lie on the heap; what stays lies between them.
FRAGMENTS = """
import json, numpy, pathlib
def resident():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20
numpy.ones(30 * 2**17)
before = resident()
arrays, stay = [], []
for _ in range(40):
    arrays.append(numpy.ones(6 * 2**17))
    stay.append(bytearray(200_000))
most = resident()
del arrays
print(json.dumps([most - before, resident() - before]))
"""
STARTS = "from distpriv.dashboard.serving import allocation\nallocation.at_start()\n"

pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc is asked")


def _megabytes(code: str, **owner: str) -> tuple[float, float]:
    """What a process takes with 40 arrays, and without them again."""
    most, left = told(code + FRAGMENTS, "MALLOC", **owner)
    assert most > 230  # they were there
    return most, left


def test_arrays_leave_no_holes() -> None:
    assert _megabytes(STARTS)[1] < 20


def test_without_it_they_do() -> None:
    """What the thresholds are there for: were it to go, so could they."""
    assert _megabytes("")[1] > 200


@pytest.mark.parametrize(
    "said",
    [
        {"MALLOC_MMAP_THRESHOLD_": "16777216"},
        {"GLIBC_TUNABLES": "glibc.malloc.mmap_threshold=16777216"},
    ],
    ids=["variable", "tunable"],
)
def test_the_owner_s_thresholds_stay(said: dict[str, str]) -> None:
    assert _megabytes(STARTS, **said)[1] > 200


def test_the_dashboard_starts_with_it() -> None:
    """The entry itself asks for it, before anything is served."""
    assert _megabytes("import app\n")[1] < 20
