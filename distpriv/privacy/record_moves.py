"""How far replacing one record moves the statistics: the neighbours of differential privacy."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, reduce

import numpy as np
from numpy.typing import ArrayLike, NDArray

from distpriv.errors import CalibrationError, QueryError
from distpriv.queries.statistics import Query, Statistic, check_bounds

__all__ = ["MOST_MOVES", "Block", "RecordMoves", "bounded_moves", "record_moves"]

FloatArray = NDArray[np.float64]

MOST_MOVES = 1 << 24
"""Extreme moves, of either sign, among which the longest is looked for one by one."""

_LISTED = 1 << 20


@dataclass(frozen=True, eq=False)
class Block:
    """Statistics that one column of a record moves together.

    Attributes
    ----------
    indices : tuple of int
        Which of the statistics.
    moves : ndarray, shape (k, len(indices))
        The extreme ones, each with its opposite.
    """

    indices: tuple[int, ...]
    moves: FloatArray


@dataclass(frozen=True, eq=False)
class RecordMoves:
    """What replacing one of the n records can add to m statistics.

    The sum over the columns of one move of each block: every move lies in the convex hull of
    these, so that a convex function of the move is largest at one of them.

    Attributes
    ----------
    size : int
        m.
    blocks : tuple of Block
        Of disjoint statistics, together all that move.
    """

    size: int
    blocks: tuple[Block, ...]

    @property
    def alone(self) -> bool:
        """Whether every statistic moves by itself."""
        return all(len(block.indices) == 1 for block in self.blocks)

    @property
    def count(self) -> int:
        """Extreme moves, of which one of two opposite ones is counted."""
        return math.prod(len(block.moves) for block in self.blocks) // 2 if self.blocks else 0

    @cached_property
    def reach(self) -> FloatArray:
        """The furthest that each statistic moves, shape (m,)."""
        reach = np.zeros(self.size)
        for block in self.blocks:
            reach[list(block.indices)] = np.abs(block.moves).max(axis=0)
        return reach

    @cached_property
    def vertices(self) -> FloatArray:
        """The extreme moves, one of two opposite ones, shape (count, m).

        Raises
        ------
        CalibrationError
            If there are more than a million.
        """
        if self.count > _LISTED:
            raise CalibrationError(
                f"One record moves {self.size} statistics in {self.count:.3g} extreme ways, too "
                "many to list; leave statistics out."
            )
        return self._sums(self._spread, np.eye(self.size))[: self.count]

    def longest(self, factor: FloatArray) -> tuple[float, FloatArray | None]:
        """The largest ‖Δ F‖ over all moves Δ, and the move that has it.

        Exact by meeting in the middle: the squares of all sums of two halves' moves. Beyond
        ``MOST_MOVES`` of them a bound by the triangle inequality, and no move.

        Parameters
        ----------
        factor : ndarray, shape (m, d)
            F; Δ F Fᵀ Δᵀ is the squared length that is asked for.

        Returns
        -------
        length : float
        move : ndarray, shape (m,), or None
        """
        if not self.blocks:
            return 0.0, None
        if 2 * self.count > MOST_MOVES:
            lengths = (
                np.linalg.norm(block.moves @ factor[list(block.indices)], axis=1)
                for block in self.blocks
            )
            return float(sum(length.max() for length in lengths)), None
        near, far = self._halves
        left, right = near @ factor, far @ factor
        outer = (right**2).sum(axis=1)
        best, where = -math.inf, (0, 0)
        step = max(1, _LISTED // len(far))
        for start in range(0, len(left), step):
            part = left[start : start + step]
            squares = (part**2).sum(axis=1)[:, None] + outer + 2 * part @ right.T
            place = int(squares.argmax())
            row, column = divmod(place, len(far))
            if squares[row, column] > best:
                best, where = float(squares[row, column]), (start + row, column)
        return math.sqrt(max(best, 0.0)), near[where[0]] + far[where[1]]

    def longest_sum(self, factor: FloatArray) -> float:
        """The largest L1 norm of Δ F over all moves Δ, or a bound where they are too many.

        Parameters
        ----------
        factor : ndarray, shape (m, d)
        """
        if not self.blocks:
            return 0.0
        if self.count * factor.shape[1] <= _LISTED:
            return float(np.abs(self.vertices @ factor).sum(axis=1).max())
        sums = (
            np.abs(block.moves @ factor[list(block.indices)]).sum(axis=1) for block in self.blocks
        )
        return float(sum(each.max() for each in sums))

    def in_units(self, units: FloatArray) -> RecordMoves:
        """The same with each statistic divided by a unit, shape (m,), each > 0."""
        return RecordMoves(
            self.size,
            tuple(
                Block(block.indices, block.moves / units[list(block.indices)])
                for block in self.blocks
            ),
        )

    @cached_property
    def _spread(self) -> list[FloatArray]:
        """Moves of each block among all statistics; the first block's without their opposites."""
        spread = []
        for block in self.blocks:
            moves = np.zeros((len(block.moves), self.size))
            moves[:, list(block.indices)] = block.moves
            spread.append(moves)
        if spread:
            spread[0] = spread[0][: len(spread[0]) // 2]
        return spread

    @cached_property
    def _halves(self) -> tuple[FloatArray, FloatArray]:
        """Sums of the moves of the first blocks and of the others, about as many of each."""
        sizes = np.cumsum([math.log(max(len(moves), 1)) for moves in self._spread])
        middle = max(int(np.searchsorted(sizes, sizes[-1] / 2)), 1)
        whole = np.eye(self.size)
        return self._sums(self._spread[:middle], whole), self._sums(self._spread[middle:], whole)

    def _sums(self, parts: Sequence[FloatArray], factor: FloatArray) -> FloatArray:
        def added(sums: FloatArray, moves: FloatArray) -> FloatArray:
            total = sums[:, None, :] + (moves @ factor)[None]
            return np.asarray(total.reshape(-1, self.size))

        return reduce(added, parts, np.zeros((1, self.size)))


def record_moves(query: Query, sensitivities: ArrayLike) -> RecordMoves:
    """How far replacing one record can move the statistics of a query.

    Means and sums of one numeric column move in step; of several counts of one column at most one
    falls and one rises (Dwork & Roth 2014, Section 3.3, on histograms). Statistics without closed
    form are taken to move by themselves, which is no less than they do.

    Parameters
    ----------
    query : Query
        m statistics.
    sensitivities : array-like, shape (m,), each >= 0
        How far one record can move each, see :meth:`distpriv.Query.record_sensitivities`.

    Returns
    -------
    RecordMoves
    """
    spans = np.asarray(sensitivities, dtype=np.float64)
    return _moves(query, tuple(spans.tolist()))


@lru_cache(maxsize=64)
def _moves(query: Query, sensitivities: tuple[float, ...]) -> RecordMoves:
    """What is known of a query is asked for at every point of every curve."""
    spans = np.array(sensitivities)
    columns: dict[object, list[int]] = {}
    for index, statistic in enumerate(query):
        together = statistic.column if statistic.linear else index
        columns.setdefault((together, statistic.indicates), []).append(index)
    blocks = []
    for indices in columns.values():
        chosen = [query.statistics[index] for index in indices]
        points = _indicated(chosen) if chosen[0].indicates else np.array([[0.0], [1.0]])
        moves = _differences(points * spans[indices])
        if len(moves):
            blocks.append(Block(tuple(indices), moves))
    return RecordMoves(len(query), tuple(blocks))


def bounded_moves(
    query: Query,
    n: int,
    bounds: Mapping[str, tuple[float, float]],
    records: Mapping[str, tuple[float, float]] | None = None,
) -> RecordMoves:
    """The same from public bounds of every numeric column.

    Parameters
    ----------
    query : Query
    n : int, at least 1
    bounds : mapping of column to (lowest, highest)
    records : mapping of column to (least, greatest), optional
        Values of the records, of the columns where they are known.

    Raises
    ------
    QueryError
        If bounds are missing, or not two finite numbers, the lower one first, or a record lies
        outside.
    """
    sensitivities = []
    for statistic in query:
        low, high = 0.0, 1.0
        if statistic.takes_bounds:
            if statistic.column not in bounds:
                raise QueryError(
                    f"Column {statistic.column!r} has no public bounds, so nobody knows how far "
                    "one record moves its statistics; give the lowest and highest value."
                )
            low, high = bounds[statistic.column]
            check_bounds(statistic.column, low, high, (records or {}).get(statistic.column))
        sensitivities.append(statistic.sensitivity(n, high - low))
    return record_moves(query, sensitivities)


def _indicated(statistics: Sequence[Statistic]) -> FloatArray:
    """Which counts of a column a record can be in at once, one way a row; the first is none."""
    values = [getattr(statistic, "value") for statistic in statistics]  # noqa: B009
    rows = {tuple(0.0 for _ in values)}
    for value in values:
        rows.add(tuple(float(repr(value) == repr(other)) for other in values))
        # How a column is typed decides whether it has 5 and "5.0", true and "true" for one value.
        rows.add(tuple(float(_may_be(value, other)) for other in values))
    return np.array(sorted(rows))


def _may_be(one: object, other: object) -> bool:
    """Whether one record can match both."""
    texts = [str(value).strip().lower() for value in (one, other)]
    if texts[0] == texts[1]:
        return True
    try:
        return float(texts[0]) == float(texts[1])
    except ValueError:
        return False


def _differences(points: FloatArray) -> FloatArray:
    """Of every two points, those of one sign before their opposites; none that is 0."""
    first, second = np.triu_indices(len(points), 1)
    apart = points[first] - points[second]
    apart = apart[np.abs(apart).any(axis=1)]
    if not len(apart):
        return np.zeros((0, points.shape[1]))
    signs = np.sign(apart[np.arange(len(apart)), np.argmax(apart != 0, axis=1)])
    one_sign = np.unique(apart * signs[:, None], axis=0)
    return np.concatenate([one_sign, -one_sign])
