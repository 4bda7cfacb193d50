r"""The exact law of a sum of records on a grid, drawn with or without replacement.

With :math:`\varphi(\omega)` the characteristic function of a group's values, the sum of k draws
with replacement has :math:`\varphi^k`. The sum of k of N records drawn without is the elementary
symmetric polynomial of their :math:`e^{i\omega v}` over C(N, k), which Newton's identities give
from the power sums :math:`N\varphi(l\omega)`:

.. math:: E_k = \sum_{l=1}^k (-1)^{l-1} \frac{N}{k} \frac{C(N, k-l)}{C(N, k)}
    \varphi(l\omega) E_{k-l}

with weights that fall like (k/(N − k))^l. One Fourier transform leads back to the law.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft

from distpriv.errors import ModelError
from distpriv.model.theta import Theta

__all__ = ["GridValues", "SumLaws", "sum_laws"]

FloatArray = NDArray[np.float64]
ComplexArray = NDArray[np.complex128]
IntArray = NDArray[np.int64]

_POINTS = 1 << 21  # of the grid that a sum lies on
_WORK = 4e8  # products of complex numbers
_BEYOND = 37.0  # minus the logarithm of a probability that is left out
_FAINT = 44.0  # of an amplitude that is
_WEIGHT = 1e-17  # of one of Newton's terms that is
_NOTHING = 1e-15  # of the largest probability: the round-off of the transforms
_BLOCK = 1 << 13
_ROOM = 64
_TILTS = np.geomspace(1e-4, 40.0, 160)


@dataclass(frozen=True, eq=False)
class GridValues:
    """Values of one group's records on a grid, counted in its steps.

    Attributes
    ----------
    places : ndarray of int, shape (v,)
        Distinct values in steps from the least value of both groups, rising.
    counts : ndarray of int, shape (v,)
        Records with each.
    """

    places: IntArray
    counts: IntArray

    @property
    def records(self) -> int:
        """N."""
        return int(self.counts.sum())

    def log_moments(self, tilts: FloatArray) -> FloatArray:
        """Return ln E exp(t·place) at each tilt t, same shape."""
        exponents = np.outer(tilts, self.places)
        largest = exponents.max(axis=1, keepdims=True)
        means = np.exp(exponents - largest) @ self.counts / self.records
        return np.log(means) + largest[:, 0]

    def waves(self, size: int) -> ComplexArray:
        """Return E exp(−2πi f place / size) for every f of 0, …, size − 1."""
        folded = np.bincount(self.places % size, self.counts / self.records, size)
        half = rfft(folded)
        return np.concatenate([half, np.conj(half[1 : size - len(half) + 1][::-1])])


@dataclass(frozen=True, eq=False)
class SumLaws:
    """The law of a sum under each of T distributions.

    Attributes
    ----------
    first : int
        Steps of the first point of the grid above n times the least value.
    probabilities : ndarray, shape (T, points)
    """

    first: int
    probabilities: FloatArray


def sum_laws(groups: tuple[GridValues, GridValues], thetas: Sequence[Theta]) -> SumLaws:
    """Return the law of the sum of n records under each distribution; to about 1e-14 in all.

    Parameters
    ----------
    groups : tuple of two GridValues
        Without the property and with it.
    thetas : sequence of T Theta

    Raises
    ------
    ModelError
        If the sum lies on too many points, or takes too long.
    """
    first, points = _window(groups, thetas)
    if points > _POINTS:
        raise ModelError(
            "The exact law is not computed for a sum on more than two million steps; take fewer "
            "records, or round the column."
        )
    size = next_fast_len(points, real=True)
    draws = [_Draws(group, size, thetas[0].replacement) for group in groups]
    shift = np.exp(2j * np.pi * (np.arange(size // 2 + 1) * first % size) / size)
    laws = []
    for theta in thetas:
        law = irfft(_transform(draws, theta) * shift, size)[:points]
        law = np.where(law > _NOTHING * law.max(), law, 0.0)
        laws.append(law / law.sum())
    return SumLaws(first, np.array(laws))


def _window(groups: tuple[GridValues, GridValues], thetas: Sequence[Theta]) -> tuple[int, int]:
    """Return the first point and the number of points outside which sums hardly ever lie.

    By Chernoff's bound for draws with replacement, which holds without as well (Hoeffding 1963,
    Theorem 4), for k at its least and most and between by convexity.
    """
    lows, highs = [], []
    ends = np.array([[group.places[0], group.places[-1]] for group in groups])
    tilts = _TILTS / max(int(ends.max()), 1)
    for theta in thetas:
        values = theta.count_law()[0]
        numbers = np.array([[theta.n - k, k] for k in (int(values[0]), int(values[-1]))])
        reached = []
        for sign in (1, -1):
            moments = np.array([group.log_moments(sign * tilts) for group in groups])
            bounds = (numbers @ moments + _BEYOND) / tilts
            reached.append(sign * float(bounds.max(axis=0).min()))
        highs.append(min(reached[0], float((numbers @ ends[:, 1]).max())))
        lows.append(max(reached[1], float((numbers @ ends[:, 0]).min())))
    first = math.floor(min(lows))
    return first, math.ceil(max(highs)) - first + 1


class _Draws:
    """Characteristic functions of sums of draws from one group.

    Parameters
    ----------
    group : GridValues
    size : int
        Points of the grid.
    replacement : bool
    """

    def __init__(self, group: GridValues, size: int, replacement: bool) -> None:
        self.group, self.size, self.replacement = group, size, replacement

    @cached_property
    def waves(self) -> ComplexArray:
        """φ at all frequencies, shape (size,)."""
        return self.group.waves(self.size)

    def decay(self, draws: int) -> FloatArray:
        """Return how far below 0 the logarithm of a sum's amplitude lies, at least, (size/2 + 1,).

        Without replacement |E_k| is at most √(2πk) exp(−p(1 − p)N(1 − |φ|)), p = k/N (Cauchy's
        bound on the circle of radius p/(1 − p)).
        """
        sizes = np.abs(self.waves[: self.size // 2 + 1])
        if self.replacement:
            with np.errstate(divide="ignore"):
                return np.asarray(-draws * np.log(sizes)) if draws else np.zeros(len(sizes))
        p = draws / self.group.records
        bound = p * (1 - p) * self.group.records * (1 - sizes)
        return np.asarray(bound - 0.5 * math.log(2 * math.pi * max(draws, 1)))

    def work(self, draws: int) -> float:
        """Return how many products a frequency takes."""
        few = min(draws, self.group.records - draws)
        return 1.0 if self.replacement else float(few * len(_weights(few, self.group.records)))

    def transforms(self, numbers: IntArray, places: IntArray) -> ComplexArray:
        """Return those of sums of each number of draws at some frequencies, (numbers, places)."""
        if self.replacement:
            return np.asarray(self.waves[places][None] ** numbers[:, None])
        total = int(self.group.counts @ (self.group.places % self.size))
        left_out = self.group.records - numbers
        rest = left_out < numbers
        found = self._newton(np.where(rest, left_out, numbers), places)
        whole = np.exp(-2j * np.pi * (places * (total % self.size) % self.size) / self.size)
        found[rest] = np.conj(found[rest]) * whole
        return found

    def _newton(self, numbers: IntArray, places: IntArray) -> ComplexArray:
        """By Newton's identities, for at most half of the records."""
        most, records = int(numbers.max()), self.group.records
        found = np.ones((len(numbers), len(places)), dtype=np.complex128)
        depth = len(_weights(most, records))
        powers = np.arange(1, depth + 1)[:, None]
        waves = self.waves[places[None] * powers % self.size]
        # The last `depth` of them, the newest first, in a buffer that is moved now and then.
        room = depth + _ROOM
        buffer = np.zeros((room, len(places)), dtype=np.complex128)
        newest = room - 1
        buffer[newest] = 1.0
        for draws in range(1, most + 1):
            if newest == 0:
                kept = buffer[:depth].copy()
                newest = room - len(kept)
                buffer[newest:] = kept
            weights = _weights(draws, records)
            past = buffer[newest : newest + len(weights)]
            newest -= 1
            np.einsum("l,lw,lw->w", weights, waves[: len(past)], past, out=buffer[newest])
            found[numbers == draws] = buffer[newest]
        return found


def _weights(draws: int, records: int) -> FloatArray:
    """Return Newton's weights for E_k from its predecessors, as many as count."""
    powers = np.arange(1, draws + 1)
    ratios = (draws - powers + 1) / (records - draws + powers)
    weights = np.cumprod(ratios) * records / max(draws, 1)
    count = int(np.searchsorted(-weights, -_WEIGHT))
    return np.asarray(weights[:count] * np.where(powers[:count] % 2, 1.0, -1.0))


def _transform(draws: list[_Draws], theta: Theta) -> ComplexArray:
    """Return the characteristic function of the sum of n records, shape (size/2 + 1,)."""
    values, masses = theta.count_law()
    size = draws[0].size
    if theta.replacement and not theta.fixed:
        p = theta.proportion
        one = (1 - p) * draws[0].waves + p * draws[1].waves
        return np.asarray(one[: size // 2 + 1] ** theta.n)
    ends = [[theta.n - k, k] for k in (int(values[0]), int(values[-1]))]
    decays = np.array([draws[0].decay(end[0]) + draws[1].decay(end[1]) for end in ends])
    places = np.flatnonzero(decays.min(axis=0) < _FAINT)
    work = len(places) * max(
        sum(part.work(number) for part, number in zip(draws, end, strict=True)) for end in ends
    )
    if work > _WORK:
        raise ModelError(
            "The exact law of this sum takes too long to compute; take fewer records, round the "
            "column, or draw with replacement."
        )
    law = np.zeros(size // 2 + 1, dtype=np.complex128)
    for some in np.array_split(places, max(1, -(-len(places) // _BLOCK))):
        without = draws[0].transforms(theta.n - values, some)
        having = draws[1].transforms(values, some)
        law[some] = masses @ (without * having)
    return law
