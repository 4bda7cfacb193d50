"""Simulated statistics held against the distributions that noise was calibrated to, in steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtri

from distpriv.arguments import checked
from distpriv.distances.wasserstein import closeness
from distpriv.errors import CalibrationError
from distpriv.model.moments import RecordGroups
from distpriv.model.monte_carlo import simulate
from distpriv.model.run import Progress, completed, repeated
from distpriv.model.theta import Theta
from distpriv.privacy.noise import Noise
from distpriv.queries.statistics import Query
from distpriv.robustness.relaxations import mixture_etas

__all__ = ["Deviation", "Estimates", "RelaxationRun", "distance_measure", "eta_measure"]

FloatArray = NDArray[np.float64]
_QUANTILES = 20  # of a single normal, for each value held against it

Measure = Callable[[FloatArray, FloatArray, FloatArray, np.random.Generator], FloatArray]


@dataclass(frozen=True, eq=False)
class Estimates:
    """Means over repetitions with their 95 % intervals, each of shape (points,)."""

    estimate: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False)
class Deviation:
    """What a run has found so far.

    Attributes
    ----------
    simulated : Estimates
        Of datasets drawn from the records: the worst over the shares and orders.
    chance : Estimates
        The same of as many draws from the fitted distribution itself, where the truth is 0: what
        a finite number of datasets makes up.
    repetitions : int
    """

    simulated: Estimates
    chance: Estimates
    repetitions: int


@checked(CalibrationError)
@dataclass
class RelaxationRun:
    """Repeated measurements of how far f_θ is from f̃_θ, one at a time.

    In each repetition, for both shares, R datasets drawn from the records are held against the
    normal that the noise was calibrated to, and so are R draws of that normal itself. Every
    measurement has a random stream of its own.

    Attributes
    ----------
    groups : RecordGroups
    query : Query of m statistics
    thetas : tuple of two Theta
    means : ndarray, shape (2, m)
    covariances : ndarray, shape (2, m, m)
        Of f̃_θ.
    measure : callable
        From values (R, m), mean, covariance and Generator to an array (orders, points), such as
        :func:`eta_measure` and :func:`distance_measure` give.
    repetitions : int, at least 2
    datasets : int
        R.
    seed : int
    shares : bool
        Whether each measurement is a mean over R values in [0, 1]. Its interval then reaches at
        least as far as so many draws can tell (Clopper & Pearson 1934): none seen is not none.
    """

    groups: RecordGroups
    query: Query
    thetas: tuple[Theta, Theta]
    means: FloatArray
    covariances: FloatArray
    measure: Measure
    repetitions: int
    datasets: int
    seed: int
    shares: bool = False

    def steps(self) -> Iterator[Progress[Deviation]]:
        """Measure four times a repetition, for a :class:`.Run`."""
        return repeated(self._measured, 4 * self.repetitions, self._deviation)

    def run(self) -> Deviation:
        """Measure everything."""
        return completed(self.steps())

    def _measured(self, index: int) -> FloatArray:
        share, fitted = divmod(index % 4, 2)
        rng = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(index, 2)))
        mean, covariance = self.means[share], self.covariances[share]
        if fitted:
            drawn = rng.multivariate_normal(mean, covariance, self.datasets, method="eigh")
        else:
            drawn = simulate(self.groups, self.query, self.thetas[share], self.datasets, rng)
        return self.measure(drawn, mean, covariance, rng)

    def _deviation(self, measured: list[FloatArray]) -> Deviation | None:
        """Of what has come in so far, or None before two repetitions are complete."""
        complete = len(measured) // 4
        if complete < 2:
            return None
        # repetition, share, simulated or fitted, order, point
        parts = np.array(measured[: 4 * complete])
        values = parts.reshape(complete, 2, 2, *parts.shape[1:])
        draws = complete * self.datasets if self.shares else None
        return Deviation(_worst(values[:, :, 0], draws), _worst(values[:, :, 1], draws), complete)


def _worst(values: FloatArray, draws: int | None) -> Estimates:
    """Over shares and orders, of values (repetitions, shares, orders, points)."""
    count, points = len(values), values.shape[-1]
    flat = values.reshape(count, -1, points)
    means, spread = flat.mean(axis=0), flat.std(axis=0, ddof=1)
    worst, each = means.argmax(axis=0), np.arange(points)
    half = stats.t.ppf(0.975, count - 1) * spread[worst, each] / np.sqrt(count)
    middle = means[worst, each]
    high = middle + half
    if draws is not None:
        # Of all values in [0, 1] with a mean, zeros and ones spread most.
        seen = middle * draws
        high = np.fmax(high, stats.beta.ppf(0.975, seen + 1, draws - seen))
    return Estimates(middle, np.maximum(middle - half, 0.0), high)


@checked(CalibrationError)
def eta_measure(noise: Noise, lambdas: FloatArray) -> Measure:
    """η(λ) after Gaussian noise of full rank, by :func:`.relaxations.mixture_etas`."""

    def measure(
        values: FloatArray, mean: FloatArray, covariance: FloatArray, rng: np.random.Generator
    ) -> FloatArray:
        return mixture_etas(values, mean, covariance, noise, lambdas, rng)

    return measure


@checked(CalibrationError)
def distance_measure(delta: float, units: FloatArray | None = None) -> Measure:
    """Least W at which values and normal are (W, δ)-close, in L1 after division by the units.

    Against as many draws of the normal; a single statistic against its quantiles, which leave no
    chance on that side.
    """

    def measure(
        values: FloatArray, mean: FloatArray, covariance: FloatArray, rng: np.random.Generator
    ) -> FloatArray:
        count, size = values.shape
        if size == 1:
            levels = ndtri((np.arange(_QUANTILES * count) + 0.5) / (_QUANTILES * count))
            others = mean + np.sqrt(covariance[0]) * levels[:, None]
        else:
            others = rng.multivariate_normal(mean, covariance, count, method="eigh")
        sizes = 1.0 if units is None else units
        return np.array([[closeness(values / sizes, others / sizes, delta)]])

    return measure
