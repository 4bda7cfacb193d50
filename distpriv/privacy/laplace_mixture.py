"""Two normals plus the same Laplace noise as mixtures of densities that have a closed form.

See :mod:`distpriv.privacy.laplace_profile` for what it is good for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import qmc

from distpriv.privacy.normal_laplace import Table, log_density

__all__ = ["REPLICATES", "Draws", "draw_losses", "shifted_points"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

REPLICATES = 8
_BITS = 30
_POINTS = 5  # 2⁵ components for 2¹⁰ draws
_DRAWS = 10
_SAME = 1e-12
# Noise narrower than this many standard deviations of what is left over is what is mixed.
_NARROW = 1.0
_BARRIER = 40.0  # the larger, the nearer to singular what is left over
# Releases are drawn in four ways: by how many standard deviations the normals are moved towards
# P, and how probable it is that Laplace noise points there.
_MOVES = np.array([0.0, 0.0, 1.5, 3.0])
_TURNS = np.array([0.5, 0.85, 0.7, 0.85])


@dataclass(frozen=True, eq=False)
class Draws:
    """Privacy losses ln dP/dQ of releases drawn from P.

    Each is of shape (repetitions, draws).

    Attributes
    ----------
    losses : ndarray
        With all components of the mixtures.
    tests : ndarray
        With the half of the components that the release is not from.
    weighed : ndarray
        With the half that it is from.
    weights : ndarray
        Importance weights, of mean 1.
    """

    losses: FloatArray
    tests: FloatArray
    weighed: FloatArray
    weights: FloatArray


def draw_losses(
    gap: FloatArray, variances: FloatArray, scales: FloatArray, draws: int, seed: int
) -> Draws:
    """Draw releases from the mixture that stands for P and weigh them against Q.

    Parameters
    ----------
    gap : ndarray, shape (m,)
        Mean of P less that of Q, in units in which no variance is far from 1.
    variances : ndarray, shape (2, m, m)
        Of the normals, positive definite.
    scales : ndarray, shape (m,)
        Of independent Laplace noise; 0 for a coordinate without.
    draws : int
        In each repetition; a power of two, and rounded up to one.
    seed : int
    """
    power = max(draws - 1, 1).bit_length()
    mixture = _Mixture.of(gap, variances, scales)
    seeds = np.random.SeedSequence(seed).spawn(REPLICATES)
    samples = [mixture.draw(power, np.random.default_rng(seed)) for seed in seeds]
    return Draws(*np.swapaxes(np.array(samples), 0, 1))


@dataclass(frozen=True, eq=False)
class _Mixture:
    """P and Q, the first coordinates with wide Laplace noise, the others with narrow or none.

    A component fixes how wide the narrow noise is, as a normal, and the normals of the first
    coordinates but for an independent part.

    Attributes
    ----------
    gap, scales, variances
        As for :func:`draw_losses`, in that order of the coordinates.
    first : int
        How many of them have wide noise.
    spread : ndarray, shape (2, first)
        Standard deviations of the independent parts.
    axes : ndarray, shape (first, first)
        Directions in which what is left over varies most, first.
    tables : tuple of two tuples of Table
        Log densities of independent part plus noise, none if there is nothing left over.
    """

    gap: FloatArray
    variances: FloatArray
    scales: FloatArray
    first: int
    spread: FloatArray
    axes: FloatArray
    tables: tuple[tuple[Table, ...], ...]

    @classmethod
    def of(cls, gap: FloatArray, variances: FloatArray, scales: FloatArray) -> _Mixture:
        noisy = scales > 0
        parts, left = _split(_given(variances, noisy, ~noisy)[1])
        wide = noisy.copy()
        wide[noisy] = scales[noisy] > _NARROW * np.sqrt(np.diagonal(left.mean(axis=0)).clip(min=0))
        if not wide[noisy].all():
            parts, left = _split(_given(variances, wide, ~wide)[1])
        spread = np.sqrt(parts)
        exact = bool(wide[noisy].all() and np.abs(left).max() < _SAME)
        axes = np.linalg.eigh(left.mean(axis=0))[1][:, ::-1]
        order = np.concatenate([np.flatnonzero(wide), np.flatnonzero(~wide)])
        tables: tuple[tuple[Table, ...], ...] = ()
        if not exact:
            tables = tuple(
                tuple(Table.of(s, b) for s, b in zip(row, scales[wide], strict=True))
                for row in spread
            )
        return cls(
            gap[order],
            variances[:, order[:, None], order],
            scales[order],
            int(wide.sum()),
            spread,
            axes,
            tables,
        )

    def draw(self, power: int, rng: np.random.Generator) -> FloatArray:
        """One repetition: the four rows of :class:`Draws`."""
        components = self._components(power, rng)
        k, size = self.first, len(self.gap)
        uniform = shifted_points(size + k + 2, power, rng)
        way = (uniform[:, -1] * len(_MOVES)).astype(np.intp)
        from_, density = components.chosen(uniform[:, -2], way)
        normal, moved = ndtri(uniform[:, :size]), components.towards[from_]
        normal += _MOVES[way, None] * moved
        noise, turned = self._noise(uniform[:, size : size + k], _TURNS[way, None])
        pull = np.outer((normal * moved).sum(axis=1), _MOVES)
        pull -= np.outer((moved**2).sum(axis=1), _MOVES**2 / 2)
        heads = np.arange(k + 1)[:, None]
        tilts = (2 * _TURNS) ** heads * (2 - 2 * _TURNS) ** (k - heads)
        density = density * tilts[turned.sum(axis=1)] * np.exp(pull)
        rest = _each(components.frame.roots[0], from_, normal[:, : size - k])
        inside = _each(components.frame.slopes[0], from_, rest) + noise
        inside += components.places[0][from_] + self.spread[0] * normal[:, size - k :]
        release = np.hstack([inside, rest])
        logs = [self._log_densities(release + self.gap * of_q, components, of_q) for of_q in (0, 1)]
        tops = [log.max(axis=1, keepdims=True) for log in logs]
        top = (tops[0] - tops[1])[:, 0]
        count = logs[0].shape[1]
        half = max(count // 2, 1)
        starts = np.arange(0, count, half)
        sums = np.array(
            [
                np.add.reduceat(np.exp(log - highest), starts, axis=1).T
                for log, highest in zip(logs, tops, strict=True)
            ]
        )
        # A half may be far from a release that is not from it: nothing is tested there.
        with np.errstate(divide="ignore", invalid="ignore"):
            losses = top + np.log(sums[0].sum(axis=0) / sums[1].sum(axis=0))
            apart = np.nan_to_num(top + np.log(sums[0] / sums[1]), nan=-math.inf)
        which = from_ // half
        weighed = np.take_along_axis(apart, which[None], axis=0)[0]
        tests = np.take_along_axis(apart, len(starts) - 1 - which[None], axis=0)[0]
        return np.array([losses, tests, weighed, 1 / density.mean(axis=1)])

    def _noise(
        self, uniform: FloatArray, turns: FloatArray
    ) -> tuple[FloatArray, NDArray[np.bool_]]:
        """Laplace noise, and whether it points to where P outweighs Q."""
        k = self.first
        ahead = self.gap[:k] - _given(self.variances, *self._sides)[0][0] @ self.gap[k:]
        turned = uniform < turns
        part = np.where(turned, uniform / turns, (uniform - turns) / (1 - turns))
        length = -np.log1p(-part.clip(0, 1 - 2**-53)) * self.scales[:k]
        return np.where(turned == (ahead >= 0), length, -length), turned

    @property
    def _sides(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        inside = np.arange(len(self.gap)) < self.first
        return inside, ~inside

    def _components(self, power: int, rng: np.random.Generator) -> _Components:
        k, size = self.first, len(self.gap)
        narrow = k + np.flatnonzero(self.scales[k:])
        points = np.full((1, k), 0.5)
        if self.tables:
            level = max(_POINTS + (power - _DRAWS) // 2, 2)
            halves = [shifted_points(k + len(narrow), level - 1, rng) for _ in range(2)]
            points = np.vstack(halves)
        if len(narrow):
            mixing = np.zeros((len(points), size))
            mixing[:, narrow] = -np.log(points[:, k:])
            frame = self._frame(mixing)
        else:
            frame = self._only_frame
        places = (frame.factors @ ndtri(points[:, :k])[:, :, None])[..., 0]
        # The best linear attacker's direction.
        aim = np.linalg.solve(self.variances.mean(axis=0) + 2 * np.diag(self.scales**2), self.gap)
        score = places[0] @ aim[:k]
        towards = np.empty((len(points), size))
        towards[:, : size - k] = _turned(frame.roots[0], aim[k:] + aim[:k] @ frame.slopes[0])
        towards[:, size - k :] = self.spread[0] * aim[:k]
        spread = math.sqrt(float((towards**2).sum(axis=1).mean() + score.var())) or 1.0
        return _Components(frame, places, towards / spread, score / spread)

    @cached_property
    def _only_frame(self) -> _Frame:
        return self._frame(np.zeros((1, len(self.gap))))

    def _frame(self, mixing: FloatArray) -> _Frame:
        """With squared widths of the noise, over its scales, shape (c, m)."""
        k, size = self.first, len(self.gap)
        wider = 2 * self.scales**2 * mixing
        total = self.variances[:, None] + wider[:, :, None] * np.eye(size)
        slopes, own = _given(total, *self._sides)
        left = own - self.spread[:, None, :, None] ** 2 * np.eye(k)
        values, vectors = np.linalg.eigh(left)
        turned = np.swapaxes(vectors, -1, -2) @ self.axes
        factors = (vectors * np.sqrt(np.maximum(values, 0))[..., None, :]) @ turned
        rest = total[:, :, k:, k:]
        rows, columns = np.triu_indices(size - k)
        precisions = np.linalg.inv(rest)[..., rows, columns]
        precisions *= np.where(rows == columns, 0.5, 1.0)
        roots = np.linalg.cholesky(rest)
        volumes = np.log(np.diagonal(roots, axis1=2, axis2=3)).sum(axis=2)
        arrays = (np.asarray(array, dtype=np.float64) for array in (roots, precisions, volumes))
        return _Frame(slopes, factors, *arrays)

    def _log_densities(self, release: FloatArray, components: _Components, of: int) -> FloatArray:
        """Of every release about the mean of P or Q, in every component, up to a constant."""
        k = self.first
        rest = release[:, k:]
        rows, columns = np.triu_indices(rest.shape[1])
        logs = np.zeros((len(release), len(components.score)))
        logs -= (rest[:, rows] * rest[:, columns]) @ components.frame.precisions[of].T
        logs -= components.frame.volumes[of]
        slopes, places = components.frame.slopes[of], components.places[of]
        for index in range(k):
            slope = rest @ slopes[:, index].T  # one column where the components share it
            x = (release[:, index, None] - slope) - places[:, index]
            if self.tables:
                self.tables[of][index].add_to(logs, x)
            else:
                logs += log_density(x, self.spread[of, index], self.scales[index])
        return logs


@dataclass(frozen=True, eq=False)
class _Frame:
    """What components share: one matrix for all (c = 1), or one each where there is narrow noise.

    Attributes
    ----------
    slopes : ndarray, shape (2, c, k, m − k)
        How much the other coordinates tell of the k with wide noise.
    factors : ndarray, shape (2, c, k, k)
        Of the covariance that is left over there.
    roots : ndarray, shape (2, c, m − k, m − k)
        Cholesky factors of the covariance of the others.
    precisions : ndarray, shape (2, c, (m − k)(m − k + 1)/2)
        Its inverse, as weights of the products of two coordinates.
    volumes : ndarray, shape (2, c)
        Logarithms of the roots' determinants.
    """

    slopes: FloatArray
    factors: FloatArray
    roots: FloatArray
    precisions: FloatArray
    volumes: FloatArray


@dataclass(frozen=True, eq=False)
class _Components:
    """Components of both mixtures, equally likely.

    Attributes
    ----------
    frame : _Frame
    places : ndarray, shape (2, components, k)
        Means of the coordinates with wide noise, but for what the others tell.
    towards : ndarray, shape (components, m)
        Where the standard normals behind a release, the others' first, lead away from Q.
    score : ndarray, shape (components,)
        How far its place is away from Q, in the same units.
    """

    frame: _Frame
    places: FloatArray
    towards: FloatArray
    score: FloatArray

    def chosen(
        self, uniform: FloatArray, way: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], FloatArray]:
        """Components by a uniform number each, and how much likelier each way makes them."""
        odds = np.exp(np.outer(_MOVES, self.score))
        odds /= odds.sum(axis=1, keepdims=True)
        # Neighbours in the order of the score belong together: uniform numbers are evenly spread.
        order = np.argsort(self.score, kind="stable")
        # One row of increasing numbers for all ways together.
        ends = (odds[:, order].cumsum(axis=1) + np.arange(len(odds))[:, None]).ravel()
        index = np.searchsorted(ends, way + uniform) - way * len(order)
        nearest = order[index.clip(0, len(order) - 1)]
        return nearest, odds.T[nearest] * len(order)


def _each(matrices: FloatArray, index: NDArray[np.intp], vectors: FloatArray) -> FloatArray:
    """A matrix of a stack times a vector, for every index; all take the only one there is."""
    if len(matrices) == 1:
        return vectors @ matrices[0].T
    return np.asarray((matrices[index] @ vectors[..., None])[..., 0])


def _turned(matrices: FloatArray, vectors: FloatArray) -> FloatArray:
    """Each matrix of a stack, transposed, times the vector that belongs to it."""
    return np.asarray((np.swapaxes(matrices, -1, -2) @ vectors[..., None])[..., 0])


def _given(
    covariances: FloatArray, inside: NDArray[np.bool_], rest: NDArray[np.bool_]
) -> tuple[FloatArray, FloatArray]:
    """Regression on the other coordinates, and the covariance given them, for a stack."""
    cross = covariances[..., inside, :][..., rest]
    slopes = cross @ np.linalg.inv(covariances[..., rest, :][..., rest])
    own = covariances[..., inside, :][..., inside] - slopes @ np.swapaxes(cross, -1, -2)
    return slopes, own


def _split(covariances: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Variances of an independent part, and the covariance that is left over, for both."""
    parts = np.array([_independent_part(covariance) for covariance in covariances])
    return parts, covariances - parts[:, :, None] * np.eye(parts.shape[1])


def _independent_part(covariance: FloatArray) -> FloatArray:
    """Variances of independent coordinates that leave a covariance positive semidefinite.

    They maximise Σ ln D_k + ln|C − D|/κ, strictly concave, by Newton's method with the steps
    that self-concordance allows (Nesterov & Nemirovskii 1994).
    """
    units = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(units, units)
    if np.abs(correlation - np.eye(len(units))).max(initial=0.0) < _SAME:
        return np.asarray(units**2)
    part = np.full(len(units), 0.5 * float(np.linalg.eigvalsh(correlation)[0]))
    for _ in range(100):
        left = np.linalg.inv(correlation - np.diag(part))
        slope = _BARRIER / part - np.diag(left)
        step = np.linalg.solve(left**2 + np.diag(_BARRIER / part**2), slope)
        decrement = math.sqrt(max(float(slope @ step), 0.0))
        part = part + step / (1 + decrement)
        if decrement < 1e-6:
            break
    return np.asarray(part * units**2)


@lru_cache(maxsize=16)
def _even(dimensions: int, power: int) -> IntArray:
    """Sobol' points as whole numbers of 30 bits."""
    points = qmc.Sobol(dimensions, scramble=True, rng=0, bits=_BITS).random_base2(power)
    return np.asarray(points * 2**_BITS).astype(np.int64)


def shifted_points(dimensions: int, power: int, rng: np.random.Generator) -> FloatArray:
    """Sobol' points inside the open unit cube with a digital shift; each is uniform."""
    shift = rng.integers(0, 1 << _BITS, dimensions)
    return np.asarray(((_even(dimensions, power) ^ shift) + 0.5) * 2.0**-_BITS)
