r"""How well a noise covers the grid of the statistics.

For x with a normal law restricted to a grid, and normal noise of covariance S, Poisson's summation
formula writes the density of y = x + noise as that of the normal model times
:math:`\sum_w e^{2\pi i w^T(\cdot)} e^{-2\pi^2 w^T M w}`, w over the dual grid and M the
covariance of x given y: everywhere within a factor 1 ± θ of the normal model's, with
:math:`\theta = \sum_{w \ne 0} e^{-2\pi^2 w^T M w}`. (Micciancio & Regev 2007 call the noise at
which such a sum is small the smoothing parameter of a lattice.) Noise that leaves a direction bare
has no finite θ: whoever knows the grid subtracts it.

On another coset of the grid, displaced by c, the w-th term of the sum is turned by
:math:`e^{-2\pi i w^T c}`, which is of length 1: the bound θ holds for the statistics of both
shares, whether they lie on one coset or on two. What is lost is that the two densities waver
together. Each is within 1 ± θ of its normal model's all the same, and their ratio within
(1 + θ)/(1 − θ) of the models', which is what is charged. Where the number k of records with the
property is random, and cosets tell of it, the density is a mixture over k of such densities, each
about a normal given k, and Σ in M is the covariance given k.

A statistic that cannot vary under one of the shares, as all records of a group are taken, has one
value there: with the noise it is just normal, and the grid is that of the others alone.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["COVERED", "Covering", "log_ratio", "smoothness", "thetas"]

FloatArray = NDArray[np.float64]

COVERED = 0.05  # θ up to which a release counts as covering the grid
_ENUMERATED = 6  # statistics
_REACH = 2  # in each coordinate; what lies beyond is bounded
_NEGLIGIBLE = 40.0
_SHARE = 0.1
_MOST_POINTS = 200_000
_BARE = 1e-13
_STILL = 1e-20  # of a variance: rounding
_TRACE = 1e-6  # of a standard deviation
_LARGEST = 1e6  # deviation of the noise in units of the floor that numbers can tell apart
_TURNS = np.arange(1, 40)
_AT_ONCE = 500_000  # points of the dual grids
_LOVASZ, _SWAPS = 0.99, 20_000
_LEAST = -700.0  # of an exponent: what is less is not slow to compute
_NARROWEST = 1e-120  # standard deviation: its square is a number still


def log_ratio(theta: float) -> float:
    """By how much θ moves a log-likelihood ratio at most: ln((1 + θ)/(1 − θ)), ∞ from θ = 1 on."""
    return math.log1p(theta) - math.log1p(-theta) if theta < 1 else math.inf


def smoothness(
    covariances: FloatArray, steps: FloatArray, factors: FloatArray, floor: FloatArray
) -> float:
    """θ of a release with normal noise, for the law that is covered worst.

    Parameters
    ----------
    covariances : ndarray, shape (k, m, m)
        Of the statistics, positive definite but for those that do not vary under some of the laws.
    steps : ndarray, shape (m,)
        Grid of each statistic: 0 where there is none, ∞ where it does not move, NaN where it is
        not known: finer than the noise if that leaves no direction bare, else ∞ comes out.
    factors : ndarray, shape (m, d)
        Of the noise: its covariance is factors factorsᵀ + diag(floor²).
    floor : ndarray, shape (m,)
        Standard deviations of independent noise on each statistic, each >= 0.

    Returns
    -------
    float >= 0
        An upper bound up to 1e-12 of itself; ∞ where arithmetic undoes the noise.
    """
    return thetas([Covering(covariances, steps, factors, floor)])[0]


@dataclass(frozen=True, eq=False)
class Covering:
    """Statistics with their grid, and noise: what :func:`smoothness` takes."""

    covariances: FloatArray
    steps: FloatArray
    factors: FloatArray
    floor: FloatArray

    @property
    def ordinary(self) -> bool:
        """Whether every statistic has steps and a floor."""
        return bool((self.floor > 0).all() and (self.steps > 0).all() and self.steps.max() < np.inf)

    @property
    def by_law(self) -> list[Covering]:
        """Itself, or one for each law, if a statistic does not vary under some of them.

        There it is as good as on no grid, with a trace of a spread in place of none.
        """
        variances = np.diagonal(self.covariances, axis1=1, axis2=2)
        largest = variances.max(axis=0)
        still = (variances <= _STILL * largest) & (largest > 0)
        if not still.any():
            return [self]
        parts = []
        for covariance, unmoved in zip(self.covariances, still, strict=True):
            moving = np.where(np.logical_or.outer(unmoved, unmoved), 0.0, covariance)
            traces = np.diag(np.where(unmoved, _TRACE**2 * largest, 0.0))
            steps = np.where(unmoved, 0.0, self.steps)
            parts.append(Covering((moving + traces)[None], steps, self.factors, self.floor))
        return parts


def thetas(coverings: Sequence[Covering]) -> list[float]:
    """:func:`smoothness` of many; faster than one by one."""
    parts = [covering.by_law for covering in coverings]
    each = iter(_thetas([part for some in parts for part in some]))
    return [max(next(each) for _ in some) for some in parts]


def _thetas(coverings: Sequence[Covering]) -> list[float]:
    values = [math.nan] * len(coverings)
    alike: dict[tuple[int, ...], list[int]] = {}
    for index, covering in enumerate(coverings):
        if covering.ordinary:
            alike.setdefault(covering.covariances.shape, []).append(index)
        else:
            values[index] = _alone(covering)
    for (_, size, _), some in alike.items():
        chosen = [coverings[index] for index in some]
        steps = np.array([covering.steps for covering in chosen])
        floor = np.array([covering.floor for covering in chosen])
        factors = np.zeros((len(some), size, max(covering.factors.shape[1] for covering in chosen)))
        for row, case in zip(factors, chosen, strict=True):
            row[:, : case.factors.shape[1]] = case.factors
        covariances = np.array([covering.covariances for covering in chosen])
        try:
            forms = _above_floor(covariances, factors, floor) / _across(steps)[:, None]
            worst = _worst(forms)
        except np.linalg.LinAlgError:  # of one of them
            worst = [_alone(covering) for covering in chosen]
        for index, theta in zip(some, worst, strict=True):
            values[index] = theta
    return values


def _alone(covering: Covering) -> float:
    """θ where some statistics have no grid, or one that is not known, or no floor."""
    steps, floor = covering.steps, covering.floor
    if not (steps != 0).any():
        return 0.0
    # What has no grid is a density: a trace of noise on it stands for none.
    traces = 1e-5 * np.sqrt(covering.covariances[0].diagonal())
    floor = np.where((floor > 0) | (steps != 0), floor, traces)
    try:
        if (floor > 0).all():
            within = _above_floor(covering.covariances[None], covering.factors[None], floor[None])[
                0
            ]
        else:
            within = _of_all_ranks(covering.covariances, covering.factors, floor)
        if np.isinf(steps).any():
            return math.inf
        gridded = np.flatnonzero(steps > 0)
        if not gridded.size:
            return 0.0
        forms = within[:, gridded[:, None], gridded] / _across(steps[gridded])
        return _worst(forms[None])[0]
    except np.linalg.LinAlgError:
        return math.inf


# Both give the covariance of the statistics given the release, (Σ⁻¹ + S⁻¹)⁻¹, in units in which S
# is the identity and a few directions more: a floor far below the noise along these is not lost to
# rounding.


def _above_floor(covariances: FloatArray, factors: FloatArray, floor: FloatArray) -> FloatArray:
    """Of shape (n, k, m, m), for noise with a floor on every statistic, shape (n, m)."""
    vectors, singular, _ = np.linalg.svd(factors / floor[..., None], full_matrices=False)
    singular = singular.clip(max=_LARGEST)  # less noise is the safe side
    kept = (singular**2 / (1 + singular**2))[:, None, :]
    precision = np.eye(floor.shape[1]) - (vectors * kept) @ vectors.swapaxes(1, 2)
    across = _across(floor)[:, None]
    inverse = np.linalg.inv(covariances / across)
    return np.asarray(np.linalg.inv(inverse + precision[:, None]) * across)


def _of_all_ranks(covariances: FloatArray, factors: FloatArray, floor: FloatArray) -> FloatArray:
    """Of shape (k, m, m), for one noise; `LinAlgError` if it leaves a direction bare."""
    units = np.sqrt((factors**2).sum(axis=1) + floor**2)
    if not (units > 0).all():
        raise np.linalg.LinAlgError
    scaled = factors / units[:, None]
    values, vectors = np.linalg.eigh(scaled @ scaled.T + np.diag((floor / units) ** 2))
    if values[0] < _BARE:
        raise np.linalg.LinAlgError
    across = _across(units)
    inverse = np.linalg.inv(covariances / across)
    return np.asarray(np.linalg.inv(inverse + (vectors / values) @ vectors.T) * across)


def _across(units: FloatArray) -> FloatArray:
    return units[..., :, None] * units[..., None, :]


def _worst(forms: FloatArray) -> list[float]:
    """θ of the worst of each k quadratic forms, shape (n, k, m, m)."""
    if forms.shape[-1] > _ENUMERATED:
        return [max(map(_theta, pair)) for pair in forms]
    return _worst_of_few(forms)


@lru_cache(maxsize=_ENUMERATED)
def _points(size: int) -> tuple[FloatArray, NDArray[np.intp], NDArray[np.intp]]:
    """One of w and −w for every point within reach but 0, as products of their coordinates."""
    every = list(itertools.product(range(-_REACH, _REACH + 1), repeat=size))
    half = np.array(every[len(every) // 2 + 1 :], dtype=np.float64)
    rows, columns = np.triu_indices(size)
    return half[:, rows] * half[:, columns] * np.where(rows == columns, 1.0, 2.0), rows, columns


def _worst_of_few(forms: FloatArray) -> list[float]:
    """The same for forms of few coordinates."""
    count, size = len(forms), forms.shape[-1]
    products, rows, columns = _points(size)
    values = np.empty(count)
    beyond = 2 * math.pi**2 * np.linalg.eigvalsh(forms)[..., 0].min(axis=1) * (_REACH + 1) ** 2
    near = beyond < _NEGLIGIBLE
    values[near] = [max(map(_theta, pair)) for pair in forms[near]]
    far = np.flatnonzero(~near)
    for some in np.array_split(far, max(1, forms.shape[1] * len(far) * len(products) // _AT_ONCE)):
        entries = forms[some][..., rows, columns]
        exponents = np.maximum(-2 * math.pi**2 * (entries @ products.T), _LEAST)
        sums = 2 * np.exp(exponents).sum(axis=-1).max(axis=1)
        squares = (_TURNS / (_REACH + 1)) ** 2
        factor = 1 + 2 * np.exp(-_SHARE * np.outer(beyond[some], squares)).sum(axis=1)
        values[some] = sums + factor**size * np.exp(-(1 - _SHARE) * beyond[some])
    return [float(theta) for theta in values]


def _theta(form: FloatArray) -> float:
    """θ for one form: all points that count, or a product of bounds where those are too many."""
    try:
        root: FloatArray = np.asarray(np.linalg.cholesky(form).T, dtype=np.float64)
    except np.linalg.LinAlgError:
        return math.inf
    bound = _tail(root, share=1.0) - 1
    if len(form) > _ENUMERATED:
        root = _reduced(root)
        bound = min(bound, _tail(root, share=1.0) - 1)
    radius = _NEGLIGIBLE / (2 * math.pi**2)
    if bound <= 0.0 or len(form) > 2 * _ENUMERATED:
        return bound
    squares = _squares_within(root, radius)
    if squares is None:
        return bound
    left = _tail(root) * math.exp(-(1 - _SHARE) * _NEGLIGIBLE)
    return min(bound, float(np.exp(-2 * math.pi**2 * squares).sum()) - 1 + left)


def _squares_within(root: FloatArray, radius: float) -> FloatArray | None:
    """|root k|² of all whole k within a radius (Fincke & Pohst 1985); None for too many."""
    size = len(root)
    points, squares = np.zeros((1, size)), np.zeros(1)
    for place in range(size - 1, -1, -1):
        center = -(points[:, place + 1 :] @ root[place, place + 1 :]) / root[place, place]
        reach = np.sqrt((radius - squares).clip(0)) / root[place, place]
        first, last = np.ceil(center - reach), np.floor(center + reach)
        counts = (last - first + 1).clip(0, _MOST_POINTS + 1).astype(np.intp)
        if counts.sum() > _MOST_POINTS:
            return None
        origin = np.repeat(np.arange(len(points)), counts)
        offset = np.arange(len(origin)) - np.repeat(np.cumsum(counts) - counts, counts)
        points, squares = points[origin], squares[origin]
        points[:, place] = first[origin] + offset
        squares = squares + ((points[:, place] - center[origin]) * root[place, place]) ** 2
    return squares


def _reduced(root: FloatArray) -> FloatArray:
    """Another basis of the lattice {root k}, upper triangular, with shorter vectors.

    By the algorithm of Lenstra, Lenstra & Lovász (1982). Noise along few directions makes the last
    of many coordinates look as if only the floor were on it, whatever their order.
    """
    basis = root.copy()
    size, place = len(basis), 1
    for _ in range(_SWAPS):
        if place >= size:
            break
        for other in range(place - 1, -1, -1):
            times = np.rint(basis[other, place] / basis[other, other])
            if times:
                basis[: other + 1, place] -= times * basis[: other + 1, other]
        above, below = basis[place - 1, place], basis[place, place]
        length = math.hypot(above, below)
        if length**2 >= _LOVASZ * basis[place - 1, place - 1] ** 2:
            place += 1
            continue
        basis[:, [place - 1, place]] = basis[:, [place, place - 1]]
        rows = basis[[place - 1, place], place - 1 :]
        turn = np.array([[above, below], [-below, above]]) / length
        basis[[place - 1, place], place - 1 :] = turn @ rows
        basis[place, place - 1] = 0.0
        if basis[place, place] < 0:
            basis[place, place:] *= -1
        place = max(place - 1, 1)
    return basis


def _tail(root: FloatArray, share: float = _SHARE) -> float:
    """A bound on Σ exp(−2π² share |root k|²) over all whole k, root upper triangular.

    The sum over the first coordinate is largest where the others shift it by nothing, and so on:
    the product of one-dimensional sums over the diagonal.
    """
    squares = np.outer(np.diag(root) ** 2, _TURNS**2)
    sums = 2 * np.exp(-2 * math.pi**2 * share * squares).sum(axis=1)
    return float(np.prod(1 + sums))


def kinks(factors: FloatArray, covariance: FloatArray, grid: FloatArray) -> float:
    """How far the grid shows through independent Laplace noise on every statistic.

    Given a release the noise has a density with a kink where it is 0, whose transform at the grid's
    frequencies 2πj/g is at most h g²/(2π²j²b), h the density at the kink; the sum over j, at the
    height of a normal that has the statistic's deviation given the others, or of the Laplace
    density.
    """
    precision = np.diag(np.linalg.inv(covariance))
    widths = np.maximum(np.linalg.norm(factors, axis=1), _NARROWEST)
    heights = np.maximum(np.sqrt(precision / (2 * math.pi)), 1 / (2 * widths))
    return float((heights * grid**2 / (6 * widths)).sum())
