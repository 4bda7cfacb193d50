r"""The best possible attacker on Laplace noise in several directions, which has no closed form.

Under both proportions the release is the same noise about another mean, normal plus Laplace,
with a density that is even about it. About the middle of the two means the best attacker
guesses by the sign of the log-likelihood ratio L(t) = ln p(t − d/2) − ln p(t + d/2), d the
difference of the means, and is right with probability P(L > 0 | mean d/2). What is done here:

1. The coordinates without noise, made independent of the others, reduce to one normal
   coordinate, their own linear test.
2. The best linear attacker's accuracy is an integral over a characteristic function.
3. What the best attacker gains on it is E[tanh(|L|/2)] over the releases on which the two
   guess differently, a small number that few draws suffice for: their labels, which are
   noisier, are replaced by their posterior (Rao–Blackwell).
4. p(x) = E N(x; 0, C + 2 diag(b² w)) with independent w ~ Exp(1), since Laplace is a scale
   mixture of normals (Andrews & Mallows 1974); the mean is taken over scrambled Sobol' points.
   Guessing by one set of them and weighing by another understates the gain, doing both with
   one set overstates it, each to second order in the error of L; the estimate is their middle
   and the interval covers both, beside the spread between independent repetitions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.optimize import minimize
from scipy.special import ndtr, ndtri
from scipy.stats import qmc

from distpriv.covered import normal_part
from distpriv.errors import AttackError
from distpriv.models import GaussianModel, PairModel
from distpriv.noise import Noise
from distpriv.optimal import Interval, RocCurve
from distpriv.sampling import RandomState

__all__ = ["LaplaceOptimum", "laplace_brackets", "laplace_optimum", "laplace_roc"]

FloatArray = NDArray[np.float64]

_REPLICATES = 8
_FIRST = (512, 256)
_MOST_WORK = 2**23
# Elements of a product that the usual linear algebra libraries do not split over threads, which
# costs more than it gains here.
_BLOCK = 1 << 18
# The integrals over t = e^u decay on both sides, so that the trapezoidal rule converges fast.
_U = np.linspace(-30.0, 17.0, 4096)
_T = np.exp(_U)
_STEP = float(_U[1] - _U[0])
_FARTHEST = 150.0


@dataclass(frozen=True)
class LaplaceOptimum:
    """Accuracy of the best possible attacker at equal priors, simulated, between proven brackets.

    Attributes
    ----------
    interval : Interval
        95 %.
    standard_error : float
        Of the estimate, from independent repetitions.
    lower : float
        What the best linear attacker found reaches; proven up to rounding.
    upper : float
        What no attacker passes; proven.
    seed : int
        Entropy that reproduces the estimate.
    """

    interval: Interval
    standard_error: float
    lower: float
    upper: float
    seed: int


def laplace_brackets(model: GaussianModel, noise: Noise) -> tuple[float, float]:
    """What the best possible attacker on Laplace noise reaches at least and at most.

    At least what a linear attacker does. At most what an attacker on the undefended release
    does (post-processing), nor more than the noise allows where it is: shifting independent
    Laplace variables of scales b by s changes no density by more than e^{Σ|s|/b}, which allows
    (1 + tanh(Σ|s|/2b))/2; a coordinate without noise adds its own advantage.

    Parameters
    ----------
    model : GaussianModel
    noise : Laplace Noise
        Of any scales, in any number of directions.

    Returns
    -------
    tuple of two float
        Each for the worst pair.

    Raises
    ------
    AttackError
        For Gaussian noise, whose best attacker is known in closed form.
    """
    problems = [_problem(fit, noise) for fit in model.pairs]
    return (
        max(problem.best_linear()[1] for problem in problems),
        max(problem.upper for problem in problems),
    )


def laplace_optimum(
    model: GaussianModel, noise: Noise, rng: RandomState = None, *, tolerance: float = 5e-4
) -> LaplaceOptimum:
    """Simulate the best possible attacker on Laplace noise, for the worst pair.

    Draws or points of integration, whichever limits, are taken fourfold until the interval
    reaches no farther than the tolerance or the work is some seconds; the interval tells. On
    five statistics one round of some 30 ms is the rule.

    Parameters
    ----------
    model : GaussianModel
    noise : Laplace Noise
        Of any scales, in any number of directions.
    rng : Generator, int or None
    tolerance : float > 0
        Wanted half-width of the interval.

    Returns
    -------
    LaplaceOptimum

    Raises
    ------
    AttackError
        For Gaussian noise, whose best attacker is known in closed form.
    """
    seed = int(rng) if isinstance(rng, int | np.integer) else _fresh_seed(rng)
    found = []
    for index, fit in enumerate(model.pairs):
        problem = _problem(fit, noise)
        weights, lower = problem.best_linear()
        found.append((lower, problem.upper, index, problem, weights))
    lower, upper = max(case[0] for case in found), max(case[1] for case in found)
    estimate = low = high = lower
    error = 0.0
    # The most promising pair first; the others need no more than a first look if they are behind.
    for pair_lower, pair_upper, index, problem, weights in sorted(found, key=lambda case: -case[0]):
        if len(problem.shift) == 1:
            continue  # the best attacker is linear
        if pair_upper - pair_lower < tolerance / 10:
            high = max(high, pair_upper)
            continue
        sizes = _FIRST
        while True:
            gain = _gain(problem, weights, *sizes, np.random.SeedSequence(seed, spawn_key=(index,)))
            middle, least, most = gain.added_to(pair_lower, pair_upper)
            done = most - least <= 2 * tolerance or math.prod(sizes) >= _MOST_WORK
            if most < low or done:
                break
            draws, nodes = sizes
            sizes = (draws, 4 * nodes) if gain.gap > 2 * gain.spread else (4 * draws, nodes)
        if middle > estimate:
            estimate, error = middle, gain.error
        low, high = max(low, least), max(high, most)
    return LaplaceOptimum(Interval(estimate, low, high), error, lower, upper, seed)


def laplace_roc(model: GaussianModel, noise: Noise) -> RocCurve:
    """ROC curve of the best possible attacker on Laplace noise, simulated, for the worst pair.

    Always from the same points; a few tenths of a percentage point from the truth.

    Parameters
    ----------
    model : GaussianModel
    noise : Laplace Noise
    """
    curves = []
    for fit in model.pairs:
        problem, rng = _problem(fit, noise), np.random.default_rng(0)
        ahead = problem.advantage(problem.draw(1024, rng), 128, rng)
        # What is drawn about the other mean is this mirrored; labels give way to posteriors.
        posterior = np.sort((1 + np.append(ahead, -ahead)) / 2)[::-1]
        rates = np.cumsum([1 - posterior, posterior], axis=1) / len(ahead)
        false, true = np.hstack([np.zeros((2, 1)), rates.clip(0, 1)])
        area = float(np.trapezoid(true, false))
        curves.append(RocCurve(false, true, Interval(area, area, area)))
    return max(curves, key=lambda curve: curve.area.estimate)


@dataclass(frozen=True, eq=False)
class _Problem:
    """Normal plus independent Laplace noise about +shift/2 or −shift/2.

    Attributes
    ----------
    shift : ndarray, shape (q,)
    covariance : ndarray, shape (q, q)
        Of the normal part.
    scales : ndarray, shape (q,)
        Of the Laplace part; 0 for a coordinate without.
    undefended : float
        Accuracy of the best attacker if there were no Laplace part.
    """

    shift: FloatArray
    covariance: FloatArray
    scales: FloatArray
    undefended: float

    @property
    def upper(self) -> float:
        noisy = self.scales > 0
        promise = math.tanh(float(np.abs(self.shift[noisy] / self.scales[noisy]).sum()) / 2)
        # At most one coordinate has no noise; it is independent and has unit variance.
        open_coordinate = 2 * float(ndtr(np.abs(self.shift[~noisy]).sum() / 2)) - 1
        together = 1 - (1 - promise) * (1 - open_coordinate)
        return min(self.undefended, (1 + together) / 2)

    def linear_accuracy(self, weights: FloatArray) -> tuple[float, FloatArray]:
        r"""P(X <= x) of X = w·noise at x = w·shift/2, and its gradient in w.

        .. math:: 1/2 + \frac{1}{\pi} \int_0^\infty \frac{\sin(tx)}{t} e^{-t^2 w^T C w/2}
           \prod_k (1 + b_k^2 w_k^2 t^2)^{-1} dt
        """
        across, x = self.covariance @ weights, float(weights @ self.shift) / 2
        # A narrower normal part would ask for a finer grid; widening it only lowers the result.
        variance = max(float(weights @ across), (x / _FARTHEST) ** 2)
        laplace = np.outer(self.scales * weights, _T) ** 2
        decay = np.exp(-(_T**2) * variance / 2 - np.log1p(laplace).sum(axis=0))
        sine, cosine = np.sin(x * _T) * decay, np.cos(x * _T) * _T * decay
        pull = (2 * np.outer(self.scales**2 * weights, _T**2) / (1 + laplace)) @ sine
        gradient = cosine.sum() * self.shift / 2 - (_T**2 @ sine) * across - pull
        return 0.5 + _STEP / math.pi * float(sine.sum()), _STEP / math.pi * gradient

    def best_linear(self) -> tuple[FloatArray, float]:
        """Weights of the best linear attacker that is found, and its accuracy."""
        total = self.covariance + 2 * np.diag(self.scales**2)
        noisy = np.where(self.scales > 0, self.scales, 1.0)
        starts = [
            np.linalg.solve(self.covariance, self.shift),
            np.linalg.solve(total, self.shift),
            np.sign(self.shift) / noisy,
        ]

        def loss(weights: FloatArray) -> tuple[float, FloatArray]:
            # Only the direction of the weights counts.
            size = math.sqrt(float(weights @ total @ weights))
            accuracy, gradient = self.linear_accuracy(weights / size)
            return -accuracy, -gradient / size

        found = [
            minimize(
                loss,
                start / math.sqrt(float(start @ total @ start)),
                jac=True,
                method="L-BFGS-B",
                options={"maxiter": 40},
            )
            for start in starts
            if start.any()
        ]
        if not found:
            return np.zeros_like(self.shift), 0.5
        best = min(found, key=lambda result: float(result.fun))
        return np.asarray(best.x), min(max(-float(best.fun), 0.5), self.upper)

    def draw(self, draws: int, rng: np.random.Generator) -> FloatArray:
        """Releases about +shift/2, shape (draws, q), spread evenly by Sobol' points."""
        size = len(self.shift)
        normal, laplace = np.split(_sobol(2 * size, draws, rng), 2, axis=1)
        signed = 2 * laplace - 1
        noise = -np.sign(signed) * np.log1p(-np.abs(signed)) * self.scales
        return self.shift / 2 + ndtri(normal) @ np.linalg.cholesky(self.covariance).T + noise

    def advantage(self, releases: FloatArray, nodes: int, rng: np.random.Generator) -> FloatArray:
        """tanh(L/2), the posterior of +shift/2 less that of −shift/2, shape (draws,)."""
        mixing = np.zeros((nodes, len(self.shift)))
        noisy = self.scales > 0
        mixing[:, noisy] = -np.log(_sobol(int(noisy.sum()), nodes, rng))
        covariances = np.tile(self.covariance, (nodes, 1, 1))
        diagonal = np.arange(len(self.shift))
        covariances[:, diagonal, diagonal] += 2 * self.scales**2 * mixing
        precisions = np.linalg.inv(covariances)
        rows, columns = np.triu_indices(len(self.shift))
        across = precisions @ self.shift / 2
        even = np.column_stack(
            [
                -precisions[:, rows, columns] * np.where(rows == columns, 0.5, 1.0),
                -(np.linalg.slogdet(covariances)[1] + across @ self.shift / 2) / 2,
            ]
        ).T
        found = np.empty(len(releases))
        block = max(1, _BLOCK // even.size)
        for start in range(0, len(releases), block):
            part = releases[start : start + block]
            products = np.column_stack([part[:, rows] * part[:, columns], np.ones(len(part))])
            exponent, odd = products @ even, part @ across.T
            exponent -= (exponent + np.abs(odd)).max(axis=1, keepdims=True)
            first = np.exp(exponent + odd).sum(axis=1)
            second = np.exp(exponent - odd).sum(axis=1)
            found[start : start + block] = (first - second) / (first + second)
        return found


@dataclass(frozen=True)
class _Gain:
    """How much the best attacker is ahead of the best linear one.

    Attributes
    ----------
    low, high : float
        Understated and overstated to second order in the error of the likelihoods.
    error : float
        Standard error.
    """

    low: float
    high: float
    error: float

    @property
    def gap(self) -> float:
        return max(self.high - self.low, 0.0)

    @property
    def spread(self) -> float:
        return float(stats.t.ppf(0.975, _REPLICATES - 1)) * self.error

    def added_to(self, lower: float, upper: float) -> tuple[float, float, float]:
        """Estimate and ends of its interval, within the brackets."""
        ends = (self.low + self.high) / 2, self.low - self.spread, self.high + self.spread
        estimate, low, high = (min(max(lower + end, lower), upper) for end in ends)
        return estimate, low, high


def _gain(
    problem: _Problem, weights: FloatArray, draws: int, nodes: int, seeds: np.random.SeedSequence
) -> _Gain:
    """Simulate the gain in independent repetitions."""
    gains = []
    for seed in seeds.spawn(_REPLICATES):
        rng = np.random.default_rng(seed)
        releases = problem.draw(draws, rng)
        linear = np.sign(releases @ weights)
        one, other = (problem.advantage(releases, nodes, rng) for _ in range(2))
        apart = [
            float(((np.sign(guess) - linear) / 2 * weight).mean())
            for guess, weight in ((one, other), (other, one), (one, one), (other, other))
        ]
        gains.append(((apart[0] + apart[1]) / 2, (apart[2] + apart[3]) / 2))
    low, high = np.mean(gains, axis=0)
    error = float(np.mean(gains, axis=1).std(ddof=1)) / math.sqrt(_REPLICATES)
    return _Gain(float(low), float(high), error)


def _problem(fit: PairModel, noise: Noise) -> _Problem:
    """The pair in the coordinates of the noise, and one more for all that has none."""
    if noise.distribution != "laplace":
        raise AttackError(
            f"The noise of {noise.mechanism} is Gaussian: its best attack has a closed form."
        )
    fit, noise = normal_part(fit, noise)
    noisy = noise.directions[:, noise.scales > 0]
    scales = noise.scales[noise.scales > 0]
    undefended = float(ndtr(fit.mahalanobis / 2))
    basis, count = np.linalg.qr(noisy, mode="complete")[0], len(scales)
    inside = np.linalg.pinv(noisy)  # the directions need not be orthogonal
    shift, covariance = inside @ fit.difference, inside @ fit.pooled @ inside.T
    if count < len(basis):
        rest = basis[:, count:]
        across = inside @ fit.pooled @ rest
        inner, moved = rest.T @ fit.pooled @ rest, rest.T @ fit.difference
        shift = shift - across @ np.linalg.solve(inner, moved)
        covariance = covariance - across @ np.linalg.solve(inner, across.T)
        apart = math.sqrt(max(float(moved @ np.linalg.solve(inner, moved)), 0.0))
        shift, scales = np.append(shift, apart), np.append(scales, 0.0)
        covariance = np.pad(covariance, (0, 1))
        covariance[-1, -1] = 1.0
    # In units of each coordinate's own spread: no number is far from 1.
    unit = np.sqrt(np.diag(covariance) + 2 * scales**2)
    covariance = covariance / np.outer(unit, unit)
    return _Problem(shift / unit, (covariance + covariance.T) / 2, scales / unit, undefended)


def _sobol(dimensions: int, points: int, rng: np.random.Generator) -> FloatArray:
    """Scrambled Sobol' points inside the open unit cube, a power of two."""
    drawn = qmc.Sobol(dimensions, scramble=True, rng=rng).random(points)
    return np.asarray(drawn).clip(2**-60, 1 - 2**-53)


def _fresh_seed(rng: np.random.Generator | None) -> int:
    if rng is None:
        return int(np.random.SeedSequence().entropy)  # type: ignore[arg-type]
    return int(rng.integers(2**63))
