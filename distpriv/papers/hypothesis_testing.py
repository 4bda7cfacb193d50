"""Table 1 and Figure 3 of Liu et al. (2019): what an ε means for an attacker on one record."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from distpriv.attacks.hypothesis.scores import (
    epsilon_table,
    f_score_floor,
    max_f_score,
    precision_at,
)
from distpriv.attacks.hypothesis.trials import record_test
from distpriv.mechanisms.curves import Curves
from distpriv.papers import printed
from distpriv.papers.cells import Cell

__all__ = ["figure3a", "figure3b", "precision_cell", "printed_points", "table1"]

FloatArray = NDArray[np.float64]

_CUT = 0.01  # cut or rounded to two digits
_EPSILONS = np.geomspace(0.1, 10, 61)
_RECALLS = np.linspace(0.005, 1.0, 120)
_SHOWN_EPSILONS = (0.01, 0.5, 1.0, 2.0, 5.0)


def table1() -> tuple[Cell, ...]:
    """Largest ε under a bound on F_β, for the six β of Table 1.

    The paper cuts most figures to two digits and rounds some, bounds and ε alike: a bound less
    than 0.01 below the floor (1 + β²)/(2 + β²) stands for the floor, and an ε may be 0.01 off.
    """
    table = epsilon_table(printed.F_SCORES, printed.BETAS)
    cells = []
    for beta, texts, row in zip(printed.BETAS, printed.LIU_TABLE_1, table, strict=True):
        for bound, text, ours in zip(printed.F_SCORES, texts, row, strict=True):
            if text is None:
                continue
            floor = f_score_floor(beta)
            cells.append(
                Cell(
                    item="liu-table-1",
                    row=f"β = {beta:g}",
                    column=f"F ≤ {bound:g}",
                    printed=text,
                    paper=float(text),
                    tolerance=_CUT,
                    ours=float(ours) if np.isfinite(ours) else None,
                    note=f"the bound stands for the floor, {floor:.4f}" if bound < floor else "",
                )
            )
    return tuple(cells)


def precision_cell() -> tuple[Cell, ...]:
    """Precision at ε = 0.01 and half the recall, of which Section 4.1.3 says that it is ≈ 0.5."""
    epsilon, text = printed.LIU_PRECISION
    return (
        Cell(
            item="liu-figure-3",
            row=f"precision at ε = {epsilon:g}",
            column="at half the recall",
            printed=f"≈ {text}",
            paper=float(text),
            tolerance=_CUT,
            ours=float(precision_at(record_test(epsilon), 0.5)),
        ),
    )


def figure3a() -> Mapping[str, tuple[FloatArray, FloatArray]]:
    """Recall and precision of the best attacker by ε; the paper prints no values."""
    return {
        f"ε = {epsilon:g}": (_RECALLS, precision_at(record_test(epsilon), _RECALLS))
        for epsilon in _SHOWN_EPSILONS
    }


def figure3b() -> Curves:
    """Largest F_β of any attacker against ε, for the β of Table 1."""
    return Curves(
        _EPSILONS,
        {f"β = {beta:g}": max_f_score(_EPSILONS, beta) for beta in printed.BETAS},
    )


def printed_points() -> Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]]:
    """Table 1 as points of Figure 3b: by β its ε, and its bounds on F_β."""
    cells = {}
    for beta, texts in zip(printed.BETAS, printed.LIU_TABLE_1, strict=True):
        known = [
            (float(text), bound)
            for text, bound in zip(texts, printed.F_SCORES, strict=True)
            if text is not None
        ]
        cells[f"β = {beta:g}"] = (
            tuple(epsilon for epsilon, _ in known),
            tuple(bound for _, bound in known),
        )
    return cells
