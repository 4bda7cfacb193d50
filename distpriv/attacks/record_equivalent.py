"""As good as reading k records: how many of them tell the shares as well as the attacker does."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc, betaln

from distpriv.arguments import Within, checked
from distpriv.errors import AttackError

__all__ = ["draws_to_match", "leaked_records", "reading_accuracy", "records_to_match"]

FloatArray = NDArray[np.float64]

Accuracy = Annotated[float, Within(0.5, 1)]
Share = Annotated[float, Within(0, 1)]

_ROUNDING = 1e-12  # of an accuracy: one that is met but for that is met
_MOST = 1 << 40  # draws; more than any dataset has records
_BEYOND = 40.0  # standard deviations, where no probability is left that counts


@checked(AttackError)
def reading_accuracy(
    k: Annotated[int, Within(0)],
    p_i: Share,
    p_j: Share,
    *,
    n: Annotated[int, Within(1)] | None = None,
) -> float:
    """How often the best test on k records tells two shares apart, at even odds.

    The number X of records that have the property is all that they tell. Its likelihood ratio
    rises with X, so that the best test (Neyman & Pearson 1933) asks whether X exceeds a threshold,
    and is right with probability (1 + TV)/2. X is binomial, or hypergeometric where the k are read
    out of the n records of a dataset without putting any back; computed from tails or logarithms
    of probabilities, with no approximation.

    Parameters
    ----------
    k : int >= 0
        At most n where that is given.
    p_i, p_j : float in [0, 1]
        In any order; with n each share is rounded to whole records.
    n : int, optional
        Records in the dataset; by default every record is drawn anew.

    Returns
    -------
    float in [0.5, 1]

    Raises
    ------
    AttackError
        If more records are to be read than there are.
    """
    low, high = sorted((p_i, p_j))
    if n is None:
        return 1 - _binomial_error(k, low, high)
    if k > n:
        raise AttackError(f"Of {n} records no more than {n} can be read, got k = {k}.")
    return 1 - _hypergeometric_error(k, _having(n, low), _having(n, high), n)


@checked(AttackError)
def draws_to_match(accuracy: Accuracy, p_i: Share, p_j: Share) -> int | None:
    """Least number of records, drawn with replacement, that tell two shares apart as well.

    The least k with :func:`reading_accuracy` at least the accuracy; it rises with k, as whoever has
    more records can leave some unread.

    Parameters
    ----------
    accuracy : float in [0.5, 1]
        Of the best attacker at even odds.
    p_i, p_j : float in [0, 1]

    Returns
    -------
    int or None
        None where no number of records is enough: for equal shares, or an accuracy of 1.
    """
    low, high = sorted((p_i, p_j))
    if accuracy == 1 and (low, high) != (0, 1):
        return None
    return _least(lambda k: _binomial_error(k, low, high), 1 - accuracy, _MOST)


@checked(AttackError)
def records_to_match(
    accuracy: Accuracy, p_i: Share, p_j: Share, n: Annotated[int, Within(1)]
) -> int | None:
    """Least number of the n records of a dataset, read without putting any back, that tell as well.

    Parameters
    ----------
    accuracy : float in [0.5, 1]
        Of the best attacker at even odds.
    p_i, p_j : float in [0, 1]
        Shares of the dataset, each rounded to whole records.
    n : int >= 1

    Returns
    -------
    int or None
        At most n; None where both shares mean the same number of records.
    """
    low, high = (_having(n, share) for share in sorted((p_i, p_j)))
    return _least(lambda k: _hypergeometric_error(k, low, high, n), 1 - accuracy, n)


@checked(AttackError)
def leaked_records(accuracy: Accuracy, p_i: Share, p_j: Share) -> float:
    r"""n_leaked of Suri & Evans (2022): a number of records that are needed, at least.

    .. math:: n = \frac{\ln(4\omega(1-\omega))}{
        \ln\max\left(\frac{p_i}{p_j}, \frac{1-p_j}{1-p_i}\right)}, \quad p_i < p_j

    for an accuracy ω, from their bound on how far apart n records can be ("Formalizing and
    Estimating Distribution Inference Risks", PETS 2022, for two shares of a binary property). Far
    below :func:`draws_to_match` where the shares are close, as the bound is loose.

    Parameters
    ----------
    accuracy : float in [0.5, 1]
    p_i, p_j : float in [0, 1]

    Returns
    -------
    float >= 0
        ∞ for equal shares or an accuracy of 1.
    """
    if accuracy == 0.5:
        return 0.0
    low, high = sorted((p_i, p_j))
    if accuracy == 1 or low == high:
        return math.inf
    ratio = max(low / high, (1 - high) / (1 - low))
    return math.log(4 * accuracy * (1 - accuracy)) / math.log(ratio) if ratio > 0 else 0.0


def _having(n: int, share: float) -> int:
    """Records of n, halves upwards as in :class:`distpriv.model.theta.Theta`."""
    return math.floor(round(n * share, 9) + 0.5)


def _least(error: Callable[[int], float], wanted: float, most: int) -> int | None:
    """Least k up to `most` whose error is no more than wanted."""

    def enough(k: int) -> bool:
        return error(k) <= wanted + _ROUNDING * min(1.0, 2 * wanted)

    if enough(0):
        return 0
    low, high = 0, 1
    while not enough(high):
        if high >= most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _binomial_error(k: int, low: float, high: float) -> float:
    """How often the best test on X ~ Bin(k, ·) is wrong."""
    if low == high or k == 0:
        return 0.5
    if low == 0 or high == 1:
        # One value of X is certain under one of the two shares, and tells by itself otherwise.
        other = 1 - high if low == 0 else low
        return 0.5 * other**k
    without = math.log1p(-low) - math.log1p(-high)
    slope = without / (without + math.log(high) - math.log(low))
    at = min(math.floor(k * slope), k)
    return 0.5 * float(bdtr(at, k, high) + (bdtrc(at, k, low) if at < k else 0.0))


def _hypergeometric_error(k: int, low: int, high: int, n: int) -> float:
    """How often the best test on the number of k records out of n is wrong."""
    if low == high or k == 0:
        return 0.5
    mean = [k * having / n for having in (low, high)]
    deviation = math.sqrt(k * (n - k) / max(n - 1, 1)) / 2
    first = max(0, k - (n - low), math.floor(mean[0] - _BEYOND * deviation))
    last = min(k, high, math.ceil(mean[1] + _BEYOND * deviation))
    x = np.arange(first, last + 1, dtype=np.float64)
    return 0.5 * float(
        np.exp(np.minimum(*(_log_hypergeometric(x, k, having, n) for having in (low, high)))).sum()
    )


def _log_hypergeometric(x: FloatArray, k: int, having: int, n: int) -> FloatArray:
    """Log-probability of x among k records out of n, `having` of which have the property."""
    possible = (x <= having) & (k - x <= n - having)
    inside = np.where(possible, x, min(having, k) if k - min(having, k) <= n - having else 0.0)
    logs = (
        _log_choose(having, inside) + _log_choose(n - having, k - inside) - _log_choose(n, float(k))
    )
    return np.where(possible, logs, -np.inf)


def _log_choose(n: int, k: FloatArray | float) -> FloatArray:
    """ln of the number of ways to choose k out of n."""
    return np.asarray(-np.log(n + 1.0) - betaln(n - np.asarray(k) + 1.0, np.asarray(k) + 1.0))
