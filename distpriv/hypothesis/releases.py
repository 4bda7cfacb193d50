"""The best attacker on a share of the records, in the same terms as the attacker on a record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray

from distpriv.arguments import Axes, checked
from distpriv.best_attack import best_roc
from distpriv.calibration import Calibration
from distpriv.covered import holding
from distpriv.errors import CalibrationError, HypothesisError
from distpriv.guarding import side_by_side
from distpriv.hypothesis.auxiliary import odds_against
from distpriv.hypothesis.scores import best_f_score
from distpriv.hypothesis.trials import CurveTest, GaussianTest, NormalsTest, OptimalTest, WorstTest
from distpriv.likelihood_ratio import LikelihoodRatio
from distpriv.mechanisms import searching
from distpriv.models import GaussianModel
from distpriv.noise import Noise
from distpriv.optimal import likelihood_ratio
from distpriv.utility import Curves

__all__ = ["f_score_against_epsilon", "optimal_f_score", "release_test"]

_POINTS = 1001


@checked(HypothesisError)
def release_test(model: GaussianModel, noise: Noise | None = None) -> OptimalTest:
    """Best test of p_j (h_1) against p_i on a release, each normal with its own covariance.

    Of several pairs the one counts that is worst in the figure asked for. For Gaussian noise the
    rates are exact: in closed form where the covariances of every pair agree, else by the law of a
    quadratic form. For Laplace noise along the shift of two normals of one covariance they are read
    off 1001 points; for any other they are simulated, the same at every call, to a few tenths of a
    point (:func:`distpriv.laplace_optimum.laplace_roc`).

    Parameters
    ----------
    model : GaussianModel
    noise : Noise or None
        None: undefended.
    """
    held = [holding(fit, noise) for fit in model.pairs]
    if all(left is None or left.is_zero or left.distribution == "gaussian" for left in held):
        ratio = likelihood_ratio(list(zip(model.pairs, held, strict=True)))
        if ratio.equal_covariances.all():
            return GaussianTest(float(ratio.distance.max()))
        return NormalsTest(ratio)
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
) -> Curves:
    """Largest F_β of any attacker on each mechanism for each ε.

    Parameters
    ----------
    model : GaussianModel
    mechanisms : sequence of str
        Those that do not apply to this model have NaN.
    epsilons : ndarray, shape (points,), each > 0
    delta : float in (0, 1)
    calibration : "exact", "classical" or "guarded"
    beta : float > 0
    base_rate : float in (0, 1)
    units : ndarray, shape (m,), optional
        What the noise is calibrated in.
    pair : int, optional
        Index of the pair that is attacked; by default the one hardest to hide.
    """
    attacked = model if pair is None else model.only(pair)
    odds = odds_against(base_rate)

    noises = side_by_side(
        [
            searching(name, model, float(epsilon), delta, calibration, units)
            for name in mechanisms
            for epsilon in epsilons
        ]
    )
    tests = [
        None if isinstance(noise, CalibrationError) else release_test(attacked, noise)
        for noise in noises
    ]
    found = _scores(tests, beta, odds).reshape(len(mechanisms), len(epsilons))
    return Curves(np.asarray(epsilons, np.float64), dict(zip(mechanisms, found, strict=True)))


def _scores(tests: Sequence[OptimalTest | None], beta: float, odds: float) -> NDArray[np.float64]:
    """Largest F_β of each test; NaN where there is none. Those of two normals all at once."""
    found = np.full(len(tests), np.nan)
    normal = [place for place, each in enumerate(tests) if isinstance(each, NormalsTest)]
    if normal:
        ratios = [each.ratio for each in tests if isinstance(each, NormalsTest)]
        together = LikelihoodRatio(
            np.array([ratio.shift for ratio in ratios]),
            np.array([ratio.spread for ratio in ratios]),
        )
        found[normal] = best_f_score(NormalsTest(together), beta, odds)
    for place, each in enumerate(tests):
        if each is not None and not isinstance(each, NormalsTest):
            found[place] = best_f_score(each, beta, odds)
    return found
