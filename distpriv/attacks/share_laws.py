"""The exact law of a release for every share that it may have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from distpriv.errors import ModelError
from distpriv.model.population import Population
from distpriv.model.theta import Theta
from distpriv.privacy.exact_laws import check_statistics, outcome_laws
from distpriv.privacy.noise import Noise
from distpriv.queries.statistics import Query

__all__ = ["ShareLaw", "mixture_logs", "mixture_noise", "share_laws"]

FloatArray = NDArray[np.float64]

_SHARES = 201
_MOST = {1: 60_000, 2: 600_000, 3: 100_000}  # probabilities of all shares, by counts
_MOST_OF_SUMS = 800_000
_REMEMBERED = 6_000_000
_NEVER = 1e-30  # of an outcome
_SAME = 5e-7  # of a statistic, between what was entered with six digits and what it can be
_FARTHEST = 1e100  # standard deviations; the square is far from overflow still
_LEAST_VARIANCE = 1e-12  # of the usual one


@dataclass(frozen=True, eq=False)
class ShareLaw:
    """Law of the statistics where a certain share of the n records has the property.

    Attributes
    ----------
    points : ndarray, shape (P, m)
        The values that the statistics can take.
    masses : ndarray, shape (P,)
        Their probabilities.
    """

    points: FloatArray
    masses: FloatArray

    def draw(self, uniform: FloatArray) -> FloatArray:
        """Return the statistics at these quantiles, one statistic given those before it.

        Parameters
        ----------
        uniform : ndarray, shape (m,), each in (0, 1)
        """
        points, masses = self.points, self.masses
        for axis, quantile in enumerate(uniform):
            values, places = np.unique(points[:, axis], return_inverse=True)
            below = np.cumsum(np.bincount(places, masses))
            chosen = min(int(np.searchsorted(below, quantile * below[-1])), len(values) - 1)
            points, masses = points[places == chosen], masses[places == chosen]
        return np.asarray(points[0])


def share_laws(
    population: Population | None, query: Query, n: int, replacement: bool, shares: Sequence[float]
) -> list[ShareLaw] | None:
    """Return the law for each share of the n records, None where the laws are not known.

    They are known for statistics as :func:`distpriv.exact_law` has them, of so few records that all
    shares together take a second or two: up to 297 for one count, 83 for two, 16 for three. They
    are remembered with the records.

    Parameters
    ----------
    population : Population or None
    query : Query
    n : int
    replacement : bool
    shares : sequence of float
        Possible each.
    """
    if population is None or population.query != query or not shares:
        return None
    laws: dict[Theta, ShareLaw | None] = population.computed("share laws", dict)
    thetas = [Theta(population.secret, share, n, replacement) for share in shares]
    # Shares of the same number of records have one law.
    thetas = [Theta(population.secret, theta.having / n, n, replacement) for theta in thetas]
    missing = [theta for theta in dict.fromkeys(thetas) if theta not in laws]
    if missing:
        if sum(law.masses.size for law in laws.values() if law is not None) > _REMEMBERED:
            laws.clear()
            missing = list(dict.fromkeys(thetas))
        computed = _laws(population, query, missing)
        laws |= (
            dict.fromkeys(missing)
            if computed is None
            else dict(zip(missing, computed, strict=True))
        )
    found = [law for theta in thetas if (law := laws[theta]) is not None]
    return found if len(found) == len(thetas) else None


def mixture_noise(noise: Noise | None, m: int) -> FloatArray | None:
    """Return the covariance of noise that mixes all outcomes, or of none; None for other noise.

    Laplace noise, and noise that leaves a direction bare, are other noise.

    Parameters
    ----------
    noise : Noise or None
    m : int
        Number of statistics.
    """
    if noise is None or noise.is_zero:
        return np.zeros((m, m))
    if noise.distribution != "gaussian":
        return None
    covariance = noise.covariance
    units = np.sqrt(covariance.diagonal())
    if not units.all():
        return None
    least = np.linalg.eigvalsh(covariance / np.outer(units, units))[0]
    return covariance if least > _LEAST_VARIANCE else None


def mixture_logs(
    laws: Sequence[ShareLaw], released: FloatArray, covariance: FloatArray
) -> FloatArray:
    """Return the log-density of a release under each of K laws, up to a common constant.

    Parameters
    ----------
    laws : sequence of K ShareLaw
    released : ndarray, shape (m,)
    covariance : ndarray, shape (m, m)
        See :func:`mixture_noise`. Without noise the outcomes count that are the release but for
        half a millionth of it, and −∞ comes out where there are none.
    """
    if not covariance.any():
        room = _SAME * np.maximum(np.abs(released), 1.0)
        masses = [law.masses[(np.abs(released - law.points) <= room).all(1)].sum() for law in laws]
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(masses))
    units = np.sqrt(covariance.diagonal())
    whitened = np.linalg.inv(np.linalg.cholesky(covariance / np.outer(units, units))).T
    logs = []
    for law in laws:
        with np.errstate(over="ignore"):
            away = np.clip((released - law.points) / units, -_FARTHEST, _FARTHEST) @ whitened
        logs.append(logsumexp(-(away**2).sum(axis=1) / 2, b=law.masses))
    return np.array(logs)


def _laws(population: Population, query: Query, thetas: Sequence[Theta]) -> list[ShareLaw] | None:
    """Return the laws of some shares; None if those of all shares would take too long."""
    n = thetas[0].n
    try:
        check_statistics(query, n)
        if query.statistics[0].indicates:
            size, most = (n + 1) ** len(query), _MOST[len(query)]
        else:
            middle = thetas[len(thetas) // 2]
            size, most = outcome_laws(population.groups, query, [middle])[0].size, _MOST_OF_SUMS
        if min(n + 1, _SHARES) * size > most:
            return None
        probabilities, step, origin = outcome_laws(population.groups, query, thetas)
    except ModelError:
        return None
    laws = []
    for masses in probabilities:
        index = np.flatnonzero(masses > _NEVER)
        places = np.array(np.unravel_index(index, masses.shape)).T
        points = (origin + places * step) * query.scales(n)
        laws.append(ShareLaw(points, masses.ravel()[index]))
    return laws
