"""What the docs name exists: functions, tests, places in the dashboard, mechanisms, pictures."""

from __future__ import annotations

import re
from pathlib import Path
from pkgutil import resolve_name

import pytest

from distpriv.dashboard.main import MENU
from distpriv.mechanisms import MECHANISMS
from distpriv.papers import ITEMS

ROOT = Path(__file__).parent.parent
TEXT, PROOFS, NOISE = (
    (ROOT / "docs" / f"{name}.md").read_text("utf-8")
    for name in ("theorems", "proofs", "mechanisms")
)
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


def test_every_mechanism_has_its_section():
    headings = re.findall(r"^## (.+)$", NOISE, re.MULTILINE)
    assert {*MECHANISMS, "As they are", "No data"} <= {*", ".join(headings).split(", ")}


@pytest.mark.parametrize("text", [NOISE, PROOFS], ids=["mechanisms", "proofs"])
def test_what_mechanisms_and_proofs_name_exists(text):
    names = re.findall(r"`(distpriv\.[\w.]+)`", text)
    assert names
    for name in names:
        resolve_name(name)
    assert {*re.findall(r"`(test_\w+)`", text)} <= TESTS
    pictures = re.findall(r"\]\((images/\S+)\)", text)
    assert all((ROOT / "docs" / one).stat().st_size <= 60_000 for one in pictures)


def test_each_step_of_a_proof_names_what_carries_it_out():
    proofs = [one for one in re.split(r"(?m)^## ", PROOFS) if "### Proof" in one]
    assert len(proofs) == 5
    for text in proofs:
        order = [text.index(part) for part in ("### Assumptions", "### Proof", "### Not covered")]
        assert order == sorted(order)
        steps = re.findall(r"(?m)^(\d+)\. (.+)$", text[order[1] : order[2]])
        assert [int(number) for number, _ in steps] == [*range(1, len(steps) + 1)]
        assert all("`distpriv." in step for _, step in steps)
