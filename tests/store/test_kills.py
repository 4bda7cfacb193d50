"""``kill -9`` in the middle of each kind of write: nothing lost and nothing half, on both."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from distpriv.store import Store, open_store
from tests.store.killed import KINDS

ROOT = Path(__file__).parents[2]


def killing(store: Store, *also: str) -> str:
    address = store.url.render_as_string(hide_password=False)
    command = [sys.executable, "-m", "tests.store.killed", address, *also]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_kind_of_write_at_every_statement(url: str) -> None:
    points = json.loads(killing(open_store(url)))
    assert set(points) == {*KINDS, "anywhere"}
    # A write has at least one statement and its end.
    assert all(points[kind] >= 3 for kind in points), points


def test_while_the_tables_are_brought_up_to_date(released: Callable[[int], Store]) -> None:
    assert int(killing(released(1), "upgrade")) > 10
