"""The best attacker on a share of the records, in the same terms as the attacker on a record."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray

from distpriv.arguments import Axes, checked
from distpriv.calibration import Calibration
from distpriv.covered import holding
from distpriv.errors import AttackError, CalibrationError, HypothesisError
from distpriv.hypothesis.auxiliary import odds_against
from distpriv.hypothesis.scores import best_f_score
from distpriv.hypothesis.trials import CurveTest, GaussianTest, OptimalTest
from distpriv.laplace_optimum import laplace_roc
from distpriv.mechanisms import calibrate
from distpriv.models import GaussianModel
from distpriv.noise import Noise
from distpriv.optimal import optimal_roc
from distpriv.utility import Curves

__all__ = ["f_score_against_epsilon", "optimal_f_score", "release_test"]

_POINTS = 1001


@checked(HypothesisError)
def release_test(model: GaussianModel, noise: Noise | None = None) -> OptimalTest:
    """Best test of p_j (h_1) against p_i on a release, for the worst pair.

    In closed form for Gaussian noise, with the pooled covariance as everywhere; by the
    distribution function of normal plus Laplace where Laplace noise lies along the shift; else
    simulated, the same at every call, to a few tenths of a point
    (:func:`distpriv.laplace_optimum.laplace_roc`).

    Parameters
    ----------
    model : GaussianModel
    noise : Noise or None
        None: undefended.
    """
    noise = holding(model, noise)
    if noise is None or noise.is_zero or noise.distribution == "gaussian":
        added = 0.0 if noise is None else noise.covariance
        return GaussianTest(
            max(
                math.sqrt(
                    max(
                        float(fit.difference @ np.linalg.solve(fit.pooled + added, fit.difference)),
                        0,
                    )
                )
                for fit in model.pairs
            )
        )
    try:
        curve = optimal_roc(model, noise, _POINTS)
    except AttackError:
        curve = laplace_roc(model, noise)
    return CurveTest(curve.false_positive_rate, curve.true_positive_rate)


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

    def test(name: str, epsilon: float) -> OptimalTest:
        try:
            noise = calibrate(name, model, epsilon, delta, calibration, units)
        except CalibrationError:
            return GaussianTest(math.nan)
        return release_test(attacked, noise)

    def scores(name: str) -> NDArray[np.float64]:
        tests = [test(name, float(epsilon)) for epsilon in epsilons]
        distances = [each.distance for each in tests if isinstance(each, GaussianTest)]
        if len(distances) == len(tests):  # all at once
            known = np.array(distances, np.float64)
            found = best_f_score(GaussianTest(np.nan_to_num(known)), beta, odds)
            return np.where(np.isnan(known), np.nan, found)
        return np.array([best_f_score(each, beta, odds) for each in tests])

    return Curves(np.asarray(epsilons, np.float64), {name: scores(name) for name in mechanisms})
