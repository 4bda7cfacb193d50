"""The coupling behind (W, δ)-closeness: which mass moves where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment, linprog
from scipy.sparse import coo_array
from scipy.spatial.distance import cdist

from distpriv.arguments import checked
from distpriv.distances.wasserstein import Discrete, closeness, distribution
from distpriv.errors import DistanceError
from distpriv.words import exact

__all__ = ["Coupling", "optimal_coupling"]

FloatArray = NDArray[np.float64]

_MOST = 250_000  # pairs of points with weights; with equal ones a matching takes 16 times as many
_NOTHING = 1e-9


@dataclass(frozen=True, eq=False)
class Coupling:
    """Moves that turn one discrete distribution into another.

    Attributes
    ----------
    sources, targets : ndarray of int, shape (moves,)
        Indices of points.
    masses : ndarray, shape (moves,)
        Probability that moves; they sum to 1.
    distances : ndarray, shape (moves,)
        In the L1 norm.
    reach : float
        W: no more than δ of the mass moves further.
    """

    sources: NDArray[np.intp]
    targets: NDArray[np.intp]
    masses: FloatArray
    distances: FloatArray
    reach: float

    @property
    def beyond(self) -> NDArray[np.bool_]:
        """Which moves are longer than W, shape (moves,)."""
        return self.distances > self.reach * (1 + 1e-12) + 1e-12

    @property
    def mass_beyond(self) -> float:
        """How much moves further than W; at most δ."""
        return float(self.masses[self.beyond].sum())


@checked(DistanceError)
def optimal_coupling(
    x: ArrayLike,
    y: ArrayLike,
    delta: float = 0.0,
    x_weights: ArrayLike | None = None,
    y_weights: ArrayLike | None = None,
) -> Coupling:
    """A coupling that shows that two distributions are (W, δ)-close, for the least W.

    Of those that do, one that leaves out little and moves the rest the least (Kantorovich): a
    linear program, or an assignment for as many equal points on either side.

    Parameters
    ----------
    x, y, delta, x_weights, y_weights
        As for :func:`distpriv.closeness`; weights that are 0 are allowed.

    Raises
    ------
    DistanceError
        As :func:`distpriv.closeness`; and if there are too many pairs of points.
    """
    reach = closeness(x, y, delta, x_weights, y_weights)
    first, second = distribution("x", x, x_weights), distribution("y", y, y_weights)
    sizes = len(first.points), len(second.points)
    plain = first.weights is None and second.weights is None and sizes[0] == sizes[1]
    most = 16 * _MOST if plain else _MOST
    if sizes[0] * sizes[1] > most:
        raise DistanceError(
            f"{sizes[0]} times {sizes[1]} points are {exact(sizes[0] * sizes[1])} pairs, more than "
            f"{exact(most)}; take fewer points."
        )
    distances = cdist(first.points, second.points, "cityblock")
    allowed = distances <= reach * (1 + 1e-12) + 1e-12
    if plain:
        sources, targets, masses = _assigned(distances, allowed)
    else:
        sources, targets, masses = _programmed(first, second, distances, allowed, delta)
    return Coupling(
        _original(x_weights, sources),
        _original(y_weights, targets),
        masses,
        distances[sources, targets],
        reach,
    )


def _original(weights: ArrayLike | None, indices: NDArray[np.intp]) -> NDArray[np.intp]:
    """Indices among all points, those without weight included."""
    if weights is None:
        return indices
    return np.flatnonzero(np.asarray(weights) > 0)[indices]


def _assigned(
    distances: FloatArray, allowed: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.intp], FloatArray]:
    # One long move must cost more than all short ones together.
    penalty = len(distances) * (float(distances.max()) + 1)
    sources, targets = linear_sum_assignment(np.where(allowed, distances, distances + penalty))
    return sources, targets, np.full(len(sources), 1 / len(sources))


def _programmed(
    first: Discrete,
    second: Discrete,
    distances: FloatArray,
    allowed: NDArray[np.bool_],
    delta: float,
) -> tuple[NDArray[np.intp], NDArray[np.intp], FloatArray]:
    sources, targets = (index.ravel() for index in np.indices(distances.shape))
    moves, rows = np.arange(distances.size), len(first.points)
    totals: Any = coo_array(
        (
            np.ones(2 * distances.size),
            (np.concatenate([sources, rows + targets]), np.tile(moves, 2)),
        )
    ).tocsr()
    solved = linprog(
        distances.ravel(),
        A_eq=totals,
        b_eq=np.concatenate([first.masses, second.masses]),
        A_ub=(~allowed).astype(np.float64).reshape(1, -1),
        b_ub=[delta + _NOTHING],
        method="highs",
    )
    if solved.x is None:
        raise DistanceError("The moves could not be computed; take fewer points.")
    present = solved.x > _NOTHING
    return sources[present], targets[present], solved.x[present]
