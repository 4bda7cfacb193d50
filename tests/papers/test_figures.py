"""Figures of Chen and Ohrimenko that print no values."""

from __future__ import annotations

import numpy as np
import pytest

import distpriv as dp
from distpriv.papers import PaperRecords, figures
from distpriv.papers.records import INCOME, SIZE, WORK_CLASS
from distpriv.papers.tables import PAIR


def test_figures_without_printed_values(example: PaperRecords) -> None:
    curves = figures.figure2(example)
    at_one = int(np.flatnonzero(np.isclose(curves["income"].x, 1.0))[0])
    published = dp.calibrate("DauM", example.model(PAIR), 1.0, 1e-3, "classical", grid_safe=False)
    expected = published.expected_error()
    assert curves["income"].y["DauM"][at_one] == pytest.approx(expected)
    assert set(curves["work class"].y) == {"ExpM(L)", "DirM(L)", "ExpM", "EigM", "DauM"}

    fit, drawn = figures.figure5_draws(example)
    assert drawn.shape == (2, 1000, 5)
    errors = np.sqrt(np.diagonal(fit.covariances, axis1=1, axis2=2) / 1000)
    assert (np.abs(drawn.mean(axis=1) - fit.means) < 5 * errors).all()

    releases = figures.figure6(example)
    assert {name: each.width for name, each in releases.items()} == {
        "income": 0.02, "work class": 0.04,
    }  # fmt: skip
    for name, secret in (("income", INCOME), ("work class", WORK_CLASS)):
        each = releases[name]
        assert set(each.released) == {"ExpM", "EigM", "DauM", "DP"}
        model = example.model(secret.pair(0.5, each.width))
        noise = dp.calibrate("ExpM", model, 1.0, 1e-3, "classical", grid_safe=False)
        moved = np.linalg.norm(each.released["ExpM"] - each.answer, axis=1).mean()
        assert moved == pytest.approx(noise.expected_error(), rel=0.35)
        along = each.released["DauM"] - each.answer
        assert np.linalg.matrix_rank(along, tol=1e-6) <= 1
    assert SIZE == 100


def test_where_the_curves_are_undone(example: PaperRecords) -> None:
    by_epsilon = figures.figure2_undone(example, "income")
    assert set(by_epsilon) == {"DirM(L)", "EigM", "DauM"}
    assert by_epsilon["DirM(L)"] == (0.1, 10.0)
    assert 1 < by_epsilon["EigM"][0] < 5
    # Beyond, DauM needs no noise.
    assert by_epsilon["DauM"][0] == 0.1
    assert 4 < by_epsilon["DauM"][1] < 6
    # Less than a step of noise on every statistic does not hide the grid either.
    assert figures.figure2_undone(example, "work class")["ExpM"][0] > 5
    by_width = figures.figure3_undone(example, "income")
    assert by_width["DauM"] == (0.02, 0.4)
    assert by_width["EigM"][1] < 0.1
