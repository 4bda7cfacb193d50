"""What is assumed of the data: Θ as a box of parameters (Zhang et al. 2022, Section 4.2)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from distpriv.arguments import MODERATE, checked
from distpriv.attribute.gaussian import AttributeGaussian, attribute_private_gaussian
from distpriv.errors import AttributePrivacyError
from distpriv.privacy.calibration import Calibration

__all__ = ["AttributeAssumption", "GaussianBox", "noise_by_release"]

Range = tuple[float, float]


def _check_range(ends: Range, name: str, least: float = -math.inf) -> None:
    low, high = ends
    if low not in MODERATE or high not in MODERATE:
        raise AttributePrivacyError(
            f"{name} is not a finite number, or beyond {MODERATE.high:g}; give both ends of its "
            f"range, got {low:g} and {high:g}."
        )
    if low > high:
        raise AttributePrivacyError(
            f"{name} runs from {low:g} to {high:g}; give the lower end first."
        )
    if low < least:
        raise AttributePrivacyError(f"{name} cannot be below {least:g}, got {low:g}.")


def _check_size(diameter: float, n: float, where: str) -> None:
    if not 0 <= diameter < math.inf:
        raise AttributePrivacyError(
            f"The distance of the secrets{where} must be a number from 0 on, got {diameter:g}."
        )
    if not (n >= 1 and n % 1 == 0):
        raise AttributePrivacyError(
            f"The number of records{where} must be a whole number from 1 on, got {n:g}."
        )


def _farthest(ends: Range) -> float:
    return max(abs(ends[0]), abs(ends[1]))


def _nearest(ends: Range) -> float:
    return 0.0 if ends[0] <= 0 <= ends[1] else min(abs(ends[0]), abs(ends[1]))


@checked(AttributePrivacyError)
@dataclass(frozen=True)
class GaussianBox:
    """Averages of n jointly normal records: how a protected average moves a released one.

    Given that the protected average is a, the released one is N(μ_j + (V_ij/V_ii)(a − μ_i),
    (V_jj − V_ij²/V_ii)/n) (Zhang et al. 2022, Section 4.2). The means do not matter.

    Attributes
    ----------
    covariance : tuple of (lowest, highest)
        V_ij, of the protected and the released attribute in a record.
    protected_variance, released_variance : tuple of (lowest, highest)
        V_ii > 0 and V_jj.
    diameter : float >= 0
        d(U), the largest distance of two values of the protected average to be hidden.
    n : int
        Records.

    Raises
    ------
    AttributePrivacyError
        If a range is not one, or a corner of the box is no covariance matrix.
    """

    covariance: Range
    protected_variance: Range
    released_variance: Range
    diameter: float
    n: int

    def __post_init__(self) -> None:
        _check_range(self.covariance, "The covariance V_ij")
        _check_range(self.protected_variance, "The protected variance V_ii", 0.0)
        _check_range(self.released_variance, "The released variance V_jj", 0.0)
        _check_size(self.diameter, self.n, "")
        if not self.protected_variance[0] > 0:
            raise AttributePrivacyError("The protected variance V_ii must be positive, got 0.")
        covariance, protected = _farthest(self.covariance), self.protected_variance[0]
        released = self.released_variance[0]
        if covariance**2 > protected * released * (1 + 1e-12):
            raise AttributePrivacyError(
                f"With V_ij = {covariance:g}, V_ii = {protected:g} and V_jj = {released:g} the "
                "correlation is above 1; narrow the ranges so that V_ij² ≤ V_ii·V_jj throughout."
            )

    @property
    def sensitivity(self) -> float:
        """Δ_i F = max |V_ij|/V_ii · d(U), over the box."""
        return _farthest(self.covariance) / self.protected_variance[0] * self.diameter

    @property
    def variance(self) -> float:
        """min (V_jj − V_ij²/V_ii)/n, over the box."""
        explained = _farthest(self.covariance) ** 2 / self.protected_variance[0]
        return max(self.released_variance[0] - explained, 0.0) / self.n


@checked(AttributePrivacyError)
@dataclass(frozen=True)
class AttributeAssumption:
    """How one released average depends on one protected share, for all that is thought possible.

    Records with the attribute differ from the others by ``difference`` on average, in the
    released quantity itself or in one that it follows with the given ``slope``; around that the
    released quantity varies by ``deviation``. So V_ij/V_ii = slope · difference in Section 4.2
    of Zhang et al. (2022).

    Attributes
    ----------
    release, unit : str
        The released average.
    protected : str
        The share to hide.
    slope, difference : tuple of (lowest, highest)
    deviation : tuple of (lowest, highest)
        Standard deviation of a record given the protected attribute, >= 0.
    diameter : float >= 0
        d(U), the largest distance of two shares to be hidden from each other.
    n : int
        Records.
    paper_error : float or None
        Mean absolute error that a paper reports.

    Raises
    ------
    AttributePrivacyError
        If a value makes no sense; the release is named.
    """

    release: str
    unit: str
    protected: str
    slope: Range
    difference: Range
    deviation: Range
    diameter: float
    n: int
    paper_error: float | None = None

    def __post_init__(self) -> None:
        if not self.release.strip() or not self.protected.strip():
            raise AttributePrivacyError(
                "Every row needs the name of a release and of what it hides."
            )
        where = f" of {self.release!r}"
        _check_range(self.slope, f"The slope{where}")
        _check_range(self.difference, f"The difference{where}")
        _check_range(self.deviation, f"The standard deviation{where}", 0.0)
        _check_size(self.diameter, self.n, where)

    @property
    def sensitivity(self) -> float:
        """Δ F = max |slope| · max |difference| · d(U)."""
        return _farthest(self.slope) * _farthest(self.difference) * self.diameter

    @property
    def variance(self) -> float:
        """min deviation²/n."""
        return _nearest(self.deviation) ** 2 / self.n


@checked(AttributePrivacyError)
def noise_by_release(
    assumptions: Iterable[AttributeAssumption],
    epsilon: float,
    delta: float,
    calibration: Calibration = "exact",
) -> dict[str, AttributeGaussian]:
    """Noise of every release, each hiding all the shares that it has an assumption about.

    Each release has the promise (ε, δ) for itself; several together promise less.

    Parameters
    ----------
    assumptions : iterable of AttributeAssumption
    epsilon, delta, calibration
        As for :func:`attribute_private_gaussian`.

    Returns
    -------
    dict of release to AttributeGaussian

    Raises
    ------
    AttributePrivacyError
        If there is no assumption, or two about the same release and share.
    CalibrationError
        If ε, δ or the calibration is outside its domain.
    """
    releases: dict[str, list[AttributeAssumption]] = {}
    for entry in assumptions:
        known = releases.setdefault(entry.release, [])
        if any(other.protected == entry.protected for other in known):
            raise AttributePrivacyError(
                f"There are two rows about {entry.release!r} and {entry.protected!r}; keep one."
            )
        known.append(entry)
    if not releases:
        raise AttributePrivacyError("There is nothing to release; give at least one row.")
    return {
        release: attribute_private_gaussian(
            [row.sensitivity for row in rows],
            [row.variance for row in rows],
            epsilon,
            delta,
            calibration,
        )
        for release, rows in releases.items()
    }
