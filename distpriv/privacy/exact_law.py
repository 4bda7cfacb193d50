"""Exact laws of a few statistics on a grid, and what noise leaves of them: no normal curve.

The law of one sum, mean or count of n records, or of two counts, is known for every share: that of
counts by enumeration, that of sums by Fourier transforms. Under noise the density is a mixture of
the noise's, on a mesh. Both are finitely many outcomes, so that whatever reads a privacy loss takes
the exact law where there is one.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from scipy import fft, special

from distpriv.arrays import FloatArray, IntArray
from distpriv.display import Result, plain
from distpriv.errors import DistprivError, NotApplicable
from distpriv.model import AS_IT_IS, GaussianModel, Groups, PairModel, Release
from distpriv.model.grid import spacing
from distpriv.privacy.loss import FiniteLoss
from distpriv.queries import Pair, Query
from distpriv.sources import fit_gaussian
from distpriv.text import times, whole

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ExactLaw", "compute_law", "exact_law", "known_law", "log_chances"]

_REACH = 9.0  # deviations of the noise
_SCALES = 37.0  # of Laplace noise: e⁻³⁷ of it lies further out
_TAIL = 37.0  # e⁻³⁷ of a law lies outside its window
_FINE = 200.0  # points of a mesh per deviation of the noise on one statistic
_COARSEST, _FINEST, _POINTS = 1.5, 6.0, 1e5  # on two: per deviation, and points aimed at
_ALONG, _BETWEEN = 2.5, 3  # on two, in directions of their own, and points for each of them
_BARE = 0.1  # steps: noise of a smaller deviation in some direction counts as none
_NEGLIGIBLE = 1e-15  # of the largest mass: rounding
_EQUAL = 1e-12  # relative: rounding of sums of masses
_BLOCK = 2048  # frequencies at a time, which fit the processor's cache
_FADED = 45.0  # of −ln|φ|: frequencies that do not matter
_MOST = 2**20  # points of a law
_MESH = 2**19, 2**22  # points under noise: in tens of milliseconds, in a second or so
_QUICK = 1e5, 400  # steps of Newton's identities; records of two counts
_DIRECT, _UNDERFLOW = 2000, 1e-290  # records of one count whose every probability is computed
_LAWS = 8  # kept for each table

ComplexArray = NDArray[np.complex128]


@dataclass(frozen=True, eq=False)
class ExactLaw(Result):
    """Law of the statistics at the two shares of a pair, on the points of a grid.

    Of one count there may be the probabilities of 0 … n to the last digits of each, unless the law
    has tails that are left out or that no float holds.
    """

    probabilities: FloatArray  # (2, points, …), an axis a statistic
    steps: FloatArray  # (m,), between points, in units of the statistics; m is 1 or 2
    error: float  # what rounding may have lost of any δ
    patient: bool = False  # whether noise may take a second or so to mix with
    complete: FloatArray | None = field(default=None, repr=False)  # (2, n + 1)

    def __repr__(self) -> str:
        points, right = self.probabilities[0].size, 100 * self.optimal_attack_accuracy()
        return plain(
            f"ExactLaw({whole(points)} points; best attacker on the bare figures right "
            f"{times(right)})"
        )

    def to_frame(self) -> pd.DataFrame:
        """Return probabilities at both shares, low and high, a row a point that is possible.

        Columns of the statistics, 1 and on, say how far a point is above the first, in their units.
        """
        import pandas as pd

        places = np.argwhere(self.probabilities.any(axis=0))
        frame = pd.DataFrame(places * self.steps, columns=range(1, len(self.steps) + 1))
        low, high = self.probabilities[(slice(None), *places.T)]
        return frame.assign(low=low, high=high)

    def loss(self, noise: Release | FloatArray | None = None) -> FiniteLoss:
        """Return the privacy loss of the statistics with noise, P under the lower share.

        A covariance, (m, m), is of normal noise. What leaves some direction bare counts as none,
        which shows more, not less. NotApplicable if the release is not the statistics plus noise,
        or its noise mixes too many points.
        """
        release = Release(covariance=noise) if isinstance(noise, np.ndarray) else noise or AS_IT_IS
        if not isinstance(release, Release) or release.width not in (0, len(self.steps)):
            raise DistprivError(
                f"The law is of {len(self.steps)} statistics, and {release!r} is of others; "
                "calibrate it to a model of the same query."
            )
        masses = self.masses(release)
        if masses is None:
            raise NotApplicable(
                "The exact law of this release is not known; take normal noise, or Laplace noise "
                "on one statistic, over at most some million points."
            )
        return FiniteLoss(*masses)

    def delivered_delta(self, release: Release | None, epsilon: float) -> float:
        """Return the δ that a release delivers at an ε, in the worse order; errors as of `loss`."""
        loss = self.loss(release)
        return float(max(loss.delta(epsilon), loss.reversed.delta(epsilon)))

    def optimal_attack_accuracy(self, release: Release | None = None) -> float:
        """Return the best attacker's accuracy at even odds, ½ + ½ TV; errors as of `loss`."""
        return self.loss(release).accuracy()

    def masses(self, release: Release) -> FloatArray | None:
        """Compute the masses of outcomes at each share, (2, points…); None if there is no way."""
        m = len(self.steps)
        if not release.additive or (release.directions is not None and m > 1):
            return None
        noise = np.zeros((m, m)) if release.covariance is None else release.covariance
        noise = noise / np.outer(self.steps, self.steps)
        scale = 0.0 if release.directions is None else release.scale / float(self.steps[0])
        least = math.sqrt(max(np.linalg.eigvalsh(noise)[0], 0.0))
        if max(least, scale) < _BARE:
            return self.probabilities
        return self._under(noise, scale)

    def delivered(self, release: Release, epsilon: float) -> tuple[FloatArray, float] | None:
        """Return δ in both orders, at most but for `error`, and the best accuracy, or None."""
        masses = self.masses(release)
        if masses is None:
            return None
        odds = math.exp(min(epsilon, 700.0))
        mixed = masses is not self.probabilities
        delta = [_positive_part(a - odds * b, mixed) for a, b in (masses, masses[::-1])]
        return np.array(delta), 0.5 + 0.25 * float(np.abs(masses[0] - masses[1]).sum())

    def hides(self, release: Release, epsilon: float) -> bool:
        """Tell whether Laplace noise on a complete law keeps (ε, 0).

        Between points both densities are A e^−t + B e^t, so their ratio is monotone, and the
        largest one is at a point.
        """
        if self.complete is None or release.covariance is not None or not release.scale:
            return False
        ratio, odds = math.exp(-float(self.steps[0]) / release.scale), math.exp(min(epsilon, 700.0))
        some = np.flatnonzero(self.complete.any(axis=0))  # outside, ratios are those at the ends
        laws = self.complete[:, some[0] : some[-1] + 1]
        p, q = (_decayed(law, ratio) + _decayed(law[::-1], ratio)[::-1] - law for law in laws)
        return bool((np.maximum(p - odds * q, q - odds * p) <= _EQUAL * (p + q)).all())

    def _under(self, noise: FloatArray, scale: float) -> FloatArray | None:
        """Mix with normal noise of a covariance and Laplace noise, both in steps.

        The noise's transform is known, and that of the law repeats, so that the mesh may be finer
        or, under wide noise, coarser than the grid.
        """
        shape, m = self.probabilities.shape[1:], len(noise)
        reach = _REACH * np.sqrt(np.diagonal(noise)) + _SCALES * scale
        period = [_length(points + 2 * far) for points, far in zip(shape, reach, strict=True)]
        width = np.sqrt(1 / np.diagonal(np.linalg.inv(noise))) if scale == 0 else np.array([scale])
        fine = _FINE / width
        if m == 2:  # as fine as some points allow
            points = math.prod(period) / math.prod(width)
            fine = min(max(math.sqrt(_POINTS / points), _COARSEST), _FINEST) / width
        if scale > 0 and noise.any():  # what the floor leaves of the grid is smooth
            fine = np.maximum(fine, 2 / np.sqrt(np.diagonal(noise)))
        size = [_length(one * more) for one, more in zip(period, fine, strict=True)]
        if m == 1 and fine[0] > 1:
            size = [period[0] * _length(float(fine[0]))]
        most = _MESH[self.patient]
        if m == 2 and math.prod(size) > _MESH[0]:
            return self._along(noise, 500 * most)
        if math.prod(size) > most or (m == 1 and period[0] > most):
            return None
        waves = [fft.fftfreq(points, 1 / points) for points in size[:-1]]
        waves.append(np.arange(size[-1] // 2 + 1, dtype=float))
        angles = [2 * np.pi * wave / points for wave, points in zip(waves, period, strict=True)]
        mesh = np.meshgrid(*angles, indexing="ij", sparse=True)
        square = sum(noise[i, j] * mesh[i] * mesh[j] for i in range(m) for j in range(m))
        kernel = np.exp(-0.5 * np.asarray(square))
        if scale > 0:  # Laplace noise at the points of the mesh
            ratio = math.exp(-period[0] / size[0] / scale)
            angle = 2 * np.pi * waves[0] / size[0]
            kernel *= (1 - ratio) ** 2 / (1 - 2 * ratio * np.cos(angle) + ratio**2)
        if m == 2 and math.prod(size) < math.prod(period):
            one, other = (
                np.exp(-1j * np.multiply.outer(angle, np.arange(points)))
                for angle, points in zip(angles, shape, strict=True)
            )
            law: NDArray[Any] = one @ self.probabilities @ other.T
        else:
            law = fft.fftn(self.probabilities, period, axes=range(1, m + 1))
            parts = [wave.astype(int) % points for wave, points in zip(waves, period, strict=True)]
            law = law[np.ix_(np.arange(2), *parts)]
        return _clean(fft.irfftn(law * kernel, size, axes=range(1, m + 1)), _NEGLIGIBLE)

    def _along(self, noise: FloatArray, most: float) -> FloatArray | None:
        """Mix two counts with noise that is far wider one way: on a mesh in its own directions."""
        values, vectors = np.linalg.eigh(noise)
        points = np.argwhere(self.probabilities.any(axis=0))
        kernels = []
        for x, deviation in zip((points @ vectors).T, np.sqrt(values), strict=True):
            far = _REACH * deviation
            y = np.arange(x.min() - far, x.max() + far, deviation / _ALONG)
            if len(y) * len(points) > most:
                return None
            kernels.append(np.exp(-0.5 * ((y[:, None] - x) / deviation) ** 2))
        if math.prod(len(kernel) for kernel in kernels) * len(points) > most:
            return None
        weights = self.probabilities[(slice(None), *points.T)]
        masses = (weights[:, None] * kernels[0]) @ kernels[1].T
        for axis in (1, 2):  # nothing is lost between the points of such a mesh
            wave, count = fft.rfft(masses, axis=axis), masses.shape[axis]
            masses = fft.irfft(wave, _length(_BETWEEN * count), axis=axis)
        return _clean(masses, _NEGLIGIBLE)


def _positive_part(values: FloatArray, mesh: bool) -> float:
    """Sum what is above 0; on a mesh, the most that the integral of what is above 0 may be.

    Where the sign changes, a cell's mean is that of a plane over it; the other cells' means differ
    from their middles by a Laplacian, whose sum is one over the border. Such a sum errs by less
    than it differs from the plain one.
    """
    plain = float(np.maximum(values, 0.0).sum())
    if not mesh:
        return plain
    near, border = np.zeros(values.shape, dtype=bool), 0.0
    for axis in range(values.ndim):
        changes = np.diff(values > 0, axis=axis)
        border += float(np.abs(np.diff(values, axis=axis)[changes]).sum())
        for end in (slice(1, None), slice(-1)):
            near[(slice(None),) * axis + (end,)] |= changes
    at = np.nonzero(near)
    slopes = []
    for axis, size in enumerate(values.shape):
        sides = [(*at[:axis], (at[axis] + step) % size, *at[axis + 1 :]) for step in (-1, 1)]
        slopes.append((values[sides[1]] - values[sides[0]]) / 2)
    reach, middle = np.sqrt(np.square(slopes).sum(axis=0)) / 2, values[at]
    inside = np.abs(middle) < reach
    middle, reach = middle[inside], reach[inside]
    more = ((middle + reach) ** 2 / (4 * reach) - np.maximum(middle, 0.0)).sum() - border / 24
    return plain + float(more) + abs(float(more))


def _decayed(masses: FloatArray, ratio: float) -> FloatArray:
    """Sum the masses up to each, those k places before by ratio^k."""
    return np.array([*itertools.accumulate(masses, lambda total, one: total * ratio + one)])


def _length(points: float) -> int:
    return int(fft.next_fast_len(math.ceil(points), real=True))


def _clean(masses: FloatArray, rounding: float) -> FloatArray:
    """Take out what may be rounding, and make each law's masses sum to 1."""
    axes = tuple(range(1, masses.ndim))
    masses = np.where(masses < rounding * masses.max(axis=axes, keepdims=True), 0.0, masses)
    return np.asarray(masses / masses.sum(axis=axes, keepdims=True))


# ---------------------------------------------------------------- which laws are known


@dataclass(frozen=True, eq=False)
class _Places:
    """Where the records of both groups lie: cells for counts, else points of a grid."""

    unit: FloatArray  # (m,), step of sums over records
    # (2, 4), records with neither, the second, the first and both of two properties
    cells: FloatArray | None
    counted: list[tuple[IntArray, IntArray]]  # places and their counts


_KNOWN: WeakKeyDictionary[Groups, dict[Any, Any]] = WeakKeyDictionary()


def known_law(fitted: PairModel, model: GaussianModel, patient: bool = False) -> ExactLaw | None:
    """Return the exact law of a pair's statistics where it is at hand.

    That is where it takes about a tenth of a second, or has been computed by `compute_law` before;
    it lives as long as the groups that it was computed from.
    """
    groups = fitted.groups
    if groups.records is None or not model.query.linear or len(model.query) > 2:
        return None
    known = _KNOWN.setdefault(groups, {})
    if "places" not in known:
        known["places"] = _places(*groups.records)
    places: _Places | None = known["places"]
    if places is None or model.n > _MOST:
        return None
    key = fitted.numbers.tobytes(), model.replacement
    at = (*key, patient or (*key, True) in known)
    law = known.get(at, False)
    if law is False:
        law = None
        if patient or _is_quick(places, fitted, model.replacement):
            law = _computed(places, fitted.numbers.astype(np.int64), model.replacement)
            law = law and replace(law, patient=patient)
        laws = [one for one in list(known) if one != "places"]  # others may add some meanwhile
        for old in laws[: max(len(known) - _LAWS, 0)]:
            known.pop(old, None)
        known[at] = law
    return None if law is None else replace(law, steps=law.steps * model.scales)


def compute_law(fitted: PairModel, model: GaussianModel) -> ExactLaw | None:
    """Compute the exact law of a pair's statistics, in up to a second or two; then it is known.

    None where there is none: for statistics without a grid, for more of them than one or two
    counts, for groups without records, and where a law has more than a million points.
    """
    return known_law(fitted, model, patient=True)


def exact_law(table: Any, query: Query, pair: Pair, n: int | None = None) -> ExactLaw:
    """Return the law of one sum, mean or count on a grid, or of two counts, at both shares.

    No bell curve is assumed. It takes up to a second or two. The table is a DataFrame or a Source,
    of which n records, from 2 on, are drawn without replacement; None: as many as it has complete
    ones, with replacement from the groups' laws. Methods loss, delivered_delta and
    optimal_attack_accuracy of the law take a release. NotApplicable if the law is not known; other
    errors are those of :func:`distpriv.fit_gaussian`.

    Examples
    --------
    >>> pair = dp.SensitiveProperty("late", "yes").pair(center=0.15, width=0.1)
    >>> query = dp.Query([dp.Count("employment", "employee")])
    >>> law = dp.exact_law(dp.load_example("bank"), query, pair, n=100)
    >>> round(100 * law.optimal_attack_accuracy(), 1)
    59.7
    """
    model = fit_gaussian(table, query, pair, n)
    law = compute_law(model.pairs[0], model)
    if law is None:
        raise NotApplicable(
            "The exact law is known only for one sum, mean or count, or two counts, of a table in "
            "memory; take fewer figures or records."
        )
    return law


def _places(*records: FloatArray) -> _Places | None:
    columns = np.concatenate(records)
    m = columns.shape[1]
    if ((columns == 0) | (columns == 1)).all():
        kinds = [part @ np.array([2.0, 1.0][:m]) for part in records]
        cells = [np.bincount(kind.astype(np.int64), minlength=4) for kind in kinds]
        return _Places(np.ones(m), np.array(cells, dtype=float), [])
    if m > 1:
        return None
    per_unit, origin = spacing(columns[:, 0])
    if per_unit == 0:
        return None
    steps = [np.rint((part[:, 0] - origin) * per_unit).astype(np.int64) for part in records]
    least = min(int(part.min()) for part in steps)
    values = [np.unique(part - least, return_counts=True) for part in steps]
    divisor = max(int(np.gcd.reduce(np.concatenate([places for places, _ in values]))), 1)
    values = [(places // divisor, counts) for places, counts in values]
    return _Places(np.array([divisor / per_unit]), None, values)


def _is_quick(places: _Places, fitted: PairModel, replacement: bool) -> bool:
    steps, records = _QUICK
    if places.cells is not None:
        return len(places.unit) == 1 or fitted.numbers[0].sum() <= records
    if replacement:
        return True
    few = np.minimum(fitted.numbers, fitted.groups.counts - fitted.numbers)
    share = np.maximum(few / fitted.groups.counts, 1e-300)
    depth = np.minimum(few, 40 / np.maximum(-np.log(share / (1 - share) + 1e-9), 1e-9) + 1)
    return bool((few * depth).max() <= steps)


def _computed(places: _Places, numbers: IntArray, replacement: bool) -> ExactLaw | None:
    m, n = len(places.unit), int(numbers[0].sum())
    if places.cells is None:
        return _sums_law(places, numbers, replacement)
    if m == 2 and n**2 > _MOST:
        return None
    size = (_length(n + 1),) * m
    complete = None
    if m == 1 and n <= _DIRECT:
        complete = _complete(places.cells, numbers, replacement)
    laws = np.zeros((2, *[n + 1] * m))
    for law, row in zip(laws, numbers.tolist(), strict=True):
        parts = [_counts_law(*part, m, replacement) for part in zip(places.cells, row, strict=True)]
        one, other = (fft.rfftn(part, size) for part in parts)
        law[:] = fft.irfftn(one * other, size)[(slice(n + 1),) * m]
    return replace(_cropped(laws, places.unit, _NEGLIGIBLE), complete=complete)


def _complete(cells: FloatArray, numbers: IntArray, replacement: bool) -> FloatArray | None:
    """Compute all probabilities of one count by sums, without differences; None below 1e-290."""
    laws = []
    for row in numbers.tolist():
        points = 1
        for group, k in zip(cells, row, strict=True):
            having, others = int(group[2:].sum()), int(group[:2].sum())
            if replacement:
                points += k if having and others else 0
            else:
                points += min(k, having) - max(0, k - others)
        parts = [_counts_law(one, k, 1, replacement) for one, k in zip(cells, row, strict=True)]
        laws.append(np.convolve(parts[0], parts[1]))
        if np.count_nonzero(laws[-1] > _UNDERFLOW) < points:
            return None
    return np.array(laws)


def _cropped(laws: FloatArray, unit: FloatArray, rounding: float) -> ExactLaw:
    """Take out rounding, and points that neither law has at the ends."""
    laws = _clean(laws, rounding)
    ends = [slice(places.min(), places.max() + 1) for places in np.nonzero(laws.any(axis=0))]
    return ExactLaw(laws[(slice(None), *ends)].copy(), unit, 100 * rounding)


# ---------------------------------------------------------------- counts


def _counts_law(cells: FloatArray, k: int, m: int, replacement: bool) -> FloatArray:
    """Compute the law of one count, or two, of k records of a group of cells (4,), see `_Places`.

    Given the first count, the second is that among those records plus that among the others.
    """
    first, size, numbers = cells[2:].sum(), cells.sum(), np.arange(k + 1)
    law = _successes(np.array([k]), first, size, replacement)[0]
    if m == 1:
        return law
    among = _successes(numbers, cells[3], first, replacement)
    others = _successes(k - numbers, cells[1], size - first, replacement)
    length = _length(k + 1)
    second = fft.irfft(fft.rfft(among, length) * fft.rfft(others, length), length)[:, : k + 1]
    return np.asarray(law[:, None] * second)


def _successes(draws: IntArray, having: float, size: float, replacement: bool) -> FloatArray:
    """Compute probabilities of 0 … max(draws) records with a property, a row a number of draws."""
    x, k = np.arange(draws.max() + 1), draws[:, None]
    if replacement:
        return np.exp(log_chances(x, k, having / size if size else 0.0))
    return np.exp(log_chances(x, np.minimum(k, size), having, size)) * (x <= k)


def log_chances(
    x: FloatArray | IntArray, k: FloatArray | IntArray, having: float, n: float | None = None
) -> FloatArray:
    """Compute ln P(x of k records have a property) that a share of all has, or so many among n."""
    if n is None:
        rest = np.maximum(k - x, 0)
        return _log_choose(k, x) + (special.xlogy(x, having) + special.xlog1py(rest, -having))
    return _log_choose(having, x) + _log_choose(n - having, k - x) - _log_choose(n, k)


def _log_choose(n: Any, k: Any) -> FloatArray:
    inside = (k >= 0) & (k <= n)
    of = np.where(inside, k, 0)
    return np.where(inside, -special.betaln(n - of + 1.0, of + 1.0) - np.log(n + 1.0), -np.inf)


# ---------------------------------------------------------------- one sum


def _sums_law(places: _Places, numbers: IntArray, replacement: bool) -> ExactLaw | None:
    """Compute the law of the sum, on a circle that is as long as all but e⁻³⁷ of it."""
    low, high = _window(places.counted, numbers)
    if high - low >= _MOST:
        return None
    size = _length(high - low + 1)
    waves = [
        fft.rfft(np.bincount(v % size, weights=c, minlength=size)) / c.sum()
        for v, c in places.counted
    ]
    if replacement:
        transforms = np.array([waves[0] ** k * waves[1] ** rest for k, rest in numbers.tolist()])
    else:
        transforms = _without_replacement(places.counted, waves, numbers, size)
    laws = np.roll(fft.irfft(transforms, size), -low, axis=1)
    rounding = max(_NEGLIGIBLE, 1e-16 * float(numbers[0].sum()))
    return _cropped(laws[:, : high - low + 1], places.unit, rounding)


def _window(values: list[tuple[IntArray, IntArray]], numbers: IntArray) -> tuple[int, int]:
    """Return where all but e⁻³⁷ of either law lies, by Chernoff's bound.

    It holds without replacement, too (Hoeffding 1963, Theorem 4).
    """
    top = max(int(v[-1]) for v, _ in values)
    tilts = np.geomspace(1e-9, 40, 400) / max(top, 1)
    ends = []
    for sign in (-1, 1):
        logs = [
            special.logsumexp(np.multiply.outer(sign * tilts, v), b=c / c.sum(), axis=1)
            for v, c in values
        ]
        reach = (numbers @ np.array(logs) + _TAIL) / tilts
        ends.append(sign * float(reach.min(axis=1).max()))
    return max(0, math.floor(ends[0])), min(int(numbers[0].sum()) * top, math.ceil(ends[1]))


def _without_replacement(
    values: list[tuple[IntArray, IntArray]], waves: list[ComplexArray], numbers: IntArray, size: int
) -> ComplexArray:
    """Return transforms of the sums at each share, where they are not negligible.

    That of k records of N is at most √(2πk) exp(−p(1 − p)N(1 − |φ|)), p = k/N, by Cauchy's bound on
    the circle of radius p/(1 − p).
    """
    decay = np.zeros(len(waves[0]))
    for (_, c), wave, k in zip(values, waves, numbers.T, strict=True):
        spread = float((k * (1 - k / c.sum())).min())
        decay += spread * (1 - np.minimum(np.abs(wave), 1.0))
        decay -= math.log(2 * np.pi * k.max() + 1) / 2
    (some,) = np.nonzero(decay < _FADED)
    results = np.zeros((2, len(waves[0])), complex)
    for start in range(0, len(some), _BLOCK):
        part = some[start : start + _BLOCK]
        groups = zip(values, waves, numbers.T.tolist(), strict=True)
        results[:, part] = np.prod([_subsets(*group, part, size) for group in groups], axis=0)
    return results


def _subsets(
    values: tuple[IntArray, IntArray],
    wave: ComplexArray,
    numbers: list[int],
    places: IntArray,
    size: int,
) -> ComplexArray:
    """Return transforms of sums of two numbers k of records of a group, (2, places).

    Newton's identities: e_k = Σ_l (−1)^{l−1} w_l e_{k−l} φ(l ω), w_l = N C(N, k−l)/(k C(N, k)),
    which falls like (k/(N−k))^l. More than half of the records: all of them less the rest.
    """
    records = int(values[1].sum())
    fewer = [min(k, records - k) for k in numbers]
    weights = []
    for k in range(1, max(fewer) + 1):
        order = np.arange(1, k + 1)
        weight = np.cumprod((k - order + 1) / (records - k + order)) * records / k
        weights.append((weight * (-1.0) ** (order - 1))[: np.searchsorted(-weight, -1e-17)])
    depth = max(map(len, weights), default=0)
    multiples = np.multiply.outer(np.arange(1, depth + 1), places) % size
    mirrored = multiples > size // 2
    powers = wave[np.where(mirrored, size - multiples, multiples)]
    powers = np.where(mirrored, np.conj(powers), powers)[::-1]  # the last of e come first
    e = np.ones((max(fewer) + 1, len(places)), complex)
    for k, weight in enumerate(weights, 1):
        parts = e[k - len(weight) : k], powers[depth - len(weight) :]
        np.einsum("l,lw,lw->w", weight[::-1], *parts, out=e[k])
    total = int(values[0] @ values[1]) % size
    every = np.exp(-2j * np.pi * (total * places % size) / size)
    both = zip(numbers, fewer, strict=True)
    return np.array([e[few] if few == k else np.conj(e[few]) * every for k, few in both])
