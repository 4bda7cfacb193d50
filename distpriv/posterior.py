"""What an attacker believes about the share after a release, from what they believed before."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, betaincc

from distpriv.attacks import Interval
from distpriv.errors import CalibrationError, ModelError
from distpriv.models import Theta
from distpriv.moments import GroupMoments
from distpriv.noise import Noise
from distpriv.properties import Pair
from distpriv.queries import Query
from distpriv.regularity import check_regular

__all__ = [
    "Belief",
    "ExpectedPosterior",
    "ReleaseModel",
    "beta_prior",
    "expected_posterior",
    "information",
    "normal_prior",
    "pair_log_odds",
    "pair_prior",
    "posterior",
    "share_grid",
    "total_variation",
    "uniform_prior",
]

FloatArray = NDArray[np.float64]
RandomState = np.random.Generator | int | None

_FARTHEST = 1e140  # standard deviations; the square is far from overflow still
_LEAST_VARIANCE = 1e-12  # of the average one; a statistic may be constant in one group


@dataclass(frozen=True, eq=False)
class Belief:
    """Probabilities of the possible shares.

    Attributes
    ----------
    shares : ndarray, shape (K,)
        Strictly increasing, each in [0, 1].
    weights : ndarray, shape (K,)
        Not negative; scaled to sum to 1.
    """

    shares: FloatArray
    weights: FloatArray

    def __post_init__(self) -> None:
        shares = _checked_shares(self.shares)
        weights = np.asarray(self.weights, dtype=np.float64)
        if weights.shape != shares.shape or (np.diff(shares) <= 0).any():
            raise ModelError(
                "A belief needs increasing shares and one weight each, "
                f"got {shares.size} shares and {weights.size} weights."
            )
        if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
            raise ModelError(
                "The weights of a belief must be numbers that are not negative nor all zero."
            )
        scaled = weights / weights.max()
        object.__setattr__(self, "shares", shares)
        object.__setattr__(self, "weights", scaled / scaled.sum())

    @property
    def mean(self) -> float:
        """Expected share."""
        return float(self.shares @ self.weights)

    def credible_interval(self, confidence: float = 0.95) -> Interval:
        """Expected share with its equal-tailed credible interval.

        Both ends are shares of the grid; at most (1 − confidence)/2 lies beyond each of them,
        with the confidence in (0, 1).
        """
        if not 0 < confidence < 1:
            raise ModelError(f"The confidence must be in (0, 1), got {confidence:g}.")
        tail = (1 - confidence) / 2
        # Rounding of the sum must not move an end by a step.
        ends = np.searchsorted(self.weights.cumsum(), [tail - 1e-12, 1 - tail - 1e-12])
        low, high = self.shares[np.minimum(ends, len(self.shares) - 1)]
        return Interval(self.mean, float(low), float(high), confidence)


def share_grid(n: int, points: int | None = None) -> FloatArray:
    """Evenly spaced shares from 0 to 1; all n + 1 possible k/n where they are few enough.

    Both are at least 2; by default there are 5√n points, between 201 and 2001, for a dataset
    tells its share to about 1/√n.
    """
    if points is None:
        points = min(max(int(5 * max(n, 0) ** 0.5) + 1, 201), 2001)
    if n < 2 or points < 2:
        raise ModelError(f"A grid needs n and points of at least 2, got {n} and {points}.")
    return np.linspace(0.0, 1.0, min(n + 1, points))


def uniform_prior(shares: ArrayLike) -> Belief:
    """Every share of the grid equally likely."""
    grid = _checked_shares(shares)
    return Belief(grid, np.ones(len(grid)))


def beta_prior(shares: ArrayLike, a: float, b: float) -> Belief:
    """Beta(a, b): a share gets the probability of what lies nearer to it than to the others.

    Both a and b are positive; a/(a + b) is the expected share, a + b how sure the attacker is.
    """
    if not (0 < a < math.inf and 0 < b < math.inf):
        raise ModelError(f"A beta prior needs a and b above 0, got a = {a:g} and b = {b:g}.")
    grid = _checked_shares(shares)
    edges = np.concatenate([[0.0], (grid[1:] + grid[:-1]) / 2, [1.0]])
    # From either end, so that small probabilities in both tails keep their digits.
    from_below, from_above = np.diff(betainc(a, b, edges)), -np.diff(betaincc(a, b, edges))
    return Belief(grid, np.where(edges[:-1] < a / (a + b), from_below, from_above))


def normal_prior(shares: ArrayLike, center: float, deviation: float) -> Belief:
    """A bell around a centre in [0, 1] with a positive deviation, cut off at 0 and 1."""
    if not (0 <= center <= 1 and 0 < deviation < math.inf):
        got = f"{center:g} and {deviation:g}"
        raise ModelError(f"A normal prior needs a centre in [0, 1] and a width > 0, got {got}.")
    grid = _checked_shares(shares)
    away = np.abs(grid - center)
    with np.errstate(over="ignore"):
        # The nearest share keeps the weight 1, however narrow the bell.
        squared = (away - away.min()) / deviation * ((away + away.min()) / deviation)
    return Belief(grid, np.exp(-squared / 2))


def pair_prior(pair: Pair, n: int, weight: float = 0.5) -> Belief:
    """The attacker knows that it is one of the two shares of a pair.

    The shares are k/n with the whole k of :class:`Theta`; the weight, in [0, 1], is that of p_i.
    """
    if not 0 <= weight <= 1:
        raise ModelError(f"The weight of p_i must be in [0, 1], got {weight:g}.")
    shares = _pair_shares(pair, n)
    if shares[0] == shares[1]:
        raise ModelError(f"Both shares of the pair are {shares[0]:.4g} of n = {n}; widen Δp.")
    order = np.argsort(shares)
    return Belief(shares[order], np.array([weight, 1 - weight])[order])


@dataclass(frozen=True, eq=False)
class ReleaseModel:
    """Distribution of a released value for every share p of a grid: N(μ_p, Σ_p + S), SPEC 5.

    μ_p and Σ_p are those of the exact model (SPEC 2) at k = n·p, which need not be whole: in
    between, the formulas interpolate. Without replacement a share that needs more records than
    there are is impossible.

    Attributes
    ----------
    moments : GroupMoments
    query : Query of m statistics
    n : int
        Records in the released dataset.
    shares : ndarray, shape (K,)
    noise : Gaussian Noise or None
    replacement : bool

    Raises
    ------
    CalibrationError
        For Laplace noise.
    ModelError
        If the shares make no sense, or none of them is possible.
    """

    moments: GroupMoments
    query: Query
    n: int
    shares: FloatArray
    noise: Noise | None = None
    replacement: bool = False

    def __post_init__(self) -> None:
        if self.n < 2 or self.n % 1:
            raise ModelError(
                f"A dataset needs a whole number of records, at least 2, got n = {self.n}."
            )
        object.__setattr__(self, "shares", _checked_shares(self.shares))
        noise = self.noise
        if noise is not None and not noise.is_zero and noise.distribution != "gaussian":
            raise CalibrationError(
                f"What an attacker believes after {noise.mechanism} has no closed form: its noise "
                "is Laplace; take a Gaussian mechanism."
            )
        if not self.possible.any():
            raise ModelError(
                f"There are not enough records for any of the shares at n = {self.n}; take a "
                "smaller n, or draw with replacement."
            )

    @cached_property
    def possible(self) -> NDArray[np.bool_]:
        """Which shares the groups have enough records for, shape (K,)."""
        limits = np.array(self.moments.counts) * (1 + 1e-12)
        return np.asarray((self._draws <= limits).all(axis=1) | self.replacement)

    @property
    def _draws(self) -> FloatArray:
        """n − k and k, shape (K, 2)."""
        return np.stack([self.n * (1 - self.shares), self.n * self.shares], axis=1)

    @cached_property
    def moments_of_release(self) -> tuple[FloatArray, FloatArray]:
        """μ_p, shape (K, m), and Σ_p + S, shape (K, m, m)."""
        # A share that is impossible borrows a possible one's, so that no variance is negative.
        draws = np.where(self.possible[:, None], self._draws, self._draws[self.possible.argmax()])
        left = 1.0 - (1.0 if self.replacement else draws) / np.array(self.moments.counts)
        scales = self.query.scales(self.n)
        means = scales * (draws @ self.moments.means)
        covariances = np.tensordot(draws * left, self.moments.covariances, axes=1)
        covariances *= np.outer(scales, scales)
        check_regular(covariances.mean(axis=0), np.abs(means).max(axis=0), self.query)
        return means, covariances + (0.0 if self.noise is None else self.noise.covariance)

    @cached_property
    def _units(self) -> FloatArray:
        """Standard deviations of the statistics for an average share, shape (m,)."""
        return np.sqrt(np.diagonal(self.covariances.mean(axis=0)))

    @cached_property
    def _spectra(self) -> tuple[FloatArray, FloatArray]:
        """Variances, none below the least, and directions of the statistics in their units."""
        values, vectors = np.linalg.eigh(self.covariances / np.outer(self._units, self._units))
        return np.maximum(values, _LEAST_VARIANCE), vectors

    def log_likelihood(self, released: ArrayLike) -> FloatArray:
        """ln N(y; μ_p, Σ_p + S) up to a constant, −∞ for a share that is impossible.

        A statistic that is constant in a group has a variance of zero for p = 0 or 1; it is
        taken as 10⁻¹² of the average one there. A value further away than 10¹⁴⁰ standard
        deviations is taken to be that far.

        Parameters
        ----------
        released : array-like, shape (m,) or (R, m)

        Returns
        -------
        ndarray, shape (K,) or (R, K)
        """
        values = np.asarray(released, dtype=np.float64)
        m = len(self.query)
        if values.ndim not in (1, 2) or values.shape[-1] != m or not np.isfinite(values).all():
            raise ModelError(
                f"A release must be {m} finite numbers, one a statistic, got shape {values.shape}."
            )
        variances, vectors = self._spectra
        whitening = np.swapaxes(vectors, 1, 2) / np.sqrt(variances)[:, :, None]
        middle = self.means.mean(axis=0)
        with np.errstate(over="ignore"):
            away = np.clip((values - middle) / self._units, -_FARTHEST, _FARTHEST)
        centers = np.einsum("kij,kj->ki", whitening, (self.means - middle) / self._units)
        whitened = (away @ whitening.reshape(-1, m).T).reshape(*values.shape[:-1], -1, m) - centers
        squared = np.einsum("...i,...i->...", whitened, whitened)
        logs = -(squared + np.log(variances).sum(axis=1)) / 2
        return np.where(self.possible, logs, -np.inf)

    def sample(self, indices: NDArray[np.intp], rng: RandomState = None) -> FloatArray:
        """Draw a release for each of the shares with these indices, shape (R, m)."""
        variances, vectors = self._spectra
        roots = self._units[:, None] * vectors * np.sqrt(variances)[:, None, :]
        drawn = np.random.default_rng(rng).standard_normal((len(indices), len(self.query)))
        return self.means[indices] + np.einsum("rij,rj->ri", roots[indices], drawn)


def posterior(model: ReleaseModel, prior: Belief, released: ArrayLike) -> Belief:
    """What the attacker believes after a release: prior times likelihood (Bayes), in log space.

    Raises
    ------
    ModelError
        If the release is not m finite numbers, the model is about other shares than the prior,
        or the prior allows no share that is possible.
    """
    return Belief(prior.shares, _posterior_weights(model, prior, np.ravel(released)))


def pair_log_odds(
    model: ReleaseModel, pair: Pair, released: ArrayLike, prior_odds: float = 1.0
) -> float:
    """ln of the attacker's odds of p_i against p_j after a release, ±∞ if one is impossible.

    At equal prior odds an (ε, δ) promise keeps it within ±ε, but for a small part of the
    releases. The shares are k/n with the whole k of :class:`Theta`, as in the model's pairs;
    those of the model do not matter, and the prior odds are positive.
    """
    if not 0 < prior_odds < math.inf:
        raise ModelError(f"The prior odds must be a positive number, got {prior_odds:g}.")
    logs = replace(model, shares=_pair_shares(pair, model.n)).log_likelihood(np.ravel(released))
    return float(math.log(prior_odds) + logs[0] - logs[1])


def total_variation(one: Belief, other: Belief) -> float:
    """Largest difference of the two beliefs' probabilities of any event, in [0, 1]."""
    _check_same_shares(one.shares, other)
    return float(np.abs(one.weights - other.weights).sum() / 2)


def information(prior: Belief, updated: Belief) -> float:
    """What was learned, in bits: the Kullback–Leibler divergence from the prior."""
    _check_same_shares(prior.shares, updated)
    return float(_bits(prior.weights, updated.weights[None])[0])


@dataclass(frozen=True, eq=False)
class ExpectedPosterior:
    """What an attacker believes on average over simulated releases.

    Attributes
    ----------
    belief : Belief
        Mean of the posteriors.
    information : Interval
        Bits learned a release, with the simulation's error.
    releases : int
    """

    belief: Belief
    information: Interval
    releases: int


def expected_posterior(
    model: ReleaseModel,
    prior: Belief,
    truth: float | None,
    *,
    releases: int = 1000,
    rng: RandomState = None,
) -> ExpectedPosterior:
    """Average the posterior over releases drawn from N(μ_p, Σ_p + S) under the true share.

    A truth of None draws the true share from the prior: the information is then the mutual
    information of share and release, and the average posterior the prior itself.
    """
    if releases < 2:
        raise ModelError(f"An average needs at least 2 releases, got {releases}.")
    generator = np.random.default_rng(rng)
    _check_belief(model, prior)
    if truth is None:
        weights = prior.weights * model.possible
        indices = generator.choice(len(weights), releases, p=weights / weights.sum())
        drawn = model.sample(indices, generator)
    else:
        at = replace(model, shares=np.array([truth]))
        drawn = at.sample(np.zeros(releases, dtype=np.intp), generator)
    updated = _posterior_weights(model, prior, drawn)
    bits = _bits(prior.weights, updated)
    mean, error = float(bits.mean()), float(bits.std(ddof=1)) / math.sqrt(releases)
    return ExpectedPosterior(
        Belief(prior.shares, updated.mean(axis=0)),
        Interval(mean, max(mean - 1.96 * error, 0.0), mean + 1.96 * error),
        releases,
    )


def _posterior_weights(model: ReleaseModel, prior: Belief, released: FloatArray) -> FloatArray:
    """Weights of the posterior, shape (K,) or (R, K), summing to 1."""
    _check_belief(model, prior)
    with np.errstate(divide="ignore"):
        logs = np.log(prior.weights) + model.log_likelihood(released)
    weights = np.exp(logs - logs.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def _bits(prior: FloatArray, updated: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = updated * np.log2(updated / prior)
    return np.maximum(np.where(updated > 0, terms, 0.0).sum(axis=1), 0.0)


def _pair_shares(pair: Pair, n: int) -> FloatArray:
    return np.array([Theta(pair.secret, share, n).having / n for share in (pair.p_i, pair.p_j)])


def _check_belief(model: ReleaseModel, prior: Belief) -> None:
    _check_same_shares(model.shares, prior)
    if not prior.weights[model.possible].any():
        raise ModelError(
            "The prior allows only shares that there are not enough records for; widen it, take "
            "a smaller n, or draw with replacement."
        )


def _check_same_shares(shares: FloatArray, belief: Belief) -> None:
    if not np.array_equal(shares, belief.shares):
        raise ModelError("Two beliefs, or belief and model, must be about the same shares.")


def _checked_shares(shares: ArrayLike) -> FloatArray:
    grid = np.asarray(shares, dtype=np.float64)
    if grid.ndim != 1 or not len(grid) or not ((grid >= 0) & (grid <= 1)).all():
        raise ModelError("The shares must be a row of numbers, each from 0 to 1.")
    return grid
