"""How far two mixtures of normals are apart whose bells have the same centres.

What Gaussian noise makes of two discrete distributions on the same points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import ceil, prod

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from distpriv.errors import ModelError

__all__ = ["REACH", "BellMixture", "Section", "positive_sums", "settled_sums"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
# p and q on some lines, shape (lines, nodes), and which of the lines are even; None: no others.
Section = tuple[FloatArray, FloatArray, BoolArray | None]

REACH = 7.0
"""Standard deviations that a bell is followed to; what is beyond has probability 1e-12."""

_SAME = 1e-9
_ONE_BLOCK = 1 << 22  # numbers held at once
_WORK = 3e9  # products in one round of an integral
_A_FACTOR = 16  # products that a number costs for each factor, about
_ROUNDS = 5
# Of what half of the nodes, or of the lines, may differ by: relative and absolute. Twice as many
# change four to sixteen times less, and lines, across which no bend is left, less than that.
_SETTLED = ((4e-3, 4e-9), (1e-2, 4e-9))


@dataclass(frozen=True, eq=False)
class BellMixture:
    """Two mixtures, p and q, of the same bells, in coordinates in which a bell is independent.

    Attributes
    ----------
    groups : ndarray, shape (K,)
        From 0 on: the bells of different groups lie in different spaces and never overlap.
    centres : ndarray, shape (K, d)
        The densities are followed along the last coordinate and cut across the others.
    deviations : ndarray, shape (d,), each > 0
    masses : ndarray, shape (2, K)
        Probability of each bell under p and under q.
    """

    groups: IntArray
    centres: FloatArray
    deviations: FloatArray
    masses: FloatArray

    def followed_along(self, rise: FloatArray) -> BellMixture:
        """The same with the coordinates arranged so that the integral needs the fewest nodes.

        Parameters
        ----------
        rise : ndarray, shape (d,)
            A direction in which ln p/q changes fast. What bends the integrand, the surface on
            which it is 0, is to cross the lines that it is followed along.
        """
        axes = list(range(len(rise)))
        axes.append(axes.pop(int(np.argmax(np.abs(rise) * self.deviations))))
        order = np.lexsort((self.centres[:, axes[0]], self.groups))
        return BellMixture(
            np.unique(self.groups[order], return_inverse=True)[1],
            self.centres[order][:, axes],
            self.deviations[axes],
            self.masses[:, order],
        )

    def deltas(self, factors: FloatArray) -> FloatArray:
        """∫ (p − factor·q)₊ and the same with p and q exchanged, shape (2, k).

        By :func:`settled_sums`.

        Parameters
        ----------
        factors : ndarray, shape (k,), each > 0

        Raises
        ------
        ModelError
            If that takes too long.
        """
        return settled_sums(
            lambda across, along: self._sections(across, along, len(factors)),
            len(self.deviations),
            factors,
        )

    def _sections(self, across: float, along: float, count: int) -> Iterator[Section]:
        """The densities, times the mesh's cells, on some lines at a time."""
        axes = self._box()
        if axes is not None:
            return self._sections_of_box(axes, across, along, count)
        return self._sections_of_bells(across, along, count)

    def _box(self) -> list[tuple[FloatArray, IntArray]] | None:
        """Coordinates along each axis, and the place of each centre, if the centres fill a box."""
        if self.groups.any() or len(self.deviations) == 1:
            return None
        axes = [
            np.unique(np.round(centres / _SAME) * _SAME, return_inverse=True)
            for centres in self.centres.T
        ]
        filled = prod(len(values) for values, _ in axes) <= 8 * len(self.groups)
        return axes if filled else None

    def _sections_of_box(
        self, axes: list[tuple[FloatArray, IntArray]], across: float, along: float, count: int
    ) -> Iterator[Section]:
        """Bells in a box are spread along one axis after the other."""
        spreads: list[FloatArray] = []
        for (values, _), deviation in zip(axes, self.deviations, strict=True):
            width = deviation * (along if len(spreads) == len(axes) - 1 else across)
            nodes = _nodes(values, deviation, width)
            spreads.append(_bell(nodes[:, None] - values, deviation) * width)
        lines, nodes_a_line = prod(len(spread) for spread in spreads[:-1]), len(spreads[-1])
        self._check(2 * lines * nodes_a_line * (len(axes[0][0]) + _A_FACTOR * count))
        masses = np.zeros([2] + [len(values) for values, _ in axes])
        places = np.ravel_multi_index([place for _, place in axes], masses.shape[1:])
        masses.reshape(2, -1)[:, places] = self.masses
        even = np.ones(1, dtype=np.bool_)
        for spread in spreads[1:]:
            masses = np.tensordot(masses, spread, (2, 1))
        for spread in spreads[1:-1]:
            even = (even[:, None] & (np.arange(len(spread)) % 2 == 0)).ravel()
        block = max(1, _ONE_BLOCK // (2 * len(even) * nodes_a_line))
        for start in range(0, len(spreads[0]), block):
            rows = np.tensordot(spreads[0][start : start + block], masses, (1, 1))
            marks = (np.arange(start, start + len(rows)) % 2 == 0)[:, None] & even
            p, q = (rows[:, law].reshape(-1, nodes_a_line) for law in (0, 1))
            yield p, q, marks.ravel()

    def _sections_of_bells(self, across: float, along: float, count: int) -> Iterator[Section]:
        """Each bell is put on the lines that it reaches."""
        deviation, last = self.deviations[-1], self.centres[:, -1:]
        width = deviation * along
        nodes = _nodes(last, deviation, width)
        lines, even = self._lines(across)
        self._check(2 * len(nodes) * (lines.nnz + _A_FACTOR * count * lines.shape[0]))
        block = max(1, _ONE_BLOCK // (2 * len(nodes)))
        for start in range(0, lines.shape[0], block):
            some = lines[start : start + block]
            if not some.nnz:
                continue
            low, high = int(some.indices.min()), int(some.indices.max()) + 1
            bells = _bell(nodes - last[low:high], deviation) * width
            weighted = np.hstack([bells * masses[low:high, None] for masses in self.masses])
            densities = some[:, low:high] @ weighted
            marks = None if even is None else even[start : start + block]
            yield densities[:, : len(nodes)], densities[:, len(nodes) :], marks

    def _lines(self, across: float) -> tuple[sparse.csr_array, BoolArray | None]:
        """How much of each bell lies on each line of the mesh, shape (lines, K), group by group."""
        count = len(self.groups)
        place, share = self.groups[:, None], np.ones((count, 1))
        rows = int(self.groups.max()) + 1
        even: BoolArray | None = None
        reach = ceil(REACH / across)
        for centres, deviation in zip(self.centres.T[:-1], self.deviations[:-1], strict=True):
            width = deviation * across
            cells = np.rint(centres / width).astype(np.int64)[:, None]
            cells = cells + np.arange(-reach, reach + 1)
            weights = _bell(cells * width - centres[:, None], deviation) * width
            cells -= cells.min()
            many = int(cells.max()) + 1
            place = (place[:, :, None] * many + cells[:, None, :]).reshape(count, -1)
            share = (share[:, :, None] * weights[:, None, :]).reshape(count, -1)
            rows *= many
            if rows > 4 * place.size:
                # Most of the mesh is empty; the lines that are not are numbered anew.
                used, place = np.unique(place, return_inverse=True)
                place = place.reshape(count, -1)
                rows = len(used)
            else:
                used = np.arange(rows)
            mark = used % many % 2 == 0
            even = mark if even is None else mark & even[used // many]
        pointers = np.arange(0, place.size + 1, place.shape[1])
        by_bell = sparse.csr_array((share.ravel(), place.ravel(), pointers), shape=(count, rows))
        return by_bell.T.tocsr(), even

    def _check(self, work: float) -> None:
        if work > _WORK:
            raise ModelError(
                f"Noise with a standard deviation of {self.deviations.min():.2g} steps in some "
                f"direction takes too long to integrate over {len(self.groups)} likely vectors of "
                "counts; release fewer statistics, take fewer records, or add more noise there."
            )


def settled_sums(
    sections: Callable[[float, float], Iterable[Section]],
    dimension: int,
    factors: FloatArray,
    along: float = 0.25,
) -> FloatArray:
    """∫ (p − factor·q)₊ and the same with p and q exchanged, shape (2, k).

    By the trapezoidal rule, corrected for the bend of the integrand, on a mesh that is made
    finer along and across the lines until half of the nodes or lines give the same.

    Parameters
    ----------
    sections : callable
        From the widths of the mesh across the lines and along them, in deviations, to the
        densities times the mesh's cells.
    dimension : int
        m, of the space.
    factors : ndarray, shape (k,), each > 0
    along : float
        Width of the mesh to start with along the lines; 1 across them.
    """
    across = 1.0
    for _ in range(_ROUNDS):
        sums = np.zeros((3, 2, len(factors)))
        for p, q, even in sections(across, along):
            sums[0] += _integrals(p, q, factors)
            sums[1] += 2 * _integrals(p[:, ::2], q[:, ::2], factors)
            if even is not None:
                sums[2] += _integrals(p[even], q[even], factors)
        sums[2] *= 2.0 ** (dimension - 1)
        halved = [
            (np.abs(coarse - sums[0]) <= relative * sums[0] + absolute).all()
            for coarse, (relative, absolute) in zip(sums[1:], _SETTLED, strict=True)
        ]
        halved[1] |= dimension == 1
        if all(halved):
            break
        along, across = along / (1 if halved[0] else 2), across / (1 if halved[1] else 2)
    return sums[0]


def positive_sums(p: FloatArray, q: FloatArray, factors: FloatArray) -> FloatArray:
    """Σ (p − factor·q)₊ and the same with p and q exchanged, shape (2, k)."""
    return np.array(
        [
            [np.maximum(one - factor * other, 0).sum() for factor in factors]
            for one, other in ((p, q), (q, p))
        ]
    )


def _nodes(centres: FloatArray, deviation: float, width: float) -> FloatArray:
    """Multiples of the width that the bells reach."""
    reach = REACH * deviation
    first, last = (centres.min() - reach) // width, (centres.max() + reach) // width + 1
    return width * np.arange(first, last + 1)


def _bell(distances: FloatArray, deviation: float) -> FloatArray:
    return np.exp(-0.5 * (distances / deviation) ** 2) / (deviation * np.sqrt(2 * np.pi))


def _integrals(p: FloatArray, q: FloatArray, factors: FloatArray) -> FloatArray:
    """Integrals of the positive parts along the last axis, in cells of the mesh."""
    bounds = np.empty((2, len(factors)))
    for index, (one, other) in enumerate(((p, q), (q, p))):
        for place, factor in enumerate(factors):
            excess = one - factor * other
            positive = excess > 0
            lines, nodes = np.nonzero(positive[:, 1:] != positive[:, :-1])
            ends = np.stack([lines, lines]), np.stack([nodes, nodes + 1])
            bends = _bends(one[ends], factor * other[ends])
            bounds[index, place] = excess.sum(where=positive) + bends
    return bounds


def _bends(p: FloatArray, q: FloatArray) -> float:
    """What the sum of (p − q)₊ over equidistant nodes lacks where p − q changes sign.

    The Euler–Maclaurin formula from the root on, θ nodes before the first positive one:
    B₂(θ)/2 f' + B₃(θ)/6 f'' for f = p − q. Logarithms of bells are close to straight lines from
    one node to the next, which gives the root and the derivatives.

    Parameters
    ----------
    p, q : ndarray, shape (2, crossings)
        Before and after each change of sign.
    """
    known = ((p > 0) & (q > 0)).all(axis=0)
    logs = np.log(p[:, known])
    ratios = logs - np.log(q[:, known])
    rising = ratios[1] > ratios[0]
    slope = np.abs(ratios[1] - ratios[0])
    slope = np.where(slope > 0, slope, 1.0)
    theta = np.abs(np.where(rising, ratios[1], ratios[0])) / slope
    growth = np.where(rising, logs[1] - logs[0], logs[0] - logs[1])
    inner = np.where(rising, logs[1], logs[0])
    first = np.exp(inner - theta * growth) * slope
    second = first * (2 * growth - slope)
    squared, cubed = theta**2 - theta + 1 / 6, theta * (theta - 0.5) * (theta - 1)
    return float(first @ squared / 2 + second @ cubed / 6)
