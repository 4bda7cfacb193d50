"""The privacy that a release delivers: δ for every ε, worst pair and worst order.

The mechanisms promise (ε, δ) under assumptions on the two distributions of a pair. Here nothing is
assumed but that they are normal, each with its own covariance, on the grid of the statistics: noise
that arithmetic undoes counts for nothing (:mod:`distpriv.privacy.covered`). Where the exact law of
the statistics is known (:func:`distpriv.privacy.model_laws`) it takes the place of the normals.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray

from distpriv.arguments import MODERATE, Axes, checked
from distpriv.errors import CalibrationError
from distpriv.model.gaussian import GaussianModel, PairModel
from distpriv.model.sampling import Interval
from distpriv.privacy.calibration import check_delta
from distpriv.privacy.coset_loss import CosetLoss
from distpriv.privacy.covered import CoveredLoss, coset_loss, normal_part, shown
from distpriv.privacy.exact_laws import ExactLaw
from distpriv.privacy.known_laws import Laws, laws_for
from distpriv.privacy.laplace_profile import LaplaceLoss, laplace_losses
from distpriv.privacy.noise import Noise
from distpriv.privacy.noised import noised
from distpriv.privacy.privacy_loss import PrivacyLoss

__all__ = [
    "ROUNDING",
    "Loss",
    "SimulatedLoss",
    "WorstCase",
    "delivered_delta",
    "delivered_epsilon",
    "delivered_interval",
    "privacy_losses",
    "privacy_profile",
    "worst_case",
]

FloatArray = NDArray[np.float64]

ROUNDING = 1 + 1e-6
"""How many times the promised δ may be computed for a promise that is kept."""

_DRAWS = 512
_NOTHING = 1e-12
_TRACE = 1e-9


@dataclass(frozen=True, eq=False)
class SimulatedLoss:
    """Privacy loss of a release with Laplace noise, from draws that are the same every time.

    Attributes
    ----------
    loss : LaplaceLoss
    """

    loss: LaplaceLoss

    def delta(self, epsilon: float) -> float:
        """δ(ε) at one ε >= 0; see :func:`distpriv.privacy.laplace_profile.laplace_losses`."""
        return float(self.deltas(np.array([epsilon]))[0])

    def deltas(self, epsilons: FloatArray) -> FloatArray:
        """δ(ε) at every ε >= 0, same shape; 0 where it is proven to be next to nothing."""
        most = self.loss.bounds(epsilons)
        least, open_ = np.zeros(len(most)), most > _NOTHING
        if open_.any():
            least[open_] = self.loss.deltas(np.asarray(epsilons)[open_]).delta
        return least

    def epsilon(self, delta: float) -> float:
        """Least ε >= 0 with δ(ε) <= delta."""
        return self.loss.epsilon(delta).estimate


Loss = PrivacyLoss | CoveredLoss | CosetLoss | SimulatedLoss
"""What tells δ at every ε, and ε at every δ."""


@dataclass(frozen=True)
class WorstCase:
    """The pair and order for which a release keeps the least of its promise.

    Attributes
    ----------
    pair : int
        Index into ``model.pairs``.
    order : int
        0 if P is the first proportion of the pair, 1 if it is the second.
    delta : float
        δ(ε) there.
    """

    pair: int
    order: int
    delta: float


def privacy_losses(fit: PairModel, noise: Noise | None) -> tuple[Loss, Loss]:
    """Privacy losses of a pair in both orders.

    Those of a release without noise where arithmetic on the grid of the statistics undoes it.
    Laplace noise has no closed form: its losses are simulated, always from the same draws. Without
    noise, those of telling how many records have the property where the statistics lie on cosets
    that say so.

    Parameters
    ----------
    fit : PairModel
    noise : Noise or None
    """
    theta = shown(fit, noise)
    held = None if math.isinf(theta) else noise
    if (told := coset_loss(fit, held)) is not None:
        return told, told.reversed
    losses = _uncovered(fit, held)
    if not 0 < theta < math.inf or (isinstance(losses[0], SimulatedLoss) and not fit.apart):
        return losses
    return CoveredLoss(losses[0], theta), CoveredLoss(losses[1], theta)


def _uncovered(
    fit: PairModel, noise: Noise | None
) -> tuple[PrivacyLoss, PrivacyLoss] | tuple[SimulatedLoss, SimulatedLoss]:
    """As if the statistics were densities."""
    difference, covariances = fit.difference, fit.covariances
    if noise is not None and not noise.is_zero:
        if noise.distribution == "laplace":
            fit, noise = normal_part(fit, noise)
            # A statistic that does not vary at one share gets next to nothing on top of the noise.
            trace = _TRACE * np.diag(np.diag(noise.covariance))
            first, second = laplace_losses(
                fit.means, fit.covariances + trace, noise.directions, noise.scales, draws=_DRAWS
            )
            return SimulatedLoss(first), SimulatedLoss(second)
        frame = noised(fit, noise)
        if frame is None:  # as if there were none, which is the safe side
            return _uncovered(fit, None)
        difference, covariances = frame.difference, frame.covariances
    first, second, origin = *covariances, np.zeros_like(difference)
    return (
        PrivacyLoss.between(difference, first, origin, second),
        PrivacyLoss.between(origin, second, difference, first),
    )


@checked(CalibrationError)
def privacy_profile(
    fit: PairModel, noise: Noise | None, epsilons: Annotated[ArrayLike, Axes(1)]
) -> FloatArray:
    """δ(ε) of a release for one pair in both orders, with the separate covariances.

    Parameters
    ----------
    fit : PairModel
    noise : Noise or None
    epsilons : array-like, shape (points,), each >= 0

    Returns
    -------
    ndarray, shape (2, points)

    Raises
    ------
    CalibrationError
        For a negative ε, or if the noise is calibrated for other distributions.
    """
    points = np.asarray(epsilons, dtype=np.float64)
    if not (np.isfinite(points).all() and (points >= 0).all()):
        raise CalibrationError("Every ε must be a number that is not negative.")
    if noise is not None and noise.calibrated_for is not None:
        noise.calibrated_for.check_pair(fit)
    points = np.minimum(points, MODERATE.high)  # δ falls as ε grows
    return np.array([loss.deltas(points) for loss in privacy_losses(fit, noise)])


@checked(CalibrationError)
def worst_case(
    model: GaussianModel, noise: Noise | None, epsilon: float, *, law: Laws = None
) -> WorstCase:
    """Pair and order with the largest δ(ε).

    Parameters and errors are those of :func:`delivered_delta`.
    """
    if not epsilon >= 0:
        raise CalibrationError("Every ε must be a number that is not negative.")
    epsilon = min(epsilon, MODERATE.high)
    worst = WorstCase(0, 0, -1.0)
    if law is not None:
        for pair, exact in enumerate(_laws(model, noise, law)):
            for order, delta in enumerate(exact.delivered_deltas(noise, [epsilon])[:, 0].tolist()):
                if delta > worst.delta:
                    worst = WorstCase(pair, order, delta)
        return worst
    for pair, order, loss in _every(model, noise):
        if isinstance(loss, SimulatedLoss) and loss.loss.bounds([epsilon])[0] <= worst.delta:
            continue
        delta = loss.delta(epsilon)
        if not delta <= worst.delta:  # what cannot be computed promises nothing
            worst = WorstCase(pair, order, 1.0 if math.isnan(delta) else delta)
    return worst


def _every(model: GaussianModel, noise: Noise | None) -> Iterator[tuple[int, int, Loss]]:
    if noise is not None and noise.calibrated_for is not None:
        noise.calibrated_for.check_model(model)
    for pair, fit in enumerate(model.pairs):
        for order, loss in enumerate(privacy_losses(fit, noise)):
            yield pair, order, loss


def _laws(
    model: GaussianModel, noise: Noise | None, law: ExactLaw | Sequence[ExactLaw]
) -> tuple[ExactLaw, ...]:
    if noise is not None and noise.calibrated_for is not None:
        noise.calibrated_for.check_model(model)
    return laws_for(model, law)


@checked(CalibrationError)
def delivered_delta(
    model: GaussianModel, noise: Noise | None, epsilon: float, *, law: Laws = None
) -> float:
    """δ that a release delivers at ε, for the worst pair and order.

    Parameters
    ----------
    model : GaussianModel
    noise : Noise or None
    epsilon : float >= 0
    law : ExactLaw, or sequence of ExactLaw, optional
        Take the exact law of each pair's statistics, in the model's units
        (:func:`distpriv.privacy.model_laws`), in place of the fitted normals.

    Returns
    -------
    float
        Of Laplace noise an estimate, see :func:`delivered_interval`; by the exact law to 1e-3 of
        the value or 1e-9.

    Raises
    ------
    CalibrationError
        For a negative ε, or if the noise is calibrated for another model; say with
        :meth:`distpriv.Noise.detached` that this is on purpose. If a law is not that of the
        model's statistics, or the noise is Laplace.
    ModelError
        If the noise is too small beside the steps to be integrated over by the exact law.
    """
    return worst_case(model, noise, epsilon, law=law).delta


def delivered_interval(model: GaussianModel, noise: Noise | None, epsilon: float) -> Interval:
    """δ that a release delivers at ε, with its 95 % interval, for the worst pair and order.

    Of no width but for Laplace noise on several statistics. Parameters and error are those of
    :func:`delivered_delta`.
    """
    worst = worst_case(model, noise, epsilon)
    loss = privacy_losses(model.pairs[worst.pair], noise)[worst.order]
    if not isinstance(loss, SimulatedLoss) or worst.delta == 0:
        return Interval(worst.delta, worst.delta, worst.delta)
    deltas = loss.loss.deltas([epsilon])
    return Interval(*(float(bound[0]) for bound in (deltas.delta, deltas.low, deltas.high)))


@checked(CalibrationError)
def delivered_epsilon(
    model: GaussianModel, noise: Noise | None, delta: float, *, law: Laws = None
) -> float:
    """Least ε ≥ 0 at which a release delivers δ, for the worst pair and order; it may be ∞.

    Parameters
    ----------
    model : GaussianModel
    noise : Noise or None
    delta : float in (0, 1)
    law : ExactLaw, or sequence of ExactLaw, optional
        See :func:`delivered_delta`.

    Raises
    ------
    CalibrationError
        If δ is outside its domain, or the noise is calibrated for another model; with a law as
        :func:`delivered_delta`.
    ModelError
        As :func:`delivered_delta`.
    """
    delta = check_delta(delta)
    if law is not None:
        return max(exact.delivered_epsilon(noise, delta) for exact in _laws(model, noise, law))
    largest = 0.0
    for _, _, loss in _every(model, noise):
        # One δ is cheaper than solving for ε, and tells whether there is more to find.
        if largest < math.inf and not loss.delta(largest) <= delta:
            largest = loss.epsilon(delta)
    return largest
