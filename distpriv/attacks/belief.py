"""What an attacker believes about the share after a release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from distpriv.arrays import FloatArray, numbers
from distpriv.attacks.arithmetic import ShareLaws, lattices, log_density
from distpriv.display import Result, plain
from distpriv.errors import DistprivError
from distpriv.model import AS_IT_IS, GaussianModel, PairModel, Release, check_release, fit_groups
from distpriv.model.fit import law_of_sums
from distpriv.privacy.exact_law import known_law
from distpriv.queries import Pair
from distpriv.text import percent

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Belief", "posterior"]

_KNOTS, _TABLES = 8, 300  # shares at which simulated laws are computed, and tables at each
_EXACT = 1e-4  # of a step: how exactly figures are known
_REACH = 12.0, 45.0  # deviations and scales of noise


@dataclass(frozen=True, eq=False, repr=False)
class Belief(Result):
    """Belief in each of several shares before and after a release, each of sum 1.

    By the "exact" law, the "model", or "any data". The prior is 0 at shares at which there is no
    such release.
    """

    shares: FloatArray  # (S,)
    prior: FloatArray
    posterior: FloatArray
    law: str

    def __repr__(self) -> str:
        place = int(self.posterior.argmax())
        share, chance = percent(self.shares[place]), percent(self.posterior[place])
        several = f"most of {len(self.shares)} shares in {share}, {chance} sure"
        return plain(f"Belief({several}; by the {self.law!r} law)")

    def to_frame(self) -> pd.DataFrame:
        """Return columns share, prior and posterior."""
        import pandas as pd

        beliefs = {"prior": self.prior, "posterior": self.posterior}
        return pd.DataFrame({"share": self.shares} | beliefs)


def posterior(
    model: GaussianModel,
    release: Release | None,
    value: Sequence[float] | FloatArray,
    prior: Sequence[float] | FloatArray | None = None,
    shares: Sequence[float] | FloatArray | None = None,
    pair: int = 0,
) -> Belief:
    """Compute the attacker's belief in each share from a released value, by Bayes's rule.

    By the exact law where it is at hand, else by normal laws N(μ_p, Σ_p + S) and the grid of the
    statistics. A release that keeps a fixed number of each group's records has one law at all
    shares that have as many, and leaves the prior as it is. Shares, (S,), are 0, 0.01, … 1 by
    default, and mean whole numbers of records; the prior belief, (S,), of any sum, is by default
    the same in all. DistprivError if value, (m,), prior, shares and release do not fit together, or
    there is no such release at any share with a prior.
    """
    check_release(model, release)
    release, fitted = release or AS_IT_IS, model.pair_at(pair)
    y = numbers("A released figure", value)
    if y.shape != (len(model.query),):
        raise DistprivError(
            f"A released value has {len(model.query)} finite figures, as the query; it is {value}."
        )
    places = np.linspace(0, 1, 101) if shares is None else numbers("A share", shares, 0, 1)
    if places.ndim != 1:
        raise DistprivError(f"Shares form a list of numbers from 0 to 1; they are {shares}.")
    before = np.ones(len(places)) if prior is None else numbers("A prior", prior, 0)
    if before.shape != places.shape:
        raise DistprivError("A prior has a number from 0 on for each of the shares.")
    having = np.floor(np.round(model.n * places, 9) + 0.5)
    counts = np.stack([model.n - having, having], axis=1)
    sizes, _ = fitted.groups.population(model.replacement)
    least = 0 if release.kept is None else release.kept
    before = before * ((counts <= sizes) & (counts >= least)).all(axis=1)
    if not 0 < before.sum() < np.inf:
        raise DistprivError(
            "There is no such release at any share with a prior; choose other shares or another "
            "prior."
        )
    before, some = before / before.sum(), before > 0
    after, law = before, "any data"
    if release.additive:
        logs, law = _log_densities(model, fitted, release, y, counts[some])
        after = np.zeros(len(before))
        after[some] = special.softmax(np.log(before[some]) + logs)
    return Belief(places, before, after, law)


def _log_densities(
    model: GaussianModel, fitted: PairModel, release: Release, y: FloatArray, numbers: FloatArray
) -> tuple[FloatArray, str]:
    """Log-densities of a value for numbers of records (S, 2), but for a constant, and by what."""
    exact = _by_exact_laws(model, fitted, release, y, numbers)
    if exact is not None:
        return exact, "exact"
    groups, records = fitted.groups, fitted.groups.records
    scales, m = model.scales, len(y)
    bases: list[FloatArray] = [np.zeros((0, m))] * len(numbers)
    origins = np.zeros((len(numbers), m))
    if model.query.linear:
        means, covariances = law_of_sums(groups, numbers, scales, model.replacement)
        if records is not None:
            sizes, _ = groups.population(model.replacement)
            bases, origins = lattices(groups.grids, records, numbers, sizes, scales)
    else:
        means, covariances = _simulated(model, fitted, numbers)
    laws = ShareLaws(means, covariances, bases, origins)
    return laws.log_densities(y[None], release)[0][:, 0], "model"


def _models(
    model: GaussianModel, fitted: PairModel, having: FloatArray, tables: int | None = None
) -> list[GaussianModel]:
    """Return models of pairs of shares that together have all these numbers of records, rising."""
    groups = replace(fitted.groups)  # whose exact laws do not drive others out
    places = np.minimum(np.arange(0, len(having), 2), len(having) - 2)
    shares = np.stack([having[places], having[places + 1]], axis=1) / model.n
    pairs = [Pair(fitted.pair.secret, *ends) for ends in shares.tolist()]
    return [
        fit_groups([groups], model.query, [one], model.n, model.replacement, tables=tables)
        for one in pairs
    ]


def _simulated(
    model: GaussianModel, fitted: PairModel, numbers: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Means and covariances between those at the pair's shares and some others."""
    having, fixed, laws = np.unique(numbers[:, 1]), fitted.numbers[:, 1], [fitted]
    if not np.isin(having, fixed).all():
        some = having[np.linspace(0, len(having) - 1, _KNOTS).astype(int)]
        knots = np.union1d(some, fixed)
        laws += [one.pairs[0] for one in _models(model, fitted, knots, _TABLES)]
    at, place = np.unique(np.concatenate([one.numbers[:, 1] for one in laws]), return_index=True)
    means = np.concatenate([one.means for one in laws])[place]
    covariances = np.concatenate([one.covariances for one in laws])[place]
    weights = np.array([np.interp(numbers[:, 1], at, row) for row in np.eye(len(at))]).T
    return weights @ means, np.tensordot(weights, covariances, 1)


def _by_exact_laws(
    model: GaussianModel, fitted: PairModel, release: Release, y: FloatArray, numbers: FloatArray
) -> FloatArray | None:
    """Log-densities by exact laws; None if they are not at hand, or would take too long."""
    having = np.unique(numbers[:, 1])
    if np.isin(having, fitted.numbers[:, 1]).all():
        models = [model]
    elif len(y) > 1 or len(having) < 2 or known_law(fitted, model) is None:
        return None
    else:
        models = _models(model, fitted, having)
    m = len(y)
    noise, laplace = release.normal(m), release.laplace(m)
    logs: dict[float, float] = {}
    for one in models:
        pair = fitted if one is model else one.pairs[0]
        law = known_law(pair, one)
        if law is None:
            return None
        trusted = noise + np.diag((_EXACT * law.steps) ** 2)
        far = _REACH[0] * np.sqrt(np.diagonal(trusted)) + _REACH[1] * np.abs(laplace).sum(axis=1)
        axes, near = [], []
        for axis in range(m):
            others = tuple(1 + other for other in range(m) if other != axis)
            margins = law.probabilities.sum(axis=others)
            places = np.arange(margins.shape[1]) * law.steps[axis]
            places += pair.means[0, axis] - margins[0] @ places
            away = np.abs(y[axis] - places)
            near.append(np.flatnonzero(away <= max(far[axis], away.min())))
            axes.append(places[near[-1]])
        points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, m)
        density = log_density(y - points, trusted, laplace)
        for k, masses in zip(pair.numbers[:, 1].tolist(), law.probabilities, strict=True):
            with np.errstate(divide="ignore"):
                chances = np.log(masses[np.ix_(*near)].ravel())
            logs[k] = float(special.logsumexp(chances + density))
    return np.array([max(logs[k], -1e300) for k in numbers[:, 1].tolist()])
