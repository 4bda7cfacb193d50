"""How well the best attacker does in one figure, and the ε that keeps it within a bound."""

from __future__ import annotations

from typing import Annotated, Any

import dp_accounting
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import expit, logit

from distpriv.arguments import POSITIVE, Axes, Within, checked
from distpriv.attacks.hypothesis.auxiliary import auxiliary_factor, odds_against
from distpriv.attacks.hypothesis.trials import (
    GaussianTest,
    OptimalTest,
    check_epsilons,
    record_test,
)
from distpriv.errors import HypothesisError
from distpriv.privacy.calibration import Calibration, check_delta, gaussian_delta, gaussian_distance
from distpriv.words import exact

__all__ = [
    "believed_after",
    "best_accuracy",
    "best_f_score",
    "check_beta",
    "check_open",
    "epsilon_table",
    "f_score",
    "f_score_floor",
    "max_epsilon",
    "max_f_score",
    "plausible_deniability",
    "precision_at",
    "turning_point",
]

FloatArray = NDArray[np.float64]

_MOST_STEPS = 200
_SETTLED = 1e-9  # of F, in a step: the next one is about as small as its square
_FARTHEST = 75.0  # two unit normals so far apart have no overlap in double precision


@checked(HypothesisError)
def f_score(
    precision: Annotated[ArrayLike, Within(0, 1)],
    recall: Annotated[ArrayLike, Within(0, 1)],
    beta: float,
) -> Any:
    """Weighted harmonic mean of precision and recall, (1 + β²)PR/(β²P + R).

    Parameters
    ----------
    precision, recall : float or array-like in [0, 1]
    beta : float > 0
        Recall counts β times as much as precision.
    """
    weight = check_beta(beta) ** 2
    right, recalled = np.asarray(precision, np.float64), np.asarray(recall, np.float64)
    below = weight * right + recalled
    product = (1 + weight) * right * recalled
    return np.divide(product, below, out=np.zeros_like(product), where=below > 0)[()]


@checked(HypothesisError)
def precision_at(
    test: OptimalTest, recall: ArrayLike, factor: Annotated[float, POSITIVE] = 1.0
) -> Any:
    """Best precision at a recall, 1/(1 + κ GSR/RSR) (Liu et al. 2019, Equation 23).

    Parameters
    ----------
    test : OptimalTest
    recall : float or array-like in (0, 1]
    factor : float > 0
        κ, the odds against the hypothesis beforehand.
    """
    recalled = np.asarray(recall, np.float64)
    if not ((recalled > 0) & (recalled <= 1)).all():
        raise HypothesisError(
            f"The recall must be in (0, 1], got {np.min(recalled):g}; take e.g. 0.5."
        )
    return (recalled / (recalled + factor * test.false_positive_rate(recalled)))[()]


@checked(HypothesisError)
def best_accuracy(test: OptimalTest, base_rate: float = 0.5) -> Any:
    """Accuracy of the best attacker when h_1 holds with a base rate.

    Parameters
    ----------
    test : OptimalTest
    base_rate : float in (0, 1)
    """
    true, false = test.rates(np.log(odds_against(base_rate)))
    return (base_rate * true + (1 - base_rate) * (1 - false))[()]


@checked(HypothesisError)
def believed_after(test: OptimalTest, base_rate: float = 0.5, confidence: float = 0.95) -> Any:
    """What the attacker believes of a true h_1 after the release, at most, that often.

    Parameters
    ----------
    test : OptimalTest
    base_rate : float in (0, 1)
        Probability of h_1 before.
    confidence : float in (0, 1)
        Share of the releases in which the belief ends no higher.
    """
    check_open("confidence", confidence)
    odds_against(base_rate)
    return expit(logit(base_rate) + test.log_ratio(1 - confidence))[()]


@checked(HypothesisError)
def best_f_score(test: OptimalTest, beta: float, factor: Annotated[float, POSITIVE] = 1.0) -> Any:
    """Largest F_β over all thresholds, by optimisation.

    F exceeds a value f where (1 + β² − f)·recall − fκ·false alarms > fβ², so that the best
    threshold for f is the likelihood ratio fκ/(1 + β² − f); the next f is what that threshold
    reaches (Dinkelbach 1967: monotone, faster than linear).

    Parameters
    ----------
    test : OptimalTest
    beta : float > 0
    factor : float > 0
        κ, the odds against the hypothesis beforehand.
    """
    weight = check_beta(beta) ** 2
    score: FloatArray = np.asarray(f_score_floor(beta, factor))
    for _ in range(_MOST_STEPS):
        true, false = test.rates(np.log(score * factor / (1 + weight - score)))
        better = np.maximum((1 + weight) * true / (true + factor * false + weight), score)
        done = bool((better - score <= _SETTLED).all())
        score = better
        if done:
            break
    return score[()]


@checked(HypothesisError)
def f_score_floor(beta: float, factor: Annotated[float, POSITIVE] = 1.0) -> float:
    """F_β of whoever always says yes, (1 + β²)/(1 + β² + κ): no information is needed for it.

    Parameters
    ----------
    beta : float > 0
    factor : float > 0
    """
    weight = check_beta(beta) ** 2
    return (1 + weight) / (1 + weight + factor)


@checked(HypothesisError)
def turning_point(
    beta: float, prior: float = 0.0, records: float = 0.0, time: float = 0.0
) -> float:
    """Largest ε at which the best F_β on Laplace noise stays at its floor, ln(1 + β²/κ).

    Parameters are those of :func:`max_f_score`.
    """
    weight = check_beta(beta) ** 2
    return float(np.log1p(weight / auxiliary_factor(prior, records, time)))


@checked(HypothesisError)
def max_f_score(
    epsilon: ArrayLike,
    beta: float,
    prior: float = 0.0,
    records: float = 0.0,
    time: float = 0.0,
    *,
    delta: float | None = None,
    calibration: Calibration = "exact",
    numerical: bool = False,
) -> Any:
    """Largest F_β of any attacker on one record, against Laplace or Gaussian noise.

    Laplace noise in closed form: (1 + β²)/(1 + β² + κ) for ε < ln(1 + β²/κ), else
    (1 + β²)(r − 1)/((1 + β²)r − 1 + β²) with r = √(1 + 4β²e^ε/κ) (Liu et al. 2019, Equations 12,
    18, 21 and 24). Gaussian noise by optimisation (Equation 15).

    Parameters
    ----------
    epsilon : float or array-like, each >= 0
    beta : float > 0
    prior, records, time : float
        What the attacker knows already, see :func:`auxiliary_factor`.
    delta : float in (0, 1), optional
        Gaussian noise of that δ; by default Laplace noise.
    calibration : "exact" or "classical"
        Of the Gaussian noise.
    numerical : bool
        By optimisation for Laplace noise too.

    Returns
    -------
    float, or ndarray of the shape of ε

    Raises
    ------
    HypothesisError
        If ε, β or the factor κ is outside its domain.
    """
    weight, factor = check_beta(beta) ** 2, auxiliary_factor(prior, records, time)
    if delta is not None or numerical:
        return best_f_score(record_test(epsilon, delta, calibration), beta, factor)
    budget = check_epsilons(epsilon)
    # Divided by r, so that no exponential overflows.
    shrunk = np.exp(-budget)
    inverse = np.sqrt(shrunk / (shrunk + 4 * weight / factor))
    risen = (1 + weight) * (1 - inverse) / (1 + weight - (1 - weight) * inverse)
    flat = budget < np.log1p(weight / factor)
    return np.where(flat, (1 + weight) / (1 + weight + factor), risen)[()]


@checked(HypothesisError)
def max_epsilon(
    f_score: ArrayLike,
    beta: float,
    prior: float = 0.0,
    records: float = 0.0,
    time: float = 0.0,
    *,
    delta: float | None = None,
    calibration: Calibration = "exact",
) -> Any:
    """Largest ε at which no attacker on one record exceeds a bound on F_β.

    The inverse of :func:`max_f_score`: ln(κF(1 + β² − F)/((1 + β²)(1 − F))²) for Laplace noise,
    at the floor ln(1 + β²/κ) (Liu et al. 2019, Table 1); for Gaussian noise the distance is
    searched for.

    Parameters
    ----------
    f_score : float or array-like
        The bound, from (1 + β²)/(1 + β² + κ) to below 1.

    Other parameters are those of :func:`max_f_score`.

    Returns
    -------
    float, or ndarray of the shape of the bound

    Raises
    ------
    HypothesisError
        If the bound is outside its domain: below what an attacker without any release reaches,
        or not below 1.
    """
    weight, factor = check_beta(beta) ** 2, auxiliary_factor(prior, records, time)
    bound = np.asarray(f_score, np.float64)
    floor = f_score_floor(beta, factor)
    if not ((bound >= floor - 1e-12) & (bound < 1)).all():
        wrong = bound[~((bound >= floor - 1e-12) & (bound < 1))].flat[0]
        nearest = f"the nearest is {floor:.4g}" if not wrong >= 1 else "the nearest is e.g. 0.999"
        raise HypothesisError(
            f"The bound on F_β must be from {floor:.4g}, which whoever always says yes reaches "
            f"without any release, to below 1, got {wrong:g}; {nearest}."
        )
    if delta is not None:
        epsilons = [
            _gaussian_epsilon(max(value, floor), beta, factor, delta, calibration)
            for value in bound.flat
        ]
        return np.reshape(epsilons, bound.shape)[()]
    held = np.maximum(bound, floor)
    return np.log(factor * held * (1 + weight - held) / ((1 + weight) * (1 - held)) ** 2)[()]


def _gaussian_epsilon(
    bound: float, beta: float, factor: float, delta: float, calibration: Calibration
) -> float:
    """The distance that reaches the bound, and the ε that allows it."""
    delta = check_delta(delta)

    def excess(distance: float) -> float:
        return float(best_f_score(GaussianTest(distance), beta, factor)) - bound

    distance = (
        _FARTHEST
        if excess(_FARTHEST) <= 0
        else float(brentq(excess, 0.0, _FARTHEST, xtol=1e-12, rtol=1e-12))
    )
    unmet = distance == 0 or (calibration == "exact" and gaussian_delta(distance, 0.0) <= delta)
    if unmet:
        least = float(best_f_score(record_test(1e-3, delta, calibration), beta, factor))
        raise HypothesisError(
            f"Gaussian noise with δ = {exact(delta)} lets an attacker exceed F_β = {bound:.4g} at "
            f"any ε; the nearest bound is {max(np.ceil(least * 1e4) / 1e4, bound + 1e-4):.4f}."
        )
    if calibration == "classical":
        return distance / gaussian_distance(1.0, delta, "classical")
    return float(dp_accounting.get_epsilon_gaussian(1 / distance, delta))


@checked(HypothesisError)
def epsilon_table(
    f_scores: Annotated[ArrayLike, Axes(1)],
    betas: Annotated[ArrayLike, Axes(1)],
    prior: float = 0.0,
    records: float = 0.0,
    time: float = 0.0,
) -> FloatArray:
    """Largest ε for several bounds and several β: Table 1 of Liu et al. (2019) for any β.

    Their bounds are cut to two digits: where a bound is less than 0.01 below the floor it stands
    for the floor. The paper also cuts most of its ε to two digits and rounds some.

    Parameters
    ----------
    f_scores : array-like, shape (bounds,), each below 1
    betas : array-like, shape (rows,), each > 0
    prior, records, time : float
        See :func:`auxiliary_factor`.

    Returns
    -------
    ndarray, shape (rows, bounds)
        NaN where no ε keeps the bound.
    """
    factor = auxiliary_factor(prior, records, time)
    bounds = np.asarray(f_scores, np.float64)
    table = np.full((len(np.asarray(betas)), len(bounds)), np.nan)
    for row, beta in zip(table, np.asarray(betas, np.float64), strict=True):
        floor = f_score_floor(float(beta), factor)
        known = bounds > floor - 0.01
        held = np.maximum(bounds[known], floor)
        row[known] = max_epsilon(held, float(beta), prior, records, time)
    return table


@checked(HypothesisError)
def plausible_deniability(epsilon: ArrayLike, false_alarm: ArrayLike) -> Any:
    """Likelihood ratio that the attacker asks for at a false-alarm rate α, on Laplace noise.

    e^−ε/(4α²) for α ≤ ½. Erratum: above ½ it is 4(1 − α)²e^−ε, not the e^−ε/(4(1 − α)²) of Liu
    et al. (2019), Section 4.1.5; their Equations 6 and 8 give the former. Beyond e^±ε the threshold
    lies where the likelihood ratio is flat, and no release reaches it.

    Parameters
    ----------
    epsilon : float or array-like, each >= 0
    false_alarm : float or array-like, in (0, 1)
        α, broadcasts against ε.

    Raises
    ------
    HypothesisError
        If ε or α is outside its domain.
    """
    budget, alarm = check_epsilons(epsilon), np.asarray(false_alarm, np.float64)
    if not ((alarm > 0) & (alarm < 1)).all():
        wrong = alarm[~((alarm > 0) & (alarm < 1))].flat[0]
        raise HypothesisError(
            f"The false-alarm rate α must lie between 0 and 1, got α = {wrong:g}; take e.g. "
            f"{0.99 if wrong >= 1 else 0.01}."
        )
    ratio = np.where(
        alarm <= 0.5, (1 / (2 * np.maximum(alarm, POSITIVE.low))) ** 2, 4 * (1 - alarm) ** 2
    )
    return (ratio * np.exp(-budget))[()]


def check_beta(beta: float) -> float:
    """Return β as a float, or raise `HypothesisError` unless it is a positive number."""
    if beta not in POSITIVE:
        raise HypothesisError(
            f"β must be a positive number, got β = {beta:g}; 1 weighs precision and recall alike, "
            "0.5 and 2 are the usual other choices."
        )
    return float(beta)


def check_open(name: str, value: float) -> float:
    """Return a share, or raise `HypothesisError` unless it lies strictly between 0 and 1."""
    if not 0 < value < 1:
        nearest = 0.01 if not value >= 1 else 0.99
        raise HypothesisError(
            f"The {name} must lie between 0 and 1, got {value:g}; take e.g. {nearest}."
        )
    return float(value)
