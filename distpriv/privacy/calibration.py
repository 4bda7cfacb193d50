"""From (ε, δ) to the distance of two normal distributions that it allows."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal, get_args

from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtri

from distpriv.arguments import checked
from distpriv.errors import CalibrationError
from distpriv.words import exact

__all__ = [
    "CALIBRATIONS",
    "Calibration",
    "check_delta",
    "check_epsilon",
    "gaussian_delta",
    "gaussian_distance",
]

Calibration = Literal["exact-law", "guarded", "exact", "classical"]
CALIBRATIONS: tuple[Calibration, ...] = get_args(Calibration)
LARGEST_EPSILON = 1e6  # promises nothing; beyond it the inversion loses its digits


def check_epsilon(epsilon: float) -> float:
    """Return ε as a float, or raise `CalibrationError` unless it lies in (0, 10⁶]."""
    if not 0 < epsilon <= LARGEST_EPSILON:
        raise CalibrationError(
            f"ε must be a positive number, at most {LARGEST_EPSILON:g}, got ε = {epsilon:g}."
        )
    return float(epsilon)


def check_delta(delta: float | None) -> float:
    """Return δ as a float, or raise `CalibrationError` unless it lies strictly in (0, 1)."""
    if delta is None:
        raise CalibrationError("This mechanism needs a δ in (0, 1); give one, e.g. 0.001.")
    if not 0 < delta < 1:
        raise CalibrationError(f"δ must be in (0, 1), got δ = {delta:g}.")
    return float(delta)


@checked(CalibrationError)
@lru_cache(maxsize=4096)
def gaussian_distance(epsilon: float, delta: float, calibration: Calibration = "exact") -> float:
    r"""Largest Mahalanobis distance of two normal distributions that (ε, δ) allows.

    Every Gaussian mechanism raises the covariance until the two means are no further apart
    than this; noise of standard deviation Δ/distance hides a shift by Δ.

    * *exact*: μ* that solves :math:`\delta = \Phi(\mu/2 - \varepsilon/\mu) -
      e^{\varepsilon}\Phi(-\mu/2 - \varepsilon/\mu)` (Balle & Wang 2018, Theorem 8); valid for
      every ε.
    * *classical*: ε/c with :math:`c = \sqrt{2\ln(1.25/\delta)}` (Dwork & Roth 2014, Theorem
      A.1; Chen & Ohrimenko 2023, Theorem 4.2). Proven for ε ≤ 1 and c ≥ 3/2 only; the papers
      use it at ε = 5 and 10 as well, outside its proof.
    * *guarded*: where it starts from is *exact*; a mechanism then lowers the distance until the
      two normals, each with its own covariance, deliver what is promised.

    *exact-law* knows no distance: it asks what the law of the statistics itself delivers
    (:func:`distpriv.mechanisms.by_exact_law.by_exact_law`).

    Parameters
    ----------
    epsilon : float in (0, 10⁶]
    delta : float in (0, 1)
    calibration : "exact", "classical" or "guarded"

    Returns
    -------
    float

    Raises
    ------
    CalibrationError
        If a parameter is outside its domain.
    """
    check_epsilon(epsilon)
    check_delta(delta)
    if calibration == "classical":
        return epsilon / math.sqrt(2 * math.log(1.25 / delta))
    if calibration in ("exact", "guarded"):
        return _largest_distance(epsilon, delta)
    if calibration == "exact-law":
        raise CalibrationError(
            "The exact-law calibration knows no distance of two normals; take guarded, exact or "
            "classical, or distpriv.calibrate for noise."
        )
    raise CalibrationError(
        f"calibration must be one of {', '.join(CALIBRATIONS)}, got {calibration!r}."
    )


def gaussian_delta(distance: float, epsilon: float) -> float:
    """δ(ε) of two normals with equal covariances at a Mahalanobis distance μ.

    Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ), in log space (Balle & Wang 2018, Theorem 5).

    Parameters
    ----------
    distance : float >= 0
    epsilon : float >= 0
    """
    return math.exp(_log_delta(distance, epsilon)) if distance else 0.0


def _log_delta(distance: float, epsilon: float) -> float:
    upper = float(log_ndtr(distance / 2 - epsilon / distance))
    lower = epsilon + float(log_ndtr(-distance / 2 - epsilon / distance))
    return upper + math.log(-math.expm1(lower - upper)) if lower < upper else -math.inf


def _largest_distance(epsilon: float, delta: float) -> float:
    """As dp_accounting's `get_sigma_gaussian` has it, at a tenth of the time: sliders ask often.

    Φ(μ/2 − ε/μ) is more than δ(ε), so that the μ at which it is δ is too small.
    """
    y, goal = float(ndtri(delta)), math.log(delta)
    root = math.sqrt(y * y + 2 * epsilon)
    low = y + root if y > 0 else 2 * epsilon / (root - y)
    high = 1.5 * low
    while _log_delta(high, epsilon) < goal:
        low, high = high, 2 * high
    found: float = brentq(
        lambda distance: max(_log_delta(distance, epsilon), -1e9) - goal,
        low,
        high,
        xtol=1e-15 * low,
        rtol=1e-15,
    )
    return found


def classical_caveat(epsilon: float, delta: float) -> str | None:
    """Say why the classical constant proves nothing here, or None if it does (Theorem 4.2)."""
    if epsilon > 1:
        outside = f"ε ≤ 1 only, not for ε = {epsilon:g}"
    elif math.sqrt(2 * math.log(1.25 / delta)) < 1.5:
        outside = f"δ ≤ 0.405 only, not for δ = {exact(delta)}"
    else:
        return None
    distance = gaussian_distance(epsilon, delta, "classical")
    delivers = gaussian_delta(distance, epsilon)
    return (
        f"The classical calibration is proven for {outside}; noise that just meets it delivers "
        f"δ = {delivers:.2g} there where {exact(delta)} is promised, even if both covariances are "
        "equal."
    )
