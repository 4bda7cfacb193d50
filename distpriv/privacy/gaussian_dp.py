"""One number without a δ: how far apart two unit normals are that are as hard to tell apart."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from distpriv.arguments import Within, checked
from distpriv.errors import CalibrationError
from distpriv.model.gaussian import GaussianModel
from distpriv.privacy.calibration import check_delta, gaussian_distance
from distpriv.privacy.delivered import delivered_epsilon, privacy_losses, privacy_profile
from distpriv.privacy.known_laws import Laws, laws_for
from distpriv.privacy.noise import Noise
from distpriv.privacy.privacy_loss import PrivacyLoss

__all__ = ["GaussianDP", "gaussian_dp"]

FloatArray = NDArray[np.float64]
_Profile = Callable[[FloatArray], FloatArray]

_POINTS = 33
_ROUNDS = 12
_CLOSE = 2e-3  # of μ, that the bound may lie above the curve


@dataclass(frozen=True)
class GaussianDP:
    """What a release delivers in the terms of Gaussian differential privacy.

    Attributes
    ----------
    mu : float >= 0
        ∞ where the release hides nothing.
    delta : float
        0 if the release is μ-Gaussian-DP for the pairs: no test does better than on two unit
        normals that are μ apart. Else the least δ down to which that holds: wherever the release's
        δ(ε) is `delta` or more it is no more than that of the two normals.
    """

    mu: float
    delta: float

    @property
    def whole(self) -> bool:
        """Whether it holds for every test, with no δ."""
        return self.delta == 0


@checked(CalibrationError)
def gaussian_dp(
    model: GaussianModel,
    noise: Noise | None,
    delta: Annotated[float, Within(0, 1)],
    *,
    law: Laws = None,
) -> GaussianDP:
    """Least μ for which a release is as hard to read as two unit normals that are μ apart.

    Gaussian differential privacy of Dong, Roth & Su (2022, Definition 4) for a pair of shares.
    Where the covariances of every pair are equal it is exact and needs no δ: μ is the Mahalanobis
    distance of the means under the covariance with the noise. Where they differ no μ does: the
    likelihood ratio of two such normals is a quadratic form, whose tails are heavier than those of
    any two unit normals. Then μ is what holds down to a δ, by Corollary 1 of the same paper (a
    release is μ-Gaussian-DP if its δ(ε) is at most that of the two normals for every ε): the least
    μ up to 0.2 %, rounded upwards. Between two values of ε at which δ(ε) is computed it is at most
    that at the lower one, as it falls, so that no ε is left out.

    Parameters
    ----------
    model : GaussianModel
    noise : Gaussian Noise or None
    delta : float in (0, 1)
        Down to which it is to hold where it cannot hold altogether.
    law : ExactLaw, or sequence of ExactLaw, optional
        See :func:`distpriv.delivered_delta`.

    Raises
    ------
    CalibrationError
        For Laplace noise, or as :func:`distpriv.delivered_delta` does.
    """
    delta = check_delta(delta)
    if noise is not None and noise.distribution == "laplace" and not noise.is_zero:
        raise CalibrationError(
            f"{noise.mechanism} adds Laplace noise, which is not compared with two normals; take a "
            "Gaussian mechanism."
        )
    if law is None:
        losses = [loss for fit in model.pairs for loss in privacy_losses(fit, noise)]
        if all(isinstance(loss, PrivacyLoss) and loss.equal_covariances for loss in losses):
            distances = [
                np.linalg.norm(loss.shift) for loss in losses if isinstance(loss, PrivacyLoss)
            ]
            return GaussianDP(float(max(distances)), 0.0)

    def profile(epsilons: FloatArray) -> FloatArray:
        if law is None:
            each = [privacy_profile(fit, noise, epsilons) for fit in model.pairs]
        else:
            each = [one.delivered_deltas(noise, epsilons) for one in laws_for(model, law)]
        return np.asarray(np.max(np.concatenate(each), axis=0))

    last = delivered_epsilon(model, noise, delta, law=law)
    if math.isinf(last):
        return GaussianDP(math.inf, delta)
    epsilons = np.linspace(0.0, last, _POINTS) if last > 0 else np.zeros(1)
    return GaussianDP(_dominating(epsilons, profile(epsilons), profile), delta)


def _dominating(epsilons: FloatArray, deltas: FloatArray, profile: _Profile) -> float:
    """Least μ whose δ(ε) is at least that of the profile between the first and the last ε."""
    for _ in range(_ROUNDS):
        reached = max(map(_separation, epsilons, deltas))
        above = np.array([_separation(*each) for each in zip(epsilons[1:], deltas, strict=False)])
        wide = np.flatnonzero(above > reached * (1 + _CLOSE))
        if not len(wide) or math.isinf(reached):
            break
        new = (epsilons[wide] + epsilons[wide + 1]) / 2
        order = np.argsort(np.append(epsilons, new), kind="stable")
        deltas = np.append(deltas, profile(new))[order]
        epsilons = np.append(epsilons, new)[order]
    return float(max([reached, *above]))


def _separation(epsilon: float, delta: float) -> float:
    """μ of the two unit normals that have this δ at this ε."""
    if delta >= 1:
        return math.inf
    if delta <= 0:
        return 0.0
    if epsilon == 0:
        return 2 * float(ndtri((1 + delta) / 2))
    return gaussian_distance(float(epsilon), float(delta))
