"""Table 4 and Figure 4 of Chen & Ohrimenko (2023, full version): the attack, simulated."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from distpriv.analysis.sweeps import UNDEFENDED
from distpriv.model.sampling import Interval
from distpriv.papers import printed
from distpriv.papers.attack_runs import (
    ADAPTIVE,
    CURVE_EPSILONS,
    CURVE_MECHANISMS,
    PANELS,
    REPETITIONS,
    WIDTHS,
    PaperAttacks,
    noise_name,
)
from distpriv.papers.cells import Cell, Standing
from distpriv.papers.records import DELTA, SECRETS
from distpriv.papers.tables import SHORTHAND

__all__ = [
    "TOLERANCE",
    "AttackCurve",
    "AttackRow",
    "figure4",
    "figure4a_curves",
    "figure4bc_curves",
    "table4",
    "table4_attackers",
]

TOLERANCE = 0.02
"""Largest difference of two accuracies that agree."""

Key = tuple[str, float]


@dataclass(frozen=True)
class AttackRow:
    """What three attackers achieve against one noise of Table 4.

    Attributes
    ----------
    mechanism : str
        ``UNDEFENDED`` for no noise.
    epsilon, delta : float or None
    clean : Interval or None
        The paper's attacker, trained on clean statistics.
    adaptive : Interval or None
        Trained on noisy statistics, as they are released.
    standing : Standing
        What no attacker passes, on paper and in fact.
    """

    mechanism: str
    epsilon: float | None
    delta: float | None
    clean: Interval | None
    adaptive: Interval | None
    standing: Standing


def table4_attackers(attacks: PaperAttacks) -> tuple[AttackRow, ...]:
    """The paper's attacker of Table 4 beside an adaptive one and the best possible one.

    In the order of :func:`table4`, the undefended release last.

    Errata: the paper's attacker trains on clean statistics, which understates the leak, and neither
    attacker knows the grid of the statistics, which undoes DauM's noise.
    """
    width = PANELS["income"]
    clean, adaptive = attacks.result("income", width), attacks.result(ADAPTIVE, width)

    def row(name: str, mechanism: str, epsilon: float | None, delta: float | None) -> AttackRow:
        # Without noise the two attackers are the same.
        second = clean if name == UNDEFENDED else adaptive
        return AttackRow(
            mechanism,
            epsilon,
            delta,
            None if clean is None else clean.interval(name),
            None if second is None else second.interval(name),
            attacks.standing("income", width, name),
        )

    rows = [
        row(noise_name(mechanism, epsilon, delta), mechanism, epsilon, delta)
        for mechanism, epsilon in printed.TABLE_4
        for delta in printed.DELTAS
    ]
    return (*rows, row(UNDEFENDED, UNDEFENDED, None, None))


def table4(attacks: PaperAttacks) -> tuple[Cell, ...]:
    """Accuracies of Table 4: income, Δp = 0.1, the paper's attacker, classical calibration.

    The undefended accuracy of the paper's text comes last.
    """
    width = PANELS["income"]
    cells = []
    for (mechanism, epsilon), row in printed.TABLE_4.items():
        for delta, text in zip(printed.DELTAS, row, strict=True):
            name = noise_name(mechanism, epsilon, delta)
            cells.append(
                _cell(
                    attacks,
                    ("income", width),
                    name,
                    "table-4",
                    f"{SHORTHAND[mechanism]}, ε = {epsilon:g}",
                    f"δ = {delta:g}",
                    text,
                    float(text),
                )
            )
    undefended = _cell(
        attacks,
        ("income", width),
        UNDEFENDED,
        "table-4",
        "no noise",
        "–",
        printed.UNDEFENDED,
        0.75,
        rounded=0.005,
    )
    return (*cells, undefended)


def figure4(attacks: PaperAttacks) -> tuple[Cell, ...]:
    """What the text says of Figure 4, whose curves have no printed values.

    At Δp = 0.4 without noise; and near guessing for every mechanism at ε = 0.1, for group
    differential privacy even at ε = 10.
    """
    cells = [
        _cell(
            attacks,
            (name, 0.4),
            UNDEFENDED,
            "figure-4",
            f"{name}, no noise",
            "Δp = 0.4",
            text,
            stated,
        )
        for (name, text), stated in zip(printed.FIGURE_4A.items(), (1.0, 0.9), strict=True)
    ]
    guesses = [(mechanism, 0.1) for mechanism in ("ExpM", "EigM", "DauM")] + [("GroupDP", 10.0)]
    for name, width in PANELS.items():
        for mechanism, epsilon in guesses:
            cells.append(
                _cell(
                    attacks,
                    (name, width),
                    noise_name(mechanism, epsilon, DELTA),
                    "figure-4",
                    f"{name}, {SHORTHAND[mechanism]}",
                    f"ε = {epsilon:g}",
                    printed.NEAR_GUESSING,
                    0.5,
                )
            )
    return tuple(cells)


def _cell(
    attacks: PaperAttacks,
    key: Key,
    noise: str,
    item: str,
    row: str,
    column: str,
    text: str,
    paper: float,
    rounded: float | None = None,
) -> Cell:
    """A printed accuracy; `rounded` is half a unit of its last digit where that matters."""
    result = attacks.result(*key)
    cell = Cell(
        item=item,
        row=row,
        column=column,
        printed=text,
        paper=paper,
        tolerance=TOLERANCE,
        stand_in=attacks.records.stand_in,
        share=True,
        seed=attacks.seed,
        standing=attacks.standing(*key, noise),
    )
    if result is None:
        return cell
    interval = result.interval(noise)
    exact = item == "table-4"  # the others are words, not figures
    return replace(
        cell,
        ours=interval.estimate,
        interval=interval,
        repeats=_repeats(result.accuracy[noise], rounded or 0.0) if exact else None,
        repetitions=result.repetitions,
    )


def _repeats(accuracies: NDArray[np.float64], rounded: float) -> tuple[float, float] | None:
    """Where another mean of 50 repetitions would lie with 95 %, given ours."""
    count = len(accuracies)
    if count < 2:
        return None
    spread = float(np.std(accuracies, ddof=1)) * math.sqrt(1 / count + 1 / REPETITIONS)
    reach = float(stats.t.ppf(0.975, count - 1)) * spread + rounded
    mean = float(np.mean(accuracies))
    return mean - reach, mean + reach


@dataclass(frozen=True)
class AttackCurve:
    """Accuracy of the paper's attacker along an axis, beside the best possible one.

    Attributes
    ----------
    x : tuple of float
        Δp or ε.
    simulated : tuple of Interval
        Empty before the first repetition.
    best : tuple of Standing
    """

    x: tuple[float, ...]
    simulated: tuple[Interval, ...]
    best: tuple[Standing, ...]


def figure4a_curves(attacks: PaperAttacks) -> Mapping[str, AttackCurve]:
    """Accuracy against Δp without noise, for income and work class."""
    curves = {}
    for name in SECRETS:
        results = [attacks.result(name, width) for width in WIDTHS]
        known = [result for result in results if result is not None]
        curves[name] = AttackCurve(
            WIDTHS,
            tuple(result.interval(UNDEFENDED) for result in known)
            if len(known) == len(WIDTHS)
            else (),
            tuple(attacks.standing(name, width, UNDEFENDED) for width in WIDTHS),
        )
    return curves


def figure4bc_curves(attacks: PaperAttacks) -> Mapping[str, Mapping[str, AttackCurve]]:
    """Accuracy against ε at δ = 0.001, by secret and mechanism."""
    curves: dict[str, dict[str, AttackCurve]] = {}
    for name, width in PANELS.items():
        result = attacks.result(name, width)
        curves[name] = {}
        for mechanism in CURVE_MECHANISMS:
            noises = [noise_name(mechanism, epsilon, DELTA) for epsilon in CURVE_EPSILONS]
            curves[name][mechanism] = AttackCurve(
                CURVE_EPSILONS,
                () if result is None else tuple(map(result.interval, noises)),
                tuple(attacks.standing(name, width, noise) for noise in noises),
            )
    return curves
