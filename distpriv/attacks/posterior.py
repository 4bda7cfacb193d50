"""What an attacker believes about the share after a release, from what they believed before."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, betaincc, log_ndtr, ndtr

from distpriv.arguments import checked
from distpriv.attacks.laplace_density import log_densities
from distpriv.attacks.share_laws import ShareLaw, mixture_logs, mixture_noise, share_laws
from distpriv.errors import ModelError
from distpriv.model.cosets import cosets_of
from distpriv.model.moments import GroupMoments
from distpriv.model.population import Population
from distpriv.model.regularity import check_regular
from distpriv.model.sampling import Interval, RandomState
from distpriv.model.theta import Theta
from distpriv.privacy.noise import Noise
from distpriv.queries.properties import Pair
from distpriv.queries.statistics import Query
from distpriv.words import exact
from distpriv.words import share as in_percent

__all__ = [
    "Belief",
    "ReleaseModel",
    "beta_prior",
    "normal_prior",
    "pair_prior",
    "posterior",
    "share_grid",
    "simulate_release",
    "uniform_prior",
]

FloatArray = NDArray[np.float64]

_FARTHEST = 1e100  # standard deviations; the square is far from overflow still
_LEAST_VARIANCE = 1e-12  # of the usual one; a statistic may be constant in one group
_ADVICE = "a group has too few records: take a smaller n, or draw with replacement"


@checked(ModelError)
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
            raise ModelError("The weights of a belief must be numbers >= 0 and not all zero.")
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


@checked(ModelError)
def share_grid(n: int) -> FloatArray:
    """Evenly spaced shares from 0 to 1; all n + 1 possible k/n where they are few enough.

    Up to n = 200 there are all; then 5√n, between 201 and 1001, for a dataset of n records, at
    least 2, tells its share to about 1/√n.
    """
    if n < 2:
        raise ModelError(f"A dataset needs at least 2 records, got n = {n}.")
    return np.linspace(0.0, 1.0, min(n + 1, max(201, int(5 * n**0.5) + 1), 1001))


@checked(ModelError)
def uniform_prior(shares: ArrayLike) -> Belief:
    """Every share of the grid equally likely."""
    grid = _checked_shares(shares)
    return Belief(grid, np.ones(len(grid)))


@checked(ModelError)
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


@checked(ModelError)
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


@checked(ModelError)
def pair_prior(pair: Pair, n: int, weight: float = 0.5) -> Belief:
    """The attacker knows that it is one of the two shares of a pair.

    The shares are k/n with the whole k of :class:`Theta`; the weight, in [0, 1], is that of p_i.
    """
    if not 0 <= weight <= 1:
        raise ModelError(f"The weight of p_i must be in [0, 1], got {weight:g}.")
    shares = np.array([Theta(pair.secret, p, n).having / n for p in (pair.p_i, pair.p_j)])
    if shares[0] == shares[1]:
        raise ModelError(
            f"Both shares of the pair mean the same {shares[0] * n:.0f} of {n} records, so there "
            "is nothing to tell apart; take a larger n or Δp."
        )
    order = np.argsort(shares)
    return Belief(shares[order], np.array([weight, 1 - weight])[order])


@checked(ModelError)
@dataclass(frozen=True, eq=False)
class ReleaseModel:
    """Distribution of a release for any share p of its records: N(μ_p, Σ_p) plus the noise.

    Where the records are given and the exact law of the statistics is known from them
    (:mod:`distpriv.attacks.share_laws`), it takes the place of the normals, at k = n·p rounded:
    one bell of Gaussian noise on each value that the statistics can take.

    μ_p and Σ_p are those of the exact model (:func:`distpriv.fit_gaussian`) at k = n·p, which
    need not be whole: in between, the formulas interpolate. Without replacement a share that
    needs more records than there are is impossible.

    Attributes
    ----------
    moments : GroupMoments
    query : Query of m statistics
    n : int
        Records in the released dataset.
    noise : Noise or None
        None: undefended.
    replacement : bool
    population : Population or None
        The records that datasets are drawn from, for the exact law; None: the normals alone.

    Raises
    ------
    ModelError
        If n is not a whole number from 2 on.
    """

    moments: GroupMoments
    query: Query
    n: int
    noise: Noise | None = None
    replacement: bool = False
    population: Population | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.n < 2 or self.n % 1:
            raise ModelError(f"n must be a whole number of records, at least 2, got {self.n}.")

    @property
    def undone(self) -> bool:
        """Whether arithmetic on the grid of the statistics undoes the noise."""
        if self.noise is None or self.moments.steps is None:
            return False
        grid = self.query.steps(self.n, self.moments.steps[2])
        return self.noise.leaves_bare(np.where(np.isinf(grid), 0.0, grid))

    @property
    def limits(self) -> tuple[float, float]:
        """Least and greatest share that the groups have enough records for."""
        if self.replacement:
            return 0.0, 1.0
        without, having = self.moments.counts
        return max(0.0, 1 - without / self.n), min(1.0, having / self.n)

    def possible(self, shares: ArrayLike) -> NDArray[np.bool_]:
        """Which of K shares are within the limits, shape (K,)."""
        grid, (low, high) = _checked_shares(shares), self.limits
        return np.asarray((grid >= low - 1e-12) & (grid <= high + 1e-12))

    def statistics(self, shares: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """μ_p, shape (K, m), and Σ_p, shape (K, m, m), for K shares, without the noise.

        Those of an impossible share stand in for it and mean nothing.
        """
        grid = _checked_shares(shares)
        draws = np.stack([self.n * (1 - grid), self.n * grid], axis=1)
        left = 1.0 - (1.0 if self.replacement else draws) / np.array(self.moments.counts)
        scales = self.query.scales(self.n)
        # No variance is negative, not even an impossible share's.
        weights = draws * np.maximum(left, 0.0)
        covariances = np.tensordot(weights, self.moments.covariances, axes=1)
        return scales * (draws @ self.moments.means), covariances * np.outer(scales, scales)

    def exact_laws(self, shares: ArrayLike) -> list[ShareLaw] | None:
        """Return the exact law for each of K possible shares, None where they are not known."""
        grid = _checked_shares(shares).tolist()
        return share_laws(self.population, self.query, self.n, self.replacement, grid)

    def is_exact(self, shares: ArrayLike) -> bool:
        """Return whether what is believed of K shares rests on exact laws, not on normals."""
        grid = _checked_shares(shares)
        possible = self.possible(grid)
        return bool(
            possible.any()
            and mixture_noise(self.noise, len(self.query)) is not None
            and self.exact_laws(grid[possible]) is not None
        )

    def _exact_logs(self, shares: FloatArray, values: FloatArray) -> FloatArray | None:
        """Return ln p(y | p) by the exact laws, −∞ for impossible shares; None if not known."""
        covariance = mixture_noise(self.noise, len(self.query))
        if covariance is None or not self.is_exact(shares):
            return None
        possible = self.possible(shares)
        logs = np.full(len(shares), -np.inf)
        logs[possible] = mixture_logs(self.exact_laws(shares[possible]) or [], values, covariance)
        return logs

    @cached_property
    def _units(self) -> FloatArray:
        """Standard deviations of the statistics, about; no number in them is far from 1."""
        scales = self.query.scales(self.n)
        typical = self.n * self.moments.covariances.mean(axis=0) * np.outer(scales, scales)
        largest = self.n * scales * np.abs(self.moments.means).max(axis=0)
        check_regular(typical, largest, self.query)
        return np.asarray(np.sqrt(np.diag(typical)))

    def log_likelihood(self, shares: ArrayLike, released: ArrayLike) -> FloatArray:
        """ln p(y | p) up to a constant, −∞ for a share that is impossible.

        By the exact laws where :meth:`is_exact`. By the normals otherwise: Gaussian noise, ln N(y;
        μ_p, Σ_p + S), each share with its own covariance. Laplace noise has a closed form along one
        direction; along several it is integrated numerically, see
        :mod:`distpriv.attacks.laplace_density`. Where two shares have the same covariance their
        odds are held within what the noise provably allows, e^ε for the pair it is calibrated for;
        where the covariances differ the theorem's translation does not hold, and odds beyond e^ε
        are possible.

        Parameters
        ----------
        shares : array-like, shape (K,)
        released : array-like, shape (m,)
            A value beyond 10¹⁰⁰ standard deviations is taken to be that far.

        Returns
        -------
        ndarray, shape (K,)
            Variances are raised by 10⁻¹² of the usual ones: a statistic that is constant in a
            group has none at p = 0 or 1.

        Raises
        ------
        ModelError
            If the release is not m finite numbers, or a statistic does not vary.
        """
        values = np.asarray(released, dtype=np.float64)
        m = len(self.query)
        if values.shape != (m,) or not np.isfinite(values).all():
            raise ModelError(
                f"A release must be {m} finite numbers, one a statistic, got {values.tolist()}."
            )
        logs = self._exact_logs(_checked_shares(shares), values)
        if logs is not None:
            return logs
        means, covariances = self.statistics(shares)
        units = np.outer(self._units, self._units)
        with np.errstate(over="ignore"):
            away = np.clip((values - means) / self._units, -_FARTHEST, _FARTHEST)
        total = covariances / units + _LEAST_VARIANCE * np.eye(m)
        noise = self.noise
        if noise is None or noise.distribution == "gaussian":
            if noise is not None:
                total = total + noise.covariance / units
            precise = np.linalg.solve(total, away[..., None])[..., 0]
            logs = -((precise * away).sum(axis=-1) + np.linalg.slogdet(total)[1]) / 2
        else:
            total = total + np.diag((noise.floor_deviations / self._units) ** 2)
            factors = (noise.directions * noise.scales / self._units[:, None])[:, noise.scales > 0]
            logs = log_densities(away, total, factors)
        return np.where(self.possible(shares) & self._on_coset(shares, values), logs, -np.inf)

    def _on_coset(self, shares: ArrayLike, values: FloatArray) -> NDArray[np.bool_]:
        """Which shares statistics without noise can have by their last digits, shape (K,).

        All of them where they are statistics of no dataset.
        """
        numbers = np.floor(np.round(self.n * _checked_shares(shares), 9) + 0.5).astype(np.int64)
        cosets = self.moments.cosets
        if not (self.noise is None or self.noise.is_zero) or cosets is None or cosets.agree:
            return np.ones(len(numbers), dtype=bool)
        there, place = np.unique(numbers, return_inverse=True)
        every = cosets_of(self.query, cosets, self.n)
        fits = every.holding(values[None], self.n, there)[0, place]
        return fits if fits.any() else np.ones(len(numbers), dtype=bool)


@checked(ModelError)
def posterior(model: ReleaseModel, prior: Belief, released: ArrayLike) -> Belief:
    """What the attacker believes after a release: prior times likelihood (Bayes), in log space.

    With a prior on two shares the odds change by the likelihood ratio of the release, which an
    ε promised for the pair keeps within e^−ε and e^ε but for what δ allows.

    Parameters
    ----------
    model : ReleaseModel
    prior : Belief
    released : array-like, shape (m,)

    Raises
    ------
    ModelError
        If the release is not m finite numbers, the prior allows no share that is possible, or
        arithmetic undoes the noise: what is believed then is what the statistics themselves tell.
    """
    if model.undone:
        raise ModelError(
            "The statistics move in steps, and the noise leaves directions bare, so that whoever "
            "knows the steps subtracts it; ask what the true statistics tell, with noise=None, or "
            "calibrate the noise with grid_safe=True."
        )
    allowed = prior.weights > 0
    if not model.possible(prior.shares[allowed]).any():
        raise ModelError(
            f"No share that the prior allows is possible; widen it, or see whether {_ADVICE}."
        )
    logs = np.full(len(allowed), -np.inf)
    likelihood = model.log_likelihood(prior.shares[allowed], released)
    if not np.isfinite(likelihood).any():
        raise ModelError(
            "These statistics are impossible whatever share the prior allows; enter them with all "
            "their digits, or widen the prior."
        )
    logs[allowed] = np.log(prior.weights[allowed]) + likelihood
    return Belief(prior.shares, np.exp(logs - logs.max()))


@checked(ModelError)
def simulate_release(
    model: ReleaseModel, share: float, rng: RandomState = None
) -> tuple[FloatArray, FloatArray]:
    """Draw statistics from their exact law where it is known, else N(μ_p, Σ_p), and add the noise.

    The same seed draws the same standard normal numbers whatever the share and the noise, and
    scales them: a little more noise, or another share, moves the release a little.

    Parameters
    ----------
    model : ReleaseModel
    share : float in [0, 1]
    rng : Generator, int or None

    Returns
    -------
    tuple of two ndarray, each of shape (m,)
        Without and with the noise.

    Raises
    ------
    ModelError
        If the share is impossible.
    """
    if not model.possible([share])[0]:
        raise ModelError(
            f"No {exact(model.n)} records can have a share of {in_percent(share)}: {_ADVICE}."
        )
    m = len(model.query)
    first, second, third = np.random.default_rng(rng).standard_normal((3, m))
    (mean,), (covariance,) = model.statistics([share])
    scaled = covariance / np.outer(model._units, model._units) + _LEAST_VARIANCE * np.eye(m)
    clear = mean + model._units * (np.linalg.cholesky(scaled) @ first)
    if (laws := model.exact_laws([share])) is not None:
        clear = laws[0].draw(ndtr(first))
    noise = model.noise
    if noise is None:
        return clear, clear
    # Independent standard normals along the directions, whichever their order and sign.
    along = second @ noise.directions
    if noise.distribution == "laplace":
        along = -np.sign(along) * (log_ndtr(-np.abs(along)) + math.log(2))
    added = noise.directions @ (noise.scales * along) + noise.floor_deviations * third
    return clear, clear + added


def _checked_shares(shares: ArrayLike) -> FloatArray:
    grid = np.asarray(shares, dtype=np.float64)
    if grid.ndim != 1 or not len(grid) or not ((grid >= 0) & (grid <= 1)).all():
        raise ModelError("The shares must be a row of numbers, each from 0 to 1.")
    return grid
