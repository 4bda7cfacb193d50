"""Example 1 of Zhang et al., and figures of Liu et al."""

from __future__ import annotations

import numpy as np
import pytest

from distpriv.papers import Results
from distpriv.papers import hypothesis_testing as testing
from tests.papers.examples import by_place


def test_example_1_and_the_table_of_epsilon(closed: Results) -> None:
    silent, formula = closed["example-1"]
    assert silent.ours == 0
    assert formula.verdict == "agrees"
    assert formula.ours == pytest.approx(135.57, abs=0.01)
    cells = by_place(closed["liu-table-1"])
    assert cells["β = 1", "F ≤ 0.9"].ours == pytest.approx(3.2088, abs=1e-4)
    assert all(cell.verdict == "agrees" for cell in cells.values())
    for label, (epsilons, bounds) in testing.printed_points().items():
        curve = testing.figure3b().y[label]
        drawn = np.interp(epsilons, testing.figure3b().x, curve)
        assert drawn == pytest.approx(bounds, abs=0.011)
    recall, precision = testing.figure3a()["ε = 0.01"]
    assert recall.shape == precision.shape
    assert precision == pytest.approx(0.5, abs=0.01)
