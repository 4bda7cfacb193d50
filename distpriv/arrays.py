"""Names for the arrays that pass between the parts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["BoolArray", "FloatArray", "IntArray", "decimals"]

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
