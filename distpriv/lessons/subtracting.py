"""Step 7's exercise: noise along one direction, subtracted by hand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from distpriv.attacks.best_attack import optimal_attack_accuracy
from distpriv.lessons.course import COUNTS, DELTA, EPSILON, RECORDS, Course
from distpriv.mechanisms import calibrate
from distpriv.privacy.noise import Noise

__all__ = ["TRIED", "Release", "SubtractedNoise", "subtracted_noise"]

FloatArray = NDArray[np.float64]

TRIED = COUNTS[0]
"""Place of the count whose values are tried."""

_OTHERS = 3.0  # deviations of the noise within which they are
_ON_GRID = 1e-6  # of a step
_RECORDS_SEED, _NOISE_SEED = 5, 10


@dataclass(frozen=True, eq=False)
class Release:
    """One release, and what is left of it for every value tried.

    Attributes
    ----------
    noise : Noise
    released : ndarray, shape (m,)
    left : ndarray, shape (tried, m)
        The statistics, less the noise along the direction that each value implies.
    off : ndarray, shape (tried, m)
        How far they are from their grids, in steps: 0 to ½.
    accuracy : float
        Of the best attacker, who knows the grid.
    """

    noise: Noise
    released: FloatArray
    left: FloatArray
    off: FloatArray
    accuracy: float

    @property
    def farthest(self) -> FloatArray:
        """How far the statistic is that is farthest from its grid, shape (tried,)."""
        return np.asarray(self.off.max(axis=1))

    @property
    def fits(self) -> NDArray[np.bool_]:
        """Whether all statistics are on their grids, shape (tried,)."""
        return self.farthest < _ON_GRID


@dataclass(frozen=True, eq=False)
class SubtractedNoise:
    """The exercise: one dataset's statistics, released as published and with a floor.

    Attributes
    ----------
    answer : ndarray, shape (m,)
        The true statistics.
    steps : ndarray, shape (m,)
        In what steps they move.
    tried : ndarray of int
        Values of one count, see ``TRIED``, that three deviations of the noise reach.
    published, covered : Release
        By DirM as published, and grid-safe.
    on_paper, undefended : float
        Accuracy of the best attacker on the published noise if the statistics were densities,
        and without noise.
    cost : float
        By what share of itself the floor raises the variance of the noise.
    """

    answer: FloatArray
    steps: FloatArray
    tried: NDArray[np.int64]
    published: Release
    covered: Release
    on_paper: float
    undefended: float
    cost: float


@lru_cache(maxsize=8)
def subtracted_noise(course: Course) -> SubtractedNoise:
    """Subtract DirM's noise for every value that one count may have.

    The statistics are those of made-up records, drawn once from the model of the first share.
    """
    model = course.model()
    fit, steps = model.pairs[0], model.steps
    published, covered = (
        calibrate("DirM", model, EPSILON, DELTA, "exact", grid_safe=safe) for safe in (False, True)
    )
    rng = np.random.default_rng(_RECORDS_SEED)
    drawn = rng.multivariate_normal(fit.means[0], fit.covariances[0], method="cholesky")
    answer = np.rint(drawn / steps) * steps
    reach = _OTHERS * float(published.scales[0] * abs(published.directions[TRIED, 0]))
    middle = published.release(answer, _NOISE_SEED)[TRIED]
    tried = np.arange(
        max(np.ceil(middle - reach), 0), min(np.floor(middle + reach), RECORDS) + 1, dtype=np.int64
    )

    def of(noise: Noise) -> Release:
        # The same seed: the noise along the direction is the same but for its size.
        released, direction = noise.release(answer, _NOISE_SEED), noise.directions[:, 0]
        implied = (released[TRIED] - tried) / direction[TRIED]
        left = released - implied[:, None] * direction
        counted = left / steps
        off = np.abs(counted - np.rint(counted))
        return Release(noise, released, left, off, optimal_attack_accuracy(model, noise))

    return SubtractedNoise(
        answer=answer,
        steps=steps,
        tried=tried,
        published=of(published),
        covered=of(covered),
        on_paper=optimal_attack_accuracy(course.densities(), published),
        undefended=optimal_attack_accuracy(model),
        cost=float(np.trace(covered.covariance) / np.trace(published.covariance)) - 1,
    )
