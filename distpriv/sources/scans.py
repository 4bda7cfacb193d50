"""Moments of both groups in two scans that keep their digits.

The first scan has counts, means, deviations and extremes. The second adds up deviations from a
*short centre* of each group, and their products. A short centre is the mean rounded to a power of
two that is at most a quarter of the deviation: whole numbers and indicators then lie on a binary
grid, and their sums are exact up to 2⁵³; other values lose no more digits than their deviations
have. The steps of the grid (:mod:`distpriv.model.grid`) are those of some records, and the second
scan holds all the others against them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import (
    ColumnElement,
    Double,
    Integer,
    Select,
    Subquery,
    and_,
    case,
    cast,
    func,
    literal,
    or_,
    select,
)

from distpriv.errors import ModelError, QueryError
from distpriv.model.grid import ProbedGrid, probed_grid
from distpriv.sources.engine import Engine

__all__ = ["RecordMoments", "probe", "record_moments"]

FloatArray = NDArray[np.float64]

PROBE = 20_000  # records that the grid is guessed from
_TIED = 1 << 19  # of them, where columns hold each other
_ROUNDS = 64
_SEEN = 512
_LARGEST = 1e150  # whose square is a number


@dataclass(frozen=True, eq=False)
class RecordMoments:
    """Of the record-level values of both groups.

    Attributes
    ----------
    counts : tuple of int, N_0 and N_1
    dropped : int
        Incomplete records.
    means : ndarray, shape (2, w)
        0 for a group without records.
    covariances : ndarray, shape (2, w, w)
        With ddof 1.
    sums : ndarray, shape (w,)
        Over the records of both groups.
    minima, maxima : ndarray, shape (w,)
    grid : ProbedGrid or None
        None where a group is empty.
    """

    counts: tuple[int, int]
    dropped: int
    means: FloatArray
    covariances: FloatArray
    sums: FloatArray
    minima: FloatArray
    maxima: FloatArray
    grid: ProbedGrid | None


@dataclass(frozen=True, eq=False)
class _First:
    """What the first scan gives: shape (2,) counts, and (2, w) of the rest."""

    counts: tuple[int, int]
    dropped: int
    means: FloatArray
    deviations: FloatArray
    minima: FloatArray
    maxima: FloatArray


def record_moments(
    engine: Engine,
    grouped: Select[Any],
    labels: Sequence[str],
    whole: Sequence[bool],
) -> RecordMoments:
    """Moments of record-level values.

    Parameters
    ----------
    engine : Engine
    grouped : Select
        One row a record, see :meth:`Expressions.grouped`.
    labels : sequence of str, length w
        Of the statistics that the values belong to, for messages.
    whole : sequence of bool, length w
        Values known to be whole numbers.

    Raises
    ------
    SourceError
        If the engine cannot answer.
    QueryError, ModelError
        If a value is infinite, or too large to be squared.
    """
    records = grouped.subquery("grouped")
    first = _first(engine, records, len(labels))
    _check(first, labels)
    grid = None
    if min(first.counts):
        grid = probed_grid(*probe(engine, grouped, first.counts), whole)
        if grid.tied and sum(first.counts) > PROBE:
            grid = probed_grid(*probe(engine, grouped, first.counts, _TIED), whole)
    return _second(engine, records, grouped, first, grid, whole)


def _first(engine: Engine, records: Subquery, width: int) -> _First:
    columns: list[ColumnElement[Any]] = [records.c.grp, func.count().label("n")]
    for place in range(width):
        value = records.c[f"v{place}"]
        # Squares of infinite and huge values end the query of some engines.
        safe = case((func.abs(value) < literal(_LARGEST, Double), value))
        columns += [
            func.avg(safe).label(f"a{place}"),
            func.stddev_pop(safe).label(f"d{place}"),
            func.min(value).label(f"l{place}"),
            func.max(value).label(f"h{place}"),
        ]
    counts, dropped = [0, 0], 0
    found = np.zeros((2, width, 4))
    found[:, :, 2], found[:, :, 3] = math.inf, -math.inf
    for group, count, *values in engine.rows(select(*columns).group_by(records.c.grp)):
        if int(group) == 2:
            dropped = int(count)
            continue
        counts[int(group)] = int(count)
        known = [math.nan if value is None else float(value) for value in values]
        found[int(group)] = np.array(known).reshape(width, 4)
    return _First((counts[0], counts[1]), dropped, *np.moveaxis(found, 2, 0))


def _check(first: _First, labels: Sequence[str]) -> None:
    largest = np.maximum(np.abs(first.minima), np.abs(first.maxima))
    there = np.array(first.counts) > 0
    for place, label in enumerate(labels):
        most = largest[there, place].max(initial=0.0)
        if math.isinf(most):
            raise QueryError(
                f"The statistic {label!r} meets an infinite value; remove or correct that record, "
                "or leave the statistic out."
            )
        if not most < _LARGEST:
            raise ModelError(
                f"The values of the statistic {label!r} are too large to compute with; express "
                "its column in a larger unit, or leave it out."
            )


def probe(
    engine: Engine, grouped: Select[Any], counts: tuple[int, int], size: int = PROBE
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Some complete records of both groups: values, shape (k, w), and which have the property."""
    records = grouped.subquery("grouped")
    inside = select(records).where(records.c.grp < literal(2))
    rows = engine.rows(inside.limit(size))
    for group in (0, 1):
        have = sum(1 for row in rows if row[0] == group)
        few = min(counts[group], size // 4)
        if have < few:
            one = select(records).where(records.c.grp == literal(group)).limit(few)
            rows = [row for row in rows if row[0] != group] + engine.rows(one)
    values = np.array(rows, dtype=np.float64)
    return np.asfortranarray(values[:, 1:]), values[:, 0] == 1


def _second(
    engine: Engine,
    records: Subquery,
    grouped: Select[Any],
    first: _First,
    grid: ProbedGrid | None,
    whole: Sequence[bool],
) -> RecordMoments:
    width = first.means.shape[1]
    centres = _short_centres(first)
    deviations = [
        records.c[f"v{place}"] - _by_group(records, centres[:, place]) for place in range(width)
    ]
    moved = (
        select(
            records.c.grp,
            *(records.c[f"v{place}"] for place in range(width)),
            *(each.label(f"m{place}") for place, each in enumerate(deviations)),
        )
        .where(records.c.grp < literal(2))
        .subquery("moved")
    )
    moves = [moved.c[f"m{place}"] for place in range(width)]
    pairs = [(i, j) for i in range(width) for j in range(i + 1)]
    sums = [func.sum(move).label(f"s{place}") for place, move in enumerate(moves)]
    products = [func.sum(moves[i] * moves[j]).label(f"p{i}_{j}") for i, j in pairs]
    misfits = [] if grid is None else _misfits(moved, grid)
    asked = select(moved.c.grp, *sums, *products, *(_counted(each) for each in misfits))
    totals, squares = np.zeros((2, width)), np.zeros((2, width, width))
    misfitting = 0
    for group, *numbers in engine.rows(asked.group_by(moved.c.grp)):
        totals[int(group)] = numbers[:width]
        for (i, j), product in zip(pairs, numbers[width:], strict=False):
            squares[int(group), i, j] = squares[int(group), j, i] = product
        misfitting += sum(int(number) for number in numbers[width + len(pairs) :])
    if grid is not None and misfitting:
        grid = _refined(engine, grouped, first.counts, grid, whole)
    counts = np.array(first.counts)
    shares = totals / np.maximum(counts, 1)[:, None]
    covariances = squares - counts[:, None, None] * shares[:, :, None] * shares[:, None, :]
    covariances /= np.maximum(counts - 1, 1)[:, None, None]
    covariances[counts <= 1] = 0.0
    means = np.where(counts[:, None] > 0, centres + shares, 0.0)
    return RecordMoments(
        counts=first.counts,
        dropped=first.dropped,
        means=means,
        covariances=covariances,
        sums=(counts @ centres) + totals.sum(axis=0),
        minima=first.minima.min(axis=0),
        maxima=first.maxima.max(axis=0),
        grid=None if grid is None else _settled(grid, covariances, counts),
    )


def _short_centres(first: _First) -> FloatArray:
    means = np.nan_to_num(first.means)
    deviations = np.nan_to_num(first.deviations)
    constant = ~(deviations > 0)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        units = np.exp2(np.floor(np.log2(np.where(constant, 1.0, deviations) / 4)))
        centres = np.where(constant, first.minima, np.rint(means / units) * units)
    # A deviation that is nothing beside the mean leaves no shorter number.
    return np.where(np.isfinite(centres), centres, means)


def _by_group(records: Any, values: FloatArray) -> ColumnElement[float]:
    own = literal(float(values[1]), Double)
    return case((records.c.grp == literal(1), own), else_=literal(float(values[0]), Double))


def _misfits(records: Any, grid: ProbedGrid) -> list[ColumnElement[bool]]:
    """Of every column on a grid: whether a record is not on it."""
    found = []
    for place, unit in enumerate(grid.units.tolist()):
        if not unit:
            continue
        value = records.c[f"v{place}"]
        found.append(or_(*_off_grid(records, value, unit, grid, place)))
    return found


def _off_grid(
    records: Any, value: ColumnElement[float], unit: float, grid: ProbedGrid, place: int
) -> list[ColumnElement[bool]]:
    power = 1 / unit
    if power == round(power) or unit == 1.0:  # decimal numbers, in whole numbers exactly
        scaled = value * literal(power, Double)
        near = literal(1e-14, Double) * func.abs(scaled)
    else:
        scaled = (value - _by_group(records, grid.origins[:, place])) / literal(unit, Double)
        near = literal(1e-6, Double)
    conditions = [func.abs(scaled - func.round(scaled)) > near]
    divisors = grid.divisors[:, place].astype(np.float64)
    if (divisors != 1).any():
        move = func.round(
            (value - _by_group(records, grid.origins[:, place])) / literal(unit, Double)
        )
        # A column that has not moved in the probe may not move at all.
        parts = move / _by_group(records, np.where(divisors > 0, divisors, 1.0))
        still = _by_group(records, (divisors == 0).astype(np.float64)) > literal(0.5, Double)
        conditions += [
            func.abs(parts - func.round(parts)) > literal(1e-9, Double),
            and_(still, move != literal(0.0, Double)),
        ]
    return conditions


def _counted(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(cast(case((condition, literal(1)), else_=literal(0)), Integer))


def _refined(
    engine: Engine,
    grouped: Select[Any],
    counts: tuple[int, int],
    grid: ProbedGrid,
    whole: Sequence[bool],
) -> ProbedGrid:
    """The grid once every record is on it: those that are not are taken into the probe."""
    records = grouped.subquery("grouped")
    values, having = probe(engine, grouped, counts, _TIED if grid.tied else PROBE)
    for _ in range(_ROUNDS):
        inside = records.c.grp < literal(2)
        misfits = _misfits(records, grid)
        rows = (
            engine.rows(select(records).where(inside, or_(*misfits)).limit(_SEEN))
            if misfits
            else []
        )
        if not rows:
            return grid
        seen = np.array(rows, dtype=np.float64)
        values = np.asfortranarray(np.vstack([seen[:, 1:], values]))
        having = np.concatenate([seen[:, 0] == 1, having])
        grid = probed_grid(values, having, whole)
    return grid


def _settled(grid: ProbedGrid, covariances: FloatArray, counts: NDArray[np.int64]) -> ProbedGrid:
    """With the deviations of all records where a column moves in steps of its deviation."""
    steps = grid.steps.copy()
    spread = (counts - 1) / np.maximum(counts, 1)
    for place in np.flatnonzero((grid.units == 0) & (grid.steps != 0).any(axis=0)):
        own = np.sqrt(covariances[:, place, place] * spread)
        steps[:, place] = [step or math.inf for step in (*own, own.max())]
    cosets = replace(grid.cosets, counts=(int(counts[0]), int(counts[1])))
    return replace(grid, steps=steps, cosets=cosets)
