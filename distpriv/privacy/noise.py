"""The noise a mechanism adds: how to draw it and how large it is, without simulation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from distpriv.arguments import POSITIVE, checked
from distpriv.errors import CalibrationError
from distpriv.model.gaussian import GaussianModel, PairModel
from distpriv.model.sampling import RandomState
from distpriv.privacy.calibrated_for import CalibratedFor
from distpriv.privacy.calibration import Calibration
from distpriv.privacy.noise_lengths import (
    absolute_sum,
    laplace_length,
    mixed_length,
    normal_length,
    skewed_length,
)
from distpriv.privacy.per_record import PerRecord, per_record
from distpriv.privacy.record_moves import RecordMoves, bounded_moves
from distpriv.privacy.smoothness import Covering, kinks, thetas
from distpriv.queries.statistics import Query
from distpriv.words import exact

__all__ = ["Noise", "check_answer", "check_units", "gaussian_noise", "smoothnesses"]

FloatArray = NDArray[np.float64]
Distribution = Literal["gaussian", "laplace"]

_ALIKE = 100.0  # times a deviation: no digits to speak of are lost
_RANK = 1e-13  # of the largest eigenvalue: what is less is rounding


@checked(CalibrationError)
@dataclass(frozen=True, eq=False)
class Noise:
    """Independent noise along several directions.

    Z = Σ_k scales_k ξ_k directions[:, k] with ξ_k standard normal, or Laplace of scale 1, and
    independent normal noise on every statistic besides: the floor that keeps arithmetic from
    subtracting the rest.

    Attributes
    ----------
    mechanism : str
        Short name of the mechanism it belongs to.
    distribution : "gaussian" or "laplace"
    directions : ndarray, shape (m, d)
        Independent columns of length 1, orthogonal unless units that differ have bent them;
        d = 0 is no noise at all.
    scales : ndarray, shape (d,)
        Standard deviations along the directions, or Laplace scales b.
    epsilon, delta : float
        The promise; δ = 0 for Laplace noise, except of approximate Wasserstein mechanisms.
    calibration : "exact-law", "guarded", "exact", "classical" or None
        None where there is no choice (Laplace noise, CoupM).
    caveats : tuple of str
        Why the promise may not hold as it stands; empty if it is proven under the mechanism's
        assumptions.
    floor : ndarray, shape (m,), or None
        Standard deviations of the floor, each >= 0; None for no floor.
    calibrated_for : CalibratedFor or None
        What :func:`distpriv.calibrate` was given, which releases, attacks and delivered figures
        hold it to; None where that is not known, or is not to be held.
    """

    mechanism: str
    distribution: Distribution
    directions: FloatArray
    scales: FloatArray
    epsilon: float
    delta: float
    calibration: Calibration | None = None
    caveats: tuple[str, ...] = ()
    floor: FloatArray | None = None
    calibrated_for: CalibratedFor | None = field(default=None, repr=False)

    @property
    def dimension(self) -> int:
        """m, the number of statistics."""
        return self.directions.shape[0]

    @property
    def is_zero(self) -> bool:
        """Whether nothing is added."""
        return not (self.scales.any() or self.floor_deviations.any())

    @property
    def floor_deviations(self) -> FloatArray:
        """Standard deviations of the floor, shape (m,); 0 where there is none."""
        return np.zeros(self.dimension) if self.floor is None else self.floor

    @property
    def covariance(self) -> FloatArray:
        """Covariance of the noise, shape (m, m)."""
        variances = self.scales**2 * (1 if self.distribution == "gaussian" else 2)
        covariance = (self.directions * variances) @ self.directions.T
        if self.floor is not None:
            covariance[np.diag_indices(self.dimension)] += self.floor**2
        return covariance

    def smoothness(self, model: GaussianModel | PairModel) -> float:
        """θ: by what factor 1 ± θ the grid shows in a release's density, for the worst pair.

        See :mod:`distpriv.privacy.smoothness`. Of Laplace noise along few directions only the floor
        counts; on every statistic it covers the grid as its kinks are small against the spread.

        Parameters
        ----------
        model : GaussianModel or PairModel
            Of the statistics that are released.

        Returns
        -------
        float >= 0
            ∞ where arithmetic undoes the noise; 0 for statistics that are on no grid.
        """
        return smoothnesses([(self, model)])[0]

    def leaves_bare(self, grid: FloatArray) -> bool:
        """Whether it leaves directions of statistics bare that move in steps, shape (m,).

        Arithmetic subtracts such noise, whatever law the statistics have.
        """
        if self.is_zero:
            return False
        spread = np.diag(self.covariance) + np.where(np.isfinite(grid), grid, 0.0) ** 2
        covered = self._covering(np.diag(spread + (spread == 0))[None], grid)
        return math.isinf(covered if isinstance(covered, float) else thetas([covered])[0])

    def _covering(self, covariances: FloatArray, grid: FloatArray) -> Covering | float:
        """What its smoothness follows from, or that."""
        factors = self.directions * self.scales
        if self.distribution == "laplace":
            if self.floor is None and np.count_nonzero(self.scales) == self.dimension:
                return kinks(factors, covariances.mean(axis=0), grid)
            factors = factors[:, :0]
        floor = self.floor_deviations
        # Whoever gives a floor for an unknown grid vouches that half a step is no more.
        steps = np.where(np.isnan(grid) & (floor > 0), 2 * floor, grid)
        return Covering(covariances, steps, factors, floor)

    def sample(self, size: int, rng: RandomState = None) -> FloatArray:
        """Draw noise vectors.

        Parameters
        ----------
        size : int
        rng : Generator, int or None
            None draws fresh entropy from the operating system.

        Returns
        -------
        ndarray, shape (size, m)
        """
        generator = np.random.default_rng(rng)
        shape = (size, len(self.scales))
        if self.distribution == "gaussian":
            drawn = generator.standard_normal(shape)
        else:
            drawn = generator.laplace(size=shape)
        noise = (drawn * self.scales) @ self.directions.T
        if self.floor is not None:
            noise += generator.standard_normal(noise.shape) * self.floor
        return noise

    def release(self, answer: ArrayLike, rng: RandomState = None) -> FloatArray:
        """Add one simulated draw of the noise to the true statistics.

        Not for a real release: :func:`distpriv.draw_release` draws with the operating system's
        random numbers, exactly, and rounds.

        Parameters
        ----------
        answer : array-like, shape (m,)
        rng : Generator, int or None

        Returns
        -------
        ndarray, shape (m,)

        Raises
        ------
        CalibrationError
            If the answer does not have one finite number a statistic.
        """
        return check_answer(answer, self.dimension) + self.sample(1, rng)[0]

    def after_releases(self, count: int) -> Noise:
        """Noise that is left when the same statistics are released `count` times.

        Independent Gaussian noises on the same true statistics average out: what all releases
        tell together is what one release with covariance S/count tells. The promise (ε, δ) is
        that of a single release still, and the result says so.

        Parameters
        ----------
        count : int, at least 1

        Raises
        ------
        CalibrationError
            If `count` is not a whole number from 1 on, or the noise is Laplace and there is
            more than one release: its average is not Laplace.
        """
        if count < 1 or count % 1:
            raise CalibrationError(
                f"The number of releases must be a whole number, at least 1, got {count}."
            )
        if count == 1 or self.is_zero:
            return self
        if self.distribution != "gaussian":
            raise CalibrationError(
                f"{self.mechanism} adds Laplace noise, whose average over {count} releases is not "
                "Laplace noise; take a Gaussian mechanism."
            )
        promise = (
            f"ε = {self.epsilon:g} and δ = {exact(self.delta)} are promised for one release only."
        )
        return replace(
            self,
            scales=self.scales / math.sqrt(count),
            floor=None if self.floor is None else self.floor / math.sqrt(count),
            caveats=(*self.caveats, promise),
        )

    def per_record(
        self, query: Query, *, n: int, bounds: Mapping[str, tuple[float, float]] | None = None
    ) -> PerRecord:
        """What it promises about each of the n records that a query is computed from.

        Bounds have to hold the records of the model that it was calibrated to, if any. Other
        parameters and errors are those of :func:`.bounded_moves`.
        """
        known = self.calibrated_for
        records = None if known is None else known.record_ranges
        return self.against(bounded_moves(query, n, bounds or {}, records))

    def against(self, moves: RecordMoves) -> PerRecord:
        """The same for known moves of one record; of Laplace noise the better of two bounds."""
        laplace = self.distribution == "laplace"
        factors = self.directions * self.scales
        return per_record(moves, self.floor_deviations, factors, laplace=laplace)

    def in_order(self, order: Sequence[int]) -> Noise:
        """The same noise with the statistics in another order, a permutation of theirs."""
        floor = None if self.floor is None else self.floor[list(order)]
        known = self.calibrated_for
        return replace(
            self,
            directions=self.directions[list(order)],
            floor=floor,
            calibrated_for=None if known is None else known.in_order(order),
        )

    def detached(self) -> Noise:
        """The same noise without what it was calibrated for, to be put to something else."""
        return replace(self, calibrated_for=None)

    def in_units(self, units: ArrayLike) -> Noise:
        """The same noise with each statistic divided by a unit.

        What it was calibrated for is in the statistics' own units, and left out.

        Parameters
        ----------
        units : array-like, shape (m,), each > 0

        Raises
        ------
        CalibrationError
            If there is not one positive number a statistic.
        """
        sizes = check_units(units, self.dimension)
        moved = self.directions / sizes[:, None]
        lengths = np.linalg.norm(moved, axis=0)
        floor = None if self.floor is None else self.floor / sizes
        return replace(
            self.detached(), directions=moved / lengths, scales=self.scales * lengths, floor=floor
        )

    def expected_error(self) -> float:
        r"""Expected L2 norm of the noise, E‖Z‖, by quadrature (no simulation).

        :math:`E\|Z\| = \frac{1}{2\sqrt\pi}\int_0^\infty (1 - E e^{-t\|Z\|^2})\,t^{-3/2}\,dt`;
        σ√(2/π), or b, in one dimension. Laplace noise along directions that are not orthogonal
        has no such transform: there E‖Z‖ is √π Γ((d+1)/2)/Γ(d/2) times the mean of E|uᵀZ| over
        the unit sphere of the span, taken over 512 Sobol' points (to about 1e-3). Laplace noise
        with a floor is a mixture of normals over its variance (Andrews & Mallows 1974), whose mean
        is taken by a Gauss rule along one direction and over Sobol' points along several.
        """
        kept = self.scales > 0
        if self.distribution == "gaussian" or not kept.any():
            return normal_length(np.linalg.eigvalsh(self.covariance).clip(0))
        if self.floor is not None:
            return mixed_length(self.directions * self.scales, self.floor)
        if not self._orthogonal:
            return skewed_length(self.directions * self.scales)
        return laplace_length(self.scales[kept])

    @property
    def _orthogonal(self) -> bool:
        gram = self.directions.T @ self.directions
        return bool(np.abs(gram - np.eye(len(gram))).max(initial=0.0) < 1e-9)

    def expected_absolute_errors(self) -> FloatArray:
        """Expected absolute error of each statistic, E|Z_i|, in its own unit, shape (m,)."""
        if self.distribution == "gaussian" or not self.scales.any():
            return np.sqrt(np.diag(self.covariance)) * math.sqrt(2 / math.pi)
        return np.array(
            [
                absolute_sum(row * self.scales, deviation)
                for row, deviation in zip(self.directions, self.floor_deviations, strict=True)
            ]
        )

    def rms_error(self) -> float:
        """Root mean square of the L2 error, √(tr Cov Z)."""
        return math.sqrt(float(np.trace(self.covariance)))


def gaussian_noise(
    mechanism: str,
    covariance: FloatArray,
    *,
    epsilon: float,
    delta: float,
    calibration: Calibration | None = None,
    caveats: tuple[str, ...] = (),
) -> Noise:
    """Gaussian noise with a given covariance, shape (m, m), positive semidefinite.

    Along its eigenvectors. Where some statistics have far more of it than others it is those in
    units of each one's own noise, so that none is lost to rounding, and they are not orthogonal.
    """
    own = np.sqrt(np.diag(covariance).clip(0.0))
    present = own[own > 0]
    alike = not present.size or present.max() <= _ALIKE * present.min()
    units = np.ones(len(own)) if alike else np.where(own > 0, own, 1.0)
    values, vectors = np.linalg.eigh(covariance / np.outer(units, units))
    kept = values > _RANK * max(float(values[-1]), 0.0)
    factors = units[:, None] * vectors[:, kept] * np.sqrt(values[kept])
    lengths = np.linalg.norm(factors, axis=0)
    return Noise(
        mechanism=mechanism,
        distribution="gaussian",
        directions=factors / lengths,
        scales=lengths,
        epsilon=epsilon,
        delta=delta,
        calibration=calibration,
        caveats=caveats,
    )


def smoothnesses(cases: Sequence[tuple[Noise, GaussianModel | PairModel]]) -> list[float]:
    """:meth:`Noise.smoothness` of many noises, each on a model; faster than one by one."""
    values = [0.0] * len(cases)
    asked: list[tuple[int, Covering]] = []
    for index, (noise, model) in enumerate(cases):
        for fit in model.pairs if isinstance(model, GaussianModel) else (model,):
            covered = noise._covering(fit.coset_covariances, fit.grid)
            if isinstance(covered, float):
                values[index] = max(values[index], covered)
            else:
                asked.append((index, covered))
    for (index, _), theta in zip(asked, thetas([covering for _, covering in asked]), strict=True):
        values[index] = max(values[index], theta)
    return values


def check_answer(answer: ArrayLike, dimension: int) -> FloatArray:
    """Return m finite numbers as an array, or raise `CalibrationError`."""
    values = np.asarray(answer, dtype=np.float64)
    if values.shape != (dimension,) or not np.isfinite(values).all():
        raise CalibrationError(
            f"The answer must be {dimension} finite numbers, one a statistic, "
            f"got shape {values.shape}."
        )
    return values


def check_units(units: ArrayLike, dimension: int, what: str = "units") -> FloatArray:
    """Return m positive numbers as an array, or raise `CalibrationError`."""
    sizes = np.asarray(units, dtype=np.float64)
    if sizes.shape != (dimension,) or sizes not in POSITIVE:
        raise CalibrationError(
            f"The {what} must be {dimension} positive numbers, one a statistic, none beyond "
            f"{POSITIVE.low:g} or {POSITIVE.high:g}, got "
            f"{np.array2string(sizes, precision=3, threshold=8)}."
        )
    return sizes
