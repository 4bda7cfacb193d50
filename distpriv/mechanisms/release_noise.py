r"""Noise for a real release: exact samples, made of the operating system's random bits.

A generator that is seeded once can be wound back by whoever learns its state, and samples in
floating-point numbers have holes: not every sum of a true value and such a sample can come about,
and what cannot tells the true value (Mironov 2012). Here nothing is a floating-point number until
the release is rounded.

Each ξ_k of a noise Z = Σ_k scales_k ξ_k directions[:, k] + floor ζ is a whole multiple of
h = 2⁻²⁵⁶, drawn from the discrete Gaussian with P(jh) ∝ exp(−(jh)²/2), or from the discrete Laplace
distribution with P(jh) ∝ exp(−|jh|), by the rejection samplers of Canonne, Kamath & Steinke
(2020), Algorithms 1 to 3, which compute with whole numbers only. Sum, true statistics and rounding
to the release's decimal places are rational numbers, which :class:`fractions.Fraction` has without
error.

What is released is not quite what real numbers ξ_k would give. Couple the two by rounding ξ_k to
the nearest multiple of h: a statistic moves by at most
:math:`e_i = \frac h2\left(\sum_k s_k|v_{ik}| + f_i\right)`, and its rounding to multiples of u_i
changes only if that crosses the middle of two of them. The density of Z_i is log-concave and
symmetric, so unimodal and at most 1/σ_i (Lovász & Vempala 2007, Lemma 5.5); it crosses one with
probability at most :math:`2e_i(1/u_i + 1/\sigma_i)`. Rounded and discrete ξ_k are within h²/8 of
each other in total variation. All together,
:math:`\tau = \sum_i 2e_i(1/u_i + 1/\sigma_i) + K h^2/8` for K random numbers, and as
:math:`\tilde P(S) \le P(S) + \tau \le e^\varepsilon Q(S) + \delta + \tau`, the promise (ε, δ) of
real numbers is (ε, δ + (1 + e^ε)τ) here: τ is below 10⁻⁶⁹ for up to a thousand statistics, so that
less than 10⁻²⁵ is added to δ for ε up to 100. The true statistics are what NumPy makes of the
records, in double precision.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from distpriv.privacy.noise import Noise, check_answer

__all__ = [
    "added_delta",
    "bernoulli_exp",
    "discrete_gaussian",
    "discrete_laplace",
    "noisy",
    "total_variation",
    "without_noise",
]

FloatArray = NDArray[np.float64]

_BITS = 256


def bernoulli_exp(numerator: int, denominator: int, source: random.Random) -> bool:
    """True with probability exp(−numerator/denominator), exactly.

    Canonne, Kamath & Steinke (2020), Algorithm 1.

    Parameters
    ----------
    numerator : int >= 0
    denominator : int > 0
    source : random.Random
        Where whole numbers come from; `random.SystemRandom` asks the operating system.
    """
    while numerator > denominator:
        if not _bernoulli_exp_below_one(1, 1, source):
            return False
        numerator -= denominator
    return _bernoulli_exp_below_one(numerator, denominator, source)


def _bernoulli_exp_below_one(numerator: int, denominator: int, source: random.Random) -> bool:
    count = 1
    while source.randrange(denominator * count) < numerator:
        count += 1
    return count % 2 == 1


def discrete_laplace(scale: int, source: random.Random) -> int:
    """A whole number k with probability in proportion to exp(−|k|/scale), exactly.

    Canonne, Kamath & Steinke (2020), Algorithm 2.

    Parameters
    ----------
    scale : int > 0
    source : random.Random
    """
    while True:
        part = source.randrange(scale)
        if not bernoulli_exp(part, scale, source):
            continue
        while bernoulli_exp(1, 1, source):
            part += scale
        if source.randrange(2):
            return part
        if part:
            return -part


def discrete_gaussian(deviation: int, source: random.Random) -> int:
    """A whole number k with probability in proportion to exp(−k²/(2 deviation²)), exactly.

    Canonne, Kamath & Steinke (2020), Algorithm 3.

    Parameters
    ----------
    deviation : int > 0
        σ; the standard deviation is no more than that, and no less by more than exp(−2π²σ²) of it.
    source : random.Random
    """
    scale, variance = deviation + 1, deviation**2
    while True:
        drawn = discrete_laplace(scale, source)
        if bernoulli_exp((abs(drawn) * scale - variance) ** 2, 2 * variance * scale**2, source):
            return drawn


def noisy(
    answer: ArrayLike,
    noise: Noise,
    decimals: Sequence[int | None],
    source: random.Random | None = None,
    *,
    bits: int = _BITS,
) -> FloatArray:
    """The statistics with one draw of the noise, each rounded to decimal places.

    Parameters
    ----------
    answer : array-like, shape (m,)
        Taken as the rational numbers that these floating-point numbers are.
    noise : Noise
    decimals : sequence of int or None, length m
        Decimal places of each, negative for tens and hundreds; None for a statistic without noise,
        which is rounded to twelve digits: the last ones of a floating-point sum tell the order in
        which records were added, and so something of the records.
    source : random.Random, optional
        The operating system's random numbers by default. Any other one gives the noise away.
    bits : int >= 0
        −log₂ h.

    Returns
    -------
    ndarray, shape (m,)
        The floating-point numbers next to the rounded ones.

    Raises
    ------
    CalibrationError
        If the answer does not have one finite number a statistic.
    """
    values = check_answer(answer, noise.dimension)
    source = source or random.SystemRandom()
    unit = 1 << bits
    draw = discrete_gaussian if noise.distribution == "gaussian" else discrete_laplace
    along = [_exact(scale) * draw(unit, source) if scale else None for scale in noise.scales]
    samples = []
    for index, (value, places) in enumerate(zip(values.tolist(), decimals, strict=True)):
        drawn = sum(
            (
                _exact(part) * length
                for part, length in zip(noise.directions[index], along, strict=True)
                if length is not None and part
            ),
            Fraction(0),
        )
        if noise.floor_deviations[index]:
            drawn += _exact(noise.floor_deviations[index]) * discrete_gaussian(unit, source)
        if places is None:
            samples.append(float(without_noise(value)))
        else:
            samples.append(_rounded(_exact(value) + drawn / unit, places))
    return np.array(samples)


def without_noise(value: float) -> str:
    """Write a statistic that gets no noise with the digits that are released of it."""
    return f"{value:.12g}"


def _exact(value: float) -> Fraction:
    return Fraction(float(value))


def _rounded(value: Fraction, places: int) -> float:
    power = Fraction(10) ** places
    return float(round(value * power) / power)


def total_variation(noise: Noise, decimals: Sequence[int | None], *, bits: int = _BITS) -> float:
    """τ, by how much a release of :func:`noisy` differs from one with real numbers, at most.

    In total variation, whatever the true statistics; see :mod:`distpriv.mechanisms.release_noise`.

    Parameters
    ----------
    noise : Noise
    decimals : sequence of int or None, length m
    bits : int >= 0
        −log₂ h.
    """
    spacing = math.ldexp(1.0, -bits)
    reach = (np.abs(noise.directions) @ noise.scales + noise.floor_deviations) * spacing / 2
    deviations = np.sqrt(np.diag(noise.covariance))
    crossed = [
        2 * moved * (10.0**places + 1 / deviation)
        for moved, deviation, places in zip(
            reach.tolist(), deviations.tolist(), decimals, strict=True
        )
        if places is not None
    ]
    drawn = np.count_nonzero(noise.scales) + np.count_nonzero(noise.floor_deviations)
    return math.fsum(crossed) + int(drawn) * spacing**2 / 8


def added_delta(
    noise: Noise, decimals: Sequence[int | None], epsilon: float, *, bits: int = _BITS
) -> float:
    """(1 + e^ε)τ, what drawing whole numbers instead of real ones adds to δ at ε, at most.

    Parameters
    ----------
    noise, decimals, bits
        As for :func:`total_variation`.
    epsilon : float >= 0
    """
    bound = (1 + math.exp(min(epsilon, 700.0))) * total_variation(noise, decimals, bits=bits)
    return min(bound, 1.0)
