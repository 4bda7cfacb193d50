"""Names for the arrays that pass between the parts, and checks of numbers that users give."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from distpriv.errors import DistprivError
from distpriv.text import significant

__all__ = ["EXACT", "BoolArray", "FloatArray", "IntArray", "decimals", "generator", "integer"]
__all__ += ["number", "numbers"]

EXACT = 2**53  # whole numbers up to here are exact as floating-point numbers

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def decimals(numbers: FloatArray | NDArray[np.float32]) -> FloatArray:
    """Return the decimals of seven digits that numbers of single precision stand for, any shape.

    0.1 is stored as 0.100000001; what no such decimal stands for is returned as it is stored.
    """
    exact = np.asarray(numbers, float)
    size = np.abs(exact)
    ordinary = np.isfinite(size) & (size > 0)
    shift = 10.0 ** (6 - np.floor(np.log10(np.where(ordinary, size, 1.0))))
    rounded = np.rint(exact * shift) / shift
    return np.where(rounded.astype(np.float32) == exact.astype(np.float32), rounded, exact)


def numbers(
    what: str,
    values: Any,
    low: float = -math.inf,
    high: float = math.inf,
    *,
    above: bool = False,
    below: bool = False,
    finite: bool = True,
    error: type[DistprivError] = DistprivError,
) -> FloatArray:
    """Return numbers from low to high as an array, or raise the error that says what is there.

    The ends are left out where numbers must be above the lower, or below the higher one.
    """
    try:
        raw = np.asarray(values)
        result = raw.astype(float) if raw.dtype.kind in "iufO" else np.array(np.nan)
    except (TypeError, ValueError):  # ragged, or no numbers
        result = np.array(np.nan)
    fits = (result > low if above else result >= low) & (result < high if below else result <= high)
    if (fits & (np.isfinite(result) if finite else True)).all():
        return result
    lowest, highest = significant(low, 15), significant(high, 15)
    lower = f"above {lowest}" if above else f"from {lowest}"
    upper = f"below {highest}" if below else f"at most {highest}" if above else highest
    if low == -math.inf:
        domain = "" if high == math.inf else f" {upper}" if below else f" at most {highest}"
    elif high == math.inf:
        domain = f" {lower}" if above else f" {lower} on"
    else:
        domain = f" {lower} {'and' if above else 'to'} {upper}"
    raise error(f"{what} must be a number{domain}, not {_brief(values)}.")


def generator(rng: np.random.Generator | int | None) -> np.random.Generator:
    """Return the generator that a seed means, or raise DistprivError if it is none."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise DistprivError(
            f"rng must be a Generator, a whole number from 0 on, or None, not {_brief(rng)}."
        ) from None


def _brief(value: Any) -> str:
    text = repr(value.tolist() if isinstance(value, np.ndarray | np.generic) else value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def number(what: str, value: Any, *domain: float, **how: Any) -> float:
    """Return one number in its domain, see `numbers`."""
    result = numbers(what, value, *domain, **how)
    if result.ndim:
        raise how.get("error", DistprivError)(f"{what} must be one number, not {_brief(value)}.")
    return float(result)


def integer(
    what: str,
    value: Any,
    low: int,
    high: float = math.inf,
    error: type[DistprivError] = DistprivError,
) -> int:
    """Return a whole number from low to high, or raise the error that says what it is."""
    try:
        result = operator.index(value)
    except TypeError:
        result = low - 1
    if not low <= result <= high or isinstance(value, bool):
        domain = f"from {low} on" if high == math.inf else f"from {low} to {significant(high, 15)}"
        raise error(f"{what} must be a whole number {domain}, not {_brief(value)}.")
    return result
