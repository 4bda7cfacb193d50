"""Simulated tables: random subsets of the two groups' records, and their statistics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from distpriv.arrays import FloatArray, generator, integer
from distpriv.errors import DistprivError

if TYPE_CHECKING:
    from distpriv.model.fit import GaussianModel
    from distpriv.model.groups import Groups
    from distpriv.queries import Query

__all__ = ["draw_subsets", "drawn_nested", "records_of", "simulate", "statistics_of", "sums_of"]

Members = NDArray[np.signedinteger] | FloatArray

_MEMBERS = 4_000_000  # at a time
_COUNTED = 1_000_000  # numbers of records at a time
_MULTINOMIAL = 16  # draws of a record from which numbers of each are faster than draws


def simulate(
    model: GaussianModel,
    pair: int = 0,
    count: int = 1000,
    rng: np.random.Generator | int | None = None,
) -> FloatArray:
    """Draw tables at both shares of a pair, and compute their statistics, shape (2, count, m).

    The model has its groups' records, as `fit_gaussian` gives it, else it is a DistprivError.
    """
    fitted, stream = model.pair_at(pair), generator(rng)
    count = integer("The number of simulated tables", count, 1)
    records, draws = records_of(fitted.groups), np.empty((2, count, len(model.query)))
    for share, numbers in enumerate(fitted.numbers):
        most = min(numbers.sum(), _MULTINOMIAL * fitted.groups.counts.sum())
        block = max(1, _MEMBERS // int(most))
        for start in range(0, count, block):
            rows = min(block, count - start)
            members = [
                drawn_nested(len(group), size, rows, stream, model.replacement)[0]
                for group, size in zip(records, numbers[:, None], strict=True)
            ]
            draws[share, start : start + rows] = statistics_of(model.query, records, members)
    return draws


def records_of(groups: Groups) -> tuple[FloatArray, FloatArray]:
    """Return the groups' records, (N_0, w) and (N_1, w); DistprivError if there are none."""
    if groups.records is None:
        raise DistprivError(
            "The model holds moments and no records to draw from; fit it to a table in memory, or "
            "to a sample by columns()."
        )
    return groups.records


def statistics_of(
    query: Query,
    records: Sequence[FloatArray],
    members: Sequence[Members],
    weights: Sequence[float] | FloatArray = (1.0, 1.0),
) -> FloatArray:
    """Compute the statistics of datasets from their members, of any query, shape (datasets, m).

    Records of both groups, (N_g, w), are as ``Groups.records`` and ``Query.values`` have them.
    Members are places of each dataset's among the records of either group, whole numbers of shape
    (datasets, size); or how often each record is one, floats of shape (datasets, N_g). Weights are
    how many records a member of each group stands for: ``stands_for / kept`` of a release that
    keeps some.
    """
    counted = any(some.dtype.kind == "f" for some in members)
    sizes = [some[0].sum() if some.dtype.kind == "f" else some.shape[1] for some in members]
    result = np.empty((len(members[0]), len(query)))
    linear = [at for at, one in enumerate(query.statistics) if one.linear]
    parts = list(zip(weights, records, members, strict=True))
    if linear:
        columns = slice(None) if query.linear else [query.places[at].start for at in linear]
        sums = sum(weight * sums_of(group[:, columns], some) for weight, group, some in parts)
        result[:, linear] = sums * query.scales(round(float(np.dot(weights, sizes))))[linear]
    if query.linear:
        return result
    everyone = np.concatenate(records)
    counted |= 4 * sum(sizes) > len(everyone)
    block = max(1, _COUNTED // (len(everyone) if counted else max(sum(sizes), 1)))
    for start in range(0, len(result), block):
        rows = slice(start, start + block)
        times = values = None
        if counted:
            times = np.hstack([w * _times(some[rows], len(group)) for w, group, some in parts])
        elif any(weight != 1 for weight in weights):
            times = np.repeat(weights, sizes)
        for at, (one, place) in enumerate(zip(query.statistics, query.places, strict=True)):
            if one.linear:
                continue
            values = everyone[:, place]
            if not counted:
                chosen = [group[:, place][some[rows]] for _, group, some in parts]
                values = np.concatenate(chosen, axis=1)
            result[rows, at] = one.of(values, times)
    return result


def sums_of(values: FloatArray, members: Members) -> FloatArray:
    """Sum the values, shape (N, p), of datasets' members, see `statistics_of`: (datasets, p)."""
    from scipy.sparse import csr_array

    if members.dtype.kind == "f":
        return np.asarray(members @ values)
    rows, size = members.shape
    if 4 * size > len(values):  # numbers of each record are faster than adding the members up
        return np.array([np.bincount(row, minlength=len(values)) @ values for row in members])
    starts = np.arange(rows + 1, dtype=np.int64) * size
    if members.size < 2**31:
        starts = starts.astype(members.dtype)
    weights = csr_array((np.ones(members.size), members.ravel(), starts), (rows, len(values)))
    return np.asarray(weights @ values)


def _times(members: Members, population: int) -> FloatArray:
    """Count how often each record is a member, shape (datasets, population)."""
    if members.dtype.kind == "f":
        return np.asarray(members, dtype=float)
    return np.array([np.bincount(row, minlength=population) for row in members], dtype=float)


def drawn_nested(
    population: int, sizes: FloatArray, rows: int, rng: np.random.Generator, replacement: bool
) -> list[Members]:
    """Draw nested random subsets of a group, so many rows of each size, see `statistics_of`."""
    if not replacement or sizes.max() <= _MULTINOMIAL * population:
        members = draw_subsets(population, int(sizes.max()), rows, rng, replacement)
        return [members[:, : int(size)] for size in sizes]
    times, before, share = np.zeros((rows, population)), 0, np.full(population, 1 / population)
    counted = {}
    for size in sorted(set(sizes.astype(int).tolist())):
        times = times + rng.multinomial(size - before, share, rows)
        counted[size], before = times, size
    return [counted[int(size)] for size in sizes]


def draw_subsets(
    population: int, size: int, rows: int, rng: np.random.Generator, replacement: bool = False
) -> NDArray[np.signedinteger]:
    """Draw subsets of ``range(population)`` in random order, shape (rows, size), all independent.

    Without replacement, a member that equals an earlier one of its row is drawn again until all
    differ. The rule knows of members only whether they are equal, so by symmetry every sequence of
    different members is equally likely: the first few of a row are a random subset too.
    """
    kind: type[np.signedinteger] = np.int32 if population < 2**31 else np.int64
    if replacement or not size:
        return rng.integers(max(population, 1), size=(rows, size), dtype=kind)
    if size > population:
        raise ValueError(f"There are no {size} different members among {population}.")
    if size > population / 4:
        everyone = np.broadcast_to(np.arange(population, dtype=kind), (rows, population))
        return rng.permuted(everyone, axis=1)[:, :size]
    members = rng.integers(population, size=(rows, size), dtype=kind)
    places, bits = np.arange(size), (size - 1).bit_length()
    unsure = np.arange(rows)
    while len(unsure):
        order = np.sort((members[unsure].astype(np.int64) << bits) | places, axis=1)
        ranked = order >> bits
        row, at = np.nonzero(ranked[:, 1:] == ranked[:, :-1])
        again = order[row, at + 1] & ((1 << bits) - 1)
        members[unsure[row], again] = rng.integers(population, size=len(row), dtype=kind)
        unsure = unsure[np.unique(row)]
    return members
