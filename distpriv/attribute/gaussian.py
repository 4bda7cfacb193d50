"""The attribute-private Gaussian mechanism for datasets (Zhang et al. 2022, Section 4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from distpriv.arguments import checked
from distpriv.attribute.guarded import guarded_variance
from distpriv.errors import AttributePrivacyError, CalibrationError
from distpriv.model.gaussian import GaussianModel, PairModel
from distpriv.privacy.calibrated_for import CalibratedFor
from distpriv.privacy.calibration import Calibration, classical_caveat, gaussian_distance
from distpriv.privacy.noise import Noise
from distpriv.queries.properties import SensitiveProperty

__all__ = [
    "AttributeGaussian",
    "attribute_private_gaussian",
    "check_alpha",
    "check_beta",
    "gaussian_from_model",
    "protected_properties",
]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class AttributeGaussian:
    """Noise that hides every protected attribute of a dataset.

    Attributes
    ----------
    noise : Noise
        N(0, σ²I) on the m statistics of the query; what is promised, and how to draw it.
    sensitivities : ndarray, shape (k,)
        Δ_i F of each protected attribute, the largest over Θ.
    variances : ndarray, shape (k,)
        Least variance of the query given each protected attribute, over Θ and, for a vector,
        over all directions.
    needed : ndarray, shape (k,)
        The variance, own and added, that hides each protected attribute: (cΔ_i/ε)², or what the
        guarded calibration finds.
    """

    noise: Noise
    sensitivities: FloatArray
    variances: FloatArray
    needed: FloatArray

    @property
    def variance(self) -> float:
        """σ² = max_i (needed_i − variance_i), floored at 0."""
        return max(float((self.needed - self.variances).max()), 0.0)

    @property
    def standard_deviation(self) -> float:
        """σ."""
        return math.sqrt(self.variance)

    @property
    def binding(self) -> int:
        """Index of the protected attribute that asks for the most noise."""
        return int((self.needed - self.variances).argmax())

    @property
    def expected_absolute_error(self) -> float:
        """E|Z| of one statistic, σ√(2/π)."""
        return self.standard_deviation * math.sqrt(2 / math.pi)

    def accuracy(self, beta: float) -> float:
        """α such that one statistic moves by more with probability β only.

        α = σ Φ⁻¹(1 − β/2) (Zhang et al. 2022, Theorem 2).

        Parameters
        ----------
        beta : float in (0, 1)

        Raises
        ------
        AttributePrivacyError
            If β is outside its domain.
        """
        return self.standard_deviation * -float(ndtri(check_beta(beta) / 2))

    def failure(self, alpha: float) -> float:
        """β, the probability that one statistic moves by more than α: 2Φ(−α/σ).

        Parameters
        ----------
        alpha : float >= 0

        Raises
        ------
        AttributePrivacyError
            If α is negative or not finite.
        """
        distance = check_alpha(alpha)
        if not self.variance:
            return 0.0
        return 2 * float(ndtr(-distance / self.standard_deviation))


def check_beta(beta: float) -> float:
    """Return β, or raise `AttributePrivacyError` unless it lies strictly in (0, 1)."""
    if not 0 < beta < 1:
        raise AttributePrivacyError(
            f"β is a probability strictly between 0 and 1, got β = {beta:g}."
        )
    return float(beta)


def check_alpha(alpha: float) -> float:
    """Return α, or raise `AttributePrivacyError` unless it is a finite error from 0 on."""
    if not 0 <= alpha < math.inf:
        raise AttributePrivacyError(f"α is an error from 0 on, got α = {alpha:g}.")
    return float(alpha)


@checked(AttributePrivacyError)
def attribute_private_gaussian(
    sensitivities: ArrayLike,
    variances: ArrayLike,
    epsilon: float,
    delta: float,
    calibration: Calibration = "exact",
) -> AttributeGaussian:
    r"""Gaussian noise that hides protected attributes of a dataset, one entry for each.

    Algorithm 1 of Zhang et al. (2022): :math:`\sigma^2 = \max_i\,(c\,\Delta_iF/\varepsilon)^2 -
    \min_\theta \mathrm{Var}(F \mid g_i, \theta)`, floored at 0, where the exact calibration puts
    its own constant for c/ε. For a query of m statistics Δ is an L2 distance and the least
    eigenvalue of the conditional covariance stands for the variance: then
    :math:`\sigma^2I + \Sigma \succeq (c\Delta/\varepsilon)^2I`, which hides a shift by Δ in any
    direction. Where the direction is known, the mechanism ``OptM`` needs less noise.

    It holds where the query is normal given the protected attribute, with a variance that does
    not depend on its value. Erratum: for the temperature in Section 4.2 the paper adds no noise;
    Algorithm 1 asks for σ² = 0.00022. Under the exact calibration none is needed.

    Parameters
    ----------
    sensitivities : array-like, shape (k,) or (k, t)
        Δ_i F, how far the query's mean can shift between two secrets of the i-th protected
        attribute; for each of the t distributions of Θ, if there are several.
    variances : array-like, shape (k,), (k, t), (k, m, m) or (k, t, m, m)
        Variance or covariance of the query given the i-th protected attribute.
    epsilon : float in (0, 10⁶]
    delta : float in (0, 1)
    calibration : "exact" or "classical"

    Returns
    -------
    AttributeGaussian

    Raises
    ------
    AttributePrivacyError
        If there is not one sensitivity and one variance for each protected attribute, or they
        are negative or not finite.
    CalibrationError
        If ε, δ or the calibration is outside its domain: *guarded* needs a fitted model, see
        :func:`gaussian_from_model`.
    """
    if calibration == "guarded":
        raise CalibrationError(
            "The guarded calibration needs the covariance under each share, and here is one "
            "variance for all of them; take calibration='exact', or gaussian_from_model with a "
            "fitted model."
        )
    shifts = _numbers(sensitivities, "sensitivity")
    spreads = _numbers(variances, "variance")
    if shifts.ndim not in (1, 2) or spreads.ndim not in (1, 2, 3, 4):
        raise AttributePrivacyError(
            "Give one sensitivity and one variance for each protected attribute, for example "
            f"sensitivities=[6.125] and variances=[4.5]; got shapes {shifts.shape} and "
            f"{spreads.shape}."
        )
    if not shifts.size or shifts.shape[0] != spreads.shape[0]:
        raise AttributePrivacyError(
            f"There are {shifts.shape[0]} sensitivities and {spreads.shape[0]} variances; give "
            "one of each for every protected attribute, at least one."
        )
    dimension = spreads.shape[-1] if spreads.ndim > 2 else 1
    least = _least_eigenvalues(spreads) if spreads.ndim > 2 else spreads
    for name, values in (("sensitivity", shifts), ("variance", least)):
        if values.min() < 0:
            raise AttributePrivacyError(
                f"A {name} cannot be negative, got {values.min():g}"
                + (
                    " as an eigenvalue of a covariance."
                    if values is not spreads and name == "variance"
                    else "."
                )
            )
    distance = gaussian_distance(epsilon, delta, calibration)
    largest = shifts.reshape(len(shifts), -1).max(axis=1)
    smallest = least.reshape(len(least), -1).min(axis=1)
    needed = (largest / distance) ** 2
    variance = max(float((needed - smallest).max()), 0.0)
    caveat = classical_caveat(epsilon, delta) if calibration == "classical" else None
    noise = _isotropic(
        variance, dimension, epsilon, delta, calibration, () if caveat is None else (caveat,)
    )
    return AttributeGaussian(noise, largest, smallest, needed)


def _isotropic(
    variance: float,
    dimension: int,
    epsilon: float,
    delta: float,
    calibration: Calibration,
    caveats: tuple[str, ...],
) -> Noise:
    count = dimension if variance else 0
    return Noise(
        mechanism="Attribute-private Gaussian",
        distribution="gaussian",
        directions=np.eye(dimension)[:, :count],
        scales=np.full(count, math.sqrt(variance)),
        epsilon=float(epsilon),
        delta=float(delta),
        calibration=calibration,
        caveats=caveats,
    )


def _numbers(values: ArrayLike, name: str) -> FloatArray:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise AttributePrivacyError(
            f"Every {name} must be a number, and each protected attribute needs equally many."
        ) from None
    if not np.isfinite(array).all():
        raise AttributePrivacyError(f"A {name} is not finite; give a number in its place.")
    return array


def _least_eigenvalues(covariances: FloatArray) -> FloatArray:
    """Least eigenvalue of each covariance, rounding below 0 taken for 0."""
    transposed = covariances.swapaxes(-1, -2)
    if covariances.shape[-1] != covariances.shape[-2] or not np.allclose(covariances, transposed):
        raise AttributePrivacyError("A conditional covariance must be square and symmetric.")
    eigenvalues = np.linalg.eigvalsh(covariances)
    least, largest = eigenvalues[..., 0], np.abs(eigenvalues).max(axis=-1)
    return np.where(np.abs(least) <= 1e-12 * largest, 0.0, least)


@checked(AttributePrivacyError)
def gaussian_from_model(
    models: GaussianModel | Sequence[GaussianModel],
    epsilon: float,
    delta: float,
    calibration: Calibration = "guarded",
) -> AttributeGaussian:
    """The same from fitted models: conditional means and covariances come from a table.

    The protected attributes are the sensitive properties of the models' pairs, g_i being the
    share of records that have the property. Δ_i F is the L2 distance of the two means, the
    largest over a property's pairs and over the models; the variance is the least eigenvalue of
    all their covariances.

    Under the *guarded* calibration σ² is raised from that of Algorithm 1 on until N(0, σ²I)
    delivers (ε, δ) for every pair of every model with the covariances as they are, on the grid of
    the statistics, and by their exact law where it is known
    (:func:`distpriv.privacy.known_laws`). Under the others the theorem's assumption, one normal
    law whose variance does not depend on the share, is not checked, and of counts it may fail by
    much: :func:`distpriv.delivered_delta` of the result's ``noise`` says by how much.

    Parameters
    ----------
    models : GaussianModel or sequence of GaussianModel
        From :func:`fit_gaussian`; each is one distribution of Θ, with the same query.
    epsilon : float in (0, 10⁶]
    delta : float in (0, 1)
    calibration : "guarded", "exact" or "classical"

    Returns
    -------
    AttributeGaussian
        The protected attributes in the order of this module's ``protected_properties``.

    Raises
    ------
    AttributePrivacyError
        If there is no model, or the models are not of the same query.
    CalibrationError
        If ε, δ or the calibration is outside its domain.
    """
    family = (models,) if isinstance(models, GaussianModel) else tuple(models)
    if not family or any(model.query != family[0].query for model in family):
        raise AttributePrivacyError(
            "Θ needs at least one fitted model, and all of them of the same query."
        )
    fits: dict[SensitiveProperty, list[PairModel]] = {}
    for model in family:
        for fit in model.pairs:
            fits.setdefault(fit.pair.secret, []).append(fit)
    size = len(family[0].query)
    result = attribute_private_gaussian(
        [max(float(np.linalg.norm(fit.difference)) for fit in some) for some in fits.values()],
        [
            max(min(float(_least_eigenvalues(fit.covariances).min()) for fit in some), 0.0)
            * np.eye(size)
            for some in fits.values()
        ],
        epsilon,
        delta,
        "exact" if calibration == "guarded" else calibration,
    )
    known = _calibrated_for(family)
    if calibration != "guarded":
        return replace(result, noise=replace(result.noise, calibrated_for=known))
    asked = [
        guarded_variance(replace(family[0], pairs=tuple(some)), epsilon, delta)
        for some in fits.values()
    ]
    variances = np.array([variance for variance, _ in asked])
    caveats = tuple(dict.fromkeys(sentence for _, sentences in asked for sentence in sentences))
    noise = _isotropic(float(variances.max()), size, epsilon, delta, "guarded", caveats)
    return replace(
        result,
        noise=replace(noise, calibrated_for=known),
        needed=result.variances + variances,
    )


def _calibrated_for(family: Sequence[GaussianModel]) -> CalibratedFor | None:
    """Every pair of all models; None if they are of datasets of different sizes."""
    if len({(model.n, model.replacement) for model in family}) > 1:
        return None
    pairs = tuple(fit for model in family for fit in model.pairs)
    return CalibratedFor.of(replace(family[0], pairs=pairs))


def protected_properties(
    models: GaussianModel | Sequence[GaussianModel],
) -> tuple[SensitiveProperty, ...]:
    """The properties that :func:`gaussian_from_model` protects, in its order."""
    family = (models,) if isinstance(models, GaussianModel) else models
    return tuple(dict.fromkeys(fit.pair.secret for model in family for fit in model.pairs))
