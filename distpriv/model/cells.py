"""Cells of like records in two groups, and a coupling of the groups that keeps to them.

A record of one group is put beside one of the other that is as much like it as can be: cells of
like records are matched by optimal transport, in whole numbers, so that the two margins are the
groups themselves and not nearly so.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_array
from scipy.spatial.distance import cdist

from distpriv.model.moments import RecordGroups

__all__ = ["Matching", "match"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

_LEARNT_FROM = 5000  # records
_LOST = 1e-9  # of what moves, that rounding may leave to be matched anyhow


@dataclass(frozen=True, eq=False)
class Matching:
    """A coupling of the records of two groups, cell by cell.

    Attributes
    ----------
    groups : tuple of two ndarrays, shape (N_g, m)
        Values of the records, cell after cell; those of a cell by rank along one direction.
    starts : tuple of two ndarrays of int, shape (K_g + 1,)
        Where the cells begin.
    flows : ndarray of int, shape (K_0, K_1)
        How many of all N_0 N_1 pairs of records are taken from a cell of the one group and a cell
        of the other. Every row sums to the cell's size times N_1, every column to its size times
        N_0.
    """

    groups: tuple[FloatArray, FloatArray]
    starts: tuple[IntArray, IntArray]
    flows: IntArray

    @property
    def sizes(self) -> tuple[IntArray, IntArray]:
        """Records of each cell, shape (K_0,) and (K_1,)."""
        return np.diff(self.starts[0]), np.diff(self.starts[1])

    @cached_property
    def pairs(self) -> tuple[IntArray, IntArray, FloatArray]:
        """Pairs of records by rank within matched cells, and their probabilities.

        Of two cells the records at the same quantile are a pair. Each record comes with the
        probability 1/N_0, or 1/N_1, that it has in its group.

        Returns
        -------
        first, second : ndarrays of int, shape (pairs,)
            Rows of the groups.
        probabilities : ndarray, shape (pairs,)
        """
        total = len(self.groups[0]) * len(self.groups[1])
        firsts, seconds, masses = [], [], []
        for s, t in np.argwhere(self.flows > 0).tolist():
            n, k = int(self.sizes[0][s]), int(self.sizes[1][t])
            # In whole numbers: the quantiles i/n and j/k as i k and j n.
            ends = np.union1d(np.arange(1, n + 1) * k, np.arange(1, k + 1) * n)
            begins = np.concatenate([[0], ends[:-1]])
            firsts.append(self.starts[0][s] + begins // k)
            seconds.append(self.starts[1][t] + begins // n)
            masses.append((ends - begins) / (n * k) * (int(self.flows[s, t]) / total))
        return np.concatenate(firsts), np.concatenate(seconds), np.concatenate(masses)


def match(groups: RecordGroups, indicators: BoolArray, most: int) -> Matching:
    """Match the records without a property with those that have it.

    Parameters
    ----------
    groups : RecordGroups
    indicators : ndarray of bool, shape (m,)
        Which values are 0 or 1; records that differ in one are in different cells, as far as there
        are cells enough.
    most : int
        Cells, about.
    """
    values = np.vstack([groups.without, groups.having])
    deviations = values.std(axis=0)
    scaled = values / np.where(deviations > 0, deviations, 1.0)
    labels = _labels(scaled, indicators, most)
    # Within a cell records that are alike along the direction in which most is left get together.
    centres = np.array([np.bincount(labels, column) for column in scaled.T]) / np.bincount(labels)
    left = scaled - centres.T[labels]
    ranks = scaled @ np.linalg.eigh(left.T @ left)[1][:, -1]
    split = len(groups.without)
    parts, starts, centroids = [], [], []
    for part in (slice(0, split), slice(split, None)):
        order = np.lexsort((ranks[part], labels[part]))
        inside, rows = labels[part][order], scaled[part][order]
        begins = np.concatenate([[0], np.flatnonzero(np.diff(inside)) + 1])
        parts.append(values[part][order])
        starts.append(np.concatenate([begins, [len(inside)]]).astype(np.int64))
        centroids.append(np.add.reduceat(rows, begins) / np.diff(starts[-1])[:, None])
    costs = cdist(centroids[0], centroids[1], "sqeuclidean")
    flows = _transport(costs, np.diff(starts[0]), np.diff(starts[1]))
    return Matching((parts[0], parts[1]), (starts[0], starts[1]), flows)


def _labels(scaled: FloatArray, indicators: BoolArray, most: int) -> IntArray:
    """Number the cells, each at least one record."""
    marks, kinds = np.unique(scaled[:, indicators], axis=0, return_inverse=True)
    if len(marks) > most:
        marks, kinds = marks[:1], np.zeros(len(scaled), dtype=np.intp)
        rest = scaled
    else:
        rest = scaled[:, ~indicators]
    labels = np.zeros(len(scaled), dtype=np.int64)
    if rest.shape[1]:
        from sklearn.cluster import KMeans  # takes a second to import

        random = np.random.default_rng(0)
        for kind in range(len(marks)):
            inside = np.flatnonzero(kinds == kind)
            wanted = round(most * len(inside) / len(scaled))
            known = rest[inside]
            distinct, numbers = np.unique(known, axis=0, return_inverse=True)
            if len(distinct) <= wanted:
                labels[inside] = numbers
            elif wanted > 1:
                if len(inside) > _LEARNT_FROM:
                    known = known[random.choice(len(known), _LEARNT_FROM, replace=False)]  # nosec B311
                wanted = min(wanted, len(np.unique(known, axis=0)))
                # The cells are about the values alone, whoever has the property.
                clusters = KMeans(wanted, n_init=1, max_iter=30, random_state=0).fit(known)
                labels[inside] = clusters.predict(rest[inside])
    return np.unique(kinds * (labels.max() + 1) + labels, return_inverse=True)[1]


def _transport(costs: FloatArray, supplies: IntArray, demands: IntArray) -> IntArray:
    """Least-cost flows in whole numbers, with margins supplies·N_1 and demands·N_0 exactly."""
    rows, columns = costs.shape
    cells = np.arange(rows * columns)
    sums = coo_array(
        (
            np.ones(2 * cells.size),
            (np.concatenate([cells // columns, rows + cells % columns]), np.tile(cells, 2)),
        ),
        shape=(rows + columns, cells.size),
    )
    shares = [supplies / supplies.sum(), demands / demands.sum()]
    program: Any = {"A_eq": sums.tocsr(), "b_eq": np.concatenate(shares), "method": "highs"}
    solved = linprog(costs.ravel(), **program)
    least = np.outer(*shares) if solved.x is None else solved.x.reshape(costs.shape)
    total = int(supplies.sum()) * int(demands.sum())
    # A vertex of the transport polytope is in whole numbers, but for the solver's rounding.
    flows = np.rint(least * total).astype(np.int64)
    margins = supplies * int(demands.sum()), demands * int(supplies.sum())
    if not _fits(flows, margins):
        flows = np.floor(least * (total * (1 - _LOST))).astype(np.int64)
    return flows + _corner(margins[0] - flows.sum(axis=1), margins[1] - flows.sum(axis=0))


def _fits(flows: IntArray, margins: tuple[IntArray, IntArray]) -> bool:
    sums = flows.sum(axis=1), flows.sum(axis=0)
    return bool(all((part <= most).all() for part, most in zip(sums, margins, strict=True)))


def _corner(supplies: IntArray, demands: IntArray) -> IntArray:
    """Any flows in whole numbers with these margins: the north-west corner rule."""
    flows = np.zeros((len(supplies), len(demands)), dtype=np.int64)
    ends = [np.cumsum(supplies), np.cumsum(demands)]
    cuts = np.union1d(*ends)
    cuts = cuts[cuts > 0]
    begins = np.concatenate([[0], cuts])[:-1].astype(np.int64)
    places = [np.searchsorted(end, begins, side="right") for end in ends]
    np.add.at(flows, (places[0], places[1]), cuts - begins)
    return flows
