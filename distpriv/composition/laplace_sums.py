"""What several releases of one dataset with Laplace noise promise together.

That Laplace noise hides a pair is proven by a coupling of the statistics under one share with those
under the other. Given the statistics the noises of several releases are independent, so that their
ε add up as far as *one* coupling proves all of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from distpriv import mechanisms
from distpriv.mechanisms.assumptions import Assumption
from distpriv.model.gaussian import GaussianModel
from distpriv.privacy.covered import is_undone
from distpriv.privacy.noise import Noise
from distpriv.privacy.smoothness import log_ratio

__all__ = ["laplace_sum"]

FloatArray = NDArray[np.float64]

_SAME = 1e-9
_NOTICED = 1e-3
_UNKNOWN = (
    "Promises about one dataset add up where one coupling of the two shares' statistics proves all "
    "of them, and what proves that of {} is not known."
)
_UNITS = (
    "The releases were calibrated in different units, for which no one coupling of the two shares' "
    "statistics need serve: together they promise what the best single one proves, not the sum."
)
_APART = (
    "The releases were calibrated in different units, and the noise of one leaves directions bare "
    "that another one's needs, so that their promises do not add up."
)
_GRID = (
    "Together the releases show in what steps the statistics move, which no promise of a single "
    "one counts, so that their promises do not add up."
)
_LEFT = (
    "The floors that hide in what steps the statistics move average out as releases go on, and "
    "what the steps then show comes on top of the sum."
)


class _Coupling(Enum):
    """Which couplings of a pair's two distributions prove a promise."""

    ANY = "any"
    SHIFT = "translation"
    OWN = "that of least distance in its units"


def laplace_sum(
    model: GaussianModel, noises: Sequence[Noise], epsilons: Sequence[float]
) -> tuple[float, str]:
    r"""Least ε that is proven for several releases of the same statistics of one dataset.

    * Where the mechanisms assume that a pair's distributions are translations of each other, or
      none is known to be anything else, the translation proves every promise: Σ ε_k. So does any
      coupling of noise that hides all records at once.
    * Wasserstein mechanisms on known distributions take the coupling of least distance (Chen &
      Ohrimenko 2023, Theorem 3.1), which depends on the units. One that moves x by z with
      :math:`\|A_k^+ z\|_1 \le \varepsilon_k`, A_k the directions times their scales, moves it by
      :math:`\|A_j^+ z\|_1 \le \|A_j^+A_k\|_1\,\varepsilon_k` for the j-th release: together ε is
      at most :math:`\min_k \varepsilon_k \sum_j \|A_j^+A_k\|_1`, which in the same units is the
      sum.

    Floors of normal noise below Laplace noise average out as releases go on. What the grid of the
    statistics shows above what is left of them, see :mod:`distpriv.privacy.smoothness`, is added.

    Parameters
    ----------
    model : GaussianModel
    noises : sequence of Laplace Noise
        Each with δ = 0.
    epsilons : sequence of float > 0
        What each of them promises.

    Returns
    -------
    float
        ∞ where nothing is proven.
    str
        Why it is not the sum; empty if it is.
    """
    proofs = [_proof(model, noise) for noise in noises]
    for noise, proof in zip(noises, proofs, strict=True):
        if proof is None:
            return math.inf, _UNKNOWN.format(noise.mechanism)
    total, remark = math.fsum(epsilons), ""
    if not any(proof is _Coupling.SHIFT for proof in proofs):
        own = [index for index, proof in enumerate(proofs) if proof is _Coupling.OWN]
        proven = _in_units([noises[k] for k in own], [epsilons[k] for k in own])
        rest = math.fsum(epsilon for k, epsilon in enumerate(epsilons) if k not in own)
        if proven + rest > total * (1 + _SAME):
            total = proven + rest
            remark = _UNITS if total < math.inf else _APART
    grid = _grid_shows(model, noises)
    if grid == math.inf:
        return math.inf, _GRID
    return total + grid, remark or (_LEFT if grid > _NOTICED * total else "")


def _proof(model: GaussianModel, noise: Noise) -> _Coupling | None:
    if noise.mechanism not in mechanisms.names(distribution="laplace"):
        return None
    mechanism = mechanisms.get(noise.mechanism)
    if mechanism.baseline:
        return _Coupling.ANY if mechanism.protects else None
    if mechanism.from_outcomes:
        known = any(fit.outcomes is not None for fit in model.pairs)
        return _Coupling.OWN if known else _Coupling.SHIFT
    return _Coupling.SHIFT if Assumption.TRANSLATION in mechanism.assumes else None


def _in_units(noises: Sequence[Noise], epsilons: Sequence[float]) -> float:
    """The least ε that the coupling of one release proves for all of them."""
    factors = [noise.directions * noise.scales for noise in noises]
    inverses = [np.asarray(np.linalg.pinv(factor), dtype=np.float64) for factor in factors]
    return min(
        (
            epsilon
            * math.fsum(
                _stretch(other, inverse, factor)
                for other, inverse in zip(factors, inverses, strict=True)
            )
            for factor, epsilon in zip(factors, epsilons, strict=True)
        ),
        default=0.0,
    )


def _stretch(other: FloatArray, inverse: FloatArray, factor: FloatArray) -> float:
    """‖A_j⁺A_k‖₁, the largest column sum; ∞ if A_k has a direction that A_j has not."""
    moved = inverse @ factor
    lost = np.abs(other @ moved - factor).max(initial=0.0)
    if lost > _SAME * np.abs(factor).max(initial=0.0):
        return math.inf
    return float(np.abs(moved).sum(axis=0).max(initial=0.0))


def _grid_shows(model: GaussianModel, noises: Sequence[Noise]) -> float:
    """What the grid moves a log-likelihood ratio by above the floors of all releases together."""
    if any(is_undone(model, noise) for noise in noises):
        return math.inf
    floors = [noise.floor for noise in noises if noise.floor is not None and not noise.is_zero]
    if len(floors) < 2:
        return 0.0  # a single promise counts it
    first = next(noise for noise in noises if noise.floor is not None)
    with np.errstate(divide="ignore"):
        left = 1 / np.sqrt((1 / np.square(floors)).sum(axis=0))
    return log_ratio(replace(first, floor=left).smoothness(model))
