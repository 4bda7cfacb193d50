"""The best attacker on a share of the records, in the same terms as the attacker on a record."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from distpriv.arguments import Axes, checked
from distpriv.attacks.best_attack import best_roc
from distpriv.attacks.hypothesis.auxiliary import odds_against
from distpriv.attacks.hypothesis.scores import best_f_score
from distpriv.attacks.hypothesis.trials import (
    CurveTest,
    GaussianTest,
    NormalsTest,
    OptimalTest,
    WorstTest,
)
from distpriv.attacks.optimal import likelihood_ratio
from distpriv.errors import HypothesisError
from distpriv.mechanisms import searching
from distpriv.mechanisms.curves import Curves
from distpriv.mechanisms.guarded import side_by_side
from distpriv.model.gaussian import GaussianModel, PairModel
from distpriv.privacy.calibration import Calibration
from distpriv.privacy.covered import coset_loss, shown_each, tells_coset
from distpriv.privacy.likelihood_ratio import LikelihoodRatio
from distpriv.privacy.noise import Noise
from distpriv.privacy.persons import Persons

__all__ = [
    "f_score_against_epsilon",
    "false_alarms_along",
    "false_alarms_of",
    "figures",
    "optimal_f_score",
    "release_test",
    "release_tests",
]

_POINTS = 1001
_GRID_RECALLS, _GRID_THRESHOLDS = np.array([0.999, 0.001]), 41


@checked(HypothesisError)
def release_test(model: GaussianModel, noise: Noise | None = None) -> OptimalTest:
    """Best test of p_j (h_1) against p_i on a release, each normal with its own covariance.

    Of several pairs the one counts that is worst in the figure asked for. For Gaussian noise the
    rates are exact: in closed form where the covariances of every pair agree, else by the law of a
    quadratic form. For Laplace noise along the shift of two normals of one covariance they are read
    off 1001 points; for any other they are simulated, the same at every call, to a few tenths of a
    point (:func:`distpriv.attacks.laplace_optimum.laplace_roc`).

    Parameters
    ----------
    model : GaussianModel
    noise : Noise or None
        None: undefended.
    """
    return release_tests([(model, noise)])[0]


def release_tests(cases: Sequence[tuple[GaussianModel, Noise | None]]) -> list[OptimalTest]:
    """:func:`release_test` of many releases of as many statistics, faster than one by one."""
    pairs = [(place, fit) for place, (model, _) in enumerate(cases) for fit in model.pairs]
    thetas = shown_each([(fit, cases[place][1]) for place, fit in pairs])
    held: list[list[tuple[PairModel, Noise | None]]] = [[] for _ in cases]
    for (place, fit), theta in zip(pairs, thetas, strict=True):
        held[place].append((fit, None if math.isinf(theta) else cases[place][1]))
    known: dict[int, OptimalTest] = {
        place: _by_cosets(cases[place][0], laws)
        for place, laws in enumerate(held)
        if any(tells_coset(*law) for law in laws)
    }
    normal = [
        place
        for place, laws in enumerate(held)
        if place not in known and all(map(_is_normal, laws))
    ]
    if normal:
        together = likelihood_ratio([case for place in normal for case in held[place]])
        ends = np.cumsum([len(held[place]) for place in normal])[:-1]
        shifts, spreads = np.split(together.shift, ends), np.split(together.spread, ends)
        for place, shift, spread in zip(normal, shifts, spreads, strict=True):
            ratio = LikelihoodRatio(shift, spread)
            equal = ratio.equal_covariances.all() and np.isfinite(shift).all()
            known[place] = (
                GaussianTest(float(ratio.distance.max())) if equal else NormalsTest(ratio)
            )
    drawn: dict[Any, OptimalTest] = {}
    for place, (model, noise) in enumerate(cases):
        if place not in known and noise is not None:  # which has to be simulated, once
            parts = noise.directions, noise.scales, noise.floor_deviations
            key = (id(model), noise.distribution, *(part.tobytes() for part in parts))
            known[place] = drawn.get(key) or _by_curves(model, noise)
            drawn[key] = known[place]
    return [known[place] for place in range(len(cases))]


def _is_normal(case: tuple[PairModel, Noise | None]) -> bool:
    noise = case[1]
    return noise is None or noise.is_zero or noise.distribution == "gaussian"


def _by_cosets(model: GaussianModel, laws: Sequence[tuple[PairModel, Noise | None]]) -> OptimalTest:
    """Of pairs some of which the last digits of a release tell."""
    tests: list[OptimalTest] = []
    for place, (fit, noise) in enumerate(laws):
        told = coset_loss(fit, noise)
        if told is None:
            tests.append(release_test(model.only(place), noise))
            continue
        wrong, right = told.reversed.rates()
        ends = int(np.argmax(right >= right[-1])) + 1  # more false alarms recall no more
        tests.append(CurveTest(wrong[:ends], right[:ends]))
    return tests[0] if len(tests) == 1 else WorstTest(tuple(tests))


def _by_curves(model: GaussianModel, noise: Noise) -> OptimalTest:
    curves = [best_roc(model.only(pair), noise, _POINTS) for pair in range(len(model.pairs))]
    tests = [CurveTest(curve.false_positive_rate, curve.true_positive_rate) for curve in curves]
    return tests[0] if len(tests) == 1 else WorstTest(tuple(tests))


@checked(HypothesisError)
def optimal_f_score(
    model: GaussianModel, noise: Noise | None = None, beta: float = 1.0, base_rate: float = 0.5
) -> float:
    """Largest F_β of any attacker who names p_j, for the worst pair.

    Parameters
    ----------
    model : GaussianModel
    noise : Noise or None
        None: undefended.
    beta : float > 0
    base_rate : float in (0, 1)
        How often the share is p_j.
    """
    return float(best_f_score(release_test(model, noise), beta, odds_against(base_rate)))


@checked(HypothesisError)
def f_score_against_epsilon(
    model: GaussianModel,
    mechanisms: Sequence[str],
    epsilons: Annotated[NDArray[np.float64], Axes(1)],
    delta: float,
    calibration: Calibration = "guarded",
    *,
    beta: float = 1.0,
    base_rate: float = 0.5,
    units: ArrayLike | None = None,
    pair: int | None = None,
    persons: Persons | None = None,
) -> Curves:
    """Largest F_β of any attacker on each mechanism for each ε.

    Parameters
    ----------
    model : GaussianModel
    mechanisms : sequence of str
        Those that do not apply to this model have NaN.
    epsilons : ndarray, shape (points,), each > 0
    delta : float in (0, 1)
    calibration : "exact-law", "guarded", "exact" or "classical"
    beta : float > 0
    base_rate : float in (0, 1)
    units : ndarray, shape (m,), optional
        What the noise is calibrated in.
    pair : int, optional
        Index of the pair that is attacked; by default the one hardest to hide.
    persons : Persons, optional
        What each record is promised besides.
    """
    attacked = model if pair is None else model.only(pair)
    odds = odds_against(base_rate)

    noises = side_by_side(
        [
            searching(name, model, float(epsilon), delta, calibration, units, persons=persons)
            for name in mechanisms
            for epsilon in epsilons
        ]
    )
    kept = [place for place, noise in enumerate(noises) if isinstance(noise, Noise)]
    tests = release_tests([(attacked, noise) for noise in noises if isinstance(noise, Noise)])
    rates = np.full(len(noises), np.nan)
    rates[kept] = figures(tests, lambda test: best_f_score(test, beta, odds))
    curves = dict(zip(mechanisms, rates.reshape(len(mechanisms), len(epsilons)), strict=True))
    return Curves(np.asarray(epsilons, np.float64), curves)


def figures(
    tests: Sequence[OptimalTest], figure: Callable[[OptimalTest], ArrayLike]
) -> NDArray[np.float64]:
    """A figure of each test; those of two normals all at once."""
    rates = np.full(len(tests), np.nan)
    for place, test in enumerate(tests):
        if not isinstance(test, NormalsTest):
            rates[place] = figure(test)
    for places, together in _alike(tests):
        rates[places] = figure(together)
    return rates


def false_alarms_along(test: OptimalTest, recalls: NDArray[np.float64]) -> NDArray[np.float64]:
    """Fewest false alarms at many recalls, for curves: of two normals to 1e-5, else exactly.

    Between the thresholds of a grid, on the scale of Φ⁻¹, on which the curve of two normals is
    nearly a straight line.

    Parameters
    ----------
    test : OptimalTest
    recalls : ndarray, shape (points,), each in [0, 1]
    """
    return false_alarms_of([test], recalls)[0]


def false_alarms_of(
    tests: Sequence[OptimalTest], recalls: NDArray[np.float64]
) -> list[NDArray[np.float64]]:
    """:func:`false_alarms_along` of many tests, faster than one by one."""
    inner = (recalls > 1 - _GRID_RECALLS[0]) & (recalls < _GRID_RECALLS[0])
    found: list[NDArray[np.float64] | None] = [None] * len(tests)
    for places, together in _alike(tests):
        *cases, size = together.ratio.shift.shape
        # Each pair alone: the worst one along the recalls is not the worst along the thresholds.
        shift, spread = (
            part.reshape(-1, 1, size) for part in (together.ratio.shift, together.ratio.spread)
        )
        pairs = NormalsTest(LikelihoodRatio(shift, spread))
        ends = pairs.log_ratio(_GRID_RECALLS[:, None])
        along = np.empty((len(shift), len(recalls)))
        # Where the ends are infinite the two are told apart for certain, which is quick.
        usual = np.isfinite(ends).all(axis=0)
        along[:, ~inner] = pairs.false_positive_rate(recalls[~inner, None]).T
        if not usual.all():
            apart = NormalsTest(LikelihoodRatio(shift[~usual], spread[~usual]))
            along[~usual] = apart.false_positive_rate(recalls[:, None]).T
        if usual.any():
            some = NormalsTest(LikelihoodRatio(shift[usual], spread[usual]))
            rates = some.rates(np.linspace(ends[0, usual], ends[1, usual], _GRID_THRESHOLDS))
            true, false = (ndtri(np.clip(rate[::-1].T, 1e-12, 1 - 1e-12)) for rate in rates)
            for row, right, wrong in zip(np.flatnonzero(usual), true, false, strict=True):
                along[row, inner] = ndtr(np.interp(ndtri(recalls[inner]), right, wrong))
        for place, least in zip(places, along.reshape(*cases, -1).min(axis=1), strict=True):
            found[place] = least
    return [
        test.false_positive_rate(recalls) if known is None else known
        for test, known in zip(tests, found, strict=True)
    ]


def _alike(tests: Sequence[OptimalTest]) -> list[tuple[list[int], NormalsTest]]:
    """Tests of two normals that can be answered at once: where they stand, and all as one."""
    shapes: dict[tuple[int, ...], list[int]] = {}
    for place, test in enumerate(tests):
        if isinstance(test, NormalsTest):
            shapes.setdefault(test.ratio.shift.shape, []).append(place)
    ratios = [test.ratio if isinstance(test, NormalsTest) else None for test in tests]
    together = []
    for places in shapes.values():
        chosen = [ratio for place in places if (ratio := ratios[place]) is not None]
        shift, spread = (
            np.array([getattr(ratio, part) for ratio in chosen]) for part in ("shift", "spread")
        )
        together.append((places, NormalsTest(LikelihoodRatio(shift, spread))))
    return together
