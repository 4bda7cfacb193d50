"""What Gaussian noise makes of two distributions on whole numbers, by Fourier transforms.

The density of counts x with noise z of covariance S is Σ_w P̂(w) φ(w) e^{iwy} over a grid of
frequencies, P̂ the characteristic function of the counts, of period 2π in every coordinate, and
φ(w) = exp(−wᵀSw/2) that of the noise. Where the noise covers the grid of the whole numbers, few
frequencies are left: some thousands stand for millions of bells.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.fft import fft, next_fast_len

from distpriv.privacy.bell_mixtures import REACH, Section, settled_sums

__all__ = ["LatticeLaws", "lattice_deltas"]

FloatArray = NDArray[np.float64]
ComplexArray = NDArray[np.complex128]
IntArray = NDArray[np.int64]

_BEYOND = 1e-14  # probability beyond the counts that are followed
_LOST = math.log(1e-13)  # amplitudes that may be left out
_WIDE = 7.7  # deviations of the characteristic function that are followed at first
_GROWTH = 1.15  # from one period to the next, so that noises of about one size share transforms
_WILD = 0.1  # of the density: no small matter beside it
_RIPPLE = 0.003  # of the density, that may go by between the nodes where these are many
_CHEAP = 2  # dimensions
_FLAT = 1e-9  # of the largest variance: no noise to speak of
_WIDER = 1.3
_FAINT = 1e-4  # of the density, that may always
_A_WAVE = 5  # nodes
_CANDIDATES = 2000
_FREQUENCIES = 1 << 20
_NODES = 1 << 21
_KEPT = 6  # transforms
_LONG = 4096  # period
_DENSE = 1_000_000  # products, beyond which a fast transform of all frequencies is faster
_ROUND_OFF = 1e-15  # of the largest density


@dataclass(frozen=True, eq=False)
class Transform:
    """Both laws at the frequencies 2πf/T, |f| ≤ B along each axis, one law real, one imaginary.

    Attributes
    ----------
    periods : ndarray, shape (m,)
        T, odd, in steps.
    frequencies : ndarray, shape (F, m)
        f, whole numbers.
    values : ndarray, shape (F,)
        P̂ + iQ̂, about the laws' centre.
    sizes : ndarray, shape (F,)
        ln of the larger of |P̂| and |Q̂|.
    ends : ndarray, shape (F,)
        Whether frequencies beyond this one are left out.
    """

    periods: IntArray
    frequencies: IntArray
    values: ComplexArray
    sizes: FloatArray
    ends: NDArray[np.bool_]

    @cached_property
    def waves(self) -> FloatArray:
        """2πf/T, shape (F, m)."""
        return np.asarray(2 * np.pi * self.frequencies / self.periods)


@dataclass(frozen=True, eq=False)
class LatticeLaws:
    """Two distributions on vectors of whole numbers.

    Attributes
    ----------
    probabilities : ndarray, shape (2, n_1 + 1, ..., n_m + 1)
    """

    probabilities: FloatArray
    _transforms: dict[tuple[int, ...], Transform] = field(default_factory=dict, repr=False)

    @cached_property
    def _followed(self) -> tuple[IntArray, FloatArray]:
        """The first count along each axis, and the probabilities from there on that matter."""
        m = self.probabilities.ndim - 1
        first, last = np.zeros(m, np.int64), np.zeros(m, np.int64)
        for axis in range(m):
            others = tuple(other + 1 for other in range(m) if other != axis)
            margin = self.probabilities.sum(axis=others).max(axis=0)
            first[axis] = np.searchsorted(np.cumsum(margin), _BEYOND)
            last[axis] = len(margin) - 1 - np.searchsorted(np.cumsum(margin[::-1]), _BEYOND)
        box = tuple(slice(low, high + 1) for low, high in zip(first, last, strict=True))
        return first, self.probabilities[(slice(None), *box)]

    @cached_property
    def moments(self) -> tuple[FloatArray, FloatArray]:
        """Means, shape (2, m), and covariances, shape (2, m, m), in steps."""
        first, laws = self._followed
        grids = np.indices(laws.shape[1:]).reshape(len(first), -1)
        masses = laws.reshape(2, -1)
        totals = masses.sum(axis=1, keepdims=True)
        masses = masses / np.where(totals > 0, totals, 1.0)
        means = masses @ grids.T
        spreads = np.array(
            [
                (grids * mass) @ grids.T - np.outer(mean, mean)
                for mass, mean in zip(masses, means, strict=True)
            ]
        )
        return means + first, spreads

    def periods(self, covariance: FloatArray) -> IntArray:
        """Odd lengths that hold all but 1e-13 of a release with noise, in steps, shape (m,)."""
        half = (np.array(self._followed[1].shape[1:]) - 1) / 2
        needed = 2 * np.sqrt(half**2 + (REACH + 0.5) ** 2 * np.diag(covariance)) + 2
        grown = _GROWTH ** np.ceil(np.log(needed) / math.log(_GROWTH))
        lengths = np.asarray(np.ceil(grown) // 2 * 2 + 1, dtype=np.int64)
        if len(lengths) == 1 and lengths[0] > _LONG:
            lengths[0] = _fast_odd(int(lengths[0]))
        return lengths

    def transform(self, periods: IntArray, bounds: IntArray) -> Transform:
        """Both laws at the frequencies within the bounds B of each axis, shape (m,)."""
        key = (*periods.tolist(), *bounds.tolist())
        if key not in self._transforms:
            while len(self._transforms) >= _KEPT:
                del self._transforms[next(iter(self._transforms))]
            self._transforms[key] = self._transformed(periods, bounds)
        return self._transforms[key]

    def _transformed(self, periods: IntArray, bounds: IntArray) -> Transform:
        values: ComplexArray = self._followed[1].astype(np.complex128)
        for period, bound, size in zip(periods, bounds, values.shape[1:], strict=True):
            waves = 2 * np.pi * np.arange(-bound, bound + 1) / period
            if values.ndim == 2 and size * len(waves) > _DENSE:
                whole = fft(values, int(period), axis=1)
                values = whole[:, np.arange(-bound, bound + 1)] * np.exp(1j * (size // 2) * waves)
                continue
            points = np.arange(size) - size // 2
            values = np.tensordot(values, np.exp(-1j * np.outer(points, waves)), (1, 0))
        both = values.reshape(2, -1)
        frequencies = np.indices(values.shape[1:]).reshape(len(bounds), -1).T - bounds
        cut = bounds < (periods - 1) // 2
        with np.errstate(divide="ignore"):
            sizes = np.log(np.abs(both).max(axis=0))
        return Transform(
            periods,
            frequencies,
            both[0] + 1j * both[1],
            sizes,
            ((np.abs(frequencies) == bounds) & cut).any(axis=1),
        )


def lattice_deltas(
    laws: LatticeLaws, covariance: FloatArray, factors: FloatArray
) -> FloatArray | None:
    """∫ (p − factor·q)₊ and the same with p and q exchanged, shape (2, k).

    Parameters
    ----------
    laws : LatticeLaws
    covariance : ndarray, shape (m, m)
        Of the noise, in steps.
    factors : ndarray, shape (k,), each > 0

    Returns
    -------
    ndarray, or None
        None where the noise covers the grid of the whole numbers too little for that.
    """
    if laws.probabilities.sum() < _BEYOND:
        return np.zeros((2, len(factors)))
    known = _spectrum(laws, covariance)
    if known is None:
        return None
    periods, places, amplitudes = known.periods, known.places, known.amplitudes
    means, spreads = laws.moments
    totals = spreads + covariance
    inverses = np.linalg.inv(totals)
    widths = 1 / np.sqrt(np.diagonal(inverses, axis1=1, axis2=2).max(axis=0))
    rise = np.linalg.inv(totals.mean(axis=0)) @ (means[0] - means[1])
    axis = int(np.argmax(np.abs(rise) * widths))
    order = [other for other in range(len(periods)) if other != axis] + [axis]
    ratios = (periods / widths)[order]
    if 4 * np.prod(ratios) > _NODES:
        return None
    fine = known.fine[order]
    if len(order) > _CHEAP and known.ripple <= _RIPPLE:
        fine = np.zeros_like(fine)
    if np.prod(np.maximum(fine, ratios)) > _NODES:
        return None

    def sections(across: float, along: float) -> Iterator[Section]:
        meshes = np.array([across] * (len(order) - 1) + [along])
        nodes = 2 * np.ceil(np.maximum(ratios / meshes, fine) / 2).astype(np.int64)
        folded = np.ravel_multi_index(list((places[:, order] % nodes).T), nodes.tolist())
        count = int(np.prod(nodes))
        spectrum = np.bincount(folded, amplitudes.real, count) + 1j * np.bincount(
            folded, amplitudes.imag, count
        )
        masses = np.fft.ifftn(spectrum.reshape(nodes))
        masses = np.fft.fftshift(masses, axes=-1).reshape(-1, nodes[-1])
        p, q = (
            np.where(law > _ROUND_OFF * law.max(), law, 0.0) for law in (masses.real, masses.imag)
        )
        even = (np.indices(nodes[:-1]) % 2 == 0).all(axis=0).ravel()
        # Most lines of the box around the densities lie beside them.
        lines = np.maximum(p.max(axis=1), q.max(axis=1)) * count > _BEYOND
        yield p[lines], q[lines], None if len(order) == 1 else even[lines]

    # Lines are cheap where there is one; a coarser mesh may agree with its half by chance.
    return settled_sums(sections, len(order), factors, along=0.125 if len(order) > 1 else 1 / 32)


def _fast_odd(length: int) -> int:
    """Return an odd length, not less, of which transforms are fast."""
    fast = next_fast_len(length)
    while fast % 2 == 0:
        fast = next_fast_len(fast + 1)
    return int(fast)


@dataclass(frozen=True, eq=False)
class _Spectrum:
    """Amplitudes of a release's densities at the frequencies 2πf/T.

    Attributes
    ----------
    periods : ndarray, shape (m,)
        T.
    places : ndarray, shape (F, m)
        f, whole numbers.
    amplitudes : ndarray, shape (F,)
        One law real, one imaginary.
    fine : ndarray, shape (m,)
        Nodes on each axis that follow what the grid shows through the noise; 0 for nothing.
    ripple : float
        How much that is, beside the density.
    """

    periods: IntArray
    places: IntArray
    amplitudes: ComplexArray
    fine: IntArray
    ripple: float


def _spectrum(laws: LatticeLaws, covariance: FloatArray) -> _Spectrum | None:
    """Spectrum of a release with noise; None where it is too wide."""
    variances = np.linalg.eigvalsh(covariance)
    if not variances[0] > _FLAT * variances[-1]:
        return None
    reach = np.sqrt(-2 * _LOST * np.diag(np.linalg.inv(covariance)))
    totals = np.linalg.inv(laws.moments[1] + covariance)
    periods = laws.periods(covariance)
    wide = _WIDE * np.sqrt(np.diagonal(totals, axis1=1, axis2=2).max(axis=0))
    while True:
        bounds = np.minimum(np.ceil(wide * periods / (2 * np.pi)), (periods - 1) // 2)
        most = np.floor((reach + np.minimum(wide, np.pi)) / (2 * np.pi)).astype(np.int64)
        if np.prod(2 * bounds + 1) > _FREQUENCIES or np.prod(2 * most + 1) > _CANDIDATES:
            return None
        transform = laws.transform(periods, bounds.astype(np.int64))
        waves = _Waves.of(transform, covariance)
        harmonics = [waves.around(np.array(one)) for one in product(*(_upto(end) for end in most))]
        seen = [one for one in harmonics if one.height > 0]
        ripple = sum(one.height for one in seen if one.harmonic.any())
        if ripple > _WILD:
            return None
        if any(transform.ends[one.chosen].any() for one in seen):
            wide = wide * _WIDER
            continue
        fine = [
            np.abs(one.places[one.exponents > math.log(_FAINT)]).max(axis=0)
            for one in seen
            if one.harmonic.any() and one.height > _FAINT
        ]
        return _Spectrum(
            periods,
            np.vstack([one.places for one in seen]),
            np.concatenate([one.amplitudes for one in seen]),
            _A_WAVE * np.max([np.zeros_like(periods), *fine], axis=0),
            ripple,
        )


def _upto(end: int) -> range:
    return range(-end, end + 1)


@dataclass(frozen=True, eq=False)
class _Harmonic:
    """The frequencies w + 2πj, for one j, that noise leaves some of."""

    harmonic: IntArray
    chosen: IntArray
    exponents: FloatArray
    places: IntArray
    amplitudes: ComplexArray

    @property
    def height(self) -> float:
        """The largest amplitude."""
        return math.exp(self.exponents.max()) if self.exponents.size else 0.0


@dataclass(frozen=True, eq=False)
class _Waves:
    """The frequencies of a transform, in the order of their part along the longest noise."""

    transform: Transform
    covariance: FloatArray
    order: IntArray
    along: FloatArray
    longest: FloatArray
    damped: FloatArray

    @classmethod
    def of(cls, transform: Transform, covariance: FloatArray) -> _Waves:
        variances, directions = np.linalg.eigh(covariance)
        longest = directions[:, -1] * math.sqrt(variances[-1])
        along = transform.waves @ longest
        order = np.argsort(along)
        damped = 0.5 * np.einsum("fk,kl,fl->f", transform.waves, covariance, transform.waves)
        return cls(transform, covariance, order, along[order], longest, transform.sizes - damped)

    def around(self, harmonic: IntArray) -> _Harmonic:
        """Those that are left of w + 2πj: what is far from it along the longest noise is not."""
        shift, transform = 2 * np.pi * harmonic, self.transform
        reach = math.sqrt(-2 * _LOST)
        first, last = np.searchsorted(self.along, -shift @ self.longest + [-reach, reach])
        chosen = self.order[first:last]
        turned = self.covariance @ shift
        exponents = self.damped[chosen] - transform.waves[chosen] @ turned - 0.5 * shift @ turned
        chosen, exponents = chosen[kept := exponents > _LOST], exponents[kept]
        return _Harmonic(
            harmonic,
            chosen,
            exponents,
            transform.frequencies[chosen] + harmonic * transform.periods,
            # The sizes are part of the values.
            np.exp(exponents - transform.sizes[chosen]) * transform.values[chosen],
        )
