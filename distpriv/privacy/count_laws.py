"""The probability of every vector of counts among n records, drawn with or without replacement."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import fft, signal

from distpriv.model.moments import RecordGroups
from distpriv.model.theta import Theta

__all__ = ["count_laws"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
ComplexArray = NDArray[np.complex128]

_SMALL = 1000
_DIRECT = 200_000_000  # products in a convolution that is summed term by term
_NOTHING = 1e-17  # below the round-off of a convolution by Fourier transform
_NEVER = 1e-30  # what is that rare is left out


def count_laws(groups: RecordGroups, thetas: Sequence[Theta], replacement: bool) -> FloatArray:
    """Return the law of the counts under each proportion; see :func:`distpriv.exact_law`.

    Parameters
    ----------
    groups : RecordGroups
        Of m counted values, 0 or 1 each.
    thetas : sequence of T Theta
    replacement : bool

    Returns
    -------
    ndarray, shape (T, n + 1, ..., n + 1)
    """
    without, having = groups.cells()
    if not all(theta.fixed for theta in thetas):
        laws = [_of_random_sample(having, without, theta) for theta in thetas]
    elif replacement:
        shares = [cells / cells.sum() for cells in (having, without)]
        both = [min(theta.having for theta in thetas), min(theta.without for theta in thetas)]
        common = np.ones((1,) * having.ndim)
        for share, draws in zip(shares, both, strict=True):
            common = _drawn(common, share, draws)
        laws = [
            _drawn(
                _drawn(common, shares[0], theta.having - both[0]),
                shares[1],
                theta.without - both[1],
            )
            for theta in thetas
        ]
    else:
        laws = [
            _convolve(
                _hypergeometric(having, theta.having), _hypergeometric(without, theta.without)
            )
            for theta in thetas
        ]
    return np.array([law / law.sum() for law in laws])


def _of_random_sample(having: IntArray, without: IntArray, theta: Theta) -> FloatArray:
    """Law of the counts where it is random how many of the records have the property."""
    values, masses = theta.count_law()
    if theta.replacement:
        p = theta.proportion
        shares = p * having / having.sum() + (1 - p) * without / without.sum()
        return _drawn(np.ones((1,) * having.ndim), shares, theta.n)
    shape = (theta.n + 1,) * having.ndim
    law = np.zeros(shape)
    if having.ndim == 1 and theta.n <= _SMALL:  # a sum of positive numbers keeps small ones
        for k, mass in zip(values.tolist(), masses, strict=True):
            parts = _hypergeometric(having, k), _hypergeometric(without, theta.n - k)
            law += mass * np.convolve(*parts)
        return law
    size = [fft.next_fast_len(length, real=True) for length in shape]
    axes = tuple(range(having.ndim))
    waves: ComplexArray = np.zeros((1,), dtype=np.complex128)
    for k, mass in zip(values.tolist(), masses, strict=True):
        parts = _hypergeometric(having, k), _hypergeometric(without, theta.n - k)
        waves = waves + mass * np.prod([fft.rfftn(part, size, axes) for part in parts], axis=0)
    law = fft.irfftn(waves, size, axes)[tuple(slice(length) for length in shape)]
    return np.where(law > _NOTHING, law, 0.0)


def _drawn(law: FloatArray, shares: FloatArray, draws: int) -> FloatArray:
    """Law of the counts after some more independent draws, larger by one along each axis each."""
    for draw in range(draws):
        grown = np.zeros([size + 1 for size in law.shape])
        for cell in np.argwhere(shares > 0):
            part = tuple(slice(hit, hit + size) for hit, size in zip(cell, law.shape, strict=True))
            grown[part] += shares[tuple(cell)] * law
        law = grown
        if draw % 8 == 7:
            # Arithmetic on denormal numbers is slow.
            law[law < 1e-200] = 0.0
    return law


def _hypergeometric(cells: IntArray, draws: int) -> FloatArray:
    """Law of the counts of draws without replacement, shape (draws + 1, ..., draws + 1)."""
    law = np.zeros((draws + 1,) * cells.ndim)
    missed, hit = int(cells[0].sum()), int(cells[1].sum())
    hits = np.arange(max(0, draws - missed), min(draws, hit) + 1)
    ratios = (hit - hits[:-1]) * (draws - hits[:-1]) / (hits[1:] * (missed - draws + hits[1:]))
    logs = np.concatenate([[0.0], np.cumsum(np.log(ratios))])
    masses = np.exp(logs - logs.max())
    masses /= masses.sum()
    if cells.ndim == 1:
        law[hits] = masses
        return law
    for number, mass in zip(hits.tolist(), masses, strict=True):
        if mass < _NEVER:
            continue
        first, rest = _hypergeometric(cells[1], number), _hypergeometric(cells[0], draws - number)
        law[number] = mass * _convolve(first, rest)
    return law


def _convolve(first: FloatArray, second: FloatArray) -> FloatArray:
    if first.ndim <= 1:
        return np.convolve(first, second) if first.ndim else first * second
    if first.size * second.size > _DIRECT:
        law = signal.fftconvolve(first, second)
        return np.where(law > _NOTHING, law, 0.0)
    if first.size > second.size:
        first, second = second, first
    law = np.zeros([one + other - 1 for one, other in zip(first.shape, second.shape, strict=True)])
    for index in np.argwhere(first > 0).tolist():
        part = [slice(at, at + size) for at, size in zip(index, second.shape, strict=True)]
        law[tuple(part)] += first[tuple(index)] * second
    return law
