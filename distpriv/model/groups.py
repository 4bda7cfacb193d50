"""Moments of the records with a property and of those without: all that closed forms need."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from distpriv.arrays import FloatArray
from distpriv.errors import DistprivError
from distpriv.model.grid import GroupGrids
from distpriv.text import whole

__all__ = ["PROVENANCES", "Groups", "Provenance", "check_sizes", "nested_moments"]

Provenance = Literal["table", "reference", "example"]
PROVENANCES: tuple[Provenance, ...] = ("table", "reference", "example")
"""Where groups come from, the least public first: the released table, public data, an example."""

_BLOCK = 16_384  # records at a time, which stay in the processor's cache


@dataclass(frozen=True, eq=False)
class Groups:
    """What is used of the records without (row 0) and with (row 1) a property.

    Records are never pickled and never printed.
    """

    counts: FloatArray  # (2,), whole numbers of complete records, at least 2
    means: FloatArray  # (2, m), of single records, in units of the columns
    covariances: FloatArray  # (2, m, m), of single records, always with N − 1
    grids: GroupGrids  # of sums over records
    extremes: FloatArray  # (2, m), least and largest values: the data's own, no public bounds
    provenance: Provenance = "table"
    dropped: int = 0  # records that were left out, for a value they need is missing
    # (N_0, m) and (N_1, m), for simulations and exact laws.
    records: tuple[FloatArray, FloatArray] | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls, values: FloatArray, having: FloatArray, label: str, provenance: Provenance = "table"
    ) -> Groups:
        """Compute the groups of a table's records.

        Values, (N, m), are what each record adds to the sums, not finite where it is missing;
        `having`, (N,), is 1 with the property, 0 without, NaN where it is missing, and the label
        its name in errors. DistprivError if a group has fewer than two complete records.
        """
        columns = np.ascontiguousarray(values.T)
        complete = np.isfinite(columns).all(axis=0) & np.isfinite(having)
        groups = [np.flatnonzero(complete & (having == group)) for group in (0, 1)]
        counts = np.array([len(group) for group in groups], dtype=float)
        check_sizes(counts, [int((having == group).sum()) for group in (0, 1)], label)
        parts = [columns.take(group, axis=1) for group in groups]
        moments = [_mean_and_covariance(part) for part in parts]
        return cls(
            counts=counts,
            means=np.array([mean for mean, _ in moments]),
            covariances=np.array([covariance for _, covariance in moments]),
            grids=GroupGrids.of(parts[0].T, parts[1].T),
            extremes=np.array(
                [end([end(part, axis=1) for part in parts], axis=0) for end in (np.min, np.max)]
            ),
            provenance=provenance,
            dropped=len(complete) - int(counts.sum()),
            records=(np.ascontiguousarray(parts[0].T), np.ascontiguousarray(parts[1].T)),
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
        """Return sizes, (2,), and covariances, (2, m, m), of what records are taken from.

        With replacement the groups have no end, and their covariance divides by N; without, it
        divides by N − 1. Nothing else turns one into the other.
        """
        if not replacement:
            return self.counts, self.covariances
        return np.full(2, np.inf), self.covariances * (1 - 1 / self.counts)[:, None, None]


def nested_moments(
    means: FloatArray,
    covariances: FloatArray,
    sizes: FloatArray,
    kept: FloatArray,
    total: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Compute moments of weighted sums of nested subsets of two groups, (u p,) and (u p, u p).

    Of each group, (u, 2), a subset has `kept` records that stand for `total`. Sums of s and of t >=
    s records of a group of N, the first among the second, have covariance s C (1 − t/N); N is ∞
    with replacement. Means, (2, p), and covariances, (2, p, p), are of single records.
    """
    weights = np.divide(total, kept, out=np.zeros_like(total), where=kept > 0)
    fewer, more = np.minimum(kept[:, None], kept), np.maximum(kept[:, None], kept)
    factors = fewer * (1 - more / sizes) * weights[:, None] * weights
    mean = (total @ means).ravel()
    covariance = np.einsum("uvg,gab->uavb", factors, covariances)
    return mean, covariance.reshape(mean.size, mean.size)


def check_sizes(counts: FloatArray, before: list[int], label: str) -> None:
    """Raise DistprivError where a group has too few complete records, of those before."""
    for group, who in enumerate(("without", "with")):
        if counts[group] < 2 <= before[group]:
            rest = "none is" if counts[group] == 0 else "only one is"
            raise DistprivError(
                f"Of the {whole(before[group])} records {who} {label} {rest} complete; leave out "
                "the figure whose column is empty there."
            )
    if not counts.all():
        who = "No" if counts[1] == 0 else "Every"
        raise DistprivError(
            f"{who} complete record has {label}, so there is no share to hide; choose another "
            "secret."
        )
    if counts.min() < 2:
        who = "has" if counts[1] < 2 else "lacks"
        raise DistprivError(
            f"Only one record {who} {label}, too few to say how such records vary; choose another "
            "secret."
        )


def _mean_and_covariance(columns: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Compute them in two passes, the second one block by block."""
    mean, count = columns.mean(axis=1), columns.shape[1]
    products = np.zeros((len(mean), len(mean)))
    for start in range(0, count, _BLOCK):
        away = columns[:, start : start + _BLOCK] - mean[:, None]
        products += away @ away.T
    return mean, products / (count - 1)
