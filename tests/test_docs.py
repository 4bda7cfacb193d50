"""What docs/mechanisms.md names exists: functions, tests and places in the dashboard."""

from __future__ import annotations

import re
from pathlib import Path
from pkgutil import resolve_name

import pytest

from distpriv.dashboard.main import MENU
from distpriv.papers import ITEMS

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs" / "mechanisms.md").read_text("utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in TEXT.splitlines()
    if re.match(r"\|.*`.*`.*`.*`", line)
]
TESTS = {
    name
    for path in (ROOT / "tests").rglob("test_*.py")
    for name in re.findall(r"^def (test_\w+)", path.read_text("utf-8"), re.MULTILINE)
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_every_item_has_a_function_a_test_and_a_place(row):
    assert len(row) == 5
    _, _, function, test, place = row
    assert callable(resolve_name("distpriv." + function.strip("`")))
    assert test.strip("`") in TESTS
    assert place in {entry.title for entry in MENU.values()}


def test_every_experiment_has_its_line():
    assert re.findall(r"^\|.*\| `(\S+)` \|$", TEXT, re.MULTILINE) == [*ITEMS]
    assert set(re.findall(r"`(test_\w+)`", TEXT)) <= TESTS
