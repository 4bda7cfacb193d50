r"""Intervals for whoever receives a release: where the dataset's value lies, and the population's.

They follow from what is public once the statistics are released: the numbers, the law of the noise,
n, and bounds of columns that are declared to be public. Nothing else of the table goes into them,
in particular not the deviations of the fitted model, which are computed from its records; so they
tell nothing that the release does not.

**The dataset's value** F, of the records that the statistics were computed from. The released y is
F + Z to half a unit u of its last decimal place, so that F lies within q + u/2 of y, q the quantile
of \|Z\|, at least as often as the level says. A count is a whole number from 0 to n: an interval is
cut to what is possible, which leaves out no possible value.

**The population's value**, of which the n records are a random sample, or are thought of as one.
The released y is tested against every possible value of the population, and the interval holds
those that a two-sided test does not reject (Neyman 1937), with the sampling law convolved with the
law of the noise:

* the number of records that have a value is binomial, and no more is needed than n;
* the sum of a column whose values lie between public bounds is in convex order below the sum of
  records that only take the two bounds, and have the same mean (Hoeffding 1963, proof of Theorem 1;
  Theorem 4 for draws without replacement), whence
  :math:`\Pr(S \ge x) \le e \Pr(B \ge \lfloor x\rfloor)`, B being binomial (Pinelis 1998;
  Bentkus 2004: Markov's inequality for (B − t)⁺, and a log-concave tail, which the step lies
  above). Wide, as nothing is assumed of how the column is distributed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import bdtrc

from distpriv.arguments import Within, checked
from distpriv.errors import ModelError
from distpriv.mechanisms.release import Release
from distpriv.model.sampling import Interval
from distpriv.privacy.noise_tails import NoiseTail
from distpriv.queries.base import Statistic
from distpriv.words import exact

__all__ = ["ReleasedInterval", "release_intervals"]

FloatArray = NDArray[np.float64]

_BEYOND = 12.0  # standard deviations, where no probability is left that counts
_ROUNDING = 1e-9  # of a record, or of a step
_MOST = 10**9  # records for which probabilities keep their digits


@dataclass(frozen=True)
class ReleasedInterval:
    """What a released number tells of the value behind it.

    Attributes
    ----------
    label : str
        Of the statistic.
    dataset : Interval
        Of the records' own value, by the noise alone.
    population : Interval or None
        Of the value that such records have on average; None where nothing public bounds it.
    rests_on : str
        What the second one rests on, or why there is none; plain.
    """

    label: str
    dataset: Interval
    population: Interval | None
    rests_on: str


@checked(ModelError)
def release_intervals(
    release: Release,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    *,
    level: Annotated[float, Within(0, 1)] = 0.95,
) -> tuple[ReleasedInterval, ...]:
    """Confidence intervals for every released number, each by itself.

    See :mod:`distpriv.mechanisms.release_intervals` for what they are and rest on. They hold for
    one release; several of the same statistics are read together by whoever has them all.

    Parameters
    ----------
    release : Release
    bounds : mapping of column to (lowest, highest), optional
        Between which every value of the column lies in the population, from public knowledge. They
        are handed on with the intervals.
    level : float in (0, 1)
        How often an interval holds the value, at least.

    Raises
    ------
    ModelError
        If the level is 0 or 1, or bounds are not two finite numbers, the lower one first.
    """
    if not 0 < level < 1:
        raise ModelError(f"The level must lie between 0 and 1, got {level:g}.")
    known = dict(bounds or {})
    for column, (low, high) in known.items():
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise ModelError(
                f"The bounds of column {column!r} must be two finite numbers, the lower one first, "
                f"got ({low:g}, {high:g})."
            )
    found = []
    for index, statistic in enumerate(release.query):
        places = release.decimals[index]
        number = _Number(
            float(release.values[index]),
            0.0 if places is None else 0.5 * 10.0**-places,
            NoiseTail.of(release.noise, index),
        )
        found.append(_intervals(statistic, number, release.n, known, level))
    return tuple(found)


@dataclass(frozen=True)
class _Number:
    """A released number, half a unit of its last place, and the law of its noise."""

    value: float
    half: float
    tail: NoiseTail

    def among_records(self, shift: float, scale: float) -> _Number:
        """The same before it was multiplied by a scale > 0 and shifted."""
        tail = NoiseTail(self.tail.spread / scale, tuple(each / scale for each in self.tail.scales))
        return _Number((self.value - shift) / scale, self.half / scale, tail)


def _intervals(
    statistic: Statistic,
    number: _Number,
    n: int,
    bounds: Mapping[str, tuple[float, float]],
    level: float,
) -> ReleasedInterval:
    reach = number.tail.quantile(level) + number.half
    dataset = Interval(number.value, number.value - reach, number.value + reach, level)
    if statistic.indicates:
        dataset = _possible(dataset, statistic.scale(n), n)
    asked = _asked(statistic, bounds)
    if not asked or n > _MOST:
        return ReleasedInterval(statistic.label, dataset, None, _why_none(statistic, n))
    low, high = asked
    shift, scale = statistic.scale(n) * n * low, statistic.scale(n) * (high - low)
    ends = _population(
        number.among_records(shift, scale), n, (1 - level) / 2, exactly=statistic.indicates
    )
    least, most = (shift + scale * n * end for end in ends)
    rests_on = f"that the {n} records are a random sample"
    if not statistic.indicates:
        rests_on += (
            f", and {statistic.column} is within {exact(low)} to {exact(high)}, taken to be public"
        )
    population = Interval(number.value, least, most, level)
    return ReleasedInterval(statistic.label, dataset, population, rests_on)


def _asked(
    statistic: Statistic, bounds: Mapping[str, tuple[float, float]]
) -> tuple[float, float] | None:
    """Between what one record's value lies; None where that is not public, or tells nothing."""
    if statistic.indicates:
        return 0.0, 1.0
    return bounds.get(statistic.column) if statistic.linear and statistic.takes_bounds else None


def _why_none(statistic: Statistic, n: int) -> str:
    if n > _MOST:
        return "none: there are too many records to compute it"
    if statistic.linear and statistic.takes_bounds:
        return f"none: {statistic.column} has no public bounds, which it needs"
    return "none: it is no sum over the records"


def _possible(interval: Interval, scale: float, n: int) -> Interval:
    """Cut to whole numbers from 0 to n, times the scale; all of them where none is left."""
    low, high = (
        math.ceil(interval.low / scale - _ROUNDING),
        math.floor(interval.high / scale + _ROUNDING),
    )
    low, high = max(low, 0), min(high, n)
    if low > high:
        low, high = 0, n
    each = 1 / scale  # a share of 47 in 100 is to be 0.47
    return Interval(interval.estimate, low / each, high / each, interval.confidence)


def _population(number: _Number, n: int, tail: float, *, exactly: bool) -> tuple[float, float]:
    """Shares q of n, so that a test at `tail` on either side does not reject a mean of nq."""
    mirrored = _Number(n - number.value, number.half, number.tail)
    least = _least_share(number, n, tail, exactly=exactly)
    most = 1 - _least_share(mirrored, n, tail, exactly=exactly)
    # Where the noise was so large that nothing possible is left, nothing is ruled out.
    return (least, most) if least < most else (0.0, 1.0)


def _least_share(number: _Number, n: int, tail: float, *, exactly: bool) -> float:
    """The share from which on a number as large as this comes out more often than `tail`."""

    def beyond(q: float) -> float:
        return _as_large(number, n, q, exactly=exactly) - tail

    if beyond(0.0) > 0:
        return 0.0
    if beyond(1.0) <= 0:
        return 1.0
    found: float = brentq(beyond, 0.0, 1.0, xtol=1e-10)
    return max(found - 1e-9, 0.0)


def _as_large(number: _Number, n: int, q: float, *, exactly: bool) -> float:
    """How often a number at least as large comes out if the mean is nq, at most."""
    spread = _BEYOND * math.sqrt(n * q * (1 - q)) + 2 * _BEYOND
    first, last = max(math.floor(n * q - spread), 0), min(math.ceil(n * q + spread), n)
    x = np.arange(first, last + 2, dtype=np.float64)
    # Pr(B >= x), from 1 at the first to 0 beyond the last.
    reached = np.where(x > n, 0.0, np.where(x < 1, 1.0, bdtrc(np.clip(x - 1, 0, n), n, q)))
    reached[0], reached[-1] = 1.0, 0.0
    if not exactly:
        reached = np.minimum(math.e * reached, 1.0)
        reached[-1] = 0.0
    weights = reached[:-1] - reached[1:]
    at = x[:-1] if exactly else x[1:]
    least = number.value - number.half - _ROUNDING
    return float(weights @ number.tail.upper(least - at))
