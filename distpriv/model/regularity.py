"""Whether a model can be fitted and worked with: enough records, a regular covariance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from distpriv.errors import ModelError
from distpriv.model.theta import Theta
from distpriv.queries.properties import Pair
from distpriv.queries.statistics import Query
from distpriv.words import exact, share

__all__ = ["check_any", "check_drawable", "check_enough", "check_regular"]

FloatArray = NDArray[np.float64]


def check_any(pairs: Sequence[Pair]) -> None:
    """At least one pair, or `ModelError`."""
    if not pairs:
        raise ModelError("A model needs at least one pair of proportions; add one.")


def check_regular(pooled: FloatArray, magnitudes: FloatArray, query: Query) -> None:
    """Name the statistics that make a covariance singular, or too large to compute with.

    Parameters
    ----------
    pooled : ndarray, shape (m, m)
        Mean of a pair's two covariances.
    magnitudes : ndarray, shape (m,)
        How large the statistics are, to tell a variance of zero from rounding.
    query : Query of m statistics

    Raises
    ------
    ModelError
        If a statistic is constant, determined by others, or overflows.
    """
    labels = query.labels
    overflowing = np.flatnonzero(~np.isfinite(pooled).all(axis=1))
    if overflowing.size:
        raise ModelError(
            f"The values of the statistic {labels[overflowing[0]]!r} are too large to compute "
            "with; express its column in a larger unit, or leave it out."
        )
    variances = np.diag(pooled)
    constant = np.flatnonzero(variances <= 1e-24 * magnitudes**2)
    if constant.size:
        raise ModelError(
            f"The statistic {labels[constant[0]]!r} does not vary between subsets with the same "
            "share, so the model's covariance is singular; leave it out."
        )
    deviations = np.sqrt(variances)
    eigenvalues, eigenvectors = np.linalg.eigh(pooled / np.outer(deviations, deviations))
    if eigenvalues[0] > 1e-10:
        return
    involved = np.flatnonzero(np.abs(eigenvectors[:, 0]) > 0.1)
    names = " and ".join(repr(labels[index]) for index in involved)
    raise ModelError(
        f"The statistics {names} determine each other, so the model's covariance is singular; "
        "leave one of them out."
    )


class _Drawn(Protocol):
    """Records that datasets are drawn from."""

    @property
    def counts(self) -> tuple[int, int]: ...
    @property
    def totals(self) -> tuple[int, int]: ...


def check_drawable(groups: _Drawn, *thetas: Theta) -> None:
    """The same for records that may be a sample of a table's.

    Of more records than the sample has, its own error would drown the spread of the datasets.

    Raises
    ------
    ModelError
        If a group has fewer records than a subset needs, or its sample does.
    """
    check_enough(groups.totals, *thetas)
    if groups.counts != groups.totals:
        one_by_one = [replace(theta, replacement=False) for theta in thetas]
        check_enough(groups.counts, *one_by_one, sampled=True)


def check_enough(counts: tuple[int, int], *thetas: Theta, sampled: bool = False) -> None:
    """Refuse proportions that a group has too few records for, and say what would work.

    Parameters
    ----------
    counts : tuple of int
        N_0 and N_1.
    thetas : Theta
    sampled : bool
        Whether these are the records of a sample that stands for a table.

    Raises
    ------
    ModelError
        If a group has fewer records than a subset needs.
    """
    if all(_fits(counts, theta, theta.n) for theta in thetas):
        return
    theta = next(theta for theta in thetas if not _fits(counts, theta, theta.n))
    short = int(theta.needs[1] > counts[1])
    # Rounding n·p adds less than one record; without this start a huge n would take minutes.
    largest_n = theta.n - 1
    for other in thetas:
        for count, part in zip(counts, (1 - other.proportion, other.proportion), strict=True):
            if part > 0:
                largest_n = min(largest_n, math.ceil((count + 1) / part))
    while largest_n > 1 and not all(_fits(counts, other, largest_n) for other in thetas):
        largest_n -= 1
    proportions = [other.proportion for other in thetas]
    center = (min(proportions) + max(proportions)) / 2
    widest = 2 * min(counts[1] / theta.n - center, center - 1 + counts[0] / theta.n)
    advice = []
    if largest_n > 1:
        advice.append(f"take n at most {exact(largest_n)}")
    if len(thetas) > 1 and widest >= 0.01:
        advice.append(f"take Δp at most {math.floor(100 * widest + 1e-9) / 100:g}")
    advice.append("take a larger sample" if sampled else "draw with replacement")
    there = "the random sample that is simulated with has" if sampled else "there are"
    needed = theta.needs[short]
    needs = "needs" if theta.fixed else "may need"
    raise ModelError(
        f"A subset of {exact(theta.n)} records with a share of {share(theta.proportion)} {needs} "
        f"{exact(needed)} records that {'have' if short else 'do not have'} the property "
        f"{theta.secret.label!r}, but {there} only {exact(counts[short])}; {', or '.join(advice)}."
    )


def _fits(counts: tuple[int, int], theta: Theta, n: int) -> bool:
    if theta.replacement:
        return True
    other = replace(theta, n=n)
    return all(need <= count for need, count in zip(other.needs, counts, strict=True))
