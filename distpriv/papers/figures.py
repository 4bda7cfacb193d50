"""Figures 1, 2, 3, 5 and 6 of Chen & Ohrimenko (2023, full version).

The paper draws them without printing values, but for those its text names; the curves are ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distpriv.analysis.sweeps import expected_errors, sweep
from distpriv.distances.coupling import Coupling, optimal_coupling
from distpriv.distances.wasserstein import closeness, wasserstein_inf
from distpriv.mechanisms.curves import Curves
from distpriv.model.gaussian import PairModel, thetas_of
from distpriv.model.monte_carlo import simulate
from distpriv.model.theta import Theta
from distpriv.papers import printed
from distpriv.papers.cells import Cell
from distpriv.papers.records import (
    DELTA,
    INCOME,
    QUERY,
    SECRETS,
    SEED,
    SIZE,
    WORK_CLASS,
    PaperRecords,
)
from distpriv.papers.repeats import REPEATS, middle_95, repeated_models
from distpriv.papers.standing import as_published, standing_of
from distpriv.papers.tables import PAIR
from distpriv.privacy.covered import is_undone
from distpriv.queries.properties import Pair, SensitiveProperty

__all__ = [
    "FEMALES",
    "Releases",
    "figure1",
    "figure1_moves",
    "figure2",
    "figure2_undone",
    "figure3",
    "figure3_curves",
    "figure3_undone",
    "figure5",
    "figure5_draws",
    "figure6",
]

FloatArray = NDArray[np.float64]
Span = tuple[float, float]

VARIANTS = ("ExpM(L)", "DirM(L)", "ExpM", "EigM", "DauM")
GAUSSIAN = ("ExpM", "EigM", "DauM")
FEMALES = 3
FIGURE_2_PAIRS = {"income": PAIR, "work class": WORK_CLASS.pair(center=0.5, width=0.04)}
FIGURE_6_WIDTHS = {"income": 0.02, "work class": 0.04}
EPSILONS = np.geomspace(0.1, 10, 25)
WIDTHS = np.round(np.arange(0.02, 0.401, 0.02), 2)
_STEP = 0.02
_RELEASES = 20
_SUBSETS = 1000


def figure1() -> tuple[Cell, ...]:
    """W∞ and (W, 0.1)-closeness of the two distributions of Figure 1."""
    points, delta = printed.FIGURE_1_POINTS, printed.FIGURE_1_DELTA
    first, second = printed.FIGURE_1_MASSES
    bounds = (
        wasserstein_inf(points, points, first, second),
        closeness(points, points, delta, first, second),
    )
    return tuple(
        Cell(
            item="figure-1",
            row=row,
            column="distance",
            printed=text,
            paper=float(text),
            tolerance=1e-9,
            ours=value,
        )
        for (row, text), value in zip(printed.FIGURE_1.items(), bounds, strict=True)
    )


def figure1_moves() -> tuple[FloatArray, FloatArray, tuple[FloatArray, FloatArray], Coupling]:
    """What Figure 1 draws: both supports, their masses, and the moves but those of 0.1."""
    points = np.array(printed.FIGURE_1_POINTS)
    masses = [np.array(row) for row in printed.FIGURE_1_MASSES]
    (x, first), (y, second) = ((points[mass > 0], mass[mass > 0]) for mass in masses)
    coupling = optimal_coupling(x, y, printed.FIGURE_1_DELTA, first, second)
    return x, y, (first, second), coupling


def figure2(records: PaperRecords) -> Mapping[str, Curves]:
    """Expected L2 errors against ε: income with Δp = 0.1, work class with Δp = 0.04.

    Classical calibration, δ = 0.001; the noise as published, which densities ask for.
    """
    return {
        name: sweep(
            expected_errors(),
            "epsilon",
            EPSILONS,
            records.densities(pair),
            VARIANTS,
            delta=DELTA,
            calibration="classical",
        )
        for name, pair in FIGURE_2_PAIRS.items()
    }


def figure2_undone(records: PaperRecords, secret: str) -> Mapping[str, Span]:
    """Least and largest ε at which arithmetic undoes a mechanism's noise, if it does at all."""
    pair = FIGURE_2_PAIRS[secret]
    return _undone(
        records, VARIANTS, {float(epsilon): (pair, float(epsilon)) for epsilon in EPSILONS}
    )


def figure3_undone(records: PaperRecords, secret: str) -> Mapping[str, Span]:
    """Least and largest Δp at which arithmetic undoes a mechanism's noise, if it does at all."""
    chosen = SECRETS[secret]
    settings = {float(width): (chosen.pair(0.5, float(width)), 1.0) for width in WIDTHS}
    return _undone(records, GAUSSIAN, settings)


def _undone(
    records: PaperRecords, names: Sequence[str], settings: Mapping[float, tuple[Pair, float]]
) -> dict[str, Span]:
    """Settings of a pair and ε by their place on an axis."""
    spans: dict[str, Span] = {}
    for place, (pair, epsilon) in settings.items():
        model = records.model(pair)
        for name in names:
            if is_undone(model, as_published(name, records, pair, epsilon)):
                spans[name] = (spans.get(name, (place, place))[0], place)
    return spans


def figure3_curves(records: PaperRecords) -> Mapping[str, Curves]:
    """Expected L2 errors against Δp at ε = 1, with differential privacy for comparison.

    As published, classical calibration.
    """
    return {
        name: sweep(
            expected_errors(),
            "width",
            WIDTHS,
            [records.densities(secret.pair(0.5, float(width))) for width in WIDTHS],
            (*GAUSSIAN, "DP"),
            1.0,
            DELTA,
            "classical",
        )
        for name, secret in SECRETS.items()
    }


def figure3(records: PaperRecords) -> tuple[Cell, ...]:
    """Largest Δp at which DauM errs no more than differential privacy.

    Ours is where the two curves cross. The paper's text reads it off points 0.02 apart, each a
    mean of 50 draws, so that a step of 0.02 is the tolerance. Erratum: arithmetic undoes DauM's
    noise, so that it errs less for nothing.
    """
    cells = []
    for name, curves in figure3_curves(records).items():
        ahead = curves.y["DauM"] <= curves.y["DP"]
        last = int(np.flatnonzero(ahead)[-1]) if ahead.any() else 0
        pair = SECRETS[name].pair(0.5, float(WIDTHS[last]))
        cells.append(
            Cell(
                item="figure-3",
                row=f"{name}: DauM below DP",
                column="up to Δp",
                printed=printed.FIGURE_3[name],
                paper=float(printed.FIGURE_3[name]),
                tolerance=_STEP,
                ours=_crossing(curves, last),
                stand_in=records.stand_in,
                standing=standing_of(records, pair, as_published("DauM", records, pair, 1.0)),
            )
        )
    return tuple(cells)


def _crossing(curves: Curves, last: int) -> float:
    """Where the two errors are equal, between the last point where DauM is ahead and the next."""
    if last + 1 == len(curves.x):
        return float(curves.x[last])
    gap = curves.y["DauM"] - curves.y["DP"]
    share = gap[last] / (gap[last] - gap[last + 1])
    return float(curves.x[last] + share * (curves.x[last + 1] - curves.x[last]))


def figure5(records: PaperRecords, *, repeats: int = REPEATS, seed: int = SEED) -> tuple[Cell, ...]:
    """Variance of the number of females under both shares of income, beside Figure 5.

    Erratum: the two covariances differ, so that pooling them breaks the promise a little.
    """
    fit = records.model(PAIR).pairs[0]
    again = np.array(
        [
            model.pairs[0].covariances[:, FEMALES, FEMALES]
            for model in repeated_models(records, PAIR, repeats, np.random.default_rng(seed))
        ]
    )
    return tuple(
        Cell(
            item="figure-5",
            row="variance of the number of females",
            column=f"p = {theta.proportion:g}",
            printed=text,
            paper=float(text),
            tolerance=0.005,
            ours=float(covariance[FEMALES, FEMALES]),
            repeats=middle_95(variances),
            stand_in=records.stand_in,
        )
        for theta, text, covariance, variances in zip(
            fit.thetas, printed.FIGURE_5, fit.covariances, again.T, strict=True
        )
    )


def figure5_draws(records: PaperRecords, *, seed: int = SEED) -> tuple[PairModel, FloatArray]:
    """The fit of Figure 5 and the statistics of 1000 subsets a share, shape (2, 1000, 5)."""
    rng = np.random.default_rng(seed)
    groups = records.groups[INCOME]
    drawn = [
        simulate(groups, QUERY, theta, _SUBSETS, rng) for theta in thetas_of(PAIR, SIZE, False)
    ]
    return records.model(PAIR).pairs[0], np.array(drawn)


@dataclass(frozen=True, eq=False)
class Releases:
    """A subset's statistics and what mechanisms release of them, again and again.

    Attributes
    ----------
    secret : SensitiveProperty
    width : float
        Δp.
    answer : ndarray, shape (m,)
    released : dict of mechanism to ndarray, shape (releases, m)
    """

    secret: SensitiveProperty
    width: float
    answer: FloatArray
    released: dict[str, FloatArray]


def figure6(records: PaperRecords, *, seed: int = SEED) -> Mapping[str, Releases]:
    """Twenty releases of one random subset by each Gaussian variant and by differential privacy.

    ε = 1, δ = 0.001, classical calibration; income with Δp = 0.02, work class with Δp = 0.04, as
    in Figure 6, which prints no values; noise as published. The subset has the share that lies in
    the middle.
    """
    rng = np.random.default_rng(seed)
    cells = {}
    for name, secret in SECRETS.items():
        width = FIGURE_6_WIDTHS[name]
        pair = secret.pair(0.5, width)
        middle = Theta(secret, 0.5, SIZE)
        answer = simulate(records.groups[secret], QUERY, middle, 1, rng)[0]
        released = {
            mechanism: answer + as_published(mechanism, records, pair, 1.0).sample(_RELEASES, rng)
            for mechanism in (*GAUSSIAN, "DP")
        }
        cells[name] = Releases(secret, width, answer, released)
    return cells
