"""Laws of counts by the logarithms of their probabilities, which no rare outcome drops out of.

A promise of (ε, 0) is about every outcome, one of probability 10⁻⁴⁰⁰ included. Here all have their
probability to ten digits, and W_∞ of two laws is decided by their tails as they are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["binomial", "convolved", "hypergeometric", "wasserstein_steps"]

FloatArray = NDArray[np.float64]

_FOLLOWED = -600.0  # ln of a probability that is summed without underflow, beside the largest
_LOST = -700.0  # ln of a factor that is left out of such sums
_TIE = 1e-10  # relative, of two probabilities that count as equal
_HALF = float(np.log(0.5))


def binomial(draws: int, hits: int, misses: int) -> FloatArray:
    """Return ln of the probabilities of 0, ..., `draws` hits among draws with replacement.

    Parameters
    ----------
    draws, hits, misses : int
        Records drawn, and records that are a hit or a miss among those drawn from.
    """
    if not hits or not misses:
        return _on_grid(draws, draws if hits else 0, np.empty(0))
    before = np.arange(draws)
    return _on_grid(draws, 0, np.log((draws - before) / (before + 1) * (hits / misses)))


def hypergeometric(draws: int, hits: int, misses: int) -> FloatArray:
    """Return ln of the probabilities of 0, ..., `draws` hits among draws without replacement.

    Parameters are those of :func:`binomial`; there are at least as many records as draws.
    """
    low, high = max(0, draws - misses), min(draws, hits)
    before = np.arange(low, high)
    rising = (hits - before) / (before + 1) * ((draws - before) / (misses - draws + before + 1))
    return _on_grid(draws, low, np.log(rising))


def _on_grid(draws: int, low: int, rises: FloatArray) -> FloatArray:
    """Return a law from its first possible number and what its logarithm rises by from there."""
    logs = np.concatenate([[0.0], np.cumsum(rises)])
    logs -= logs.max()
    law = np.full(draws + 1, -np.inf)
    law[low : low + len(logs)] = logs - np.log(np.exp(logs).sum())
    return law


def convolved(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the law of the sum of two independent counts with log-concave laws.

    Sums of products of positive numbers, once for each stretch of outcomes: both laws are tilted
    by e^{−sx}, which their convolution is as well, with s such that the stretch is likely.

    Parameters
    ----------
    first, second : ndarray, shape (k + 1,) and (l + 1,)
        ln of probabilities of 0, 1, ...; −∞ outside one stretch.

    Returns
    -------
    ndarray, shape (k + l + 1,)
    """
    laws = [np.flatnonzero(np.isfinite(law)) for law in (first, second)]
    inside = [
        law[places[0] : places[-1] + 1] for law, places in zip((first, second), laws, strict=True)
    ]
    logs = _convolved(*inside)
    law = np.full(len(first) + len(second) - 1, -np.inf)
    start = int(laws[0][0] + laws[1][0])
    law[start : start + len(logs)] = logs
    return law


def _convolved(first: FloatArray, second: FloatArray) -> FloatArray:
    logs, low, high = _tilted(first, second, 0.0)
    while low > 0:
        more, start, _ = _tilted(first, second, float(logs[low + 1] - logs[low]))
        logs[start:low], low = more[start:low], start
    while high < len(logs) - 1:
        more, _, end = _tilted(first, second, float(logs[high] - logs[high - 1]))
        logs[high + 1 : end + 1], high = more[high + 1 : end + 1], end
    return logs


def _tilted(first: FloatArray, second: FloatArray, slope: float) -> tuple[FloatArray, int, int]:
    """Return the convolution, and the first and last outcome where it can be relied on."""
    factors, places, height = [], 0, 0.0
    for law in (first, second):
        tilted = law - slope * np.arange(len(law))
        height += float(tilted.max())
        tilted -= tilted.max()
        likely = np.flatnonzero(tilted > _LOST)
        places += int(likely[0])
        factors.append(np.exp(tilted[likely[0] : likely[-1] + 1]))
    with np.errstate(divide="ignore"):
        summed = np.log(np.convolve(factors[0], factors[1]))
    reliable = places + np.flatnonzero(summed > _FOLLOWED)
    logs = np.full(len(first) + len(second) - 1, -np.inf)
    logs[places : places + len(summed)] = summed + height
    logs += slope * np.arange(len(logs))
    return logs, int(reliable[0]), int(reliable[-1])


def wasserstein_steps(first: FloatArray, second: FloatArray) -> int:
    """Return W_∞ of two laws on whole numbers, 0 to n.

    The least w with F(x) ≤ G(x + w) and G(x) ≤ F(x + w) for every x, F and G the probabilities of
    at most x: the coupling of equal quantiles is optimal. Each comparison is made in the tail where
    x lies, and probabilities that agree to 1e-10 of their size count as equal.

    Parameters
    ----------
    first, second : ndarray, shape (n + 1,)
        ln of probabilities, −∞ for what is impossible.
    """
    return max(_raised(first, second), _raised(second, first))


def _raised(first: FloatArray, second: FloatArray) -> int:
    """Return by how much the quantiles of the second law exceed those of the first at most."""
    below, above = (np.logaddexp.accumulate(law) for law in (first, second))
    # Of at least x; beyond n there is nothing.
    beyond, further = (
        np.append(np.logaddexp.accumulate(law[::-1])[::-1], -np.inf) for law in (first, second)
    )
    places = np.arange(len(first))
    lower = np.isfinite(below) & (below <= _HALF)
    reached = np.searchsorted(above, below[lower] - _TIE, "left") - places[lower]
    upper = below > _HALF
    ends = np.searchsorted(-further, -beyond[1:][upper] - _TIE, "left") - 1 - places[upper]
    return int(max(reached.max(initial=0), ends.max(initial=0)))
