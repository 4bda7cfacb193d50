"""Moments of the records with a property and of those without: all that closed forms need of a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from distpriv.arrays import FloatArray
from distpriv.errors import DistprivError
from distpriv.model.grid import GroupGrids

__all__ = ["PROVENANCES", "Groups", "Provenance"]

Provenance = Literal["table", "reference", "example"]
PROVENANCES: tuple[Provenance, ...] = ("table", "reference", "example")
"""Where groups come from, the least public first: the table that is released, public reference data,
an example."""

_BLOCK = 16_384  # records at a time, which stay in the processor's cache


@dataclass(frozen=True, eq=False)
class Groups:
    """What is used of the records without (row 0) and with (row 1) a property.

    Records are never pickled and never printed.

    Attributes
    ----------
    counts : ndarray of int, shape (2,)
    means : ndarray, shape (2, m)
        Of single records, in units of the columns.
    covariances : ndarray, shape (2, m, m)
        Of single records, always with N − 1.
    grids : GroupGrids
        Of sums over records.
    extremes : ndarray, shape (2, m)
        Least and largest value of each column; they are the data's own and no public bounds.
    provenance : str
        One of ``PROVENANCES``.
    dropped : int
        Records that were left out, for a value they need is missing.
    records : (ndarray, ndarray) or None
        Of shape (N_0, m) and (N_1, m), for simulations and exact laws.
    """

    counts: FloatArray
    means: FloatArray
    covariances: FloatArray
    grids: GroupGrids
    extremes: FloatArray
    provenance: Provenance = "table"
    dropped: int = 0
    records: tuple[FloatArray, FloatArray] | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls, values: FloatArray, having: FloatArray, label: str, provenance: Provenance = "table"
    ) -> Groups:
        """Compute the groups of a table's records.

        Parameters
        ----------
        values : ndarray, shape (N, m)
            What each record adds to the sums; not finite where it is missing.
        having : ndarray, shape (N,)
            1 with the property, 0 without, NaN where it is missing.
        label : str
            The property's name, for errors.
        provenance : str

        Raises
        ------
        DistprivError
            If a group has fewer than two complete records.
        """
        complete = np.logical_and.reduce([np.isfinite(each) for each in (*values.T, having)])
        flags = having.compress(complete) == 1  # many times as fast as indexing by flags
        kept = values.compress(complete, axis=0)
        parts = (kept.compress(~flags, axis=0), kept.compress(flags, axis=0))
        _check_sizes(len(parts[0]), len(parts[1]), label)
        moments = [_mean_and_covariance(part) for part in parts]
        return cls(
            counts=np.array([len(part) for part in parts], dtype=float),
            means=np.array([mean for mean, _ in moments]),
            covariances=np.array([covariance for _, covariance in moments]),
            grids=GroupGrids.of(*parts),
            extremes=np.array([[c.min() for c in kept.T], [c.max() for c in kept.T]]),
            provenance=provenance,
            dropped=int(len(complete) - complete.sum()),
            records=parts,
        )

    def __repr__(self) -> str:
        without, having = self.counts
        return f"Groups({having:.0f} records with and {without:.0f} without, {self.provenance!r})"

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"records": None}

    @property
    def share(self) -> float:
        """Share of complete records with the property, a fraction."""
        return float(self.counts[1] / self.counts.sum())

    def population(self, replacement: bool) -> tuple[FloatArray, FloatArray]:
        """Return sizes, (2,), and covariances, (2, m, m), of the groups that records are taken from.

        With replacement the groups have no end, and their covariance divides by N; without, it divides
        by N − 1. Nothing else in the house turns one into the other.
        """
        if not replacement:
            return self.counts, self.covariances
        return np.full(2, np.inf), self.covariances * (1 - 1 / self.counts)[:, None, None]


def _check_sizes(without: int, having: int, label: str) -> None:
    if having == 0 or without == 0:
        who = "No" if having == 0 else "Every"
        raise DistprivError(
            f"{who} complete record has {label}, so there is no share to hide; choose another secret."
        )
    if min(without, having) < 2:
        who = "has" if having < 2 else "lacks"
        raise DistprivError(
            f"Only one record {who} {label}, too few to say how such records vary; choose another "
            "secret."
        )


def _mean_and_covariance(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """In two passes (Chan, Golub & LeVeque 1983, Equation 1.7), block by block."""
    mean = values.mean(axis=0)
    rest, products = np.zeros_like(mean), np.zeros((len(mean), len(mean)))
    for start in range(0, len(values), _BLOCK):
        away = values[start : start + _BLOCK] - mean
        rest += away.sum(axis=0)
        products += away.T @ away
    products -= np.outer(rest, rest) / len(values)
    return mean + rest / len(values), products / (len(values) - 1)
