r"""The best possible attacker on Laplace noise where it has no closed form.

Under both proportions the release is a normal, with a mean and a covariance of its own, plus the
same Laplace noise. The best attacker guesses by the sign of the log-likelihood ratio L. Done here:

1. Where the covariances agree, the coordinates without noise, made independent of the others,
   reduce to one normal coordinate, their own linear test.
2. The best linear attacker's accuracy is an integral over a characteristic function.
3. What the best attacker gains on it is E[tanh(|L|/2)] over the releases of both proportions on
   which the two guess differently, a number that few draws suffice for where the covariances are
   close: labels, which are noisier, are replaced by their posterior (Rao–Blackwell).
4. With noise in one direction L is known: given the other coordinates a release is normal plus
   Laplace in that one (Reed 2006). Else p(x) = E N(x; 0, C + 2 diag(b² w)) with independent
   w ~ Exp(1), since Laplace is a scale mixture of normals (Andrews & Mallows 1974); the mean is
   taken over scrambled Sobol' points. Guessing by one set of them and weighing by another
   understates the gain, doing both with one set overstates it, each to second order in the error
   of L; the estimate is their middle and the interval covers both, beside the spread between
   independent repetitions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from distpriv.attacks.laplace_problem import (
    LaplaceProblem,
    Linear,
    fixed_draws,
    laplace_problem,
)
from distpriv.attacks.optimal import RocCurve
from distpriv.model.gaussian import GaussianModel
from distpriv.model.sampling import Interval, RandomState
from distpriv.privacy.noise import Noise

__all__ = ["LaplaceOptimum", "laplace_brackets", "laplace_optimum", "laplace_roc"]

_REPLICATES = 8
_FIRST = (512, 256)
_MOST_WORK = 2**23
_ROC_DRAWS, _ROC_NODES, _KNOWN_DRAWS = 1024, 128, 2048


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
    does (post-processing), nor more than the noise allows where it is: where the covariances
    agree, shifting independent Laplace variables of scales b by s changes no density by more than
    e^{Σ|s|/b}, which allows (1 + tanh(Σ|s|/2b))/2, and a coordinate without noise adds its own
    advantage; else what a coupling of the two normals leaves
    (:meth:`distpriv.privacy.laplace_profile.LaplaceLoss.bounds`).

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
    problems = [laplace_problem(fit, noise) for fit in model.pairs]
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
    bounds = []
    for index, fit in enumerate(model.pairs):
        problem = laplace_problem(fit, noise)
        linear, lower = problem.best_linear()
        upper = problem.upper
        if len(problem.shift) == 1:
            lower = upper = problem.on_line(lower)
        bounds.append((lower, upper, index, problem, linear))
    lower, upper = max(case[0] for case in bounds), max(case[1] for case in bounds)
    estimate = low = high = lower
    error = 0.0
    # The most promising pair first; the others need no more than a first look if they are behind.
    for pair_lower, pair_upper, index, problem, linear in sorted(bounds, key=lambda case: -case[0]):
        if pair_upper - pair_lower < tolerance / 10:
            high = max(high, pair_upper)
            continue
        sizes = _FIRST
        while True:
            gain = _gain(problem, linear, *sizes, np.random.SeedSequence(seed, spawn_key=(index,)))
            middle, least, most = gain.added_to(pair_lower, pair_upper)
            done = most - least <= 2 * tolerance or math.prod(sizes) >= _MOST_WORK
            if most < low or done:
                break
            draws, nodes = sizes
            few = gain.gap > 2 * gain.spread
            sizes = (draws, 4 * nodes) if few else (4 * draws, nodes)
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
    curves = [_simulated_roc(laplace_problem(fit, noise)) for fit in model.pairs]
    return max(curves, key=lambda curve: curve.area.estimate)


def _simulated_roc(problem: LaplaceProblem) -> RocCurve:
    if not problem.regular:
        return RocCurve(np.array([0.0, 0, 1]), np.array([0.0, 1, 1]), Interval(1.0, 1.0, 1.0))
    rng = np.random.default_rng(0)
    if problem.known:
        releases = problem.placed(fixed_draws(len(problem.shift), _KNOWN_DRAWS))
    else:
        releases = problem.draw(_ROC_DRAWS, rng)
    ahead = problem.advantage(releases, _ROC_NODES, rng)
    # Labels give way to posteriors, here of the second proportion.
    posterior = np.sort((1 - ahead) / 2)[::-1]
    rates = np.cumsum([1 - posterior, posterior], axis=1)
    rates /= rates[:, -1:]
    false, true = np.hstack([np.zeros((2, 1)), rates.clip(0, 1)])
    area = float(np.trapezoid(true, false))
    return RocCurve(false, true, Interval(area, area, area))


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
    problem: LaplaceProblem, linear: Linear, draws: int, nodes: int, seeds: np.random.SeedSequence
) -> _Gain:
    """Simulate the gain in independent repetitions."""
    gains = []
    for seed in seeds.spawn(_REPLICATES):
        rng = np.random.default_rng(seed)
        releases = problem.draw(draws // 2, rng)
        guessed = linear.signs(releases)
        one = problem.advantage(releases, nodes, rng)
        other = one if problem.known else problem.advantage(releases, nodes, rng)
        apart = [
            float(((np.sign(guess) - guessed) / 2 * weight).mean())
            for guess, weight in ((one, other), (other, one), (one, one), (other, other))
        ]
        gains.append(((apart[0] + apart[1]) / 2, (apart[2] + apart[3]) / 2))
    low, high = np.mean(gains, axis=0)
    error = float(np.mean(gains, axis=1).std(ddof=1)) / math.sqrt(_REPLICATES)
    return _Gain(float(low), float(high), error)


def _fresh_seed(rng: np.random.Generator | None) -> int:
    if rng is None:
        return int(np.random.SeedSequence().entropy)  # type: ignore[arg-type]
    return int(rng.integers(2**63))
