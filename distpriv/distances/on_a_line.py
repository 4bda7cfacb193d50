"""(W, δ)-closeness on a line, fast enough for a million points.

The mass that cannot move by at most W is the largest μ(A) − ν(A_W), A_W the points within W of
A (Strassen 1965, Theorem 11). On a line A is a union of intervals [a, b], each of which adds
U(b) − V(a) with U(b) = F(b) − G(b + W) and V(a) = F(a−) − G((a − W)−): the most that can be
earned by buying at V and selling at U, as often as one likes, in the order of the points. Each
point turns (money, money while holding) into another such pair by a max-plus matrix, and
matrices multiply in any grouping: blocks of points at once, then block by block. While W is
searched, blocks in which no trade could lift the result above δ are dropped.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

__all__ = ["line_closeness"]

FloatArray = NDArray[np.float64]

_BLOCK = 256  # points, a power of two
_FEW = 4096  # candidates to list
_COARSE = 1 << 14  # points of the first guess


def line_closeness(
    x: FloatArray, x_masses: FloatArray, y: FloatArray, y_masses: FloatArray, missing: float
) -> float:
    """The least W at which all but `missing` of the mass can move.

    Parameters
    ----------
    x, y : ndarray, shape (k,) and (l,)
        Ascending.
    x_masses, y_masses : ndarray, shape (k,) and (l,)
        Positive, of the same sum.
    missing : float >= 0

    Returns
    -------
    float
        One of the distances of a point of x from a point of y, up to rounding; or 0.
    """
    line = _Line(x, np.cumsum(x_masses), y, np.concatenate([[0.0], np.cumsum(y_masses)]), missing)
    everything = np.arange(line.blocks)
    widest = float(max(x[-1], y[-1]) - min(x[0], y[0]))
    low, high, blocks = _bracket(line, everything, widest)
    for turn in count():
        # Counting the candidates takes as long as halving the bracket.
        candidates = line.candidates(low, high, blocks) if turn % 6 == 0 else None
        if candidates is not None:
            return _least(line, candidates, blocks, high)
        middle = low + (high - low) / 2
        if not low < middle < high:
            break
        left = line.left_behind(middle, blocks)
        if left.total > missing:
            low, blocks = middle, left.blocks
        else:
            high = middle
    return high


def _bracket(
    line: _Line, everything: NDArray[np.intp], widest: float
) -> tuple[float, float, NDArray[np.intp]]:
    """Two W between which the answer lies, and the blocks that decide it."""
    low, high, blocks = 0.0, widest, everything
    guess = _guess(line) if len(line.x) > 4 * _COARSE else 0.0
    for middle in (0.98 * guess, 0.9 * guess, 0.0):
        left = line.left_behind(middle, blocks)
        if left.total > line.missing:
            low, blocks = middle, left.blocks
            break
        high = middle
    for middle in (1.02 * guess, 1.1 * guess):
        if low < middle < high:
            left = line.left_behind(middle, blocks)
            if left.total <= line.missing:
                return low, middle, blocks
            low, blocks = middle, left.blocks
    return low, high, blocks


def _guess(line: _Line) -> float:
    """The answer for a few quantiles of each."""
    levels = (np.arange(_COARSE) + 0.5) / _COARSE * line.x_ends[-1]
    x = line.x[np.minimum(np.searchsorted(line.x_ends, levels), len(line.x) - 1)]
    y = line.y[np.minimum(np.searchsorted(line.y_ends[1:], levels), len(line.y) - 1)]
    even = np.full(_COARSE, line.x_ends[-1] / _COARSE)
    return line_closeness(x, even, y, even, line.missing)


def _least(line: _Line, candidates: FloatArray, blocks: NDArray[np.intp], high: float) -> float:
    left, right = 0, len(candidates)
    while left < right:
        middle = (left + right) // 2
        if line.left_behind(float(candidates[middle]), blocks).total <= line.missing:
            right = middle
        else:
            left = middle + 1
    return float(candidates[left]) if left < len(candidates) else high


@dataclass(frozen=True, eq=False)
class _LeftBehind:
    """Mass that cannot move, and the blocks that could bring it above what may be missing."""

    total: float
    blocks: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class _Line:
    """Two distributions on a line: points, and mass up to and with each of them."""

    x: FloatArray
    x_ends: FloatArray  # shape (k,)
    y: FloatArray
    y_ends: FloatArray  # shape (l + 1,), starting with 0
    missing: float

    @property
    def blocks(self) -> int:
        """How many blocks of points of x there are."""
        return -(-len(self.x) // _BLOCK)

    def _members(self, blocks: NDArray[np.intp]) -> NDArray[np.intp]:
        """Indices of the points of some blocks, shape (blocks, _BLOCK); −1 beyond the end."""
        members = blocks[:, None] * _BLOCK + np.arange(_BLOCK)
        return np.where(members < len(self.x), members, -1)

    def left_behind(self, reach: float, blocks: NDArray[np.intp]) -> _LeftBehind:
        """What cannot move by at most `reach`, trading in these blocks only."""
        members = self._members(blocks)
        x, inside = self.x[members], members >= 0
        # A distance that was rounded must reach the point it was taken to.
        reaching = reach + 4 * np.finfo(float).eps * (np.abs(x) + reach)
        ends = self.x_ends[members]
        starts = np.where(members > 0, self.x_ends[np.maximum(members - 1, 0)], 0.0)
        sell = ends - self.y_ends[np.searchsorted(self.y, x + reaching, "right")]
        buy = starts - self.y_ends[np.searchsorted(self.y, x - reaching, "left")]
        trades = np.array([np.maximum(sell - buy, 0.0), sell, -buy, np.zeros_like(sell)])
        trades = np.where(inside, trades, np.array([0.0, -np.inf, -np.inf, 0.0])[:, None, None])
        while trades.shape[2] > 1:
            trades = _then(trades[:, :, ::2], trades[:, :, 1::2])
        return self._traded(trades[:, :, 0], blocks)

    def _traded(self, trades: FloatArray, blocks: NDArray[np.intp]) -> _LeftBehind:
        """Block by block, there and back."""
        rows = trades.T.tolist()
        before, money, holding = [], 0.0, -np.inf
        for both, sold, bought, kept in rows:
            before.append((money, holding))
            money, holding = (
                max(money + both, holding + sold),
                max(money + bought, holding + kept),
            )
        total = money
        after, money, holding = [], 0.0, -np.inf
        for both, sold, bought, kept in reversed(rows):
            after.append((money, holding))
            money, holding = (
                max(both + money, bought + holding),
                max(sold + money, kept + holding),
            )
        (start, held), (end, ended) = np.array(before).T, np.array(after[::-1]).T
        both, sold, bought, kept = trades
        best = np.maximum(held + sold + end, start + bought + ended)
        best = np.maximum(best, np.where(both > 0, start + both + end, -np.inf))
        best = np.maximum(best, np.where(kept > 0, held + kept + ended, -np.inf))
        return _LeftBehind(total, blocks[best > self.missing])

    def candidates(self, low: float, high: float, blocks: NDArray[np.intp]) -> FloatArray | None:
        """Distances in (low, high] from the points of some blocks, or None if they are many."""
        members = self._members(blocks)
        x = self.x[members[members >= 0]]
        spans = [
            (np.searchsorted(self.y, x + low, "left"), np.searchsorted(self.y, x + high, "right")),
            (np.searchsorted(self.y, x - high, "left"), np.searchsorted(self.y, x - low, "right")),
        ]
        if sum(int((stop - start).sum()) for start, stop in spans) > _FEW:
            return None
        candidates = [
            np.abs(self.y[int(begin) : int(end)] - point)
            for start, stop in spans
            for point, begin, end in np.stack([x, start, stop], axis=1)[stop > start].tolist()
        ]
        distances = np.unique(np.concatenate(candidates)) if candidates else np.empty(0)
        return distances[(distances > low) & (distances <= high)]


def _then(first: FloatArray, second: FloatArray) -> FloatArray:
    """Two max-plus matrices in a row; rows money→money, holding→money, money→holding, kept."""
    both, sold, bought, kept = first
    both_2, sold_2, bought_2, kept_2 = second
    return np.array(
        [
            np.maximum(both + both_2, bought + sold_2),
            np.maximum(sold + both_2, kept + sold_2),
            np.maximum(both + bought_2, bought + kept_2),
            np.maximum(sold + bought_2, kept + kept_2),
        ]
    )
