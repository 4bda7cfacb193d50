"""Gaussian noise that hides attributes of a dataset (Zhang et al. 2022, Section 4)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import ndtri

from distpriv.arrays import FloatArray, number, numbers
from distpriv.display import Result
from distpriv.errors import DistprivError
from distpriv.mechanisms.gaussian import classical_distance
from distpriv.privacy.loss import normal_distance
from distpriv.text import one_of

__all__ = ["Assumption", "AttributeNoise", "attribute_private_gaussian", "noise_by_release"]

Range = tuple[float, float]
Calibration = Literal["exact", "classical"]


@dataclass(frozen=True, eq=False, repr=False)
class AttributeNoise(Result):
    """Noise N(0, σ²) on each statistic that hides every protected attribute of a dataset.

    Attributes
    ----------
    sensitivities, variances : ndarray, shape (k,)
        Δ_i F, the largest over Θ, and the least variance of the query given the attribute.
    needed : ndarray, shape (k,)
        Variance, the query's and added, that hides the attribute: (Δ_i/μ)².

    Examples
    --------
    >>> noise = dp.attribute_private_gaussian([6.125, 2.0], [4.5, 1.0], epsilon=1, delta=1e-3)
    >>> noise.to_frame().round(1)
       sensitivity  variance  needed  noise
    0          6.1       4.5   248.7  244.2
    1          2.0       1.0    26.5   25.5
    """

    sensitivities: FloatArray
    variances: FloatArray
    needed: FloatArray

    def __repr__(self) -> str:
        error = f"error {self.expected_absolute_error:.4g} on average"
        return f"AttributeNoise(σ² = {self.variance:.4g}, {error})"

    def to_frame(self) -> pd.DataFrame:
        """Return a row an attribute: sensitivity, variance, needed, and the noise it asks for."""
        columns = {"sensitivity": self.sensitivities, "variance": self.variances}
        noise = (self.needed - self.variances).clip(0)
        return pd.DataFrame(columns | {"needed": self.needed, "noise": noise})

    @property
    def variance(self) -> float:
        """σ², the largest of needed − variances, at least 0."""
        return max(float((self.needed - self.variances).max()), 0.0)

    @property
    def binding(self) -> int:
        """Place of the protected attribute that asks for the most noise."""
        return int((self.needed - self.variances).argmax())

    @property
    def expected_absolute_error(self) -> float:
        """E|Z| = σ √(2/π)."""
        return math.sqrt(self.variance * 2 / math.pi)

    def accuracy(self, beta: float) -> float:
        """Return α = σ Φ⁻¹(1 − β/2): the noise is larger with the probability β (Theorem 2).

        β is above 0 and at most 1.
        """
        number("β", beta, 0, 1, above=True)
        return -math.sqrt(self.variance) * float(ndtri(beta / 2))


def attribute_private_gaussian(
    sensitivities: ArrayLike,
    variances: ArrayLike,
    epsilon: float,
    delta: float,
    calibration: Calibration = "exact",
) -> AttributeNoise:
    r"""Compute the Gaussian noise that hides protected attributes of a dataset, one entry for each.

    Algorithm 1: :math:`\sigma^2 = \max_i\,(c\,\Delta_iF/\varepsilon)^2 - \min_\theta
    \mathrm{Var}(F \mid g_i, \theta)`, at least 0. For a query of m statistics Δ is an L2 distance
    and the least eigenvalue of the conditional covariance stands for the variance. It holds where
    the query is normal given the attribute, with a variance that does not depend on its value, and
    has a density; for fitted tables the mechanism "APGM" keeps its promise whatever the covariances
    and on the grid.

    For the temperature of Section 4.2 the paper adds no noise; Algorithm 1 asks for σ² = 0.00022
    (erratum 6). Under the exact calibration none is needed.

    Parameters
    ----------
    sensitivities : array_like, shape (k,) or (k, t)
        Δ_i F of each protected attribute, for each of the t distributions of Θ if there are
        several.
    variances : array_like, shape (k,), (k, t), (k, m, m) or (k, t, m, m)
        Variance or covariance of the query given the attribute.
    epsilon, delta : float
        Above 0, δ below 1.
    calibration : {"exact", "classical"}
        *classical* is the paper's, proven for ε <= 1. DistprivError if a number is out of its
        domain, or the shapes do not fit.

    Examples
    --------
    >>> dp.attribute_private_gaussian([6.125], [4.5], epsilon=1.0, delta=1e-3)
    AttributeNoise(σ² = 244.2, error 12.47 on average)
    """
    number("ε", epsilon, 0, above=True)
    number("δ", delta, 0, 1, above=True, below=True)
    one_of("calibration", calibration, ("exact", "classical"))
    shifts = numbers("A sensitivity", sensitivities, 0)
    spreads: FloatArray = numbers("A variance", variances)
    if spreads.ndim > 2 and spreads.shape[-1] != spreads.shape[-2]:
        raise DistprivError(f"Covariances are squares, not of shape {spreads.shape[-2:]}.")
    if spreads.ndim > 2:
        spreads = np.asarray(np.linalg.eigvalsh(spreads)[..., 0], dtype=np.float64)
        spreads = np.where(spreads > -1e-12, spreads.clip(min=0), spreads)
    if not shifts.size or not 0 < shifts.ndim < 3 or shifts.shape[:1] != spreads.shape[:1]:
        raise DistprivError(
            "Give one sensitivity and one variance for each protected attribute, for example "
            f"sensitivities=[6.125] and variances=[4.5]; these have the shapes {shifts.shape} and "
            f"{spreads.shape}."
        )
    numbers("A variance", spreads, 0)
    largest = shifts.reshape(len(shifts), -1).max(axis=1)
    smallest = spreads.reshape(len(spreads), -1).min(axis=1)
    distance = normal_distance if calibration == "exact" else classical_distance
    mu = float(distance(np.asarray(epsilon, float), np.asarray(delta, float)))
    return AttributeNoise(largest, smallest, (largest / mu) ** 2)


@dataclass(frozen=True)
class Assumption:
    """How the released average of n records depends on a protected share, within what is possible.

    Given that the share is a, the average is N(μ_j + (V_ij/V_ii)(a − μ_i), (V_jj − V_ij²/V_ii)/n)
    (Section 4.2): records with the attribute differ from the others by V_ij/V_ii on average, and
    vary by a deviation around that. DistprivError if a range does not run upwards, or a number is
    out of its domain.

    Attributes
    ----------
    release, protected : str
    difference, deviation : (lowest, highest)
        Of V_ij/V_ii, and of the deviation.
    diameter : float
        d(U), the largest distance of two shares to be hidden from each other. The hospital's
        secrets reach 0.5, and the paper computes with 0.25 (erratum 11).
    n : int

    Examples
    --------
    >>> about = dp.attribute.Assumption("income", "women", (-8, -6), (20, 25), 0.25, n=100)
    >>> about.sensitivity, about.variance
    (2.0, 4.0)
    """

    release: str
    protected: str
    difference: Range
    deviation: Range
    diameter: float
    n: float

    def __post_init__(self) -> None:
        of = f" of {self.release!r}"
        for name, ends in (("difference", self.difference), ("deviation", self.deviation)):
            if np.shape(numbers(f"An end of the {name}{of}", ends)) != (2,):
                raise DistprivError(f"The {name}{of} has a lower and an upper end, not {ends!r}.")
            low, high = ends
            if not -1e100 < low <= high < 1e100 or (name == "deviation" and low < 0):
                raise DistprivError(
                    f"The {name}{of} must run from its lower to its upper end, not from {low:g} to "
                    f"{high:g}."
                )
        number(f"The distance of the secrets{of}", self.diameter)
        number(f"The number of records{of}", self.n)
        if self.diameter < 0 or self.n < 1 or self.n % 1:
            raise DistprivError(
                f"The distance of the secrets{of} must be a number from 0 on, and the records a "
                f"whole number from 1 on, not {self.diameter:g} and {self.n:g}."
            )

    @classmethod
    def of_gaussian(
        cls,
        release: str,
        protected: str,
        covariance: Range,
        protected_variance: Range,
        released_variance: Range,
        diameter: float,
        n: int,
    ) -> Assumption:
        """Return the assumption that ranges of V_ij, V_ii and V_jj of normal records mean.

        DistprivError if they allow a correlation above 1.
        """
        size, least = max(map(abs, covariance)), protected_variance[0]
        rest = released_variance[0] - size**2 / least if least > 0 else -1.0
        if rest < -1e-12 * abs(released_variance[0]):
            raise DistprivError(
                f"With V_ij = {size:g}, V_ii = {least:g} and V_jj = {released_variance[0]:g} the "
                "correlation is above 1; narrow the ranges so that V_ij² <= V_ii V_jj throughout."
            )
        deviation = math.sqrt(max(rest, 0.0))
        ends = (-size / least, size / least)
        return cls(release, protected, ends, (deviation, deviation), diameter, n)

    @property
    def sensitivity(self) -> float:
        """ΔF, the largest |V_ij/V_ii| times d(U)."""
        return max(map(abs, self.difference)) * self.diameter

    @property
    def variance(self) -> float:
        """The least variance of the average."""
        return self.deviation[0] ** 2 / self.n


def noise_by_release(
    assumptions: Iterable[Assumption],
    epsilon: float,
    delta: float,
    calibration: Calibration = "exact",
) -> pd.DataFrame:
    """Compute the noise of every release, which hides all shares that it has an assumption about.

    Each release has the promise for itself, ε above 0 and δ above 0 and below 1; several together
    promise less. Columns, by release, are sensitivity, variance, own (which fraction of the needed
    variance that is, at most 1), noise (σ²), error (E|Z|) and protected, of the share that asks for
    the most noise. DistprivError if there is no assumption, or two about one release and share.

    Examples
    --------
    >>> about = dp.attribute.Assumption("income", "women", (-8, -6), (20, 25), 0.25, n=100)
    >>> dp.attribute.noise_by_release([about], 1.0, 1e-3)[["noise", "error"]].round(2)
             noise  error
    release
    income   22.52   3.79
    """
    every = [assumptions] if isinstance(assumptions, Assumption) else list(assumptions)
    if not all(isinstance(one, Assumption) for one in every):
        raise DistprivError("What noise_by_release takes are Assumptions, one for each release.")
    if not every or len({(one.release, one.protected) for one in every}) < len(every):
        raise DistprivError("Give at least one assumption, and one for each release and share.")
    rows = {}
    for name in dict.fromkeys(one.release for one in every):
        some = [one for one in every if one.release == name]
        shifts, spreads = [one.sensitivity for one in some], [one.variance for one in some]
        noise = attribute_private_gaussian(shifts, spreads, epsilon, delta, calibration)
        at, error = noise.binding, noise.expected_absolute_error
        fraction = spreads[at] / noise.needed[at] if noise.variance else 1.0
        rows[name] = (shifts[at], spreads[at], fraction, noise.variance, error, some[at].protected)
    columns = ["sensitivity", "variance", "own", "noise", "error", "protected"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("release")
