"""Releases of a table's statistics: which records, how weighted, which noise; and their errors.

Figures as they are, noise of every mechanism, the balanced release and no data at all are values of
one type, so that one joint normal law gives what attackers see, errors and best estimates of all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

import numpy as np
from scipy import special
from scipy.linalg import block_diag

from distpriv.arrays import FloatArray, generator, integer, number
from distpriv.display import Result, plain
from distpriv.errors import DistprivError
from distpriv.model.estimated import estimated_law
from distpriv.model.fit import GaussianModel
from distpriv.model.grid import deviations
from distpriv.model.groups import Groups, nested_moments
from distpriv.text import percent, significant

if TYPE_CHECKING:
    import pandas as pd

    from distpriv.privacy.persons import PerRecord
    from distpriv.queries import Query

__all__ = ["AS_IT_IS", "Error", "Promise", "Release"]
__all__ += ["best_estimate", "check_release", "joint_law", "no_data", "release_error"]

Kind = Literal["as it is", "noise", "balanced", "no data"]

# Of integrals over (0, ∞): exact to rounding where the integrand is smooth, finer where it swings.
_LOG_NODES, _FINE_NODES = np.linspace(-48.0, 48.0, 385), np.linspace(-40.0, 40.0, 2001)
_NODES = {1: 12, 2: 6, 3: 5, 4: 3, 5: 3, 6: 3}  # of sizes, by the number of Laplace directions
_CASES = 512  # of sizes at a time
_AXES = {"covariance": 2, "directions": 2, "kept": 1, "stands_for": 1, "floor": 1}
_SEED = 0  # of simulated tables, so that figures do not move
_ESTIMATED: WeakKeyDictionary[Groups, dict[Any, tuple[FloatArray, FloatArray]]]
_ESTIMATED = WeakKeyDictionary()  # no law outlives its records


@dataclass(frozen=True)
class Promise(Result):
    """(ε, δ)-distribution privacy for every pair, in both orders.

    Whatever is released, P(S) <= e^ε Q(S) + δ for every set S of outcomes, of the laws P and Q of
    what comes out under the two shares of a pair.

    Attributes
    ----------
    epsilon, delta : float
        ε at least 0, δ at least 0 and below 1, else it is a DistprivError.
    guesses : float or None
        The limit on the best attacker that it came from, right guesses of 100.

    Examples
    --------
    >>> dp.Promise.of_guesses(60)
    Promise(epsilon=0.0, delta=0.2, guesses=60)
    """

    epsilon: float
    delta: float
    guesses: float | None = None

    def __post_init__(self) -> None:
        number("ε", self.epsilon, 0)
        number("δ", self.delta, 0, 1, below=True)

    @classmethod
    def of_guesses(cls, guesses: float) -> Promise:
        """Return the promise that the best attacker is right at most so often of 100 at even odds.

        It is (0, 2a − 1) for an accuracy of a, in both orders.
        """
        number("A limit on right guesses of 100", guesses, 50, 100, above=True, below=True)
        return cls(0.0, round(2 * guesses / 100 - 1, 12), guesses)


@dataclass(frozen=True, eq=False, repr=False)
class Release(Result):
    """What is released in place of the statistics of all records.

    Attributes
    ----------
    mechanism : str
        Its name, "as it is" or "no data".
    covariance : ndarray, shape (m, m), or None
        Of normal noise in units of the statistics, floor included; None for none.
    directions, scale : ndarray, shape (m, r), or None, and float
        Orthonormal directions along which independent Laplace noise of a scale is added besides.
    kept, stands_for : ndarray, shape (2,), or None
        Records used of each group, and how many records it stands for; None for all of them.
    promise : Promise or None
        What it was calibrated for.
    calibration : str
        How: "guarded", "exact" or "classical"; "" where there is nothing to calibrate.
    reference : float or None
        Public share that `stands_for` means.
    floor : ndarray, shape (m,), or None
        Standard deviation of the part of the noise that covers the grid of each statistic.
    own_range : bool
        Whether its noise was made for the data's own range instead of public bounds. What it
        promises then holds between these ends only, and the noise tells them.

    Examples
    --------
    >>> pair = dp.SensitiveProperty("late", "yes").pair(center=0.15, width=0.1)
    >>> table, query = dp.load_example("bank"), dp.Query([dp.Mean("age"), dp.Mean("amount")])
    >>> model = dp.fit_gaussian(table, query, pair, n=100)
    >>> noise = dp.calibrate("OptM", model, guesses=52)
    >>> noise
    Release('OptM', at most 52 right guesses of 100)
    >>> noise.expected_absolute_errors(model).round(2)
    array([...])
    """

    mechanism: str = "as it is"
    covariance: FloatArray | None = None
    directions: FloatArray | None = None
    scale: float = 0.0
    kept: FloatArray | None = None
    stands_for: FloatArray | None = None
    promise: Promise | None = None
    calibration: str = ""
    reference: float | None = None
    floor: FloatArray | None = None
    own_range: bool = False

    def __post_init__(self) -> None:
        for name, axes in _AXES.items():
            if (value := getattr(self, name)) is not None:
                array = np.asarray(value)
                square = name != "covariance" or array.shape == array.T.shape
                if array.dtype.kind not in "iuf" or array.ndim != axes or not square:
                    raise DistprivError(
                        f"The {name} of a release is an array of numbers with {axes} axes, a "
                        f"covariance a square; it is {value!r:.60}."
                    )
                object.__setattr__(self, name, array.astype(float, copy=False))

    def __repr__(self) -> str:
        words, promise = [repr(self.mechanism)], self.promise
        if promise is not None and promise.guesses is not None:
            words.append(f"at most {promise.guesses:.4g} right guesses of 100")
        elif promise is not None:
            words.append(f"ε = {promise.epsilon:.4g}, δ = {promise.delta:.4g}")
        if self.kept is not None and self.kept.any():
            without, having = self.kept
            words.append(f"keeps {having:.0f} records with and {without:.0f} without")
        if self.reference is not None:
            words.append(f"for a share of {percent(self.reference)}")
        return plain(f"Release({', '.join(words)})")

    @property
    def additive(self) -> bool:
        """Whether it is the statistics of all records plus noise."""
        return self.kept is None

    @property
    def kind(self) -> Kind:
        """What sort of release it is."""
        if self.kept is not None:
            return "balanced" if self.kept.any() else "no data"
        return "as it is" if self.covariance is None and self.directions is None else "noise"

    @property
    def key(self) -> tuple[str, float, float]:
        """Mechanism, ε and δ, which name its stream of random numbers."""
        promise = self.promise or Promise(0.0, 0.0)
        return self.mechanism, promise.epsilon, promise.delta

    @property
    def width(self) -> int:
        """Number of statistics that noise is added to."""
        noise = self.directions if self.covariance is None else self.covariance
        return 0 if noise is None else len(noise)

    def normal(self, m: int) -> FloatArray:
        """Return the covariance of its normal noise, shape (m, m)."""
        return np.zeros((m, m)) if self.covariance is None else self.covariance

    def laplace(self, m: int) -> FloatArray:
        """Return directions of its Laplace noise, each as long as its scale, shape (m, r)."""
        return np.zeros((m, 0)) if self.directions is None else self.scale * self.directions

    def total(self, m: int) -> FloatArray:
        """Return the covariance of all its noise, shape (m, m)."""
        laplace = self.laplace(m)
        return self.normal(m) + 2 * laplace @ laplace.T

    def sample(self, size: int, rng: np.random.Generator | int | None = None) -> FloatArray:
        """Draw independent noise for simulations, shape (size, m); DistprivError if it has none."""
        if self.kind != "noise":
            raise DistprivError(f"The release {self.mechanism!r} adds no noise to draw.")
        size, stream = integer("How many are drawn", size, 0), generator(rng)
        noise = np.zeros((size, self.width))
        if self.covariance is not None:
            # Statistics may differ in size by many powers of ten, so each is drawn in its unit.
            unit = deviations(self.covariance)
            values, vectors = np.linalg.eigh(self.covariance / np.outer(unit, unit))
            root = unit[:, None] * vectors * np.sqrt(values.clip(0))
            noise = stream.standard_normal(noise.shape) @ root.T
        if self.directions is not None:
            laplace = stream.laplace(0, self.scale, (size, self.directions.shape[1]))
            noise = noise + laplace @ self.directions.T
        return noise

    def expected_error(self, model: GaussianModel | None = None) -> float:
        """Return the expected L2 length of its error at the worse share; noise needs no model."""
        return float(self._error(model).length.max())

    def expected_absolute_errors(self, model: GaussianModel | None = None) -> FloatArray:
        """Return the expected absolute error of each statistic, (m,), at the worse share."""
        return np.asarray(self._error(model).absolute.max(axis=0))

    def _error(self, model: GaussianModel | None) -> Error:
        if model is not None:
            return release_error(model, self)
        if self.kind != "noise":
            raise DistprivError(
                f"The error of the release {self.mechanism!r} depends on the records; pass a model."
            )
        return self._noise_error(self.width)

    def _noise_error(self, m: int) -> Error:
        return Error(np.zeros((2, m)), np.array([self.normal(m)] * 2), self.directions, self.scale)

    def best_estimate(
        self, model: GaussianModel, pair: int = 0
    ) -> tuple[FloatArray, FloatArray, Error]:
        """Return constant, slope and error of the best linear estimate; see `best_estimate`."""
        return best_estimate(model, self, pair)

    def smoothness(self, model: GaussianModel) -> float:
        """Return θ of its normal noise on the statistics' grid, the largest over the pairs.

        ∞ where arithmetic undoes the noise, see :func:`distpriv.model.grid.smoothness`.
        """
        check_release(model, self)
        noise = self.normal(len(model.query))
        return max(float(one.smoothness(noise)) for one in model.pairs)

    def per_record(self, query: Query, n: int, bounds: Any) -> PerRecord:
        """Return what it promises about each of n records: ε at a δ, and δ at an ε.

        Needs public bounds, a mapping of column to (low, high), of every column whose numbers are
        used; see :func:`distpriv.privacy.persons.record_moves`, also for errors.
        """
        from distpriv.privacy.persons import per_record, record_moves

        moves = record_moves(query, n, bounds) if self.additive else np.zeros((0, len(query)))
        return per_record(self, moves)

    def to_frame(self, model: GaussianModel | None = None) -> pd.DataFrame:
        """Return expected absolute errors at the worse share, a row a statistic, in its unit.

        Without a model statistics have numbers from 1 on, and a release that adds no noise has a
        row a group instead: kept, how many records are used, and for how many they stand.
        """
        import pandas as pd

        if model is None and self.kept is not None:
            groups = {"records": ["without", "with"], "kept": self.kept}
            return pd.DataFrame(groups | {"stands_for": self.stands_for})
        if model is None and self.kind == "as it is":
            return pd.DataFrame({"statistic": [], "error": []})
        labels = range(1, self.width + 1) if model is None else model.query.labels
        errors = self.expected_absolute_errors(model)
        return pd.DataFrame({"statistic": labels, "error": errors})


def check_release(model: Any, *releases: Any) -> None:
    """Raise DistprivError for what is no model, no release, or one of other statistics."""
    if not isinstance(model, GaussianModel):
        kind = type(model).__name__
        raise DistprivError(f"A model is needed here, as fit_gaussian returns it, not {kind}.")
    for one in releases:
        if one is not None and not isinstance(one, Release):
            kind = type(one).__name__
            raise DistprivError(f"A release is needed here, as calibrate returns it, not {kind}.")
        if one is not None and one.width not in (0, len(model.query)):
            raise DistprivError(
                f"{one!r} is one of {one.width} statistics, and the model has "
                f"{len(model.query)}; calibrate it to this model."
            )


AS_IT_IS = Release()
"""The statistics themselves."""


def no_data(model: GaussianModel, reference: float | None = None) -> Release:
    """Return the release of what anybody expects at a public share, which takes no records.

    The share is the middle of the first pair's by default; outside 0 to 1 it is a DistprivError.
    """
    share = model.pairs[0].middle if reference is None else reference
    share = number("The reference share", share, 0, 1)
    return Release(
        "no data",
        kept=np.zeros(2),
        stands_for=model.n * np.array([1 - share, share]),
        promise=Promise(0.0, 0.0),
        reference=share,
    )


# ---------------------------------------------------------------- the joint law


def joint_law(
    model: GaussianModel, releases: Sequence[Release], pair: int = 0
) -> tuple[FloatArray, FloatArray]:
    """Compute the normal law of several releases of one table, at each share.

    Means are (2, u m), covariances (2, u m, u m). Exact for sums over the records; other statistics
    are estimated beside them, from simulated tables of a fixed seed. Laplace noise counts by its
    variance. DistprivError if a release keeps more records than a table has, or an empty group
    stands for some.
    """
    check_release(model, *releases)
    fitted, m = model.pair_at(pair), len(model.scales)
    noise = block_diag(*(one.total(m) for one in releases))
    if not model.exact and all(one.additive for one in releases):
        several = len(releases)
        return np.tile(fitted.means, several), np.tile(fitted.covariances, [several] * 2) + noise
    laws = []
    for counts in fitted.numbers:
        kept = np.array([counts if one.kept is None else one.kept for one in releases])
        total = np.array([counts if one.stands_for is None else one.stands_for for one in releases])
        if (kept > counts).any():
            raise DistprivError(
                f"{releases[int((kept > counts).any(axis=1).argmax())]!r} was made for another "
                "range or number of records, and keeps more than there are; calibrate it for this "
                "model."
            )
        if (kept.any(axis=1, keepdims=True) & (kept == 0) & (total > 0)).any():
            raise DistprivError("A group without kept records cannot stand for any.")
        laws.append(_law_of_kept(model, fitted.groups, kept, total))
    means, covariances = (np.array(part) for part in zip(*laws, strict=True))
    return means, covariances + noise


def _law_of_kept(
    model: GaussianModel, groups: Groups, kept: FloatArray, total: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return mean and covariance of the statistics of nested subsets, without noise."""
    if model.query.linear:
        sizes, single = groups.population(model.replacement)
        scaled = single * np.outer(model.scales, model.scales)
        return nested_moments(groups.means * model.scales, scaled, sizes, kept, total)
    laws = _ESTIMATED.setdefault(groups, {})
    key = model.query, kept.tobytes(), total.tobytes(), model.replacement
    if key not in laws:
        rng = np.random.default_rng(_SEED)
        law = estimated_law(model.query, groups, kept, total, model.replacement, rng)
        laws[key] = law.mean, law.covariance
    return laws[key]


# ---------------------------------------------------------------- errors


@dataclass(frozen=True, eq=False, repr=False)
class Error(Result):
    """Law of a release's error at each of the two shares: normal, and Laplace noise besides."""

    bias: FloatArray  # (2, m)
    covariances: FloatArray  # (2, m, m), of the normal part
    directions: FloatArray | None = None  # (m, r), not necessarily orthonormal
    scale: float = 0.0

    def __repr__(self) -> str:
        low, high = map(significant, self.rms)
        return plain(f"Error(root mean square {low} at the lower share, {high} at the higher)")

    def to_frame(self) -> pd.DataFrame:
        """Return expected absolute errors, a row a statistic: low and high, at either share."""
        import pandas as pd

        low, high = self.absolute
        return pd.DataFrame({"statistic": range(1, len(low) + 1), "low": low, "high": high})

    @property
    def rms(self) -> FloatArray:
        """Root of the mean squared L2 length, shape (2,)."""
        laplace = 0.0 if self.directions is None else 2 * self.scale**2 * (self.directions**2).sum()
        normal = np.trace(self.covariances, axis1=1, axis2=2).clip(0)
        return np.asarray(np.sqrt((self.bias**2).sum(axis=1) + normal + laplace))

    @property
    def length(self) -> FloatArray:
        """Expected L2 length, shape (2,), exact for normal noise.

        Laplace noise is normal noise of random size (Andrews & Mallows 1974), over which lengths
        are averaged, to 1e-3 along up to six directions; closed along orthonormal directions
        without normal noise.
        """
        if self.directions is None:
            return _normal_length(self.bias, self.covariances)
        r = self.directions.shape[1]
        square = self.directions.T @ self.directions
        alone = not self.covariances.any() and not self.bias.any()
        if alone and np.allclose(square, np.eye(r), atol=1e-9):
            inverse = np.exp(-_FINE_NODES / 2) / 2
            transform = (math.sqrt(math.pi) * inverse * special.erfcx(inverse)) ** r
            area = np.trapezoid((1 - transform) * np.exp(-_FINE_NODES / 2), _FINE_NODES)
            return np.full(2, self.scale * area / (2 * math.sqrt(math.pi)))
        variances, weights = _variances(r)
        length = np.zeros(2)
        for start in range(0, len(weights), _CASES):
            part = slice(start, start + _CASES)
            noise = self.scale**2 * np.einsum(
                "ik,nk,jk->nij", self.directions, variances[part], self.directions
            )
            for share in (0, 1):
                covariances = self.covariances[share] + noise
                biases = np.broadcast_to(self.bias[share], covariances.shape[:2])
                length[share] += weights[part] @ _normal_length(biases, covariances)
        return length

    @property
    def absolute(self) -> FloatArray:
        """Expected absolute error of each statistic in its unit, shape (2, m)."""
        deviation = np.sqrt(np.diagonal(self.covariances, axis1=1, axis2=2).clip(0))
        if self.directions is None:
            z = np.divide(self.bias, deviation, out=np.zeros_like(deviation), where=deviation > 0)
            density = np.exp(-(z**2) / 2) * math.sqrt(2 / math.pi)
            folded = deviation * density + self.bias * (1 - 2 * special.ndtr(-z))
            return np.where(deviation > 0, folded, np.abs(self.bias))
        along = [self.scale * np.abs(self.directions)] * 2  # (m, r)
        shares = zip(self.bias, deviation, along, strict=True)
        return np.array([list(map(_mean_absolute, *share)) for share in shares])


def _mean_absolute(bias: float, deviation: float, scales: FloatArray) -> float:
    """E|X| of a normal plus independent Laplace variables, (2/π) ∫ (1 − Re φ(t)) t⁻² dt."""
    spread = math.sqrt(deviation**2 + 2 * float((scales**2).sum()))
    if abs(bias) >= 30 * spread:
        return abs(bias)
    t = np.exp(_FINE_NODES) / math.hypot(bias, spread)
    transform = np.cos(bias * t) * np.exp(-((deviation * t) ** 2) / 2)
    transform = transform / np.prod(1 + np.outer(t, scales) ** 2, axis=1)
    return float(2 / math.pi * np.trapezoid((1 - transform) / t, _FINE_NODES))


def _normal_length(bias: FloatArray, covariances: FloatArray) -> FloatArray:
    """E‖Z‖ of normals, shape (K,): (1/(2√π)) ∫ (1 − E e^{−t‖Z‖²}) t^{−3/2} dt."""
    values, vectors = np.linalg.eigh(covariances)
    values = values.clip(0)
    along = np.einsum("kam,ka->km", vectors, bias) ** 2
    size = (values + along).sum(axis=1)
    size = np.where(size > 0, size, 1.0)
    t = np.exp(_LOG_NODES)[:, None, None] / size[:, None]
    spread = 1 + 2 * t * values
    missing = -np.expm1((-np.log(spread) / 2 - t * along / spread).sum(axis=2))
    integrand = missing * np.exp(-_LOG_NODES / 2)[:, None]
    area = np.trapezoid(integrand, _LOG_NODES, axis=0)
    return np.asarray(area * np.sqrt(size / math.pi) / 2)


def additive_sequence(count: int, r: int) -> FloatArray:
    """Return evenly spread points in the unit cube, (count, r): multiples of a vector, modulo 1."""
    root = 2.0  # of x^(r + 1) = x + 1
    for _ in range(60):
        root = (1 + root) ** (1 / (r + 1))
    return np.asarray((0.5 + np.outer(np.arange(1, count + 1), root ** -np.arange(1.0, r + 1))) % 1)


@lru_cache
def _variances(r: int) -> tuple[FloatArray, FloatArray]:
    """Return nodes (K, r) and weights (K,) for variances whose normals are Laplace of scale 1.

    The roots of variances have Rayleigh's law, in which lengths are smooth: Gauss's rule for it, by
    Stieltjes's procedure. In many dimensions an additive sequence and its mirror image.
    """
    if r > max(_NODES):
        points = additive_sequence(250, r)
        return -2 * np.log(np.vstack([points, 1 - points])), np.full(500, 1 / 500)
    x = np.linspace(0, 12, 4001)
    density = x * np.exp(-(x**2) / 2)
    before, now, norms = np.zeros_like(x), np.ones_like(x), [1.0]
    diagonal: list[float] = []
    for _ in range(_NODES[r]):
        norms.append(float(density @ now**2))
        diagonal.append(float(density @ (x * now**2)) / norms[-1])
        ratio = norms[-1] / norms[-2] if len(diagonal) > 1 else 0.0
        before, now = now, (x - diagonal[-1]) * now - ratio * before
    beside = np.sqrt(np.array(norms[2:]) / norms[1:-1])
    nodes, vectors = np.linalg.eigh(np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1))
    grid = np.meshgrid(*[nodes**2] * r, indexing="ij")
    across = np.meshgrid(*[vectors[0] ** 2] * r, indexing="ij")
    return np.stack(grid, -1).reshape(-1, r), np.prod(across, axis=0).ravel()


def release_error(model: GaussianModel, release: Release) -> Error:
    """Compute the law of a release less the statistics of all records, at a pair's two shares."""
    check_release(model, release)
    m = len(model.scales)
    if release.additive:
        return release._noise_error(m)
    means, covariances = joint_law(model, (AS_IT_IS, release))
    away = np.hstack([-np.eye(m), np.eye(m)])
    return Error(means @ away.T, away @ covariances @ away.T)


def best_estimate(
    model: GaussianModel, release: Release, pair: int = 0
) -> tuple[FloatArray, FloatArray, Error]:
    """Compute the best linear estimate of the statistics from a release, at even odds of shares.

    It is constant + slope @ release, (m,) and (m, m); the error is its own, at each share.
    """
    means, covariances = joint_law(model, (AS_IT_IS, release), pair)
    m = len(model.scales)
    centre = means.mean(axis=0)
    prior = covariances.mean(axis=0) + np.cov(means.T, bias=True)
    unit = deviations(prior)[m:]
    scales = np.outer(unit, unit)
    inverse = np.linalg.pinv(prior[m:, m:] / scales, hermitian=True, rcond=1e-12)
    slope = prior[:m, m:] @ (inverse / scales)
    constant = centre[:m] - slope @ centre[m:]
    # The variance of Laplace noise is in the law; the error keeps it apart.
    covariances[:, m:, m:] -= release.total(m) - release.normal(m)
    away = np.hstack([-np.eye(m), slope])
    directions = None if release.directions is None else slope @ release.directions
    error = Error((means - centre) @ away.T, away @ covariances @ away.T, directions, release.scale)
    return constant, slope, error
