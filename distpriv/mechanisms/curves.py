"""Figures of several mechanisms over a common axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Curves"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Curves:
    """One curve per mechanism over a common axis.

    Attributes
    ----------
    x : ndarray, shape (points,)
    y : dict of mechanism to ndarray, shape (points,)
    """

    x: FloatArray
    y: dict[str, FloatArray]
