"""Simulated tables: random subsets of the two groups' records, and their statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from distpriv.arrays import FloatArray
from distpriv.errors import DistprivError

if TYPE_CHECKING:
    from distpriv.model.fit import GaussianModel

__all__ = ["draw_subsets", "simulate", "subset_sums"]

_MEMBERS = 4_000_000  # at a time
_MULTINOMIAL = 16  # draws of a record from which numbers of each are faster than draws


def simulate(
    model: GaussianModel,
    pair: int = 0,
    count: int = 1000,
    rng: np.random.Generator | int | None = None,
) -> FloatArray:
    """Draw tables at both shares of a pair, and compute their statistics.

    Parameters
    ----------
    model : GaussianModel
        With its groups' records, as `fit_gaussian` gives it.
    pair : int
    count : int
        Tables at each share.
    rng : Generator, int or None

    Returns
    -------
    ndarray, shape (2, count, m)

    Raises
    ------
    DistprivError
        If the model came without records.
    """
    fitted, generator = model.pairs[pair], np.random.default_rng(rng)
    records = fitted.groups.records
    if records is None:
        raise DistprivError(
            "The model holds moments and no records to draw from; fit it to the table again."
        )
    sums = [
        sum(
            _sums(group, int(size), count, generator, model.replacement)
            for group, size in zip(records, row, strict=True)
        )
        for row in fitted.numbers
    ]
    return np.asarray(np.array(sums) * model.scales)


def _sums(
    values: FloatArray, size: int, count: int, rng: np.random.Generator, replacement: bool
) -> FloatArray:
    """Draw subsets of a group, and sum their records, shape (count, m)."""
    population, sums = len(values), np.zeros((count, values.shape[1]))
    often = replacement and size > _MULTINOMIAL * population
    complement = not replacement and size > population / 2
    members = population if often else population - size if complement else size
    block = max(1, _MEMBERS // max(min(4 * members, population), members, 1))
    for start in range(0, count, block):
        part = sums[start : start + block]
        if often:
            times = rng.multinomial(size, np.full(population, 1 / population), len(part))
            part[:] = times.astype(float) @ values
        else:
            part[:] = subset_sums(
                values, draw_subsets(population, members, len(part), rng, replacement)
            )
    return np.asarray(values.sum(axis=0) - sums) if complement else sums


def draw_subsets(
    population: int, size: int, rows: int, rng: np.random.Generator, replacement: bool = False
) -> NDArray[np.signedinteger]:
    """Draw subsets of ``range(population)`` in random order, each uniform and independent.

    Without replacement, a member that equals an earlier one of its row is drawn again until all
    differ. The rule knows of members only whether they are equal, so by symmetry every sequence of
    different members is equally likely: the first few of a row are a random subset too.

    Returns
    -------
    ndarray of int, shape (rows, size)

    Raises
    ------
    ValueError
        If a subset without replacement is larger than the population.
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


def subset_sums(values: FloatArray, members: NDArray[np.signedinteger]) -> FloatArray:
    """Sum the values, shape (N, m), of each subset's members, shape (rows, size): (rows, m)."""
    from scipy.sparse import csr_array

    rows, size = members.shape
    if 4 * size > len(values):  # numbers of each record are faster than adding the members up
        return np.array([np.bincount(row, minlength=len(values)) @ values for row in members])
    starts = np.arange(rows + 1, dtype=np.int64) * size
    if members.size < 2**31:
        starts = starts.astype(members.dtype)
    weights = csr_array((np.ones(members.size), members.ravel(), starts), (rows, len(values)))
    return np.asarray(weights @ values)
