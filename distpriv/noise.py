"""The noise a mechanism adds: how to draw it and how large it is, without simulation."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import erfcx, ndtri
from scipy.stats import qmc

from distpriv.calibration import Calibration
from distpriv.errors import CalibrationError
from distpriv.sampling import RandomState

__all__ = ["Noise", "check_units", "gaussian_noise"]

FloatArray = NDArray[np.float64]
Distribution = Literal["gaussian", "laplace"]

# E‖Z‖ is an integral over u = ln t whose integrand falls like e^{-|u|/2} at both ends and is
# analytic, so that the trapezoidal rule converges exponentially.
_U = np.linspace(-64.0, 64.0, 1025)
_HALF = np.exp(-_U / 2) * (_U[1] - _U[0]) / (2 * math.sqrt(math.pi))
_T = np.exp(_U)


@dataclass(frozen=True, eq=False)
class Noise:
    """Independent noise along several directions.

    Z = Σ_k scales_k ξ_k directions[:, k] with ξ_k standard normal, or Laplace of scale 1.

    Attributes
    ----------
    mechanism : str
        Short name of the mechanism it belongs to.
    distribution : "gaussian" or "laplace"
    directions : ndarray, shape (m, d)
        Independent columns of length 1, orthogonal unless a change of units has bent the
        directions of Laplace noise; d = 0 is no noise at all.
    scales : ndarray, shape (d,)
        Standard deviations along the directions, or Laplace scales b.
    epsilon, delta : float
        The promise; δ = 0 for Laplace noise, except of approximate Wasserstein mechanisms.
    calibration : "exact", "classical", "guarded" or None
        None where there is no choice (Laplace noise).
    caveats : tuple of str
        Why the promise may not hold as it stands; empty if it is proven under the mechanism's
        assumptions.
    """

    mechanism: str
    distribution: Distribution
    directions: FloatArray
    scales: FloatArray
    epsilon: float
    delta: float
    calibration: Calibration | None = None
    caveats: tuple[str, ...] = ()

    @property
    def dimension(self) -> int:
        """m, the number of statistics."""
        return self.directions.shape[0]

    @property
    def is_zero(self) -> bool:
        """Whether nothing is added."""
        return not self.scales.any()

    @property
    def covariance(self) -> FloatArray:
        """Covariance of the noise, shape (m, m)."""
        variances = self.scales**2 * (1 if self.distribution == "gaussian" else 2)
        return (self.directions * variances) @ self.directions.T

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
        return (drawn * self.scales) @ self.directions.T

    def release(self, answer: ArrayLike, rng: RandomState = None) -> FloatArray:
        """Add one draw of the noise to the true statistics.

        Parameters
        ----------
        answer : array-like, shape (m,)
        rng : Generator, int or None
            Leave it out for a real release: a seed would give the noise away.

        Returns
        -------
        ndarray, shape (m,)

        Raises
        ------
        CalibrationError
            If the answer does not have one finite number a statistic.
        """
        values = np.asarray(answer, dtype=np.float64)
        if values.shape != (self.dimension,) or not np.isfinite(values).all():
            raise CalibrationError(
                f"The answer must be {self.dimension} finite numbers, one a statistic, "
                f"got shape {values.shape}."
            )
        return values + self.sample(1, rng)[0]

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
        promise = f"ε = {self.epsilon:g} and δ = {self.delta:g} are promised for one release only."
        return replace(
            self, scales=self.scales / math.sqrt(count), caveats=(*self.caveats, promise)
        )

    def in_units(self, units: ArrayLike) -> Noise:
        """The same noise with each statistic divided by a unit.

        Parameters
        ----------
        units : array-like, shape (m,), each > 0

        Raises
        ------
        CalibrationError
            If there is not one positive number a statistic.
        """
        moved = self.directions / check_units(units, self.dimension)[:, None]
        if self.distribution == "gaussian":
            vectors, scales, _ = np.linalg.svd(moved * self.scales, full_matrices=False)
            return replace(self, directions=vectors, scales=scales)
        lengths = np.linalg.norm(moved, axis=0)
        return replace(self, directions=moved / lengths, scales=self.scales * lengths)

    def expected_error(self) -> float:
        r"""Expected L2 norm of the noise, E‖Z‖, by quadrature (no simulation).

        :math:`E\|Z\| = \frac{1}{2\sqrt\pi}\int_0^\infty (1 - E e^{-t\|Z\|^2})\,t^{-3/2}\,dt`;
        σ√(2/π), or b, in one dimension. Laplace noise along directions that are not orthogonal
        has no such transform: there E‖Z‖ is √π Γ((d+1)/2)/Γ(d/2) times the mean of E|uᵀZ| over
        the unit sphere of the span, taken over 512 Sobol' points (to about 1e-3).
        """
        if self.distribution == "laplace" and not self._orthogonal:
            return _mean_length(self.directions * self.scales)
        scales = self.scales[self.scales > 0]
        if not scales.size:
            return 0.0
        if scales.size == 1:
            return float(_absolute(self.distribution, scales[0]))
        largest = float(scales.max())
        relative = scales / largest
        if self.distribution == "gaussian":
            log_transform = -0.5 * np.log1p(2 * np.outer(relative**2, _T)).sum(axis=0)
        else:
            unique, multiplicity = np.unique(relative, return_counts=True)
            log_transform = multiplicity @ _log_laplace_transform(unique)
        return float(largest * (_HALF @ -np.expm1(log_transform)))

    @property
    def _orthogonal(self) -> bool:
        gram = self.directions.T @ self.directions
        return bool(np.abs(gram - np.eye(len(gram))).max(initial=0.0) < 1e-9)

    def expected_absolute_errors(self) -> FloatArray:
        """Expected absolute error of each statistic, E|Z_i|, in its own unit, shape (m,)."""
        if self.distribution == "gaussian":
            return np.sqrt(np.diag(self.covariance)) * math.sqrt(2 / math.pi)
        return np.array([_absolute_laplace_sum(row * self.scales) for row in self.directions])

    def rms_error(self) -> float:
        """Root mean square of the L2 error, √(tr Cov Z)."""
        return math.sqrt(float(np.trace(self.covariance)))


def gaussian_noise(
    mechanism: str,
    covariance: FloatArray,
    *,
    epsilon: float,
    delta: float,
    calibration: Calibration,
    caveats: tuple[str, ...] = (),
) -> Noise:
    """Gaussian noise with a given covariance, shape (m, m), positive semidefinite."""
    eigenvalues, eigenvectors = np.linalg.eigh(covariance)
    kept = eigenvalues > 1e-13 * max(float(eigenvalues[-1]), 0.0)
    return Noise(
        mechanism=mechanism,
        distribution="gaussian",
        directions=eigenvectors[:, kept],
        scales=np.sqrt(eigenvalues[kept]),
        epsilon=epsilon,
        delta=delta,
        calibration=calibration,
        caveats=caveats,
    )


def check_units(units: ArrayLike, dimension: int) -> FloatArray:
    """Return m positive numbers as an array, or raise `CalibrationError`."""
    sizes = np.asarray(units, dtype=np.float64)
    if sizes.shape != (dimension,) or not (np.isfinite(sizes).all() and (sizes > 0).all()):
        raise CalibrationError(
            f"The units must be {dimension} positive numbers, one a statistic, got "
            f"{np.array2string(sizes, precision=3, threshold=8)}."
        )
    return sizes


def _mean_length(factors: FloatArray) -> float:
    """E‖factors ξ‖ for independent standard Laplace ξ, shape (m, d) with independent columns."""
    root = np.linalg.qr(factors, mode="r")
    size = len(root)
    points = qmc.Sobol(size, scramble=True, rng=0).random_base2(9)
    normal = ndtri(points)
    sphere = normal / np.linalg.norm(normal, axis=1, keepdims=True)
    mean = float(np.mean([_absolute_laplace_sum(row) for row in sphere @ root]))
    ratio = math.exp(math.lgamma((size + 1) / 2) - math.lgamma(size / 2))
    return math.sqrt(math.pi) * ratio * mean


def _absolute(distribution: Distribution, scale: float) -> float:
    """E|ξ| of one coordinate."""
    return float(scale * (math.sqrt(2 / math.pi) if distribution == "gaussian" else 1.0))


def _log_laplace_transform(scales: FloatArray) -> FloatArray:
    """log E exp(−t Y²) on the quadrature grid for Y ~ Lap(b), shape (len(scales), grid).

    E exp(−tY²) = √π x erfcx(x) with x = 1/(2b√t); where x is large the difference from 1 would
    cancel, and the asymptotic series of erfcx takes over.
    """
    x = 1 / (2 * np.outer(scales, np.sqrt(_T)))
    large = x > 30
    squared = np.where(large, x, 30.0) ** -2
    series = squared * (-1 / 2 + squared * (3 / 4 + squared * (-15 / 8 + squared * 105 / 16)))
    direct = math.sqrt(math.pi) * np.where(large, 1.0, x) * erfcx(np.where(large, 1.0, x))
    return np.where(large, np.log1p(series), np.log(direct))


def _absolute_laplace_sum(scales: FloatArray) -> float:
    r"""E|Σ_k a_k ξ_k| for independent standard Laplace ξ_k.

    :math:`E|X| = \frac{2}{\pi}\int_0^\infty (1 - \varphi_X(t))\,t^{-2}\,dt` with
    :math:`\varphi_X(t) = \prod_k (1 + a_k^2 t^2)^{-1}`.
    """
    present = np.abs(scales[scales != 0])
    if present.size <= 1:
        return float(present.sum())
    largest = float(present.max())
    log_transform = -np.log1p(np.outer((present / largest) ** 2, _T**2)).sum(axis=0)
    # The integrand falls like e^{-|u|} here, so the grid is wider than it needs to be.
    step = _U[1] - _U[0]
    return float(largest * 2 / math.pi * step * (np.exp(-_U) @ -np.expm1(log_transform)))
