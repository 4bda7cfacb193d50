"""Verdicts: what agrees, what chance explains, what an erratum does, and what is left."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from distpriv.model.sampling import Interval
from distpriv.papers import ITEMS, VERDICTS, Cell, Standing, tally
from distpriv.papers.report import (
    MARKS,
    UNDONE,
    arithmetic,
    chance,
    figure,
    notes,
    row_of,
    rows,
    standing_row,
    summary,
)

CELL = Cell("table-3", "row", "column", "10.00", 10.0, 0.5, ours=10.4)


@pytest.mark.parametrize(
    ("changes", "verdict", "said"),
    [
        ({}, "agrees", "agrees"),
        ({"ours": 10.5}, "agrees", "agrees"),
        ({"ours": 9.4}, "differs", "differs"),
        ({"ours": None}, "undecided", "undecided"),
        # The printed 10 is a mean of draws.
        ({"ours": 11.0, "repeats": (9.9, 12.0)}, "within sampling error", "within sampling error"),
        ({"ours": 11.0, "repeats": (10.1, 12.0)}, "differs", "differs"),
        # A range does not undo agreement.
        ({"repeats": (10.2, 10.6)}, "agrees", "agrees"),
        # Ours is simulated: its interval reaches to within the tolerance of 10, or does not.
        ({"ours": 10.8, "interval": Interval(10.8, 10.4, 11.2)}, *["within sampling error"] * 2),
        ({"ours": 10.8, "interval": Interval(10.8, 10.6, 11.0)}, "differs", "differs"),
        ({"ours": 9.2, "interval": Interval(9.2, 8.9, 9.6)}, *["within sampling error"] * 2),
        # Too few repetitions to say, near as it is.
        ({"ours": 10.0, "interval": Interval(10.0, 9.4, 10.6)}, "undecided", "undecided"),
        ({"ours": 7.0, "erratum": 1}, "erratum", "erratum 1"),
        # An erratum does not speak where there is nothing to explain.
        ({"erratum": 1}, "agrees", "agrees"),
        ({"ours": 7.0, "stand_in": True}, "other data", "other data"),
        ({"ours": 7.0, "stand_in": True, "erratum": 6}, "erratum", "erratum 6"),
        ({"ours": 30.0, "at_least": True, "tolerance": 0.0}, "agrees", "agrees"),
        ({"ours": 9.0, "at_least": True, "tolerance": 0.0}, "differs", "differs"),
    ],
)
def test_verdicts(changes: dict[str, object], verdict: str, said: str) -> None:
    cell = replace(CELL, **changes)
    assert cell.verdict == verdict
    assert cell.said == said


def test_the_deviation_is_in_units_of_what_is_allowed() -> None:
    assert CELL.deviation == pytest.approx(0.8)
    assert replace(CELL, ours=9.0).deviation == pytest.approx(-2.0)
    assert replace(CELL, ours=None).deviation is None
    assert replace(CELL, tolerance=0.0, ours=10.0).deviation == 0.0
    assert replace(CELL, tolerance=0.0, ours=11.0).deviation == math.inf
    # To that side on which the printed figure lies, the range reaches 2 below ours.
    wide = replace(CELL, ours=11.0, repeats=(9.0, 20.0))
    assert wide.deviation == pytest.approx(0.5)
    assert replace(CELL, ours=9.0, repeats=(0.0, 9.5)).deviation == pytest.approx(-2.0)
    # A deviation of at most 1 and a verdict that finds no fault are the same.
    for ours in (8.0, 8.9, 9.6, 10.4, 11.4, 13.0):
        for repeats in (None, (ours - 2, ours + 1)):
            cell = replace(CELL, ours=ours, repeats=repeats)
            assert (abs(cell.deviation) <= 1) == (cell.verdict != "differs")


def test_the_tally_counts_and_says_what_chance_does() -> None:
    random = replace(CELL, ours=11.0, repeats=(9.9, 12.0))
    astray = replace(CELL, repeats=(10.2, 10.6))
    erratum = replace(CELL, ours=7.0, repeats=(6.0, 8.0), erratum=1)
    waiting = replace(CELL, ours=None, repeats=(9.0, 11.0))
    found = tally([CELL, random, random, astray, erratum, waiting])
    assert found.counts == {
        "agrees": 2, "within sampling error": 2, "erratum": 1, "undecided": 1,
    }  # fmt: skip
    assert list(found.counts) == [verdict for verdict in VERDICTS if verdict in found.counts]
    assert (found.total, found.random, found.outside) == (6, 3, 1)
    assert found.by_chance == pytest.approx(0.15)
    assert summary(found) == (
        "6 printed figures: 2 agree, 2 are within sampling error, 1 is explained by an erratum, "
        "1 is not decided yet"
    )
    assert "Of 3 figures" in chance(found)
    assert "1 lie outside" in chance(found)


@pytest.mark.parametrize(
    ("printed", "value", "text"),
    [
        ("99.83", 105.3193, "105.32"),
        ("0.511", 0.5, "0.500"),
        ("3", 2.997, "3"),
        ("45 222", 45222.0, "45\u202f222"),
        ("75\u00a0%", 0.7512, "75.1\u00a0%"),
        ("near 50\u00a0%", 0.5, "50.0\u00a0%"),
        ("≈ 0.5", 0.5025, "0.5"),
        ("0", 0.0119, "0.012"),
        ("0", 0.0, "0"),
        ("no noise", 0.0, "0"),
        ("9.99", None, "–"),
    ],
)
def test_figures_have_the_digits_that_are_printed(
    printed: str, value: float | None, text: str
) -> None:
    assert figure(replace(CELL, printed=printed), value) == text


def test_rows_of_a_table() -> None:
    cell = replace(
        CELL, ours=7.0, repeats=(6.0, 8.0), interval=Interval(7.0, 6.9, 7.1), erratum=1, note="why"
    )
    assert row_of(cell) == {
        "Row": "row",
        "Column": "column",
        "Printed": "10.00",
        "Ours": "7.00",
        "Verdict": "§ erratum 1",
        "95 % interval": "6.90 to 7.10",
        "95 % of repeats": "6.00 to 8.00",
        "Note": "why",
    }
    (row,) = rows([replace(cell, stand_in=True, repetitions=20, seed=3)])
    assert (row["Item"], row["Repetitions"], row["Seed"]) == ("Table 3", "20", "3")
    assert row["Data"] == "synthetic"
    assert set(MARKS) == set(VERDICTS)
    assert set(standing_row(cell).values()) == {""}
    beaten = replace(cell, standing=Standing(True, 0.553, 0.762))
    assert standing_row(beaten) == {
        "Arithmetic": UNDONE, "Best on paper": "0.553", "Best in fact": "0.762",
    }  # fmt: skip
    assert "behind 1 of these figures (row)" in arithmetic([cell, beaten])
    assert "right in 0.762 of cases, as without noise, and not in 0.553, as" in arithmetic([beaten])
    still = replace(cell, standing=Standing(False, 0.55, 0.55))
    assert "(row at column)" in arithmetic([still, beaten])
    other = replace(cell, row="other")
    assert notes([cell, CELL, other]) == {"row, other, column": "why"}


def test_every_item_has_a_key_of_its_own_and_says_what_is_printed() -> None:
    assert [key for key, item in ITEMS.items() if item.simulated] == ["table-4", "figure-4"]
    names = [(item.paper, item.name) for item in ITEMS.values()]
    assert len(set(names)) == len(ITEMS)
    full = [name for paper, name in names if "full version" in paper]
    assert full == [f"Table {n}" for n in range(1, 5)] + [f"Figure {n}" for n in range(1, 7)]
    assert all(item.printed.endswith(".") for item in ITEMS.values())
