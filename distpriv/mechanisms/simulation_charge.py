"""The error of a simulated model, charged to the δ that noise is calibrated for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from distpriv.errors import InapplicableError
from distpriv.mechanisms.guarded import Search
from distpriv.model.gaussian import GaussianModel
from distpriv.privacy.noise import Noise
from distpriv.privacy.simulated_delta import simulated_delta
from distpriv.words import exact

__all__ = ["charged"]

_BETA = 0.01  # of δ: that the simulation misleads by more than is charged
_SPARE = 0.995
_ROUNDS = 12
_LEAST = 1e-6  # of δ, below which the datasets tell nothing of it


def charged(
    model: GaussianModel, epsilon: float, delta: float, noise_for: Callable[[float], Search]
) -> Search:
    """Search for noise that keeps δ although the model is simulated.

    What a noise delivers by the fitted normals is multiplied by a factor that covers the
    simulation's error at confidence 1 − β, β = δ/100
    (:func:`distpriv.privacy.simulated_delta.simulated_delta`), and β is charged to δ: the noise is
    calibrated for (δ − β) divided by the factor. The factor hardly depends on the noise, so few
    rounds suffice.

    Parameters
    ----------
    model : GaussianModel
    epsilon, delta : float
    noise_for : callable
        From a smaller δ to the search for its noise.

    Raises
    ------
    InapplicableError
        If the datasets are too few to tell.
    """
    beta = _BETA * delta
    aim = delta
    for _ in range(_ROUNDS):
        noise: Noise = yield from noise_for(aim)
        error = simulated_delta(model, noise, epsilon)
        if error is None:
            return noise
        factor = error.factor(beta)
        if aim * factor <= delta - beta:
            return replace(noise, delta=delta)
        aim = _SPARE * (delta - beta) / factor
        if aim < _LEAST * delta:
            break
    raise InapplicableError(
        f"The simulated datasets are too few to promise δ = {exact(delta)}; simulate more of them, "
        "or take a larger ε or δ."
    )
