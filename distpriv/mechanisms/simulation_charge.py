"""The error of a simulated model, charged to the δ that noise is calibrated for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from distpriv.errors import InapplicableError
from distpriv.mechanisms.guarded import Search
from distpriv.model.gaussian import GaussianModel
from distpriv.privacy.noise import Noise
from distpriv.privacy.simulated_room import delta_with_room, simulated_room
from distpriv.words import exact

__all__ = ["charged"]

_BETA = 0.01  # of δ: that the simulation misleads by more than is charged
_SPARE = 1e-3  # of room
_ROUNDS = 20
_LEAST = 1e-30  # δ below which there is no noise to look for


def charged(
    model: GaussianModel, epsilon: float, delta: float, noise_for: Callable[[float], Search]
) -> Search:
    """Search for noise that keeps δ although the model is simulated.

    The noise is calibrated for so small a δ that the promise holds at the lower end of the room it
    leaves (:func:`distpriv.privacy.simulated_room.simulated_room`) at confidence 1 − β, β = δ/100,
    and β is charged to δ. The error of the room hardly depends on the noise, so few rounds suffice.

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
    aim, last, pace = delta, 0.0, 1.0
    for _ in range(_ROUNDS):
        noise: Noise = yield from noise_for(aim)
        room = simulated_room(model, noise, epsilon, delta - beta)
        if room is None:
            return noise
        least = room.least(beta)
        if least >= 0:
            return replace(noise, delta=delta)
        # Where less δ takes no more noise yet, it is lowered in larger steps.
        pace = 2 * pace if last and least < last / 2 else pace
        last = least
        aim = delta_with_room(epsilon, aim, pace * (least - _SPARE))
        if not aim > _LEAST:
            break
    raise InapplicableError(
        f"The simulated datasets are too few to promise δ = {exact(delta)}; simulate more of them, "
        "or take a larger ε or δ."
    )
