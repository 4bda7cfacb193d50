"""How sure a model's figures are, given these records: the bootstrap."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import dp_accounting
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from distpriv.arguments import Within, checked
from distpriv.errors import CalibrationError, ModelError
from distpriv.model.gaussian import PairModel
from distpriv.model.moments import RecordGroups
from distpriv.model.sampling import Interval, RandomState
from distpriv.model.source import SampledGroups
from distpriv.privacy.calibration import check_delta
from distpriv.privacy.noise import Noise
from distpriv.queries.statistics import Query

__all__ = [
    "DeliveredIntervals",
    "ModelReplicates",
    "MomentReplicates",
    "bootstrap_model",
    "bootstrap_moments",
    "delivered_intervals",
]

FloatArray = NDArray[np.float64]

_WEIGHTS, _BLOCK = 1 << 22, 8192  # numbers, and records, held at once


@dataclass(frozen=True, eq=False)
class MomentReplicates:
    """Moments of the two groups of records, and of resampled ones.

    Attributes
    ----------
    counts : tuple of int, N_0 and N_1
    means, covariances : ndarray, shape (B + 1, 2, m) and (B + 1, 2, m, m)
        At index 0 those of the records themselves; ddof 1.
    """

    counts: tuple[int, int]
    means: FloatArray
    covariances: FloatArray


@checked(ModelError)
def bootstrap_moments(
    groups: RecordGroups,
    replicates: Annotated[int, Within(high=10**7)] = 500,
    *,
    rng: RandomState = None,
) -> MomentReplicates:
    """Draw each group's records again, with replacement, and compute their moments.

    The nonparametric bootstrap (Efron 1979, Annals of Statistics 7): what would other records
    of the same population have given? Groups keep their sizes. It depends on neither n nor the
    pair; its time grows with records times replicates, B, of which there are at least 100.

    Of a sample that stands for a table (:class:`distpriv.sources.SampledGroups`) the deviations
    shrink by √(sample/records), as those of means do, about the moments of all records.
    """
    if replicates < 100 or replicates % 1:
        raise ModelError(f"A bootstrap needs at least 100 replicates, got {replicates}.")
    generator = np.random.default_rng(rng)
    drawn = [_resampled(part, replicates, generator) for part in (groups.without, groups.having)]
    means, covariances = (np.stack(parts, axis=1) for parts in zip(*drawn, strict=True))
    if isinstance(groups, SampledGroups):
        shrunk = np.sqrt(np.array(groups.counts) / np.array(groups.totals))
        means = groups.means + shrunk[:, None] * (means - means[0])
        covariances = groups.covariances + shrunk[:, None, None] * (covariances - covariances[0])
    return MomentReplicates(groups.totals, means, covariances)


@dataclass(frozen=True, eq=False)
class ModelReplicates:
    """The exact model of a pair from every replicate of the moments.

    Attributes
    ----------
    differences, pooled : ndarray, shape (B + 1, m) and (B + 1, m, m)
        μ_i − μ_j and the pooled covariance; at index 0 those of the records themselves.
    sensitivity, mahalanobis : Interval
        ‖μ_i − μ_j‖_2, the pair's part in Δ_{E,2}, and the distance under the pooled covariance.
    """

    differences: FloatArray
    pooled: FloatArray
    sensitivity: Interval
    mahalanobis: Interval


@checked(ModelError)
def bootstrap_model(replicates: MomentReplicates, fit: PairModel, query: Query) -> ModelReplicates:
    """95 % intervals of a pair's distances, by the exact model of every replicate's moments."""
    scales = query.scales(fit.thetas[0].n)
    moments = [
        theta.sum_moments(replicates.counts, replicates.means, replicates.covariances)
        for theta in fit.thetas
    ]
    differences = scales * (moments[0][0] - moments[1][0])
    pooled = (moments[0][1] + moments[1][1]) / 2 * np.outer(scales, scales)
    both = np.linalg.norm(differences, axis=1), _distances(differences, pooled)
    return ModelReplicates(differences, pooled, _interval(both[0]), _interval(both[1]))


@dataclass(frozen=True)
class DeliveredIntervals:
    """What a fixed noise delivers, given that other records might have been in the table.

    Attributes
    ----------
    epsilon, accuracy : Interval
        With the pooled covariance; how often the best attacker is right at equal priors.
    """

    epsilon: Interval
    accuracy: Interval


@checked(ModelError)
def delivered_intervals(
    replicates: ModelReplicates, noise: Noise | None, delta: float
) -> DeliveredIntervals:
    """The ε that a noise delivers at δ, at equal covariances, with its bootstrap interval.

    ε and the accuracy Φ(d/2) grow with the distance d of the two normals (Balle & Wang 2018,
    Theorem 8), so that the interval of d carries over end by end. Laplace noise and a δ
    outside (0, 1) raise `CalibrationError`.
    """
    check_delta(delta)
    if noise is not None and noise.distribution != "gaussian" and not noise.is_zero:
        raise CalibrationError(
            f"The ε of {noise.mechanism} has no bootstrap interval: its noise is Laplace."
        )
    covariances = replicates.pooled + (0.0 if noise is None else noise.covariance)
    distance = _interval(_distances(replicates.differences, covariances))
    ends = [max(end, 1e-99) for end in (distance.estimate, distance.low, distance.high)]
    with np.errstate(divide="ignore"):
        epsilons = [float(dp_accounting.get_epsilon_gaussian(1 / end, delta)) for end in ends]
    return DeliveredIntervals(
        epsilon=Interval(*epsilons), accuracy=Interval(*(float(ndtr(end / 2)) for end in ends))
    )


def _resampled(
    values: FloatArray, replicates: int, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Means (B + 1, m) and covariances (B + 1, m, m) of records as they are, then resampled."""
    count, m = values.shape
    rows, columns = np.triu_indices(m)
    center = values.mean(axis=0)
    sums = np.zeros((replicates + 1, m + len(rows)))
    at_once = max(1, _WEIGHTS // count)
    for start in range(0, replicates + 1, at_once):
        # How often each record is drawn: with these weights resampling is a matrix product.
        weights = np.ones((min(at_once, replicates + 1 - start), count))
        for index in range(int(start == 0), len(weights)):
            weights[index] = np.bincount(rng.integers(count, size=count), minlength=count)
        for first in range(0, count, _BLOCK):
            block = values[first : first + _BLOCK] - center
            features = np.hstack([block, block[:, rows] * block[:, columns]])
            sums[start : start + len(weights)] += weights[:, first : first + _BLOCK] @ features
    sums /= count
    shifts, squares = sums[:, :m], np.empty((replicates + 1, m, m))
    squares[:, rows, columns] = squares[:, columns, rows] = sums[:, m:]
    covariances = squares - shifts[:, :, None] * shifts[:, None, :]
    return center + shifts, covariances * (count / max(count - 1, 1))


def _distances(differences: FloatArray, covariances: FloatArray) -> FloatArray:
    """Mahalanobis distances, shape (B + 1,)."""
    inverse = np.linalg.inv(np.linalg.cholesky(covariances[0]))
    values, vectors = np.linalg.eigh(inverse @ covariances @ inverse.T)
    along = np.einsum("bi,bij->bj", differences @ inverse.T, vectors)
    # A statistic may happen to be constant in a replicate of few records.
    return np.asarray(np.sqrt((along**2 / np.maximum(values, 1e-12)).sum(axis=1)))


def _interval(distances: FloatArray) -> Interval:
    """Estimate (index 0) and at each end the further of percentile and reflected percentile.

    A distance of noisy means is too large on average, so that percentiles alone lie too high;
    reflected (Davison & Hinkley 1997, Section 5.2, on squares) a distance may be zero.
    """
    squares = distances**2
    low, high = np.quantile(squares[1:], [0.025, 0.975])
    ends = min(low, max(2 * squares[0] - high, 0.0)), max(high, 2 * squares[0] - low)
    return Interval(float(distances[0]), math.sqrt(ends[0]), math.sqrt(ends[1]))
