"""Quadrature behind the delivered δ, for many privacy losses at once.

A loss is a row: L = ½ Σ_k (ln β_k − y_k² + (y_k + d_k)²/β_k) for independent standard normal y_k,
with shift d and spread β, at an ε of its own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Contours", "contours", "suprema"]

FloatArray = NDArray[np.float64]
ComplexArray = NDArray[np.complexfloating]
IntArray = NDArray[np.intp]

_NEGLIGIBLE = {1: -45.0, 2: -32.0}  # of ln, by stride
_NEAR = 53  # points that most contours need
_SOON = 56  # points; a contour that needs no more is not bent
# The contour s = saddle + width (i sinh u + bend (cosh u − 1)).
_BENDS = (0.0, 0.5, -0.5)
_STEP = 0.0625
_COARSE = 8
_FARTHEST = 1e12  # for a saddle point; δ is no more than rounding there
_U = np.arange(0, 24, _STEP)
_UP, _ALONG, _ASIDE = np.sinh(_U), np.cosh(_U), np.cosh(_U) - 1


@dataclass(frozen=True, eq=False)
class Contours:
    r"""Points and weights of the trapezoidal rule for δ(ε) of each loss.

    :math:`\delta = \frac{1}{2\pi i}\int_{c-i\infty}^{c+i\infty}\frac{M(s)e^{-s\varepsilon}}
    {s(s+1)}ds`, M the moment generating function of L under P.

    Attributes
    ----------
    line : complex ndarray, shape (losses, points)
        The points s.
    weights : complex ndarray, shape (losses, points)
        The integrand with the rule's weights: the real part of the sum is δ.
    """

    line: ComplexArray
    weights: ComplexArray

    @property
    def deltas(self) -> FloatArray:
        """δ of each loss, shape (losses,)."""
        return np.asarray(self.weights.sum(axis=1).real)


_HIGHEST = 100.0  # of an exponent: what is larger does not cancel to a δ of 1 in a double's digits


def contours(
    shift: FloatArray, spread: FloatArray, epsilons: FloatArray, stride: int = 1
) -> Contours:
    """Contours through the saddle points, one a loss.

    A contour is a branch of a hyperbola through the saddle point that bends to the side on which
    the integrand falls. All singularities are on the real axis, at least 0.7 widths from the
    saddle, so that the trapezoidal rule in u converges exponentially.

    Parameters
    ----------
    shift, spread : ndarray, shape (losses, m)
        Finite; of losses whose supremum is above ε.
    epsilons : ndarray, shape (losses,), each >= 0
    stride : int
        1, or 2 for half the points and an error of 1e-9 as a rule, of 1e-5 at worst.
    """
    saddle, width = _saddle(shift, spread, epsilons)
    peak = np.asarray(
        _exponent(saddle[:, None] + 0j, shift, spread, epsilons).real[:, 0], dtype=np.float64
    )
    low = peak + _NEGLIGIBLE[stride]
    # Most contours end soon and straight, which is seen when one is there.
    line = saddle[:, None] + width[:, None] * (1j * _UP[:_NEAR:stride])
    size = _exponent(line, shift, spread, epsilons)
    far = (size[:, -1].real >= low) | (size.real > peak[:, None] + 1).any(axis=1)
    size[far] = 0
    values = np.exp(size - peak[:, None] * ~far[:, None]) * _ALONG[:_NEAR:stride]
    if far.any():
        rest = shift[far], spread[far], epsilons[far]
        bent, points = _bent(saddle[far], width[far], peak[far], low[far], *rest, stride)
        more = ((0, 0), (0, max(0, bent.shape[1] - line.shape[1])))
        line, values = np.pad(line, more, mode="edge"), np.pad(values, more)
        line[far], values[far] = saddle[far, None], 0.0
        line[far, : bent.shape[1]], values[far, : bent.shape[1]] = bent, points
    values[:, 0] /= 2
    high = peak > _HIGHEST
    factor = np.exp(np.where(high, 0.0, peak)) * width * (_STEP * stride / math.pi)
    values[factor == 0] = 0  # δ is below the least double; at such ε rounding swamps the values
    if high.any():  # rounding has moved the saddle: a bound takes the place of the integral
        values[high], factor[high] = 0.0, 1.0
        values[high, 0] = _at_most(shift[high], spread[high], epsilons[high])
    return Contours(line, factor[:, None] * values)


def _at_most(shift: FloatArray, spread: FloatArray, epsilons: FloatArray) -> FloatArray:
    """Chernoff's bound of δ, the least of E exp(s(L − ε)) at some s where rounding does no harm."""
    s = 10.0 ** np.arange(7)
    line = np.repeat(s[None] + 0j, len(epsilons), axis=0)
    before = 1 + s * (1 - 1 / spread).min(axis=1)[:, None] > 0.1  # the first singularity
    size = _exponent(line, shift, spread, epsilons).real + np.log(s * (s + 1))
    return np.asarray(np.exp(np.where(before, size, 0.0).min(axis=1).clip(max=0.0)))


def _bent(
    saddle: FloatArray,
    width: FloatArray,
    peak: FloatArray,
    low: FloatArray,
    shift: FloatArray,
    spread: FloatArray,
    epsilons: FloatArray,
    stride: int,
) -> tuple[ComplexArray, ComplexArray]:
    """Points and values, against that at the saddle, along contours that bend where it helps."""
    bend = np.full(len(epsilons), _BENDS[0])
    end = _fall(saddle, width, _BENDS[0], peak, low, shift, spread, epsilons)
    if end.max() > _SOON:
        for other in _BENDS[1:]:
            sooner = _fall(saddle, width, other, peak, low, shift, spread, epsilons)
            bend, end = np.where(sooner < end, other, bend), np.minimum(sooner, end)
    last = min(int(end.max()), len(_U))
    up, along, aside = _UP[:last:stride], _ALONG[:last:stride], _ASIDE[:last:stride]
    line = saddle[:, None] + width[:, None] * (1j * up + bend[:, None] * aside)
    # Once it is negligible the contour may go on as it likes: what comes later is left out.
    with np.errstate(over="ignore", invalid="ignore"):
        values = np.exp(_exponent(line, shift, spread, epsilons) - peak[:, None])
        values *= along - 1j * bend[:, None] * up
    values[np.arange(0, last, stride) >= end[:, None]] = 0
    values[end > len(_U)] = np.nan  # it grows on every contour: no figure is better than any
    return line, values


def suprema(shift: FloatArray, spread: FloatArray) -> FloatArray:
    """The largest value of each L; infinite unless Q is wider than P wherever they differ."""
    wider = spread > 1 + 1e-13
    endless = (spread < 1 - 1e-13).any(axis=1) | ((shift != 0) & ~wider).any(axis=1)
    excess = np.where(wider, spread - 1, 1.0)
    squared = np.where(endless[:, None], 0.0, shift) ** 2
    largest = np.where(wider, np.log(spread) + squared / excess, 0.0).sum(axis=1) / 2
    return np.where(endless, math.inf, largest)


def _fall(
    saddle: FloatArray,
    width: FloatArray,
    bend: float,
    peak: FloatArray,
    low: FloatArray,
    shift: FloatArray,
    spread: FloatArray,
    epsilons: FloatArray,
) -> IntArray:
    """Index at which the integrand has become negligible; too large if it grows before."""
    path = (1j * _UP + bend * _ASIDE)[::_COARSE]
    coarse = saddle[:, None] + width[:, None] * path
    size = _exponent(coarse, shift, spread, epsilons).real
    fallen = size < low[:, None]
    end = np.where(fallen.any(axis=1), fallen.argmax(axis=1), size.shape[1])
    before = np.arange(size.shape[1]) < end[:, None]
    grows = (np.where(before, size - peak[:, None], -np.inf) > 1).any(axis=1)
    return np.where(grows, 10 * len(_U), _COARSE * end)


def _exponent(
    s: ComplexArray, shift: FloatArray, spread: FloatArray, epsilons: FloatArray
) -> ComplexArray:
    """ln M(s) − sε − ln(s(s+1)), shape of s, its imaginary parts >= 0: a row for each loss.

    Up to a multiple of 2πi, of no account once it is the exponent. What is half of a logarithm has
    to be continuous, though: 1 + s(1 − 1/β) is above the real line where β > 1 and below it else.
    """
    rate, squared = 1 - 1 / spread, (shift / spread) ** 2
    linear = (np.log(spread) + squared * spread).sum(axis=1) / 2 - epsilons
    total: ComplexArray = np.zeros_like(s)
    logs: ComplexArray = np.zeros_like(s)
    # A coordinate at a time, in whole rows, and two to a logarithm: these are what takes long.
    for place in range(0, spread.shape[1], 2):
        several = [1 + s * each[:, None] for each in rate.T[place : place + 2]]
        for inner, part in zip(several, squared.T[place : place + 2], strict=True):
            total += part[:, None] / inner
        if len(several) == 1:
            logs += np.log(several[0])
            continue
        both = np.log(several[0] * several[1])
        sides = np.sign(rate[:, place : place + 2])
        side = np.where(sides[:, 0] * sides[:, 1] > 0, sides[:, 0], 0.0)[:, None]
        both.imag += 2 * math.pi * side * (both.imag * side < 0)
        logs += both
    return np.asarray((s * s * total - logs) / 2 + s * linear[:, None] - np.log(s * (s + 1)))


def _saddle(
    shift: FloatArray, spread: FloatArray, epsilons: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Where the exponent, convex on the real line, is least for each ε, and its width there."""
    rate = 1 - 1 / spread
    squared = (shift / spread) ** 2
    with np.errstate(divide="ignore"):
        pole = np.where(spread < 1 - 1e-13, -1 / rate, math.inf).min(axis=1)
    constant = (np.log(spread) + shift**2 / spread).sum(axis=1) / 2 - epsilons
    # As if L were normal, with its mean and variance.
    variance = np.maximum((rate**2 / 2 + squared).sum(axis=1), 1e-30)
    above = rate.sum(axis=1) / 2 - constant
    point = (above + np.sqrt(above**2 + 8 * variance)) / (2 * variance)
    point = np.where((point > 0) & (point < 1e12), point, 1.0)
    end = np.minimum(pole * (1 - 1e-12), _FARTHEST)
    point = np.where(point < 0.9 * pole, point, np.where(np.isinf(pole), 1.0, pole / 2))
    low, high = np.zeros(len(epsilons)), pole
    settled = point >= end
    for _ in range(200):
        inner = 1 / (1 + point[:, None] * rate)
        along = point[:, None] * inner
        first = (squared * along * (1 + inner) - rate * inner).sum(axis=1) / 2 + constant
        first += -1 / point - 1 / (1 + point)
        second = ((rate * inner) ** 2 / 2 + squared * inner**3).sum(axis=1)
        second += 1 / point**2 + 1 / (1 + point) ** 2
        newton = point - first / second
        settled |= np.abs(newton - point) < 1e-2 / np.sqrt(second)  # is near enough
        if settled.all():
            break
        rising = first < 0
        low, high = np.where(rising, point, low), np.where(rising, high, point)
        middle = np.where(np.isinf(high), 2 * point, (low + np.minimum(high, 1e300)) / 2)
        new = np.where((low < newton) & (newton < high), newton, middle)
        point = np.where(settled, point, np.minimum(new, end))
        settled |= point >= end
    return point, 1 / np.sqrt(second)
