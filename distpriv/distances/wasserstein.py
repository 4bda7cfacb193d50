"""Wasserstein distances of finitely many outcomes: how far mass has to move at worst."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from distpriv.arrays import BoolArray, FloatArray, IntArray, integer, number, numbers
from distpriv.display import Progress, Result, showing
from distpriv.errors import DistprivError
from distpriv.text import one_of, whole

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Coupling", "closeness", "optimal_coupling", "rounding_mass", "steps_apart"]
__all__ += ["wasserstein_inf"]

Norm = Literal["l1", "l2"]
Law = tuple[FloatArray, FloatArray]  # points and masses

_METRICS = {"l1": "cityblock", "l2": "euclidean"}
_UNITS = 1 << 30  # of mass; SciPy's maximum flow drops what is above 31 bits without a word
_FINE_UNITS = 1 << 52  # on a line, whose sums a float still holds
_MOST_PAIRS = 16_000_000
_MOST_MOVES = 250_000  # of a linear program
_SLACK = 1e-12
_HALVINGS = 52  # of a float
_TIES = 1e-13  # relative: equal sums of different order


def wasserstein_inf(
    x: ArrayLike,
    y: ArrayLike,
    x_weights: ArrayLike | None = None,
    y_weights: ArrayLike | None = None,
    *,
    norm: Norm = "l1",
    progress: Progress = None,
) -> float:
    """Compute W_∞, the least W for which some coupling moves no mass further.

    It is `closeness` at δ = 0; parameters and errors are those. "(W, 0)-close if and only if
    W_∞ = W" in Chen & Ohrimenko (2023) means W_∞ <= W (erratum 9).

    Examples
    --------
    >>> dp.wasserstein_inf([0, 1], [1, 3])
    2.0
    """
    return closeness(x, y, 0.0, x_weights, y_weights, norm=norm, progress=progress)


def closeness(
    x: ArrayLike,
    y: ArrayLike,
    delta: float,
    x_weights: ArrayLike | None = None,
    y_weights: ArrayLike | None = None,
    *,
    norm: Norm = "l1",
    progress: Progress = None,
) -> float:
    """Compute the least W for which two laws are (W, δ)-close.

    Some coupling moves all but δ of the mass by at most W (Chen & Ohrimenko 2023, Definition 3.2):
    the maximum flow along moves of at most W is at least 1 − δ. On a line the flow is found by
    moving each mass, from the left, to the leftmost place within reach (Glover 1967).

    Parameters
    ----------
    x, y : array_like, shape (k,) or (k, m), and (l,) or (l, m)
        Possible values.
    delta : float
        From 0, below 1.
    x_weights, y_weights : array_like, shape (k,) and (l,), optional
        Probabilities; equal ones by default, which are exact. Others are rounded to whole units of
        2⁻³⁰ of mass, on a line of 2⁻⁵², so that k + l of them may stay behind besides δ: whoever
        rests a promise on W charges `rounding_mass`.
    norm : {"l1", "l2"}
        In which moves are measured: L1 for Laplace noise, L2 for normal noise.
    progress : bool or callable, optional
        See :func:`distpriv.run_attack`; of the steps that are done and the most there may be.

    Raises
    ------
    DistprivError
        If δ, points or weights are out of their domain, or the pairs of points are too many.

    Examples
    --------
    >>> dp.closeness([0, 1, 2, 9], [0, 1, 2, 3], delta=0.25)
    0.0
    >>> dp.closeness([0, 9], [1, 3], delta=0.5, x_weights=[0.5, 0.5], y_weights=[0.5, 0.5])
    1.0
    """
    number("δ", delta, 0, 1, below=True)
    one_of("norm", norm, _METRICS)
    first, second = _law("x", x, x_weights), _law("y", y, y_weights)
    if first[0].shape[1] != second[0].shape[1]:
        raise DistprivError(
            f"Points must have as many coordinates on both sides; x has {first[0].shape[1]} and y "
            f"{second[0].shape[1]}."
        )
    equal, line = x_weights is None and y_weights is None, first[0].shape[1] == 1
    units = _FINE_UNITS if line else _UNITS
    supply, demand, missing = _masses(first[1], second[1], delta, units, equal=equal)
    if line:
        with showing("Steps of the search", 2 * _HALVINGS, progress) as report:
            line_laws = first[0][:, 0], supply, second[0][:, 0], demand
            return _on_a_line(*line_laws, missing, report)
    distances = _distances(first[0], second[0], norm, _MOST_PAIRS)
    needed = int(supply.sum()) - missing
    nearest = distances.min(axis=1).max(), distances.min(axis=0).max()
    low = max(nearest) if missing == 0 else 0.0
    candidates = np.unique(distances[distances >= low])

    tries = itertools.count(1)
    with showing("Steps of the search", 2 * len(candidates).bit_length(), progress) as report:

        def enough(place: int) -> bool:
            report(next(tries))
            return _flow(distances <= candidates[place], supply, demand) >= needed

        return float(candidates[_first(enough, len(candidates))])


def rounding_mass(points: int, m: int = 2) -> float:
    """Return the mass that `closeness` may leave behind besides δ, of so many weighted points.

    Of both laws together, in m coordinates; equal weights are exact.

    Examples
    --------
    >>> f"{dp.distances.rounding_mass(points=200, m=2):.1e}"
    '1.9e-07'
    """
    points, m = integer("The number of points", points, 1), integer("m", m, 1)
    return (points + 1) / (_FINE_UNITS if m == 1 else _UNITS)


def _law(name: str, points: ArrayLike, weights: ArrayLike | None) -> Law:
    """Check points, of shape (k, m) then, and weights; drop points without any."""
    values = numbers(f"A point of {name}", points)
    values = values[:, None] if values.ndim == 1 else values
    if values.ndim != 2 or not values.size:
        raise DistprivError(f"The points {name} must be rows of finite numbers, at least one.")
    if weights is None:
        return values, np.full(len(values), 1 / len(values))
    masses = numbers(f"A weight of {name}", weights, 0)
    if masses.shape != (len(values),):
        raise DistprivError(
            f"The points {name} need one weight each; there are {len(values)} points and weights "
            f"of shape {masses.shape}."
        )
    if abs(masses.sum() - 1) > 1e-9:
        raise DistprivError(f"The weights of {name} must sum to 1; they sum to {masses.sum():.9g}.")
    return values[masses > 0], masses[masses > 0] / masses.sum()


def _distances(x: FloatArray, y: FloatArray, norm: Norm, most: int) -> FloatArray:
    from scipy.spatial.distance import cdist

    if len(x) * len(y) > most:
        raise DistprivError(
            f"{whole(len(x))} times {whole(len(y))} points are too many pairs; take at most "
            f"{whole(math.isqrt(most))} points each."
        )
    return np.asarray(cdist(x, y, metric=_METRICS[norm]))  # type: ignore[call-overload]


def _masses(
    first: FloatArray, second: FloatArray, delta: float, units: int, *, equal: bool
) -> tuple[IntArray, IntArray, int]:
    """Return masses in whole units, and how much need not move."""
    sizes = len(first), len(second)
    if equal and math.lcm(*sizes) < units:
        total = math.lcm(*sizes)
        supply, demand = (np.full(size, total // size, dtype=np.int64) for size in sizes)
        return supply, demand, math.floor(delta * total * (1 + _SLACK) + 1e-9)
    supply, demand = (np.rint(masses * units).astype(np.int64) for masses in (first, second))
    spare = sum(sizes) + abs(int(supply.sum() - demand.sum()))
    return supply, demand, math.floor(delta * units) + spare


def _first(holds: Callable[[int], bool], count: int, step: int = 0) -> int:
    """Return the least place from which on a condition holds; at the last one it does.

    Steps from the first place on grow, for most answers lie low, where graphs are sparse.
    """
    low, high = 0, count - 1
    while low < high:
        place = min(low + step, (low + high) // 2)
        step = 8 * step + 1
        low, high = (low, place) if holds(place) else (place + 1, high)
    return low


def _flow(allowed: BoolArray, supply: IntArray, demand: IntArray) -> int:
    """Compute how much mass can move along the pairs marked, shape (k, l)."""
    from scipy.sparse import coo_array, csr_array
    from scipy.sparse.csgraph import maximum_flow

    k, size = allowed.shape
    rows, columns = np.nonzero(allowed)
    source, sink = k + size, k + size + 1
    heads = np.concatenate([np.full(k, source), rows, np.arange(k, source)])
    tails = np.concatenate([np.arange(k), columns + k, np.full(size, sink)])
    limits = np.concatenate([supply, supply[rows], demand]).astype(np.int32)
    graph = csr_array(coo_array((limits, (heads, tails)), shape=(sink + 1, sink + 1)))
    return int(maximum_flow(graph, source, sink, method="dinic").flow_value)


def _on_a_line(
    x: FloatArray,
    supply: IntArray,
    y: FloatArray,
    demand: IntArray,
    missing: int,
    report: Callable[[int], None],
) -> float:
    """Compute closeness in one dimension: halve the reach, then take the nearest distance."""
    (x, supply), (y, demand) = _ascending(x, supply), _ascending(y, demand)
    if missing == 0 and supply.sum() == demand.sum():  # equal quantiles
        sums = np.cumsum(supply), np.cumsum(demand)
        levels = np.union1d(*sums)
        one, other = (
            v[np.searchsorted(total, levels)] for v, total in zip((x, y), sums, strict=True)
        )
        return float(np.abs(one - other).max())
    needed, tries = int(supply.sum()) - missing, itertools.count(1)

    def enough(reach: float) -> bool:
        report(next(tries))
        return _moved(x, supply, y, demand, reach) >= needed

    if enough(0.0):
        return 0.0
    low, high = 0.0, float(max(x[-1], y[-1]) - min(x[0], y[0]))
    while True:
        right = np.searchsorted(y, x + low, "right"), np.searchsorted(y, x + high, "right")
        wrong = np.searchsorted(y, x - high, "left"), np.searchsorted(y, x - low, "left")
        counts = right[1] - right[0], wrong[1] - wrong[0]
        if sum(count.sum() for count in counts) <= 4 * (len(x) + len(y)):
            break
        middle = (low + high) / 2
        if not low < middle < high:
            return high
        low, high = (low, middle) if enough(middle) else (middle, high)
    reaches = [
        np.abs(np.repeat(x, count) - y[_ranges(begin, count)])
        for (begin, _), count in zip((right, wrong), counts, strict=True)
    ]
    candidates = np.unique([*np.concatenate(reaches), high])
    count = len(candidates)
    return float(candidates[_first(lambda at: enough(candidates[at]), count, count)])


def _ranges(starts: IntArray, counts: IntArray) -> IntArray:
    """Return start, start + 1, … of each, one after the other."""
    ends = np.cumsum(counts)
    return np.asarray(np.arange(ends[-1]) + np.repeat(starts - ends + counts, counts))


def _ascending(values: FloatArray, masses: IntArray) -> tuple[FloatArray, IntArray]:
    points, where = np.unique(values, return_inverse=True)
    return points, np.bincount(where, masses).astype(np.int64)  # sums of at most 2⁵², exact


def _moved(x: FloatArray, supply: IntArray, y: FloatArray, demand: IntArray, reach: float) -> int:
    """Compute the most mass that moves by at most `reach` on a line, leftmost first."""
    reach += 4 * np.finfo(float).eps * (np.abs(x).max() + np.abs(y).max() + reach)
    place, total, room, points = 0, 0, demand.tolist(), y.tolist()
    for low, high, amount in zip(
        (x - reach).tolist(), (x + reach).tolist(), supply.tolist(), strict=True
    ):
        rest = amount
        while place < len(points) and points[place] < low:
            place += 1
        while rest and place < len(points) and points[place] <= high:
            step = min(rest, room[place])
            rest, room[place], total = rest - step, room[place] - step, total + step
            if not room[place]:
                place += 1
    return total


def steps_apart(p: ArrayLike, q: ArrayLike) -> int:
    """Compute W_∞ in steps of two laws on 0, 1, …, n, to the last tail that a float holds.

    Distribution functions are compared below the middle and survival functions above it, so that
    no tail is lost in 1 − 1e-16. Probabilities p and q are of shape (n + 1,), else it is a
    DistprivError.

    Examples
    --------
    >>> dp.distances.steps_apart([0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5])
    2
    """
    one, other = numbers("A probability of p", p, 0), numbers("A probability of q", q, 0)
    if one.ndim != 1 or one.shape != other.shape or not len(one):
        raise DistprivError(
            f"p and q are probabilities of the same outcomes, not of shapes {one.shape} and "
            f"{other.shape}."
        )
    worst = 0
    for first, second in ((one, other), (other, one)):
        for law, image in ((first, second), (first[::-1], second[::-1])):
            below, reached = np.cumsum(law), np.cumsum(image)
            lower = np.flatnonzero((law > 0) & (below - law < 0.5))  # half of a middle point, too
            # Mass up to x comes from up to x + W: the least such place of the other law.
            places = np.searchsorted(reached, np.minimum(below[lower], 0.5) * (1 - _TIES))
            worst = max(worst, int((places - lower).max(initial=0)))
    return worst


@dataclass(frozen=True, eq=False, repr=False)
class Coupling(Result):
    """Hold moves of mass from points of x to points of y, of which δ at most goes beyond W.

    `optimal_coupling` returns it.

    Attributes
    ----------
    sources, targets : ndarray of int, shape (moves,)
        Places of the points.
    masses, distances : ndarray, shape (moves,)
    reach : float
        W.

    Examples
    --------
    >>> dp.distances.optimal_coupling([0, 1, 2, 9], [0, 1, 2, 3], delta=0.25).to_frame()
       source  target  mass  distance  beyond
    0       0       0  0.25       0.0   False
    1       1       1  0.25       0.0   False
    2       2       2  0.25       0.0   False
    3       3       3  0.25       6.0    True
    """

    sources: IntArray
    targets: IntArray
    masses: FloatArray
    distances: FloatArray
    reach: float

    def __repr__(self) -> str:
        far = float(self.masses[self.beyond].sum())
        return f"Coupling({len(self.masses)} moves, W = {self.reach:.4g}, mass beyond {far:.4g})"

    def to_frame(self) -> pd.DataFrame:
        """Return the moves: source, target, mass, distance, beyond."""
        import pandas as pd

        places = {"source": self.sources, "target": self.targets, "mass": self.masses}
        return pd.DataFrame(places | {"distance": self.distances, "beyond": self.beyond})

    @property
    def beyond(self) -> BoolArray:
        """Which moves are longer than W, shape (moves,)."""
        return self.distances > self.reach * (1 + _SLACK) + _SLACK


def optimal_coupling(
    x: ArrayLike,
    y: ArrayLike,
    delta: float = 0.0,
    x_weights: ArrayLike | None = None,
    y_weights: ArrayLike | None = None,
    *,
    norm: Norm = "l1",
) -> Coupling:
    """Compute a coupling that shows (W, δ)-closeness for the least W, and moves the rest the least.

    A linear program in k l unknowns, at most 250 000, for pictures. Parameters and errors are those
    of `closeness`.

    Examples
    --------
    >>> dp.distances.optimal_coupling([0, 1, 2, 9], [0, 1, 2, 3], delta=0.25)
    Coupling(4 moves, W = 0, mass beyond 0.25)
    """
    from scipy.optimize import linprog
    from scipy.sparse import eye_array, kron, vstack

    reach = closeness(x, y, delta, x_weights, y_weights, norm=norm)
    (a, p), (b, q) = _law("x", x, x_weights), _law("y", y, y_weights)
    distances = _distances(a, b, norm, _MOST_MOVES).ravel()
    left, right = np.ones((1, len(a))), np.ones((1, len(b)))
    sides = vstack([kron(eye_array(len(a)), right), kron(left, eye_array(len(b)))]).tocsr()
    far = (distances > reach * (1 + _SLACK) + _SLACK).astype(float)[None]
    # In millionths, for the solver drops masses below 1e-9; the last equation follows from others.
    masses, allowed = 1e6 * np.append(p, q[:-1]), 1e6 * delta + 1e-3
    solution = linprog(  # type: ignore[call-overload]
        distances, far, [allowed], sides[:-1], masses, method="highs"
    )
    if solution.x is None:
        raise DistprivError("These moves cannot be computed; take fewer points.")
    moved = solution.x / 1e6
    some = np.flatnonzero(moved > 1e-9)
    sources, targets = np.divmod(some, len(b))
    if x_weights is not None:  # among all points, those without weight included
        sources = np.flatnonzero(np.asarray(x_weights) > 0)[sources]
    if y_weights is not None:
        targets = np.flatnonzero(np.asarray(y_weights) > 0)[targets]
    return Coupling(sources, targets, moved[some], distances[some], reach)
