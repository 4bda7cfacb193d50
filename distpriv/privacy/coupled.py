r"""The coupling bound: what Gaussian noise delivers at most, whatever the laws of the statistics.

The hockey-stick divergence is jointly convex, so that for any coupling (x, y) of the laws of the
statistics under two shares and noise N(0, S)

.. math:: \delta(\varepsilon) \le E\,\delta_N(\varepsilon; r), \quad r^2 = (x-y)^T S^{-1} (x-y),
    \quad \delta_N(\varepsilon; r) = \Phi(r/2 - \varepsilon/r) - e^\varepsilon
    \Phi(-r/2 - \varepsilon/r)

(docs/coupling.md has the proof, step by step). Nothing is assumed of the laws but how records are
drawn. Where the law of D = x − y is drawn and not enumerated, an upper confidence bound stands for
the mean: for numbers X_1, …, X_R in [0, b] with a mean of at least u, and λ < 1/(b − u) chosen
beforehand, Π(1 + λ(u − X_i)) exceeds 1/β with a probability of at most β (Markov's inequality;
betting, as in Waudby-Smith & Ramdas 2024). Differences outside a box that holds all but τ of them
for certain count in full. β and τ are added to δ.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import log_ndtr

from distpriv.model.swaps import Differences
from distpriv.privacy.calibration import gaussian_distance

__all__ = [
    "Bound",
    "Radii",
    "certified_scale",
    "hockey_stick",
    "most_delivered",
    "pilot_scale",
    "radii_of",
]

FloatArray = NDArray[np.float64]

_BINS, _FEW_BINS = 4096, 512
_RANGE = 100.0  # of radii that are told apart; shorter ones count as the shortest of these
_CORNERS = 10  # statistics, up to which the corners of a box are tried one by one
_CUT = 0.7  # of the scale at which the pilot draws keep δ
_SMALL = 0.2  # of δ
_FINE = 3e-4
_STAKE = 0.8  # of the largest λ
_WIDEST = 37.0  # of a scale's logarithm
_STEP = 0.26
_LEAST = 1e-150  # root of a scale: no noise at all
_RANK = 1e-12


def hockey_stick(radii: FloatArray, epsilon: float) -> FloatArray:
    """δ_N(ε; r), same shape as r ≥ 0; see :func:`distpriv.privacy.calibration.gaussian_delta`."""
    values = np.zeros_like(radii)
    # Nearer differences give less than 1e-250.
    some = radii > epsilon / 34
    near = radii[some]
    far = epsilon / near
    upper = log_ndtr(near / 2 - far)
    lower = epsilon + log_ndtr(-near / 2 - far)
    values[some] = np.exp(upper) * -np.expm1(np.minimum(lower - upper, 0.0))
    return values


@dataclass(frozen=True, eq=False)
class Radii:
    """The law of r for one noise, on few values, each rounded up.

    Attributes
    ----------
    values : ndarray, shape (k,)
    masses : ndarray, shape (k,)
        They sum to 1.
    draws : int
        How many draws they stand for; 0 for the law itself.
    largest : float
        What r exceeds with a probability of at most `outside`, for certain.
    outside : float
    rounding : float
        See :class:`distpriv.model.swaps.Differences`.
    """

    values: FloatArray
    masses: FloatArray
    draws: int
    largest: float
    outside: float
    rounding: float

    def mean(self, epsilon: float, scale: float = 1.0) -> float:
        """E δ_N for `scale` times the noise's covariance."""
        root = max(math.sqrt(scale), _LEAST)
        return float(self.masses @ hockey_stick(self.values / root, epsilon))


def radii_of(
    differences: Differences,
    covariance: FloatArray,
    outside: float,
    *,
    pilot: bool = False,
    most: int | None = None,
) -> Radii:
    """r of every difference, binned upwards by at most a part in a hundred.

    Parameters
    ----------
    differences : Differences
    covariance : ndarray, shape (m, m)
        S, positive semidefinite: without noise every difference is infinitely far.
    outside : float
        τ.
    pilot : bool
        Of the pilot draws instead; with `most`, as if they were the draws that vouch.
    most : int, optional
        Of so many draws only, if there are more.
    """
    values = differences.pilot if pilot else differences.values
    masses = differences.pilot_weights if pilot else differences.probabilities
    draws = 0 if pilot and most is None else differences.draws
    if draws and most is not None:
        draws = min(draws, most)
        values = values if pilot else values[:draws]
    distance = _distances(covariance)
    radii = distance(values)
    largest = math.inf if draws else float(radii.max(initial=0.0))
    if draws:
        axes, ends = differences.box(outside)
        largest = _farthest(axes, ends, distance)
    bins = _FEW_BINS if pilot and len(radii) > _BINS else _BINS
    return Radii(*_binned(radii, masses, bins), draws, largest, outside, differences.rounding)


def _distances(covariance: FloatArray) -> Callable[[FloatArray], FloatArray]:
    """r of differences of shape (R, m)."""
    units = np.sqrt(np.diag(covariance))
    units = np.where(units > 0, units, 1.0)
    values, vectors = np.linalg.eigh(covariance / np.outer(units, units))
    kept = values > _RANK * max(float(values[-1]), 0.0)
    noisy = vectors[:, kept] / np.sqrt(values[kept]) / units[:, None]
    bare = vectors[:, ~kept] / units[:, None]

    def distance(differences: FloatArray) -> FloatArray:
        scaled = differences @ noisy
        squared = np.einsum("ij,ij->i", scaled, scaled)
        if bare.shape[1]:
            left = np.abs(differences @ bare).max(axis=1)
            squared[left > _RANK] = math.inf
        return np.sqrt(squared)

    return distance


def _farthest(
    axes: FloatArray, ends: FloatArray, distance: Callable[[FloatArray], FloatArray]
) -> float:
    """The largest r in a box; r is convex, so that it is at a corner."""
    size = axes.shape[1]
    if size <= _CORNERS:
        sides = np.array(list(product((0, 1), repeat=size)))
        return float(distance(ends[sides, np.arange(size)] @ axes.T).max())
    middle, halves = ends.mean(axis=0) @ axes.T, np.diag((ends[1] - ends[0]) / 2) @ axes.T
    return float(distance(middle[None])[0] + distance(halves).sum())


def _binned(
    radii: FloatArray, masses: FloatArray | None, bins: int
) -> tuple[FloatArray, FloatArray]:
    if masses is not None and len(radii) <= bins:
        return radii, masses
    finite = np.isfinite(radii)
    top = float(radii[finite].max(initial=0.0)) or 1.0
    step = math.log(_RANGE) / bins
    with np.errstate(divide="ignore"):
        places = np.ceil(np.log(np.where(finite, radii, top) / top) / step).clip(-bins, 0)
    index = np.where(finite, places + bins, bins + 1).astype(np.int64)
    sums = np.bincount(index, masses, minlength=bins + 2)
    values = top * np.exp((np.arange(bins + 2) - bins) * step)
    values[-1] = math.inf
    if not radii.any():
        values[0] = 0.0
    kept = sums > 0
    return values[kept], sums[kept] / sums.sum()


@dataclass(frozen=True)
class Bound:
    """At most this δ is delivered.

    Attributes
    ----------
    delta : float
        Never below the true δ, but with the probability that is already added to it.
    estimate : float
        Mean over the draws, or the coupling's own value where its law is known.
    """

    delta: float
    estimate: float


def most_delivered(radii: Radii, pilot: Radii, epsilon: float, failing: float) -> Bound:
    """The coupling bound at one ε.

    Parameters
    ----------
    radii : Radii
    pilot : Radii
        Of other draws, by which λ is chosen.
    epsilon : float >= 0
    failing : float in (0, 1)
        β, with which the bound may fail; charged to δ, as is τ.
    """
    losses = hockey_stick(radii.values, epsilon)
    estimate = float(radii.masses @ losses)
    if not radii.draws:
        return Bound(min(estimate + radii.rounding, 1.0), estimate)
    cap = float(hockey_stick(np.array([radii.largest]), epsilon)[0])
    losses = np.minimum(losses, cap)
    level = -math.log(failing)
    stake = _stake(pilot, epsilon, 1.0, cap, 0.0, level, radii.draws)

    def excess(bound: float) -> float:
        return radii.draws * float(radii.masses @ np.log1p(stake * (bound - losses))) - level

    low = float(radii.masses @ losses)
    bound = cap
    if low < cap and excess(cap) > 0:
        bound = float(brentq(excess, low, cap, xtol=1e-15, rtol=1e-9)) * (1 + 1e-8)
    return Bound(min(bound + failing + radii.outside, 1.0), estimate)


def certified_scale(
    radii: Radii, pilot: Radii, epsilon: float, delta: float, failing: float
) -> float:
    """The least factor on the noise's covariance with which it keeps (ε, δ) by the coupling bound.

    All in all the promise fails with a probability of at most β, which is charged to δ: the test
    that the bound exceeds δ is one, of a λ and a cap chosen beforehand, at the least factor that
    keeps it, and its statistic rises with the factor.

    Parameters
    ----------
    radii, pilot, failing
        See :func:`most_delivered`.
    epsilon : float > 0
    delta : float in (0, 1)

    Returns
    -------
    float
        0 where nothing is to be hidden; ∞ where no amount of noise will do.
    """
    longest = max(float(radii.values.max()), float(pilot.values.max()))
    if not longest > 0:
        return 0.0
    if math.isinf(longest):
        return math.inf
    if not radii.draws:
        goal = delta - radii.rounding
        if goal <= 0.5 * delta:
            return math.inf
        start = pilot_scale(pilot, epsilon, delta)
        return _scale(lambda scale: _log(radii.mean(epsilon, scale) / goal), start, 1e-9)
    level, goal = -math.log(failing), delta - failing - radii.outside
    if not pilot.values.any():  # hardly ever a difference: cover all that there may be
        return (radii.largest / gaussian_distance(epsilon, goal)) ** 2
    cut, cap, stake = _cut(radii, pilot, epsilon, goal, level)

    def missing(scale: float) -> float:
        losses = np.minimum(hockey_stick(radii.values / math.sqrt(scale), epsilon), cap)
        return level - radii.draws * float(radii.masses @ np.log1p(stake * (goal - losses)))

    # Below the cut a difference in the box may cost more than the cap.
    return max(_scale(missing, cut), cut)


def _cut(
    radii: Radii, pilot: Radii, epsilon: float, goal: float, level: float
) -> tuple[float, float, float]:
    """From which scale on single draws are cut off at which cap, and λ, by the pilot draws.

    The more noise, the less a single difference costs, so that few draws tell more.
    """

    def at(cut: float) -> tuple[float, float, float]:
        """Cap, λ, and how much more noise than the cut's is needed, as a logarithm."""
        cap = float(hockey_stick(np.array([radii.largest / math.sqrt(cut)]), epsilon)[0])
        stake = _stake(pilot, epsilon, cut / _CUT, cap, goal, level, radii.draws)
        left = goal - level / (radii.draws * stake)
        if left < 0.1 * goal:
            return cap, stake, math.inf
        return cap, stake, math.log(pilot_scale(pilot, epsilon, left) / cut)

    low = high = _CUT * pilot_scale(pilot, epsilon, goal)
    cap, stake, more = at(low)
    if level / (radii.draws * stake) < _SMALL * goal:
        return low, cap, stake
    while more > 0:
        low, high = high, high * math.exp(_STEP)
        more = at(high)[2]
    while math.log(high / low) > _FINE:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if at(middle)[2] > 0 else (low, middle)
    return high, *at(high)[:2]


def _log(value: float) -> float:
    return math.log(max(value, 1e-300))


def pilot_scale(pilot: Radii, epsilon: float, delta: float, within: float = 1e-4) -> float:
    """The least factor on the noise's covariance with which it keeps (ε, δ), about."""
    start = (float(pilot.masses @ pilot.values) / gaussian_distance(epsilon, delta)) ** 2
    if start == 0:
        return 0.0
    return _scale(lambda scale: _log(pilot.mean(epsilon, scale) / delta), start, within)


def _stake(
    pilot: Radii,
    epsilon: float,
    scale: float,
    cap: float,
    goal: float,
    level: float,
    draws: int,
) -> float:
    """λ: the best for a mean of about the pilot's and its variance, as far as it is allowed."""
    losses = np.minimum(hockey_stick(pilot.values / math.sqrt(scale), epsilon), cap)
    mean = float(pilot.masses @ losses)
    variance = float(pilot.masses @ (losses - mean) ** 2)
    most = _STAKE / max(cap - goal, 1e-300) if cap > goal else 1 / max(goal, 1e-300)
    return min(math.sqrt(2 * level / (draws * max(variance, 1e-300))), most)


def _scale(excess: Callable[[float], float], start: float, within: float = 1e-6) -> float:
    """Where an excess that falls with the scale is 0, a little to the safe side."""

    def at(log: float) -> float:
        return excess(math.exp(log))

    low = high = math.log(start)
    if at(low) > 0:
        while at(high) > 0:
            low, high = high, high + _STEP
            if high > math.log(start) + _WIDEST:
                return math.inf
    else:
        while at(low) <= 0:
            low, high = low - _STEP, low
            if low < math.log(start) - _WIDEST:
                return math.exp(low)
    root: float = brentq(at, low, high, xtol=within / 2, rtol=1e-15)
    return math.exp(root + within)
