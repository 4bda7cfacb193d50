r"""Exact draws of noise that nobody can draw again, and balanced figures of kept records.

Sums of floating-point numbers have holes that give the true value away (Mironov 2012), and a seeded
generator can be wound back. So every random number here is a whole multiple of h = 2⁻²⁵⁶, drawn
from the operating system's bits by the rejection samplers of Canonne, Kamath & Steinke (2020),
which compute with whole numbers only; sum and rounding are rational numbers. Couple a real ξ with
its nearest multiple of h: statistic i moves by at most :math:`e_i = \frac h2\sum_k|A_{ik}|`, and
its rounding to multiples of u_i changes with probability at most :math:`2e_i(1/u_i + 1/\sigma_i)`,
for the density of the noise is unimodal and at most 1/σ_i (Lovász & Vempala 2007, Lemma 5.5). With
h²/8 for each of K rounded ξ, :math:`\tau = \sum_i 2e_i(1/u_i + 1/\sigma_i) + K h^2/8` bounds the
total variation, and the promise (ε, δ) becomes (ε, δ + (1 + e^ε)τ): below 10⁻²⁵ more for ε up to
100.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from distpriv.arrays import FloatArray
from distpriv.errors import DistprivError
from distpriv.model import Groups, Release
from distpriv.model.estimated import estimated_law
from distpriv.model.grid import deviations
from distpriv.queries import Query

__all__ = ["NoiseLaw", "balanced_figures", "places_of", "rounded", "rounded_up", "written"]

_BITS = 256
_PARTS = 100  # of the noise's deviation that a number is rounded to, at most
_RANK = 1e-13  # of a variance in units of each statistic: less does not vary
_UP = Context(prec=3, rounding=ROUND_CEILING)
_DIGITS = 12  # of what has no noise
_SEED = 0  # of resampled records, so that standard errors do not move


def bernoulli_exp(numerator: int, denominator: int, source: random.Random) -> bool:
    """Return True with probability exp(−numerator/denominator), exactly (Algorithm 1)."""
    while numerator > denominator:
        if not bernoulli_exp(1, 1, source):
            return False
        numerator -= denominator
    count = 1
    while source.randrange(denominator * count) < numerator:
        count += 1
    return count % 2 == 1


def discrete_laplace(scale: int, source: random.Random) -> int:
    """Return k with probability in proportion to exp(−|k|/scale), exactly (Algorithm 2)."""
    while True:
        part = source.randrange(scale)
        if not bernoulli_exp(part, scale, source):
            continue
        while bernoulli_exp(1, 1, source):
            part += scale
        if source.randrange(2):
            return part
        if part:  # or 0 would come twice as often
            return -part


def discrete_gaussian(deviation: int, source: random.Random) -> int:
    """Return k with probability in proportion to exp(−k²/(2 deviation²)), exactly (Algorithm 3)."""
    scale, variance = deviation + 1, deviation**2
    while True:
        number = discrete_laplace(scale, source)
        if bernoulli_exp((abs(number) * scale - variance) ** 2, 2 * variance * scale**2, source):
            return number


@dataclass(frozen=True, eq=False)
class NoiseLaw:
    """Noise normal @ ξ + laplace @ η with independent standard normal ξ and Laplace η."""

    normal: FloatArray  # (m, K)
    laplace: FloatArray  # (m, L)
    coarse: bool = False  # deviations are rounded up far, for they follow from what is hidden

    @classmethod
    def of(cls, release: Release, m: int, coarse: bool = False) -> NoiseLaw:
        """Factor the noise of a release of m statistics; its covariance may be singular.

        The floor on the grid is drawn by itself, so that no rounding of other noise drowns it.
        DistprivError if there is no noise of such a covariance.
        """
        covariance = release.normal(m)
        unit, size = deviations(covariance), np.sqrt(np.diagonal(covariance).clip(0))
        floor = np.zeros(m) if release.floor is None else np.minimum(release.floor, size)
        for alone in (floor, np.zeros(m)):
            rest = covariance / np.outer(unit, unit) - np.diag((alone / unit) ** 2)
            if not np.isfinite(rest).all():
                break
            values, vectors = np.linalg.eigh(rest)
            if values.min() >= -1e-9:
                wide = values > _RANK
                normal = size[:, None] * vectors[:, wide] * np.sqrt(values[wide])
                normal = np.hstack([normal, np.diag(alone)[:, alone > 0]])
                return cls(normal, release.laplace(m), coarse)
        raise DistprivError("This noise has no covariance; calibrate it again.")

    @property
    def deviations(self) -> FloatArray:
        """Standard deviations, see `rounded_up`, shape (m,); 0 where there is none."""
        square = (self.normal**2).sum(axis=1) + 2 * (self.laplace**2).sum(axis=1)
        return rounded_up(np.sqrt(square), self.coarse)

    @property
    def decimals(self) -> list[int | None]:
        """Decimal places that each number is rounded to; negative for tens, None without noise."""
        return [places_of(one) for one in self.deviations.tolist()]

    def added_delta(self, epsilon: float) -> float:
        """Return (1 + e^ε)τ, what exact draws add to δ at most."""
        factors, step = np.hstack([self.normal, self.laplace]), math.ldexp(1.0, -_BITS)
        moved = (np.abs(factors).sum(axis=1) * step / 2).tolist()
        parts = zip(moved, self.deviations.tolist(), self.decimals, strict=True)
        tau = math.fsum(2 * e * (10.0**u + 2.5 / d) for e, d, u in parts if u is not None)
        tau += int(np.count_nonzero(factors.any(axis=0))) * step**2 / 8
        return min((1 + math.exp(min(epsilon, 700.0))) * tau, 1.0)

    def draw(self, answer: ArrayLike, source: random.Random | None = None) -> FloatArray:
        """Return the statistics with one draw of the noise, rounded, shape (m,).

        The answer, shape (m,), is taken as the rational numbers that its floating-point numbers
        are, else it is a DistprivError. The source is the operating system's; any other one gives
        the noise away.
        """
        values = np.asarray(answer, dtype=float)
        if values.shape != (len(self.normal),) or not np.isfinite(values).all():
            raise DistprivError(f"The noise is for {len(self.normal)} finite numbers; pass those.")
        source, unit = source or random.SystemRandom(), 1 << _BITS
        first = self.normal.shape[1]
        noise = [Fraction(0)] * len(values)
        for at, column in enumerate(np.hstack([self.normal, self.laplace]).T.tolist()):
            length = (discrete_gaussian if at < first else discrete_laplace)(unit, source)
            noise = [one + Fraction(part) * length for one, part in zip(noise, column, strict=True)]
        every = zip(values.tolist(), noise, self.decimals, strict=True)
        return np.array([rounded(Fraction(one) + z / unit, places) for one, z, places in every])

    def intervals(self, values: FloatArray) -> list[list[float] | None]:
        """Return 95 % intervals of the table's own values; None where these are released.

        By the noise alone, with what rounding moves. Wide enough where Laplace noise takes part, by
        Gauss's inequality for what has one peak.
        """
        reach = 2 / 3 / math.sqrt(0.05) if self.laplace.any() else ndtri(0.975)
        ends: list[list[float] | None] = []
        for value, size, at in zip(values, self.deviations, self.decimals, strict=True):
            half = 0.0 if at is None else float(reach * size) + 10.0**-at
            ends.append([rounded(float(value) + x, at) for x in (-half, half)] if half else None)
        return ends


def rounded_up(values: ArrayLike, coarse: bool = False) -> FloatArray:
    """Return numbers from 0 on, of the same shape, rounded up to three digits.

    To 1, 2 or 5 times a power of ten where it is coarse.
    """
    exact = np.asarray(values, dtype=float)
    digits = [_UP.create_decimal(one * (1 - 1e-12)) for one in exact.ravel().tolist()]
    if coarse:
        digits = [one and min(x for x in _steps(one) if x >= one) for one in digits]
    return np.reshape(np.array(digits, dtype=float), exact.shape)


def _steps(number: Decimal) -> list[Decimal]:
    return [Decimal(first).scaleb(number.adjusted()) for first in (1, 2, 5, 10)]


def places_of(deviation: float) -> int | None:
    """Return the decimal places of a hundredth of a deviation, or less; None for 0."""
    return -math.floor(math.log10(deviation / _PARTS)) if deviation else None


def rounded(value: Fraction | float, places: int | None) -> float:
    """Round to decimal places; to twelve digits where there is no noise.

    The last digits of a floating-point sum tell in which order records were added.
    """
    if places is None:
        return float(f"{float(value):.{_DIGITS}g}")
    power = Fraction(10) ** places
    return float(round(Fraction(value) * power) / power)


def written(value: float, decimals: int | None) -> str:
    """Write a released number with the decimal places that it was rounded to."""
    return f"{value:.{_DIGITS}g}" if decimals is None else f"{value:.{max(decimals, 0)}f}"


def balanced_figures(
    query: Query, values: FloatArray, having: FloatArray, stands_for: FloatArray, label: str
) -> tuple[FloatArray, FloatArray]:
    """Compute the statistics of kept records, and their standard errors, each of shape (m,).

    Records, (kept, w) and (kept,), are as `Source.kept` returns them, and those of each group stand
    for so many, (2,). Errors are those of an estimate of all such populations, from these records
    alone: in closed form for sums, else of the records drawn anew. The order of the records counts
    for nothing. DistprivError if a group has fewer than two of them; the label names their secret.
    """
    order = np.lexsort([*values.T, having])
    values, group = values[order], having[order].astype(int)
    groups = Groups.of(values, having[order], label)
    weights, n = stands_for / groups.counts, round(float(stands_for.sum()))
    figures = query.of(values, weights[group])
    for at, (one, place) in enumerate(zip(query.statistics, query.places, strict=True)):
        if one.linear:
            column = values[:, place.start]
            sums = [math.fsum(column[group == side].tolist()) for side in (0, 1)]
            figures[at] = float(weights @ sums) * one.scale(n)
    if query.linear:
        variances = np.diagonal(groups.covariances, axis1=1, axis2=2)
        variances = (stands_for**2 / groups.counts) @ variances * query.scales(n) ** 2
    else:
        number, total = groups.counts[None], stands_for[None]
        rng = np.random.default_rng(_SEED)
        variances = np.diagonal(estimated_law(query, groups, number, total, True, rng).covariance)
    exact = np.array([rounded(one, None) for one in figures.tolist()])
    return exact, rounded_up(np.sqrt(variances.clip(0)))
