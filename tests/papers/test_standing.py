"""Which of the papers' noise arithmetic undoes."""

from __future__ import annotations

import numpy as np
import pytest

import distpriv as dp
from distpriv.papers import PaperRecords, Results
from distpriv.papers.report import arithmetic
from distpriv.papers.tables import PAIR


def test_which_noise_arithmetic_undoes(closed: Results, example: PaperRecords) -> None:
    model, densities = example.model(PAIR), example.densities(PAIR)
    undefended = dp.optimal_attack_accuracy(model)
    standing = {(c.row, c.column): c.standing for c in closed["table-3"] if c.standing}
    assert len(standing) == 21
    undone = {place for place, each in standing.items() if each.undone}
    columns = [f"ε = {epsilon}" for epsilon in ("0.2", "1", "5")]
    assert undone == {
        *[("DirM (L)", column) for column in columns],
        *[("DauM (G)", column) for column in columns],
        ("EigM (G)", "ε = 5"),  # two of its five directions need no noise
    }
    for (row, column), each in standing.items():
        if (row, column) in undone:
            assert each.in_fact == pytest.approx(undefended)
        else:  # the covariances of the pair differ a little, which tells a little
            assert each.in_fact == pytest.approx(each.on_paper, abs=2e-3)
        assert 0.5 <= each.on_paper <= each.in_fact + 1e-3
    # On paper is what holds for normal densities of one covariance, as computed on Adult.
    for row, accuracy in (("ExpM (G)", 0.658), ("EigM (G)", 0.6955), ("DauM (G)", 0.746)):
        assert standing[row, "ε = 5"].on_paper == pytest.approx(accuracy, abs=1e-3)
    noise = dp.calibrate("DauM", model, 1.0, 1e-3, "classical", grid_safe=False)
    assert noise.smoothness(model) == np.inf
    assert dp.delivered_delta(densities, noise, 1.0) < 1e-3
    assert dp.delivered_delta(model, noise, 1.0) == dp.delivered_delta(model, None, 1.0)
    told = arithmetic(closed["table-3"])
    assert "7 of these figures (DirM (L); EigM (G) at ε = 5; DauM (G))" in told
    assert f"right in {undefended:.3f} of cases" in told
    assert arithmetic(closed["table-1"]) == ""
    assert all(cell.standing.undone for cell in closed["figure-3"])
