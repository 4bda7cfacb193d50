r"""What Laplace noise makes of two distributions on whole numbers, in closed form.

Between two neighbouring points the density of a point's law with noise of scale b is
:math:`(L e^{-u/b} + R e^{(u-1)/b})/2b`, u from 0 to 1, where L and R are sums over the points to
the left and to the right that follow from each other. p − e^ε q is of the same form, changes its
sign once at most, and is integrated over where it is positive.
"""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.signal import fftconvolve, lfilter

from distpriv.errors import CalibrationError, ModelError

__all__ = ["Directed", "deltas_of_one", "laplace_deltas"]

FloatArray = NDArray[np.float64]

_NODES = 16  # to a standard deviation of the floor, or to the Laplace scale if that is less
_REACH = 9.0
_MOST = 4_000_000  # points
_NEVER = 1e-18  # of a point: all of them together do not matter
_NOTHING, _BLURRED = 1e-13, 1e-10  # what rounding leaves of a δ of 0, and above a floor
_AT_ONCE = 2_000_000


class Directed(Protocol):
    """Noise along directions above a floor, as far as it has to be known here."""

    @property
    def directions(self) -> FloatArray: ...
    @property
    def scales(self) -> FloatArray: ...
    @property
    def floor_deviations(self) -> FloatArray: ...


def deltas_of_one(
    laws: FloatArray, noise: Directed, steps: FloatArray, factors: FloatArray
) -> FloatArray:
    """Return :func:`laplace_deltas` of a Laplace noise on a single statistic.

    Parameters
    ----------
    laws : ndarray, shape (2, points)
    noise : Noise
    steps : ndarray, shape (1,)
    factors : ndarray, shape (k,)

    Raises
    ------
    CalibrationError
        If there are several statistics.
    ModelError
        If the floor of the noise is too narrow beside so many points.
    """
    if len(steps) > 1:
        raise CalibrationError(
            f"The exact law of {len(steps)} statistics is computed for Gaussian noise, and this is "
            "Laplace noise; take a Gaussian mechanism, or one statistic."
        )
    scale = float(np.abs(noise.directions[0] * noise.scales).sum())
    floor = float(noise.floor_deviations[0])
    deltas = laplace_deltas(laws, scale / float(steps[0]), floor / float(steps[0]), factors)
    if deltas is None:
        raise ModelError(
            "The floor of this noise is too narrow beside the steps of so many records for the "
            "exact law; take fewer records, or a Gaussian mechanism."
        )
    return deltas


def laplace_deltas(
    laws: FloatArray, scale: float, floor: float, factors: FloatArray
) -> FloatArray | None:
    """Return ∫ (p − fq)₊ and ∫ (q − fp)₊ of two laws with Laplace noise, shape (2, k).

    Parameters
    ----------
    laws : ndarray, shape (2, points)
        Probabilities of 0, 1, ...
    scale : float > 0
        b, in steps.
    floor : float >= 0
        Standard deviation of independent normal noise besides, in steps.
    factors : ndarray, shape (k,), each >= 1

    Returns
    -------
    ndarray or None
        None where the floor is too narrow beside so many points. Exact without a floor; with one,
        which is taken at 16 nodes a deviation, to about 1e-4 of the value.
    """
    nothing = _BLURRED if floor > 0 else _NOTHING
    likely = np.flatnonzero(laws.max(axis=0) > _NEVER)
    laws = laws[:, likely[0] : likely[-1] + 1]
    if floor > 0:
        parts = math.ceil(_NODES / min(floor, scale))
        if laws.shape[1] * parts > _MOST:
            return None
        fine = np.zeros((2, (laws.shape[1] - 1) * parts + 1))
        fine[:, ::parts] = laws
        reach = math.ceil(_REACH * floor * parts)
        bell = np.exp(-((np.arange(-reach, reach + 1) / (floor * parts)) ** 2) / 2)
        laws = fftconvolve(fine, bell[None] / bell.sum(), axes=1).clip(0.0)
        scale *= parts
    decay = math.exp(-1 / scale)
    # Sums over the points up to one, and over those from the next one on.
    left = lfilter([1.0], [1.0, -decay], laws, axis=1)
    right = lfilter([1.0], [1.0, -decay], laws[:, ::-1], axis=1)[:, ::-1]
    deltas = np.empty((2, len(factors)))
    block = max(1, _AT_ONCE // laws.shape[1])
    for start in range(0, len(factors), block):
        some = factors[start : start + block, None]
        for order, (p, q) in enumerate(((0, 1), (1, 0))):
            falling, rising = left[p] - some * left[q], right[p] - some * right[q]
            ends = falling[:, -1].clip(0.0) + rising[:, 0].clip(0.0)
            between = _between(falling[:, :-1], rising[:, 1:], scale, decay)
            deltas[order, start : start + block] = (ends + between.sum(axis=1)) / 2
    return np.where(deltas > nothing, deltas, 0.0)


def _between(falling: FloatArray, rising: FloatArray, scale: float, decay: float) -> FloatArray:
    """Return 1/b of ∫ (falling e^{−u/b} + rising e^{(u−1)/b})₊ over u from 0 to 1."""
    first, last = falling + decay * rising, decay * falling + rising
    whole = (falling + rising) * (1 - decay)
    crossing = np.where((first > 0) != (last > 0), -falling / np.where(rising, rising, 1.0), 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        root = (1 + scale * np.log(np.abs(crossing))) / 2
    root = np.nan_to_num(root, nan=0.5).clip(0.0, 1.0)
    down, up = np.exp(-root / scale), np.exp((root - 1) / scale)
    before = falling * (1 - down) + rising * (up - decay)
    parts = np.where(first > 0, before, whole - before)
    same = (first > 0) == (last > 0)
    return np.where(same, np.where(first > 0, whole, 0.0), parts).clip(0.0)
