"""What the statistics can come out as under a pair's two proportions, as points with weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from distpriv.arguments import checked
from distpriv.distances.coupling import Coupling, optimal_coupling
from distpriv.distances.log_laws import (
    binomial,
    convolved,
    hypergeometric,
    wasserstein_steps,
)
from distpriv.distances.wasserstein import closeness, distribution
from distpriv.errors import DistanceError, InapplicableError
from distpriv.queries.statistics import Query

__all__ = ["Outcomes", "count_outcomes"]

FloatArray = NDArray[np.float64]

_DRAWN = 1e-15  # probability of a point whose moves are shown
_ROUNDED = 2.0**-50  # of δ, for each point: what rounding may leave behind
_LARGEST = 20_000  # records for which a distribution is computed


@checked(DistanceError)
@dataclass(frozen=True, eq=False)
class Outcomes:
    """f_θ under p_i and under p_j: discrete, or samples of what they are.

    Distances and couplings are kept once they are computed.

    Attributes
    ----------
    points : tuple of two ndarrays, shape (k, m) and (l, m)
    weights : tuple of two (ndarray, shape (k,) and (l,), or None)
        Probabilities; None for equal ones.
    exact : bool
        Whether these are the distributions themselves, not samples of them.
    logs : tuple of two ndarrays, shape (n + 1,), or None
        ln of the probabilities of 0, 1, ..., n steps, of a single count: points whose probability
        floating point cannot hold have one here. None where the weights are all there is.
    step : float > 0
        What a statistic moves by from one of these to the next.

    Raises
    ------
    DistanceError
        If points and weights make no two distributions of the same dimension.
    """

    points: tuple[FloatArray, FloatArray] = field(repr=False)
    weights: tuple[FloatArray | None, FloatArray | None] = field(default=(None, None), repr=False)
    exact: bool = False
    logs: tuple[FloatArray, FloatArray] | None = field(default=None, repr=False)
    step: float = field(default=1.0, repr=False)
    _distances: dict[float, float] = field(default_factory=dict, repr=False)
    _couplings: dict[float, Coupling] = field(default_factory=dict, repr=False)
    _scaled: dict[bytes, Outcomes] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        clouds = [
            distribution(name, points, weights)
            for name, points, weights in zip("xy", self.points, self.weights, strict=True)
        ]
        first, second = (one.points.shape[1] for one in clouds)
        if first != second:
            raise DistanceError(
                f"The points must have the same dimension, got {first} for x and {second} for y."
            )
        object.__setattr__(self, "points", tuple(one.points for one in clouds))
        object.__setattr__(self, "weights", tuple(one.weights for one in clouds))

    @property
    def masses(self) -> tuple[FloatArray, FloatArray]:
        """Probabilities of the points, shape (k,) and (l,)."""
        first, second = (
            np.full(len(points), 1 / len(points)) if weights is None else weights
            for points, weights in zip(self.points, self.weights, strict=True)
        )
        return first, second

    @property
    def dimension(self) -> int:
        """m, the number of statistics."""
        return self.points[0].shape[1]

    def closeness(self, delta: float = 0.0) -> float:
        """The least W for which the two are (W, δ)-close; W_∞ for δ = 0.

        See :func:`distpriv.closeness` and :func:`distpriv.wasserstein_inf`. With `logs` no mass
        is left behind but δ: W_∞ is that of the probabilities' logarithms, and what rounding
        leaves behind is taken off δ.
        """
        if delta not in self._distances:
            self._distances[delta] = self._closeness(delta)
        return self._distances[delta]

    def _closeness(self, delta: float) -> float:
        if self.logs is None:
            return closeness(*self.points, delta, *self.weights)
        left = delta - _ROUNDED * (1 + sum(len(points) for points in self.points))
        if left > 0:
            return closeness(*self.points, left, *self.weights)
        return wasserstein_steps(*self.logs) * self.step

    def knows(self, delta: float) -> bool:
        """Whether the closeness at δ has been computed before, or takes next to no time."""
        return delta in self._distances or self.dimension == 1

    def coupling(self, delta: float = 0.0) -> Coupling:
        """The moves behind :meth:`closeness`, see :func:`distpriv.distances.optimal_coupling`.

        With `logs` those of the points that are likelier than 1e-15: a picture, which no promise
        rests on.
        """
        if delta not in self._couplings:
            self._couplings[delta] = (
                optimal_coupling(*self.points, delta, *self.weights)
                if self.logs is None
                else self._likely_coupling(delta)
            )
        return self._couplings[delta]

    def _likely_coupling(self, delta: float) -> Coupling:
        likely = [np.flatnonzero(masses > _DRAWN) for masses in self.masses]
        points = [values[index] for values, index in zip(self.points, likely, strict=True)]
        weights = [masses[index] for masses, index in zip(self.masses, likely, strict=True)]
        first, second = (each / each.sum() for each in weights)
        coupling = optimal_coupling(points[0], points[1], delta, first, second)
        return replace(
            coupling, sources=likely[0][coupling.sources], targets=likely[1][coupling.targets]
        )

    def in_units(self, units: ArrayLike) -> Outcomes:
        """The same with each statistic divided by a unit, shape (m,), each > 0."""
        sizes = np.asarray(units, dtype=np.float64)
        key = sizes.tobytes()
        if key not in self._scaled:
            first, second = (points / sizes for points in self.points)
            self._scaled[key] = Outcomes(
                (first, second),
                self.weights,
                self.exact,
                self.logs,
                self.step if self.logs is None else self.step / float(sizes[0]),
            )
        return self._scaled[key]

    def of_statistics(self, indices: Sequence[int]) -> Outcomes:
        """The same for some of the statistics, in that order."""
        first, second = (points[:, list(indices)] for points in self.points)
        return Outcomes((first, second), self.weights, self.exact, self.logs, self.step)

    def deviation(self, outside: float) -> float:
        """The least c with ‖F − E F‖_1 > c with no more than that probability, under either.

        Parameters
        ----------
        outside : float in (0, 1)

        Raises
        ------
        InapplicableError
            If a sample is too small to say: it needs 1/outside points.
        """
        farthest = 0.0
        for points, masses in zip(self.points, self.masses, strict=True):
            few = not self.exact and len(points) * outside < 1 - 1e-9
            if few:
                raise InapplicableError(
                    f"{len(points)} simulated datasets do not show what happens with probability "
                    f"{outside:g}; take at least {round(1 / outside)} of them, or a larger δ."
                )
            lengths = np.abs(points - masses @ points).sum(axis=1)
            order = np.argsort(-lengths)
            # From the far end, where small probabilities keep their digits.
            beyond = np.cumsum(masses[order])
            index = int(np.searchsorted(beyond, outside * (1 + 1e-12), "right"))
            farthest = max(farthest, float(lengths[order[min(index, len(points) - 1)]]))
        return farthest


def count_outcomes(
    query: Query,
    n: int,
    having: tuple[int, int],
    counts: tuple[int, int],
    shares: tuple[float, float],
    *,
    replacement: bool,
) -> Outcomes | None:
    """Exact distributions of a single count or proportion; None for any other query.

    The number of records with the value is the sum of two independent hypergeometric numbers,
    or binomial ones for draws with replacement. Nothing that is possible is left out: what
    floating point cannot hold has its logarithm.

    Parameters
    ----------
    query : Query
    n : int
        Records in a dataset; None is returned beyond 20 000.
    having : tuple of two int
        Records with the sensitive property under p_i and under p_j.
    counts : tuple of two int
        Records without the property, and with it, that the datasets are drawn from.
    shares : tuple of two float in [0, 1]
        Share of the counted value among each of the two.
    """
    if len(query) != 1 or not next(iter(query)).indicates or n > _LARGEST:
        return None
    drawn = binomial if replacement else hypergeometric
    laws = []
    for with_property in having:
        parts = []
        for size, count, share in zip(
            (n - with_property, with_property), counts, shares, strict=True
        ):
            hits = round(count * share)
            parts.append(drawn(size, hits, count - hits))
        laws.append(convolved(parts[0], parts[1]))
    step = float(query.scales(n)[0])
    points: list[FloatArray] = []
    weights: list[FloatArray] = []
    for law in laws:
        masses = np.exp(law)
        possible = np.flatnonzero(masses)
        points.append(np.asarray(possible[:, None] * step, dtype=np.float64))
        weights.append(np.asarray(masses[possible] / masses[possible].sum(), dtype=np.float64))
    return Outcomes(
        (points[0], points[1]), (weights[0], weights[1]), True, (laws[0], laws[1]), step
    )
