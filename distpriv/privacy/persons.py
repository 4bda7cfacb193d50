"""What a release gives away about single records: public bounds, and the promise to each person.

Neighbours are two tables of n records that differ in one. Between public bounds of every column, a
replaced record moves the statistics by a vector in a convex set, and what noise promises about it
depends on the vertices of that set alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import optimize

from distpriv.arrays import FloatArray, integer
from distpriv.display import Result, plain
from distpriv.errors import DistprivError
from distpriv.model import GaussianModel, Promise, Release
from distpriv.model.grid import deviations
from distpriv.privacy.loss import normal_delta
from distpriv.queries import Query, Statistic
from distpriv.text import near, significant

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Bound", "Bounds", "PerRecord", "Persons", "as_bounds", "check_bounds", "data_range"]
__all__ += ["each_record", "per_record", "record_moves"]

Bound = tuple[str, float, float]
"""Column, and public numbers that none of its values is below or above."""
Bounds = Mapping[str, tuple[float, float]] | Iterable[Bound]

_MOST = 2**14  # vertices
_MOVED = ("mean", "sum", "count", "proportion")
"""Kinds of statistics of which `record_moves` knows how far one record moves them."""
_LARGEST = 1000.0  # ε
_RANK = 1e-13  # of a variance, in units of the noise's deviations: below it there is no noise
_ASIDE = 1e-9  # of a statistic's move: what lies outside the noise is rounding


def as_bounds(bounds: Bounds) -> tuple[Bound, ...]:
    """Check bounds and return them in their order.

    Raises DistprivError if a column occurs twice, or its bounds are not two numbers, the lower one
    first.
    """
    try:
        rows: list[Any] = (
            [(column, *ends) for column, ends in bounds.items()]
            if isinstance(bounds, Mapping)
            else [tuple(row) for row in bounds]
        )
    except TypeError:
        rows = [()]
    checked = tuple(map(_bound, rows))
    columns = [column for column, _, _ in checked]
    for column in columns:
        if columns.count(column) > 1:
            raise DistprivError(f"Column {column!r} has public bounds twice; keep one of them.")
    return checked


def _bound(row: tuple[Any, ...]) -> Bound:
    if len(row) != 3 or not isinstance(row[0], str) or not row[0]:
        raise DistprivError(f"{row!r} are not public bounds; give a column, its least and largest.")
    column, *ends = row
    try:
        low, high = (
            math.nan if isinstance(end, str | bytes | bool) else float(end) for end in ends
        )
    except (TypeError, ValueError):
        low = high = math.nan
    if not (low < high and math.isfinite(high - low)):
        raise DistprivError(
            f"The public bounds of {column!r} are {ends[0]!r} and {ends[1]!r}; give two numbers, "
            "the lower one first."
        )
    return column, low, high


@dataclass(frozen=True)
class Persons(Result):
    """Hold the (ε, δ) that is promised to every single record, in addition to the share.

    Attributes
    ----------
    epsilon, delta : float
        ε from 0 on, δ from 0 to below 1: differential privacy, for tables that differ in a record.
    bounds : mapping of column to (low, high), or rows (column, low, high)
        Public numbers that no value is below or above, of every column whose numbers are used; not
        the table's own range. () takes the scenario's. DistprivError if a number or a bound is out
        of its domain.

    Examples
    --------
    >>> pair = dp.SensitiveProperty("late", "yes").pair(center=0.15, width=0.1)
    >>> model = dp.fit_gaussian(dp.load_example("bank"), dp.Query([dp.Mean("age")]), pair, n=400)
    >>> each = dp.Persons(epsilon=1, delta=1e-3, bounds={"age": (17, 90)})
    >>> noise = dp.calibrate("OptM", model, epsilon=1, delta=1e-3, persons=each)
    >>> round(noise.per_record(model.query, 400, each.bounds).epsilon(1e-3), 2)
    0.3
    """

    epsilon: float
    delta: float
    bounds: tuple[Bound, ...] = ()

    def __post_init__(self) -> None:
        Promise(self.epsilon, self.delta)
        object.__setattr__(self, "bounds", as_bounds(self.bounds))


# ---------------------------------------------------------------- what a record moves


def record_moves(query: Query, n: int, bounds: Bounds) -> FloatArray:
    """Compute how far replacing one of n records moves the statistics, shape (V, m).

    Every move lies in the convex hull of the vertices and their negatives. Mean and sum of one
    column move together, along one interval. Of several counts of one column at most one falls and
    one rises (Dwork & Roth 2014, Section 3.3, on histograms). Different columns move by themselves,
    and so do a count of a column and its mean, which is more than they can. DistprivError if a
    column whose numbers are used has no bounds, bounds are not low < high, a statistic is no
    mean, sum, count or proportion, or there are too many columns.
    """
    if not isinstance(query, Query):
        raise DistprivError(f"A Query is needed here, not {query!r:.60}.")
    n = integer("The number of records n", n, 1)
    ranges = {column: (low, high) for column, low, high in as_bounds(bounds)}
    together: dict[tuple[str, bool], list[int]] = {}
    for place, statistic in enumerate(query.statistics):
        if statistic.kind not in _MOVED:
            raise DistprivError(
                f"How far one record moves the {statistic.title} is not bounded; leave that "
                "figure out, or promise nothing to single records."
            )
        together.setdefault((statistic.column, statistic.value is None), []).append(place)
    used = {column for column, numbers in together if numbers}
    for column in ranges.keys() - used if used - ranges.keys() else ():
        raise DistprivError(
            f"Bounds name {column!r}, whose numbers no figure uses.{near(column, used)}"
        )
    moves = []
    for (column, numbers), places in together.items():
        some = [query.statistics[place] for place in places]
        if numbers and column not in ranges:
            raise DistprivError(
                f"Column {column!r} has no public bounds, so nobody knows how far one record moves "
                f"its figures; give its lowest and highest value.{near(column, ranges)}"
            )
        points = np.array(ranges[column])[:, None] if numbers else _flags(some)
        scales = np.array([statistic.scale(n) for statistic in some])
        block = np.zeros((len(points), len(query)))
        block[:, places] = points * scales
        first, second = np.triu_indices(len(points), 1)
        apart = block[second] - block[first]
        moves.append(np.concatenate([apart, -apart]))
    count = math.prod(len(block) for block in moves) // 2
    if count > _MOST:
        raise DistprivError(
            f"One record moves these {len(query)} figures in {count:.2g} ways, too many to hold a "
            "promise to each; leave some figures out."
        )
    sums = moves[0][: len(moves[0]) // 2]  # one of two opposite moves
    for block in moves[1:]:
        sums = (sums[:, None] + block).reshape(-1, len(query))
    return sums


def _flags(statistics: Sequence[Statistic]) -> FloatArray:
    """Return which counts of a column one record can be in, a way each row.

    How the column is typed decides whether 5, "5" and "5.0" are one value of it.
    """
    values = [statistic.value for statistic in statistics]
    rows = {(0.0,) * len(values)}
    for value in values:
        rows.add(tuple(float(repr(value) == repr(other)) for other in values))
        rows.add(tuple(float(_may_be(value, other)) for other in values))
    return np.array(sorted(rows))


def _may_be(one: object, other: object) -> bool:
    if one == other:
        return True
    first, second = (str(value).strip().lower().removesuffix("t00:00:00") for value in (one, other))
    try:
        return first == second or float(first) == float(second)
    except ValueError:
        return False


def check_bounds(model: GaussianModel, bounds: Bounds) -> None:
    """Raise DistprivError where bounds exclude records of the table, or are not low < high."""
    ends = data_range(model)
    for column, low, high in as_bounds(bounds):
        least, largest = ends.get(column, (low, high))
        if not (low <= least and largest <= high):
            raise DistprivError(
                f"Public bounds of {column!r} from {significant(low)} to {significant(high)} "
                "exclude records; widen them to what everybody knows, not to the table's own range."
            )


def data_range(model: GaussianModel) -> dict[str, tuple[float, float]]:
    """Return least and largest value of each column whose numbers are used; no public bounds."""
    read = [(one.value is None, name) for one in model.query.statistics for name in one.columns]
    extremes = np.array([pair.groups.extremes for pair in model.pairs])
    ends = zip(extremes[:, 0].min(0).tolist(), extremes[:, 1].max(0).tolist(), strict=True)
    return {name: pair for (used, name), pair in zip(read, ends, strict=True) if used}


# ---------------------------------------------------------------- what noise promises


@dataclass(frozen=True, repr=False)
class PerRecord(Result):
    """(ε, δ)-differential privacy per record that a noise gives.

    μ is the largest Mahalanobis length of a record's move under the normal noise (μ-Gaussian
    differential privacy; Dong, Roth & Su 2022), `pure` the ε at δ = 0 of the Laplace noise; ∞ where
    some direction has no such noise.
    """

    mu: float
    pure: float = math.inf

    def __repr__(self) -> str:
        return plain(f"PerRecord(ε = {significant(self.epsilon(1e-3))} at δ = 0.001)")

    def to_frame(self) -> pd.DataFrame:
        """Return columns delta and epsilon, ε at a few δ."""
        import pandas as pd

        deltas = [10.0**power for power in range(-9, -1)]
        return pd.DataFrame({"delta": deltas, "epsilon": map(self.epsilon, deltas)})

    def epsilon(self, delta: float) -> float:
        """Return the least ε at a δ from 0 to below 1; ∞ where there is none below 1000.

        Of normal noise exact (Balle & Wang 2018, Theorem 8), of Laplace noise a bound: δ of any
        pure promise is at most (e^ε₀ − e^ε)/(1 + e^ε₀) (Kairouz, Oh & Viswanath 2015). Raises
        DistprivError where δ is out of its domain.
        """
        Promise(0.0, delta)
        best = 0.0 if self.mu == 0 else math.inf
        if 0 < self.mu < math.inf:
            best = _normal_epsilon(self.mu, delta)
        if math.isfinite(self.pure):  # ln(e^ε₀ − δ(1 + e^ε₀)), below 0 where δ is enough alone
            left = 1 - delta * (1 + math.exp(-self.pure))
            best = min(best, max(self.pure + math.log(left), 0.0) if left > 0 else 0.0)
        return best

    def delta(self, epsilon: float) -> float:
        """Return the least δ at an ε from 0 on, by the same laws; 1 where there is none."""
        Promise(epsilon, 0.0)
        best = float(normal_delta(self.mu, epsilon)) if math.isfinite(self.mu) else 1.0
        if math.isfinite(self.pure):
            over = -math.expm1(min(epsilon - self.pure, 0.0)) / (1 + math.exp(-self.pure))
            best = min(best, max(0.0, over))
        return best

    def group(self, size: int) -> PerRecord:
        """Return what is promised about so many records that are replaced at once."""
        return PerRecord(size * self.mu, size * self.pure)


def _normal_epsilon(mu: float, delta: float) -> float:
    """Return the least ε >= 0 with δ(ε) <= δ of normals μ > 0 deviations apart; ∞ beyond 1000."""

    def over(epsilon: float) -> float:
        return float(normal_delta(mu, epsilon)) - delta

    if delta == 0 or over(_LARGEST) > 0:
        return math.inf
    return 0.0 if over(0.0) <= 0 else optimize.brentq(over, 0.0, _LARGEST, xtol=1e-13, rtol=1e-13)


def per_record(release: Release, moves: FloatArray) -> PerRecord:
    """Compute what a release promises about each record, by `record_moves`, shape (V, m).

    Of Laplace noise beside normal noise each promises by itself, the other one being
    post-processing. ∞ where nothing is promised: without noise in some direction that records move,
    and where the release is not the statistics of all records plus noise.
    """
    if not release.additive:
        return PerRecord(math.inf)
    mu = math.inf if release.covariance is None else _normal_reach(release.covariance, moves)
    return PerRecord(mu, _laplace_reach(release, moves))


def each_record(
    model: GaussianModel, releases: Sequence[Release], persons: Persons | None, bounds: Bounds
) -> list[PerRecord | None]:
    """Return what each record gets; None where nobody asks, or bounds are wanting.

    No data takes no record, whatever the bounds, unless its expectation comes from this table.
    """
    if not (persons is None or isinstance(persons, Persons)):
        raise DistprivError(f"persons must be distpriv.Persons(epsilon, delta), not {persons!r}.")
    ranges = (persons and persons.bounds) or as_bounds(bounds)
    records: list[PerRecord | None] = [None] * len(releases)
    if persons is not None or ranges:
        try:
            check_bounds(model, ranges)
            moves = record_moves(model.query, model.n, ranges)
            records = [per_record(release, moves) for release in releases]
        except DistprivError:
            if persons is not None:
                raise
    nothing = PerRecord(math.inf) if model.provenance == "table" else PerRecord(0.0, 0.0)
    pairs = zip(releases, records, strict=True)
    return [nothing if one.kind == "no data" else record for one, record in pairs]


def _normal_reach(covariance: FloatArray, moves: FloatArray) -> float:
    """Return the largest √(ΔᵀS⁻¹Δ), in units of the noise's own deviations."""
    bare = ~(np.diagonal(covariance) > 0)
    if not np.isfinite(covariance).all() or moves[:, bare].any():
        return math.inf
    unit = deviations(covariance)
    values, vectors = np.linalg.eigh(covariance / np.outer(unit, unit))
    scaled, noisy = moves / unit, values > _RANK
    if _misses(scaled, scaled @ vectors[:, ~noisy] @ vectors[:, ~noisy].T):
        return math.inf
    lengths = np.linalg.norm(scaled @ vectors[:, noisy] / np.sqrt(values[noisy]), axis=1)
    return float(lengths.max())


def _misses(moves: FloatArray, outside: FloatArray) -> bool:
    return bool((np.abs(outside) > _ASIDE * np.abs(moves).max(axis=0)).any())


def _laplace_reach(release: Release, moves: FloatArray) -> float:
    """Return the largest L1 length of a move along the directions, in scales."""
    directions, scale = release.directions, release.scale
    if directions is None or not 0 < scale < math.inf:
        return math.inf
    along = moves @ directions
    if _misses(moves, moves - along @ directions.T):
        return math.inf
    return float(np.abs(along).sum(axis=1).max() / scale)
