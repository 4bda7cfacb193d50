"""Normal noise of mechanisms and promises side by side, on the grid of the statistics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from distpriv.arrays import BoolArray, FloatArray, IntArray
from distpriv.mechanisms.base import Mechanism
from distpriv.mechanisms.floor import NARROWEST, allowance, charged, floor_widths, grid_ratio
from distpriv.model import PairModel
from distpriv.privacy.least_noise import Promises, least_along, least_noise
from distpriv.privacy.loss import normal_delta, normal_distance
from distpriv.privacy.persons import Persons

__all__ = ["Cases", "classical_distance", "gaussian_noise"]

_LARGEST = 1e6  # factor on a mechanism's noise
_TRACE = 1e-10  # of each statistic's noise
_ALL = 1 - 1e-9  # δ
_ROUNDS = (False, False, True)  # at last a floor that does by itself: more noise shows less


def classical_distance(epsilon: FloatArray, delta: FloatArray) -> FloatArray:
    """Return ε/c, c = √(2 ln(1.25/δ)): proven for ε <= 1 and c >= 3/2 only (erratum 2)."""
    return np.asarray(epsilon / np.sqrt(2 * np.log(1.25 / delta)))


@dataclass(frozen=True, eq=False)
class Cases:
    """B mechanisms and promises side by side, about K pairs and replaced records.

    Scaled noise grows until the covariances, as they are, let it keep the promise; else it is that
    for the mean covariance.
    """

    mechanisms: tuple[Mechanism, ...]
    differences: FloatArray  # (K, m), of pairs, and of the statistics when a record is replaced
    covariances: FloatArray  # (B, K, 2, m, m), zeros for a replaced record
    epsilon: FloatArray  # (B,), promises about the pairs
    delta: FloatArray
    classical: BoolArray  # (B,), which distances are the classical calibration's
    scaled: bool
    persons: Persons | None = None  # what is promised when a record is replaced
    moves: int = 0  # how many of the K, the last ones, are replaced records

    @property
    def pairs(self) -> int:
        """How many of the K are pairs."""
        return len(self.differences) - self.moves

    @property
    def always(self) -> BoolArray:
        """Which mechanisms add noise where none is needed, too, (B,)."""
        return np.array([mechanism.always for mechanism in self.mechanisms], dtype=bool)

    def with_persons(self, moves: FloatArray, persons: Persons) -> Cases:
        """Return the cases with replaced records, which move the statistics by (V, m), besides."""
        count, _, _, m, _ = self.covariances.shape
        points = np.zeros((count, len(moves), 2, m, m))
        return replace(
            self,
            differences=np.concatenate([self.differences, moves]),
            covariances=np.concatenate([self.covariances, points], axis=1),
            persons=persons,
            moves=len(moves),
        )

    def rows(self, places: IntArray) -> Cases:
        """Return some of the cases."""
        return replace(
            self,
            mechanisms=tuple(self.mechanisms[place] for place in places),
            covariances=self.covariances[places],
            epsilon=self.epsilon[places],
            delta=self.delta[places],
            classical=self.classical[places],
        )

    @cached_property
    def distance(self) -> FloatArray:
        """Mahalanobis distance that each promise allows, shape (B,)."""
        some = self.classical
        result = np.empty(len(self.epsilon))
        result[some] = classical_distance(self.epsilon[some], self.delta[some])
        result[~some] = normal_distance(self.epsilon[~some], self.delta[~some])
        return result

    @cached_property
    def promises(self) -> Promises:
        """What normal laws must keep; the classical distance is kept by its exact δ."""
        count, every, _, m, _ = self.covariances.shape
        delta = np.where(self.classical, normal_delta(self.distance, self.epsilon), self.delta)
        delta = np.minimum(delta, _ALL)  # far outside its proof the classical one keeps nothing
        epsilons, deltas = np.empty((2, count, every))
        epsilons[:, : self.pairs], deltas[:, : self.pairs] = self.epsilon[:, None], delta[:, None]
        if self.persons is not None:
            epsilons[:, self.pairs :] = self.persons.epsilon
            deltas[:, self.pairs :] = self.persons.delta
        differences = np.broadcast_to(self.differences, (count, every, m))
        return Promises(differences, self.covariances, epsilons, deltas)

    def shapes(self, places: IntArray, distance: FloatArray) -> FloatArray:
        """Return what the mechanisms of some cases add for a distance each, shape (len, m, m)."""
        pooled = self.covariances[places, : self.pairs].mean(axis=2)
        differences = self.differences[: self.pairs]
        result = np.empty((len(places), *pooled.shape[-2:]))
        names = np.array([self.mechanisms[place].name for place in places])
        for name in dict.fromkeys(names.tolist()):
            of = names == name
            shape = self.mechanisms[places[of.argmax()]].shape
            assert shape is not None  # noqa: S101  (of all that are gaussian)
            result[of] = shape(differences, pooled[of], distance[of])
        return result

    def unneeded(self) -> BoolArray:
        """Tell where no noise is needed, by Theorem 4.4 or its like for two covariances, (B,)."""
        none = np.zeros((len(self.epsilon), *self.covariances.shape[-2:]))
        kept = self.promises.excess(none).max(axis=1) <= 0
        return np.asarray(kept & ~self.always)


def gaussian_noise(cases: Cases, pairs: Sequence[PairModel]) -> tuple[FloatArray, FloatArray]:
    """Compute the noise of each case.

    On a grid each mechanism is computed for Σ + F instead of Σ and releases with F + (its noise for
    Σ + F), F = c² diag(steps²): so no combination of the statistics stays on its grid, and OptM
    stays the least above the floor F. Where no noise is needed for densities none is added on the
    grid of the pairs either. It returns noise, (B, m, m), floor included, NaN where no amount keeps
    the promise; and widths of the floor, (B,), in steps of each statistic, 0 for none, NaN where no
    floor is enough.
    """
    steps = np.max([pair.steps for pair in pairs], axis=0)
    if not steps.any():
        return _density_noise(cases), np.zeros(len(cases.epsilon))
    noise = np.zeros((len(cases.epsilon), len(steps), len(steps)))
    widths = np.zeros(len(noise))
    apart = any(pair.apart for pair in pairs)
    needed = np.flatnonzero(~cases.unneeded() | apart)
    noise[needed], widths[needed] = _noise_above_floor(cases.rows(needed), pairs, steps)
    return noise, widths


def _noise_above_floor(
    cases: Cases, pairs: Sequence[PairModel], steps: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Compute both by turns: the least floor depends on the noise above it, which depends on it."""
    count, m = len(cases.epsilon), len(steps)
    squares = np.diag(steps**2)
    noise, widths = np.full((count, m, m), np.nan), np.full(count, np.nan)
    allowed = allowance(cases.epsilon, cases.delta)
    wide = replace(cases, covariances=cases.covariances + NARROWEST**2 * squares)
    todo = np.arange(count)
    guess = np.nan_to_num(wide.shapes(todo, cases.distance), posinf=0.0)
    for last in _ROUNDS:
        if not len(todo):
            break
        limit = allowed[todo] * (1.0 if last else 0.8)
        width, attained = floor_widths(pairs, _spread(guess) * (not last), steps, limit)
        widths[todo] = width
        enough = np.isfinite(width)
        todo, guess, width, attained = todo[enough], guess[enough], width[enough], attained[enough]
        spare = np.minimum(allowed[todo], 10 * attained + 1e-3 * allowed[todo])
        ratio = np.where(last, attained, spare)
        epsilon, delta = charged(cases.epsilon[todo], cases.delta[todo], ratio)
        floor = width[:, None, None] ** 2 * squares
        some = cases.rows(todo)
        covariances = some.covariances + floor[:, None, None]
        some = replace(some, covariances=covariances, epsilon=epsilon, delta=delta)
        above = _density_noise(some)
        possible = np.asarray(np.isfinite(above).all(axis=(1, 2)))
        total = _spread(np.where(possible[:, None, None], above, 0.0)) + floor
        done = possible & (last or grid_ratio(pairs, total) <= ratio)
        noise[todo[done]] = total[done]
        todo, guess = todo[possible & ~done], above[possible & ~done]
    return noise, widths


def _spread(noise: FloatArray) -> FloatArray:
    """Add a trace in all directions, without which floats could not hold the floor beside it."""
    return noise + _TRACE * np.einsum("bii,ij->bij", noise, np.eye(noise.shape[-1]))


def _density_noise(cases: Cases) -> FloatArray:
    """As if the statistics were densities, (B, m, m)."""
    distance, promises = cases.distance, cases.promises
    least = np.array([mechanism.least for mechanism in cases.mechanisms], dtype=bool)
    result = np.zeros((len(least), *cases.covariances.shape[-2:]))
    if least.any():
        result[least] = least_noise(promises.of(least))
    rest = np.flatnonzero(~least)
    if not len(rest):
        return result
    if not cases.scaled:
        none = cases.rows(rest).unneeded()
        result[rest] = cases.shapes(rest, distance[rest]) * ~none[:, None, None]
        return result

    def noise_at(rows: IntArray, factor: FloatArray) -> FloatArray:
        return cases.shapes(rest[rows], distance[rest[rows]] / np.sqrt(factor))

    def excess_of(rows: IntArray, factor: FloatArray) -> FloatArray:
        noise = noise_at(rows, factor)
        sound = np.asarray(np.isfinite(noise).all(axis=(1, 2)))  # the others keep nothing
        noise = np.where(sound[:, None, None], noise, 0.0)
        return np.where(sound, promises.of(rest[rows]).excess(noise).max(1), np.inf)

    factor = least_along(excess_of, np.ones(len(rest)), largest=_LARGEST)
    noise = noise_at(np.arange(len(rest)), np.nan_to_num(factor, nan=1.0))
    result[rest] = np.where(np.isnan(factor)[:, None, None], np.nan, noise)
    return result
