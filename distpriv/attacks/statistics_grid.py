"""What an attacker knows of the digits of a release: the grid, its cosets, the rounding."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from distpriv.mechanisms.release import released_decimals
from distpriv.model.cosets import Cosets, cosets_of
from distpriv.model.grid import column_step
from distpriv.model.moments import RecordGroups
from distpriv.model.theta import Theta
from distpriv.privacy.noise import Noise
from distpriv.queries.statistics import Query

__all__ = ["CosetCounts", "Grid", "last_places", "rounded"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int_]
_CERTAIN = 1e6  # a logarithm of odds


@dataclass(frozen=True, eq=False)
class CosetCounts:
    """What the last digits of statistics say of how many records have the property.

    Attributes
    ----------
    cosets : Cosets
        Of the statistics.
    thetas : tuple of two Theta
    """

    cosets: Cosets
    thetas: tuple[Theta, Theta]

    def weighed(self, likelihoods: FloatArray, statistics: FloatArray) -> FloatArray:
        """Return log-likelihoods of statistics under both shares that know their coset too.

        Given k, how many records have the property, statistics have one law under both shares, so
        that where the coset tells k nothing else matters.

        Parameters
        ----------
        likelihoods : ndarray, shape (2, rows)
            By what is known without the cosets.
        statistics : ndarray, shape (rows, m)

        Returns
        -------
        ndarray, shape (2, rows)
            The same as before where a coset is none of either.
        """
        laws = [theta.count_law() for theta in self.thetas]
        numbers = np.unique(np.concatenate([values for values, _ in laws]))
        fits = self.cosets.holding(statistics, self.thetas[0].n, numbers)
        masses = np.array([fits[:, np.searchsorted(numbers, k)] @ law for k, law in laws])
        with np.errstate(divide="ignore"):
            told = np.maximum(np.log(masses), -_CERTAIN)
        plain = np.where(fits.sum(axis=1) == 1, likelihoods.mean(axis=0), likelihoods)
        return np.where(fits.any(axis=1), plain + told, likelihoods)


@dataclass(frozen=True, eq=False)
class Grid:
    """Where the statistics can lie: whole multiples of a step away from an origin.

    Attributes
    ----------
    steps : ndarray, shape (m,)
        0 for a statistic on no grid.
    origin : ndarray, shape (m,)
        0 there.
    counts : CosetCounts or None
        What the coset of the joint grid says of the number of records with the property; None where
        it says nothing.
    """

    steps: FloatArray
    origin: FloatArray
    counts: CosetCounts | None = None

    @classmethod
    def of_records(cls, groups: RecordGroups, query: Query, thetas: tuple[Theta, Theta]) -> Grid:
        """Of the statistics of n of these records.

        A grid that every dataset is on, whatever its share: that of all records together, each
        statistic by itself. (:meth:`GaussianModel.steps` are the steps of one while all others
        stay, which are wider where columns are tied to each other: on the safe side for noise.)
        """
        n = thetas[0].n
        cosets = cosets_of(query, groups.cosets, n)
        values = np.vstack([groups.without, groups.having])
        column_steps = [_step(column) for column in values.T]
        steps = np.nan_to_num(query.steps(n, np.array(column_steps)), nan=0.0, posinf=0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            origin = query.evaluate(np.tile(values[0], (1, n, 1)))[0]
        counts = None if cosets.agree else CosetCounts(cosets, thetas)
        return cls(steps, np.where(steps > 0, np.nan_to_num(origin), 0.0), counts)

    @property
    def places(self) -> IntArray:
        """Which statistics are on a grid."""
        return np.flatnonzero(self.steps)

    def nearest(self, values: FloatArray, places: IntArray) -> FloatArray:
        """The nearest points of the grids of some statistics, shape (..., len(places))."""
        steps, origin = self.steps[places], self.origin[places]
        return np.asarray(origin + steps * np.rint((values - origin) / steps))


def _step(column: FloatArray) -> float:
    """Of all values of a column; 0 where they are on no grid, or do not move."""
    step = column_step(column)
    if not 0 < step < math.inf:
        return 0.0
    counts = (column - column[0]) / step
    return step if np.abs(counts - np.rint(counts)).max() < 1e-6 else 0.0


def last_places(noise: Noise) -> FloatArray:
    """Units of the last place that a release with this noise has, shape (m,); 0 if not rounded."""
    places = released_decimals(noise)
    return np.array([0.0 if place is None else 10.0**-place for place in places])


def rounded(releases: FloatArray, noise: Noise) -> FloatArray:
    """Releases of shape (rows, m), rounded as :func:`distpriv.draw_release` does."""
    units = last_places(noise)
    whole = np.where(units > 0, units, 1.0)
    return np.where(units > 0, np.rint(releases / whole) * whole, releases)
